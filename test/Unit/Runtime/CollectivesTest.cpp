// Every collective against a plain reference, on several numbers of devices, in
// whole groups and subgroups.
#include "RuntimeTest.h"
#include <thread>
#include "../../../lib/Runtime/Numbers.h"
#include <cmath>

using namespace partita::runtime;
using namespace partita::runtime::testing;

namespace {

/// Groups to test on n devices: all, all in reverse, halves, every second one.
std::vector<std::vector<Words>> getGroupings(int64_t n) {
  Words all(n), reversed(n);
  std::iota(all.begin(), all.end(), 0);
  for (int64_t i = 0; i < n; ++i)
    reversed[i] = n - 1 - i;
  std::vector<std::vector<Words>> result{{all}, {reversed}};
  if (n % 2 == 0 && n > 2) {
    result.push_back({Words(all.begin(), all.begin() + n / 2),
                      Words(all.begin() + n / 2, all.end())});
    Words even, odd;
    for (int64_t i = 0; i < n; ++i)
      (i % 2 ? odd : even).push_back(i);
    result.push_back({even, odd});
    result.push_back({odd}); // some in no group
  }
  return result;
}

template <typename T> T makeValue(int64_t device, int64_t i) {
  int64_t value = (device * 7 + i * 5 + 3) % 11 - 4;
  if constexpr (std::is_same_v<T, Bool>)
    return Bool(value % 3 == 0);
  else if constexpr (isComplex<T>)
    return T(typename T::value_type(value), typename T::value_type(value % 3));
  else if constexpr (isHalf<T>)
    return T(float(value));
  else
    return T(value);
}

template <typename T> double toDouble(T value) {
  if constexpr (isComplex<T>)
    return double(value.real()) + 1e3 * double(value.imag());
  else
    return double(Wide<T>(value));
}

template <typename T> T referenceCombine(partita_reduction kind, T a, T b) {
  using W = Wide<T>;
  W x(a), y(b);
  if constexpr (std::is_same_v<T, Bool>) {
    switch (kind) {
    case PARTITA_ADD: case PARTITA_MAX: case PARTITA_OR: return T(x || y);
    case PARTITA_XOR: return T(x != y);
    default: return T(x && y);
    }
  } else {
    if constexpr (std::is_integral_v<T>) {
      if (kind == PARTITA_ADD)
        return T(uint64_t(x) + uint64_t(y));
      if (kind == PARTITA_MUL)
        return T(uint64_t(x) * uint64_t(y));
    }
    if (kind == PARTITA_ADD)
      return T(x + y);
    if (kind == PARTITA_MUL)
      return T(x * y);
    if (kind == PARTITA_MAX || kind == PARTITA_MIN) {
      if constexpr (isComplex<T>) {
        bool isGreater = std::pair(x.real(), x.imag()) > std::pair(y.real(), y.imag());
        return (kind == PARTITA_MAX) == isGreater ? x : y;
      } else {
        return T((kind == PARTITA_MAX) == (x > y) ? x : y);
      }
    }
    if constexpr (std::is_integral_v<T>) {
      if (kind == PARTITA_AND)
        return T(x & y);
      if (kind == PARTITA_OR)
        return T(x | y);
      if (kind == PARTITA_XOR)
        return T(x ^ y);
    }
  }
  return a;
}

/// Inputs of `count` elements on each of n devices.
template <typename T> std::vector<std::vector<T>> makeInputs(int64_t n, int64_t count) {
  std::vector<std::vector<T>> inputs(n, std::vector<T>(count));
  for (int64_t d = 0; d < n; ++d)
    for (int64_t i = 0; i < count; ++i)
      inputs[d][i] = makeValue<T>(d, i);
  return inputs;
}

/// Runs the call on all devices; outputs start as 1.
template <typename T>
std::vector<std::vector<T>> runAll(Function function, Call &call,
                                   std::vector<std::vector<T>> &inputs, int64_t outCount,
                                   void *body = nullptr) {
  int64_t n = int64_t(inputs.size());
  std::vector<std::vector<T>> outputs(n, std::vector<T>(outCount, makeValue<T>(0, 2)));
  World world({.numDevices = n});
  std::string error = world.run([&](partita_context *context) {
    int64_t d = partita_device_id(context);
    void *buffers[] = {inputs[d].data(), outputs[d].data(), body};
    function(context, call.get(), buffers);
  });
  EXPECT_EQ(error, "");
  return outputs;
}

template <typename T>
void expectSame(const std::vector<T> &found, const std::vector<T> &expected,
                const std::string &what) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(toDouble(found[i]), toDouble(expected[i])) << what << ", element " << i;
}

