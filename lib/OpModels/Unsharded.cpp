// Ops that no partition has: those that import writes as others (what is left
// of them could not be written so), and those that talk to the host. Each is
// refused where it stands, with the reason.

#include "Families.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

/// Why an op is left, and what to do.
struct Refusal {
  const char *family;
  const char *reason;
  const char *fix;
};

constexpr Refusal kDynamic{
    "Dynamic expanded",
    "has sizes that no constant or type says, so it can't be sharded",
    "lower the program for fixed shapes"};
constexpr Refusal kNotation{
    "Notation expanded",
    "is left after import: its operands do not fit the notation, or their "
    "sizes are unknown",
    "name each dimension of an operand once, and give all types fixed shapes"};
constexpr Refusal kTuple{"Tuple expanded",
                         "has a tuple that is not made where it is used",
                         "pass and return the elements as values of their own"};
constexpr Refusal kManualOnly{
    "Collective imported", "names devices, but is outside of any manual region",
    "use it inside jax.shard_map, or describe the layout by shardings"};
constexpr Refusal kHost{
    "Host refused",
    "moves data between the host and the one device of the whole program; each "
    "of the devices would do it",
    "pass the data as arguments and results, or use a callback"};
constexpr Refusal kScan{"Scan expanded",
                        "has sizes that no type says, so it can't be a loop",
                        "lower the program for fixed shapes"};

/// Model of one op that is refused for `refusal`.
template <typename ConcreteOp, const Refusal &refusal>
struct RefusedModel : spmd::ShardableOpInterface::ExternalModel<
                          RefusedModel<ConcreteOp, refusal>, ConcreteOp> {
  FailureOr<spmd::ShardingRule> getShardingRule(Operation *op) const {
    InFlightDiagnostic diagnostic = op->emitOpError() << refusal.reason;
    diagnostic.attachNote() << "fix: " << refusal.fix;
    return failure();
  }
  LogicalResult partition(Operation *op, PartitionBuilder &) const {
    return getShardingRule(op);
  }
  StringRef getOpModelName(Operation *) const { return refusal.family; }
};

template <const Refusal &refusal, typename... Ops>
void refuse(MLIRContext &context) {
  (Ops::template attachInterface<RefusedModel<Ops, refusal>>(context), ...);
}

} // namespace

void attachUnshardedModels(MLIRContext &context) {
  using namespace stablehlo;
  refuse<kDynamic, DynamicBroadcastInDimOp, DynamicConvOp, DynamicGatherOp,
         DynamicIotaOp, DynamicPadOp, DynamicReshapeOp, RealDynamicSliceOp,
         GetDimensionSizeOp, SetDimensionSizeOp>(context);
  refuse<kNotation, EinsumOp, UnaryEinsumOp, TorchIndexSelectOp,
         BatchNormTrainingOp, BatchNormGradOp, CompositeOp>(context);
  refuse<kTuple, TupleOp, GetTupleElementOp>(context);
  refuse<kManualOnly, AllGatherOp, AllReduceOp, AllToAllOp,
         CollectiveBroadcastOp, CollectivePermuteOp, CrossReplicaSumOp,
         ReduceScatterOp, CollectiveReduceOp, AsyncStartOp, AsyncDoneOp>(
      context);
  refuse<kHost, InfeedOp, OutfeedOp, SendOp, RecvOp>(context);
}

void attachUnshardedChloModels(MLIRContext &context) {
  using namespace chlo;
  refuse<kNotation, BroadcastAddOp, BroadcastAndOp, BroadcastAtan2Op,
         BroadcastCompareOp, BroadcastComplexOp, BroadcastDivOp, BroadcastMaxOp,
         BroadcastMinOp, BroadcastMulOp, BroadcastNextAfterOp, BroadcastOrOp,
         BroadcastPolygammaOp, BroadcastPowOp, BroadcastRemOp,
         BroadcastSelectOp, BroadcastShiftLeftOp,
         BroadcastShiftRightArithmeticOp, BroadcastShiftRightLogicalOp,
         BroadcastSubOp, BroadcastXorOp, BroadcastZetaOp>(context);
  refuse<kScan, ScanOp>(context);
}

} // namespace partita
