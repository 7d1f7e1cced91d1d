// Kernels against naive references and known values.
#include "partita/Support/ComplexFunctions.h"
#include "RuntimeTest.h"
#include "../../../lib/Runtime/Numbers.h"
#include <algorithm>
#include <cmath>
#include <optional>

using namespace partita::runtime;
using namespace partita::runtime::testing;
using C64 = std::complex<float>;

namespace {

//===----------------------------------------------------------------------===//
// Number formats
//===----------------------------------------------------------------------===//

TEST(Numbers, HalfRoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    F16 half;
    half.bits = uint16_t(bits);
    BF16 brain;
    brain.bits = uint16_t(bits);
    if (!std::isnan(float(half))) {
      ASSERT_EQ(F16(float(half)).bits, bits);
    }
    if (!std::isnan(float(brain))) {
      ASSERT_EQ(BF16(float(brain)).bits, bits);
    }
  }
}

TEST(Numbers, HalfRounding) {
  EXPECT_EQ(F16(65504.f).bits, 0x7bff);
  EXPECT_EQ(F16(65519.f).bits, 0x7bff);
  EXPECT_EQ(F16(65520.f).bits, 0x7c00);
  EXPECT_EQ(F16(1.f + 0x1p-11f).bits, 0x3c00);     // tie to even
  EXPECT_EQ(F16(1.f + 3 * 0x1p-11f).bits, 0x3c02); // tie to even
  EXPECT_EQ(F16(0x1p-25f).bits, 0);
  EXPECT_EQ(F16(0x1.8p-25f).bits, 1);
  EXPECT_EQ(F16(-0.f).bits, 0x8000);
  EXPECT_TRUE(std::isnan(float(F16(NAN))));
  EXPECT_EQ(BF16(1.f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(BF16(1.f + 3 * 0x1p-8f).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(float(BF16(NAN))));
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

template <typename T>
void testMatmul(partita_dtype dtype, int64_t m, int64_t n, int64_t k, bool lhsTurned,
                bool rhsTurned) {
  using W = Wide<T>;
  auto a = makeData<T>(m * k), b = makeData<T>(k * n, 5);
  std::vector<T> c(m * n);
  Call call(1,
            {{dtype, lhsTurned ? Words{k, m} : Words{m, k}},
             {dtype, rhsTurned ? Words{n, k} : Words{k, n}}},
            {{dtype, {m, n}}});
  call.list({}).list({}).list({lhsTurned ? 0 : 1}).list({rhsTurned ? 1 : 0});
  ASSERT_EQ(runOne(partita_dot_general, call, {a.data(), b.data(), c.data()}), "");
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      W sum{};
      for (int64_t l = 0; l < k; ++l)
        sum = combine<PARTITA_ADD, W>(
            sum, combine<PARTITA_MUL, W>(W(a[lhsTurned ? l * m + i : i * k + l]),
                                         W(b[rhsTurned ? j * k + l : l * n + j])));
      W found(c[i * n + j]);
      if constexpr (isFloat<T>)
        ASSERT_NEAR(found, sum, (isHalf<T> ? 0.01 : 1e-5) * (1 + std::abs(sum)));
      else
        ASSERT_EQ(found, sum);
    }
}

TEST(DotGeneral, AllTypesAndLayouts) {
  for (int dtype = PARTITA_F64; dtype <= PARTITA_C128; ++dtype)
    dispatch(partita_dtype(dtype), [&](auto type) {
      using T = decltype(type);
      for (int layout = 0; layout < 4; ++layout) {
        testMatmul<T>(partita_dtype(dtype), 5, 7, 9, layout & 1, layout & 2);
        testMatmul<T>(partita_dtype(dtype), 33, 20, 40, layout & 1, layout & 2);
        testMatmul<T>(partita_dtype(dtype), 1, 90, 64, layout & 1, layout & 2);
        testMatmul<T>(partita_dtype(dtype), 90, 1, 64, layout & 1, layout & 2);
        testMatmul<T>(partita_dtype(dtype), 2, 3, 0, layout & 1, layout & 2);
      }
    });
}

TEST(DotGeneral, Attention) {
  // [B, T, H, D] x [B, S, H, D] -> [B, H, T, S], and a mixed order of dimensions.
  int64_t B = 2, T = 5, H = 3, D = 16, S = 20;
  auto q = makeData<float>(B * T * H * D), k = makeData<float>(B * S * H * D, 3);
  std::vector<float> out(B * H * T * S);
  Call call(1, {{PARTITA_F32, {B, T, H, D}}, {PARTITA_F32, {B, S, H, D}}},
            {{PARTITA_F32, {B, H, T, S}}});
  call.list({0, 2}).list({0, 2}).list({3}).list({3});
  ASSERT_EQ(runOne(partita_dot_general, call, {q.data(), k.data(), out.data()}), "");
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t t = 0; t < T; ++t)
        for (int64_t s = 0; s < S; ++s) {
          float sum = 0;
          for (int64_t d = 0; d < D; ++d)
            sum += q[((b * T + t) * H + h) * D + d] * k[((b * S + s) * H + h) * D + d];
          ASSERT_NEAR(out[((b * H + h) * T + t) * S + s], sum, 1e-4);
        }
}

TEST(DotGeneral, SeveralContractingDimensions) {
  // lhs [2, 3, 4, 5] contracts (3, 1), rhs [5, 3, 6] contracts (0, 1).
  auto a = makeData<double>(120), b = makeData<double>(90, 2);
  std::vector<double> c(2 * 4 * 6);
  Call call(1, {{PARTITA_F64, {2, 3, 4, 5}}, {PARTITA_F64, {5, 3, 6}}},
            {{PARTITA_F64, {2, 4, 6}}});
  call.list({}).list({}).list({3, 1}).list({0, 1});
  ASSERT_EQ(runOne(partita_dot_general, call, {a.data(), b.data(), c.data()}), "");
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int l = 0; l < 6; ++l) {
        double sum = 0;
        for (int x = 0; x < 5; ++x)
          for (int y = 0; y < 3; ++y)
            sum += a[((i * 3 + y) * 4 + j) * 5 + x] * b[(x * 3 + y) * 6 + l];
        ASSERT_NEAR(c[(i * 4 + j) * 6 + l], sum, 1e-9);
      }
}

