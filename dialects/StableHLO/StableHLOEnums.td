//===- StableHLOEnums.td - enumerations and their attributes --------------===//
//
// Text form `#stablehlo<precision DEFAULT>`; the version of a custom call is
// the exception, a plain i32.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_ENUMS_TD
#define PARTITA_DIALECTS_STABLEHLO_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "dialects/StableHLO/StableHLOBase.td"

class StableHLO_Enum<string name, string summary,
                     list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::partita::stablehlo";
}

def StableHLO_Precision : StableHLO_Enum<"Precision",
    "precision asked of a contraction's operand", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
      I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr,
                         "one precision per operand">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode",
    "how a function's accuracy is asked for", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
      I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ResultAccuracyMode,
               "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def StableHLO_FftType : StableHLO_Enum<"FftType", "kind of Fourier transform", [
      I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
      I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_FftType, "fft_type">;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection",
    "relation that a comparison tests", [
      I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
      I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
      I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ComparisonDirection,
               "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType",
    "order in which a comparison is made", [
      I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
      I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
      I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ComparisonType, "comparison_type">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose",
    "how the matrix of a triangular solve is read", [
      I32EnumAttrCase<"TRANSPOSE_INVALID", 0>,
      I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
      I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Transpose, "transpose">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution",
    "distribution of random numbers", [
      I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_RngDistribution,
               "rng_distribution">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm",
    "algorithm that makes random bits", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
      I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_RngAlgorithm, "rng_algorithm">;

def StableHLO_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion",
    "calling convention of a custom call", [
      I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
      I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
      I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::partita::stablehlo";
}

#endif // PARTITA_DIALECTS_STABLEHLO_ENUMS_TD
