// Rewrites of permutes.

#include "CollectiveSimplifier.h"

using namespace mlir;

namespace partita {

using spmd::AxisListAttr;

/// Groups above this are not looked at pair by pair.
static constexpr int64_t largestGroup = 4096;

bool CollectiveSimplifier::dropIdentity(spmd::PermuteOp op) {
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!mesh || op.getAxes().getSize(mesh) > largestGroup)
    return false;
  auto pairs = op.getPairList(mesh);
  if (int64_t(pairs.size()) != op.getAxes().getSize(mesh) ||
      llvm::any_of(pairs, [](auto pair) { return pair.first != pair.second; }))
    return false;
  remark::passed(op.getLoc(), getRemarkOptions("Simplified"))
      << remark::reason("a permute that moves nothing is dropped");
  ++counts.permutesMerged;
  replace(op, op.getInputs());
  return true;
}

/// `second` after `first`, over the same axes, as one map.
static spmd::PermuteOp compose(OpBuilder &b, spmd::PermuteOp first,
                               spmd::PermuteOp second, spmd::MeshAttr mesh) {
  auto make = [&](AxisListAttr axes, DenseI64ArrayAttr pairs,
                  AxisListAttr target, DenseI64ArrayAttr shift) {
    return spmd::PermuteOp::create(b, second.getLoc(), second.getResultTypes(),
                                   first.getInputs(), second.getMeshAttr(),
                                   axes, pairs, target, shift,
                                   shift ? b.getUnitAttr() : UnitAttr());
  };
  if (first.getTargetAxes() && second.getTargetAxes() &&
      first.getTargetAxes() == second.getAxes())
    return make(first.getAxes(), {}, *second.getTargetAxes(), {});
  if (first.getAxes() != second.getAxes() ||
      first.getAxes().getSize(mesh) > largestGroup)
    return {};
  if (first.getWrap() && second.getWrap()) {
    SmallVector<int64_t> shift;
    for (auto [a, c, axis] : llvm::zip(*first.getShift(), *second.getShift(),
                                       first.getAxes().getAxes())) {
      // As short a way as there is.
      int64_t size = axis.getSize(mesh), sum = ((a + c) % size + size) % size;
      shift.push_back(sum > size / 2 ? sum - size : sum);
    }
    return make(first.getAxes(), {}, {}, b.getDenseI64ArrayAttr(shift));
  }
  llvm::DenseMap<int64_t, int64_t> next;
  for (auto [source, target] : second.getPairList(mesh))
    next[source] = target;
  SmallVector<int64_t> pairs;
  for (auto [source, target] : first.getPairList(mesh))
    if (auto it = next.find(target); it != next.end())
      pairs.append({source, it->second});
  return make(first.getAxes(), b.getDenseI64ArrayAttr(pairs), {}, {});
}

bool CollectiveSimplifier::permutePermuted(spmd::PermuteOp op) {
  auto inner =
      getSource<spmd::PermuteOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!inner || !mesh || !inner.getResult(0).hasOneUse())
    return false;
  b.setInsertionPoint(op);
  spmd::PermuteOp both = compose(b, inner, op, mesh);
  if (!both)
    return false;
  if (!isAccepted(op, "one permute for permute of permute",
                  costs.getCost(inner) + costs.getCost(op),
                  costs.getCost(both))) {
    both.erase();
    return false;
  }
  ++counts.permutesMerged;
  replace(op, both.getResults());
  return true;
}

} // namespace partita
