// Emits the linalg form of a per-device program. Shared by the files of this
// folder, one per op family.
//
// A function is emitted anew: values map to values of signless types; scalars
// stay rank-0 tensors. What has no good linalg form becomes spmd.runtime_call.
#ifndef PARTITA_CONVERSION_STABLEHLOTOLINALG_LINALGEMITTER_H
#define PARTITA_CONVERSION_STABLEHLOTOLINALG_LINALGEMITTER_H

#include "dialects/CHLO/CHLO.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace partita {

struct RuntimeKernel;

class LinalgEmitter {
public:
  explicit LinalgEmitter(mlir::ModuleOp module)
      : module(module), b(module.getContext()) {}

  /// Rewrites the body and type of `function` in place.
  mlir::LogicalResult emitFunction(mlir::func::FuncOp function);

  /// Elements as they lie in memory (ElementStorage.h), also inside tensors.
  static mlir::Type convertType(mlir::Type type);
  static mlir::RankedTensorType convertTensor(mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(convertType(type));
  }

  int64_t numRuntimeCalls = 0;

private:
  // LinalgEmitter.cpp
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::Value get(mlir::Value original) const {
    return mapping.lookup(original);
  }
  llvm::SmallVector<mlir::Value> get(mlir::ValueRange originals) const;
  mlir::LogicalResult bind(mlir::Operation *op, mlir::ValueRange values);
  mlir::LogicalResult refuse(mlir::Operation *op);
  mlir::Value empty(mlir::RankedTensorType type);
  mlir::Value fill(mlir::Value scalar, mlir::RankedTensorType type);
  mlir::Value index(int64_t value);
  /// Element of a rank-0 tensor.
  mlir::Value extractScalar(mlir::Value tensor);
  /// A generic over the whole of `type`: one input per map, parallel loops.
  mlir::Value parallelGeneric(
      mlir::RankedTensorType type, mlir::ValueRange inputs,
      llvm::ArrayRef<mlir::AffineMap> maps,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
          body);

  // Scalars.cpp: one op on stored scalars. Null if the op has no scalar form.
  mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::ValueRange operands);
  /// The ops of a body on scalars (reduce, sort, scatter); null and an error if
  /// one has no scalar form.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitScalarBody(mlir::OpBuilder &builder, mlir::Region &region,
                 mlir::ValueRange arguments);

  // One function per family; each handles one op or fails with an error.
  mlir::LogicalResult emitElementwise(mlir::Operation *op);
  mlir::LogicalResult emitMap(stablehlo::MapOp map);
  mlir::FailureOr<mlir::Value> emitMapped(mlir::Operation *op,
                                          mlir::RankedTensorType whole);
  mlir::Value emitBitcast(stablehlo::BitcastConvertOp op);
  mlir::Value emitComplexBitcast(mlir::Value operand, mlir::Type from,
                                 mlir::RankedTensorType type);
  mlir::LogicalResult emitShape(mlir::Operation *op, bool &handled);
  mlir::LogicalResult emitSlicing(mlir::Operation *op, bool &handled);
  mlir::LogicalResult emitReduction(mlir::Operation *op, bool &handled);
  // ArgReduction.cpp: pairs of a value and an index.
  static bool isArgReduction(stablehlo::ReduceOp reduce);
  mlir::LogicalResult emitArgReduction(stablehlo::ReduceOp reduce);
  mlir::LogicalResult emitControlFlow(mlir::Operation *op, bool &handled);
  mlir::LogicalResult emitRuntimeCall(mlir::Operation *op, bool &handled);
  mlir::LogicalResult emitKernel(mlir::Operation *op,
                                 const RuntimeKernel &kernel);
  /// The kernel's results; `operandTypes` and `resultTypes` are the program's.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  callKernel(mlir::Operation *op, const RuntimeKernel &kernel,
             mlir::ValueRange operands, mlir::TypeRange operandTypes,
             mlir::TypeRange resultTypes);
  mlir::LogicalResult emitAsync(mlir::Operation *op, bool &handled);

  // Regions of control flow.
  mlir::LogicalResult emitRegion(mlir::Region &from, mlir::Region &to,
                                 llvm::ArrayRef<mlir::Type> argumentTypes,
                                 bool isCondition);
  mlir::FailureOr<mlir::ValueRange> emitBranch(mlir::Operation *op,
                                               unsigned branch,
                                               mlir::Value selector,
                                               mlir::TypeRange types);
  /// `op` on `operands`, with a result of `type`; null if it has no scalar
  /// form.
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands,
                              mlir::RankedTensorType type);
  /// The tensor with elements of `from` as one with elements of `to`, each
  /// decoded and encoded.
  mlir::Value recode(mlir::Value tensor, mlir::Type from, mlir::Type to);
  /// `value`, of `type` or a scalar, as one of `type`.
  mlir::Value repeat(mlir::Value value, mlir::RankedTensorType type);
  /// A private function on scalars with the ops of `region`, for kernels to
  /// call.
  mlir::FlatSymbolRefAttr outlineBody(mlir::Region &region,
                                      llvm::StringRef name);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc = b.getUnknownLoc();
  mlir::IRMapping mapping;
  /// What the body of an async_start gave, by its future.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> futures;
  int64_t nextBody = 0;
  int64_t nextOp = 1;
};

} // namespace partita

#endif
