// Types of the spmd dialect.
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::spmd;

#define GET_TYPEDEF_CLASSES
#include "dialects/SPMD/SPMDTypes.cpp.inc"

void SPMDDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/SPMD/SPMDTypes.cpp.inc"
      >();
}
