// spmd-import-sdy: every sdy op and attribute becomes its spmd form. Before: a
// module as JAX prints it, verified. After: nothing of sdy is left.
#include "OpBodies.h"
#include "SdyAttributes.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SignatureAttributes.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Import/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_IMPORTSDYPASS
#include "partita/Import/Passes.h.inc"

namespace {

/// Rewrites one module.
class SdyImporter {
public:
  explicit SdyImporter(ModuleOp module) : module(module), attributes(module) {}
  LogicalResult run();

private:
  void convertSignature(FunctionOpInterface function);
  void convertOpAttributes(Operation *op);
  bool hasLayout(Operation *op, sdy::ShardingPerValueAttr shardings) const;
  LogicalResult convertOp(Operation *op);

  template <typename TargetOp>
  void replaceByLayoutOp(Operation *op, sdy::ShardingAttr sharding);
  void replaceByOperand(Operation *op);
  void convertManual(sdy::ManualComputationOp op);
  void declarePartial(sdy::AllReduceOp op);
  void inlineNamed(sdy::NamedComputationOp op);
  void foldEdge(sdy::DataFlowEdgeOp op);

  ModuleOp module;
  SdyAttributes attributes;
};

} // namespace

/// True for attribute names that belong to the sdy dialect.
static bool isSdyName(StringAttr name) {
  return name.getValue().starts_with("sdy.");
}

/// Copies what is not sdy's own from the discardable attributes of `from`.
static void carryAttributes(Operation *from, Operation *to) {
  for (NamedAttribute attribute : from->getDiscardableAttrs())
    if (!isSdyName(attribute.getName()))
      to->setDiscardableAttr(attribute.getName(), attribute.getValue());
}

