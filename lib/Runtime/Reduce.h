// Folds arrays of one element type.
#ifndef PARTITA_LIB_RUNTIME_REDUCE_H
#define PARTITA_LIB_RUNTIME_REDUCE_H

#include "Descriptor.h"

namespace partita::runtime {

/// outputs[*][i] = inputs[0][i] op inputs[1][i] op ... for i in [begin, end), in
/// this order; narrow floats are summed in f32 and rounded once. The kind is not
/// BODY and fits the type.
void reduceArrays(partita_dtype dtype, partita_reduction kind,
                  const std::vector<const void *> &inputs,
                  const std::vector<void *> &outputs, int64_t begin, int64_t end);

/// The same by a body on n values at once: inputs[member][value], outputs likewise.
void reduceByBody(const std::vector<int64_t> &elementBytes, partita_body body,
                  const std::vector<std::vector<const char *>> &inputs,
                  const std::vector<std::vector<char *>> &outputs, int64_t begin,
                  int64_t end);

/// target[i] = target[i] op source[i * step] for i in [0, count).
void accumulate(partita_dtype dtype, partita_reduction kind, void *target,
                const void *source, int64_t step, int64_t count);

} // namespace partita::runtime

#endif
