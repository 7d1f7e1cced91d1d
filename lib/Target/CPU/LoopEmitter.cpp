// Statements to loops: loops that several statements share, values instead of
// memory where an element is known, accumulators as carried values.

#include "LoopEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita {

Value LoopEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// Offsets and views stand before all loops of the run.
Value LoopEmitter::getDynamicOffset(Value buffer) {
  Value &offset = dynamicOffsets[buffer];
  if (!offset) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(front);
    offset =
        memref::ExtractStridedMetadataOp::create(b, loc, buffer).getOffset();
  }
  return offset;
}

Value LoopEmitter::getFlat(Value root, Type element) {
  Value &view = flat[root];
  if (!view && cast<MemRefType>(root.getType()).getRank() == 0)
    view = root;
  if (!view) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(front);
    int64_t elements =
        std::max<int64_t>(1, cast<MemRefType>(root.getType()).getNumElements());
    view = memref::ReinterpretCastOp::create(
        b, loc, MemRefType::get({elements}, element), root, /*offset=*/0,
        ArrayRef<int64_t>{elements}, ArrayRef<int64_t>{1});
  }
  return view;
}

/// What was stored where `root` may be is needed.
void LoopEmitter::noteRead(Value root) {
  for (Known &entry : known)
    if (entry.store && entry.address.root &&
        mayShareMemory(entry.address.root, root))
      entry.store = nullptr;
}

LoopEmitter::Address LoopEmitter::getAddress(State &state, size_t index) {
  Access &access = state.statement->accesses[index];
  Address address{access.root, Value(), access.offset, {}};
  if (access.hasDynamicOffset)
    address.dynamicOffset = getDynamicOffset(access.buffer);
  for (auto [loop, counter] : llvm::zip(state.statement->loops, state.counters))
    if (loop.coefficients[index] != 0)
      address.terms.push_back({counter, loop.coefficients[index]});
  return address;
}

SmallVector<Value> LoopEmitter::getIndices(const Address &address) {
  if (cast<MemRefType>(address.root.getType()).getRank() == 0)
    return {};
  Value sum = address.dynamicOffset;
  auto add = [&](Value term) {
    sum = sum ? arith::AddIOp::create(b, loc, sum, term) : term;
  };
  for (auto [counter, coefficient] : address.terms)
    add(coefficient == 1 ? counter
                         : Value(arith::MulIOp::create(b, loc, counter,
                                                       index(coefficient))));
  if (address.offset != 0 || !sum)
    add(index(address.offset));
  return {sum};
}

Value LoopEmitter::load(State &state, size_t index) {
  Access &access = state.statement->accesses[index];
  auto type = dyn_cast<MemRefType>(access.buffer.getType());
  if (!type)
    return access.buffer;
  Address address = getAddress(state, index);
  for (Known &entry : llvm::reverse(known))
    if (entry.address == address)
      return entry.value;
  auto load = memref::LoadOp::create(
      b, loc, getFlat(access.root, type.getElementType()), getIndices(address));
  noteRead(access.root);
  known.push_back({address, load});
  return load;
}

void LoopEmitter::store(State &state, size_t index, Value value) {
  Access &access = state.statement->accesses[index];
  Address address = getAddress(state, index);
  auto store = memref::StoreOp::create(b, loc, value,
                                       getFlat(access.root, value.getType()),
                                       getIndices(address));
  // Entries stay where they are: their number tells scopes apart.
  for (Known &entry : known) {
    if (!entry.address.root || !mayShareMemory(entry.address.root, access.root))
      continue;
    // Written again before anything read it.
    if (entry.store && entry.address == address &&
        entry.store->getBlock() == store->getBlock())
      entry.store->erase();
    entry = Known();
  }
  known.push_back({address, value, store});
}

