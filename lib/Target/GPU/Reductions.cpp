// Reductions: one thread, one warp or one block per output, or parts of an
// output and then their sum.
//
// The order in which elements are combined depends on sizes alone, so reruns
// are bit-equal.

#include "KernelEmitter.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kWarp = 32;
/// Below this, a warp per output leaves most lanes idle.
constexpr int64_t kShortRow = 8;
/// From here on a block works on one output.
constexpr int64_t kLongRow = 2048;

ReductionShape getShape(linalg::GenericOp op) {
  ReductionShape shape;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isInner = kind == utils::IteratorType::reduction;
    (isInner ? shape.inner : shape.outer).push_back(dim);
    (isInner ? shape.innerSizes : shape.outerSizes).push_back(sizes[dim]);
    (isInner ? shape.numInner : shape.numOutputs) *= sizes[dim];
  }
  int64_t largest = -1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!type || map.getNumResults() == 0 || type.getNumElements() <= largest)
      continue;
    largest = type.getNumElements();
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    shape.isAlongRows =
        dim && llvm::is_contained(shape.inner, dim.getPosition());
  }
  return shape;
}

/// The combiners of all outputs, or none if one is not a known operation.
SmallVector<Combiner> getCombiners(linalg::GenericOp op) {
  SmallVector<Combiner> combiners;
  ArrayRef<BlockArgument> carried = op.getRegionOutputArgs();
  for (unsigned index = 0; index < carried.size(); ++index) {
    SmallVector<Operation *> ops;
    Value element = matchReduction(carried, index, ops);
    if (!element || ops.size() != 1 || ops.front()->getNumOperands() != 2)
      return {};
    std::optional<TypedAttr> neutral = arith::getNeutralElement(ops.front());
    if (!neutral || !*neutral)
      return {};
    unsigned number = ops.front()->getOperand(0) == carried[index] ? 1 : 0;
    combiners.push_back({ops.front(), number, *neutral});
  }
  return combiners;
}

/// The value of the lane `offset` away (xor), through shuffles of 32 bits.
Value shuffle(KernelBuilder &k, Value value, int32_t offset) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  Type type = value.getType();
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, offset, kWarp,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (isa<IndexType>(type)) {
    Value wide = arith::IndexCastOp::create(b, loc, i64, value);
    return arith::IndexCastOp::create(b, loc, type, shuffle(k, wide, offset));
  }
  if (isa<FloatType>(type)) {
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    Value word = arith::BitcastOp::create(b, loc, bits, value);
    return arith::BitcastOp::create(b, loc, type, shuffle(k, word, offset));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return exchange(value);
  if (width < 32) {
    Value word = exchange(arith::ExtUIOp::create(b, loc, i32, value));
    return arith::TruncIOp::create(b, loc, type, word);
  }
  Value half = arith::ConstantIntOp::create(b, loc, i64, 32);
  Value low = exchange(arith::TruncIOp::create(b, loc, i32, value));
  Value high = exchange(arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, value, half)));
  low = arith::ExtUIOp::create(b, loc, i64, low);
  high = arith::ExtUIOp::create(b, loc, i64, high);
  return arith::OrIOp::create(b, loc, low,
                              arith::ShLIOp::create(b, loc, high, half));
}

/// Values of all loops from those of the outer and inner ones.
SmallVector<Value> merge(const ReductionShape &shape, ValueRange outer,
                         ValueRange inner) {
  SmallVector<Value> loops(shape.outer.size() + shape.inner.size());
  for (auto [dim, value] : llvm::zip_equal(shape.outer, outer))
    loops[dim] = value;
  if (!inner.empty())
    for (auto [dim, value] : llvm::zip_equal(shape.inner, inner))
      loops[dim] = value;
  return loops;
}

