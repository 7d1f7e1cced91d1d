// LAPACK's routines by name, and those that solve systems or find eigenvalues
// of general matrices.
#include "partita/Support/Lapack.h"
#include "Factorizations.h"
#include <algorithm>

using namespace partita;
using Arrays = std::vector<LapackArray>;

namespace {
struct RoutineName {
  std::string_view name;
  LapackRoutine routine;
  /// First letters of the targets: single, double, complex, double complex.
  std::string_view letters;
};
} // namespace

static constexpr RoutineName kRoutines[] = {
    {"potrf", LapackRoutine::Potrf, "sdcz"},
    {"syevd", LapackRoutine::Syevd, "sd"},
    {"heevd", LapackRoutine::Syevd, "cz"},
    {"getrf", LapackRoutine::Getrf, "sdcz"},
    {"geqrf", LapackRoutine::Geqrf, "sdcz"},
    {"orgqr", LapackRoutine::Orgqr, "sd"},
    {"ungqr", LapackRoutine::Orgqr, "cz"},
    {"gesdd", LapackRoutine::Gesdd, "sdcz"},
    {"gesvd", LapackRoutine::Gesdd, "sdcz"},
    {"geev", LapackRoutine::RealGeev, "sd"},
    {"geev", LapackRoutine::Geev, "cz"},
    {"trsm", LapackRoutine::Trsm, "sdcz"},
    {"gtsv", LapackRoutine::Gtsv, "sdcz"},
    {"ormqr", LapackRoutine::Ormqr, "sd"},
    {"unmqr", LapackRoutine::Ormqr, "cz"},
    {"geqp3", LapackRoutine::Geqp3, "sdcz"},
    {"gehrd", LapackRoutine::Gehrd, "sdcz"},
    {"sytrd", LapackRoutine::Sytrd, "sd"},
    {"hetrd", LapackRoutine::Sytrd, "cz"},
};

int64_t partita::findLapackRoutine(std::string_view target) {
  constexpr std::string_view prefix = "lapack_", suffix = "_ffi";
  if (target.size() <= prefix.size() + suffix.size() ||
      !target.starts_with(prefix) || !target.ends_with(suffix))
    return -1;
  target.remove_prefix(prefix.size());
  target.remove_suffix(suffix.size());
  for (const RoutineName &entry : kRoutines)
    if (target.substr(1) == entry.name &&
        entry.letters.find(target[0]) != std::string_view::npos)
      return int64_t(entry.routine);
  return -1;
}

std::string_view partita::getLapackName(LapackRoutine routine) {
  for (const RoutineName &entry : kRoutines)
    if (entry.routine == routine)
      return entry.name;
  return "";
}

namespace {
/// How many dimensions of each operand, then of each result, are no batch.
struct RoutineRanks {
  LapackRoutine routine;
  std::string_view operands, results;
};
} // namespace

static constexpr RoutineRanks kRanks[] = {
    {LapackRoutine::Potrf, "2", "20"},  {LapackRoutine::Syevd, "2", "210"},
    {LapackRoutine::Getrf, "2", "210"}, {LapackRoutine::Geqrf, "2", "21"},
    {LapackRoutine::Orgqr, "21", "2"},  {LapackRoutine::Gesdd, "2", "21220"},
    {LapackRoutine::Geev, "2", "1220"}, {LapackRoutine::RealGeev, "2", "11220"},
    {LapackRoutine::Trsm, "22", "2"},   {LapackRoutine::Gtsv, "1112", "11120"},
    {LapackRoutine::Ormqr, "212", "2"}, {LapackRoutine::Geqp3, "21", "211"},
    {LapackRoutine::Gehrd, "2", "210"}, {LapackRoutine::Sytrd, "2", "21110"},
};

static const RoutineRanks *findRanks(LapackRoutine routine) {
  for (const RoutineRanks &entry : kRanks)
    if (entry.routine == routine)
      return &entry;
  return nullptr;
}

