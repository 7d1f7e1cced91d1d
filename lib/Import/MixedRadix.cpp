// Recognition of digit sums on a grid; see the header.
#include "MixedRadix.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace partita {

static int64_t getMinorSize(ArrayRef<int64_t> sizes, unsigned axis) {
  int64_t minor = 1;
  for (int64_t size : sizes.drop_front(axis + 1))
    minor *= size;
  return minor;
}

int64_t getPositionStride(const Digit &digit, ArrayRef<int64_t> sizes) {
  return getMinorSize(sizes, digit.axis) *
         (sizes[digit.axis] / (digit.pre * digit.size));
}

int64_t getDigitAt(const Digit &digit, ArrayRef<int64_t> sizes,
                   int64_t position) {
  return (position / getPositionStride(digit, sizes)) % digit.size;
}

/// Digits of one axis, from the values along it. A run of equal steps is one
/// digit; where it breaks, a more significant digit begins.
static bool decomposeAxis(unsigned axis, int64_t size, int64_t step,
                          ArrayRef<int64_t> values,
                          SmallVectorImpl<Digit> &digits) {
  SmallVector<Digit> minorFirst;
  auto value = [&](int64_t c) { return values[c * step] - values[0]; };
  for (int64_t minor = 1; minor < size;) {
    int64_t stride = value(minor);
    int64_t run = 1;
    while (run * minor < size && value(run * minor) == run * stride)
      ++run;
    if (size % (run * minor) != 0)
      return false;
    if (stride != 0)
      minorFirst.push_back({axis, size / (run * minor), run, stride});
    minor *= run;
  }
  digits.append(minorFirst.rbegin(), minorFirst.rend());
  return true;
}

std::optional<SmallVector<Digit>>
decomposeIntoDigits(ArrayRef<int64_t> sizes, ArrayRef<int64_t> values) {
  SmallVector<Digit> digits;
  for (auto [axis, size] : enumerate(sizes))
    if (!decomposeAxis(axis, size, getMinorSize(sizes, axis), values, digits))
      return std::nullopt;

  SmallVector<int64_t> positionStrides;
  for (const Digit &digit : digits)
    positionStrides.push_back(getPositionStride(digit, sizes));
  for (auto [position, value] : enumerate(values)) {
    int64_t sum = values[0];
    for (auto [digit, step] : zip_equal(digits, positionStrides))
      sum +=
          (static_cast<int64_t>(position) / step) % digit.size * digit.stride;
    if (sum != value)
      return std::nullopt;
  }
  return digits;
}

std::optional<SmallVector<Digit>> orderAsMixedRadix(SmallVector<Digit> digits) {
  // Digits of size one have the stride of the digit before which they stand.
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::tuple(b.stride, b.size, a.axis, a.pre) <
           std::tuple(a.stride, a.size, b.axis, b.pre);
  });
  int64_t expected = 1;
  for (const Digit &digit : reverse(digits)) {
    if (digit.stride != expected)
      return std::nullopt;
    expected *= digit.size;
  }
  return digits;
}

} // namespace partita
