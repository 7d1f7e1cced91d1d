// The pipeline from what JAX prints to the program of every device.
//
//   imported     only func, StableHLO, CHLO, spmd; one function per call site
//   propagated   every ranked value outside op bodies has a sharding
//   placed       each op conflict-free; all differences are spmd.reshard
//   partitioned  local shapes; collectives
//   optimized    collectives simplified, hoisted, combined, started early
//   lowered      the LLVM dialect and calls of the runtime; kernels as
//   functions
//                (target=cpu) or as NVVM (target=nvptx)

#include "partita/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "partita/Import/Passes.h"
#include "partita/Report/Passes.h"
#include "partita/Sharding/CostModel.h"
#include "partita/Target/CPU/Passes.h"
#include "partita/Target/GPU/Passes.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "partita/Transforms/Fold/Passes.h"
#include "partita/Transforms/Partition/Passes.h"
#include "partita/Transforms/Placement/Passes.h"
#include "partita/Transforms/Propagation/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {

std::optional<Phase> parsePhase(StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("imported", Phase::Imported)
      .Case("propagated", Phase::Propagated)
      .Case("placed", Phase::Placed)
      .Case("partitioned", Phase::Partitioned)
      .Case("optimized", Phase::Optimized)
      .Case("lowered", Phase::Lowered)
      .Default(std::nullopt);
}

using ErrorHandler = function_ref<LogicalResult(const Twine &)>;

static FailureOr<ImportOptions> getImportOptions(const PipelineOptions &options,
                                                 ErrorHandler errorHandler) {
  auto unevenIO = llvm::StringSwitch<std::optional<UnevenIO>>(options.unevenIO)
                      .Case("refuse", UnevenIO::Refuse)
                      .Case("pad", UnevenIO::Pad)
                      .Default(std::nullopt);
  auto check = llvm::StringSwitch<std::optional<ReplicationCheck>>(
                   options.checkReplication)
                   .Case("auto", ReplicationCheck::Auto)
                   .Case("error", ReplicationCheck::Error)
                   .Case("warn", ReplicationCheck::Warn)
                   .Default(std::nullopt);
  if (!unevenIO)
    return errorHandler("unknown uneven-io '" + options.unevenIO +
                        "'; fix: use refuse or pad");
  if (!check)
    return errorHandler("unknown check-rep '" + options.checkReplication +
                        "'; fix: use auto, error or warn");
  return ImportOptions{*unevenIO, *check};
}

/// Devices of real machines compute while links are busy; the threads that
/// stand for devices on a CPU do both by themselves.
static bool overlapsCommunication(const PipelineOptions &options) {
  if (options.async != "auto")
    return options.async == "on";
  std::optional<Machine> machine =
      parseMachine(options.machine, [](const Twine &, const Twine &) {});
  return machine && machine->overlaps;
}

static LogicalResult checkCostOptions(const PipelineOptions &options,
                                      ErrorHandler errorHandler) {
  auto onWrongMachine = [&](const Twine &problem, const Twine &fix) {
    (void)errorHandler(problem + "; fix: " + fix);
  };
  if (!parseMachine(options.machine, onWrongMachine))
    return failure();
  if (options.objective != "time" && options.objective != "bytes")
    return errorHandler("unknown objective '" + options.objective +
                        "'; fix: use time or bytes");
  if (!llvm::is_contained({"free", "uneven", "propagated"}, options.results))
    return errorHandler("unknown results '" + options.results +
                        "'; fix: use free, uneven or propagated");
  if (options.arguments != "free" && options.arguments != "propagated")
    return errorHandler("unknown arguments '" + options.arguments +
                        "'; fix: use free or propagated");
  if (options.constraints != "kept" && options.constraints != "hints")
    return errorHandler("unknown constraints '" + options.constraints +
                        "'; fix: use kept or hints");
  if (options.async != "auto" && options.async != "on" &&
      options.async != "off")
    return errorHandler("unknown async '" + options.async +
                        "'; fix: use auto, on or off");
  if (options.haloDepth < 0)
    return errorHandler("halo-depth is " + Twine(options.haloDepth) +
                        "; fix: use 0 (by cost), 1 (none) or more");
  if (options.collectiveMatmul && !overlapsCommunication(options))
    return errorHandler("collective-matmul puts communication beside work, but "
                        "collectives do not overlap with work on machine '" +
                        options.machine + "' with async=" + options.async +
                        "; fix: use async=on");
  return success();
}

