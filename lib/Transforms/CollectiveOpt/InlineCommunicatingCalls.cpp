// spmd-inline-communicating-calls: collectives in functions that are called
// once come to where they can be seen together.
//
// Before and after: phase partitioned. No function is copied, so the program
// does not grow. A call with attributes stays: they are the user's. Calls
// beside halo exchanges of a loop are inlined, too: ghost zones need to see
// what the loop computes.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace partita {
#define GEN_PASS_DEF_INLINECOMMUNICATINGCALLSPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct InlineCommunicatingCalls
    : impl::InlineCommunicatingCallsPassBase<InlineCommunicatingCalls> {
  using InlineCommunicatingCallsPassBase::InlineCommunicatingCallsPassBase;

  static bool communicates(func::FuncOp function) {
    return function
        .walk(
            [](spmd::CollectiveOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static bool isBesideExchange(func::CallOp call) {
    return isa<LoopLikeOpInterface>(call->getParentOp()) &&
           !call->getBlock()->getOps<spmd::ExchangeOp>().empty();
  }

  void inlineCall(func::CallOp call, func::FuncOp callee) {
    Block &body = callee.getBody().front();
    Operation *end = body.getTerminator();
    for (auto [argument, operand] :
         llvm::zip(body.getArguments(), call.getOperands()))
      argument.replaceAllUsesWith(operand);
    for (auto [result, value] :
         llvm::zip(call.getResults(), end->getOperands()))
      result.replaceAllUsesWith(value);
    call->getBlock()->getOperations().splice(call->getIterator(),
                                             body.getOperations(), body.begin(),
                                             end->getIterator());
    call.erase();
    ++numInlined;
  }

  /// Calls of each function that has a body of one block and communicates, or
  /// stands beside an exchange.
  SmallVector<std::pair<func::FuncOp, func::CallOp>>
  findSingleCalls(SymbolTable &symbols) {
    llvm::MapVector<StringAttr, SmallVector<func::CallOp, 1>> calls;
    getOperation().walk([&](func::CallOp call) {
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    });
    SmallVector<std::pair<func::FuncOp, func::CallOp>> single;
    for (auto &[name, sites] : calls) {
      auto callee = symbols.lookup<func::FuncOp>(name);
      if (sites.size() == 1 && callee && callee.isPrivate() &&
          callee.getBody().hasOneBlock() &&
          sites.front()->getDiscardableAttrs().empty() &&
          !callee->isProperAncestor(sites.front()) &&
          (communicates(callee) || isBesideExchange(sites.front())))
        single.push_back({callee, sites.front()});
    }
    return single;
  }

  /// Names that something other than a call speaks of.
  llvm::DenseSet<StringAttr> findMentioned() {
    llvm::DenseSet<StringAttr> mentioned;
    llvm::DenseSet<Attribute> seen;
    auto look = [&](Attribute attribute) {
      if (attribute && seen.insert(attribute).second)
        attribute.walk([&](SymbolRefAttr name) {
          mentioned.insert(name.getRootReference());
        });
    };
    getOperation().walk([&](Operation *op) {
      if (isa<func::CallOp>(op))
        return;
      // Not all as one dictionary, which would have to be made.
      for (NamedAttribute attribute : op->getRawDictionaryAttrs())
        look(attribute.getValue());
      if (op->getPropertiesStorage())
        for (StringAttr name : op->getName().getAttributeNames())
          look(op->getInherentAttr(name).value_or(nullptr));
    });
    return mentioned;
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    std::optional<llvm::DenseSet<StringAttr>> mentioned;
    // A caller may communicate only once its callee is part of it.
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [callee, call] : findSingleCalls(symbols)) {
        if (!mentioned)
          mentioned = findMentioned();
        if (mentioned->contains(callee.getSymNameAttr()))
          continue;
        inlineCall(call, callee);
        symbols.erase(callee);
        changed = true;
      }
    }
  }
};

} // namespace
} // namespace partita
