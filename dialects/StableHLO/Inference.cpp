// Checks that verifiers and shape inference of several op families share.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

bool isCompatibleSize(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

bool isCompatibleShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](auto sizes) {
           return isCompatibleSize(std::get<0>(sizes), std::get<1>(sizes));
         });
}

int64_t divideSize(int64_t value, int64_t divisor) {
  return ShapedType::isDynamic(value) ? value : value / divisor;
}

LogicalResult checkSameShape(const Reporter &at, StringRef lhsName,
                             ArrayRef<int64_t> lhs, StringRef rhsName,
                             ArrayRef<int64_t> rhs) {
  if (lhs.size() != rhs.size())
    return at.fail("needs ", lhsName, " and ", rhsName,
                   " of one rank, but they have ranks ", lhs.size(), " and ",
                   rhs.size());
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(lhs, rhs))) {
    auto [left, right] = sizes;
    if (!isCompatibleSize(left, right))
      return at.fail("needs ", lhsName, " and ", rhsName,
                     " of one shape, but dimension ", dim, " has size ", left,
                     " in ", lhsName, " and ", right, " in ", rhsName);
  }
  return success();
}

LogicalResult checkResultTypes(const Reporter &at, TypeRange inferred,
                               TypeRange given) {
  if (inferred.size() != given.size())
    return at.fail("has ", given.size(), " results, but its operands make ",
                   inferred.size());
  for (auto [index, types] :
       llvm::enumerate(llvm::zip_equal(inferred, given))) {
    auto [expected, type] = types;
    if (expected == type)
      continue;
    auto expectedTensor = dyn_cast<RankedTensorType>(expected);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!expectedTensor || !tensor)
      return at.fail("has result ", index, " of type ", type,
                     ", but its operands make ", expected);
    if (expectedTensor.getElementType() != tensor.getElementType())
      return at.fail("has result ", index, " of element type ",
                     tensor.getElementType(), ", but its operands make ",
                     expectedTensor.getElementType());
    if (expectedTensor.getRank() != tensor.getRank())
      return at.fail("has result ", index, " of rank ", tensor.getRank(),
                     ", but its operands make shape ",
                     expectedTensor.getShape());
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (!isCompatibleSize(expectedTensor.getDimSize(dim),
                            tensor.getDimSize(dim)))
        return at.fail("has result ", index, " of size ",
                       tensor.getDimSize(dim), " in dimension ", dim,
                       ", but its operands make size ",
                       expectedTensor.getDimSize(dim));
  }
  return success();
}

LogicalResult checkDim(const Reporter &at, StringRef name, int64_t dim,
                       int64_t rank) {
  if (dim < 0 || dim >= rank)
    return at.fail(name, " ", dim, " is out of range for rank ", rank);
  return success();
}

LogicalResult checkDims(const Reporter &at, StringRef name,
                        ArrayRef<int64_t> dims, int64_t rank, bool ascending) {
  SmallVector<bool> seen(rank, false);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return at.fail(name, " holds dimension ", dim,
                     ", which is out of range for rank ", rank);
    if (seen[dim])
      return at.fail(name, " holds dimension ", dim, " twice");
    seen[dim] = true;
    if (ascending && index > 0 && dims[index - 1] > dim)
      return at.fail(name, " must ascend, but holds ", dims[index - 1],
                     " before ", dim);
  }
  return success();
}

LogicalResult checkCount(const Reporter &at, StringRef name, size_t count,
                         size_t expected, StringRef per) {
  if (count != expected)
    return at.fail(name, " has ", count, " entries, but there are ", expected,
                   " ", per);
  return success();
}

bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  std::optional<ElementKind> fromKind = getElementKind(from);
  if (!fromKind || fromKind != getElementKind(to))
    return false;
  if (auto fromComplex = dyn_cast<ComplexType>(from))
    return isPromotable(fromComplex.getElementType(),
                        cast<ComplexType>(to).getElementType());
  if (!from.isIntOrFloat())
    return true;
  return from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
}

ReturnOp getReturn(const Reporter &at, Region &region, StringRef name) {
  if (region.empty() || region.front().empty()) {
    (void)at.fail(name, " is empty; it must end with stablehlo.return");
    return nullptr;
  }
  Operation &last = region.front().back();
  auto result = dyn_cast<ReturnOp>(last);
  if (!result)
    (void)at.fail(name, " ends with ", last.getName().getStringRef(),
                  ", not with stablehlo.return");
  return result;
}

/// Fails unless two type lists agree; `what` names the entries.
static LogicalResult checkTypes(const Reporter &at, StringRef name,
                                StringRef what, TypeRange given,
                                TypeRange expected) {
  if (given.size() != expected.size())
    return at.fail(name, " has ", given.size(), " ", what, "s, expected ",
                   expected.size());
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(given, expected)))
    if (!areCompatibleTypes(std::get<0>(types), std::get<1>(types)))
      return at.fail(name, " has ", what, " ", index, " of type ",
                     std::get<0>(types), ", expected ", std::get<1>(types));
  return success();
}

LogicalResult checkRegion(const Reporter &at, Region &region, StringRef name,
                          TypeRange arguments, TypeRange results) {
  ReturnOp end = getReturn(at, region, name);
  if (!end || failed(checkTypes(at, name, "argument", region.getArgumentTypes(),
                                arguments)))
    return failure();
  return checkTypes(at, name, "returned value", end->getOperandTypes(),
                    results);
}

LogicalResult checkFoldBody(const Reporter &at, Region &region, StringRef name,
                            TypeRange inputs, SmallVectorImpl<Type> &folded) {
  size_t count = inputs.size();
  if (region.empty() || region.getNumArguments() != 2 * count)
    return at.fail(name, " has ", region.empty() ? 0 : region.getNumArguments(),
                   " arguments, but folding ", count, " values takes ",
                   2 * count);
  SmallVector<Type> scalars;
  for (size_t i = 0; i < count; ++i) {
    auto scalar = dyn_cast<RankedTensorType>(region.getArgument(i).getType());
    if (!scalar || scalar.getRank() != 0)
      return at.fail(name, " has argument ", i, " of type ",
                     region.getArgument(i).getType(),
                     ", expected a tensor of rank 0");
    Type element = getElementTypeOrSelf(inputs[i]);
    if (!isPromotable(element, scalar.getElementType()))
      return at.fail(name, " has argument ", i, " of element type ",
                     scalar.getElementType(),
                     ", to which values of element type ", element,
                     " cannot be promoted");
    scalars.push_back(scalar);
    folded.push_back(scalar.getElementType());
  }
  SmallVector<Type> arguments(scalars);
  llvm::append_range(arguments, scalars);
  return checkRegion(at, region, name, arguments, scalars);
}

std::optional<SmallVector<int64_t>> getConstantInts(Value value) {
  DenseIntElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> ints;
  for (const APInt &element : elements.getValues<APInt>())
    ints.push_back(element.getSExtValue());
  return ints;
}

} // namespace partita::stablehlo
