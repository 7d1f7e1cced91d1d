// A libnccl without a GPU: ranks are threads of one process, which wait for
// each other on the host where the real ranks wait on their streams.
#include "FakeDriver.h"
#include "lib/Runtime/CUDA/Interface.h"
#include "lib/Runtime/Reduce.h"
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Call {
  enum Kind {
    None,
    AllReduce,
    ReduceScatter,
    AllGather,
    Broadcast
  } kind = None;
  const char *input = nullptr;
  char *output = nullptr;
  size_t count = 0;
  NcclType type = kNcclInt8;
  NcclReduction reduction = kNcclSum;
  int root = 0;
  Stream stream = nullptr;
  FakeClock clock;
};

struct Message {
  const char *data;
  size_t bytes;
  FakeClock clock;
  bool isTaken = false;
};

struct Group {
  std::mutex mutex;
  std::condition_variable changed;
  int ranks = 0, joined = 0;
  std::vector<Call> calls;
  int arrived = 0;
  uint64_t generation = 0;
  bool ok = true;
  std::map<std::pair<int, int>, std::deque<Message *>> mail;
};

struct Member {
  Group *group;
  int rank;
};

struct Transfer {
  bool isSend;
  Member *member;
  char *data;
  size_t bytes;
  int peer;
  Stream stream;
};

std::mutex registry;
std::map<std::string, std::unique_ptr<Group>> groups;
thread_local int depth = 0;
thread_local std::vector<Transfer> transfers;

size_t getBytes(NcclType type) {
  switch (type) {
  case kNcclInt8:
  case kNcclUint8:
    return 1;
  case kNcclFloat16:
  case kNcclBfloat16:
    return 2;
  case kNcclInt32:
  case kNcclUint32:
  case kNcclFloat32:
    return 4;
  default:
    return 8;
  }
}

partita_dtype getDtype(NcclType type) {
  static const partita_dtype types[] = {
      PARTITA_I8,   PARTITA_UI8, PARTITA_I32, PARTITA_UI32, PARTITA_I64,
      PARTITA_UI64, PARTITA_F16, PARTITA_F32, PARTITA_F64,  PARTITA_BF16};
  return types[type];
}

partita_reduction getKind(NcclReduction reduction) {
  static const partita_reduction kinds[] = {PARTITA_ADD, PARTITA_MUL,
                                            PARTITA_MAX, PARTITA_MIN};
  return kinds[reduction];
}

uint64_t at(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// All ranks have arrived: does the work of all.
bool work(Group &group) {
  std::vector<Call> &calls = group.calls;
  FakeClock all;
  fake_lock();
  bool ok = true;
  size_t ranks = calls.size();
  for (Call &call : calls) {
    size_t bytes = call.count * getBytes(call.type);
    bool isScatter = call.kind == Call::ReduceScatter,
         isGather = call.kind == Call::AllGather;
    ok &= call.kind == calls[0].kind && call.count == calls[0].count &&
          call.type == calls[0].type && call.reduction == calls[0].reduction;
    FakeClock clock = fake_begin(call.stream, nullptr);
    if (all.size() < clock.size())
      all.resize(clock.size());
    for (size_t i = 0; i < clock.size(); ++i)
      all[i] = std::max(all[i], clock[i]);
    ok &= fake_access(call.stream, at(call.input),
                      bytes * (isScatter ? ranks : 1), false);
    ok &= fake_access(call.stream, at(call.output),
                      bytes * (isGather ? ranks : 1), true);
  }
  std::vector<std::vector<char>> results(ranks);
  for (size_t r = 0; r < ranks && ok; ++r) {
    Call &call = calls[r];
    size_t bytes = call.count * getBytes(call.type);
    std::vector<const void *> inputs;
    for (Call &other : calls)
      inputs.push_back(other.input +
                       (call.kind == Call::ReduceScatter ? r * bytes : 0));
    results[r].resize(bytes * (call.kind == Call::AllGather ? ranks : 1));
    if (call.kind == Call::AllGather)
      for (size_t m = 0; m < ranks; ++m)
        std::memcpy(results[r].data() + m * bytes, inputs[m], bytes);
    else if (call.kind == Call::Broadcast)
      std::memcpy(results[r].data(), inputs[size_t(call.root)], bytes);
    else
      reduceArrays(getDtype(call.type), getKind(call.reduction), inputs,
                   {results[r].data()}, 0, int64_t(call.count));
  }
  for (size_t r = 0; r < ranks && ok; ++r) {
    if (!results[r].empty())
      std::memcpy(calls[r].output, results[r].data(), results[r].size());
    fake_begin(calls[r].stream, &all);
  }
  fake_unlock();
  return ok;
}

int meet(Communicator communicator, const Call &call) {
  auto *member = reinterpret_cast<Member *>(communicator);
  Group &group = *member->group;
  std::unique_lock<std::mutex> lock(group.mutex);
  group.calls[size_t(member->rank)] = call;
  if (++group.arrived == group.ranks) {
    group.ok = work(group);
    group.arrived = 0;
    ++group.generation;
    group.changed.notify_all();
    return group.ok ? 0 : 5;
  }
  uint64_t generation = group.generation;
  group.changed.wait(lock, [&] { return group.generation != generation; });
  return group.ok ? 0 : 5;
}

int transfer() {
  std::deque<Message> sent;
  for (const Transfer &t : transfers)
    if (t.isSend) {
      Group &group = *t.member->group;
      fake_lock();
      FakeClock clock = fake_begin(t.stream, nullptr);
      bool ok = fake_access(t.stream, at(t.data), t.bytes, false);
      fake_unlock();
      if (!ok)
        return 1;
      std::lock_guard<std::mutex> lock(group.mutex);
      sent.push_back({t.data, t.bytes, clock});
      group.mail[{t.member->rank, t.peer}].push_back(&sent.back());
      group.changed.notify_all();
    }
  for (const Transfer &t : transfers) {
    if (t.isSend)
      continue;
    Group &group = *t.member->group;
    std::unique_lock<std::mutex> lock(group.mutex);
    auto &mail = group.mail[{t.peer, t.member->rank}];
    group.changed.wait(lock, [&] { return !mail.empty(); });
    Message *message = mail.front();
    mail.pop_front();
    fake_lock();
    fake_begin(t.stream, &message->clock);
    bool ok = message->bytes == t.bytes &&
              fake_access(t.stream, at(t.data), t.bytes, true);
    fake_unlock();
    if (!ok)
      return 5;
    if (t.bytes)
      std::memcpy(t.data, message->data, t.bytes);
    message->isTaken = true;
    group.changed.notify_all();
  }
  size_t next = 0;
  for (const Transfer &t : transfers) {
    if (!t.isSend)
      continue;
    Group &group = *t.member->group;
    std::unique_lock<std::mutex> lock(group.mutex);
    Message &message = sent[next++];
    group.changed.wait(lock, [&] { return message.isTaken; });
  }
  return 0;
}

int add(Transfer t) {
  transfers.push_back(t);
  if (depth)
    return 0;
  int code = transfer();
  transfers.clear();
  return code;
}

} // namespace

