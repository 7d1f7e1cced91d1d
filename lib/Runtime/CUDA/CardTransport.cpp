// Collectives of devices that share one card: copies inside the card and the
// runtime's reduction kernels. The order of a reduction is that of the members.
#include "../Strided.h"
#include "Kernels.h"
#include "Transport.h"
#include <algorithm>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

static std::string copy(Device &device, DevicePointer to, DevicePointer from,
                        int64_t bytes) {
  if (bytes > 0)
    PARTITA_CUDA(cuMemcpyDtoDAsync, to, from, size_t(bytes),
                 device.communication);
  return "";
}

/// Below this each member reduces everything for itself.
static constexpr int64_t kSmallBytes = 4096;

std::string card::allReduce(Device &device, const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    const BufferType &type = g.types().inputs[i];
    int64_t count = type.getCount(), bytes = getElementBytes(type.dtype);
    bool isSmall = count * bytes <= kSmallBytes;
    int64_t begin = 0, end = count;
    if (!isSmall) {
      int64_t part = (count + int64_t(g.size()) - 1) / int64_t(g.size());
      part = (part + 63) / 64 * 64;
      begin = std::min<int64_t>(int64_t(g.position()) * part, count);
      end = std::min<int64_t>(begin + part, count);
    }
    std::vector<DevicePointer> inputs, outputs;
    for (size_t m = 0; m < g.size(); ++m) {
      inputs.push_back(getInput(g, m, i) + begin * bytes);
      if (!isSmall || m == g.position())
        outputs.push_back(getOutput(g, m, i) + begin * bytes);
    }
    std::string error = enqueueReduction(
        device, device.communication, type.dtype,
        partita_reduction(g.plan.rest[0]), inputs, outputs, end - begin);
    if (!error.empty())
      return error;
  }
  return "";
}

std::string card::reduceScatter(Device &device, const Gathering &g) {
  for (size_t i = 0; i < g.types().outputs.size(); ++i) {
    const BufferType &type = g.types().outputs[i];
    std::vector<DevicePointer> inputs;
    for (size_t m = 0; m < g.size(); ++m)
      inputs.push_back(getInput(g, m, i) + g.position() * type.getBytes());
    std::string error =
        enqueueReduction(device, device.communication, type.dtype,
                         partita_reduction(g.plan.rest[0]), inputs,
                         {getOutput(g, g.position(), i)}, type.getCount());
    if (!error.empty())
      return error;
  }
  return "";
}

std::string card::allGather(Device &device, const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    int64_t bytes = g.types().inputs[i].getBytes();
    for (size_t m = 0; m < g.size(); ++m)
      if (std::string error =
              copy(device, getOutput(g, g.position(), i) + m * bytes,
                   getInput(g, m, i), bytes);
          !error.empty())
        return error;
  }
  return "";
}

std::string card::allToAll(Device &device, const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    int64_t bytes = g.types().inputs[i].getBytes() / int64_t(g.size());
    for (size_t m = 0; m < g.size(); ++m)
      if (std::string error =
              copy(device, getOutput(g, g.position(), i) + m * bytes,
                   getInput(g, m, i) + g.position() * bytes, bytes);
          !error.empty())
        return error;
  }
  return "";
}

std::string card::broadcast(Device &device, const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i)
    if (std::string error = copy(device, getOutput(g, g.position(), i),
                                 getInput(g, g.plan.rest[0], i),
                                 g.types().inputs[i].getBytes());
        !error.empty())
      return error;
  return "";
}

std::string card::permute(Device &device, const Gathering &g) {
  int64_t source = g.plan.rest[0];
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    std::string error =
        source < 0
            ? clearOutput(device, g.plan, g.buffers(g.position()), i)
            : copy(device, getOutput(g, g.position(), i),
                   getInput(g, source, i), g.types().inputs[i].getBytes());
    if (!error.empty())
      return error;
  }
  return "";
}

std::string card::exchange(Device &device, const Gathering &g) {
  const BufferType &from = g.types().inputs[0], &to = g.types().outputs[0];
  std::string error = clearOutput(device, g.plan, g.buffers(g.position()), 0);
  int64_t bytes = getElementBytes(from.dtype), rank = from.rank();
  Shape fromStrides = getStrides(from.shape), toStrides = getStrides(to.shape);
  const int64_t *end = g.plan.rest.data() + g.plan.rest.size();
  for (const int64_t *box = g.plan.rest.data(); error.empty() && box != end;
       box += 1 + 3 * rank) {
    int64_t source = 0, target = 0;
    Shape sizes;
    for (int64_t k = 0; k < rank; ++k) {
      source += box[1 + 3 * k] * fromStrides[k];
      target += box[2 + 3 * k] * toStrides[k];
      sizes.push_back(box[3 + 3 * k]);
    }
    error = enqueueStridedCopy(
        device, device.communication,
        getOutput(g, g.position(), 0) + target * bytes, toStrides,
        getInput(g, box[0], 0) + source * bytes, fromStrides, sizes, bytes);
  }
  return error;
}
