// Convolution as products: patches of some images are copied side by side, one
// strided copy for each position in the window, then multiplied by the kernel
// as a matrix.
#include "Convolution.h"
#include "../Strided.h"
#include "Dot.h"
#include "Kernels.h"
#include <algorithm>
#include <numeric>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

namespace {

/// More groups would be products too small for a call each.
constexpr int64_t kMaxGroups = 16;
/// Patches that are held at a time, unless one image has more.
constexpr int64_t kPatchBytes = int64_t(256) << 20;

/// Places of batch, feature and spatial dimensions (of the kernel: input
/// feature, output feature, spatial).
struct Layout {
  int64_t first, second;
  Shape spatial;
  explicit Layout(Descriptor &d)
      : first(d.next()), second(d.next()), spatial(d.nextList()) {}
};

struct Convolution {
  BufferType types[3];
  Layout input, kernel, output;
  Shape strides, padding, lhsDilation, rhsDilation, reversal;
  int64_t groups, batchGroups;

  explicit Convolution(Descriptor &d)
      : input(d), kernel(d), output(d), strides(d.nextList()),
        padding(d.nextList()), lhsDilation(d.nextList()),
        rhsDilation(d.nextList()), reversal(d.nextList()), groups(d.next()),
        batchGroups(d.next()) {
    if (d.inputs.size() != 2 || d.outputs.size() != 1 || !d.isValid())
      return;
    types[0] = d.inputs[0];
    types[1] = d.inputs[1];
    types[2] = d.outputs[0];
  }

  size_t rank() const { return strides.size(); }
  int64_t getImages() const { return types[0].shape[input.first]; }
  int64_t getDepth() const { return types[1].shape[kernel.first]; }
  int64_t getFeatures() const { return types[1].shape[kernel.second] / groups; }
  Shape getWindow() const { return pick(types[1], kernel.spatial); }
  Shape getPlaces() const { return pick(types[2], output.spatial); }
  int64_t getBytes() const { return getElementBytes(types[0].dtype); }

  static Shape pick(const BufferType &type, const Shape &dims) {
    Shape sizes;
    for (int64_t dim : dims)
      sizes.push_back(type.shape[dim]);
    return sizes;
  }
};

/// Places of one dimension that meet an input element at a window position:
/// they are first + i * step, their inputs from + i * inputStep.
struct Meeting {
  int64_t first = 0, step = 1, from = 0, inputStep = 1, count = 0;
};

} // namespace

static Meeting findMeeting(int64_t places, int64_t size, int64_t stride,
                           int64_t shift, int64_t dilation) {
  Meeting m;
  m.step = dilation / std::gcd(stride, dilation);
  m.inputStep = stride * m.step / dilation;
  for (int64_t place = 0; place < places; ++place) {
    int64_t at = place * stride + shift;
    if (at < 0 || at % dilation)
      continue;
    m.first = place;
    m.from = at / dilation;
    if (m.from < size)
      m.count = std::min((places - 1 - place) / m.step,
                         (size - 1 - m.from) / m.inputStep) +
                1;
    break;
  }
  return m;
}

bool partita::runtime::cuda::hasConvolution(const int64_t *words) {
  Descriptor d(words);
  Convolution c(d);
  return d.isValid() && hasDot(d) && c.types[0].dtype == c.types[2].dtype &&
         c.batchGroups == 1 && c.groups <= kMaxGroups && c.rank() <= 3 &&
         c.types[2].getCount() > 0;
}

/// The product of [rows, depth] and [depth, columns], all dense.
static std::string multiply(Device &device, partita_dtype dtype, int64_t rows,
                            int64_t depth, int64_t columns, DevicePointer a,
                            DevicePointer b, DevicePointer c) {
  std::vector<int64_t> words{0,     0, 2,     1,       dtype, 2, rows, depth,
                             dtype, 2, depth, columns, dtype, 2, rows, columns,
                             0,     0, 1,     1,       1,     0};
  words[1] = int64_t(words.size());
  // Plans are kept by address.
  const std::vector<int64_t> &kept = *device.products.insert(words).first;
  void *buffers[] = {reinterpret_cast<void *>(a), reinterpret_cast<void *>(b),
                     reinterpret_cast<void *>(c)};
  return enqueueDot(device, kept.data(), buffers);
}

/// The kernel as [group, window..., depth, features].
static std::string packKernel(Device &device, const Convolution &c,
                              DevicePointer from, DevicePointer to) {
  Shape strides = getStrides(c.types[1].shape), sizes{c.groups};
  Shape fromStrides{c.getFeatures() * strides[c.kernel.second]};
  for (size_t k = 0; k < c.rank(); ++k) {
    int64_t dim = c.kernel.spatial[k], size = c.types[1].shape[dim];
    sizes.push_back(size);
    fromStrides.push_back(c.reversal[k] ? -strides[dim] : strides[dim]);
    if (c.reversal[k])
      from += (size - 1) * strides[dim] * c.getBytes();
  }
  sizes.push_back(c.getDepth());
  fromStrides.push_back(strides[c.kernel.first]);
  sizes.push_back(c.getFeatures());
  fromStrides.push_back(strides[c.kernel.second]);
  return enqueueStridedCopy(device, device.compute, to, getStrides(sizes), from,
                            fromStrides, sizes, c.getBytes());
}

