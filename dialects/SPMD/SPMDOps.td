// Operations of the spmd dialect: first what stands before partition, then the
// collectives of the per-device program.
#ifndef PARTITA_DIALECTS_SPMD_OPS
#define PARTITA_DIALECTS_SPMD_OPS

include "dialects/SPMD/SPMDAttrs.td"
include "dialects/SPMD/SPMDTypes.td"
include "dialects/SPMD/SPMDInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class SPMD_Op<string mnemonic, list<Trait> traits = []>
    : Op<SPMD_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Before partition
//===----------------------------------------------------------------------===//

def SPMD_MeshOp : SPMD_Op<"mesh", [Symbol]> {
  let summary = "Names a mesh of devices";
  let description = "`spmd.mesh @m = <[\"x\"=4, \"y\"=2]>`";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       SPMD_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

/// An op of one operand whose result has the operand's type.
class SPMD_IdentityOp<string mnemonic, list<Trait> traits = []>
    : SPMD_Op<mnemonic, [SameOperandsAndResultType, NoMemoryEffect] # traits>;

def SPMD_ConstraintOp : SPMD_IdentityOp<"constraint"> {
  let summary = "The user wants this value laid out so (with_sharding_constraint)";
  let arguments = (ins AnyRankedTensor:$input, SPMD_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SPMD_ReshardOp : SPMD_IdentityOp<"reshard"> {
  let summary = "The value moves to another sharding here";
  let arguments = (ins AnyRankedTensor:$input, SPMD_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 0;
}

def SPMD_GroupOp : SPMD_Op<"group"> {
  let summary = "All values of one group id get the same sharding (shard_alike)";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `id` `=` $group_id attr-dict `:` type($input)";
}

def SPMD_PropagationBarrierOp : SPMD_IdentityOp<"propagation_barrier"> {
  let summary = "Shardings pass only in the allowed direction";
  let arguments = (ins AnyRankedTensor:$input,
                       SPMD_PropagationDirectionAttr:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `allowed` `=` custom<Direction>($allowed_direction) attr-dict `:` type($result)";
}

def SPMD_ShiftOp : SPMD_Op<"shift", [Pure, SameOperandsAndResultType]> {
  let summary = "Moves a value along one dimension, round its ends or from its edges";
  let description = [{
    Index j of the result's dimension is index j - by of the input's; an index
    outside is taken modulo the size (`wrap`, jnp.roll) or is the nearest one
    inside (`edge`). A whole-array op, like those of StableHLO:
    `%1 = spmd.shift %0 dim = 0 by = 1 wrap : tensor<8xf32>`.
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim, I64Attr:$by,
                       SPMD_OutsideAttr:$outside);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `dim` `=` $dim `by` `=` $by custom<Outside>($outside) attr-dict `:` type($input)
  }];
  let extraClassDeclaration = [{
    /// The least distance that moves `size` indices as `by` does.
    static int64_t getLeastDistance(int64_t by, int64_t size, Outside outside);
  }];
  let hasVerifier = 1;
}

def SPMD_ManualOp : SPMD_Op<"manual", [
    IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["getEntrySuccessorOperands", "areTypesCompatible"]>]> {
  let summary = "A region whose body is per-device along the manual axes (shard_map)";
  let description = [{
    Operand i enters laid out as `in_shardings[i]` and is seen by the body as
    its shard along the manual axes, which are the major ones of each
    dimension. The remaining (free) axes still propagate inside. Result i leaves
    as `out_shardings[i]`.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs,
                       SPMD_ShardingListAttr:$in_shardings,
                       SPMD_ShardingListAttr:$out_shardings,
                       SPMD_AxisListAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The type that the body sees for a value of `type` laid out as `sharding`.
    static ::mlir::Type getManualType(::mlir::Type type, ShardingAttr sharding,
                                      ::llvm::ArrayRef<AxisRefAttr> manualAxes,
                                      MeshAttr mesh);
    /// The free part of one of the op's shardings: what the body sees.
    ShardingAttr getBodySharding(ShardingAttr sharding);
    /// Mesh of the shardings; null when the op has neither operands nor results.
    ::mlir::FlatSymbolRefAttr getMeshName();
  }];
}

def SPMD_ReturnOp : SPMD_Op<"return", [
    Pure, ReturnLike, Terminator, ParentOneOf<["ManualOp", "StartOp"]>]> {
  let summary = "Ends the body of spmd.manual or spmd.start";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Collectives have value semantics and no memory effect, so CSE and DCE are
/// sound (one program runs on all devices). They do not implement
/// ConditionallySpeculatable and so are not speculatable: moving one under or
/// out of a predicate needs a proof of uniformity.
class SPMD_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : SPMD_Op<mnemonic, [NoMemoryEffect,
        DeclareOpInterfaceMethods<CollectiveOpInterface>] # traits> {
  let hasVerifier = 1;
}

def SPMD_AllGatherOp : SPMD_CollectiveOp<"all_gather"> {
  let summary = "Concatenates the shards along the listed axes of each dimension";
  let description = [{
    Result dimension d is operand dimension d times the size of
    `gather_axes[d]`; block i of it comes from the device whose mixed-radix
    index over those axes is i. All operands have the same rank.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListPerDimAttr:$gather_axes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $inputs custom<AxisLists>($gather_axes) `on` $mesh attr-dict `:` functional-type($inputs, $results)
  }];
}

def SPMD_AllSliceOp : SPMD_CollectiveOp<"all_slice"> {
  let summary = "Keeps the device's own block of each dimension; sends nothing";
  let description = [{
    Result dimension d is ceil(operand dimension d / size of slice_axes[d]);
    where that does not divide, the tail is padded with zeros.
  }];
  let arguments = (ins AnyRankedTensor:$input, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListPerDimAttr:$slice_axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input custom<AxisLists>($slice_axes) `on` $mesh attr-dict `:` functional-type($input, $result)
  }];
}

def SPMD_AllReduceOp : SPMD_CollectiveOp<"all_reduce"> {
  let summary = "Combines the values of all devices along the axes";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListAttr:$axes, SPMD_ReductionKindAttr:$kind);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    custom<Kind>($kind) $inputs custom<AxisList>($axes) `on` $mesh attr-dict `:` functional-type($inputs, $results)
  }];
}

