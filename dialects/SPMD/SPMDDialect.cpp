// The dialect object: registration, the checks of discardable attributes, and
// the one place that knows where the sharding of a value is kept.
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

#include "dialects/SPMD/SPMDDialect.cpp.inc"

void SPMDDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/SPMD/SPMDOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

MeshAttr spmd::lookupMesh(Operation *op, FlatSymbolRefAttr name) {
  if (!name)
    return {};
  for (Operation *table = SymbolTable::getNearestSymbolTable(op); table;
       table = table->getParentOp()
                   ? SymbolTable::getNearestSymbolTable(table->getParentOp())
                   : nullptr)
    if (auto mesh = dyn_cast_or_null<MeshOp>(
            SymbolTable::lookupSymbolIn(table, name.getAttr())))
      return mesh.getMeshAttr();
  return {};
}

FailureOr<MeshAttr> spmd::requireMesh(Operation *op, FlatSymbolRefAttr name) {
  if (MeshAttr mesh = lookupMesh(op, name))
    return mesh;
  return failWithFix(op->emitOpError() << "mesh " << name << " is not defined",
                     "add 'spmd.mesh @" + name.getValue() +
                         " = <[...]>' to the module");
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

LogicalResult SPMDDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == getShardingAttrName())
    return failWithFix(op->emitOpError() << "has 'spmd.sharding'",
                       "ops carry 'spmd.shardings', one per result; "
                       "'spmd.sharding' is for arguments and results of "
                       "functions");
  if (attribute.getName() == getShardingRuleAttrName() &&
      !isa<DictionaryAttr>(attribute.getValue()))
    return failWithFix(op->emitOpError()
                           << "'spmd.sharding_rule' must be a dictionary",
                       "write {factor_sizes = ..., ...}");
  if (attribute.getName() != getShardingsAttrName())
    return success();
  auto shardings = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!shardings || !llvm::all_of(shardings, llvm::IsaPred<ShardingAttr>))
    return failWithFix(op->emitOpError()
                           << "'spmd.shardings' must be an array of "
                              "#spmd.sharding",
                       "write [#spmd.sharding<@mesh, [...]>, ...]");
  // An op without results may still be bound to a device (a callback).
  if (op->getNumResults() == 0 && shardings.size() == 1) {
    MeshAttr mesh = lookupMesh(op, cast<ShardingAttr>(shardings[0]).getMesh());
    if (mesh && mesh.isMaximal())
      return success();
  }
  if (shardings.size() != op->getNumResults())
    return failWithFix(op->emitOpError()
                           << "'spmd.shardings' has " << shardings.size()
                           << " entries, but the op has "
                           << op->getNumResults() << " results",
                       "write one sharding per result");
  for (auto [index, sharding] :
       llvm::enumerate(shardings.getAsRange<ShardingAttr>())) {
    auto emitError = [&, number = index]() {
      return op->emitOpError() << "sharding of result " << number << ": ";
    };
    if (failed(sharding.verifyForType(op->getResult(index).getType(),
                                      lookupMesh(op, sharding.getMesh()),
                                      emitError)))
      return failure();
  }
  return success();
}

/// Checks our attributes on an argument or result of a function-like op.
static LogicalResult verifySignatureAttribute(Operation *op, StringRef what,
                                              unsigned index, Type type,
                                              NamedAttribute attribute) {
  if (attribute.getName() == SPMDDialect::getShardingsAttrName())
    return failWithFix(op->emitOpError() << what << " " << index
                                         << " has 'spmd.shardings'",
                       "arguments and results carry 'spmd.sharding'");
  if (attribute.getName() == SPMDDialect::getGlobalTypeAttrName() &&
      !isa<TypeAttr>(attribute.getValue()))
    return failWithFix(op->emitOpError() << "'spmd.global_type' of " << what
                                         << " " << index << " is no type",
                       "write the whole type, as tensor<8xf32>");
  if (attribute.getName() != SPMDDialect::getShardingAttrName())
    return success();
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  if (!sharding)
    return failWithFix(op->emitOpError()
                           << "'spmd.sharding' of " << what << " " << index
                           << " must be a #spmd.sharding",
                       "write #spmd.sharding<@mesh, [...]>");
  return sharding.verifyForType(type, lookupMesh(op, sharding.getMesh()), [&]() {
    return op->emitOpError() << "sharding of " << what << " " << index << ": ";
  });
}

LogicalResult SPMDDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || argIndex >= function.getNumArguments())
    return success();
  return verifySignatureAttribute(op, "argument", argIndex,
                                  function.getArgumentTypes()[argIndex],
                                  attribute);
}

LogicalResult
SPMDDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                         unsigned resultIndex,
                                         NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || resultIndex >= function.getNumResults())
    return success();
  return verifySignatureAttribute(op, "result", resultIndex,
                                  function.getResultTypes()[resultIndex],
                                  attribute);
}

//===----------------------------------------------------------------------===//
// Shardings of values
//===----------------------------------------------------------------------===//

