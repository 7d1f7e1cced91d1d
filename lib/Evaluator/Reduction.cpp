// reduce with any body and any number of operands, and map.
#include "Reduction.h"
#include "Body.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <cstring>

using namespace mlir;
using namespace partita;

Tensor partita::convertElements(const Tensor &tensor, Type elementType,
                                const Field *field) {
  if (tensor.getElementType() == elementType)
    return tensor;
  Tensor result = Tensor::allocate(
      RankedTensorType::get(tensor.getShape(), elementType), field != nullptr);
  const void *in[] = {tensor.data()};
  makeConvertFunction(tensor.getElementType(), elementType,
                      field)(in, result.mutableData(), tensor.getNumElements());
  return result;
}

/// Folds the leading dimension of [n, line] by halves, in place.
static void foldHalves(const ElementFunction &function, char *cells, int64_t n,
                       int64_t line, int64_t cellSize) {
  while (n > 1) {
    int64_t half = n / 2, kept = n - half;
    const void *in[] = {cells, cells + kept * line * cellSize};
    function(in, cells, half * line);
    n = kept;
  }
}

/// The first n cells of a tensor, as a tensor of `shape`.
static Tensor takeFirst(const Tensor &tensor, ArrayRef<int64_t> shape) {
  Tensor result = allocateLike(tensor, shape);
  std::memcpy(result.mutableData(), tensor.data(), result.getNumBytes());
  return result;
}

/// For one commutative, associative op: pairwise, which is also more accurate.
static Tensor reduceSimple(const ElementFunction &function, Tensor input,
                           const Tensor &init, ArrayRef<int64_t> kept) {
  int64_t n = input.getShape()[0], line = input.getShape()[1];
  Tensor result = splat(init, kept);
  if (n == 0 || line == 0)
    return result;
  foldHalves(function, static_cast<char *>(input.mutableData()), n, line,
             getCellSize(input.getKind()));
  Tensor folded = takeFirst(input, kept);
  const void *in[] = {result.data(), folded.data()};
  function(in, result.mutableData(), line);
  return result;
}

SmallVector<Tensor> partita::foldLeading(BodyProgram &program,
                                         ArrayRef<Tensor> inputs,
                                         ArrayRef<Tensor> inits,
                                         ArrayRef<int64_t> kept) {
  if (const ElementFunction *function = program.getSimpleFunction())
    return {reduceSimple(*function, inputs[0], inits[0], kept)};
  SmallVector<Tensor> results;
  for (const Tensor &init : inits)
    results.push_back(splat(init, kept));
  int64_t n = inputs[0].getShape()[0], line = inputs[0].getShape()[1];
  SmallVector<void *> out;
  for (Tensor &result : results)
    out.push_back(result.mutableData());
  for (int64_t i = 0; i < n; ++i) {
    SmallVector<const void *> in(out.begin(), out.end());
    for (const Tensor &input : inputs)
      in.push_back(static_cast<const char *>(input.data()) +
                   i * line * getCellSize(input.getKind()));
    program.run(in, out, line);
  }
  return results;
}

static LogicalResult evaluateReduce(KernelCall &call) {
  auto op = cast<stablehlo::ReduceOp>(call.op);
  FailureOr<BodyProgram> program = BodyProgram::create(op.getBody(), call);
  if (failed(program))
    return failure();
  unsigned count = op.getInputs().size();
  ArrayRef<int64_t> shape = call.operands[0].getShape();
  SmallVector<int64_t> permutation, kept;
  int64_t reduced = 1;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (llvm::is_contained(op.getDimensions(), d)) {
      permutation.push_back(d);
      reduced *= shape[d];
    }
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (!llvm::is_contained(op.getDimensions(), d)) {
      permutation.push_back(d);
      kept.push_back(shape[d]);
    }
  SmallVector<Tensor> inputs, inits;
  for (unsigned i = 0; i < count; ++i) {
    // The body may compute in a wider type than the operands'.
    Type element = getElementTypeOrSelf(op.getBody().getArgument(i).getType());
    Tensor input = convertElements(call.operands[i], element, call.field);
    inputs.push_back(
        reshape(transpose(input, permutation), {reduced, getVolume(kept)}));
    inits.push_back(
        convertElements(call.operands[count + i], element, call.field));
  }
  SmallVector<Tensor> results = foldLeading(*program, inputs, inits, kept);
  for (auto [i, result] : llvm::enumerate(results)) {
    RankedTensorType type = call.getResultType(i);
    call.results.push_back(
        convertElements(result, type.getElementType(), call.field)
            .withType(type));
  }
  return success();
}

static LogicalResult evaluateMap(KernelCall &call) {
  auto op = cast<stablehlo::MapOp>(call.op);
  FailureOr<BodyProgram> program =
      BodyProgram::create(op.getComputation(), call);
  if (failed(program))
    return failure();
  Tensor result = Tensor::allocate(call.getResultType(), call.isField());
  SmallVector<const void *> in;
  for (const Tensor &operand : call.operands)
    in.push_back(operand.data());
  program->run(in, {result.mutableData()}, result.getNumElements());
  call.results.push_back(std::move(result));
  return success();
}

void partita::registerReductionKernels(KernelTable &table) {
  table.add("stablehlo.reduce", evaluateReduce);
  table.add("stablehlo.map", evaluateMap);
}
