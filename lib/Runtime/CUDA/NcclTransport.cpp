// Collectives of devices on a card each, by NCCL: one communicator per group,
// made when the group first meets.
#include "Kernels.h"
#include "Transport.h"

using namespace partita::runtime;
using namespace partita::runtime::cuda;
using nccl::getCommunicator;

std::string nccl::getCommunicator(Device &device, const Gathering &g,
                                  Communicator &communicator) {
  std::vector<int64_t> members;
  for (size_t m = 0; m < g.size(); ++m)
    members.push_back(getMember(g, m));
  auto found = device.communicators.find(members);
  if (found != device.communicators.end()) {
    communicator = found->second;
    return "";
  }
  if (const std::string &error = getNccl().error; !error.empty())
    return error + "; install NCCL or put its folder on LD_LIBRARY_PATH";
  UniqueId id;
  {
    std::lock_guard<std::mutex> lock(device.fleet->mutex);
    auto [at, isNew] = device.fleet->groups.try_emplace(members);
    if (isNew)
      PARTITA_NCCL(ncclGetUniqueId, &at->second);
    id = at->second;
  }
  PARTITA_NCCL(ncclCommInitRank, &communicator, int(g.size()), id,
               int(g.position()));
  device.communicators.emplace(members, communicator);
  return "";
}

/// NCCL's own reduction of this type and kind; false where it has none, or
/// where its maximum may lose a NaN.
static bool getReduction(partita_dtype dtype, partita_reduction kind,
                         NcclType &type, NcclReduction &reduction) {
  bool isFloat = false;
  switch (dtype) {
  case PARTITA_F64:
    type = kNcclFloat64;
    isFloat = true;
    break;
  case PARTITA_F32:
    type = kNcclFloat32;
    isFloat = true;
    break;
  case PARTITA_BF16:
    type = kNcclBfloat16;
    isFloat = true;
    break;
  case PARTITA_F16:
    type = kNcclFloat16;
    isFloat = true;
    break;
  case PARTITA_I8:
    type = kNcclInt8;
    break;
  case PARTITA_UI8:
    type = kNcclUint8;
    break;
  case PARTITA_I32:
    type = kNcclInt32;
    break;
  case PARTITA_UI32:
    type = kNcclUint32;
    break;
  case PARTITA_I64:
    type = kNcclInt64;
    break;
  case PARTITA_UI64:
    type = kNcclUint64;
    break;
  default:
    return false;
  }
  switch (kind) {
  case PARTITA_ADD:
    reduction = kNcclSum;
    return true;
  case PARTITA_MUL:
    reduction = kNcclProd;
    return true;
  case PARTITA_MAX:
    reduction = kNcclMax;
    return !isFloat;
  case PARTITA_MIN:
    reduction = kNcclMin;
    return !isFloat;
  default:
    return false;
  }
}

static const void *toHost(DevicePointer pointer) {
  return reinterpret_cast<const void *>(pointer);
}
static void *toTarget(DevicePointer pointer) {
  return reinterpret_cast<void *>(pointer);
}

/// Folds the members' parts, which lie one after the other, with our own
/// kernel.
static std::string foldParts(Device &device, const Gathering &g,
                             const BufferType &type, DevicePointer parts,
                             DevicePointer output) {
  std::vector<DevicePointer> inputs;
  for (size_t m = 0; m < g.size(); ++m)
    inputs.push_back(parts + m * type.getBytes());
  return enqueueReduction(device, device.communication, type.dtype,
                          partita_reduction(g.plan.rest[0]), inputs, {output},
                          type.getCount());
}

std::string nccl::allReduce(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    const BufferType &type = g.types().inputs[i];
    DevicePointer input = getInput(g, g.position(), i),
                  output = getOutput(g, g.position(), i);
    NcclType dtype;
    NcclReduction kind;
    if (getReduction(type.dtype, partita_reduction(g.plan.rest[0]), dtype,
                     kind)) {
      PARTITA_NCCL(ncclAllReduce, toHost(input), toTarget(output),
                   size_t(type.getCount()), dtype, kind, communicator,
                   device.communication);
      continue;
    }
    DevicePointer parts;
    std::string error =
        device.reserve(device.communication, g.size() * type.getBytes(), parts);
    if (!error.empty())
      return error;
    PARTITA_NCCL(ncclAllGather, toHost(input), toTarget(parts),
                 size_t(type.getBytes()), kNcclInt8, communicator,
                 device.communication);
    if (error = foldParts(device, g, type, parts, output); !error.empty())
      return error;
  }
  return "";
}

