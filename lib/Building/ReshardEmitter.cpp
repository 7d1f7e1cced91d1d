// Emission of reshard plans: one spmd op per step.

#include "partita/Building/ReshardEmitter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {

FailureOr<ReshardEmitter>
ReshardEmitter::get(ModuleOp module, StringRef machine, StringRef objective) {
  FailureOr<ReshardCosts> costs = ReshardCosts::get(module, machine, objective);
  if (failed(costs))
    return failure();
  return ReshardEmitter(std::move(*costs));
}

namespace {

/// Emits the steps of one plan.
class StepEmitter {
public:
  StepEmitter(PartitionBuilder &builder, const PlannedReshard &planned,
              RankedTensorType global)
      : builder(builder), b(builder.builder()), loc(builder.getLoc()),
        planned(planned), global(global) {}

  Value emit(const ReshardStep &step, Value operand);

private:
  Value emitCollective(const ReshardStep &step, Value operand);
  /// Pads (with zeros) or cuts the tail of each dimension.
  Value resize(Value value, ArrayRef<int64_t> shape);
  spmd::AxisListAttr axes(ArrayRef<AtomId> atoms) {
    return getAxisList(b.getContext(), *planned.atoms, atoms);
  }
  ArrayAttr axesPerDim(const ReshardStep &step) {
    return getAxisLists(b.getContext(), *planned.atoms, step.dimAtoms);
  }
  spmd::ReductionKindAttr kind(const ReshardStep &step) {
    return spmd::ReductionKindAttr::get(b.getContext(), step.reduction);
  }

  PartitionBuilder &builder;
  OpBuilder &b;
  Location loc;
  const PlannedReshard &planned;
  RankedTensorType global;
};

} // namespace

Value StepEmitter::resize(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> high(rank, 0), kept(type.getShape());
  bool pads = false, cuts = false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    high[dim] = std::max<int64_t>(0, shape[dim] - type.getDimSize(dim));
    kept[dim] = std::min(shape[dim], type.getDimSize(dim));
    pads |= high[dim] > 0;
    cuts |= kept[dim] < type.getDimSize(dim);
  }
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
  if (cuts)
    value = stablehlo::SliceOp::create(
        b, loc, type.clone(kept), value, b.getDenseI64ArrayAttr(zeros),
        b.getDenseI64ArrayAttr(kept), b.getDenseI64ArrayAttr(ones));
  if (pads)
    value = stablehlo::PadOp::create(
        b, loc, type.clone(shape), value,
        builder.scalar(type.getElementType(), 0), b.getDenseI64ArrayAttr(zeros),
        b.getDenseI64ArrayAttr(high), b.getDenseI64ArrayAttr(zeros));
  return value;
}

Value StepEmitter::emitCollective(const ReshardStep &step, Value operand) {
  Type type = cast<RankedTensorType>(operand.getType())
                  .clone(ArrayRef<int64_t>(step.resultShape));
  FlatSymbolRefAttr mesh = planned.meshName;
  switch (step.kind) {
  case CollectiveKind::AllSlice:
    return spmd::AllSliceOp::create(b, loc, type, operand, mesh,
                                    axesPerDim(step));
  case CollectiveKind::AllGather:
    return spmd::AllGatherOp::create(b, loc, TypeRange(type),
                                     ValueRange(operand), mesh,
                                     axesPerDim(step))
        .getResult(0);
  case CollectiveKind::AllToAll:
    return spmd::AllToAllOp::create(
               b, loc, TypeRange(type), ValueRange(operand), mesh,
               getAllToAllMoves(b.getContext(), *planned.atoms, step.moves))
        .getResult(0);
  case CollectiveKind::Permute: {
    auto [source, target] = getPermuteAxes(b.getContext(), *planned.atoms,
                                           step.atoms, step.targetAtoms);
    return spmd::PermuteOp::create(b, loc, TypeRange(type), ValueRange(operand),
                                   mesh, source, DenseI64ArrayAttr(), target,
                                   DenseI64ArrayAttr(), UnitAttr())
        .getResult(0);
  }
  case CollectiveKind::ReduceScatter:
    return spmd::ReduceScatterOp::create(b, loc, TypeRange(type),
                                         ValueRange(operand), mesh,
                                         axesPerDim(step), kind(step))
        .getResult(0);
  case CollectiveKind::AllReduce:
    return spmd::AllReduceOp::create(b, loc, TypeRange(type),
                                     ValueRange(operand), mesh,
                                     axes(step.atoms), kind(step))
        .getResult(0);
  case CollectiveKind::ToUnreduced:
    return spmd::ToUnreducedOp::create(b, loc, type, operand, mesh,
                                       axes(step.atoms), kind(step));
  case CollectiveKind::Exchange:
    return spmd::ExchangeOp::create(
        b, loc, type, operand, b.getDenseI64ArrayAttr(global.getShape()),
        getSharding(b.getContext(), *planned.atoms, step.before, mesh),
        getSharding(b.getContext(), *planned.atoms, step.after, mesh),
        getIntervals(b.getContext(), step.intervals));
  case CollectiveKind::Broadcast:
    break;
  }
  return spmd::BroadcastOp::create(b, loc, type, operand, mesh,
                                   axes(step.atoms), b.getI64IntegerAttr(0));
}

