// Inference and verification of collectives and point-to-point ops. Group
// sizes are compared with shapes where groups are listed; when mesh axes name
// them by a symbol, the mesh is not at hand.
#include "dialects/StableHLO/Inference.h"
#include "dialects/StableHLO/ReplicaGroups.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Fails unless `groups` is a matrix in which each process from 0 up occurs
/// once, or, if `allowSubset`, at most once. Only if `allowUneven` may -1 fill
/// up a group smaller than others. Sets `size` to the number of processes of a
/// group if that is known.
static LogicalResult checkGroups(const Reporter &at, Attribute groups,
                                 bool allowUneven, std::optional<int64_t> &size,
                                 bool allowSubset = false) {
  auto rows = dyn_cast<DenseIntElementsAttr>(groups);
  if (!rows) {
    size = getReplicaGroupSize(groups);
    return success();
  }
  ShapedType type = rows.getType();
  if (type.getRank() != 2)
    return at.fail("replica_groups has rank ", type.getRank(),
                   ", expected one row per group");
  llvm::SmallDenseSet<int64_t> seen;
  bool isUniform = true;
  for (int64_t id : rows.getValues<int64_t>()) {
    if (id == -1 && allowUneven) {
      isUniform = false;
      continue;
    }
    if (id < 0)
      return at.fail("replica_groups holds a negative process ", id);
    if (!seen.insert(id).second)
      return at.fail("replica_groups holds process ", id, " twice");
  }
  for (int64_t id = 0, e = allowSubset ? 0 : seen.size(); id < e; ++id)
    if (!seen.contains(id))
      return at.fail("replica_groups lists ", e, " processes, but not process ",
                     id);
  if (type.getNumElements() > 0 && isUniform)
    size = type.getDimSize(1);
  return success();
}

/// Fails unless ids that count replicas and partitions together come with
/// listed groups and a channel.
static LogicalResult checkGlobalIds(const Reporter &at, bool useGlobalIds,
                                    Attribute groups,
                                    std::optional<ChannelHandleAttr> channel) {
  if (!useGlobalIds)
    return success();
  auto rows = dyn_cast<DenseIntElementsAttr>(groups);
  if (rows && rows.getType().getNumElements() == 0)
    return at.fail("has use_global_device_ids, but lists no group");
  if (channel && channel->getHandle() <= 0)
    return at.fail("has use_global_device_ids, so that its channel must be "
                   "positive, not ",
                   channel->getHandle());
  return success();
}

/// Fails unless each of `results` has the type of its operand, with the sizes
/// that `makeSizes` gives it.
static LogicalResult checkEachResult(
    const Reporter &at, ValueRange operands, TypeRange results,
    llvm::function_ref<LogicalResult(SmallVectorImpl<int64_t> &)> makeSizes) {
  if (operands.empty())
    return at.fail("needs at least one operand");
  SmallVector<Type> types;
  for (Value operand : operands) {
    SmallVector<int64_t> sizes(tensorOf(operand).getShape());
    if (failed(makeSizes(sizes)))
      return failure();
    types.push_back(
        RankedTensorType::get(sizes, tensorOf(operand).getElementType()));
  }
  return checkResultTypes(at, types, results);
}

/// Whether a row of the groups names replicas, each with all of its partitions:
/// then the size of a group is not known here.
static bool spansPartitions(bool useGlobalIds,
                            std::optional<ChannelHandleAttr> channel) {
  return !useGlobalIds && channel && channel->getHandle() > 0;
}

LogicalResult AllGatherOp::verify() {
  Reporter at(*this);
  std::optional<int64_t> group;
  if (failed(
          checkGroups(at, getReplicaGroups(), /*allowUneven=*/false, group)) ||
      failed(checkGlobalIds(at, getUseGlobalDeviceIds(), getReplicaGroups(),
                            getChannelHandle())))
    return failure();
  if (spansPartitions(getUseGlobalDeviceIds(), getChannelHandle()))
    group = std::nullopt;
  int64_t dim = getAllGatherDim();
  auto makeSizes = [&](SmallVectorImpl<int64_t> &sizes) -> LogicalResult {
    if (failed(checkDim(at, "all_gather_dim", dim, sizes.size())))
      return failure();
    bool isKnown = group && !ShapedType::isDynamic(sizes[dim]);
    sizes[dim] = isKnown ? sizes[dim] * *group : ShapedType::kDynamic;
    return success();
  };
  if (failed(checkEachResult(at, getOperands(), getResultTypes(), makeSizes)))
    return failure();
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    int64_t from = tensorOf(operand).getDimSize(dim);
    int64_t to = tensorOf(result).getDimSize(dim);
    if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) &&
        from != 0 && to % from != 0)
      return at.fail("gathers dimension ", dim, " of size ", from, " to size ",
                     to, ", which is no multiple of it");
  }
  return success();
}

/// Appends the types of `values`, each folded by the computation.
static LogicalResult foldEach(const Reporter &at, ValueRange values,
                              RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  if (regions.empty())
    return at.fail("needs a computation");
  for (Value value : values) {
    SmallVector<Type> folded;
    if (failed(checkFoldBody(at, *regions.front(), "the computation",
                             TypeRange(value.getType()), folded)))
      return failure();
    types.push_back(
        RankedTensorType::get(tensorOf(value).getShape(), folded.front()));
  }
  return success();
}

