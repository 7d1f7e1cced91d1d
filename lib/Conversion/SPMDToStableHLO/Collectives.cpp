// Each spmd collective as StableHLO collectives: one per value, because XLA
// does not import those of several values. A collective over several dimensions
// becomes one along a dimension of its own, beside local transposes, since one
// per dimension takes more launches; prices may say otherwise. AllToAll.cpp has
// all_to_all.

#include "CollectiveConverter.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace partita {

static SmallVector<spmd::AxisRefAttr> getAxes(Attribute list) {
  return llvm::to_vector(cast<spmd::AxisListAttr>(list).getAxes());
}

Value CollectiveConverter::gather(Value value, int64_t dim, MeshName mesh,
                                  AxisRefs axes) {
  if (axes.empty())
    return value;
  ++numCollectives;
  Type type =
      scaleDim(value.getType(), dim, getGroupSize(axes, getMesh(mesh)), 1);
  return stablehlo::AllGatherOp::create(
             b, loc, TypeRange(type), ValueRange(value),
             b.getI64IntegerAttr(dim), makeGroups(mesh, axes), makeChannel(),
             b.getUnitAttr())
      .getResult(0);
}

Value CollectiveConverter::allReduce(Value value, MeshName mesh, AxisRefs axes,
                                     spmd::ReductionKind kind) {
  ++numCollectives;
  auto reduce = stablehlo::AllReduceOp::create(
      b, loc, TypeRange(value.getType()), ValueRange(value),
      makeGroups(mesh, axes), makeChannel(), b.getUnitAttr());
  fillReducer(reduce.getComputation(), getElementTypeOrSelf(value.getType()),
              kind);
  return reduce.getResult(0);
}

Value CollectiveConverter::reduceScatter(Value value, int64_t dim,
                                         MeshName mesh, AxisRefs axes,
                                         spmd::ReductionKind kind) {
  if (axes.empty())
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = getGroupSize(axes, getMesh(mesh));
  if (dim == 0 && type.getRank() == 2) {
    // XLA for TPU pads rows, which tiles hold, to another split, and mends the
    // blocks by a permute; along a dimension of their own they stay as they
    // are.
    RankedTensorType part = scaleDim(type, 0, 1, size);
    SmallVector<int64_t> parts{size};
    llvm::append_range(parts, part.getShape());
    value = reduceScatter(reshape(value, parts), 0, mesh, axes, kind);
    return reshape(value, part.getShape());
  }
  ++numCollectives;
  auto scatter = stablehlo::ReduceScatterOp::create(
      b, loc, scaleDim(type, dim, 1, size), value, b.getI64IntegerAttr(dim),
      makeGroups(mesh, axes), makeChannel(), b.getUnitAttr());
  fillReducer(scatter.getComputation(), type.getElementType(), kind);
  return scatter.getResult();
}

Value CollectiveConverter::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return stablehlo::ReshapeOp::create(b, loc, type.clone(shape), value);
}

Value CollectiveConverter::transpose(Value value,
                                     ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return stablehlo::TransposeOp::create(b, loc, type.clone(shape), value,
                                        b.getDenseI64ArrayAttr(permutation));
}

/// Shapes and permutation between blocks of a tensor that lie one after the
/// other along a new dimension 0 and the tensor itself, for blocks along
/// several dimensions.
struct CollectiveConverter::BlockGrid {
  BlockGrid(ArrayRef<int64_t> blockShape, ArrayAttr axesPerDim,
            spmd::MeshAttr mesh);

  /// Of all dimensions in turn, the first one's major.
  SmallVector<spmd::AxisRefAttr> axes;
  /// Dimensions along which there are blocks.
  SmallVector<int64_t> dims;
  /// [number of blocks, block...]; [blocks along each of `dims`, block...]; the
  /// tensor's.
  SmallVector<int64_t> flat, split, whole;
  /// Of `split`: brings each number of blocks in front of its dimension.
  SmallVector<int64_t> permutation;
};

