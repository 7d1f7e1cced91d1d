//===- ReductionOps.td - reductions, windows, sort and map ----------------===//
//
// Ops with a body that combines scalars. Bodies may use values from outside.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_REDUCTIONOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_REDUCTIONOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

class StableHLO_BodyOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [
        RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let hasVerifier = 1;
}

def StableHLO_ReduceOp : StableHLO_BodyOp<"reduce", [SameVariadicOperandSize]> {
  let summary = "dimensions folded by a body";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ReduceWindowOp : StableHLO_BodyOp<"reduce_window", [SameVariadicOperandSize]> {
  let summary = "windows folded by a body";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
}

def StableHLO_SelectAndScatterOp : StableHLO_BodyOp<"select_and_scatter"> {
  let summary = "source values scattered to the element that each window selects";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$source,
    StableHLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_SortOp : StableHLO_InferredOp<"sort", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "tensors sorted together along a dimension";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
}

def StableHLO_MapOp : StableHLO_BodyOp<"map", [StableHLO_ElementwiseOp]> {
  let summary = "a body applied at each index";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
}

#endif // PARTITA_DIALECTS_STABLEHLO_REDUCTIONOPS_TD