Value minimum(KernelBuilder &k, Value a, Value b) {
  return arith::MinUIOp::create(k.b, k.loc, a, b);
}
Value multiply(KernelBuilder &k, Value a, int64_t factor) {
  return arith::MulIOp::create(k.b, k.loc, a, k.index(factor));
}
Value add(KernelBuilder &k, Value a, Value b) {
  return arith::AddIOp::create(k.b, k.loc, a, b);
}
Value isBelow(KernelBuilder &k, Value a, int64_t limit) {
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, a,
                               k.index(limit));
}
Value divide(KernelBuilder &k, Value a, int64_t divisor) {
  return arith::DivUIOp::create(k.b, k.loc, a, k.index(divisor));
}
Value modulo(KernelBuilder &k, Value a, int64_t divisor) {
  return arith::RemUIOp::create(k.b, k.loc, a, k.index(divisor));
}

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace

KernelEmitter::Values KernelEmitter::getStart(KernelBuilder &k,
                                              linalg::GenericOp op,
                                              ArrayRef<linalg::GenericOp> fills,
                                              ValueRange loops) {
  Values values;
  for (size_t index = 0; index < fills.size(); ++index) {
    if (linalg::GenericOp fill = fills[index]) {
      values.push_back(k.import(fill.getInputs().front()));
      continue;
    }
    OpOperand *output = op.getDpsInitOperand(index);
    Value buffer = k.import(output->get());
    values.push_back(memref::LoadOp::create(
        k.b, k.loc, buffer, k.apply(op.getMatchingIndexingMap(output), loops)));
  }
  return values;
}

KernelEmitter::Values KernelEmitter::getNeutral(KernelBuilder &k,
                                                ArrayRef<Combiner> combiners) {
  Values values;
  for (const Combiner &combiner : combiners)
    values.push_back(arith::ConstantOp::create(k.b, k.loc, combiner.neutral));
  return values;
}

KernelEmitter::Values KernelEmitter::combine(KernelBuilder &k,
                                             ArrayRef<Combiner> combiners,
                                             ValueRange accumulators,
                                             ValueRange values) {
  Values results;
  for (auto [combiner, accumulator, value] :
       llvm::zip_equal(combiners, accumulators, values)) {
    IRMapping mapping;
    mapping.map(combiner.op->getOperand(1 - combiner.element), accumulator);
    mapping.map(combiner.op->getOperand(combiner.element), value);
    results.push_back(k.b.clone(*combiner.op, mapping)->getResult(0));
  }
  return results;
}

/// Folds the inner elements from, from + step, ... below `to` into `start`.
KernelEmitter::Values
KernelEmitter::reduceRange(KernelBuilder &k, linalg::GenericOp op,
                           const ReductionShape &shape, ValueRange outer,
                           Value from, Value to, Value step, ValueRange start) {
  auto loop = scf::ForOp::create(k.b, k.loc, from, to, step, start);
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    Values inner = k.delinearize(loop.getInductionVar(), shape.innerSizes);
    Values values =
        emitBody(k, op, merge(shape, outer, inner), loop.getRegionIterArgs());
    scf::YieldOp::create(k.b, k.loc, values);
  }
  return Values(loop.getResults());
}

/// After it every lane has the warp's total.
void KernelEmitter::reduceWarp(KernelBuilder &k, ArrayRef<Combiner> combiners,
                               Values &values) {
  for (int32_t offset = kWarp / 2; offset > 0; offset /= 2) {
    Values others;
    for (Value value : values)
      others.push_back(shuffle(k, value, offset));
    values = combine(k, combiners, values, others);
  }
}

void KernelEmitter::emitThreadPerOutput(linalg::GenericOp op,
                                        const ReductionShape &shape,
                                        ArrayRef<linalg::GenericOp> fills) {
  KernelBuilder k = start("reduce_thread", op);
  int64_t threads =
      std::min<int64_t>(256, divideUp(shape.numOutputs, kWarp) * kWarp);
  Value linear = add(k, multiply(k, k.getBlock(), threads), k.getThread());
  auto guard =
      scf::IfOp::create(k.b, k.loc, isBelow(k, linear, shape.numOutputs));
  k.b.setInsertionPointToStart(guard.thenBlock());
  Values outer = k.delinearize(linear, shape.outerSizes);
  Values loops = merge(shape, outer, {});
  Values values =
      reduceRange(k, op, shape, outer, k.index(0), k.index(shape.numInner),
                  k.index(1), getStart(k, op, fills, loops));
  store(k, op, loops, values);
  k.launch(divideUp(shape.numOutputs, threads), threads);
}