EXPORT const char *ncclGetErrorString(int code) {
  return code == 0 ? "no error" : "an error of the fake library";
}

EXPORT int ncclGetUniqueId(UniqueId *id) {
  static int next = 0;
  std::lock_guard<std::mutex> lock(registry);
  std::memset(id, 0, sizeof(*id));
  std::snprintf(id->internal, sizeof(id->internal), "group %d", next++);
  return 0;
}

EXPORT int ncclCommInitRank(Communicator *communicator, int ranks, UniqueId id,
                            int rank) {
  Group *group;
  {
    std::lock_guard<std::mutex> lock(registry);
    auto &entry = groups[id.internal];
    if (!entry) {
      entry = std::make_unique<Group>();
      entry->ranks = ranks;
      entry->calls.resize(size_t(ranks));
    }
    group = entry.get();
  }
  std::unique_lock<std::mutex> lock(group->mutex);
  if (group->ranks != ranks || rank < 0 || rank >= ranks)
    return 4;
  ++group->joined;
  group->changed.notify_all();
  group->changed.wait(lock, [&] { return group->joined == ranks; });
  *communicator = reinterpret_cast<Communicator>(new Member{group, rank});
  return 0;
}

EXPORT int ncclCommDestroy(Communicator communicator) {
  delete reinterpret_cast<Member *>(communicator);
  return 0;
}

EXPORT int ncclAllReduce(const void *input, void *output, size_t count,
                         NcclType type, NcclReduction kind,
                         Communicator communicator, Stream stream) {
  return meet(communicator, {Call::AllReduce,
                             static_cast<const char *>(input),
                             static_cast<char *>(output),
                             count,
                             type,
                             kind,
                             0,
                             stream,
                             {}});
}

EXPORT int ncclReduceScatter(const void *input, void *output, size_t count,
                             NcclType type, NcclReduction kind,
                             Communicator communicator, Stream stream) {
  return meet(communicator, {Call::ReduceScatter,
                             static_cast<const char *>(input),
                             static_cast<char *>(output),
                             count,
                             type,
                             kind,
                             0,
                             stream,
                             {}});
}

EXPORT int ncclAllGather(const void *input, void *output, size_t count,
                         NcclType type, Communicator communicator,
                         Stream stream) {
  return meet(communicator, {Call::AllGather,
                             static_cast<const char *>(input),
                             static_cast<char *>(output),
                             count,
                             type,
                             kNcclSum,
                             0,
                             stream,
                             {}});
}

EXPORT int ncclBroadcast(const void *input, void *output, size_t count,
                         NcclType type, int root, Communicator communicator,
                         Stream stream) {
  return meet(communicator, {Call::Broadcast,
                             static_cast<const char *>(input),
                             static_cast<char *>(output),
                             count,
                             type,
                             kNcclSum,
                             root,
                             stream,
                             {}});
}

EXPORT int ncclSend(const void *input, size_t count, NcclType type, int peer,
                    Communicator communicator, Stream stream) {
  return add({true, reinterpret_cast<Member *>(communicator),
              const_cast<char *>(static_cast<const char *>(input)),
              count * getBytes(type), peer, stream});
}

EXPORT int ncclRecv(void *output, size_t count, NcclType type, int peer,
                    Communicator communicator, Stream stream) {
  return add({false, reinterpret_cast<Member *>(communicator),
              static_cast<char *>(output), count * getBytes(type), peer,
              stream});
}

EXPORT int ncclGroupStart() {
  ++depth;
  return 0;
}

EXPORT int ncclGroupEnd() {
  if (--depth)
    return 0;
  int code = transfer();
  transfers.clear();
  return code;
}