def SPMD_ReduceScatterOp : SPMD_CollectiveOp<"reduce_scatter"> {
  let summary = "Combines along the axes, then keeps the device's own block";
  let description = [{
    Equal to all_reduce over all listed axes followed by all_slice; dimension d
    is divided by the size of `scatter_axes[d]`, which must divide it.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListPerDimAttr:$scatter_axes,
                       SPMD_ReductionKindAttr:$kind);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    custom<Kind>($kind) $inputs custom<AxisLists>($scatter_axes) `on` $mesh attr-dict `:` functional-type($inputs, $results)
  }];
}

def SPMD_AllToAllOp : SPMD_CollectiveOp<"all_to_all"> {
  let summary = "Moves axes from one dimension to another in one step";
  let description = [{
    For each move `{axes}: s -> t`, in order: the axes must be the minor ones of
    dimension s; dimension s is gathered along them and dimension t is split
    along them, which become its minor ones. All moves are one exchange among
    the devices that differ in any of the axes. Target sizes divide evenly.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$mesh,
                       SPMD_AllToAllParamListAttr:$moves);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $inputs custom<Moves>($moves) `on` $mesh attr-dict `:` functional-type($inputs, $results)
  }];
}

def SPMD_PermuteOp : SPMD_CollectiveOp<"permute"> {
  let summary = "Each device sends its value to at most one other";
  let description = [{
    Devices are numbered in mixed radix over `axes`. Exactly one of three maps
    says where number i sends:
    - `pairs = [s0, t0, s1, t1, ...]`: s to t; sources and targets unique;
    - `to {...}`: the same axes in another order; the device whose index over
      `axes` is i sends to the one whose index over the target order is i;
    - `shift = [k0, k1, ...]`, one per axis: coordinate c of axis j goes to
      c + kj, modulo its size when `wrap` is set; else those that leave are lost.
    Devices to which nothing is sent hold zeros.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListAttr:$axes,
                       OptionalAttr<DenseI64ArrayAttr>:$pairs,
                       OptionalAttr<SPMD_AxisListAttr>:$target_axes,
                       OptionalAttr<DenseI64ArrayAttr>:$shift, UnitAttr:$wrap);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $inputs custom<AxisList>($axes) (`to` custom<AxisList>($target_axes)^)? (`pairs` `=` $pairs^)?
    (`shift` `=` $shift^)? (`wrap` $wrap^)? `on` $mesh attr-dict `:`
    functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// The (source, target) pairs over the mixed-radix numbering of `axes`.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPairList(MeshAttr mesh);
  }];
}

