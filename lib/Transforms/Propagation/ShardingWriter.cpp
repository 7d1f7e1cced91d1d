// Writes a propagated graph back to the module; equal shardings are one
// attribute, made once.
#include "ShardingWriter.h"
#include "llvm/ADT/Hashing.h"
#include <numeric>

using namespace mlir;

namespace partita::propagation {

using spmd::ShardingAttr;

namespace {

/// A sharding before it is an attribute.
struct State {
  int mesh = 0;
  llvm::SmallVector<ListId, 6> dims;
  ListId unreduced = 0;
  ListId replicated = 0;
  spmd::ReductionKind reduction = spmd::ReductionKind::Add;

  bool operator==(const State &o) const {
    return mesh == o.mesh && dims == o.dims && unreduced == o.unreduced &&
           replicated == o.replicated && reduction == o.reduction;
  }
};

class ShardingWriter {
public:
  ShardingWriter(ModuleOp module, ModuleGraph &moduleGraph,
                 ArrayRef<func::FuncOp> entries)
      : module(module), moduleGraph(moduleGraph), graph(moduleGraph.graph),
        entries(entries) {}

  void write();

private:
  void findDefaultMesh();
  void writeFunction(func::FuncOp function);
  void writeManual(spmd::ManualOp manual);
  void writeResults(Operation *op);
  State getState(SlotId slot) const;
  State getDefault(Type type) const;
  /// Cuts `state` back to what divides `type`, but not below `given`.
  void makeDivisible(State &state, Type type, ShardingAttr given);
  void keepWholeAxes(State &state, SlotId slot, ShardingAttr given);
  ListId atLeastGiven(ListId axes, ShardingAttr given, unsigned dim, int mesh);
  ShardingAttr getAttr(const State &state);
  ShardingAttr getManualAttr(const State &inner, ShardingAttr given,
                             spmd::ManualOp manual);
  SmallVector<spmd::AxisRefAttr> getAxisAttrs(ListId list, int mesh) const;

  ModuleOp module;
  ModuleGraph &moduleGraph;
  PropagationGraph &graph;
  ArrayRef<func::FuncOp> entries;
  int defaultMesh = -1;
  DenseMap<uint64_t, SmallVector<std::pair<State, ShardingAttr>, 1>> cache;
  DenseMap<std::pair<int, ListId>, spmd::DimShardingAttr> dimCache;
};

} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The mesh of values that nothing is known of: that of the most values; the
/// first one if no value has any.
void ShardingWriter::findDefaultMesh() {
  std::vector<size_t> counts(graph.meshes.size(), 0);
  for (const Slot &slot : graph.slots)
    if (slot.mesh >= 0 && !graph.meshes[slot.mesh].mesh.isMaximal())
      ++counts[slot.mesh];
  for (int i = 0; i < static_cast<int>(counts.size()); ++i) {
    if (graph.meshes[i].mesh.isMaximal() && counts.size() > 1)
      continue;
    if (defaultMesh < 0 || counts[i] > counts[defaultMesh])
      defaultMesh = i;
  }
  if (defaultMesh < 0)
    defaultMesh = 0;
}

State ShardingWriter::getState(SlotId id) const {
  const Slot &slot = graph.slots[id];
  State state;
  state.mesh = slot.mesh < 0 ? defaultMesh : slot.mesh;
  for (const DimState &dim : graph.getDims(id))
    state.dims.push_back(dim.axes);
  state.unreduced = slot.unreduced;
  state.reduction = slot.reduction;
  return state;
}

State ShardingWriter::getDefault(Type type) const {
  State state;
  state.mesh = defaultMesh;
  auto tensor = dyn_cast<RankedTensorType>(type);
  state.dims.assign(tensor ? tensor.getRank() : 0, 0);
  return state;
}

/// The longest prefix of `axes` whose size divides `size`; the last axis may be
/// a part of one.
static AxisList getDivisiblePrefix(AxisSpan axes, int64_t size) {
  if (size % getTotalSize(axes) == 0)
    return AxisList(axes);
  AxisList result;
  for (const AxisRef &axis : axes) {
    int64_t common = std::gcd<int64_t, int64_t>(axis.size, size);
    if (common == 1)
      break;
    result.push_back({axis.axis, axis.pre, static_cast<int32_t>(common)});
    if (common != axis.size)
      break;
    size /= common;
  }
  return result;
}

/// What the user gave stays as it is: an uneven signature is refused elsewhere,
/// never changed.
ListId ShardingWriter::atLeastGiven(ListId axes, ShardingAttr given,
                                    unsigned dim, int mesh) {
  if (!given || graph.getMesh(given.getMesh()) != mesh ||
      dim >= given.getDims().size())
    return axes;
  ListId kept = graph.internAxes(given.getDims()[dim].getAxes(), mesh);
  return getPrefixStatus(graph.lists.get(axes), graph.lists.get(kept)) ==
                 PrefixStatus::StrictPrefix
             ? kept
             : axes;
}

void ShardingWriter::makeDivisible(State &state, Type type,
                                   ShardingAttr given) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return;
  for (auto [i, axes] : llvm::enumerate(state.dims)) {
    AxisList prefix =
        getDivisiblePrefix(graph.lists.get(axes), tensor.getDimSize(i));
    axes = atLeastGiven(graph.lists.intern(prefix), given, i, state.mesh);
  }
}

