// reduce_window: one pass over all results per window position, a scan for
// cumulative windows, and a loop per result where a body combines.
#include "Numbers.h"
#include "Reduce.h"
#include "Strided.h"
#include "Window.h"
#include "WorldState.h"
#include <algorithm>
#include <array>

using namespace partita::runtime;

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

bool Window::setPadding(const Shape &padding, int64_t rank) {
  auto has = [rank](const Shape &list) { return int64_t(list.size()) == rank; };
  if (!has(sizes) || !has(strides) || !has(baseDilations) || !has(dilations) ||
      int64_t(padding.size()) != 2 * rank)
    return false;
  low.clear(), high.clear();
  for (size_t i = 0; i < padding.size(); ++i)
    (i % 2 ? high : low).push_back(padding[i]);
  return true;
}

Shape Window::getPaddedShape(const Shape &shape) const {
  Shape padded;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t dilated = shape[d] == 0 ? 0 : (shape[d] - 1) * baseDilations[d] + 1;
    padded.push_back(std::max<int64_t>(0, dilated + low[d] + high[d]));
  }
  return padded;
}

bool Window::fits(const Shape &shape, const Shape &result) const {
  Shape padded = getPaddedShape(shape);
  if (result.size() != shape.size())
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (result[d] > 0 && (result[d] - 1) * strides[d] + (sizes[d] - 1) * dilations[d] + 1 >
                             padded[d])
      return false;
  return true;
}

const char *Window::pad(const void *data, const Shape &shape, const void *fill,
                        int64_t bytes, std::vector<char> &storage) const {
  if (!isPadded(shape))
    return static_cast<const char *>(data);
  Shape padded = getPaddedShape(shape), interior;
  for (int64_t dilation : baseDilations)
    interior.push_back(dilation - 1);
  storage.resize(getVolume(padded) * bytes);
  padArray(storage.data(), padded, data, shape, low, interior, fill, bytes);
  return storage.data();
}

//===----------------------------------------------------------------------===//
// Cumulative windows
//===----------------------------------------------------------------------===//

/// Dimension along which the window is all elements up to (forward) or from
/// (backward) the current one; -1 if it is no such window.
static int64_t getCumulativeDim(const Window &window, const Shape &shape, bool &forward) {
  int64_t found = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (window.strides[d] != 1 || window.baseDilations[d] != 1 || window.dilations[d] != 1)
      return -1;
    if (window.sizes[d] == 1 && window.low[d] == 0 && window.high[d] == 0)
      continue;
    bool isForward = window.low[d] == window.sizes[d] - 1 && window.high[d] == 0;
    bool isBackward = window.high[d] == window.sizes[d] - 1 && window.low[d] == 0;
    if (found >= 0 || window.sizes[d] < shape[d] || (!isForward && !isBackward))
      return -1;
    found = int64_t(d);
    forward = isForward;
  }
  return found;
}

template <partita_reduction kind, typename T>
static void scan(const T *from, T *to, const T *init, int64_t outer, int64_t n,
                 int64_t inner, bool forward) {
  std::vector<T> first(inner, *init);
  for (int64_t o = 0; o < outer; ++o) {
    const T *previous = first.data();
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = (o * n + (forward ? i : n - 1 - i)) * inner;
      for (int64_t k = 0; k < inner; ++k)
        to[at + k] =
            T(combine<kind>(Wide<T>(previous[k]), Wide<T>(from[at + k])));
      previous = to + at;
    }
  }
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// result = fold of the window's positions, each over all results at once.
static void reduceKnown(partita_dtype dtype, partita_reduction kind, const char *padded,
                        const Shape &paddedShape, char *result, const Shape &shape,
                        const Window &window) {
  int64_t bytes = getElementBytes(dtype);
  Shape strides = getStrides(paddedShape), toStrides = getStrides(shape);
  int64_t rank = int64_t(shape.size());
  int64_t length = rank ? shape.back() : 1;
  int64_t step = rank ? strides[rank - 1] * window.strides[rank - 1] : 1;
  Shape outer(shape.begin(), shape.begin() + std::max<int64_t>(rank - 1, 0));
  // Rows outside, positions inside: a row of results stays in cache.
  forEachIndex(outer, [&](const Shape &index) {
    int64_t from = 0, to = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      from += index[d] * window.strides[d] * strides[d];
      to += index[d] * toStrides[d];
    }
    forEachIndex(window.sizes, [&](const Shape &position) {
      int64_t at = from;
      for (size_t d = 0; d < position.size(); ++d)
        at += position[d] * window.dilations[d] * strides[d];
      accumulate(dtype, kind, result + to * bytes, padded + at * bytes, step, length);
    });
  });
}