/// Loads what no open or later loop changes, from `depth` on.
void LoopEmitter::hoistLoads(const Group &group, size_t depth) {
  for (State *state : group)
    for (size_t i = 0; i < state->statement->getNumInputs(); ++i) {
      ArrayRef<Loop> loops = state->statement->loops;
      bool isFixed =
          llvm::all_of(loops.drop_front(depth), [&](const Loop &loop) {
            return loop.coefficients[i] == 0;
          });
      // What differs between the repeats of a leaf is loaded there.
      isFixed &=
          state->unrolled < 0 || loops[state->unrolled].coefficients[i] == 0;
      if (isFixed && !state->loaded[i])
        state->loaded[i] = load(*state, i);
    }
}

void LoopEmitter::beginReduction(State &state) {
  unsigned inputs = state.statement->getNumInputs();
  for (size_t i = inputs; i < state.statement->accesses.size(); ++i)
    state.accumulators.push_back(load(state, i));
}

void LoopEmitter::endReduction(State &state) {
  unsigned inputs = state.statement->getNumInputs();
  for (auto [i, value] : llvm::enumerate(state.accumulators))
    store(state, inputs + i, value);
  state.accumulators.clear();
}

/// Sums and products may be taken in any order; the order that LLVM chooses
/// depends on the code alone, so reruns are equal.
static void allowReordering(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (fast && isa<arith::AddFOp, arith::MulFOp>(op))
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(),
                                              arith::FastMathFlags::reassoc));
}

