// What defines each factorization, on random real and complex matrices.
#include "partita/Support/Lapack.h"
#include "gtest/gtest.h"
#include <random>

using namespace partita;

namespace {

using Number = std::complex<double>;

LapackArray makeArray(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return {shape, std::vector<Number>(count)};
}

class LapackTest : public testing::TestWithParam<bool> {
protected:
  LapackArray makeRandom(int64_t rows, int64_t columns) {
    LapackArray array = makeArray({rows, columns});
    std::normal_distribution<double> normal;
    for (Number &value : array.values)
      value = {normal(generator), GetParam() ? normal(generator) : 0};
    return array;
  }

  std::mt19937 generator{7};
};

Number at(const LapackArray &a, int64_t i, int64_t j) {
  return a.values[i * a.shape[1] + j];
}

LapackArray multiply(const LapackArray &a, const LapackArray &b) {
  LapackArray result = makeArray({a.shape[0], b.shape[1]});
  for (int64_t i = 0; i < a.shape[0]; ++i)
    for (int64_t j = 0; j < b.shape[1]; ++j)
      for (int64_t k = 0; k < a.shape[1]; ++k)
        result.values[i * b.shape[1] + j] += at(a, i, k) * at(b, k, j);
  return result;
}

LapackArray getAdjoint(const LapackArray &a) {
  LapackArray result = makeArray({a.shape[1], a.shape[0]});
  for (int64_t i = 0; i < a.shape[0]; ++i)
    for (int64_t j = 0; j < a.shape[1]; ++j)
      result.values[j * a.shape[0] + i] = std::conj(at(a, i, j));
  return result;
}

/// The part of `a` in whose rows and columns `isIn` holds, the rest zero.
LapackArray getPart(const LapackArray &a, auto isIn) {
  LapackArray result = makeArray(a.shape);
  for (int64_t i = 0; i < a.shape[0]; ++i)
    for (int64_t j = 0; j < a.shape[1]; ++j)
      if (isIn(i, j))
        result.values[i * a.shape[1] + j] = at(a, i, j);
  return result;
}

LapackArray getUpper(const LapackArray &a) {
  return getPart(a, [](int64_t i, int64_t j) { return i <= j; });
}

void expectEqual(const LapackArray &a, const LapackArray &b) {
  ASSERT_EQ(a.shape, b.shape);
  for (size_t i = 0; i < a.values.size(); ++i)
    EXPECT_LT(std::abs(a.values[i] - b.values[i]), 1e-10) << i;
}

std::vector<LapackArray> run(LapackRoutine routine,
                             std::vector<LapackArray> inputs,
                             std::vector<LapackArray> outputs,
                             LapackOptions options = {}) {
  EXPECT_TRUE(runLapack(routine, options, inputs, outputs));
  return outputs;
}

/// The orthogonal matrix of the reflectors, all of its columns.
LapackArray makeOrthogonal(const LapackArray &reflectors,
                           const LapackArray &scales) {
  int64_t m = reflectors.shape[0];
  LapackArray square = makeArray({m, m});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < std::min(m, reflectors.shape[1]); ++j)
      square.values[i * m + j] = at(reflectors, i, j);
  return run(LapackRoutine::Orgqr, {square, scales}, {square})[0];
}

TEST_P(LapackTest, QRGivesTheMatrixBack) {
  for (auto [m, n] : {std::pair(6, 4), {4, 6}, {5, 5}, {1, 3}, {3, 1}}) {
    LapackArray a = makeRandom(m, n);
    auto qr = run(LapackRoutine::Geqrf, {a}, {a, makeArray({std::min(m, n)})});
    LapackArray q = makeOrthogonal(qr[0], qr[1]);
    expectEqual(multiply(q, getUpper(qr[0])), a);
    // From the left and the right, the matrix and its adjoint.
    LapackArray b = makeRandom(m, 2), c = getAdjoint(b);
    for (bool isAdjoint : {false, true}) {
      LapackOptions left, right;
      right.isLeft = false;
      left.isTransposed = right.isTransposed = isAdjoint;
      LapackArray factor = isAdjoint ? getAdjoint(q) : q;
      expectEqual(run(LapackRoutine::Ormqr, {qr[0], qr[1], b}, {b}, left)[0],
                  multiply(factor, b));
      expectEqual(run(LapackRoutine::Ormqr, {qr[0], qr[1], c}, {c}, right)[0],
                  multiply(c, factor));
    }
  }
}

