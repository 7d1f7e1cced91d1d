// Dots and convolutions.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

/// ", operand_precision={...}" unless all are the default.
static std::string getPrecision(std::optional<ArrayAttr> config) {
  SmallVector<std::string> names;
  bool isDefault = true;
  if (config)
    for (auto precision : config->getAsRange<stablehlo::PrecisionAttr>()) {
      isDefault &= precision.getValue() == stablehlo::Precision::DEFAULT;
      names.push_back(
          stablehlo::stringifyPrecision(precision.getValue()).lower());
    }
  if (isDefault)
    return "";
  return ", operand_precision={" + llvm::join(names, ",") + "}";
}

static std::string getTypeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return StringRef(name).lower();
}

/// HLO names the algorithms: dot_bf16_bf16_f32_x3.
static std::string
getAlgorithm(std::optional<stablehlo::DotAlgorithmAttr> attr) {
  if (!attr)
    return "";
  std::string lhs = getTypeName(attr->getLhsPrecisionType());
  std::string rhs = getTypeName(attr->getRhsPrecisionType());
  std::string name = StringRef(lhs).starts_with("f8")
                         ? "dot_any_f8_any_f8"
                         : "dot_" + lhs + "_" + rhs;
  name += "_" + getTypeName(attr->getAccumulationType());
  if (StringRef(lhs).starts_with("f8") && attr->getAllowImpreciseAccumulation())
    name += "_fast_accum";
  if (attr->getNumPrimitiveOperations() > 1)
    name += "_x" + std::to_string(attr->getNumPrimitiveOperations());
  return ", algorithm=" + name;
}

static void writeDotGeneral(ComputationWriter &writer,
                            stablehlo::DotGeneralOp op) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  std::string attributes;
  if (!numbers.getLhsBatchingDimensions().empty())
    attributes +=
        ", lhs_batch_dims=" + getList(numbers.getLhsBatchingDimensions());
  attributes += ", lhs_contracting_dims=" +
                getList(numbers.getLhsContractingDimensions());
  if (!numbers.getRhsBatchingDimensions().empty())
    attributes +=
        ", rhs_batch_dims=" + getList(numbers.getRhsBatchingDimensions());
  attributes += ", rhs_contracting_dims=" +
                getList(numbers.getRhsContractingDimensions());
  writer.addOp(op, "dot",
               attributes + getPrecision(op.getPrecisionConfig()) +
                   getAlgorithm(op.getAlgorithm()));
}

/// One letter or digit per dimension: "b01f".
static std::string getLabels(int64_t first, char firstLabel, int64_t second,
                             char secondLabel, ArrayRef<int64_t> spatial) {
  std::string labels(spatial.size() + 2, '?');
  labels[first] = firstLabel;
  labels[second] = secondLabel;
  for (auto [index, dimension] : llvm::enumerate(spatial))
    labels[dimension] = '0' + index;
  return labels;
}

static std::string joinSizes(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      "x");
}

static std::string getWindow(stablehlo::ConvolutionOp op) {
  ArrayRef<int64_t> spatial =
      op.getDimensionNumbers().getKernelSpatialDimensions();
  if (spatial.empty())
    return "";
  SmallVector<int64_t> sizes;
  for (int64_t dimension : spatial)
    sizes.push_back(
        cast<RankedTensorType>(op.getRhs().getType()).getDimSize(dimension));
  std::string window = "size=" + joinSizes(sizes);
  auto addList = [&](StringRef name, std::optional<ArrayRef<int64_t>> values) {
    if (values && !llvm::all_of(*values, [](int64_t v) { return v == 1; }))
      window += (" " + name + "=").str() + joinSizes(*values);
  };
  addList("stride", op.getWindowStrides());
  if (auto padding = op.getPadding()) {
    SmallVector<int64_t> flat;
    for (const APInt &value : padding->getValues<APInt>())
      flat.push_back(value.getSExtValue());
    SmallVector<std::string> pads;
    for (size_t i = 0; i + 1 < flat.size(); i += 2)
      pads.push_back(std::to_string(flat[i]) + "_" +
                     std::to_string(flat[i + 1]));
    if (llvm::any_of(flat, [](int64_t v) { return v != 0; }))
      window += " pad=" + llvm::join(pads, "x");
  }
  addList("lhs_dilate", op.getLhsDilation());
  addList("rhs_dilate", op.getRhsDilation());
  if (auto reversal = op.getWindowReversal();
      reversal && llvm::is_contained(*reversal, true))
    window +=
        " rhs_reversal=" +
        joinSizes(SmallVector<int64_t>(reversal->begin(), reversal->end()));
  return ", window={" + window + "}";
}

static void writeConvolution(ComputationWriter &writer,
                             stablehlo::ConvolutionOp op) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  std::string attributes =
      getWindow(op) + ", dim_labels=" +
      getLabels(numbers.getInputBatchDimension(), 'b',
                numbers.getInputFeatureDimension(), 'f',
                numbers.getInputSpatialDimensions()) +
      "_" +
      getLabels(numbers.getKernelInputFeatureDimension(), 'i',
                numbers.getKernelOutputFeatureDimension(), 'o',
                numbers.getKernelSpatialDimensions()) +
      "->" +
      getLabels(numbers.getOutputBatchDimension(), 'b',
                numbers.getOutputFeatureDimension(), 'f',
                numbers.getOutputSpatialDimensions());
  if (op.getFeatureGroupCount() != 1)
    attributes +=
        ", feature_group_count=" + std::to_string(op.getFeatureGroupCount());
  if (op.getBatchGroupCount() != 1)
    attributes +=
        ", batch_group_count=" + std::to_string(op.getBatchGroupCount());
  writer.addOp(op, "convolution",
               attributes + getPrecision(op.getPrecisionConfig()));
}

Written writeContraction(ComputationWriter &writer, Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    writeDotGeneral(writer, dot);
    return true;
  }
  if (auto dot = dyn_cast<stablehlo::DotOp>(op)) {
    int64_t last = cast<RankedTensorType>(dot.getLhs().getType()).getRank() - 1;
    writer.addOp(op, "dot",
                 ", lhs_contracting_dims=" + getList({last}) +
                     ", rhs_contracting_dims={0}" +
                     getPrecision(dot.getPrecisionConfig()));
    return true;
  }
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op)) {
    writeConvolution(writer, convolution);
    return true;
  }
  return false;
}

} // namespace partita::hlo
