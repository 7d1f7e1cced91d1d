// bitcast_convert: elements as others of the same bits, also of other widths.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace partita {

/// Bits of an element, as a signless integer.
static Value toBits(OpBuilder &b, Location loc, Value stored) {
  Type type = stored.getType();
  return isa<FloatType>(type)
             ? arith::BitcastOp::create(
                   b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()),
                   stored)
             : stored;
}

static Value fromBits(OpBuilder &b, Location loc, Value bits, Type stored) {
  return bits.getType() == stored
             ? bits
             : arith::BitcastOp::create(b, loc, stored, bits);
}

static unsigned getBitWidth(Type element) {
  return isa<ComplexType>(element) ? 0 : element.getIntOrFloatBitWidth();
}

/// The loops of a generic as indices.
static SmallVector<Value> getLoopIndices(OpBuilder &b, Location loc,
                                         int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < rank; ++dim)
    indices.push_back(linalg::IndexOp::create(b, loc, dim));
  return indices;
}

/// One element of `fromBits` bits as several of `toBits`, minor first.
static Value emitSplitBits(OpBuilder &b, Location loc, Value stored, Value part,
                           Type from, Type to) {
  unsigned fromWidth = getBitWidth(from), toWidth = getBitWidth(to);
  Type wide = b.getIntegerType(fromWidth), narrow = b.getIntegerType(toWidth);
  Value bits = toBits(b, loc, stored);
  if (isNarrowInteger(from))
    bits = arith::TruncIOp::create(b, loc, wide, bits);
  Value amount = arith::MulIOp::create(
      b, loc, part, arith::ConstantIndexOp::create(b, loc, toWidth));
  amount = arith::IndexCastOp::create(b, loc, wide, amount);
  bits = arith::ShRUIOp::create(b, loc, bits, amount);
  bits = arith::TruncIOp::create(b, loc, narrow, bits);
  if (isNarrowInteger(to))
    return encodeElement(b, loc, bits, to);
  if (isNarrowFloat(to) && toWidth < 8)
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), bits);
  return fromBits(b, loc, bits, getStorageType(to));
}

/// Several elements as one: the last dimension of `operand` is joined.
static Value emitJoinBits(OpBuilder &b, Location loc, Value operand,
                          int64_t rank, Type from, Type to) {
  unsigned fromWidth = getBitWidth(from), toWidth = getBitWidth(to);
  Type wide = b.getIntegerType(toWidth);
  Value joined = arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, 0));
  SmallVector<Value> indices = getLoopIndices(b, loc, rank);
  indices.emplace_back();
  for (unsigned part = 0; part < toWidth / fromWidth; ++part) {
    indices.back() = arith::ConstantIndexOp::create(b, loc, part);
    Value bits =
        toBits(b, loc, tensor::ExtractOp::create(b, loc, operand, indices));
    if (bits.getType().getIntOrFloatBitWidth() > fromWidth)
      bits = arith::TruncIOp::create(b, loc, b.getIntegerType(fromWidth), bits);
    bits = arith::ExtUIOp::create(b, loc, wide, bits);
    Value amount = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(wide, part * fromWidth));
    joined = arith::OrIOp::create(b, loc, joined,
                                  arith::ShLIOp::create(b, loc, bits, amount));
  }
  if (isNarrowInteger(to))
    return encodeElement(b, loc, joined, to);
  return fromBits(b, loc, joined, getStorageType(to));
}

/// Part `part` of complex<f64> as complex<f32>: of the two, one is the bits of
/// the real part, the other those of the imaginary part, each minor half first.
static Value emitSplitComplex(OpBuilder &b, Location loc, Value stored,
                              Value part, ComplexType to) {
  Type f64 = b.getF64Type(), f32 = b.getF32Type(), i64 = b.getI64Type();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isReal =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, zero);
  Value number = arith::SelectOp::create(
      b, loc, isReal, complex::ReOp::create(b, loc, f64, stored),
      complex::ImOp::create(b, loc, f64, stored));
  Value bits = arith::BitcastOp::create(b, loc, i64, number);
  auto half = [&](int64_t shift) -> Value {
    Value amount =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(shift));
    Value word = arith::TruncIOp::create(
        b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, bits, amount));
    return arith::BitcastOp::create(b, loc, f32, word);
  };
  return complex::CreateOp::create(b, loc, to, half(0), half(32));
}