/// One operand and a known kind; narrow floats are summed in f32.
static void reduceOne(const BufferType &in, const BufferType &out, partita_reduction kind,
                      const void *operand, const void *init, void *result,
                      const Window &window) {
  partita_dtype dtype = getWideType(in.dtype);
  if (dtype != in.dtype) {
    std::vector<float> wide(in.getCount()), sum(out.getCount());
    float start;
    convertArray(dtype, wide.data(), in.dtype, operand, in.getCount());
    convertArray(dtype, &start, in.dtype, init, 1);
    reduceOne({dtype, in.shape}, {dtype, out.shape}, kind, wide.data(), &start, sum.data(),
              window);
    return convertArray(out.dtype, result, dtype, sum.data(), out.getCount());
  }
  int64_t bytes = getElementBytes(dtype);
  bool forward = true;
  int64_t dim = getCumulativeDim(window, in.shape, forward);
  // Padding adds further inits; a scan has one, which is the same if it is neutral.
  char twice[16];
  std::memcpy(twice, init, bytes);
  accumulate(dtype, kind, twice, init, 1, 1);
  if (dim >= 0 && std::memcmp(twice, init, bytes) == 0 && in.shape == out.shape) {
    int64_t n = in.shape[dim], inner = 1;
    for (size_t d = dim + 1; d < in.shape.size(); ++d)
      inner *= in.shape[d];
    return dispatch(dtype, [&](auto type) {
      using T = decltype(type);
      dispatchKind(kind, [&](auto k) {
        scan<decltype(k)::value>(static_cast<const T *>(operand), static_cast<T *>(result),
                                 static_cast<const T *>(init),
                                 n ? in.getCount() / (n * inner) : 0, n, inner, forward);
      });
    });
  }
  std::vector<char> storage;
  const char *padded = window.pad(operand, in.shape, init, bytes, storage);
  fillArray(result, init, bytes, out.getCount());
  reduceKnown(dtype, kind, padded, window.getPaddedShape(in.shape),
              static_cast<char *>(result), out.shape, window);
}

namespace {
/// Folds values of n types by a body.
struct BodyFold {
  partita_body body;
  std::vector<int64_t> bytes;
  std::vector<std::array<char, 16>> sums, next;
  std::vector<void *> arguments, results;

  BodyFold(partita_body body, const std::vector<BufferType> &types, size_t count)
      : body(body), sums(count), next(count), arguments(2 * count), results(count) {
    for (size_t i = 0; i < count; ++i) {
      bytes.push_back(getElementBytes(types[i].dtype));
      arguments[i] = sums[i].data();
      results[i] = next[i].data();
    }
  }
  /// sums = body(sums, elements); the elements are in the second arguments.
  void step() {
    body(arguments.data(), results.data());
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = next[i];
  }
};
} // namespace

static void reduceByBody(const Descriptor &d, void *const *buffers, const Window &window) {
  size_t count = d.outputs.size();
  BodyFold fold(reinterpret_cast<partita_body>(buffers[3 * count]), d.inputs, count);
  const Shape &in = d.inputs[0].shape, &out = d.outputs[0].shape;
  std::vector<std::vector<char>> storage(count);
  std::vector<const char *> padded;
  for (size_t i = 0; i < count; ++i)
    padded.push_back(
        window.pad(buffers[i], in, buffers[count + i], fold.bytes[i], storage[i]));
  Shape strides = getStrides(window.getPaddedShape(in));
  int64_t at = 0;
  forEachIndex(out, [&](const Shape &index) {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(fold.sums[i].data(), buffers[count + i], fold.bytes[i]);
    forEachIndex(window.sizes, [&](const Shape &position) {
      int64_t from = 0;
      for (size_t k = 0; k < index.size(); ++k)
        from += (index[k] * window.strides[k] + position[k] * window.dilations[k]) *
                strides[k];
      for (size_t i = 0; i < count; ++i)
        fold.arguments[count + i] = const_cast<char *>(padded[i] + from * fold.bytes[i]);
      fold.step();
    });
    for (size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char *>(buffers[2 * count + i]) + at * fold.bytes[i],
                  fold.sums[i].data(), fold.bytes[i]);
    ++at;
  });
}

