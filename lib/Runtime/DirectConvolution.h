// Convolutions that read the input where it lies: no patches are made.
#ifndef PARTITA_LIB_RUNTIME_DIRECTCONVOLUTION_H
#define PARTITA_LIB_RUNTIME_DIRECTCONVOLUTION_H

#include "partita/Runtime/ABI.h"
#include <cstdint>
#include <vector>

namespace partita::runtime {

/// Elements of the window that follow each other in the input.
struct WindowRun {
  int64_t offset; ///< from the window's first element
  int64_t length;
  int64_t row; ///< of the weights, for the first of them
};

/// Results that follow each other: where the first window, and the first
/// result, begin.
struct ConvolutionLine {
  int64_t input, output;
};

/// All offsets and steps in elements.
struct DirectConvolution {
  partita_dtype dtype; ///< F32 or F64
  const void *input;
  std::vector<ConvolutionLine> lines;
  int64_t perLine;             ///< results of a line
  int64_t step;                ///< from one window to the next
  std::vector<WindowRun> runs; ///< in the order of summation; none: zeros
  const void *weights;         ///< rows of features
  int64_t weightStride, features;
  void *output;
  int64_t resultStep; ///< from one result's features to the next's
};

/// Whether this processor, and the sizes, suit convolveDirectly.
bool isDirectFaster(partita_dtype dtype, int64_t features);

/// Computes it on as many threads as products of matrices take. The order of
/// each sum is that of the runs. Scratch::hasFailed if there is no memory.
void convolveDirectly(const DirectConvolution &convolution);

} // namespace partita::runtime

#endif
