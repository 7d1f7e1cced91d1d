// A result meets the elements of the input that lie a whole number of phases
// from where its window begins. So results fall into classes by their place
// modulo the phase; each class is a convolution without holes, by every
// phase-th position of the window.
#include "ConvolutionWindows.h"
#include "DirectConvolution.h"
#include "Strided.h"

using namespace partita::runtime;

namespace {
/// A dimension for one class of results.
struct ClassDim {
  int64_t firstResult, results, resultStep;
  int64_t firstPosition, positions, positionStep; ///< of the kernel
  int64_t base, inputStep, windowStep;            ///< of the input
};

/// How many of first, first + step, ... are below `end`.
int64_t countSteps(int64_t first, int64_t end, int64_t step) {
  return first < end ? (end - first - 1) / step + 1 : 0;
}

ClassDim makeClass(const WindowDim &d, int64_t place) {
  int64_t begin = place - d.padding;
  int64_t first = ((-begin) % d.phase + d.phase) % d.phase;
  bool hasHoles = d.phase > 1;
  return {place,
          countSteps(place, d.out, d.phase),
          d.phase,
          first,
          countSteps(first, d.kernel, d.phase),
          d.phase,
          (begin + first) / d.phase + d.margin,
          hasHoles ? 1 : d.stride,
          hasHoles ? 1 : d.dilation};
}

/// The convolution of one class.
class ClassSums {
public:
  ClassSums(const WindowSums &sums, const std::vector<ClassDim> &dims)
      : sums(sums), dims(dims), last(dims.size() - 1) {
    Shape in{1}, out{1}, kernel;
    for (const WindowDim &d : sums.dims) {
      in.push_back(d.in), out.push_back(d.out), kernel.push_back(d.kernel);
    }
    in.push_back(sums.channels), out.push_back(sums.outputStride);
    inStrides = getStrides(in), outStrides = getStrides(out);
    kernelStrides = getStrides(kernel);
  }

  void run() {
    addLines();
    addRuns();
    direct.dtype = sums.dtype;
    direct.input = sums.input;
    direct.perLine = dims[last].results;
    direct.step = dims[last].inputStep * inStrides[1 + last];
    direct.weights = sums.weights;
    direct.weightStride = sums.weightStride;
    direct.features = sums.outFeatures;
    direct.output = sums.output;
    direct.resultStep = dims[last].resultStep * sums.outputStride;
    convolveDirectly(direct);
  }

private:
  void addLines() {
    Shape outer{sums.batch};
    for (size_t d = 0; d < last; ++d)
      outer.push_back(dims[d].results);
    forEachIndex(outer, [&](const Shape &index) {
      ConvolutionLine line{(sums.batchBegin + index[0]) * inStrides[0] +
                               sums.featureBegin,
                           index[0] * outStrides[0]};
      for (size_t d = 0; d <= last; ++d) {
        int64_t at = d < last ? index[1 + d] : 0;
        line.input +=
            (dims[d].base + at * dims[d].inputStep) * inStrides[1 + d];
        line.output +=
            (dims[d].firstResult + at * dims[d].resultStep) * outStrides[1 + d];
      }
      direct.lines.push_back(line);
    });
  }

  void addRuns() {
    Shape window;
    for (const ClassDim &d : dims)
      window.push_back(d.positions);
    // Positions of the last dimension are one run where nothing is between.
    bool isDense = dims[last].windowStep == 1 && dims[last].positionStep == 1 &&
                   sums.features == sums.channels;
    int64_t length = sums.features * (isDense ? window[last] : 1);
    if (isDense && window[last] > 0)
      window[last] = 1;
    forEachIndex(window, [&](const Shape &index) {
      WindowRun run{0, length, 0};
      for (size_t d = 0; d <= last; ++d) {
        run.offset += index[d] * dims[d].windowStep * inStrides[1 + d];
        run.row += (dims[d].firstPosition + index[d] * dims[d].positionStep) *
                   kernelStrides[d] * sums.features;
      }
      direct.runs.push_back(run);
    });
  }

  const WindowSums &sums;
  const std::vector<ClassDim> &dims;
  size_t last;
  Shape inStrides, outStrides, kernelStrides;
  DirectConvolution direct{};
};
} // namespace

void partita::runtime::sumWindows(const WindowSums &sums) {
  Shape phases;
  for (const WindowDim &d : sums.dims)
    phases.push_back(d.phase);
  forEachIndex(phases, [&](const Shape &places) {
    std::vector<ClassDim> dims;
    for (size_t d = 0; d < places.size(); ++d)
      dims.push_back(makeClass(sums.dims[d], places[d]));
    ClassSums(sums, dims).run();
  });
}
