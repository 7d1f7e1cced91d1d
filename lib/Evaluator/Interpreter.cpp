// The core: blocks, ops, calls; sharing of equal work between devices; and the
// public entry point.
#include "Interpreter.h"
#include "Element.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace partita;

EvaluationObserver::~EvaluationObserver() = default;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

const KernelTable &KernelTable::get() {
  static const KernelTable *table = [] {
    auto *table = new KernelTable;
    registerElementwiseKernels(*table);
    registerShapeKernels(*table);
    registerIndexingKernels(*table);
    registerContractionKernels(*table);
    registerRaggedDotKernels(*table);
    registerConvolutionKernels(*table);
    registerReductionKernels(*table);
    registerWindowKernels(*table);
    registerScatterKernels(*table);
    registerSortKernels(*table);
    registerRandomKernels(*table);
    registerFftKernels(*table);
    registerLinearAlgebraKernels(*table);
    registerNormalizationKernels(*table);
    registerControlFlowKernels(*table);
    registerManualKernels(*table);
    registerCollectiveKernels(*table);
    registerReplicaGroupKernels(*table);
    registerCustomCallKernels(*table);
    registerCheckKernels(*table);
    registerChannelKernels(*table);
    return table;
  }();
  return *table;
}

Kernel KernelTable::lookup(StringRef opName) const {
  auto it = kernels.find(opName);
  if (it != kernels.end())
    return it->second;
  Kernel kernel;
  for (const auto &family : families)
    if (opName.starts_with(family.first()) && isElementwiseName(opName))
      kernel.device = family.second;
  return kernel;
}

bool partita::hasKernel(StringRef opName) {
  return static_cast<bool>(KernelTable::get().lookup(opName));
}

