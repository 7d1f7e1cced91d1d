// Rewrites of slices and gathers.

#include "CollectiveRebuilding.h"
#include "CollectiveSimplifier.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;

namespace partita {

using spmd::AxisListAttr;

/// True if every dimension divides evenly along its axes.
static bool divides(Type type, ArrayAttr lists, spmd::MeshAttr mesh) {
  auto tensor = cast<RankedTensorType>(type);
  for (auto [size, list] :
       llvm::zip(tensor.getShape(), lists.getAsRange<AxisListAttr>()))
    if (size % list.getSize(mesh) != 0)
      return false;
  return true;
}

bool CollectiveSimplifier::sliceReduction(spmd::AllSliceOp op) {
  auto reduce =
      getSource<spmd::AllReduceOp>(op.getInput(), op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!reduce || !mesh || !reduce.getResult(0).hasOneUse() ||
      !divides(op.getInput().getType(), op.getSliceAxes(), mesh))
    return false;
  std::optional<AxisRefs> rest = subtractAxes(
      reduce.getAxes().getAxes(), concatenateAxes(op.getSliceAxes()), mesh);
  if (!rest)
    return false;
  double whole = getOperandBytes(reduce), block = getResultBytes(op);
  CollectiveCost before = costs.getCost(reduce) + costs.getCost(op);
  CollectiveCost after =
      costs.getCost(CollectiveKind::ReduceScatter, mesh,
                    concatenateAxes(op.getSliceAxes()), whole);
  if (!rest->empty())
    after += costs.getCost(CollectiveKind::AllReduce, mesh, *rest, block);
  if (!isAccepted(op, "a reduce_scatter for all_slice of all_reduce", before,
                  after))
    return false;
  b.setInsertionPoint(op);
  Type type = op.getResult().getType();
  Value value = spmd::ReduceScatterOp::create(
                    b, reduce.getLoc(), TypeRange(type), reduce.getInputs(),
                    op.getMeshAttr(), op.getSliceAxes(), reduce.getKindAttr())
                    .getResult(0);
  if (!rest->empty())
    value = spmd::AllReduceOp::create(b, reduce.getLoc(), TypeRange(type),
                                      ValueRange(value), op.getMeshAttr(),
                                      AxisListAttr::get(b.getContext(), *rest),
                                      reduce.getKindAttr())
                .getResult(0);
  ++counts.scattersFormed;
  replace(op, value);
  return true;
}

bool CollectiveSimplifier::sliceGather(spmd::AllSliceOp op) {
  auto gather =
      getSource<spmd::AllGatherOp>(op.getInput(), op, op.getMeshAttr());
  if (!gather)
    return false;
  std::optional<ArrayAttr> rest =
      dropPrefixes(gather.getGatherAxes(), op.getSliceAxes());
  if (!rest)
    return false;
  Value input = gather.getInputs()[0];
  bool isLast = gather.getResult(0).hasOneUse();
  if (hasNoAxes(*rest)) {
    CollectiveCost saved = costs.getCost(op);
    if (isLast)
      saved += costs.getCost(gather);
    if (!isAccepted(op, "the block itself for all_slice of all_gather", saved,
                    {}))
      return false;
    ++counts.gathersCancelled;
    replace(op, input);
    return true;
  }
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!isLast || !mesh || hasNoAxes(op.getSliceAxes()) ||
      !isAccepted(op, "a smaller all_gather for all_slice of all_gather",
                  costs.getCost(gather) + costs.getCost(op),
                  costs.getCost(CollectiveKind::AllGather, mesh,
                                concatenateAxes(*rest),
                                getOperandBytes(gather))))
    return false;
  b.setInsertionPoint(op);
  auto smaller = spmd::AllGatherOp::create(
      b, gather.getLoc(), TypeRange(op.getResult().getType()),
      ValueRange(input), op.getMeshAttr(), *rest);
  ++counts.gathersCancelled;
  replace(op, smaller.getResults());
  return true;
}