/// Callers outside know whole axes only.
void ShardingWriter::keepWholeAxes(State &state, SlotId slot,
                                   ShardingAttr given) {
  spmd::MeshAttr mesh = graph.meshes[state.mesh].mesh;
  for (auto [i, axes] : llvm::enumerate(state.dims)) {
    if (graph.getDims(slot)[i].isClosed)
      continue;
    AxisList whole;
    for (const AxisRef &axis : graph.lists.get(axes)) {
      if (axis.size != mesh.getAxes()[axis.axis].getSize())
        break;
      whole.push_back(axis);
    }
    axes = atLeastGiven(graph.lists.intern(whole), given, i, state.mesh);
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

SmallVector<spmd::AxisRefAttr> ShardingWriter::getAxisAttrs(ListId list,
                                                            int mesh) const {
  SmallVector<spmd::AxisRefAttr> attrs;
  for (const AxisRef &axis : graph.lists.get(list))
    attrs.push_back(graph.getAxisAttr(axis, mesh));
  return attrs;
}

ShardingAttr ShardingWriter::getAttr(const State &state) {
  llvm::hash_code hash = llvm::hash_combine(
      state.mesh, state.unreduced, state.replicated,
      static_cast<int>(state.reduction),
      llvm::hash_combine_range(state.dims.begin(), state.dims.end()));
  auto &bucket = cache[static_cast<uint64_t>(hash) >> 2];
  for (auto &[cached, attr] : bucket)
    if (cached == state)
      return attr;
  MLIRContext *context = module.getContext();
  SmallVector<spmd::DimShardingAttr> dims;
  for (ListId axes : state.dims) {
    spmd::DimShardingAttr &dim = dimCache[{state.mesh, axes}];
    if (!dim)
      dim = spmd::DimShardingAttr::get(context, getAxisAttrs(axes, state.mesh),
                                       /*isClosed=*/true, /*priority=*/-1);
    dims.push_back(dim);
  }
  auto attr = ShardingAttr::get(context, graph.meshes[state.mesh].name, dims,
                                getAxisAttrs(state.replicated, state.mesh),
                                getAxisAttrs(state.unreduced, state.mesh),
                                state.reduction);
  bucket.push_back({state, attr});
  return attr;
}

/// The sharding on the outer side of a manual region: the manual axes as they
/// were written, then the free ones that propagation found.
ShardingAttr ShardingWriter::getManualAttr(const State &state,
                                           ShardingAttr given,
                                           spmd::ManualOp manual) {
  auto isManual = [&](StringRef name) {
    return llvm::any_of(
        manual.getManualAxes().getAxes(),
        [&](spmd::AxisRefAttr axis) { return axis.getName() == name; });
  };
  SmallVector<spmd::DimShardingAttr> dims;
  for (auto [dim, axes] : llvm::zip(given.getDims(), state.dims)) {
    SmallVector<spmd::AxisRefAttr> list;
    for (spmd::AxisRefAttr axis : dim.getAxes())
      if (isManual(axis.getName()))
        list.push_back(axis);
    for (spmd::AxisRefAttr axis : getAxisAttrs(axes, state.mesh))
      if (!isManual(axis.getName()))
        list.push_back(axis);
    dims.push_back(spmd::DimShardingAttr::get(module.getContext(), list,
                                              /*isClosed=*/true,
                                              /*priority=*/-1));
  }
  return ShardingAttr::get(module.getContext(), given.getMesh(), dims,
                           given.getReplicated(), given.getUnreduced(),
                           given.getReductionKind());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static DictionaryAttr withSharding(DictionaryAttr attrs, ShardingAttr sharding,
                                   MLIRContext *context) {
  NamedAttrList list(attrs ? attrs : DictionaryAttr::get(context));
  list.set(spmd::SPMDDialect::getShardingAttrName(), sharding);
  return list.getDictionary(context);
}

void ShardingWriter::writeFunction(func::FuncOp function) {
  bool isEntry = llvm::is_contained(entries, function);
  MLIRContext *context = module.getContext();
  SmallVector<DictionaryAttr> attrs;
  for (BlockArgument argument : function.getArguments()) {
    SlotId slot = moduleGraph.getSlot(argument);
    DictionaryAttr old = function.getArgAttrDict(argument.getArgNumber());
    attrs.push_back(old ? old : DictionaryAttr::get(context));
    if (slot == kNone)
      continue;
    State state = getState(slot);
    ShardingAttr given = spmd::getSharding(argument);
    makeDivisible(state, argument.getType(), given);
    if (isEntry)
      keepWholeAxes(state, slot, given);
    attrs.back() = withSharding(old, getAttr(state), context);
  }
  function.setAllArgAttrs(attrs);
}

void ShardingWriter::writeManual(spmd::ManualOp manual) {
  auto getList = [&](ArrayAttr givenList, ValueRange values) {
    SmallVector<Attribute> list;
    for (auto [given, value] : llvm::zip(givenList, values)) {
      SlotId slot = moduleGraph.getSlot(value);
      if (slot == kNone) {
        list.push_back(given);
        continue;
      }
      State state = getState(slot);
      makeDivisible(state, value.getType(), nullptr);
      list.push_back(getManualAttr(state, cast<ShardingAttr>(given), manual));
    }
    return ArrayAttr::get(module.getContext(), list);
  };
  manual.setInShardingsAttr(getList(manual.getInShardingsAttr(),
                                    manual.getBody().front().getArguments()));
  manual.setOutShardingsAttr(
      getList(manual.getOutShardingsAttr(), manual.getResults()));
}

void ShardingWriter::writeResults(Operation *op) {
  SmallVector<Attribute> shardings;
  bool isCall = isa<func::CallOp>(op);
  for (OpResult value : op->getResults()) {
    SlotId slot = moduleGraph.getSlot(value);
    State state = slot == kNone ? getDefault(value.getType()) : getState(slot);
    if (isCall)
      makeDivisible(state, value.getType(), nullptr);
    shardings.push_back(getAttr(state));
  }
  if (auto reshard = dyn_cast<spmd::ReshardOp>(op))
    reshard.setShardingAttr(cast<ShardingAttr>(shardings.front()));
  op->setDiscardableAttr(spmd::SPMDDialect::getShardingsAttrName(),
                         ArrayAttr::get(module.getContext(), shardings));
}

void ShardingWriter::write() {
  findDefaultMesh();
  DenseMap<Operation *, SmallVector<DictionaryAttr>> resultAttrs;
  for (const FunctionResultSlots &slots : moduleGraph.functionResults) {
    func::FuncOp function = slots.function;
    auto &attrs = resultAttrs[function];
    if (attrs.empty())
      for (unsigned i = 0; i < function.getNumResults(); ++i) {
        DictionaryAttr old = function.getResultAttrDict(i);
        attrs.push_back(old ? old : DictionaryAttr::get(module.getContext()));
      }
    State state = getState(slots.attribute);
    ShardingAttr given = spmd::getResultSharding(function, slots.index);
    makeDivisible(state, function.getResultTypes()[slots.index], given);
    if (slots.isEntry)
      keepWholeAxes(state, slots.attribute, given);
    attrs[slots.index] =
        withSharding(attrs[slots.index], getAttr(state), module.getContext());
  }
  for (Operation *op : moduleGraph.ops) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      writeFunction(function);
      if (auto it = resultAttrs.find(op); it != resultAttrs.end())
        function.setAllResultAttrs(it->second);
    } else if (auto manual = dyn_cast<spmd::ManualOp>(op)) {
      writeManual(manual);
    } else {
      writeResults(op);
    }
  }
}

void writeShardings(ModuleOp module, ModuleGraph &graph,
                    ArrayRef<func::FuncOp> entries) {
  ShardingWriter(module, graph, entries).write();
}

} // namespace partita::propagation