LogicalResult SdyImporter::run() {
  attributes.convertMeshes();
  SmallVector<Operation *> sdyOps;
  module.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      convertSignature(function);
    convertOpAttributes(op);
    if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()))
      sdyOps.push_back(op);
  });
  for (Operation *op : sdyOps)
    if (failed(convertOp(op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void SdyImporter::convertSignature(FunctionOpInterface function) {
  StringRef name = sdy::SdyDialect::getShardingAttrName();
  auto convert = [&](NamedAttrList &list, Type type) {
    auto sharding = dyn_cast_if_present<sdy::ShardingAttr>(list.get(name));
    for (NamedAttribute attribute : llvm::to_vector(list))
      if (isSdyName(attribute.getName()))
        list.erase(attribute.getName());
    if (sharding)
      list.set(spmd::SPMDDialect::getShardingAttrName(),
               attributes.convert(sharding, type));
  };
  spmd::changeSignatureAttributes(function, convert);
}

/// False for the sharding that JAX writes on a callback without results, unless
/// it says which device calls.
bool SdyImporter::hasLayout(Operation *op,
                            sdy::ShardingPerValueAttr shardings) const {
  return op->getNumResults() > 0 ||
         llvm::any_of(shardings.getShardings(),
                      [&](sdy::ShardingAttr sharding) {
                        sdy::MeshAttr mesh = attributes.getMesh(sharding);
                        return mesh && mesh.isMaximal();
                      });
}

void SdyImporter::convertOpAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
    if (!isSdyName(attribute.getName()))
      continue;
    // What is neither a sharding nor a rule is Shardy's own bookkeeping.
    op->removeDiscardableAttr(attribute.getName());
    Attribute value = attribute.getValue();
    if (auto shardings = dyn_cast<sdy::ShardingPerValueAttr>(value)) {
      if (!isInOpBody(op) && hasLayout(op, shardings))
        op->setDiscardableAttr(
            spmd::SPMDDialect::getShardingsAttrName(),
            attributes.convert(shardings, op->getResultTypes()));
    } else if (auto rule = dyn_cast<sdy::OpShardingRuleAttr>(value)) {
      op->setDiscardableAttr(spmd::SPMDDialect::getShardingRuleAttrName(),
                             attributes.convert(rule));
    }
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void SdyImporter::replaceByOperand(Operation *op) {
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  op->erase();
}

/// Replaces an op of one operand that states a layout by a constraint or
/// reshard. Tokens and the like, and values in op bodies, have no layout.
template <typename TargetOp>
void SdyImporter::replaceByLayoutOp(Operation *op, sdy::ShardingAttr sharding) {
  Value input = op->getOperand(0);
  if (!isa<RankedTensorType>(input.getType()) || isInOpBody(op))
    return replaceByOperand(op);
  OpBuilder builder(op);
  auto converted =
      TargetOp::create(builder, op->getLoc(), input.getType(), input,
                       attributes.convert(sharding, input.getType()));
  carryAttributes(op, converted);
  op->getResult(0).replaceAllUsesWith(converted->getResult(0));
  op->erase();
}

/// An all_reduce of an argument that is not declared partial adds what each
/// device holds: the argument becomes partial in a manual region that returns
/// it as it is. (What an op makes is partial by the op's own rule.)
void SdyImporter::declarePartial(sdy::AllReduceOp op) {
  Value input = op->getOperand(0);
  spmd::ShardingAttr declared = spmd::getSharding(input);
  bool isWhole =
      llvm::none_of(op.getReductionAxes().getAxes(),
                    [](sdy::AxisRefAttr axis) { return axis.isSubAxis(); });
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ||
      !isWhole || (declared && !declared.getUnreduced().empty()))
    return;
  sdy::ShardingAttr out = op.getOutSharding();
  auto partial = sdy::ShardingAttr::get(
      op.getContext(), out.getMeshOrRef(), out.getDims(), out.getReplicated(),
      op.getReductionAxes().getAxes(), op.getReductionOp());
  SmallVector<spmd::AxisRefAttr> axes;
  for (sdy::AxisRefAttr axis : op.getReductionAxes().getAxes())
    axes.push_back(
        spmd::AxisRefAttr::get(op.getContext(), axis.getName(), 0, 0));
  OpBuilder builder(op);
  Type type = input.getType();
  auto manual = spmd::ManualOp::create(
      builder, op.getLoc(), TypeRange{type}, ValueRange{input},
      builder.getArrayAttr(attributes.convert(out, type)),
      builder.getArrayAttr(attributes.convert(partial, type)),
      spmd::AxisListAttr::get(op.getContext(), axes));
  Block *body = builder.createBlock(&manual.getBody(), {}, type, op.getLoc());
  spmd::ReturnOp::create(builder, op.getLoc(), body->getArguments());
  op->setOperand(0, manual.getResult(0));
}

void SdyImporter::convertManual(sdy::ManualComputationOp op) {
  // All shardings of a region are on one mesh; those on no devices join it.
  FlatSymbolRefAttr mesh;
  for (auto list : {op.getInShardings(), op.getOutShardings()})
    for (sdy::ShardingAttr sharding : list.getShardings())
      if (!mesh)
        mesh = attributes.getMeshName(sharding);
  SmallVector<spmd::AxisRefAttr> manualAxes;
  for (StringAttr axis : op.getManualAxes().getAxes())
    manualAxes.push_back(
        spmd::AxisRefAttr::get(op.getContext(), axis.getValue(), 0, 0));
  OpBuilder builder(op);
  auto manual = spmd::ManualOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getInputs(),
      attributes.convert(op.getInShardings(), op.getInputs().getTypes(), mesh),
      attributes.convert(op.getOutShardings(), op.getResultTypes(), mesh),
      spmd::AxisListAttr::get(op.getContext(), manualAxes));
  carryAttributes(op, manual);
  manual.getBody().takeBody(op.getBody());
  Operation *terminator = manual.getBody().front().getTerminator();
  builder.setInsertionPoint(terminator);
  auto newReturn = spmd::ReturnOp::create(builder, terminator->getLoc(),
                                          terminator->getOperands());
  carryAttributes(terminator, newReturn);
  terminator->erase();
  op.replaceAllUsesWith(manual.getResults());
  op.erase();
}

/// The body's ops take the op's place; shardings of the values that cross its
/// border become constraints.
void SdyImporter::inlineNamed(sdy::NamedComputationOp op) {
  OpBuilder builder(op);
  auto constrain = [&](Value value, sdy::ShardingPerValueAttr shardings,
                       unsigned index) -> Value {
    if (!shardings || !isa<RankedTensorType>(value.getType()))
      return value;
    return spmd::ConstraintOp::create(
        builder, op.getLoc(), value.getType(), value,
        attributes.convert(shardings.getShardings()[index], value.getType()));
  };
  Block &body = op.getBody().front();
  for (auto [index, argument, input] :
       llvm::enumerate(body.getArguments(), op.getInputs()))
    argument.replaceAllUsesWith(
        constrain(input, op.getInShardingsAttr(), index));
  Operation *terminator = body.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         terminator->getIterator());
  builder.setInsertionPoint(op);
  for (auto [index, result, returned] :
       llvm::enumerate(op.getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(
        constrain(returned, op.getOutShardingsAttr(), index));
  op.erase();
}

/// The value whose annotation speaks for the edge that `value` is on: loop
/// carries use that of the loop's result.
static Value getEdgeOwner(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<FunctionOpInterface>(parent) ||
      argument.getArgNumber() >= parent->getNumResults())
    return value;
  return parent->getResult(argument.getArgNumber());
}

void SdyImporter::foldEdge(sdy::DataFlowEdgeOp op) {
  Value input = op.getInput();
  if (sdy::ShardingAttr sharding = op.getShardingAttr())
    (void)spmd::setSharding(getEdgeOwner(input),
                            attributes.convert(sharding, input.getType()));
  replaceByOperand(op);
}

static spmd::PropagationDirection
convertDirection(sdy::PropagationDirection d) {
  switch (d) {
  case sdy::PropagationDirection::NONE:
    return spmd::PropagationDirection::None;
  case sdy::PropagationDirection::FORWARD:
    return spmd::PropagationDirection::Forward;
  case sdy::PropagationDirection::BACKWARD:
    return spmd::PropagationDirection::Backward;
  case sdy::PropagationDirection::BOTH:
    return spmd::PropagationDirection::Both;
  }
  return spmd::PropagationDirection::Both;
}

LogicalResult SdyImporter::convertOp(Operation *op) {
  OpBuilder builder(op);
  if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
    replaceByLayoutOp<spmd::ConstraintOp>(op, constraint.getSharding());
  } else if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
    replaceByLayoutOp<spmd::ReshardOp>(op, reshard.getSharding());
  } else if (auto collective =
                 op->getAttrOfType<sdy::ShardingAttr>("out_sharding")) {
    if (auto reduce = dyn_cast<sdy::AllReduceOp>(op))
      declarePartial(reduce);
    replaceByLayoutOp<spmd::ReshardOp>(op, collective);
  } else if (auto group = dyn_cast<sdy::ShardingGroupOp>(op)) {
    if (!isInOpBody(op))
      carryAttributes(op, spmd::GroupOp::create(builder, op->getLoc(),
                                                group.getInput(),
                                                group.getGroupIdAttr()));
    op->erase();
  } else if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(op)) {
    auto converted = spmd::PropagationBarrierOp::create(
        builder, op->getLoc(), barrier.getType(), barrier.getInput(),
        spmd::PropagationDirectionAttr::get(
            op->getContext(), convertDirection(barrier.getAllowedDirection())));
    carryAttributes(op, converted);
    barrier.replaceAllUsesWith(converted.getResult());
    op->erase();
  } else if (auto constant = dyn_cast<sdy::ConstantOp>(op)) {
    auto converted = stablehlo::ConstantOp::create(
        builder, op->getLoc(), constant.getType(), constant.getValue());
    carryAttributes(op, converted);
    constant.replaceAllUsesWith(converted.getOutput());
    op->erase();
  } else if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
    convertManual(manual);
  } else if (auto named = dyn_cast<sdy::NamedComputationOp>(op)) {
    inlineNamed(named);
  } else if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op)) {
    foldEdge(edge);
  } else if (isa<sdy::FuncDataFlowEdgeOp>(op)) {
    replaceByOperand(op);
  } else if (!isa<sdy::ReturnOp>(op)) {
    // A return goes with the region that it ends.
    return spmd::failWithFix(op->emitOpError() << "cannot be imported",
                             "write the value's layout as "
                             "sdy.sharding_constraint or sdy.reshard");
  }
  return success();
}

namespace {
struct ImportSdy : impl::ImportSdyPassBase<ImportSdy> {
  void runOnOperation() override {
    if (failed(SdyImporter(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
