// Gathering and slicing around ops that run on whole dimensions.

#include "WholeOp.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace partita {

spmd::ShardingAttr withWholeDims(spmd::ShardingAttr sharding,
                                 ArrayRef<int64_t> dims) {
  SmallVector<spmd::DimShardingAttr> list(sharding.getDims());
  for (int64_t dim : dims)
    list[dim] = spmd::DimShardingAttr::get(sharding.getContext(), {}, true, -1);
  return spmd::ShardingAttr::get(
      sharding.getContext(), sharding.getMesh(), list, sharding.getReplicated(),
      sharding.getUnreduced(), sharding.getReductionKind());
}

LogicalResult bindResharded(PartitionBuilder &builder, Value original,
                            Value local, spmd::ShardingAttr from) {
  ShardedValue value{local, from, cast<RankedTensorType>(original.getType()),
                     std::nullopt};
  FailureOr<ShardedValue> moved =
      builder.reshard(value, builder.getSharding(original));
  if (failed(moved))
    return failure();
  builder.bind(original, moved->local);
  return success();
}

LogicalResult bindSliced(PartitionBuilder &builder, Value original,
                         Value whole) {
  spmd::ShardingAttr sharding = builder.getSharding(original);
  if (!sharding) {
    builder.bind(original, whole);
    return success();
  }
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, sharding.getRank()));
  return bindResharded(builder, original, whole, withWholeDims(sharding, dims));
}

void remarkWhole(PartitionBuilder &builder, Type type, StringRef reason) {
  remark::missed(
      builder.getLoc(),
      remark::RemarkOpts::name("ComputedWhole").category("partition"))
      << remark::reason("{0}: computed whole on each device, {1} bytes, {2}",
                        builder.getOp()->getName().getStringRef(),
                        spmd::getByteSize(type), reason);
}

LogicalResult partitionWithWholeDims(PartitionBuilder &builder,
                                     unsigned gathered,
                                     ArrayRef<int64_t> operandDims,
                                     ArrayRef<int64_t> resultDims,
                                     StringRef reason) {
  Operation *op = builder.getOp();
  remarkWhole(builder, op->getOperand(0).getType(), reason);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands().take_front(gathered)) {
    const ShardedValue held = builder.get(operand);
    FailureOr<ShardedValue> whole =
        builder.reshard(held, withWholeDims(held.sharding, operandDims));
    if (failed(whole))
      return failure();
    operands.push_back(whole->local);
  }
  for (Value other : op->getOperands().drop_front(gathered))
    operands.push_back(builder.any(other));
  Operation *clone = builder.cloneLocal(operands);
  for (auto [result, local] :
       llvm::zip_equal(op->getResults(), clone->getResults())) {
    spmd::ShardingAttr sharding = builder.getSharding(result);
    spmd::ShardingAttr whole = withWholeDims(sharding, resultDims);
    local.setType(whole.getLocalType(cast<RankedTensorType>(result.getType()),
                                     builder.getMesh(sharding)));
    if (failed(bindResharded(builder, result, local, whole)))
      return failure();
  }
  return success();
}

Value broadcastFrom(PartitionBuilder &builder, Value local,
                    spmd::ShardingAttr sharding, int64_t root) {
  OpBuilder &b = builder.builder();
  SmallVector<spmd::AxisRefAttr> axes =
      spmd::getAllAxes(builder.getMesh(sharding));
  if (axes.empty())
    return local;
  return spmd::BroadcastOp::create(
      b, builder.getLoc(), local.getType(), local, sharding.getMesh(),
      spmd::AxisListAttr::get(b.getContext(), axes), b.getI64IntegerAttr(root));
}

} // namespace partita
