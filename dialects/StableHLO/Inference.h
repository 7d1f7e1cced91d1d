// Checks that verifiers and shape inference of several op families share.
#ifndef PARTITA_DIALECTS_STABLEHLO_INFERENCE_H
#define PARTITA_DIALECTS_STABLEHLO_INFERENCE_H

#include "dialects/StableHLO/Reporter.h"
#include "dialects/StableHLO/StableHLO.h"

namespace partita::stablehlo {

/// True when two sizes may be equal: equal, or one of them unknown.
bool isCompatibleSize(int64_t lhs, int64_t rhs);

/// True when each size of two shapes of one rank is compatible.
bool isCompatibleShape(llvm::ArrayRef<int64_t> lhs,
                       llvm::ArrayRef<int64_t> rhs);

/// `value` rounded down after division by positive `divisor`; unknown if value
/// is.
int64_t divideSize(int64_t value, int64_t divisor);

/// Fails unless the shapes of `lhs` and `rhs` agree where both are known.
llvm::LogicalResult checkSameShape(const Reporter &at, llvm::StringRef lhsName,
                                   llvm::ArrayRef<int64_t> lhs,
                                   llvm::StringRef rhsName,
                                   llvm::ArrayRef<int64_t> rhs);

/// Fails unless each result type agrees with the type inferred for it, naming
/// the dimension and both sizes.
llvm::LogicalResult checkResultTypes(const Reporter &at,
                                     mlir::TypeRange inferred,
                                     mlir::TypeRange given);

/// Fails unless `dims` are distinct dimensions of a tensor of rank `rank`, and
/// in ascending order when `ascending` is set.
llvm::LogicalResult checkDims(const Reporter &at, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> dims, int64_t rank,
                              bool ascending = false);

/// Fails unless `dim` is a dimension of a tensor of rank `rank`.
llvm::LogicalResult checkDim(const Reporter &at, llvm::StringRef name,
                             int64_t dim, int64_t rank);

/// Fails unless list `name` has `expected` entries, one per `per`.
llvm::LogicalResult checkCount(const Reporter &at, llvm::StringRef name,
                               size_t count, size_t expected,
                               llvm::StringRef per);

/// True when elements of type `from` may be computed with as `to`: one kind,
/// no narrower.
bool isPromotable(mlir::Type from, mlir::Type to);

/// The value that ends `region`, or null with an error if it ends otherwise.
ReturnOp getReturn(const Reporter &at, mlir::Region &region,
                   llvm::StringRef name);

/// Fails unless `region` takes arguments of types `arguments` and returns
/// `results`.
llvm::LogicalResult checkRegion(const Reporter &at, mlir::Region &region,
                                llvm::StringRef name, mlir::TypeRange arguments,
                                mlir::TypeRange results);

/// Fails unless `region` folds `inputs.size()` scalars: it takes twice as many
/// scalar tensors, and returns the types of the first half. Element types of
/// `inputs` must be promotable to them. The folded element types are appended
/// to `folded`.
llvm::LogicalResult checkFoldBody(const Reporter &at, mlir::Region &region,
                                  llvm::StringRef name, mlir::TypeRange inputs,
                                  llvm::SmallVectorImpl<mlir::Type> &folded);

/// Integer elements of a constant operand; nothing if it is not constant.
std::optional<llvm::SmallVector<int64_t>> getConstantInts(mlir::Value value);

/// Verifies an op by its inference, an overload of `inferTypes`.
template <typename OpTy> llvm::LogicalResult verifyInferred(OpTy op) {
  Reporter at(op);
  llvm::SmallVector<mlir::Type> types;
  if (failed(inferTypes(typename OpTy::Adaptor(op), at, types)))
    return llvm::failure();
  return checkResultTypes(at, types, op->getResultTypes());
}

/// Defines `inferReturnTypes` and `verify` by an overload of `inferTypes` that
/// takes the op's adaptor.
#define PARTITA_INFER_TYPES(OP)                                                \
  llvm::LogicalResult OP::inferReturnTypes(                                    \
      mlir::MLIRContext *, std::optional<mlir::Location> location,             \
      Adaptor adaptor, llvm::SmallVectorImpl<mlir::Type> &types) {             \
    return inferTypes(adaptor, Reporter(location, getOperationName()), types); \
  }
#define PARTITA_INFER_AND_VERIFY(OP)                                           \
  PARTITA_INFER_TYPES(OP)                                                      \
  llvm::LogicalResult OP::verify() { return verifyInferred(*this); }

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_INFERENCE_H
