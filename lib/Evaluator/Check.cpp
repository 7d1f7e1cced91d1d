// Test only: expectations (check.*) and programs that run other programs
// (interpreter.*).
#include "dialects/Check/Check.h"
#include "Float.h"
#include "Interpreter.h"
#include "Strided.h"
#include "partita/Evaluator/Layout.h"
#include "partita/Evaluator/ValueText.h"
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

/// `%name = value`, with the name that the operand has when its function is
/// printed.
static LogicalResult evaluatePrint(KernelCall &call) {
  call.op->getOperand(0).printAsOperand(llvm::outs(),
                                        OpPrintingFlags().useLocalScope());
  llvm::outs() << " = ";
  if (!call.field) {
    printValue(call.operands[0], llvm::outs(), /*asDense=*/false);
    return success();
  }
  call.operands[0].print(llvm::outs(), call.field);
  llvm::outs() << "\n";
  return success();
}

static LogicalResult evaluateProbe(Interpreter &interpreter, Operation *op,
                                   Frame &frame, ArrayRef<unsigned> active) {
  StringRef name = op->getAttrOfType<StringAttr>("probe_id").getValue();
  for (unsigned device : active)
    frame.at(op->getResult(0), device) = frame.at(op->getOperand(0), device);
  if (!active.empty())
    interpreter.mailboxes.probes[name.str()].push_back(
        frame.at(op->getOperand(0), active.front()));
  return success();
}

static LogicalResult evaluateExpectSerialized(Interpreter &interpreter,
                                              Operation *op, Frame &frame,
                                              ArrayRef<unsigned> active) {
  auto expectOp = cast<check::ExpectSerializedEqOp>(op);
  ArrayRef<Tensor> probed =
      interpreter.mailboxes.probes[expectOp.getProbeId().str()];
  if (expectOp.getIteration() >= probed.size())
    return op->emitError() << "probe '" << expectOp.getProbeId() << "' saw "
                           << probed.size() << " values, not one for iteration "
                           << expectOp.getIteration();
  Tensor actual = probed[expectOp.getIteration()];
  if (actual.getType() != expectOp.getExpected().getType())
    return op->emitError() << "probe '" << expectOp.getProbeId()
                           << "' saw a value of type " << actual.getType();
  SmallVector<Tensor> unused;
  auto capture = [](Value) { return Tensor(); };
  for (unsigned device : active) {
    Tensor expected = frame.at(op->getOperand(0), device);
    SmallVector<Tensor> operands{actual, expected};
    KernelCall call{op,
                    operands,
                    unused,
                    interpreter.getField(),
                    interpreter.getOptions(),
                    capture};
    if (failed(evaluateExpectEq(call)))
      return failure();
  }
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

using ProgramDevices = llvm::MapVector<Operation *, SmallVector<unsigned>>;

/// What the functions in `infeed` give is what infeeds take, in order.
static LogicalResult fillInfeed(ParallelRun &run, interpreter::RunParallelOp op,
                                World &world, unsigned outer) {
  std::deque<Tensor> &infeed = run.interpreter.mailboxes.infeed;
  infeed.clear();
  if (!op.getInfeedAttr())
    return success();
  for (auto name : op.getInfeedAttr().getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<func::FuncOp> function =
        run.interpreter.lookupFunction(op, name.getValue());
    Rows results;
    if (failed(function) || failed(run.interpreter.callFunction(
                                op, *function, Rows(), results, world, outer)))
      return failure();
    for (const auto &row : results)
      infeed.push_back(row[outer]);
  }
  return success();
}

/// Reads which function each process runs.
static LogicalResult readPrograms(ParallelRun &run,
                                  interpreter::RunParallelOp op,
                                  ProgramDevices &devices) {
  unsigned operands = 0;
  for (Attribute row : op.getPrograms())
    for (Attribute name : cast<ArrayAttr>(row)) {
      FailureOr<func::FuncOp> function = run.interpreter.lookupFunction(
          op, cast<FlatSymbolRefAttr>(name).getValue());
      if (failed(function))
        return failure();
      devices[*function].push_back(run.functions.size());
      run.functions.push_back(*function);
      run.firstOperand.push_back(operands);
      operands += function->getNumArguments();
    }
  if (operands == op->getNumOperands())
    return success();
  return op->emitError() << "the programs take " << operands << " operands, "
                         << op->getNumOperands() << " are given";
}

/// Runs the programs one after the other. One that receives what is not sent
/// yet is run again after the others.
static LogicalResult runPrograms(ParallelRun &run, const ProgramDevices &all,
                                 World &world, Frame &frame, unsigned outer) {
  Mailboxes &boxes = run.interpreter.mailboxes;
  SmallVector<std::pair<Operation *, SmallVector<unsigned>>> waiting(
      all.begin(), all.end());
  while (!waiting.empty()) {
    auto pending = std::exchange(waiting, {});
    for (auto &[function, members] : pending) {
      Mailboxes before = boxes;
      boxes.canWait = true;
      LogicalResult result =
          run.run(cast<func::FuncOp>(function), members, world, frame, outer);
      std::optional<int64_t> channel = boxes.waitsFor;
      boxes.canWait = before.canWait;
      boxes.waitsFor = std::nullopt;
      if (succeeded(result))
        continue;
      if (!channel)
        return failure();
      boxes = before;
      waiting.push_back({function, members});
      if (waiting.size() < pending.size())
        continue;
      InFlightDiagnostic diag = run.op->emitError()
                                << "all of its programs that are left wait: "
                                << "nothing was sent on channel " << *channel;
      diag.attachNote(function->getLoc()) << "which this one receives from";
      diag.attachNote() << "fix: send before receiving in one of them";
      return failure();
    }
  }
  return success();
}

/// One function per process; those of the same function run in lock step.
static LogicalResult evaluateRunParallel(Interpreter &interpreter,
                                         Operation *op, Frame &frame,
                                         ArrayRef<unsigned> active) {
  auto runOp = cast<interpreter::RunParallelOp>(op);
  ParallelRun run{interpreter, op, {}, {}, {}};
  ProgramDevices devices;
  if (failed(readPrograms(run, runOp, devices)))
    return failure();
  World world(run.functions.size(), runOp.getPrograms().size());
  for (unsigned outer : active) {
    if (failed(fillInfeed(run, runOp, frame.world, outer)))
      return failure();
    run.outputs.assign(run.functions.size(), {});
    if (failed(runPrograms(run, devices, world, frame, outer)))
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
  table.add("check.expect_serialized_eq", evaluateExpectSerialized);
  table.add("interpreter.print", evaluatePrint);
  table.add("interpreter.probe", evaluateProbe);
  table.add("interpreter.run_parallel", evaluateRunParallel);
}
