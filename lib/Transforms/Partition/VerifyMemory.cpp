// spmd-verify-memory: the emitted program keeps the user's memory limit.
//
// Before: phase partitioned. Changes nothing.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Building/PeakMemory.h"
#include "partita/Transforms/Partition/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYMEMORYPASS
#include "partita/Transforms/Partition/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct VerifyMemory : impl::VerifyMemoryPassBase<VerifyMemory> {
  using VerifyMemoryPassBase::VerifyMemoryPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (limit <= 0 || !main || main.isExternal())
      return;
    int64_t peak = getPeakBytes(main);
    if (peak <= limit)
      return;
    InFlightDiagnostic diagnostic =
        main.emitError() << "one device needs " << peak
                         << " bytes at its peak, " << peak - limit
                         << " more than memory-limit " << int64_t(limit);
    diagnostic.attachNote()
        << "the plan was estimated to fit; its collectives need more";
    diagnostic.attachNote()
        << "fix: raise memory-limit to " << peak << ", or lower it by "
        << peak - limit << " so that placement leaves room for them";
    signalPassFailure();
  }
};

} // namespace
} // namespace partita