template <typename T>
void testReductions(partita_dtype dtype, int64_t n, const std::vector<Words> &groups,
                    int64_t count) {
  for (int kind = PARTITA_ADD; kind <= PARTITA_XOR; ++kind) {
    auto reduction = partita_reduction(kind);
    if (!isSupported(reduction, dtype))
      continue;
    int64_t size = int64_t(groups[0].size());
    auto inputs = makeInputs<T>(n, count * size);
    Call reduce(1, {{dtype, {count * size}}}, {{dtype, {count * size}}});
    reduce.groups(groups).add(kind);
    auto reduced = runAll<T>(partita_all_reduce, reduce, inputs, count * size);
    Call scatter(2, {{dtype, {size, count}}}, {{dtype, {count}}});
    scatter.groups(groups).add(kind);
    auto scattered = runAll<T>(partita_reduce_scatter, scatter, inputs, count);
    for (const Words &group : groups) {
      std::vector<T> sum = inputs[group[0]];
      for (size_t m = 1; m < group.size(); ++m)
        for (size_t i = 0; i < sum.size(); ++i)
          sum[i] = referenceCombine(reduction, sum[i], inputs[group[m]][i]);
      for (size_t m = 0; m < group.size(); ++m) {
        expectSame(reduced[group[m]], sum, "all_reduce");
        expectSame(scattered[group[m]],
                   std::vector<T>(sum.begin() + m * count, sum.begin() + (m + 1) * count),
                   "reduce_scatter");
      }
    }
  }
}

TEST(Collectives, Reductions) {
  for (int64_t n : {2, 3, 4, 8})
    for (const auto &groups : getGroupings(n))
      for (int dtype = PARTITA_F64; dtype <= PARTITA_C128; ++dtype)
        dispatch(partita_dtype(dtype), [&](auto type) {
          testReductions<decltype(type)>(partita_dtype(dtype), n, groups, 5);
        });
}

TEST(Collectives, LargeReductions) {
  auto groups = getGroupings(4);
  testReductions<float>(PARTITA_F32, 4, groups[0], 10001);
  testReductions<BF16>(PARTITA_BF16, 4, groups[3], 10001);
  testReductions<int64_t>(PARTITA_I64, 4, groups[1], 3333);
}

TEST(Collectives, OutsideOfGroups) {
  auto inputs = makeInputs<float>(4, 3);
  Call call(1, {{PARTITA_F32, {3}}}, {{PARTITA_F32, {3}}});
  call.groups({{1, 3}}).add(PARTITA_ADD);
  auto outputs = runAll<float>(partita_all_reduce, call, inputs, 3);
  EXPECT_EQ(outputs[0][1], makeValue<float>(0, 2));
}

TEST(Collectives, NaNWins) {
  for (int kind : {PARTITA_MAX, PARTITA_MIN})
    for (int where : {0, 1, 2}) {
      std::vector<std::vector<float>> inputs{{1, 2}, {3, 0}, {2, -1}};
      inputs[where][1] = NAN;
      Call call(1, {{PARTITA_F32, {2}}}, {{PARTITA_F32, {2}}});
      call.groups({{0, 1, 2}}).add(kind);
      auto outputs = runAll<float>(partita_all_reduce, call, inputs, 2);
      for (auto &output : outputs) {
        EXPECT_EQ(output[0], kind == PARTITA_MAX ? 3 : 1);
        EXPECT_TRUE(std::isnan(output[1]));
      }
    }
}

TEST(Collectives, RoundsOnce) {
  // 256 + 1 + 1 in bf16: each single sum would be lost.
  std::vector<std::vector<BF16>> inputs{{BF16(256.f)}, {BF16(1.f)}, {BF16(1.f)}};
  Call call(1, {{PARTITA_BF16, {1}}}, {{PARTITA_BF16, {1}}});
  call.groups({{0, 1, 2}}).add(PARTITA_ADD);
  EXPECT_EQ(float(runAll<BF16>(partita_all_reduce, call, inputs, 1)[2][0]), 258.f);
}

