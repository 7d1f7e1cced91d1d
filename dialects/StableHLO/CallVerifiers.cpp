// Inference and verification of calls, tuples, tokens and barriers.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Fails unless there is one layout per value, a permutation of its dimensions.
static LogicalResult checkLayouts(const Reporter &at, StringRef name,
                                  ArrayAttr layouts, TypeRange types) {
  // A single tuple is laid out element by element.
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      return checkLayouts(at, name, layouts, tuple.getTypes());
  if (failed(checkCount(at, name, layouts.size(), types.size(), "values")))
    return failure();
  for (auto [index, attr, type] : llvm::enumerate(layouts, types)) {
    auto layout = cast<DenseIntElementsAttr>(attr);
    SmallVector<int64_t> dims;
    for (const APInt &dim : layout.getValues<APInt>())
      dims.push_back(dim.getSExtValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    if (static_cast<int64_t>(dims.size()) != rank)
      return at.fail(name, " has ", dims.size(), " dimensions for value ",
                     index, " of type ", type);
    if (failed(checkDims(at, name, dims, rank)))
      return failure();
  }
  return success();
}

/// The part of `type` that tuple indices name; null if there is none.
static Type getTuplePart(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast_or_null<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return nullptr;
    type = tuple.getType(index);
  }
  return type;
}

static LogicalResult checkAlias(CustomCallOp op, const Reporter &at,
                                OutputOperandAliasAttr alias) {
  int64_t operand = alias.getOperandIndex();
  if (operand < 0 || operand >= static_cast<int64_t>(op.getInputs().size()))
    return at.fail("has an alias of operand ", operand, ", but ",
                   op.getInputs().size(), " operands");
  // With several results the first index names the result.
  ArrayRef<int64_t> outputIndices = alias.getOutputTupleIndices();
  unsigned result = 0;
  if (op.getNumResults() != 1 && !outputIndices.empty()) {
    result = outputIndices.front();
    outputIndices = outputIndices.drop_front();
  }
  if (result >= op.getNumResults())
    return at.fail("has an alias of result ", result, ", but ",
                   op.getNumResults(), " results");
  Type from = getTuplePart(op.getInputs()[operand].getType(),
                           alias.getOperandTupleIndices());
  Type to = getTuplePart(op.getResult(result).getType(), outputIndices);
  if (!from || !to)
    return at.fail("has an alias of a part that does not exist: ", alias);
  if (!areCompatibleTypes(from, to))
    return at.fail("has an alias of operand part ", from, " and result part ",
                   to, ", which must have one type");
  return success();
}

LogicalResult CustomCallOp::verify() {
  Reporter at(*this);
  std::optional<ArrayAttr> operandLayouts = getOperandLayouts();
  std::optional<ArrayAttr> resultLayouts = getResultLayouts();
  if (operandLayouts.has_value() != resultLayouts.has_value())
    return at.fail("needs operand_layouts and result_layouts both, or neither");
  if (operandLayouts &&
      (failed(checkLayouts(at, "operand_layouts", *operandLayouts,
                           getInputs().getTypes())) ||
       failed(checkLayouts(at, "result_layouts", *resultLayouts,
                           getResultTypes()))))
    return failure();
  bool isTyped = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (std::optional<Attribute> config = getBackendConfig())
    if (isa<DictionaryAttr>(*config) != isTyped)
      return at.fail("of API version ", stringifyEnum(getApiVersion()),
                     " needs a backend_config that is a ",
                     isTyped ? "dictionary" : "string");
  for (Attribute alias : getOutputOperandAliases())
    if (failed(checkAlias(*this, at, cast<OutputOperandAliasAttr>(alias))))
      return failure();
  return success();
}

/// True for `dialect.name`: an identifier, then parts that start with a dot.
static bool isNamespacedName(StringRef name) {
  auto [first, rest] = name.split('.');
  auto isPart = [](StringRef part, StringRef extra) {
    return !part.empty() && llvm::all_of(part, [&](char c) {
      return llvm::isAlnum(c) || extra.contains(c);
    });
  };
  if (!isPart(first, "_") || !llvm::isAlpha(first.front()) || rest.empty())
    return false;
  SmallVector<StringRef> parts;
  rest.split(parts, '.');
  return llvm::all_of(parts,
                      [&](StringRef part) { return isPart(part, "_$"); });
}

LogicalResult CompositeOp::verify() {
  if (!isNamespacedName(getName()))
    return Reporter(*this).fail("needs a name such as \"my_dialect.my_op\", "
                                "not \"",
                                getName(), "\"");
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Reporter at(*this);
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (!function)
    return at.fail("finds no function @", getDecomposition());
  if (!areCompatibleTypes(function.getArgumentTypes(),
                          getInputs().getTypes()) ||
      !areCompatibleTypes(function.getResultTypes(), getResultTypes()))
    return at.fail("has operand or result types other than those of its "
                   "decomposition @",
                   getDecomposition(), ": ", function.getFunctionType());
  return success();
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getVal().getTypes()));
  return success();
}
LogicalResult TupleOp::verify() {
  Type made = TupleType::get(getContext(), getVal().getTypes());
  return checkResultTypes(Reporter(*this), TypeRange(made),
                          getOperation()->getResultTypes());
}

static LogicalResult inferTypes(GetTupleElementOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  auto tuple = cast<TupleType>(op.getOperand().getType());
  if (op.getIndex() >= tuple.size())
    return at.fail("takes element ", op.getIndex(), " of a tuple of ",
                   tuple.size());
  types.push_back(tuple.getType(op.getIndex()));
  return success();
}
PARTITA_INFER_AND_VERIFY(GetTupleElementOp)

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

LogicalResult CreateTokenOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>, Adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}
LogicalResult CreateTokenOp::verify() { return success(); }

LogicalResult AfterAllOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>, Adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}
LogicalResult AfterAllOp::verify() { return success(); }

LogicalResult
OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}
LogicalResult OptimizationBarrierOp::verify() {
  return checkResultTypes(Reporter(*this), getOperand().getTypes(),
                          getOperation()->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

LogicalResult AsyncStartOp::verify() {
  Reporter at(*this);
  ReturnOp end = getReturn(at, getBody(), "the body");
  if (!end)
    return failure();
  if (getBody().getArgumentTypes() != getOperands().getTypes())
    return at.fail("has a body whose arguments are not of the operands' types");
  if (getBody().front().getOperations().size() != 2 ||
      !getBody().front().front().hasTrait<CollectiveOp>())
    return at.fail("needs a body of one collective operation");
  if (TypeRange(getType().getTypes()) != TypeRange(end->getOperandTypes()))
    return at.fail("has a result of type ", getType(),
                   ", which does not list the types that its body returns");
  return success();
}

static LogicalResult inferTypes(AsyncDoneOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  llvm::append_range(types,
                     cast<FutureType>(op.getOperand().getType()).getTypes());
  return success();
}
PARTITA_INFER_AND_VERIFY(AsyncDoneOp)

} // namespace partita::stablehlo
