// The layouts in which values enter and leave manual regions.
//
// A region's buffer is the caller's buffer, so both sides must lay the value
// out alike. Inside, the free axes cut the manual shard; outside, manual and
// free axes together cut the whole dimension. The two are the same only where
// the free axes divide the manual shard: 10 rows over y=2 manual and x=6 free
// are blocks of one row from 0 outside, but of one row from 0 or from 5 inside.

#include "DataEdges.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace partita {

/// `sharding` of an operand or result of `manual` without the free axes that do
/// not divide the shard along the manual axes before them.
static spmd::ShardingAttr keepAligned(spmd::ManualOp manual,
                                      spmd::ShardingAttr sharding,
                                      RankedTensorType type,
                                      spmd::MeshAttr mesh) {
  auto isManual = [&](spmd::AxisRefAttr axis) {
    return llvm::any_of(manual.getManualAxes().getAxes(),
                        [&](spmd::AxisRefAttr manualAxis) {
                          return manualAxis.getName() == axis.getName();
                        });
  };
  SmallVector<spmd::DimShardingAttr> dims(sharding.getDims());
  for (auto [size, dim] : llvm::zip_equal(type.getShape(), dims)) {
    ArrayRef<spmd::AxisRefAttr> axes = dim.getAxes();
    int64_t local = size;
    size_t kept = 0;
    while (kept < axes.size() && isManual(axes[kept]))
      local /= axes[kept++].getSize(mesh);
    if (kept == 0)
      continue; // without manual axes both sides see one dimension
    while (kept < axes.size() && local % axes[kept].getSize(mesh) == 0)
      local /= axes[kept++].getSize(mesh);
    dim = spmd::DimShardingAttr::get(dim.getContext(), axes.take_front(kept),
                                     dim.getIsClosed(), dim.getPriority());
  }
  return spmd::ShardingAttr::get(
      sharding.getContext(), sharding.getMesh(), dims, sharding.getReplicated(),
      sharding.getUnreduced(), sharding.getReductionKind());
}

void alignManualEdges(ModuleOp module) {
  module.walk([&](spmd::ManualOp manual) {
    auto align = [&](Value value, Attribute attribute) -> Attribute {
      auto sharding = dyn_cast<spmd::ShardingAttr>(attribute);
      auto type = dyn_cast<RankedTensorType>(value.getType());
      spmd::MeshAttr mesh =
          sharding ? spmd::lookupMesh(manual, sharding.getMesh()) : nullptr;
      return mesh && type ? keepAligned(manual, sharding, type, mesh)
                          : attribute;
    };
    SmallVector<Attribute> in, out;
    for (auto [value, sharding] :
         llvm::zip_equal(manual.getInputs(), manual.getInShardings()))
      in.push_back(align(value, sharding));
    for (auto [value, sharding] :
         llvm::zip_equal(manual.getResults(), manual.getOutShardings()))
      out.push_back(align(value, sharding));
    manual.setInShardingsAttr(ArrayAttr::get(module.getContext(), in));
    manual.setOutShardingsAttr(ArrayAttr::get(module.getContext(), out));
    for (auto [value, sharding] : llvm::zip_equal(manual.getResults(), out))
      spmd::setSharding(value, cast<spmd::ShardingAttr>(sharding));
  });
}

} // namespace partita