CollectiveConverter::BlockGrid::BlockGrid(ArrayRef<int64_t> blockShape,
                                          ArrayAttr axesPerDim,
                                          spmd::MeshAttr mesh)
    : whole(blockShape) {
  for (auto [dim, list] : llvm::enumerate(axesPerDim)) {
    SmallVector<spmd::AxisRefAttr> own = getAxes(list);
    if (own.empty())
      continue;
    dims.push_back(dim);
    split.push_back(getGroupSize(own, mesh));
    whole[dim] *= split.back();
    llvm::append_range(axes, own);
  }
  flat = {getGroupSize(axes, mesh)};
  llvm::append_range(flat, blockShape);
  llvm::append_range(split, blockShape);
  for (auto [dim, size] : llvm::enumerate(blockShape)) {
    if (auto found = llvm::find(dims, int64_t(dim)); found != dims.end())
      permutation.push_back(std::distance(dims.begin(), found));
    permutation.push_back(dims.size() + dim);
  }
}

bool CollectiveConverter::isCopyDear(CollectiveKind kind, int64_t launches,
                                     Type copied) const {
  if (!prices)
    return false;
  const Machine &machine = prices->getMachine();
  double bytes = double(spmd::getByteSize(copied));
  return 2 * bytes / machine.memoryBandwidth >
         double(launches) * machine.getLaunchOverhead(kind);
}

Value CollectiveConverter::groupedGather(Value value, MeshName mesh,
                                         ArrayAttr axesPerDim) {
  BlockGrid grid(cast<RankedTensorType>(value.getType()).getShape(), axesPerDim,
                 getMesh(mesh));
  Type whole = cast<RankedTensorType>(value.getType()).clone(grid.whole);
  if (grid.dims.size() <= 1 ||
      isCopyDear(CollectiveKind::AllGather, grid.dims.size() - 1, whole)) {
    for (int64_t dim : grid.dims)
      value = gather(value, dim, mesh, getAxes(axesPerDim[dim]));
    return value;
  }
  SmallVector<int64_t> one(grid.flat);
  one.front() = 1;
  value = gather(reshape(value, one), 0, mesh, grid.axes);
  value = transpose(reshape(value, grid.split), grid.permutation);
  return reshape(value, grid.whole);
}

Value CollectiveConverter::groupedReduceScatter(Value value, MeshName mesh,
                                                ArrayAttr axesPerDim,
                                                spmd::ReductionKind kind) {
  SmallVector<int64_t> block(
      cast<RankedTensorType>(value.getType()).getShape());
  for (auto [dim, list] : llvm::enumerate(axesPerDim))
    block[dim] /= getGroupSize(getAxes(list), getMesh(mesh));
  BlockGrid grid(block, axesPerDim, getMesh(mesh));
  if (grid.dims.size() <= 1 ||
      isCopyDear(CollectiveKind::ReduceScatter, grid.dims.size() - 1,
                 value.getType())) {
    for (int64_t dim : grid.dims)
      value = reduceScatter(value, dim, mesh, getAxes(axesPerDim[dim]), kind);
    return value;
  }
  SmallVector<int64_t> interleaved =
      applyPermutation(ArrayRef(grid.split), grid.permutation);
  value = transpose(reshape(value, interleaved),
                    invertPermutationVector(grid.permutation));
  value = reduceScatter(reshape(value, grid.flat), 0, mesh, grid.axes, kind);
  return reshape(value, block);
}

Value CollectiveConverter::slice(Value value, RankedTensorType result,
                                 spmd::MeshAttr mesh, ArrayAttr axesPerDim) {
  auto type = cast<RankedTensorType>(value.getType());
  // Where the last blocks reach past the end, a slice is clamped to it, and
  // then moved back in a buffer of two blocks: padding the operand would copy
  // all of it.
  SmallVector<int64_t> behind(type.getRank(), 0);
  SmallVector<Value> starts, moved;
  for (auto [dim, list] : llvm::enumerate(axesPerDim)) {
    SmallVector<spmd::AxisRefAttr> axes = getAxes(list);
    int64_t block = result.getDimSize(dim), size = type.getDimSize(dim);
    starts.push_back(axes.empty() ? constant(0)
                                  : multiply(emitAxisIndex(mesh, axes), block));
    moved.push_back(constant(0));
    if (block * getGroupSize(axes, mesh) <= size)
      continue;
    behind[dim] = block;
    moved[dim] = stablehlo::SubtractOp::create(b, loc, starts[dim],
                                               constant(size - block));
  }
  auto cut = [&](Value from, ArrayRef<Value> at) -> Value {
    return stablehlo::DynamicSliceOp::create(
        b, loc, result, from, at, b.getDenseI64ArrayAttr(result.getShape()));
  };
  value = cut(value, starts);
  if (llvm::all_of(behind, [](int64_t more) { return more == 0; }))
    return value;
  return cut(padBehind(b, loc, value, behind), moved);
}

