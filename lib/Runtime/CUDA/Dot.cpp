// dot_general as calls of cuBLASLt.
//
// cuBLASLt is column major; a row-major matrix is its transpose there, so the
// output's transpose is computed: right operand first. Operands are read where
// they lie if their dimensions merge into rows and depth with one stride of 1,
// else copied first. One call does one batch dimension (the largest after
// merging); others are loops.
#include "Dot.h"
#include "../Strided.h"
#include "Kernels.h"
#include <algorithm>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

static constexpr size_t kWorkspaceBytes = size_t(32) << 20;

DotPlan::~DotPlan() {
  const Blas &blas = getBlas().table;
  if (desc)
    blas.cublasLtMatmulDescDestroy(desc);
  for (MatrixLayout layout : layouts)
    if (layout)
      blas.cublasLtMatrixLayoutDestroy(layout);
}

static bool getDataType(partita_dtype dtype, DataType &type) {
  switch (dtype) {
  case PARTITA_F64:
    type = kR64F;
    return true;
  case PARTITA_F32:
    type = kR32F;
    return true;
  case PARTITA_BF16:
    type = kR16BF;
    return true;
  case PARTITA_F16:
    type = kR16F;
    return true;
  case PARTITA_C64:
    type = kC32F;
    return true;
  case PARTITA_C128:
    type = kC64F;
    return true;
  default:
    return false;
  }
}

static bool isDouble(partita_dtype dtype) {
  return dtype == PARTITA_F64 || dtype == PARTITA_C128;
}

/// Type of alpha and beta.
static DataType getScaleType(partita_dtype dtype) {
  bool isComplex = dtype == PARTITA_C64 || dtype == PARTITA_C128;
  return isComplex ? (isDouble(dtype) ? kC64F : kC32F)
                   : (isDouble(dtype) ? kR64F : kR32F);
}

bool partita::runtime::cuda::hasDot(const Descriptor &d) {
  DataType type;
  if (d.inputs.size() != 2 || d.outputs.size() != 1 ||
      d.inputs[0].dtype != d.inputs[1].dtype ||
      !getDataType(d.inputs[0].dtype, type))
    return false;
  partita_dtype in = d.inputs[0].dtype, out = d.outputs[0].dtype;
  return in == out ||
         ((in == PARTITA_BF16 || in == PARTITA_F16) && out == PARTITA_F32);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Merges dimensions into one loop, outermost first; false if the strides
/// differ.
static bool merge(const Shape &dims, const Shape &shape, const Shape &strides,
                  int64_t &size, int64_t &stride) {
  size = 1;
  stride = 1;
  bool isFirst = true;
  for (auto it = dims.rbegin(); it != dims.rend(); ++it) {
    if (shape[*it] == 1)
      continue;
    if (isFirst)
      stride = strides[*it];
    else if (strides[*it] != stride * size)
      return false;
    isFirst = false;
    size *= shape[*it];
  }
  return true;
}

/// Makes one stride 1 where a loop has one step; false if none is 1.
static bool settle(DotOperand &operand, int64_t depth) {
  if (operand.rows == 1 && operand.depthStride != 1)
    operand.rowStride = 1;
  else if (depth == 1 && operand.rowStride != 1)
    operand.depthStride = 1;
  if (operand.depthStride == 1) {
    if (operand.rows == 1)
      operand.rowStride = depth;
    return operand.rowStride >= depth;
  }
  if (depth == 1)
    operand.depthStride = operand.rows;
  return operand.rowStride == 1 && operand.depthStride >= operand.rows;
}

static DotOperand makeOperand(const BufferType &type, const Shape &batch,
                              const Shape &rows, const Shape &depthDims,
                              int64_t &depth) {
  DotOperand operand;
  Shape strides = getStrides(type.shape);
  if (merge(rows, type.shape, strides, operand.rows, operand.rowStride) &&
      merge(depthDims, type.shape, strides, depth, operand.depthStride) &&
      settle(operand, depth)) {
    for (int64_t d : batch)
      operand.batchStrides.push_back(strides[d]);
    return operand;
  }
  operand.packing = batch;
  operand.packing.insert(operand.packing.end(), rows.begin(), rows.end());
  operand.packing.insert(operand.packing.end(), depthDims.begin(),
                         depthDims.end());
  operand.rows = depth = 1;
  for (int64_t d : rows)
    operand.rows *= type.shape[d];
  for (int64_t d : depthDims)
    depth *= type.shape[d];
  operand.rowStride = depth;
  operand.depthStride = 1;
  Shape sizes;
  for (int64_t d : batch)
    sizes.push_back(type.shape[d]);
  sizes.push_back(operand.rows * depth);
  operand.batchStrides = getStrides(sizes);
  operand.batchStrides.pop_back();
  return operand;
}

static Shape getOthers(int64_t rank, const Shape &a, const Shape &b) {
  Shape others;
  for (int64_t d = 0; d < rank; ++d)
    if (std::find(a.begin(), a.end(), d) == a.end() &&
        std::find(b.begin(), b.end(), d) == b.end())
      others.push_back(d);
  return others;
}

/// Merges batch dimensions that are one in both operands and picks that of the
/// call.
static void mergeBatch(DotPlan &plan, const Shape &sizes) {
  Shape merged, strides[2];
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1)
      continue;
    bool isOne = !merged.empty();
    for (int i = 0; i < 2 && isOne; ++i)
      isOne = strides[i].back() == plan.operands[i].batchStrides[d] * sizes[d];
    if (isOne)
      merged.back() *= sizes[d];
    else
      merged.push_back(sizes[d]);
    for (int i = 0; i < 2; ++i) {
      if (!isOne)
        strides[i].push_back(0);
      strides[i].back() = plan.operands[i].batchStrides[d];
    }
  }
  plan.batch = merged;
  for (int i = 0; i < 2; ++i)
    plan.operands[i].batchStrides = strides[i];
  if (!merged.empty())
    plan.strided =
        std::max_element(merged.begin(), merged.end()) - merged.begin();
}

