// Constants, iota and the ops that move elements by fixed rules.
#include "Element.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <cstring>

using namespace mlir;
using namespace partita;

static LogicalResult evaluateConstant(KernelCall &call) {
  auto value = call.op->getAttrOfType<ElementsAttr>("value");
  Tensor tensor = value ? Tensor::fromAttribute(value, call.field) : Tensor();
  if (!tensor) {
    InFlightDiagnostic diag = call.op->emitError()
                              << "the constant's contents cannot be read";
    diag.attachNote()
        << "fix: print the module without eliding large constants";
    return failure();
  }
  call.results.push_back(std::move(tensor));
  return success();
}

/// 0, 1, ... n-1 in an element type.
static Tensor makeCounts(int64_t n, Type elementType, const Field *field) {
  Type index = IntegerType::get(elementType.getContext(), 64);
  ElementFunction convert = makeConvertFunction(index, elementType, field);
  SmallVector<int64_t> counts = llvm::to_vector(llvm::seq<int64_t>(0, n));
  Tensor result =
      Tensor::allocate(RankedTensorType::get({n}, elementType), field);
  const void *in[] = {counts.data()};
  convert(in, result.mutableData(), n);
  return result;
}

static LogicalResult evaluateIota(KernelCall &call) {
  RankedTensorType type = call.getResultType();
  int64_t dim = call.op->getAttrOfType<IntegerAttr>("iota_dimension").getInt();
  Tensor counts =
      makeCounts(type.getDimSize(dim), type.getElementType(), call.field);
  call.results.push_back(broadcastInDim(counts, type.getShape(), {dim}));
  return success();
}

static LogicalResult evaluateReshape(KernelCall &call) {
  call.results.push_back(call.operands[0].withType(call.getResultType()));
  return success();
}

static LogicalResult evaluateBroadcastInDim(KernelCall &call) {
  auto dims = call.op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  call.results.push_back(broadcastInDim(
      call.operands[0], call.getResultType().getShape(), dims.asArrayRef()));
  return success();
}

/// Leading dimensions are added.
static LogicalResult evaluateBroadcast(KernelCall &call) {
  SmallVector<int64_t> dims;
  ArrayRef<int64_t> shape = call.getResultType().getShape();
  int64_t offset = shape.size() - call.operands[0].getRank();
  for (int64_t i = 0; i < call.operands[0].getRank(); ++i)
    dims.push_back(i + offset);
  call.results.push_back(broadcastInDim(call.operands[0], shape, dims));
  return success();
}

static LogicalResult evaluateTranspose(KernelCall &call) {
  auto op = cast<stablehlo::TransposeOp>(call.op);
  call.results.push_back(transpose(call.operands[0], op.getPermutation()));
  return success();
}

static LogicalResult evaluateReverse(KernelCall &call) {
  auto op = cast<stablehlo::ReverseOp>(call.op);
  call.results.push_back(reverse(call.operands[0], op.getDimensions()));
  return success();
}

static LogicalResult evaluateConcatenate(KernelCall &call) {
  auto op = cast<stablehlo::ConcatenateOp>(call.op);
  call.results.push_back(concatenate(call.operands, op.getDimension()));
  return success();
}

static LogicalResult evaluatePad(KernelCall &call) {
  auto op = cast<stablehlo::PadOp>(call.op);
  call.results.push_back(pad(call.operands[0], call.operands[1],
                             op.getEdgePaddingLow(), op.getInteriorPadding(),
                             call.getResultType().getShape()));
  return success();
}

static LogicalResult evaluateDimensionSize(KernelCall &call) {
  int64_t dim = call.op->getAttrOfType<IntegerAttr>("dimension").getInt();
  Tensor result = Tensor::allocate(call.getResultType(), call.isField());
  result.mutableCells<int64_t>()[0] = call.operands[0].getShape()[dim];
  call.results.push_back(std::move(result));
  return success();
}