int64_t partita::getLapackRank(LapackRoutine routine, bool isResult,
                               int64_t index) {
  const RoutineRanks *ranks = findRanks(routine);
  if (!ranks)
    return 0;
  std::string_view list = isResult ? ranks->results : ranks->operands;
  return index < int64_t(list.size()) ? list[index] - '0' : 0;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

int64_t LapackOptions::pack() const {
  int64_t bits = 0, place = 1;
  for (bool option : {isLower, isLeft, isUnit, isTransposed, isConjugated,
                      wantsLeftVectors, wantsRightVectors}) {
    bits += option ? place : 0;
    place *= 2;
  }
  return bits;
}

LapackOptions LapackOptions::unpack(int64_t bits) {
  LapackOptions options;
  for (bool *option : {&options.isLower, &options.isLeft, &options.isUnit,
                       &options.isTransposed, &options.isConjugated,
                       &options.wantsLeftVectors, &options.wantsRightVectors}) {
    *option = bits & 1;
    bits >>= 1;
  }
  return options;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Matrix partita::makeMatrix(const LapackArray &array) {
  Matrix matrix(array.shape[0], array.shape.size() == 2 ? array.shape[1] : 1);
  matrix.cells = array.values;
  return matrix;
}

/// The values of result `index`, if there is one of that size.
static bool store(Arrays &outputs, size_t index,
                  const std::vector<Matrix::Number> &values) {
  if (index >= outputs.size() || outputs[index].values.size() != values.size())
    return false;
  outputs[index].values = values;
  return true;
}

static bool runEigen(bool isReal, const LapackOptions &options,
                     const Arrays &inputs, Arrays &outputs) {
  if (inputs[0].shape[0] != inputs[0].shape[1])
    return false;
  Matrix right, left;
  std::vector<Matrix::Number> values, parts;
  factorEigen(makeMatrix(inputs[0]), values, right, left);
  for (const Matrix::Number &value : values)
    parts.push_back(value.imag());
  // A real matrix gives real and imaginary parts apart.
  size_t next = isReal ? 2 : 1;
  bool fits = store(outputs, 0, values);
  fits &= !isReal || store(outputs, 1, parts);
  fits &= !options.wantsLeftVectors || store(outputs, next, left.cells);
  fits &= !options.wantsRightVectors || store(outputs, next + 1, right.cells);
  return fits;
}

static bool runTriangular(const LapackOptions &options, const Arrays &inputs,
                          Arrays &outputs) {
  Matrix a = makeMatrix(inputs[0]), x = makeMatrix(inputs[1]);
  if (a.rows != a.columns || a.rows != (options.isLeft ? x.rows : x.columns))
    return false;
  TriangleUse use;
  use.left = options.isLeft;
  use.lower = options.isLower;
  use.unit = options.isUnit;
  use.transposed = options.isTransposed;
  use.conjugated = options.isConjugated;
  solveTriangular(a, x, use);
  return store(outputs, 0, x.cells);
}

static bool runTridiagonal(const Arrays &inputs, Arrays &outputs) {
  std::vector<Matrix::Number> lower = inputs[0].values,
                              diagonal = inputs[1].values,
                              upper = inputs[2].values;
  Matrix x = makeMatrix(inputs[3]);
  if (lower.size() != diagonal.size() || upper.size() != diagonal.size() ||
      x.rows != int64_t(diagonal.size()))
    return false;
  // The first entry below the diagonal and the last one above are unused.
  std::rotate(lower.begin(), lower.begin() + !lower.empty(), lower.end());
  int64_t status = solveTridiagonal(lower, diagonal, upper, x);
  store(outputs, 4, {double(status)});
  return store(outputs, 0, lower) && store(outputs, 1, diagonal) &&
         store(outputs, 2, upper) && store(outputs, 3, x.cells);
}

bool partita::runLapack(LapackRoutine routine, const LapackOptions &options,
                        const Arrays &inputs, Arrays &outputs) {
  const RoutineRanks *ranks = findRanks(routine);
  if (!ranks || outputs.empty() || inputs.size() != ranks->operands.size())
    return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (int64_t(inputs[i].shape.size()) != getLapackRank(routine, false, i))
      return false;
  switch (routine) {
  case LapackRoutine::Geev:
  case LapackRoutine::RealGeev:
    return runEigen(routine == LapackRoutine::RealGeev, options, inputs,
                    outputs);
  case LapackRoutine::Trsm:
    return runTriangular(options, inputs, outputs);
  case LapackRoutine::Gtsv:
    return runTridiagonal(inputs, outputs);
  case LapackRoutine::Geqrf:
  case LapackRoutine::Geqp3:
  case LapackRoutine::Orgqr:
  case LapackRoutine::Ormqr:
  case LapackRoutine::Gehrd:
  case LapackRoutine::Sytrd:
    return runHouseholder(routine, options, inputs, outputs);
  default:
    return runFactorization(routine, options.isLower, inputs, outputs);
  }
}
