// Imports of host values, index arithmetic, the launch.

#include "KernelBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace partita {

Value getRoot(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      buffer = view.getViewSource();
    else if (isa<memref::CastOp>(op))
      buffer = op->getOperand(0);
    else
      break;
  }
  return buffer;
}

/// Memory of its own: an allocation, a constant, an argument of the function.
static bool isDistinct(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return root.getDefiningOp<memref::AllocOp>() ||
         root.getDefiningOp<memref::GetGlobalOp>();
}

bool mayAlias(Value rootA, Value rootB) {
  return rootA == rootB || !isDistinct(rootA) || !isDistinct(rootB);
}

KernelBuilder::KernelBuilder(gpu::GPUModuleOp kernels, StringRef name,
                             Location loc, Operation *launchPoint,
                             std::function<bool(memref::LoadOp)> canSink)
    : b(kernels.getContext()), loc(loc), launchPoint(launchPoint),
      canSink(std::move(canSink)) {
  b.setInsertionPointToEnd(kernels.getBody());
  function = gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&function.getBody().front());
  block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  firstOp = block.getDefiningOp();
}

Value KernelBuilder::addArgument(Value value, Type type) {
  unsigned position = operands.size();
  (void)function.insertArgument(position, type, DictionaryAttr(), loc);
  operands.push_back(value);
  return function.getArgument(position);
}

Value KernelBuilder::repeat(Operation *op, Value value) {
  for (Value operand : op->getOperands())
    import(operand);
  OpBuilder prologue(firstOp);
  Operation *copy = prologue.clone(*op, imported);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// A buffer of strides known at run time only: its pieces are arguments.
Value KernelBuilder::importStrided(Value value) {
  auto type = cast<MemRefType>(value.getType());
  OpBuilder host(launchPoint);
  auto metadata = memref::ExtractStridedMetadataOp::create(host, loc, value);
  Value base =
      addArgument(metadata.getBaseBuffer(), metadata.getBaseBuffer().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto argument = [&](int64_t known, Value dynamic) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return b.getIndexAttr(known);
    return addArgument(dynamic, b.getIndexType());
  };
  OpFoldResult at = argument(offset, metadata.getOffset());
  SmallVector<OpFoldResult> sizes, steps;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  for (auto [known, dynamic] : llvm::zip_equal(strides, metadata.getStrides()))
    steps.push_back(argument(known, dynamic));
  OpBuilder prologue(firstOp);
  return memref::ReinterpretCastOp::create(prologue, loc, type, base, at, sizes,
                                           steps);
}

Value KernelBuilder::importBuffer(Value value) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getLayout().isIdentity())
    return addArgument(value, type);
  Operation *op = value.getDefiningOp();
  if (op && isa<memref::SubViewOp, memref::CollapseShapeOp,
                memref::ExpandShapeOp, memref::CastOp>(op))
    return repeat(op, value);
  return importStrided(value);
}

Value KernelBuilder::import(Value value) {
  if (Value known = imported.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (isa<MemRefType>(value.getType()))
    result = importBuffer(value);
  else if (auto load = dyn_cast_or_null<memref::LoadOp>(op);
           load && canSink(load))
    result = repeat(op, value);
  else if (op && isPure(op) && op->getNumRegions() == 0 &&
           isa<arith::ArithDialect, affine::AffineDialect, math::MathDialect>(
               op->getDialect()))
    result = repeat(op, value);
  else
    result = addArgument(value, value.getType());
  imported.map(value, result);
  return result;
}

Value KernelBuilder::importOutput(Value buffer) {
  if (Value known = outputs.lookupOrNull(buffer))
    return known;
  Value result = importBuffer(buffer);
  outputs.map(buffer, result);
  return result;
}

Value KernelBuilder::addShared(int64_t count, Type element) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  return function.addWorkgroupAttribution(type, loc);
}

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

SmallVector<Value> KernelBuilder::delinearize(Value linear,
                                              ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return {};
  if (sizes.size() == 1)
    return {linear};
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  // Division by a constant is cheap on 32 bits.
  bool isNarrow = total <= std::numeric_limits<int32_t>::max();
  Type type = isNarrow ? Type(b.getI32Type()) : Type(b.getI64Type());
  Value rest = arith::IndexCastUIOp::create(b, loc, type, linear);
  SmallVector<Value> indices(sizes.size());
  for (int64_t dim = sizes.size() - 1; dim > 0; --dim) {
    Value size = arith::ConstantIntOp::create(b, loc, type, sizes[dim]);
    Value digit = arith::RemUIOp::create(b, loc, rest, size);
    indices[dim] =
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), digit);
    rest = arith::DivUIOp::create(b, loc, rest, size);
  }
  indices[0] = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), rest);
  return indices;
}

SmallVector<Value> KernelBuilder::apply(AffineMap map, ValueRange indices) {
  SmallVector<Value> results;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      results.push_back(indices[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      results.push_back(index(constant.getValue()));
    else
      results.push_back(affine::AffineApplyOp::create(
          b, loc, AffineMap::get(map.getNumDims(), 0, expr), indices));
  }
  return results;
}

Operation *KernelBuilder::clone(Operation &op, IRMapping &mapping) {
  op.walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!mapping.contains(operand) &&
          !op.isAncestor(operand.getParentBlock()->getParentOp()))
        mapping.map(operand, import(operand));
  });
  return b.clone(op, mapping);
}

void KernelBuilder::launch(int64_t blocks, int64_t threads) {
  OpBuilder end(function.getContext());
  end.setInsertionPointToEnd(&function.getBody().front());
  gpu::ReturnOp::create(end, loc);
  function.setKnownBlockSize(
      std::array<int32_t, 3>{static_cast<int32_t>(threads), 1, 1});
  function.setKnownGridSize(
      std::array<int32_t, 3>{static_cast<int32_t>(blocks), 1, 1});
  OpBuilder host(launchPoint);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(host, loc, value);
  };
  Value one = constant(1);
  gpu::LaunchFuncOp::create(host, loc, function,
                            gpu::KernelDim3{constant(blocks), one, one},
                            gpu::KernelDim3{constant(threads), one, one},
                            /*dynamicSharedMemorySize=*/Value(), operands);
}

} // namespace partita
