// Compiles a module twice over (imported, optimized) and evaluates both.

#include "Program.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Target/GPU/Passes.h"
#include <chrono>

using namespace mlir;

namespace partita {

func::FuncOp Program::getImportedMain() {
  return imported->lookupSymbol<func::FuncOp>("main");
}
func::FuncOp Program::getOptimizedMain() {
  return optimized->lookupSymbol<func::FuncOp>("main");
}

/// Keeps stages in `stages` unless that is null.
static LogicalResult runPipeline(ModuleOp module, PipelineOptions &options,
                                 StringRef to,
                                 std::vector<Stage> *stages = nullptr) {
  PassManager pm(module.getContext());
  pm.enableVerifier(true);
  if (stages)
    keepStages(pm, module, *stages);
  options.to = to.str();
  if (failed(buildPipeline(pm, options, [&](const Twine &message) {
        return LogicalResult(module.emitError(message));
      })))
    return failure();
  return pm.run(module);
}

/// The ports of main: types of the imported signature, layouts of the
/// partitioned one.
static void collectPorts(Program &program) {
  func::FuncOp whole = program.getImportedMain();
  func::FuncOp local = program.getOptimizedMain();
  auto makePort = [&](Type type, spmd::ShardingAttr sharding,
                      std::string name) {
    Port port{dyn_cast<RankedTensorType>(type), sharding, nullptr,
              std::move(name)};
    if (sharding)
      port.mesh = spmd::lookupMesh(local, sharding.getMesh());
    return port;
  };
  for (auto [index, type] : llvm::enumerate(whole.getArgumentTypes()))
    program.inputs.push_back(
        makePort(type, spmd::getSharding(local.getArgument(index)),
                 "argument #" + std::to_string(index)));
  for (auto [index, type] : llvm::enumerate(whole.getResultTypes())) {
    std::string name = "result #" + std::to_string(index);
    if (auto info =
            local.getResultAttrOfType<StringAttr>(index, "jax.result_info"))
      if (!info.getValue().empty())
        name += " (" + info.str() + ")";
    program.outputs.push_back(
        makePort(type, spmd::getResultSharding(local, index), name));
  }
}

FailureOr<Program> compileProgram(OwningOpRef<ModuleOp> module,
                                  const PipelineOptions &given,
                                  bool withStages) {
  PipelineOptions options;
  options.copyOptionValuesFrom(given);
  Program program;
  program.imported = module->clone();
  program.optimized = std::move(module);
  if (failed(runPipeline(*program.imported, options, "imported")))
    return failure();
  auto start = std::chrono::steady_clock::now();
  if (failed(runPipeline(*program.optimized, options, "optimized",
                         withStages ? &program.stages : nullptr)))
    return failure();
  program.compileMs = std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  program.devices = getDeviceCount(*program.optimized);
  collectPorts(program);
  for (const auto *ports : {&program.inputs, &program.outputs})
    for (const Port &port : *ports)
      if (!port.type) {
        InFlightDiagnostic diagnostic =
            program.getImportedMain().emitError()
            << port.name << " of main is no ranked tensor, so it can't be run";
        diagnostic.attachNote()
            << "fix: use ranked tensors in main's signature";
        return diagnostic;
      }
  return std::move(program);
}

FailureOr<Values> runWhole(func::FuncOp main, const Values &inputs,
                           std::shared_ptr<const Field> field) {
  EvaluatorOptions options;
  options.field = std::move(field);
  DeviceValues values;
  for (const Tensor &input : inputs)
    values.push_back({input});
  FailureOr<DeviceValues> results = evaluate(main, values, 1, options);
  if (failed(results))
    return failure();
  Values whole;
  for (auto &result : *results)
    whole.push_back(result[0]);
  return whole;
}

FailureOr<Values> runUnsharded(Program &program, const Values &inputs,
                               std::shared_ptr<const Field> field) {
  return runWhole(program.getImportedMain(), inputs, std::move(field));
}

LogicalResult compileToMachineCode(Program &program, CodeKind kind,
                                   StringRef cacheFolder) {
  auto start = std::chrono::steady_clock::now();
  auto stop = [&] {
    program.compileMs += std::chrono::duration<double, std::milli>(
                             std::chrono::steady_clock::now() - start)
                             .count();
    return success();
  };
  if (kind == CodeKind::GPU) {
    GPUProgramOptions options;
    options.cacheFolder = cacheFolder.str();
    FailureOr<std::unique_ptr<GPUProgram>> compiled =
        GPUProgram::compile(*program.optimized, program.devices, options);
    if (failed(compiled))
      return failure();
    program.gpu = std::move(*compiled);
    return stop();
  }
  CompileOptions options;
  options.cacheFolder = cacheFolder.str();
  if (kind == CodeKind::EmulatedGPU) {
    options.lowering = "gpu-emulate, scalar";
    options.buildLowering = buildGPUEmulation;
    // LLVM 22 reads a[i % 16] beyond 16 in a vectorised loop where the access
    // has a condition, as all of a kernel's have.
    options.vectorizesLoops = false;
  }
  FailureOr<std::unique_ptr<CompiledProgram>> compiled =
      CompiledProgram::compile(*program.optimized, options);
  if (failed(compiled))
    return failure();
  program.compiled = std::move(*compiled);
  return stop();
}

FailureOr<Values> runSharded(Program &program, func::FuncOp main,
                             const Values &inputs,
                             std::shared_ptr<const Field> field,
                             std::vector<ReplicaFault> &faults,
                             EvaluationObserver *observer) {
  EvaluatorOptions options;
  options.field = field;
  DeviceValues values;
  for (auto [input, port] : llvm::zip_equal(inputs, program.inputs))
    values.push_back(splitTensor(input, port.sharding, port.mesh,
                                 program.devices, field.get()));
  FailureOr<DeviceValues> results =
      evaluate(main, values, program.devices, options, observer);
  if (failed(results))
    return failure();
  Values whole;
  for (auto [index, port] : llvm::enumerate(program.outputs)) {
    std::optional<ReplicaMismatch> mismatch;
    whole.push_back(assembleTensor((*results)[index], port.type, port.sharding,
                                   port.mesh, field.get(), &mismatch));
    if (mismatch)
      faults.push_back({static_cast<unsigned>(index), *mismatch});
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Calls `run` as often as asked for and keeps the times.
static LogicalResult repeatRun(FloatRun &settings,
                               llvm::function_ref<LogicalResult()> run) {
  unsigned count = settings.repeat > 1 ? settings.repeat + 1 : 1;
  for (unsigned i = 0; i < count; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (failed(run()))
      return failure();
    if (i > 0 || count == 1)
      settings.milliseconds.push_back(
          std::chrono::duration<double, std::milli>(
              std::chrono::steady_clock::now() - start)
              .count());
  }
  return success();
}

/// Per port, the blocks of all devices.
using Blocks = std::vector<HostValues>;

/// Per device, where its blocks lie.
static std::vector<DevicePointers> getPointers(const Blocks &blocks,
                                               int64_t devices) {
  std::vector<DevicePointers> pointers(devices);
  for (const HostValues &port : blocks)
    for (auto [list, block] : llvm::zip_equal(pointers, port))
      list.push_back(block.data());
  return pointers;
}

static FailureOr<HostValues>
runCompiled(Program &program, const HostValues &inputs, FloatRun &settings) {
  auto getMap = [&](const Port &port) {
    return BlockMap(port.type, port.sharding, port.mesh, program.devices);
  };
  Blocks in, out;
  for (auto [input, port] : llvm::zip_equal(inputs, program.inputs))
    in.push_back(getMap(port).split(input));
  for (const Port &port : program.outputs) {
    RankedTensorType type = getMap(port).getBlockType();
    HostValues &blocks = out.emplace_back();
    for (int64_t device = 0; device < program.devices; ++device)
      blocks.push_back(HostArray::allocate(type));
  }
  std::vector<DevicePointers> from = getPointers(in, program.devices),
                              to = getPointers(out, program.devices);
  if (failed(repeatRun(settings, [&]() -> LogicalResult {
        std::string error = program.gpu ? program.gpu->run(from, to)
                                        : program.compiled->run(from, to);
        if (error.empty())
          return success();
        return program.getImportedMain().emitError() << error;
      })))
    return failure();
  HostValues whole;
  for (auto [index, port] : llvm::enumerate(program.outputs)) {
    std::optional<ReplicaMismatch> mismatch;
    whole.push_back(getMap(port).assemble(
        out[index], settings.checkReplicas ? &mismatch : nullptr));
    out[index].clear();
    if (mismatch)
      settings.faults.push_back({static_cast<unsigned>(index), *mismatch});
  }
  return whole;
}

FailureOr<HostValues> runOnFloats(Program &program, const HostValues &inputs,
                                  FloatRun &settings) {
  if (program.compiled || program.gpu)
    return runCompiled(program, inputs, settings);
  Values values;
  for (const HostArray &input : inputs)
    values.push_back(input.toTensor());
  FailureOr<Values> results = failure();
  if (failed(repeatRun(settings, [&]() -> LogicalResult {
        settings.faults.clear();
        results = runSharded(program, program.getOptimizedMain(), values,
                             nullptr, settings.faults, settings.observer);
        return results;
      })))
    return failure();
  HostValues whole;
  for (const Tensor &result : *results)
    whole.push_back(HostArray::fromTensor(result));
  return whole;
}

} // namespace partita
