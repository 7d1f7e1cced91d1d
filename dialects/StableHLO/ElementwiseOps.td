//===- ElementwiseOps.td - ops that act on each element alone -------------===//
//
// Constants and iota are in ShapeOps.td. All ops here have the trait
// ElementwiseOp, except select and clamp, whose scalar operands may be of rank
// 0 (ScalarBroadcastElementwiseOp).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_ELEMENTWISEOPS_TD
#define PARTITA_DIALECTS_STABLEHLO_ELEMENTWISEOPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

/// Result of the operand's type.
class StableHLO_InferSameType<string mnemonic, list<Trait> traits>
    : StableHLO_Op<mnemonic, traits # [
        Pure, StableHLO_ElementwiseOp, StableHLO_SameElementTypes,
        InferTypeOpInterface]> {
  let extraClassDeclaration = compatibleTypes # [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::partita::stablehlo::inferSameType(
          location, getOperationName(), operands, types);
    }
  }];
}

class StableHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_InferSameType<mnemonic, traits> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

/// A transcendental function, of which an accuracy can be asked.
class StableHLO_FunctionOp<string mnemonic,
                           Type type = StableHLO_FpComplexOrQuantizedTensor>
    : StableHLO_UnaryOp<mnemonic, type> {
  let arguments = (ins
    type:$operand,
    DefaultValuedOptionalAttr<StableHLO_ResultAccuracyAttr,
        "::partita::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

class StableHLO_BinaryOp<string mnemonic, Type type = StableHLO_Tensor,
                         list<Trait> traits = []>
    : StableHLO_InferSameType<mnemonic, traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
    `:` custom<SameTypes>(type($lhs), type($rhs), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FpOrQuantizedTensor> {
  let summary = "smallest integral value not below the operand";
}
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor> {
  let summary = "number of leading zero bits";
}
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FpOrQuantizedTensor> {
  let summary = "largest integral value not above the operand";
}
def StableHLO_NegOp : StableHLO_UnaryOp<"negate",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "the operand with the opposite sign";
}
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_PredOrIntTensor> {
  let summary = "logical or bitwise negation";
}
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", StableHLO_IntTensor> {
  let summary = "number of bits set";
}
def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz",
    StableHLO_FpOrQuantizedTensor> {
  let summary = "nearest integral value, ties away from zero";
}
def StableHLO_RoundNearestEvenOp : StableHLO_UnaryOp<"round_nearest_even",
    StableHLO_FpOrQuantizedTensor> {
  let summary = "nearest integral value, ties to even";
}
def StableHLO_SignOp : StableHLO_UnaryOp<"sign",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "sign of the operand";
}

def StableHLO_CbrtOp : StableHLO_FunctionOp<"cbrt"> {
  let summary = "cubic root";
}
def StableHLO_CosineOp : StableHLO_FunctionOp<"cosine"> {
  let summary = "cosine";
}
def StableHLO_ExpOp : StableHLO_FunctionOp<"exponential"> {
  let summary = "e to the power of the operand";
}
def StableHLO_Expm1Op : StableHLO_FunctionOp<"exponential_minus_one"> {
  let summary = "e to the power of the operand, minus one";
}
def StableHLO_LogOp : StableHLO_FunctionOp<"log"> {
  let summary = "natural logarithm";
}
def StableHLO_Log1pOp : StableHLO_FunctionOp<"log_plus_one"> {
  let summary = "natural logarithm of one plus the operand";
}
def StableHLO_LogisticOp : StableHLO_FunctionOp<"logistic"> {
  let summary = "logistic function";
}
def StableHLO_RsqrtOp : StableHLO_FunctionOp<"rsqrt"> {
  let summary = "reciprocal of the square root";
}
def StableHLO_SineOp : StableHLO_FunctionOp<"sine"> {
  let summary = "sine";
}
def StableHLO_SqrtOp : StableHLO_FunctionOp<"sqrt"> {
  let summary = "square root";
}
def StableHLO_TanOp : StableHLO_FunctionOp<"tan"> {
  let summary = "tangent";
}
def StableHLO_TanhOp : StableHLO_FunctionOp<"tanh"> {
  let summary = "hyperbolic tangent";
}

//===----------------------------------------------------------------------===//
// One operand, result of another element type
//===----------------------------------------------------------------------===//

class StableHLO_UnaryRetypeOp<string mnemonic, Type operandType,
                              Type resultType>
    : StableHLO_InferredOp<mnemonic, [Pure, StableHLO_ElementwiseOp]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

