// Constants, iota and ops that only rearrange elements.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::hlo {

static std::string getDimensions(ArrayRef<int64_t> dimensions) {
  return ", dimensions=" + getList(dimensions);
}

static Written writeConstant(ComputationWriter &writer,
                             stablehlo::ConstantOp op) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value) {
    InFlightDiagnostic diagnostic =
        op.emitOpError("keeps its elements outside the text");
    diagnostic.attachNote() << "fix: write them as dense<...>";
    return diagnostic;
  }
  auto type = cast<RankedTensorType>(op.getType());
  // One scalar and a broadcast, except where there is nothing to save.
  bool isSplat = value.isSplat() && type.getNumElements() > 1;
  if (!isSplat) {
    writer.bind(op.getResult(),
                writer.add(getShape(type), "constant", {getLiteral(value)}));
    return true;
  }
  std::string scalar = writer.add(
      getShape(type.clone(ArrayRef<int64_t>())), "constant",
      {getLiteral(value.resizeSplat(type.clone(ArrayRef<int64_t>())))});
  writer.bind(op.getResult(), writer.add(getShape(type), "broadcast", {scalar},
                                         ", dimensions={}"));
  return true;
}

/// HLO's broadcast only adds dimensions: those of size 1 that grow are dropped
/// first.
static void writeBroadcastInDim(ComputationWriter &writer,
                                stablehlo::BroadcastInDimOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto to = cast<RankedTensorType>(op.getResult().getType());
  std::string operand = writer.get(op.getOperand());
  SmallVector<int64_t> sizes, dimensions;
  for (auto [index, dimension] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (from.getDimSize(index) != to.getDimSize(dimension))
      continue;
    sizes.push_back(from.getDimSize(index));
    dimensions.push_back(dimension);
  }
  if (static_cast<int64_t>(sizes.size()) != from.getRank())
    operand = writer.add(getShape(from.clone(sizes)), "reshape", {operand});
  writer.bind(op.getResult(), writer.add(getShape(to), "broadcast", {operand},
                                         getDimensions(dimensions)));
}

/// stablehlo.broadcast adds major dimensions.
static void writeBroadcast(ComputationWriter &writer,
                           stablehlo::BroadcastOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  int64_t added = op.getBroadcastSizes().size();
  writer.addOp(op, "broadcast",
               getDimensions(llvm::to_vector(
                   llvm::seq<int64_t>(added, added + from.getRank()))));
}

static void writePad(ComputationWriter &writer, stablehlo::PadOp op) {
  SmallVector<std::string> dims;
  for (auto [low, high, interior] :
       llvm::zip_equal(op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                       op.getInteriorPadding()))
    dims.push_back(std::to_string(low) + "_" + std::to_string(high) +
                   (interior ? "_" + std::to_string(interior) : ""));
  if (dims.empty()) // nothing to pad, and no text for it
    return writer.bind(op.getResult(), writer.get(op.getOperand()));
  writer.addOp(op, "pad", ", padding=" + llvm::join(dims, "x"));
}

static void writeSlice(ComputationWriter &writer, stablehlo::SliceOp op) {
  SmallVector<std::string> ranges;
  for (auto [start, limit, stride] : llvm::zip_equal(
           op.getStartIndices(), op.getLimitIndices(), op.getStrides()))
    ranges.push_back("[" + std::to_string(start) + ":" + std::to_string(limit) +
                     (stride == 1 ? "" : ":" + std::to_string(stride)) + "]");
  writer.addOp(op, "slice", ", slice={" + llvm::join(ranges, ", ") + "}");
}

/// A barrier over several values takes and gives one tuple.
static void writeBarrier(ComputationWriter &writer,
                         stablehlo::OptimizationBarrierOp op) {
  if (op->getNumOperands() == 1)
    return writer.addOp(op, "opt-barrier");
  std::string tuple =
      writer.addTuple(op->getOperandTypes(), writer.get(op->getOperands()));
  writer.bindResults(op, writer.add(ComputationWriter::getResultShape(op),
                                    "opt-barrier", {tuple}));
}

Written writeDataMovement(ComputationWriter &writer, Operation *op) {
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return writeConstant(writer, constant);
  bool written = true;
  TypeSwitch<Operation *>(op)
      .Case([&](stablehlo::IotaOp iota) {
        writer.addOp(iota, "iota",
                     ", iota_dimension=" + Twine(iota.getIotaDimension()));
      })
      .Case<stablehlo::ReshapeOp>([&](auto) { writer.addOp(op, "reshape"); })
      .Case<stablehlo::BitcastConvertOp>(
          [&](auto) { writer.addOp(op, "bitcast-convert"); })
      .Case([&](stablehlo::BroadcastInDimOp broadcast) {
        writeBroadcastInDim(writer, broadcast);
      })
      .Case([&](stablehlo::BroadcastOp broadcast) {
        writeBroadcast(writer, broadcast);
      })
      .Case([&](stablehlo::TransposeOp transpose) {
        writer.addOp(op, "transpose",
                     getDimensions(transpose.getPermutation()));
      })
      .Case([&](stablehlo::ReverseOp reverse) {
        writer.addOp(op, "reverse", getDimensions(reverse.getDimensions()));
      })
      .Case([&](stablehlo::ConcatenateOp concatenate) {
        int64_t dimension = concatenate.getDimension();
        writer.addOp(op, "concatenate", getDimensions({dimension}));
      })
      .Case([&](stablehlo::PadOp pad) { writePad(writer, pad); })
      .Case([&](stablehlo::SliceOp slice) { writeSlice(writer, slice); })
      .Case([&](stablehlo::OptimizationBarrierOp barrier) {
        writeBarrier(writer, barrier);
      })
      .Case([&](stablehlo::GetDimensionSizeOp size) {
        int64_t dimension = size.getDimension();
        writer.addOp(op, "get-dimension-size", getDimensions({dimension}));
      })
      .Case([&](stablehlo::SetDimensionSizeOp size) {
        int64_t dimension = size.getDimension();
        writer.addOp(op, "set-dimension-size", getDimensions({dimension}));
      })
      .Default([&](Operation *) { written = false; });
  return written;
}

} // namespace partita::hlo
