// A libcublasLt without a GPU: column-major products in plain loops, with the
// checks that the real one makes.
#include "FakeDriver.h"
#include "lib/Runtime/CUDA/Interface.h"
#include "lib/Runtime/Numbers.h"
#include <complex>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
enum : Status { kInvalid = 7, kNotSupported = 15, kMappingError = 11 };

struct Desc {
  ComputeType compute;
  DataType scale;
  int32_t transposeA = 0, transposeB = 0;
};
struct Layout {
  DataType type;
  int64_t rows, columns, stride;
  int32_t batch = 1;
  int64_t batchStride = 0;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

int64_t getBytes(DataType type) {
  switch (type) {
  case kR64F:
  case kC32F:
    return 8;
  case kC64F:
    return 16;
  case kR32F:
    return 4;
  default:
    return 2;
  }
}

Desc &get(MatmulDesc desc) { return *reinterpret_cast<Desc *>(desc); }
Layout &get(MatrixLayout layout) { return *reinterpret_cast<Layout *>(layout); }

bool fits(const Desc &desc, const Layout &a, const Layout &b, const Layout &d) {
  int64_t m = desc.transposeA ? a.columns : a.rows,
          k = desc.transposeA ? a.rows : a.columns;
  int64_t n = desc.transposeB ? b.rows : b.columns,
          other = desc.transposeB ? b.columns : b.rows;
  for (const Layout *layout : {&a, &b, &d})
    if (layout->stride < layout->rows || layout->rows < 1 ||
        layout->columns < 1 || layout->batch != d.batch)
      return false;
  bool isHalf = a.type == kR16F || a.type == kR16BF;
  return k == other && m == d.rows && n == d.columns && a.type == b.type &&
         (d.type == a.type || (isHalf && d.type == kR32F));
}

template <typename T, typename Sum, typename Out>
void multiply(const Desc &desc, const Layout &a, const Layout &b,
              const Layout &d, const T *pa, const T *pb, Out *pd) {
  int64_t depth = desc.transposeA ? a.rows : a.columns;
  for (int64_t batch = 0; batch < d.batch; ++batch)
    for (int64_t j = 0; j < d.columns; ++j)
      for (int64_t i = 0; i < d.rows; ++i) {
        Sum sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const T &x =
              pa[batch * a.batchStride +
                 (desc.transposeA ? k + i * a.stride : i + k * a.stride)];
          const T &y =
              pb[batch * b.batchStride +
                 (desc.transposeB ? j + k * b.stride : k + j * b.stride)];
          sum += Sum(x) * Sum(y);
        }
        pd[batch * d.batchStride + i + j * d.stride] = Out(sum);
      }
}
} // namespace

EXPORT Status cublasLtCreate(MatmulHandle *handle) {
  *handle = reinterpret_cast<MatmulHandle>(new int(0));
  return 0;
}
EXPORT Status cublasLtDestroy(MatmulHandle handle) {
  delete reinterpret_cast<int *>(handle);
  return 0;
}
EXPORT Status cublasLtMatmulDescCreate(MatmulDesc *desc, ComputeType compute,
                                       DataType scale) {
  *desc = reinterpret_cast<MatmulDesc>(new Desc{compute, scale});
  return 0;
}
EXPORT Status cublasLtMatmulDescDestroy(MatmulDesc desc) {
  delete &get(desc);
  return 0;
}
EXPORT Status cublasLtMatmulDescSetAttribute(MatmulDesc desc, int attribute,
                                             const void *value, size_t bytes) {
  if (bytes != 4 || (attribute != kDescTransA && attribute != kDescTransB))
    return kInvalid;
  std::memcpy(attribute == kDescTransA ? &get(desc).transposeA
                                       : &get(desc).transposeB,
              value, bytes);
  return 0;
}
EXPORT Status cublasLtMatrixLayoutCreate(MatrixLayout *layout, DataType type,
                                         uint64_t rows, uint64_t columns,
                                         int64_t stride) {
  *layout = reinterpret_cast<MatrixLayout>(
      new Layout{type, int64_t(rows), int64_t(columns), stride});
  return 0;
}
EXPORT Status cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  delete &get(layout);
  return 0;
}
EXPORT Status cublasLtMatrixLayoutSetAttribute(MatrixLayout layout,
                                               int attribute, const void *value,
                                               size_t bytes) {
  if (attribute == kLayoutBatchCount && bytes == 4)
    std::memcpy(&get(layout).batch, value, bytes);
  else if (attribute == kLayoutBatchOffset && bytes == 8)
    std::memcpy(&get(layout).batchStride, value, bytes);
  else
    return kInvalid;
  return 0;
}
EXPORT Status cublasLtMatmulPreferenceCreate(MatmulPreference *preference) {
  *preference = reinterpret_cast<MatmulPreference>(new Preference());
  return 0;
}
EXPORT Status cublasLtMatmulPreferenceDestroy(MatmulPreference preference) {
  delete reinterpret_cast<Preference *>(preference);
  return 0;
}
EXPORT Status cublasLtMatmulPreferenceSetAttribute(MatmulPreference handle,
                                                   int attribute,
                                                   const void *value,
                                                   size_t bytes) {
  auto *preference = reinterpret_cast<Preference *>(handle);
  if (attribute == kPreferenceWorkspaceBytes && bytes == 8)
    std::memcpy(&preference->workspace, value, bytes);
  else if (attribute >= kPreferenceAlignmentA &&
           attribute < kPreferenceAlignmentA + 4 && bytes == 4)
    std::memcpy(&preference->alignment[attribute - kPreferenceAlignmentA],
                value, bytes);
  else
    return kInvalid;
  return 0;
}
EXPORT Status cublasLtMatmulAlgoGetHeuristic(MatmulHandle, MatmulDesc desc,
                                             MatrixLayout a, MatrixLayout b,
                                             MatrixLayout, MatrixLayout d,
                                             MatmulPreference handle, int,
                                             MatmulHeuristic *found,
                                             int *count) {
  *count = 0;
  if (!fits(get(desc), get(a), get(b), get(d)))
    return kInvalid;
  *found = {};
  // What the pointers of calls must be multiples of.
  found->algo.data[0] = reinterpret_cast<Preference *>(handle)->alignment[0];
  *count = 1;
  return 0;
}

