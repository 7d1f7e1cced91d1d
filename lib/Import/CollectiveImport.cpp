// StableHLO collectives over replica groups as spmd collectives over axes.
#include "CollectiveImport.h"

#include "dialects/SPMD/AxisVerification.h"
#include "dialects/StableHLO/ZeroElements.h"

using namespace mlir;

namespace partita {

LogicalResult checkAxesAreManual(Operation *op, const ManualContext &context,
                                 ArrayRef<spmd::AxisRefAttr> axes) {
  for (spmd::AxisRefAttr axis : axes) {
    if (context.contains(axis))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "communicates along axis " << axis.str()
                               << " of mesh " << context.meshName
                               << ", which is not manual here";
    error.attachNote(context.region->getLoc())
        << "the manual axes are "
        << spmd::AxisListAttr::get(op->getContext(), context.axes).str();
    return spmd::failWithFix(std::move(error),
                             "name the axis in shard_map's axis_names");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static std::string printGroups(const DeviceGroups &groups) {
  constexpr size_t maxPrinted = 64;
  std::string text = "[";
  size_t count = 0;
  for (const auto &group : groups) {
    text += text.size() > 1 ? ", [" : "[";
    for (auto [index, id] : llvm::enumerate(group)) {
      if (++count > maxPrinted)
        return text + ", ...";
      text += (index ? ", " : "") + std::to_string(id);
    }
    text += "]";
  }
  return text + "]";
}

/// Rows of a dense attribute. No rows, or one empty row: everything together.
static DeviceGroups readGroups(DenseIntElementsAttr attribute,
                               spmd::MeshAttr mesh) {
  DeviceGroups groups;
  ShapedType type = attribute.getType();
  if (type.getRank() != 2 || attribute.empty()) {
    groups.push_back(getDeviceIds(mesh));
    return groups;
  }
  for (auto [index, id] : llvm::enumerate(attribute.getValues<APInt>())) {
    if (index % type.getDimSize(1) == 0)
      groups.emplace_back();
    groups.back().push_back(id.getSExtValue());
  }
  return groups;
}

/// Groups of one replica: what a module without replicas may still write.
static bool isSingleReplica(DenseIntElementsAttr attribute) {
  return attribute.empty() || (attribute.getNumElements() == 1 &&
                               attribute.getValues<APInt>()[0].isZero());
}

FailureOr<AxisRefs>
CollectiveImporter::matchNamedAxes(stablehlo::ReplicaGroupMeshAxesAttr groups) {
  AxisRefs axes;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(groups.getMesh());
  spmd::MeshAttr named =
      symbol ? spmd::lookupMesh(op, symbol) : spmd::MeshAttr();
  if (auto inlined = dyn_cast<stablehlo::MeshAttr>(groups.getMesh())) {
    SmallVector<spmd::MeshAxisAttr> list;
    SmallVector<int64_t> devices;
    for (stablehlo::MeshAxisAttr axis : inlined.getAxes())
      list.push_back(spmd::MeshAxisAttr::get(op->getContext(), axis.getName(),
                                             axis.getSize(), 0.0, 0.0));
    if (DenseIntElementsAttr ids = inlined.getDeviceIds())
      for (APInt id : ids.getValues<APInt>())
        devices.push_back(id.getSExtValue());
    named = devices.empty()
                ? spmd::MeshAttr::get(op->getContext(), list, {}, {}, {})
                : spmd::MeshAttr::getWithOrder(op->getContext(), list, devices);
  }
  if (!named || named != context.mesh)
    return spmd::failWithFix(op->emitOpError()
                                 << "names axes of mesh " << groups.getMesh()
                                 << ", but runs on mesh " << context.meshName,
                             "name axes of the mesh of the manual region");
  for (Attribute attribute : groups.getAxes()) {
    auto axis = dyn_cast<stablehlo::AxisRefAttr>(attribute);
    if (!axis)
      return spmd::failWithFix(op->emitOpError() << "names " << attribute
                                                 << ", which is not an axis",
                               "write #stablehlo.axis_ref<name = \"x\">");
    stablehlo::SubAxisInfoAttr part = axis.getSubAxisInfo();
    axes.push_back(spmd::AxisRefAttr::get(op->getContext(), axis.getName(),
                                          part ? part.getPreSize() : 0,
                                          part ? part.getSize() : 0));
  }
  auto emitError = [&] { return op->emitOpError(); };
  if (failed(spmd::verifyAxes(axes, context.mesh, emitError)))
    return failure();
  return axes;
}

FailureOr<AxisRefs> CollectiveImporter::matchAxes(Attribute groups,
                                                  bool ordered,
                                                  bool usesGlobalIds) {
  FailureOr<AxisRefs> axes = AxisRefs();
  if (auto named = dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(groups)) {
    axes = matchNamedAxes(named);
  } else {
    auto dense = cast<DenseIntElementsAttr>(groups);
    if (!usesGlobalIds) {
      if (isSingleReplica(dense))
        return AxisRefs();
      return spmd::failWithFix(
          op->emitOpError() << "groups replicas, of which there is one, in "
                            << printGroups(readGroups(dense, context.mesh)),
          "lower with jax.shard_map, which numbers partitions");
    }
    DeviceGroups rows = readGroups(dense, context.mesh);
    std::string reason;
    std::optional<AxisRefs> match =
        matchGroups(context.mesh, rows, ordered, reason);
    if (!match) {
      InFlightDiagnostic error =
          op->emitOpError()
          << "replica groups " << printGroups(rows) << " match no axes of mesh "
          << context.meshName << " = " << context.mesh << ": " << reason;
      error.attachNote(context.region->getLoc()) << "in this manual region";
      return spmd::failWithFix(
          std::move(error), "use groups that are the instances of mesh axes "
                            "or sub-axes (drop axis_index_groups, or reshape "
                            "the mesh)");
    }
    axes = std::move(*match);
  }
  if (failed(axes) || failed(checkAxesAreManual(op, context, *axes)))
    return failure();
  return axes;
}

static bool hasChannel(std::optional<stablehlo::ChannelHandleAttr> channel) {
  return channel && *channel && channel->getHandle() > 0;
}

//===----------------------------------------------------------------------===//
// Reduction bodies
//===----------------------------------------------------------------------===//

static std::optional<spmd::ReductionKind> getKindOf(Operation *op) {
  using Kind = spmd::ReductionKind;
  // On booleans StableHLO's sum and maximum are `or`, its product and minimum
  // are `and`.
  bool isBool = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<stablehlo::AddOp>(
          [&](auto) { return isBool ? Kind::Or : Kind::Add; })
      .Case<stablehlo::MulOp>(
          [&](auto) { return isBool ? Kind::And : Kind::Mul; })
      .Case<stablehlo::MaxOp>(
          [&](auto) { return isBool ? Kind::Or : Kind::Max; })
      .Case<stablehlo::MinOp>(
          [&](auto) { return isBool ? Kind::And : Kind::Min; })
      .Case<stablehlo::AndOp>([](auto) { return Kind::And; })
      .Case<stablehlo::OrOp>([](auto) { return Kind::Or; })
      .Case<stablehlo::XorOp>([](auto) { return Kind::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The kind by which a body combines its arguments pairwise: argument i with
/// argument i + half.
FailureOr<spmd::ReductionKind> CollectiveImporter::matchKind(Region &body) {
  Block &block = body.front();
  unsigned half = block.getNumArguments() / 2;
  std::optional<spmd::ReductionKind> kind;
  Operation *terminator = block.getTerminator();
  bool matches = terminator->getNumOperands() == half && half > 0;
  for (unsigned i = 0; matches && i < half; ++i) {
    Operation *combiner = terminator->getOperand(i).getDefiningOp();
    std::optional<spmd::ReductionKind> own;
    if (combiner && combiner->getNumOperands() == 2)
      own = getKindOf(combiner);
    Value first = block.getArgument(i), second = block.getArgument(half + i);
    matches = own && (!kind || *kind == *own) &&
              ((combiner->getOperand(0) == first &&
                combiner->getOperand(1) == second) ||
               (combiner->getOperand(0) == second &&
                combiner->getOperand(1) == first));
    kind = own;
  }
  if (matches)
    return *kind;
  InFlightDiagnostic error =
      op->emitOpError()
      << "combines values by a body that is none of add, mul, "
         "max, min, and, or, xor";
  if (!block.empty())
    error.attachNote(block.front().getLoc()) << "the body begins here";
  return spmd::failWithFix(
      std::move(error), "gather the values (lax.all_gather) and fold them on "
                        "each device");
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

ArrayAttr CollectiveImporter::getPerDim(ArrayRef<spmd::AxisRefAttr> axes,
                                        int64_t dim, int64_t rank) {
  SmallVector<Attribute> lists(rank, getList({}));
  lists[dim] = getList(axes);
  return builder.getArrayAttr(lists);
}

void CollectiveImporter::replaceBy(ValueRange values) {
  op->replaceAllUsesWith(values);
  op->erase();
}

void CollectiveImporter::replaceBy(Operation *other) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    other->setDiscardableAttr(attribute.getName(), attribute.getValue());
  replaceBy(ValueRange(other->getResults()));
}

LogicalResult
CollectiveImporter::importAllReduce(stablehlo::AllReduceOp reduce) {
  FailureOr<AxisRefs> axes =
      matchAxes(reduce.getReplicaGroups(), /*ordered=*/false,
                hasChannel(reduce.getChannelHandle()));
  if (failed(axes))
    return failure();
  if (reduce.getOperandTypes() != reduce.getResultTypes())
    return spmd::failWithFix(op->emitOpError()
                                 << "changes the element type from ("
                                 << reduce.getOperandTypes() << ") to ("
                                 << reduce.getResultTypes() << ")",
                             "convert the operands first");
  if (axes->empty()) {
    replaceBy(reduce.getOperands());
    return success();
  }
  FailureOr<spmd::ReductionKind> kind = matchKind(reduce.getComputation());
  if (failed(kind))
    return failure();
  replaceBy(spmd::AllReduceOp::create(
      builder, op->getLoc(), reduce.getResultTypes(), reduce.getOperands(),
      context.meshName, getList(*axes),
      spmd::ReductionKindAttr::get(op->getContext(), *kind)));
  return success();
}

LogicalResult
CollectiveImporter::importReduceScatter(stablehlo::ReduceScatterOp scatter) {
  FailureOr<AxisRefs> axes =
      matchAxes(scatter.getReplicaGroups(), /*ordered=*/true,
                hasChannel(scatter.getChannelHandle()));
  if (failed(axes))
    return failure();
  if (axes->empty()) {
    replaceBy(ValueRange(scatter.getOperand()));
    return success();
  }
  FailureOr<spmd::ReductionKind> kind = matchKind(scatter.getComputation());
  if (failed(kind))
    return failure();
  int64_t rank = cast<RankedTensorType>(scatter.getType()).getRank();
  replaceBy(spmd::ReduceScatterOp::create(
      builder, op->getLoc(), op->getResultTypes(),
      ValueRange(scatter.getOperand()), context.meshName,
      getPerDim(*axes, scatter.getScatterDimension(), rank),
      spmd::ReductionKindAttr::get(op->getContext(), *kind)));
  return success();
}

LogicalResult
CollectiveImporter::importAllGather(stablehlo::AllGatherOp gather) {
  FailureOr<AxisRefs> axes =
      matchAxes(gather.getReplicaGroups(), /*ordered=*/true,
                hasChannel(gather.getChannelHandle()));
  if (failed(axes))
    return failure();
  if (axes->empty()) {
    replaceBy(gather.getOperands());
    return success();
  }
  int64_t rank = cast<RankedTensorType>(gather.getResultTypes()[0]).getRank();
  replaceBy(spmd::AllGatherOp::create(
      builder, op->getLoc(), gather.getResultTypes(), gather.getOperands(),
      context.meshName, getPerDim(*axes, gather.getAllGatherDim(), rank)));
  return success();
}

/// An exchange that splits and concatenates the same dimension: the pieces get
/// a dimension of their own, which the exchange moves in front.
Value CollectiveImporter::exchangeWithin(Value input, int64_t dim,
                                         int64_t count,
                                         spmd::AxisListAttr axes) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> before(type.getShape()), after;
  int64_t piece = type.getDimSize(dim) / count;
  before[dim] = piece;
  before.insert(before.begin() + dim, {1, count});
  after = before;
  std::swap(after[dim], after[dim + 1]);
  Location loc = op->getLoc();
  Value pieces =
      stablehlo::ReshapeOp::create(builder, loc, type.clone(before), input);
  auto move = spmd::AllToAllParamAttr::get(op->getContext(), axes.getAxes(),
                                           /*source=*/dim, /*target=*/dim + 1);
  auto exchange = spmd::AllToAllOp::create(
      builder, loc, TypeRange(type.clone(after)), ValueRange(pieces),
      context.meshName, builder.getArrayAttr({move}));
  return stablehlo::ReshapeOp::create(builder, loc, type,
                                      exchange->getResult(0));
}

LogicalResult
CollectiveImporter::importAllToAll(stablehlo::AllToAllOp exchange) {
  FailureOr<AxisRefs> axes =
      matchAxes(exchange.getReplicaGroups(), /*ordered=*/true,
                hasChannel(exchange.getChannelHandle()));
  if (failed(axes))
    return failure();
  int64_t size = getList(*axes).getSize(context.mesh);
  int64_t count = exchange.getSplitCount();
  if (count != size)
    return spmd::failWithFix(
        op->emitOpError() << "splits into " << count << " pieces among " << size
                          << " devices (axes " << getList(*axes).str() << ")",
        "make split_count the size of the groups");
  if (axes->empty()) {
    replaceBy(exchange.getOperands());
    return success();
  }
  int64_t split = exchange.getSplitDimension();
  int64_t concat = exchange.getConcatDimension();
  if (split == concat) {
    SmallVector<Value> results;
    for (Value input : exchange.getOperands())
      results.push_back(exchangeWithin(input, split, count, getList(*axes)));
    replaceBy(results);
    return success();
  }
  auto move = spmd::AllToAllParamAttr::get(op->getContext(), *axes,
                                           /*source=*/concat, /*target=*/split);
  replaceBy(spmd::AllToAllOp::create(
      builder, op->getLoc(), exchange.getResultTypes(), exchange.getOperands(),
      context.meshName, builder.getArrayAttr({move})));
  return success();
}

LogicalResult
CollectiveImporter::importPermute(stablehlo::CollectivePermuteOp permute) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  SmallVector<int64_t> ids;
  for (APInt id : permute.getSourceTargetPairs().getValues<APInt>())
    ids.push_back(id.getSExtValue());
  for (size_t i = 0; i + 1 < ids.size(); i += 2)
    pairs.push_back({ids[i], ids[i + 1]});
  if (!hasChannel(permute.getChannelHandle()))
    return spmd::failWithFix(
        op->emitOpError() << "permutes replicas, of which "
                             "there is one",
        "lower with jax.shard_map, which numbers partitions");
  std::string reason;
  std::optional<PermuteMatch> match =
      matchPermute(context.mesh, pairs, context.axes, reason);
  if (!match)
    return spmd::failWithFix(op->emitOpError()
                                 << "source_target_pairs do not fit mesh "
                                 << context.meshName << " = " << context.mesh
                                 << ": " << reason,
                             "list devices of the mesh, each at most once as "
                             "source and once as target");
  if (failed(checkAxesAreManual(op, context, match->axes)))
    return failure();
  Value input = permute.getOperand();
  if (match->axes.empty()) {
    replaceBy(ValueRange(input));
    return success();
  }
  if (pairs.empty()) {
    // Nobody receives anything.
    auto type = cast<RankedTensorType>(input.getType());
    Value zero = stablehlo::ConstantOp::create(
        builder, op->getLoc(), stablehlo::getZeroElements(type));
    replaceBy(ValueRange(zero));
    return success();
  }
  replaceBy(spmd::PermuteOp::create(
      builder, op->getLoc(), op->getResultTypes(), ValueRange(input),
      context.meshName, getList(match->axes),
      match->pairs.empty() ? DenseI64ArrayAttr()
                           : builder.getDenseI64ArrayAttr(match->pairs),
      match->targetAxes.empty() ? spmd::AxisListAttr()
                                : getList(match->targetAxes),
      match->shift.empty() ? DenseI64ArrayAttr()
                           : builder.getDenseI64ArrayAttr(match->shift),
      match->wrap ? builder.getUnitAttr() : UnitAttr()));
  return success();
}

LogicalResult CollectiveImporter::importBroadcast(
    stablehlo::CollectiveBroadcastOp broadcast) {
  if (broadcast.getHasDynamicRoot())
    return spmd::failWithFix(op->emitOpError()
                                 << "has roots that are known at run time only",
                             "put the root first in each group");
  auto dense =
      dyn_cast<DenseIntElementsAttr>(Attribute(broadcast.getReplicaGroups()));
  FailureOr<AxisRefs> axes =
      matchAxes(broadcast.getReplicaGroups(), /*ordered=*/false,
                hasChannel(broadcast.getChannelHandle()));
  if (failed(axes))
    return failure();
  if (axes->empty()) {
    replaceBy(broadcast.getOperands());
    return success();
  }
  // The first member of each group sends; it must have the same index in each.
  int64_t root = 0;
  if (dense) {
    SmallVector<int64_t> order = getDeviceIds(context.mesh);
    bool isFirst = true;
    for (auto &group : readGroups(dense, context.mesh)) {
      int64_t sender = group.front();
      llvm::sort(group, [&](int64_t a, int64_t b) {
        return llvm::find(order, a) < llvm::find(order, b);
      });
      int64_t index = llvm::find(group, sender) - group.begin();
      if (!isFirst && index != root)
        return spmd::failWithFix(op->emitOpError()
                                     << "the senders of the groups have "
                                        "different indices along "
                                     << getList(*axes).str(),
                                 "let devices with the same index send");
      root = index;
      isFirst = false;
    }
  }
  SmallVector<Value> results;
  for (Value value : broadcast.getOperands())
    results.push_back(spmd::BroadcastOp::create(
        builder, op->getLoc(), value.getType(), value, context.meshName,
        getList(*axes), builder.getI64IntegerAttr(root)));
  replaceBy(results);
  return success();
}

LogicalResult CollectiveImporter::run() {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<stablehlo::AllReduceOp>(
          [&](auto typed) { return importAllReduce(typed); })
      .Case<stablehlo::ReduceScatterOp>(
          [&](auto typed) { return importReduceScatter(typed); })
      .Case<stablehlo::AllGatherOp>(
          [&](auto typed) { return importAllGather(typed); })
      .Case<stablehlo::AllToAllOp>(
          [&](auto typed) { return importAllToAll(typed); })
      .Case<stablehlo::CollectivePermuteOp>(
          [&](auto typed) { return importPermute(typed); })
      .Case<stablehlo::CollectiveBroadcastOp>(
          [&](auto typed) { return importBroadcast(typed); })
      .Case<stablehlo::CustomCallOp>(
          [&](auto typed) { return importRagged(typed); })
      .Default([&](Operation *) {
        return spmd::failWithFix(op->emitOpError() << "cannot be imported",
                                 "use stablehlo.all_reduce");
      });
}

} // namespace partita
