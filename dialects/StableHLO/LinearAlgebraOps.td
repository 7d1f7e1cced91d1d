//===- LinearAlgebraOps.td - factorisations, solves, transforms, norms ----===//

#ifndef PARTITA_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_CholeskyOp : StableHLO_InferredOp<"cholesky", [Pure]> {
  let summary = "Cholesky factor of a batch of matrices";
  let arguments = (ins
    StableHLO_FpComplexOrQuantizedTensor:$a,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FpComplexOrQuantizedTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict
    `:` custom<SameTypes>(type($a), type($result))
  }];
}

def StableHLO_TriangularSolveOp : StableHLO_InferredOp<"triangular_solve", [Pure]> {
  let summary = "solutions of a batch of triangular systems";
  let arguments = (ins
    StableHLO_FpOrComplexTensor:$a,
    StableHLO_FpOrComplexTensor:$b,
    BoolAttr:$left_side,
    BoolAttr:$lower,
    BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FpOrComplexTensor:$result);
}

def StableHLO_FftOp : StableHLO_InferredOp<"fft", [Pure]> {
  let summary = "Fourier transform of the last one to three dimensions";
  let arguments = (ins
    StableHLO_FpOrComplexTensor:$operand,
    StableHLO_FftTypeAttr:$fft_type,
    DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` $fft_length
    attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

def StableHLO_BatchNormGradOp : StableHLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradients of a batch normalisation";
  let arguments = (ins
    StableHLO_FpOrQuantizedTensor:$operand,
    StableHLO_VectorFpTensor:$scale,
    StableHLO_VectorFpTensor:$mean,
    StableHLO_VectorFpTensor:$variance,
    StableHLO_FpOrQuantizedTensor:$grad_output,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs
    StableHLO_FpOrQuantizedTensor:$grad_operand,
    StableHLO_VectorFpTensor:$grad_scale,
    StableHLO_VectorFpTensor:$grad_offset);
}
def StableHLO_BatchNormInferenceOp : StableHLO_InferredOp<"batch_norm_inference", [Pure]> {
  let summary = "normalisation by given statistics";
  let arguments = (ins
    StableHLO_FpOrQuantizedTensor:$operand,
    StableHLO_VectorFpTensor:$scale,
    StableHLO_VectorFpTensor:$offset,
    StableHLO_VectorFpTensor:$mean,
    StableHLO_VectorFpTensor:$variance,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs StableHLO_FpOrQuantizedTensor:$result);
}
def StableHLO_BatchNormTrainingOp : StableHLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalisation by the batch's own statistics";
  let arguments = (ins
    StableHLO_FpOrQuantizedTensor:$operand,
    StableHLO_VectorFpTensor:$scale,
    StableHLO_VectorFpTensor:$offset,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs
    StableHLO_FpOrQuantizedTensor:$output,
    StableHLO_VectorFpTensor:$batch_mean,
    StableHLO_VectorFpTensor:$batch_var);
}

#endif // PARTITA_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_TD
