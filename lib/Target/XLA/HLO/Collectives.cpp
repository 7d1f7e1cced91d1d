// Collectives of the per-device program. Their groups name partition ids.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::hlo {

static std::string
getChannel(std::optional<stablehlo::ChannelHandleAttr> channel) {
  return channel && channel->getHandle() > 0
             ? ", channel_id=" + std::to_string(channel->getHandle())
             : "";
}

/// Channel, groups and, where the op has it, the meaning of their ids.
template <typename Op>
static std::string getGroupAttributes(ComputationWriter &writer, Op op) {
  std::string text =
      getChannel(op.getChannelHandle()) + ", replica_groups=" +
      getReplicaGroups(op.getReplicaGroups(), writer.getModule().getModule());
  if constexpr (requires { op.getUseGlobalDeviceIds(); })
    if (op.getUseGlobalDeviceIds())
      text += ", use_global_device_ids=true";
  return text;
}

/// HLO exchanges blocks in place along the split dimension; to concatenate them
/// along another one they are moved there.
static void writeAllToAll(ComputationWriter &writer, stablehlo::AllToAllOp op) {
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension();
  int64_t count = op.getSplitCount();
  std::string attributes =
      getGroupAttributes(writer, op) + ", dimensions=" + getList({split});
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    auto type = cast<RankedTensorType>(operand.getType());
    std::string value = writer.add(getShape(type), "all-to-all",
                                   {writer.get(operand)}, attributes);
    if (split != concat) {
      SmallVector<int64_t> shape(type.getShape()), moved, permutation;
      shape[split] /= count;
      shape.insert(shape.begin() + split, count);
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (dim == concat)
          permutation.push_back(split);
        permutation.push_back(dim < split ? dim : dim + 1);
      }
      for (int64_t dim : permutation)
        moved.push_back(shape[dim]);
      value = writer.add(getShape(type.clone(shape)), "reshape", {value});
      value = writer.add(getShape(type.clone(moved)), "transpose", {value},
                         ", dimensions=" + getList(permutation));
      value = writer.add(getShape(result.getType()), "reshape", {value});
    }
    writer.bind(result, value);
  }
}

static void writePermute(ComputationWriter &writer,
                         stablehlo::CollectivePermuteOp op) {
  SmallVector<std::string> pairs;
  std::optional<int64_t> source;
  for (const APInt &value : op.getSourceTargetPairs().getValues<APInt>()) {
    if (!source) {
      source = value.getSExtValue();
      continue;
    }
    pairs.push_back(getList({*source, value.getSExtValue()}));
    source.reset();
  }
  writer.addOp(op, "collective-permute",
               getChannel(op.getChannelHandle()) + ", source_target_pairs={" +
                   llvm::join(pairs, ",") + "}");
}

template <typename Op>
static Written writeReducing(ComputationWriter &writer, Op op, StringRef opcode,
                             const std::string &attributes) {
  FailureOr<std::string> body =
      writer.getModule().addBody(op.getComputation(), "combine");
  if (failed(body))
    return failure();
  writer.addOp(op, opcode,
               getGroupAttributes(writer, op) + attributes +
                   ", to_apply=" + *body);
  return true;
}

Written writeCollective(ComputationWriter &writer, Operation *op) {
  return TypeSwitch<Operation *, Written>(op)
      .Case([&](stablehlo::AllGatherOp gather) {
        int64_t dimension = gather.getAllGatherDim();
        writer.addOp(op, "all-gather",
                     getGroupAttributes(writer, gather) +
                         ", dimensions=" + getList({dimension}));
        return true;
      })
      .Case([&](stablehlo::AllReduceOp reduce) {
        return writeReducing(writer, reduce, "all-reduce", "");
      })
      .Case([&](stablehlo::ReduceScatterOp scatter) {
        int64_t dimension = scatter.getScatterDimension();
        return writeReducing(writer, scatter, "reduce-scatter",
                             ", dimensions=" + getList({dimension}));
      })
      .Case([&](stablehlo::AllToAllOp move) {
        writeAllToAll(writer, move);
        return true;
      })
      .Case([&](stablehlo::CollectiveBroadcastOp broadcast) {
        writer.addOp(op, "collective-broadcast",
                     getGroupAttributes(writer, broadcast));
        return true;
      })
      .Case([&](stablehlo::CollectivePermuteOp permute) {
        writePermute(writer, permute);
        return true;
      })
      .Case([&](stablehlo::CustomCallOp call) -> Written {
        // As JAX spells it; HLO has an op of its own.
        auto config =
            dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr());
        Attribute groups = config ? config.get("replica_groups") : Attribute();
        if (call.getCallTargetName() != "ragged_all_to_all" || !groups)
          return false;
        auto channel = config.getAs<IntegerAttr>("channel_id");
        writer.addOp(
            op, "ragged-all-to-all",
            (channel ? ", channel_id=" + std::to_string(channel.getInt())
                     : "") +
                ", replica_groups=" +
                getReplicaGroups(groups, writer.getModule().getModule()));
        return true;
      })
      .Case<stablehlo::PartitionIdOp>([&](auto) {
        writer.addOp(op, "partition-id");
        return true;
      })
      .Case<stablehlo::ReplicaIdOp>([&](auto) {
        writer.addOp(op, "replica-id");
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace partita::hlo