def SPMD_ExchangeOp : SPMD_CollectiveOp<"exchange"> {
  let summary = "Every shard of the result reads an interval of the whole input";
  let description = [{
    The general many-to-many move: uneven reshards, shifts, halos, strided
    slices, reversals. The input is a tensor of global shape `from_shape` laid
    out as `from`. Along dimension d, the result on the device whose block index
    over `to`'s axes is i holds the input indices of `intervals[d]` for that i;
    what lies outside the input reads zero. Partial sums are not combined:
    neither sharding has unreduced axes.

    An interval may say `wrap` or `edge` instead of zero where every shard reads
    around its own block: `from` and `to` have the same axes there, the step is
    the block and, for `wrap`, blocks divide the dimension, for `edge`, no shard
    reads beyond its neighbours; all other dimensions stay as they are.
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$from_shape,
                       SPMD_ShardingAttr:$from, SPMD_ShardingAttr:$to,
                       SPMD_IntervalListAttr:$intervals);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input $from_shape `from` $from `to` $to custom<Intervals>($intervals) attr-dict `:`
    functional-type($input, $result)
  }];
  let extraClassDeclaration = [{
    IntervalAttr getInterval(int64_t dim) {
      return ::llvm::cast<IntervalAttr>(getIntervals()[dim]);
    }
    /// True if both sides divide dimension `dim` over the same axes.
    bool hasSameAxes(int64_t dim);
    /// True if, as far as intervals say, dimension `dim` of the result is each
    /// device's own block of the input.
    bool isOwnBlock(int64_t dim);
  }];
}

def SPMD_BroadcastOp : SPMD_CollectiveOp<"broadcast",
    [SameOperandsAndResultType]> {
  let summary = "All devices along the axes get the value of one of them";
  let arguments = (ins AnyRankedTensor:$input, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListAttr:$axes, I64Attr:$root);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input custom<AxisList>($axes) `root` `=` $root `on` $mesh attr-dict `:` type($input)
  }];
}

def SPMD_ToUnreducedOp : SPMD_CollectiveOp<"to_unreduced",
    [SameOperandsAndResultType]> {
  let summary = "A whole value becomes a partial one; sends nothing";
  let description = [{
    The device with index 0 over the axes keeps its value, the others hold the
    neutral element of the kind, so that all_reduce gives the value back.
  }];
  let arguments = (ins AnyRankedTensor:$input, FlatSymbolRefAttr:$mesh,
                       SPMD_AxisListAttr:$axes, SPMD_ReductionKindAttr:$kind);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "custom<Kind>($kind) $input custom<AxisList>($axes) `on` $mesh attr-dict `:` type($input)";
}

def SPMD_RaggedAllToAllOp : SPMD_CollectiveOp<"ragged_all_to_all"> {
  let summary = "Slices of the first dimension go to the devices that the operands say";
  let description = [{
    As lax.ragged_all_to_all: rows [input_offsets[i], + send_sizes[i]) go to
    device i of the group and land there at output_offsets[i] (offsets on the
    receiving side as the sender knows them); recv_sizes[i] rows come from i.
    Rows of `output` that nothing reaches keep its values.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$output,
                       AnyRankedTensor:$input_offsets, AnyRankedTensor:$send_sizes,
                       AnyRankedTensor:$output_offsets, AnyRankedTensor:$recv_sizes,
                       FlatSymbolRefAttr:$mesh, SPMD_AxisListAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    operands custom<AxisList>($axes) `on` $mesh attr-dict `:` functional-type(operands, $result)
  }];
}

def SPMD_AxisIndexOp : SPMD_Op<"axis_index", [Pure]> {
  let summary = "The device's mixed-radix index over the axes";
  let arguments = (ins FlatSymbolRefAttr:$mesh, SPMD_AxisListAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "custom<AxisList>($axes) `on` $mesh attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous form
//===----------------------------------------------------------------------===//

def SPMD_StartOp : SPMD_Op<"start", [
    IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<CollectiveOpInterface>]> {
  let summary = "Starts the one collective in its body";
  let description = "The body has one collective on the block arguments, then spmd.return.";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs SPMD_FutureType:$future);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def SPMD_DoneOp : SPMD_Op<"done"> {
  let summary = "Waits for a started collective and gives its results";
  let arguments = (ins SPMD_FutureType:$future);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$future attr-dict `:` type($future) `->` type($results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Lowered form
//===----------------------------------------------------------------------===//

def SPMD_RuntimeCallOp : SPMD_Op<"runtime_call", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a kernel or collective of the runtime";
  let description = [{
    `spmd.runtime_call "partita_sort" ins(%a : tensor<8xf32>) outs(%d :
    tensor<8xf32>) descriptor = [...] body = @less -> tensor<8xf32>`. Destination
    style: on tensors each result is the output of the same position, on memrefs
    there are no results. The descriptor is what the function of the runtime's
    ABI documents; `body` names a function on scalar buffers that the kernel
    calls back. `communicates` marks collectives: they keep their order.
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyShaped>:$inputs,
                       Variadic<AnyShaped>:$outputs,
                       DenseI64ArrayAttr:$descriptor,
                       OptionalAttr<FlatSymbolRefAttr>:$body,
                       UnitAttr:$communicates);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`communicates` $communicates^)? `ins` `(` ($inputs^ `:` type($inputs))? `)`
    `outs` `(` ($outputs^ `:` type($outputs))? `)` `descriptor` `=` $descriptor
    (`body` `=` $body^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

#endif
