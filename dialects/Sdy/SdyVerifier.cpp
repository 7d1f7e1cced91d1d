// Checks of shardings and rules against the mesh, the value's type and the op.
// All lookups read only the parents of an op, so they may run while other
// functions are verified in parallel.
#include "dialects/Sdy/Sdy.h"

#include "dialects/Sdy/SdyText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace partita::sdy;

MeshAttr partita::sdy::lookupMesh(Operation *op, StringRef name) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto module = dyn_cast<ModuleOp>(scope))
      for (MeshOp mesh : module.getOps<MeshOp>())
        if (mesh.getSymName() == name)
          return mesh.getMesh();
  return {};
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Checks one axis alone: known to the mesh and, if a sub-axis, a part of it.
static LogicalResult verifyAxis(AxisRefAttr axis, MeshAttr mesh,
                                EmitError emitError) {
  int64_t whole = mesh.getAxisSize(axis.getName());
  if (whole < 0) {
    std::string names;
    for (MeshAxisAttr known : mesh.getAxes())
      names += (names.empty() ? "\"" : ", \"") + known.getName().str() + "\"";
    return refuse(emitError() << "unknown axis " << axis.str(),
                  "name one of the mesh's axes: " + names);
  }
  if (!axis.isSubAxis())
    return success();
  int64_t pre = axis.getPreSize(), size = axis.getSubSize();
  // Division in this order cannot overflow.
  if (pre < 1 || size < 2 || whole % pre != 0 || whole / pre % size != 0)
    return refuse(emitError()
                      << "sub-axis " << axis.str() << " does not divide axis \""
                      << axis.getName() << "\" of size " << whole,
                  "pre-size times size must divide the size of the axis");
  if (size == whole)
    return refuse(emitError()
                      << "sub-axis " << axis.str() << " is the whole axis",
                  "write \"" + axis.getName() + "\"");
  return success();
}

LogicalResult partita::sdy::verifyAxes(ArrayRef<AxisRefAttr> axes,
                                       MeshAttr mesh, EmitError emitError) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(verifyAxis(axis, mesh, emitError)))
      return failure();
    for (AxisRefAttr other : axes.take_front(i)) {
      if (other == axis)
        return refuse(emitError() << "axis " << axis.str() << " is used twice",
                      "use each axis for one dimension, or as replicated or "
                      "unreduced, once");
      if (other.overlaps(axis))
        return refuse(emitError() << "axes " << other.str() << " and "
                                  << axis.str() << " overlap",
                      "use sub-axes that share no part");
    }
  }
  return success();
}

/// Refuses `"x":(1)2, "x":(2)2`, of which there must be one spelling.
static LogicalResult verifyMerged(ArrayRef<AxisRefAttr> axes,
                                  EmitError emitError) {
  for (auto [major, minor] : llvm::zip(axes.drop_back(axes.empty() ? 0 : 1),
                                       axes.drop_front(axes.empty() ? 0 : 1)))
    if (major.getName() == minor.getName() && major.isSubAxis() &&
        major.getPreSize() * major.getSubSize() == minor.getPreSize())
      return refuse(emitError() << "sub-axes " << major.str() << " and "
                                << minor.str() << " are one",
                    "write them as a single axis");
  return success();
}

/// Checks that replicated or unreduced axes stand in the mesh's order.
static LogicalResult verifyOrdered(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                                   StringRef kind, EmitError emitError) {
  auto before = [&](AxisRefAttr a, AxisRefAttr b) {
    return std::pair(mesh.getAxisIndex(a.getName()), a.getPreSize()) <
           std::pair(mesh.getAxisIndex(b.getName()), b.getPreSize());
  };
  auto it = std::is_sorted_until(axes.begin(), axes.end(), before);
  if (it == axes.end())
    return success();
  return refuse(emitError()
                    << kind << " axis " << it->str() << " comes after "
                    << (it - 1)->str() << ", against the order of the mesh",
                "list replicated and unreduced axes in the mesh's order");
}

