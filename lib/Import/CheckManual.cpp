// spmd-check-manual: the specs of manual regions fit their values, and results
// declared replicated are. Before and after: the same module.
#include "ValueNames.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/VaryingAxes.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_CHECKMANUALPASS
#include "partita/Import/Passes.h.inc"

using spmd::Variation;

static bool isManual(spmd::ManualOp op, spmd::AxisRefAttr axis) {
  return llvm::any_of(op.getManualAxes().getAxes(),
                      [&](spmd::AxisRefAttr manual) {
                        return manual.getName() == axis.getName();
                      });
}

/// Axes of `sharding` that hold different data on different devices.
static SmallVector<spmd::AxisRefAttr> getMentionedAxes(spmd::ShardingAttr s) {
  SmallVector<spmd::AxisRefAttr> axes(s.getUnreduced());
  for (spmd::DimShardingAttr dim : s.getDims())
    llvm::append_range(axes, dim.getAxes());
  return axes;
}

/// The first two refusals: a spec longer than the rank, and manual axes that do
/// not divide a dimension.
static LogicalResult checkSpec(spmd::ManualOp op, const std::string &what,
                               StringRef specName, Type type,
                               spmd::ShardingAttr sharding,
                               spmd::MeshAttr mesh) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  int64_t rank = tensor ? tensor.getRank() : 0;
  if (sharding.getRank() > rank)
    return spmd::failWithFix(
        op.emitOpError() << what << ": its " << specName << " "
                         << printSharding(sharding) << " is "
                         << sharding.getRank() << " long, but " << type
                         << " has rank " << rank,
        "drop the last " + std::to_string(sharding.getRank() - rank) +
            " entries of the spec");
  for (auto [index, dim] : llvm::enumerate(sharding.getDims())) {
    SmallVector<spmd::AxisRefAttr> manualAxes;
    int64_t shards = 1;
    for (spmd::AxisRefAttr axis : dim.getAxes())
      if (isManual(op, axis)) {
        manualAxes.push_back(axis);
        shards *= axis.getSize(mesh);
      }
    int64_t size = tensor.getDimSize(index);
    if (ShapedType::isDynamic(size) || size % shards == 0)
      continue;
    int64_t padded = (size + shards - 1) / shards * shards;
    return spmd::failWithFix(
        op.emitOpError()
            << what << ": its " << specName << " " << printSharding(sharding)
            << " splits dimension " << index << " of size " << size
            << " along manual axes "
            << spmd::AxisListAttr::get(op.getContext(), manualAxes).str()
            << " into " << shards << " shards, which do not divide it",
        "pad the dimension to " + std::to_string(padded) +
            ", or leave the axis out of the spec");
  }
  return success();
}

namespace {

class ReplicationChecker {
public:
  ReplicationChecker(ModuleOp module, ReplicationCheck mode)
      : varying(module), symbols(module), mode(mode) {
    module.walk([&](func::CallOp call) { callOf[call.getCallee()] = call; });
  }
  bool isValid() const { return varying.isValid(); }
  LogicalResult check(spmd::ManualOp op);

private:
  LogicalResult report(spmd::ManualOp op, unsigned index, StringAttr axis,
                       Variation variation);
  Value stepOut(InFlightDiagnostic &diagnostic, BlockArgument argument,
                StringAttr axis);
  Value stepBack(InFlightDiagnostic &diagnostic, OpResult value,
                 StringAttr axis);
  void noteSource(InFlightDiagnostic &diagnostic, Value value, StringAttr axis);

  spmd::VaryingAxes varying;
  SymbolTable symbols;
  ReplicationCheck mode;
  llvm::StringMap<func::CallOp> callOf;
};

} // namespace

/// The value on which an argument of a block that varies depends further out;
/// null, with a note, where the variation enters there.
Value ReplicationChecker::stepOut(InFlightDiagnostic &diagnostic,
                                  BlockArgument argument, StringAttr axis) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto manual = dyn_cast<spmd::ManualOp>(parent)) {
    auto sharding = cast<spmd::ShardingAttr>(manual.getInShardings()[number]);
    bool enters = llvm::any_of(getMentionedAxes(sharding), [&](auto mentioned) {
      return mentioned.getName() == axis.getValue();
    });
    if (!enters)
      return manual.getInputs()[number];
    diagnostic.attachNote(argument.getLoc())
        << "operand " << number << " ("
        << describeValue(manual.getInputs()[number]) << ") enters as "
        << printSharding(sharding) << ", so each device along " << axis
        << " has a different part";
    return {};
  }
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    func::CallOp call = callOf.lookup(function.getSymName());
    return call ? call.getOperand(number) : Value();
  }
  // A loop carry: its initial value, else what the loop makes of it.
  if (number >= parent->getNumOperands())
    return {};
  Value initial = parent->getOperand(number);
  if (varying.get(initial, axis.getValue()) != Variation::Uniform)
    return initial;
  diagnostic.attachNote(parent->getLoc())
      << "it varies along " << axis << " from iteration to iteration here";
  return {};
}

