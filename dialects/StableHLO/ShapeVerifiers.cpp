// Inference and verification of ops that move whole dimensions.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Iota and reshapes
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  Reporter at(*this);
  if (!getType().hasStaticShape())
    return at.fail("has a result of unknown size: ", getType());
  return checkDim(at, "iota_dimension", getIotaDimension(),
                  getType().getRank());
}

/// Fails unless `shape`, computed at run time, fits `result`.
static LogicalResult checkDynamicShape(const Reporter &at, StringRef name,
                                       Value shape, RankedTensorType result) {
  int64_t count = tensorOf(shape).getDimSize(0);
  if (!isCompatibleSize(count, result.getRank()))
    return at.fail(name, " has ", count, " entries, but the result has rank ",
                   result.getRank());
  std::optional<SmallVector<int64_t>> sizes = getConstantInts(shape);
  if (!sizes)
    return success();
  for (auto [dim, size] : llvm::enumerate(*sizes))
    if (!isCompatibleSize(size, result.getDimSize(dim)))
      return at.fail("has a result of size ", result.getDimSize(dim),
                     " in dimension ", dim, ", but ", name, " says ", size);
  return success();
}

LogicalResult DynamicIotaOp::verify() {
  Reporter at(*this);
  return success(succeeded(checkDim(at, "iota_dimension", getIotaDimension(),
                                    getType().getRank())) &&
                 succeeded(checkDynamicShape(at, "output_shape",
                                             getOutputShape(), getType())));
}

/// Fails unless all sizes of a result are known, or all but one, bounded.
static LogicalResult checkKnownSizes(const Reporter &at,
                                     RankedTensorType result) {
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(result.getEncoding());
  int64_t unbounded = 0;
  for (int64_t dim = 0; dim < result.getRank(); ++dim)
    if (result.isDynamicDim(dim) &&
        !(extensions && !ShapedType::isDynamic(extensions.getBounds()[dim])))
      ++unbounded;
  if (unbounded > 0 || result.getNumDynamicDims() > 1)
    return at.fail("has a result of shape ", result.getShape(),
                   ", of which at most one size may be unknown, and bounded");
  return success();
}

/// Fails if both shapes are known and count different numbers of elements.
static LogicalResult checkSameCount(const Reporter &at, RankedTensorType from,
                                    RankedTensorType to) {
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return at.fail("cannot reshape ", from.getShape(), " with ",
                   from.getNumElements(), " elements to ", to.getShape(),
                   " with ", to.getNumElements());
  return success();
}

LogicalResult ReshapeOp::verify() {
  Reporter at(*this);
  return success(
      succeeded(checkKnownSizes(at, getType())) &&
      succeeded(checkSameCount(at, getOperand().getType(), getType())));
}

LogicalResult DynamicReshapeOp::verify() {
  Reporter at(*this);
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType() &&
      getElementKind(from.getElementType()) != QuantizedElement)
    return at.fail("has an operand of element type ", from.getElementType(),
                   ", but a result of element type ", to.getElementType());
  if (std::optional<SmallVector<int64_t>> sizes =
          getConstantInts(getOutputShape()))
    if (failed(checkSameCount(at, from, to.clone(*sizes))))
      return failure();
  if (failed(checkSameCount(at, from, to)))
    return failure();
  return checkDynamicShape(at, "output_shape", getOutputShape(), to);
}

