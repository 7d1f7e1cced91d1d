// convolution: patches of the input as a matrix, multiplied with the kernel.
#include "Gemm.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

namespace {
/// Window of one convolution; one entry per spatial dimension.
struct ConvWindow {
  SmallVector<int64_t> strides, low, high, inputDilation, kernelDilation;
  SmallVector<bool> reversed;
};
} // namespace

static SmallVector<int64_t> orOnes(std::optional<ArrayRef<int64_t>> values,
                                   size_t n) {
  return values ? SmallVector<int64_t>(*values) : SmallVector<int64_t>(n, 1);
}

template <typename ConvOp>
static ConvWindow getWindow(ConvOp op, ArrayRef<int64_t> padding,
                            size_t spatial) {
  ConvWindow window;
  window.strides = orOnes(op.getWindowStrides(), spatial);
  window.inputDilation = orOnes(op.getLhsDilation(), spatial);
  window.kernelDilation = orOnes(op.getRhsDilation(), spatial);
  if (auto reversal = op.getWindowReversal())
    window.reversed.assign(reversal->begin(), reversal->end());
  window.reversed.resize(spatial, false);
  for (size_t d = 0; d < spatial; ++d) {
    window.low.push_back(padding.empty() ? 0 : padding[2 * d]);
    window.high.push_back(padding.empty() ? 0 : padding[2 * d + 1]);
  }
  return window;
}

static SmallVector<int64_t> order(int64_t first, int64_t second,
                                  ArrayRef<int64_t> rest) {
  SmallVector<int64_t> dims{first, second};
  llvm::append_range(dims, rest);
  return dims;
}

/// Patches of a padded input [batch, features, spatial...] for features
/// [begin, begin + count): [batch * out spatial, count * kernel spatial].
static Tensor makePatches(const Tensor &padded, int64_t begin, int64_t count,
                          ArrayRef<int64_t> outSpatial,
                          ArrayRef<int64_t> kernelSpatial,
                          const ConvWindow &window) {
  SmallVector<int64_t> in = getStrides(padded.getShape());
  // Dimensions of the patch tensor: batch, out..., feature, kernel...
  SmallVector<int64_t> shape{padded.getShape()[0]}, from{in[0]};
  for (auto [d, size] : llvm::enumerate(outSpatial)) {
    shape.push_back(size);
    from.push_back(in[2 + d] * window.strides[d]);
  }
  shape.push_back(count);
  from.push_back(in[1]);
  for (auto [d, size] : llvm::enumerate(kernelSpatial)) {
    shape.push_back(size);
    from.push_back(in[2 + d] * window.kernelDilation[d]);
  }
  int64_t columns = count * getVolume(kernelSpatial);
  int64_t rows = padded.getShape()[0] * getVolume(outSpatial);
  Tensor patches = allocateLike(padded, {1, rows, columns});
  int64_t size = getCellSize(padded.getKind());
  copyStrided(patches.mutableData(), getStrides(shape),
              static_cast<const char *>(padded.data()) + begin * in[1] * size,
              from, shape, size);
  return patches;
}

/// Result as [batch, out features, spatial...] of an input [batch, features,
/// spatial...] and a kernel [out features, in features, spatial...].
static Tensor convolve(const Tensor &input, Tensor kernel,
                       const ConvWindow &window, int64_t featureGroups,
                       ArrayRef<int64_t> outSpatial, Type elementType,
                       const Field *field) {
  SmallVector<int64_t> reversedDims, low{0, 0}, interior{0, 0};
  SmallVector<int64_t> paddedShape{input.getShape()[0], input.getShape()[1]};
  for (size_t d = 0; d < outSpatial.size(); ++d) {
    if (window.reversed[d])
      reversedDims.push_back(2 + d);
    low.push_back(window.low[d]);
    interior.push_back(window.inputDilation[d] - 1);
    int64_t size = input.getShape()[2 + d];
    int64_t dilated = size == 0 ? 0 : (size - 1) * window.inputDilation[d] + 1;
    paddedShape.push_back(dilated + window.low[d] + window.high[d]);
  }
  kernel = reverse(kernel, reversedDims);
  Tensor zero = Tensor::zeros(RankedTensorType::get({}, input.getElementType()),
                              field != nullptr);
  Tensor padded = pad(input, zero, low, interior, paddedShape);
  int64_t outFeatures = kernel.getShape()[0], inFeatures = kernel.getShape()[1];
  ArrayRef<int64_t> kernelSpatial = kernel.getShape().drop_front(2);
  int64_t perGroup = outFeatures / featureGroups;
  int64_t columns = inFeatures * getVolume(kernelSpatial);
  SmallVector<Tensor> groups;
  for (int64_t g = 0; g < featureGroups; ++g) {
    Tensor patches = makePatches(padded, g * inFeatures, inFeatures, outSpatial,
                                 kernelSpatial, window);
    SmallVector<int64_t> start(kernel.getRank(), 0), shape(kernel.getShape());
    start[0] = g * perGroup;
    shape[0] = perGroup;
    Tensor weights = reshape(slice(kernel, start, shape), {perGroup, columns});
    weights = reshape(transpose(weights, {1, 0}), {1, columns, perGroup});
    groups.push_back(multiplyMatrices(patches, weights, elementType, field));
  }
  Tensor product = groups.size() == 1 ? groups[0] : concatenate(groups, 2);
  // [batch * spatial, features] to [batch, features, spatial...].
  int64_t batch = input.getShape()[0], volume = getVolume(outSpatial);
  Tensor result =
      transpose(reshape(product, {batch, volume, outFeatures}), {0, 2, 1});
  SmallVector<int64_t> shape{batch, outFeatures};
  llvm::append_range(shape, outSpatial);
  return reshape(result, shape);
}