TEST(DotGeneral, WideResult) {
  std::vector<int8_t> a{100, 100}, b{100, 100};
  int32_t out = 0;
  Call call(1, {{PARTITA_I8, {2}}, {PARTITA_I8, {2}}}, {{PARTITA_I32, {}}});
  call.list({}).list({}).list({0}).list({0});
  EXPECT_EQ(runOne(partita_dot_general, call, {a.data(), b.data(), &out}), "");
  EXPECT_EQ(out, 20000);
}

TEST(DotGeneral, BadSizes) {
  std::vector<float> a(6), b(6), c(9);
  Call call(4, {{PARTITA_F32, {3, 2}}, {PARTITA_F32, {3, 2}}}, {{PARTITA_F32, {3, 2}}});
  call.list({}).list({}).list({1}).list({0});
  EXPECT_NE(runOne(partita_dot_general, call, {a.data(), b.data(), c.data()}).find("op 4"),
            std::string::npos);
  Call rank(4, {{PARTITA_F32, {6}}, {PARTITA_F32, {6}}}, {{PARTITA_F32, {}}});
  rank.list({}).list({}).list({3}).list({0});
  EXPECT_NE(runOne(partita_dot_general, rank, {a.data(), b.data(), c.data()}), "");
}

//===----------------------------------------------------------------------===//
// sort, top_k
//===----------------------------------------------------------------------===//

void lessFirst(void *const *arguments, void *const *results) {
  *static_cast<uint8_t *>(results[0]) =
      *static_cast<float *>(arguments[0]) < *static_cast<float *>(arguments[1]);
}

TEST(Sort, PairsAlongADimension) {
  int64_t n = 50, m = 3;
  auto keys = makeData<float>(n * m);
  std::vector<int32_t> values(n * m);
  std::iota(values.begin(), values.end(), 0);
  std::vector<float> sorted(n * m);
  std::vector<int32_t> moved(n * m);
  Type f{PARTITA_F32, {n, m}}, s{PARTITA_I32, {n, m}};
  Call call(1, {f, s}, {f, s});
  call.add(0).add(1);
  ASSERT_EQ(runOne(partita_sort, call,
                   {keys.data(), values.data(), sorted.data(), moved.data(),
                    reinterpret_cast<void *>(lessFirst)}),
            "");
  for (int64_t c = 0; c < m; ++c) {
    std::vector<int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return std::pair(keys[a * m + c], a) < std::pair(keys[b * m + c], b);
    });
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(sorted[i * m + c], keys[order[i] * m + c]);
      ASSERT_EQ(moved[i * m + c], values[order[i] * m + c]);
    }
  }
}

