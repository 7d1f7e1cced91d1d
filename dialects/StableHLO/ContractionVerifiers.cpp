// Verification of dots and convolutions: shapes follow from the operands, the
// result's element type is the program's choice.
#include "dialects/StableHLO/Inference.h"
#include "dialects/StableHLO/WindowGeometry.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

/// Fails unless the result has shape `sizes`.
static LogicalResult checkResultShape(const Reporter &at,
                                      ArrayRef<int64_t> sizes,
                                      RankedTensorType result) {
  return checkResultTypes(
      at,
      TypeRange(Type(RankedTensorType::get(sizes, result.getElementType()))),
      TypeRange(Type(result)));
}

/// Fails if there are more precisions than operands.
static LogicalResult checkPrecision(const Reporter &at,
                                    std::optional<ArrayAttr> precision) {
  if (precision && precision->size() > 2)
    return at.fail("precision_config has ", precision->size(),
                   " entries for two operands");
  return success();
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  Reporter at(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  for (auto [name, type] : {std::pair("lhs", lhs), std::pair("rhs", rhs)})
    if (type.getRank() != 1 && type.getRank() != 2)
      return at.fail("needs ", name, " of rank 1 or 2, not ", type.getRank());
  if (!isCompatibleSize(lhs.getShape().back(), rhs.getShape().front()))
    return at.fail("contracts dimension ", lhs.getRank() - 1,
                   " of lhs of size ", lhs.getShape().back(),
                   " with dimension 0 of rhs of size ", rhs.getShape().front());
  SmallVector<int64_t> sizes(lhs.getShape().drop_back());
  llvm::append_range(sizes, rhs.getShape().drop_front());
  return success(succeeded(checkPrecision(at, getPrecisionConfig())) &&
                 succeeded(checkResultShape(at, sizes, getType())));
}

/// Fails unless pairs of dimensions, `kind` of lhs and rhs, are of one size.
static LogicalResult checkDimPairs(const Reporter &at, StringRef kind,
                                   RankedTensorType lhs,
                                   ArrayRef<int64_t> lhsDims,
                                   RankedTensorType rhs,
                                   ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return at.fail("has ", lhsDims.size(), " ", kind,
                   " dimensions of lhs, but ", rhsDims.size(), " of rhs");
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(lhsDims, rhsDims))
    if (!isCompatibleSize(lhs.getDimSize(lhsDim), rhs.getDimSize(rhsDim)))
      return at.fail("has ", kind, " dimension ", lhsDim, " of lhs of size ",
                     lhs.getDimSize(lhsDim), " and ", rhsDim,
                     " of rhs of size ", rhs.getDimSize(rhsDim));
  return success();
}

/// Sizes of the dimensions that are neither batching nor contracting.
static void appendFreeSizes(RankedTensorType type, ArrayRef<int64_t> batching,
                            ArrayRef<int64_t> contracting,
                            SmallVectorImpl<int64_t> &sizes) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      sizes.push_back(type.getDimSize(dim));
}