/// Batch groups: group g convolves its part of the batch with its part of the
/// kernel's output features.
static Tensor convolveBatchGroups(const Tensor &input, const Tensor &kernel,
                                  const ConvWindow &window, int64_t batchGroups,
                                  int64_t featureGroups,
                                  ArrayRef<int64_t> outSpatial,
                                  Type elementType, const Field *field) {
  if (batchGroups == 1)
    return convolve(input, kernel, window, featureGroups, outSpatial,
                    elementType, field);
  SmallVector<Tensor> parts;
  auto part = [&](const Tensor &tensor, int64_t g) {
    SmallVector<int64_t> start(tensor.getRank(), 0), shape(tensor.getShape());
    shape[0] /= batchGroups;
    start[0] = g * shape[0];
    return slice(tensor, start, shape);
  };
  for (int64_t g = 0; g < batchGroups; ++g)
    parts.push_back(convolve(part(input, g), part(kernel, g), window,
                             featureGroups, outSpatial, elementType, field));
  return concatenate(parts, 1);
}

template <typename ConvOp>
static LogicalResult evaluate(ConvOp op, KernelCall &call,
                              ArrayRef<int64_t> padding) {
  auto numbers = op.getDimensionNumbers();
  size_t spatial = numbers.getInputSpatialDimensions().size();
  ConvWindow window = getWindow(op, padding, spatial);
  Tensor input =
      transpose(call.operands[0], order(numbers.getInputBatchDimension(),
                                        numbers.getInputFeatureDimension(),
                                        numbers.getInputSpatialDimensions()));
  Tensor kernel = transpose(call.operands[1],
                            order(numbers.getKernelOutputFeatureDimension(),
                                  numbers.getKernelInputFeatureDimension(),
                                  numbers.getKernelSpatialDimensions()));
  RankedTensorType type = call.getResultType();
  SmallVector<int64_t> outOrder = order(numbers.getOutputBatchDimension(),
                                        numbers.getOutputFeatureDimension(),
                                        numbers.getOutputSpatialDimensions());
  SmallVector<int64_t> outSpatial, inverse(outOrder.size());
  for (int64_t d : numbers.getOutputSpatialDimensions())
    outSpatial.push_back(type.getDimSize(d));
  for (auto [i, d] : llvm::enumerate(outOrder))
    inverse[d] = i;
  Tensor result = convolveBatchGroups(
      input, kernel, window, op.getBatchGroupCount(), op.getFeatureGroupCount(),
      outSpatial, type.getElementType(), call.field);
  call.results.push_back(transpose(result, inverse).withType(type));
  return success();
}

static LogicalResult evaluateConvolution(KernelCall &call) {
  auto op = cast<stablehlo::ConvolutionOp>(call.op);
  SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding.assign(attr->getValues<int64_t>().begin(),
                   attr->getValues<int64_t>().end());
  return evaluate(op, call, padding);
}

static LogicalResult evaluateDynamicConv(KernelCall &call) {
  const Tensor &padding = call.operands[2];
  return evaluate(cast<stablehlo::DynamicConvOp>(call.op), call,
                  ArrayRef<int64_t>(padding.cells<int64_t>(),
                                    size_t(padding.getNumElements())));
}

void partita::registerConvolutionKernels(KernelTable &table) {
  table.add("stablehlo.convolution", evaluateConvolution);
  table.add("stablehlo.dynamic_conv", evaluateDynamicConv);
}
