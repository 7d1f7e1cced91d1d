// spmd-check-signature: arguments and results of public functions divide by
// their shards, as JAX demands. Before and after: the same module.
#include "ValueNames.h"
#include "dialects/SPMD/AxisVerification.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_CHECKSIGNATUREPASS
#include "partita/Import/Passes.h.inc"

/// What to do about a dimension of `size` over axes of the sizes `axes`.
static std::string suggestFix(int64_t size, int64_t shards,
                              ArrayRef<spmd::AxisRefAttr> axes,
                              spmd::MeshAttr mesh) {
  int64_t padded = (size + shards - 1) / shards * shards;
  std::string text = "pad the dimension to " + std::to_string(padded);
  // The longest list of leading axes that divides.
  int64_t count = 1;
  std::string kept;
  for (spmd::AxisRefAttr axis : axes) {
    if (size % (count * axis.getSize(mesh)) != 0)
      break;
    count *= axis.getSize(mesh);
    kept += (kept.empty() ? "" : ", ") + axis.str();
  }
  if (!kept.empty())
    text += ", shard it over {" + kept + "} only";
  return text +
         ", shard another dimension, or allow padding with uneven-io=pad";
}

static LogicalResult checkValue(func::FuncOp function, Location location,
                                const std::string &what, Type type,
                                spmd::ShardingAttr sharding) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!sharding || !tensor)
    return success();
  spmd::MeshAttr mesh = spmd::lookupMesh(function, sharding.getMesh());
  for (auto [index, dim] : llvm::enumerate(sharding.getDims())) {
    int64_t size = tensor.getDimSize(index);
    int64_t shards = dim.getShardCount(mesh);
    if (ShapedType::isDynamic(size) || size % shards == 0)
      continue;
    return spmd::failWithFix(
        emitError(location)
            << what << ": dimension " << index << " of size " << size
            << " does not divide into " << shards << " shards along "
            << spmd::AxisListAttr::get(function.getContext(), dim.getAxes())
                   .str()
            << " of mesh " << sharding.getMesh() << "; its type is " << type,
        suggestFix(size, shards, dim.getAxes(), mesh));
  }
  return success();
}

namespace {
struct CheckSignature : impl::CheckSignaturePassBase<CheckSignature> {
  using CheckSignaturePassBase::CheckSignaturePassBase;

  void runOnOperation() override {
    if (unevenIO == UnevenIO::Pad)
      return;
    bool failedOnce = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isPrivate())
        continue;
      StringRef name = spmd::SPMDDialect::getShardingAttrName();
      for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
        Location location = function.isExternal()
                                ? function.getLoc()
                                : function.getArgument(index).getLoc();
        failedOnce |= failed(checkValue(
            function, location, describeArgument(function, index), type,
            function.getArgAttrOfType<spmd::ShardingAttr>(index, name)));
      }
      for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
        failedOnce |= failed(checkValue(
            function, function.getLoc(), describeResult(function, index), type,
            spmd::getResultSharding(function, index)));
    }
    if (failedOnce)
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