static LogicalResult checkTarget(const PipelineOptions &options,
                                 ErrorHandler errorHandler) {
  if (options.target != "cpu" && options.target != "nvptx")
    return errorHandler("unknown target '" + options.target +
                        "'; fix: use cpu or nvptx");
  if (!isSupportedChip(options.chip))
    return errorHandler("unknown chip '" + options.chip +
                        "'; fix: use sm_80, sm_86, sm_89, sm_90 or sm_90a");
  return success();
}

LogicalResult parsePipelineOptions(StringRef text, PipelineOptions &options,
                                   ErrorHandler errorHandler) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(options.parseFromString(text, os)))
    return errorHandler(
        "cannot read the pipeline options '" + text +
        "': " + StringRef(message).trim() +
        "; fix: use to, target, chip, machine, objective, async, "
        "collective-matmul, halo-depth, results, arguments, constraints, "
        "memory-limit, "
        "uneven-io, check-rep, each as name=value");
  if (!parsePhase(options.to))
    return errorHandler("unknown phase '" + options.to +
                        "'; fix: use imported, propagated, placed, "
                        "partitioned, optimized or lowered");
  if (failed(getImportOptions(options, errorHandler)))
    return failure();
  if (failed(checkTarget(options, errorHandler)))
    return failure();
  return checkCostOptions(options, errorHandler);
}

LogicalResult readPipelineOptions(StringRef text, PipelineOptions &options) {
  auto report = [](const Twine &message) -> LogicalResult {
    std::string text = message.str();
    auto [what, fix] = StringRef(text).split("; fix: ");
    llvm::errs() << "error: --partita: " << what << "\n"
                 << "note: fix: " << fix << "\n";
    return failure();
  };
  if (failed(parsePipelineOptions(text, options, report)))
    return failure();
  if (parsePhase(options.to) == Phase::Optimized)
    return success();
  return report(
      "this tool needs phase optimized, not '" + options.to +
      "'; fix: leave out 'to', or use partita-opt to look at a phase");
}

using Trace = std::shared_ptr<PlanTrace>;

static void addPropagation(OpPassManager &pm, const Trace &trace) {
  pm.addPass(trace ? createPropagateShardingsPass(trace)
                   : createPropagateShardingsPass());
  pm.addPass(createVerifyPropagatedPass());
}

static void addPlacement(OpPassManager &pm, const PipelineOptions &options,
                         const Trace &trace) {
  PlaceReshardsPassOptions placement;
  placement.machine = options.machine;
  placement.objective = options.objective;
  placement.results = options.results;
  placement.arguments = options.arguments;
  placement.constraints = options.constraints;
  placement.memoryLimit = options.memoryLimit;
  pm.addPass(createFoldConstantsPass());
  pm.addPass(createRewriteMovementPass());
  pm.addPass(createRemoveDeadOpsPass());
  pm.addPass(createWidenSumsPass());
  pm.addPass(createMarkFreeLoopsPass());
  pm.addPass(trace ? createPlaceReshardsPass(placement, trace)
                   : createPlaceReshardsPass(placement));
  pm.addPass(createVerifyPlacedPass());
}

static void addPartition(OpPassManager &pm, const PipelineOptions &options) {
  PartitionPassOptions partition;
  partition.machine = options.machine;
  partition.objective = options.objective;
  partition.checkPlaced = false;
  pm.addPass(createPartitionPass(partition));
  pm.addPass(createFreeLoopsPass());
  pm.addPass(createMergeFunctionsPass());
  pm.addPass(createVerifyPartitionedPass());
}

/// `options` of one of the passes, by the cost model of the pipeline.
template <typename PassOptions>
static PassOptions makeCosted(const PipelineOptions &options) {
  PassOptions result;
  result.machine = options.machine;
  result.objective = options.objective;
  return result;
}

