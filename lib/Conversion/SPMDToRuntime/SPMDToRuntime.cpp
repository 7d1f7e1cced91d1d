// convert-spmd-to-runtime: collectives become calls of the runtime.
//
// Before: convert-spmd-to-stablehlo, which spells out what is local about each
// collective; groups list device ids. After: no StableHLO collective is left.
// The runtime's collectives work on whole buffers with the group as major
// dimension, so that gathers and scatters along other dimensions are transposed
// here.

#include "dialects/StableHLO/ReductionBody.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "partita/Conversion/Passes.h"
#include "partita/Conversion/RuntimeDescriptor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita {
#define GEN_PASS_DEF_CONVERTSPMDTORUNTIMEPASS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

class CallEmitter {
public:
  explicit CallEmitter(MLIRContext *context) : b(context) {}

  /// Replaces a collective; false for any other op.
  FailureOr<bool> convert(Operation *op);
  int64_t numCalls = 0;

private:
  using Words = llvm::function_ref<void(RuntimeDescriptor &)>;

  Value call(StringRef callee, ValueRange inputs, RankedTensorType output,
             Words words);
  LogicalResult addGroups(Operation *op, Attribute groups);
  /// Splits dimension `dim` into [group, rest] and brings the group to the
  /// front.
  Value splitToFront(Value value, int64_t dim);
  /// The inverse of splitToFront on the result.
  Value mergeFromFront(Value value, int64_t dim);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  FailureOr<Value> convertOne(Operation *op, Value input, Type result);
  FailureOr<int64_t> getReduction(Operation *op);
  FailureOr<bool> convertRagged(stablehlo::CustomCallOp op);

  OpBuilder b;
  Location loc = b.getUnknownLoc();
  /// Count, size, members row by row, of the collective at hand.
  SmallVector<int64_t> groups;
  /// Ids of collectives; kernels number from elsewhere.
  int64_t nextOp = int64_t(1) << 32;
};

} // namespace

/// The type as which elements travel that the runtime lacks: every value of the
/// narrow floats is one of f32, and integers keep theirs in more bits.
static Type getCarrier(Type element) {
  MLIRContext *context = element.getContext();
  auto floatType = dyn_cast<FloatType>(element);
  if (floatType && floatType.getWidth() < 16)
    return Float32Type::get(context);
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() > 1 && integer.getWidth() < 8)
    return IntegerType::get(context, 8, integer.getSignedness());
  return element;
}

Value CallEmitter::call(StringRef callee, ValueRange inputs,
                        RankedTensorType output, Words words) {
  Type element = output.getElementType(), carrier = getCarrier(element);
  if (carrier != element) {
    SmallVector<Value> carried(inputs);
    for (Value &input : carried) {
      auto type = cast<RankedTensorType>(input.getType());
      if (type.getElementType() == element)
        input =
            stablehlo::ConvertOp::create(b, loc, type.clone(carrier), input);
    }
    Value result = call(callee, carried, output.clone(carrier), words);
    return stablehlo::ConvertOp::create(b, loc, output, result);
  }
  RuntimeDescriptor descriptor(nextOp++, inputs.getTypes(), output);
  words(descriptor);
  Value destination =
      stablehlo::ConstantOp::create(b, loc, stablehlo::getZeroElements(output));
  ++numCalls;
  return spmd::RuntimeCallOp::create(
             b, loc, TypeRange(output), b.getStringAttr(callee), inputs,
             ValueRange(destination),
             b.getDenseI64ArrayAttr(descriptor.finish()), FlatSymbolRefAttr(),
             b.getUnitAttr())
      .getResult(0);
}

LogicalResult CallEmitter::addGroups(Operation *op, Attribute attribute) {
  auto dense = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!dense)
    return op->emitOpError("names its groups by mesh axes here");
  auto shape = cast<RankedTensorType>(dense.getType()).getShape();
  groups = {shape[0], shape[1]};
  for (const APInt &id : dense.getValues<APInt>())
    groups.push_back(id.getSExtValue());
  return success();
}

Value CallEmitter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return stablehlo::TransposeOp::create(b, loc, type.clone(shape), value,
                                        b.getDenseI64ArrayAttr(permutation));
}

Value CallEmitter::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return stablehlo::ReshapeOp::create(b, loc, type.clone(shape), value);
}

Value CallEmitter::splitToFront(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = groups[1];
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= size;
  shape.insert(shape.begin() + dim, size);
  SmallVector<int64_t> permutation{dim};
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    if (i != dim)
      permutation.push_back(i);
  return transpose(reshape(value, shape), permutation);
}

Value CallEmitter::mergeFromFront(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> permutation, shape(type.getShape().drop_front());
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    if (i == dim)
      permutation.push_back(0);
    permutation.push_back(i + 1);
  }
  shape[dim] *= type.getDimSize(0);
  return reshape(transpose(value, permutation), shape);
}

FailureOr<int64_t> CallEmitter::getReduction(Operation *op) {
  if (auto kind = stablehlo::matchReductionBody(op->getRegion(0)))
    return static_cast<int64_t>(*kind);
  InFlightDiagnostic diagnostic =
      op->emitOpError("combines by a body that the runtime has no kind for");
  diagnostic.attachNote() << "fix: reduce by add, multiply, maximum, minimum, "
                             "and, or or xor, or run with --engine=eval";
  return diagnostic;
}

