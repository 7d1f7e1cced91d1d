// while, case, if, scan, calls, barriers, tuples. Predicates may differ between
// devices: each subset then runs on its own, and a collective in it that needs
// the others is refused there.
#include "Interpreter.h"
#include "Strided.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partita;

static void bindResults(Operation *op, const Rows &rows, Frame &frame,
                        ArrayRef<unsigned> active) {
  for (auto [result, row] : llvm::zip_equal(op->getResults(), rows))
    for (unsigned device : active)
      frame.at(result, device) = row[device];
}

/// Copies the rows of some devices.
static void copyRows(Rows &to, const Rows &from, ArrayRef<unsigned> devices) {
  for (auto [t, f] : llvm::zip_equal(to, from))
    for (unsigned device : devices)
      t[device] = f[device];
}

static LogicalResult evaluateWhile(Interpreter &interpreter, Operation *op,
                                   Frame &frame, ArrayRef<unsigned> active) {
  auto loop = cast<stablehlo::WhileOp>(op);
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  // A predicate of hashed values says nothing: such loops are cut short.
  bool isHashed =
      interpreter.isField() &&
      interpreter.dependsOnFloat(cond.getTerminator()->getOperand(0));
  Rows carried = getOperandRows(op, frame);
  SmallVector<unsigned> running(active);
  for (int64_t trip = 0; !running.empty(); ++trip) {
    if (isHashed && trip >= interpreter.getOptions().maxHashedTrips)
      break;
    Rows predicate, next;
    if (failed(interpreter.runBlock(cond, carried, predicate, frame, running)))
      return failure();
    llvm::erase_if(running, [&](unsigned device) {
      return predicate[0][device].getAsInt(0) == 0;
    });
    if (running.empty())
      break;
    if (failed(interpreter.runBlock(body, carried, next, frame, running)))
      return failure();
    copyRows(carried, next, running);
  }
  bindResults(op, carried, frame, active);
  return success();
}

/// Runs a region per group of devices that chose it.
static LogicalResult
runBranches(Interpreter &interpreter, Operation *op, Frame &frame,
            ArrayRef<unsigned> active,
            llvm::function_ref<unsigned(const Tensor &)> choose) {
  llvm::MapVector<unsigned, SmallVector<unsigned>> groups;
  for (unsigned device : active)
    groups[choose(frame.at(op->getOperand(0), device))].push_back(device);
  for (auto &[branch, devices] : groups) {
    Rows results;
    Block &block = op->getRegion(branch).front();
    if (failed(interpreter.runBlock(block, {}, results, frame, devices)))
      return failure();
    bindResults(op, results, frame, devices);
  }
  return success();
}

static LogicalResult evaluateIf(Interpreter &interpreter, Operation *op,
                                Frame &frame, ArrayRef<unsigned> active) {
  return runBranches(interpreter, op, frame, active, [](const Tensor &pred) {
    return pred.getAsInt(0) ? 0u : 1u;
  });
}

static LogicalResult evaluateCase(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active) {
  int64_t count = op->getNumRegions();
  return runBranches(interpreter, op, frame, active, [&](const Tensor &index) {
    int64_t i = index.getAsInt(0);
    return unsigned(i < 0 || i >= count ? count - 1 : i);
  });
}

/// Row `i` of a tensor along a dimension, which is dropped.
static Tensor takeRow(const Tensor &tensor, int64_t dim, int64_t i) {
  SmallVector<int64_t> start(tensor.getRank(), 0), shape(tensor.getShape());
  start[dim] = i;
  shape[dim] = 1;
  Tensor row = slice(tensor, start, shape);
  shape.erase(shape.begin() + dim);
  return reshape(row, shape);
}

/// Row `i` of results that are made row by row.
static void writeRow(Tensor &tensor, const Tensor &row, int64_t dim,
                     int64_t i) {
  SmallVector<int64_t> start(tensor.getRank(), 0), shape(tensor.getShape());
  start[dim] = i;
  shape[dim] = 1;
  writeSlice(tensor, reshape(row, shape), start);
}

static LogicalResult evaluateScan(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active) {
  auto scan = cast<chlo::ScanOp>(op);
  int64_t dim = scan.getDimension();
  size_t inputs = scan.getInputs().size(), outputs = scan.getOutputs().size();
  Rows operands = getOperandRows(op, frame), results(op->getNumResults());
  Rows carries(operands.begin() + inputs, operands.end());
  int64_t trips = 0;
  if (inputs)
    trips = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(dim);
  else if (auto size = op->getAttrOfType<IntegerAttr>("scan_dim_size"))
    trips = size.getInt();
  for (size_t i = 0; i < outputs; ++i)
    results[i].assign(
        frame.world.getNumDevices(),
        Tensor::zeros(cast<RankedTensorType>(op->getResult(i).getType()),
                      interpreter.isField()));
  for (int64_t trip = 0; trip < trips; ++trip) {
    int64_t at = scan.getIsReverse() ? trips - 1 - trip : trip;
    Rows arguments, returned;
    for (size_t i = 0; i < inputs; ++i) {
      arguments.emplace_back(frame.world.getNumDevices());
      for (unsigned device : active)
        arguments.back()[device] = takeRow(operands[i][device], dim, at);
    }
    llvm::append_range(arguments, carries);
    if (failed(interpreter.runBlock(scan.getBody().front(), arguments, returned,
                                    frame, active)))
      return failure();
    for (unsigned device : active) {
      for (size_t i = 0; i < outputs; ++i)
        writeRow(results[i][device], returned[i][device], dim, at);
      for (size_t i = 0; i < carries.size(); ++i)
        carries[i][device] = returned[outputs + i][device];
    }
  }
  for (size_t i = 0; i < carries.size(); ++i)
    results[outputs + i] = carries[i];
  bindResults(op, results, frame, active);
  return success();
}

