// fft of every kind and size, in double precision, by recursion over the prime
// factors of the length.
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include "partita/Support/Fft.h"

using namespace partita::runtime;
using Complex = std::complex<double>;

namespace {
/// A complex array with its shape.
struct Field {
  std::vector<Complex> cells;
  Shape shape;
};
} // namespace

static void transformDim(Field &field, int64_t dim, bool inverse) {
  int64_t n = field.shape[dim], inner = 1;
  for (size_t d = dim + 1; d < field.shape.size(); ++d)
    inner *= field.shape[d];
  if (n == 0)
    return;
  partita::FftPlan<partita::FftNumbers> plan({}, n);
  for (int64_t line = 0; line < int64_t(field.cells.size()) / n; ++line) {
    Complex *cells = field.cells.data() + line / inner * n * inner + line % inner;
    plan.run(cells, inner, inverse);
  }
}

/// Keeps the first `kept` of the last dimension, or makes up the rest of `kept`
/// elements by symmetry: element n - k is the conjugate.
static void resizeLast(Field &field, int64_t kept) {
  int64_t n = field.shape.back(), lines = n ? int64_t(field.cells.size()) / n : 0;
  std::vector<Complex> cells(lines * kept);
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t k = 0; k < kept; ++k)
      cells[line * kept + k] =
          k < n                           ? field.cells[line * n + k]
          : kept - k < n && kept - k >= 0 ? std::conj(field.cells[line * n + kept - k])
                                          : Complex(0);
  field.cells = std::move(cells);
  field.shape.back() = kept;
}

static Field readField(const BufferType &type, const void *data) {
  Field field{std::vector<Complex>(type.getCount()), type.shape};
  dispatch(type.dtype, [&](auto t) {
    using T = decltype(t);
    auto *from = static_cast<const T *>(data);
    for (size_t i = 0; i < field.cells.size(); ++i)
      if constexpr (isComplex<T>)
        field.cells[i] = Complex(from[i].real(), from[i].imag());
      else
        field.cells[i] = double(Wide<T>(from[i]));
  });
  return field;
}

static std::string fft(Descriptor &d, void *const *buffers) {
  int64_t kind = d.next();
  Shape lengths = d.nextList();
  if (!d.isValid() || d.inputs.size() != 1 || d.outputs.size() != 1 || kind < 0 || kind > 3 ||
      int64_t(lengths.size()) > d.inputs[0].rank())
    return "the descriptor is malformed";
  const BufferType &in = d.inputs[0], &out = d.outputs[0];
  if (out.getCount() == 0)
    return "";
  if (in.getCount() == 0) {
    std::memset(buffers[1], 0, out.getBytes());
    return "";
  }
  Field field = readField(in, buffers[0]);
  bool isInverse = kind == 1 || kind == 3, toHalf = kind == 2, fromHalf = kind == 3;
  int64_t rank = in.rank(), count = int64_t(lengths.size());
  // The last dimension goes first for real operands, last for real results.
  for (int64_t i = 0; i < count; ++i) {
    int64_t dim = fromHalf ? rank - count + i : rank - 1 - i;
    bool isLast = dim == rank - 1;
    if (fromHalf && isLast)
      resizeLast(field, lengths.back());
    transformDim(field, dim, isInverse);
    if (toHalf && isLast)
      resizeLast(field, lengths.back() / 2 + 1);
  }
  if (int64_t(field.cells.size()) != out.getCount())
    return "the result's size does not fit the lengths";
  dispatch(out.dtype, [&](auto t) {
    using T = decltype(t);
    auto *to = static_cast<T *>(buffers[1]);
    for (size_t i = 0; i < field.cells.size(); ++i)
      if constexpr (isComplex<T>)
        to[i] = T(typename T::value_type(field.cells[i].real()),
                  typename T::value_type(field.cells[i].imag()));
      else
        to[i] = T(Wide<T>(field.cells[i].real()));
  });
  return "";
}

PARTITA_KERNEL(fft, fft)
