// spmd-import-mhlo-shardings: sharding strings and the older custom calls
// become spmd. Before: strings in `mhlo.sharding`. After: none is left, nor any
// of the calls @Sharding, @SPMDFullToShardShape and @SPMDShardToFullShape.
#include "OpBodies.h"
#include "ShardingCalls.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SignatureAttributes.h"
#include "partita/Import/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_IMPORTMHLOSHARDINGSPASS
#include "partita/Import/Passes.h.inc"

static bool isCallTo(Operation *op, StringRef name) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == name &&
         call->getNumOperands() == 1 && call->getNumResults() == 1;
}
bool isShardingCall(Operation *op) { return isCallTo(op, "Sharding"); }
bool isFullToShardCall(Operation *op) {
  return isCallTo(op, "SPMDFullToShardShape");
}
bool isShardToFullCall(Operation *op) {
  return isCallTo(op, "SPMDShardToFullShape");
}

SmallVector<int64_t> getOpenDims(stablehlo::CustomCallOp call) {
  SmallVector<int64_t> dims;
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  if (!config)
    return dims;
  StringRef text = config.getValue();
  size_t start = text.find("unspecified_dims=[");
  if (start == StringRef::npos)
    return dims;
  text = text.substr(start).split('[').second.split(']').first;
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t dim;
    if (!part.trim().getAsInteger(10, dim))
      dims.push_back(dim);
  }
  return dims;
}

namespace {

class MhloImporter {
public:
  explicit MhloImporter(ModuleOp module) : module(module), meshes(module) {}
  LogicalResult run();

private:
  LogicalResult parseAll();
  FailureOr<MhloSharding> parse(Operation *op, Attribute text);
  LogicalResult checkRank(Operation *op, const MhloSharding &sharding,
                          Type type);
  void convertSignature(FunctionOpInterface function);
  void convertResults(Operation *op);
  void convertShardingCall(stablehlo::CustomCallOp call);

  ModuleOp module;
  MeshSynthesis meshes;
  MhloShardings ofOps;
  /// Argument and result strings, by function: arguments first.
  DenseMap<Operation *, std::vector<std::optional<MhloSharding>>> ofSignatures;
};

} // namespace

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

FailureOr<MhloSharding> MhloImporter::parse(Operation *op, Attribute text) {
  auto string = dyn_cast<StringAttr>(text);
  if (!string)
    return spmd::failWithFix(
        op->emitOpError() << "'mhlo.sharding' must be a string, got " << text,
        "write \"{devices=[4,2]<=[8]}\"");
  llvm::Expected<MhloSharding> sharding = parseMhloSharding(string.getValue());
  if (!sharding)
    return spmd::failWithFix(op->emitOpError()
                                 << "'mhlo.sharding': "
                                 << llvm::toString(sharding.takeError()),
                             "write it as \"{devices=[4,2]<=[8]}\", "
                             "\"{replicated}\" or \"{maximal device=0}\"");
  return std::move(*sharding);
}

/// Tile dimensions must be those of the value.
LogicalResult MhloImporter::checkRank(Operation *op,
                                      const MhloSharding &sharding, Type type) {
  if (!sharding.isTiled() || sharding.getRank() == getRank(type))
    return success();
  return spmd::failWithFix(
      op->emitOpError() << "'mhlo.sharding' has " << sharding.getRank()
                        << " tile dimensions, but " << type << " has "
                        << getRank(type),
      "give one tile count per dimension, besides last_tile_dims");
}