def StableHLO_AbsOp : StableHLO_UnaryRetypeOp<"abs",
    StableHLO_IntFpComplexOrQuantizedTensor,
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "magnitude; of a complex operand, a real one";
}
def StableHLO_ImagOp : StableHLO_UnaryRetypeOp<"imag",
    StableHLO_FpOrComplexTensor, StableHLO_FpTensor> {
  let summary = "imaginary part";
}
def StableHLO_RealOp : StableHLO_UnaryRetypeOp<"real",
    StableHLO_FpOrComplexTensor, StableHLO_FpTensor> {
  let summary = "real part";
}
def StableHLO_IsFiniteOp : StableHLO_InferredOp<"is_finite",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "whether the operand is neither infinite nor NaN";
  let arguments = (ins StableHLO_FpOrQuantizedTensor:$x);
  let results = (outs StableHLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ConvertOp : StableHLO_Op<"convert",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "conversion to another element type";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}
def StableHLO_ReducePrecisionOp : StableHLO_InferSameType<"reduce_precision", []> {
  let summary = "rounding to a float format of fewer bits";
  let arguments = (ins
    StableHLO_FpOrQuantizedTensor:$operand,
    ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs StableHLO_FpOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameTypes>(type($operand), type($output))
  }];
}
def StableHLO_UniformQuantizeOp : StableHLO_Op<"uniform_quantize",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "conversion to a quantized element type";
  let arguments = (ins StableHLO_FpOrQuantizedTensor:$operand);
  let results = (outs StableHLO_QuantizedTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}
def StableHLO_UniformDequantizeOp : StableHLO_Op<"uniform_dequantize",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "conversion from a quantized element type";
  let arguments = (ins StableHLO_QuantizedTensor:$operand);
  let results = (outs StableHLO_FpTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Two and three operands
//===----------------------------------------------------------------------===//

def StableHLO_AddOp : StableHLO_BinaryOp<"add", StableHLO_Tensor, [Commutative]> {
  let summary = "sum; of booleans, logical or";
}
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2",
    StableHLO_FpComplexOrQuantizedTensor> {
  let summary = "angle of the point (rhs, lhs)";
}
def StableHLO_DivOp : StableHLO_BinaryOp<"divide",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "quotient";
}
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", StableHLO_Tensor, [Commutative]> {
  let summary = "larger of two";
}
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", StableHLO_Tensor, [Commutative]> {
  let summary = "smaller of two";
}
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", StableHLO_Tensor, [Commutative]> {
  let summary = "product; of booleans, logical and";
}
def StableHLO_PowOp : StableHLO_BinaryOp<"power",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "lhs to the power of rhs";
}
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "remainder of the division, with the sign of lhs";
}
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor> {
  let summary = "left shift by rhs bits";
}
def StableHLO_ShiftRightArithmeticOp : StableHLO_BinaryOp<
    "shift_right_arithmetic", StableHLO_IntTensor> {
  let summary = "right shift by rhs bits, sign kept";
}
def StableHLO_ShiftRightLogicalOp : StableHLO_BinaryOp<
    "shift_right_logical", StableHLO_IntTensor> {
  let summary = "right shift by rhs bits, zeros shifted in";
}
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract",
    StableHLO_IntFpComplexOrQuantizedTensor> {
  let summary = "difference";
}
def StableHLO_AndOp : StableHLO_BinaryOp<"and", StableHLO_PredOrIntTensor, [Commutative]> {
  let summary = "logical or bitwise and";
}
def StableHLO_OrOp : StableHLO_BinaryOp<"or", StableHLO_PredOrIntTensor, [Commutative]> {
  let summary = "logical or bitwise or";
}
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", StableHLO_PredOrIntTensor, [Commutative]> {
  let summary = "logical or bitwise exclusive or";
}

def StableHLO_ComplexOp : StableHLO_InferredOp<"complex",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "complex number of real and imaginary part";
  let arguments = (ins StableHLO_FpTensor:$lhs, StableHLO_FpTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
    `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))
  }];
}
def StableHLO_CompareOp : StableHLO_InferredOp<"compare",
    [Pure, StableHLO_ElementwiseOp]> {
  let summary = "whether two elements stand in a relation";
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins
    "::mlir::Value":$lhs, "::mlir::Value":$rhs,
    "::partita::stablehlo::ComparisonDirection":$direction,
    CArg<"::partita::stablehlo::ComparisonType",
         "::partita::stablehlo::ComparisonType::NOTYPE">:$type)>];
}
def StableHLO_SelectOp : StableHLO_InferredOp<"select",
    [Pure, StableHLO_ScalarBroadcastElementwiseOp]> {
  let summary = "on_true where pred holds, on_false elsewhere";
  let arguments = (ins
    StableHLO_PredTensor:$pred,
    StableHLO_Tensor:$on_true,
    StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
}
def StableHLO_ClampOp : StableHLO_InferredOp<"clamp",
    [Pure, StableHLO_ScalarBroadcastElementwiseOp, StableHLO_SameElementTypes]> {
  let summary = "operand confined to [min, max]";
  let arguments = (ins
    StableHLO_Tensor:$min, StableHLO_Tensor:$operand, StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
    `:` custom<SameTypes>(type($min), type($operand), type($max), type($result))
  }];
}

#endif // PARTITA_DIALECTS_STABLEHLO_ELEMENTWISEOPS_TD
