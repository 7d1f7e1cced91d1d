// cpu-outline-kernels: loops become functions, equal ones the same function.
//
// Every loop nest, and every linalg op with the fills that begin its results,
// becomes a function of its buffers, of where in them it begins, of outside
// scalars, and of all numbers in it. Functions that are then equal are one; a
// constant that is the same at all calls goes back inside.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// A function that is not in the module yet, and its call.
struct Candidate {
  /// What the call replaces; it stands at the last.
  SmallVector<Operation *> ops;
  OwningOpRef<func::FuncOp> function;
  /// Leading arguments.
  SmallVector<Value> operands;
  /// Trailing arguments.
  SmallVector<TypedAttr> constants;
};

/// Makes the function of one group of ops.
class Outliner {
public:
  explicit Outliner(Candidate &candidate)
      : candidate(candidate), b(candidate.ops.back()->getContext()),
        loc(candidate.ops.back()->getLoc()) {}

  void build();

private:
  void addArgument(Value value);
  void addBuffer(Value value, MemRefType type);
  Value addConstant(arith::ConstantOp constant);
  void abstractConstants();

  Candidate &candidate;
  OpBuilder b;
  Location loc;
  Block *body = nullptr;
  IRMapping mapping;
};

/// Sizes, strides and offset of a buffer that is no dense one from its start;
/// none: it is.
std::optional<SmallVector<int64_t>> getStrides(MemRefType type) {
  if (type.getLayout().isIdentity())
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  return strides;
}

/// What the ops use from outside.
llvm::SetVector<Value> getCaptured(ArrayRef<Operation *> ops) {
  llvm::SetVector<Value> captured;
  for (Operation *op : ops) {
    captured.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  }
  return captured;
}

/// Loops that only compute.
bool isLoopNest(Operation *op) {
  return isa<scf::ForOp, scf::ParallelOp>(op) &&
         !op->walk([](Operation *nested) -> WalkResult {
              bool isSimple =
                  isPure(nested) ||
                  isa<memref::LoadOp, memref::StoreOp, memref::AllocaOp>(
                      nested) ||
                  isa<scf::SCFDialect>(nested->getDialect());
              return isSimple ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// True if a function can take such a value.
bool isPassable(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return value.getType().isIntOrIndexOrFloat() ||
           isa<ComplexType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

} // namespace

Value Outliner::addConstant(arith::ConstantOp constant) {
  candidate.constants.push_back(cast<TypedAttr>(constant.getValue()));
  return body->addArgument(constant.getType(), loc);
}

/// A strided buffer comes as its first element's memory and an offset, so that
/// blocks at different places of a larger value have one function.
void Outliner::addBuffer(Value value, MemRefType type) {
  std::optional<SmallVector<int64_t>> strides = getStrides(type);
  if (!strides) {
    candidate.operands.push_back(value);
    mapping.map(value, body->addArgument(type, loc));
    return;
  }
  OpBuilder outside(candidate.ops.back());
  auto metadata = memref::ExtractStridedMetadataOp::create(outside, loc, value);
  Value base = metadata.getBaseBuffer(), offset = metadata.getOffset();
  candidate.operands.append({base, offset});
  Value inBase = body->addArgument(base.getType(), loc);
  Value inOffset = body->addArgument(b.getIndexType(), loc);
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, *strides);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), type.getShape());
  Value view = memref::ReinterpretCastOp::create(
      b, loc,
      MemRefType::get(type.getShape(), type.getElementType(), layout,
                      type.getMemorySpace()),
      inBase, OpFoldResult(inOffset), sizes,
      getAsIndexOpFoldResult(b.getContext(), *strides));
  mapping.map(value, view);
}

void Outliner::addArgument(Value value) {
  if (auto type = dyn_cast<MemRefType>(value.getType()))
    return addBuffer(value, type);
  candidate.operands.push_back(value);
  mapping.map(value, body->addArgument(value.getType(), loc));
}

/// Numbers become arguments, so that functions that differ in them alone are
/// one. Those of loops stay: their bounds and strides are what the code is made
/// for.
void Outliner::abstractConstants() {
  SmallVector<arith::ConstantOp> constants;
  body->walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      constants.push_back(constant);
    } else if (isa<arith::AddIOp>(op) && op->getResult(0).getType().isIndex()) {
      // Where in its buffer a loop begins.
      for (OpOperand &operand : op->getOpOperands())
        if (auto constant = operand.get().getDefiningOp<arith::ConstantOp>())
          operand.set(addConstant(constant));
    }
  });
  for (arith::ConstantOp constant : constants) {
    if (constant.getType().isIntOrFloat())
      constant.getResult().replaceAllUsesWith(addConstant(constant));
    if (constant->use_empty())
      constant->erase();
  }
}

void Outliner::build() {
  candidate.function =
      func::FuncOp::create(loc, "kernel", b.getFunctionType({}, {}));
  body = candidate.function->addEntryBlock();
  b.setInsertionPointToStart(body);
  for (Value value : getCaptured(candidate.ops)) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (constant && constant.getType().isIntOrIndexOrFloat())
      b.clone(*constant, mapping);
    else
      addArgument(value);
  }
  for (Operation *op : candidate.ops)
    b.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : candidate.ops.back()->getResults())
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(b, loc, results);
  abstractConstants();
  candidate.function->setFunctionType(b.getFunctionType(
      body->getArgumentTypes(), TypeRange(ValueRange(results))));
}

