// What one collective of a per-device program costs by the cost model.
#ifndef PARTITA_SHARDING_COLLECTIVEPRICE_H
#define PARTITA_SHARDING_COLLECTIVEPRICE_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Sharding/CostModel.h"

namespace partita {

/// The model of a machine and objective by name; an unknown one is an error at
/// the module.
mlir::FailureOr<CostModel> getCostModel(mlir::ModuleOp module,
                                        llvm::StringRef machine,
                                        llvm::StringRef objective);

/// Bytes of all operands of an op, and of all results.
double getOperandBytes(mlir::Operation *op);
double getResultBytes(mlir::Operation *op);

/// Cost of one run of `op`, or of the collective in an spmd.start. Nothing for
/// any other op and for a collective that moves nothing.
CollectiveCost getCollectiveCost(mlir::Operation *op, const CostModel &model);

/// Sizes and links of `axes`.
Group getGroup(spmd::MeshAttr mesh, llvm::ArrayRef<spmd::AxisRefAttr> axes);

/// Cost of one over `axes` whose operands have `operandBytes` in all.
CollectiveCost getCollectiveCost(CollectiveKind kind, spmd::MeshAttr mesh,
                                 llvm::ArrayRef<spmd::AxisRefAttr> axes,
                                 double operandBytes, const CostModel &model);

/// Seconds of `op` that do not depend on its bytes: launch and hops.
double getCollectiveLatency(mlir::Operation *op, const CostModel &model);

} // namespace partita

#endif
