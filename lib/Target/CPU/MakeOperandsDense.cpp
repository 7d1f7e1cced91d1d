// cpu-make-operands-dense: runtime calls get dense buffers; copies become
// memcpy or loops.

#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_MAKEOPERANDSDENSEPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Row major without gaps; the offset does not matter.
bool isDense(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t expected = 1;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

struct MakeOperandsDense : impl::MakeOperandsDensePassBase<MakeOperandsDense> {
  using MakeOperandsDensePassBase::MakeOperandsDensePassBase;

  Value makeBuffer(OpBuilder &b, Location loc, MemRefType type) {
    ++numCopies;
    return memref::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), type.getElementType()));
  }

  void visit(spmd::RuntimeCallOp call) {
    OpBuilder b(call);
    for (OpOperand &input : call.getInputsMutable()) {
      auto type = cast<MemRefType>(input.get().getType());
      if (isDense(type))
        continue;
      Value buffer = makeBuffer(b, call.getLoc(), type);
      memref::CopyOp::create(b, call.getLoc(), input.get(), buffer);
      input.set(buffer);
    }
    for (OpOperand &output : call.getOutputsMutable()) {
      auto type = cast<MemRefType>(output.get().getType());
      if (isDense(type))
        continue;
      Value original = output.get();
      Value buffer = makeBuffer(b, call.getLoc(), type);
      output.set(buffer);
      OpBuilder after(call->getContext());
      after.setInsertionPointAfter(call);
      memref::CopyOp::create(after, call.getLoc(), buffer, original);
    }
  }

  void runOnOperation() override {
    getOperation().walk([&](spmd::RuntimeCallOp call) { visit(call); });
    getOperation().walk([&](memref::CopyOp copy) {
      auto from = cast<MemRefType>(copy.getSource().getType());
      auto to = cast<MemRefType>(copy.getTarget().getType());
      if (from.getLayout().isIdentity() && to.getLayout().isIdentity())
        return;
      OpBuilder b(copy);
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    });
  }
};

} // namespace
} // namespace partita
