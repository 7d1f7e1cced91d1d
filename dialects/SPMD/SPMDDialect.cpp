// The dialect object: registration and the hooks for discardable attributes.
#include "dialects/SPMD/SPMD.h"

using namespace mlir;
using namespace partita::spmd;

#include "dialects/SPMD/SPMDDialect.cpp.inc"

void SPMDDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/SPMD/SPMDOps.cpp.inc"
      >();
}
