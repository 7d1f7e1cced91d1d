// Groups of values that are to be sharded alike.
#include "Seeds.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace partita::propagation {

using spmd::GroupOp;
using spmd::ShardingAttr;

/// Checks that `op` may join the group that `first` began.
static LogicalResult checkMember(GroupOp op, GroupOp first) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  auto firstType = cast<RankedTensorType>(first.getInput().getType());
  auto fail = [&](InFlightDiagnostic error) {
    error.attachNote(first.getLoc()) << "another member of the group";
    error.attachNote() << "fix: give the two a group each";
    return failure();
  };
  if (op->getParentOfType<spmd::ManualOp>() !=
      first->getParentOfType<spmd::ManualOp>())
    return fail(op.emitOpError() << "group " << op.getGroupId()
                                 << " crosses the border of a manual region");
  if (type.getShape() != firstType.getShape())
    return fail(op.emitOpError()
                << "group " << op.getGroupId() << " has shape " << type
                << " here and " << firstType << " elsewhere");
  return success();
}

/// The one sharding that members of the group have, null when none has any.
/// `isConflict` is set when they differ; the first is returned then.
static ShardingAttr findCommonSharding(ArrayRef<Value> members,
                                       const CallTree &calls,
                                       const PropagationSeeds &seeds,
                                       bool &isConflict) {
  ShardingAttr common;
  isConflict = false;
  for (Value member : members) {
    ShardingAttr sharding = seeds.get(member, calls);
    if (!sharding)
      continue;
    ShardingAttr open = ShardingAttr::getReplicated(
        sharding.getContext(), sharding.getMesh().getValue(),
        sharding.getRank(), /*isClosed=*/false);
    if (sharding == open && members.size() > 1)
      continue;
    if (common && common != sharding) {
      isConflict = true;
      return common;
    }
    common = sharding;
  }
  return common;
}

static void makeAlike(MutableArrayRef<Value> members, const CallTree &calls,
                      PropagationSeeds &seeds) {
  bool isConflict;
  ShardingAttr common = findCommonSharding(members, calls, seeds, isConflict);
  if (!common)
    return;
  if (!isConflict) {
    for (Value member : members)
      seeds.set(member, common);
    return;
  }
  Operation *first = members.front().getDefiningOp();
  InFlightDiagnostic warning = emitWarning(
      first ? first->getLoc() : members.front().getLoc(),
      "the values of a group have different shardings to begin with; each is "
      "resharded to the one that the group gets");
  warning.attachNote() << "fix: give the values one sharding, or none";
  ShardingAttr open = ShardingAttr::getReplicated(
      common.getContext(), common.getMesh().getValue(), common.getRank(),
      /*isClosed=*/false);
  for (Value &member : members) {
    OpBuilder builder(member.getContext());
    builder.setInsertionPointAfterValue(member);
    auto constraint = spmd::ConstraintOp::create(
        builder, member.getLoc(), member.getType(), member, open);
    member.replaceAllUsesExcept(constraint.getResult(), constraint);
    member = constraint.getResult();
  }
}

/// Group ops in the order in which the program reaches them.
static void findGroupOps(Region &region, const CallTree &calls,
                         SmallVector<GroupOp> &ops) {
  for (Operation &op : region.getOps()) {
    if (auto group = dyn_cast<GroupOp>(&op))
      ops.push_back(group);
    if (auto call = dyn_cast<func::CallOp>(&op))
      if (func::FuncOp callee = calls.getCallee(call))
        findGroupOps(callee.getBody(), calls, ops);
    for (Region &inner : op.getRegions())
      findGroupOps(inner, calls, ops);
  }
}

LogicalResult collectGroups(ModuleOp module, const CallTree &calls,
                            PropagationSeeds &seeds) {
  SmallVector<GroupOp> ops;
  for (func::FuncOp function : calls.getRoots())
    findGroupOps(function.getBody(), calls, ops);
  if (ops.empty())
    return success();

  llvm::EquivalenceClasses<uint64_t> ids;
  DenseMap<uint64_t, GroupOp> firstOfId;
  DenseMap<Value, uint64_t> idOfValue;
  for (GroupOp op : ops) {
    uint64_t id = op.getGroupId();
    auto [first, isNewId] = firstOfId.try_emplace(id, op);
    if (failed(checkMember(op, first->second)))
      return failure();
    ids.insert(id);
    auto [it, isNewValue] =
        idOfValue.try_emplace(getShardingOwner(op.getInput()), id);
    if (!isNewValue)
      ids.unionSets(it->second, id);
  }

  llvm::MapVector<uint64_t, SmallVector<Value, 2>> members;
  DenseSet<Value> seen;
  for (GroupOp op : ops)
    if (seen.insert(getShardingOwner(op.getInput())).second)
      members[ids.getLeaderValue(op.getGroupId())].push_back(op.getInput());
  for (auto &[id, values] : members) {
    makeAlike(values, calls, seeds);
    seeds.groups.push_back(values);
  }
  return success();
}

} // namespace partita::propagation