/// Ops whose dynamic operands only repeat the static result shape.
static LogicalResult evaluateDynamicPad(KernelCall &call) {
  auto read = [&](unsigned i) {
    const int64_t *cells = call.operands[i].cells<int64_t>();
    return SmallVector<int64_t>(cells,
                                cells + call.operands[i].getNumElements());
  };
  call.results.push_back(pad(call.operands[0], call.operands[1], read(2),
                             read(4), call.getResultType().getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Bits of one element; complex numbers have none here.
static unsigned getBits(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return floatType.getWidth();
  return isa<ComplexType>(type) ? 0 : getIntegerBits(type);
}

/// Splits or joins integers of `from` bits to those of `to` bits, minor first.
static std::vector<int64_t> regroup(const std::vector<int64_t> &cells,
                                    unsigned from, unsigned to, int64_t count) {
  std::vector<int64_t> result(count, 0);
  unsigned ratio = from > to ? from / to : to / from;
  for (int64_t i = 0; i < int64_t(from > to ? count : int64_t(cells.size()));
       ++i) {
    if (from > to)
      result[i] = int64_t(uint64_t(cells[i / ratio]) >> (i % ratio * to) &
                          llvm::maskTrailingOnes<uint64_t>(to));
    else
      result[i / ratio] |= int64_t(uint64_t(cells[i]) << (i % ratio * from));
  }
  return result;
}

static LogicalResult evaluateBitcastConvert(KernelCall &call) {
  RankedTensorType type = call.getResultType();
  const Tensor &operand = call.operands[0];
  Type from = operand.getElementType(), to = type.getElementType();
  unsigned fromBits = getBits(from), toBits = getBits(to);
  Tensor result = Tensor::allocate(type, call.isField());
  if (fromBits == toBits && from != to && fromBits) {
    const void *in[] = {operand.data()};
    makeBitcastFunction(from, to, call.field)(in, result.mutableData(),
                                              result.getNumElements());
    call.results.push_back(std::move(result));
    return success();
  }
  if (from == to) {
    call.results.push_back(operand.withType(type));
    return success();
  }
  if (!call.field && (!fromBits || !toBits)) {
    Tensor repacked =
        Tensor::fromBytes(type, operand.toBytes(nullptr), nullptr);
    if (repacked) {
      call.results.push_back(std::move(repacked));
      return success();
    }
  }
  if (!fromBits || !toBits) {
    InFlightDiagnostic diag = call.op->emitError()
                              << "the evaluator cannot reinterpret the bits of "
                              << from << " as " << to;
    diag.attachNote() << "fix: take real and imaginary parts apart first";
    return failure();
  }
  auto bitsType = [&](unsigned bits) {
    return IntegerType::get(type.getContext(), bits, IntegerType::Unsigned);
  };
  std::vector<int64_t> bits(operand.getNumElements());
  const void *in[] = {operand.data()};
  makeBitcastFunction(from, bitsType(fromBits), call.field)(in, bits.data(),
                                                            bits.size());
  bits = regroup(bits, fromBits, toBits, result.getNumElements());
  const void *middle[] = {bits.data()};
  makeBitcastFunction(bitsType(toBits), to, call.field)(
      middle, result.mutableData(), result.getNumElements());
  call.results.push_back(std::move(result));
  return success();
}

/// The scalar in the attribute, at the operand's shape.
static LogicalResult evaluateConstantLike(KernelCall &call) {
  RankedTensorType type = call.getResultType();
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  Attribute value = call.op->getAttr("value");
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value)) {
    InFlightDiagnostic diag =
        call.op->emitError()
        << "the evaluator reads an integer or a float here";
    diag.attachNote() << "fix: use stablehlo.constant for other element types";
    return failure();
  }
  DenseElementsAttr dense = DenseElementsAttr::get(scalarType, value);
  call.results.push_back(
      splat(Tensor::fromAttribute(dense, call.field), type.getShape()));
  return success();
}

static LogicalResult evaluateShift(KernelCall &call) {
  auto op = cast<spmd::ShiftOp>(call.op);
  int64_t dim = op.getDim();
  call.results.push_back(takeRows(call.operands[0], dim, -op.getBy(),
                                  call.operands[0].getShape()[dim],
                                  op.getOutside() == spmd::Outside::Wrap));
  return success();
}

void partita::registerShapeKernels(KernelTable &table) {
  table.add("spmd.shift", evaluateShift);
  table.add("stablehlo.constant", evaluateConstant);
  table.add("chlo.constant", evaluateConstant);
  table.add("chlo.constant_like", evaluateConstantLike);
  table.add("stablehlo.iota", evaluateIota);
  table.add("stablehlo.dynamic_iota", evaluateIota);
  table.add("stablehlo.reshape", evaluateReshape);
  table.add("stablehlo.dynamic_reshape", evaluateReshape);
  table.add("stablehlo.broadcast_in_dim", evaluateBroadcastInDim);
  table.add("stablehlo.dynamic_broadcast_in_dim", evaluateBroadcastInDim);
  table.add("stablehlo.broadcast", evaluateBroadcast);
  table.add("stablehlo.transpose", evaluateTranspose);
  table.add("stablehlo.reverse", evaluateReverse);
  table.add("stablehlo.concatenate", evaluateConcatenate);
  table.add("stablehlo.pad", evaluatePad);
  table.add("stablehlo.dynamic_pad", evaluateDynamicPad);
  table.add("stablehlo.get_dimension_size", evaluateDimensionSize);
  table.add("stablehlo.bitcast_convert", evaluateBitcastConvert);
}
