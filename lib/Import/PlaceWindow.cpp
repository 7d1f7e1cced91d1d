// A scatter of one window to a known place: the updates are padded to the shape
// of the input, and where they lie the result is the body's. A pad of a sharded
// dimension shifts blocks to their neighbours, while a scatter needs its
// updates whole on each device.

#include "Movements.h"
#include "dialects/StableHLO/ReductionBody.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partita {
namespace {

using stablehlo::BodyKind;

/// The numbers of a constant tensor, through a broadcast of a splat.
std::optional<SmallVector<int64_t>> matchIndices(Value value) {
  int64_t count = cast<RankedTensorType>(value.getType()).getNumElements();
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseIntElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) ||
      (attribute.getNumElements() != count && !attribute.isSplat()))
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &number : attribute.getValues<APInt>()) {
    if (number.getSignificantBits() > 63)
      return std::nullopt;
    numbers.push_back(number.getSExtValue());
  }
  numbers.resize(count, numbers.empty() ? 0 : numbers.front());
  return numbers;
}

/// Where the window lies in the input, and its shape there.
struct Window {
  SmallVector<int64_t> starts, sizes;
};

/// None unless one window is written, to a known place inside the input.
std::optional<Window> matchWindow(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  auto updates = cast<RankedTensorType>(op.getUpdates().front().getType());
  auto indices = matchIndices(op.getScatterIndices());
  ArrayRef<int64_t> components = numbers.getScatterDimsToOperandDims();
  if (!indices || indices->size() != components.size() ||
      !numbers.getInputBatchingDims().empty())
    return std::nullopt;
  Window window;
  window.starts.resize(type.getRank(), 0);
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    window.sizes.push_back(
        llvm::is_contained(numbers.getInsertedWindowDims(), dim)
            ? 1
            : updates.getDimSize(numbers.getUpdateWindowDims()[next++]));
  for (auto [component, dim] : llvm::enumerate(components))
    window.starts[dim] = (*indices)[component];
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (window.starts[dim] < 0 ||
        window.starts[dim] + window.sizes[dim] > type.getDimSize(dim))
      return std::nullopt;
  return window;
}

/// Builds the result of one scatter.
class Placer {
public:
  Placer(OpBuilder &b, stablehlo::ScatterOp op, Window window)
      : b(b), loc(op.getLoc()), op(op), window(std::move(window)),
        type(cast<RankedTensorType>(op.getInputs().front().getType())),
        sharding(spmd::getSharding(op.getResult(0))) {}

  Value place() {
    Value update = pad(reshape(op.getUpdates().front()));
    Value input = op.getInputs().front(), mask = makeMask();
    if (auto kind = stablehlo::matchReductionBody(op.getUpdateComputation()))
      update = combine(*kind, input, update);
    return mask ? make<stablehlo::SelectOp>(type, mask, update, input) : update;
  }

private:
  template <typename Op, typename... Args>
  Value make(Type resultType, Args &&...args) {
    return withSharding(
        Op::create(b, loc, resultType, std::forward<Args>(args)...), sharding);
  }

  /// The updates with the dimensions of the input.
  Value reshape(Value updates) {
    auto shape = type.clone(window.sizes);
    if (updates.getType() == shape)
      return updates;
    Value reshaped = stablehlo::ReshapeOp::create(b, loc, shape, updates);
    auto from = spmd::getSharding(updates);
    SmallVector<spmd::DimShardingAttr> dims;
    auto numbers = op.getScatterDimensionNumbers();
    size_t next = 0;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      dims.push_back(
          llvm::is_contained(numbers.getInsertedWindowDims(), dim)
              ? spmd::DimShardingAttr::get(b.getContext(), {}, true, -1)
              : from.getDims()[numbers.getUpdateWindowDims()[next++]]);
    return withSharding(reshaped,
                        spmd::ShardingAttr::get(b.getContext(), from.getMesh(),
                                                dims, from.getReplicated(), {},
                                                from.getReductionKind()));
  }

  Value pad(Value updates) {
    if (updates.getType() == type)
      return updates;
    SmallVector<int64_t> highs, none(type.getRank(), 0);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      highs.push_back(type.getDimSize(dim) - window.starts[dim] -
                      window.sizes[dim]);
    Value zero = makeConstant(b, loc,
                              stablehlo::getZeroElements(RankedTensorType::get(
                                  {}, type.getElementType())),
                              sharding);
    return make<stablehlo::PadOp>(type, updates, zero, window.starts, highs,
                                  none);
  }

  /// True where the window lies; null if that is everywhere.
  Value makeMask() {
    Value mask;
    auto indexType = type.clone(b.getI32Type()),
         flags = type.clone(b.getI1Type());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t start = window.starts[dim], end = start + window.sizes[dim];
      auto compare = [&](int64_t bound,
                         stablehlo::ComparisonDirection direction) {
        Value scalar = makeConstant(
            b, loc,
            DenseElementsAttr::get(RankedTensorType::get({}, b.getI32Type()),
                                   int32_t(bound)),
            sharding);
        Value limit = make<stablehlo::BroadcastInDimOp>(indexType, scalar,
                                                        ArrayRef<int64_t>{});
        Value position = make<stablehlo::IotaOp>(indexType, uint64_t(dim));
        Value holds = make<stablehlo::CompareOp>(
            flags, position, limit,
            stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
            stablehlo::ComparisonTypeAttr());
        mask = mask ? make<stablehlo::AndOp>(flags, mask, holds) : holds;
      };
      if (start > 0)
        compare(start, stablehlo::ComparisonDirection::GE);
      if (end < type.getDimSize(dim))
        compare(end, stablehlo::ComparisonDirection::LT);
    }
    return mask;
  }

  Value combine(BodyKind kind, Value input, Value update) {
    switch (kind) {
    case BodyKind::Add:
      return make<stablehlo::AddOp>(type, input, update);
    case BodyKind::Mul:
      return make<stablehlo::MulOp>(type, input, update);
    case BodyKind::Max:
      return make<stablehlo::MaxOp>(type, input, update);
    case BodyKind::Min:
      return make<stablehlo::MinOp>(type, input, update);
    case BodyKind::And:
      return make<stablehlo::AndOp>(type, input, update);
    case BodyKind::Or:
      return make<stablehlo::OrOp>(type, input, update);
    case BodyKind::Xor:
      return make<stablehlo::XorOp>(type, input, update);
    }
    return update;
  }

  OpBuilder &b;
  Location loc;
  stablehlo::ScatterOp op;
  Window window;
  RankedTensorType type;
  spmd::ShardingAttr sharding;
};

} // namespace

Value placeWindow(Operation *op, OpBuilder &b) {
  auto scatter = dyn_cast<stablehlo::ScatterOp>(op);
  if (!scatter || scatter.getInputs().size() != 1 ||
      !spmd::getSharding(scatter.getResult(0)) ||
      !spmd::getSharding(scatter.getUpdates().front()))
    return {};
  // The body returns the update, or folds both by one operation.
  Block &body = scatter.getUpdateComputation().front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(1) &&
      !stablehlo::matchReductionBody(scatter.getUpdateComputation()))
    return {};
  std::optional<Window> window = matchWindow(scatter);
  if (!window)
    return {};
  auto type = cast<RankedTensorType>(scatter.getInputs().front().getType());
  bool isSharded = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    isSharded |= window->sizes[dim] != type.getDimSize(dim) &&
                 (isDimSharded(scatter.getResult(0), dim) ||
                  isDimSharded(scatter.getInputs().front(), dim));
  if (!isSharded)
    return {};
  return Placer(b, scatter, std::move(*window)).place();
}

} // namespace partita
