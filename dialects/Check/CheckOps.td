// The check dialect: what a test program expects of its values.
#ifndef PARTITA_DIALECTS_CHECK_CHECKOPS
#define PARTITA_DIALECTS_CHECK_CHECKOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::partita::check";
  let summary = "Expectations of test programs (test only)";
  let description = [{
    Text-compatible with the ops that StableHLO's and Shardy's executable tests
    use. The evaluator carries them out; no pass touches them, and none of them
    is pure, so that no pass drops one.
  }];
}

class Check_Op<string mnemonic, list<Trait> traits = []>
    : Op<Check_Dialect, mnemonic, traits>;

def Check_FloatTensor : RankedTensorOf<[AnyFloat, AnyComplex]>;

def Check_ExpectEqOp : Check_Op<"expect_eq", [SameTypeOperands]> {
  let summary = "The operands are equal, NaN differing from NaN";
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Check_ExpectEqConstOp : Check_Op<"expect_eq_const",
    [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "The operand equals the constant";
  let arguments = (ins AnyRankedTensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def Check_ExpectAlmostEqOp : Check_Op<"expect_almost_eq", [SameTypeOperands]> {
  let summary = "The operands differ by no more than the tolerance";
  let arguments = (ins Check_FloatTensor:$lhs, Check_FloatTensor:$rhs,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)
  }];
}

def Check_ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const",
    [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "The operand differs from the constant by no more than the tolerance";
  let arguments = (ins Check_FloatTensor:$lhs, ElementsAttr:$value,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict
  }];
}

def Check_ExpectCloseOp : Check_Op<"expect_close",
    [AllTypesMatch<["actual", "expected"]>]> {
  let summary = "The operands are within the given numbers of units in the last place";
  let arguments = (ins Check_FloatTensor:$actual, Check_FloatTensor:$expected,
                       DefaultValuedAttr<UI64Attr, "1">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<UI64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected `,` `max_ulp_difference` `=` $max_ulp_difference
    (`,` `min_ulp_difference` `=` $min_ulp_difference^)?
    `:` attr-dict type($actual) `,` type($expected)
  }];
  let hasVerifier = 1;
}

def Check_ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let summary = "The operand equals what a probe stored in the given iteration";
  let arguments = (ins AnyRankedTensor:$expected, StrAttr:$probe_id,
                       DefaultValuedOptionalAttr<UI32Attr, "0">:$iteration);
  let assemblyFormat = [{
    $expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iteration^)?
    attr-dict `:` type($expected)
  }];
}

#endif