EXPORT Status cublasLtMatmul(MatmulHandle, MatmulDesc descHandle,
                             const void *alpha, const void *a,
                             MatrixLayout aLayout, const void *b,
                             MatrixLayout bLayout, const void *beta,
                             const void *c, MatrixLayout, void *d,
                             MatrixLayout dLayout, const MatmulAlgo *algo,
                             void *workspace, size_t workspaceBytes,
                             Stream stream) {
  const Desc &desc = get(descHandle);
  const Layout &la = get(aLayout), &lb = get(bLayout), &ld = get(dLayout);
  if (!fits(desc, la, lb, ld) || c != d)
    return kInvalid;
  for (const void *pointer : {a, b, static_cast<const void *>(d)})
    if (reinterpret_cast<uint64_t>(pointer) % algo->data[0])
      return kNotSupported;
  bool isDouble = desc.scale == kR64F || desc.scale == kC64F;
  double one = isDouble ? *static_cast<const double *>(alpha)
                        : *static_cast<const float *>(alpha);
  double zero = isDouble ? *static_cast<const double *>(beta)
                         : *static_cast<const float *>(beta);
  if (one != 1 || zero != 0)
    return kInvalid;
  fake_lock();
  fake_begin(stream, nullptr);
  bool ok = true;
  auto access = [&](const void *pointer, const Layout &layout, bool isWrite) {
    for (int64_t batch = 0; batch < layout.batch; ++batch)
      for (int64_t column = 0; column < layout.columns; ++column)
        ok = ok && fake_access(stream,
                               reinterpret_cast<uint64_t>(pointer) +
                                   (batch * layout.batchStride +
                                    column * layout.stride) *
                                       getBytes(layout.type),
                               layout.rows * getBytes(layout.type), isWrite);
  };
  access(a, la, false);
  access(b, lb, false);
  access(d, ld, true);
  auto run = [&](auto element, auto sum) {
    using T = decltype(element);
    using Sum = decltype(sum);
    auto *pa = static_cast<const T *>(a), *pb = static_cast<const T *>(b);
    if (ld.type == kR32F && la.type != kR32F)
      multiply<T, Sum>(desc, la, lb, ld, pa, pb, static_cast<Sum *>(d));
    else
      multiply<T, Sum>(desc, la, lb, ld, pa, pb, static_cast<T *>(d));
  };
  if (ok) {
    switch (la.type) {
    case kR32F:
      run(float(), float());
      break;
    case kR64F:
      run(double(), double());
      break;
    case kR16F:
      run(F16(), float());
      break;
    case kR16BF:
      run(BF16(), float());
      break;
    case kC32F:
      run(std::complex<float>(), std::complex<float>());
      break;
    case kC64F:
      run(std::complex<double>(), std::complex<double>());
      break;
    }
  }
  fake_unlock();
  return ok ? 0 : kMappingError;
}