Value CollectiveConverter::permute(
    Value value, ArrayRef<std::pair<int64_t, int64_t>> devicePairs) {
  ++numCollectives;
  SmallVector<int64_t> flat;
  for (auto [source, target] : devicePairs)
    flat.append({source, target});
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(devicePairs.size()), 2}, b.getI64Type());
  return stablehlo::CollectivePermuteOp::create(
      b, loc, value.getType(), value, DenseIntElementsAttr::get(type, flat),
      makeChannel());
}

Value CollectiveConverter::broadcast(Value value, spmd::BroadcastOp op) {
  MeshName mesh = op.getMeshName();
  AxisRefs axes = op.getAxes().getAxes();
  auto type = cast<RankedTensorType>(value.getType());
  if (!expandBroadcasts) {
    ++numCollectives;
    return stablehlo::CollectiveBroadcastOp::create(
               b, loc, TypeRange(type), ValueRange(value),
               makeGroups(mesh, axes, op.getRoot()), makeChannel(),
               /*has_dynamic_root=*/false)
        .getResult(0);
  }
  // Minus zero leaves every float as it is, plus zero turns -0 into 0.
  Value zero =
      stablehlo::ConstantOp::create(b, loc, stablehlo::getZeroElements(type));
  bool isFloat = isa<FloatType, ComplexType>(type.getElementType());
  if (isFloat)
    zero = stablehlo::NegOp::create(b, loc, zero);
  Value isRoot = isEqual(emitAxisIndex(getMesh(mesh), axes), op.getRoot());
  Value masked = stablehlo::SelectOp::create(b, loc, type, isRoot, value, zero);
  bool isBool = type.getElementType().isInteger(1);
  return allReduce(masked, mesh, axes,
                   isBool ? spmd::ReductionKind::Or : spmd::ReductionKind::Add);
}

SmallVector<std::pair<int64_t, int64_t>> CollectiveConverter::getDevicePairs(
    spmd::MeshAttr mesh, AxisRefs axes,
    ArrayRef<std::pair<int64_t, int64_t>> memberPairs) {
  SmallVector<int64_t> order = mesh.getDeviceOrder();
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (const auto &group : getGroupPositions(mesh, axes))
    for (auto [source, target] : memberPairs) {
      int64_t from = group[source], to = group[target];
      pairs.push_back(order.empty() ? std::make_pair(from, to)
                                    : std::make_pair(order[from], order[to]));
    }
  return pairs;
}

LogicalResult CollectiveConverter::convertPermute(spmd::PermuteOp op) {
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
  auto pairs =
      getDevicePairs(mesh, op.getAxes().getAxes(), op.getPairList(mesh));
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
    result.replaceAllUsesWith(permute(input, pairs));
  return success();
}

LogicalResult CollectiveConverter::convertToUnreduced(spmd::ToUnreducedOp op) {
  // First device: x; the others: the neutral element, made by reducing an empty
  // tensor would be opaque, so the kinds are spelled out.
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type elementType = type.getElementType();
  Attribute neutral = spmd::getNeutralAttr(elementType, op.getKind());
  Value fill = stablehlo::ConstantOp::create(
      b, loc, cast<ElementsAttr>(DenseElementsAttr::get(type, neutral)));
  Value index =
      emitAxisIndex(getMesh(op.getMeshName()), op.getAxes().getAxes());
  Value isFirst = isEqual(index, 0);
  op.getResult().replaceAllUsesWith(
      stablehlo::SelectOp::create(b, loc, type, isFirst, op.getInput(), fill));
  return success();
}

