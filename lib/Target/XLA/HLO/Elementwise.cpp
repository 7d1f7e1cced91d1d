// Elementwise ops: most have an opcode of the same name, with dashes.

#include "HLOWriter.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::hlo {

/// The opcode of an op that HLO has under nearly its own name.
static std::string getOpcode(Operation *op) {
  bool isPlain =
      isa<stablehlo::CeilOp, stablehlo::ClzOp, stablehlo::FloorOp,
          stablehlo::NegOp, stablehlo::NotOp, stablehlo::PopulationCountOp,
          stablehlo::RoundOp, stablehlo::RoundNearestEvenOp, stablehlo::SignOp,
          stablehlo::AbsOp, stablehlo::ImagOp, stablehlo::RealOp,
          stablehlo::IsFiniteOp, stablehlo::AddOp, stablehlo::Atan2Op,
          stablehlo::DivOp, stablehlo::MaxOp, stablehlo::MinOp,
          stablehlo::MulOp, stablehlo::PowOp, stablehlo::RemOp,
          stablehlo::ShiftLeftOp, stablehlo::ShiftRightArithmeticOp,
          stablehlo::ShiftRightLogicalOp, stablehlo::SubtractOp,
          stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp,
          stablehlo::ComplexOp>(op) ||
      isa<stablehlo::CbrtOp, stablehlo::CosineOp, stablehlo::ExpOp,
          stablehlo::Expm1Op, stablehlo::LogOp, stablehlo::Log1pOp,
          stablehlo::LogisticOp, stablehlo::RsqrtOp, stablehlo::SineOp,
          stablehlo::SqrtOp, stablehlo::TanOp, stablehlo::TanhOp>(op);
  if (!isPlain)
    return "";
  std::string opcode = op->getName().stripDialect().str();
  std::replace(opcode.begin(), opcode.end(), '_', '-');
  return opcode;
}

/// ", result_accuracy=..." where one was asked for.
static std::string getAccuracy(Operation *op) {
  auto accuracy =
      op->getAttrOfType<stablehlo::ResultAccuracyAttr>("result_accuracy");
  if (!accuracy)
    return "";
  switch (accuracy.getMode().getValue()) {
  case stablehlo::ResultAccuracyMode::DEFAULT:
    return "";
  case stablehlo::ResultAccuracyMode::HIGHEST:
    return ", result_accuracy={mode=highest}";
  case stablehlo::ResultAccuracyMode::TOLERANCE:
    break;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << ", result_accuracy={tolerance={atol="
      << accuracy.getAtol().convertToDouble()
      << ",rtol=" << accuracy.getRtol().convertToDouble()
      << ",ulps=" << accuracy.getUlps() << "}}";
  return text;
}

static void writeCompare(ComputationWriter &writer, stablehlo::CompareOp op) {
  std::string attributes =
      (", direction=" +
       stablehlo::stringifyComparisonDirection(op.getComparisonDirection()))
          .str();
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
    attributes += ", type=TOTALORDER";
  writer.addOp(op, "compare", attributes);
}

/// To i1: unequal to zero. From complex: of the real part.
static void writeConvert(ComputationWriter &writer, stablehlo::ConvertOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto to = cast<RankedTensorType>(op.getResult().getType());
  std::string operand = writer.get(op.getOperand());
  if (auto complex = dyn_cast<ComplexType>(from.getElementType());
      complex && !isa<ComplexType>(to.getElementType())) {
    from = from.clone(complex.getElementType());
    operand = writer.add(getShape(from), "real", {operand});
  }
  if (to.getElementType().isInteger(1) && !from.getElementType().isInteger(1)) {
    Attribute zero =
        Builder(op.getContext()).getZeroAttr(from.getElementType());
    operand =
        writer.add(getShape(to), "compare",
                   {operand, writer.addSplat(from, zero)}, ", direction=NE");
  } else {
    operand = writer.add(getShape(to), "convert", {operand});
  }
  writer.bind(op.getResult(), operand);
}

static void writeSelect(ComputationWriter &writer, stablehlo::SelectOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  writer.bind(
      op.getResult(),
      writer.add(getShape(type), "select",
                 {writer.addBroadcast(type, op.getPred()),
                  writer.get(op.getOnTrue()), writer.get(op.getOnFalse())}));
}

static void writeClamp(ComputationWriter &writer, stablehlo::ClampOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  writer.bind(op.getResult(),
              writer.add(getShape(type), "clamp",
                         {writer.addBroadcast(type, op.getMin()),
                          writer.get(op.getOperand()),
                          writer.addBroadcast(type, op.getMax())}));
}

Written writeElementwise(ComputationWriter &writer, Operation *op) {
  if (std::string opcode = getOpcode(op); !opcode.empty()) {
    writer.addOp(op, opcode, getAccuracy(op));
    return true;
  }
  bool written = true;
  TypeSwitch<Operation *>(op)
      .Case(
          [&](stablehlo::CompareOp compare) { writeCompare(writer, compare); })
      .Case(
          [&](stablehlo::ConvertOp convert) { writeConvert(writer, convert); })
      .Case([&](stablehlo::SelectOp select) { writeSelect(writer, select); })
      .Case([&](stablehlo::ClampOp clamp) { writeClamp(writer, clamp); })
      .Case([&](stablehlo::ReducePrecisionOp reduce) {
        writer.addOp(reduce, "reduce-precision",
                     ", exponent_bits=" + Twine(reduce.getExponentBits()) +
                         ", mantissa_bits=" + Twine(reduce.getMantissaBits()));
      })
      .Default([&](Operation *) { written = false; });
  return written;
}

} // namespace partita::hlo