/// The call's shapes; an error text if the descriptor is malformed.
static std::string readShapes(Descriptor &d, DotPlan &plan) {
  Shape lhsBatch = d.nextList(), rhsBatch = d.nextList(),
        lhsDepth = d.nextList(), rhsDepth = d.nextList();
  const BufferType &lhs = d.inputs[0], &rhs = d.inputs[1];
  auto areDims = [](const Shape &dims, int64_t rank) {
    return std::all_of(dims.begin(), dims.end(),
                       [&](int64_t dim) { return dim >= 0 && dim < rank; });
  };
  if (!d.isValid() || lhsBatch.size() != rhsBatch.size() ||
      lhsDepth.size() != rhsDepth.size() || !areDims(lhsBatch, lhs.rank()) ||
      !areDims(lhsDepth, lhs.rank()) || !areDims(rhsBatch, rhs.rank()) ||
      !areDims(rhsDepth, rhs.rank()))
    return "the descriptor is malformed";
  plan.types[0] = lhs;
  plan.types[1] = rhs;
  plan.types[2] = d.outputs[0];
  // Summed in any order: that in which the left operand has them.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < lhsDepth.size(); ++i)
    pairs.push_back({lhsDepth[i], rhsDepth[i]});
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < pairs.size(); ++i)
    std::tie(lhsDepth[i], rhsDepth[i]) = pairs[i];
  int64_t rhsSize = 1;
  plan.operands[0] =
      makeOperand(lhs, lhsBatch, getOthers(lhs.rank(), lhsBatch, lhsDepth),
                  lhsDepth, plan.depth);
  plan.operands[1] =
      makeOperand(rhs, rhsBatch, getOthers(rhs.rank(), rhsBatch, rhsDepth),
                  rhsDepth, rhsSize);
  Shape sizes;
  for (size_t i = 0; i < lhsBatch.size(); ++i) {
    sizes.push_back(lhs.shape[lhsBatch[i]]);
    if (sizes.back() != rhs.shape[rhsBatch[i]])
      return "the sizes of the operands do not fit";
  }
  if (plan.depth != rhsSize ||
      d.outputs[0].getCount() !=
          getVolume(sizes) * plan.operands[0].rows * plan.operands[1].rows)
    return "the sizes of the operands do not fit";
  plan.operands[0].shape = lhs.shape;
  plan.operands[1].shape = rhs.shape;
  mergeBatch(plan, sizes);
  return "";
}

//===----------------------------------------------------------------------===//
// Layouts and algorithm
//===----------------------------------------------------------------------===//

static std::string makeLayout(DotPlan &plan, int which, DataType type,
                              int64_t rows, int64_t columns, int64_t stride,
                              int64_t batchStride) {
  MatrixLayout &layout = plan.layouts[which];
  PARTITA_BLAS(cublasLtMatrixLayoutCreate, &layout, type, uint64_t(rows),
               uint64_t(columns), std::max(stride, rows));
  if (plan.strided < 0)
    return "";
  int32_t count = int32_t(plan.batch[plan.strided]);
  PARTITA_BLAS(cublasLtMatrixLayoutSetAttribute, layout, kLayoutBatchCount,
               &count, sizeof(count));
  PARTITA_BLAS(cublasLtMatrixLayoutSetAttribute, layout, kLayoutBatchOffset,
               &batchStride, sizeof(batchStride));
  return "";
}

