// JAX prints lax.axis_index as convert((partition_id / a) % b). Whatever is
// computed from partition_id by such steps is evaluated on every device of the
// mesh; the axes whose index has these values replace it.
#include "CollectiveImport.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/StableHLO/ZeroElements.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partita {

namespace {

class PartitionIdImporter {
public:
  PartitionIdImporter(stablehlo::PartitionIdOp op, const ManualContext &context)
      : op(op), context(context) {}
  LogicalResult run() {
    return visit(op.getResult(), getDeviceIds(context.mesh));
  }

private:
  LogicalResult visit(Value value, ArrayRef<int64_t> values);
  std::optional<SmallVector<int64_t>> apply(Operation *user, Value value,
                                            ArrayRef<int64_t> values);
  FailureOr<Value> materialize(Value value, ArrayRef<int64_t> values);

  stablehlo::PartitionIdOp op;
  const ManualContext &context;
};

} // namespace

/// The one integer that a constant holds, if it is positive.
static std::optional<int64_t> getPositiveConstant(Value value) {
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  APInt number = constant.getSplatValue<APInt>();
  if (number.getActiveBits() > 62 || number.isZero())
    return std::nullopt;
  return static_cast<int64_t>(number.getZExtValue());
}

/// Values after `user`, if it is one of the steps of an index computation.
std::optional<SmallVector<int64_t>>
PartitionIdImporter::apply(Operation *user, Value value,
                           ArrayRef<int64_t> values) {
  if (isa<stablehlo::ConvertOp>(user)) {
    auto type = dyn_cast<IntegerType>(
        getElementTypeOrSelf(user->getResult(0).getType()));
    // Device numbers fit any integer but the narrowest.
    if (!type || type.getWidth() < 16)
      return std::nullopt;
    return SmallVector<int64_t>(values);
  }
  if (!isa<stablehlo::DivOp, stablehlo::RemOp>(user) ||
      user->getOperand(0) != value)
    return std::nullopt;
  std::optional<int64_t> divisor = getPositiveConstant(user->getOperand(1));
  if (!divisor)
    return std::nullopt;
  return llvm::map_to_vector(values, [&](int64_t v) {
    return isa<stablehlo::DivOp>(user) ? v / *divisor : v % *divisor;
  });
}

/// The index with `values` per mesh position, of the type of `value`.
FailureOr<Value> PartitionIdImporter::materialize(Value value,
                                                  ArrayRef<int64_t> values) {
  OpBuilder builder(op);
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto i32 = RankedTensorType::get({}, builder.getI32Type());
  auto getIndex = [&](ArrayRef<spmd::AxisRefAttr> axes) -> Value {
    return spmd::AxisIndexOp::create(
        builder, loc, i32, context.meshName,
        spmd::AxisListAttr::get(op.getContext(), axes));
  };
  Value index;
  if (std::optional<AxisRefs> axes = matchAxisIndex(context.mesh, values)) {
    if (failed(checkAxesAreManual(op, context, *axes)))
      return failure();
    if (axes->empty())
      return Value(stablehlo::ConstantOp::create(
          builder, loc, stablehlo::getZeroElements(type)));
    index = getIndex(*axes);
  } else {
    // No axes count so (a mesh whose devices are in no regular order): look the
    // number up by position on the mesh.
    AxisRefs all = spmd::getAllAxes(context.mesh);
    if (failed(checkAxesAreManual(op, context, all)))
      return failure();
    SmallVector<int32_t> narrow(values.begin(), values.end());
    auto tableType = RankedTensorType::get(
        {static_cast<int64_t>(values.size())}, builder.getI32Type());
    Value table = stablehlo::ConstantOp::create(
        builder, loc,
        cast<ElementsAttr>(
            DenseElementsAttr::get(tableType, ArrayRef<int32_t>(narrow))));
    Value slice = stablehlo::DynamicSliceOp::create(
        builder, loc, RankedTensorType::get({1}, builder.getI32Type()), table,
        ValueRange(getIndex(all)), builder.getDenseI64ArrayAttr({1}));
    index = stablehlo::ReshapeOp::create(builder, loc, i32, slice);
  }
  if (type == i32)
    return index;
  return Value(stablehlo::ConvertOp::create(builder, loc, type, index));
}

static void eraseIfDead(Operation *op) {
  if (op && op->use_empty() && isPure(op))
    op->erase();
}

LogicalResult PartitionIdImporter::visit(Value value,
                                         ArrayRef<int64_t> values) {
  bool isUsedOtherwise = false;
  SmallVector<Operation *> users(value.getUsers());
  llvm::SmallPtrSet<Operation *, 4> steps;
  for (Operation *user : users) {
    std::optional<SmallVector<int64_t>> next = apply(user, value, values);
    if (!next) {
      isUsedOtherwise = true;
      continue;
    }
    if (steps.insert(user).second && failed(visit(user->getResult(0), *next)))
      return failure();
  }
  if (isUsedOtherwise) {
    FailureOr<Value> index = materialize(value, values);
    if (failed(index))
      return failure();
    value.replaceUsesWithIf(*index, [&](OpOperand &use) {
      return !steps.contains(use.getOwner());
    });
  }
  for (Operation *step : steps) {
    SmallVector<Operation *> constants;
    for (Value operand : step->getOperands())
      if (operand != value)
        constants.push_back(operand.getDefiningOp());
    eraseIfDead(step);
    llvm::for_each(constants, eraseIfDead);
  }
  return success();
}

LogicalResult importPartitionId(stablehlo::PartitionIdOp op,
                                const ManualContext &context) {
  if (failed(PartitionIdImporter(op, context).run()))
    return failure();
  eraseIfDead(op);
  return success();
}

} // namespace partita