/// The values of a rooted collective: `operands` without the roots, if the last
/// operand holds them.
static FailureOr<ValueRange> checkRoots(const Reporter &at, ValueRange operands,
                                        bool hasDynamicRoot) {
  ValueRange values =
      hasDynamicRoot && !operands.empty() ? operands.drop_back() : operands;
  if (values.empty())
    return at.fail("needs at least one operand");
  if (!hasDynamicRoot)
    return values;
  RankedTensorType roots = tensorOf(operands.back());
  bool isList = roots.getRank() == 1 && roots.getElementType().isInteger(32) &&
                (roots.isDynamicDim(0) ||
                 roots.getDimSize(0) == static_cast<int64_t>(values.size()));
  if (!isList)
    return at.fail("has roots of type ", roots,
                   ", expected one i32 for each of ", values.size(), " values");
  return values;
}

static LogicalResult inferTypes(AllReduceOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  std::optional<int64_t> group;
  if (op.getOperands().empty())
    return at.fail("needs at least one operand");
  if (failed(checkGroups(at, op.getReplicaGroups(), /*allowUneven=*/true,
                         group)) ||
      failed(checkGlobalIds(at, op.getUseGlobalDeviceIds(),
                            op.getReplicaGroups(), op.getChannelHandle())))
    return failure();
  return foldEach(at, op.getOperands(), op.getRegions(), types);
}
PARTITA_INFER_AND_VERIFY(AllReduceOp)

LogicalResult ReduceScatterOp::verify() {
  Reporter at(*this);
  std::optional<int64_t> group;
  SmallVector<Type> folded;
  int64_t dim = getScatterDimension();
  RankedTensorType operand = getOperand().getType();
  if (failed(
          checkGroups(at, getReplicaGroups(), /*allowUneven=*/false, group)) ||
      failed(checkGlobalIds(at, getUseGlobalDeviceIds(), getReplicaGroups(),
                            getChannelHandle())) ||
      failed(checkDim(at, "scatter_dimension", dim, operand.getRank())) ||
      failed(checkFoldBody(at, getComputation(), "the computation",
                           TypeRange(Type(operand)), folded)))
    return failure();
  SmallVector<int64_t> sizes(operand.getShape());
  if (group && !ShapedType::isDynamic(sizes[dim])) {
    if (sizes[dim] % *group != 0)
      return at.fail("scatters dimension ", dim, " of size ", sizes[dim],
                     " over groups of ", *group,
                     " processes, which do not divide it");
    sizes[dim] /= *group;
  } else {
    sizes[dim] = ShapedType::kDynamic;
  }
  return checkResultTypes(
      at, TypeRange(Type(RankedTensorType::get(sizes, folded.front()))),
      getOperation()->getResultTypes());
}

static LogicalResult inferTypes(AllToAllOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  std::optional<int64_t> group;
  if (op.getOperands().empty())
    return at.fail("needs at least one operand");
  if (failed(
          checkGroups(at, op.getReplicaGroups(), /*allowUneven=*/false, group)))
    return failure();
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension();
  int64_t count = op.getSplitCount();
  if (group && *group != count)
    return at.fail("splits into ", count, " parts, but groups have ", *group,
                   " processes");
  for (Value operand : op.getOperands()) {
    SmallVector<int64_t> sizes(tensorOf(operand).getShape());
    if (failed(checkDim(at, "split_dimension", split, sizes.size())) ||
        failed(checkDim(at, "concat_dimension", concat, sizes.size())))
      return failure();
    if (!ShapedType::isDynamic(sizes[split])) {
      if (sizes[split] % count != 0)
        return at.fail("splits dimension ", split, " of size ", sizes[split],
                       " into ", count, " parts, which do not divide it");
      sizes[split] /= count;
    }
    if (!ShapedType::isDynamic(sizes[concat]))
      sizes[concat] *= count;
    types.push_back(
        RankedTensorType::get(sizes, tensorOf(operand).getElementType()));
  }
  return success();
}
PARTITA_INFER_AND_VERIFY(AllToAllOp)

static LogicalResult inferTypes(CollectiveBroadcastOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  std::optional<int64_t> group;
  auto values = checkRoots(at, op.getOperands(), op.getHasDynamicRoot());
  if (failed(values))
    return failure();
  llvm::append_range(types, values->getTypes());
  return checkGroups(at, op.getReplicaGroups(), /*allowUneven=*/true, group,
                     /*allowSubset=*/true);
}
PARTITA_INFER_AND_VERIFY(CollectiveBroadcastOp)

