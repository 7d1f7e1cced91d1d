// Regions of the program against bodies of ops.
#include "OpBodies.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita {

bool isInOpBody(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<FunctionOpInterface, ModuleOp>(parent))
      return false;
    // sdy's region ops are seen before they become spmd.manual or go.
    bool isProgram = isa<RegionBranchOpInterface>(parent) ||
                     parent->getName().getDialectNamespace() == "sdy";
    if (!isProgram)
      return true;
  }
  return false;
}

} // namespace partita
