// cpu-convert-to-llvm: the whole program to the LLVM dialect in one conversion.
//
// Upstream's conversions one after the other, each with its casts to and from
// the types of the others, take several times as long, and on one block of ten
// thousand calls far longer.

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Kernels of a GPU have a conversion of their own.
constexpr StringLiteral kKernels = "gpu.module";

/// The patterns of all dialects that loops and calls are made of.
void populate(const LLVMTypeConverter &types, RewritePatternSet &patterns,
              SymbolTableCollection &symbols) {
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  populateComplexToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
  populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
  populateMathToLLVMConversionPatterns(types, patterns);
  // For what LLVM has no intrinsic of.
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
}

/// An error at the first op that no lowering knows.
LogicalResult checkDialects(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (op->getName().getStringRef() == kKernels)
      return WalkResult::skip();
    StringRef dialect = op->getName().getDialectNamespace();
    if (llvm::is_contained({"arith", "builtin", "cf", "complex", "func",
                            "index", "llvm", "math", "memref", "ub"},
                           dialect))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitError()
                                    << "'" << op->getName()
                                    << "' has no lowering to machine code";
    diagnostic.attachNote() << "fix: run the program by --engine=eval";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

bool isEmptyBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getNumElements() == 0;
}

/// Functions take buffers without elements as a byte: upstream makes no bare
/// pointers of those.
void passEmptyBuffersAsBytes(ModuleOp module) {
  OpBuilder b(module.getContext());
  auto byte = MemRefType::get({1}, b.getI8Type());
  module.walk([&](func::CallOp call) {
    b.setInsertionPoint(call);
    for (OpOperand &operand : call->getOpOperands())
      if (isEmptyBuffer(operand.get().getType()))
        operand.set(memref::AllocaOp::create(b, call.getLoc(), byte));
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() ||
        llvm::none_of(function.getArgumentTypes(), isEmptyBuffer))
      continue;
    b.setInsertionPointToStart(&function.getBody().front());
    Value zero = arith::ConstantIndexOp::create(b, function.getLoc(), 0);
    for (BlockArgument argument : function.getArguments()) {
      Type type = argument.getType();
      if (!isEmptyBuffer(type))
        continue;
      argument.setType(byte);
      auto view = memref::ViewOp::create(b, function.getLoc(), type, argument,
                                         zero, ValueRange());
      argument.replaceAllUsesExcept(view, view);
    }
    function.setFunctionType(
        b.getFunctionType(function.getBody().front().getArgumentTypes(),
                          function.getResultTypes()));
  }
}

struct ConvertToLLVM : impl::ConvertToLLVMPassBase<ConvertToLLVM> {
  using ConvertToLLVMPassBase::ConvertToLLVMPassBase;

  void runOnOperation() override {
    if (failed(checkDialects(getOperation())))
      return signalPassFailure();
    passEmptyBuffersAsBytes(getOperation());
    LowerToLLVMOptions options(&getContext());
    options.useBarePtrCallConv = true;
    LLVMTypeConverter types(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    populate(types, patterns, symbols);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    OperationName kernels(kKernels, &getContext());
    target.setOpAction(kernels, ConversionTarget::LegalizationAction::Legal);
    target.markOpRecursivelyLegal(
        kernels, [](Operation *) -> std::optional<bool> { return true; });
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns),
                                   config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
