// Windows and convolutions against naive references.
#include "../../../lib/Runtime/Numbers.h"
#include "RuntimeTest.h"
#include <algorithm>
#include <cmath>
#include <optional>

using namespace partita::runtime;
using namespace partita::runtime::testing;
using C64 = std::complex<float>;

namespace {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

struct WindowCase {
  Words in, out, sizes, strides, base, dilations, padding;
};

Call makeWindowCall(const WindowCase &c, partita_dtype dtype, int64_t kind) {
  Call call(1, {{dtype, c.in}, {dtype, {}}}, {{dtype, c.out}});
  call.list(c.sizes)
      .list(c.strides)
      .list(c.base)
      .list(c.dilations)
      .list(c.padding)
      .add(kind);
  return call;
}

/// One- or two-dimensional reference sum.
std::vector<float> referenceWindow(const WindowCase &c,
                                   const std::vector<float> &in, float init) {
  std::vector<float> out;
  auto at = [&](int64_t i, int64_t j) {
    int64_t index[] = {i, j}, found[2];
    for (int d = 0; d < 2; ++d) {
      int64_t x = index[d] - c.padding[2 * d];
      if (x < 0 || x % c.base[d] || x / c.base[d] >= c.in[d])
        return init;
      found[d] = x / c.base[d];
    }
    return in[found[0] * c.in[1] + found[1]];
  };
  for (int64_t i = 0; i < c.out[0]; ++i)
    for (int64_t j = 0; j < c.out[1]; ++j) {
      float sum = init;
      for (int64_t x = 0; x < c.sizes[0]; ++x)
        for (int64_t y = 0; y < c.sizes[1]; ++y)
          sum += at(i * c.strides[0] + x * c.dilations[0],
                    j * c.strides[1] + y * c.dilations[1]);
      out.push_back(sum);
    }
  return out;
}

TEST(ReduceWindow, Cases) {
  WindowCase cases[] = {
      {{5, 6}, {2, 3}, {2, 2}, {2, 2}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
      {{5, 6}, {5, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
      {{4, 5}, {3, 4}, {2, 3}, {2, 2}, {2, 2}, {2, 1}, {1, 0, -1, 2}},
      {{5, 6}, {5, 6}, {1, 6}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 5, 0}}, // forward
                                                                      // sums
      {{5, 6},
       {5, 6},
       {5, 1},
       {1, 1},
       {1, 1},
       {1, 1},
       {0, 4, 0, 0}}}; // backward
                       // sums
  for (const WindowCase &c : cases)
    for (float init : {0.f, 3.f}) {
      auto in = makeData<float>(c.in[0] * c.in[1]);
      auto expected = referenceWindow(c, in, init);
      for (int64_t kind : {PARTITA_ADD, PARTITA_BODY}) {
        std::vector<float> out(c.out[0] * c.out[1]);
        ASSERT_EQ(runOne(partita_reduce_window,
                         makeWindowCall(c, PARTITA_F32, kind),
                         {in.data(), &init, out.data(),
                          reinterpret_cast<void *>(addFloats)}),
                  "");
        EXPECT_EQ(out, expected);
      }
    }
}

TEST(ReduceWindow, MaxOfBF16) {
  std::vector<BF16> in{BF16(1.f), BF16(-2.f), BF16(5.f), BF16(4.f)}, out(2);
  BF16 init(-INFINITY);
  WindowCase c{{4}, {2}, {2}, {2}, {1}, {1}, {0, 0}};
  ASSERT_EQ(runOne(partita_reduce_window,
                   makeWindowCall(c, PARTITA_BF16, PARTITA_MAX),
                   {in.data(), &init, out.data()}),
            "");
  EXPECT_EQ(float(out[0]), 1.f);
  EXPECT_EQ(float(out[1]), 5.f);
}

TEST(ReduceWindow, LeavesTheOperand) {
  std::vector<float> in(4), out(4);
  float init = 0;
  WindowCase c{{4}, {4}, {2}, {1}, {1}, {1}, {0, 0}};
  EXPECT_NE(runOne(partita_reduce_window,
                   makeWindowCall(c, PARTITA_F32, PARTITA_ADD),
                   {in.data(), &init, out.data()}),
            "");
}

void notLess(void *const *arguments, void *const *results) {
  *static_cast<uint8_t *>(results[0]) = *static_cast<float *>(arguments[0]) >=
                                        *static_cast<float *>(arguments[1]);
}

TEST(SelectAndScatter, MaxPoolGradient) {
  std::vector<float> in{1, 3, 2, 2, 9, 0}, source{10, 20, 30}, out(6);
  float init = 1;
  Call call(1, {{PARTITA_F32, {6}}, {PARTITA_F32, {3}}, {PARTITA_F32, {}}},
            {{PARTITA_F32, {6}}});
  // Windows of 3 by 2, one in front: [-,1,3] [3,2,2] [2,9,0].
  call.list({3}).list({2}).list({1, 0});
  ASSERT_EQ(runOne(partita_select_and_scatter, call,
                   {in.data(), source.data(), &init, out.data(),
                    reinterpret_cast<void *>(notLess),
                    reinterpret_cast<void *>(addFloats)}),
            "");
  EXPECT_EQ(out, (std::vector<float>{1, 31, 1, 1, 31, 1}));
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

struct ConvolutionCase {
  bool channelsLast;
  int64_t batch, h, w, features, kh, kw, kernelFeatures, outFeatures, outH,
      outW;
  Words strides, padding, lhsDilation, rhsDilation, reversal;
  int64_t featureGroups = 1, batchGroups = 1;
};

template <typename T>
void testConvolution(partita_dtype dtype, const ConvolutionCase &c) {
  using W = Wide<T>;
  int64_t outBatch = c.batch / c.batchGroups;
  auto in = makeData<T>(c.batch * c.h * c.w * c.features);
  auto kernel = makeData<T>(c.kh * c.kw * c.kernelFeatures * c.outFeatures, 4);
  std::vector<T> out(outBatch * c.outH * c.outW * c.outFeatures);
  bool last = c.channelsLast;
  auto shape = [&](int64_t n, int64_t h, int64_t w, int64_t f) {
    return last ? Words{n, h, w, f} : Words{n, f, h, w};
  };
  Words kernelShape = last ? Words{c.kh, c.kw, c.kernelFeatures, c.outFeatures}
                           : Words{c.outFeatures, c.kernelFeatures, c.kh, c.kw};
  Call call(
      1, {{dtype, shape(c.batch, c.h, c.w, c.features)}, {dtype, kernelShape}},
      {{dtype, shape(outBatch, c.outH, c.outW, c.outFeatures)}});
  Words spatial = last ? Words{1, 2} : Words{2, 3};
  call.add(0).add(last ? 3 : 1).list(spatial);
  call.add(last ? 2 : 1)
      .add(last ? 3 : 0)
      .list(last ? Words{0, 1} : Words{2, 3});
  call.add(0).add(last ? 3 : 1).list(spatial);
  call.list(c.strides).list(c.padding).list(c.lhsDilation).list(c.rhsDilation);
  call.list(c.reversal).add(c.featureGroups).add(c.batchGroups);
  ASSERT_EQ(
      runOne(partita_convolution, call, {in.data(), kernel.data(), out.data()}),
      "");
  auto at = [&](int64_t n, int64_t y, int64_t x, int64_t f, int64_t h,
                int64_t w, int64_t features) {
    return last ? ((n * h + y) * w + x) * features + f
                : ((n * features + f) * h + y) * w + x;
  };
  auto source = [](int64_t o, int64_t stride, int64_t k, int64_t dilation,
                   int64_t low, int64_t base, int64_t size) {
    int64_t i = o * stride + k * dilation - low;
    return i < 0 || i % base || i / base >= size ? -1 : i / base;
  };
  int64_t perFeatureGroup = c.outFeatures / c.featureGroups,
          perBatchGroup = c.outFeatures / c.batchGroups;
  for (int64_t n = 0; n < outBatch; ++n)
    for (int64_t y = 0; y < c.outH; ++y)
      for (int64_t x = 0; x < c.outW; ++x)
        for (int64_t o = 0; o < c.outFeatures; ++o) {
          W sum{};
          for (int64_t ky = 0; ky < c.kh; ++ky)
            for (int64_t kx = 0; kx < c.kw; ++kx)
              for (int64_t f = 0; f < c.kernelFeatures; ++f) {
                int64_t iy = source(y, c.strides[0], ky, c.rhsDilation[0],
                                    c.padding[0], c.lhsDilation[0], c.h);
                int64_t ix = source(x, c.strides[1], kx, c.rhsDilation[1],
                                    c.padding[2], c.lhsDilation[1], c.w);
                if (iy < 0 || ix < 0)
                  continue;
                int64_t wy = c.reversal[0] ? c.kh - 1 - ky : ky;
                int64_t wx = c.reversal[1] ? c.kw - 1 - kx : kx;
                int64_t feature =
                    c.featureGroups > 1
                        ? o / perFeatureGroup * c.kernelFeatures + f
                        : f;
                int64_t item =
                    c.batchGroups > 1 ? o / perBatchGroup * outBatch + n : n;
                int64_t k =
                    last ? ((wy * c.kw + wx) * c.kernelFeatures + f) *
                                   c.outFeatures +
                               o
                         : ((o * c.kernelFeatures + f) * c.kh + wy) * c.kw + wx;
                sum = combine<PARTITA_ADD, W>(
                    sum,
                    combine<PARTITA_MUL, W>(
                        W(in[at(item, iy, ix, feature, c.h, c.w, c.features)]),
                        W(kernel[k])));
              }
          W found(out[at(n, y, x, o, c.outH, c.outW, c.outFeatures)]);
          if constexpr (isFloat<T>)
            ASSERT_NEAR(found, sum,
                        (isHalf<T> ? 0.01 : 1e-4) * (1 + std::abs(sum)));
          else
            ASSERT_EQ(found, sum);
        }
}

TEST(Convolution, Cases) {
  for (bool last : {true, false}) {
    // clang-format off
    ConvolutionCase cases[] = {
        {last, 2, 6, 7, 3, 3, 3, 3, 5, 6, 7, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
        {last, 2, 6, 7, 4, 1, 1, 4, 8, 6, 7, {1, 1}, {0, 0, 0, 0}, {1, 1}, {1, 1}, {0, 0}},
        {last, 1, 7, 7, 2, 3, 2, 2, 3, 3, 4, {2, 2}, {0, 0, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
        {last, 2, 4, 5, 3, 3, 3, 3, 2, 7, 9, {1, 1}, {1, 1, 1, 1}, {2, 2}, {1, 1}, {1, 1}},
        {last, 1, 7, 8, 2, 2, 3, 2, 2, 3, 2, {1, 2}, {-1, 0, 0, 0}, {1, 1}, {3, 2}, {0, 1}},
        {last, 2, 5, 5, 6, 3, 3, 2, 9, 5, 5, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, 3},
        {last, 2, 5, 5, 6, 3, 3, 1, 6, 5, 5, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, 6},
        {last, 4, 5, 5, 3, 3, 3, 3, 6, 5, 5, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, 1, 2},
        // Features and windows of more than one vector, panel and part.
        {last, 2, 4, 9, 5, 3, 3, 5, 16, 4, 9, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
        {last, 1, 3, 7, 70, 3, 3, 70, 70, 3, 7, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
        {last, 1, 9, 13, 20, 3, 2, 10, 50, 4, 6, {2, 2}, {0, 0, 0, 0}, {1, 1}, {1, 2}, {0, 1}, 2},
        {last, 4, 5, 5, 3, 3, 3, 3, 40, 5, 5, {1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, 1, 2},
        // Holes that are left out: by classes of results, some of which no window meets.
        {last, 2, 4, 5, 3, 3, 3, 3, 20, 9, 11, {1, 1}, {2, 2, 2, 2}, {2, 2}, {1, 1}, {1, 1}},
        {last, 1, 5, 4, 3, 2, 1, 3, 17, 12, 10, {1, 1}, {0, 0, 0, 0}, {3, 3}, {1, 1}, {0, 0}},
        {last, 1, 6, 4, 4, 3, 4, 2, 40, 8, 2, {1, 2}, {-1, 0, 1, 2}, {2, 1}, {1, 1}, {0, 1}, 2},
        {last, 1, 3, 9, 2, 3, 3, 2, 16, 3, 11, {1, 1}, {1, 1, -2, -2}, {1, 2}, {1, 1}, {0, 0}},
        // A window as large as the image.
        {last, 7, 4, 5, 3, 4, 5, 3, 20, 1, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}, {1, 1}, {0, 0}}};
    // clang-format on
    for (const ConvolutionCase &c : cases) {
      testConvolution<float>(PARTITA_F32, c);
      testConvolution<BF16>(PARTITA_BF16, c);
      testConvolution<double>(PARTITA_F64, c);
      testConvolution<int32_t>(PARTITA_I32, c);
      testConvolution<C64>(PARTITA_C64, c);
    }
  }
}

/// As in the gradient of a kernel: the window is larger than a block of
/// patches.
TEST(Convolution, LargeWindow) {
  ConvolutionCase c{true, 2, 66, 66,     64,           64,     64,     64,
                    3,    3, 3,  {1, 1}, {0, 0, 0, 0}, {1, 1}, {1, 1}, {0, 0}};
  testConvolution<float>(PARTITA_F32, c);
}

// Large enough for two threads.
TEST(Convolution, Threads) {
  ConvolutionCase c{true, 1,  32, 40,     64,           3,      3,      64,
                    64,   30, 38, {1, 1}, {0, 0, 0, 0}, {1, 1}, {1, 1}, {0, 0}};
  testConvolution<float>(PARTITA_F32, c);
}

} // namespace
