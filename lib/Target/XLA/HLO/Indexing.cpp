// Slices at run-time positions, gather, scatter, top_k.

#include "HLOWriter.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

static std::string getFlag(StringRef name, bool value) {
  return value ? (", " + name + "=true").str() : "";
}

static void writeGather(ComputationWriter &writer, stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  std::string attributes =
      ", offset_dims=" + getList(numbers.getOffsetDims()) +
      ", collapsed_slice_dims=" + getList(numbers.getCollapsedSliceDims()) +
      ", start_index_map=" + getList(numbers.getStartIndexMap());
  if (!numbers.getOperandBatchingDims().empty())
    attributes +=
        ", operand_batching_dims=" + getList(numbers.getOperandBatchingDims()) +
        ", start_indices_batching_dims=" +
        getList(numbers.getStartIndicesBatchingDims());
  attributes +=
      ", index_vector_dim=" + std::to_string(numbers.getIndexVectorDim()) +
      ", slice_sizes=" + getList(op.getSliceSizes()) +
      getFlag("indices_are_sorted", op.getIndicesAreSorted());
  writer.addOp(op, "gather", attributes);
}

static Written writeScatter(ComputationWriter &writer,
                            stablehlo::ScatterOp op) {
  FailureOr<std::string> body =
      writer.getModule().addBody(op.getUpdateComputation(), "update");
  if (failed(body))
    return failure();
  stablehlo::ScatterDimensionNumbersAttr numbers =
      op.getScatterDimensionNumbers();
  std::string attributes =
      ", update_window_dims=" + getList(numbers.getUpdateWindowDims()) +
      ", inserted_window_dims=" + getList(numbers.getInsertedWindowDims()) +
      ", scatter_dims_to_operand_dims=" +
      getList(numbers.getScatterDimsToOperandDims());
  if (!numbers.getInputBatchingDims().empty())
    attributes +=
        ", input_batching_dims=" + getList(numbers.getInputBatchingDims()) +
        ", scatter_indices_batching_dims=" +
        getList(numbers.getScatterIndicesBatchingDims());
  attributes +=
      ", index_vector_dim=" + std::to_string(numbers.getIndexVectorDim()) +
      getFlag("indices_are_sorted", op.getIndicesAreSorted()) +
      getFlag("unique_indices", op.getUniqueIndices()) + ", to_apply=" + *body;
  writer.addOp(op, "scatter", attributes);
  return true;
}

Written writeIndexing(ComputationWriter &writer, Operation *op) {
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    writer.addOp(op, "dynamic-slice",
                 ", dynamic_slice_sizes=" + getList(slice.getSliceSizes()));
    return true;
  }
  if (isa<stablehlo::DynamicUpdateSliceOp>(op)) {
    writer.addOp(op, "dynamic-update-slice");
    return true;
  }
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    writeGather(writer, gather);
    return true;
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return writeScatter(writer, scatter);
  if (auto topK = dyn_cast<chlo::TopKOp>(op)) {
    writer.addOp(op, "topk", ", k=" + Twine(topK.getK()) + ", largest=true");
    return true;
  }
  return false;
}

} // namespace partita::hlo
