// What lies between @SPMDFullToShardShape and @SPMDShardToFullShape calls of a
// block becomes one spmd.manual per connected piece. A piece is found backwards
// from the calls that leave it: all ops that they need up to the calls that
// enter it. Constants may serve several pieces and are copied into each.
#include "ShardingCalls.h"
#include "dialects/SPMD/AxisVerification.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace partita {

namespace {

/// The ops of one block that one leaving call (or effect) needs.
struct Slice {
  Operation *root;
  llvm::SetVector<Operation *> body;
  llvm::SetVector<Operation *> entries; // @SPMDFullToShardShape
  llvm::SetVector<Value> captured;
  /// Reads what leaves another region and does not enter this one: that region
  /// is nested in this one.
  bool hasNested = false;
};

/// What becomes one spmd.manual.
struct RegionPlan {
  llvm::SetVector<Operation *> entries, exits;
  llvm::SetVector<Value> captured;
  SmallVector<Operation *> body; // in the order of the block
  /// Operands, and the values that stand for them among the ops of the body.
  SmallVector<Value> inputs, inside;
  SmallVector<Type> resultTypes;
  SmallVector<Attribute> inShardings, outShardings;
};

class RegionFormer {
public:
  RegionFormer(Block &block, MeshSynthesis &meshes, MhloShardings &shardings)
      : block(block), meshes(meshes), shardings(shardings) {}
  LogicalResult run();

private:
  Slice computeSlice(Operation *root);
  std::vector<Slice> computeSlices();
  FailureOr<bool> formNext();
  bool dependsOnEntry(Operation *op);
  LogicalResult form(ArrayRef<Slice *> slices);
  FailureOr<spmd::ShardingAttr>
  getCrossing(Operation *call, stablehlo::CustomCallOp layout, Type type);
  LogicalResult collectInputs(RegionPlan &region);
  LogicalResult collectResults(RegionPlan &region);
  FailureOr<Operation *> findPosition(const RegionPlan &region);
  void build(const RegionPlan &region, Operation *position);
  LogicalResult findAxes(ArrayRef<Operation *> entries,
                         ArrayRef<Operation *> exits);
  void eraseIfUnused(Operation *op);

  /// Sharding of the whole value that enters or leaves by `call`, and the
  /// value.
  const MhloSharding &getFullSide(Operation *call);
  const MhloSharding &getShardSide(Operation *call);
  Operation *getLayoutCall(Operation *call);

  Block &block;
  MeshSynthesis &meshes;
  MhloShardings &shardings;
  llvm::SmallPtrSet<Operation *, 16> dependent;
  FlatSymbolRefAttr mesh;
  SmallVector<spmd::AxisRefAttr> manualAxes;
};

} // namespace

/// Values that `op` and its regions use and that are defined in `block` or
/// outside of it.
static SmallVector<Value> getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::SetVector<Value> above;
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, above);
  llvm::append_range(values, above);
  return values;
}

/// The op of `block` that defines `value`; null if it comes from outside.
static Operation *getDefInBlock(Value value, Block &block) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block ? op : nullptr;
}

Slice RegionFormer::computeSlice(Operation *root) {
  Slice slice;
  slice.root = root;
  SmallVector<Operation *> worklist = {root};
  if (!isShardToFullCall(root))
    slice.body.insert(root);
  while (!worklist.empty()) {
    for (Value value : getUsedValues(worklist.pop_back_val())) {
      Operation *op = getDefInBlock(value, block);
      if (op && isShardToFullCall(op))
        slice.hasNested = true;
      else if (!op)
        slice.captured.insert(value);
      else if (isFullToShardCall(op))
        slice.entries.insert(op);
      else if (slice.body.insert(op))
        worklist.push_back(op);
    }
  }
  return slice;
}

/// The @Sharding call that states the layout of the operand of `call`.
Operation *RegionFormer::getLayoutCall(Operation *call) {
  Operation *op = call->getOperand(0).getDefiningOp();
  return op && isShardingCall(op) && shardings.contains(op) ? op : nullptr;
}

const MhloSharding &RegionFormer::getFullSide(Operation *call) {
  Operation *layout = isFullToShardCall(call) ? getLayoutCall(call) : call;
  return shardings.find(layout)->second;
}

