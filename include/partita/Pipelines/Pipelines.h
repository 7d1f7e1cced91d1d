// The one place where pass order is written.
#ifndef PARTITA_PIPELINES_PIPELINES_H
#define PARTITA_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include <memory>
#include <optional>
#include <string>

namespace partita {

class PlanTrace;

/// Points at which compilation can stop. Each ends in a verifier pass; the next
/// may assume what it checks.
enum class Phase {
  Imported,
  Propagated,
  Placed,
  Partitioned,
  Optimized,
  Lowered
};

/// The phase called `name` ("imported", ...); none if there is no such phase.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// Options of the whole pipeline, `--partita="to=optimized machine=cpu"`.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> to{*this, "to",
                         llvm::cl::desc("phase at which to stop: imported, "
                                        "propagated, placed, partitioned, "
                                        "optimized, lowered (to LLVM)"),
                         llvm::cl::init("optimized")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc(
          "what 'lowered' is for: cpu, or nvptx (kernels as NVVM in a "
          "gpu.module, the host's part in LLVM)"),
      llvm::cl::init("cpu")};
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("GPU of target=nvptx: sm_80, sm_86, sm_89, sm_90, sm_90a"),
      llvm::cl::init("sm_90")};
  Option<std::string> machine{
      *this, "machine",
      llvm::cl::desc("what prices are for: tpu-v4, tpu-v5e, tpu-v5p, tpu-v6e, "
                     "a100-, h100-, h200- or b200-nvlink, cpu; figures of its "
                     "own after commas: cpu,launch=9e-5,link=1e9 (flops, "
                     "flops32, memory, link: per second; latency, launch, "
                     "kernel: seconds; overlap=on or off; KIND-launch, "
                     "KIND-latency, KIND-link: of one kind of collective)"),
      llvm::cl::init("tpu-v5e")};
  Option<std::string> objective{
      *this, "objective", llvm::cl::desc("what plans minimise: time, bytes"),
      llvm::cl::init("time")};
  Option<std::string> async{
      *this, "async",
      llvm::cl::desc("whether collectives overlap with work: auto (as the "
                     "machine does; not on cpu), on or off"),
      llvm::cl::init("auto")};
  Option<bool> collectiveMatmul{
      *this, "collective-matmul",
      llvm::cl::desc("take gathers and scatters apart into ring steps beside "
                     "the contractions that read or feed them, where that is "
                     "faster on a machine whose collectives overlap with work"),
      llvm::cl::init(false)};
  Option<int64_t> haloDepth{
      *this, "halo-depth",
      llvm::cl::desc("trips of a loop that share one exchange of halos: 0 (as "
                     "the cost model says), 1 (none), or more where possible"),
      llvm::cl::init(0)};
  Option<std::string> results{
      *this, "results",
      llvm::cl::desc("layouts of results that no user sharded: free (chosen by "
                     "cost, in even blocks), uneven (in any blocks) or "
                     "propagated"),
      llvm::cl::init("free")};
  Option<std::string> arguments{
      *this, "arguments",
      llvm::cl::desc(
          "layouts of arguments that no user sharded: propagated, or "
          "free (chosen by cost)"),
      llvm::cl::init("propagated")};
  Option<std::string> constraints{
      *this, "constraints",
      llvm::cl::desc("sharding constraints: kept, or hints (a cheaper plan "
                     "overrides them)"),
      llvm::cl::init("kept")};
  Option<int64_t> memoryLimit{
      *this, "memory-limit",
      llvm::cl::desc("bytes that one device may take at its peak: arguments, "
                     "results and temporaries; 0: no limit"),
      llvm::cl::init(0)};
  Option<std::string> unevenIO{
      *this, "uneven-io",
      llvm::cl::desc("signature shardings that do not divide: refuse or pad"),
      llvm::cl::init("refuse")};
  Option<std::string> checkReplication{
      *this, "check-rep",
      llvm::cl::desc("manual results declared replicated that may differ: auto "
                     "(an error where no communication reaches the value), "
                     "error or warn"),
      llvm::cl::init("auto")};
};

/// Reads `text`, `to=... machine=...`, into `options`. An unknown option or
/// value fails through `errorHandler`, whose message ends in "; fix: ...".
mlir::LogicalResult parsePipelineOptions(
    llvm::StringRef text, PipelineOptions &options,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> errorHandler);

/// As above, for a tool that compiles to *optimized*: errors go to standard
/// error, and another `to=` is one of them.
mlir::LogicalResult readPipelineOptions(llvm::StringRef text,
                                        PipelineOptions &options);

/// Adds every pass up to `options.to`. Fails, through `errorHandler`, on
/// unknown values, before any pass is added. `trace` takes down why the plan is
/// as it is; without it, that is done for remarks alone.
mlir::LogicalResult buildPipeline(
    mlir::OpPassManager &pm, const PipelineOptions &options,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> errorHandler,
    std::shared_ptr<PlanTrace> trace = nullptr);

/// Registers `--partita` and its short form `--partita-to=PHASE`.
void registerPipelines();

} // namespace partita

#endif