static LogicalResult callByName(Interpreter &interpreter, Operation *op,
                                StringRef name, Frame &frame,
                                ArrayRef<unsigned> active) {
  FailureOr<func::FuncOp> function = interpreter.lookupFunction(op, name);
  if (failed(function))
    return failure();
  Rows results;
  if (failed(interpreter.callFunction(op, *function, getOperandRows(op, frame),
                                      results, frame.world, active)))
    return failure();
  if (results.size() != op->getNumResults())
    return op->emitError() << "'@" << name << "' returns " << results.size()
                           << " values, " << op->getNumResults()
                           << " are expected";
  bindResults(op, results, frame, active);
  return success();
}

static LogicalResult evaluateCall(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active) {
  return callByName(interpreter, op, cast<func::CallOp>(op).getCallee(), frame,
                    active);
}

static LogicalResult evaluateComposite(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  return callByName(interpreter, op,
                    cast<stablehlo::CompositeOp>(op).getDecomposition(), frame,
                    active);
}

/// The body runs at once; the future holds its values.
static LogicalResult evaluateStart(Interpreter &interpreter, Operation *op,
                                   Frame &frame, ArrayRef<unsigned> active) {
  Rows results;
  Frame inner(frame.world);
  if (failed(interpreter.runBlock(op->getRegion(0).front(),
                                  getOperandRows(op, frame), results, inner,
                                  active)))
    return failure();
  for (unsigned device : active) {
    SmallVector<Tensor> parts;
    for (const auto &row : results)
      parts.push_back(row[device]);
    frame.at(op->getResult(0), device) =
        Tensor::bundle(op->getResult(0).getType(), parts);
  }
  return success();
}

static LogicalResult evaluateDone(KernelCall &call) {
  llvm::append_range(call.results, call.operands[0].getParts());
  if (call.results.size() != call.op->getNumResults())
    return call.op->emitError()
           << "the future holds " << call.results.size() << " values, "
           << call.op->getNumResults() << " are expected";
  return success();
}

static LogicalResult evaluateTuple(KernelCall &call) {
  call.results.push_back(
      Tensor::bundle(call.op->getResult(0).getType(), call.operands));
  return success();
}

static LogicalResult evaluateGetTupleElement(KernelCall &call) {
  uint64_t index = cast<stablehlo::GetTupleElementOp>(call.op).getIndex();
  ArrayRef<Tensor> parts = call.operands[0].getParts();
  if (index >= parts.size())
    return call.op->emitError()
           << "index " << index << " of a tuple of " << parts.size();
  call.results.push_back(parts[index]);
  return success();
}

static LogicalResult evaluateIdentity(KernelCall &call) {
  llvm::append_range(call.results, call.operands);
  return success();
}

static LogicalResult evaluateToken(KernelCall &call) {
  call.results.push_back(Tensor::token(call.op->getResult(0).getType()));
  return success();
}

/// An op that marks values and has no results (spmd.group).
static LogicalResult evaluateNothing(KernelCall &call) { return success(); }

void partita::registerControlFlowKernels(KernelTable &table) {
  table.add("stablehlo.while", evaluateWhile);
  table.add("stablehlo.if", evaluateIf);
  table.add("stablehlo.case", evaluateCase);
  table.add("chlo.scan", evaluateScan);
  table.add("func.call", evaluateCall);
  table.add("stablehlo.composite", evaluateComposite);
  table.add("stablehlo.async_start", evaluateStart);
  table.add("stablehlo.async_done", evaluateDone);
  table.add("spmd.start", evaluateStart);
  table.add("spmd.done", evaluateDone);
  table.add("stablehlo.tuple", evaluateTuple);
  table.add("stablehlo.get_tuple_element", evaluateGetTupleElement);
  table.add("stablehlo.optimization_barrier", evaluateIdentity);
  table.add("stablehlo.create_token", evaluateToken);
  table.add("stablehlo.after_all", evaluateToken);
  table.add("spmd.constraint", evaluateIdentity);
  table.add("spmd.reshard", evaluateIdentity);
  table.add("spmd.propagation_barrier", evaluateIdentity);
  table.add("spmd.group", evaluateNothing);
}
