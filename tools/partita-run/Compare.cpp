// Comparisons on floats and on the prime field.

#include "Compare.h"
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

void compareValues(const Program &program, const Values &reference,
                   const Values &values,
                   const std::vector<ReplicaFault> &replicas,
                   const Field *field, Comparison &comparison) {
  comparison.ran = true;
  for (auto [index, port] : llvm::enumerate(program.outputs)) {
    const Tensor &want = reference[index], &got = values[index];
    TensorDifference difference = compareTensors(want, got, field);
    comparison.maxAbsDiff = std::max(comparison.maxAbsDiff, difference.maxAbsDiff);
    comparison.nanShare = std::max(comparison.nanShare, difference.nanShare);
    if (difference.nanShare > 0)
      comparison.faults.push_back(
          llvm::formatv("{0}: NaN share {1:f3}", port.name, difference.nanShare));
    if (difference.equal)
      continue;
    comparison.equal = false;
    int64_t at = std::max<int64_t>(0, difference.firstIndex);
    comparison.faults.push_back(llvm::formatv(
        "{0} differs first at {1}: {2} unsharded, {3} partitioned", port.name,
        describeIndex(at, port.type.getShape()),
        want.elementToString(at, field), got.elementToString(at, field)));
  }
  for (const ReplicaFault &fault : replicas) {
    comparison.equal = false;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << program.outputs[fault.output].name << " is declared replicated but devices "
       << fault.where.device << " and " << fault.where.otherDevice
       << " differ at [";
    llvm::interleaveComma(fault.where.index, os);
    os << "]";
    comparison.faults.push_back(text);
  }
}

static Values makeInputs(const Program &program, uint64_t seed,
                         const Field *field) {
  Values inputs;
  for (auto [index, port] : llvm::enumerate(program.inputs))
    inputs.push_back(makeRandomTensor(port.type, InputKind::Normal,
                                      seed * 1000003 + index, field));
  return inputs;
}

LogicalResult compareExactly(Program &program, uint64_t seed,
                             Comparison &comparison) {
  ModuleOp modules[] = {*program.imported, *program.optimized};
  std::vector<bool> reacts(program.outputs.size(), program.inputs.empty());
  Values first;
  std::shared_ptr<const Field> firstField;
  auto noteReactions = [&](const Values &values) {
    for (size_t i = 0; i < values.size(); ++i)
      reacts[i] = reacts[i] ||
                  !compareTensors(first[i], values[i], firstField.get()).equal;
  };
  for (bool smallNearTop : {true, false}) {
    uint64_t runSeed = 2 * seed + (smallNearTop ? 0 : 1);
    std::shared_ptr<const Field> field =
        makeField(modules, runSeed, smallNearTop);
    Values inputs = makeInputs(program, runSeed, field.get());
    FailureOr<Values> want = runUnsharded(program, inputs, field);
    std::vector<ReplicaFault> replicas;
    FailureOr<Values> got = failed(want)
                                ? FailureOr<Values>()
                                : runSharded(program, inputs, field, replicas);
    if (failed(got))
      return failure();
    compareValues(program, *want, *got, replicas, field.get(), comparison);
    if (first.empty() && !want->empty()) {
      first = *want;
      firstField = field;
    }
  }
  // The same field, other inputs: what does not change is vacuous. Small integers
  // may agree by chance, so several inputs are tried.
  for (uint64_t attempt = 1; attempt <= 4 && llvm::is_contained(reacts, false);
       ++attempt) {
    Values inputs = makeInputs(program, 2 * seed + 7919 * attempt,
                               firstField ? firstField.get() : nullptr);
    FailureOr<Values> other = runUnsharded(program, inputs, firstField);
    if (failed(other))
      return failure();
    noteReactions(*other);
  }
  for (auto [index, port] : llvm::enumerate(program.outputs))
    if (!reacts[index])
      comparison.vacuous.push_back(port.name);
  return success();
}

} // namespace partita
