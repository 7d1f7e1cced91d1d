// The operands of a convolution with channels last.
#ifndef PARTITA_LIB_RUNTIME_CONVOLUTIONOPERANDS_H
#define PARTITA_LIB_RUNTIME_CONVOLUTIONOPERANDS_H

#include "Descriptor.h"
#include "Scratch.h"
#include "Strided.h"

namespace partita::runtime {

struct ConvolutionWords {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch,
      outputFeature;
  Shape inputSpatial, kernelSpatial, outputSpatial, strides, padding,
      lhsDilation, rhsDilation, reversal;
  int64_t featureGroups, batchGroups;
  /// Zeros in front of the input, per spatial dimension, and whether holes are
  /// left out of it; padInput says.
  Shape margins;
  bool keepsHolesOut = false;

  explicit ConvolutionWords(Descriptor &d) {
    inputBatch = d.next(), inputFeature = d.next(), inputSpatial = d.nextList();
    kernelInput = d.next(), kernelOutput = d.next(),
    kernelSpatial = d.nextList();
    outputBatch = d.next(), outputFeature = d.next(),
    outputSpatial = d.nextList();
    strides = d.nextList(), padding = d.nextList();
    lhsDilation = d.nextList(), rhsDilation = d.nextList(),
    reversal = d.nextList();
    featureGroups = d.next(), batchGroups = d.next();
  }
};

/// An array that is either someone else's or a copy.
struct Array {
  const char *data = nullptr;
  Scratch copy;
  Shape shape;

  /// Null if there is no memory.
  char *make(const Shape &newShape, int64_t bytes) {
    shape = newShape;
    copy = Scratch(getVolume(shape) * bytes);
    data = copy.data();
    return copy.data();
  }
};

/// first, middle..., last.
Shape makeOrder(int64_t first, const Shape &middle, int64_t last);

/// The operand in this order of dimensions and as this type; none if there is
/// no memory.
Array arrange(const BufferType &type, const void *data, const Shape &order,
              partita_dtype dtype);

/// Whether the holes of the input can be left out of the sums.
bool canKeepHolesOut(const ConvolutionWords &words);

/// [batch, spatial..., feature] with margins and, unless they are left out,
/// holes of zeros. `kernel` and `out` are spatial sizes.
void padInput(Array &input, ConvolutionWords &words, const Shape &kernel,
              const Shape &out, int64_t bytes);

/// Turns [spatial..., input, output] around in the reversed dimensions.
void reverseKernel(Array &kernel, const Shape &reversal, int64_t bytes);

} // namespace partita::runtime

#endif
