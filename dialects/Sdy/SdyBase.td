// The sdy dialect: the subset of Shardy's annotations that Partita reads.
#ifndef PARTITA_DIALECTS_SDY_BASE
#define PARTITA_DIALECTS_SDY_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::partita::sdy";
  let summary = "Sharding annotations as JAX prints them (input only)";
  let description = [{
    Text-compatible with the modules that JAX emits and with Shardy's own test
    files. Import turns every op and attribute of this dialect into its spmd
    form; no later pass knows it.

    Where a sharding lives: function arguments and results carry
    `sdy.sharding = #sdy.sharding<...>`, ops carry
    `sdy.sharding = #sdy.sharding_per_value<[...]>` with one entry per result,
    and a user's rule for an op is `sdy.sharding_rule`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attribute of function arguments, function results and ops.
    static constexpr ::llvm::StringLiteral getShardingAttrName() {
      return "sdy.sharding";
    }
    /// Attribute with a user's sharding rule for an op.
    static constexpr ::llvm::StringLiteral getShardingRuleAttrName() {
      return "sdy.sharding_rule";
    }
    void registerAttributes();
  }];
}

#endif
