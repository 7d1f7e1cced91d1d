// chlo.scan as stablehlo.while, as lax.scan is lowered: the body reads one row
// of each input and writes one row of each output. Dimensions that the body
// treats as a batch are then sharded by the rules of its own ops.

#include "Expansions.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita {
namespace {

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Emits the loop of one scan. It carries the trip's number, the inputs as they
/// are, the outputs so far and the carries.
class ScanLoop {
public:
  ScanLoop(chlo::ScanOp scan, OpBuilder &b)
      : scan(scan), b(b), loc(scan.getLoc()), dim(scan.getDimension()),
        indexType(RankedTensorType::get({}, b.getI32Type())) {}

  /// Outputs and carries after all trips.
  Replacements emit() {
    Value first = scan.getInputs().empty() ? scan.getOutputs().front()
                                           : scan.getInputs().front();
    trips = cast<RankedTensorType>(first.getType()).getDimSize(dim);
    SmallVector<Value> operands{constant(0)};
    llvm::append_range(operands, scan.getInputs());
    for (Value output : scan.getOutputs())
      operands.push_back(stablehlo::ConstantOp::create(
          b, loc,
          stablehlo::getZeroElements(
              cast<RankedTensorType>(output.getType()))));
    llvm::append_range(operands, scan.getInits());
    size_t kept = 1 + scan.getInputs().size();
    // There is no row to read or write where there are no trips.
    if (trips == 0)
      return Replacements(llvm::drop_begin(operands, kept));
    TypeRange types = ValueRange(operands).getTypes();
    OperationState state(loc, stablehlo::WhileOp::getOperationName());
    state.addOperands(operands);
    state.addTypes(types);
    state.addRegion();
    state.addRegion();
    Operation *loop = b.create(state);
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locs(types.size(), loc);
    emitCondition(*b.createBlock(&loop->getRegion(0), {}, types, locs));
    emitBody(*b.createBlock(&loop->getRegion(1), {}, types, locs));
    return Replacements(loop->getResults().drop_front(kept));
  }

private:
  Value constant(int32_t value) {
    return stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(indexType, value));
  }

  void emitCondition(Block &block) {
    Value isInside = stablehlo::CompareOp::create(
        b, loc, indexType.clone(b.getI1Type()), block.getArgument(0),
        constant(trips),
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::LT),
        stablehlo::ComparisonTypeAttr());
    stablehlo::ReturnOp::create(b, loc, isInside);
  }

  void emitBody(Block &block) {
    size_t inputs = scan.getInputs().size();
    size_t outputs = scan.getOutputs().size();
    Value trip = block.getArgument(0), row = trip;
    if (scan.getIsReverse())
      row = stablehlo::SubtractOp::create(b, loc, constant(trips - 1), trip);
    Block &original = scan.getBody().front();
    IRMapping mapping;
    for (size_t i = 0; i < inputs; ++i)
      mapping.map(original.getArgument(i),
                  readRow(block.getArgument(1 + i), row,
                          original.getArgument(i).getType()));
    for (size_t i = inputs; i < original.getNumArguments(); ++i)
      mapping.map(original.getArgument(i), block.getArgument(1 + outputs + i));
    for (Operation &op : original.without_terminator())
      b.clone(op, mapping);
    SmallVector<Value> returned{
        stablehlo::AddOp::create(b, loc, trip, constant(1))};
    llvm::append_range(returned, block.getArguments().slice(1, inputs));
    for (auto [i, value] :
         llvm::enumerate(original.getTerminator()->getOperands())) {
      Value made = mapping.lookupOrDefault(value);
      returned.push_back(
          i < outputs ? writeRow(block.getArgument(1 + inputs + i), made, row)
                      : made);
    }
    stablehlo::ReturnOp::create(b, loc, returned);
  }

  SmallVector<Value> startsAt(Value row, int64_t rank) {
    SmallVector<Value> starts(rank);
    for (int64_t d = 0; d < rank; ++d)
      starts[d] = d == dim ? row : constant(0);
    return starts;
  }

  Value readRow(Value from, Value row, Type rowType) {
    auto type = cast<RankedTensorType>(from.getType());
    SmallVector<int64_t> sizes(type.getShape());
    sizes[dim] = 1;
    Value slice = stablehlo::DynamicSliceOp::create(
        b, loc, type.clone(sizes), from, startsAt(row, type.getRank()), sizes);
    return stablehlo::ReshapeOp::create(b, loc, rowType, slice);
  }

  Value writeRow(Value into, Value made, Value row) {
    auto type = cast<RankedTensorType>(into.getType());
    SmallVector<int64_t> sizes(type.getShape());
    sizes[dim] = 1;
    Value slice = stablehlo::ReshapeOp::create(b, loc, type.clone(sizes), made);
    return stablehlo::DynamicUpdateSliceOp::create(
        b, loc, type, into, slice, startsAt(row, type.getRank()));
  }

  chlo::ScanOp scan;
  OpBuilder &b;
  Location loc;
  int64_t dim, trips = 0;
  RankedTensorType indexType;
};

/// The layouts that the user wrote on the op, as constraints on its values.
void constrain(chlo::ScanOp scan, OpBuilder &b, Replacements &values) {
  StringRef name = spmd::SPMDDialect::getShardingsAttrName();
  auto shardings = scan->getAttrOfType<ArrayAttr>(name);
  if (!shardings || shardings.size() != values.size())
    return;
  for (auto [value, sharding] : llvm::zip_equal(values, shardings))
    if (auto known = dyn_cast<spmd::ShardingAttr>(sharding))
      value = spmd::ConstraintOp::create(b, scan.getLoc(), value.getType(),
                                         value, known);
  scan->removeAttr(name);
}

} // namespace

std::optional<Replacements> expandScan(Operation *op, OpBuilder &b) {
  auto scan = dyn_cast<chlo::ScanOp>(op);
  if (!scan || !llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic) ||
      !llvm::all_of(scan.getBody().front().getArgumentTypes(), isStatic))
    return std::nullopt;
  Replacements values = ScanLoop(scan, b).emit();
  constrain(scan, b, values);
  return values;
}

} // namespace partita
