// Collectives over groups: reduce, gather, scatter, broadcast. Members read
// each other's buffers directly while all are inside; no data is staged.
#include "Collectives.h"
#include "Numbers.h"
#include "Reduce.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace partita::runtime;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::string partita::runtime::readGroups(Descriptor &descriptor, int64_t device,
                                         std::vector<int64_t> &members) {
  int64_t count = descriptor.next(), size = descriptor.next();
  if (count < 0 || size < 0)
    return "groups of negative size";
  Shape table = descriptor.nextItems(count * size);
  auto found = std::find(table.begin(), table.end(), device);
  if (found == table.end())
    return "";
  int64_t group = (found - table.begin()) / size;
  members.assign(table.begin() + group * size,
                 table.begin() + (group + 1) * size);
  return "";
}

std::vector<int64_t> partita::runtime::findLinked(
    const std::vector<std::pair<int64_t, int64_t>> &pairs, int64_t device) {
  std::map<int64_t, std::vector<int64_t>> neighbours;
  for (auto [source, target] : pairs) {
    neighbours[source].push_back(target);
    neighbours[target].push_back(source);
  }
  std::vector<int64_t> found;
  if (!neighbours.count(device))
    return found;
  std::vector<int64_t> open{device};
  std::map<int64_t, bool> seen{{device, true}};
  while (!open.empty()) {
    int64_t next = open.back();
    open.pop_back();
    found.push_back(next);
    for (int64_t neighbour : neighbours[next])
      if (!std::exchange(seen[neighbour], true))
        open.push_back(neighbour);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Below this, to wait once more costs more than to share the work.
static constexpr int64_t smallBytes = int64_t(128) << 10;

/// Bytes that the members read and write.
static int64_t countBytes(const Plan &plan) {
  int64_t bytes = 0;
  for (auto list : {&Descriptor::inputs, &Descriptor::outputs})
    for (const BufferType &type : plan.descriptor.*list)
      bytes += type.getBytes();
  return bytes * int64_t(plan.slots.size());
}

/// Finds or makes the plan of this call on this thread; null and an error if it
/// is malformed.
static Plan *getPlan(const Collective &collective, partita_context *context,
                     const int64_t *words, std::string &error) {
  WorldState &world = *context->world;
  auto &plans = current.record->plans;
  auto found = plans.find(words[0]);
  if (found != plans.end()) {
    Plan &plan = found->second;
    if (plan.words.size() == size_t(words[1]) &&
        std::memcmp(plan.words.data(), words, words[1] * sizeof(int64_t)) == 0)
      return &plan;
    plans.erase(found);
  }
  Plan plan(words);
  std::vector<int64_t> members;
  error = collective.prepare(plan, context->device, members);
  if (error.empty() && !plan.descriptor.isValid())
    error = "the descriptor is malformed";
  std::vector<int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] < 0 || sorted[i] >= world.options.numDevices ||
        (i && sorted[i] == sorted[i - 1]))
      error = "device " + std::to_string(sorted[i]) +
              " of the group is not one of the " +
              std::to_string(world.options.numDevices) +
              " devices, or is there twice";
  if (!error.empty())
    return nullptr;
  if (!members.empty()) {
    plan.channel = world.getChannel(sorted, current.record->isHelper);
    for (size_t i = 0; i < members.size(); ++i) {
      plan.slots.push_back(
          std::lower_bound(sorted.begin(), sorted.end(), members[i]) -
          sorted.begin());
      if (members[i] == context->device)
        plan.position = i;
    }
  }
  plan.isSmall = collective.onAnyThread && countBytes(plan) <= smallBytes;
  return &plans.emplace(words[0], std::move(plan)).first->second;
}

/// The work of all members; the others wait.
static void workForAll(const Collective &collective, WorldState &world,
                       Plan &own) {
  for (uint32_t slot : own.slots) {
    partita_context *context = world.contexts[own.channel->members[slot]].get();
    collective.work({context, *own.channel->slots[slot].plan, true});
  }
}

