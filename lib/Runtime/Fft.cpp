// fft of every kind and size. Several lines are transformed side by side, so
// that each step of the transform is one of vectors.
#include "partita/Support/Fft.h"
#include "Numbers.h"
#include "Scratch.h"
#include "Strided.h"
#include "WorldState.h"

using namespace partita::runtime;

namespace {
/// Lines that are transformed together.
template <typename T> constexpr int64_t kLanes = 64 / int64_t(sizeof(T));

/// One complex number of each of the lines.
template <typename T> struct Lanes { T re[kLanes<T>], im[kLanes<T>]; };

template <typename T> struct LaneNumbers {
  using Number = Lanes<T>;
  using Twiddle = std::complex<T>;
  static Number add(const Number &a, const Number &b) {
    Number c;
    for (int64_t i = 0; i < kLanes<T>; ++i)
      c.re[i] = a.re[i] + b.re[i], c.im[i] = a.im[i] + b.im[i];
    return c;
  }
  static Number sub(const Number &a, const Number &b) {
    Number c;
    for (int64_t i = 0; i < kLanes<T>; ++i)
      c.re[i] = a.re[i] - b.re[i], c.im[i] = a.im[i] - b.im[i];
    return c;
  }
  static Number mul(const Number &a, Twiddle w) {
    T re = w.real(), im = w.imag();
    Number c;
    for (int64_t i = 0; i < kLanes<T>; ++i) {
      c.re[i] = a.re[i] * re - a.im[i] * im;
      c.im[i] = a.re[i] * im + a.im[i] * re;
    }
    return c;
  }
  static std::vector<Twiddle> getTwiddles(int64_t n) {
    auto wide = partita::makeFftTwiddles(n);
    return {wide.begin(), wide.end()};
  }
};

/// An array whose dimension `dim` is transformed; lines are its others.
struct Lines {
  int64_t size, inner;
  int64_t getBegin(int64_t line) const {
    return line / inner * size * inner + line % inner;
  }
};

Lines makeLines(const Shape &shape, int64_t dim) {
  Lines lines{shape[dim], 1};
  for (size_t d = dim + 1; d < shape.size(); ++d)
    lines.inner *= shape[d];
  return lines;
}

/// Transforms along one dimension. Operand and result are complex or real and
/// may be one array if their sizes agree.
template <typename T> class LineTransform {
public:
  explicit LineTransform(int64_t n)
      : plan({}, n), memory(2 * n * sizeof(Lanes<T>)),
        in(memory.as<Lanes<T>>()), out(in + n) {}

  /// Lines of `from` that are shorter than the transform go on by symmetry,
  /// those of `to` are cut.
  template <typename From, typename To>
  void run(const From *from, Lines fromLines, To *to, Lines toLines,
           int64_t count, bool isInverse) {
    if (!memory)
      return;
    for (int64_t line = 0; line < count; line += kLanes<T>) {
      int64_t lanes = std::min(kLanes<T>, count - line);
      load(from, fromLines, line, lanes, isInverse);
      plan.run(in, out);
      store(to, toLines, line, lanes, isInverse);
    }
  }

private:
  /// Calls f(k, lane, index of element k of the lane's line), in the order in
  /// which the elements lie.
  template <typename F>
  void forEachElement(Lines lines, int64_t line, int64_t lanes, F f) {
    int64_t count = std::min(lines.size, plan.getSize());
    if (line % lines.inner + lanes <= lines.inner) {
      int64_t begin = lines.getBegin(line);
      for (int64_t k = 0; k < count; ++k)
        for (int64_t lane = 0; lane < lanes; ++lane)
          f(k, lane, begin + k * lines.inner + lane);
      return;
    }
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t begin = lines.getBegin(line + lane);
      for (int64_t k = 0; k < count; ++k)
        f(k, lane, begin + k * lines.inner);
    }
  }

  template <typename From>
  void load(const From *from, Lines lines, int64_t line, int64_t lanes,
            bool isInverse) {
    T sign = isInverse ? -1 : 1;
    forEachElement(lines, line, lanes,
                   [&](int64_t k, int64_t lane, int64_t at) {
                     if constexpr (isComplex<From>) {
                       in[k].re[lane] = from[at].real();
                       in[k].im[lane] = sign * from[at].imag();
                     } else {
                       in[k].re[lane] = T(from[at]);
                       in[k].im[lane] = 0;
                     }
                   });
    int64_t n = plan.getSize();
    if (lines.size >= n)
      return;
    // The imaginary parts of elements 0 and n/2 do not count.
    Lanes<T> zero = {};
    std::copy(zero.im, zero.im + kLanes<T>, in[0].im);
    if (n % 2 == 0 && n / 2 < lines.size)
      std::copy(zero.im, zero.im + kLanes<T>, in[n / 2].im);
    for (int64_t k = lines.size; k < n; ++k) {
      in[k] = zero;
      for (int64_t lane = 0; n - k < lines.size && lane < kLanes<T>; ++lane) {
        in[k].re[lane] = in[n - k].re[lane];
        in[k].im[lane] = -in[n - k].im[lane];
      }
    }
  }

