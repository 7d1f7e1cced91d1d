// A device that is killed, late, or disagrees ends every device with an error that
// names it, soon, and never a deadlock.
#include "RuntimeTest.h"
#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>

using namespace partita::runtime;
using namespace partita::runtime::testing;

namespace {

Call makeReduce(int64_t opId, int64_t count, std::vector<Words> groups,
                partita_dtype dtype = PARTITA_F32, int kind = PARTITA_ADD) {
  Call call(opId, {{dtype, {count}}}, {{dtype, {count}}});
  call.groups(groups).add(kind);
  return call;
}

void reduce(partita_context *context, const Call &call) {
  // A failure leaves this frame by longjmp: the memory is that of the test program.
  static char memory[8][2048];
  char *own = memory[partita_device_id(context)];
  void *buffers[] = {own, own + 1024};
  partita_all_reduce(context, call.words.data(), buffers);
}

/// Runs and checks that it ends within a second with all these words.
void expectError(WorldOptions options, const DeviceFunction &function,
                 const std::vector<std::string> &words) {
  auto begin = std::chrono::steady_clock::now();
  World world(options);
  std::string error = world.run(function);
  auto elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(elapsed, std::chrono::milliseconds(1500)) << error;
  for (const std::string &word : words)
    EXPECT_NE(error.find(word), std::string::npos) << "'" << word << "' in: " << error;
}

TEST(Failure, KilledDevice) {
  Call call = makeReduce(7, 8, {{0, 1, 2}});
  expectError(
      {.numDevices = 3},
      [&](partita_context *context) {
        if (partita_device_id(context) == 1)
          pthread_exit(nullptr);
        reduce(context, call);
      },
      {"device 1 has ended before any op", "op 7 (all_reduce)"});
}

TEST(Failure, RunAfterKilledDevice) {
  Call call = makeReduce(7, 8, {{0, 1, 2}});
  World world({.numDevices = 3});
  for (bool isKilled : {false, true, false, true, false}) {
    std::string error = world.run([&](partita_context *context) {
      if (isKilled && partita_device_id(context) == 1)
        pthread_exit(nullptr);
      reduce(context, call);
    });
    EXPECT_EQ(error.empty(), !isKilled) << error;
    EXPECT_TRUE(world.getAbandoned().empty());
  }
}

TEST(Failure, RunAfterAbandonedDevice) {
  Call call = makeReduce(7, 8, {{0, 1}});
  // Outlives this frame, as the thread of device 1 does.
  static std::atomic<bool> isLate{true}, isFree{false};
  World world({.numDevices = 2, .waitLimitMs = 50, .graceMs = 50});
  auto function = [&call](partita_context *context) {
    if (isLate && partita_device_id(context) == 1) {
      while (!isFree)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    reduce(context, call);
  };
  EXPECT_NE(world.run(function), "");
  EXPECT_EQ(world.getAbandoned(), std::vector<int64_t>{1});
  isLate = false;
  EXPECT_EQ(world.run(function), "");
  isFree = true;
}

TEST(Failure, DeviceReturnsEarly) {
  Call first = makeReduce(7, 8, {{0, 1, 2}}), second = makeReduce(8, 8, {{0, 1, 2}});
  expectError(
      {.numDevices = 3},
      [&](partita_context *context) {
        reduce(context, first);
        if (partita_device_id(context) == 2)
          return;
        reduce(context, second);
      },
      {"device 2 has ended after op 7 (all_reduce)", "op 8 (all_reduce)"});
}

TEST(Failure, DeviceFails) {
  Call call = makeReduce(7, 8, {{0, 1, 2, 3}});
  std::atomic<int> after{0};
  expectError(
      {.numDevices = 4},
      [&](partita_context *context) {
        if (partita_device_id(context) == 3)
          partita_fail(context, "the argument is negative");
        reduce(context, call);
        ++after;
      },
      {"device 3: the argument is negative"});
  EXPECT_EQ(after, 0);
}

TEST(Failure, LateDevice) {
  static Call call = makeReduce(7, 8, {{0, 1}});
  static std::atomic<bool> stop{false}, stopped{false};
  expectError(
      {.numDevices = 2, .waitLimitMs = 300, .graceMs = 100},
      [](partita_context *context) {
        if (partita_device_id(context) == 1) {
          while (!stop)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          stopped = true;
        }
        reduce(context, call);
      },
      {"device 0 waits at op 7 (all_reduce) for more than 300 ms",
       "device 1 computes before its first op"});
  stop = true;
  while (!stopped)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(Failure, SlowDeviceWithinTheLimit) {
  Call call = makeReduce(7, 8, {{0, 1}});
  World world({.numDevices = 2, .waitLimitMs = 2000});
  EXPECT_EQ(world.run([&](partita_context *context) {
    if (partita_device_id(context) == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    reduce(context, call);
  }),
            "");
}

TEST(Failure, OtherOp) {
  Call calls[] = {makeReduce(7, 8, {{0, 1}}), makeReduce(9, 8, {{0, 1}})};
  expectError(
      {.numDevices = 2},
      [&](partita_context *context) { reduce(context, calls[partita_device_id(context)]); },
      {"op 7 (all_reduce)", "op 9 (all_reduce)", "device 0", "device 1"});
}

TEST(Failure, Disagreement) {
  std::vector<Words> all{{0, 1}};
  struct {
    Call call;
    const char *text;
  } cases[] = {{makeReduce(7, 9, all), "32 and 36 bytes"},
               {makeReduce(7, 8, all, PARTITA_I32), "type f32 and i32"},
               {makeReduce(7, 8, all, PARTITA_F32, PARTITA_MUL), "reductions"},
               {makeReduce(7, 8, {{1, 0}}), "different groups"}};
  Call first = makeReduce(7, 8, all);
  for (auto &[call, text] : cases)
    expectError(
        {.numDevices = 2},
        [&](partita_context *context) {
          if (partita_device_id(context) == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          reduce(context, partita_device_id(context) ? call : first);
        },
        {"devices 0 and 1 disagree at op 7 (all_reduce)", text});
}

TEST(Failure, OtherKind) {
  Call call = makeReduce(7, 8, {{0, 1}}), other = call;
  expectError(
      {.numDevices = 2},
      [&](partita_context *context) {
        if (partita_device_id(context) == 0)
          return reduce(context, call);
        static char memory[256];
        void *buffers[] = {memory, memory + 128};
        partita_all_to_all(context, other.words.data(), buffers);
      },
      {"op 7 (all_reduce)", "op 7 (all_to_all)"});
}

TEST(Failure, DeadlockOfGroups) {
  // A ring of waits: each device waits for the next one.
  Call calls[] = {makeReduce(1, 8, {{0, 1}}), makeReduce(2, 8, {{1, 2}}),
                  makeReduce(3, 8, {{2, 0}})};
  expectError(
      {.numDevices = 3},
      [&](partita_context *context) { reduce(context, calls[partita_device_id(context)]); },
      {"deadlock", "op 1 (all_reduce)", "op 2 (all_reduce)", "op 3 (all_reduce)"});
}

TEST(Failure, StartedAgainstSynchronous) {
  Call call = makeReduce(7, 8, {{0, 1}});
  static char memory[256];
  void *buffers[] = {memory, memory + 128};
  expectError(
      {.numDevices = 2},
      [&](partita_context *context) {
        if (partita_device_id(context) == 0)
          return reduce(context, call);
        partita_start(context, partita_all_reduce, call.words.data(), buffers);
        partita_done(context, 7);
      },
      {"deadlock", "op 7 (all_reduce)"});
}

TEST(Failure, StartedButPeerEnds) {
  Call call = makeReduce(7, 8, {{0, 1}});
  static char memory[256];
  void *buffers[] = {memory, memory + 128};
  for (bool isDone : {true, false})
    expectError(
        {.numDevices = 2},
        [&](partita_context *context) {
          if (partita_device_id(context) == 1)
            return;
          partita_start(context, partita_all_reduce, call.words.data(), buffers);
          if (isDone)
            partita_done(context, 7);
        },
        {"device 1 has ended", "op 7 (all_reduce)"});
}

TEST(Failure, DoneWithoutStart) {
  expectError(
      {.numDevices = 1}, [](partita_context *context) { partita_done(context, 5); },
      {"op 5 is done but was not started"});
}

TEST(Failure, EndlessLoopOfCollectivesEnds) {
  Call call = makeReduce(7, 8, {{0, 1}}), other = makeReduce(8, 8, {{2}});
  std::atomic<int64_t> trips{0};
  expectError(
      {.numDevices = 3},
      [&](partita_context *context) {
        static char memory[256];
        void *buffers[] = {memory, memory + 128};
        if (partita_device_id(context) == 2)
          while (true) {
            partita_all_reduce(context, other.words.data(), buffers);
            ++trips;
          }
        if (partita_device_id(context) == 1)
          while (trips < 100)
            std::this_thread::yield();
        else
          reduce(context, call);
      },
      {"device 1 has ended"});
}

TEST(Failure, BadCalls) {
  struct {
    Call call;
    const char *text;
  } cases[] = {
      {makeReduce(7, 8, {{0, 0}}), "twice"},
      {makeReduce(7, 8, {{0, 5}}), "device 5"},
      {makeReduce(7, 8, {{0, 1}}, PARTITA_F32, PARTITA_AND), "no reduction and of f32"},
      {makeReduce(7, 8, {{0, 1}}, PARTITA_C64, PARTITA_AND), "no reduction and of c64"}};
  for (auto &[call, text] : cases)
    expectError(
        {.numDevices = 2},
        [&](partita_context *context) { reduce(context, call); }, {text, "op 7"});
  Call cut = makeReduce(7, 8, {{0, 1}});
  cut.words.resize(cut.words.size() - 2);
  cut.words[1] -= 2;
  expectError(
      {.numDevices = 2}, [&](partita_context *context) { reduce(context, cut); },
      {"op 7 (all_reduce)"});
}

TEST(Failure, NextRunIsClean) {
  World world({.numDevices = 2});
  Call call = makeReduce(7, 8, {{0, 1}});
  EXPECT_NE(world.run([&](partita_context *context) {
    if (partita_device_id(context))
      reduce(context, call);
  }),
            "");
  EXPECT_EQ(world.run([&](partita_context *context) { reduce(context, call); }), "");
}

} // namespace
