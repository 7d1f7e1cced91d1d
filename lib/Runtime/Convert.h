// Arrays of one element type as another.
#ifndef PARTITA_LIB_RUNTIME_CONVERT_H
#define PARTITA_LIB_RUNTIME_CONVERT_H

#include "Descriptor.h"

namespace partita::runtime {

/// to[i] = from[i]; between real types or between complex ones.
void convertArray(partita_dtype toType, void *to, partita_dtype fromType,
                  const void *from, int64_t count);

/// The type in which sums of this type are computed: f32 for narrow floats.
inline partita_dtype getWideType(partita_dtype dtype) {
  return dtype == PARTITA_BF16 || dtype == PARTITA_F16 ? PARTITA_F32 : dtype;
}

/// Element i of an integer array; ui64 beyond the signed range is INT64_MAX.
int64_t readInteger(partita_dtype dtype, const void *data, int64_t i);

inline bool isInteger(partita_dtype dtype) {
  return dtype >= PARTITA_I8 && dtype <= PARTITA_UI64;
}

/// `count` copies of one element.
void fillArray(void *to, const void *element, int64_t bytes, int64_t count);

/// The operand in a larger box: element i of dimension d goes to low[d] + i *
/// (interior[d] + 1) if that lies inside; the rest is `fill`.
void padArray(void *to, const Shape &toShape, const void *from, const Shape &fromShape,
              const Shape &low, const Shape &interior, const void *fill, int64_t bytes);

} // namespace partita::runtime

#endif
