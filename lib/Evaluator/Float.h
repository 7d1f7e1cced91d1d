// Float formats narrower than f64: rounding and bit patterns.
#ifndef PARTITA_LIB_EVALUATOR_FLOAT_H
#define PARTITA_LIB_EVALUATOR_FLOAT_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

namespace partita {

/// A float format to which results are rounded, ties to even.
class FloatFormat {
public:
  /// No rounding beyond the cell's own type.
  FloatFormat() = default;
  /// The format of a float type; plain for f32, f64 and anything else.
  explicit FloatFormat(mlir::Type elementType);
  /// An IEEE-like format with subnormals and infinities.
  FloatFormat(unsigned exponentBits, unsigned mantissaBits);

  bool roundsNothing() const { return isPlain && !semantics; }
  double round(double value) const;
  void roundCells(float *cells, int64_t n) const;
  void roundCells(double *cells, int64_t n) const {
    if (!roundsNothing())
      for (int64_t i = 0; i < n; ++i)
        cells[i] = round(cells[i]);
  }

private:
  const llvm::fltSemantics *semantics = nullptr; // formats without IEEE layout
  unsigned mantissaBits = 52;
  int minExponent = -1022;
  double largest = 0;
  bool isPlain = true;
};

/// The value of an APFloat and of a bit pattern, and the pattern of a value
/// after rounding.
double toDouble(const llvm::APFloat &value);
double decodeFloat(uint64_t bits, mlir::FloatType type);
uint64_t encodeFloat(double value, mlir::FloatType type);

class Field;
class Tensor;
/// Writes a float (already rounded) as cell `i` of `cells`, the tensor's
/// storage.
void storeFloat(Tensor &tensor, void *cells, int64_t i, double value,
                const Field *field);

} // namespace partita

#endif
