// Collectives on one card and by NCCL give the bytes of the CPU's.
#include "CudaRuntimeTest.h"

using namespace partita::runtime;
using namespace partita::runtime::testing;

namespace {

const partita_dtype kTypes[] = {
    PARTITA_F64,  PARTITA_F32,  PARTITA_BF16, PARTITA_F16, PARTITA_I1,
    PARTITA_I8,   PARTITA_I16,  PARTITA_I32,  PARTITA_I64, PARTITA_UI8,
    PARTITA_UI16, PARTITA_UI32, PARTITA_UI64, PARTITA_C64, PARTITA_C128};

bool isDefined(partita_reduction kind, partita_dtype dtype) {
  if (kind == PARTITA_ADD || kind == PARTITA_MUL)
    return true;
  if (kind == PARTITA_MAX || kind == PARTITA_MIN)
    return dtype != PARTITA_C64 && dtype != PARTITA_C128;
  return dtype >= PARTITA_I1 && dtype <= PARTITA_UI64;
}

class Transport : public ::testing::TestWithParam<GPUTransport> {
protected:
  GPUOptions options(int64_t devices) {
    GPUOptions options;
    options.numDevices = devices;
    options.transport = GetParam();
    return options;
  }

  /// Inputs of `count` elements on each device, zero outputs.
  void expect(const std::string &name, Call call, int64_t devices,
              partita_dtype dtype, int64_t in, int64_t out) {
    Buffers inputs, outputs;
    for (int64_t d = 0; d < devices; ++d) {
      inputs.push_back({makeBytes(dtype, in, d)});
      outputs.push_back({Buffer(out * getBytes(dtype))});
    }
    expectSame(name, call, options(devices), inputs, outputs);
  }
};

const std::vector<Words> kAll{{0, 1, 2, 3}}, kPairs{{2, 0}, {1, 3}},
    kSome{{3, 1}};

} // namespace

INSTANTIATE_TEST_SUITE_P(Both, Transport,
                         ::testing::Values(GPUTransport::OneCard,
                                           GPUTransport::NCCL),
                         [](const auto &info) {
                           return info.param == GPUTransport::NCCL ? "NCCL"
                                                                   : "OneCard";
                         });

TEST_P(Transport, AllReduceOfEveryTypeAndKind) {
  for (partita_dtype dtype : kTypes)
    for (int kind = PARTITA_ADD; kind <= PARTITA_XOR; ++kind) {
      if (!isDefined(partita_reduction(kind), dtype))
        continue;
      Call call(7, {{dtype, {3, 5}}}, {{dtype, {3, 5}}});
      expect("partita_all_reduce", call.groups(kAll).add(kind), 4, dtype, 15,
             15);
    }
}

TEST_P(Transport, AllReduceOfLargeArraysAndSubgroups) {
  for (const auto &groups : {kAll, kPairs, kSome})
    for (int64_t count : {0, 1, 1025, 5000}) {
      Call call(7, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {count}}});
      expect("partita_all_reduce", call.groups(groups).add(PARTITA_ADD), 4,
             PARTITA_F32, count, count);
    }
}

TEST_P(Transport, MaximumKeepsNaN) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> first{1, nan, 3, -0.0f}, second{nan, 2, 4, 0.0f};
  Buffers inputs(2), outputs(2, {Buffer(16)});
  for (int d = 0; d < 2; ++d) {
    auto *data = reinterpret_cast<const char *>((d ? second : first).data());
    inputs[d] = {Buffer(data, data + 16)};
  }
  std::vector<Words> both{{0, 1}};
  Call call(7, {{PARTITA_F32, {4}}}, {{PARTITA_F32, {4}}});
  Buffers got = outputs;
  Function function = getGPUFunction("partita_all_reduce");
  call.groups(both).add(PARTITA_MAX);
  ASSERT_EQ(runOnGPU(options(2), inputs, got,
                     [&](partita_context *context, void **buffers) {
                       function(context, call.get(), buffers);
                     }),
            "");
  const auto *values = reinterpret_cast<const float *>(got[1][0].data());
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]));
  EXPECT_EQ(values[2], 4);
  EXPECT_FALSE(std::signbit(values[3]));
}

TEST_P(Transport, Gathers) {
  for (const auto &groups : {kAll, kPairs, kSome}) {
    int64_t size = int64_t(groups[0].size());
    Call call(7, {{PARTITA_BF16, {5}}}, {{PARTITA_BF16, {size, 5}}});
    expect("partita_all_gather", call.groups(groups), 4, PARTITA_BF16, 5,
           5 * size);
  }
}

TEST_P(Transport, ReduceScatters) {
  for (int kind : {PARTITA_ADD, PARTITA_MAX})
    for (partita_dtype dtype : {PARTITA_F32, PARTITA_I16, PARTITA_F16}) {
      Call call(7, {{dtype, {4, 33}}}, {{dtype, {33}}});
      expect("partita_reduce_scatter", call.groups(kAll).add(kind), 4, dtype,
             132, 33);
    }
}

