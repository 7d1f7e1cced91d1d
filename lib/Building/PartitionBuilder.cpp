// Lookups, operand masks and result binding of the partition builder. Emission
// of small op groups is in Positions.cpp, regions are in Regions.cpp, the
// derived partition in DerivedPartition.cpp, interval exchange in Exchange.cpp.

#include "partita/Building/PartitionBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/ReshardEmitter.h"

using namespace mlir;

namespace partita {

PartitionBuilder::PartitionBuilder(OpBuilder &builder, ReshardEmitter &emitter)
    : b(builder), emitter(emitter) {}

const ShardedValue &PartitionBuilder::get(Value original) const {
  auto it = values.find(original);
  assert(it != values.end() && "placed programs define values before uses");
  return it->second;
}

spmd::ShardingAttr PartitionBuilder::getSharding(Value original) const {
  auto it = values.find(original);
  return it != values.end() ? it->second.sharding : spmd::getSharding(original);
}

spmd::MeshAttr PartitionBuilder::getMesh(spmd::ShardingAttr sharding) const {
  return emitter.getMesh(sharding.getMesh());
}

Type PartitionBuilder::getLocalType(Value original) const {
  auto type = dyn_cast<RankedTensorType>(original.getType());
  spmd::ShardingAttr sharding = type ? getSharding(original) : nullptr;
  if (!sharding)
    return original.getType();
  return sharding.getLocalType(type, getMesh(sharding));
}

int64_t PartitionBuilder::getShardCount(Value original, int64_t dim) const {
  spmd::ShardingAttr sharding = getSharding(original);
  return sharding ? sharding.getShardCount(dim, getMesh(sharding)) : 1;
}

bool PartitionBuilder::hasPadding(Value original, int64_t dim) const {
  int64_t shards = getShardCount(original, dim);
  return cast<RankedTensorType>(original.getType()).getDimSize(dim) % shards !=
         0;
}

Value PartitionBuilder::masked(Value original, ArrayRef<int64_t> dims,
                               spmd::ReductionKind kind) {
  const ShardedValue &value = get(original);
  if (value.pad == kind || llvm::none_of(dims, [&](int64_t dim) {
        return hasPadding(original, dim);
      }))
    return value.local;
  return maskedWith(original, dims, neutral(value.type.getElementType(), kind));
}

Value PartitionBuilder::maskedWith(Value original, ArrayRef<int64_t> dims,
                                   Value fill) {
  const ShardedValue value = get(original);
  auto localType = cast<RankedTensorType>(value.local.getType());
  Value mask;
  for (int64_t dim : dims) {
    if (!hasPadding(original, dim))
      continue;
    Value position =
        iota(localType.getShape(), dim, blockOffset(original, dim));
    auto indexType = cast<RankedTensorType>(position.getType());
    Value size =
        splat(scalarInt(b.getI32Type(), value.type.getDimSize(dim)), indexType);
    Value inside = stablehlo::CompareOp::create(
        b, getLoc(), indexType.clone(b.getI1Type()), position, size,
        stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
    mask = mask ? stablehlo::AndOp::create(b, getLoc(), mask, inside) : inside;
  }
  if (!mask)
    return value.local;
  return stablehlo::SelectOp::create(b, getLoc(), localType, mask, value.local,
                                     splat(fill, localType));
}

FailureOr<ShardedValue> PartitionBuilder::reshard(const ShardedValue &input,
                                                  spmd::ShardingAttr to) {
  return emitter.emit(*this, input, to);
}

void PartitionBuilder::bind(Value original, Value local,
                            std::optional<spmd::ReductionKind> pad) {
  auto type = dyn_cast<RankedTensorType>(original.getType());
  spmd::ShardingAttr sharding = type ? spmd::getSharding(original) : nullptr;
  values[original] = ShardedValue{local, sharding, type, pad};
}

void PartitionBuilder::bindAs(Value original, const ShardedValue &value) {
  values[original] = value;
}

InFlightDiagnostic PartitionBuilder::refuse() { return op->emitOpError(); }

} // namespace partita
