// lax.ragged_all_to_all as an spmd collective over axes.
#include "CollectiveImport.h"
#include "dialects/SPMD/AxisVerification.h"

using namespace mlir;

namespace partita {

/// lax.ragged_all_to_all, which JAX prints as a custom call.
LogicalResult CollectiveImporter::importRagged(stablehlo::CustomCallOp call) {
  auto config = dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr());
  auto groups =
      config ? config.getAs<DenseIntElementsAttr>("replica_groups") : nullptr;
  if (!groups || call->getNumOperands() != 6 || call->getNumResults() != 1)
    return spmd::failWithFix(op->emitOpError()
                                 << "is no ragged_all_to_all as JAX prints it",
                             "give six operands and replica_groups in "
                             "backend_config");
  FailureOr<AxisRefs> axes =
      matchAxes(groups, /*ordered=*/true, /*usesGlobalIds=*/true);
  if (failed(axes))
    return failure();
  ValueRange in = call.getInputs();
  replaceBy(spmd::RaggedAllToAllOp::create(
      builder, op->getLoc(), call->getResult(0).getType(), in[0], in[1], in[2],
      in[3], in[4], in[5], context.meshName, getList(*axes)));
  return success();
}

} // namespace partita