template <typename T> void testMoves(partita_dtype dtype, int64_t n, const std::vector<Words> &groups) {
  int64_t count = 3, size = int64_t(groups[0].size());
  auto inputs = makeInputs<T>(n, count * size);
  Call gather(1, {{dtype, {count * size}}}, {{dtype, {size, count * size}}});
  gather.groups(groups);
  auto gathered = runAll<T>(partita_all_gather, gather, inputs, size * count * size);
  Call toAll(2, {{dtype, {size, count}}}, {{dtype, {size, count}}});
  toAll.groups(groups);
  auto sent = runAll<T>(partita_all_to_all, toAll, inputs, size * count);
  Call cast(3, {{dtype, {count * size}}}, {{dtype, {count * size}}});
  cast.groups(groups).add(size - 1);
  auto received = runAll<T>(partita_broadcast, cast, inputs, size * count);
  for (const Words &group : groups)
    for (int64_t m = 0; m < size; ++m) {
      std::vector<T> whole, parts;
      for (int64_t k = 0; k < size; ++k) {
        const std::vector<T> &input = inputs[group[k]];
        whole.insert(whole.end(), input.begin(), input.end());
        parts.insert(parts.end(), input.begin() + m * count, input.begin() + (m + 1) * count);
      }
      expectSame(gathered[group[m]], whole, "all_gather");
      expectSame(sent[group[m]], parts, "all_to_all");
      expectSame(received[group[m]], inputs[group[size - 1]], "broadcast");
    }
}

TEST(Collectives, Moves) {
  for (int64_t n : {2, 3, 4, 8})
    for (const auto &groups : getGroupings(n))
      for (int dtype = PARTITA_F64; dtype <= PARTITA_C128; ++dtype)
        dispatch(partita_dtype(dtype), [&](auto type) {
          testMoves<decltype(type)>(partita_dtype(dtype), n, groups);
        });
}

TEST(Collectives, Permute) {
  auto inputs = makeInputs<int32_t>(5, 4);
  Call call(1, {{PARTITA_I32, {4}}}, {{PARTITA_I32, {4}}});
  call.list({0, 1, 1, 2, 2, 0, 3, 4}); // a ring, a pair; nothing for 3
  auto outputs = runAll<int32_t>(partita_permute, call, inputs, 4);
  EXPECT_EQ(outputs[1], inputs[0]);
  EXPECT_EQ(outputs[2], inputs[1]);
  EXPECT_EQ(outputs[0], inputs[2]);
  EXPECT_EQ(outputs[4], inputs[3]);
  EXPECT_EQ(outputs[3], std::vector<int32_t>(4, 0));
}

TEST(Collectives, Exchange) {
  // Rows of 2x3 blocks; device 0 gets columns 1..2 of device 1 and keeps one row.
  auto inputs = makeInputs<double>(3, 6);
  Call call(1, {{PARTITA_F64, {2, 3}}}, {{PARTITA_F64, {2, 4}}});
  call.add(3);
  call.items({1, 0, 0, 0, 2, 1, 2, 2});
  call.items({0, 0, 1, 0, 1, 0, 0, 2});
  call.items({0, 1, 0, 1, 1, 2, 0, 1});
  auto outputs = runAll<double>(partita_exchange, call, inputs, 8);
  auto &a = inputs[0], &b = inputs[1];
  EXPECT_EQ(outputs[0], (std::vector<double>{a[3], a[4], b[1], b[2], 0, 0, b[4], b[5]}));
  EXPECT_EQ(outputs[1][4], a[2]);
  EXPECT_EQ(outputs[2], std::vector<double>(8, 0));
}

TEST(Collectives, RaggedAllToAll) {
  std::vector<int64_t> from[] = {{0, 1}, {0, 2}}, counts[] = {{1, 2}, {2, 1}},
                       to[] = {{0, 0}, {1, 2}}, got[] = {{1, 2}, {2, 1}};
  std::vector<float> rows[] = {{1, 2, 3}, {4, 5, 6}}, old[] = {{9, 9, 9}, {8, 8, 8}},
                     out[] = {{0, 0, 0}, {0, 0, 0}};
  Type vector{PARTITA_I64, {2}}, matrix{PARTITA_F32, {3, 1}};
  Call call(1, {matrix, matrix, vector, vector, vector, vector}, {matrix});
  call.groups({{0, 1}});
  World world({.numDevices = 2});
  EXPECT_EQ(world.run([&](partita_context *context) {
    int64_t d = partita_device_id(context);
    void *buffers[] = {rows[d].data(),   old[d].data(), from[d].data(), counts[d].data(),
                       to[d].data(),     got[d].data(), out[d].data()};
    partita_ragged_all_to_all(context, call.get(), buffers);
  }),
            "");
  EXPECT_EQ(out[0], (std::vector<float>{1, 4, 5}));
  EXPECT_EQ(out[1], (std::vector<float>{2, 3, 6}));
}

