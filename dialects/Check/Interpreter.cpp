// Registration and verifiers of the interpreter dialect.
#include "dialects/Check/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace partita::interpreter;

#include "dialects/Check/InterpreterDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Check/InterpreterOps.cpp.inc"

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Check/InterpreterOps.cpp.inc"
      >();
}

/// Ends a refusal: adds the note that says what to write instead.
static LogicalResult refuse(InFlightDiagnostic &&error, const Twine &fix) {
  error.attachNote() << "fix: " << fix.str();
  return std::move(error);
}

/// The function called `name` in the module around `op`; null if there is none.
/// Reads symbol names only, so it may run while functions are verified.
static func::FuncOp lookupFunction(Operation *op, FlatSymbolRefAttr name) {
  auto module = op->getParentOfType<ModuleOp>();
  if (module)
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function.getSymName() == name.getValue())
        return function;
  return {};
}

/// Checks that every process has a function, and counts what they take and
/// give.
static LogicalResult countValues(RunParallelOp op, size_t &inputs,
                                 size_t &results) {
  ArrayAttr programs = op.getPrograms();
  size_t numPartitions =
      programs.empty() ? 0 : cast<ArrayAttr>(programs[0]).size();
  if (numPartitions == 0)
    return refuse(op.emitOpError() << "runs no program",
                  "name a function per process, as programs = [[@f, @f]]");
  for (auto [i, row] : llvm::enumerate(programs.getAsRange<ArrayAttr>())) {
    if (row.size() != numPartitions)
      return refuse(op.emitOpError()
                        << "replica " << i << " has " << row.size()
                        << " programs, replica 0 has " << numPartitions,
                    "give each replica the same number of partitions");
    for (auto name : row.getAsRange<FlatSymbolRefAttr>()) {
      func::FuncOp function = lookupFunction(op, name);
      if (!function)
        return refuse(op.emitOpError() << "unknown function " << name,
                      "define it in the same module");
      inputs += function.getNumArguments();
      results += function.getNumResults();
    }
  }
  return success();
}

/// Checks that each infeed function gives one tensor or more without arguments.
static LogicalResult verifyInfeed(RunParallelOp op, ArrayAttr infeed) {
  if (infeed.empty())
    return refuse(op.emitOpError() << "has an empty infeed",
                  "leave infeed out");
  for (auto name : infeed.getAsRange<FlatSymbolRefAttr>()) {
    func::FuncOp function = lookupFunction(op, name);
    if (!function)
      return refuse(op.emitOpError() << "unknown function " << name,
                    "define it in the same module");
    if (function.getNumArguments() != 0 || function.getNumResults() != 1 ||
        !isa<ShapedType>(function.getResultTypes()[0]))
      return refuse(op.emitOpError()
                        << "infeed function " << name << " has type "
                        << function.getFunctionType(),
                    "an infeed function takes nothing and returns one tensor");
  }
  return success();
}

LogicalResult RunParallelOp::verify() {
  size_t inputs = 0, results = 0;
  if (failed(countValues(*this, inputs, results)))
    return failure();
  if (getInputs().size() != inputs)
    return refuse(emitOpError()
                      << "has " << getInputs().size()
                      << " operands, but its programs take " << inputs,
                  "pass the operands of all processes in row order");
  if (getResults().size() != results)
    return refuse(emitOpError()
                      << "has " << getResults().size()
                      << " results, but its programs return " << results,
                  "take the results of all processes in row order");
  if (ArrayAttr infeed = getInfeedAttr())
    return verifyInfeed(*this, infeed);
  return success();
}
