// Assembles sharding rules and checks that the op's shapes are static.

#include "RuleBuilder.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace partita {

using spmd::FactorKind;

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

RuleBuilder::RuleBuilder(Operation *op) : op(op) {
  rule.operands.reserve(op->getNumOperands());
  rule.results.reserve(op->getNumResults());
  for (Value operand : op->getOperands())
    rule.operands.emplace_back().dims.resize(shapeOf(operand).size());
  for (Value result : op->getResults())
    rule.results.emplace_back().dims.resize(shapeOf(result).size());
  rule.operandTraits.resize(op->getNumOperands());
}

void RuleBuilder::map(spmd::TensorMapping &mapping, int64_t dim, int factor,
                      int64_t size) {
  if (dim == kNone || (size == 1 && !mapping.dims[dim].empty()))
    return;
  mapping.dims[dim].push_back(factor);
}

RuleBuilder &RuleBuilder::add(int64_t size, ArrayRef<int64_t> operandDims,
                              ArrayRef<int64_t> resultDims, FactorKind kind) {
  int factor = rule.addFactor(size, kind);
  for (auto [mapping, dim] : llvm::zip(rule.operands, operandDims))
    map(mapping, dim, factor, size);
  for (auto [mapping, dim] : llvm::zip(rule.results, resultDims))
    map(mapping, dim, factor, size);
  return *this;
}

RuleBuilder &RuleBuilder::addAlone(ArrayRef<int64_t> operandDims,
                                   ArrayRef<int64_t> resultDims, int64_t size) {
  return add(size, operandDims, resultDims, FactorKind::Replicated)
      .whole()
      .passThrough();
}

RuleBuilder &RuleBuilder::addToOperands(int64_t dim, int64_t size,
                                        FactorKind kind) {
  int factor = rule.addFactor(size, kind);
  for (spmd::TensorMapping &mapping : rule.operands)
    if (!mapping.dims.empty())
      map(mapping, dim, factor, size);
  return *this;
}

RuleBuilder &RuleBuilder::addToResults(int64_t dim, int64_t size,
                                       FactorKind kind) {
  int factor = rule.addFactor(size, kind);
  for (spmd::TensorMapping &mapping : rule.results)
    if (!mapping.dims.empty())
      map(mapping, dim, factor, size);
  return *this;
}

RuleBuilder &RuleBuilder::addEverywhere(int64_t dim, int64_t size,
                                        FactorKind kind) {
  addToOperands(dim, size, kind);
  int factor = static_cast<int>(rule.factors.size()) - 1;
  for (spmd::TensorMapping &mapping : rule.results)
    if (!mapping.dims.empty())
      map(mapping, dim, factor, size);
  return *this;
}

RuleBuilder &RuleBuilder::reducing(std::optional<spmd::ReductionKind> kind) {
  rule.factors.back().reduction = kind;
  return *this;
}

RuleBuilder &RuleBuilder::whole() {
  rule.factors.back().shardable = false;
  return *this;
}

RuleBuilder &RuleBuilder::blocked() {
  rule.factors.back().direction = spmd::PropagationDirection::None;
  return *this;
}

RuleBuilder &RuleBuilder::passThrough() {
  rule.factors.back().passThrough = true;
  return *this;
}

RuleBuilder &RuleBuilder::reading(const spmd::HaloRead &read) {
  rule.reads.push_back(read);
  return *this;
}

RuleBuilder &RuleBuilder::flops(double perPoint) {
  rule.flopsPerPoint = perPoint;
  return *this;
}

RuleBuilder &RuleBuilder::pad(unsigned operand, spmd::PadTolerance tolerance) {
  rule.operandTraits[operand].pad = tolerance;
  return *this;
}

RuleBuilder &RuleBuilder::linearIn(unsigned operand) {
  rule.operandTraits[operand].linear = true;
  return *this;
}

RuleBuilder &RuleBuilder::jointlyLinearIn(ArrayRef<unsigned> operands) {
  for (unsigned operand : operands)
    rule.operandTraits[operand].linearJointly = true;
  return *this;
}

RuleBuilder &RuleBuilder::propagation(spmd::PropagationClass order) {
  rule.propagation = order;
  return *this;
}

RuleBuilder &RuleBuilder::pointwise() {
  rule.isPointwise = true;
  return propagation(spmd::PropagationClass::Elementwise);
}

/// Error for the first operand or result whose sizes are not all known.
static LogicalResult verifyStatic(Operation *op) {
  auto check = [&](Value value, StringRef role, unsigned index) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      return success();
    InFlightDiagnostic diagnostic =
        op->emitOpError() << role << " #" << index << " of type " << type
                          << " has a dimension of unknown size, so it can't "
                             "be sharded";
    diagnostic.attachNote() << "fix: lower the program for fixed shapes";
    return LogicalResult(diagnostic);
  };
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (failed(check(operand, "operand", index)))
      return failure();
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    if (failed(check(result, "result", index)))
      return failure();
  return success();
}

FailureOr<spmd::ShardingRule> RuleBuilder::build() {
  if (failed(verifyStatic(op)))
    return failure();
  // What the model left out must be whole: a dimension of size one that is
  // split lives on one device only.
  auto complete = [&](spmd::TensorMapping &mapping) {
    for (auto &dim : mapping.dims) {
      if (!dim.empty())
        continue;
      dim.push_back(rule.addFactor(1, FactorKind::Replicated));
      whole().passThrough();
    }
  };
  llvm::for_each(rule.operands, complete);
  llvm::for_each(rule.results, complete);
  return std::move(rule);
}

} // namespace partita
