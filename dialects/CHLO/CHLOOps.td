// Operations of the chlo dialect.
#ifndef PARTITA_DIALECTS_CHLO_OPS
#define PARTITA_DIALECTS_CHLO_OPS

include "dialects/CHLO/CHLOBase.td"

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

def CHLO_AcosOp : CHLO_UnaryOp<"acos"> { let summary = "arc cosine"; }
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh"> { let summary = "inverse hyperbolic cosine"; }
def CHLO_AsinOp : CHLO_UnaryOp<"asin"> { let summary = "arc sine"; }
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh"> { let summary = "inverse hyperbolic sine"; }
def CHLO_AtanOp : CHLO_UnaryOp<"atan"> { let summary = "arc tangent"; }
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh"> { let summary = "inverse hyperbolic tangent"; }
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e"> {
  let summary = "exponentially scaled modified Bessel function of order 1";
}
def CHLO_ConjOp : CHLO_UnaryOp<"conj"> { let summary = "complex conjugate"; }
def CHLO_CoshOp : CHLO_UnaryOp<"cosh"> { let summary = "hyperbolic cosine"; }
def CHLO_SinhOp : CHLO_UnaryOp<"sinh"> { let summary = "hyperbolic sine"; }
def CHLO_SquareOp : CHLO_UnaryOp<"square"> { let summary = "the operand times itself"; }
def CHLO_TanOp : CHLO_UnaryOp<"tan"> { let summary = "tangent"; }
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", StableHLO_FpTensor> {
  let summary = "derivative of lgamma";
}
def CHLO_ErfOp : CHLO_UnaryOp<"erf", StableHLO_FpTensor> {
  let summary = "error function";
}
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", StableHLO_FpTensor> {
  let summary = "inverse of the error function";
}
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", StableHLO_FpTensor> {
  let summary = "one minus the error function";
}
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", StableHLO_FpTensor> {
  let summary = "logarithm of the magnitude of the gamma function";
}
def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel", StableHLO_ComplexTensor> {
  let summary = "common part of the complex arc functions";
}

class CHLO_PredicateOp<string mnemonic>
    : CHLO_InferredOp<mnemonic, [Pure, StableHLO_ElementwiseOp]> {
  let arguments = (ins StableHLO_FpTensor:$operand);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def CHLO_IsInfOp : CHLO_PredicateOp<"is_inf"> { let summary = "whether infinite"; }
def CHLO_IsNegInfOp : CHLO_PredicateOp<"is_neg_inf"> {
  let summary = "whether minus infinity";
}
def CHLO_IsPosInfOp : CHLO_PredicateOp<"is_pos_inf"> {
  let summary = "whether plus infinity";
}

//===----------------------------------------------------------------------===//
// Functions of two operands
//===----------------------------------------------------------------------===//

def CHLO_MulhiOp : CHLO_BinaryOp<"mulhi", StableHLO_IntTensor, "lhs", "rhs", [Commutative]> {
  let summary = "upper half of the product";
}
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after", StableHLO_FpTensor, "x", "y"> {
  let summary = "the number next to x in the direction of y";
}
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma", StableHLO_FpTensor, "n", "x"> {
  let summary = "derivative n of digamma at x";
}
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta", StableHLO_FpTensor, "x", "q"> {
  let summary = "Hurwitz zeta function";
}

//===----------------------------------------------------------------------===//
// With broadcasting
//===----------------------------------------------------------------------===//