TEST(Collectives, AxisIndex) {
  int32_t out[3] = {};
  Call call(1, {}, {{PARTITA_I32, {}}});
  call.list({2, 0, 1});
  World world({.numDevices = 3});
  EXPECT_EQ(world.run([&](partita_context *context) {
    void *buffers[] = {&out[partita_device_id(context)]};
    partita_axis_index(context, call.get(), buffers);
  }),
            "");
  EXPECT_EQ(out[0] * 100 + out[1] * 10 + out[2], 201);
}

/// (value, index) pairs: the larger value, of equals the smaller index.
void argMax(void *const *arguments, void *const *results) {
  float a = *static_cast<float *>(arguments[0]), b = *static_cast<float *>(arguments[2]);
  int32_t i = *static_cast<int32_t *>(arguments[1]), j = *static_cast<int32_t *>(arguments[3]);
  bool first = a > b || (a == b && i < j);
  *static_cast<float *>(results[0]) = first ? a : b;
  *static_cast<int32_t *>(results[1]) = first ? i : j;
}

TEST(Collectives, BodyOnPairs) {
  const int64_t n = 3, count = 2000;
  std::vector<std::vector<float>> values(n, std::vector<float>(count)), best = values;
  std::vector<std::vector<int32_t>> indices(n, std::vector<int32_t>(count)), at = indices;
  for (int64_t d = 0; d < n; ++d)
    for (int64_t i = 0; i < count; ++i) {
      values[d][i] = float((d + i) % 3);
      indices[d][i] = int32_t(d);
    }
  Type f{PARTITA_F32, {count}}, s{PARTITA_I32, {count}};
  Call call(1, {f, s}, {f, s});
  call.groups({{0, 1, 2}}).add(PARTITA_BODY);
  World world({.numDevices = n});
  EXPECT_EQ(world.run([&](partita_context *context) {
    int64_t d = partita_device_id(context);
    void *buffers[] = {values[d].data(), indices[d].data(), best[d].data(), at[d].data(),
                       reinterpret_cast<void *>(argMax)};
    // Synchronous, then started.
    partita_all_reduce(context, call.get(), buffers);
    partita_start(context, partita_all_reduce, call.get(), buffers);
    partita_done(context, 1);
  }),
            "");
  for (int64_t d = 0; d < n; ++d)
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(best[d][i], 2);
      ASSERT_EQ(at[d][i], (2 - i % 3 + 3) % 3);
    }
}

TEST(Collectives, ManySmall) {
  const int64_t n = 4, trips = 10000;
  std::vector<Call> calls;
  std::vector<std::vector<Words>> groupings = getGroupings(n);
  for (size_t i = 0; i < groupings.size() - 1; ++i) {
    calls.emplace_back(int64_t(i), std::vector<Type>{{PARTITA_I64, {2}}},
                       std::vector<Type>{{PARTITA_I64, {2}}});
    calls.back().groups(groupings[i]).add(PARTITA_MAX);
  }
  World world({.numDevices = n});
  std::vector<int64_t> last(n);
  EXPECT_EQ(world.run([&](partita_context *context) {
    int64_t value[2] = {partita_device_id(context), 0}, out[2];
    void *buffers[] = {value, out};
    for (int64_t i = 0; i < trips; ++i) {
      value[1] = i;
      partita_all_reduce(context, calls[i % calls.size()].words.data(), buffers);
      ASSERT_EQ(out[1], i);
    }
    last[partita_device_id(context)] = out[1];
  }),
            "");
  EXPECT_EQ(last, std::vector<int64_t>(n, trips - 1));
}