TEST_P(LapackTest, PivotsOrderTheDiagonal) {
  for (auto [m, n] : {std::pair(6, 4), {4, 6}, {5, 5}})
    for (int64_t fixed : {-1, 2}) {
      LapackArray a = makeRandom(m, n), pivots = makeArray({n});
      if (fixed >= 0)
        pivots.values[fixed] = 1;
      int64_t count = std::min(m, n);
      auto qr = run(LapackRoutine::Geqp3, {a, pivots},
                    {a, pivots, makeArray({count})});
      LapackArray moved = makeArray(a.shape);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
          moved.values[i * n + j] =
              at(a, i, int64_t(qr[1].values[j].real()) - 1);
      expectEqual(multiply(makeOrthogonal(qr[0], qr[2]), getUpper(qr[0])),
                  moved);
      if (fixed >= 0)
        EXPECT_EQ(qr[1].values[0], Number(fixed + 1));
      for (int64_t k = fixed >= 0 ? 2 : 1; k < count; ++k)
        EXPECT_LE(std::abs(at(qr[0], k, k)),
                  std::abs(at(qr[0], k - 1, k - 1)) * (1 + 1e-12));
    }
}

TEST_P(LapackTest, HessenbergFormIsSimilar) {
  for (int64_t n : {1, 2, 5}) {
    LapackArray a = makeRandom(n, n);
    auto result = run(LapackRoutine::Gehrd, {a}, {a, makeArray({n - 1})});
    LapackArray form =
        getPart(result[0], [](int64_t i, int64_t j) { return i <= j + 1; });
    // The reflectors of column k begin in row k + 1: moved one column.
    LapackArray reflectors = makeArray({n, n}), scales = makeArray({n});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 1; j < n; ++j)
        reflectors.values[i * n + j] = at(result[0], i, j - 1);
    std::copy(result[1].values.begin(), result[1].values.end(),
              scales.values.begin() + 1);
    LapackArray q = makeOrthogonal(reflectors, scales);
    expectEqual(multiply(multiply(q, form), getAdjoint(q)), a);
  }
}

TEST_P(LapackTest, TridiagonalFormHasTheEigenvalues) {
  for (int64_t n : {1, 2, 6})
    for (bool isLower : {true, false}) {
      LapackArray a = makeRandom(n, n), b = getAdjoint(a);
      for (size_t i = 0; i < a.values.size(); ++i)
        a.values[i] += b.values[i];
      LapackOptions options;
      options.isLower = isLower;
      // The other triangle is not read.
      LapackArray half = getPart(
          a, [&](int64_t i, int64_t j) { return isLower ? i >= j : i <= j; });
      auto result = run(
          LapackRoutine::Sytrd, {half},
          {a, makeArray({n}), makeArray({n - 1}), makeArray({n - 1})}, options);
      LapackArray form = makeArray({n, n});
      for (int64_t i = 0; i < n; ++i) {
        form.values[i * n + i] = result[1].values[i];
        if (i + 1 < n)
          form.values[i * n + i + 1] = form.values[(i + 1) * n + i] =
              result[2].values[i];
      }
      auto getValues = [&](const LapackArray &matrix) {
        return run(LapackRoutine::Syevd, {matrix},
                   {matrix, makeArray({n}), makeArray({})})[1];
      };
      expectEqual(getValues(form), getValues(a));
    }
}

TEST_P(LapackTest, ShapesThatDoNotFitAreRefused) {
  LapackArray a = makeRandom(3, 4), b = makeRandom(2, 2);
  std::vector<LapackArray> outputs = {b};
  EXPECT_FALSE(
      runLapack(LapackRoutine::Ormqr, {}, {a, makeArray({3}), b}, outputs));
  EXPECT_FALSE(runLapack(LapackRoutine::Gehrd, {}, {a}, outputs));
  EXPECT_FALSE(runLapack(LapackRoutine::Sytrd, {}, {a}, outputs));
  EXPECT_FALSE(runLapack(LapackRoutine::Geqp3, {}, {a}, outputs));
  EXPECT_EQ(findLapackRoutine("lapack_sunmqr_ffi"), -1);
  EXPECT_EQ(findLapackRoutine("lapack_cunmqr_ffi"),
            int64_t(LapackRoutine::Ormqr));
}

INSTANTIATE_TEST_SUITE_P(Numbers, LapackTest, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Complex" : "Real";
                         });

} // namespace
