// Ops that move whole dimensions: transpose, reshape, bitcast_convert.
// Partition: derived. (reverse and concatenate are in Shifting.cpp.)

#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"
#include <numeric>

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

struct TransposeModel : OpModel<TransposeModel, stablehlo::TransposeOp> {
  static constexpr StringLiteral family = "Shape";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::TransposeOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    for (auto [resultDim, dim] : llvm::enumerate(op.getPermutation()))
      rule.add(shape[dim], dim, resultDim);
    return rule.linearIn(0)
        .flops(0)
        .propagation(spmd::PropagationClass::PassThrough)
        .build();
  }
};

struct BitcastConvertModel
    : OpModel<BitcastConvertModel, stablehlo::BitcastConvertOp> {
  static constexpr StringLiteral family = "Shape";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::BitcastConvertOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> operandShape = shapeOf(op.getOperand());
    ArrayRef<int64_t> resultShape = shapeOf(op.getResult());
    // The side of smaller elements has one more dimension, which makes one
    // element of the other side.
    size_t common = std::min(operandShape.size(), resultShape.size());
    for (auto [dim, size] : llvm::enumerate(operandShape.take_front(common)))
      rule.addEverywhere(dim, size);
    if (operandShape.size() > common)
      rule.add(operandShape[common], common, kNone, FactorKind::Replicated)
          .whole();
    else if (resultShape.size() > common)
      rule.add(resultShape[common], kNone, common, FactorKind::Replicated)
          .whole();
    else
      rule.pointwise();
    return rule.flops(0).build();
  }
};

/// Walks the sizes of a reshape's operand and result, major to minor, and adds
/// factors: common ones while both sides have split off equal products, factors
/// of one side alone while they have not.
class ReshapeFactors {
public:
  ReshapeFactors(RuleBuilder &rule, ArrayRef<int64_t> operand,
                 ArrayRef<int64_t> result)
      : rule(rule), in{operand}, out{result} {}

  void add() {
    while (!in.atEnd() || !out.atEnd()) {
      if (in.atUnit()) {
        rule.addAlone(in.dim++, kNone, 1);
      } else if (out.atUnit()) {
        rule.addAlone(kNone, out.dim++, 1);
      } else {
        in.open();
        out.open();
        step();
        in.close();
        out.close();
      }
    }
  }

private:
  struct Side {
    ArrayRef<int64_t> shape;
    int64_t dim = 0;
    /// Product of the sizes entered and of the factors split off so far.
    int64_t sizes = 1, factors = 1;

    bool atEnd() const { return dim == static_cast<int64_t>(shape.size()); }
    bool atUnit() const { return !atEnd() && shape[dim] == 1; }
    void open() {
      if (!atEnd() && sizes == factors)
        sizes *= shape[dim];
    }
    void close() {
      if (!atEnd() && sizes == factors)
        ++dim;
    }
    int64_t rest() const { return sizes / factors; }
  };

  void step() {
    int64_t gcd = std::gcd(in.rest(), out.rest());
    if (in.factors == out.factors) {
      if (gcd > 1) {
        rule.add(gcd, in.dim, out.dim);
        in.factors *= gcd;
        out.factors *= gcd;
      } else {
        splitOff(in, in.rest(), true);
        splitOff(out, out.rest(), false);
      }
    } else if (in.factors < out.factors) {
      splitOff(in, catchUp(in, out, gcd), true);
    } else {
      splitOff(out, catchUp(out, in, gcd), false);
    }
  }

  /// Factor of the side that is behind: the one that makes the products equal
  /// again, or else one that keeps the common divisor for the next step.
  static int64_t catchUp(const Side &behind, const Side &ahead, int64_t gcd) {
    if (ahead.factors % behind.factors == 0) {
      int64_t missing = ahead.factors / behind.factors;
      if (behind.rest() % missing == 0)
        return missing;
    }
    return behind.rest() > gcd ? behind.rest() / gcd : behind.rest();
  }

  void splitOff(Side &side, int64_t size, bool isOperand) {
    rule.addAlone(isOperand ? side.dim : kNone, isOperand ? kNone : side.dim,
                  size);
    side.factors *= size;
  }

  RuleBuilder &rule;
  Side in, out;
};

struct ReshapeModel : OpModel<ReshapeModel, stablehlo::ReshapeOp> {
  static constexpr StringLiteral family = "Shape";

  bool isResizable(Operation *) const { return true; }
  static FailureOr<spmd::ShardingRule> rule(stablehlo::ReshapeOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> operandShape = shapeOf(op.getOperand());
    ArrayRef<int64_t> resultShape = shapeOf(op.getResult());
    bool isStatic = op.getOperand().getType().hasStaticShape() &&
                    op.getResult().getType().hasStaticShape();
    if (isStatic && !llvm::is_contained(operandShape, 0))
      ReshapeFactors(rule, operandShape, resultShape).add();
    return rule.linearIn(0)
        .flops(0)
        .propagation(spmd::PropagationClass::PassThrough)
        .build();
  }

  static LogicalResult partitionOp(stablehlo::ReshapeOp op,
                                   PartitionBuilder &builder) {
    auto operandType =
        cast<RankedTensorType>(builder.getLocalType(op.getOperand()));
    auto resultType =
        cast<RankedTensorType>(builder.getLocalType(op.getResult()));
    if (operandType.getNumElements() == resultType.getNumElements())
      return builder.partitionByRule();
    // Blocks of one side end inside a row of the other.
    auto sharded = [&](Value value) {
      SmallVector<int64_t> dims;
      for (int64_t dim = 0, rank = shapeOf(value).size(); dim < rank; ++dim)
        if (builder.getShardCount(value, dim) > 1)
          dims.push_back(dim);
      return dims;
    };
    return partitionWithWholeDims(
        builder, 1, sharded(op.getOperand()), sharded(op.getResult()),
        "because the blocks of operand and result do not align");
  }
};

} // namespace

void attachShapeModels(MLIRContext &context) {
  stablehlo::TransposeOp::attachInterface<TransposeModel>(context);
  stablehlo::BitcastConvertOp::attachInterface<BitcastConvertModel>(context);
  stablehlo::ReshapeOp::attachInterface<ReshapeModel>(context);
}

} // namespace partita
