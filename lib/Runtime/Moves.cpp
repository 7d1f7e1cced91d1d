// Collectives between single devices: permute, exchange, ragged_all_to_all; and
// axis_index, which sends nothing.
#include "Collectives.h"
#include "Strided.h"
#include <algorithm>
#include <cstring>

using namespace partita::runtime;

static void clearOutputs(const Plan &plan, void *const *buffers) {
  const Descriptor &d = plan.descriptor;
  for (size_t i = 0; i < d.outputs.size(); ++i)
    if (int64_t bytes = d.outputs[i].getBytes())
      std::memset(buffers[d.inputs.size() + i], 0, bytes);
}

//===----------------------------------------------------------------------===//
// permute
//===----------------------------------------------------------------------===//

/// plan.rest: the position of the source in the group, or -1.
static std::string preparePermute(Plan &plan, int64_t device,
                                  std::vector<int64_t> &members) {
  Descriptor &d = plan.descriptor;
  Shape list = d.nextList();
  if (list.size() % 2)
    return "an odd number of devices in the pairs";
  if (d.inputs.size() != d.outputs.size())
    return "needs as many outputs as inputs";
  for (size_t i = 0; i < d.inputs.size(); ++i)
    if (d.inputs[i].getBytes() != d.outputs[i].getBytes())
      return "input and output differ in size";
  std::vector<std::pair<int64_t, int64_t>> pairs;
  int64_t source = -1;
  for (size_t i = 0; i < list.size(); i += 2) {
    pairs.push_back({list[i], list[i + 1]});
    if (list[i + 1] != device)
      continue;
    if (source >= 0)
      return "two devices send to device " + std::to_string(device);
    source = list[i];
  }
  members = findLinked(pairs, device);
  auto at = std::find(members.begin(), members.end(), source);
  plan.rest = {at == members.end() ? -1 : at - members.begin()};
  return "";
}

static void permute(const Gathering &g) {
  int64_t source = g.plan.rest[0];
  if (source < 0)
    return clearOutputs(g.plan, g.buffers(g.position()));
  for (size_t i = 0; i < g.types().inputs.size(); ++i)
    if (int64_t bytes = g.types().inputs[i].getBytes())
      std::memcpy(g.output(g.position(), i), g.input(source, i), bytes);
}

PARTITA_COLLECTIVE(permute, preparePermute, permute, clearOutputs)

//===----------------------------------------------------------------------===//
// exchange
//===----------------------------------------------------------------------===//

/// plan.rest: for each box of this target, the source's position, then per
/// dimension source offset, target offset, size.
static std::string prepareExchange(Plan &plan, int64_t device,
                                   std::vector<int64_t> &members) {
  Descriptor &d = plan.descriptor;
  if (d.inputs.size() != 1 || d.outputs.size() != 1 ||
      d.inputs[0].rank() != d.outputs[0].rank() || d.inputs[0].dtype != d.outputs[0].dtype)
    return "needs one input and one output of the same rank and type";
  const Shape &from = d.inputs[0].shape, &to = d.outputs[0].shape;
  int64_t rank = d.inputs[0].rank(), count = d.next();
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<Shape> boxes;
  for (int64_t i = 0; i < count && d.isValid(); ++i) {
    int64_t source = d.next(), target = d.next();
    Shape box = d.nextItems(3 * rank);
    if (!d.isValid())
      break;
    for (int64_t k = 0; k < rank; ++k)
      if (box[3 * k] < 0 || box[3 * k + 1] < 0 || box[3 * k + 2] < 0 ||
          box[3 * k] + box[3 * k + 2] > from[k] || box[3 * k + 1] + box[3 * k + 2] > to[k])
        return "box " + std::to_string(i) + " leaves dimension " + std::to_string(k) +
               " of sizes " + std::to_string(from[k]) + " and " + std::to_string(to[k]);
    if (source != target)
      pairs.push_back({source, target});
    if (target != device)
      continue;
    box.insert(box.begin(), source);
    boxes.push_back(std::move(box));
  }
  members = findLinked(pairs, device);
  if (members.empty() && !boxes.empty())
    members = {device}; // local copies only
  for (Shape &box : boxes) {
    box[0] = std::find(members.begin(), members.end(), box[0]) - members.begin();
    plan.rest.insert(plan.rest.end(), box.begin(), box.end());
  }
  return "";
}