LogicalResult DotGeneralOp::verify() {
  Reporter at(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  SmallVector<int64_t> lhsDims(lhsBatching), rhsDims(rhsBatching);
  llvm::append_range(lhsDims, lhsContracting);
  llvm::append_range(rhsDims, rhsContracting);
  if (failed(checkDims(at, "batching and contracting dimensions of lhs",
                       lhsDims, lhs.getRank())) ||
      failed(checkDims(at, "batching and contracting dimensions of rhs",
                       rhsDims, rhs.getRank())) ||
      failed(
          checkDimPairs(at, "batching", lhs, lhsBatching, rhs, rhsBatching)) ||
      failed(checkDimPairs(at, "contracting", lhs, lhsContracting, rhs,
                           rhsContracting)) ||
      failed(checkPrecision(at, getPrecisionConfig())))
    return failure();
  std::optional<ArrayAttr> precisions = getPrecisionConfig();
  if (getAlgorithm() && precisions)
    for (Attribute precision : precisions->getValue())
      if (cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)
        return at.fail("has an algorithm, so that its precision must be "
                       "DEFAULT, not ",
                       precision);
  SmallVector<int64_t> sizes;
  for (int64_t dim : lhsBatching)
    sizes.push_back(lhs.getDimSize(dim));
  appendFreeSizes(lhs, lhsBatching, lhsContracting, sizes);
  appendFreeSizes(rhs, rhsBatching, rhsContracting, sizes);
  return checkResultShape(at, sizes, getType());
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Fails unless the named and spatial dimensions of `tensor` are a permutation
/// of its dimensions.
static LogicalResult checkConvDims(const Reporter &at, StringRef tensor,
                                   int64_t first, int64_t second,
                                   ArrayRef<int64_t> spatial, int64_t rank) {
  SmallVector<int64_t> dims(spatial);
  dims.append({first, second});
  if (static_cast<int64_t>(dims.size()) != rank)
    return at.fail("dimension numbers list ", dims.size(), " dimensions of ",
                   tensor, ", which has rank ", rank);
  return checkDims(at, ("dimension numbers of " + tensor).str(), dims, rank);
}

/// Fails unless features and batch divide into the groups.
template <typename ConvOp>
static LogicalResult checkGroups(ConvOp op, const Reporter &at) {
  ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  int64_t features = lhs.getDimSize(n.getInputFeatureDimension());
  int64_t batch = lhs.getDimSize(n.getInputBatchDimension());
  int64_t kernelIn = rhs.getDimSize(n.getKernelInputFeatureDimension());
  int64_t kernelOut = rhs.getDimSize(n.getKernelOutputFeatureDimension());
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  if (featureGroups > 1 && batchGroups > 1)
    return at.fail("has feature_group_count ", featureGroups,
                   " and batch_group_count ", batchGroups,
                   ", of which only one may exceed 1");
  auto divides = [](int64_t size, int64_t count) {
    return ShapedType::isDynamic(size) || size % count == 0;
  };
  if (!divides(batch, batchGroups) || !divides(kernelOut, batchGroups))
    return at.fail("batch_group_count ", batchGroups,
                   " must divide the batch size ", batch,
                   " and the kernel's output features ", kernelOut);
  if (!divides(features, featureGroups) || !divides(kernelOut, featureGroups))
    return at.fail("feature_group_count ", featureGroups,
                   " must divide the input features ", features,
                   " and the kernel's output features ", kernelOut);
  if (!isCompatibleSize(divideSize(features, featureGroups), kernelIn))
    return at.fail("has ", features, " input features in ", featureGroups,
                   " groups, but a kernel for ", kernelIn,
                   " features (dimension ", n.getKernelInputFeatureDimension(),
                   " of rhs)");
  return success();
}

/// Checks operands and attributes of a convolution, and makes its window.
/// Padding that is an operand is not in `padding`.
template <typename ConvOp>
static FailureOr<SmallVector<WindowDim>>
checkConvolution(ConvOp op, const Reporter &at,
                 std::optional<DenseIntElementsAttr> padding) {
  ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  int64_t rank = lhs.getRank(), resultRank = op.getType().getRank();
  if (rhs.getRank() != rank || resultRank != rank)
    return at.fail("needs lhs, rhs and result of one rank, but they have ",
                   rank, ", ", rhs.getRank(), " and ", resultRank);
  Type lhsElement = lhs.getElementType(), rhsElement = rhs.getElementType();
  if (lhsElement != rhsElement &&
      getElementKind(rhsElement) != QuantizedElement)
    return at.fail("needs lhs and rhs of one element type, but they have ",
                   lhsElement, " and ", rhsElement);
  if (failed(checkConvDims(at, "lhs", n.getInputBatchDimension(),
                           n.getInputFeatureDimension(),
                           n.getInputSpatialDimensions(), rank)) ||
      failed(checkConvDims(at, "rhs", n.getKernelInputFeatureDimension(),
                           n.getKernelOutputFeatureDimension(),
                           n.getKernelSpatialDimensions(), rank)) ||
      failed(checkConvDims(at, "the result", n.getOutputBatchDimension(),
                           n.getOutputFeatureDimension(),
                           n.getOutputSpatialDimensions(), rank)) ||
      failed(checkGroups(op, at)) ||
      failed(checkPrecision(at, op.getPrecisionConfig())))
    return failure();
  SmallVector<int64_t> windowSizes;
  for (int64_t dim : n.getKernelSpatialDimensions())
    windowSizes.push_back(rhs.getDimSize(dim));
  return getWindow(at, windowSizes, op.getWindowStrides(), padding,
                   op.getLhsDilation(), op.getRhsDilation(),
                   op.getWindowReversal());
}

/// Sizes of a convolution's result but for the spatial ones, left unknown.
template <typename ConvOp>
static SmallVector<int64_t> getBatchAndFeatureSizes(ConvOp op) {
  ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  SmallVector<int64_t> sizes(lhs.getRank(), ShapedType::kDynamic);
  sizes[n.getOutputBatchDimension()] = divideSize(
      lhs.getDimSize(n.getInputBatchDimension()), op.getBatchGroupCount());
  sizes[n.getOutputFeatureDimension()] =
      rhs.getDimSize(n.getKernelOutputFeatureDimension());
  return sizes;
}

LogicalResult ConvolutionOp::verify() {
  Reporter at(*this);
  FailureOr<SmallVector<WindowDim>> window =
      checkConvolution(*this, at, getPadding());
  if (failed(window))
    return failure();
  ConvDimensionNumbersAttr n = getDimensionNumbers();
  SmallVector<int64_t> sizes = getBatchAndFeatureSizes(*this);
  for (auto [inputDim, outputDim, dim] :
       llvm::zip_equal(n.getInputSpatialDimensions(),
                       n.getOutputSpatialDimensions(), *window))
    sizes[outputDim] =
        countPositions(getLhs().getType().getDimSize(inputDim), dim);
  return checkResultShape(at, sizes, getType());
}

LogicalResult DynamicConvOp::verify() {
  Reporter at(*this);
  FailureOr<SmallVector<WindowDim>> window =
      checkConvolution(*this, at, std::nullopt);
  if (failed(window))
    return failure();
  int64_t spatial = window->size();
  if (failed(checkSameShape(at, "padding", getPadding().getType().getShape(),
                            "low and high of each window dimension",
                            {spatial, 2})))
    return failure();
  return checkResultShape(at, getBatchAndFeatureSizes(*this), getType());
}

} // namespace partita::stablehlo
