// Recognises functions of a position on a grid that are sums of its digits.
// Device lists, replica groups and partition numbers are such functions when a
// program was written in terms of mesh axes. No IR.
#ifndef PARTITA_LIB_IMPORT_MIXEDRADIX_H
#define PARTITA_LIB_IMPORT_MIXEDRADIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace partita {

/// A part of one coordinate of a grid and what one step of it adds to a value.
/// The coordinate c of an axis of size n is read as [pre, size, n/(pre*size)].
struct Digit {
  unsigned axis;
  int64_t pre;
  int64_t size;
  int64_t stride;
};

/// Writes `values`, one per position of a row-major grid of `sizes`, as
/// values[0] plus the sum of digit * stride. Digits that add nothing are left
/// out; the others come axis by axis, major to minor, each as long as can be.
/// Nothing when the values are not of that form.
std::optional<llvm::SmallVector<Digit>>
decomposeIntoDigits(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> values);

/// Sorts digits major to minor if together they count 0, 1, 2, ... (a mixed
/// radix number without gaps); else nothing.
std::optional<llvm::SmallVector<Digit>>
orderAsMixedRadix(llvm::SmallVector<Digit> digits);

/// Value of `digit` at `position` of the row-major grid.
int64_t getDigitAt(const Digit &digit, llvm::ArrayRef<int64_t> sizes,
                   int64_t position);

/// What one step of `digit` adds to a row-major position.
int64_t getPositionStride(const Digit &digit, llvm::ArrayRef<int64_t> sizes);

} // namespace partita

#endif
