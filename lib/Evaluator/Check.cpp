// Test only: expectations (check.*) and programs that run other programs
// (interpreter.*).
#include "dialects/Check/Check.h"
#include "Float.h"
#include "Interpreter.h"
#include "Strided.h"
#include "partita/Evaluator/Layout.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace partita;

static LogicalResult reportDifference(KernelCall &call, const Tensor &actual,
                                      const Tensor &expected, int64_t index) {
  InFlightDiagnostic diag = call.op->emitError()
                            << "expectation fails at element " << index
                            << ": got "
                            << actual.elementToString(index, call.field)
                            << ", expected "
                            << expected.elementToString(index, call.field);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "actual ";
  actual.print(os, call.field);
  diag.attachNote() << text;
  return failure();
}

/// Real and imaginary part, or one number.
static std::pair<double, double> getParts(const Tensor &tensor, int64_t i,
                                          const Field *field) {
  if (tensor.getKind() != CellKind::Complex)
    return {tensor.getAsDouble(i, field), 0};
  auto value = tensor.cells<std::complex<double>>()[i];
  return {value.real(), value.imag()};
}

/// Applies `equal` to the parts of all elements.
template <typename Equal>
static LogicalResult expect(KernelCall &call, const Tensor &actual,
                            const Tensor &expected, Equal equal) {
  for (int64_t i = 0; i < actual.getNumElements(); ++i) {
    bool holds;
    if (actual.getKind() == CellKind::Int64) {
      holds = actual.getAsInt(i) == expected.getAsInt(i);
    } else {
      auto a = getParts(actual, i, call.field),
           b = getParts(expected, i, call.field);
      holds = equal(a.first, b.first) && equal(a.second, b.second);
    }
    if (!holds)
      return reportDifference(call, actual, expected, i);
  }
  return success();
}

static Tensor getExpected(KernelCall &call) {
  if (call.operands.size() > 1)
    return call.operands[1];
  auto value = call.op->getAttrOfType<ElementsAttr>("value");
  return Tensor::fromAttribute(value, call.field);
}

static LogicalResult evaluateExpectEq(KernelCall &call) {
  return expect(call, call.operands[0], getExpected(call),
                [](double a, double b) {
                  return a == b || (std::isnan(a) && std::isnan(b));
                });
}

static LogicalResult evaluateExpectAlmostEq(KernelCall &call) {
  double tolerance = 1e-4;
  if (auto attr = call.op->getAttrOfType<FloatAttr>("tolerance"))
    tolerance = attr.getValueAsDouble();
  return expect(call, call.operands[0], getExpected(call),
                [=](double a, double b) {
                  return a == b || (std::isnan(a) && std::isnan(b)) ||
                         std::fabs(a - b) <= tolerance;
                });
}

/// Number of the value in the order of its type's floats.
static double getRank(double value, FloatType type) {
  uint64_t bits = encodeFloat(value, type);
  uint64_t sign = uint64_t(1) << (type.getWidth() - 1);
  return bits & sign ? -double(bits & ~sign) : double(bits);
}

static LogicalResult evaluateExpectClose(KernelCall &call) {
  Type element = call.operands[0].getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  auto type = cast<FloatType>(element);
  double most = 1;
  if (auto attr = call.op->getAttrOfType<IntegerAttr>("max_ulp_difference"))
    most = double(attr.getValue().getZExtValue());
  return expect(call, call.operands[0], call.operands[1],
                [=](double a, double b) {
                  if (a == b || (std::isnan(a) && std::isnan(b)))
                    return true;
                  return std::fabs(getRank(a, type) - getRank(b, type)) <= most;
                });
}

static LogicalResult evaluatePrint(KernelCall &call) {
  call.operands[0].print(llvm::outs(), call.field);
  llvm::outs() << "\n";
  return success();
}

static LogicalResult evaluateProbe(KernelCall &call) {
  call.results.push_back(call.operands[0]);
  return success();
}

namespace {
/// The processes of one run_parallel on one device of the world around it.
struct ParallelRun {
  Interpreter &interpreter;
  Operation *op;
  SmallVector<func::FuncOp> functions; // one per process
  SmallVector<unsigned> firstOperand;
  SmallVector<SmallVector<Tensor>> outputs;

  /// Runs the processes of one function in lock step.
  LogicalResult run(func::FuncOp function, ArrayRef<unsigned> members,
                    World &world, Frame &frame, unsigned outer) {
    Rows arguments(function.getNumArguments()), results;
    for (auto [i, row] : llvm::enumerate(arguments)) {
      row.resize(functions.size());
      for (unsigned member : members)
        row[member] = frame.at(op->getOperand(firstOperand[member] + i), outer);
    }
    if (failed(interpreter.callFunction(op, function, arguments, results, world,
                                        members)))
      return failure();
    for (unsigned member : members)
      for (auto &row : results)
        outputs[member].push_back(row[member]);
    return success();
  }
};
} // namespace

/// One function per process; those of the same function run in lock step.
static LogicalResult evaluateRunParallel(Interpreter &interpreter,
                                         Operation *op, Frame &frame,
                                         ArrayRef<unsigned> active) {
  auto runOp = cast<interpreter::RunParallelOp>(op);
  ParallelRun run{interpreter, op, {}, {}, {}};
  unsigned operands = 0;
  llvm::MapVector<Operation *, SmallVector<unsigned>> devices;
  for (Attribute row : runOp.getPrograms())
    for (Attribute name : cast<ArrayAttr>(row)) {
      FailureOr<func::FuncOp> function = interpreter.lookupFunction(
          op, cast<FlatSymbolRefAttr>(name).getValue());
      if (failed(function))
        return failure();
      devices[*function].push_back(run.functions.size());
      run.functions.push_back(*function);
      run.firstOperand.push_back(operands);
      operands += function->getNumArguments();
    }
  if (operands != op->getNumOperands())
    return op->emitError() << "the programs take " << operands << " operands, "
                           << op->getNumOperands() << " are given";
  World world(run.functions.size(), runOp.getPrograms().size());
  for (unsigned outer : active) {
    run.outputs.assign(run.functions.size(), {});
    for (auto &[function, members] : devices)
      if (failed(run.run(cast<func::FuncOp>(function), members, world, frame,
                         outer)))
        return failure();
    unsigned index = 0;
    for (auto &values : run.outputs)
      for (const Tensor &value : values)
        if (index < op->getNumResults())
          frame.at(op->getResult(index++), outer) = value;
  }
  return success();
}

void partita::registerCheckKernels(KernelTable &table) {
  table.add("check.expect_eq", evaluateExpectEq);
  table.add("check.expect_eq_const", evaluateExpectEq);
  table.add("check.expect_almost_eq", evaluateExpectAlmostEq);
  table.add("check.expect_almost_eq_const", evaluateExpectAlmostEq);
  table.add("check.expect_close", evaluateExpectClose);
  table.add("interpreter.print", evaluatePrint);
  table.add("interpreter.probe", evaluateProbe);
  table.add("interpreter.run_parallel", evaluateRunParallel);
}