/// The type with the group in front.
static RankedTensorType withGroup(Type type, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin(), size);
  return tensor.clone(shape);
}

FailureOr<Value> CallEmitter::convertOne(Operation *op, Value input,
                                         Type result) {
  auto resultType = cast<RankedTensorType>(result);
  auto groupWords = [&](RuntimeDescriptor &d) {
    for (int64_t word : groups)
      d.add(word);
  };
  if (auto gather = dyn_cast<stablehlo::AllGatherOp>(op))
    return mergeFromFront(call("partita_all_gather", input,
                               withGroup(input.getType(), groups[1]),
                               groupWords),
                          gather.getAllGatherDim());
  if (auto move = dyn_cast<stablehlo::AllToAllOp>(op)) {
    Value split = splitToFront(input, move.getSplitDimension());
    return mergeFromFront(call("partita_all_to_all", split,
                               cast<RankedTensorType>(split.getType()),
                               groupWords),
                          move.getConcatDimension());
  }
  if (isa<stablehlo::CollectiveBroadcastOp>(op))
    return call("partita_broadcast", input, resultType,
                [&](RuntimeDescriptor &d) {
                  groupWords(d);
                  d.add(0);
                });
  FailureOr<int64_t> reduction = getReduction(op);
  if (failed(reduction))
    return failure();
  auto reductionWords = [&](RuntimeDescriptor &d) {
    groupWords(d);
    d.add(*reduction);
  };
  if (auto scatter = dyn_cast<stablehlo::ReduceScatterOp>(op))
    return call("partita_reduce_scatter",
                splitToFront(input, scatter.getScatterDimension()), resultType,
                reductionWords);
  return call("partita_all_reduce", input, resultType, reductionWords);
}

/// Fails where a value has elements that the runtime cannot carry.
static LogicalResult checkElements(Operation *op) {
  for (Type type : op->getOperandTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (getRuntimeType(getCarrier(element)))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "cannot carry elements of type " << element;
    diagnostic.attachNote() << "fix: convert to integers or floats of up to 64 "
                               "bits, or complex numbers of them";
    return diagnostic;
  }
  return success();
}

/// convert-spmd-to-stablehlo's form of ragged_all_to_all.
FailureOr<bool> CallEmitter::convertRagged(stablehlo::CustomCallOp op) {
  auto config = dyn_cast_or_null<DictionaryAttr>(op.getBackendConfigAttr());
  Attribute devices = config ? config.get("replica_groups") : Attribute();
  if (!devices || failed(checkElements(op)) || failed(addGroups(op, devices)))
    return failure();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(call("partita_ragged_all_to_all",
                                           op->getOperands(), result,
                                           [&](RuntimeDescriptor &d) {
                                             for (int64_t word : groups)
                                               d.add(word);
                                           }));
  op->erase();
  return true;
}

FailureOr<bool> CallEmitter::convert(Operation *op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
  auto custom = dyn_cast<stablehlo::CustomCallOp>(op);
  if (custom && custom.getCallTargetName() == "ragged_all_to_all")
    return convertRagged(custom);
  bool isCollective =
      isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
          stablehlo::ReduceScatterOp, stablehlo::CollectiveBroadcastOp,
          stablehlo::CollectivePermuteOp>(op);
  if (isCollective && failed(checkElements(op)))
    return failure();
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    SmallVector<int64_t> pairs;
    for (const APInt &id : permute.getSourceTargetPairs().getValues<APInt>())
      pairs.push_back(id.getSExtValue());
    op->getResult(0).replaceAllUsesWith(
        call("partita_permute", permute.getOperand(),
             cast<RankedTensorType>(op->getResult(0).getType()),
             [&](RuntimeDescriptor &d) { d.addList(pairs); }));
    op->erase();
    return true;
  }
  if (isa<stablehlo::PartitionIdOp>(op)) {
    auto i32 = RankedTensorType::get({}, b.getI32Type());
    // An empty table is the identity.
    Value id =
        call("partita_axis_index", ValueRange(), i32,
             [](RuntimeDescriptor &d) { d.addList(ArrayRef<int64_t>()); });
    op->getResult(0).replaceAllUsesWith(
        stablehlo::ConvertOp::create(b, loc, op->getResult(0).getType(), id));
    op->erase();
    return true;
  }
  if (!isCollective)
    return false;
  if (failed(addGroups(op, op->getAttr("replica_groups"))))
    return failure();
  for (auto [input, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    FailureOr<Value> value = convertOne(op, input, result.getType());
    if (failed(value))
      return failure();
    result.replaceAllUsesWith(*value);
  }
  op->erase();
  return true;
}

namespace {

struct ConvertSPMDToRuntime
    : impl::ConvertSPMDToRuntimePassBase<ConvertSPMDToRuntime> {
  using ConvertSPMDToRuntimePassBase::ConvertSPMDToRuntimePassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<stablehlo::StableHLODialect>(op->getDialect()))
        ops.push_back(op);
    });
    CallEmitter emitter(&getContext());
    // Bodies of collectives go with them.
    llvm::DenseSet<Operation *> gone;
    for (Operation *op : ops) {
      if (gone.contains(op))
        continue;
      op->walk([&](Operation *nested) {
        if (nested != op &&
            isa<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op))
          gone.insert(nested);
      });
      if (failed(emitter.convert(op)))
        return signalPassFailure();
    }
    numCalls += emitter.numCalls;
  }
};

} // namespace
} // namespace partita
