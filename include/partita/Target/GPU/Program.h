// Compiles a per-device program to GPU kernels and a host part, and runs it on
// the GPUs of this machine.
#ifndef PARTITA_TARGET_GPU_PROGRAM_H
#define PARTITA_TARGET_GPU_PROGRAM_H

#include "partita/Runtime/CUDA.h"
#include "partita/Target/CPU/JIT.h"

namespace partita {

struct GPUProgramOptions {
  /// Where the host part's machine code is kept between runs; "": nowhere.
  std::string cacheFolder;
  /// What kernels are made for; "": the card at hand.
  std::string chip;
  runtime::GPUTransport transport = runtime::GPUTransport::Automatic;
};

class GPUProgram {
public:
  /// Compiles `module`, at phase *optimized*, for `numDevices` devices; a copy
  /// is lowered. Without a GPU this is an error.
  static mlir::FailureOr<std::unique_ptr<GPUProgram>>
  compile(mlir::ModuleOp module, int64_t numDevices,
          const GPUProgramOptions &options = {});
  ~GPUProgram();

  /// Runs once: inputs are copied to the cards, outputs from them. Returns the
  /// first error, "" if none.
  std::string run(const std::vector<DevicePointers> &inputs,
                  const std::vector<DevicePointers> &outputs);

  /// Milliseconds of the last run without the copies in and out.
  double getRunMs() const;
  /// Bytes that kernels without a GPU form have copied between card and host.
  int64_t getHostBytes() const;
  const CompileReport &getReport() const;
  /// PTX of the kernels.
  const std::string &getImage() const;

private:
  GPUProgram();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace partita

#endif