Kernel Interpreter::lookupKernel(Operation &op) {
  auto [it, isNew] = kernels.try_emplace(op.getName());
  if (isNew)
    it->second = KernelTable::get().lookup(op.getName().getStringRef());
  return it->second;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

const std::vector<SmallVector<Value, 2>> &
Interpreter::getLastUses(Block &block) {
  auto it = lastUses.find(&block);
  if (it != lastUses.end())
    return it->second;
  DenseMap<Operation *, unsigned> order;
  for (auto [i, op] : llvm::enumerate(block))
    order[&op] = i;
  std::vector<SmallVector<Value, 2>> last(order.size());
  auto visit = [&](Value value, unsigned defined) {
    unsigned end = defined;
    for (Operation *user : value.getUsers())
      if (Operation *ancestor = block.findAncestorOpInBlock(*user))
        end = std::max(end, order[ancestor]);
    last[end].push_back(value);
  };
  for (BlockArgument argument : block.getArguments())
    visit(argument, 0);
  for (auto [i, op] : llvm::enumerate(block))
    for (Value result : op.getResults())
      visit(result, i);
  return lastUses[&block] = std::move(last);
}

LogicalResult Interpreter::runBlock(Block &block, const Rows &arguments,
                                    Rows &results, Frame &frame,
                                    ArrayRef<unsigned> active) {
  for (auto [argument, row] : llvm::zip_equal(block.getArguments(), arguments))
    for (unsigned device : active)
      frame.at(argument, device) = row[device];
  const auto &last = getLastUses(block);
  unsigned index = 0;
  for (Operation &op : block.without_terminator()) {
    if (failed(runOp(op, frame, active)))
      return failure();
    for (Value dead : last[index++])
      for (unsigned device : active)
        frame.at(dead, device) = Tensor();
  }
  results = getOperandRows(block.getTerminator(), frame);
  return success();
}

Rows partita::getOperandRows(Operation *op, Frame &frame) {
  Rows rows;
  for (Value operand : op->getOperands()) {
    auto &row = frame.values[operand];
    row.resize(frame.world.getNumDevices());
    rows.push_back(row);
  }
  return rows;
}

LogicalResult Interpreter::runOp(Operation &op, Frame &frame,
                                 ArrayRef<unsigned> active) {
  Kernel kernel = lookupKernel(op);
  if (!kernel) {
    InFlightDiagnostic diag = op.emitError()
                              << "the evaluator has no kernel for '"
                              << op.getName() << "'";
    diag.attachNote()
        << "fix: express it by ops that have one, or give it a kernel in "
           "lib/Evaluator";
    return failure();
  }
  LogicalResult result = kernel.device
                             ? runDeviceKernel(op, kernel.device, frame, active)
                             : kernel.group(*this, &op, frame, active);
  if (succeeded(result))
    observe(op, frame, active);
  return result;
}

void Interpreter::observe(Operation &op, Frame &frame,
                          ArrayRef<unsigned> active) {
  if (!observer || op.getNumResults() == 0)
    return;
  observer->afterOp(&op, frame.world.getRegion(), active,
                    [&](unsigned result, unsigned device) -> const Tensor & {
                      return frame.at(op.getResult(result), device);
                    });
}

LogicalResult Interpreter::runDeviceKernel(Operation &op, DeviceKernel kernel,
                                           Frame &frame,
                                           ArrayRef<unsigned> active) {
  // Constants are computed once per program.
  bool isConstant = op.getNumOperands() == 0 && op.getNumRegions() == 0 &&
                    op.getNumResults() == 1;
  if (isConstant) {
    auto it = constants.find(&op);
    if (it != constants.end()) {
      for (unsigned device : active)
        frame.at(op.getResult(0), device) = it->second;
      return success();
    }
  }
  llvm::SetVector<Value> captured;
  if (op.getNumRegions())
    getUsedValuesDefinedAbove(op.getRegions(), captured);

  // Devices whose operands share storage share the result.
  SmallVector<std::pair<SmallVector<Tensor>, SmallVector<Tensor>>> done;
  llvm::DenseMap<size_t, SmallVector<unsigned, 1>> byHash;
  for (unsigned device : active) {
    SmallVector<Tensor> operands;
    for (Value operand : op.getOperands())
      operands.push_back(frame.at(operand, device));
    SmallVector<Tensor> key = operands;
    for (Value value : captured)
      key.push_back(frame.at(value, device));
    size_t hash = 0;
    for (const Tensor &tensor : key)
      hash = llvm::hash_combine(hash, tensor.data());
    const SmallVector<Tensor> *results = nullptr;
    for (unsigned i : byHash[hash]) {
      bool same = true;
      for (auto [a, b] : llvm::zip_equal(done[i].first, key))
        same &=
            a.sharesStorageWith(b) || (!a.data() && !b.data() && !a.isBundle());
      if (same)
        results = &done[i].second;
    }
    if (!results) {
      SmallVector<Tensor> computed;
      auto capture = [&](Value value) { return frame.at(value, device); };
      KernelCall call{&op, operands, computed, getField(), options, capture};
      if (failed(kernel(call)))
        return failure();
      byHash[hash].push_back(done.size());
      done.push_back({std::move(key), std::move(computed)});
      results = &done.back().second;
    }
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      frame.at(result, device) = tensor;
  }
  if (isConstant && !done.empty())
    constants[&op] = done[0].second[0];
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> Interpreter::lookupFunction(Operation *from,
                                                    StringRef name) {
  auto symbol = StringAttr::get(from->getContext(), name);
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(from, symbol);
  if (function && !function.isExternal())
    return function;
  InFlightDiagnostic diag = from->emitError() << "there is no function '@"
                                              << name << "' with a body";
  diag.attachNote() << "fix: define the function in the module";
  return failure();
}

LogicalResult Interpreter::callFunction(Operation *caller,
                                        func::FuncOp function,
                                        const Rows &arguments, Rows &results,
                                        World &world,
                                        ArrayRef<unsigned> active) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "the evaluator expects functions of one block";
  if (arguments.size() != function.getNumArguments())
    return caller->emitError() << "'@" << function.getName() << "' takes "
                               << function.getNumArguments() << " arguments, "
                               << arguments.size() << " are given";
  if (callDepth >= 200) {
    InFlightDiagnostic diag = caller->emitError()
                              << "calls are nested 200 deep";
    diag.attachNote() << "fix: recursion is not supported; use stablehlo.while";
    return failure();
  }
  ++callDepth;
  Frame frame(world);
  LogicalResult result =
      runBlock(function.getBody().front(), arguments, results, frame, active);
  --callDepth;
  return result;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static LogicalResult checkInputs(func::FuncOp function,
                                 const DeviceValues &inputs,
                                 int64_t numDevices) {
  if (function.isExternal())
    return function.emitError() << "the function has no body to evaluate";
  if (numDevices < 1)
    return function.emitError() << "evaluation needs at least one device";
  if (inputs.size() != function.getNumArguments())
    return function.emitError()
           << "the function takes " << function.getNumArguments()
           << " arguments, " << inputs.size() << " are given";
  for (auto [i, row] : llvm::enumerate(inputs)) {
    if (int64_t(row.size()) != numDevices)
      return function.emitError() << "argument " << i << " is given for "
                                  << row.size() << " devices of " << numDevices;
    Type expected = function.getArgumentTypes()[i];
    for (const Tensor &tensor : row)
      if (tensor.getType() != expected)
        return function.emitError()
               << "argument " << i << " has type " << expected
               << ", a value of type " << tensor.getType() << " is given";
  }
  return success();
}

/// Refuses what cannot be stored: unknown sizes, quantized elements.
static LogicalResult checkTypes(func::FuncOp function, bool inField) {
  LogicalResult result = success();
  function.walk(
      [&](Operation *op) {
        for (Value value : op->getResults()) {
          auto type = dyn_cast<RankedTensorType>(value.getType());
          if (!type || failed(result))
            continue;
          if (type.hasStaticShape() &&
              getCellKind(type.getElementType(), inField) != CellKind::None)
            continue;
          InFlightDiagnostic diag =
              op->emitError()
              << "the evaluator cannot store a value of type " << type;
          diag.attachNote()
              << "fix: sizes must be known, elements integers or floats of "
                 "up to 64 bits or complex numbers of them";
          result = failure();
        }
      });
  return result;
}

FailureOr<DeviceValues> partita::evaluate(func::FuncOp function,
                                          const DeviceValues &inputs,
                                          int64_t numDevices,
                                          const EvaluatorOptions &options,
                                          EvaluationObserver *observer) {
  if (failed(checkInputs(function, inputs, numDevices)))
    return failure();
  auto module = function->getParentOfType<ModuleOp>();
  LogicalResult types = success();
  if (module)
    module.walk([&](func::FuncOp f) {
      if (succeeded(types))
        types = checkTypes(f, options.field != nullptr);
    });
  if (failed(types))
    return failure();
  int64_t replicas = 1;
  if (module)
    if (auto attr = module->getAttrOfType<IntegerAttr>("mhlo.num_replicas"))
      if (attr.getInt() > 0 && numDevices % attr.getInt() == 0)
        replicas = attr.getInt();
  World world(numDevices, replicas);
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, numDevices));
  Interpreter interpreter(options, observer);
  DeviceValues results;
  if (failed(interpreter.callFunction(function, function, inputs, results,
                                      world, all)))
    return failure();
  return results;
}

