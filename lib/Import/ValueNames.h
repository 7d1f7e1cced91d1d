// Names for values in diagnostics: what the user called an argument or result.
#ifndef PARTITA_LIB_IMPORT_VALUENAMES_H
#define PARTITA_LIB_IMPORT_VALUENAMES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace partita {

/// `argument 0 of @main`, with the Python name where the location has it.
std::string describeArgument(mlir::func::FuncOp function, unsigned index);

/// `result 0 of @main`, with the path that jax.result_info gives.
std::string describeResult(mlir::func::FuncOp function, unsigned index);

/// `argument 0 of @main` for a function argument, else the op that makes it.
std::string describeValue(mlir::Value value);

/// The devices from 0 to `count` - 1: `[0, 1, 2, 3]`; long lists are cut.
std::string printDevices(int64_t count);

/// A sharding as users write it: `<@mesh, [{"x"}, {}]>`.
std::string printSharding(spmd::ShardingAttr sharding);

} // namespace partita

#endif
