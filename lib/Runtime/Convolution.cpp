// convolution with channels last: without patches where the processor has code
// for that (DirectConvolution.h), else patches of the input as a matrix,
// multiplied with the kernel. Patches are made for some results and a part of
// the window at a time, so that they stay in cache.
#include "Convert.h"
#include "ConvolutionOperands.h"
#include "ConvolutionWindows.h"
#include "DirectConvolution.h"
#include "Gemm.h"
#include "Numbers.h"
#include "Scratch.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>
#include <cstring>

using namespace partita::runtime;

namespace {
/// Sizes of a convolution whose operands have channels last.
struct Sizes {
  int64_t batch, features, outFeatures;
  Shape out, kernel; // spatial
};
} // namespace

static bool isPermutation(Shape order, int64_t rank) {
  std::sort(order.begin(), order.end());
  for (int64_t d = 0; d < rank; ++d)
    if (int64_t(order.size()) != rank || order[d] != d)
      return false;
  return true;
}

/// One channel in, one out: no matrices.
template <typename T>
static void convolveDepthwise(const T *input, const Shape &inStrides,
                              const T *kernel, T *output, const Sizes &sizes,
                              const ConvolutionWords &words) {
  using W = Wide<T>;
  int64_t channels = sizes.outFeatures;
  Shape rows = makeOrder(sizes.batch, sizes.out, 1);
  forEachIndex(rows, [&](const Shape &index) {
    int64_t base = index[0] * inStrides[0];
    for (size_t d = 0; d < sizes.out.size(); ++d)
      base += index[1 + d] * words.strides[d] * inStrides[1 + d];
    std::fill(output, output + channels, T());
    const T *weights = kernel;
    forEachIndex(sizes.kernel, [&](const Shape &position) {
      int64_t at = base;
      for (size_t d = 0; d < position.size(); ++d)
        at += position[d] * words.rhsDilation[d] * inStrides[1 + d];
      for (int64_t c = 0; c < channels; ++c)
        output[c] = T(combine<PARTITA_ADD, W>(
            W(output[c]),
            combine<PARTITA_MUL, W>(W(input[at + c]), W(weights[c]))));
      weights += channels;
    });
    output += channels;
  });
}

namespace {
/// The part of a convolution that one group makes: batch items from
/// `batchBegin`, features from `featureBegin`, output features from `outBegin`.
struct GroupPart {
  int64_t batchBegin, featureBegin, outBegin, features, outFeatures;
};
} // namespace

namespace {
/// One group's results as products of patches and weights. Results are counted
/// in *lines*, the results at one index of the first spatial dimension; the
/// window in *slices*, its positions at one index of its first dimension.
class GroupProduct {
public:
  GroupProduct(partita_dtype dtype, const Array &input, const Array &kernel,
               char *output, const Sizes &sizes, const ConvolutionWords &words,
               const GroupPart &part);
  void run();

private:
  /// Patches of lines [line, line + count) for slices [slice, slice + depth).
  void makePatches(int64_t line, int64_t count, int64_t slice, int64_t depth);
  /// Without patches, where the processor has code for that.
  void sumDirectly();
  void multiply(Matrix a, int64_t line, int64_t count, int64_t slice,
                int64_t depth);
  const char *getInput(int64_t line) const;

  partita_dtype dtype;
  const Array &input, &kernel;
  char *output;
  const Sizes &sizes;
  const ConvolutionWords &words;
  const GroupPart &part;
  int64_t bytes, spatial;
  Shape strides; // of the input
  int64_t linesPerImage, perLine = 1, slices, perSlice;
  Scratch patches;
};
} // namespace