/// Bits of one element; 0 for a type whose width we do not know.
static unsigned getBitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getBitWidth(complex.getElementType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

LogicalResult BitcastConvertOp::verify() {
  Reporter at(*this);
  RankedTensorType from = getOperand().getType(), to = getType();
  Type fromElement = from.getElementType(), toElement = to.getElementType();
  if (isa<ComplexType>(fromElement) != isa<ComplexType>(toElement))
    return at.fail("cannot convert between ", fromElement, " and ", toElement,
                   ": both must be complex or neither");
  unsigned fromBits = getBitWidth(fromElement), toBits = getBitWidth(toElement);
  if (fromBits == 0 || toBits == 0)
    return success();
  if (fromBits == toBits)
    return checkSameShape(at, "operand", from.getShape(), "result",
                          to.getShape());
  // The wider side lacks the last dimension of the narrower one, whose size is
  // the ratio of the widths.
  bool widens = fromBits < toBits;
  ArrayRef<int64_t> narrow = widens ? from.getShape() : to.getShape();
  ArrayRef<int64_t> wide = widens ? to.getShape() : from.getShape();
  unsigned ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
  StringRef narrowName = widens ? "operand" : "result";
  if (std::max(fromBits, toBits) % std::min(fromBits, toBits) != 0)
    return at.fail("cannot convert between elements of ", fromBits, " and ",
                   toBits, " bits");
  if (narrow.size() != wide.size() + 1)
    return at.fail("converts ", fromBits, "-bit to ", toBits,
                   "-bit elements, so that ranks differ by one, but they are ",
                   from.getRank(), " and ", to.getRank());
  if (!isCompatibleSize(narrow.back(), ratio))
    return at.fail("converts ", fromBits, "-bit to ", toBits,
                   "-bit elements, so that the ", narrowName,
                   "'s last dimension has size ", ratio, ", but it has ",
                   narrow.back());
  return checkSameShape(at, widens ? "the operand's leading part" : "operand",
                        widens ? narrow.drop_back() : wide,
                        widens ? "result" : "the result's leading part",
                        widens ? wide : narrow.drop_back());
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

static LogicalResult inferTypes(BroadcastOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  SmallVector<int64_t> sizes(op.getBroadcastSizes());
  for (int64_t size : sizes)
    if (size < 0)
      return at.fail("broadcast_sizes holds a negative size ", size);
  llvm::append_range(sizes, operand.getShape());
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}
PARTITA_INFER_AND_VERIFY(BroadcastOp)

/// Fails unless dimension i of `operand` is 1 or matches dimension `dims[i]`
/// of `result`.
static LogicalResult checkBroadcast(const Reporter &at,
                                    RankedTensorType operand,
                                    ArrayRef<int64_t> dims,
                                    RankedTensorType result) {
  if (failed(checkCount(at, "broadcast_dimensions", dims.size(),
                        operand.getRank(), "operand dimensions")) ||
      failed(checkDims(at, "broadcast_dimensions", dims, result.getRank())))
    return failure();
  for (auto [dim, target] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(dim);
    if (size != 1 && !isCompatibleSize(size, result.getDimSize(target)))
      return at.fail("cannot broadcast operand dimension ", dim, " of size ",
                     size, " to result dimension ", target, " of size ",
                     result.getDimSize(target));
  }
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  Reporter at(*this);
  return success(
      succeeded(checkKnownSizes(at, getType())) &&
      succeeded(checkBroadcast(at, getOperand().getType(),
                               getBroadcastDimensions(), getType())));
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  if (operand.getElementType() != getType().getElementType() &&
      getElementKind(operand.getElementType()) != QuantizedElement)
    return at.fail("has an operand of element type ", operand.getElementType(),
                   ", but a result of element type ",
                   getType().getElementType());
  if (std::optional<SmallVector<int64_t>> sizes =
          getConstantInts(getOutputDimensions()))
    if (static_cast<int64_t>(sizes->size()) == getType().getRank() &&
        failed(checkBroadcast(at, operand, getBroadcastDimensions(),
                              getType().clone(*sizes))))
      return failure();
  if (failed(
          checkBroadcast(at, operand, getBroadcastDimensions(), getType())) ||
      failed(checkDynamicShape(at, "output_dimensions", getOutputDimensions(),
                               getType())))
    return failure();
  SmallVector<int64_t> known;
  for (auto list :
       {getKnownExpandingDimensions(), getKnownNonexpandingDimensions()})
    if (list)
      llvm::append_range(known, *list);
  return checkDims(at, "known expanding and nonexpanding dimensions", known,
                   operand.getRank());
}

//===----------------------------------------------------------------------===//
// Transpose, reverse, concatenate
//===----------------------------------------------------------------------===//

static LogicalResult inferTypes(TransposeOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (failed(checkCount(at, "permutation", permutation.size(),
                        operand.getRank(), "operand dimensions")) ||
      failed(checkDims(at, "permutation", permutation, operand.getRank())))
    return failure();
  SmallVector<int64_t> sizes;
  for (int64_t dim : permutation)
    sizes.push_back(operand.getDimSize(dim));
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}

/// A per-axis quantized element type names its axis, which moves along.
static bool isQuantized(Value value) {
  return getElementKind(tensorOf(value).getElementType()) == QuantizedElement;
}

LogicalResult TransposeOp::verify() {
  if (!isQuantized(getOperand()))
    return verifyInferred(*this);
  Reporter at(*this);
  SmallVector<Type> types;
  if (failed(inferTypes(Adaptor(*this), at, types)))
    return failure();
  return checkSameShape(at, "the transposed operand",
                        cast<RankedTensorType>(types.front()).getShape(),
                        "result", getType().getShape());
}
PARTITA_INFER_TYPES(TransposeOp)

static LogicalResult inferTypes(ReverseOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  types.push_back(operand);
  return checkDims(at, "dimensions", op.getDimensions(), operand.getRank());
}
PARTITA_INFER_AND_VERIFY(ReverseOp)

static LogicalResult inferTypes(ConcatenateOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return at.fail("needs at least one operand");
  RankedTensorType first = tensorOf(op.getInputs().front());
  int64_t dimension = op.getDimension();
  if (failed(checkDim(at, "dimension", dimension, first.getRank())))
    return failure();
  SmallVector<int64_t> sizes(first.getShape());
  for (auto [index, input] : llvm::enumerate(op.getInputs().drop_front())) {
    RankedTensorType type = tensorOf(input);
    if (type.getRank() != first.getRank())
      return at.fail("needs operands of one rank, but operand 0 has rank ",
                     first.getRank(), " and operand ", index + 1, " rank ",
                     type.getRank());
    for (int64_t dim = 0; dim < first.getRank(); ++dim) {
      int64_t size = type.getDimSize(dim);
      if (dim == dimension) {
        bool isKnown =
            !ShapedType::isDynamic(size) && !ShapedType::isDynamic(sizes[dim]);
        sizes[dim] = isKnown ? sizes[dim] + size : ShapedType::kDynamic;
        continue;
      }
      if (!isCompatibleSize(size, sizes[dim]))
        return at.fail("concatenates along dimension ", dimension,
                       ", but dimension ", dim, " has size ", sizes[dim],
                       " in operand 0 and ", size, " in operand ", index + 1);
      if (ShapedType::isDynamic(sizes[dim]))
        sizes[dim] = size;
    }
  }
  types.push_back(RankedTensorType::get(sizes, first.getElementType()));
  return success();
}
PARTITA_INFER_AND_VERIFY(ConcatenateOp)

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// Sizes of `operand` after padding.
static FailureOr<SmallVector<int64_t>>
padSizes(const Reporter &at, RankedTensorType operand, ArrayRef<int64_t> low,
         ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  for (auto [name, list] : {std::pair("edge_padding_low", low),
                            std::pair("edge_padding_high", high),
                            std::pair("interior_padding", interior)})
    if (failed(checkCount(at, name, list.size(), operand.getRank(),
                          "operand dimensions")))
      return failure();
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t size = operand.getDimSize(dim);
    if (interior[dim] < 0)
      return at.fail("has negative interior padding ", interior[dim],
                     " in dimension ", dim);
    if (ShapedType::isDynamic(size)) {
      sizes.push_back(size);
      continue;
    }
    int64_t between = std::max<int64_t>(size - 1, 0) * interior[dim];
    int64_t padded = low[dim] + size + between + high[dim];
    if (padded < 0)
      return at.fail("padding of ", low[dim], " and ", high[dim],
                     " makes dimension ", dim, " of size ", size,
                     " negative: ", padded);
    sizes.push_back(padded);
  }
  return sizes;
}

static LogicalResult inferTypes(PadOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  FailureOr<SmallVector<int64_t>> sizes =
      padSizes(at, operand, op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
               op.getInteriorPadding());
  if (failed(sizes))
    return failure();
  types.push_back(RankedTensorType::get(*sizes, operand.getElementType()));
  return success();
}
PARTITA_INFER_AND_VERIFY(PadOp)

LogicalResult DynamicPadOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  if (operand.getRank() != getType().getRank())
    return at.fail("has an operand of rank ", operand.getRank(),
                   ", but a result of rank ", getType().getRank());
  Type element = operand.getElementType();
  for (Type type : {getPaddingValue().getType(), getResult().getType()})
    if (cast<RankedTensorType>(type).getElementType() != element)
      return at.fail("has an operand of element type ", element,
                     ", but a padding value or result of type ", type);
  for (auto [name, amounts] :
       {std::pair("edge_padding_low", getEdgePaddingLow()),
        std::pair("edge_padding_high", getEdgePaddingHigh()),
        std::pair("interior_padding", getInteriorPadding())}) {
    int64_t count = tensorOf(amounts).getDimSize(0);
    if (!isCompatibleSize(count, operand.getRank()))
      return at.fail(name, " has ", count,
                     " entries, but the operand has rank ", operand.getRank());
  }
  std::optional<SmallVector<int64_t>> low =
      getConstantInts(getEdgePaddingLow());
  std::optional<SmallVector<int64_t>> high =
      getConstantInts(getEdgePaddingHigh());
  std::optional<SmallVector<int64_t>> interior =
      getConstantInts(getInteriorPadding());
  if (!low || !high || !interior)
    return success();
  FailureOr<SmallVector<int64_t>> sizes =
      padSizes(at, operand, *low, *high, *interior);
  if (failed(sizes))
    return failure();
  return checkResultTypes(at, TypeRange(Type(getType().clone(*sizes))),
                          TypeRange(Type(getType())));
}

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

static LogicalResult inferTypes(GetDimensionSizeOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  types.push_back(
      RankedTensorType::get({}, IntegerType::get(operand.getContext(), 32)));
  return checkDim(at, "dimension", op.getDimension(), operand.getRank());
}
PARTITA_INFER_AND_VERIFY(GetDimensionSizeOp)

LogicalResult SetDimensionSizeOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  if (getSize().getType().getRank() != 0)
    return at.fail("needs a size of rank 0, not ", getSize().getType());
  if (operand.getElementType() != getType().getElementType())
    return at.fail("has an operand of element type ", operand.getElementType(),
                   ", but a result of element type ",
                   getType().getElementType());
  if (failed(checkDim(at, "dimension", getDimension(), operand.getRank())))
    return failure();
  return checkSameShape(at, "operand", operand.getShape(), "result",
                        getType().getShape());
}

} // namespace partita::stablehlo
