// Operations of the sdy dialect.
#ifndef PARTITA_DIALECTS_SDY_OPS
#define PARTITA_DIALECTS_SDY_OPS

include "dialects/Sdy/SdyAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "Names a mesh of devices";
  let description = "`sdy.mesh @m = <[\"a\"=2, \"b\"=4], device_ids=[...]>`";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

// The constraint is not Pure: without uses it constrains its operand, so dead
// code elimination must leave it.
def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint", [SameOperandsAndResultType]> {
  let summary = "The user wants this value laid out so (with_sharding_constraint)";
  let arguments = (ins AnyType:$input, Sdy_ShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "The value moves to another sharding here";
  let arguments = (ins AnyType:$input, Sdy_ShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "All values of one group id get the same sharding (shard_alike)";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "Shardings pass only in the allowed direction";
  let arguments = (ins AnyRankedTensor:$input,
                       Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure]> {
  let summary = "A constant that no rewriter folds together with another";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends the body of a region op of this dialect";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A region whose body is per-device along the manual axes (shard_map)";
  let arguments = (ins Variadic<AnyType>:$inputs,
                       Sdy_ShardingPerValueAttr:$in_shardings,
                       Sdy_ShardingPerValueAttr:$out_shardings,
                       Sdy_ManualAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)`
    `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<Body>($body) attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A named group of ops, seen through by propagation";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs,
                       OptionalAttr<Sdy_ShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_ShardingPerValueAttr>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $inputs `)`
    (`in_shardings` `` `=` `` custom<ShardingList>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<ShardingList>($out_shardings)^)?
    custom<Body>($body) attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Data-flow edges
//===----------------------------------------------------------------------===//

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "All values of one edge of a region op are sharded alike";
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_ShardingAttr>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "A function argument or call result is sharded like its other end";
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives on whole-array types: each says the sharding of its result
//===----------------------------------------------------------------------===//

class Sdy_CollectiveOp<string mnemonic, dag leading>
    : Sdy_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = !con((ins AnyShaped:$tensor), leading,
                       (ins Sdy_ShardingAttr:$out_sharding));
  let results = (outs AnyShaped:$result);
  let hasVerifier = 1;
  string tail = " $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather", (ins Sdy_AxisListPerDimAttr:$gathering_axes)> {
  let summary = "Gathers along the minor axes of each dimension";
  let assemblyFormat = "$gathering_axes" # tail;
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice", (ins Sdy_AxisListPerDimAttr:$slicing_axes)> {
  let summary = "Slices each dimension along further minor axes";
  let assemblyFormat = "$slicing_axes" # tail;
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all", (ins Sdy_AllToAllParamListAttr:$params)> {
  let summary = "Moves axes from one dimension to another";
  let assemblyFormat = "$params" # tail;
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", (ins)> {
  let summary = "Replaces axes by others of the same total size";
  let assemblyFormat = tail;
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce",
    (ins Sdy_AxisListAttr:$reduction_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "::partita::sdy::ReductionOp::SUM">:$reduction_op)> {
  let summary = "Combines partial values along the axes";
  let assemblyFormat = "($reduction_op^)? $reduction_axes" # tail;
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter",
    (ins Sdy_AxisListPerDimAttr:$reduce_scatter_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "::partita::sdy::ReductionOp::SUM">:$reduction_op)> {
  let summary = "Combines partial values along the axes and shards along them";
  let assemblyFormat = "($reduction_op^)? $reduce_scatter_axes" # tail;
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced", (ins Sdy_AxisListPerDimAttr:$axes)> {
  let summary = "Turns minor axes of each dimension into unreduced ones";
  let assemblyFormat = "$axes" # tail;
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced", (ins Sdy_AxisListAttr:$axes)> {
  let summary = "Turns replicated axes into unreduced ones";
  let assemblyFormat = "$axes" # tail;
}

#endif
