// Emits the StableHLO form of spmd collectives. Shared by the files of this
// folder; each handles one family.
#ifndef PARTITA_CONVERSION_SPMDTOSTABLEHLO_COLLECTIVECONVERTER_H
#define PARTITA_CONVERSION_SPMDTOSTABLEHLO_COLLECTIVECONVERTER_H

#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Sharding/CollectivePrice.h"

namespace partita {

/// A tensor of rank zero.
mlir::Value emitScalar(mlir::OpBuilder &b, mlir::Location loc, int64_t value,
                       mlir::Type elementType);
/// (value / divisor) % modulus; `extent` bounds the value.
mlir::Value emitDigit(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      int64_t divisor, int64_t modulus, int64_t extent);

/// `value` with zeros behind its end, `high` per dimension.
mlir::Value padBehind(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> high);
/// The type with dimension `dim` scaled by multiplier / divisor.
mlir::RankedTensorType scaleDim(mlir::Type type, int64_t dim,
                                int64_t multiplier, int64_t divisor);
/// Devices of a group over `axes`.
int64_t getGroupSize(llvm::ArrayRef<spmd::AxisRefAttr> axes,
                     spmd::MeshAttr mesh);

class CollectiveConverter {
public:
  using AxisRefs = llvm::ArrayRef<spmd::AxisRefAttr>;
  using MeshName = mlir::FlatSymbolRefAttr;

  /// With `axisGroups` replica groups name mesh axes instead of listing ids.
  /// With `expandBroadcasts` broadcasts become reductions. With `prices`
  /// they choose between forms of a collective.
  CollectiveConverter(mlir::ModuleOp module, bool axisGroups,
                      bool expandBroadcasts, std::optional<CostModel> prices)
      : module(module), b(module.getContext()), axisGroups(axisGroups),
        expandBroadcasts(expandBroadcasts), prices(std::move(prices)) {}

  /// Replaces `op`, an spmd op of the per-device program.
  mlir::LogicalResult convert(mlir::Operation *op);

  int64_t numCollectives = 0, numRounds = 0;

private:
  struct BlockGrid;

  // Groups.cpp
  spmd::MeshAttr getMesh(MeshName name);
  /// Groups along `axes` of the mesh called `name`: device ids, a row per
  /// group; members numbered over the axes, rotated so that member `first`
  /// leads.
  mlir::Attribute makeGroups(MeshName name, AxisRefs axes, int64_t first = 0);
  /// Members of every group: positions of the mesh by [group][member].
  llvm::SmallVector<llvm::SmallVector<int64_t>>
  getGroupPositions(spmd::MeshAttr mesh, AxisRefs axes);
  stablehlo::ChannelHandleAttr makeChannel();
  /// tensor<i32>: index of this device over `axes`.
  mlir::Value emitAxisIndex(spmd::MeshAttr mesh, AxisRefs axes);
  /// tensor<ui32>, whose divisions are cheaper: position of this device in the
  /// mesh.
  mlir::Value emitPosition(spmd::MeshAttr mesh);

  // Scalars.
  mlir::Value constant(int64_t value);
  mlir::Value zeroOf(mlir::Type elementType);
  mlir::Value multiply(mlir::Value value, int64_t factor);
  /// tensor<i1>: whether `index`, a tensor<i32>, is `number`.
  mlir::Value isEqual(mlir::Value index, int64_t number);
  void fillReducer(mlir::Region &region, mlir::Type elementType,
                   spmd::ReductionKind kind);

  // Collectives.cpp
  mlir::Value gather(mlir::Value value, int64_t dim, MeshName mesh,
                     AxisRefs axes);
  /// True if `launches` more of a collective cost less than a copy of `copied`
  /// in another order, which one collective over several dimensions needs.
  bool isCopyDear(CollectiveKind kind, int64_t launches,
                  mlir::Type copied) const;
  mlir::Value groupedGather(mlir::Value value, MeshName mesh,
                            mlir::ArrayAttr axesPerDim);
  mlir::Value allReduce(mlir::Value value, MeshName mesh, AxisRefs axes,
                        spmd::ReductionKind kind);
  mlir::Value reduceScatter(mlir::Value value, int64_t dim, MeshName mesh,
                            AxisRefs axes, spmd::ReductionKind kind);
  mlir::Value groupedReduceScatter(mlir::Value value, MeshName mesh,
                                   mlir::ArrayAttr axesPerDim,
                                   spmd::ReductionKind kind);
  mlir::Value slice(mlir::Value value, mlir::RankedTensorType result,
                    spmd::MeshAttr mesh, mlir::ArrayAttr axesPerDim);
  /// The devices of all groups over `axes` that `memberPairs` names by their
  /// numbers in a group.
  llvm::SmallVector<std::pair<int64_t, int64_t>>
  getDevicePairs(spmd::MeshAttr mesh, AxisRefs axes,
                 llvm::ArrayRef<std::pair<int64_t, int64_t>> memberPairs);
  mlir::Value permute(mlir::Value value,
                      llvm::ArrayRef<std::pair<int64_t, int64_t>> devicePairs);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// `input` after a collective that treats each of its values alike.
  mlir::Value convertValue(mlir::Operation *op, mlir::Value input);
  /// Replaces the results of all other ops.
  mlir::LogicalResult convertWhole(mlir::Operation *op);
  mlir::LogicalResult convertPermute(spmd::PermuteOp op);
  mlir::Value broadcast(mlir::Value value, spmd::BroadcastOp op);
  mlir::LogicalResult convertToUnreduced(spmd::ToUnreducedOp op);
  void convertRagged(spmd::RaggedAllToAllOp op);
  mlir::LogicalResult convertStart(spmd::StartOp op);

  // AllToAll.cpp
  /// Part i along `dim` of each device goes to member i of its group.
  mlir::Value exchangeParts(mlir::Value value, int64_t dim, MeshName mesh,
                            AxisRefs axes);
  mlir::Value allToAll(mlir::Value value, MeshName mesh, AxisRefs axes,
                       int64_t split, int64_t concat);
  /// An all_to_all over axes of two devices: each sends one of its two blocks.
  mlir::Value swapBlocks(mlir::Value value, MeshName mesh, AxisRefs axes,
                         int64_t split, int64_t concat);
  mlir::Value groupedAllToAll(mlir::Value value, MeshName mesh,
                              mlir::ArrayAttr moves);

  // Exchange.cpp
  mlir::LogicalResult convertExchange(spmd::ExchangeOp op);
  mlir::FailureOr<mlir::Value> exchangeOrZero(spmd::ExchangeOp op);

  // HaloExchange.cpp
  mlir::Value emitPositions(mlir::RankedTensorType type, int64_t dim,
                            mlir::Value first);
  mlir::Value clearPadding(spmd::ExchangeOp op, mlir::Value input, int64_t dim);
  mlir::Value exchangeHalo(spmd::ExchangeOp op);
  mlir::Value exchangeRows(spmd::ExchangeOp op, mlir::Value input, int64_t dim,
                           bool wraps);
  mlir::FailureOr<mlir::Value> exchangeAndRepeatEdges(spmd::ExchangeOp op,
                                                      int64_t dim);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  bool axisGroups, expandBroadcasts;
  std::optional<CostModel> prices;
  mlir::Location loc = b.getUnknownLoc();
  int64_t nextChannel = 1;
};

} // namespace partita

#endif