TEST(TopK, TiesAndNaN) {
  std::vector<float> in{1, 3, NAN, 3, -1, 2, 2, 2, 0, 5};
  std::vector<float> values(6);
  std::vector<int32_t> indices(6);
  Call call(1, {{PARTITA_F32, {2, 5}}}, {{PARTITA_F32, {2, 3}}, {PARTITA_I32, {2, 3}}});
  call.add(3);
  ASSERT_EQ(runOne(partita_top_k, call, {in.data(), values.data(), indices.data()}), "");
  EXPECT_EQ(indices, (std::vector<int32_t>{2, 1, 3, 4, 0, 1}));
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[3], 5);
  // The total order: NaN by its sign, and -0 below 0.
  in = {-NAN, -0.0f, 0, -0.0f, 0, NAN, 1, -NAN, -1, -INFINITY};
  ASSERT_EQ(runOne(partita_top_k, call, {in.data(), values.data(), indices.data()}), "");
  EXPECT_EQ(indices, (std::vector<int32_t>{2, 4, 1, 0, 1, 3}));
}

//===----------------------------------------------------------------------===//
// gather, scatter
//===----------------------------------------------------------------------===//

TEST(Gather, RowsAreClamped) {
  std::vector<int16_t> table{0, 1, 10, 11, 20, 21};
  std::vector<int32_t> indices{2, 0, 7, -3};
  std::vector<int16_t> out(8);
  Call call(1, {{PARTITA_I16, {3, 2}}, {PARTITA_I32, {4, 1}}}, {{PARTITA_I16, {4, 2}}});
  call.list({1}).list({0}).list({}).list({}).list({0}).add(1).list({1, 2});
  ASSERT_EQ(runOne(partita_gather, call, {table.data(), indices.data(), out.data()}), "");
  EXPECT_EQ(out, (std::vector<int16_t>{20, 21, 0, 1, 20, 21, 0, 1}));
}

TEST(Gather, BatchingAndWindows) {
  // operand [2, 3, 4], indices [2, 2] (batched over 0): windows [2, 1] at columns.
  auto operand = makeData<double>(24);
  std::vector<uint8_t> indices{1, 3, 0, 2};
  std::vector<double> out(2 * 2 * 2);
  Call call(1, {{PARTITA_F64, {2, 3, 4}}, {PARTITA_UI8, {2, 2}}},
            {{PARTITA_F64, {2, 2, 2}}});
  // Result [window, batch, index].
  call.list({0}).list({2}).list({0}).list({0}).list({2}).add(2).list({1, 2, 1});
  ASSERT_EQ(runOne(partita_gather, call, {operand.data(), indices.data(), out.data()}), "");
  for (int w = 0; w < 2; ++w)
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < 2; ++i)
        EXPECT_EQ(out[(w * 2 + b) * 2 + i], operand[(b * 3 + w) * 4 + indices[b * 2 + i]]);
}