/// The operand through which the result of an op varies; null, with a note,
/// where the variation begins there.
Value ReplicationChecker::stepBack(InFlightDiagnostic &diagnostic,
                                   OpResult value, StringAttr axis) {
  Operation *op = value.getOwner();
  if (isa<spmd::AxisIndexOp>(op)) {
    diagnostic.attachNote(op->getLoc())
        << "the device's index along " << axis << " enters here";
    return {};
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
    if (callee && !callee.isExternal())
      return callee.getBody().back().getTerminator()->getOperand(
          value.getResultNumber());
  }
  for (Value operand : op->getOperands())
    if (varying.get(operand, axis.getValue()) != Variation::Uniform)
      return operand;
  diagnostic.attachNote(op->getLoc())
      << "it varies along " << axis << " from here on";
  return {};
}

/// Follows one chain of varying values back to where the variation enters.
void ReplicationChecker::noteSource(InFlightDiagnostic &diagnostic, Value value,
                                    StringAttr axis) {
  DenseSet<Value> seen;
  while (value && seen.insert(value).second) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      value = stepOut(diagnostic, argument, axis);
    else
      value = stepBack(diagnostic, cast<OpResult>(value), axis);
  }
}

LogicalResult ReplicationChecker::report(spmd::ManualOp op, unsigned index,
                                         StringAttr axis, Variation variation) {
  bool isError =
      mode == ReplicationCheck::Error ||
      (mode == ReplicationCheck::Auto && variation == Variation::Varying);
  auto sharding = cast<spmd::ShardingAttr>(op.getOutShardings()[index]);
  auto fill = [&](InFlightDiagnostic diagnostic) {
    diagnostic << "result " << index << ": its out spec "
               << printSharding(sharding) << " does not mention manual axis "
               << axis << ", so it is declared equal on all devices along "
               << axis
               << (variation == Variation::Varying
                       ? ", but it differs between them"
                       : ", but that cannot be proved");
    Value returned = op.getBody().front().getTerminator()->getOperand(index);
    noteSource(diagnostic, returned, axis);
    diagnostic.attachNote()
        << "fix: make it equal with lax.psum or lax.all_gather over " << axis
        << ", or mention " << axis << " in the out spec";
  };
  if (isError) {
    fill(op.emitOpError());
    return failure();
  }
  fill(op.emitWarning());
  return success();
}

LogicalResult ReplicationChecker::check(spmd::ManualOp op) {
  bool failedOnce = false;
  Operation *terminator = op.getBody().front().getTerminator();
  for (auto [index, returned] : llvm::enumerate(terminator->getOperands())) {
    if (!isa<TensorType>(returned.getType()))
      continue; // A token holds no data.
    auto sharding = cast<spmd::ShardingAttr>(op.getOutShardings()[index]);
    SmallVector<spmd::AxisRefAttr> mentioned = getMentionedAxes(sharding);
    for (spmd::AxisRefAttr axis : op.getManualAxes().getAxes()) {
      if (llvm::any_of(mentioned, [&](spmd::AxisRefAttr m) {
            return m.getName() == axis.getName();
          }))
        continue;
      Variation variation = varying.get(returned, axis.getName());
      if (variation == Variation::Uniform)
        continue;
      failedOnce |= failed(
          report(op, index, StringAttr::get(op.getContext(), axis.getName()),
                 variation));
    }
  }
  return failure(failedOnce);
}

namespace {
struct CheckManual : impl::CheckManualPassBase<CheckManual> {
  using CheckManualPassBase::CheckManualPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<spmd::ManualOp> regions;
    module.walk([&](spmd::ManualOp op) { regions.push_back(op); });
    if (regions.empty())
      return;
    bool failedOnce = false;
    for (spmd::ManualOp op : regions)
      failedOnce |= failed(checkSpecs(op));
    if (failedOnce)
      return signalPassFailure();
    ReplicationChecker checker(module, checkReplication);
    if (!checker.isValid()) {
      module.emitError() << "the analysis of varying axes failed";
      return signalPassFailure();
    }
    for (spmd::ManualOp op : regions)
      failedOnce |= failed(checker.check(op));
    if (failedOnce)
      signalPassFailure();
  }

  static LogicalResult checkSpecs(spmd::ManualOp op) {
    FlatSymbolRefAttr name = op.getMeshName();
    spmd::MeshAttr mesh = name ? spmd::lookupMesh(op, name) : spmd::MeshAttr();
    if (!mesh)
      return success();
    for (auto [index, input] : llvm::enumerate(op.getInputs()))
      if (failed(checkSpec(op,
                           "operand " + std::to_string(index) + " (" +
                               describeValue(input) + ")",
                           "in spec", input.getType(),
                           cast<spmd::ShardingAttr>(op.getInShardings()[index]),
                           mesh)))
        return failure();
    for (auto [index, type] : llvm::enumerate(op.getResultTypes()))
      if (failed(checkSpec(
              op, "result " + std::to_string(index), "out spec", type,
              cast<spmd::ShardingAttr>(op.getOutShardings()[index]), mesh)))
        return failure();
    return success();
  }
};
} // namespace

} // namespace partita