LogicalResult MhloImporter::parseAll() {
  WalkResult result = module.walk([&](Operation *op) {
    if (Attribute text = op->getDiscardableAttr(mhloShardingName)) {
      FailureOr<MhloSharding> sharding = parse(op, text);
      if (failed(sharding))
        return WalkResult::interrupt();
      bool isTuple = sharding->kind == MhloSharding::Kind::Tuple;
      if (isTuple && sharding->elements.size() != op->getNumResults() &&
          op->getNumResults() != 1) {
        (void)spmd::failWithFix(
            op->emitOpError()
                << "'mhlo.sharding' has " << sharding->elements.size()
                << " elements for " << op->getNumResults() << " results",
            "write one sharding per result");
        return WalkResult::interrupt();
      }
      for (auto [index, value] : llvm::enumerate(op->getResults()))
        if (failed(checkRank(op,
                             isTuple && index < sharding->elements.size()
                                 ? sharding->elements[index]
                                 : *sharding,
                             value.getType())))
          return WalkResult::interrupt();
      meshes.note(*sharding);
      ofOps[op] = std::move(*sharding);
    }
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return WalkResult::advance();
    auto &list = ofSignatures[op];
    auto read = [&](Attribute text, Type type) -> LogicalResult {
      list.push_back(std::nullopt);
      if (!text)
        return success();
      FailureOr<MhloSharding> sharding = parse(op, text);
      if (failed(sharding) || failed(checkRank(op, *sharding, type)))
        return failure();
      meshes.note(*sharding);
      list.back() = std::move(*sharding);
      return success();
    };
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(read(function.getArgAttr(index, mhloShardingName), type)))
        return WalkResult::interrupt();
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(read(function.getResultAttr(index, mhloShardingName), type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void MhloImporter::convertSignature(FunctionOpInterface function) {
  auto &list = ofSignatures[function];
  size_t entry = 0;
  auto convert = [&](NamedAttrList &attributes, Type type) {
    auto &sharding = list[entry++];
    attributes.erase(mhloShardingName);
    if (sharding && isa<RankedTensorType>(type))
      attributes.set(spmd::SPMDDialect::getShardingAttrName(),
                     meshes.convert(*sharding, getRank(type)));
  };
  spmd::changeSignatureAttributes(function, convert);
}

/// Shardings stated on any other op than the calls.
void MhloImporter::convertResults(Operation *op) {
  const MhloSharding &sharding = ofOps.find(op)->second;
  op->removeDiscardableAttr(mhloShardingName);
  if (isInOpBody(op))
    return;
  bool isTuple = sharding.kind == MhloSharding::Kind::Tuple;
  SmallVector<Attribute> list;
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    const MhloSharding *own = &sharding;
    if (isTuple)
      own = index < sharding.elements.size() ? &sharding.elements[index]
                                             : nullptr;
    spmd::ShardingAttr converted =
        own ? meshes.convert(*own, getRank(type)) : spmd::ShardingAttr();
    if (!converted)
      // An open sharding without axes says nothing.
      converted = spmd::ShardingAttr::getReplicated(
          op->getContext(), meshes.getMainMesh().getValue(), getRank(type),
          /*isClosed=*/false);
    list.push_back(converted);
  }
  if (list.empty() && sharding.kind == MhloSharding::Kind::Maximal)
    list.push_back(meshes.convert(sharding, 0));
  if (!list.empty() && sharding.kind != MhloSharding::Kind::Manual)
    op->setDiscardableAttr(spmd::SPMDDialect::getShardingsAttrName(),
                           ArrayAttr::get(op->getContext(), list));
}

void MhloImporter::convertShardingCall(stablehlo::CustomCallOp call) {
  const MhloSharding &sharding = ofOps.find(call)->second;
  Value input = call.getInputs()[0];
  Value result = input;
  OpBuilder builder(call);
  bool isArray = isa<RankedTensorType>(input.getType()) && !isInOpBody(call);
  if (isArray && sharding.group)
    spmd::GroupOp::create(builder, call.getLoc(), input,
                          builder.getI64IntegerAttr(*sharding.group));
  spmd::ShardingAttr layout =
      isArray ? meshes.convert(sharding, getRank(input.getType()),
                               getOpenDims(call))
              : spmd::ShardingAttr();
  // One whose dimensions are all open and without axes asks for nothing.
  bool asksNothing = layout && !layout.hasShardedDim() &&
                     layout.getUnreduced().empty() &&
                     llvm::none_of(layout.getDims(),
                                   [](spmd::DimShardingAttr dim) {
                                     return dim.getIsClosed();
                                   }) &&
                     layout.getRank() > 0;
  if (layout && !asksNothing) {
    auto constraint = spmd::ConstraintOp::create(
        builder, call.getLoc(), input.getType(), input, layout);
    for (NamedAttribute attribute : call->getDiscardableAttrs())
      if (attribute.getName() != mhloShardingName)
        constraint->setDiscardableAttr(attribute.getName(),
                                       attribute.getValue());
    result = constraint.getResult();
  }
  call->getResult(0).replaceAllUsesWith(result);
  call.erase();
}

LogicalResult MhloImporter::run() {
  if (failed(parseAll()))
    return failure();
  bool hasCalls = false;
  bool hasStrings = !ofOps.empty();
  for (auto &[function, list] : ofSignatures)
    hasStrings |= llvm::any_of(list, [](auto &s) { return s.has_value(); });
  WalkResult result = module.walk([&](stablehlo::CustomCallOp call) {
    if (!isShardingCall(call) && !isFullToShardCall(call) &&
        !isShardToFullCall(call))
      return WalkResult::advance();
    hasCalls = true;
    if (ofOps.contains(call))
      return WalkResult::advance();
    (void)spmd::failWithFix(call.emitOpError()
                                << "@" << call.getCallTargetName()
                                << " has no 'mhlo.sharding'",
                            "add it, or remove the call");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  if (!hasCalls && !hasStrings)
    return success();

  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  meshes.createMeshes(partitions ? partitions.getInt() : 0);
  for (auto &[function, list] : ofSignatures)
    convertSignature(cast<FunctionOpInterface>(function));
  if (failed(formManualRegions(module, meshes, ofOps)))
    return failure();
  SmallVector<Operation *> annotated;
  module.walk([&](Operation *op) {
    if (ofOps.contains(op))
      annotated.push_back(op);
  });
  for (Operation *op : annotated)
    if (isShardingCall(op))
      convertShardingCall(cast<stablehlo::CustomCallOp>(op));
    else
      convertResults(op);
  return success();
}

namespace {
struct ImportMhloShardings
    : impl::ImportMhloShardingsPassBase<ImportMhloShardings> {
  void runOnOperation() override {
    if (failed(MhloImporter(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