LogicalResult CollectiveConverter::convertStart(spmd::StartOp op) {
  // Joined: the collective runs where it was started.
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), op.getInputs());
  Operation *collective = b.clone(body.front(), mapping);
  for (Operation *user :
       llvm::make_early_inc_range(op.getFuture().getUsers())) {
    user->replaceAllUsesWith(collective->getResults());
    user->erase();
  }
  op.erase();
  return convert(collective);
}

Value CollectiveConverter::convertValue(Operation *op, Value input) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](spmd::AllGatherOp gatherOp) {
        return groupedGather(input, gatherOp.getMeshName(),
                             gatherOp.getGatherAxes());
      })
      .Case([&](spmd::AllReduceOp reduce) {
        return allReduce(input, reduce.getMeshName(),
                         reduce.getAxes().getAxes(), reduce.getKind());
      })
      .Case([&](spmd::ReduceScatterOp scatter) {
        return groupedReduceScatter(input, scatter.getMeshName(),
                                    scatter.getScatterAxes(),
                                    scatter.getKind());
      })
      .Case([&](spmd::AllToAllOp move) {
        return groupedAllToAll(input, move.getMeshName(), move.getMoves());
      })
      .Case([&](spmd::AllSliceOp sliceOp) {
        auto type = cast<RankedTensorType>(sliceOp.getResult().getType());
        return slice(input, type, getMesh(sliceOp.getMeshName()),
                     sliceOp.getSliceAxes());
      })
      .Case([&](spmd::BroadcastOp broadcastOp) {
        return broadcast(input, broadcastOp);
      })
      .Default([](Operation *) { return Value(); });
}

/// StableHLO has no such op; JAX prints it as this call, which XLA knows. Its
/// groups list devices.
void CollectiveConverter::convertRagged(spmd::RaggedAllToAllOp op) {
  llvm::SaveAndRestore listed(axisGroups, false);
  auto call = stablehlo::CustomCallOp::create(
      b, loc, TypeRange(op.getResult().getType()), op->getOperands());
  call.setCallTargetName("ragged_all_to_all");
  call.setApiVersion(stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  call.setBackendConfigAttr(b.getDictionaryAttr(
      {b.getNamedAttr("channel_id", b.getI64IntegerAttr(nextChannel++)),
       b.getNamedAttr("replica_groups",
                      makeGroups(op.getMeshName(), op.getAxes().getAxes()))}));
  op.getResult().replaceAllUsesWith(call->getResult(0));
}

LogicalResult CollectiveConverter::convertWhole(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](spmd::AxisIndexOp index) {
        Value value = emitAxisIndex(getMesh(index.getMeshAttr()),
                                    index.getAxes().getAxes());
        if (value.getType() != index.getResult().getType())
          value = stablehlo::ConvertOp::create(
              b, loc, index.getResult().getType(), value);
        index.getResult().replaceAllUsesWith(value);
        return success();
      })
      .Case(
          [&](spmd::PermuteOp permuteOp) { return convertPermute(permuteOp); })
      .Case([&](spmd::ToUnreducedOp partial) {
        return convertToUnreduced(partial);
      })
      .Case(
          [&](spmd::ExchangeOp exchange) { return convertExchange(exchange); })
      .Case([&](spmd::RaggedAllToAllOp ragged) {
        convertRagged(ragged);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        InFlightDiagnostic diagnostic =
            other->emitOpError("has no StableHLO form here");
        diagnostic.attachNote()
            << "fix: run it with partita-run, which evaluates it";
        return diagnostic;
      });
}

LogicalResult CollectiveConverter::convert(Operation *op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
  if (auto start = dyn_cast<spmd::StartOp>(op))
    return convertStart(start);
  if (isa<spmd::AllGatherOp, spmd::AllReduceOp, spmd::ReduceScatterOp,
          spmd::AllToAllOp, spmd::AllSliceOp, spmd::BroadcastOp>(op)) {
    for (auto [input, result] :
         llvm::zip_equal(op->getOperands(), op->getResults()))
      result.replaceAllUsesWith(convertValue(op, input));
  } else if (failed(convertWhole(op))) {
    return failure();
  }
  op->erase();
  return success();
}

} // namespace partita
