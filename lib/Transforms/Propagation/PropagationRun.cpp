// From module to graph, through the engine, back to attributes; and the
// explanation of what came out.
#include "partita/Transforms/Propagation/PropagationRun.h"
#include "GraphBuilder.h"
#include "ShardingWriter.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace partita::propagation {

/// A module without a mesh runs on one device.
static void addMeshIfNone(ModuleOp module) {
  if (!module.getOps<spmd::MeshOp>().empty())
    return;
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto mesh = spmd::MeshOp::create(
      builder, module.getLoc(), "mesh", /*sym_visibility=*/nullptr,
      spmd::MeshAttr::get(context, {}, {}, {}, {}));
  SymbolTable(module).insert(mesh);
}

FailureOr<std::unique_ptr<PropagationRun>>
PropagationRun::run(ModuleOp module) {
  addMeshIfNone(module);
  FailureOr<CallTree> calls = CallTree::build(module);
  if (failed(calls))
    return failure();
  PropagationSeeds seeds;
  applyConstraints(module, *calls, seeds);
  if (failed(collectGroups(module, *calls, seeds)))
    return failure();
  FailureOr<std::unique_ptr<ModuleGraph>> graph =
      buildGraph(module, *calls, seeds);
  if (failed(graph))
    return failure();
  std::unique_ptr<PropagationRun> result(new PropagationRun(std::move(*graph)));
  PropagationEngine engine(result->moduleGraph->graph, result->provenance);
  engine.run();
  result->numVisits = engine.getNumVisits();
  result->stepsByStage = engine.getStepsByStage();
  writeShardings(module, *result->moduleGraph, calls->getRoots());
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Explanation
//===----------------------------------------------------------------------===//

std::string PropagationRun::getName(SlotId slot, AsmState &names) const {
  if (valueOf.empty()) {
    for (auto &[value, id] : moduleGraph->slotOf) {
      Value &representative = valueOf[id];
      // Of values that share a slot, the op's result stands for all.
      if (!representative || isa<OpResult>(value))
        representative = value;
    }
  }
  std::string name;
  llvm::raw_string_ostream os(name);
  auto it = valueOf.find(slot);
  if (it != valueOf.end()) {
    it->second.printAsOperand(os, names);
    return name;
  }
  for (const FunctionResultSlots &slots : moduleGraph->functionResults)
    if (slots.attribute == slot)
      os << "result " << slots.index << " of @"
         << func::FuncOp(slots.function).getName();
  return name;
}

std::string PropagationRun::getAxes(SlotId slot, ListId axes) const {
  const PropagationGraph &graph = moduleGraph->graph;
  std::string text = "{";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(graph.lists.get(axes), os, [&](const AxisRef &axis) {
    os << graph.getAxisAttr(axis, graph.slots[slot].mesh).str();
  });
  os << "}";
  return text;
}

void PropagationRun::print(const PropagationStep &step, AsmState &names,
                           Diagnostic &os) const {
  os << "dimension " << step.dim << " of " << getName(step.slot, names)
     << " got " << getAxes(step.slot, step.axes);
  if (step.source != kNone)
    os << " from " << getName(step.source, names);
  if (step.isGroup)
    os << ", of the same group";
  else
    os << " through '" << moduleGraph->graph.nodes[step.node].op->getName()
       << "' along factor " << step.factor << ", stage " << step.stage + 1;
}

void PropagationRun::explain(Value value, AsmState &names) const {
  SlotId slot = moduleGraph->getSlot(value);
  if (slot == kNone)
    return;
  const PropagationGraph &graph = moduleGraph->graph;
  InFlightDiagnostic remark = emitRemark(value.getLoc())
                              << getName(slot, names) << " is sharded [";
  llvm::interleaveComma(graph.getDims(slot), remark, [&](const DimState &dim) {
    remark << (graph.slots[slot].mesh < 0 ? "{}" : getAxes(slot, dim.axes));
  });
  remark << "]";
  for (unsigned dim = 0; dim < graph.slots[slot].rank; ++dim) {
    llvm::SmallVector<PropagationStep> chain = provenance.getOrigin(slot, dim);
    if (chain.empty() && graph.getDims(slot)[dim].axes != 0)
      remark.attachNote() << "dimension " << dim << " of "
                          << getName(slot, names) << " was annotated";
    for (const PropagationStep &step : chain)
      print(step, names,
            remark.attachNote(graph.nodes[step.node].op->getLoc()));
  }
}

void PropagationRun::explainSteps(AsmState &names) const {
  for (const PropagationStep &step : provenance.getSteps()) {
    InFlightDiagnostic remark =
        emitRemark(moduleGraph->graph.nodes[step.node].op->getLoc());
    print(step, names, *remark.getUnderlyingDiagnostic());
  }
}

} // namespace partita::propagation