const MhloSharding &RegionFormer::getShardSide(Operation *call) {
  Operation *layout = isShardToFullCall(call) ? getLayoutCall(call) : call;
  return shardings.find(layout)->second;
}

/// Sets the mesh of the region and the axes that become manual in it: those
/// manual inside but not outside.
LogicalResult RegionFormer::findAxes(ArrayRef<Operation *> entries,
                                     ArrayRef<Operation *> exits) {
  SmallVector<Operation *> calls(entries);
  llvm::append_range(calls, exits);
  mesh = {};
  for (Operation *call : calls) {
    if (!getLayoutCall(call))
      return spmd::failWithFix(
          call->emitOpError() << "its operand is not the result of @Sharding",
          "state the layout of the value by a @Sharding call before it");
    for (const MhloSharding *side : {&getFullSide(call), &getShardSide(call)}) {
      FlatSymbolRefAttr name = meshes.getMeshName(*side);
      if (mesh && name && mesh != name)
        return spmd::failWithFix(
            call->emitOpError() << "is on another mesh than the rest of its "
                                << "manual region: " << meshes.getMesh(name)
                                << " against " << meshes.getMesh(mesh),
            "use one mesh in one region");
      if (name)
        mesh = name;
    }
  }
  if (!mesh)
    mesh = meshes.getMainMesh();
  bool isFirst = true;
  for (Operation *call : calls) {
    SmallVector<spmd::AxisRefAttr> inside =
        meshes.getManualAxes(getShardSide(call), mesh);
    SmallVector<spmd::AxisRefAttr> outside =
        meshes.getManualAxes(getFullSide(call), mesh);
    llvm::erase_if(
        inside, [&](auto axis) { return llvm::is_contained(outside, axis); });
    if (isFirst)
      manualAxes = inside;
    else if (manualAxes != inside)
      return spmd::failWithFix(
          call->emitOpError()
              << "has manual axes "
              << spmd::AxisListAttr::get(call->getContext(), inside).str()
              << ", but others of the region have "
              << spmd::AxisListAttr::get(call->getContext(), manualAxes).str(),
          "use the same manual axes for all values of a region");
    isFirst = false;
  }
  // In the order of the mesh.
  spmd::MeshAttr attribute = meshes.getMesh(mesh);
  llvm::sort(manualAxes, [&](auto a, auto b) {
    return std::pair(attribute.getAxisIndex(a.getName()), a.getPreSize()) <
           std::pair(attribute.getAxisIndex(b.getName()), b.getPreSize());
  });
  return success();
}

/// Erases `op` if nothing uses it; its clone in the region does the work.
void RegionFormer::eraseIfUnused(Operation *op) {
  if (!op->use_empty())
    return;
  shardings.erase(op);
  op->walk([&](Operation *inner) { shardings.erase(inner); });
  op->erase();
}

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

/// Sharding of a whole value that crosses the border of the region by `call`,
/// on the region's mesh. `layout` is the call with the unspecified dimensions.
FailureOr<spmd::ShardingAttr>
RegionFormer::getCrossing(Operation *call, stablehlo::CustomCallOp layout,
                          Type type) {
  spmd::ShardingAttr sharding =
      meshes.convert(getFullSide(call), getRank(type), getOpenDims(layout));
  if (!sharding)
    return spmd::failWithFix(call->emitOpError()
                                 << "crosses the border of a manual region "
                                    "without a layout",
                             "state devices or replicated");
  return spmd::ShardingAttr::get(
      call->getContext(), mesh, sharding.getDims(), sharding.getReplicated(),
      sharding.getUnreduced(), sharding.getReductionKind());
}

LogicalResult RegionFormer::collectInputs(RegionPlan &region) {
  for (Operation *entry : region.entries) {
    auto layout = cast<stablehlo::CustomCallOp>(getLayoutCall(entry));
    Value input = layout.getInputs()[0];
    FailureOr<spmd::ShardingAttr> sharding =
        getCrossing(entry, layout, input.getType());
    if (failed(sharding))
      return failure();
    region.inputs.push_back(input);
    region.inShardings.push_back(*sharding);
    region.inside.push_back(entry->getResult(0));
  }
  for (Value value : region.captured) {
    region.inputs.push_back(value);
    region.inShardings.push_back(spmd::ShardingAttr::getReplicated(
        value.getContext(), mesh.getValue(), getRank(value.getType()),
        /*isClosed=*/true));
    region.inside.push_back(value);
  }
  return success();
}