bool CollectiveSimplifier::gatherScatter(spmd::AllGatherOp op) {
  auto scatter =
      getSource<spmd::ReduceScatterOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!scatter || !mesh || !scatter.getResult(0).hasOneUse() ||
      scatter.getScatterAxes() != op.getGatherAxes())
    return false;
  AxisRefs axes = concatenateAxes(op.getGatherAxes());
  if (axes.empty() ||
      !isAccepted(op, "an all_reduce for all_gather of reduce_scatter",
                  costs.getCost(scatter) + costs.getCost(op),
                  costs.getCost(CollectiveKind::AllReduce, mesh, axes,
                                getOperandBytes(scatter))))
    return false;
  b.setInsertionPoint(op);
  auto reduce = spmd::AllReduceOp::create(
      b, scatter.getLoc(), op.getResultTypes(), scatter.getInputs(),
      op.getMeshAttr(), AxisListAttr::get(b.getContext(), axes),
      scatter.getKindAttr());
  ++counts.reductionsMerged;
  replace(op, reduce.getResults());
  return true;
}

/// True if all devices along `axes` hold the same in `value`: by the collective
/// that gives it, or by the layout of the program's argument.
static bool isEqualAlong(Value value, ArrayRef<spmd::AxisRefAttr> axes,
                         spmd::MeshAttr mesh) {
  if (Operation *op = value.getDefiningOp())
    return isa<spmd::AllReduceOp, spmd::AllGatherOp, spmd::BroadcastOp>(op) &&
           subtractAxes(
               cast<spmd::CollectiveOpInterface>(op).getCommunicationAxes(),
               axes, mesh);
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<func::FuncOp>(argument.getParentBlock()->getParentOp());
  spmd::ShardingAttr sharding = spmd::getSharding(value);
  if (!function || !sharding ||
      !function.getArgAttr(argument.getArgNumber(), "spmd.global_type") ||
      spmd::lookupMesh(function, sharding.getMesh()) != mesh)
    return false;
  return llvm::none_of(sharding.getDims(),
                       [&](spmd::DimShardingAttr dim) {
                         return haveCommonPart(dim.getAxes(), axes, mesh);
                       }) &&
         !haveCommonPart(sharding.getUnreduced(), axes, mesh);
}

bool CollectiveSimplifier::gatherSlice(spmd::AllGatherOp op) {
  auto slice =
      getSource<spmd::AllSliceOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!slice || !mesh ||
      !isEqualAlong(slice.getInput(), concatenateAxes(op.getGatherAxes()),
                    mesh))
    return false;
  std::optional<ArrayAttr> rest =
      dropSuffixes(slice.getSliceAxes(), op.getGatherAxes(), mesh);
  if (!rest)
    return false;
  // Blocks of the larger cut are whole numbers of the smaller ones only where
  // both give this size.
  auto whole = cast<RankedTensorType>(slice.getInput().getType());
  for (auto [size, result, list] :
       llvm::zip(whole.getShape(),
                 cast<RankedTensorType>(op.getResult(0).getType()).getShape(),
                 rest->getAsRange<AxisListAttr>()))
    if (result != ceilDiv(size, list.getSize(mesh)))
      return false;
  if (!isAccepted(op, "a larger all_slice for all_gather of all_slice",
                  costs.getCost(op) + costs.getCost(slice),
                  costs.getCost(slice)))
    return false;
  Value value = slice.getInput();
  b.setInsertionPoint(op);
  if (!hasNoAxes(*rest))
    value =
        spmd::AllSliceOp::create(b, slice.getLoc(), op.getResult(0).getType(),
                                 value, op.getMeshAttr(), *rest);
  ++counts.gathersCancelled;
  replace(op, value);
  return true;
}

bool CollectiveSimplifier::gatherGather(spmd::AllGatherOp op) {
  auto inner =
      getSource<spmd::AllGatherOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!inner || !mesh || !inner.getResult(0).hasOneUse() ||
      haveCommonPart(concatenateAxes(op.getGatherAxes()),
                     concatenateAxes(inner.getGatherAxes()), mesh))
    return false;
  ArrayAttr lists =
      joinAxisLists(op.getGatherAxes(), inner.getGatherAxes(), mesh);
  if (!isAccepted(op, "one all_gather for all_gather of all_gather",
                  costs.getCost(inner) + costs.getCost(op),
                  costs.getCost(CollectiveKind::AllGather, mesh,
                                concatenateAxes(lists),
                                getOperandBytes(inner))))
    return false;
  b.setInsertionPoint(op);
  auto gather =
      spmd::AllGatherOp::create(b, op.getLoc(), op.getResultTypes(),
                                inner.getInputs(), op.getMeshAttr(), lists);
  ++counts.gathersCancelled;
  replace(op, gather.getResults());
  return true;
}

} // namespace partita
