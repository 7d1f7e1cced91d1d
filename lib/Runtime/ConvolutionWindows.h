// One group of a convolution as lines of results and runs of the window.
#ifndef PARTITA_LIB_RUNTIME_CONVOLUTIONWINDOWS_H
#define PARTITA_LIB_RUNTIME_CONVOLUTIONWINDOWS_H

#include "Descriptor.h"
#include "partita/Runtime/ABI.h"

namespace partita::runtime {

/// A spatial dimension. Holes in the input (phase > 1) are not there: they are
/// left out of the sums. Then stride and dilation are 1.
struct WindowDim {
  int64_t in;      ///< elements of the input as it lies, margins included
  int64_t margin;  ///< zeros in front of it
  int64_t padding; ///< in front of the first element, in steps of the window
  int64_t out, kernel, stride, dilation, phase;
};

/// Operands and result have channels last; strides in elements.
struct WindowSums {
  partita_dtype dtype; ///< F32 or F64
  const void *input;   ///< [batch, in..., channels]
  int64_t channels, featureBegin, features, batchBegin, batch;
  std::vector<WindowDim> dims; ///< at least one
  const void *weights;         ///< [kernel..., features, results]
  int64_t weightStride, outFeatures;
  void *output; ///< [batch, out..., outputStride]
  int64_t outputStride;
};

/// Needs isDirectFaster. Scratch::hasFailed if there is no memory.
void sumWindows(const WindowSums &sums);

} // namespace partita::runtime

#endif
