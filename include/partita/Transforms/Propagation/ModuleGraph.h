// A module's propagation graph and which of its slots belongs to which value.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_MODULEGRAPH_H
#define PARTITA_TRANSFORMS_PROPAGATION_MODULEGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Transforms/Propagation/PropagationGraph.h"

namespace partita::propagation {

/// A result of a function with the slots of its attribute and of the value that
/// is returned. The attribute of a function that is called is its call's
/// result.
struct FunctionResultSlots {
  mlir::func::FuncOp function;
  unsigned index;
  SlotId attribute;
  SlotId value;
  bool isEntry; ///< of a function that nothing calls
};

/// The graph of a module and which slot belongs to which value.
struct ModuleGraph {
  PropagationGraph graph;
  llvm::DenseMap<mlir::Value, SlotId> slotOf;
  /// All ops with results outside op bodies, and all functions, in walk order.
  std::vector<mlir::Operation *> ops;
  llvm::SmallVector<FunctionResultSlots> functionResults;

  SlotId getSlot(mlir::Value value) const {
    auto it = slotOf.find(value);
    return it == slotOf.end() ? kNone : it->second;
  }
};

} // namespace partita::propagation

#endif
