//===- ShapeOps.td - constants, and ops that move whole dimensions --------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_SHAPEOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_SHAPEOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def StableHLO_ConstantOp : StableHLO_Op<"constant", [
    Pure, ConstantLike, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a literal";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange given);
  }];
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let summary = "index of each element along one dimension";
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_IntFpComplexOrQuantizedTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let summary = "iota of a shape computed at run time";
  let arguments = (ins
    StableHLO_ShapeTensor:$output_shape,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reshape and bit casts
//===----------------------------------------------------------------------===//

def StableHLO_ReshapeOp : StableHLO_Op<"reshape", [Pure, StableHLO_SameElementTypes]> {
  let summary = "the same elements in row-major order, in another shape";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let summary = "reshape to a shape computed at run time";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_ShapeTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits as another element type";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

def StableHLO_BroadcastOp : StableHLO_InferredOp<"broadcast", [Pure, StableHLO_SameElementTypes]> {
  let summary = "copies along new leading dimensions";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [Pure, StableHLO_SameElementTypes]> {
  let summary = "copies along the dimensions that the operand lacks";
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicBroadcastInDimOp : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "broadcast_in_dim to a shape computed at run time";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_ShapeTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Permutations, concatenation, padding
//===----------------------------------------------------------------------===//

def StableHLO_TransposeOp : StableHLO_InferredOp<"transpose", [Pure, StableHLO_SameElementTypes]> {
  let summary = "dimensions in another order";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_ReverseOp : StableHLO_InferredOp<"reverse", [Pure, StableHLO_SameElementTypes]> {
  let summary = "elements in reverse order along some dimensions";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions
    attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

def StableHLO_ConcatenateOp : StableHLO_InferredOp<"concatenate", [Pure, StableHLO_SameElementTypes]> {
  let summary = "tensors one after the other along a dimension";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsThenAttribute>($inputs) `dim` `=` $dimension
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_PadOp : StableHLO_InferredOp<"pad", [Pure, StableHLO_SameElementTypes]> {
  let summary = "padding at the edges and between elements";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_ScalarTensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,`
    `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [Pure]> {
  let summary = "padding by amounts computed at run time";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_ScalarTensor:$padding_value,
    StableHLO_ShapeTensor:$edge_padding_low,
    StableHLO_ShapeTensor:$edge_padding_high,
    StableHLO_ShapeTensor:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

def StableHLO_GetDimensionSizeOp : StableHLO_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "size of a dimension";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_I32Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size", [Pure]> {
  let summary = "the operand with a size known at run time only";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_I32Tensor:$size,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // PARTITA_DIALECTS_STABLEHLO_SHAPEOPS_TD
