// Comparisons on floats and on the prime field.

#include "Compare.h"
#include "InputValues.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita {

/// Row-major index as coordinates.
static std::string describeIndex(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> coordinates(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    coordinates[dim] = index % shape[dim];
    index /= shape[dim];
  }
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(coordinates, os);
  os << "]";
  return text;
}

static void compareResult(const Port &port, const Tensor &want,
                          const Tensor &got, const Field *field,
                          Comparison &comparison) {
  TensorDifference difference = compareTensors(want, got, field);
  comparison.maxAbsDiff =
      std::max(comparison.maxAbsDiff, difference.maxAbsDiff);
  comparison.nanShare = std::max(comparison.nanShare, difference.nanShare);
  if (difference.nanShare > 0)
    comparison.faults.push_back(
        llvm::formatv("{0}: NaN share {1:f3}", port.name, difference.nanShare));
  if (difference.equal)
    return;
  comparison.equal = false;
  int64_t at = std::max<int64_t>(0, difference.firstIndex);
  comparison.faults.push_back(llvm::formatv(
      "{0} differs first at {1}: {2} unsharded, {3} partitioned", port.name,
      describeIndex(at, port.type.getShape()), want.elementToString(at, field),
      got.elementToString(at, field)));
}

static void reportReplicas(const Program &program,
                           const std::vector<ReplicaFault> &replicas,
                           Comparison &comparison) {
  for (const ReplicaFault &fault : replicas) {
    comparison.equal = false;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << program.outputs[fault.output].name
       << " is declared replicated but devices " << fault.where.device
       << " and " << fault.where.otherDevice << " differ at [";
    llvm::interleaveComma(fault.where.index, os);
    os << "]";
    comparison.faults.push_back(text);
  }
}

void compareValues(const Program &program, const Values &reference,
                   const Values &values,
                   const std::vector<ReplicaFault> &replicas,
                   const Field *field, Comparison &comparison) {
  comparison.ran = true;
  for (auto [index, port] : llvm::enumerate(program.outputs))
    compareResult(port, reference[index], values[index], field, comparison);
  reportReplicas(program, replicas, comparison);
}

void compareValues(const Program &program, const HostValues &reference,
                   const HostValues &values,
                   const std::vector<ReplicaFault> &replicas,
                   Comparison &comparison) {
  comparison.ran = true;
  // One at a time: tensors may take more memory than dense bytes.
  for (auto [index, port] : llvm::enumerate(program.outputs))
    compareResult(port, reference[index].toTensor(), values[index].toTensor(),
                  nullptr, comparison);
  reportReplicas(program, replicas, comparison);
}

/// One field, and what the whole program gives there.
namespace {
struct FieldRun {
  std::shared_ptr<const Field> field;
  Values results;
};
} // namespace

/// Marks the results that other inputs change. In one field alone a maximum
/// with zero may swallow every input, so each field of the pair counts. Small
/// integers may agree by chance, so several inputs are tried.
static LogicalResult findVacuous(Program &program, uint64_t seed,
                                 ArrayRef<FieldRun> runs,
                                 Comparison &comparison) {
  if (program.inputs.empty())
    return success();
  std::vector<bool> reacts(program.outputs.size(), false);
  for (uint64_t attempt = 1; attempt <= 4; ++attempt)
    for (const FieldRun &run : runs) {
      if (!llvm::is_contained(reacts, false))
        return success();
      FailureOr<Values> inputs = makeInputValues(
          program, "normal", 2 * seed + 7919 * attempt, run.field.get());
      if (failed(inputs))
        return failure();
      FailureOr<Values> other = runUnsharded(program, *inputs, run.field);
      if (failed(other))
        return failure();
      for (size_t i = 0; i < reacts.size(); ++i)
        reacts[i] =
            reacts[i] ||
            !compareTensors(run.results[i], (*other)[i], run.field.get()).equal;
    }
  for (auto [index, port] : llvm::enumerate(program.outputs))
    if (!reacts[index])
      comparison.vacuous.push_back(port.name);
  return success();
}

/// Compares what the passes made, in order; names the first that changed a
/// result.
static LogicalResult compareStages(Program &program, const Values &inputs,
                                   const FieldRun &reference,
                                   Comparison &comparison) {
  comparison.numStages = program.stages.size();
  for (Stage &stage : program.stages) {
    auto main = stage.module->lookupSymbol<func::FuncOp>("main");
    std::vector<ReplicaFault> replicas;
    FailureOr<Values> got =
        stage.isPerDevice
            ? runSharded(program, main, inputs, reference.field, replicas)
            : runWhole(main, inputs, reference.field);
    if (failed(got))
      return main.emitError()
             << "the program after " << stage.pass << " can't be evaluated";
    Comparison step;
    compareValues(program, reference.results, *got, replicas,
                  reference.field.get(), step);
    if (step.equal)
      continue;
    comparison.equal = false;
    for (const std::string &fault : step.faults)
      comparison.faults.push_back("after " + stage.pass + ": " + fault);
    break;
  }
  return success();
}

/// Runs both programs in `field` and compares; keeps the reference in `runs`.
static LogicalResult compareInField(Program &program, StringRef spec,
                                    uint64_t seed,
                                    std::shared_ptr<const Field> field,
                                    SmallVectorImpl<FieldRun> &runs,
                                    Comparison &comparison) {
  FailureOr<Values> inputs = makeInputValues(program, spec, seed, field.get());
  if (failed(inputs))
    return failure();
  FailureOr<Values> want = runUnsharded(program, *inputs, field);
  if (failed(want))
    return failure();
  std::vector<ReplicaFault> replicas;
  FailureOr<Values> got =
      runSharded(program, program.getOptimizedMain(), *inputs, field, replicas);
  if (failed(got))
    return failure();
  compareValues(program, *want, *got, replicas, field.get(), comparison);
  runs.push_back({field, std::move(*want)});
  return compareStages(program, *inputs, runs.back(), comparison);
}

LogicalResult compareExactly(Program &program, StringRef spec, uint64_t seed,
                             Comparison &comparison) {
  SmallVector<ModuleOp> modules = {*program.imported, *program.optimized};
  for (Stage &stage : program.stages)
    modules.push_back(*stage.module);
  SmallVector<FieldRun> runs;
  for (bool smallNearTop : {true, false}) {
    uint64_t runSeed = 2 * seed + (smallNearTop ? 0 : 1);
    if (failed(compareInField(program, spec, runSeed,
                              makeField(modules, runSeed, smallNearTop), runs,
                              comparison)))
      return failure();
  }
  if (failed(findVacuous(program, seed, runs, comparison)))
    return failure();
  if (comparison.vacuous.empty())
    return success();
  // Dyadic constants lie at fixed places of the usual field and may win every
  // maximum there; in a random field they do not.
  auto field = std::make_shared<Field>(Field::findPrime(seed), seed, false);
  if (!findOpsOutsideField(*program.imported, *field).empty())
    return success();
  comparison.vacuous.clear();
  if (failed(compareInField(program, spec, seed, field, runs, comparison)))
    return failure();
  return findVacuous(program, seed, runs, comparison);
}

} // namespace partita