void KernelEmitter::emitWarpPerOutput(linalg::GenericOp op,
                                      const ReductionShape &shape,
                                      ArrayRef<Combiner> combiners,
                                      ArrayRef<linalg::GenericOp> fills) {
  KernelBuilder k = start("reduce_warp", op);
  int64_t warps = std::min<int64_t>(8, shape.numOutputs);
  Value lane = modulo(k, k.getThread(), kWarp);
  Value output =
      add(k, multiply(k, k.getBlock(), warps), divide(k, k.getThread(), kWarp));
  // A warp past the end repeats the last output, so that shuffles are never in
  // a branch, and does not store it.
  Value row = minimum(k, output, k.index(shape.numOutputs - 1));
  Values outer = k.delinearize(row, shape.outerSizes);
  Values values =
      reduceRange(k, op, shape, outer, lane, k.index(shape.numInner),
                  k.index(kWarp), getNeutral(k, combiners));
  reduceWarp(k, combiners, values);
  Value isWriter = arith::AndIOp::create(k.b, k.loc, isBelow(k, lane, 1),
                                         isBelow(k, output, shape.numOutputs));
  auto guard = scf::IfOp::create(k.b, k.loc, isWriter);
  k.b.setInsertionPointToStart(guard.thenBlock());
  Values loops = merge(shape, outer, {});
  store(k, op, loops,
        combine(k, combiners, getStart(k, op, fills, loops), values));
  k.launch(divideUp(shape.numOutputs, warps), warps * kWarp);
}

/// The total of the inner elements [from, to) of one output, in every thread of
/// the first warp.
KernelEmitter::Values KernelEmitter::emitBlockSum(KernelBuilder &k,
                                                  linalg::GenericOp op,
                                                  const ReductionShape &shape,
                                                  ArrayRef<Combiner> combiners,
                                                  Value output, Value from,
                                                  Value to, int64_t threads) {
  Values outer = k.delinearize(output, shape.outerSizes);
  Values values = reduceRange(k, op, shape, outer, add(k, from, k.getThread()),
                              to, k.index(threads), getNeutral(k, combiners));
  reduceWarp(k, combiners, values);
  Value lane = modulo(k, k.getThread(), kWarp);
  Value warp = divide(k, k.getThread(), kWarp);
  int64_t warps = threads / kWarp;
  Values shared;
  auto guard = scf::IfOp::create(k.b, k.loc, isBelow(k, lane, 1));
  {
    OpBuilder::InsertionGuard restore(k.b);
    k.b.setInsertionPointToStart(guard.thenBlock());
    for (Value value : values) {
      shared.push_back(k.addShared(warps, value.getType()));
      memref::StoreOp::create(k.b, k.loc, value, shared.back(), warp);
    }
  }
  gpu::BarrierOp::create(k.b, k.loc);
  Values neutral = getNeutral(k, combiners);
  auto pick = scf::IfOp::create(k.b, k.loc, ValueRange(neutral).getTypes(),
                                isBelow(k, lane, warps), /*withElse=*/true);
  {
    OpBuilder::InsertionGuard restore(k.b);
    k.b.setInsertionPointToStart(pick.thenBlock());
    Values loaded;
    for (Value buffer : shared)
      loaded.push_back(memref::LoadOp::create(k.b, k.loc, buffer, lane));
    scf::YieldOp::create(k.b, k.loc, loaded);
    k.b.setInsertionPointToStart(pick.elseBlock());
    scf::YieldOp::create(k.b, k.loc, neutral);
  }
  values.assign(pick.getResults().begin(), pick.getResults().end());
  reduceWarp(k, combiners, values);
  return values;
}

