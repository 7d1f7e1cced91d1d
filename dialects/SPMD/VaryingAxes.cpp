// Forward analysis of variation along mesh axes. Inputs of spmd.manual vary on
// the manual axes of their in_shardings, arguments of per-device functions on
// the axes of their shardings, axis_index on its axes; a sum or
// gather over an axis ends variation along it; loops are solved to a fixpoint.
#include "dialects/SPMD/VaryingAxes.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

//===----------------------------------------------------------------------===//
// AxisVariation
//===----------------------------------------------------------------------===//

Variation AxisVariation::get(StringRef axis) const {
  for (auto [name, variation] : axes)
    if (name.getValue() == axis)
      return variation;
  return Variation::Uniform;
}

bool AxisVariation::raise(StringAttr axis, Variation variation) {
  if (variation == Variation::Uniform)
    return false;
  for (auto &[name, known] : axes)
    if (name == axis) {
      bool changed = known < variation;
      known = std::max(known, variation);
      return changed;
    }
  axes.push_back({axis, variation});
  return true;
}

bool AxisVariation::join(const AxisVariation &other) {
  bool changed = false;
  for (auto [axis, variation] : other.axes)
    changed |= raise(axis, variation);
  return changed;
}

void AxisVariation::erase(StringAttr axis) {
  llvm::erase_if(axes, [&](auto &entry) { return entry.first == axis; });
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

namespace {

struct VariationState : AnalysisState {
  using AnalysisState::AnalysisState;
  void print(raw_ostream &os) const override {
    llvm::interleaveComma(variation.getAxes(), os,
                          [&](auto &entry) { os << entry.first; });
  }
  AxisVariation variation;
};

class VariationAnalysis : public DataFlowAnalysis {
public:
  using DataFlowAnalysis::DataFlowAnalysis;

  LogicalResult initialize(Operation *top) override {
    top->walk([&](func::FuncOp function) { raiseArguments(function); });
    top->walk([&](Operation *op) { visitOp(op); });
    return success();
  }
  LogicalResult visit(ProgramPoint *point) override {
    if (!point->isBlockStart())
      visitOp(point->getPrevOp());
    return success();
  }

private:
  /// Variation of `value`; `op` is visited again when it changes.
  const AxisVariation &read(Operation *op, Value value) {
    return getOrCreateFor<VariationState>(getProgramPointAfter(op), value)
        ->variation;
  }
  void raise(Value value, const AxisVariation &variation) {
    auto *state = getOrCreate<VariationState>(value);
    propagateIfChanged(state, state->variation.join(variation)
                                  ? ChangeResult::Change
                                  : ChangeResult::NoChange);
  }

  void raiseArguments(func::FuncOp function);
  void visitOp(Operation *op);
  void visitManual(ManualOp op);
  void visitCall(func::CallOp op);
  void visitBranches(RegionBranchOpInterface op);
  void visitCollective(Operation *op, ArrayRef<AxisRefAttr> axes);
  void visitPlain(Operation *op);

  SymbolTableCollection symbols;
};

} // namespace

static StringAttr getName(AxisRefAttr axis) {
  return StringAttr::get(axis.getContext(), axis.getName());
}

/// Arguments of a per-device program are shards: they vary as they are laid out.
void VariationAnalysis::raiseArguments(func::FuncOp function) {
  for (BlockArgument argument :
       function.isExternal() ? Block::BlockArgListType()
                             : function.getBody().getArguments()) {
    ShardingAttr sharding = getSharding(argument);
    if (!sharding ||
        !function.getArgAttr(argument.getArgNumber(), "spmd.global_type"))
      continue;
    AxisVariation own;
    for (DimShardingAttr dim : sharding.getDims())
      for (AxisRefAttr axis : dim.getAxes())
        own.raise(getName(axis), Variation::Varying);
    for (AxisRefAttr axis : sharding.getUnreduced())
      own.raise(getName(axis), Variation::Varying);
    raise(argument, own);
  }
}

/// All op results depend on all operands, and on what the op's regions use.
void VariationAnalysis::visitPlain(Operation *op) {
  AxisVariation sum;
  for (Value operand : op->getOperands())
    sum.join(read(op, operand));
  if (op->getNumRegions() > 0) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      sum.join(read(op, value));
  }
  for (Value result : op->getResults())
    raise(result, sum);
}

void VariationAnalysis::visitManual(ManualOp op) {
  auto isOwn = [&](StringAttr axis) {
    return llvm::any_of(op.getManualAxes().getAxes(), [&](AxisRefAttr manual) {
      return manual.getName() == axis.getValue();
    });
  };
  auto removeOwn = [&](AxisVariation variation) {
    for (AxisRefAttr axis : op.getManualAxes().getAxes())
      variation.erase(getName(axis));
    return variation;
  };
  Block &body = op.getBody().front();
  for (auto [argument, input, attribute] :
       llvm::zip(body.getArguments(), op.getInputs(), op.getInShardings())) {
    AxisVariation inside = removeOwn(read(op, input));
    auto sharding = cast<ShardingAttr>(attribute);
    SmallVector<AxisRefAttr> axes(sharding.getUnreduced());
    for (DimShardingAttr dim : sharding.getDims())
      llvm::append_range(axes, dim.getAxes());
    for (AxisRefAttr axis : axes)
      if (isOwn(getName(axis)))
        inside.raise(getName(axis), Variation::Varying);
    raise(argument, inside);
  }
  Operation *terminator = body.getTerminator();
  for (auto [result, returned] :
       llvm::zip(op.getResults(), terminator->getOperands()))
    raise(result, removeOwn(read(op, returned)));
}