/// A cumulative window with a body whose init is neutral on itself.
static bool scanByBody(const Descriptor &d, void *const *buffers, const Window &window) {
  size_t count = d.outputs.size();
  const Shape &shape = d.inputs[0].shape;
  bool forward = true;
  int64_t dim = getCumulativeDim(window, shape, forward);
  if (dim < 0 || shape != d.outputs[0].shape)
    return false;
  BodyFold fold(reinterpret_cast<partita_body>(buffers[3 * count]), d.inputs, count);
  auto reset = [&] {
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(fold.sums[i].data(), buffers[count + i], fold.bytes[i]);
      fold.arguments[count + i] = buffers[count + i];
    }
  };
  reset();
  fold.step();
  for (size_t i = 0; i < count; ++i)
    if (std::memcmp(fold.sums[i].data(), buffers[count + i], fold.bytes[i]))
      return false;
  int64_t n = shape[dim], inner = 1, lines = n ? getVolume(shape) / n : 0;
  for (size_t k = dim + 1; k < shape.size(); ++k)
    inner *= shape[k];
  for (int64_t line = 0; line < lines; ++line) {
    reset();
    for (int64_t k = 0; k < n; ++k) {
      int64_t at = line / inner * n * inner + (forward ? k : n - 1 - k) * inner + line % inner;
      for (size_t i = 0; i < count; ++i)
        fold.arguments[count + i] = static_cast<char *>(buffers[i]) + at * fold.bytes[i];
      fold.step();
      for (size_t i = 0; i < count; ++i)
        std::memcpy(static_cast<char *>(buffers[2 * count + i]) + at * fold.bytes[i],
                    fold.sums[i].data(), fold.bytes[i]);
    }
  }
  return true;
}

static std::string reduceWindow(Descriptor &d, void *const *buffers) {
  Window window;
  window.sizes = d.nextList();
  window.strides = d.nextList();
  window.baseDilations = d.nextList();
  window.dilations = d.nextList();
  Shape padding = d.nextList();
  int64_t kind = d.next();
  size_t count = d.outputs.size();
  if (!d.isValid() || count == 0 || d.inputs.size() != 2 * count || kind < PARTITA_ADD ||
      kind > PARTITA_BODY)
    return "the descriptor is malformed";
  const Shape &shape = d.inputs[0].shape;
  if (!window.setPadding(padding, int64_t(shape.size())) ||
      !window.fits(shape, d.outputs[0].shape))
    return "the window does not fit the operand and the result";
  if (kind == PARTITA_BODY) {
    if (!scanByBody(d, buffers, window))
      reduceByBody(d, buffers, window);
    return "";
  }
  for (size_t i = 0; i < count; ++i) {
    if (!isSupported(partita_reduction(kind), d.inputs[i].dtype))
      return std::string("no reduction ") + getName(partita_reduction(kind)) + " of " +
             getName(d.inputs[i].dtype);
    reduceOne(d.inputs[i], d.outputs[i], partita_reduction(kind), buffers[i],
              buffers[count + i], buffers[2 * count + i], window);
  }
  return "";
}

PARTITA_KERNEL(reduce_window, reduceWindow)

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

/// Flat index into the operand that a window selects; -1 for padding only.
static int64_t selectIndex(const Shape &index, const Window &window, const Shape &shape,
                           const Shape &strides, const char *operand, int64_t bytes,
                           partita_body select) {
  int64_t best = -1;
  forEachIndex(window.sizes, [&](const Shape &position) {
    int64_t at = 0;
    for (size_t k = 0; k < index.size(); ++k) {
      int64_t i = index[k] * window.strides[k] + position[k] - window.low[k];
      if (i < 0 || i >= shape[k])
        return;
      at += i * strides[k];
    }
    if (best < 0) {
      best = at;
      return;
    }
    uint8_t keep = 0;
    void *arguments[] = {const_cast<char *>(operand + best * bytes),
                         const_cast<char *>(operand + at * bytes)};
    void *results[] = {&keep};
    select(arguments, results);
    if (!keep)
      best = at;
  });
  return best;
}

static std::string selectAndScatter(Descriptor &d, void *const *buffers) {
  Window window;
  window.sizes = d.nextList();
  window.strides = d.nextList();
  Shape padding = d.nextList();
  if (!d.isValid() || d.inputs.size() != 3 || d.outputs.size() != 1)
    return "the descriptor is malformed";
  const BufferType &type = d.inputs[0];
  const Shape &source = d.inputs[1].shape;
  window.baseDilations = window.dilations = Shape(type.rank(), 1);
  if (!window.setPadding(padding, type.rank()) || !window.fits(type.shape, source))
    return "the window does not fit the operand and the source";
  auto select = reinterpret_cast<partita_body>(buffers[4]);
  auto scatter = reinterpret_cast<partita_body>(buffers[5]);
  int64_t bytes = getElementBytes(type.dtype), at = 0;
  auto *operand = static_cast<const char *>(buffers[0]);
  auto *from = static_cast<char *>(buffers[1]), *to = static_cast<char *>(buffers[3]);
  fillArray(to, buffers[2], bytes, type.getCount());
  Shape strides = getStrides(type.shape);
  forEachIndex(source, [&](const Shape &index) {
    int64_t best = selectIndex(index, window, type.shape, strides, operand, bytes, select);
    if (best >= 0) {
      char sum[16];
      void *arguments[] = {to + best * bytes, from + at * bytes}, *results[] = {sum};
      scatter(arguments, results);
      std::memcpy(to + best * bytes, sum, bytes);
    }
    ++at;
  });
  return "";
}

PARTITA_KERNEL(select_and_scatter, selectAndScatter)
