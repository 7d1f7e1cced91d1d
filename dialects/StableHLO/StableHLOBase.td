//===- StableHLOBase.td - dialect, type constraints, base classes ---------===//
//
// The dialect itself and what every op family shares: type constraints, traits
// and the op base class. The text form is that of the public StableHLO
// specification; the definitions are ours.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_BASE_TD
#define PARTITA_DIALECTS_STABLEHLO_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::partita::stablehlo";
  let summary = "Array programs as JAX and other frameworks print them";
  let description = [{
    Our own definition of the public StableHLO op set, compatible with its text
    (pretty and generic form). It knows nothing of meshes or shardings.
  }];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// By hand, for the short form `#stablehlo.bounds<...>`.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

//===----------------------------------------------------------------------===//
// Type constraints. The predicates are functions, so that the generated code
// of 115 ops stays small; the first argument is a union of ElementKind bits.
//===----------------------------------------------------------------------===//

class StableHLO_TensorOf<int kinds, string text>
    : Type<CPred<"::partita::stablehlo::isTensorOf($_self, " # kinds # ")">,
           "ranked tensor of " # text, "::mlir::RankedTensorType">;
class StableHLO_TensorOfRank<int kinds, int rank, string text>
    : Type<CPred<"::partita::stablehlo::isTensorOf($_self, " # kinds # ", " #
                 rank # ")">,
           rank # "-dimensional tensor of " # text, "::mlir::RankedTensorType">;

// Bits: 1 boolean, 2 integer, 4 float, 8 complex, 16 quantized, 32 index.
def StableHLO_Tensor : StableHLO_TensorOf<31,
    "boolean, integer, float, complex or quantized elements">;
def StableHLO_PredTensor : StableHLO_TensorOf<1, "boolean elements">;
def StableHLO_IntTensor : StableHLO_TensorOf<2, "integer elements">;
def StableHLO_PredOrIntTensor : StableHLO_TensorOf<3,
    "boolean or integer elements">;
def StableHLO_FpTensor : StableHLO_TensorOf<4, "float elements">;
def StableHLO_IntOrFpTensor : StableHLO_TensorOf<6,
    "integer or float elements">;
def StableHLO_PredIntOrFpTensor : StableHLO_TensorOf<7,
    "boolean, integer or float elements">;
def StableHLO_ComplexTensor : StableHLO_TensorOf<8, "complex elements">;
def StableHLO_FpOrComplexTensor : StableHLO_TensorOf<12,
    "float or complex elements">;
def StableHLO_QuantizedTensor : StableHLO_TensorOf<16, "quantized elements">;
def StableHLO_FpOrQuantizedTensor : StableHLO_TensorOf<20,
    "float or quantized elements">;
def StableHLO_FpComplexOrQuantizedTensor : StableHLO_TensorOf<28,
    "float, complex or quantized elements">;
def StableHLO_IntFpComplexOrQuantizedTensor : StableHLO_TensorOf<30,
    "integer, float, complex or quantized elements">;
def StableHLO_IndexOrIntTensor : StableHLO_TensorOf<34,
    "index or integer elements">;

def StableHLO_ScalarTensor : StableHLO_TensorOfRank<31, 0,
    "boolean, integer, float, complex or quantized elements">;
def StableHLO_ScalarIntTensor : StableHLO_TensorOfRank<2, 0,
    "integer elements">;
def StableHLO_ScalarPredIntOrFpTensor : StableHLO_TensorOfRank<7, 0,
    "boolean, integer or float elements">;
def StableHLO_VectorFpTensor : StableHLO_TensorOfRank<20, 1,
    "float or quantized elements">;
def StableHLO_IndexVector : StableHLO_TensorOfRank<34, 1,
    "index or integer elements">;
def StableHLO_ShapeTensor
    : Type<CPred<"::partita::stablehlo::isShapeTensor($_self)">,
           "1-dimensional tensor of known size of index or integer elements",
           "::mlir::RankedTensorType">;

def StableHLO_I32Tensor
    : Type<CPred<"::partita::stablehlo::isTensorOfWidth($_self, 32, false)">,
           "ranked tensor of i32 elements", "::mlir::RankedTensorType">;
def StableHLO_UI32Tensor
    : Type<CPred<"::partita::stablehlo::isTensorOfWidth($_self, 32, true)">,
           "ranked tensor of ui32 elements", "::mlir::RankedTensorType">;

def StableHLO_TokenValue
    : Type<CPred<"::llvm::isa<::partita::stablehlo::TokenType>($_self)">,
           "token", "::partita::stablehlo::TokenType">;
def StableHLO_FutureValue
    : Type<CPred<"::llvm::isa<::partita::stablehlo::FutureType>($_self)">,
           "future", "::partita::stablehlo::FutureType">;
def StableHLO_TupleValue
    : Type<CPred<"::llvm::isa<::mlir::TupleType>($_self)">, "tuple",
           "::mlir::TupleType">;
/// What may flow through control flow: tensors, tokens and buffers.
def StableHLO_TensorOrToken
    : Type<CPred<"::partita::stablehlo::isTensorTokenOrBuffer($_self)">,
           "ranked tensor, token or buffer">;
/// What custom calls, composites and tuples take: any of the above, nested
/// tuples, unranked tensors and futures.
def StableHLO_AnyValue
    : Type<CPred<"::partita::stablehlo::isAnyValue($_self)">,
           "tensor, token, buffer, future or tuple of these">;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

class StableHLO_NativeTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::partita::stablehlo";
}
/// All tensor operands and results have one shape, and each result element
/// depends on the operand elements at its own index only.
def StableHLO_ElementwiseOp : StableHLO_NativeTrait<"ElementwiseOp">;
/// As ElementwiseOp, but an operand may also be of rank 0, used at each index.
def StableHLO_ScalarBroadcastElementwiseOp
    : StableHLO_NativeTrait<"ScalarBroadcastElementwiseOp">;
/// All operands and results have one element type.
def StableHLO_SameElementTypes : StableHLO_NativeTrait<"SameElementTypes">;
/// Results are those of the operation that every process of a group executes.
def StableHLO_CollectiveOp : StableHLO_NativeTrait<"CollectiveOp">;

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//

// Formats write `` before an enum: its printer emits the space itself.
class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits> {
  /// Inferred and given result types are compatible when their known sizes
  /// agree; encodings are not compared.
  string compatibleTypes = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatibleTypes(inferred, given);
    }
  }];
}

/// An op whose result types follow from its operands and attributes. `verify`
/// runs the same inference and compares size by size.
class StableHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [InferTypeOpAdaptor]> {
  let extraClassDeclaration = compatibleTypes;
  let hasVerifier = 1;
}

#endif // PARTITA_DIALECTS_STABLEHLO_BASE_TD
