// cpu-lower-accesses: loads and stores of flat memory become LLVM's, and those
// in parallel loops say so, which upstream's conversion of memref cannot.

#include "LoopEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_LOWERACCESSESPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct LowerAccesses : impl::LowerAccessesPassBase<LowerAccesses> {
  using LowerAccessesPassBase::LowerAccessesPassBase;

  /// What LLVM loads and stores for `type`; null: left to upstream.
  static Type getStored(Type type) {
    if (type.isInteger(1))
      return IntegerType::get(type.getContext(), 8);
    return type.isIntOrFloat() ? type : Type();
  }

  static Value getPointer(OpBuilder &b, Location loc, Value buffer,
                          Value element, Type type) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), base);
    Value start = LLVM::IntToPtrOp::create(b, loc, pointer, number);
    Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), element);
    return LLVM::GEPOp::create(b, loc, pointer, type, start,
                               ArrayRef<LLVM::GEPArg>{offset},
                               LLVM::GEPNoWrapFlags::inbounds);
  }

  /// Lowers a load or store of flat memory; `group` may be null.
  void lower(Operation *op, LLVM::AccessGroupAttr group) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    Value buffer = load ? load.getMemRef() : store.getMemRef();
    auto type = cast<MemRefType>(buffer.getType());
    Type stored = getStored(type.getElementType());
    if (!stored || type.getRank() != 1 || !type.getLayout().isIdentity())
      return;
    Value element = load ? load.getIndices()[0] : store.getIndices()[0];
    Value pointer = getPointer(b, loc, buffer, element, stored);
    bool isBool = stored != type.getElementType();
    ArrayAttr groups = group ? b.getArrayAttr(group) : ArrayAttr();
    if (load) {
      auto value = LLVM::LoadOp::create(b, loc, stored, pointer);
      value.setAccessGroupsAttr(groups);
      load.replaceAllUsesWith(
          isBool ? Value(arith::TruncIOp::create(b, loc, b.getI1Type(), value))
                 : Value(value));
    } else {
      Value value = store.getValue();
      if (isBool)
        value = arith::ExtUIOp::create(b, loc, stored, value);
      LLVM::StoreOp::create(b, loc, value, pointer).setAccessGroupsAttr(groups);
    }
    op->erase();
  }

  void lowerWithin(Operation *root, LLVM::AccessGroupAttr group) {
    SmallVector<Operation *> accesses;
    root->walk([&](Operation *op) {
      if (isa<memref::LoadOp, memref::StoreOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses)
      lower(op, group);
  }

  /// The loop as blocks, tested at its end, where LLVM looks for annotations.
  /// Nothing if its bounds are not constant, or it would not run.
  void lowerLoop(scf::ForOp loop, LLVM::AccessGroupAttr group) {
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                           end = getConstantIntValue(loop.getUpperBound()),
                           step = getConstantIntValue(loop.getStep());
    if (!begin || !end || !step || *begin >= *end ||
        !llvm::all_of(loop.getResultTypes(),
                      [](Type type) { return type.isIntOrFloat(); }))
      return;
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value first = number(*begin), stride = number(*step), limit = number(*end);
    Block *before = loop->getBlock();
    Block *after = before->splitBlock(loop->getIterator());
    Block *body = loop.getBody();
    Value counter = body->insertArgument(0u, b.getI64Type(), loc);
    b.setInsertionPointToStart(body);
    body->getArgument(1).replaceAllUsesWith(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), counter));
    body->eraseArgument(1);
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    b.setInsertionPoint(yield);
    Value next = arith::AddIOp::create(b, loc, counter, stride);
    Value more =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, limit);
    SmallVector<Value> again{next};
    llvm::append_range(again, yield.getOperands());
    for (Value result : loop.getResults())
      result.replaceAllUsesWith(after->addArgument(result.getType(), loc));
    auto latch = LLVM::CondBrOp::create(b, loc, more, body, again, after,
                                        yield.getOperands());
    if (group)
      latch.setLoopAnnotationAttr(LLVM::LoopAnnotationAttr::get(
          b.getContext(), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
          {}, ArrayRef<LLVM::AccessGroupAttr>{group}));
    yield.erase();
    b.setInsertionPointToEnd(before);
    SmallVector<Value> initial{first};
    llvm::append_range(initial, loop.getInits());
    LLVM::BrOp::create(b, loc, initial, body);
    before->getParent()->getBlocks().splice(after->getIterator(),
                                            loop.getRegion().getBlocks());
    loop.erase();
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Outermost first: a loop moves into its function, and those in it follow.
    getOperation().walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      LLVM::AccessGroupAttr group;
      if (loop->removeAttr(kParallel)) {
        group = LLVM::AccessGroupAttr::get(&getContext());
        lowerWithin(loop, group);
      }
      // Other ops of scf must hold one block.
      if (isa<func::FuncOp>(loop->getParentOp()))
        lowerLoop(loop, group);
    }
    lowerWithin(getOperation(), nullptr);
  }
};

} // namespace
} // namespace partita
