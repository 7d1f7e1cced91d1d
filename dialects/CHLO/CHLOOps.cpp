// Type inference, verifiers and text form of the chlo ops that need code.
#include "dialects/CHLO/CHLO.h"

#include "dialects/StableHLO/Inference.h"
#include "dialects/StableHLO/Reporter.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using partita::stablehlo::Reporter;

#define GET_OP_CLASSES
#include "dialects/CHLO/CHLOOps.cpp.inc"

namespace partita::chlo {

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// The size of one dimension of two broadcast values, or nothing if they do not
/// fit. An unknown size beside a known one above 1 must turn out to be that
/// or 1.
static std::optional<int64_t> broadcastSize(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1 || ShapedType::isDynamic(lhs))
    return rhs;
  if (ShapedType::isDynamic(rhs))
    return lhs;
  return std::nullopt;
}

/// Broadcasts `shape` into `result` in place; dimension i of `shape` is
/// dimension `dims[i]` of the result.
static LogicalResult broadcastInto(const Reporter &at, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> dims,
                                   SmallVectorImpl<int64_t> &result) {
  for (auto [size, dim] : llvm::zip_equal(shape, dims)) {
    std::optional<int64_t> joint = broadcastSize(result[dim], size);
    if (!joint)
      return at.fail("sizes ", result[dim], " and ", size, " of dimension ",
                     dim, " cannot be broadcast to each other");
    result[dim] = *joint;
  }
  return success();
}

/// Broadcasts as NumPy does: dimensions are matched from the last one.
static LogicalResult broadcastTrailing(const Reporter &at, TypeRange types,
                                       SmallVectorImpl<int64_t> &result) {
  int64_t rank = 0;
  for (Type type : types)
    rank = std::max(rank, cast<RankedTensorType>(type).getRank());
  result.assign(rank, 1);
  for (Type type : types) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    auto dims = llvm::to_vector(
        llvm::seq<int64_t>(rank - static_cast<int64_t>(shape.size()), rank));
    if (failed(broadcastInto(at, shape, dims, result)))
      return failure();
  }
  return success();
}

/// Broadcasts two values; `dims`, where given, says which dimensions of the
/// value of higher rank those of the other are.
static LogicalResult broadcastPair(const Reporter &at, RankedTensorType lhs,
                                   RankedTensorType rhs,
                                   std::optional<ArrayRef<int64_t>> dims,
                                   SmallVectorImpl<int64_t> &result) {
  if (!dims)
    return broadcastTrailing(at, {lhs, rhs}, result);
  bool lhsLarger = lhs.getRank() > rhs.getRank();
  ArrayRef<int64_t> large = (lhsLarger ? lhs : rhs).getShape();
  ArrayRef<int64_t> small = (lhsLarger ? rhs : lhs).getShape();
  int64_t largeRank = large.size();
  if (failed(stablehlo::checkCount(at, "broadcast_dimensions", dims->size(),
                                   small.size(),
                                   "dimensions of the smaller operand")) ||
      failed(
          stablehlo::checkDims(at, "broadcast_dimensions", *dims, largeRank)))
    return failure();
  llvm::append_range(result, large);
  return broadcastInto(at, small, *dims, result);
}

/// Infers the result of a binary op with broadcasting. `elementType` is null
/// where it is the operands'.
template <typename Adaptor>
static LogicalResult inferBroadcast(Adaptor adaptor, const Reporter &at,
                                    Type elementType,
                                    SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  bool isQuantized = stablehlo::isTensorOf(lhs, stablehlo::QuantizedElement) &&
                     stablehlo::isTensorOf(rhs, stablehlo::QuantizedElement);
  if (lhs.getElementType() != rhs.getElementType() && !isQuantized)
    return at.fail("operands have element types ", lhs.getElementType(),
                   " and ", rhs.getElementType(), ", which differ");
  SmallVector<int64_t> shape;
  if (failed(
          broadcastPair(at, lhs, rhs, adaptor.getBroadcastDimensions(), shape)))
    return failure();
  types.push_back(RankedTensorType::get(
      shape, elementType ? elementType : lhs.getElementType()));
  return success();
}

#define PARTITA_CHLO_BROADCAST(OP, ELEMENT)                                    \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> location, Adaptor adaptor, \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast(adaptor, Reporter(location, getOperationName()),     \
                          ELEMENT, types);                                     \
  }