TEST(Collectives, RerunsAreBitEqual) {
  const int64_t n = 8, count = 5000;
  std::vector<std::vector<float>> inputs(n, std::vector<float>(count));
  for (int64_t d = 0; d < n; ++d)
    for (int64_t i = 0; i < count; ++i)
      inputs[d][i] = std::sin(float(d * count + i)) * std::exp2(float((d * 5 + i) % 40));
  Call call(1, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {count}}});
  call.groups({{0, 1, 2, 3, 4, 5, 6, 7}}).add(PARTITA_ADD);
  auto first = runAll<float>(partita_all_reduce, call, inputs, count);
  for (int run = 0; run < 5; ++run)
    EXPECT_EQ(runAll<float>(partita_all_reduce, call, inputs, count), first);
  for (int64_t d = 1; d < n; ++d)
    EXPECT_EQ(first[d], first[0]);
}

TEST(Collectives, StartAndDone) {
  const int64_t n = 4, trips = 200;
  Call a(1, {{PARTITA_F32, {64}}}, {{PARTITA_F32, {64}}}), b = a, c = a;
  a.groups({{0, 1, 2, 3}}).add(PARTITA_ADD);
  b.words[0] = 2;
  b.list({0, 1, 1, 2, 2, 3, 3, 0});
  c.words[0] = 3;
  c.groups({{0, 1}, {2, 3}}).add(PARTITA_MAX);
  World world({.numDevices = n});
  EXPECT_EQ(world.run([&](partita_context *context) {
    float id = float(partita_device_id(context));
    std::vector<float> in(64, id), sum(64), moved(64), largest(64), again(64);
    for (int64_t i = 0; i < trips; ++i) {
      {
        void *buffers[] = {in.data(), sum.data()};
        partita_start(context, partita_all_reduce, a.words.data(), buffers);
      }
      {
        void *buffers[] = {in.data(), moved.data()};
        partita_start(context, partita_permute, b.words.data(), buffers);
      }
      void *sync[] = {in.data(), largest.data()};
      partita_all_reduce(context, c.words.data(), sync);
      partita_done(context, 2);
      void *second[] = {in.data(), again.data()};
      partita_start(context, partita_all_reduce, a.words.data(), second);
      partita_done(context, 1);
      partita_done(context, 1);
      ASSERT_EQ(sum[63], 6);
      ASSERT_EQ(again[0], 6);
      ASSERT_EQ(moved[5], float((int64_t(id) + 3) % 4));
      ASSERT_EQ(largest[7], id < 2 ? 1 : 3);
      sum.assign(64, 0);
    }
  }),
            "");
}

TEST(Collectives, ThreadsStayBetweenRuns) {
  World world({.numDevices = 3});
  std::vector<std::thread::id> first(3), second(3);
  for (auto *ids : {&first, &second})
    EXPECT_EQ(world.run([&](partita_context *context) {
      (*ids)[partita_device_id(context)] = std::this_thread::get_id();
    }),
              "");
  EXPECT_EQ(first, second);
}

/// Too much data for one thread to do the work of all.
TEST(Collectives, LargeGatherAndBroadcast) {
  constexpr int64_t count = 20000, devices = 4;
  Call gather(1, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {count * devices}}});
  gather.groups({{3, 1, 0, 2}});
  Call broadcast(2, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {count}}});
  broadcast.groups({{3, 1, 0, 2}}).add(1);
  World world({.numDevices = devices});
  EXPECT_EQ(world.run([&](partita_context *context) {
    std::vector<float> in(count, float(partita_device_id(context))),
        all(count * devices), one(count);
    void *buffers[] = {in.data(), all.data()}, *others[] = {in.data(), one.data()};
    for (int round = 0; round < 20; ++round) {
      partita_all_gather(context, gather.get(), buffers);
      partita_broadcast(context, broadcast.get(), others);
      ASSERT_EQ(all[0], 3);
      ASSERT_EQ(all[count], 1);
      ASSERT_EQ(all[4 * count - 1], 2);
      ASSERT_EQ(one[count - 1], 1);
      all.assign(count * devices, -1);
    }
  }),
            "");
}

TEST(Collectives, Arenas) {
  World world({.numDevices = 2, .arenaBytes = 1000});
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(world.run([&](partita_context *context) {
      char *arena = static_cast<char *>(partita_arena(context));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(arena) % 64, 0u);
      EXPECT_EQ(arena, world.getArena(partita_device_id(context)));
      EXPECT_EQ(partita_arena_bytes(context), 1000);
      EXPECT_EQ(partita_device_count(context), 2);
      EXPECT_EQ(arena[999], run ? 'x' : 0);
      arena[999] = 'x';
    }),
              "");
}

} // namespace
