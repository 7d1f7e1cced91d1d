// spmd.manual before partition: the body runs on one virtual device per
// coordinate of the manual axes, on blocks of the inputs; results are put
// together again.
#include "Blocks.h"
#include "Interpreter.h"
#include "Strided.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;
using namespace partita;

namespace {
/// One manual region being run.
struct ManualRun {
  spmd::AxisListAttr manualAxes;
  spmd::MeshAttr mesh;
  World &world;

  bool isManual(spmd::AxisRefAttr axis) const {
    return llvm::any_of(manualAxes.getAxes(), [&](spmd::AxisRefAttr manual) {
      return manual.getName() == axis.getName();
    });
  }
  BlockIndex getBlock(spmd::ShardingAttr sharding, unsigned device) const {
    return getBlockIndex(
        sharding, mesh, world.getCoordinates(mesh, device),
        [&](spmd::AxisRefAttr axis) { return isManual(axis); });
  }
  int64_t getPartialIndex(spmd::ShardingAttr sharding, unsigned device) const {
    SmallVector<spmd::AxisRefAttr> axes;
    for (spmd::AxisRefAttr axis : sharding.getUnreduced())
      if (isManual(axis))
        axes.push_back(axis);
    return getAxesIndex(mesh, axes, world.getCoordinates(mesh, device));
  }
};
} // namespace

/// Blocks of one input for all virtual devices.
static SmallVector<Tensor> splitInput(const ManualRun &run,
                                      spmd::ShardingAttr sharding,
                                      ArrayRef<Tensor> outer,
                                      const Field *field) {
  SmallVector<Tensor> row;
  std::map<std::pair<unsigned, SmallVector<int64_t>>, Tensor> blocks;
  for (unsigned device = 0; device < run.world.getNumDevices(); ++device) {
    unsigned parent = run.world.getParentDevice(device);
    const Tensor &whole = outer[parent];
    if (!whole.getTensorType() || !sharding) {
      row.push_back(whole);
      continue;
    }
    BlockIndex block = run.getBlock(sharding, device);
    Tensor &shared = blocks[{parent, block.index}];
    if (!shared)
      shared = takeBlock(whole, block.shards, block.index, Tensor());
    if (run.getPartialIndex(sharding, device) == 0)
      row.push_back(shared);
    else
      row.push_back(splat(makeNeutral(shared.getElementType(),
                                      sharding.getReductionKind(), field),
                          shared.getShape()));
  }
  return row;
}

/// One result on one device of the world around the region.
static Tensor joinResult(const ManualRun &run, spmd::ShardingAttr sharding,
                         ArrayRef<Tensor> row, unsigned parent, Type type,
                         const Field *field) {
  std::map<std::pair<SmallVector<int64_t>, int64_t>, Tensor> pieces;
  for (unsigned device = 0; device < run.world.getNumDevices(); ++device) {
    if (run.world.getParentDevice(device) != parent)
      continue;
    if (!row[device].getTensorType() || !sharding)
      return row[device];
    BlockIndex block = run.getBlock(sharding, device);
    // Replicas are declared equal; the first one counts.
    pieces.try_emplace({block.index, run.getPartialIndex(sharding, device)},
                       row[device]);
  }
  std::map<SmallVector<int64_t>, Tensor> blocks;
  for (auto &[key, tensor] : pieces) {
    Tensor &sum = blocks[key.first];
    sum =
        sum ? combine(sum, tensor, sharding.getReductionKind(), field) : tensor;
  }
  Tensor whole = Tensor::zeros(cast<RankedTensorType>(type), field != nullptr);
  for (auto &[index, block] : blocks)
    placeBlock(whole, block, index);
  return whole;
}

/// Mesh of a region without operands and results: that of its collectives.
static spmd::MeshAttr findMesh(spmd::ManualOp op) {
  if (FlatSymbolRefAttr name = op.getMeshName())
    return spmd::lookupMesh(op, name);
  spmd::MeshAttr mesh;
  op.getBody().walk([&](spmd::CollectiveOpInterface collective) {
    if (!mesh)
      mesh = spmd::lookupMesh(op, collective.getMeshName());
  });
  return mesh;
}

static spmd::ShardingAttr getEntry(ArrayAttr list, unsigned i) {
  return i < list.size() ? dyn_cast<spmd::ShardingAttr>(list[i])
                         : spmd::ShardingAttr();
}

static LogicalResult evaluateManual(Interpreter &interpreter, Operation *op,
                                    Frame &frame, ArrayRef<unsigned> active) {
  auto manual = cast<spmd::ManualOp>(op);
  spmd::MeshAttr mesh = findMesh(manual);
  if (!mesh && !manual.getManualAxes().empty()) {
    InFlightDiagnostic diag = op->emitError()
                              << "the mesh of the region is not defined";
    diag.attachNote() << "fix: define it with spmd.mesh in the module";
    return failure();
  }
  if (!mesh) // no axis is manual and nothing communicates
    mesh = spmd::MeshAttr::get(op->getContext(), {}, {}, {}, {});
  SmallVector<StringRef> axes;
  for (spmd::AxisRefAttr axis : manual.getManualAxes().getAxes())
    axes.push_back(axis.getName());
  World world(frame.world, active, op, mesh, axes);
  ManualRun run{manual.getManualAxes(), mesh, world};
  Rows arguments, results;
  for (auto [i, row] : llvm::enumerate(getOperandRows(op, frame)))
    arguments.push_back(splitInput(run, getEntry(manual.getInShardings(), i),
                                   row, interpreter.getField()));
  Frame inner(world);
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, world.getNumDevices()));
  if (failed(interpreter.runBlock(manual.getBody().front(), arguments, results,
                                  inner, all)))
    return failure();
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    for (unsigned device : active)
      frame.at(result, device) =
          joinResult(run, getEntry(manual.getOutShardings(), i), results[i],
                     device, result.getType(), interpreter.getField());
  return success();
}

void partita::registerManualKernels(KernelTable &table) {
  table.add("spmd.manual", evaluateManual);
}