static void exchange(const Gathering &g) {
  const BufferType &from = g.types().inputs[0], &to = g.types().outputs[0];
  clearOutputs(g.plan, g.buffers(g.position()));
  int64_t bytes = getElementBytes(from.dtype), rank = from.rank();
  Shape fromStrides = getStrides(from.shape), toStrides = getStrides(to.shape);
  for (const int64_t *box = g.plan.rest.data(), *end = box + g.plan.rest.size(); box != end;
       box += 1 + 3 * rank) {
    int64_t source = 0, target = 0;
    Shape sizes;
    for (int64_t k = 0; k < rank; ++k) {
      source += box[1 + 3 * k] * fromStrides[k];
      target += box[2 + 3 * k] * toStrides[k];
      sizes.push_back(box[3 + 3 * k]);
    }
    copyStrided(g.output(g.position(), 0) + target * bytes, toStrides,
                g.input(box[0], 0) + source * bytes, fromStrides, sizes, bytes);
  }
}

PARTITA_COLLECTIVE(exchange, prepareExchange, exchange, clearOutputs)

//===----------------------------------------------------------------------===//
// ragged_all_to_all
//===----------------------------------------------------------------------===//

static std::string prepareRagged(Plan &plan, int64_t device, std::vector<int64_t> &members) {
  Descriptor &d = plan.descriptor;
  if (d.inputs.size() != 6 || d.outputs.size() != 1)
    return "needs 6 inputs and 1 output";
  std::string error = readGroups(d, device, members);
  const BufferType &from = d.inputs[0], &to = d.outputs[0];
  if (from.rank() < 1 || to.rank() != from.rank() || to.dtype != from.dtype ||
      Shape(from.shape.begin() + 1, from.shape.end()) !=
          Shape(to.shape.begin() + 1, to.shape.end()) ||
      d.inputs[1].getBytes() != to.getBytes())
    return "operand and output differ in more than the number of rows";
  for (size_t i = 2; i < 6; ++i)
    if ((d.inputs[i].dtype != PARTITA_I32 && d.inputs[i].dtype != PARTITA_I64) ||
        d.inputs[i].getCount() != d.inputs[2].getCount())
      return "offsets and sizes must be i32 or i64, all of one length";
  return error;
}

static int64_t readInteger(partita_dtype dtype, const char *data, int64_t i) {
  return dtype == PARTITA_I32 ? reinterpret_cast<const int32_t *>(data)[i]
                              : reinterpret_cast<const int64_t *>(data)[i];
}

/// Each member fetches what the others send to it; what is sent beyond either
/// buffer is dropped.
static void ragged(const Gathering &g) {
  const Descriptor &d = g.types();
  const BufferType &from = d.inputs[0], &to = d.outputs[0];
  if (to.getBytes() == 0)
    return;
  char *output = g.output(g.position(), 0);
  std::memcpy(output, g.input(g.position(), 1), to.getBytes());
  int64_t row = to.getBytes() / to.shape[0], members = int64_t(g.size());
  int64_t slices = d.inputs[2].getCount(), perMember = std::max<int64_t>(1, slices / members);
  for (size_t m = 0; m < g.size(); ++m) {
    auto read = [&](size_t i, int64_t at) {
      return readInteger(d.inputs[i].dtype, g.input(m, i), at);
    };
    for (int64_t i = 0; i < slices; ++i) {
      if (std::min(i / perMember, members - 1) != int64_t(g.position()))
        continue;
      int64_t source = read(2, i), target = read(4, i);
      if (source < 0 || target < 0)
        continue;
      int64_t count = std::min({read(3, i), from.shape[0] - source, to.shape[0] - target});
      if (count > 0)
        std::memcpy(output + target * row, g.input(m, 0) + source * row, count * row);
    }
  }
}

static void copyRaggedOutput(const Plan &plan, void *const *buffers) {
  if (int64_t bytes = plan.descriptor.outputs[0].getBytes())
    std::memcpy(buffers[6], buffers[1], bytes);
}

PARTITA_COLLECTIVE(ragged_all_to_all, prepareRagged, ragged, copyRaggedOutput)

//===----------------------------------------------------------------------===//
// axis_index
//===----------------------------------------------------------------------===//

void partita_axis_index(partita_context *context, const int64_t *words,
                        void *const *buffers) {
  auto read = [context](Descriptor &d, void *const *buffers) -> std::string {
    Shape table = d.nextList();
    if (!d.isValid() ||
        (!table.empty() && context->device >= int64_t(table.size())))
      return "the table has no entry for this device";
    if (d.outputs.size() != 1 || d.outputs[0].dtype != PARTITA_I32)
      return "the output must be one i32";
    *static_cast<int32_t *>(buffers[0]) =
        int32_t(table.empty() ? context->device : table[context->device]);
    return "";
  };
  runKernel(context, words, buffers, "axis_index", read);
}