void VariationAnalysis::visitCall(func::CallOp op) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return visitPlain(op);
  for (auto [argument, operand] :
       llvm::zip(callee.getArguments(), op.getOperands()))
    raise(argument, read(op, operand));
  for (Block &block : callee.getBody())
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
      for (auto [result, returned] :
           llvm::zip(op.getResults(), end.getOperands()))
        raise(result, read(op, returned));
}

/// Follows every edge of control flow. A value that is not passed along an edge
/// (the predicate of an if, what a loop's condition returns) decides which way
/// devices go: all results vary as it does.
void VariationAnalysis::visitBranches(RegionBranchOpInterface op) {
  AxisVariation predicate;
  auto follow = [&](OperandRange operands, const RegionSuccessor &successor,
                    llvm::SmallPtrSetImpl<OpOperand *> &passed,
                    MutableArrayRef<OpOperand> all) {
    for (auto [operand, target] :
         llvm::zip(operands, successor.getSuccessorInputs()))
      raise(target, read(op, operand));
    for (OpOperand &use : all) {
      unsigned begin = operands.empty() ? 0 : operands.getBeginOperandIndex();
      if (use.getOperandNumber() >= begin &&
          use.getOperandNumber() < begin + operands.size())
        passed.insert(&use);
    }
  };
  auto addRest = [&](llvm::SmallPtrSetImpl<OpOperand *> &passed,
                     MutableArrayRef<OpOperand> all) {
    for (OpOperand &use : all)
      if (!passed.contains(&use))
        predicate.join(read(op, use.get()));
  };

  SmallVector<RegionSuccessor> successors;
  llvm::SmallPtrSet<OpOperand *, 8> passed;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors)
    follow(op.getEntrySuccessorOperands(successor), successor, passed,
           op->getOpOperands());
  addRest(passed, op->getOpOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
          block.empty() ? nullptr : &block.back());
      if (!terminator)
        continue;
      successors.clear();
      passed.clear();
      op.getSuccessorRegions(RegionBranchPoint(terminator), successors);
      for (const RegionSuccessor &successor : successors)
        follow(terminator.getSuccessorOperands(successor), successor, passed,
               terminator->getOpOperands());
      addRest(passed, terminator->getOpOperands());
    }
  for (Value result : op->getResults())
    raise(result, predicate);
}

/// Size of what `axes` list of the axis called `name`.
static int64_t getListedSize(ArrayRef<AxisRefAttr> axes, StringRef name,
                             MeshAttr mesh) {
  int64_t size = 1;
  for (AxisRefAttr axis : axes)
    if (axis.getName() == name)
      size *= axis.getSize(mesh);
  return size;
}

void VariationAnalysis::visitCollective(Operation *op,
                                        ArrayRef<AxisRefAttr> axes) {
  MeshAttr mesh = lookupMesh(op, cast<CollectiveOpInterface>(op).getMeshName());
  AxisVariation sum;
  for (Value operand : op->getOperands())
    sum.join(read(op, operand));
  // After these every member of the group holds the same.
  bool equalises = isa<AllReduceOp, AllGatherOp, BroadcastOp>(op);
  bool communicates = !isa<AllSliceOp, ToUnreducedOp>(op);
  for (AxisRefAttr axis : axes) {
    StringAttr name = getName(axis);
    bool whole = mesh && getListedSize(axes, axis.getName(), mesh) ==
                             mesh.getAxisSize(axis.getName());
    if (!equalises)
      sum.raise(name, communicates ? Variation::Exchanged : Variation::Varying);
    else if (whole)
      sum.erase(name);
    else if (sum.get(axis.getName()) != Variation::Uniform)
      sum.raise(name, Variation::Exchanged);
  }
  for (Value result : op->getResults())
    raise(result, sum);
}

void VariationAnalysis::visitOp(Operation *op) {
  if (op->getNumResults() == 0 && op->getNumRegions() == 0)
    return;
  if (auto manual = dyn_cast<ManualOp>(op))
    return visitManual(manual);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (auto index = dyn_cast<AxisIndexOp>(op)) {
    AxisVariation own;
    for (AxisRefAttr axis : index.getAxes().getAxes())
      own.raise(getName(axis), Variation::Varying);
    return raise(index.getResult(), own);
  }
  if (auto start = dyn_cast<StartOp>(op)) {
    Block &body = start.getBody().front();
    for (auto [argument, input] :
         llvm::zip(body.getArguments(), start.getInputs()))
      raise(argument, read(op, input));
    AxisVariation sum;
    for (Value returned : body.getTerminator()->getOperands())
      sum.join(read(op, returned));
    return raise(start.getFuture(), sum);
  }
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return visitCollective(op, collective.getCommunicationAxes());
  if (auto branches = dyn_cast<RegionBranchOpInterface>(op))
    return visitBranches(branches);
  if (!isa<FunctionOpInterface, ModuleOp>(op))
    visitPlain(op);
}

//===----------------------------------------------------------------------===//
// VaryingAxes
//===----------------------------------------------------------------------===//

VaryingAxes::VaryingAxes(Operation *top)
    : solver(std::make_unique<DataFlowSolver>()) {
  solver->load<VariationAnalysis>();
  valid = succeeded(solver->initializeAndRun(top));
}

VaryingAxes::~VaryingAxes() = default;

AxisVariation VaryingAxes::get(Value value) const {
  auto *state = solver->lookupState<VariationState>(value);
  return state ? state->variation : AxisVariation();
}
