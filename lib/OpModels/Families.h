// One attach function per op family file and dialect; Registration.cpp calls
// them. The dialect must be loaded.
#ifndef PARTITA_LIB_OPMODELS_FAMILIES_H
#define PARTITA_LIB_OPMODELS_FAMILIES_H

namespace mlir {
class MLIRContext;
}

namespace partita {

void attachElementwiseModels(mlir::MLIRContext &context,
                             const char *dialectName);
void attachConstantModels(mlir::MLIRContext &context);
void attachChloConstantModels(mlir::MLIRContext &context);
void attachBroadcastModels(mlir::MLIRContext &context);
void attachContractionModels(mlir::MLIRContext &context);
void attachConvolutionModels(mlir::MLIRContext &context);
void attachShapeModels(mlir::MLIRContext &context);
void attachShiftingModels(mlir::MLIRContext &context);
void attachShiftModels(mlir::MLIRContext &context);
void attachDynamicSlicingModels(mlir::MLIRContext &context);
void attachGatherModels(mlir::MLIRContext &context);
void attachScatterModels(mlir::MLIRContext &context);
void attachReductionModels(mlir::MLIRContext &context);
void attachWindowModels(mlir::MLIRContext &context);
void attachSelectAndScatterModels(mlir::MLIRContext &context);
void attachSortModels(mlir::MLIRContext &context);
void attachTopKModels(mlir::MLIRContext &context);
void attachRaggedDotModels(mlir::MLIRContext &context);
void attachLinearAlgebraModels(mlir::MLIRContext &context);
void attachFftModels(mlir::MLIRContext &context);
void attachNormalizationModels(mlir::MLIRContext &context);
void attachRandomModels(mlir::MLIRContext &context);
void attachControlFlowModels(mlir::MLIRContext &context);
void attachProcessIdModels(mlir::MLIRContext &context);
void attachCollectiveModels(mlir::MLIRContext &context);
void attachCustomCallModels(mlir::MLIRContext &context);
void attachUnshardedModels(mlir::MLIRContext &context);
void attachUnshardedChloModels(mlir::MLIRContext &context);

} // namespace partita

#endif
