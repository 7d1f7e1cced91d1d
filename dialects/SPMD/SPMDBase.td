// The spmd dialect: meshes, shardings and the collectives that name mesh axes.
#ifndef PARTITA_DIALECTS_SPMD_BASE
#define PARTITA_DIALECTS_SPMD_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def SPMD_Dialect : Dialect {
  let name = "spmd";
  let cppNamespace = "::partita::spmd";
  let summary = "Meshes, shardings and axis-named collectives";
  let description = [{
    Before partition the dialect annotates a whole-array program: `spmd.mesh`
    names the devices, `#spmd.sharding` says how a value is laid out on them,
    and `spmd.constraint`, `spmd.reshard`, `spmd.group`,
    `spmd.propagation_barrier` and `spmd.manual` carry what the user asked for.
    After partition it holds the collectives of the per-device program. Every
    collective names mesh axes, never replica groups. See Rationale.md.

    Where a sharding lives: results of ops in the discardable attribute
    `spmd.shardings` (one per result), function arguments and results in the
    argument or result attribute `spmd.sharding`, operands and results of
    `spmd.manual` in its own lists. Bodies of ops such as reduce or sort carry
    none.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of the discardable attribute with one sharding per result.
    static constexpr ::llvm::StringLiteral getShardingsAttrName() {
      return "spmd.shardings";
    }
    /// Name of the attribute with a user's rule for an op, a dictionary; its
    /// form is described at the pass spmd-import-sdy.
    static constexpr ::llvm::StringLiteral getShardingRuleAttrName() {
      return "spmd.sharding_rule";
    }
    /// Name of the argument and result attribute of functions.
    static constexpr ::llvm::StringLiteral getShardingAttrName() {
      return "spmd.sharding";
    }
    /// Name of the argument and result attribute that keeps the whole type in a
    /// per-device program.
    static constexpr ::llvm::StringLiteral getGlobalTypeAttrName() {
      return "spmd.global_type";
    }
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