ShardingAttr ManualOp::getBodySharding(ShardingAttr sharding) {
  auto isFree = [&](AxisRefAttr axis) {
    return llvm::none_of(getManualAxes().getAxes(),
                         [&](AxisRefAttr manualAxis) {
                           return manualAxis.getName() == axis.getName();
                         });
  };
  auto getFree = [&](ArrayRef<AxisRefAttr> axes) {
    return SmallVector<AxisRefAttr>(llvm::make_filter_range(axes, isFree));
  };
  SmallVector<DimShardingAttr> dims;
  for (DimShardingAttr dim : sharding.getDims())
    dims.push_back(DimShardingAttr::get(sharding.getContext(),
                                        getFree(dim.getAxes()),
                                        dim.getIsClosed(), dim.getPriority()));
  SmallVector<AxisRefAttr> unreduced = getFree(sharding.getUnreduced());
  return ShardingAttr::get(
      sharding.getContext(), sharding.getMesh(), dims,
      getFree(sharding.getReplicated()), unreduced,
      unreduced.empty() ? ReductionKind::Add : sharding.getReductionKind());
}

/// Entry `index` of a list of shardings; null if it is none.
static ShardingAttr getEntry(Attribute list, unsigned index) {
  auto array = dyn_cast_or_null<ArrayAttr>(list);
  if (!array || index >= array.size())
    return {};
  return dyn_cast<ShardingAttr>(array[index]);
}

static ShardingAttr getOpResultSharding(OpResult result) {
  Operation *op = result.getOwner();
  if (ShardingAttr sharding =
          getEntry(op->getDiscardableAttr(SPMDDialect::getShardingsAttrName()),
                   result.getResultNumber()))
    return sharding;
  if (auto manual = dyn_cast<ManualOp>(op))
    return getEntry(manual.getOutShardingsAttr(), result.getResultNumber());
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return constraint.getShardingAttr();
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return reshard.getShardingAttr();
  return {};
}

/// The op result that carries the same value as an argument of a loop.
static OpResult getTiedResult(LoopLikeOpInterface loop, BlockArgument argument) {
  auto iterArgs = loop.getRegionIterArgs();
  std::optional<ResultRange> results = loop.getLoopResults();
  if (results && results->size() == iterArgs.size())
    for (auto [iterArg, result] : llvm::zip(iterArgs, *results))
      if (iterArg == argument)
        return cast<OpResult>(result);
  // Any other region of a loop whose arguments are all carried (the condition
  // of a while).
  unsigned number = argument.getArgNumber();
  if (argument.getOwner()->getNumArguments() != loop->getNumResults() ||
      loop->getResult(number).getType() != argument.getType())
    return {};
  return loop->getResult(number);
}

ShardingAttr spmd::getSharding(Value value) {
  // A region states one for each value that enters, but a token has no layout.
  if (!isa<TensorType>(value.getType()))
    return {};
  if (auto result = dyn_cast<OpResult>(value))
    return getOpResultSharding(result);
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  if (!owner || !argument.getOwner()->isEntryBlock())
    return {};
  unsigned number = argument.getArgNumber();
  if (auto function = dyn_cast<FunctionOpInterface>(owner))
    return function.getArgAttrOfType<ShardingAttr>(
        number, SPMDDialect::getShardingAttrName());
  if (auto manual = dyn_cast<ManualOp>(owner)) {
    ShardingAttr sharding = getEntry(manual.getInShardingsAttr(), number);
    return sharding ? manual.getBodySharding(sharding) : sharding;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(owner))
    if (OpResult result = getTiedResult(loop, argument))
      return getOpResultSharding(result);
  return {};
}

/// `list` with entry `index` replaced; `list` may be null.
static ArrayAttr replaceEntry(Operation *op, ArrayAttr list, unsigned index,
                              ShardingAttr sharding) {
  SmallVector<Attribute> entries;
  if (list && list.size() == op->getNumResults()) {
    entries.assign(list.begin(), list.end());
  } else {
    // An open sharding without axes says nothing.
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      entries.push_back(ShardingAttr::getReplicated(
          op->getContext(), sharding.getMesh().getValue(),
          tensor ? tensor.getRank() : 0, /*isClosed=*/false));
    }
  }
  entries[index] = sharding;
  return ArrayAttr::get(op->getContext(), entries);
}

bool spmd::setSharding(Value value, ShardingAttr sharding) {
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto manual = dyn_cast<ManualOp>(op)) {
      manual.setOutShardingsAttr(
          replaceEntry(op, manual.getOutShardingsAttr(), number, sharding));
    } else if (auto reshard = dyn_cast<ReshardOp>(op)) {
      reshard.setShardingAttr(sharding);
    } else {
      auto old = op->getAttrOfType<ArrayAttr>(SPMDDialect::getShardingsAttrName());
      op->setDiscardableAttr(SPMDDialect::getShardingsAttrName(),
                             replaceEntry(op, old, number, sharding));
    }
    return true;
  }
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  auto function = dyn_cast_or_null<FunctionOpInterface>(owner);
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  function.setArgAttr(argument.getArgNumber(),
                      SPMDDialect::getShardingAttrName(), sharding);
  return true;
}

ShardingAttr spmd::getResultSharding(func::FuncOp function, unsigned index) {
  return function.getResultAttrOfType<ShardingAttr>(
      index, SPMDDialect::getShardingAttrName());
}

void spmd::setResultSharding(func::FuncOp function, unsigned index,
                             ShardingAttr sharding) {
  function.setResultAttr(index, SPMDDialect::getShardingAttrName(), sharding);
}
