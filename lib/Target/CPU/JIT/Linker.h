// Objects linked into this process.
#ifndef PARTITA_TARGET_CPU_JIT_LINKER_H
#define PARTITA_TARGET_CPU_JIT_LINKER_H

#include "MachineCode.h"
#include "partita/Target/CPU/JIT.h"

namespace llvm::orc {
class LLJIT;
}

namespace partita {

/// Code in this process; gone with its owner.
struct LinkedCode {
  LinkedCode();
  ~LinkedCode();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(void **) = nullptr;
};

/// Links `code` with the runtime, `symbols` and this process. Returns what is
/// wrong, "" if nothing. Takes the objects.
std::string link(MachineCode &code,
                 const llvm::orc::JITTargetMachineBuilder &target,
                 const SymbolTableEntries &symbols, LinkedCode &linked);

} // namespace partita

#endif
