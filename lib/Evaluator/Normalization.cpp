// batch_norm_*: composed of the elementwise functions, so that they mean the
// same on floats and on the field.
#include "Element.h"
#include "Kernels.h"
#include "Reduction.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

namespace {
/// Arithmetic on tensors of one element type, with vectors along one dimension.
class TensorMath {
public:
  TensorMath(RankedTensorType type, int64_t feature, const Field *field)
      : type(type), feature(feature), field(field) {}

  Tensor binary(StringRef name, Tensor a, Tensor b) const {
    // A vector (or scalar) meets a whole tensor along the feature dimension.
    if (a.getRank() < b.getRank())
      a = spread(a, b.getShape());
    if (b.getRank() < a.getRank())
      b = spread(b, a.getShape());
    Tensor result = allocateLike(a, a.getShape());
    const void *in[] = {a.data(), b.data()};
    makeBinaryFunction(name, type.getElementType(), field)(
        in, result.mutableData(), result.getNumElements());
    return result;
  }
  Tensor rsqrt(const Tensor &a) const {
    Tensor result = allocateLike(a, a.getShape());
    const void *in[] = {a.data()};
    Type element = type.getElementType();
    makeElementFunction({"rsqrt", {element}, element, nullptr}, field)(
        in, result.mutableData(), result.getNumElements());
    return result;
  }
  Tensor constant(double value) const {
    auto scalarType =
        RankedTensorType::get({}, Float64Type::get(type.getContext()));
    Tensor wide =
        Tensor::fromAttribute(DenseElementsAttr::get(scalarType, value), field);
    return convertElements(wide, type.getElementType(), field);
  }
  /// Sum over all dimensions but the feature dimension.
  Tensor sum(const Tensor &a) const {
    SmallVector<int64_t> permutation;
    for (int64_t d = 0; d < a.getRank(); ++d)
      if (d != feature)
        permutation.push_back(d);
    permutation.push_back(feature);
    int64_t size = a.getShape()[feature];
    Tensor rows = reshape(transpose(a, permutation), {getCount(a), size});
    Tensor total = Tensor::zeros(
        RankedTensorType::get({size}, type.getElementType()), field != nullptr);
    ElementFunction add =
        makeBinaryFunction("add", type.getElementType(), field);
    int64_t bytes = size * getCellSize(rows.getKind());
    for (int64_t i = 0; i < getCount(a); ++i) {
      const void *in[] = {total.data(),
                          static_cast<const char *>(rows.data()) + i * bytes};
      add(in, total.mutableData(), size);
    }
    return total;
  }
  Tensor mean(const Tensor &a) const {
    return binary("divide", sum(a), constant(double(getCount(a))));
  }
  int64_t getCount(const Tensor &a) const {
    int64_t size = a.getShape()[feature];
    return size == 0 ? 0 : a.getNumElements() / size;
  }

private:
  Tensor spread(const Tensor &a, ArrayRef<int64_t> shape) const {
    if (a.getRank() == 0)
      return splat(a, shape);
    return broadcastInDim(a, shape, {feature});
  }

  RankedTensorType type;
  int64_t feature;
  const Field *field;
};
} // namespace

static TensorMath getMath(KernelCall &call, double &epsilon) {
  epsilon = call.op->getAttrOfType<FloatAttr>("epsilon").getValueAsDouble();
  int64_t feature =
      call.op->getAttrOfType<IntegerAttr>("feature_index").getInt();
  return TensorMath(call.operands[0].getTensorType(), feature, call.field);
}

/// (x - mean) / sqrt(variance + epsilon) * scale + offset
static Tensor normalize(const TensorMath &math, const Tensor &x,
                        const Tensor &mean, const Tensor &variance,
                        const Tensor &scale, const Tensor &offset,
                        double epsilon) {
  Tensor inverse =
      math.rsqrt(math.binary("add", variance, math.constant(epsilon)));
  Tensor centred = math.binary("subtract", x, mean);
  Tensor scaled =
      math.binary("multiply", math.binary("multiply", centred, inverse), scale);
  return math.binary("add", scaled, offset);
}

static LogicalResult evaluateInference(KernelCall &call) {
  double epsilon;
  TensorMath math = getMath(call, epsilon);
  ArrayRef<Tensor> in = call.operands;
  call.results.push_back(
      normalize(math, in[0], in[3], in[4], in[1], in[2], epsilon));
  return success();
}

static LogicalResult evaluateTraining(KernelCall &call) {
  double epsilon;
  TensorMath math = getMath(call, epsilon);
  ArrayRef<Tensor> in = call.operands;
  Tensor mean = math.mean(in[0]);
  Tensor centred = math.binary("subtract", in[0], mean);
  Tensor variance = math.mean(math.binary("multiply", centred, centred));
  call.results.push_back(
      normalize(math, in[0], mean, variance, in[1], in[2], epsilon));
  call.results.push_back(mean);
  call.results.push_back(variance);
  return success();
}

static LogicalResult evaluateGradient(KernelCall &call) {
  double epsilon;
  TensorMath math = getMath(call, epsilon);
  const Tensor &x = call.operands[0], &scale = call.operands[1],
               &mean = call.operands[2], &variance = call.operands[3],
               &gradient = call.operands[4];
  Tensor inverse =
      math.rsqrt(math.binary("add", variance, math.constant(epsilon)));
  Tensor centred = math.binary("subtract", x, mean);
  Tensor normalized = math.binary("multiply", centred, inverse);
  Tensor gradOffset = math.sum(gradient);
  Tensor gradScale = math.sum(math.binary("multiply", gradient, normalized));
  // grad - mean(grad) - normalized * mean(grad * normalized), scaled.
  Tensor count = math.constant(double(math.getCount(x)));
  Tensor meanGrad = math.binary("divide", gradOffset, count);
  Tensor meanProduct = math.binary("divide", gradScale, count);
  Tensor inner =
      math.binary("subtract", math.binary("subtract", gradient, meanGrad),
                  math.binary("multiply", normalized, meanProduct));
  Tensor factor = math.binary("multiply", inverse, scale);
  call.results.push_back(math.binary("multiply", inner, factor));
  call.results.push_back(gradScale);
  call.results.push_back(gradOffset);
  return success();
}

void partita::registerNormalizationKernels(KernelTable &table) {
  table.add("stablehlo.batch_norm_inference", evaluateInference);
  table.add("stablehlo.batch_norm_training", evaluateTraining);
  table.add("stablehlo.batch_norm_grad", evaluateGradient);
}
