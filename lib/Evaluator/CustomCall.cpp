// Custom calls whose meaning is known: annotations, and LAPACK calls of JAX.
#include "Kernels.h"
#include "LinearAlgebra.h"
#include "dialects/StableHLO/CustomCalls.h"

using namespace mlir;
using namespace partita;

/// The arrays of one matrix of a batch: the last `rank` dimensions.
static LapackArray makeArray(RankedTensorType type, int64_t rank) {
  LapackArray array;
  array.shape = type.getShape().take_back(rank).vec();
  array.values.resize(ShapedType::getNumElements(array.shape));
  return array;
}

/// Matrices in the batch, if all operands and results have as many of the ranks
/// that the routine takes.
static std::optional<int64_t> getBatches(Operation *op, LapackRoutine routine) {
  std::optional<int64_t> batches;
  auto agree = [&](TypeRange types, bool isResult) {
    for (auto [index, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      int64_t rank = getLapackRank(routine, isResult, index);
      if (!tensor || tensor.getRank() < rank)
        return false;
      int64_t count =
          ShapedType::getNumElements(tensor.getShape().drop_back(rank));
      if (batches && *batches != count)
        return false;
      batches = count;
    }
    return true;
  };
  bool fits =
      agree(op->getOperandTypes(), false) && agree(op->getResultTypes(), true);
  return fits ? batches : std::nullopt;
}

static LogicalResult refuseShapes(Operation *op) {
  InFlightDiagnostic diag = op->emitError()
                            << "the matrices of the call do not fit it";
  diag.attachNote() << "fix: give it the operands and results that JAX does, "
                       "with equal batch dimensions in front";
  return failure();
}

/// A batch of matrices to the results of the routine, one by one.
static LogicalResult evaluateLapack(KernelCall &call, LapackRoutine routine) {
  std::optional<int64_t> batches = getBatches(call.op, routine);
  if (!batches)
    return refuseShapes(call.op);
  SmallVector<Tensor> results;
  for (unsigned i = 0; i < call.op->getNumResults(); ++i)
    results.push_back(Tensor::zeros(call.getResultType(i), call.isField()));
  if (call.field) {
    std::string_view name = getLapackName(routine);
    hashMatrices(call.operands, *batches, StringRef(name.data(), name.size()),
                 results, *call.field);
    llvm::append_range(call.results, results);
    return success();
  }
  LapackOptions options =
      stablehlo::getLapackOptions(cast<stablehlo::CustomCallOp>(call.op));
  for (int64_t b = 0; b < *batches; ++b) {
    std::vector<LapackArray> inputs, outputs;
    for (auto [index, operand] : llvm::enumerate(call.operands)) {
      inputs.push_back(makeArray(operand.getTensorType(),
                                 getLapackRank(routine, false, index)));
      int64_t count = inputs.back().values.size();
      inputs.back().values = readMatrix(operand, b * count, count);
    }
    for (auto [index, result] : llvm::enumerate(results))
      outputs.push_back(makeArray(result.getTensorType(),
                                  getLapackRank(routine, true, index)));
    std::vector<LapackArray> computed = outputs;
    if (!runLapack(routine, options, inputs, computed))
      return refuseShapes(call.op);
    for (auto [index, result] : llvm::enumerate(results)) {
      int64_t count = outputs[index].values.size();
      if (int64_t(computed[index].values.size()) != count)
        return refuseShapes(call.op);
      writeMatrix(result, b * count, computed[index].values);
    }
  }
  llvm::append_range(call.results, results);
  return success();
}

/// Annotations that import takes away: before it, they are identities too.
static bool isAnnotation(stablehlo::CustomCallOp op) {
  return op->getNumOperands() == op->getNumResults() &&
         llvm::is_contained({"Sharding", "xla.sdy.FuncResultSharding",
                             "xla.sdy.PropagationBarrier"},
                            op.getCallTargetName());
}

static LogicalResult evaluateCustomCall(KernelCall &call) {
  auto op = cast<stablehlo::CustomCallOp>(call.op);
  StringRef target = op.getCallTargetName();
  if (stablehlo::isIdentityCall(op) || isAnnotation(op)) {
    llvm::append_range(call.results, call.operands);
    return success();
  }
  int64_t routine = findLapackRoutine({target.data(), target.size()});
  if (routine >= 0)
    return evaluateLapack(call, LapackRoutine(routine));
  InFlightDiagnostic diag = call.op->emitError()
                            << "the evaluator does not know the custom call '@"
                            << target << "'";
  diag.attachNote()
      << "fix: express it by StableHLO ops, e.g. as the decomposition of a "
         "stablehlo.composite";
  return failure();
}

void partita::registerCustomCallKernels(KernelTable &table) {
  table.add("stablehlo.custom_call", evaluateCustomCall);
}
