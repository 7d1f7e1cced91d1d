// The check and interpreter dialects: what executable test files use to run
// programs and to state what they must yield. Test only.
#ifndef PARTITA_DIALECTS_CHECK_CHECK_H
#define PARTITA_DIALECTS_CHECK_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Check/CheckDialect.h.inc"
#include "dialects/Check/InterpreterDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Check/CheckOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/Check/InterpreterOps.h.inc"

#endif
