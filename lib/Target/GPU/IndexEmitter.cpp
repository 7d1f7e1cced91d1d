// Entering a kernel, reading indices, combining elements.

#include "IndexEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace partita {

Value IndexEmitter::enter(int64_t total) {
  Value linear = add(multiply(k.getBlock(), getThreads(total)), k.getThread());
  auto guard = scf::IfOp::create(
      k.b, k.loc, compare(arith::CmpIPredicate::ult, linear, total));
  k.b.setInsertionPointToStart(guard.thenBlock());
  return linear;
}

Values IndexEmitter::readStart(const IndexNumbers &numbers, Value indices,
                               const BufferWords &type, ValueRange batch,
                               int64_t operandRank) {
  Values starts(operandRank);
  int64_t rank = type.shape.size();
  for (auto [position, dim] : llvm::enumerate(numbers.startMap)) {
    Values place(batch.begin(), batch.end());
    if (numbers.vectorDim < rank)
      place.insert(place.begin() + numbers.vectorDim, k.index(position));
    Value read = memref::LoadOp::create(k.b, k.loc, k.import(indices), place);
    Type index = k.b.getIndexType();
    starts[dim] =
        isUnsigned(type.dtype)
            ? Value(arith::IndexCastUIOp::create(k.b, k.loc, index, read))
            : Value(arith::IndexCastOp::create(k.b, k.loc, index, read));
  }
  for (auto [dim, other] :
       llvm::zip_equal(numbers.operandBatching, numbers.indicesBatching))
    starts[dim] = batch[other - (other > numbers.vectorDim)];
  return starts;
}

/// a op b; narrow floats in f32.
Value IndexEmitter::combine(int64_t kind, int64_t dtype, Value a, Value b) {
  if (kind == PARTITA_SET)
    return b;
  Type type = a.getType();
  if (isa<ComplexType>(type))
    return kind == PARTITA_ADD
               ? Value(complex::AddOp::create(k.b, k.loc, a, b))
               : Value(complex::MulOp::create(k.b, k.loc, a, b));
  bool isNarrow = isa<BFloat16Type, Float16Type>(type);
  if (isNarrow) {
    a = arith::ExtFOp::create(k.b, k.loc, k.b.getF32Type(), a);
    b = arith::ExtFOp::create(k.b, k.loc, k.b.getF32Type(), b);
  }
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type), isPlain = isUnsigned(dtype);
  if (dtype == PARTITA_I1)
    kind = kind == PARTITA_ADD || kind == PARTITA_MAX   ? PARTITA_OR
           : kind == PARTITA_MUL || kind == PARTITA_MIN ? PARTITA_AND
                                                        : kind;
  Value result;
  switch (kind) {
  case PARTITA_ADD:
    result = op(isFloat ? Kind::addf : Kind::addi, a, b);
    break;
  case PARTITA_MUL:
    result = op(isFloat ? Kind::mulf : Kind::muli, a, b);
    break;
  case PARTITA_MAX:
    result = op(isFloat   ? Kind::maximumf
                : isPlain ? Kind::maxu
                          : Kind::maxs,
                a, b);
    break;
  case PARTITA_MIN:
    result = op(isFloat   ? Kind::minimumf
                : isPlain ? Kind::minu
                          : Kind::mins,
                a, b);
    break;
  case PARTITA_AND:
    result = arith::AndIOp::create(k.b, k.loc, a, b);
    break;
  case PARTITA_OR:
    result = arith::OrIOp::create(k.b, k.loc, a, b);
    break;
  default:
    result = arith::XOrIOp::create(k.b, k.loc, a, b);
  }
  return isNarrow ? Value(arith::TruncFOp::create(k.b, k.loc, type, result))
                  : result;
}

bool isKnownReduction(int64_t kind, int64_t dtype) {
  bool isComplex = dtype == PARTITA_C64 || dtype == PARTITA_C128;
  return kind != PARTITA_BODY &&
         (!isComplex || kind == PARTITA_ADD || kind == PARTITA_SET);
}

} // namespace partita
