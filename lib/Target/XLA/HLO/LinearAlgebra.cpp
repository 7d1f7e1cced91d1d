// Factorisations, transforms, normalisation and random bits.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::hlo {

static StringRef getBool(bool value) { return value ? "true" : "false"; }

static std::string getNormAttributes(const APFloat &epsilon, int64_t feature) {
  // A float's decimal form, as in literals.
  SmallString<24> digits;
  epsilon.toString(digits);
  return (", epsilon=" + digits + ", feature_index=" + Twine(feature)).str();
}

Written writeLinearAlgebra(ComputationWriter &writer, Operation *op) {
  bool written = true;
  TypeSwitch<Operation *>(op)
      .Case([&](stablehlo::FftOp fft) {
        writer.addOp(
            op, "fft",
            ", fft_type=" + stablehlo::stringifyFftType(fft.getFftType()) +
                ", fft_length=" + getList(fft.getFftLength()));
      })
      .Case([&](stablehlo::CholeskyOp cholesky) {
        writer.addOp(op, "cholesky", ", lower=" + getBool(cholesky.getLower()));
      })
      .Case([&](stablehlo::TriangularSolveOp solve) {
        writer.addOp(op, "triangular-solve",
                     ", left_side=" + getBool(solve.getLeftSide()) +
                         ", lower=" + getBool(solve.getLower()) +
                         ", unit_diagonal=" + getBool(solve.getUnitDiagonal()) +
                         ", transpose_a=" +
                         stablehlo::stringifyTranspose(solve.getTransposeA()));
      })
      .Case([&](stablehlo::BatchNormTrainingOp norm) {
        writer.addOp(
            op, "batch-norm-training",
            getNormAttributes(norm.getEpsilon(), norm.getFeatureIndex()));
      })
      .Case([&](stablehlo::BatchNormInferenceOp norm) {
        writer.addOp(
            op, "batch-norm-inference",
            getNormAttributes(norm.getEpsilon(), norm.getFeatureIndex()));
      })
      .Case([&](stablehlo::BatchNormGradOp norm) {
        writer.addOp(
            op, "batch-norm-grad",
            getNormAttributes(norm.getEpsilon(), norm.getFeatureIndex()));
      })
      .Case([&](stablehlo::RngBitGeneratorOp rng) {
        StringRef algorithm = "rng_default";
        if (rng.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY)
          algorithm = "rng_three_fry";
        if (rng.getRngAlgorithm() == stablehlo::RngAlgorithm::PHILOX)
          algorithm = "rng_philox";
        writer.addOp(op, "rng-bit-generator", ", algorithm=" + algorithm);
      })
      .Case([&](stablehlo::RngOp rng) {
        bool isNormal =
            rng.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
        SmallVector<std::string> operands{writer.get(rng.getA()),
                                          writer.get(rng.getB())};
        writer.bindResults(op,
                           writer.add(getShape(rng.getType()), "rng", operands,
                                      isNormal ? ", distribution=rng_normal"
                                               : ", distribution=rng_uniform"));
      })
      .Default([&](Operation *) { written = false; });
  return written;
}

} // namespace partita::hlo