void KernelEmitter::emitBlockPerOutput(linalg::GenericOp op,
                                       const ReductionShape &shape,
                                       ArrayRef<Combiner> combiners,
                                       ArrayRef<linalg::GenericOp> fills) {
  KernelBuilder k = start("reduce_block", op);
  constexpr int64_t threads = 512;
  Values values = emitBlockSum(k, op, shape, combiners, k.getBlock(),
                               k.index(0), k.index(shape.numInner), threads);
  auto guard = scf::IfOp::create(k.b, k.loc, isBelow(k, k.getThread(), 1));
  k.b.setInsertionPointToStart(guard.thenBlock());
  Values loops =
      merge(shape, k.delinearize(k.getBlock(), shape.outerSizes), {});
  store(k, op, loops,
        combine(k, combiners, getStart(k, op, fills, loops), values));
  k.launch(shape.numOutputs, threads);
}

/// A block, or along columns a thread, for each of `parts` ranges of `length`
/// of each output; the results go to `partials`.
void KernelEmitter::emitFirstStep(linalg::GenericOp op,
                                  const ReductionShape &shape,
                                  ArrayRef<Combiner> combiners,
                                  ValueRange partials, int64_t parts,
                                  int64_t length) {
  KernelBuilder k =
      start(shape.isAlongRows ? "reduce_parts" : "reduce_columns", op);
  int64_t total = parts * shape.numOutputs;
  int64_t threads =
      shape.isAlongRows
          ? 256
          : std::min<int64_t>(256, divideUp(total, kWarp) * kWarp);
  auto getRange = [&](Value part) {
    Value from = multiply(k, part, length);
    return std::pair(from, minimum(k, add(k, from, k.index(length)),
                                   k.index(shape.numInner)));
  };
  auto storeParts = [&](Value part, Value output, ValueRange values) {
    for (auto [buffer, value] : llvm::zip_equal(partials, values))
      memref::StoreOp::create(k.b, k.loc, value, k.import(buffer),
                              shape.isAlongRows ? ValueRange{output, part}
                                                : ValueRange{part, output});
  };
  if (shape.isAlongRows) {
    Value part = modulo(k, k.getBlock(), parts);
    Value output = divide(k, k.getBlock(), parts);
    auto [from, to] = getRange(part);
    Values values =
        emitBlockSum(k, op, shape, combiners, output, from, to, threads);
    auto guard = scf::IfOp::create(k.b, k.loc, isBelow(k, k.getThread(), 1));
    k.b.setInsertionPointToStart(guard.thenBlock());
    storeParts(part, output, values);
    k.launch(total, threads);
  } else {
    Value linear = add(k, multiply(k, k.getBlock(), threads), k.getThread());
    auto guard = scf::IfOp::create(k.b, k.loc, isBelow(k, linear, total));
    k.b.setInsertionPointToStart(guard.thenBlock());
    Values place = k.delinearize(linear, {parts, shape.numOutputs});
    auto [from, to] = getRange(place[0]);
    Values values =
        reduceRange(k, op, shape, k.delinearize(place[1], shape.outerSizes),
                    from, to, k.index(1), getNeutral(k, combiners));
    storeParts(place[0], place[1], values);
    k.launch(divideUp(total, threads), threads);
  }
}

