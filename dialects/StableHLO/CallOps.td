//===- CallOps.td - calls, tokens, tuples, barriers -----------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_CALLOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_CALLOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "dialects/StableHLO/StableHLOAttrs.td"

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

def StableHLO_CustomCallOp : StableHLO_Op<"custom_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a call of an operation that only the target knows";
  let arguments = (ins
    Variadic<StableHLO_AnyValue>:$inputs,
    StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
        "::partita::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<StableHLO_SymbolArrayAttr, "{}">:$called_computations,
    OptionalAttr<StableHLO_LayoutArrayAttr>:$operand_layouts,
    OptionalAttr<StableHLO_LayoutArrayAttr>:$result_layouts,
    DefaultValuedOptionalAttr<StableHLO_OutputOperandAliasArrayAttr, "{}">:$output_operand_aliases);
  let results = (outs Variadic<StableHLO_AnyValue>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CompositeOp : StableHLO_Op<"composite", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named operation, with a function that defines it";
  let arguments = (ins
    Variadic<StableHLO_AnyValue>:$inputs,
    StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<StableHLO_AnyValue>:$results);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

def StableHLO_TupleOp : StableHLO_InferredOp<"tuple", [Pure]> {
  let summary = "values as one value";
  let arguments = (ins Variadic<StableHLO_AnyValue>:$val);
  let results = (outs StableHLO_TupleValue:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleTypes>(type($val), type($result))
  }];
}
def StableHLO_GetTupleElementOp : StableHLO_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "one of a tuple's values";
  let arguments = (ins
    StableHLO_TupleValue:$operand,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_AnyValue:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def StableHLO_CreateTokenOp : StableHLO_InferredOp<"create_token", [Pure]> {
  let summary = "a token that waits for nothing";
  let results = (outs StableHLO_TokenValue:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}
def StableHLO_AfterAllOp : StableHLO_InferredOp<"after_all", [Pure]> {
  let summary = "a token that waits for several";
  let arguments = (ins Variadic<StableHLO_TokenValue>:$inputs);
  let results = (outs StableHLO_TokenValue:$result);
  let assemblyFormat = [{
    $inputs attr-dict
    `:` custom<VariadicSameTypes>(ref($inputs), type($inputs), type($result))
  }];
}
def StableHLO_OptimizationBarrierOp : StableHLO_InferredOp<"optimization_barrier", [Pure]> {
  let summary = "its operands, none available before all are";
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))):(`(` `)`)?
  }];
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

def StableHLO_AsyncStartOp : StableHLO_Op<"async_start", [SingleBlock, IsolatedFromAbove]> {
  let summary = "starts the one operation of its region";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_FutureValue:$result);
  let hasVerifier = 1;
}
def StableHLO_AsyncDoneOp : StableHLO_InferredOp<"async_done", []> {
  let summary = "waits for an operation that async_start started";
  let arguments = (ins StableHLO_FutureValue:$operand);
  let results = (outs StableHLO_Tensor:$result);
}

#endif // PARTITA_DIALECTS_STABLEHLO_CALLOPS_TD
