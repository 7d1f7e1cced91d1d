// Registration of the sdy dialect and the checks on its attributes where they
// annotate ops, function arguments and function results of any dialect.
#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace partita::sdy;

#include "dialects/Sdy/SdyDialect.cpp.inc"

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Sdy/SdyOps.cpp.inc"
      >();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == getShardingAttrName()) {
    auto shardings = dyn_cast<ShardingPerValueAttr>(attribute.getValue());
    if (!shardings) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "'" << getShardingAttrName()
                                 << "' must be #sdy.sharding_per_value, got "
                                 << attribute.getValue();
      error.attachNote()
          << "fix: write #sdy.sharding_per_value<[<@mesh, ...>]> "
             "with one sharding per result";
      return error;
    }
    return verifyShardings(shardings, op->getResultTypes(), op, "result");
  }
  if (attribute.getName() == getShardingRuleAttrName()) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "'" << getShardingRuleAttrName()
                                 << "' must be #sdy.op_sharding_rule, got "
                                 << attribute.getValue();
      error.attachNote()
          << "fix: write #sdy.op_sharding_rule<([i])->([i]) {i=8}>";
      return error;
    }
    return verifyShardingRule(rule, op);
  }
  return success();
}

/// Checks `sdy.sharding` on argument or result `index` of a function.
static LogicalResult verifySignature(Operation *op, NamedAttribute attribute,
                                     ArrayRef<Type> types, unsigned index,
                                     StringRef kind) {
  if (attribute.getName() != SdyDialect::getShardingAttrName() ||
      index >= types.size())
    return success();
  auto emitError = [&]() -> InFlightDiagnostic {
    return op->emitOpError() << kind << " " << index << ": ";
  };
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  if (!sharding) {
    InFlightDiagnostic error =
        emitError() << "'" << SdyDialect::getShardingAttrName()
                    << "' must be #sdy.sharding, got " << attribute.getValue();
    error.attachNote() << "fix: write #sdy.sharding<@mesh, [...]>";
    return error;
  }
  return verifySharding(sharding, types[index], op, emitError);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifySignature(op, attribute, function.getArgumentTypes(), argIndex,
                         "argument");
}

LogicalResult
SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifySignature(op, attribute, function.getResultTypes(), resultIndex,
                         "result");
}
