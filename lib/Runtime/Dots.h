// Inner products of vectors, by the widest vectors that the processor has.
#ifndef PARTITA_LIB_RUNTIME_DOTS_H
#define PARTITA_LIB_RUNTIME_DOTS_H

#include <cstdint>

namespace partita::runtime {

/// Sum of a[i] b[i]. The order of the sum depends on `count` and the processor
/// alone.
float dotProduct(const float *a, const float *b, int64_t count);
double dotProduct(const double *a, const double *b, int64_t count);

} // namespace partita::runtime

#endif
