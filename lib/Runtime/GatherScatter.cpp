// gather and scatter. Windows that leave the operand are clamped by gather and
// dropped as a whole by scatter.
#include "Convert.h"
#include "Numbers.h"
#include "Reduce.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>
#include <array>

using namespace partita::runtime;

static bool contains(const Shape &list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

namespace {
/// Reads where the window of an index over the batch (scatter) dimensions starts.
struct IndexReader {
  const BufferType &type;
  const void *data;
  int64_t vectorDim;
  const Shape &startMap, &operandBatching, &indicesBatching;
  Shape strides = getStrides(type.shape);

  /// Fills start, one entry per operand dimension, unclamped.
  void read(const Shape &batch, Shape &start) const {
    std::fill(start.begin(), start.end(), 0);
    int64_t offset = 0, next = 0;
    for (int64_t d = 0; d < type.rank(); ++d)
      if (d != vectorDim)
        offset += batch[next++] * strides[d];
    int64_t step = vectorDim < type.rank() ? strides[vectorDim] : 0;
    for (size_t i = 0; i < startMap.size(); ++i)
      start[startMap[i]] = readInteger(type.dtype, data, offset + int64_t(i) * step);
    for (size_t i = 0; i < operandBatching.size(); ++i)
      start[operandBatching[i]] =
          batch[indicesBatching[i] - (indicesBatching[i] > vectorDim ? 1 : 0)];
  }

  bool isValid(int64_t operandRank, int64_t batchRank) const {
    auto inRank = [](const Shape &dims, int64_t rank) {
      return std::all_of(dims.begin(), dims.end(),
                         [&](int64_t d) { return d >= 0 && d < rank; });
    };
    int64_t vectors = vectorDim < type.rank() ? 1 : 0;
    int64_t indices = vectors ? type.shape[vectorDim] : 1;
    return vectorDim >= 0 && vectorDim <= type.rank() && inRank(startMap, operandRank) &&
           inRank(operandBatching, operandRank) && inRank(indicesBatching, type.rank()) &&
           operandBatching.size() == indicesBatching.size() &&
           int64_t(startMap.size()) <= indices && batchRank == type.rank() - vectors;
  }
};
} // namespace

static std::string gather(Descriptor &d, void *const *buffers) {
  Shape offsetDims = d.nextList(), collapsed = d.nextList(), operandBatching = d.nextList(),
        indicesBatching = d.nextList(), startMap = d.nextList();
  int64_t vectorDim = d.next();
  Shape sliceSizes = d.nextList();
  if (!d.isValid() || d.inputs.size() != 2 || d.outputs.size() != 1)
    return "the descriptor is malformed";
  const BufferType &operand = d.inputs[0], &result = d.outputs[0];
  if (result.getCount() == 0)
    return "";
  // Result dimensions are window (offset) or batch dimensions, in order.
  Shape resultStrides = getStrides(result.shape), operandStrides = getStrides(operand.shape);
  Shape batchShape, batchStrides, toStrides, fromStrides, window;
  for (int64_t k = 0; k < result.rank(); ++k)
    if (!contains(offsetDims, k)) {
      batchShape.push_back(result.shape[k]);
      batchStrides.push_back(resultStrides[k]);
    }
  size_t next = 0;
  for (int64_t k = 0; k < operand.rank() && k < int64_t(sliceSizes.size()); ++k) {
    if (contains(collapsed, k) || contains(operandBatching, k))
      continue;
    if (next == offsetDims.size() || offsetDims[next] < 0 ||
        offsetDims[next] >= result.rank() || sliceSizes[k] > operand.shape[k])
      return "the dimension numbers do not fit the operand";
    window.push_back(sliceSizes[k]);
    fromStrides.push_back(operandStrides[k]);
    toStrides.push_back(resultStrides[offsetDims[next++]]);
  }
  IndexReader reader{d.inputs[1], buffers[1], vectorDim, startMap, operandBatching,
                     indicesBatching};
  if (int64_t(sliceSizes.size()) != operand.rank() ||
      !reader.isValid(operand.rank(), int64_t(batchShape.size())))
    return "the dimension numbers do not fit the indices";
  int64_t bytes = getElementBytes(operand.dtype), volume = getVolume(window);
  // Rows of one run need no strided copy.
  bool isRun = fromStrides == toStrides && getStrides(window) == toStrides;
  Shape start(operand.rank());
  forEachIndex(batchShape, [&](const Shape &batch) {
    reader.read(batch, start);
    int64_t source = 0, target = 0;
    for (int64_t k = 0; k < operand.rank(); ++k)
      source += std::clamp<int64_t>(start[k], 0, operand.shape[k] - sliceSizes[k]) *
                operandStrides[k];
    for (size_t k = 0; k < batch.size(); ++k)
      target += batch[k] * batchStrides[k];
    char *to = static_cast<char *>(buffers[2]) + target * bytes;
    const char *from = static_cast<const char *>(buffers[0]) + source * bytes;
    if (isRun)
      std::memcpy(to, from, volume * bytes);
    else
      copyStrided(to, toStrides, from, fromStrides, window, bytes);
  });
  return "";
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {
/// How update elements are laid over the operand; contiguous trailing window
/// dimensions are one run.
struct ScatterWindow {
  Shape scatterShape, scatterStrides; ///< of the updates
  Shape windowSizes;                  ///< per operand dimension
  Shape outerShape, outerTo, outerFrom;
  int64_t run = 1;
};

/// Combines runs of updates into the outputs.
struct Combiner {
  std::vector<partita_dtype> dtypes;
  partita_reduction kind;
  partita_body body;
  std::vector<char *> targets;
  std::vector<char *> sources;

  void combine(int64_t target, int64_t source, int64_t length) const {
    if (kind == PARTITA_BODY)
      return callBody(target, source, length);
    for (size_t i = 0; i < dtypes.size(); ++i) {
      int64_t bytes = getElementBytes(dtypes[i]);
      char *to = targets[i] + target * bytes;
      const char *from = sources[i] + source * bytes;
      if (kind == PARTITA_SET)
        std::memcpy(to, from, length * bytes);
      else
        accumulate(dtypes[i], kind, to, from, 1, length);
    }
  }

private:
  void callBody(int64_t target, int64_t source, int64_t length) const {
    size_t count = dtypes.size();
    std::vector<std::array<char, 16>> values(count);
    std::vector<void *> arguments(2 * count), results(count);
    for (int64_t k = 0; k < length; ++k) {
      for (size_t i = 0; i < count; ++i) {
        int64_t bytes = getElementBytes(dtypes[i]);
        arguments[i] = targets[i] + (target + k) * bytes;
        arguments[count + i] = sources[i] + (source + k) * bytes;
        results[i] = values[i].data();
      }
      body(arguments.data(), results.data());
      for (size_t i = 0; i < count; ++i)
        std::memcpy(arguments[i], values[i].data(), getElementBytes(dtypes[i]));
    }
  }
};
} // namespace

/// False if the dimension numbers do not fit.
static bool makeWindow(const Shape &operand, const Shape &update, const Shape &windowDims,
                       const Shape &inserted, const Shape &batching, ScatterWindow &result) {
  Shape updateStrides = getStrides(update), operandStrides = getStrides(operand);
  for (int64_t d = 0; d < int64_t(update.size()); ++d)
    if (!contains(windowDims, d)) {
      result.scatterShape.push_back(update[d]);
      result.scatterStrides.push_back(updateStrides[d]);
    }
  result.windowSizes.assign(operand.size(), 1);
  Shape sizes, to, from;
  size_t next = 0;
  for (int64_t d = 0; d < int64_t(operand.size()); ++d) {
    if (contains(inserted, d) || contains(batching, d))
      continue;
    if (next == windowDims.size() || windowDims[next] < 0 ||
        windowDims[next] >= int64_t(update.size()))
      return false;
    int64_t updateDim = windowDims[next++];
    result.windowSizes[d] = update[updateDim];
    sizes.push_back(update[updateDim]);
    to.push_back(operandStrides[d]);
    from.push_back(updateStrides[updateDim]);
  }
  size_t outer = sizes.size();
  while (outer > 0 && to[outer - 1] == result.run && from[outer - 1] == result.run)
    result.run *= sizes[--outer];
  result.outerShape.assign(sizes.begin(), sizes.begin() + outer);
  result.outerTo.assign(to.begin(), to.begin() + outer);
  result.outerFrom.assign(from.begin(), from.begin() + outer);
  return true;
}

static std::string scatter(Descriptor &d, void *const *buffers) {
  Shape windowDims = d.nextList(), inserted = d.nextList(), batching = d.nextList(),
        indicesBatching = d.nextList(), startMap = d.nextList();
  int64_t vectorDim = d.next(), kind = d.next();
  size_t count = d.outputs.size();
  if (!d.isValid() || count == 0 || d.inputs.size() != 2 * count + 1 || kind < PARTITA_ADD ||
      kind > PARTITA_BODY)
    return "the descriptor is malformed";
  const Shape &operand = d.inputs[0].shape, &update = d.inputs[count + 1].shape;
  ScatterWindow window;
  IndexReader reader{d.inputs[count], buffers[count], vectorDim, startMap, batching,
                     indicesBatching};
  if (!makeWindow(operand, update, windowDims, inserted, batching, window) ||
      !reader.isValid(int64_t(operand.size()), int64_t(window.scatterShape.size())))
    return "the dimension numbers do not fit the operands";
  Combiner combiner{{}, partita_reduction(kind),
                    kind == PARTITA_BODY
                        ? reinterpret_cast<partita_body>(buffers[3 * count + 1])
                        : nullptr,
                    {}, {}};
  for (size_t i = 0; i < count; ++i) {
    if (!isSupported(combiner.kind, d.inputs[i].dtype))
      return std::string("no reduction ") + getName(combiner.kind) + " of " +
             getName(d.inputs[i].dtype);
    combiner.dtypes.push_back(d.inputs[i].dtype);
    combiner.targets.push_back(static_cast<char *>(buffers[2 * count + 1 + i]));
    combiner.sources.push_back(static_cast<char *>(buffers[count + 1 + i]));
    if (d.inputs[i].getBytes() && buffers[2 * count + 1 + i] != buffers[i])
      std::memcpy(buffers[2 * count + 1 + i], buffers[i], d.inputs[i].getBytes());
  }
  Shape strides = getStrides(operand), start(operand.size());
  forEachIndex(window.scatterShape, [&](const Shape &index) {
    reader.read(index, start);
    int64_t target = 0, source = 0;
    for (size_t k = 0; k < start.size(); ++k) {
      if (start[k] < 0 || start[k] > operand[k] - window.windowSizes[k])
        return;
      target += start[k] * strides[k];
    }
    for (size_t k = 0; k < index.size(); ++k)
      source += index[k] * window.scatterStrides[k];
    if (window.run)
      forEachIndex(window.outerShape, [&](const Shape &outer) {
        int64_t t = target, s = source;
        for (size_t k = 0; k < outer.size(); ++k) {
          t += outer[k] * window.outerTo[k];
          s += outer[k] * window.outerFrom[k];
        }
        combiner.combine(t, s, window.run);
      });
  });
  return "";
}

PARTITA_KERNEL(gather, gather)
PARTITA_KERNEL(scatter, scatter)