LogicalResult RegionFormer::collectResults(RegionPlan &region) {
  for (Operation *exit : region.exits) {
    Type type = exit->getResult(0).getType();
    FailureOr<spmd::ShardingAttr> sharding =
        getCrossing(exit, cast<stablehlo::CustomCallOp>(exit), type);
    if (failed(sharding))
      return failure();
    region.resultTypes.push_back(type);
    region.outShardings.push_back(*sharding);
  }
  return success();
}

/// The op before which the region stands: the first call that leaves it. All
/// inputs must be there by then.
FailureOr<Operation *> RegionFormer::findPosition(const RegionPlan &region) {
  Operation *position =
      region.exits.empty() ? region.body.back() : region.exits.front();
  for (Operation *exit : region.exits)
    if (exit->isBeforeInBlock(position))
      position = exit;
  for (Value input : region.inputs)
    if (Operation *def = getDefInBlock(input, block))
      if (!def->isBeforeInBlock(position))
        return spmd::failWithFix(
            position->emitOpError()
                << "leaves a manual region before all of its inputs are there",
            "move the inputs of the region before its first result");
  return position;
}

/// Makes the region and copies the ops into it.
void RegionFormer::build(const RegionPlan &region, Operation *position) {
  OpBuilder builder(position);
  MLIRContext *context = position->getContext();
  auto manual = spmd::ManualOp::create(
      builder, position->getLoc(), region.resultTypes, region.inputs,
      ArrayAttr::get(context, region.inShardings),
      ArrayAttr::get(context, region.outShardings),
      spmd::AxisListAttr::get(context, manualAxes));
  Block *inner = builder.createBlock(&manual.getBody());
  IRMapping mapping;
  for (Value value : region.inside)
    mapping.map(value, inner->addArgument(value.getType(), value.getLoc()));
  builder.setInsertionPointToEnd(inner);
  for (Operation *op : region.body) {
    Operation *clone = builder.clone(*op, mapping);
    // Copies keep the parsed form of their strings.
    SmallVector<Operation *> olds, news;
    op->walk([&](Operation *o) { olds.push_back(o); });
    clone->walk([&](Operation *o) { news.push_back(o); });
    for (auto [o, n] : llvm::zip(olds, news))
      if (auto found = shardings.find(o); found != shardings.end()) {
        MhloSharding copy = found->second;
        shardings[n] = std::move(copy);
      }
  }
  SmallVector<Value> returned;
  for (Operation *exit : region.exits)
    returned.push_back(mapping.lookupOrDefault(exit->getOperand(0)));
  spmd::ReturnOp::create(builder, position->getLoc(), returned);
  for (auto [exit, result] : llvm::zip(region.exits, manual.getResults()))
    exit->getResult(0).replaceAllUsesWith(result);
}

LogicalResult RegionFormer::form(ArrayRef<Slice *> slices) {
  RegionPlan region;
  llvm::SetVector<Operation *> body;
  for (Slice *slice : slices) {
    region.entries.insert_range(slice->entries);
    region.captured.insert_range(slice->captured);
    body.insert_range(slice->body);
    if (isShardToFullCall(slice->root))
      region.exits.insert(slice->root);
  }
  region.body = body.takeVector();
  llvm::sort(region.body,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (failed(
          findAxes(region.entries.getArrayRef(), region.exits.getArrayRef())) ||
      failed(collectInputs(region)) || failed(collectResults(region)))
    return failure();
  FailureOr<Operation *> position = findPosition(region);
  if (failed(position))
    return failure();
  build(region, *position);

  for (Operation *exit : region.exits)
    eraseIfUnused(exit);
  for (Operation *op : llvm::reverse(region.body))
    eraseIfUnused(op);
  for (Operation *entry : region.entries) {
    Operation *layout = getLayoutCall(entry);
    eraseIfUnused(entry);
    eraseIfUnused(layout);
  }
  return success();
}

/// Whether `op` may be copied into several regions: pure, and computed from
/// constants of the block alone.
static bool isConstantLike(Operation *op, Block &block,
                           DenseMap<Operation *, bool> &known) {
  if (auto found = known.find(op); found != known.end())
    return found->second;
  bool result = op->getNumRegions() == 0 && isPure(op) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  Operation *def = getDefInBlock(operand, block);
                  return def && isConstantLike(def, block, known);
                });
  known[op] = result;
  return result;
}

