//===- StableHLOAttrs.td - attributes and types ---------------------------===//
//
// The structured attributes of the public specification, and the two types
// that are not builtin. Parsers and printers of those with a custom format are
// in Attrs.cpp and ConvDimensionNumbers.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_ATTRS_TD
#define PARTITA_DIALECTS_STABLEHLO_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "dialects/StableHLO/StableHLOBase.td"
include "dialects/StableHLO/StableHLOEnums.td"

class StableHLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<StableHLO_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// A list of dimensions or sizes, `[1, 2]`; an unknown size is `?`.
def StableHLO_Dims : ArrayRefParameter<"int64_t", "dimensions"> {
  let parser = "::partita::stablehlo::parseDimSizes($_parser)";
  let printer = "::partita::stablehlo::printDimSizes($_printer, $_self)";
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

def StableHLO_DotDimensionNumbers : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions a dot batches and contracts";
  let parameters = (ins
    StableHLO_Dims:$lhsBatchingDimensions,
    StableHLO_Dims:$rhsBatchingDimensions,
    StableHLO_Dims:$lhsContractingDimensions,
    StableHLO_Dims:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_GatherDimensionNumbers
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "how gather's indices, slices and result dimensions relate";
  let parameters = (ins
    StableHLO_Dims:$offsetDims,
    StableHLO_Dims:$collapsedSliceDims,
    StableHLO_Dims:$operandBatchingDims,
    StableHLO_Dims:$startIndicesBatchingDims,
    StableHLO_Dims:$startIndexMap,
    "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ScatterDimensionNumbers
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how scatter's indices, updates and input dimensions relate";
  let parameters = (ins
    StableHLO_Dims:$updateWindowDims,
    StableHLO_Dims:$insertedWindowDims,
    StableHLO_Dims:$inputBatchingDims,
    StableHLO_Dims:$scatterIndicesBatchingDims,
    StableHLO_Dims:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ConvDimensionNumbers
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "roles of the dimensions of a convolution";
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    StableHLO_Dims:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    StableHLO_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    StableHLO_Dims:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

def StableHLO_DotAlgorithm : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "arithmetic in which a dot must be computed";
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType,
    "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
        `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,`
        `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,`
        `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
  let genVerifyDecl = 1;
}

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "accuracy asked of a transcendental function";
  let parameters = (ins
    "::llvm::APFloat":$atol,
    "::llvm::APFloat":$rtol,
    "int64_t":$ulps,
    "::partita::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins CArg<
      "::partita::stablehlo::ResultAccuracyMode",
      "::partita::stablehlo::ResultAccuracyMode::DEFAULT">:$mode), [{
    ::llvm::APFloat zero(0.0);
    return Base::get($_ctxt, zero, zero, 0,
                     ResultAccuracyModeAttr::get($_ctxt, mode));
  }]>];
  // The default value of an op's attribute is a mode.
  let constBuilderCall =
      "::partita::stablehlo::ResultAccuracyAttr::get($_builder.getContext(), $0)";
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

def StableHLO_ChannelHandle : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "identity and kind of a communication channel";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_SubAxisInfo : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "which part of a mesh axis a sub-axis is";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` `` $size";
}

def StableHLO_AxisRef : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a sub-axis of one";
  let parameters = (ins
    StringRefParameter<"name of the axis">:$name,
    OptionalParameter<"::partita::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_MeshAxis : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "name and size of one mesh axis";
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_Mesh : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "a mesh written in place";
  let parameters = (ins
    ArrayRefParameter<"::partita::stablehlo::MeshAxisAttr">:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def StableHLO_ReplicaGroupMeshAxes
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "process groups named by the axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// Process groups: one row of device ids per group, padded with -1, or axes.
def StableHLO_ReplicaGroupsAttr
    : AnyAttrOf<[I64ElementsAttr, StableHLO_ReplicaGroupMeshAxes]>;

//===----------------------------------------------------------------------===//
// Custom calls and types
//===----------------------------------------------------------------------===//

def StableHLO_OutputOperandAlias
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result buffer of a custom call that is an operand's";
  let parameters = (ins
    StableHLO_Dims:$outputTupleIndices,
    "int64_t":$operandIndex,
    StableHLO_Dims:$operandTupleIndices);
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` $outputTupleIndices `,`
        `operand_index` `=` $operandIndex `,`
        `operand_tuple_indices` `=` $operandTupleIndices `>`
  }];
}
def StableHLO_OutputOperandAliasArrayAttr
    : TypedArrayAttrBase<StableHLO_OutputOperandAlias,
                         "aliases of results and operands"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def StableHLO_LayoutAttr
    : Attr<CPred<"::partita::stablehlo::isLayoutAttr($_self)">,
           "1-dimensional index tensor that lists dimensions, minor first"> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
  let convertFromStorage = "$_self";
}
def StableHLO_LayoutArrayAttr
    : TypedArrayAttrBase<StableHLO_LayoutAttr, "one layout per value">;
def StableHLO_SymbolArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "functions called"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def StableHLO_TypeExtensions
    : StableHLO_Attr<"TypeExtensions", "type_extensions", [
        DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of a tensor's unknown sizes";
  let description = [{
    An encoding of a ranked tensor type, one entry per dimension: the bound of
    an unknown size, or `?`. Printed `#stablehlo.bounds<4, ?>`.
  }];
  let parameters = (ins StableHLO_Dims:$bounds);
  let assemblyFormat = "`<` `bounds` `=` $bounds `>`";
}

class StableHLO_Type<string name, string typeMnemonic>
    : TypeDef<StableHLO_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def StableHLO_Token : StableHLO_Type<"Token", "token"> {
  let summary = "orders side effects";
}
def StableHLO_Future : StableHLO_Type<"Future", "future"> {
  let summary = "results of an asynchronous operation under way";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

#endif // PARTITA_DIALECTS_STABLEHLO_ATTRS_TD