static LogicalResult inferTypes(CollectiveReduceOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  std::optional<int64_t> group;
  auto values = checkRoots(at, op.getOperands(), op.getHasDynamicRoot());
  if (failed(values) ||
      failed(checkGroups(at, op.getReplicaGroups(), /*allowUneven=*/true, group,
                         /*allowSubset=*/true)) ||
      failed(checkGlobalIds(at, op.getUseGlobalDeviceIds(),
                            op.getReplicaGroups(), op.getChannelHandle())))
    return failure();
  return foldEach(at, *values, op.getRegions(), types);
}
PARTITA_INFER_AND_VERIFY(CollectiveReduceOp)

static LogicalResult inferTypes(CrossReplicaSumOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  std::optional<int64_t> group;
  types.push_back(op.getOperand().getType());
  return checkGroups(at, op.getReplicaGroups(), /*allowUneven=*/true, group);
}
PARTITA_INFER_AND_VERIFY(CrossReplicaSumOp)

//===----------------------------------------------------------------------===//
// Permutes and point to point
//===----------------------------------------------------------------------===//

/// Fails unless `pairs` has rows (source, target), and no process sends or
/// receives twice.
static LogicalResult checkPairs(const Reporter &at,
                                DenseIntElementsAttr pairs) {
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return at.fail("source_target_pairs has shape ", type.getShape(),
                   ", expected rows of two");
  llvm::SmallDenseSet<int64_t> sources, targets;
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    bool isSource = index % 2 == 0;
    StringRef role = isSource ? "source" : "target";
    if (id < 0)
      return at.fail("source_target_pairs holds a negative ", role, " ", id);
    if (!(isSource ? sources : targets).insert(id).second)
      return at.fail("source_target_pairs holds ", role, " ", id, " twice");
  }
  return success();
}

static LogicalResult inferTypes(CollectivePermuteOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getOperand().getType());
  return checkPairs(at, op.getSourceTargetPairs());
}
PARTITA_INFER_AND_VERIFY(CollectivePermuteOp)

/// Fails unless the channel's type is one that `isHost` and `isSend` allow:
/// device to device 1, device to host 2, host to device 3.
static LogicalResult checkChannel(const Reporter &at, ChannelHandleAttr channel,
                                  bool isHost, bool isSend) {
  int64_t expected = !isHost ? 1 : isSend ? 2 : 3;
  if (channel.getType() != expected)
    return at.fail(isHost ? "to or from the host" : "between devices",
                   " needs a channel of type ", expected, ", not ",
                   channel.getType());
  return success();
}

/// Fails unless the last of `results`, and no other, is a token.
static LogicalResult checkTokenResult(const Reporter &at, TypeRange results) {
  if (results.empty() || !isa<TokenType>(results.back()))
    return at.fail("needs a token as its last result");
  for (auto [index, type] : llvm::enumerate(results.drop_back()))
    if (isa<TokenType>(type))
      return at.fail("has a token as result ", index,
                     ", expected one only at the end");
  return success();
}

static LogicalResult inferTypes(SendOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getToken().getType());
  if (std::optional<DenseIntElementsAttr> pairs = op.getSourceTargetPairs())
    if (failed(checkPairs(at, *pairs)))
      return failure();
  return checkChannel(at, op.getChannelHandle(), op.getIsHostTransfer(),
                      /*isSend=*/true);
}
PARTITA_INFER_AND_VERIFY(SendOp)

LogicalResult RecvOp::verify() {
  Reporter at(*this);
  if (std::optional<DenseIntElementsAttr> pairs = getSourceTargetPairs())
    if (failed(checkPairs(at, *pairs)))
      return failure();
  return success(
      succeeded(checkTokenResult(at, getResultTypes())) &&
      succeeded(checkChannel(at, getChannelHandle(), getIsHostTransfer(),
                             /*isSend=*/false)));
}

LogicalResult InfeedOp::verify() {
  Reporter at(*this);
  if (failed(checkTokenResult(at, getResultTypes())))
    return failure();
  std::optional<ArrayAttr> layouts = getLayout();
  if (!layouts)
    return success();
  for (auto [index, attr] : llvm::enumerate(*layouts)) {
    auto layout = dyn_cast<ArrayAttr>(attr);
    if (!layout || !llvm::all_of(layout, llvm::IsaPred<IntegerAttr>))
      return at.fail("has layout ", index, " of ", attr,
                     ", expected a list of dimensions");
  }
  return checkCount(at, "layout", layouts->size(), getNumResults() - 1,
                    "tensor results");
}

static LogicalResult inferTypes(OutfeedOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getToken().getType());
  return success();
}
PARTITA_INFER_AND_VERIFY(OutfeedOp)

//===----------------------------------------------------------------------===//
// Process numbers
//===----------------------------------------------------------------------===//

static Type getProcessIdType(MLIRContext *context) {
  return RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>, Adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(getProcessIdType(context));
  return success();
}
LogicalResult PartitionIdOp::verify() {
  return checkResultTypes(Reporter(*this),
                          TypeRange(getProcessIdType(getContext())),
                          getOperation()->getResultTypes());
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>, Adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(getProcessIdType(context));
  return success();
}
LogicalResult ReplicaIdOp::verify() {
  return checkResultTypes(Reporter(*this),
                          TypeRange(getProcessIdType(getContext())),
                          getOperation()->getResultTypes());
}

} // namespace partita::stablehlo
