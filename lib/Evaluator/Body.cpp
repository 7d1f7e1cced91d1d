// Compiles a region of scalar ops to steps over registers, and runs them.
#include "Body.h"
#include "Strided.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace mlir;
using namespace partita;

namespace partita {
/// Walks a region once and appends to the program.
class BodyBuilder {
public:
  BodyBuilder(BodyProgram &program, KernelCall &call)
      : program(program), call(call) {}

  LogicalResult build(Region &region);

private:
  using Binding = llvm::DenseMap<Value, int>;

  LogicalResult addBlock(Block &block, Binding &binding,
                         SmallVectorImpl<int> &returned, unsigned depth);
  LogicalResult addOp(Operation &op, Binding &binding, unsigned depth);
  LogicalResult addCall(Operation &op, StringRef callee, Binding &binding,
                        unsigned depth);
  FailureOr<int> getRegister(Value value, Binding &binding);
  int addRegister(Type elementType);
  int addConstant(const Tensor &scalar);
  void findSimple(Block &block);

  BodyProgram &program;
  KernelCall &call;
};
} // namespace partita

int BodyBuilder::addRegister(Type elementType) {
  BodyProgram::Register reg;
  reg.cellSize = getCellSize(getCellKind(elementType, call.field));
  program.registers.push_back(std::move(reg));
  return program.registers.size() - 1;
}

int BodyBuilder::addConstant(const Tensor &scalar) {
  int index = addRegister(scalar.getElementType());
  BodyProgram::Register &reg = program.registers[index];
  reg.isConstant = true;
  reg.cells.resize(2);
  std::memcpy(reg.data(), scalar.data(), reg.cellSize);
  return index;
}

FailureOr<int> BodyBuilder::getRegister(Value value, Binding &binding) {
  auto it = binding.find(value);
  if (it != binding.end())
    return it->second;
  Tensor scalar = call.capture(value);
  if (!scalar || !scalar.getTensorType() || scalar.getNumElements() != 1)
    return failure();
  return binding[value] = addConstant(scalar);
}

LogicalResult BodyBuilder::addCall(Operation &op, StringRef callee,
                                   Binding &binding, unsigned depth) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      &op, StringAttr::get(op.getContext(), callee));
  if (!function || function.isExternal() || depth > 64)
    return op.emitError() << "the evaluator finds no body of '@" << callee
                          << "', which is called in the body of '"
                          << call.op->getName() << "'";
  Binding inner;
  Block &block = function.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), op.getOperands())) {
    FailureOr<int> reg = getRegister(operand, binding);
    if (failed(reg))
      return failure();
    inner[argument] = *reg;
  }
  SmallVector<int> returned;
  if (failed(addBlock(block, inner, returned, depth + 1)))
    return failure();
  for (auto [result, reg] : llvm::zip_equal(op.getResults(), returned))
    binding[result] = reg;
  return success();
}

LogicalResult BodyBuilder::addOp(Operation &op, Binding &binding,
                                 unsigned depth) {
  StringRef name = op.getName().getStringRef();
  if (auto callee = dyn_cast<func::CallOp>(op))
    return addCall(op, callee.getCallee(), binding, depth);
  if (name == "stablehlo.composite")
    return addCall(
        op, op.getAttrOfType<FlatSymbolRefAttr>("decomposition").getValue(),
        binding, depth);
  auto refuse = [&]() -> LogicalResult {
    InFlightDiagnostic diag =
        op.emitError() << "the evaluator cannot run '" << op.getName()
                       << "' in the body of '" << call.op->getName() << "'";
    diag.attachNote(call.op->getLoc()) << "the body belongs to this op";
    diag.attachNote()
        << "fix: bodies may hold elementwise ops on scalars, constants "
           "and calls of functions of such ops";
    return failure();
  };
  for (Type type : op.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() != 1)
      return refuse();
  }
  if (auto value = op.getAttrOfType<ElementsAttr>("value");
      value && op.getNumOperands() == 0) {
    Tensor constant = Tensor::fromAttribute(value, call.field);
    if (!constant)
      return refuse();
    binding[op.getResult(0)] = addConstant(constant);
    return success();
  }
  SmallVector<int, 3> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<int> reg = getRegister(operand, binding);
    if (failed(reg))
      return refuse();
    operands.push_back(*reg);
  }
  // Moves of a scalar change nothing.
  if (llvm::StringSwitch<bool>(name)
          .Cases({"stablehlo.reshape", "stablehlo.broadcast_in_dim",
                  "stablehlo.transpose", "stablehlo.optimization_barrier",
                  "stablehlo.broadcast"},
                 true)
          .Default(false)) {
    for (auto [result, reg] : llvm::zip_equal(op.getResults(), operands))
      binding[result] = reg;
    return success();
  }
  ElementFunction function = makeElementFunction(&op, call.field);
  if (!function)
    return refuse();
  int result = addRegister(getElementTypeOrSelf(op.getResult(0).getType()));
  program.steps.push_back({std::move(function), operands, result});
  binding[op.getResult(0)] = result;
  return success();
}