PARTITA_CHLO_BROADCAST(BroadcastAddOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastAndOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastAtan2Op, Type())
PARTITA_CHLO_BROADCAST(BroadcastDivOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastMaxOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastMinOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastMulOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastNextAfterOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastOrOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastPolygammaOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastPowOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastRemOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastShiftLeftOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastShiftRightArithmeticOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastShiftRightLogicalOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastSubOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastXorOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastZetaOp, Type())
PARTITA_CHLO_BROADCAST(BroadcastCompareOp, IntegerType::get(context, 1))
PARTITA_CHLO_BROADCAST(
    BroadcastComplexOp,
    ComplexType::get(getElementTypeOrSelf(adaptor.getLhs().getType())))
#undef PARTITA_CHLO_BROADCAST

LogicalResult BroadcastSelectOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Reporter at(location, getOperationName());
  Type onTrue = getElementTypeOrSelf(adaptor.getOnTrue().getType());
  Type onFalse = getElementTypeOrSelf(adaptor.getOnFalse().getType());
  if (onTrue != onFalse)
    return at.fail("on_true and on_false have element types ", onTrue, " and ",
                   onFalse, ", which differ");
  SmallVector<int64_t> shape;
  if (failed(broadcastTrailing(at, TypeRange(adaptor.getOperands()), shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, onTrue));
  return success();
}

//===----------------------------------------------------------------------===//
// Predicates and constants
//===----------------------------------------------------------------------===//

#define PARTITA_CHLO_PREDICATE(OP)                                             \
  LogicalResult OP::inferReturnTypes(MLIRContext *context,                     \
                                     std::optional<Location>, Adaptor adaptor, \
                                     SmallVectorImpl<Type> &types) {           \
    auto type = cast<RankedTensorType>(adaptor.getOperand().getType());        \
    types.push_back(type.clone(IntegerType::get(context, 1)));                 \
    return success();                                                          \
  }
PARTITA_CHLO_PREDICATE(IsInfOp)
PARTITA_CHLO_PREDICATE(IsNegInfOp)
PARTITA_CHLO_PREDICATE(IsPosInfOp)
#undef PARTITA_CHLO_PREDICATE

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantLikeOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  Type elementType = adaptor.getValue().getType();
  if (!stablehlo::getElementKind(elementType))
    return Reporter(location, getOperationName())
        .fail("value of type ", elementType,
              " cannot be an element of a tensor");
  types.push_back(type.clone(elementType));
  return success();
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Reporter at(location, getOperationName());
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t k = adaptor.getKAttr().getInt();
  if (type.getRank() == 0)
    return at.fail("operand is a scalar; it must have at least one dimension");
  int64_t last = type.getShape().back();
  if (k < 0 || (!ShapedType::isDynamic(last) && k > last))
    return at.fail("k = ", k, " is not in [0, ", last,
                   "], the size of the last dimension");
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

//===----------------------------------------------------------------------===//
// RaggedDot
//===----------------------------------------------------------------------===//

/// The parts of a ragged dot that its checks pass along.
struct RaggedDot {
  Reporter at;
  RaggedDotDimensionNumbersAttr dims;
  ArrayRef<int64_t> lhs, rhs, groupSizes;

  bool isLhsFree(int64_t dim) const {
    return !llvm::is_contained(dims.getLhsBatching(), dim) &&
           !llvm::is_contained(dims.getLhsContracting(), dim);
  }
  bool isRhsFree(int64_t dim) const {
    return !llvm::is_contained(dims.getRhsBatching(), dim) &&
           !llvm::is_contained(dims.getRhsContracting(), dim) &&
           !llvm::is_contained(dims.getRhsGroup(), dim);
  }
  int64_t ragged() const { return dims.getLhsRagged().front(); }
  bool raggedIsBatching() const {
    return llvm::is_contained(dims.getLhsBatching(), ragged());
  }
  bool raggedIsContracting() const {
    return llvm::is_contained(dims.getLhsContracting(), ragged());
  }
};

/// Checks that the batching or contracting dimensions of the operands pair up.
static LogicalResult checkPairs(const RaggedDot &dot, StringRef kind,
                                ArrayRef<int64_t> lhsDims,
                                ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return dot.at.fail("lhs has ", lhsDims.size(), " ", kind,
                       " dimensions, rhs has ", rhsDims.size());
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
    if (!stablehlo::isCompatibleSize(dot.lhs[l], dot.rhs[r]))
      return dot.at.fail(kind, " dimension ", l, " of lhs has size ",
                         dot.lhs[l], ", but dimension ", r, " of rhs has size ",
                         dot.rhs[r]);
  return success();
}

