// Ops with a scalar body: reductions, windows, sort, map.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

static std::string joinSizes(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      "x");
}

/// ", window={...}" of a window over all dimensions.
static std::string getWindow(ArrayRef<int64_t> sizes,
                             std::optional<ArrayRef<int64_t>> strides,
                             std::optional<DenseIntElementsAttr> padding,
                             std::optional<ArrayRef<int64_t>> baseDilations,
                             std::optional<ArrayRef<int64_t>> windowDilations) {
  if (sizes.empty())
    return "";
  std::string window = "size=" + joinSizes(sizes);
  auto addList = [&](StringRef name, std::optional<ArrayRef<int64_t>> values) {
    if (values && !llvm::all_of(*values, [](int64_t v) { return v == 1; }))
      window += (" " + name + "=").str() + joinSizes(*values);
  };
  addList("stride", strides);
  if (padding) {
    SmallVector<int64_t> flat;
    for (const APInt &value : padding->getValues<APInt>())
      flat.push_back(value.getSExtValue());
    SmallVector<std::string> pads;
    for (size_t i = 0; i + 1 < flat.size(); i += 2)
      pads.push_back(std::to_string(flat[i]) + "_" +
                     std::to_string(flat[i + 1]));
    if (llvm::any_of(flat, [](int64_t v) { return v != 0; }))
      window += " pad=" + llvm::join(pads, "x");
  }
  addList("lhs_dilate", baseDilations);
  addList("rhs_dilate", windowDilations);
  return ", window={" + window + "}";
}

static Written writeSelectAndScatter(ComputationWriter &writer,
                                     stablehlo::SelectAndScatterOp op) {
  FailureOr<std::string> select =
      writer.getModule().addBody(op.getSelect(), "select");
  FailureOr<std::string> scatter =
      writer.getModule().addBody(op.getScatter(), "scatter");
  if (failed(select) || failed(scatter))
    return failure();
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  SmallVector<int64_t> ones(rank, 1);
  writer.addOp(op, "select-and-scatter",
               getWindow(op.getWindowDimensions().value_or(ones),
                         op.getWindowStrides(), op.getPadding(), std::nullopt,
                         std::nullopt) +
                   ", select=" + *select + ", scatter=" + *scatter);
  return true;
}

/// The body and the attributes before it.
static FailureOr<std::string> getAttributes(ComputationWriter &writer,
                                            Operation *op, StringRef &opcode) {
  Region *body = nullptr;
  std::string attributes;
  StringRef name = "combine";
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    opcode = "reduce";
    body = &reduce.getBody();
    attributes = ", dimensions=" + getList(reduce.getDimensions());
  } else if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    opcode = "reduce-window";
    body = &window.getBody();
    attributes =
        getWindow(window.getWindowDimensions(), window.getWindowStrides(),
                  window.getPadding(), window.getBaseDilations(),
                  window.getWindowDilations());
  } else if (auto sort = dyn_cast<stablehlo::SortOp>(op)) {
    opcode = "sort";
    name = "compare";
    body = &sort.getComparator();
    int64_t dimension = sort.getDimension();
    if (dimension < 0)
      dimension +=
          cast<RankedTensorType>(sort->getOperand(0).getType()).getRank();
    attributes = ", dimensions=" + getList({dimension}) +
                 (sort.getIsStable() ? ", is_stable=true" : "");
  } else if (auto map = dyn_cast<stablehlo::MapOp>(op)) {
    opcode = "map";
    name = "map";
    body = &map.getComputation();
    attributes = ", dimensions=" + getList(map.getDimensions());
  } else {
    return std::string();
  }
  FailureOr<std::string> computation = writer.getModule().addBody(*body, name);
  if (failed(computation))
    return failure();
  return attributes + ", to_apply=" + *computation;
}

Written writeReduction(ComputationWriter &writer, Operation *op) {
  if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return writeSelectAndScatter(writer, scatter);
  StringRef opcode;
  FailureOr<std::string> attributes = getAttributes(writer, op, opcode);
  if (failed(attributes))
    return failure();
  if (attributes->empty())
    return false;
  writer.addOp(op, opcode, *attributes);
  return true;
}

} // namespace partita::hlo
