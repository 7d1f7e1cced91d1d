// Bringing operands into order: transposed, widened, padded, turned around.
#include "ConvolutionOperands.h"
#include "Convert.h"
#include <algorithm>

using namespace partita::runtime;

Shape partita::runtime::makeOrder(int64_t first, const Shape &middle,
                                  int64_t last) {
  Shape order{first};
  order.insert(order.end(), middle.begin(), middle.end());
  order.push_back(last);
  return order;
}

Array partita::runtime::arrange(const BufferType &type, const void *data,
                                const Shape &order, partita_dtype dtype) {
  Array array;
  Shape shape;
  for (int64_t d : order)
    shape.push_back(type.shape[d]);
  array.shape = shape;
  array.data = static_cast<const char *>(data);
  if (!isIdentity(type.shape, order)) {
    Array moved;
    char *to = moved.make(shape, getElementBytes(type.dtype));
    if (!to)
      return moved;
    transpose(to, data, type.shape, order, getElementBytes(type.dtype));
    array = std::move(moved);
    array.data = array.copy.data();
  }
  if (type.dtype != dtype) {
    Array wide;
    if (char *to = wide.make(shape, getElementBytes(dtype)))
      convertArray(dtype, to, type.dtype, array.data, type.getCount());
    return wide;
  }
  return array;
}

bool partita::runtime::canKeepHolesOut(const ConvolutionWords &words) {
  bool hasHoles = false;
  for (size_t d = 0; d < words.lhsDilation.size(); ++d) {
    hasHoles |= words.lhsDilation[d] > 1;
    if (words.lhsDilation[d] > 1 &&
        (words.strides[d] != 1 || words.rhsDilation[d] != 1))
      return false;
  }
  return hasHoles;
}

static int64_t divideUp(int64_t a, int64_t b) {
  return a > 0 ? (a + b - 1) / b : -(-a / b);
}

/// Zeros before and after the input in dimension d that windows reach if its
/// holes are left out.
static std::pair<int64_t, int64_t> getMargins(const ConvolutionWords &words,
                                              size_t d, int64_t size,
                                              int64_t out, int64_t kernel) {
  int64_t dilation = words.lhsDilation[d], begin = -words.padding[2 * d];
  int64_t first = divideUp(begin, dilation);
  int64_t end = divideUp(out + kernel - 1 + begin, dilation);
  return {std::max<int64_t>(0, -first), std::max<int64_t>(0, end - size)};
}

void partita::runtime::padInput(Array &input, ConvolutionWords &words,
                                const Shape &kernel, const Shape &out,
                                int64_t bytes) {
  Shape shape{input.shape[0]}, low{0}, interior{0};
  bool isPlain = true;
  for (size_t d = 0; d < words.inputSpatial.size(); ++d) {
    int64_t size = input.shape[1 + d], dilation = words.lhsDilation[d];
    if (words.keepsHolesOut && dilation > 1) {
      auto [before, after] = getMargins(words, d, size, out[d], kernel[d]);
      shape.push_back(before + size + after);
      low.push_back(before);
      interior.push_back(0);
    } else {
      int64_t dilated = size == 0 ? 0 : (size - 1) * dilation + 1;
      shape.push_back(std::max<int64_t>(0, dilated + words.padding[2 * d] +
                                               words.padding[2 * d + 1]));
      low.push_back(words.padding[2 * d]);
      interior.push_back(dilation - 1);
    }
    words.margins.push_back(low.back());
    isPlain &= shape.back() == size && low.back() == 0;
  }
  shape.push_back(input.shape.back());
  low.push_back(0), interior.push_back(0);
  if (isPlain)
    return;
  Array padded;
  char zero[16] = {};
  if (char *to = padded.make(shape, bytes))
    padArray(to, shape, input.data, input.shape, low, interior, zero, bytes);
  input = std::move(padded);
  input.data = input.copy.data();
}

void partita::runtime::reverseKernel(Array &kernel, const Shape &reversal,
                                     int64_t bytes) {
  Shape strides = getStrides(kernel.shape), from = strides;
  int64_t offset = 0;
  bool isReversed = false;
  for (size_t d = 0; d < reversal.size(); ++d)
    if (reversal[d] && kernel.shape[d] > 0) {
      offset += (kernel.shape[d] - 1) * strides[d];
      from[d] = -strides[d];
      isReversed |= kernel.shape[d] > 1;
    }
  if (!isReversed)
    return;
  Array turned;
  if (char *to = turned.make(kernel.shape, bytes))
    copyStrided(to, strides, kernel.data + offset * bytes, from, kernel.shape,
                bytes);
  kernel = std::move(turned);
  kernel.data = kernel.copy.data();
}
