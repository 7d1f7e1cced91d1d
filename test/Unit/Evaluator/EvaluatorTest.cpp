// The fixture.
#include "EvaluatorTest.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/Check/Check.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace partita;

EvaluatorTest::EvaluatorTest() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<func::FuncDialect, stablehlo::StableHLODialect,
                      chlo::CHLODialect, check::CheckDialect,
                      interpreter::InterpreterDialect, spmd::SPMDDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(diagnostics);
    os << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      os << note << "\n";
    return success();
  });
}

OwningOpRef<ModuleOp> EvaluatorTest::parse(StringRef text) {
  diagnostics.clear();
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    ADD_FAILURE() << diagnostics;
  return module;
}

FailureOr<DeviceValues> EvaluatorTest::run(StringRef text,
                                           const DeviceValues &inputs,
                                           int64_t numDevices) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module)
    return failure();
  return evaluate(module->lookupSymbol<func::FuncOp>("main"), inputs,
                  numDevices, options);
}

void EvaluatorTest::expectPasses(StringRef text) {
  EXPECT_TRUE(succeeded(run(text))) << diagnostics;
}

void EvaluatorTest::expectError(StringRef text, StringRef message,
                                int64_t numDevices) {
  EXPECT_TRUE(failed(run(text, {}, numDevices)));
  EXPECT_NE(diagnostics.find(message.str()), std::string::npos) << diagnostics;
}

std::string EvaluatorTest::print(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  tensor.print(os, options.field.get());
  return text;
}

Tensor EvaluatorTest::tensor(StringRef text) {
  auto attribute =
      dyn_cast_or_null<ElementsAttr>(parseAttribute(text, &context));
  if (!attribute) {
    ADD_FAILURE() << diagnostics;
    return {};
  }
  return Tensor::fromAttribute(attribute, options.field.get());
}