/// Layout of an operand, and whether cuBLASLt must transpose it.
static std::string makeOperandLayout(DotPlan &plan, int operand,
                                     bool depthFirst) {
  const DotOperand &o = plan.operands[operand];
  DataType type;
  getDataType(plan.types[operand].dtype, type);
  int64_t batchStride = plan.strided < 0 ? 0 : o.batchStrides[plan.strided];
  // In column-major order the right operand must be rows x depth, the left one
  // depth x rows.
  bool isDepthContiguous = o.depthStride == 1;
  std::string error = isDepthContiguous
                          ? makeLayout(plan, 1 - operand, type, plan.depth,
                                       o.rows, o.rowStride, batchStride)
                          : makeLayout(plan, 1 - operand, type, o.rows,
                                       plan.depth, o.depthStride, batchStride);
  if (!error.empty())
    return error;
  int32_t transpose = isDepthContiguous != depthFirst;
  PARTITA_BLAS(cublasLtMatmulDescSetAttribute, plan.desc,
               operand == 1 ? kDescTransA : kDescTransB, &transpose,
               sizeof(transpose));
  return "";
}

static std::string makeLayouts(DotPlan &plan) {
  partita_dtype dtype = plan.types[0].dtype;
  PARTITA_BLAS(cublasLtMatmulDescCreate, &plan.desc,
               isDouble(dtype) ? kCompute64F : kCompute32F,
               getScaleType(dtype));
  for (int operand : {1, 0})
    if (std::string error =
            makeOperandLayout(plan, operand, /*depthFirst=*/operand == 0);
        !error.empty())
      return error;
  DataType type;
  getDataType(plan.types[2].dtype, type);
  int64_t rows = plan.operands[0].rows, columns = plan.operands[1].rows;
  int64_t batchStride = rows * columns;
  for (size_t d = plan.strided + 1; plan.strided >= 0 && d < plan.batch.size();
       ++d)
    batchStride *= plan.batch[d];
  return makeLayout(plan, 2, type, columns, rows, columns, batchStride);
}

static std::string choose(Device &device, DotPlan &plan, int64_t alignment) {
  if (!device.blas) {
    PARTITA_BLAS(cublasLtCreate, &device.blas);
    if (std::string error =
            device.allocate(kWorkspaceBytes, device.blasWorkspace);
        !error.empty())
      return error;
  }
  MatmulPreference preference;
  PARTITA_BLAS(cublasLtMatmulPreferenceCreate, &preference);
  PARTITA_BLAS(cublasLtMatmulPreferenceSetAttribute, preference,
               kPreferenceWorkspaceBytes, &kWorkspaceBytes,
               sizeof(kWorkspaceBytes));
  uint32_t bytes = uint32_t(alignment);
  for (int i = 0; i < 4; ++i)
    PARTITA_BLAS(cublasLtMatmulPreferenceSetAttribute, preference,
                 kPreferenceAlignmentA + i, &bytes, sizeof(bytes));
  MatmulHeuristic found = {};
  int count = 0;
  Status status = getBlas().table.cublasLtMatmulAlgoGetHeuristic(
      device.blas, plan.desc, plan.layouts[0], plan.layouts[1], plan.layouts[2],
      plan.layouts[2], preference, 1, &found, &count);
  getBlas().table.cublasLtMatmulPreferenceDestroy(preference);
  if (status || count == 0)
    return "cuBLASLt has no algorithm for this product (" +
           describeStatus(status, "cublasLtMatmulAlgoGetHeuristic") + ")";
  plan.algo = found.algo;
  plan.workspaceBytes = found.workspaceBytes;
  plan.alignment = alignment;
  return "";
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Copies an operand into `memory` in the order of its packing.
static std::string pack(Device &device, const DotPlan &plan, int operand,
                        DevicePointer from, DevicePointer memory) {
  const DotOperand &o = plan.operands[operand];
  Shape strides = getStrides(o.shape), sizes, fromStrides;
  for (int64_t d : o.packing) {
    sizes.push_back(o.shape[d]);
    fromStrides.push_back(strides[d]);
  }
  return enqueueStridedCopy(device, device.compute, memory, getStrides(sizes),
                            from, fromStrides, sizes,
                            getElementBytes(plan.types[operand].dtype));
}

/// Packs what must be and gives the operands' places.
static std::string placeOperands(Device &device, const DotPlan &plan,
                                 void *const *buffers,
                                 DevicePointer (&places)[2]) {
  size_t bytes[2] = {}, total = 0;
  for (int i = 0; i < 2; ++i) {
    places[i] = toDevice(buffers[i]);
    if (!plan.operands[i].packing.empty())
      bytes[i] = (size_t(plan.types[i].getBytes()) + 255) / 256 * 256;
    total += bytes[i];
  }
  if (total == 0)
    return "";
  DevicePointer memory;
  if (std::string error = device.reserve(device.compute, total, memory);
      !error.empty())
    return error;
  for (int i = 0; i < 2; ++i) {
    if (bytes[i] == 0)
      continue;
    if (std::string error = pack(device, plan, i, places[i], memory);
        !error.empty())
      return error;
    places[i] = memory;
    memory += bytes[i];
  }
  return "";
}

/// 1 and 0 in any scale type.
static const void *getScale(partita_dtype dtype, bool isOne) {
  static const float singles[] = {1, 0, 0};
  static const double doubles[] = {1, 0, 0};
  return isDouble(dtype) ? static_cast<const void *>(doubles + !isOne)
                         : singles + !isOne;
}

static std::string multiply(Device &device, DotPlan &plan,
                            const DevicePointer (&places)[2],
                            DevicePointer output) {
  Shape loops = plan.batch, outStrides = plan.batch;
  int64_t stride = plan.operands[0].rows * plan.operands[1].rows;
  for (size_t d = loops.size(); d-- > 0; stride *= plan.batch[d])
    outStrides[d] = stride;
  if (plan.strided >= 0)
    loops[plan.strided] = 1;
  int64_t bytes = getElementBytes(plan.types[0].dtype);
  int64_t outBytes = getElementBytes(plan.types[2].dtype);
  partita_dtype dtype = plan.types[0].dtype;
  std::string error;
  forEachIndex(loops, [&](const Shape &index) {
    int64_t offsets[2] = {}, outOffset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      for (int i = 0; i < 2; ++i)
        offsets[i] += index[d] * plan.operands[i].batchStrides[d];
      outOffset += index[d] * outStrides[d];
    }
    void *target = reinterpret_cast<void *>(output + outOffset * outBytes);
    if (!error.empty())
      return;
    if (int code = getBlas().table.cublasLtMatmul(
            device.blas, plan.desc, getScale(dtype, true),
            reinterpret_cast<const void *>(places[1] + offsets[1] * bytes),
            plan.layouts[0],
            reinterpret_cast<const void *>(places[0] + offsets[0] * bytes),
            plan.layouts[1], getScale(dtype, false), target, plan.layouts[2],
            target, plan.layouts[2], &plan.algo,
            reinterpret_cast<void *>(device.blasWorkspace), plan.workspaceBytes,
            device.compute))
      error = describeStatus(code, "cublasLtMatmul");
  });
  return error;
}

