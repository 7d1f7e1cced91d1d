// NumPy's .npz archives: zip files of .npy arrays, stored or deflated.
#ifndef PARTITA_TOOLS_RUN_NPZ_H
#define PARTITA_TOOLS_RUN_NPZ_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace partita {

struct NpyArray {
  std::string name;  ///< without ".npy"
  std::string dtype; ///< NumPy's type string, e.g. "<f4"
  llvm::SmallVector<int64_t> shape;
  std::vector<char> bytes; ///< row major
};

/// All arrays of the archive, in the order of its directory.
llvm::Expected<std::vector<NpyArray>> readNpz(llvm::StringRef path);

/// Writes an uncompressed archive; replaces the file only when all is written.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NpyArray> arrays);

} // namespace partita

#endif
