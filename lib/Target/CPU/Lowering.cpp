// The lowering of a per-device program to the LLVM dialect, in one pipeline.

#include "dialects/CHLO/CHLO.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"
#include "partita/Conversion/Passes.h"
#include "partita/Target/CPU/Passes.h"

using namespace mlir;

namespace partita {
namespace {

/// Kernels read their inputs and write their outputs in full.
struct RuntimeCallModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<
          RuntimeCallModel, spmd::RuntimeCallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto call = cast<spmd::RuntimeCallOp>(op);
    auto getBuffers = [&](OperandRange values,
                          SmallVectorImpl<Value> &buffers) {
      for (Value value : values) {
        FailureOr<Value> buffer =
            isa<TensorType>(value.getType())
                ? bufferization::getBuffer(rewriter, value, options, state)
                : FailureOr<Value>(value);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> inputs, outputs;
    if (failed(getBuffers(call.getInputs(), inputs)) ||
        failed(getBuffers(call.getOutputs(), outputs)))
      return failure();
    auto lowered = spmd::RuntimeCallOp::create(
        rewriter, op->getLoc(), TypeRange(), call.getCalleeAttr(), inputs,
        outputs, call.getDescriptorAttr(), call.getBodyAttr(),
        call.getCommunicatesAttr());
    lowered->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

} // namespace

void registerCPULowering(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  complex::ComplexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registry.addExtension(+[](MLIRContext *context, spmd::SPMDDialect *) {
    spmd::RuntimeCallOp::attachInterface<RuntimeCallModel>(*context);
  });
}

static void addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void buildRuntimeCalls(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLowerRuntimeCallsPass());
}

void buildLLVMConversion(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createLowerAccessesPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createConvertToLLVMPass());
}

void buildBufferizedLowering(OpPassManager &pm, bool useDonations) {
  pm.addPass(createConvertSPMDToStableHLOPass());
  pm.addPass(createConvertSPMDToRuntimePass());
  pm.addPass(createConvertStableHLOToLinalgPass());
  pm.addPass(createCSEPass());
  pm.addPass(createInlineCallsPass());
  pm.addPass(createNarrowSelectsPass());
  pm.addPass(createUpdateCarriesPass());
  pm.addPass(createFuseElementwisePass());
  pm.addPass(createCSEPass());
  pm.addPass(createSplitDestinationsPass());
  pm.addPass(createOwnBranchResultsPass());
  if (useDonations)
    pm.addPass(createUseDonationsPass());
  addBufferization(pm);
  pm.addPass(createMakeOperandsDensePass());
}

void buildCPULowering(OpPassManager &pm) {
  buildBufferizedLowering(pm, /*useDonations=*/true);
  pm.addPass(createPlaceResultsPass());
  pm.addPass(createLowerToLoopsPass());
  pm.addPass(createPlanMemoryPass());
  pm.addPass(createOutlineKernelsPass());
  // Once per kernel, not per loop; buildRuntimeCalls cleans up.
  pm.addPass(createApproximateMathPass());
  buildRuntimeCalls(pm);
  buildLLVMConversion(pm);
}

} // namespace partita