LogicalResult partita::evaluateOp(Operation *op, ArrayRef<Tensor> operands,
                                  SmallVectorImpl<Tensor> &results) {
  Kernel kernel = KernelTable::get().lookup(op->getName().getStringRef());
  if (!kernel.device || op->getNumRegions() != 0)
    return failure();
  ScopedDiagnosticHandler silent(op->getContext(),
                                 [](Diagnostic &) { return success(); });
  EvaluatorOptions options;
  auto capture = [](Value) { return Tensor(); };
  KernelCall call{op, operands, results, /*field=*/nullptr, options, capture};
  return kernel.device(call);
}

//===----------------------------------------------------------------------===//
// Dependence on floats
//===----------------------------------------------------------------------===//

bool Interpreter::dependsOnFloat(Value value) {
  auto [it, isNew] = floatDependence.try_emplace(value, false);
  if (!isNew)
    return it->second; // false while under way: a cycle adds nothing
  bool depends = computeDependsOnFloat(value);
  return floatDependence[value] = depends;
}

bool Interpreter::computeDependsOnFloat(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return false;
    if (isa<FloatType, ComplexType>(element))
      return true;
    // A loop carries what it starts with and what its body returns.
    unsigned index = cast<OpResult>(value).getResultNumber();
    for (Region &region : op->getRegions())
      if (!region.empty() &&
          region.front().getTerminator()->getNumOperands() ==
              op->getNumResults() &&
          dependsOnFloat(region.front().getTerminator()->getOperand(index)))
        return true;
    if (isa<LoopLikeOpInterface>(op) &&
        op->getNumOperands() == op->getNumResults())
      return dependsOnFloat(op->getOperand(index));
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return dependsOnFloat(operand); });
  }
  if (isa<FloatType, ComplexType>(element))
    return true;
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<LoopLikeOpInterface>(parent) &&
      argument.getArgNumber() < parent->getNumResults())
    return dependsOnFloat(parent->getResult(argument.getArgNumber()));
  return false;
}