/// False if the run has failed.
static bool takePart(const Collective &collective, partita_context *context,
                     const int64_t *words, void *const *buffers) {
  WorldState &world = *context->world;
  if (world.failed)
    return false;
  std::string error;
  Plan *plan = getPlan(collective, context, words, error);
  if (!plan) {
    world.fail("device " + std::to_string(context->device) + ", op " +
               std::to_string(words[0]) + " (" + collective.name +
               "): " + error);
    return false;
  }
  if (!plan->channel) {
    if (collective.idle)
      collective.idle(*plan, buffers);
    return true;
  }
  switch (world.enter(*plan, {collective.name, words, buffers, plan})) {
  case Entry::Failed:
    return false;
  case Entry::Over:
    return true;
  case Entry::WorkForAll:
    workForAll(collective, world, *plan);
    world.leaveForAll(*plan);
    return true;
  case Entry::Work:
    collective.work({context, *plan});
    world.leave(*plan);
    return true;
  }
  return false;
}

void partita::runtime::runCollective(const Collective &collective,
                                     partita_context *context,
                                     const int64_t *words,
                                     void *const *buffers) {
  if (!takePart(collective, context, words, buffers))
    escapeProgram();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Reads the groups and checks that outputs are `numerator` / `denominator`
/// times the inputs, where 0 stands for the group size.
static std::string prepareGroups(Plan &plan, int64_t device,
                                 std::vector<int64_t> &members,
                                 int64_t inputParts, int64_t outputParts) {
  Descriptor &d = plan.descriptor;
  std::string error = readGroups(d, device, members);
  if (!error.empty())
    return error;
  plan.rest = d.nextRest();
  int64_t size = std::max<int64_t>(members.size(), 1);
  if (d.inputs.size() != d.outputs.size() || d.inputs.empty())
    return "needs as many outputs as inputs";
  for (size_t i = 0; i < d.inputs.size() && !members.empty(); ++i)
    if (d.inputs[i].dtype != d.outputs[i].dtype ||
        d.inputs[i].getCount() * (outputParts ? outputParts : size) !=
            d.outputs[i].getCount() * (inputParts ? inputParts : size))
      return "the output's type or size does not fit the input's: " +
             std::to_string(d.inputs[i].getBytes()) + " bytes in, " +
             std::to_string(d.outputs[i].getBytes()) + " out, in groups of " +
             std::to_string(size);
  return "";
}

static std::string checkReduction(const Plan &plan) {
  if (plan.rest.empty() || plan.rest[0] < PARTITA_ADD ||
      plan.rest[0] > PARTITA_BODY)
    return "unknown reduction";
  auto kind = partita_reduction(plan.rest[0]);
  for (const BufferType &type : plan.descriptor.inputs)
    if (!isSupported(kind, type.dtype))
      return std::string("no reduction ") + getName(kind) + " of " +
             getName(type.dtype);
  int64_t count = plan.descriptor.inputs[0].getCount();
  for (const BufferType &type : plan.descriptor.inputs)
    if (kind == PARTITA_BODY && type.getCount() != count)
      return "a body needs inputs of one size";
  return "";
}

static std::string prepareReduce(Plan &plan, int64_t device,
                                 std::vector<int64_t> &members) {
  std::string error = prepareGroups(plan, device, members, 1, 1);
  return error.empty() ? checkReduction(plan) : error;
}

static std::string prepareReduceScatter(Plan &plan, int64_t device,
                                        std::vector<int64_t> &members) {
  std::string error = prepareGroups(plan, device, members, 0, 1);
  return error.empty() ? checkReduction(plan) : error;
}

static std::string prepareGather(Plan &plan, int64_t device,
                                 std::vector<int64_t> &members) {
  return prepareGroups(plan, device, members, 1, 0);
}

static std::string prepareAllToAll(Plan &plan, int64_t device,
                                   std::vector<int64_t> &members) {
  std::string error = prepareGroups(plan, device, members, 1, 1);
  if (!error.empty() || members.empty())
    return error;
  for (const BufferType &type : plan.descriptor.inputs)
    if (type.getCount() % int64_t(members.size()))
      return "the input does not divide into one part per member";
  return "";
}

static std::string prepareBroadcast(Plan &plan, int64_t device,
                                    std::vector<int64_t> &members) {
  std::string error = prepareGroups(plan, device, members, 1, 1);
  if (!error.empty() || members.empty())
    return error;
  if (plan.rest.empty() || plan.rest[0] < 0 ||
      plan.rest[0] >= int64_t(members.size()))
    return "the root is not in the group";
  return "";
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Reduces elements [begin, end) of input i + shift of all members into the
/// outputs of members [first, last).
static void reduceRange(const Gathering &g, int64_t shift, int64_t begin,
                        int64_t end, size_t i, size_t first, size_t last) {
  partita_dtype dtype = g.types().inputs[i].dtype;
  int64_t bytes = getElementBytes(dtype);
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (size_t m = 0; m < g.size(); ++m)
    inputs.push_back(g.input(m, i) + shift * bytes);
  for (size_t m = first; m < last; ++m)
    outputs.push_back(g.output(m, i));
  reduceArrays(dtype, partita_reduction(g.plan.rest[0]), inputs, outputs, begin,
               end);
}

/// The same for all inputs at once, by the body.
static void reduceBodyRange(const Gathering &g, int64_t shift, int64_t begin,
                            int64_t end, size_t first, size_t last) {
  const Descriptor &d = g.types();
  std::vector<int64_t> bytes;
  std::vector<std::vector<const char *>> inputs(g.size());
  std::vector<std::vector<char *>> outputs(last - first);
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    bytes.push_back(getElementBytes(d.inputs[i].dtype));
    for (size_t m = 0; m < g.size(); ++m)
      inputs[m].push_back(g.input(m, i) + shift * bytes[i]);
    for (size_t m = first; m < last; ++m)
      outputs[m - first].push_back(g.output(m, i));
  }
  // The body's code is the same for all; each member calls its own.
  void *body = g.buffers(g.position())[d.inputs.size() + d.outputs.size()];
  reduceByBody(bytes, reinterpret_cast<partita_body>(body), inputs, outputs,
               begin, end);
}

/// Part of `count` elements that the member reduces, in whole cache lines.
static std::pair<int64_t, int64_t> getChunk(int64_t count, size_t members,
                                            size_t i) {
  int64_t chunk = (count + members - 1) / members;
  chunk = (chunk + 63) / 64 * 64;
  return {std::min<int64_t>(i * chunk, count),
          std::min<int64_t>((i + 1) * chunk, count)};
}

static void allReduce(const Gathering &g) {
  const Descriptor &d = g.types();
  bool isBody = g.plan.rest[0] == PARTITA_BODY;
  for (size_t i = 0; i < (isBody ? 1 : d.inputs.size()); ++i) {
    int64_t count = d.inputs[i].getCount();
    // Small arrays: all reduce all, each for itself. Large ones: each reduces
    // its part for all. The order of the members is the same either way.
    bool isSmall =
        !g.isForAll && count * getElementBytes(d.inputs[i].dtype) <= 4096;
    auto [begin, end] = isSmall ? std::pair<int64_t, int64_t>(0, count)
                                : getChunk(count, g.size(), g.position());
    size_t first = isSmall ? g.position() : 0,
           last = isSmall ? first + 1 : g.size();
    if (isBody)
      reduceBodyRange(g, 0, begin, end, first, last);
    else
      reduceRange(g, 0, begin, end, i, first, last);
  }
}

static void reduceScatter(const Gathering &g) {
  const Descriptor &d = g.types();
  size_t self = g.position();
  int64_t count = d.outputs[0].getCount();
  if (g.plan.rest[0] == PARTITA_BODY)
    return reduceBodyRange(g, self * count, 0, count, self, self + 1);
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    count = d.outputs[i].getCount();
    reduceRange(g, self * count, 0, count, i, self, self + 1);
  }
}

