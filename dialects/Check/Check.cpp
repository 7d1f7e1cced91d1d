// Registration and verifiers of the check dialect.
#include "dialects/Check/Check.h"

using namespace mlir;
using namespace partita::check;

#include "dialects/Check/CheckDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Check/CheckOps.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Check/CheckOps.cpp.inc"
      >();
}

LogicalResult ExpectCloseOp::verify() {
  if (getMinUlpDifference() <= getMaxUlpDifference())
    return success();
  InFlightDiagnostic error =
      emitOpError() << "min_ulp_difference " << getMinUlpDifference()
                    << " is above max_ulp_difference " << getMaxUlpDifference();
  error.attachNote() << "fix: no value can meet both; swap or drop one";
  return error;
}