TEST_P(Transport, MovesParts) {
  for (const auto &groups : {kAll, kPairs, kSome}) {
    int64_t size = int64_t(groups[0].size());
    Call all(7, {{PARTITA_I32, {size, 9}}}, {{PARTITA_I32, {size, 9}}});
    expect("partita_all_to_all", all.groups(groups), 4, PARTITA_I32, 9 * size,
           9 * size);
    Call root(8, {{PARTITA_I8, {7}}}, {{PARTITA_I8, {7}}});
    expect("partita_broadcast", root.groups(groups).add(1), 4, PARTITA_I8, 7,
           7);
  }
  Call permute(9, {{PARTITA_F64, {3}}}, {{PARTITA_F64, {3}}});
  expect("partita_permute", permute.list({0, 1, 1, 2, 2, 0}), 4, PARTITA_F64, 3,
         3);
}

TEST_P(Transport, ExchangesBoxes) {
  // Rows wander by one device, columns shift inside.
  Call call(7, {{PARTITA_F16, {4, 6}}}, {{PARTITA_F16, {3, 7}}});
  call.add(5).items({0, 1, 1, 0, 2, 0, 2, 4}).items({1, 2, 0, 1, 2, 1, 0, 5});
  call.items({2, 2, 3, 2, 1, 2, 3, 4})
      .items({3, 0, 0, 0, 1, 0, 0, 6})
      .items({2, 1, 3, 2, 1, 0, 1, 6});
  expect("partita_exchange", call, 4, PARTITA_F16, 24, 21);
}

TEST_P(Transport, RaggedOnTheHost) {
  std::vector<Words> both{{0, 1}};
  Type list{PARTITA_I32, {2}};
  Call call(
      7, {{PARTITA_F32, {4, 2}}, {PARTITA_F32, {4, 2}}, list, list, list, list},
      {{PARTITA_F32, {4, 2}}});
  auto ints = [](int32_t a, int32_t b) {
    int32_t values[] = {a, b};
    auto *data = reinterpret_cast<const char *>(values);
    return Buffer(data, data + 8);
  };
  Buffers inputs, outputs;
  for (int64_t d = 0; d < 2; ++d) {
    inputs.push_back({makeBytes(PARTITA_F32, 8, d),
                      makeBytes(PARTITA_F32, 8, d + 5), ints(0, 2), ints(2, 1),
                      ints(int32_t(2 * d), int32_t(d)), ints(2, 1)});
    outputs.push_back({Buffer(32)});
  }
  expectSame("partita_ragged_all_to_all", call.groups(both), options(2), inputs,
             outputs);
}

TEST_P(Transport, StartedCollectivesOverlapAndReachTheProgram) {
  const int64_t count = 3000;
  Call sum(7, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {count}}});
  sum.groups(kAll).add(PARTITA_ADD);
  Call next(8, {{PARTITA_F32, {count}}}, {{PARTITA_F32, {4, count}}});
  next.groups(kAll);
  Function reduce = getGPUFunction("partita_all_reduce");
  Function gather = getGPUFunction("partita_all_gather");
  using Start =
      void (*)(partita_context *, Function, const int64_t *, void *const *);
  using Done = void (*)(partita_context *, int64_t);
  auto start = reinterpret_cast<Start>((void *)getGPUFunction("partita_start"));
  auto done = reinterpret_cast<Done>((void *)getGPUFunction("partita_done"));
  Buffers inputs, outputs;
  for (int64_t d = 0; d < 4; ++d) {
    inputs.push_back({makeBytes(PARTITA_F32, count, d)});
    outputs.push_back(
        {Buffer(4 * count), Buffer(16 * count), Buffer(4 * count)});
  }
  Program program = [&](partita_context *context, void **buffers) {
    for (int round = 0; round < 40; ++round) { // more events than the pool has
      void *first[] = {buffers[0], buffers[1]},
           *second[] = {buffers[0], buffers[2]};
      start(context, reduce, sum.get(), first);
      start(context, gather, next.get(), second);
      done(context, 7);
      partita_copy(context, buffers[3], buffers[1], 4 * count);
      done(context, 8);
    }
  };
  ASSERT_EQ(runOnGPU(options(4), inputs, outputs, program), "");
  for (int64_t d = 0; d < 4; ++d)
    for (int64_t i = 0; i < count; ++i) {
      auto value = [&](int64_t device) {
        return float((device * 7 + i * 5 + 3) % 11 - 4);
      };
      float sumOfAll = value(0) + value(1) + value(2) + value(3);
      ASSERT_EQ(reinterpret_cast<float *>(outputs[d][2].data())[i], sumOfAll);
      ASSERT_EQ(reinterpret_cast<float *>(outputs[d][1].data())[3 * count + i],
                value(3));
    }
}
