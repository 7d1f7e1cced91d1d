// Prints blocks per device.

#include "PrintBlocks.h"

using namespace mlir;

namespace partita {

BlockPrinter::BlockPrinter(Program &program, std::string printName)
    : program(program), name(std::move(printName)),
      state(program.getOptimizedMain()) {
  func::FuncOp main = program.getOptimizedMain();
  for (auto [index, operand] :
       llvm::enumerate(main.getBody().front().getTerminator()->getOperands())) {
    auto info = main.getResultAttrOfType<StringAttr>(index, "jax.result_info");
    if (name == "result" + std::to_string(index) ||
        (info && info.getValue() == name)) {
      wanted = operand;
      output = index;
    }
  }
}

std::string BlockPrinter::describe(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, state);
  return text;
}

void BlockPrinter::afterOp(
    Operation *op, Operation *, ArrayRef<unsigned> active,
    function_ref<const Tensor &(unsigned, unsigned)> get) {
  for (OpResult result : op->getResults())
    if (result == wanted || (!wanted && describe(result) == name))
      for (unsigned device : active)
        blocks[device] = get(result.getResultNumber(), device);
}

bool BlockPrinter::print(llvm::raw_ostream &os, const Values &inputs) {
  spmd::MeshAttr mesh;
  for (auto op : program.optimized->getOps<spmd::MeshOp>())
    if (!mesh || op.getMesh().getNumDevices() > mesh.getNumDevices())
      mesh = op.getMesh();
  for (auto [index, port] : llvm::enumerate(program.inputs)) {
    bool isWanted = name == "arg" + std::to_string(index) ||
                    wanted == program.getOptimizedMain().getArgument(index);
    if (!isWanted)
      continue;
    auto split = splitTensor(inputs[index], port.sharding, port.mesh,
                             program.devices, nullptr);
    for (auto [device, block] : llvm::enumerate(split))
      blocks[device] = block;
  }
  for (auto &[device, block] : blocks) {
    os << name << " on device " << device;
    if (mesh) {
      SmallVector<int64_t> coordinates = getMeshCoordinates(mesh, device);
      if (!coordinates.empty()) {
        os << " (";
        llvm::interleaveComma(
            llvm::zip(mesh.getAxes(), coordinates), os, [&](auto pair) {
              os << std::get<0>(pair).getName() << "=" << std::get<1>(pair);
            });
        os << ")";
      }
    }
    os << ": ";
    block.print(os, nullptr, 4096);
    os << "\n";
  }
  return !blocks.empty();
}

} // namespace partita
