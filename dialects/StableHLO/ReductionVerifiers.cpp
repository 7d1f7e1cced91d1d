// Inference and verification of reductions, windows, sort and map.
#include "dialects/StableHLO/Inference.h"
#include "dialects/StableHLO/WindowGeometry.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Fails unless all inputs have one shape and each has a scalar initial value
/// that the body can start from.
static LogicalResult checkFoldInputs(const Reporter &at, ValueRange inputs,
                                     ValueRange initValues,
                                     ArrayRef<Type> folded) {
  ArrayRef<int64_t> shape = tensorOf(inputs.front()).getShape();
  for (auto [index, input, init, element] :
       llvm::enumerate(inputs, initValues, folded)) {
    if (failed(checkSameShape(at, "input 0", shape,
                              ("input " + Twine(index)).str(),
                              tensorOf(input).getShape())))
      return failure();
    RankedTensorType type = tensorOf(init);
    if (type.getRank() != 0)
      return at.fail("has initial value ", index, " of rank ", type.getRank(),
                     ", expected a scalar");
    if (!isPromotable(type.getElementType(), element))
      return at.fail("has initial value ", index, " of element type ",
                     type.getElementType(), ", but its body folds ", element);
  }
  return success();
}

/// Types of `folded` elements in shape `sizes`.
static SmallVector<Type> makeTypes(ArrayRef<int64_t> sizes,
                                   ArrayRef<Type> folded) {
  return llvm::map_to_vector(folded, [&](Type element) -> Type {
    return RankedTensorType::get(sizes, element);
  });
}

LogicalResult ReduceOp::verify() {
  Reporter at(*this);
  if (getInputs().empty())
    return at.fail("needs at least one input");
  SmallVector<Type> folded;
  RankedTensorType input = tensorOf(getInputs().front());
  if (failed(checkDims(at, "dimensions", getDimensions(), input.getRank())) ||
      failed(checkFoldBody(at, getBody(), "the body", getInputs().getTypes(),
                           folded)) ||
      failed(checkFoldInputs(at, getInputs(), getInitValues(), folded)))
    return failure();
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!llvm::is_contained(getDimensions(), dim))
      sizes.push_back(input.getDimSize(dim));
  return checkResultTypes(at, makeTypes(sizes, folded), getResultTypes());
}

LogicalResult ReduceWindowOp::verify() {
  Reporter at(*this);
  if (getInputs().empty())
    return at.fail("needs at least one input");
  SmallVector<Type> folded;
  RankedTensorType input = tensorOf(getInputs().front());
  if (failed(checkCount(at, "window_dimensions", getWindowDimensions().size(),
                        input.getRank(), "input dimensions")) ||
      failed(checkFoldBody(at, getBody(), "the body", getInputs().getTypes(),
                           folded)) ||
      failed(checkFoldInputs(at, getInputs(), getInitValues(), folded)))
    return failure();
  FailureOr<SmallVector<WindowDim>> window =
      getWindow(at, getWindowDimensions(), getWindowStrides(), getPadding(),
                getBaseDilations(), getWindowDilations());
  if (failed(window))
    return failure();
  SmallVector<int64_t> sizes;
  for (auto [size, dim] : llvm::zip_equal(input.getShape(), *window))
    sizes.push_back(countPositions(size, dim));
  return checkResultTypes(at, makeTypes(sizes, folded), getResultTypes());
}

LogicalResult SelectAndScatterOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> windowSizes =
      getWindowDimensions().value_or(ArrayRef<int64_t>());
  if (failed(checkCount(at, "window_dimensions", windowSizes.size(),
                        operand.getRank(), "operand dimensions")))
    return failure();
  FailureOr<SmallVector<WindowDim>> window =
      getWindow(at, windowSizes, getWindowStrides(), getPadding(), std::nullopt,
                std::nullopt);
  if (failed(window))
    return failure();
  SmallVector<int64_t> positions;
  for (auto [size, dim] : llvm::zip_equal(operand.getShape(), *window))
    positions.push_back(countPositions(size, dim));
  if (failed(checkSameShape(at, "source", getSource().getType().getShape(),
                            "the windows", positions)))
    return failure();
  Type scalar = RankedTensorType::get({}, operand.getElementType());
  Type predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  SmallVector<Type> folded;
  if (failed(checkRegion(at, getSelect(), "the selection", {scalar, scalar},
                         TypeRange(predicate))) ||
      failed(checkFoldBody(at, getScatter(), "the scatter computation",
                           getSource().getType(), folded)))
    return failure();
  if (getInitValue().getType().getRank() != 0)
    return at.fail("has an initial value of rank ",
                   getInitValue().getType().getRank(), ", expected a scalar");
  return checkResultTypes(at, makeTypes(operand.getShape(), folded),
                          getOperation()->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Sort and map
//===----------------------------------------------------------------------===//

static LogicalResult inferTypes(SortOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return at.fail("needs at least one input");
  RankedTensorType first = tensorOf(op.getInputs().front());
  int64_t rank = first.getRank(), dimension = op.getDimension();
  if (dimension < -rank || dimension >= rank)
    return at.fail("dimension ", dimension, " is out of range for rank ", rank);
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    if (failed(checkSameShape(at, "input 0", first.getShape(),
                              ("input " + Twine(index)).str(),
                              tensorOf(input).getShape())))
      return failure();
  llvm::append_range(types, op.getInputs().getTypes());
  return success();
}
PARTITA_INFER_TYPES(SortOp)

LogicalResult SortOp::verify() {
  if (failed(verifyInferred(*this)))
    return failure();
  // The comparator takes left and right element of each input in turn.
  SmallVector<Type> scalars;
  for (Value input : getInputs())
    scalars.append(2,
                   RankedTensorType::get({}, tensorOf(input).getElementType()));
  Type predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return checkRegion(Reporter(*this), getComparator(), "the comparator",
                     scalars, TypeRange(predicate));
}

LogicalResult MapOp::verify() {
  Reporter at(*this);
  int64_t rank = getResult().getType().getRank();
  if (getInputs().empty())
    return at.fail("needs at least one input");
  if (failed(checkCount(at, "dimensions", getDimensions().size(), rank,
                        "result dimensions")))
    return failure();
  for (auto [index, dim] : llvm::enumerate(getDimensions()))
    if (dim != static_cast<int64_t>(index))
      return at.fail("dimensions must list all in order, but has ", dim,
                     " at position ", index);
  SmallVector<Type> scalars =
      llvm::map_to_vector(getInputs(), [](Value input) -> Type {
        return RankedTensorType::get({}, tensorOf(input).getElementType());
      });
  Type scalar =
      RankedTensorType::get({}, getResult().getType().getElementType());
  return checkRegion(at, getComputation(), "the computation", scalars,
                     TypeRange(scalar));
}

} // namespace partita::stablehlo