LogicalResult BodyBuilder::addBlock(Block &block, Binding &binding,
                                    SmallVectorImpl<int> &returned,
                                    unsigned depth) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op, binding, depth)))
      return failure();
  for (Value value : block.getTerminator()->getOperands()) {
    FailureOr<int> reg = getRegister(value, binding);
    if (failed(reg))
      return failure();
    returned.push_back(*reg);
  }
  return success();
}

void BodyBuilder::findSimple(Block &block) {
  if (program.steps.size() != 1 || program.numInputs != 2 ||
      program.outputs.size() != 1 ||
      program.outputs[0] != program.steps[0].result)
    return;
  auto &operands = program.steps[0].operands;
  if (operands.size() != 2 || operands[0] + operands[1] != 1)
    return;
  Operation &op = block.front();
  StringRef name = op.getName().stripDialect();
  if (llvm::StringSwitch<bool>(name)
          .Cases({"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
                 true)
          .Default(false))
    program.simpleName = name.str();
}

LogicalResult BodyBuilder::build(Region &region) {
  if (!region.hasOneBlock())
    return call.op->emitError() << "the evaluator expects a body of one block";
  Block &block = region.front();
  Binding binding;
  program.numInputs = block.getNumArguments();
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 0)
      return call.op->emitError()
             << "the evaluator expects scalar block arguments, got "
             << argument.getType();
    binding[argument] = addRegister(type.getElementType());
  }
  SmallVector<int> returned;
  if (failed(addBlock(block, binding, returned, 0)))
    return failure();
  program.outputs.assign(returned.begin(), returned.end());
  findSimple(block);
  return success();
}

FailureOr<BodyProgram> BodyProgram::create(Region &region, KernelCall &call) {
  BodyProgram program;
  if (failed(BodyBuilder(program, call).build(region)))
    return failure();
  return program;
}

void BodyProgram::reserve(int64_t points) {
  points = std::min(points, kChunk);
  if (points <= capacity)
    return;
  capacity = points;
  for (size_t i = numInputs; i < registers.size(); ++i) {
    Register &reg = registers[i];
    reg.cells.resize((points * reg.cellSize + 7) / 8 + 1);
    if (!reg.isConstant)
      continue;
    auto *bytes = static_cast<char *>(reg.data());
    for (int64_t k = 1; k < points; ++k)
      std::memcpy(bytes + k * reg.cellSize, bytes, reg.cellSize);
  }
}

void BodyProgram::run(ArrayRef<const void *> in, ArrayRef<void *> out,
                      int64_t n) {
  reserve(n);
  SmallVector<const void *, 16> pointers(registers.size());
  for (size_t i = numInputs; i < registers.size(); ++i)
    pointers[i] = registers[i].data();
  SmallVector<const void *, 4> operands;
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    int64_t points = std::min(kChunk, n - begin);
    for (unsigned i = 0; i < numInputs; ++i)
      pointers[i] =
          static_cast<const char *>(in[i]) + begin * registers[i].cellSize;
    for (Step &step : steps) {
      operands.clear();
      for (int operand : step.operands)
        operands.push_back(pointers[operand]);
      step.function(operands.data(), registers[step.result].data(), points);
    }
    // Two outputs may be each other's inputs, which are read first.
    SmallVector<std::vector<char>, 2> copies(outputs.size());
    for (auto [i, output] : llvm::enumerate(outputs)) {
      int64_t size = registers[output].cellSize;
      auto *from = static_cast<const char *>(pointers[output]);
      if (output < int(numInputs) && outputs.size() > 1)
        copies[i].assign(from, from + points * size);
    }
    for (auto [i, output] : llvm::enumerate(outputs)) {
      int64_t size = registers[output].cellSize;
      const void *from =
          copies[i].empty() ? pointers[output] : copies[i].data();
      std::memmove(static_cast<char *>(out[i]) + begin * size, from,
                   points * size);
    }
  }
}