/// The second step, as a linalg op over (output loops, parts): folds `partials`
/// into the outputs of `op`.
static linalg::GenericOp makeSecondStep(linalg::GenericOp op,
                                        const ReductionShape &shape,
                                        ArrayRef<Combiner> combiners,
                                        ValueRange partials) {
  OpBuilder host(op);
  MLIRContext *context = op.getContext();
  unsigned outerRank = shape.outer.size();
  SmallVector<AffineMap> maps;
  AffineExpr flat = getAffineConstantExpr(0, context);
  DenseMap<AffineExpr, AffineExpr> renamed;
  for (auto [position, dim] : llvm::enumerate(shape.outer)) {
    flat =
        flat * shape.outerSizes[position] + getAffineDimExpr(position, context);
    renamed[getAffineDimExpr(dim, context)] =
        getAffineDimExpr(position, context);
  }
  AffineExpr part = getAffineDimExpr(outerRank, context);
  SmallVector<AffineExpr> place{part, flat};
  if (shape.isAlongRows)
    std::swap(place[0], place[1]);
  for (size_t i = 0; i < partials.size(); ++i)
    maps.push_back(AffineMap::get(outerRank + 1, 0, place, context));
  for (size_t i = 0; i < partials.size(); ++i)
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(i))
                       .replace(renamed, outerRank + 1, 0));
  SmallVector<utils::IteratorType> kinds(outerRank,
                                         utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      host, op.getLoc(), TypeRange(), partials, op.getOutputs(), maps, kinds,
      [&](OpBuilder &builder, Location where, ValueRange arguments) {
        SmallVector<Value> values;
        size_t count = combiners.size();
        for (auto [index, combiner] : llvm::enumerate(combiners)) {
          IRMapping mapping;
          mapping.map(combiner.op->getOperand(combiner.element),
                      arguments[index]);
          mapping.map(combiner.op->getOperand(1 - combiner.element),
                      arguments[count + index]);
          values.push_back(builder.clone(*combiner.op, mapping)->getResult(0));
        }
        linalg::YieldOp::create(builder, where, values);
      });
}

/// Reduces `parts` ranges of each output into a buffer [parts, outputs], and
/// that by a second reduction.
void KernelEmitter::emitParts(linalg::GenericOp op, const ReductionShape &shape,
                              ArrayRef<Combiner> combiners,
                              ArrayRef<linalg::GenericOp> fills,
                              int64_t parts) {
  int64_t length = divideUp(shape.numInner, parts);
  parts = divideUp(shape.numInner, length);
  OpBuilder host(op);
  Values partials;
  // Neighbouring threads of the second step read neighbouring elements.
  SmallVector<int64_t> sizes{parts, shape.numOutputs};
  if (shape.isAlongRows)
    std::swap(sizes[0], sizes[1]);
  for (const Combiner &combiner : combiners)
    partials.push_back(memref::AllocOp::create(
        host, op.getLoc(),
        MemRefType::get(sizes, combiner.op->getResult(0).getType())));
  emitFirstStep(op, shape, combiners, partials, parts, length);
  linalg::GenericOp second = makeSecondStep(op, shape, combiners, partials);
  emitReduction(second, fills);
  second.erase();
}

void KernelEmitter::emitReduction(linalg::GenericOp op,
                                  ArrayRef<linalg::GenericOp> fills) {
  ReductionShape shape = getShape(op);
  SmallVector<Combiner> combiners = getCombiners(op);
  if (combiners.empty() || (shape.isAlongRows && shape.numInner <= kShortRow))
    return emitThreadPerOutput(op, shape, fills);
  if (!shape.isAlongRows) {
    // Enough threads to fill a device, each with work enough to pay for a
    // second step.
    int64_t parts = std::min<int64_t>(
        64, std::min<int64_t>(shape.numInner / 32,
                              (int64_t(1) << 16) / shape.numOutputs));
    return parts > 3 ? emitParts(op, shape, combiners, fills, parts)
                     : emitThreadPerOutput(op, shape, fills);
  }
  if (shape.numOutputs < 128 && shape.numInner >= (1 << 15))
    return emitParts(op, shape, combiners, fills,
                     std::min<int64_t>(256, shape.numInner / 4096));
  if (shape.numInner >= kLongRow)
    return emitBlockPerOutput(op, shape, combiners, fills);
  emitWarpPerOutput(op, shape, combiners, fills);
}

} // namespace partita