TEST(Scatter, KindsAndBody) {
  std::vector<float> operand{0, 0, 1, 1, 2, 2}, updates{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int64_t> indices{2, 0, 2, 5}; // the last is dropped
  for (int kind : {PARTITA_ADD, PARTITA_SET, PARTITA_MAX, PARTITA_BODY}) {
    std::vector<float> out(6);
    Call call(1, {{PARTITA_F32, {3, 2}}, {PARTITA_I64, {4, 1}}, {PARTITA_F32, {4, 2}}},
              {{PARTITA_F32, {3, 2}}});
    call.list({1}).list({0}).list({}).list({}).list({0}).add(1).add(kind);
    ASSERT_EQ(runOne(partita_scatter, call,
                     {operand.data(), indices.data(), updates.data(), out.data(),
                      reinterpret_cast<void *>(addFloats)}),
              "");
    std::vector<float> expected = kind == PARTITA_SET   ? std::vector<float>{3, 4, 1, 1, 5, 6}
                                  : kind == PARTITA_MAX ? std::vector<float>{3, 4, 1, 1, 5, 6}
                                                        : std::vector<float>{3, 4, 1, 1, 8, 10};
    EXPECT_EQ(out, expected) << kind;
  }
}

TEST(Scatter, WindowsOfSeveralDimensions) {
  // Updates [2 (column window), 2 (index)] into operand [3, 4] at (row, column).
  std::vector<int32_t> operand(12), updates{1, 2, 3, 4}, out(12);
  std::vector<int32_t> indices{0, 2, /*second, leaves:*/ 1, 3};
  Call call(1, {{PARTITA_I32, {3, 4}}, {PARTITA_I32, {2, 2}}, {PARTITA_I32, {2, 2}}},
            {{PARTITA_I32, {3, 4}}});
  call.list({0}).list({0}).list({}).list({}).list({0, 1}).add(1).add(PARTITA_ADD);
  ASSERT_EQ(runOne(partita_scatter, call,
                   {operand.data(), indices.data(), updates.data(), out.data()}),
            "");
  std::vector<int32_t> expected(12);
  expected[2] = 1, expected[3] = 3;
  EXPECT_EQ(out, expected);
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

template <typename T>
std::vector<T> makeBits(int64_t algorithm, std::vector<uint64_t> &state, partita_dtype dtype,
                        Words shape) {
  std::vector<T> bits(std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                      std::multiplies<int64_t>()));
  std::vector<uint64_t> next(state.size());
  Type type{PARTITA_UI64, {int64_t(state.size())}};
  Call call(1, {type}, {type, {dtype, shape}});
  call.add(algorithm);
  EXPECT_EQ(runOne(partita_rng_bit_generator, call, {state.data(), next.data(), bits.data()}),
            "");
  state = next;
  return bits;
}

TEST(Random, KnownValues) {
  // Threefry-2x32 and Philox-4x32 of zeros, from the authors' known answers.
  std::vector<uint64_t> state{0, 0};
  EXPECT_EQ(makeBits<uint32_t>(1, state, PARTITA_UI32, {2}),
            (std::vector<uint32_t>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(state, (std::vector<uint64_t>{0, 1}));
  state = {0, 0, 0};
  EXPECT_EQ(makeBits<uint32_t>(2, state, PARTITA_UI32, {4}),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(state, (std::vector<uint64_t>{0, 1, 0}));
}

TEST(Random, ShapesAndWidths) {
  std::vector<uint64_t> a{7, 9}, b{7, 9}, c{7, 9};
  auto words = makeBits<uint32_t>(1, a, PARTITA_UI32, {3, 4});
  auto narrow = makeBits<uint8_t>(1, b, PARTITA_UI8, {3, 4});
  auto wide = makeBits<uint64_t>(1, c, PARTITA_UI64, {6});
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(narrow[i], uint8_t(words[i]));
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 2; ++k) // neighbours along the even dimension
      EXPECT_EQ(wide[row * 2 + k],
                words[row * 4 + 2 * k] | uint64_t(words[row * 4 + 2 * k + 1]) << 32);
  EXPECT_EQ(a, (std::vector<uint64_t>{7, 15}));
  std::vector<uint64_t> odd{7, 9};
  makeBits<uint32_t>(1, odd, PARTITA_UI32, {3, 5});
  EXPECT_EQ(odd[1], 9u + 9u); // along the longest: 3 x 3 counters
  std::vector<uint64_t> bad{7};
  Call call(1, {{PARTITA_UI64, {1}}}, {{PARTITA_UI64, {1}}, {PARTITA_UI32, {1}}});
  call.add(1);
  uint32_t out;
  EXPECT_NE(runOne(partita_rng_bit_generator, call, {bad.data(), bad.data(), &out}), "");
}

//===----------------------------------------------------------------------===//
// fft, linear algebra, functions
//===----------------------------------------------------------------------===//

TEST(Fft, AgainstTheSum) {
  for (int64_t n : {1, 2, 3, 8, 12, 7, 30}) {
    auto in = makeData<C64>(2 * n);
    std::vector<C64> out(2 * n), back(2 * n);
    Type type{PARTITA_C64, {2, n}};
    Call call(1, {type}, {type}), inverse = call;
    call.add(0).list({n});
    inverse.add(1).list({n});
    ASSERT_EQ(runOne(partita_fft, call, {in.data(), out.data()}), "");
    ASSERT_EQ(runOne(partita_fft, inverse, {out.data(), back.data()}), "");
    for (int64_t i = 0; i < 2 * n; ++i) {
      std::complex<double> sum = 0;
      for (int64_t k = 0; k < n; ++k)
        sum += std::complex<double>(in[i / n * n + k]) *
               std::polar(1.0, -2 * M_PI * double(k * (i % n)) / double(n));
      EXPECT_LT(std::abs(sum - std::complex<double>(out[i])), 1e-4);
      EXPECT_LT(std::abs(in[i] - back[i]), 1e-4f);
    }
  }
}

TEST(Fft, RealInTwoDimensions) {
  for (int64_t n : {6, 5}) {
    auto in = makeData<double>(4 * n);
    std::vector<std::complex<double>> half(4 * (n / 2 + 1)), whole(in.begin(), in.end()),
        out(4 * n);
    std::vector<double> back(4 * n);
    Type real{PARTITA_F64, {4, n}}, narrow{PARTITA_C128, {4, n / 2 + 1}},
        full{PARTITA_C128, {4, n}};
    Call to(1, {real}, {narrow}), from(2, {narrow}, {real}), complete(3, {full}, {full});
    to.add(2).list({4, n});
    from.add(3).list({4, n});
    complete.add(0).list({4, n});
    ASSERT_EQ(runOne(partita_fft, to, {in.data(), half.data()}), "");
    ASSERT_EQ(runOne(partita_fft, from, {half.data(), back.data()}), "");
    ASSERT_EQ(runOne(partita_fft, complete, {whole.data(), out.data()}), "");
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t k = 0; k < n; ++k) {
        EXPECT_NEAR(back[i * n + k], in[i * n + k], 1e-9);
        if (k <= n / 2) {
          EXPECT_LT(std::abs(half[i * (n / 2 + 1) + k] - out[i * n + k]), 1e-9);
        }
      }
  }
}

TEST(LinearAlgebra, Cholesky) {
  std::vector<float> a{4, 9, 2, 5}, out(4); // each triangle by itself
  for (bool lower : {true, false}) {
    Call call(1, {{PARTITA_F32, {2, 2}}}, {{PARTITA_F32, {2, 2}}});
    call.add(lower);
    ASSERT_EQ(runOne(partita_cholesky, call, {a.data(), out.data()}), "");
    if (lower)
      EXPECT_EQ(out, (std::vector<float>{2, 0, 1, 2}));
    else
      EXPECT_TRUE(std::isnan(out[0])); // 5 - (9 / 2)^2 < 0
  }
}

TEST(LinearAlgebra, TriangularSolveAllForms) {
  using C = std::complex<double>;
  int64_t n = 3, m = 2;
  std::vector<C> full = makeData<C>(n * n, 3);
  for (int64_t i = 0; i < n; ++i)
    full[i * n + i] = C(3 + double(i), 1);
  for (int form = 0; form < 24; ++form) {
    bool left = form & 1, lower = form & 2, unit = form & 4;
    int transposition = form / 8;
    auto b = makeData<C>(n * m, 5);
    std::vector<C> x(n * m);
    Type type{PARTITA_C128, left ? Words{n, m} : Words{m, n}};
    Call call(1, {{PARTITA_C128, {n, n}}, type}, {type});
    call.add(left).add(lower).add(unit).add(transposition);
    ASSERT_EQ(runOne(partita_triangular_solve, call, {full.data(), b.data(), x.data()}), "");
    auto at = [&](int64_t i, int64_t j) {
      if (transposition)
        std::swap(i, j);
      C value = i == j && unit ? C(1) : (lower ? j <= i : j >= i) ? full[i * n + j] : C(0);
      return transposition == 2 ? std::conj(value) : value;
    };
    for (int64_t i = 0; i < (left ? n : m); ++i)
      for (int64_t j = 0; j < (left ? m : n); ++j) {
        C sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum += left ? at(i, k) * x[k * m + j] : x[i * n + k] * at(k, j);
        ASSERT_LT(std::abs(sum - b[i * (left ? m : n) + j]), 1e-8) << form;
      }
  }
}

double callFunction(int64_t function, double a, std::optional<double> b = {}) {
  double out = 0;
  Type type{PARTITA_F64, {1}};
  Call call(1, b ? std::vector<Type>{type, type} : std::vector<Type>{type}, {type});
  call.add(function);
  double second = b.value_or(0);
  std::vector<void *> buffers = b ? std::vector<void *>{&a, &second, &out}
                                  : std::vector<void *>{&a, &out};
  EXPECT_EQ(runOne(partita_elementwise, call, buffers), "");
  return out;
}

TEST(Elementwise, KnownValues) {
  EXPECT_NEAR(callFunction(PARTITA_ERF_INV, 0.5), 0.4769362762044699, 1e-12);
  EXPECT_NEAR(callFunction(PARTITA_LGAMMA, -0.5), 1.2655121234846454, 1e-12);
  EXPECT_NEAR(callFunction(PARTITA_DIGAMMA, 1), -0.5772156649015329, 1e-12);
  EXPECT_NEAR(callFunction(PARTITA_BESSEL_I1E, 1), 0.2079104153497085, 1e-12);
  EXPECT_NEAR(callFunction(PARTITA_POLYGAMMA, 1, 1), M_PI * M_PI / 6, 1e-12);
  EXPECT_NEAR(callFunction(PARTITA_ZETA, 2, 1), M_PI * M_PI / 6, 1e-12);
  EXPECT_EQ(callFunction(PARTITA_NEXT_AFTER, 1, 2), 1 + 0x1p-52);
}

/// f32 has a way of its own.
TEST(Elementwise, ErfInverseOfF32) {
  std::vector<float> in = {0, 1e-20f, 0.25f, -0.5f, 0.9f, 0.999827445f, -0.99999994f, 1, 2},
                     out(in.size());
  Type type{PARTITA_F32, {int64_t(in.size())}};
  Call call(1, {type}, {type});
  call.add(PARTITA_ERF_INV);
  ASSERT_EQ(runOne(partita_elementwise, call, {in.data(), out.data()}), "");
  for (size_t i = 0; i + 2 < in.size(); ++i)
    EXPECT_NEAR(std::erf(double(out[i])), in[i], 2e-7 * std::abs(in[i])) << in[i];
  EXPECT_NEAR(out[6], -3.8325, 1e-4);
  EXPECT_EQ(out[7], HUGE_VALF);
  EXPECT_TRUE(std::isnan(out[8]));
}

/// An element's result does not depend on where it stands: shards are bit-equal.
TEST(Elementwise, ErfInverseOfF32AnyPlace) {
  std::vector<float> in, whole(21);
  for (int i = 0; i < 21; ++i)
    in.push_back(std::tanh(0.3f * float(i - 10)));
  auto apply = [](float *from, float *to, int64_t count) {
    Type type{PARTITA_F32, {count}};
    Call call(1, {type}, {type});
    call.add(PARTITA_ERF_INV);
    EXPECT_EQ(runOne(partita_elementwise, call, {from, to}), "");
  };
  apply(in.data(), whole.data(), 21);
  for (int i = 0; i < 21; ++i) {
    float alone = 0;
    apply(&in[i], &alone, 1);
    EXPECT_EQ(alone, whole[i]) << in[i];
    EXPECT_NEAR(std::erf(double(alone)), in[i], 2e-7 * std::abs(in[i]));
  }
}

TEST(Elementwise, NarrowTypes) {
  std::vector<F16> a{F16(1.f), F16(0.f), F16(-1.f), F16(0.f)},
      b{F16(2.f), F16(-1.f), F16(0.f), F16(0.f)}, out(4);
  Type type{PARTITA_F16, {4}};
  Call call(1, {type, type}, {type});
  call.add(PARTITA_NEXT_AFTER);
  ASSERT_EQ(runOne(partita_elementwise, call, {a.data(), b.data(), out.data()}), "");
  EXPECT_EQ(out[0].bits, 0x3c01);
  EXPECT_EQ(out[1].bits, 0x8001);
  EXPECT_EQ(out[2].bits, 0xbbff);
  EXPECT_EQ(out[3].bits, 0);
  std::vector<C64> x{C64(0, 1), C64(0), C64(0)}, y{C64(2), C64(0), C64(1)}, z(3);
  Type complex{PARTITA_C64, {3}};
  Call power(1, {complex, complex}, {complex});
  power.add(partita::findComplexFunction("power"));
  ASSERT_EQ(runOne(partita_elementwise, power, {x.data(), y.data(), z.data()}), "");
  EXPECT_LT(std::abs(z[0] - C64(-1, 0)), 1e-6f);
  EXPECT_EQ(z[1], C64(1));
  EXPECT_EQ(z[2], C64(0));
  Call refused(3, {{PARTITA_I32, {1}}}, {{PARTITA_I32, {1}}});
  refused.add(PARTITA_LGAMMA);
  int32_t i = 0, o = 0;
  EXPECT_NE(runOne(partita_elementwise, refused, {&i, &o}).find("op 3 (elementwise)"),
            std::string::npos);
}

TEST(UnknownCall, EndsTheRunWithItsName) {
  Call call(4, {}, {{PARTITA_F32, {}}});
  call.list({'t', 'r', 'a', 'p'});
  float result = 0;
  EXPECT_EQ(runOne(partita_unknown_call, call, {&result}),
            "device 0, op 4 (unknown_call): custom call @trap is no routine "
            "that the runtime has");
}

TEST(Symbols, AllThere) {
  EXPECT_EQ(getSymbols().size(), 33u);
  for (auto [name, address] : getSymbols())
    EXPECT_TRUE(address) << name;
}

} // namespace
