// Constants, iota, and ops that only move elements by a fixed map.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {

/// The index along `dim` as an element of the program's type `element`.
static Value emitIota(OpBuilder &b, Location loc, int64_t dim, Type element) {
  Value index = linalg::IndexOp::create(b, loc, dim);
  auto complex = dyn_cast<ComplexType>(element);
  Type type = getComputeType(complex ? complex.getElementType() : element);
  if (isa<IndexType>(type))
    return index;
  bool isFloat = isa<FloatType>(type);
  Value value = arith::IndexCastOp::create(
      b, loc, isFloat ? b.getI64Type() : type, index);
  if (isFloat)
    value = arith::SIToFPOp::create(b, loc, type, value);
  if (!complex)
    return encodeElement(b, loc, value, element);
  return complex::CreateOp::create(b, loc, complex, value,
                                   makeZero(b, loc, type));
}

/// The constant as a tensor of stored elements; null if its elements are not at
/// hand.
static Value emitConstant(OpBuilder &b, Location loc, ElementsAttr elements) {
  auto value = dyn_cast<DenseElementsAttr>(elements);
  return value ? arith::ConstantOp::create(b, loc, getStoredElements(value))
               : Value();
}

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

/// `index` with the last component replaced by `last`, or with it appended.
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
static Value emitJoinBits(OpBuilder &b, Location loc, Value operand, int64_t rank,
                          Type from, Type to) {
  unsigned fromWidth = getBitWidth(from), toWidth = getBitWidth(to);
  Type wide = b.getIntegerType(toWidth);
  Value joined = arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, 0));
  SmallVector<Value> indices = getLoopIndices(b, loc, rank);
  indices.emplace_back();
  for (unsigned part = 0; part < toWidth / fromWidth; ++part) {
    indices.back() = arith::ConstantIndexOp::create(b, loc, part);
    Value bits = toBits(
        b, loc, tensor::ExtractOp::create(b, loc, operand, indices));
    if (bits.getType().getIntOrFloatBitWidth() > fromWidth)
      bits = arith::TruncIOp::create(b, loc, b.getIntegerType(fromWidth), bits);
    bits = arith::ExtUIOp::create(b, loc, wide, bits);
    Value amount = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(wide, part * fromWidth));
    joined = arith::OrIOp::create(
        b, loc, joined, arith::ShLIOp::create(b, loc, bits, amount));
  }
  if (isNarrowInteger(to))
    return encodeElement(b, loc, joined, to);
  return fromBits(b, loc, joined, getStorageType(to));
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
    return Value();
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

/// Reshape of static shapes: by reassociation where one exists, else through
/// one dimension.
static Value emitReshape(OpBuilder &b, Location loc, Value value,
                         RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  if (auto groups = getReassociationIndicesForReshape(from, type)) {
    if (from.getRank() > type.getRank())
      return tensor::CollapseShapeOp::create(b, loc, type, value, *groups);
    return tensor::ExpandShapeOp::create(b, loc, type, value, *groups);
  }
  auto collapseAll = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (from.getRank() != 1)
    value = from.getRank() == 0
                ? Value(tensor::ExpandShapeOp::create(
                      b, loc, flat, value, ArrayRef<ReassociationIndices>{}))
                : Value(tensor::CollapseShapeOp::create(
                      b, loc, flat, value, collapseAll(from.getRank())));
  if (type.getRank() == 1)
    return value;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, value,
                                           ArrayRef<ReassociationIndices>{});
  return tensor::ExpandShapeOp::create(b, loc, type, value,
                                       collapseAll(type.getRank()));
}

LogicalResult LinalgEmitter::emitShape(Operation *op, bool &handled) {
  if (op->getNumResults() == 0)
    return success();
  auto type =
      dyn_cast<RankedTensorType>(convertType(op->getResult(0).getType()));
  if (!type)
    return success();
  int64_t rank = type.getRank();
  auto dims = [&](ArrayRef<int64_t> list, RankedTensorType operand) {
    // Operand dimension i follows loop list[i], or stays at 0 where it is 1.
    SmallVector<AffineExpr> exprs;
    for (auto [index, dim] : llvm::enumerate(list))
      exprs.push_back(operand.getDimSize(index) == 1 &&
                              type.getDimSize(dim) != 1
                          ? getAffineConstantExpr(0, b.getContext())
                          : getAffineDimExpr(dim, b.getContext()));
    return AffineMap::get(rank, 0, exprs, b.getContext());
  };
  auto forward = [](OpBuilder &, ValueRange arguments) { return arguments[0]; };
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](stablehlo::ConstantOp constant) -> Value {
            return emitConstant(b, loc, constant.getValue());
          })
          .Case([&](chlo::ConstantOp constant) -> Value {
            return emitConstant(b, loc, constant.getValue());
          })
          .Case([&](stablehlo::IotaOp iota) -> Value {
            return parallelGeneric(
                type, {}, {}, [&](OpBuilder &builder, ValueRange) {
                  return emitIota(builder, loc, iota.getIotaDimension(),
                                  getElementTypeOrSelf(iota.getType()));
                });
          })
          .Case([&](stablehlo::BroadcastInDimOp broadcast) -> Value {
            Value operand = get(broadcast.getOperand());
            return parallelGeneric(
                type, operand,
                dims(broadcast.getBroadcastDimensions(),
                     cast<RankedTensorType>(operand.getType())),
                forward);
          })
          .Case([&](stablehlo::TransposeOp transpose) -> Value {
            SmallVector<int64_t> loops(rank);
            for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
              loops[from] = dim;
            Value operand = get(transpose.getOperand());
            auto map = AffineMap::getPermutationMap(
                SmallVector<unsigned>(loops.begin(), loops.end()),
                b.getContext());
            return parallelGeneric(type, operand, map, forward);
          })
          .Case([&](stablehlo::ReshapeOp reshape) -> Value {
            return emitReshape(b, loc, get(reshape.getOperand()), type);
          })
          .Case([&](stablehlo::ReverseOp reverse) -> Value {
            Value operand = get(reverse.getOperand());
            return parallelGeneric(
                type, {}, {}, [&](OpBuilder &builder, ValueRange) -> Value {
                  SmallVector<Value> indices;
                  for (int64_t dim = 0; dim < rank; ++dim) {
                    Value at = linalg::IndexOp::create(builder, loc, dim);
                    if (llvm::is_contained(reverse.getDimensions(), dim)) {
                      Value last = arith::ConstantIndexOp::create(
                          builder, loc, type.getDimSize(dim) - 1);
                      at = arith::SubIOp::create(builder, loc, last, at);
                    }
                    indices.push_back(at);
                  }
                  return tensor::ExtractOp::create(builder, loc, operand,
                                                   indices);
                });
          })
          .Case([&](stablehlo::BitcastConvertOp bitcast) -> Value {
            return emitBitcast(bitcast);
          })
          .Case([&](stablehlo::BroadcastOp broadcast) -> Value {
            Value operand = get(broadcast.getOperand());
            auto from = cast<RankedTensorType>(operand.getType());
            auto trailing = llvm::to_vector(
                llvm::seq<int64_t>(rank - from.getRank(), rank));
            return parallelGeneric(type, operand, dims(trailing, from),
                                   forward);
          })
          .Default(Value());
  if (!result)
    return success();
  handled = true;
  return bind(op, result);
}

} // namespace partita
