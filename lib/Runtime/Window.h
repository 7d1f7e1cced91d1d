// Windows over an operand, as in reduce_window.
#ifndef PARTITA_LIB_RUNTIME_WINDOW_H
#define PARTITA_LIB_RUNTIME_WINDOW_H

#include "Convert.h"
#include "Descriptor.h"

namespace partita::runtime {

/// One entry per dimension of the operand.
struct Window {
  Shape sizes, strides, baseDilations, dilations, low, high;

  /// Splits low, high, low, high, ...; false unless all have `rank` entries.
  bool setPadding(const Shape &padding, int64_t rank);

  /// The operand with holes and margins.
  Shape getPaddedShape(const Shape &shape) const;
  bool isPadded(const Shape &shape) const { return getPaddedShape(shape) != shape; }
  /// Whether the windows of all results lie in the padded operand.
  bool fits(const Shape &shape, const Shape &result) const;

  /// The operand padded with `fill`, in `storage`; the operand itself if no
  /// padding is needed.
  const char *pad(const void *data, const Shape &shape, const void *fill, int64_t bytes,
                  std::vector<char> &storage) const;
};

} // namespace partita::runtime

#endif
