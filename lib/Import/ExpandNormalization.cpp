// batch_norm_* by their definitions. As plain arithmetic their sums over the
// batch are partitioned like any other.

#include "Expansions.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/ZeroElements.h"

using namespace mlir;

namespace partita {
namespace {

/// Arithmetic on tensors of one type, and on vectors along its feature
/// dimension.
class FeatureMath {
public:
  FeatureMath(OpBuilder &b, Location loc, RankedTensorType type,
              int64_t feature)
      : b(b), loc(loc), type(type), feature(feature) {}

  Value add(Value x, Value y) { return create<stablehlo::AddOp>(x, y); }
  Value subtract(Value x, Value y) {
    return create<stablehlo::SubtractOp>(x, y);
  }
  Value multiply(Value x, Value y) { return create<stablehlo::MulOp>(x, y); }
  Value divide(Value x, Value y) { return create<stablehlo::DivOp>(x, y); }

  /// 1 / sqrt(variance + epsilon)
  Value inverseDeviation(Value variance, const APFloat &epsilon) {
    Value shifted = add(variance, constant(epsilon));
    return stablehlo::RsqrtOp::create(b, loc, shifted.getType(), shifted);
  }
  /// (x - mean) * inverse
  Value normalize(Value x, Value mean, Value inverse) {
    return multiply(subtract(x, spread(mean)), spread(inverse));
  }
  /// Sum over all dimensions but the feature dimension.
  Value sum(Value x) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != feature)
        dims.push_back(dim);
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    Value zero = stablehlo::ConstantOp::create(
        b, loc, stablehlo::getZeroElements(scalarType));
    auto reduce = stablehlo::ReduceOp::create(
        b, loc, TypeRange{vectorType()}, ValueRange{x}, ValueRange{zero}, dims);
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, {scalarType, scalarType},
                                {loc, loc});
    Value total = stablehlo::AddOp::create(b, loc, body->getArgument(0),
                                           body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, total);
    return reduce.getResult(0);
  }
  Value mean(Value x) { return divide(sum(x), count()); }
  /// Number of elements per feature, as a vector.
  Value count() {
    int64_t size = type.getDimSize(feature);
    return constant(APFloat(size ? double(type.getNumElements() / size) : 0.0));
  }
  /// A vector along the feature dimension, broadcast.
  Value spread(Value vector) {
    return stablehlo::BroadcastInDimOp::create(b, loc, type, vector,
                                               ArrayRef<int64_t>{feature});
  }

private:
  RankedTensorType vectorType() const {
    return RankedTensorType::get({type.getDimSize(feature)},
                                 type.getElementType());
  }
  Value constant(APFloat value) {
    bool losesInfo;
    value.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    Value scalar = stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalarType, value));
    return stablehlo::BroadcastInDimOp::create(b, loc, vectorType(), scalar,
                                               ArrayRef<int64_t>{});
  }
  template <typename Op> Value create(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  int64_t feature;
};

template <typename Op> std::optional<FeatureMath> getMath(Op op, OpBuilder &b) {
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return std::nullopt;
  return FeatureMath(b, op.getLoc(), type, op.getFeatureIndex());
}

std::optional<Replacements> expand(stablehlo::BatchNormInferenceOp op,
                                   OpBuilder &b) {
  auto math = getMath(op, b);
  if (!math)
    return std::nullopt;
  Value inverse = math->inverseDeviation(op.getVariance(), op.getEpsilon());
  Value normal = math->normalize(op.getOperand(), op.getMean(), inverse);
  Value scaled = math->multiply(normal, math->spread(op.getScale()));
  return Replacements{math->add(scaled, math->spread(op.getOffset()))};
}

std::optional<Replacements> expand(stablehlo::BatchNormTrainingOp op,
                                   OpBuilder &b) {
  auto math = getMath(op, b);
  if (!math)
    return std::nullopt;
  Value mean = math->mean(op.getOperand());
  Value centred = math->subtract(op.getOperand(), math->spread(mean));
  Value variance = math->mean(math->multiply(centred, centred));
  Value inverse = math->inverseDeviation(variance, op.getEpsilon());
  Value normal = math->normalize(op.getOperand(), mean, inverse);
  Value scaled = math->multiply(normal, math->spread(op.getScale()));
  return Replacements{math->add(scaled, math->spread(op.getOffset())), mean,
                      variance};
}

std::optional<Replacements> expand(stablehlo::BatchNormGradOp op,
                                   OpBuilder &b) {
  auto math = getMath(op, b);
  if (!math)
    return std::nullopt;
  Value gradient = op.getGradOutput();
  Value inverse = math->inverseDeviation(op.getVariance(), op.getEpsilon());
  Value normal = math->normalize(op.getOperand(), op.getMean(), inverse);
  Value gradOffset = math->sum(gradient);
  Value gradScale = math->sum(math->multiply(gradient, normal));
  Value meanGrad = math->spread(math->divide(gradOffset, math->count()));
  Value meanProduct = math->spread(math->divide(gradScale, math->count()));
  Value inner = math->subtract(math->subtract(gradient, meanGrad),
                               math->multiply(normal, meanProduct));
  Value factor = math->spread(math->multiply(inverse, op.getScale()));
  return Replacements{math->multiply(inner, factor), gradScale, gradOffset};
}

} // namespace

std::optional<Replacements> expandNormalization(Operation *op, OpBuilder &b) {
  if (auto inference = dyn_cast<stablehlo::BatchNormInferenceOp>(op))
    return expand(inference, b);
  if (auto training = dyn_cast<stablehlo::BatchNormTrainingOp>(op))
    return expand(training, b);
  if (auto gradient = dyn_cast<stablehlo::BatchNormGradOp>(op))
    return expand(gradient, b);
  return std::nullopt;
}

} // namespace partita