/// Slices of all calls that leave a region, and of effects in regions.
std::vector<Slice> RegionFormer::computeSlices() {
  std::vector<Slice> slices;
  dependent.clear();
  for (Operation &op : block) {
    if (isShardToFullCall(&op)) {
      slices.push_back(computeSlice(&op));
      continue;
    }
    if (isFullToShardCall(&op))
      continue;
    bool reads = llvm::any_of(getUsedValues(&op), [&](Value value) {
      Operation *def = getDefInBlock(value, block);
      return def && (isFullToShardCall(def) || dependent.contains(def));
    });
    if (!reads)
      continue;
    dependent.insert(&op);
    bool isEffect = !isMemoryEffectFree(&op) && op.use_empty() &&
                    !op.hasTrait<OpTrait::IsTerminator>();
    if (isEffect)
      slices.push_back(computeSlice(&op));
  }
  return slices;
}

/// Forms the first region that has no unformed one nested in it; false when
/// there is none left.
FailureOr<bool> RegionFormer::formNext() {
  std::vector<Slice> slices = computeSlices();
  if (slices.empty())
    return false;
  // Slices that share more than constants are one region.
  llvm::EquivalenceClasses<size_t> classes;
  DenseMap<Operation *, bool> constants;
  DenseMap<Operation *, size_t> firstSlice;
  for (auto [index, slice] : llvm::enumerate(slices)) {
    classes.insert(index);
    auto join = [&, number = index](Operation *op) {
      auto [entry, isNew] = firstSlice.try_emplace(op, number);
      if (!isNew)
        classes.unionSets(entry->second, number);
    };
    for (Operation *op : slice.entries)
      join(op);
    for (Operation *op : slice.body)
      if (!isConstantLike(op, block, constants))
        join(op);
  }
  std::map<size_t, SmallVector<Slice *>> groups;
  for (auto [index, slice] : llvm::enumerate(slices))
    groups[classes.getLeaderValue(index)].push_back(&slice);
  for (auto &[leader, members] : groups) {
    if (llvm::any_of(members, [](Slice *slice) { return slice->hasNested; }))
      continue;
    if (failed(form(members)))
      return failure();
    return true;
  }
  Operation *root = slices.front().root;
  return spmd::failWithFix(
      root->emitOpError() << "leaves a manual region that needs what comes "
                             "out of it",
      "compute the inputs of a region before it");
}

LogicalResult RegionFormer::run() {
  while (true) {
    FailureOr<bool> formed = formNext();
    if (failed(formed))
      return failure();
    if (!*formed)
      break;
  }
  // What entered and was never used.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    bool isLeftOver =
        isFullToShardCall(&op) || (dependent.contains(&op) && isPure(&op) &&
                                   !op.hasTrait<OpTrait::IsTerminator>());
    if (isLeftOver)
      eraseIfUnused(&op);
  }
  for (Operation &op : block)
    if (isFullToShardCall(&op))
      return spmd::failWithFix(
          op.emitOpError() << "enters a manual region that nothing leaves",
          "end the region with @SPMDShardToFullShape");
  return success();
}

LogicalResult formManualRegions(ModuleOp module, MeshSynthesis &meshes,
                                MhloShardings &shardings) {
  // Inner blocks first: an op of a region may hold a region of its own.
  SmallVector<Block *> blocks;
  module.walk<WalkOrder::PostOrder>([&](Block *block) {
    if (llvm::any_of(*block, [](Operation &op) {
          return isFullToShardCall(&op) || isShardToFullCall(&op);
        }))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    if (failed(RegionFormer(*block, meshes, shardings).run()))
      return failure();
  return success();
}

} // namespace partita
