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