/// Patches [images, places..., window..., depth] of `count` images from `first`
/// on.
static std::string copyPatches(Device &device, const Convolution &c,
                               int64_t first, int64_t count, int64_t group,
                               DevicePointer input, DevicePointer patches) {
  Shape places = c.getPlaces(), window = c.getWindow(), all{count};
  all.insert(all.end(), places.begin(), places.end());
  all.insert(all.end(), window.begin(), window.end());
  all.push_back(c.getDepth());
  PARTITA_CUDA(cuMemsetD8Async, patches, 0,
               size_t(getVolume(all) * c.getBytes()), device.compute);
  Shape strides = getStrides(c.types[0].shape), to = getStrides(all);
  size_t rank = c.rank();
  std::string error;
  forEachIndex(window, [&](const Shape &position) {
    Shape sizes{count}, toStrides{to[0]}, fromStrides{strides[c.input.first]};
    int64_t source = first * strides[c.input.first] +
                     group * c.getDepth() * strides[c.input.second],
            target = 0;
    for (size_t k = 0; k < rank; ++k) {
      int64_t dim = c.input.spatial[k];
      Meeting m = findMeeting(places[k], c.types[0].shape[dim], c.strides[k],
                              position[k] * c.rhsDilation[k] - c.padding[2 * k],
                              c.lhsDilation[k]);
      sizes.push_back(m.count);
      toStrides.push_back(m.step * to[1 + k]);
      fromStrides.push_back(m.inputStep * strides[dim]);
      source += m.from * strides[dim];
      target += m.first * to[1 + k] + position[k] * to[1 + rank + k];
    }
    sizes.push_back(c.getDepth());
    toStrides.push_back(1);
    fromStrides.push_back(strides[c.input.second]);
    if (error.empty() && getVolume(sizes) > 0)
      error = enqueueStridedCopy(
          device, device.compute, patches + target * c.getBytes(), toStrides,
          input + source * c.getBytes(), fromStrides, sizes, c.getBytes());
  });
  return error;
}

/// Results [images, places..., features] of a group to their places.
static std::string placeResults(Device &device, const Convolution &c,
                                int64_t first, int64_t count, int64_t group,
                                DevicePointer results, DevicePointer output) {
  Shape strides = getStrides(c.types[2].shape), sizes{count},
        to{strides[c.output.first]};
  for (int64_t dim : c.output.spatial) {
    sizes.push_back(c.types[2].shape[dim]);
    to.push_back(strides[dim]);
  }
  sizes.push_back(c.getFeatures());
  to.push_back(strides[c.output.second]);
  int64_t at = first * strides[c.output.first] +
               group * c.getFeatures() * strides[c.output.second];
  return enqueueStridedCopy(device, device.compute, output + at * c.getBytes(),
                            to, results, getStrides(sizes), sizes,
                            c.getBytes());
}

std::string partita::runtime::cuda::enqueueConvolution(Device &device,
                                                       const int64_t *words,
                                                       void *const *buffers) {
  Descriptor d(words);
  Convolution c(d);
  DevicePointer input = toDevice(buffers[0]), kernel = toDevice(buffers[1]),
                output = toDevice(buffers[2]);
  int64_t places = getVolume(c.getPlaces()),
          depth = getVolume(c.getWindow()) * c.getDepth();
  auto align = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
  int64_t imageBytes = std::max<int64_t>(places * depth * c.getBytes(), 1);
  int64_t images =
      std::clamp<int64_t>(kPatchBytes / imageBytes, 1, c.getImages());
  int64_t kernelBytes = align(c.types[1].getBytes()),
          patchBytes = align(images * imageBytes);
  int64_t resultBytes = align(images * places * c.getFeatures() * c.getBytes());
  DevicePointer packed;
  std::string error = device.reserve(
      device.compute, size_t(kernelBytes + patchBytes + resultBytes), packed);
  DevicePointer patches = packed + kernelBytes, results = patches + patchBytes;
  if (error.empty())
    error = packKernel(device, c, kernel, packed);
  int64_t matrixBytes = depth * c.getFeatures() * c.getBytes();
  for (int64_t first = 0; first < c.getImages(); first += images)
    for (int64_t group = 0; group < c.groups && error.empty(); ++group) {
      int64_t count = std::min(images, c.getImages() - first);
      error = copyPatches(device, c, first, count, group, input, patches);
      if (error.empty())
        error = multiply(device, c.types[0].dtype, count * places, depth,
                         c.getFeatures(), patches, packed + group * matrixBytes,
                         results);
      if (error.empty())
        error = placeResults(device, c, first, count, group, results, output);
    }
  return error;
}