GroupProduct::GroupProduct(partita_dtype dtype, const Array &input,
                           const Array &kernel, char *output,
                           const Sizes &sizes, const ConvolutionWords &words,
                           const GroupPart &part)
    : dtype(dtype), input(input), kernel(kernel), output(output), sizes(sizes),
      words(words), part(part), bytes(getElementBytes(dtype)),
      spatial(int64_t(sizes.out.size())), strides(getStrides(input.shape)) {
  linesPerImage = spatial ? sizes.out[0] : 1;
  slices = spatial ? sizes.kernel[0] : 1;
  for (int64_t d = 1; d < spatial; ++d)
    perLine *= sizes.out[d];
  perSlice = slices ? getVolume(sizes.kernel) / slices * part.features : 0;
}

const char *GroupProduct::getInput(int64_t line) const {
  int64_t image = line / linesPerImage, inImage = line % linesPerImage;
  int64_t step = spatial ? words.strides[0] * strides[1] : 0;
  return input.data + ((part.batchBegin + image) * strides[0] + inImage * step +
                       part.featureBegin) *
                          bytes;
}

void GroupProduct::makePatches(int64_t line, int64_t count, int64_t slice,
                               int64_t depth) {
  Shape from, window{}, windowStrides{};
  for (int64_t d = 0; d < spatial; ++d) {
    window.push_back(d ? sizes.kernel[d] : depth);
    windowStrides.push_back(strides[1 + d] * words.rhsDilation[d]);
  }
  window.push_back(part.features);
  windowStrides.push_back(1);
  int64_t offset = spatial ? slice * windowStrides[0] * bytes : 0;
  char *to = patches.data();
  for (int64_t end = line + count; line < end;) {
    // Lines of one image at a time.
    int64_t some =
        std::min(end, (line / linesPerImage + 1) * linesPerImage) - line;
    Shape shape, steps;
    for (int64_t d = 0; d < spatial; ++d) {
      shape.push_back(d ? sizes.out[d] : some);
      steps.push_back(strides[1 + d] * words.strides[d]);
    }
    shape.insert(shape.end(), window.begin(), window.end());
    steps.insert(steps.end(), windowStrides.begin(), windowStrides.end());
    copyStrided(to, getStrides(shape), getInput(line) + offset, steps, shape,
                bytes);
    to += getVolume(shape) * bytes;
    line += some;
  }
}

void GroupProduct::multiply(Matrix a, int64_t line, int64_t count,
                            int64_t slice, int64_t depth) {
  int64_t width = kernel.shape.back();
  Matrix weights{kernel.data +
                     (slice * perSlice * width + part.outBegin) * bytes,
                 width, 1};
  multiplyMatrices(
      dtype, count * perLine, part.outFeatures, depth * perSlice, a, weights,
      output + (line * perLine * sizes.outFeatures + part.outBegin) * bytes,
      sizes.outFeatures, /*accumulate=*/slice > 0);
}

void GroupProduct::sumDirectly() {
  WindowSums sums{};
  sums.dtype = dtype;
  sums.input = input.data;
  sums.channels = input.shape.back();
  sums.featureBegin = part.featureBegin, sums.features = part.features;
  sums.batchBegin = part.batchBegin, sums.batch = sizes.batch;
  for (int64_t d = 0; d < spatial; ++d)
    sums.dims.push_back({input.shape[1 + d], words.margins[d],
                         words.padding[2 * d], sizes.out[d], sizes.kernel[d],
                         words.strides[d], words.rhsDilation[d],
                         words.keepsHolesOut ? words.lhsDilation[d] : 1});
  sums.weights = kernel.data + part.outBegin * bytes;
  sums.weightStride = kernel.shape.back();
  sums.outFeatures = part.outFeatures;
  sums.output = output + part.outBegin * bytes;
  sums.outputStride = sizes.outFeatures;
  sumWindows(sums);
}

