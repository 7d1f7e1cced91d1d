// Which op is which elementwise function, and the kernel that runs all of them.
#include "Element.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita;

Comparison partita::getComparison(Operation *op) {
  // The enumerations of StableHLO and CHLO number the directions alike.
  Attribute attr = op->getAttr("comparison_direction");
  if (auto direction =
          dyn_cast_or_null<stablehlo::ComparisonDirectionAttr>(attr))
    return static_cast<Comparison>(direction.getValue());
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  for (auto [name, value] : {std::pair("EQ", Comparison::EQ),
                             {"NE", Comparison::NE},
                             {"GE", Comparison::GE},
                             {"GT", Comparison::GT},
                             {"LE", Comparison::LE},
                             {"LT", Comparison::LT}})
    if (StringRef(text).contains(name))
      return value;
  return Comparison::EQ;
}

bool partita::isTotalOrder(Operation *op) {
  Attribute attr = op->getAttr("compare_type");
  if (auto type = dyn_cast_or_null<stablehlo::ComparisonTypeAttr>(attr))
    return type.getValue() == stablehlo::ComparisonType::TOTALORDER;
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return attr && StringRef(text).contains("TOTALORDER");
}

bool partita::isElementwiseName(StringRef opName) {
  static const llvm::StringSet<> names = {
      "abs", "ceil", "count_leading_zeros", "floor", "negate", "not", "popcnt",
      "round_nearest_afz", "round_nearest_even", "sign", "cbrt", "cosine",
      "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic",
      "rsqrt", "sine", "sqrt", "tan", "tanh", "imag", "real", "is_finite",
      "convert", "reduce_precision", "add", "atan2", "divide", "maximum",
      "minimum", "multiply", "power", "remainder", "shift_left",
      "shift_right_arithmetic", "shift_right_logical", "subtract", "and", "or",
      "xor", "complex", "compare", "select", "clamp",
      // CHLO
      "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj",
      "cosh", "digamma", "erf", "erf_inv", "erfc", "is_inf", "is_neg_inf",
      "is_pos_inf", "lgamma", "next_after", "polygamma", "sinh", "square",
      "zeta", "mulhi", "broadcast_add", "broadcast_and", "broadcast_atan2",
      "broadcast_compare", "broadcast_complex", "broadcast_divide",
      "broadcast_maximum", "broadcast_minimum", "broadcast_multiply",
      "broadcast_next_after", "broadcast_or", "broadcast_polygamma",
      "broadcast_power", "broadcast_remainder", "broadcast_select",
      "broadcast_shift_left", "broadcast_shift_right_arithmetic",
      "broadcast_shift_right_logical", "broadcast_subtract", "broadcast_xor",
      "broadcast_zeta"};
  if (!opName.consume_front("stablehlo.") && !opName.consume_front("chlo."))
    return false;
  return names.contains(opName);
}

/// select by cells of one size.
template <typename T> static ElementFunction makeSelect() {
  return [](const void *const *in, void *out, int64_t n) {
    auto *pred = static_cast<const int64_t *>(in[0]);
    auto *yes = static_cast<const T *>(in[1]),
         *no = static_cast<const T *>(in[2]);
    auto *r = static_cast<T *>(out);
    for (int64_t i = 0; i < n; ++i)
      r[i] = pred[i] ? yes[i] : no[i];
  };
}

ElementFunction partita::makeElementFunction(const ElementSpec &spec,
                                             const Field *field) {
  if (spec.name == "convert")
    return makeConvertFunction(spec.operands[0], spec.result, field);
  if (spec.name == "bitcast_convert")
    return makeBitcastFunction(spec.operands[0], spec.result, field);
  CellKind resultKind = getCellKind(spec.result, field);
  if (resultKind == CellKind::None)
    return {};
  if (spec.name == "select") {
    switch (getCellSize(resultKind)) {
    case 4:
      return makeSelect<uint32_t>();
    case 8:
      return makeSelect<uint64_t>();
    default:
      return makeSelect<std::complex<double>>();
    }
  }
  switch (getCellKind(spec.operands[0], field)) {
  case CellKind::None:
    return {};
  case CellKind::Float32:
  case CellKind::Float64:
    return makeFloatFunction(spec);
  case CellKind::Int64:
    return makeIntegerFunction(spec);
  case CellKind::Complex:
    return makeComplexFunction(spec);
  case CellKind::Field:
    return makeFieldFunction(spec, *field);
  case CellKind::ComplexField:
    return makeComplexFieldFunction(spec, *field);
  }
  return {};
}

ElementFunction partita::makeElementFunction(Operation *op,
                                             const Field *field) {
  if (!isElementwiseName(op->getName().getStringRef()))
    return {};
  ElementSpec spec;
  spec.name = op->getName().stripDialect();
  spec.name.consume_front("broadcast_");
  for (Type type : op->getOperandTypes())
    spec.operands.push_back(getElementTypeOrSelf(type));
  spec.result = getElementTypeOrSelf(op->getResult(0).getType());
  spec.op = op;
  return makeElementFunction(spec, field);
}

ElementFunction partita::makeBinaryFunction(StringRef name, Type type,
                                            const Field *field) {
  return makeElementFunction({name, {type, type}, type, nullptr}, field);
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

/// The operand at the result's shape: scalars are repeated, and
/// chlo.broadcast_* operands expanded along `broadcast_dimensions` or their
/// trailing dimensions.
static Tensor expandOperand(const Tensor &operand, ArrayRef<int64_t> shape,
                            Operation *op) {
  if (operand.getShape() == shape)
    return operand;
  int64_t offset = int64_t(shape.size()) - operand.getRank();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < operand.getRank(); ++i)
    dims.push_back(i + offset);
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  if (given && int64_t(given.size()) == operand.getRank())
    dims.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  return broadcastInDim(operand, shape, dims);
}

static LogicalResult evaluateElementwise(KernelCall &call) {
  ElementFunction function = makeElementFunction(call.op, call.field);
  auto type = cast<RankedTensorType>(call.op->getResult(0).getType());
  if (!function) {
    InFlightDiagnostic diag = call.op->emitError()
                              << "the evaluator cannot compute '"
                              << call.op->getName()
                              << "' on these element types";
    diag.attachNote()
        << "fix: use integers of up to 64 bits, floats of up to 64 bits, "
           "or complex numbers of f32 or f64 parts; none is quantized";
    return failure();
  }
  SmallVector<Tensor, 3> operands;
  SmallVector<const void *, 3> cells;
  for (const Tensor &operand : call.operands)
    operands.push_back(expandOperand(operand, type.getShape(), call.op));
  for (const Tensor &operand : operands)
    cells.push_back(operand.data());
  Tensor result = Tensor::allocate(type, call.isField());
  function(cells.data(), result.mutableData(), result.getNumElements());
  call.results.push_back(std::move(result));
  return success();
}

void partita::registerElementwiseKernels(KernelTable &table) {
  for (StringRef dialect : {"stablehlo.", "chlo."})
    table.addFamily(dialect, evaluateElementwise);
}
