// sort with any comparator, and top_k.
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include "partita/Support/MergeSort.h"
#include <algorithm>
#include <numeric>

using namespace partita::runtime;

static std::string sort(Descriptor &d, void *const *buffers) {
  int64_t dim = d.next();
  d.next(); // every sort is stable
  size_t count = d.inputs.size();
  if (!d.isValid() || count == 0 || d.outputs.size() != count)
    return "the descriptor is malformed";
  const Shape &shape = d.inputs[0].shape;
  int64_t rank = int64_t(shape.size());
  dim = dim < 0 ? dim + rank : dim;
  int64_t n = rank ? shape[dim] : 1, inner = 1, total = getVolume(shape);
  for (int64_t k = dim + 1; k < rank; ++k)
    inner *= shape[k];
  auto body = reinterpret_cast<partita_body>(buffers[2 * count]);
  std::vector<int64_t> order(n), scratch(n), bytes;
  for (const BufferType &type : d.inputs)
    bytes.push_back(getElementBytes(type.dtype));
  std::vector<void *> arguments(2 * count);
  uint8_t isLess = 0;
  void *results[] = {&isLess};
  for (int64_t line = 0; n && line < total / n; ++line) {
    int64_t base = line / inner * n * inner + line % inner;
    std::iota(order.begin(), order.end(), 0);
    auto cell = [&](size_t i, int64_t k) {
      return static_cast<char *>(buffers[i]) + (base + k * inner) * bytes[i];
    };
    partita::mergeSort(order, scratch, [&](int64_t a, int64_t b) {
      for (size_t i = 0; i < count; ++i) {
        arguments[2 * i] = cell(i, a);
        arguments[2 * i + 1] = cell(i, b);
      }
      body(arguments.data(), results);
      return isLess != 0;
    });
    for (size_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < n; ++k)
        std::memcpy(static_cast<char *>(buffers[count + i]) + (base + k * inner) * bytes[i],
                    cell(i, order[k]), bytes[i]);
  }
  return "";
}

/// Total order as an integer: NaN lies beyond the infinity of its sign, -0 below 0.
static int64_t getOrderKey(double x) {
  int64_t bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

template <typename T> static auto getKey(T value) {
  if constexpr (isFloat<T>)
    return getOrderKey(double(Wide<T>(value)));
  else
    return Wide<T>(value);
}

template <typename T>
static void topK(const T *from, T *values, int32_t *indices, int64_t lines, int64_t n,
                 int64_t k) {
  using Key = decltype(getKey(T()));
  std::vector<std::pair<Key, int32_t>> order(n);
  auto isBefore = [](const std::pair<Key, int32_t> &a, const std::pair<Key, int32_t> &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < n; ++i)
      order[i] = {getKey(from[line * n + i]), int32_t(i)};
    std::partial_sort(order.begin(), order.begin() + k, order.end(), isBefore);
    for (int64_t i = 0; i < k; ++i) {
      indices[line * k + i] = order[i].second;
      values[line * k + i] = from[line * n + order[i].second];
    }
  }
}

static std::string topK(Descriptor &d, void *const *buffers) {
  int64_t k = d.next();
  if (!d.isValid() || d.inputs.size() != 1 || d.outputs.size() != 2 ||
      d.inputs[0].rank() < 1)
    return "the descriptor is malformed";
  const BufferType &type = d.inputs[0];
  int64_t n = type.shape.back();
  if (k < 0 || k > n || d.outputs[1].dtype != PARTITA_I32)
    return "k = " + std::to_string(k) + " of " + std::to_string(n) +
           " elements, with indices of " + getName(d.outputs[1].dtype);
  int64_t lines = n ? type.getCount() / n : 0;
  bool isDone = dispatch(type.dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (isComplex<T>)
      return false;
    else
      topK(static_cast<const T *>(buffers[0]), static_cast<T *>(buffers[1]),
           static_cast<int32_t *>(buffers[2]), lines, n, k);
    return true;
  });
  return isDone ? "" : "complex numbers have no order";
}

PARTITA_KERNEL(sort, sort)
PARTITA_KERNEL(top_k, static_cast<std::string (*)(Descriptor &, void *const *)>(topK))
