// ORC's linker alone: no compiler is behind it, objects are added as they are.

#include "Linker.h"
#include "partita/Runtime/World.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace partita {

LinkedCode::LinkedCode() = default;
LinkedCode::~LinkedCode() = default;

static llvm::Error addSymbols(llvm::orc::LLJIT &jit,
                              const SymbolTableEntries &symbols) {
  llvm::orc::SymbolMap map;
  for (const SymbolTableEntries *list : {&runtime::getSymbols(), &symbols})
    for (auto [name, address] : *list)
      map[jit.mangleAndIntern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(map)));
}

static llvm::Error linkObjects(MachineCode &code,
                               const SymbolTableEntries &symbols,
                               LinkedCode &linked) {
  if (llvm::Error error = addSymbols(*linked.jit, symbols))
    return error;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : code.objects)
    if (llvm::Error error = linked.jit->addObjectFile(std::move(object)))
      return error;
  auto entry = linked.jit->lookup(kEntryName);
  if (!entry)
    return entry.takeError();
  linked.entry = entry->toPtr<void (*)(void **)>();
  return llvm::Error::success();
}

std::string link(MachineCode &code,
                 const llvm::orc::JITTargetMachineBuilder &target,
                 const SymbolTableEntries &symbols, LinkedCode &linked) {
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(target)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return llvm::toString(jit.takeError());
  linked.jit = std::move(*jit);
  // Which symbol is missing is known to the reporter alone.
  std::string reported;
  linked.jit->getExecutionSession().setErrorReporter([&](llvm::Error error) {
    reported += llvm::toString(std::move(error)) + "; ";
  });
  llvm::Error error = linkObjects(code, symbols, linked);
  std::string message = error ? llvm::toString(std::move(error)) : "";
  linked.jit->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  return message.empty() ? "" : reported + message;
}

} // namespace partita
