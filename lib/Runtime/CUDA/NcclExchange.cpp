// The exchange of boxes by NCCL: boxes are packed one after the other, sent and
// received in the order of the descriptor, and unpacked.
#include "../Strided.h"
#include "Kernels.h"
#include "Transport.h"

using namespace partita::runtime;
using namespace partita::runtime::cuda;
using nccl::getCommunicator;

namespace {
/// A box that this device sends, receives or keeps.
struct Box {
  int64_t source = 0, target = 0; ///< devices
  int64_t from = 0, to = 0;       ///< offsets in elements
  Shape sizes;
  DevicePointer packed = 0;
};
} // namespace

static std::vector<Box> readBoxes(const Device &device, const Gathering &g) {
  Descriptor d(g.plan.words.data());
  Shape fromStrides = getStrides(d.inputs[0].shape);
  Shape toStrides = getStrides(d.outputs[0].shape);
  std::vector<Box> boxes;
  for (int64_t count = d.next(); count > 0; --count) {
    Box box;
    box.source = d.next();
    box.target = d.next();
    for (size_t k = 0; k < fromStrides.size(); ++k) {
      box.from += d.next() * fromStrides[k];
      box.to += d.next() * toStrides[k];
      box.sizes.push_back(d.next());
    }
    if (box.source == device.id || box.target == device.id)
      boxes.push_back(std::move(box));
  }
  return boxes;
}

static int getPosition(const Gathering &g, int64_t id) {
  size_t position = 0;
  while (position + 1 < g.size() && getMember(g, position) != id)
    ++position;
  return int(position);
}

static std::string transfer(Device &device, const Gathering &g,
                            const std::vector<Box> &boxes, int64_t bytes) {
  if (g.size() < 2)
    return "";
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  PARTITA_NCCL(ncclGroupStart);
  for (const Box &box : boxes) {
    size_t size = size_t(getVolume(box.sizes) * bytes);
    if (box.source == box.target)
      continue;
    if (box.source == device.id)
      PARTITA_NCCL(ncclSend, reinterpret_cast<void *>(box.packed), size,
                   kNcclInt8, getPosition(g, box.target), communicator,
                   device.communication);
    else
      PARTITA_NCCL(ncclRecv, reinterpret_cast<void *>(box.packed), size,
                   kNcclInt8, getPosition(g, box.source), communicator,
                   device.communication);
  }
  PARTITA_NCCL(ncclGroupEnd);
  return "";
}

std::string nccl::exchange(Device &device, const Gathering &g) {
  const BufferType &type = g.types().inputs[0];
  int64_t bytes = getElementBytes(type.dtype);
  Shape fromStrides = getStrides(type.shape);
  Shape toStrides = getStrides(g.types().outputs[0].shape);
  DevicePointer input = getInput(g, g.position(), 0);
  DevicePointer output = getOutput(g, g.position(), 0);
  std::vector<Box> boxes = readBoxes(device, g);
  std::string error = clearOutput(device, g.plan, g.buffers(g.position()), 0);
  size_t total = 0;
  for (Box &box : boxes) {
    box.packed = total;
    total += (size_t(getVolume(box.sizes) * bytes) + 15) / 16 * 16;
  }
  DevicePointer memory = 0;
  if (error.empty())
    error = device.reserve(device.communication, total, memory);
  auto copy = [&](DevicePointer to, const Shape &toSteps, DevicePointer from,
                  const Shape &fromSteps, const Shape &sizes) {
    if (error.empty())
      error = enqueueStridedCopy(device, device.communication, to, toSteps,
                                 from, fromSteps, sizes, bytes);
  };
  for (Box &box : boxes) {
    box.packed += memory;
    if (box.source == device.id && box.target != device.id)
      copy(box.packed, getStrides(box.sizes), input + box.from * bytes,
           fromStrides, box.sizes);
  }
  if (error.empty())
    error = transfer(device, g, boxes, bytes);
  // In the descriptor's order, should boxes overlap.
  for (const Box &box : boxes) {
    DevicePointer target = output + box.to * bytes;
    if (box.target != device.id)
      continue;
    if (box.source == device.id)
      copy(target, toStrides, input + box.from * bytes, fromStrides, box.sizes);
    else
      copy(target, toStrides, box.packed, getStrides(box.sizes), box.sizes);
  }
  return error;
}
