// Compiles a module twice over (imported, optimized) and evaluates both.

#include "Program.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Target/GPU/PTX.h"
#include <chrono>

using namespace mlir;

namespace partita {

func::FuncOp Program::getImportedMain() {
  return imported->lookupSymbol<func::FuncOp>("main");
}
func::FuncOp Program::getOptimizedMain() {
  return optimized->lookupSymbol<func::FuncOp>("main");
}

static LogicalResult runPipeline(ModuleOp module, PipelineOptions &options,
                                 StringRef to) {
  PassManager pm(module.getContext());
  pm.enableVerifier(true);
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
                                  const PipelineOptions &given) {
  PipelineOptions options;
  options.copyOptionValuesFrom(given);
  Program program;
  program.imported = module->clone();
  program.optimized = std::move(module);
  if (failed(runPipeline(*program.imported, options, "imported")))
    return failure();
  auto start = std::chrono::steady_clock::now();
  if (failed(runPipeline(*program.optimized, options, "optimized")))
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

FailureOr<Values> runUnsharded(Program &program, const Values &inputs,
                               std::shared_ptr<const Field> field) {
  EvaluatorOptions options;
  options.field = std::move(field);
  DeviceValues values;
  for (const Tensor &input : inputs)
    values.push_back({input});
  FailureOr<DeviceValues> results =
      evaluate(program.getImportedMain(), values, 1, options);
  if (failed(results))
    return failure();
  Values whole;
  for (auto &result : *results)
    whole.push_back(result[0]);
  return whole;
}

LogicalResult compileToMachineCode(Program &program, CodeKind kind) {
  OwningOpRef<ModuleOp> lowered = program.optimized->clone();
  auto start = std::chrono::steady_clock::now();
  FailureOr<std::unique_ptr<CompiledProgram>> compiled =
      kind == CodeKind::CPU ? CompiledProgram::compile(*lowered)
                            : compileForEmulation(*lowered);
  if (failed(compiled))
    return failure();
  program.compiled = std::move(*compiled);
  program.compileMs += std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count();
  return success();
}

/// The machine code on dense bytes of every device.
static FailureOr<DeviceValues> runCompiled(Program &program,
                                           const DeviceValues &inputs) {
  func::FuncOp main = program.getOptimizedMain();
  std::vector<DeviceBuffers> in(program.devices), out(program.devices);
  for (int64_t device = 0; device < program.devices; ++device) {
    for (const auto &input : inputs)
      in[device].push_back(input[device].toBytes(nullptr));
    for (Type type : main.getResultTypes())
      out[device].push_back(
          Tensor::zeros(cast<RankedTensorType>(type), false).toBytes(nullptr));
  }
  std::string error = program.compiled->run(in, out);
  if (!error.empty())
    return main.emitError() << error;
  DeviceValues results(main.getNumResults());
  for (auto [index, type] : llvm::enumerate(main.getResultTypes()))
    for (int64_t device = 0; device < program.devices; ++device)
      results[index].push_back(Tensor::fromBytes(cast<RankedTensorType>(type),
                                                 out[device][index], nullptr));
  return results;
}

FailureOr<Values> runSharded(Program &program, const Values &inputs,
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
      program.compiled && !field ? runCompiled(program, values)
                                 : evaluate(program.getOptimizedMain(), values,
                                            program.devices, options, observer);
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

} // namespace partita
