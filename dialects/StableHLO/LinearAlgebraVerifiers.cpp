// Inference and verification of factorisations, solves, transforms and batch
// normalisations.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Fails unless the last two dimensions of `type` are of one size.
static LogicalResult checkSquare(const Reporter &at, StringRef name,
                                 RankedTensorType type) {
  int64_t rank = type.getRank();
  if (rank < 2)
    return at.fail("needs ", name, " of rank 2 or more, not ", rank);
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  if (!isCompatibleSize(rows, columns))
    return at.fail("needs square matrices in ", name, ", but dimension ",
                   rank - 2, " has size ", rows, " and dimension ", rank - 1,
                   " size ", columns);
  return success();
}

static LogicalResult inferTypes(CholeskyOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getA().getType());
  return checkSquare(at, "a", tensorOf(op.getA()));
}
PARTITA_INFER_AND_VERIFY(CholeskyOp)

static LogicalResult inferTypes(TriangularSolveOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorOf(op.getA()), b = tensorOf(op.getB());
  if (a.getElementType() != b.getElementType())
    return at.fail("needs a and b of one element type, but they have ",
                   a.getElementType(), " and ", b.getElementType());
  if (failed(checkSquare(at, "a", a)))
    return failure();
  if (a.getRank() != b.getRank())
    return at.fail("needs a and b of one rank, but they have ranks ",
                   a.getRank(), " and ", b.getRank());
  int64_t rank = a.getRank();
  if (failed(checkSameShape(at, "a's batch", a.getShape().drop_back(2),
                            "b's batch", b.getShape().drop_back(2))))
    return failure();
  int64_t shared = op.getLeftSide() ? rank - 2 : rank - 1;
  if (!isCompatibleSize(a.getDimSize(rank - 1), b.getDimSize(shared)))
    return at.fail("solves systems of size ", a.getDimSize(rank - 1),
                   ", but dimension ", shared, " of b has size ",
                   b.getDimSize(shared));
  if (op.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return at.fail("needs a transpose_a of NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  types.push_back(b);
  return success();
}
PARTITA_INFER_AND_VERIFY(TriangularSolveOp)

//===----------------------------------------------------------------------===//
// Fft
//===----------------------------------------------------------------------===//

static LogicalResult inferTypes(FftOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  ArrayRef<int64_t> length = op.getFftLength();
  FftType kind = op.getFftType();
  int64_t rank = operand.getRank(), count = length.size();
  if (count < 1 || count > 3)
    return at.fail("transforms 1 to 3 dimensions, but fft_length has ", count,
                   " entries");
  if (count > rank)
    return at.fail("transforms ", count,
                   " dimensions, but the operand has rank ", rank);
  Type element = operand.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  if (kind == FftType::RFFT ? complex != nullptr : !complex)
    return at.fail(stringifyEnum(kind), " takes ",
                   kind == FftType::RFFT ? "real" : "complex",
                   " elements, not ", element);
  // RFFT makes, and IRFFT takes, half of the last dimension.
  SmallVector<int64_t> expected(operand.getShape());
  llvm::copy(length, expected.end() - count);
  SmallVector<int64_t> result(expected);
  int64_t half = length.back() == 0 ? 0 : length.back() / 2 + 1;
  if (kind == FftType::IRFFT)
    expected.back() = half;
  if (kind == FftType::RFFT)
    result.back() = half;
  for (int64_t dim = rank - count; dim < rank; ++dim)
    if (!isCompatibleSize(operand.getDimSize(dim), expected[dim]))
      return at.fail(stringifyEnum(kind), " of fft_length ", length,
                     " takes size ", expected[dim], " in dimension ", dim,
                     ", but the operand has ", operand.getDimSize(dim));
  if (kind == FftType::RFFT)
    element = ComplexType::get(element);
  if (kind == FftType::IRFFT)
    element = complex.getElementType();
  types.push_back(RankedTensorType::get(result, element));
  return success();
}
PARTITA_INFER_AND_VERIFY(FftOp)

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

/// Fails unless each of `vectors` has as many entries as the operand has
/// features.
static LogicalResult
checkFeatures(const Reporter &at, RankedTensorType operand,
              int64_t featureIndex,
              ArrayRef<std::pair<StringRef, Value>> vectors) {
  if (failed(checkDim(at, "feature_index", featureIndex, operand.getRank())))
    return failure();
  int64_t features = operand.getDimSize(featureIndex);
  for (auto [name, vector] : vectors) {
    RankedTensorType type = tensorOf(vector);
    if (!isCompatibleSize(type.getDimSize(0), features))
      return at.fail(name, " has size ", type.getDimSize(0), ", but dimension ",
                     featureIndex, " of the operand, the features, has size ",
                     features);
    if (type.getElementType() != operand.getElementType())
      return at.fail(name, " has element type ", type.getElementType(),
                     ", but the operand has ", operand.getElementType());
  }
  return success();
}

/// Type of a statistic: one entry per feature.
static Type getFeatureType(RankedTensorType operand, int64_t featureIndex) {
  return RankedTensorType::get({operand.getDimSize(featureIndex)},
                               operand.getElementType());
}

static LogicalResult inferTypes(BatchNormTrainingOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  if (failed(checkFeatures(
          at, operand, op.getFeatureIndex(),
          {{"scale", op.getScale()}, {"offset", op.getOffset()}})))
    return failure();
  Type feature = getFeatureType(operand, op.getFeatureIndex());
  types.append({operand, feature, feature});
  return success();
}
PARTITA_INFER_AND_VERIFY(BatchNormTrainingOp)

static LogicalResult inferTypes(BatchNormInferenceOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  types.push_back(operand);
  return checkFeatures(at, operand, op.getFeatureIndex(),
                       {{"scale", op.getScale()},
                        {"offset", op.getOffset()},
                        {"mean", op.getMean()},
                        {"variance", op.getVariance()}});
}
PARTITA_INFER_AND_VERIFY(BatchNormInferenceOp)

static LogicalResult inferTypes(BatchNormGradOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  if (failed(checkFeatures(at, operand, op.getFeatureIndex(),
                           {{"scale", op.getScale()},
                            {"mean", op.getMean()},
                            {"variance", op.getVariance()}})) ||
      failed(checkSameShape(at, "operand", operand.getShape(), "grad_output",
                            tensorOf(op.getGradOutput()).getShape())))
    return failure();
  Type feature = getFeatureType(operand, op.getFeatureIndex());
  types.append({operand, feature, feature});
  return success();
}
PARTITA_INFER_AND_VERIFY(BatchNormGradOp)

} // namespace partita::stablehlo
