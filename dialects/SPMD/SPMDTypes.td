// Types of the spmd dialect.
#ifndef PARTITA_DIALECTS_SPMD_TYPES
#define PARTITA_DIALECTS_SPMD_TYPES

include "dialects/SPMD/SPMDBase.td"

def SPMD_FutureType : TypeDef<SPMD_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "The values of a collective that has been started";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

#endif
