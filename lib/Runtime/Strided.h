// Walks over indices and strided copies.
#ifndef PARTITA_LIB_RUNTIME_STRIDED_H
#define PARTITA_LIB_RUNTIME_STRIDED_H

#include "Descriptor.h"

namespace partita::runtime {

/// Row-major strides, in elements.
inline Shape getStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

/// Calls f(index) for each index, in row-major order.
template <typename F> void forEachIndex(const Shape &shape, F f) {
  for (int64_t size : shape)
    if (size <= 0)
      return;
  Shape index(shape.size(), 0);
  while (true) {
    f(index);
    int64_t d = int64_t(shape.size()) - 1;
    while (d >= 0 && ++index[d] == shape[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

/// Copies a box of elements of `bytes` bytes; strides in elements.
void copyStrided(void *to, const Shape &toStrides, const void *from,
                 const Shape &fromStrides, const Shape &sizes, int64_t bytes);

/// Whether the permutation moves no dimension of size other than 1.
bool isIdentity(const Shape &shape, const Shape &permutation);

/// Result dimension d is dimension permutation[d] of the operand.
void transpose(void *to, const void *from, const Shape &shape, const Shape &permutation,
               int64_t bytes);

} // namespace partita::runtime

#endif
