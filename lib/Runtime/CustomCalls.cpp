// Custom calls: the LAPACK routines that JAX calls, matrix by matrix of a
// batch, and what to say of all others.
#include "Convert.h"
#include "Numbers.h"
#include "WorldState.h"
#include "partita/Support/Lapack.h"
#include <algorithm>

using namespace partita;
using namespace partita::runtime;

/// The array of one matrix of the batch, whose last `rank` dimensions count.
static LapackArray makeArray(const BufferType &type, int64_t rank) {
  LapackArray array;
  array.shape.assign(type.shape.end() - rank, type.shape.end());
  array.values.resize(getVolume(array.shape));
  return array;
}

static void read(const BufferType &type, const void *data, int64_t at,
                 LapackArray &to) {
  dispatch(type.dtype, [&](auto t) {
    using T = decltype(t);
    const T *from = static_cast<const T *>(data) + at * to.values.size();
    for (size_t i = 0; i < to.values.size(); ++i)
      if constexpr (isComplex<T>)
        to.values[i] = {double(from[i].real()), double(from[i].imag())};
      else
        to.values[i] = double(Wide<T>(from[i]));
  });
}

static void write(const BufferType &type, void *data, int64_t at,
                  const LapackArray &from) {
  dispatch(type.dtype, [&](auto t) {
    using T = decltype(t);
    T *to = static_cast<T *>(data) + at * from.values.size();
    for (size_t i = 0; i < from.values.size(); ++i)
      if constexpr (isComplex<T>)
        to[i] = T(typename T::value_type(from.values[i].real()),
                  typename T::value_type(from.values[i].imag()));
      else
        to[i] = T(Wide<T>(from.values[i].real()));
  });
}

static std::string lapack(Descriptor &d, void *const *buffers) {
  auto routine = LapackRoutine(d.next());
  LapackOptions options = LapackOptions::unpack(d.next());
  if (!d.isValid() || d.inputs.empty() || d.outputs.empty())
    return "the descriptor is malformed";
  std::vector<LapackArray> inputs, outputs;
  int64_t batches = -1;
  auto add = [&](const BufferType &type, int64_t rank,
                 std::vector<LapackArray> &arrays) {
    if (type.rank() < rank)
      return false;
    Shape batch(type.shape.begin(), type.shape.end() - rank);
    arrays.push_back(makeArray(type, rank));
    int64_t count = getVolume(batch);
    bool fits = batches < 0 || batches == count;
    batches = count;
    return fits;
  };
  bool fits = true;
  for (size_t i = 0; i < d.inputs.size(); ++i)
    fits &= add(d.inputs[i], getLapackRank(routine, false, i), inputs);
  for (size_t i = 0; i < d.outputs.size(); ++i)
    fits &= add(d.outputs[i], getLapackRank(routine, true, i), outputs);
  for (int64_t b = 0; fits && b < batches; ++b) {
    for (size_t i = 0; i < inputs.size(); ++i)
      read(d.inputs[i], buffers[i], b, inputs[i]);
    std::vector<LapackArray> results = outputs;
    fits = runLapack(routine, options, inputs, results);
    for (size_t i = 0; fits && i < outputs.size(); ++i) {
      fits = results[i].values.size() == outputs[i].values.size();
      if (fits)
        write(d.outputs[i], buffers[inputs.size() + i], b, results[i]);
    }
  }
  return fits ? "" : "the shapes of the matrices do not fit";
}

static std::string refuseCall(Descriptor &d, void *const *) {
  Shape letters = d.nextList();
  if (!d.isValid())
    return "the descriptor is malformed";
  return "custom call @" + std::string(letters.begin(), letters.end()) +
         " is no routine that the runtime has";
}

PARTITA_KERNEL(lapack, lapack)
PARTITA_KERNEL(unknown_call, refuseCall)
