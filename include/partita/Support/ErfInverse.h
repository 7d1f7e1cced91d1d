// The inverse error function of f32, of whole arrays.
#ifndef PARTITA_SUPPORT_ERFINVERSE_H
#define PARTITA_SUPPORT_ERFINVERSE_H

#include <cstdint>

namespace partita {

/// to[i] = erfInverseF32(from[i]) but for the last bits; eight at a time where
/// the processor can. The result of an element does not depend on its place.
void erfInverseArray(const float *from, float *to, int64_t count);

} // namespace partita

#endif
