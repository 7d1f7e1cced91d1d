// The interpreter dialect: how a test runs programs on several devices.
#ifndef PARTITA_DIALECTS_CHECK_INTERPRETEROPS
#define PARTITA_DIALECTS_CHECK_INTERPRETEROPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::partita::interpreter";
  let summary = "Running and looking into test programs (test only)";
}

class Interpreter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Interpreter_Dialect, mnemonic, traits>;

def Interpreter_ProgramGridAttr
    : TypedArrayAttrBase<FlatSymbolRefArrayAttr, "rows of function symbols">;

def Interpreter_RunParallelOp : Interpreter_Op<"run_parallel"> {
  let summary = "Runs a grid of programs, one per process";
  let description = [{
    `programs[replica][partition]` names the function of a process. The operands
    are those of all processes in row order, and so are the results. The
    functions in `infeed`, in order, give what the infeeds of the processes take.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$infeed,
                       Interpreter_ProgramGridAttr:$programs);
  let results = (outs Variadic<AnyType>:$results);
  let hasVerifier = 1;
}

def Interpreter_PrintOp : Interpreter_Op<"print"> {
  let summary = "Prints the operand";
  let arguments = (ins AnyRankedTensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Interpreter_ProbeOp : Interpreter_Op<"probe", [SameOperandsAndResultType]> {
  let summary = "Stores the operand under a name and passes it on";
  let arguments = (ins AnyRankedTensor:$operand, StrAttr:$probe_id);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $operand `,` `probe_id` `=` $probe_id attr-dict `:` type($result)
  }];
}

#endif