/// Refuses axes that an enclosing manual computation already took.
static LogicalResult verifyNotManual(ShardingAttr sharding, Operation *op,
                                     EmitError emitError) {
  for (Operation *scope = op->getParentOp(); scope;
       scope = scope->getParentOp()) {
    auto manual = dyn_cast<ManualComputationOp>(scope);
    if (!manual)
      continue;
    for (AxisRefAttr axis : sharding.getAllAxes()) {
      if (!manual.getManualAxes().contains(axis.getName()))
        continue;
      InFlightDiagnostic error = emitError();
      error << "axis " << axis.str()
            << " is already manual in an enclosing sdy.manual_computation";
      error.attachNote(manual.getLoc()) << "made manual here";
      return refuse(std::move(error), "use only free axes inside the region");
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// Checks the priority and the axes of each dimension on their own.
static LogicalResult verifyDims(ShardingAttr sharding, EmitError emitError) {
  for (auto [i, dim] : llvm::enumerate(sharding.getDims())) {
    if (dim.hasPriority() && dim.getIsClosed() && dim.getAxes().empty())
      return refuse(emitError()
                        << "dimension " << i
                        << " is closed and without axes but has priority p"
                        << dim.getPriority(),
                    "drop the priority, or open the dimension with ?");
    if (failed(verifyMerged(dim.getAxes(), emitError)))
      return failure();
  }
  return success();
}

/// True if the sharding has neither dimensions nor named axes.
static bool isBare(ShardingAttr sharding) {
  return sharding.getDims().empty() && sharding.getReplicated().empty() &&
         sharding.getUnreduced().empty();
}

/// The shaped type that a sharding of `type` is about: `type` itself or the one
/// element of a tuple. Null for tokens and the like.
static ShapedType getShapedType(Type type) {
  if (auto tuple = dyn_cast_or_null<TupleType>(type))
    type = tuple.size() == 1 ? tuple.getType(0) : Type();
  return dyn_cast_or_null<ShapedType>(type);
}

LogicalResult partita::sdy::verifySharding(ShardingAttr sharding, Type type,
                                           Operation *op, EmitError emitError) {
  MeshAttr mesh = sharding.getMesh(op);
  if (!mesh)
    return refuse(emitError() << "unknown mesh " << sharding.getMeshOrRef(),
                  "define it with sdy.mesh in the module");
  ShapedType shaped = getShapedType(type);
  if (mesh.isMaximal() || !shaped) {
    if (isBare(sharding))
      return success();
    if (mesh.isMaximal())
      return refuse(emitError()
                        << "a sharding on the single device "
                        << mesh.getDeviceIds()[0] << " has dimensions or axes",
                    "write the sharding as <mesh, []>");
    InFlightDiagnostic error = emitError();
    error << "a value without a shape has a sharding with dimensions or axes";
    if (type)
      error << "; its type is " << type;
    return refuse(std::move(error), "write the sharding as <mesh, []>");
  }
  if (!shaped.hasRank())
    return refuse(
        emitError() << "an unranked value has a sharding; its type is " << type,
        "give the value a rank");
  if (shaped.getRank() != sharding.getRank())
    return refuse(emitError() << "the sharding has " << sharding.getRank()
                              << " dimensions, but the type " << type << " has "
                              << shaped.getRank() << ": " << sharding,
                  "write one {...} per dimension of the type");
  if (failed(verifyAxes(sharding.getAllAxes(), mesh, emitError)) ||
      failed(verifyDims(sharding, emitError)) ||
      failed(verifyMerged(sharding.getReplicated(), emitError)) ||
      failed(verifyMerged(sharding.getUnreduced(), emitError)) ||
      failed(verifyOrdered(sharding.getReplicated(), mesh, "replicated",
                           emitError)) ||
      failed(
          verifyOrdered(sharding.getUnreduced(), mesh, "unreduced", emitError)))
    return failure();
  return verifyNotManual(sharding, op, emitError);
}

LogicalResult partita::sdy::verifyShardings(ShardingPerValueAttr shardings,
                                            TypeRange types, Operation *op,
                                            StringRef valueKind) {
  ArrayRef<ShardingAttr> list = shardings.getShardings();
  unsigned index = 0;
  auto emitError = [&]() -> InFlightDiagnostic {
    return op->emitOpError() << valueKind << " " << index << ": ";
  };
  // An op without results may still be bound to a device.
  if (types.empty() && list.size() == 1)
    return verifySharding(list.front(), Type(), op, emitError);
  if (list.size() != types.size())
    return refuse(op->emitOpError()
                      << "has " << list.size() << " shardings for "
                      << types.size() << " " << valueKind << "s",
                  "write one sharding per " + valueKind);
  for (; index < list.size(); ++index)
    if (failed(verifySharding(list[index], types[index], op, emitError)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Checks the factors of one value and marks them in `used`.
static LogicalResult verifyMapping(OpShardingRuleAttr rule,
                                   TensorMappingAttr mapping, Type type,
                                   llvm::SmallBitVector &used,
                                   EmitError emitError) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return refuse(emitError()
                      << "a sharding rule needs a static shape, got " << type,
                  "remove the rule");
  ArrayRef<DimMappingAttr> dims = mapping.getDims();
  if (static_cast<int64_t>(dims.size()) != shaped.getRank())
    return refuse(emitError() << "the rule maps " << dims.size()
                              << " dimensions, but the type " << type << " has "
                              << shaped.getRank(),
                  "map each dimension to its factors");
  int64_t numFactors = rule.getFactorSizes().size();
  llvm::SmallBitVector seen(numFactors);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    for (int64_t factor : dim.getFactors()) {
      if (factor >= numFactors)
        return refuse(emitError() << "factor " << getFactorSymbol(factor)
                                  << " of dimension " << i << " has no size",
                      "list its size in the rule's {...}");
      if (seen.test(factor))
        return refuse(emitError() << "factor " << getFactorSymbol(factor)
                                  << " is used twice",
                      "use a factor for one dimension of a value");
      if (rule.getFactorSizes()[factor] == 1 && dim.getFactors().size() > 1)
        return refuse(emitError() << "factor " << getFactorSymbol(factor)
                                  << " of dimension " << i
                                  << " has size 1 beside other factors",
                      "drop the factor from the dimension");
      seen.set(factor);
      used.set(factor);
    }
  }
  return success();
}

static LogicalResult verifyMappings(OpShardingRuleAttr rule, Operation *op,
                                    ArrayRef<TensorMappingAttr> mappings,
                                    TypeRange types, StringRef valueKind,
                                    llvm::SmallBitVector &used) {
  if (mappings.size() != types.size() || mappings.empty())
    return refuse(op->emitOpError()
                      << "its sharding rule maps " << mappings.size() << " "
                      << valueKind << "s; the op has " << types.size(),
                  "map every operand and result; a rule needs at least one of "
                  "each");
  for (auto [i, mapping] : llvm::enumerate(mappings)) {
    unsigned index = i;
    auto emitError = [&]() -> InFlightDiagnostic {
      return op->emitOpError() << valueKind << " " << index << ": ";
    };
    if (failed(verifyMapping(rule, mapping, types[i], used, emitError)))
      return failure();
  }
  return success();
}

/// Checks that `factors` exist, stand in order, and are not in `taken` yet.
static LogicalResult verifyFactorSet(Operation *op, ArrayRef<int64_t> factors,
                                     StringRef kind,
                                     llvm::SmallBitVector &taken) {
  int64_t last = -1;
  for (int64_t factor : factors) {
    if (factor >= static_cast<int64_t>(taken.size()))
      return refuse(op->emitOpError()
                        << kind << " factor " << getFactorSymbol(factor)
                        << " is not a factor of the rule",
                    "name factors whose sizes the rule lists");
    if (factor <= last)
      return refuse(op->emitOpError()
                        << kind << " factor " << getFactorSymbol(factor)
                        << " is out of order or repeated",
                    "list the factors in order, each once");
    if (taken.test(factor))
      return refuse(
          op->emitOpError() << "factor " << getFactorSymbol(factor)
                            << " has two kinds; one is " << kind,
          "make it one of reduction, need_replication or permutation");
    taken.set(factor);
    last = factor;
  }
  return success();
}

LogicalResult partita::sdy::verifyShardingRule(OpShardingRuleAttr rule,
                                               Operation *op) {
  ArrayRef<int64_t> sizes = rule.getFactorSizes();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 0)
      return refuse(op->emitOpError()
                        << "factor " << getFactorSymbol(i)
                        << " of the sharding rule has size " << size,
                    "a factor has the size of its part of a dimension");
  llvm::SmallBitVector inOperands(sizes.size()), inResults(sizes.size());
  if (failed(verifyMappings(rule, op, rule.getOperands(), op->getOperandTypes(),
                            "operand", inOperands)) ||
      failed(verifyMappings(rule, op, rule.getResults(), op->getResultTypes(),
                            "result", inResults)))
    return failure();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!inOperands.test(i) && !inResults.test(i))
      return refuse(op->emitOpError()
                        << "factor " << getFactorSymbol(i) << "=" << size
                        << " of the sharding rule is used "
                        << "by no operand or result",
                    "drop the factor");
  llvm::SmallBitVector taken(sizes.size()), blocked(sizes.size());
  if (failed(verifyFactorSet(op, rule.getReduction(), "reduction", taken)) ||
      failed(verifyFactorSet(op, rule.getNeedReplication(), "need_replication",
                             taken)) ||
      failed(
          verifyFactorSet(op, rule.getPermutation(), "permutation", taken)) ||
      failed(verifyFactorSet(op, rule.getBlockedPropagation(),
                             "blocked_propagation", blocked)))
    return failure();
  for (int64_t factor : rule.getReduction())
    if (inResults.test(factor))
      return refuse(op->emitOpError()
                        << "reduction factor " << getFactorSymbol(factor)
                        << " is in a result",
                    "a reduced factor may be in operands only");
  return success();
}
