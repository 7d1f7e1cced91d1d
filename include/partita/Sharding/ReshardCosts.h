// Reshard plans and prices between shardings, as attributes: one planner per
// mesh of a module, made anew when a sharding cuts an axis in a way not seen
// before.
#ifndef PARTITA_SHARDING_RESHARDCOSTS_H
#define PARTITA_SHARDING_RESHARDCOSTS_H

#include "partita/Sharding/SPMDConversion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace partita {

/// Width of one element in bits: complex counts twice, i1 is a byte.
unsigned getElementBits(mlir::Type elementType);

/// A plan and the atoms that its steps are written in.
struct PlannedReshard {
  const ReshardPlan *plan;
  const AxisAtoms *atoms;
  mlir::FlatSymbolRefAttr meshName;
};

class ReshardCosts {
public:
  /// Planners for the meshes of `module`. An unknown machine or objective is an
  /// error at the module.
  static mlir::FailureOr<ReshardCosts> get(mlir::ModuleOp module,
                                           llvm::StringRef machine,
                                           llvm::StringRef objective);

  spmd::MeshAttr getMesh(mlir::FlatSymbolRefAttr name) const;

  /// The axes along which values at `op` differ by the user's own doing: those
  /// of the manual regions around it, through the call of its function. Null:
  /// none.
  spmd::AxisListAttr getManualAxes(mlir::Operation *op) const;

  /// Plan for a whole value of `type`; no step uses the axes of `manualAxes`,
  /// not even to hold parts for a while. Fails, without a diagnostic, where the
  /// shardings use axes of two meshes. Valid until the next call.
  mlir::FailureOr<PlannedReshard> plan(spmd::ShardingAttr from,
                                       spmd::ShardingAttr to,
                                       mlir::RankedTensorType type,
                                       spmd::AxisListAttr manualAxes = {});

  /// Seconds or bytes, by objective; infinite where there is no plan.
  double getReshardCost(spmd::ShardingAttr from, spmd::ShardingAttr to,
                        mlir::RankedTensorType type,
                        spmd::AxisListAttr manualAxes = {});
  /// Cost, by objective, of what an op fetches of an operand of `type` laid out
  /// as `from`: block i along the axes of `to` reads `intervals`. Zero where
  /// each device holds what it reads.
  double getFetchCost(spmd::ShardingAttr from, spmd::ShardingAttr to,
                      mlir::RankedTensorType type,
                      llvm::ArrayRef<spmd::BlockInterval> intervals,
                      spmd::AxisListAttr manualAxes = {});
  /// Cost, by objective, of gathering `bytes` of each device along `axes`.
  double getGatherCost(llvm::ArrayRef<spmd::AxisRefAttr> axes,
                       spmd::MeshAttr mesh, double bytes) const;
  /// Counts costs in `objective`; plans stay those of the given one.
  void setCounted(Objective objective) { counted = objective; }
  Objective getCounted() const { return counted; }
  /// Under `time`, counts the bytes of a reshard as if links had one part in
  /// `share` of their bandwidth, and `extra` times what they take on the
  /// machine's link, whatever the kind of collective: then plans that send less
  /// win in the end, though links be slower for some kinds.
  void setLinkShare(double share, double extra = 0) {
    linkWeight = share - 1;
    byteWeight = extra / model.getMachine().linkBandwidth;
  }
  /// Seconds of one launch with one hop.
  double getLaunchSeconds() const {
    return model.getMachine().launchOverhead + model.getMachine().linkLatency;
  }
  /// Bytes of one device's buffer.
  double getLocalBytes(spmd::ShardingAttr sharding,
                       mlir::RankedTensorType type) const;
  /// Cost of an op's work on one device; only breaks ties under `bytes`.
  double getComputeCost(double flops, double bytes) const;

private:
  explicit ReshardCosts(CostModel given)
      : model(std::move(given)), counted(model.getObjective()) {}

  struct MeshPlanner {
    spmd::MeshAttr mesh;
    llvm::SmallVector<spmd::ShardingAttr> seen;
    std::unique_ptr<ReshardPlanner> planner;
    /// On the atoms of `planner`; null where those can't say the sharding.
    llvm::DenseMap<mlir::Attribute, std::unique_ptr<Layout>> layouts;

    const Layout *getLayout(spmd::ShardingAttr sharding);
    /// False if no atoms can say both.
    bool makePlanner(spmd::ShardingAttr from, spmd::ShardingAttr to,
                     const CostModel &model);
  };

  /// Infinite where there is no plan.
  const ReshardPlanner::Price &price(spmd::ShardingAttr from,
                                     spmd::ShardingAttr to,
                                     mlir::RankedTensorType type,
                                     spmd::AxisListAttr manualAxes);
  /// The planner of a mesh and the layouts of both shardings on it.
  struct OnMesh {
    MeshPlanner *entry = nullptr;
    const Layout *from = nullptr, *to = nullptr;
  };
  std::optional<OnMesh> findPlanner(spmd::ShardingAttr from,
                                    spmd::ShardingAttr to,
                                    mlir::RankedTensorType type,
                                    spmd::AxisListAttr manualAxes);
  /// Of a CollectiveCost or a price of the planner.
  template <typename Cost> double getByObjective(const Cost &cost) const {
    return counted == Objective::Bytes
               ? cost.sentBytes
               : cost.seconds + linkWeight * cost.linkSeconds +
                     byteWeight * cost.sentBytes;
  }

  void findManualCallees(mlir::ModuleOp module);

  llvm::MapVector<mlir::Attribute, spmd::MeshAttr> meshes;
  /// By mesh name and manual axes (null: none).
  std::map<std::pair<const void *, const void *>, MeshPlanner> planners;
  /// Manual axes around the call of a function.
  llvm::DenseMap<mlir::StringAttr, spmd::AxisListAttr> manualCallees;
  /// Costs of reshards by the shardings, the type and the manual axes.
  using ReshardKey = std::pair<std::pair<const void *, const void *>,
                               std::pair<const void *, const void *>>;
  llvm::DenseMap<ReshardKey, ReshardPlanner::Price> reshardCosts;
  double linkWeight = 0, byteWeight = 0;
  CostModel model;
  Objective counted;
};

} // namespace partita

#endif
