// One op on scalars. Its methods are in Scalars.cpp and, by the kind of number,
// in ScalarFloats.cpp, ScalarIntegers.cpp, ScalarComplex.cpp and
// ScalarConversions.cpp.
#ifndef PARTITA_CONVERSION_STABLEHLOTOLINALG_SCALAREMITTER_H
#define PARTITA_CONVERSION_STABLEHLOTOLINALG_SCALAREMITTER_H

#include "ElementStorage.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace partita {

/// The original types tell signedness; values are stored elements.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder &b, mlir::Operation *op,
                mlir::ValueRange stored);

  /// Null if there is no form on scalars.
  mlir::Value emit();

private:
  mlir::Value emitNamed(llvm::StringRef name);
  mlir::Value emitClamp();
  mlir::Value emitConstantLike();

  // ScalarFloats.cpp
  mlir::Value emitUnaryFloat(llvm::StringRef name);
  mlir::Value emitBinaryFloat(llvm::StringRef name);
  mlir::Value emitPredicate(llvm::StringRef name);
  mlir::Value emitReducePrecision(unsigned exponentBits, unsigned mantissaBits);
  mlir::Value emitNextAfter();
  mlir::Value emitCompareFloat(stablehlo::ComparisonDirection direction,
                               bool totalOrder);

  // ScalarIntegers.cpp
  mlir::Value emitUnaryInteger(llvm::StringRef name);
  mlir::Value emitBinaryInteger(llvm::StringRef name);
  mlir::Value emitIntegerDivision(bool isRemainder);
  mlir::Value emitIntegerPower();
  mlir::Value emitMultiplyHigh();
  mlir::Value emitShift(llvm::StringRef name);
  mlir::Value emitCompareInteger(stablehlo::ComparisonDirection direction);

  // ScalarComplex.cpp
  mlir::Value emitComplex(llvm::StringRef name);
  mlir::Value emitComplexMaximum(bool isMinimum);

  // ScalarConversions.cpp
  mlir::Value emitConvert();
  mlir::Value convertReal(mlir::Value x, mlir::Type to, mlir::Type toType);
  mlir::Value emitFloatToInteger(mlir::Value x, mlir::Type to, bool toUnsigned);
  mlir::Value truncateToOdd(mlir::Value x);
  mlir::Value resizeFloat(mlir::Value x, mlir::Type to);

  mlir::Value emitCompare();
  mlir::Value emitSign();

  bool isFloat() const { return llvm::isa<mlir::FloatType>(inType); }
  bool isUnsigned() const {
    return inType.isUnsignedInteger() || inType.isInteger(1);
  }
  mlir::Value lhs() const { return operands[0]; }
  mlir::Value rhs() const { return operands[1]; }
  mlir::Value floatConstant(double value, mlir::Type type) {
    return mlir::arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  mlir::Value intConstant(int64_t value, mlir::Type type) {
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::IntegerAttr::get(
            type, llvm::APInt(type.getIntOrFloatBitWidth(), uint64_t(value),
                              /*isSigned=*/true, /*implicitTrunc=*/true)));
  }
  mlir::Value bitsConstant(const llvm::APInt &bits, mlir::Type type) {
    return mlir::arith::ConstantOp::create(b, loc,
                                           mlir::IntegerAttr::get(type, bits));
  }
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return make<mlir::arith::SelectOp>(condition, yes, no);
  }
  mlir::Value cmpi(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                   mlir::Value c) {
    return make<mlir::arith::CmpIOp>(predicate, a, c);
  }
  mlir::Value cmpf(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                   mlir::Value c) {
    return make<mlir::arith::CmpFOp>(predicate, a, c);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;
  /// Decoded.
  llvm::SmallVector<mlir::Value, 3> operands;
  /// Types of the operand that counts and of the result: f32 for narrow floats.
  mlir::Type inType, outType;
};

} // namespace partita

#endif
