// Eigenvalues and vectors of general complex matrices: Hessenberg form, shifted
// QR steps to Schur form, back substitution.

#include "MatrixFactors.h"
#include <algorithm>
#include <cmath>

namespace partita {

using Number = Matrix::Number;

namespace {

/// a = z t z^H with t upper triangular.
class SchurForm {
public:
  explicit SchurForm(const Matrix &a)
      : n(a.rows), t(a), z(Matrix::identity(a.rows, a.rows)) {
    makeHessenberg();
    iterate();
  }

  int64_t n;
  Matrix t, z;

private:
  /// Plane rotation [c s; -conj(s) c].
  struct Rotation {
    double c;
    Number s;
  };
  /// The rotation that turns (x, y) into (r, 0).
  static Rotation zeroing(Number x, Number y) {
    double size = std::hypot(std::abs(x), std::abs(y));
    if (size == 0)
      return {1, 0};
    double c = std::abs(x) / size;
    Number phase = x == Number(0) ? Number(1) : x / std::abs(x);
    return {c, phase * std::conj(y) / size};
  }
  void turnRows(Rotation r, int64_t i, int64_t j, int64_t from) {
    for (int64_t k = from; k < n; ++k) {
      Number x = t.at(i, k), y = t.at(j, k);
      t.at(i, k) = r.c * x + r.s * y;
      t.at(j, k) = -std::conj(r.s) * x + r.c * y;
    }
  }
  void turnColumns(Matrix &m, Rotation r, int64_t i, int64_t j, int64_t to) {
    for (int64_t k = 0; k <= to; ++k) {
      Number x = m.at(k, i), y = m.at(k, j);
      m.at(k, i) = r.c * x + std::conj(r.s) * y;
      m.at(k, j) = -r.s * x + r.c * y;
    }
  }

  void makeHessenberg() {
    for (int64_t k = 0; k + 2 < n; ++k)
      for (int64_t i = n - 1; i > k + 1; --i) {
        if (t.at(i, k) == Number(0))
          continue;
        Rotation r = zeroing(t.at(i - 1, k), t.at(i, k));
        turnRows(r, i - 1, i, 0);
        turnColumns(t, r, i - 1, i, n - 1);
        turnColumns(z, r, i - 1, i, n - 1);
        t.at(i, k) = 0;
      }
  }

  /// Eigenvalue of the trailing block of two that is nearer to its corner.
  Number shift(int64_t high) const {
    Number a = t.at(high - 1, high - 1), b = t.at(high - 1, high);
    Number c = t.at(high, high - 1), d = t.at(high, high);
    Number half = (a - d) / 2.0, root = std::sqrt(half * half + b * c);
    if (std::real(std::conj(half) * root) < 0)
      root = -root;
    Number sum = half + root;
    return sum == Number(0) ? d : d - b * c / sum;
  }

  void step(int64_t low, int64_t high, Number mu) {
    for (int64_t i = low; i <= high; ++i)
      t.at(i, i) -= mu;
    std::vector<Rotation> rotations;
    for (int64_t k = low; k < high; ++k) {
      rotations.push_back(zeroing(t.at(k, k), t.at(k + 1, k)));
      turnRows(rotations.back(), k, k + 1, k);
      t.at(k + 1, k) = 0;
    }
    for (int64_t k = low; k < high; ++k) {
      turnColumns(t, rotations[k - low], k, k + 1, k + 1);
      turnColumns(z, rotations[k - low], k, k + 1, n - 1);
    }
    for (int64_t i = low; i <= high; ++i)
      t.at(i, i) += mu;
  }

  void iterate() {
    int64_t high = n - 1, round = 0;
    while (high > 0 && round < 300) {
      int64_t low = high;
      for (; low > 0; --low) {
        double around =
            std::abs(t.at(low, low)) + std::abs(t.at(low - 1, low - 1));
        if (std::abs(t.at(low, low - 1)) <= 1e-16 * around ||
            std::abs(t.at(low, low - 1)) < 1e-300) {
          t.at(low, low - 1) = 0;
          break;
        }
      }
      if (low == high) {
        --high;
        round = 0;
        continue;
      }
      ++round;
      Number mu = round % 10 == 0
                      ? t.at(high, high) + std::abs(t.at(high, high - 1))
                      : shift(high);
      step(low, high, mu);
    }
  }
};

/// Column `column` of `vectors`: z x, of length one, its largest entry real.
void storeVector(const Matrix &z, const std::vector<Number> &x, Matrix &vectors,
                 int64_t column) {
  int64_t n = z.rows, largest = 0;
  double size = 0;
  for (int64_t i = 0; i < n; ++i) {
    Number sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += z.at(i, j) * x[j];
    vectors.at(i, column) = sum;
    size += std::norm(sum);
    if (std::abs(sum) > std::abs(vectors.at(largest, column)))
      largest = i;
  }
  Number head = vectors.at(largest, column);
  Number turn =
      head == Number(0) ? Number(1) : std::conj(head) / std::abs(head);
  for (int64_t i = 0; i < n && size > 0; ++i)
    vectors.at(i, column) *= turn / std::sqrt(size);
}

} // namespace

void factorEigen(const Matrix &a, std::vector<Number> &values, Matrix &right,
                 Matrix &left) {
  SchurForm schur(a);
  int64_t n = a.rows;
  const Matrix &t = schur.t;
  double scale = 1e-300;
  for (const Number &cell : t.cells)
    scale = std::max(scale, std::abs(cell));
  // Equal eigenvalues are taken apart by a rounding.
  auto divide = [&](Number x, Number y) {
    return x / (std::abs(y) > 1e-16 * scale ? y : Number(1e-16 * scale));
  };
  right = Matrix(n, n);
  left = Matrix(n, n);
  values.clear();
  for (int64_t k = 0; k < n; ++k) {
    values.push_back(t.at(k, k));
    std::vector<Number> x(n), y(n);
    x[k] = y[k] = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      Number sum = 0;
      for (int64_t j = i + 1; j <= k; ++j)
        sum += t.at(i, j) * x[j];
      x[i] = divide(-sum, t.at(i, i) - t.at(k, k));
    }
    for (int64_t i = k + 1; i < n; ++i) {
      Number sum = 0;
      for (int64_t j = k; j < i; ++j)
        sum += std::conj(t.at(j, i)) * y[j];
      y[i] = divide(-sum, std::conj(t.at(i, i) - t.at(k, k)));
    }
    storeVector(schur.z, x, right, k);
    storeVector(schur.z, y, left, k);
  }
}

} // namespace partita
