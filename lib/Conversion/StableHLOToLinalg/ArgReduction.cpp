// argmax and argmin along rows: the extreme value, then the least index among
// the elements equal to it. Two reductions of one accumulator each vectorise,
// where a fold of pairs does not; the second finds the row in the cache.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace partita {
namespace {

using stablehlo::ComparisonDirection;

bool isCompare(Value value, ComparisonDirection direction, Value lhs,
               Value rhs) {
  auto compare = value.getDefiningOp<stablehlo::CompareOp>();
  return compare && compare.getComparisonDirection() == direction &&
         compare.getLhs() == lhs && compare.getRhs() == rhs;
}

bool isSelect(Value value, Value condition, Value yes, Value no) {
  auto select = value.getDefiningOp<stablehlo::SelectOp>();
  return select && select.getPred() == condition && select.getOnTrue() == yes &&
         select.getOnFalse() == no;
}

/// Whether the body, as JAX prints it, takes the pair of the larger (or
/// smaller) value, of NaN if there is one, of equals that with the smaller
/// index: tells which. Nothing for any other body.
std::optional<ComparisonDirection> matchArgBody(Region &body) {
  Block &block = body.front();
  Operation *terminator = block.getTerminator();
  if (block.getNumArguments() != 4 || terminator->getNumOperands() != 2)
    return std::nullopt;
  Value a = block.getArgument(0), p = block.getArgument(1),
        b = block.getArgument(2), q = block.getArgument(3);
  Value value = terminator->getOperand(0), index = terminator->getOperand(1);
  auto choice = index.getDefiningOp<stablehlo::SelectOp>();
  auto either = choice ? choice.getPred().getDefiningOp<stablehlo::OrOp>()
                       : stablehlo::OrOp();
  if (!either || !isSelect(index, either, p, q))
    return std::nullopt;
  auto wins = either.getLhs().getDefiningOp<stablehlo::OrOp>();
  auto ties = either.getRhs().getDefiningOp<stablehlo::AndOp>();
  if (!wins || !ties || !isSelect(value, wins, a, b) ||
      !isCompare(wins.getRhs(), ComparisonDirection::NE, a, a) ||
      !isCompare(ties.getLhs(), ComparisonDirection::EQ, a, b) ||
      !isCompare(ties.getRhs(), ComparisonDirection::LT, p, q))
    return std::nullopt;
  for (auto direction : {ComparisonDirection::GT, ComparisonDirection::LT})
    if (isCompare(wins.getLhs(), direction, a, b))
      return direction;
  return std::nullopt;
}

/// Arithmetic on values of one type, floats or integers.
struct Ordered {
  Type element; ///< of the program

  Value extreme(OpBuilder &b, Location loc, Value x, Value y, bool isMax) {
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    if (isa<FloatType>(element))
      return isMax ? Value(arith::MaximumFOp::create(b, loc, x, y))
                   : Value(arith::MinimumFOp::create(b, loc, x, y));
    if (isUnsigned)
      return isMax ? Value(arith::MaxUIOp::create(b, loc, x, y))
                   : Value(arith::MinUIOp::create(b, loc, x, y));
    return isMax ? Value(arith::MaxSIOp::create(b, loc, x, y))
                 : Value(arith::MinSIOp::create(b, loc, x, y));
  }
  /// Equal, or both NaN.
  Value isSame(OpBuilder &b, Location loc, Value x, Value y) {
    if (!isa<FloatType>(element))
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
    auto is = [&](arith::CmpFPredicate predicate, Value l, Value r) -> Value {
      return arith::CmpFOp::create(b, loc, predicate, l, r);
    };
    Value areNaN =
        arith::AndIOp::create(b, loc, is(arith::CmpFPredicate::UNO, x, x),
                              is(arith::CmpFPredicate::UNO, y, y));
    return arith::OrIOp::create(b, loc, is(arith::CmpFPredicate::OEQ, x, y),
                                areNaN);
  }
  Value greatest(OpBuilder &b, Location loc) {
    unsigned width = element.getIntOrFloatBitWidth();
    APInt bits = element.isUnsignedInteger() ? APInt::getMaxValue(width)
                                             : APInt::getSignedMaxValue(width);
    return arith::ConstantOp::create(
        b, loc, IntegerAttr::get(b.getIntegerType(width), bits));
  }
};

} // namespace