void GroupProduct::run() {
  if (words.keepsHolesOut)
    return sumDirectly();
  int64_t lines = sizes.batch * linesPerImage;
  // A window that is all of an image: images are rows.
  bool isWhole = part.features == input.shape.back();
  for (int64_t d = 0; d < spatial; ++d)
    isWhole &= sizes.out[d] == 1 && words.rhsDilation[d] == 1 &&
               input.shape[1 + d] == sizes.kernel[d];
  if (isWhole)
    return multiply({getInput(0), strides[0], 1}, 0, lines, 0, slices);
  // Without a window, the input's rows are the patches.
  bool isDirect = slices * perSlice == part.features;
  for (int64_t d = 0; d < spatial; ++d)
    isDirect &= words.strides[d] == 1 && input.shape[1 + d] == sizes.out[d];
  if (isDirect)
    return multiply({getInput(0), strides[spatial], 1}, 0, lines, 0, slices);
  if (spatial && isDirectFaster(dtype, part.outFeatures))
    return sumDirectly();
  // Half a million numbers, hence a matrix of at least 512 rows, or as many as
  // there are, by as much of the window as then fits.
  constexpr int64_t target = 1 << 19, wantedRows = 512;
  int64_t enough =
      std::clamp<int64_t>(wantedRows / std::max<int64_t>(1, perLine), 1, lines);
  int64_t depth = std::clamp<int64_t>(
      target / std::max<int64_t>(1, enough * perLine * perSlice), 1, slices);
  int64_t count = std::clamp<int64_t>(
      target / std::max<int64_t>(1, depth * perSlice * perLine), enough, lines);
  patches = Scratch(count * perLine * depth * perSlice * bytes);
  if (!patches)
    return;
  for (int64_t line = 0; line < lines; line += count)
    for (int64_t slice = 0; slice < slices; slice += depth) {
      int64_t rows = std::min(count, lines - line),
              d = std::min(depth, slices - slice);
      makePatches(line, rows, slice, d);
      multiply({patches.data(), d * perSlice, 1}, line, rows, slice, d);
    }
}

static std::string checkWords(const ConvolutionWords &w, const Descriptor &d) {
  int64_t spatial = int64_t(w.inputSpatial.size()), rank = spatial + 2;
  if (!d.isValid() || d.inputs.size() != 2 || d.outputs.size() != 1)
    return "the descriptor is malformed";
  auto has = [](const Shape &list, int64_t n) {
    return int64_t(list.size()) == n;
  };
  if (!has(w.strides, spatial) || !has(w.padding, 2 * spatial) ||
      !has(w.lhsDilation, spatial) || !has(w.rhsDilation, spatial) ||
      !has(w.reversal, spatial) || d.inputs[0].rank() != rank ||
      d.inputs[1].rank() != rank || d.outputs[0].rank() != rank ||
      !isPermutation(makeOrder(w.inputBatch, w.inputSpatial, w.inputFeature),
                     rank) ||
      !isPermutation(makeOrder(w.kernelInput, w.kernelSpatial, w.kernelOutput),
                     rank) ||
      !isPermutation(makeOrder(w.outputBatch, w.outputSpatial, w.outputFeature),
                     rank))
    return "the dimension numbers do not fit the operands";
  int64_t batch = d.inputs[0].shape[w.inputBatch],
          features = d.inputs[0].shape[w.inputFeature],
          kernelFeatures = d.inputs[1].shape[w.kernelInput],
          outFeatures = d.inputs[1].shape[w.kernelOutput];
  if (w.featureGroups < 1 || w.batchGroups < 1 ||
      features != kernelFeatures * w.featureGroups || batch % w.batchGroups ||
      outFeatures % (w.featureGroups * w.batchGroups) ||
      d.outputs[0].shape[w.outputFeature] != outFeatures ||
      d.outputs[0].shape[w.outputBatch] != batch / w.batchGroups)
    return "the features, batches and groups do not fit";
  for (int64_t k = 0; k < spatial; ++k) {
    int64_t in = d.inputs[0].shape[w.inputSpatial[k]],
            kernel = d.inputs[1].shape[w.kernelSpatial[k]],
            out = d.outputs[0].shape[w.outputSpatial[k]];
    int64_t padded = (in ? (in - 1) * w.lhsDilation[k] + 1 : 0) +
                     w.padding[2 * k] + w.padding[2 * k + 1];
    if (out > 0 && kernel > 0 &&
        (out - 1) * w.strides[k] + (kernel - 1) * w.rhsDilation[k] + 1 > padded)
      return "the window leaves spatial dimension " + std::to_string(k);
  }
  return "";
}

