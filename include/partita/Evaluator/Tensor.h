// Values of the evaluator: dense tensors of any element type, tokens, and
// bundles (tuples and futures). Copies share storage until one is written.
#ifndef PARTITA_EVALUATOR_TENSOR_H
#define PARTITA_EVALUATOR_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "partita/Evaluator/Field.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <complex>
#include <memory>
#include <string>

namespace partita {

/// How one element is stored. Every element type has one kind in float mode and
/// one in field mode, wide enough for all its values; kernels are written per
/// kind and results are narrowed to the element type.
enum class CellKind : uint8_t {
  None,         ///< no elements: a token, a bundle, or nothing
  Float32,      ///< `float`: f32 and every narrower float type, rounded
  Float64,      ///< `double`: f64
  Int64,        ///< `int64_t`: integers, sign- or zero-extended; i1 is 0 or 1
  Complex,      ///< `std::complex<double>`, rounded to f32 if so typed
  Field,        ///< `Field::Word`: floats of any width in field mode
  ComplexField, ///< `FieldComplex`: complex numbers in field mode
};

/// A complex number of the field: i * i = -1.
struct FieldComplex {
  Field::Word re = 0, im = 0;
  bool operator==(const FieldComplex &other) const {
    return re == other.re && im == other.im;
  }
};

/// Bytes of one cell.
constexpr int64_t getCellSize(CellKind kind) {
  switch (kind) {
  case CellKind::None:
    return 0;
  case CellKind::Float32:
    return 4;
  case CellKind::Complex:
  case CellKind::ComplexField:
    return 16;
  default:
    return 8;
  }
}

/// Kind of the cells of `elementType`; None if the type is not supported
/// (quantized and opaque types).
CellKind getCellKind(mlir::Type elementType, bool inField);

/// A value: a ranked tensor, a token, or a bundle of values.
class Tensor {
public:
  Tensor() = default;

  /// A zero tensor of `type`, whose element type must be supported.
  static Tensor zeros(mlir::RankedTensorType type, bool inField);
  /// As `zeros`, with unspecified contents.
  static Tensor allocate(mlir::RankedTensorType type, bool inField);
  /// A token.
  static Tensor token(mlir::Type type);
  /// A tuple or a future with its parts.
  static Tensor bundle(mlir::Type type, llvm::ArrayRef<Tensor> parts);
  /// The value of an elements attribute; null for a kind without contents
  /// (e.g. an elided resource). `field` null: float mode.
  static Tensor fromAttribute(mlir::ElementsAttr attribute, const Field *field);
  /// From elements packed as in a .npy file, little-endian, i1 and sub-byte
  /// integers one byte each, bf16 and f8 as their bits. In field mode floats
  /// are embedded. Null if the size is wrong or the type not supported.
  static Tensor fromBytes(mlir::RankedTensorType type,
                          llvm::ArrayRef<char> bytes, const Field *field);
  /// The inverse of fromBytes. In field mode residues become f64 bits of
  /// Field::toDouble, rounded to the type.
  std::vector<char> toBytes(const Field *field) const;

  explicit operator bool() const { return static_cast<bool>(type); }
  mlir::Type getType() const { return type; }
  mlir::RankedTensorType getTensorType() const {
    return llvm::dyn_cast_or_null<mlir::RankedTensorType>(type);
  }
  mlir::Type getElementType() const { return getTensorType().getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const {
    return getTensorType().getShape();
  }
  int64_t getRank() const { return getShape().size(); }
  CellKind getKind() const { return kind; }
  bool isBundle() const { return storage && kind == CellKind::None; }
  int64_t getNumElements() const { return count; }
  int64_t getNumBytes() const { return count * getCellSize(kind); }
  llvm::ArrayRef<Tensor> getParts() const;

  /// The same cells with another tensor type of equal element kind and count.
  Tensor withType(mlir::Type newType) const;

  const void *data() const { return storage ? storage->data() : nullptr; }
  /// Storage for writing; copied first if it is shared.
  void *mutableData();
  template <typename T> const T *cells() const {
    return static_cast<const T *>(data());
  }
  template <typename T> T *mutableCells() {
    return static_cast<T *>(mutableData());
  }
  /// True if both are the same storage (then they are equal; the converse does
  /// not hold).
  bool sharesStorageWith(const Tensor &other) const {
    return storage && storage == other.storage;
  }

  /// Element `index` (row major) as a number; complex: its real part.
  double getAsDouble(int64_t index, const Field *field) const;
  /// Element `index` of an integer tensor.
  int64_t getAsInt(int64_t index) const { return cells<int64_t>()[index]; }

  /// Writes the type and the elements as nested lists; longer tensors than
  /// `limit` elements are shortened.
  void print(llvm::raw_ostream &os, const Field *field,
             int64_t limit = 64) const;
  /// One element as text.
  std::string elementToString(int64_t index, const Field *field) const;

private:
  class Storage {
  public:
    explicit Storage(int64_t bytes);
    explicit Storage(llvm::ArrayRef<Tensor> parts);
    ~Storage();
    void *data() { return memory; }
    llvm::ArrayRef<Tensor> getParts() const;

  private:
    void *memory = nullptr;
    std::unique_ptr<std::vector<Tensor>> parts;
  };

  mlir::Type type;
  CellKind kind = CellKind::None;
  int64_t count = 0;
  std::shared_ptr<Storage> storage;
};

/// Rounds `value` to the float type (ties to even), e.g. bf16.
double roundToType(double value, mlir::FloatType type);
/// Wraps `value` to the integer type: sign-extended (signless, signed) or
/// zero-extended (unsigned, i1, index).
int64_t wrapToType(int64_t value, mlir::Type type);
/// True for ui*, i1 and index.
bool isUnsignedType(mlir::Type type);
/// Bits of an integer type; 64 for index.
unsigned getIntegerBits(mlir::Type type);

} // namespace partita

#endif