/// The inverse: two numbers along the last dimension of `operand` as one.
static Value emitJoinComplex(OpBuilder &b, Location loc, Value operand,
                             int64_t rank, ComplexType to) {
  SmallVector<Value> indices = getLoopIndices(b, loc, rank);
  indices.emplace_back();
  SmallVector<Value, 2> parts;
  for (int64_t part : {0, 1}) {
    indices.back() = arith::ConstantIndexOp::create(b, loc, part);
    Value pair = tensor::ExtractOp::create(b, loc, operand, indices);
    auto word = [&](Value half) -> Value {
      Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), half);
      return arith::ExtUIOp::create(b, loc, b.getI64Type(), bits);
    };
    Type f32 = b.getF32Type();
    Value amount = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    Value high = arith::ShLIOp::create(
        b, loc, word(complex::ImOp::create(b, loc, f32, pair)), amount);
    Value bits = arith::OrIOp::create(
        b, loc, word(complex::ReOp::create(b, loc, f32, pair)), high);
    parts.push_back(arith::BitcastOp::create(b, loc, b.getF64Type(), bits));
  }
  return complex::CreateOp::create(b, loc, to, parts[0], parts[1]);
}

Value LinalgEmitter::emitComplexBitcast(Value operand, Type from,
                                        RankedTensorType type) {
  auto fromComplex = dyn_cast<ComplexType>(from);
  auto toComplex = dyn_cast<ComplexType>(type.getElementType());
  if (!fromComplex || !toComplex)
    return Value();
  int64_t rank = type.getRank();
  if (fromComplex.getElementType().isF64() &&
      toComplex.getElementType().isF32())
    return parallelGeneric(
        type, operand, b.getMultiDimIdentityMap(rank).dropResult(rank - 1),
        [&](OpBuilder &builder, ValueRange arguments) {
          Value part = linalg::IndexOp::create(builder, loc, rank - 1);
          return emitSplitComplex(builder, loc, arguments[0], part, toComplex);
        });
  return parallelGeneric(type, {}, {}, [&](OpBuilder &builder, ValueRange) {
    return emitJoinComplex(builder, loc, operand, rank, toComplex);
  });
}

Value LinalgEmitter::emitBitcast(stablehlo::BitcastConvertOp op) {
  Value operand = get(op.getOperand());
  Type from = getElementTypeOrSelf(op.getOperand());
  Type to = getElementTypeOrSelf(op.getType());
  auto type = convertTensor(op.getType());
  unsigned fromWidth = getBitWidth(from), toWidth = getBitWidth(to);
  if (operand.getType() == type && fromWidth == toWidth)
    return operand;
  if (!fromWidth || !toWidth)
    return emitComplexBitcast(operand, from, type);
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  if (fromWidth == toWidth)
    return parallelGeneric(
        type, operand, identity, [&](OpBuilder &builder, ValueRange arguments) {
          return fromBits(builder, loc, toBits(builder, loc, arguments[0]),
                          type.getElementType());
        });
  if (fromWidth > toWidth)
    return parallelGeneric(
        type, operand, identity.dropResult(rank - 1),
        [&](OpBuilder &builder, ValueRange arguments) {
          Value part = linalg::IndexOp::create(builder, loc, rank - 1);
          return emitSplitBits(builder, loc, arguments[0], part, from, to);
        });
  return parallelGeneric(type, {}, {}, [&](OpBuilder &builder, ValueRange) {
    return emitJoinBits(builder, loc, operand, rank, from, to);
  });
}

} // namespace partita