static std::string convolution(Descriptor &d, void *const *buffers) {
  ConvolutionWords words(d);
  std::string error = checkWords(words, d);
  if (!error.empty())
    return error;
  const BufferType &out = d.outputs[0];
  partita_dtype dtype = getWideType(out.dtype);
  int64_t bytes = getElementBytes(dtype);
  Array input = arrange(
      d.inputs[0], buffers[0],
      makeOrder(words.inputBatch, words.inputSpatial, words.inputFeature),
      dtype);
  Shape kernelOrder = words.kernelSpatial;
  kernelOrder.push_back(words.kernelInput),
      kernelOrder.push_back(words.kernelOutput);
  Array kernel = arrange(d.inputs[1], buffers[1], kernelOrder, dtype);
  if (Scratch::hasFailed())
    return "";
  size_t spatial = words.inputSpatial.size();
  int64_t kernelFeatures = kernel.shape[spatial];
  Sizes sizes{out.shape[words.outputBatch],
              input.shape.back(),
              kernel.shape.back(),
              {},
              Shape(kernel.shape.begin(), kernel.shape.begin() + spatial)};
  Shape outShape, outOrder = makeOrder(words.outputBatch, words.outputSpatial,
                                       words.outputFeature);
  for (int64_t k : outOrder)
    outShape.push_back(out.shape[k]);
  sizes.out.assign(outShape.begin() + 1, outShape.end() - 1);
  if (out.getCount() == 0)
    return "";
  int64_t groups = words.featureGroups * words.batchGroups;
  bool isDepthwise = words.batchGroups == 1 && kernelFeatures == 1 &&
                     groups == sizes.outFeatures && groups > 1;
  words.keepsHolesOut = !isDepthwise && canKeepHolesOut(words) &&
                        isDirectFaster(dtype, sizes.outFeatures / groups);
  padInput(input, words, sizes.kernel, sizes.out, bytes);
  reverseKernel(kernel, words.reversal, bytes);
  if (Scratch::hasFailed())
    return "";
  // Straight into the result where it has channels last and this type.
  bool isPlain = isIdentity(out.shape, outOrder);
  Array result;
  char *to = static_cast<char *>(buffers[2]);
  if (!isPlain || dtype != out.dtype)
    to = result.make(outShape, bytes);
  if (!to)
    return "";
  if (getVolume(kernel.shape) == 0) {
    std::memset(to, 0, getVolume(outShape) * bytes);
  } else if (isDepthwise) {
    dispatch(dtype, [&](auto type) {
      using T = decltype(type);
      convolveDepthwise<T>(reinterpret_cast<const T *>(input.data),
                           getStrides(input.shape),
                           reinterpret_cast<const T *>(kernel.data),
                           reinterpret_cast<T *>(to), sizes, words);
    });
  } else {
    int64_t perGroup = sizes.outFeatures / groups;
    for (int64_t g = 0; g < groups; ++g)
      GroupProduct(dtype, input, kernel, to, sizes, words,
                   {g / words.featureGroups * sizes.batch,
                    g % words.featureGroups * kernelFeatures, g * perGroup,
                    kernelFeatures, perGroup})
          .run();
  }
  Array narrow;
  if (dtype != out.dtype) {
    char *target = isPlain ? static_cast<char *>(buffers[2])
                           : narrow.make(outShape, getElementBytes(out.dtype));
    if (!target)
      return "";
    convertArray(out.dtype, target, dtype, to, out.getCount());
    to = target;
  }
  if (!isPlain) {
    Shape inverse(outOrder.size());
    for (size_t i = 0; i < outOrder.size(); ++i)
      inverse[outOrder[i]] = int64_t(i);
    transpose(buffers[2], to, outShape, inverse, getElementBytes(out.dtype));
  }
  return "";
}

PARTITA_KERNEL(convolution, convolution)