  template <typename To>
  void store(To *to, Lines lines, int64_t line, int64_t lanes, bool isInverse) {
    T scale = isInverse ? T(1) / T(plan.getSize()) : T(1),
      sign = isInverse ? -scale : scale;
    forEachElement(
        lines, line, lanes, [&](int64_t k, int64_t lane, int64_t at) {
          if constexpr (isComplex<To>)
            to[at] = To(out[k].re[lane] * scale, out[k].im[lane] * sign);
          else
            to[at] = To(out[k].re[lane] * scale);
        });
  }

  partita::FftPlan<LaneNumbers<T>> plan;
  Scratch memory;
  Lanes<T> *in, *out;
};

enum Kind { Fft, Ifft, Rfft, Irfft };
} // namespace

/// Transforms `from` along `dim` into `to`; their shapes differ in `dim` alone.
template <typename T, typename From, typename To>
static void transformDim(const From *from, const Shape &fromShape, To *to,
                         const Shape &toShape, int64_t dim, int64_t length,
                         bool isInverse) {
  Lines fromLines = makeLines(fromShape, dim),
        toLines = makeLines(toShape, dim);
  if (fromLines.size > 0 && length > 0)
    LineTransform<T>(length).run(from, fromLines, to, toLines,
                                 getVolume(fromShape) / fromLines.size,
                                 isInverse);
}

/// The transforms of all dimensions; the first reads the operand, the others
/// work in the result, or, before the last of irfft, in a copy.
template <typename T>
static void transform(Kind kind, const Shape &lengths, const BufferType &in,
                      const BufferType &out, const void *operand,
                      void *result) {
  using C = std::complex<T>;
  int64_t rank = in.rank(), count = int64_t(lengths.size()),
          first = rank - count;
  bool isInverse = kind == Ifft || kind == Irfft;
  auto *to = static_cast<C *>(result);
  if (kind == Irfft) {
    Scratch copy;
    auto *from = static_cast<const C *>(operand);
    for (int64_t i = 0; i + 1 < count; ++i) {
      if (!copy)
        copy = Scratch(in.getBytes());
      if (!copy)
        return;
      transformDim<T>(from, in.shape, copy.as<C>(), in.shape, first + i,
                      in.shape[first + i], true);
      from = copy.as<C>();
    }
    return transformDim<T>(from, in.shape, static_cast<T *>(result), out.shape,
                           rank - 1, lengths.back(), true);
  }
  int64_t last = in.shape.back();
  if (kind == Rfft)
    transformDim<T>(static_cast<const T *>(operand), in.shape, to, out.shape,
                    rank - 1, last, false);
  else
    transformDim<T>(static_cast<const C *>(operand), in.shape, to, out.shape,
                    rank - 1, last, isInverse);
  for (int64_t dim = rank - 2; dim >= first; --dim)
    transformDim<T>(to, out.shape, to, out.shape, dim, out.shape[dim],
                    isInverse);
}

/// Whether the types, and the sizes of the last dimension, belong to the kind.
static bool areTypesRight(Kind kind, const Shape &lengths, const BufferType &in,
                          const BufferType &out) {
  bool isWide = in.dtype == PARTITA_F64 || in.dtype == PARTITA_C128;
  auto real = isWide ? PARTITA_F64 : PARTITA_F32,
       complex = isWide ? PARTITA_C128 : PARTITA_C64;
  if (in.dtype != (kind == Rfft ? real : complex) ||
      out.dtype != (kind == Irfft ? real : complex) || in.rank() != out.rank())
    return false;
  for (int64_t d = 0; d + 1 < in.rank(); ++d)
    if (in.shape[d] != out.shape[d])
      return false;
  int64_t from = in.shape.back(), to = out.shape.back();
  return kind == Rfft ? to == lengths.back() / 2 + 1 && from == lengths.back()
         : kind == Irfft
             ? to == lengths.back() && from == lengths.back() / 2 + 1
             : from == to;
}

static std::string fft(Descriptor &d, void *const *buffers) {
  int64_t kind = d.next();
  Shape lengths = d.nextList();
  if (!d.isValid() || d.inputs.size() != 1 || d.outputs.size() != 1 ||
      kind < 0 || kind > 3 || lengths.empty() ||
      int64_t(lengths.size()) > d.inputs[0].rank())
    return "the descriptor is malformed";
  const BufferType &in = d.inputs[0], &out = d.outputs[0];
  if (!areTypesRight(Kind(kind), lengths, in, out))
    return "the result's type does not fit the operand and the lengths";
  if (in.getCount() == 0)
    std::memset(buffers[1], 0, out.getBytes());
  else if (in.dtype == PARTITA_F64 || in.dtype == PARTITA_C128)
    transform<double>(Kind(kind), lengths, in, out, buffers[0], buffers[1]);
  else
    transform<float>(Kind(kind), lengths, in, out, buffers[0], buffers[1]);
  return "";
}

PARTITA_KERNEL(fft, fft)