static void addCollectiveOpt(OpPassManager &pm,
                             const PipelineOptions &options) {
  // A started collective holds its buffers for longer: not where placement has
  // just kept the program to a limit.
  bool overlap = overlapsCommunication(options) && options.memoryLimit == 0;
  pm.addPass(createInlineCommunicatingCallsPass());
  auto halos = makeCosted<DeepenHalosPassOptions>(options);
  // Ghost zones take memory, too.
  halos.depth = options.memoryLimit > 0 ? 1 : options.haloDepth;
  pm.addPass(createDeepenHalosPass(halos));
  pm.addPass(createCSEPass());
  auto hoist = makeCosted<HoistCollectivesPassOptions>(options);
  if (options.memoryLimit > 0)
    hoist.memorySlack = 0;
  pm.addPass(createHoistCollectivesPass(hoist));
  pm.addPass(createPeelDeadPermutesPass(
      makeCosted<PeelDeadPermutesPassOptions>(options)));
  pm.addPass(createSimplifyCollectivesPass(
      makeCosted<SimplifyCollectivesPassOptions>(options)));
  pm.addPass(createSinkReadersPass());
  // Not before: a step's work would sink to the end of the ring.
  if (options.collectiveMatmul)
    pm.addPass(createDecomposeCollectiveMatmulsPass(
        makeCosted<DecomposeCollectiveMatmulsPassOptions>(options)));
  auto combine = makeCosted<CombineCollectivesPassOptions>(options);
  combine.wait = overlap;
  if (options.memoryLimit > 0)
    combine.maxBytes = std::min(combine.maxBytes, options.memoryLimit / 50);
  pm.addPass(createCombineCollectivesPass(combine));
  if (overlap)
    pm.addPass(createSplitCollectivesPass(
        makeCosted<SplitCollectivesPassOptions>(options)));
  pm.addPass(createVerifyOptimizedPass());
}

LogicalResult buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                            ErrorHandler errorHandler,
                            std::shared_ptr<PlanTrace> trace) {
  std::optional<Phase> to = parsePhase(options.to);
  if (!to)
    return errorHandler("unknown phase '" + options.to +
                        "'; fix: use imported, propagated, placed, "
                        "partitioned, optimized or lowered");
  FailureOr<ImportOptions> import = getImportOptions(options, errorHandler);
  if (failed(import) || failed(checkCostOptions(options, errorHandler)) ||
      failed(checkTarget(options, errorHandler)))
    return failure();
  buildImportPipeline(pm, *import);
  // Remarks on collectives want the reasons too; the trace sees at run time
  // whether anyone listens.
  bool remarks = *to >= Phase::Optimized && !trace;
  if (remarks)
    trace = std::make_shared<PlanTrace>();
  if (*to >= Phase::Propagated)
    addPropagation(pm, trace);
  if (*to >= Phase::Placed)
    addPlacement(pm, options, trace);
  if (*to >= Phase::Partitioned)
    addPartition(pm, options);
  if (*to >= Phase::Optimized)
    addCollectiveOpt(pm, options);
  if (*to >= Phase::Partitioned && options.memoryLimit > 0) {
    VerifyMemoryPassOptions memory;
    memory.limit = options.memoryLimit;
    pm.addPass(createVerifyMemoryPass(memory));
  }
  if (remarks)
    pm.addPass(createRemarkCollectivesPass({options.machine}, trace));
  if (*to >= Phase::Lowered)
    options.target == "cpu" ? buildCPULowering(pm)
                            : buildGPULowering(pm, options.chip);
  return success();
}

void registerPipelines() {
  // Not PassPipelineRegistration: its builder cannot fail.
  registerPassPipeline(
      "partita", "From what JAX prints to the program of every device",
      [](OpPassManager &pm, StringRef text, ErrorHandler errorHandler) {
        PipelineOptions options;
        if (failed(parsePipelineOptions(text, options, errorHandler)))
          return failure();
        return buildPipeline(pm, options, errorHandler);
      },
      [](function_ref<void(const detail::PassOptions &)> describe) {
        describe(PipelineOptions());
      });
  registerPassPipeline(
      "partita-to", "Short form of --partita=\"to=PHASE\"",
      [](OpPassManager &pm, StringRef phase, ErrorHandler errorHandler) {
        PipelineOptions options;
        options.to = phase.str();
        return buildPipeline(pm, options, errorHandler);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

} // namespace partita