/// memcpy that bears null pointers of empty buffers.
static void copyBytes(char *to, const char *from, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, bytes);
}

static void allGather(const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    int64_t bytes = g.types().inputs[i].getBytes();
    for (size_t m = 0; m < g.size(); ++m)
      copyBytes(g.output(g.position(), i) + m * bytes, g.input(m, i), bytes);
  }
}

static void allToAll(const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i) {
    int64_t bytes = g.types().inputs[i].getBytes() / int64_t(g.size());
    for (size_t m = 0; m < g.size(); ++m)
      copyBytes(g.output(g.position(), i) + m * bytes,
                g.input(m, i) + g.position() * bytes, bytes);
  }
}

static void broadcast(const Gathering &g) {
  for (size_t i = 0; i < g.types().inputs.size(); ++i)
    copyBytes(g.output(g.position(), i), g.input(g.plan.rest[0], i),
              g.types().inputs[i].getBytes());
}

PARTITA_COLLECTIVE(all_reduce, prepareReduce, allReduce, nullptr)
PARTITA_COLLECTIVE(all_gather, prepareGather, allGather, nullptr)
PARTITA_COLLECTIVE(reduce_scatter, prepareReduceScatter, reduceScatter, nullptr)
PARTITA_COLLECTIVE(all_to_all, prepareAllToAll, allToAll, nullptr)
PARTITA_COLLECTIVE(broadcast, prepareBroadcast, broadcast, nullptr)