/// Checks that each dimension is named once and exists.
static LogicalResult checkRoles(const RaggedDot &dot) {
  const auto &dims = dot.dims;
  auto join = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                 ArrayRef<int64_t> c = {}) {
    SmallVector<int64_t> all(a);
    llvm::append_range(all, b);
    llvm::append_range(all, c);
    return all;
  };
  int64_t lhsRank = dot.lhs.size(), rhsRank = dot.rhs.size();
  if (dims.getLhsRagged().size() != 1)
    return dot.at.fail("lhs has ", dims.getLhsRagged().size(),
                       " ragged dimensions; it must have one");
  if (failed(stablehlo::checkDims(dot.at, "lhs_ragged_dimensions",
                                  dims.getLhsRagged(), lhsRank)) ||
      failed(stablehlo::checkDims(
          dot.at, "lhs batching and contracting dimensions",
          join(dims.getLhsBatching(), dims.getLhsContracting()), lhsRank)) ||
      failed(stablehlo::checkDims(
          dot.at, "rhs batching, contracting and group dimensions",
          join(dims.getRhsBatching(), dims.getRhsContracting(),
               dims.getRhsGroup()),
          rhsRank)))
    return failure();
  return success(
      succeeded(checkPairs(dot, "batching", dims.getLhsBatching(),
                           dims.getRhsBatching())) &&
      succeeded(checkPairs(dot, "contracting", dims.getLhsContracting(),
                           dims.getRhsContracting())));
}

/// Checks `group_sizes`: [g], or [dimensions of lhs before the ragged one, g].
static LogicalResult checkGroupSizes(const RaggedDot &dot) {
  if (dot.groupSizes.empty())
    return dot.at.fail(
        "group_sizes is a scalar; its last dimension must be the groups");
  if (dot.groupSizes.size() == 1)
    return success();
  SmallVector<int64_t> expected;
  auto addBefore = [&](ArrayRef<int64_t> list) {
    for (int64_t dim : list) {
      if (dim == dot.ragged())
        return;
      expected.push_back(dot.lhs[dim]);
    }
  };
  addBefore(dot.dims.getLhsBatching());
  if (dot.raggedIsContracting()) {
    addBefore(dot.dims.getLhsContracting());
  } else if (!dot.raggedIsBatching()) {
    for (int64_t dim = 0; dim < dot.ragged(); ++dim)
      if (dot.isLhsFree(dim))
        expected.push_back(dot.lhs[dim]);
  }
  ArrayRef<int64_t> given = dot.groupSizes.drop_back();
  if (!stablehlo::isCompatibleShape(expected, given))
    return dot.at.fail("group_sizes has sizes ", given,
                       " before the groups; they must be ", ArrayRef(expected));
  return success();
}

LogicalResult RaggedDotOp::verify() {
  RaggedDot dot{Reporter(*this), getRaggedDotDimensionNumbers(),
                getLhs().getType().getShape(), getRhs().getType().getShape(),
                getGroupSizes().getType().getShape()};
  if (failed(checkRoles(dot)) || failed(checkGroupSizes(dot)))
    return failure();
  int64_t numGroups = dot.groupSizes.back();
  bool needsGroup = !dot.raggedIsBatching() && !dot.raggedIsContracting();
  ArrayRef<int64_t> group = dot.dims.getRhsGroup();
  if (group.size() != (needsGroup ? 1 : 0))
    return dot.at.fail("rhs has ", group.size(),
                       " group dimensions; with this "
                       "ragged dimension it must have ",
                       needsGroup ? 1 : 0);
  if (needsGroup && !stablehlo::isCompatibleSize(dot.rhs[group[0]], numGroups))
    return dot.at.fail("group dimension of rhs has size ", dot.rhs[group[0]],
                       ", but group_sizes has ", numGroups, " groups");
  if (ArrayAttr precision = getPrecisionConfigAttr())
    if (failed(stablehlo::checkCount(dot.at, "precision_config",
                                     precision.size(), 2, "operands")))
      return failure();
  SmallVector<int64_t> shape;
  if (dot.raggedIsContracting())
    shape.push_back(numGroups);
  for (int64_t dim : dot.dims.getLhsBatching())
    shape.push_back(dot.lhs[dim]);
  for (int64_t dim = 0, rank = dot.lhs.size(); dim < rank; ++dim)
    if (dot.isLhsFree(dim))
      shape.push_back(dot.lhs[dim]);
  for (int64_t dim = 0, rank = dot.rhs.size(); dim < rank; ++dim)
    if (dot.isRhsFree(dim))
      shape.push_back(dot.rhs[dim]);
  ArrayRef<int64_t> given = getType().getShape();
  if (!stablehlo::isCompatibleShape(shape, given))
    return dot.at.fail("result has shape ", given, "; it must be ",
                       ArrayRef(shape));
  return success();
}

} // namespace partita::chlo
