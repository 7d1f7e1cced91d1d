// The chlo dialect: functions above StableHLO that JAX emits. Its tensors and
// the elementwise trait are those of StableHLO.
#ifndef PARTITA_DIALECTS_CHLO_BASE
#define PARTITA_DIALECTS_CHLO_BASE

include "dialects/StableHLO/StableHLOBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::partita::chlo";
  let summary = "Functions above StableHLO: erf, top_k, ragged_dot, ...";
  let description = [{
    Text-compatible with the public chlo dialect. The ops stay whole until
    lowering: sharding rules and kernels see `chlo.erf`, not its polynomial.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class CHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::partita::chlo";
}

def CHLO_ComparisonDirection : CHLO_Enum<"ComparisonDirection",
    "relation that a comparison tests", [
      I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
      I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
      I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : EnumAttr<CHLO_Dialect, CHLO_ComparisonDirection, "comparison_direction">;

def CHLO_ComparisonType : CHLO_Enum<"ComparisonType",
    "order in which a comparison is made", [
      I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
      I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
      I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr
    : EnumAttr<CHLO_Dialect, CHLO_ComparisonType, "comparison_type">;

def CHLO_Precision : CHLO_Enum<"Precision",
    "precision asked of a contraction's operand", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
      I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr
    : EnumAttr<CHLO_Dialect, CHLO_Precision, "precision">;
def CHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<CHLO_PrecisionAttr, "one precision per operand">;

def CHLO_RaggedDotDimensionNumbersAttr
    : AttrDef<CHLO_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "Roles of the dimensions of a ragged dot";
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$lhsBatching,
    OptionalArrayRefParameter<"int64_t">:$rhsBatching,
    OptionalArrayRefParameter<"int64_t">:$lhsContracting,
    OptionalArrayRefParameter<"int64_t">:$rhsContracting,
    OptionalArrayRefParameter<"int64_t">:$lhsRagged,
    OptionalArrayRefParameter<"int64_t">:$rhsGroup);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Op bases
//===----------------------------------------------------------------------===//

class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<CHLO_Dialect, mnemonic, traits>;

/// An op whose result types follow from its operands and attributes; the
/// interface's verifier compares them.
class CHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : CHLO_Op<mnemonic, traits # [InferTypeOpAdaptor]> {
  string compatibleTypes = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatibleTypes(inferred, given);
    }
  }];
  let extraClassDeclaration = compatibleTypes;
}

/// A pointwise op whose result has the type of its operands.
class CHLO_SameTypeOp<string mnemonic, list<Trait> traits = []>
    : CHLO_Op<mnemonic, traits # [
        Pure, StableHLO_ElementwiseOp, StableHLO_SameElementTypes,
        InferTypeOpInterface]> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatibleTypes(inferred, given);
    }
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

class CHLO_UnaryOp<string mnemonic, Type type = StableHLO_FpOrComplexTensor>
    : CHLO_SameTypeOp<mnemonic> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CHLO_BinaryOp<string mnemonic, Type type, string lhs, string rhs,
                    list<Trait> traits = []>
    : CHLO_SameTypeOp<mnemonic, traits> {
  let arguments = !dag(ins, [type, type], [lhs, rhs]);
  let results = (outs type:$result);
  let assemblyFormat = "$" # lhs # " `,` $" # rhs # " attr-dict `:` type($" #
                       lhs # ") `,` type($" # rhs # ") `->` type($result)";
}

/// A binary op whose operands are broadcast against each other, as NumPy does
/// or by `broadcast_dimensions` of the operand of lower rank.
class CHLO_BroadcastBinaryOp<string mnemonic, Type type = StableHLO_Tensor,
                             Type resultType = type, list<Trait> traits = []>
    : CHLO_InferredOp<mnemonic, traits # [Pure]> {
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

#endif
