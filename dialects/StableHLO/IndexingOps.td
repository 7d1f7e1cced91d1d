//===- IndexingOps.td - slices, gather and scatter ------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_INDEXINGOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_INDEXINGOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_SliceOp : StableHLO_InferredOp<"slice", [Pure, StableHLO_SameElementTypes]> {
  let summary = "a strided box of the operand";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicSliceOp : StableHLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "a box of the operand at a position computed at run time";
  let description = [{
    Start indices are clamped so that the box lies within the operand.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    Variadic<StableHLO_ScalarIntTensor>:$start_indices,
    DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenAttribute>($start_indices)
    `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicUpdateSliceOp : StableHLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "the operand with a box replaced";
  let description = [{
    Start indices are clamped so that the box lies within the operand.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$update,
    Variadic<StableHLO_ScalarIntTensor>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [Pure]> {
  let summary = "slice with bounds and strides computed at run time";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IndexVector:$start_indices,
    StableHLO_IndexVector:$limit_indices,
    StableHLO_IndexVector:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_GatherOp : StableHLO_InferredOp<"gather", [Pure]> {
  let summary = "slices of the operand at the positions that indices name";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IndexOrIntTensor:$start_indices,
    StableHLO_GatherDimensionNumbers:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_DynamicGatherOp : StableHLO_Op<"dynamic_gather", [Pure]> {
  let summary = "gather of slice sizes computed at run time";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IntTensor:$start_indices,
    StableHLO_ShapeTensor:$slice_sizes,
    StableHLO_GatherDimensionNumbers:$dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ScatterOp : StableHLO_InferredOp<"scatter", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
    SameVariadicOperandSize]> {
  let summary = "the inputs, combined with updates at the positions that indices name";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_IndexOrIntTensor:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbers:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
}

def StableHLO_TorchIndexSelectOp : StableHLO_Op<"torch_index_select", [Pure]> {
  let summary = "slices of one dimension, per batch";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$index,
    I64Attr:$dim,
    I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
}

#endif // PARTITA_DIALECTS_STABLEHLO_INDEXINGOPS_TD
