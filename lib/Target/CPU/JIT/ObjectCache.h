// Machine code on disk, by the content that it was made of.
#ifndef PARTITA_TARGET_CPU_JIT_OBJECTCACHE_H
#define PARTITA_TARGET_CPU_JIT_OBJECTCACHE_H

#include "MachineCode.h"
#include <optional>

namespace partita {

/// The hash of all that determines the machine code of `module`: its text
/// without locations, the name of the lowering, the machine, and the build of
/// this program. None if this build cannot be told from others.
std::optional<std::string>
computeCacheKey(mlir::ModuleOp module, llvm::StringRef lowering,
                const llvm::orc::JITTargetMachineBuilder &target);

/// A folder with one file per key. Any number of processes may use it at once.
/// Nothing here fails: what cannot be read is missing, what cannot be written
/// is left out.
class ObjectCache {
public:
  /// `folder` empty: caches nothing. `maxBytes` bounds the folder's size.
  explicit ObjectCache(llvm::StringRef folder, uint64_t maxBytes = uint64_t(1)
                                                                   << 30)
      : folder(folder), maxBytes(maxBytes) {}

  /// A damaged file is as good as none, and removed.
  std::optional<MachineCode> load(llvm::StringRef key) const;
  /// Appears under its name when complete. Removes the files not used for
  /// longest while the folder is too large.
  void store(llvm::StringRef key, const MachineCode &code) const;

private:
  std::string getPath(llvm::StringRef key) const;

  std::string folder;
  uint64_t maxBytes;
};

} // namespace partita

#endif