SmallVector<Value> LoopEmitter::emitBody(State &state, ArrayRef<Value> inputs,
                                         ArrayRef<Value> outputs) {
  Block *block = state.statement->op.getBlock();
  for (Value root : state.statement->bodyReads)
    noteRead(root);
  IRMapping mapping;
  unsigned numInputs = inputs.size();
  for (auto [argument, value] :
       llvm::zip(block->getArguments().take_front(numInputs), inputs))
    mapping.map(argument, value);
  for (auto [argument, value] :
       llvm::zip(block->getArguments().drop_front(numInputs), outputs))
    if (value)
      mapping.map(argument, value);
  Operation *yield = block->getTerminator();
  bool isReduction = !state.accumulators.empty();
  for (Operation &op : block->without_terminator()) {
    if (auto at = dyn_cast<linalg::IndexOp>(op)) {
      Value sum;
      for (auto [loop, counter] :
           llvm::zip(state.statement->loops, state.counters)) {
        if (loop.dimension != static_cast<int64_t>(at.getDim()))
          continue;
        Value term = loop.step == 1 ? counter
                                    : Value(arith::MulIOp::create(
                                          b, loc, counter, index(loop.step)));
        sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
      }
      mapping.map(at.getResult(), sum ? sum : index(0));
      continue;
    }
    Operation *clone = b.clone(op, mapping);
    // The op that joins an accumulator with an element.
    bool joins = isReduction &&
                 llvm::any_of(op.getUsers(),
                              [&](Operation *user) { return user == yield; });
    joins &= llvm::any_of(op.getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && argument.getOwner() == block &&
             argument.getArgNumber() >= numInputs;
    });
    if (joins)
      allowReordering(clone);
  }
  return llvm::map_to_vector(yield->getOperands(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

void LoopEmitter::emitLeaf(State &state) {
  Statement &statement = *state.statement;
  loc = statement.op.getLoc();
  unsigned inputs = statement.getNumInputs();
  SmallVector<Value> outputs;
  bool isReduction = !state.accumulators.empty();
  if (isReduction) {
    outputs = state.accumulators;
  } else {
    for (size_t i = inputs; i < statement.accesses.size(); ++i)
      outputs.push_back(statement.op.getBlock()->getArgument(i).use_empty()
                            ? Value()
                            : load(state, i));
  }
  Value first = state.unrolled < 0 ? Value() : state.counters[state.unrolled];
  for (int64_t repeat = 0; repeat < state.unrollFactor; ++repeat) {
    if (repeat > 0)
      state.counters[state.unrolled] =
          arith::AddIOp::create(b, loc, first, index(repeat));
    SmallVector<Value> values;
    for (size_t i = 0; i < inputs; ++i)
      values.push_back(state.loaded[i] ? state.loaded[i] : load(state, i));
    outputs = emitBody(state, values, outputs);
  }
  if (first)
    state.counters[state.unrolled] = first;
  if (isReduction) {
    state.accumulators = outputs;
    return;
  }
  for (auto [i, value] : llvm::enumerate(outputs))
    store(state, inputs + i, value);
}

bool LoopEmitter::canJoin(ArrayRef<State *> group, State *candidate,
                          size_t depth) {
  constexpr size_t mostInOneLoop = 16;
  if (group.size() >= mostInOneLoop)
    return false;
  Statement &joining = *candidate->statement;
  bool isRelated = false;
  bool readsNothing = llvm::none_of(joining.accesses, [](const Access &access) {
    return !access.isWritten && isa<MemRefType>(access.buffer.getType());
  });
  for (State *state : group) {
    Statement &other = *state->statement;
    if (!canShareLoops(other, joining, depth))
      return false;
    bool areInnermost =
        other.loops.size() == depth + 1 && joining.loops.size() == depth + 1;
    if (areInnermost && other.isVectorizable != joining.isVectorizable)
      return false;
    isRelated |= touchSameMemory(other, joining, depth);
    // A fill per iteration, such as the start of a reduction that will join.
    isRelated |= readsNothing && joining.loops.size() == depth + 1 &&
                 other.loops.size() > depth + 1;
  }
  return isRelated;
}

/// The first of `rest` with all that may share its loop; a later statement may
/// come forward past those that it has no conflict with.
LoopEmitter::Group LoopEmitter::takeGroup(SmallVectorImpl<State *> &rest,
                                          size_t depth) {
  Group group{rest.front()};
  SmallVector<State *> skipped;
  for (State *candidate : ArrayRef(rest).drop_front()) {
    auto mayMove = [&, candidate = candidate] {
      return llvm::none_of(skipped, [&](State *other) {
        return conflict(*other->statement, *candidate->statement);
      });
    };
    if (canJoin(group, candidate, depth) && mayMove())
      group.push_back(candidate);
    else
      skipped.push_back(candidate);
  }
  rest = skipped;
  return group;
}

/// Merges loop `depth` with those inside it while all of the group allow it.
void LoopEmitter::merge(const Group &group, size_t depth) {
  auto mayMerge = [&] {
    for (auto [i, state] : llvm::enumerate(group)) {
      if (!areMergeable(*state->statement, depth))
        return false;
      for (State *other : ArrayRef(group).take_front(i))
        if (!canShareLoops(*other->statement, *state->statement, depth + 1))
          return false;
    }
    return true;
  };
  while (mayMerge())
    for (State *state : group)
      mergeLoops(*state->statement, depth);
}

void LoopEmitter::emitLoop(const Group &group, size_t depth, int64_t begin,
                           int64_t end, int64_t step, bool isInnermost) {
  SmallVector<Value> carried;
  for (State *state : group)
    llvm::append_range(carried, state->accumulators);
  auto loop = scf::ForOp::create(b, loc, index(begin), index(end), index(step),
                                 carried);
  ++numLoops;
  if (isInnermost)
    loop->setAttr(kParallel, b.getUnitAttr());
  if (depth == 0) {
    loop->setAttr(kKernel, b.getUnitAttr());
    ++numKernels;
  }
  size_t scope = known.size();
  auto distribute = [&](ValueRange values) {
    for (State *state : group)
      for (Value &accumulator : state->accumulators) {
        accumulator = values.front();
        values = values.drop_front();
      }
  };
  {
    OpBuilder::InsertionGuard guard(b);
    if (carried.empty())
      b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      b.setInsertionPointToStart(loop.getBody());
    distribute(loop.getRegionIterArgs());
    for (State *state : group)
      state->counters.push_back(loop.getInductionVar());
    emitLevel(group, depth + 1);
    for (State *state : group)
      state->counters.pop_back();
    if (!carried.empty()) {
      SmallVector<Value> values;
      for (State *state : group)
        llvm::append_range(values, state->accumulators);
      scf::YieldOp::create(b, loc, values);
    }
  }
  distribute(loop.getResults());
  known.truncate(scope);
}

/// A reduction along columns: rows are taken several at a time, so that each
/// output is loaded and stored once for all of them.
bool LoopEmitter::emitColumns(const Group &group, size_t depth) {
  constexpr int64_t rows = 8;
  State &state = *group.front();
  Statement &statement = *state.statement;
  int64_t size = statement.loops[depth].size;
  if (group.size() > 1 || statement.isInRegisters ||
      !statement.loops[depth].isReduction ||
      statement.loops.size() != depth + 2 ||
      statement.loops[depth + 1].isReduction || size < rows)
    return false;
  state.unrolled = depth;
  state.unrollFactor = rows;
  emitLoop(group, depth, 0, size / rows * rows, rows, false);
  state.unrolled = -1;
  state.unrollFactor = 1;
  if (size % rows != 0)
    emitLoop(group, depth, size / rows * rows, size, 1, false);
  return true;
}

/// A reduction in memory changes its outputs from iteration to iteration.
void LoopEmitter::forgetOutputs(State &state, size_t depth) {
  Statement &statement = *state.statement;
  if (statement.isInRegisters || !statement.loops[depth].isReduction)
    return;
  for (const Access &access : statement.accesses)
    for (Known &entry : known)
      if (access.isWritten && entry.address.root &&
          mayShareMemory(entry.address.root, access.root))
        entry = Known();
}

void LoopEmitter::emitGroup(const Group &group, size_t depth) {
  loc = group.front()->statement->op.getLoc();
  merge(group, depth);
  for (State *state : group)
    forgetOutputs(*state, depth);
  hoistLoads(group, depth);
  SmallVector<State *> begun;
  for (State *state : group)
    if (state->statement->isInRegisters &&
        state->statement->firstReduction == depth) {
      beginReduction(*state);
      begun.push_back(state);
    }
  if (!emitColumns(group, depth)) {
    bool isParallel = llvm::all_of(group, [&](State *state) {
      Statement &statement = *state->statement;
      return statement.loops.size() == depth + 1 &&
             (statement.isInRegisters || !statement.loops[depth].isReduction);
    });
    emitLoop(group, depth, 0, group.front()->statement->loops[depth].size, 1,
             isParallel);
  }
  for (State *state : begun)
    endReduction(*state);
  for (State *state : group)
    for (size_t i = 0; i < state->loaded.size(); ++i)
      state->loaded[i] = Value();
}

void LoopEmitter::emitLevel(ArrayRef<State *> states, size_t depth) {
  SmallVector<State *> rest(states);
  while (!rest.empty()) {
    // What needs no loop any more comes first, so that it parts no others.
    SmallVector<State *> waiting;
    for (State *state : rest) {
      bool mayMove = llvm::none_of(waiting, [&](State *other) {
        return conflict(*other->statement, *state->statement);
      });
      if (state->statement->loops.size() == depth && mayMove)
        emitLeaf(*state);
      else
        waiting.push_back(state);
    }
    rest = waiting;
    if (rest.empty())
      break;
    emitGroup(takeGroup(rest, depth), depth);
  }
}

void LoopEmitter::emit(MutableArrayRef<Statement> run) {
  known.clear();
  flat.clear();
  dynamicOffsets.clear();
  loc = run.front().op.getLoc();
  // Views of the run are made before this op.
  front = arith::ConstantIndexOp::create(b, loc, 0);
  std::vector<State> states(run.size());
  SmallVector<State *> pointers;
  for (auto [state, statement] : llvm::zip_equal(states, run)) {
    state.statement = &statement;
    state.loaded.resize(statement.getNumInputs());
    pointers.push_back(&state);
  }
  emitLevel(pointers, 0);
  front->erase();
}

} // namespace partita