namespace {

/// Structure of a function without names and locations.
llvm::hash_code hashFunction(func::FuncOp function) {
  DenseMap<Value, unsigned> numbers;
  llvm::hash_code hash = hash_value(function.getFunctionType());
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->hashProperties(),
                              op->getRawDictionaryAttrs());
    for (Value operand : op->getOperands())
      hash = llvm::hash_combine(hash, numbers.lookup(operand));
    auto number = [&](ValueRange values) {
      for (Value value : values) {
        hash = llvm::hash_combine(hash, value.getType());
        numbers[value] = numbers.size() + 1;
      }
    };
    number(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        number(block.getArguments());
  });
  return hash;
}

bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

struct OutlineKernels : impl::OutlineKernelsPassBase<OutlineKernels> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  /// The loops and linalg ops of `block`, fills with what continues them.
  void collect(Block &block, SmallVectorImpl<Candidate> &candidates);
  void merge(Candidate &candidate);
  void finish(ArrayRef<Candidate *> equal, StringRef name);

  /// Candidates with equal functions, in program order.
  SmallVector<SmallVector<Candidate *>> groups;
  DenseMap<size_t, SmallVector<size_t>> groupsByHash;
  /// Results of ops that are calls now; other candidates may use them.
  IRMapping replaced;

  void runOnOperation() override;
};

} // namespace

void OutlineKernels::collect(Block &block,
                             SmallVectorImpl<Candidate> &candidates) {
  SmallVector<linalg::FillOp> fills; // without effects since
  auto add = [&](ArrayRef<Operation *> ops) {
    if (!llvm::all_of(getCaptured(ops), isPassable))
      return;
    candidates.emplace_back();
    candidates.back().ops.assign(ops.begin(), ops.end());
  };
  auto flush = [&] {
    for (linalg::FillOp fill : fills)
      add({fill});
    fills.clear();
  };
  for (Operation &op : block) {
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      fills.push_back(fill);
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      SmallVector<Operation *> ops;
      for (linalg::FillOp fill : llvm::to_vector(fills))
        if (llvm::is_contained(linalgOp.getDpsInits(), fill.getOutputs()[0])) {
          ops.push_back(fill);
          llvm::erase(fills, fill);
        }
      flush();
      ops.push_back(&op);
      add(ops);
    } else if (isLoopNest(&op)) {
      flush();
      add({&op});
    } else if (!isPure(&op)) {
      flush();
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          collect(nested, candidates);
    }
  }
  flush();
}

/// Puts `candidate` to its equals.
void OutlineKernels::merge(Candidate &candidate) {
  func::FuncOp function = *candidate.function;
  for (size_t number : groupsByHash[hashFunction(function)])
    if (areEqual(function, *groups[number][0]->function)) {
      groups[number].push_back(&candidate);
      candidate.function = nullptr;
      return;
    }
  groupsByHash[hashFunction(function)].push_back(groups.size());
  groups.push_back({&candidate});
}

/// Adds the function of `equal` to the module and calls it.
void OutlineKernels::finish(ArrayRef<Candidate *> equal, StringRef name) {
  func::FuncOp function = equal[0]->function.release();
  getOperation().push_back(function);
  function.setPrivate();
  function.setName(name);
  // Takes neither context nor arena.
  function->setAttr("partita.body", UnitAttr::get(&getContext()));
  function->setAttr("partita.kernel", UnitAttr::get(&getContext()));
  if (equal.size() > 1)
    function.setNoInline(true);
  Block &body = function.getBody().front();
  size_t first = equal[0]->operands.size();
  llvm::BitVector isSame(body.getNumArguments());
  for (auto [index, constant] : llvm::enumerate(equal[0]->constants)) {
    if (!llvm::all_of(equal,
                      [&, i = index, value = constant](Candidate *other) {
                        return other->constants[i] == value;
                      }))
      continue;
    isSame.set(first + index);
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    body.getArgument(first + index)
        .replaceAllUsesWith(
            arith::ConstantOp::create(b, function.getLoc(), constant));
  }
  (void)function.eraseArguments(isSame);
  for (Candidate *candidate : equal) {
    OpBuilder b(candidate->ops.back());
    Location loc = candidate->ops.back()->getLoc();
    SmallVector<Value> operands;
    for (Value operand : candidate->operands)
      operands.push_back(replaced.lookupOrDefault(operand));
    for (auto [index, constant] : llvm::enumerate(candidate->constants))
      if (!isSame[first + index])
        operands.push_back(arith::ConstantOp::create(b, loc, constant));
    auto call = func::CallOp::create(b, loc, function, operands);
    Operation *last = candidate->ops.back();
    replaced.map(last->getResults(), call.getResults());
    last->replaceAllUsesWith(call);
    for (Operation *op : candidate->ops)
      op->erase();
  }
  ++numKernels;
  numCalls += equal.size();
}

void OutlineKernels::runOnOperation() {
  groups.clear();
  groupsByHash.clear();
  replaced.clear();
  SmallVector<Candidate> candidates;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function->hasAttr("partita.body"))
      for (Block &block : function.getBody())
        collect(block, candidates);
  for (Candidate &candidate : candidates) {
    Outliner(candidate).build();
    merge(candidate);
  }
  for (auto [number, equal] : llvm::enumerate(groups))
    finish(equal, "partita_kernel_" + std::to_string(number));
}

} // namespace partita