/// Member m gets bytes [m * bytes, ...) of `input`; its part for this one goes
/// to the same place of `output`.
static std::string swapParts(Device &device, const Gathering &g,
                             Communicator communicator, DevicePointer input,
                             DevicePointer output, size_t bytes) {
  PARTITA_NCCL(ncclGroupStart);
  for (size_t m = 0; m < g.size(); ++m) {
    PARTITA_NCCL(ncclSend, toHost(input + m * bytes), bytes, kNcclInt8, int(m),
                 communicator, device.communication);
    PARTITA_NCCL(ncclRecv, toTarget(output + m * bytes), bytes, kNcclInt8,
                 int(m), communicator, device.communication);
  }
  PARTITA_NCCL(ncclGroupEnd);
  return "";
}

std::string nccl::reduceScatter(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  for (size_t i = 0; i < g.types().outputs.size(); ++i) {
    const BufferType &type = g.types().outputs[i];
    DevicePointer input = getInput(g, g.position(), i),
                  output = getOutput(g, g.position(), i);
    NcclType dtype;
    NcclReduction kind;
    if (getReduction(type.dtype, partita_reduction(g.plan.rest[0]), dtype,
                     kind)) {
      PARTITA_NCCL(ncclReduceScatter, toHost(input), toTarget(output),
                   size_t(type.getCount()), dtype, kind, communicator,
                   device.communication);
      continue;
    }
    DevicePointer parts;
    std::string error =
        device.reserve(device.communication, g.size() * type.getBytes(), parts);
    if (error.empty())
      error = swapParts(device, g, communicator, input, parts,
                        size_t(type.getBytes()));
    if (error.empty())
      error = foldParts(device, g, type, parts, output);
    if (!error.empty())
      return error;
  }
  return "";
}

std::string nccl::allGather(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  for (size_t i = 0; i < g.types().inputs.size(); ++i)
    PARTITA_NCCL(ncclAllGather, toHost(getInput(g, g.position(), i)),
                 toTarget(getOutput(g, g.position(), i)),
                 size_t(g.types().inputs[i].getBytes()), kNcclInt8,
                 communicator, device.communication);
  return "";
}

std::string nccl::allToAll(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    size_t bytes = size_t(g.types().inputs[i].getBytes()) / g.size();
    std::string error =
        swapParts(device, g, communicator, getInput(g, g.position(), i),
                  getOutput(g, g.position(), i), bytes);
    if (!error.empty())
      return error;
  }
  return "";
}

std::string nccl::broadcast(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  for (size_t i = 0; i < g.types().inputs.size(); ++i)
    PARTITA_NCCL(ncclBroadcast, toHost(getInput(g, g.position(), i)),
                 toTarget(getOutput(g, g.position(), i)),
                 size_t(g.types().inputs[i].getBytes()), kNcclInt8,
                 int(g.plan.rest[0]), communicator, device.communication);
  return "";
}

/// The members to which this one sends, by the pairs of the descriptor.
static std::vector<size_t> findTargets(const Device &device,
                                       const Gathering &g) {
  Descriptor d(g.plan.words.data());
  Shape pairs = d.nextList();
  std::vector<size_t> targets;
  for (size_t p = 0; p + 1 < pairs.size(); p += 2)
    for (size_t m = 0; pairs[p] == device.id && m < g.size(); ++m)
      if (getMember(g, m) == pairs[p + 1])
        targets.push_back(m);
  return targets;
}

std::string nccl::permute(Device &device, const Gathering &g) {
  Communicator communicator;
  if (std::string error = getCommunicator(device, g, communicator);
      !error.empty())
    return error;
  int64_t source = g.plan.rest[0];
  std::vector<size_t> targets = findTargets(device, g);
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    size_t bytes = size_t(g.types().inputs[i].getBytes());
    if (source < 0)
      if (std::string error =
              clearOutput(device, g.plan, g.buffers(g.position()), i);
          !error.empty())
        return error;
    PARTITA_NCCL(ncclGroupStart);
    for (size_t target : targets)
      PARTITA_NCCL(ncclSend, toHost(getInput(g, g.position(), i)), bytes,
                   kNcclInt8, int(target), communicator, device.communication);
    if (source >= 0)
      PARTITA_NCCL(ncclRecv, toTarget(getOutput(g, g.position(), i)), bytes,
                   kNcclInt8, int(source), communicator, device.communication);
    PARTITA_NCCL(ncclGroupEnd);
  }
  return "";
}