bool LinalgEmitter::isArgReduction(stablehlo::ReduceOp reduce) {
  constexpr int64_t leastRow = 16;
  if (reduce.getInputs().size() != 2)
    return false;
  auto type = cast<RankedTensorType>(reduce.getInputs()[0].getType());
  auto resultType = cast<RankedTensorType>(reduce->getResult(0).getType());
  Type value = type.getElementType(),
       index = getElementTypeOrSelf(reduce.getInputs()[1].getType());
  auto isPlain = [](Type element) {
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
           !isNarrowFloat(element);
  };
  return isPlain(value) && isPlain(index) && isa<IntegerType>(index) &&
         resultType.getElementType() == value &&
         getElementTypeOrSelf(reduce->getResult(1).getType()) == index &&
         type.getRank() > 0 && type.getShape().back() >= leastRow &&
         llvm::is_contained(reduce.getDimensions(), type.getRank() - 1) &&
         matchArgBody(reduce.getBody());
}

LogicalResult LinalgEmitter::emitArgReduction(stablehlo::ReduceOp reduce) {
  bool isMax = *matchArgBody(reduce.getBody()) == ComparisonDirection::GT;
  SmallVector<Value> inputs = get(reduce.getInputs()),
                     inits = get(reduce.getInitValues());
  Ordered values{getElementTypeOrSelf(reduce.getInputs()[0].getType())},
      indices{getElementTypeOrSelf(reduce.getInputs()[1].getType())};
  auto valueType = convertTensor(reduce->getResult(0).getType()),
       indexType = convertTensor(reduce->getResult(1).getType());
  int64_t rank = cast<RankedTensorType>(inputs[0].getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(reduce.getDimensions(), dim)) {
      iterators[dim] = utils::IteratorType::parallel;
      kept.push_back(getAffineDimExpr(dim, b.getContext()));
    }
  AffineMap whole = b.getMultiDimIdentityMap(rank),
            row = AffineMap::get(rank, 0, kept, b.getContext());
  Value value = linalg::GenericOp::create(
                    b, loc, valueType, inputs[0],
                    fill(extractScalar(inits[0]), valueType),
                    ArrayRef{whole, row}, iterators,
                    [&](OpBuilder &builder, Location where, ValueRange x) {
                      linalg::YieldOp::create(
                          builder, where,
                          values.extreme(builder, where, x[1], x[0], isMax));
                    })
                    .getResult(0);
  Value none = indices.greatest(b, loc);
  Value index =
      linalg::GenericOp::create(
          b, loc, indexType, ValueRange{inputs[0], inputs[1], value},
          fill(none, indexType), ArrayRef{whole, whole, row, row}, iterators,
          [&](OpBuilder &builder, Location where, ValueRange x) {
            Value candidate = arith::SelectOp::create(
                builder, where, values.isSame(builder, where, x[0], x[2]), x[1],
                none);
            linalg::YieldOp::create(
                builder, where,
                indices.extreme(builder, where, x[3], candidate, false));
          })
          .getResult(0);
  // The initial pair takes part as well.
  AffineMap each = b.getMultiDimIdentityMap(indexType.getRank()),
            scalar = AffineMap::get(indexType.getRank(), 0, b.getContext());
  index = parallelGeneric(
      indexType, {index, value, inits[0], inits[1]},
      {each, each, scalar, scalar}, [&](OpBuilder &builder, ValueRange x) {
        Value least = indices.extreme(builder, loc, x[0], x[3], false);
        return Value(arith::SelectOp::create(
            builder, loc, values.isSame(builder, loc, x[1], x[2]), least,
            x[0]));
      });
  return bind(reduce, {value, index});
}

} // namespace partita
