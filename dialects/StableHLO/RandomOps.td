//===- RandomOps.td - random numbers --------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_RANDOMOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_RANDOMOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_RngState : Resource<"::partita::stablehlo::RngResource">;

def StableHLO_RngOp : StableHLO_Op<"rng", [
    MemoryEffects<[MemRead<StableHLO_RngState>, MemWrite<StableHLO_RngState>]>]> {
  let summary = "random numbers from a hidden state";
  let arguments = (ins
    StableHLO_ScalarPredIntOrFpTensor:$a,
    StableHLO_ScalarPredIntOrFpTensor:$b,
    StableHLO_ShapeTensor:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs StableHLO_PredIntOrFpTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let summary = "random bits and the next state";
  let arguments = (ins
    StableHLO_RngAlgorithmAttr:$rng_algorithm,
    StableHLO_IntOrFpTensor:$initial_state);
  let results = (outs
    StableHLO_IntOrFpTensor:$output_state,
    StableHLO_IntOrFpTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // PARTITA_DIALECTS_STABLEHLO_RANDOMOPS_TD