def CHLO_BroadcastAddOp : CHLO_BroadcastBinaryOp<"broadcast_add"> { let summary = "sum"; }
def CHLO_BroadcastAndOp : CHLO_BroadcastBinaryOp<"broadcast_and", StableHLO_PredOrIntTensor> {
  let summary = "logical or bitwise and";
}
def CHLO_BroadcastAtan2Op : CHLO_BroadcastBinaryOp<"broadcast_atan2"> {
  let summary = "angle of the point (rhs, lhs)";
}
def CHLO_BroadcastDivOp : CHLO_BroadcastBinaryOp<"broadcast_divide"> {
  let summary = "quotient";
}
def CHLO_BroadcastMaxOp : CHLO_BroadcastBinaryOp<"broadcast_maximum"> {
  let summary = "larger of two";
}
def CHLO_BroadcastMinOp : CHLO_BroadcastBinaryOp<"broadcast_minimum"> {
  let summary = "smaller of two";
}
def CHLO_BroadcastMulOp : CHLO_BroadcastBinaryOp<"broadcast_multiply"> {
  let summary = "product";
}
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastBinaryOp<"broadcast_next_after"> {
  let summary = "the number next to lhs in the direction of rhs";
}
def CHLO_BroadcastOrOp : CHLO_BroadcastBinaryOp<"broadcast_or", StableHLO_PredOrIntTensor> {
  let summary = "logical or bitwise or";
}
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastBinaryOp<"broadcast_polygamma"> {
  let summary = "derivative lhs of digamma at rhs";
}
def CHLO_BroadcastPowOp : CHLO_BroadcastBinaryOp<"broadcast_power"> {
  let summary = "lhs to the power of rhs";
}
def CHLO_BroadcastRemOp : CHLO_BroadcastBinaryOp<"broadcast_remainder"> {
  let summary = "remainder of the division";
}
def CHLO_BroadcastShiftLeftOp : CHLO_BroadcastBinaryOp<"broadcast_shift_left"> {
  let summary = "left shift by rhs bits";
}
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_arithmetic"> {
  let summary = "right shift by rhs bits, sign kept";
}
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_logical"> {
  let summary = "right shift by rhs bits, zeros shifted in";
}
def CHLO_BroadcastSubOp : CHLO_BroadcastBinaryOp<"broadcast_subtract"> {
  let summary = "difference";
}
def CHLO_BroadcastXorOp : CHLO_BroadcastBinaryOp<"broadcast_xor", StableHLO_PredOrIntTensor> {
  let summary = "logical or bitwise exclusive or";
}
def CHLO_BroadcastZetaOp : CHLO_BroadcastBinaryOp<"broadcast_zeta", StableHLO_FpTensor> {
  let summary = "Hurwitz zeta function";
}
def CHLO_BroadcastComplexOp : CHLO_BroadcastBinaryOp<"broadcast_complex",
    StableHLO_FpTensor, StableHLO_ComplexTensor> {
  let summary = "complex number of a real and an imaginary part";
}
def CHLO_BroadcastCompareOp : CHLO_BroadcastBinaryOp<"broadcast_compare",
    StableHLO_Tensor, StableHLO_PredTensor> {
  let summary = "comparison";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
}
def CHLO_BroadcastSelectOp : CHLO_InferredOp<"broadcast_select", [Pure]> {
  let summary = "on_true where pred holds, else on_false";
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def CHLO_ConstantOp : CHLO_Op<"constant",
    [ConstantLike, Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "a constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def CHLO_ConstantLikeOp : CHLO_InferredOp<"constant_like", [Pure, StableHLO_ElementwiseOp]> {
  let summary = "one value in the shape of the operand";
  let arguments = (ins TypedAttrInterface:$value, StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let summary = "sums of products over groups of unequal size";
  let description = [{
    lhs has one ragged dimension, cut into g groups of `group_sizes` rows.
    Ragged and not contracted: lhs [b,m,k], rhs [g,b,k,n], result [b,m,n].
    Ragged and contracted: lhs [b,m,k], rhs [b,k,n], result [g,b,m,n].
    Ragged and batching: lhs [b,m,k], rhs [b,k,n], result [b,m,n].
    `group_sizes` is [g], or has in front of g the batching dimensions and the
    dimensions of the ragged one's kind before it.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_IntTensor:$group_sizes,
                       CHLO_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<CHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def CHLO_TopKOp : CHLO_InferredOp<"top_k", [Pure]> {
  let summary = "the k largest elements along the last dimension, and where";
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs StableHLO_Tensor:$values, StableHLO_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict
    `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def CHLO_ScanOp : CHLO_Op<"scan", [
    AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove,
    RecursiveMemoryEffects]> {
  let summary = "a fold along one dimension that also yields each step's output";
  let description = [{
    The body takes one slice of each input (the scanned dimension removed) and
    the carries, and returns one slice of each output and the new carries.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       Variadic<StableHLO_Tensor>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<StableHLO_Tensor>:$outputs,
                      Variadic<StableHLO_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
