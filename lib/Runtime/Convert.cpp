// Conversion of arrays, fills and padding.
#include "Convert.h"
#include "Numbers.h"
#include "Strided.h"
#include <algorithm>

using namespace partita::runtime;

template <typename To, typename From> static To convert(From value) {
  Wide<From> wide(value);
  if constexpr (isComplex<To> && isComplex<From>)
    return To(typename To::value_type(wide.real()), typename To::value_type(wide.imag()));
  else if constexpr (isComplex<To> || isComplex<From>)
    return To();
  else
    return To(Wide<To>(wide));
}

void partita::runtime::convertArray(partita_dtype toType, void *to, partita_dtype fromType,
                                    const void *from, int64_t count) {
  if (toType == fromType) {
    if (count)
      std::memcpy(to, from, count * getElementBytes(toType));
    return;
  }
  dispatch(toType, [&](auto t) {
    dispatch(fromType, [&](auto f) {
      auto *target = static_cast<decltype(t) *>(to);
      auto *source = static_cast<const decltype(f) *>(from);
      for (int64_t i = 0; i < count; ++i)
        target[i] = convert<decltype(t)>(source[i]);
    });
  });
}

int64_t partita::runtime::readInteger(partita_dtype dtype, const void *data, int64_t i) {
  switch (dtype) {
  case PARTITA_I8: return static_cast<const int8_t *>(data)[i];
  case PARTITA_I16: return static_cast<const int16_t *>(data)[i];
  case PARTITA_I32: return static_cast<const int32_t *>(data)[i];
  case PARTITA_I64: return static_cast<const int64_t *>(data)[i];
  case PARTITA_I1: case PARTITA_UI8: return static_cast<const uint8_t *>(data)[i];
  case PARTITA_UI16: return static_cast<const uint16_t *>(data)[i];
  case PARTITA_UI32: return static_cast<const uint32_t *>(data)[i];
  default:
    return int64_t(std::min<uint64_t>(static_cast<const uint64_t *>(data)[i], INT64_MAX));
  }
}

void partita::runtime::fillArray(void *to, const void *element, int64_t bytes,
                                 int64_t count) {
  auto *cells = static_cast<char *>(to);
  if (count <= 0)
    return;
  std::memcpy(cells, element, bytes);
  // Doubles what is filled.
  int64_t total = bytes * count;
  for (int64_t done = bytes; done < total; done *= 2)
    std::memcpy(cells + done, cells, std::min(done, total - done));
}

void partita::runtime::padArray(void *to, const Shape &toShape, const void *from,
                                const Shape &fromShape, const Shape &low,
                                const Shape &interior, const void *fill, int64_t bytes) {
  fillArray(to, fill, bytes, getVolume(toShape));
  Shape toStrides = getStrides(toShape), fromStrides = getStrides(fromShape), sizes;
  int64_t target = 0, source = 0;
  for (size_t d = 0; d < toShape.size(); ++d) {
    int64_t step = interior[d] + 1;
    int64_t first = low[d] < 0 ? (-low[d] + step - 1) / step : 0;
    int64_t room = toShape[d] - 1 - low[d];
    int64_t last = room < 0 ? 0 : std::min(room / step + 1, fromShape[d]);
    sizes.push_back(last - first);
    source += first * fromStrides[d];
    target += (low[d] + first * step) * toStrides[d];
    toStrides[d] *= step;
  }
  for (int64_t size : sizes)
    if (size <= 0)
      return;
  copyStrided(static_cast<char *>(to) + target * bytes, toStrides,
              static_cast<const char *>(from) + source * bytes, fromStrides, sizes, bytes);
}