Value StepEmitter::emit(const ReshardStep &step, Value operand) {
  operand = resize(operand, step.operandShape);
  Value result = emitCollective(step, operand);
  return resize(result,
                getLocalShape(*planned.atoms, step.after, global.getShape()));
}

/// Refusal: no plan exists between the two shardings.
static InFlightDiagnostic refuseReshard(PartitionBuilder &builder,
                                        const ShardedValue &input,
                                        spmd::ShardingAttr to) {
  InFlightDiagnostic diagnostic =
      builder.refuse() << "no reshard from " << input.sharding << " to " << to;
  diagnostic.attachNote(input.local.getLoc()) << "the value comes from here";
  if (input.sharding.getMesh() != to.getMesh())
    diagnostic.attachNote()
        << "fix: use one mesh; the shardings are on "
        << input.sharding.getMesh() << " and " << to.getMesh();
  else
    diagnostic.attachNote()
        << "fix: use sub-axes that divide the mesh axis into the same parts";
  return diagnostic;
}

/// Where each device of `from` sends what `to` lays out on another one: pairs
/// of positions in `from`. None if the meshes differ by more than the order of
/// their devices.
static std::optional<SmallVector<int64_t>> matchDeviceOrder(spmd::MeshAttr from,
                                                            spmd::MeshAttr to) {
  if (!from || !to || from.getAxes() != to.getAxes())
    return std::nullopt;
  auto getOrder = [](spmd::MeshAttr mesh) {
    SmallVector<int64_t> order = mesh.getDeviceOrder();
    return order.empty()
               ? llvm::to_vector(llvm::seq<int64_t>(0, mesh.getNumDevices()))
               : order;
  };
  DenseMap<int64_t, int64_t> positions;
  for (auto [position, device] : llvm::enumerate(getOrder(from)))
    positions[device] = position;
  SmallVector<int64_t> pairs;
  for (auto [position, device] : llvm::enumerate(getOrder(to))) {
    auto target = positions.find(device);
    if (target == positions.end())
      return std::nullopt;
    pairs.push_back(position);
    pairs.push_back(target->second);
  }
  return pairs;
}

/// Reshards on the input's mesh, then sends each block to the device that has
/// its place on the other mesh.
FailureOr<ShardedValue> ReshardEmitter::emitAcrossMeshes(
    PartitionBuilder &builder, const ShardedValue &input, spmd::ShardingAttr to,
    ArrayRef<int64_t> pairs) {
  OpBuilder &b = builder.builder();
  FlatSymbolRefAttr mesh = input.sharding.getMesh();
  FailureOr<ShardedValue> moved =
      emit(builder, input,
           spmd::ShardingAttr::get(b.getContext(), mesh, to.getDims(),
                                   to.getReplicated(), to.getUnreduced(),
                                   to.getReductionKind()));
  if (failed(moved))
    return failure();
  moved->local = spmd::PermuteOp::create(
                     b, builder.getLoc(), TypeRange{moved->local.getType()},
                     ValueRange{moved->local}, mesh,
                     spmd::AxisListAttr::get(b.getContext(),
                                             spmd::getAllAxes(getMesh(mesh))),
                     b.getDenseI64ArrayAttr(pairs), spmd::AxisListAttr(),
                     DenseI64ArrayAttr(), UnitAttr())
                     .getResult(0);
  moved->sharding = to;
  return moved;
}

FailureOr<ShardedValue> ReshardEmitter::emit(PartitionBuilder &builder,
                                             const ShardedValue &input,
                                             spmd::ShardingAttr to) {
  spmd::ShardingAttr closed = to.getClosed();
  if (input.sharding.getMesh() != to.getMesh() &&
      input.sharding.hasShardedDim() && to.hasShardedDim() &&
      !costs.getManualAxes(builder.getOp()))
    if (auto pairs = matchDeviceOrder(getMesh(input.sharding.getMesh()),
                                      getMesh(to.getMesh())))
      return emitAcrossMeshes(builder, input, closed, *pairs);
  FailureOr<PlannedReshard> planned = costs.plan(
      input.sharding, closed, input.type, costs.getManualAxes(builder.getOp()));
  if (failed(planned) || !planned->plan->feasible)
    return refuseReshard(builder, input, closed);
  StepEmitter emitter(builder, *planned, input.type);
  Value value = input.local;
  for (const ReshardStep &step : planned->plan->steps)
    value = emitter.emit(step, value);
  return ShardedValue{value, closed, input.type, std::nullopt};
}

} // namespace partita
