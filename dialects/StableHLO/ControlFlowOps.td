//===- ControlFlowOps.td - if, case, while and return ---------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_CONTROLFLOWOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_CONTROLFLOWOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "end of a region, with its results";
  let arguments = (ins Variadic<StableHLO_AnyValue>:$results);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHLO_IfOp : StableHLO_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
        "getEntrySuccessorRegions", "getRegionInvocationBounds",
        "areTypesCompatible"]>]> {
  let summary = "results of one of two regions";
  let arguments = (ins StableHLO_PredTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
}

def StableHLO_CaseOp : StableHLO_Op<"case", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
        "getEntrySuccessorRegions", "getRegionInvocationBounds",
        "areTypesCompatible"]>]> {
  let summary = "results of the region that an index names";
  let description = [{
    An index out of range names the last region.
  }];
  let arguments = (ins StableHLO_I32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
}

def StableHLO_WhileOp : StableHLO_Op<"while", [
    RecursiveMemoryEffects, SingleBlock, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
        "getEntrySuccessorOperands", "areTypesCompatible"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
        "getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
        "getLoopResults"]>]> {
  let summary = "a body repeated while a condition holds";
  let description = [{
    As value flow the condition only observes: the arguments of both regions and
    the results are, each, either the initial values or what the body returns.
    `getSuccessorRegions` says so, with no edge that leaves the condition.
  }];
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = compatibleTypes;
}

#endif // PARTITA_DIALECTS_STABLEHLO_CONTROLFLOWOPS_TD