/// What all pointers of the call are multiples of, 256 at most.
static int64_t getAlignment(const DotPlan &plan,
                            const DevicePointer (&places)[2],
                            DevicePointer output) {
  uint64_t bits = 256 | places[0] | places[1] | output;
  for (int i = 0; i < 2; ++i)
    for (int64_t stride : plan.operands[i].batchStrides)
      bits |= uint64_t(stride * getElementBytes(plan.types[i].dtype));
  if (!plan.batch.empty())
    bits |= uint64_t(plan.operands[0].rows * plan.operands[1].rows *
                     getElementBytes(plan.types[2].dtype));
  return int64_t(bits & -bits);
}

std::string partita::runtime::cuda::enqueueDot(Device &device,
                                               const int64_t *words,
                                               void *const *buffers) {
  if (const std::string &error = getBlas().error; !error.empty())
    return error + "; install cuBLAS (libcublasLt) or put its folder on "
                   "LD_LIBRARY_PATH";
  std::unique_ptr<DotPlan> &plan = device.dots[words];
  if (!plan) {
    auto made = std::make_unique<DotPlan>();
    Descriptor descriptor(words);
    std::string error = readShapes(descriptor, *made);
    bool isEmpty = made->types[2].getCount() == 0 || made->depth == 0;
    if (error.empty() && !isEmpty)
      error = makeLayouts(*made);
    if (!error.empty())
      return error;
    plan = std::move(made);
  }
  DevicePointer output = toDevice(buffers[2]), places[2];
  if (size_t bytes = plan->types[2].getBytes();
      plan->depth == 0 || bytes == 0) {
    if (bytes)
      PARTITA_CUDA(cuMemsetD8Async, output, 0, bytes, device.compute);
    return "";
  }
  if (std::string error = placeOperands(device, *plan, buffers, places);
      !error.empty())
    return error;
  int64_t alignment = getAlignment(*plan, places, output);
  if (!plan->alignment || alignment < plan->alignment)
    if (std::string error = choose(device, *plan, alignment); !error.empty())
      return error;
  return multiply(device, *plan, places, output);
}
