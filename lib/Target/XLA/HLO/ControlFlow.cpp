// Loops, branches, tuples. HLO's computations see only their parameters, so
// values that a region uses from outside travel in the tuple that it gets.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

static Written writeWhile(ComputationWriter &writer, stablehlo::WhileOp op) {
  SmallVector<Value> captures = getCaptures({&op.getCond(), &op.getBody()});
  ModuleWriter &module = writer.getModule();
  FailureOr<std::string> condition =
      module.addRegion(op.getCond(), captures, /*returnsCaptures=*/false,
                       /*single=*/true, "condition");
  FailureOr<std::string> body =
      module.addRegion(op.getBody(), captures, /*returnsCaptures=*/true,
                       /*single=*/false, "body");
  if (failed(condition) || failed(body))
    return failure();
  SmallVector<Value> carried(op.getOperand());
  llvm::append_range(carried, captures);
  TypeRange types = ValueRange(carried).getTypes();
  std::string loop =
      writer.add(getTupleShape(types), "while",
                 {writer.addTuple(types, writer.get(ValueRange(carried)))},
                 ", condition=" + *condition + ", body=" + *body);
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty())
      writer.bind(result, writer.addElement(result.getType(), loop, index));
  return true;
}

/// A conditional whose branches all get the same tuple.
static Written writeBranches(ComputationWriter &writer, Operation *op) {
  SmallVector<Region *> regions;
  for (Region &region : op->getRegions())
    regions.push_back(&region);
  SmallVector<Value> captures = getCaptures(regions);
  SmallVector<std::string> branches;
  for (Region *region : regions) {
    FailureOr<std::string> branch = writer.getModule().addRegion(
        *region, captures, /*returnsCaptures=*/false, /*single=*/true,
        "branch");
    if (failed(branch))
      return failure();
    branches.push_back(*branch);
  }
  std::string tuple = writer.addTuple(ValueRange(captures).getTypes(),
                                      writer.get(ValueRange(captures)));
  SmallVector<std::string> operands(branches.size(), tuple);
  operands.insert(operands.begin(), writer.get(op->getOperand(0)));
  std::string attributes =
      isa<stablehlo::IfOp>(op)
          ? ", true_computation=" + branches[0] +
                ", false_computation=" + branches[1]
          : ", branch_computations={" + llvm::join(branches, ", ") + "}";
  writer.bindResults(op, writer.add(ComputationWriter::getResultShape(op),
                                    "conditional", operands, attributes));
  return true;
}

Written writeControlFlow(ComputationWriter &writer, Operation *op) {
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return writeWhile(writer, loop);
  if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
    return writeBranches(writer, op);
  if (isa<stablehlo::TupleOp>(op)) {
    writer.addOp(op, "tuple");
    return true;
  }
  if (auto element = dyn_cast<stablehlo::GetTupleElementOp>(op)) {
    writer.addOp(op, "get-tuple-element",
                 ", index=" + Twine(element.getIndex()));
    return true;
  }
  if (isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op)) {
    writer.addOp(op, "after-all");
    return true;
  }
  return false;
}

} // namespace partita::hlo
