//===- CollectiveOps.td - communication between processes -----------------===//
//
// Collectives have value semantics and no memory effect: one program runs on
// all processes, so removing a dead one or merging equal ones is sound. They
// are not speculatable. Point-to-point ops and feeds have effects.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_COLLECTIVEOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_COLLECTIVEOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

class StableHLO_GroupOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [StableHLO_CollectiveOp]> {
  let hasVerifier = 1;
  string groups = [{
    /// The groups as rows of device ids, or null when mesh axes name them.
    ::mlir::DenseIntElementsAttr getDenseReplicaGroups() {
      return ::llvm::dyn_cast<::mlir::DenseIntElementsAttr>(getReplicaGroups());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def StableHLO_AllGatherOp : StableHLO_GroupOp<"all_gather", [NoMemoryEffect]> {
  let summary = "the shards of a group, concatenated";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$all_gather_dim,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let extraClassDeclaration = groups;
}

def StableHLO_AllReduceOp : StableHLO_GroupOp<"all_reduce", [
    RecursiveMemoryEffects, SingleBlock, InferTypeOpAdaptor]> {
  let summary = "the values of a group, folded by a body";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let extraClassDeclaration = groups # compatibleTypes;
}

def StableHLO_ReduceScatterOp : StableHLO_GroupOp<"reduce_scatter", [
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "the values of a group folded, each process keeping one part";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$scatter_dimension,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
  let extraClassDeclaration = groups;
}

def StableHLO_AllToAllOp : StableHLO_GroupOp<"all_to_all", [
    NoMemoryEffect, InferTypeOpAdaptor]> {
  let summary = "parts of one dimension sent to the group, and concatenated along another";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$split_dimension,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$concat_dimension,
    ConfinedAttr<I64Attr, [IntPositive]>:$split_count,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let extraClassDeclaration = groups # compatibleTypes;
}

def StableHLO_CollectiveBroadcastOp : StableHLO_GroupOp<"collective_broadcast", [
    NoMemoryEffect, InferTypeOpAdaptor]> {
  let summary = "the values of one process of each group";
  let description = [{
    The root is the first process of the group; with `has_dynamic_root`, the last
    operand names one per value, as an index into the group.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let extraClassDeclaration = groups # compatibleTypes;
}

def StableHLO_CollectiveReduceOp : StableHLO_GroupOp<"collective_reduce", [
    RecursiveMemoryEffects, SingleBlock, InferTypeOpAdaptor]> {
  let summary = "the values of a group folded on its root, zeros elsewhere";
  let description = [{
    The root is the first process of the group; with `has_dynamic_root`, the last
    operand names one per value, as an index into the group.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids,
    UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let extraClassDeclaration = groups # compatibleTypes;
}

def StableHLO_CollectivePermuteOp : StableHLO_InferredOp<"collective_permute", [
    NoMemoryEffect, StableHLO_CollectiveOp]> {
  let summary = "the value of the process that sends here, or zeros";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    I64ElementsAttr:$source_target_pairs,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_CrossReplicaSumOp : StableHLO_InferredOp<"cross-replica-sum", [
    NoMemoryEffect, StableHLO_CollectiveOp]> {
  let summary = "sum over each group of replicas";
  let arguments = (ins
    StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_Tensor:$result);
}

class StableHLO_ProcessIdOp<string mnemonic>
    : StableHLO_InferredOp<mnemonic, [Pure]> {
  let results = (outs StableHLO_UI32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def StableHLO_PartitionIdOp : StableHLO_ProcessIdOp<"partition_id"> {
  let summary = "partition number of this process";
}
def StableHLO_ReplicaIdOp : StableHLO_ProcessIdOp<"replica_id"> {
  let summary = "replica number of this process";
}

//===----------------------------------------------------------------------===//
// Point to point, and feeds
//===----------------------------------------------------------------------===//

class StableHLO_Channel<string name>
    : Resource<"::partita::stablehlo::" # name # "Resource"> {}
def StableHLO_SendChannel : StableHLO_Channel<"Send">;
def StableHLO_RecvChannel : StableHLO_Channel<"Recv">;
def StableHLO_InfeedChannel : StableHLO_Channel<"Infeed">;
def StableHLO_OutfeedChannel : StableHLO_Channel<"Outfeed">;

class StableHLO_Effects<Resource resource>
    : MemoryEffects<[MemRead<resource>, MemWrite<resource>]>;

def StableHLO_SendOp : StableHLO_InferredOp<"send", [
    StableHLO_Effects<StableHLO_SendChannel>]> {
  let summary = "sends tensors over a channel";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_TokenValue:$token,
    StableHLO_ChannelHandle:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_TokenValue:$result);
}
def StableHLO_RecvOp : StableHLO_Op<"recv", [
    StableHLO_Effects<StableHLO_RecvChannel>]> {
  let summary = "receives tensors from a channel";
  let arguments = (ins
    StableHLO_TokenValue:$token,
    StableHLO_ChannelHandle:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
}
def StableHLO_InfeedOp : StableHLO_Op<"infeed", [
    StableHLO_Effects<StableHLO_InfeedChannel>]> {
  let summary = "reads tensors from the infeed";
  let arguments = (ins
    StableHLO_TokenValue:$token,
    DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
    OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
}
def StableHLO_OutfeedOp : StableHLO_InferredOp<"outfeed", [
    StableHLO_Effects<StableHLO_OutfeedChannel>]> {
  let summary = "writes tensors to the outfeed";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_TokenValue:$token,
    DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs StableHLO_TokenValue:$result);
}

#endif // PARTITA_DIALECTS_STABLEHLO_COLLECTIVEOPS_TD
