// Storage, construction, packing and printing of tensors.
#include "partita/Evaluator/Tensor.h"
#include "Float.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

CellKind partita::getCellKind(Type type, bool inField) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (floatType.getWidth() > 64)
      return CellKind::None;
    if (inField)
      return CellKind::Field;
    return type.isF64() ? CellKind::Float64 : CellKind::Float32;
  }
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64 ? CellKind::Int64 : CellKind::None;
  if (isa<IndexType>(type))
    return CellKind::Int64;
  if (auto complex = dyn_cast<ComplexType>(type))
    if (complex.getElementType().isF32() || complex.getElementType().isF64())
      return inField ? CellKind::ComplexField : CellKind::Complex;
  return CellKind::None;
}

bool partita::isUnsignedType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return !integer || integer.isUnsigned() || integer.getWidth() == 1;
}

unsigned partita::getIntegerBits(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

int64_t partita::wrapToType(int64_t value, Type type) {
  unsigned shift = 64 - getIntegerBits(type);
  if (isUnsignedType(type))
    return int64_t(uint64_t(value) << shift >> shift);
  return int64_t(uint64_t(value) << shift) >> shift;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

Tensor::Storage::Storage(int64_t bytes)
    : memory(std::calloc(std::max<int64_t>(bytes, 16), 1)) {}
Tensor::Storage::Storage(ArrayRef<Tensor> values)
    : parts(std::make_unique<std::vector<Tensor>>(values.begin(), values.end())) {}
Tensor::Storage::~Storage() { std::free(memory); }
ArrayRef<Tensor> Tensor::Storage::getParts() const {
  return parts ? ArrayRef<Tensor>(*parts) : ArrayRef<Tensor>();
}

ArrayRef<Tensor> Tensor::getParts() const {
  return storage ? storage->getParts() : ArrayRef<Tensor>();
}

Tensor Tensor::zeros(RankedTensorType type, bool inField) {
  Tensor tensor;
  tensor.type = type;
  tensor.kind = ::getCellKind(type.getElementType(), inField);
  tensor.count = type.getNumElements();
  tensor.storage = std::make_shared<Storage>(tensor.getNumBytes());
  return tensor;
}

Tensor Tensor::allocate(RankedTensorType type, bool inField) {
  // calloc gives fresh pages for large sizes and is cheap for small ones.
  return zeros(type, inField);
}

Tensor Tensor::token(Type type) {
  Tensor tensor;
  tensor.type = type;
  return tensor;
}

Tensor Tensor::bundle(Type type, ArrayRef<Tensor> parts) {
  Tensor tensor;
  tensor.type = type;
  tensor.storage = std::make_shared<Storage>(parts);
  return tensor;
}

Tensor Tensor::withType(Type newType) const {
  Tensor tensor = *this;
  tensor.type = newType;
  return tensor;
}

void *Tensor::mutableData() {
  if (storage.use_count() > 1) {
    auto copy = std::make_shared<Storage>(getNumBytes());
    std::memcpy(copy->data(), storage->data(), getNumBytes());
    storage = std::move(copy);
  }
  return storage->data();
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

double partita::roundToType(double value, FloatType type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return float(value);
  return FloatFormat(type).round(value);
}

FloatFormat::FloatFormat(Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type || type.isF32() || type.isF64())
    return;
  if (type.isF16())
    *this = FloatFormat(5, 10);
  else if (type.isBF16())
    *this = FloatFormat(8, 7);
  else
    semantics = &type.getFloatSemantics();
}

FloatFormat::FloatFormat(unsigned exponentBits, unsigned mantissaBits)
    : mantissaBits(mantissaBits), isPlain(false) {
  int bias = (1 << (exponentBits - 1)) - 1;
  minExponent = 1 - bias;
  largest = std::ldexp(2.0 - std::ldexp(1.0, -int(mantissaBits)), bias);
}

double FloatFormat::round(double value) const {
  if (semantics) {
    APFloat wide(value);
    bool loses;
    wide.convert(*semantics, APFloat::rmNearestTiesToEven, &loses);
    return wide.convertToDouble();
  }
  if (isPlain || value == 0 || !std::isfinite(value)) // no mantissa, no NaN
    return std::isnan(value) && !isPlain && mantissaBits == 0
               ? std::copysign(INFINITY, value)
               : value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double quantum = std::ldexp(1.0, exponent - int(mantissaBits));
  double rounded = std::nearbyint(value / quantum) * quantum;
  if (std::fabs(rounded) > largest)
    return std::copysign(INFINITY, value);
  return rounded;
}

/// bf16 is the common case; the upper half of an f32, rounded to even.
static float roundBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7f800000u) != 0x7f800000u)
    bits += 0x7fffu + ((bits >> 16) & 1);
  bits &= 0xffff0000u;
  if (std::isnan(value))
    bits = 0x7fc00000u;
  std::memcpy(&value, &bits, 4);
  return value;
}

void FloatFormat::roundCells(float *cells, int64_t n) const {
  if (isPlain && !semantics)
    return;
  if (!semantics && mantissaBits == 7 && minExponent == -126) {
    for (int64_t i = 0; i < n; ++i)
      cells[i] = roundBF16(cells[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    cells[i] = float(round(cells[i]));
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

static void storeFloat(Tensor &tensor, void *cells, int64_t i, double value,
                       const Field *field) {
  switch (tensor.getKind()) {
  case CellKind::Float32:
    static_cast<float *>(cells)[i] = float(value);
    return;
  case CellKind::Float64:
    static_cast<double *>(cells)[i] = value;
    return;
  case CellKind::Field:
    static_cast<Field::Word *>(cells)[i] = field->fromDouble(value);
    return;
  default:
    return;
  }
}

static double toDouble(const APFloat &value) {
  APFloat wide = value;
  bool loses;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return wide.convertToDouble();
}

/// Repeats the first cell over the whole tensor.
static void fillWithFirst(Tensor &tensor) {
  int64_t size = getCellSize(tensor.getKind());
  char *cells = static_cast<char *>(tensor.mutableData());
  for (int64_t i = 1; i < tensor.getNumElements(); ++i)
    std::memcpy(cells + i * size, cells, size);
}

static Tensor fromDense(DenseElementsAttr attribute, const Field *field) {
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type)
    return {};
  Tensor tensor = Tensor::allocate(type, field != nullptr);
  if (tensor.getKind() == CellKind::None)
    return {};
  if (tensor.getNumElements() == 0)
    return tensor;
  void *cells = tensor.mutableData();
  Type element = type.getElementType();
  int64_t count = attribute.isSplat() ? 1 : tensor.getNumElements();
  int64_t i = 0;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    for (auto value : attribute.getValues<std::complex<APFloat>>()) {
      double re = toDouble(value.real()), im = toDouble(value.imag());
      if (field)
        static_cast<FieldComplex *>(cells)[i] = {field->fromDouble(re),
                                                 field->fromDouble(im)};
      else
        static_cast<std::complex<double> *>(cells)[i] = {re, im};
      if (++i == count)
        break;
    }
  } else if (isa<FloatType>(element)) {
    for (const APFloat &value : attribute.getValues<APFloat>()) {
      storeFloat(tensor, cells, i, toDouble(value), field);
      if (++i == count)
        break;
    }
  } else {
    auto *ints = static_cast<int64_t *>(cells);
    bool isUnsigned = isUnsignedType(element);
    for (const APInt &value : attribute.getValues<APInt>()) {
      ints[i] = isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
      if (++i == count)
        break;
    }
  }
  if (count == 1)
    fillWithFirst(tensor);
  return tensor;
}

Tensor Tensor::fromAttribute(ElementsAttr attribute, const Field *field) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return fromDense(dense, field);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    auto type = dyn_cast<RankedTensorType>(resource.getType());
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return type && blob ? fromBytes(type, blob->getData(), field) : Tensor();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Bytes of one packed element.
static int64_t getPackedSize(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getPackedSize(complex.getElementType());
  unsigned bits = isa<FloatType>(element) ? cast<FloatType>(element).getWidth()
                                          : getIntegerBits(element);
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t loadBits(const char *bytes, int64_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  return bits;
}

double partita::decodeFloat(uint64_t bits, FloatType type) {
  if (type.isF32())
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  unsigned width = type.getWidth();
  return toDouble(APFloat(type.getFloatSemantics(),
                          APInt(width, bits & llvm::maskTrailingOnes<uint64_t>(width))));
}

uint64_t partita::encodeFloat(double value, FloatType type) {
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(float(value));
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  APFloat narrow(value);
  bool loses;
  narrow.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return narrow.bitcastToAPInt().getZExtValue();
}

Tensor Tensor::fromBytes(RankedTensorType type, ArrayRef<char> bytes,
                         const Field *field) {
  Type element = type.getElementType();
  if (::getCellKind(element, field) == CellKind::None)
    return {};
  int64_t size = getPackedSize(element);
  Tensor tensor = allocate(type, field != nullptr);
  if (int64_t(bytes.size()) != tensor.count * size)
    return {};
  void *cells = tensor.mutableData();
  for (int64_t i = 0; i < tensor.count; ++i) {
    const char *from = bytes.data() + i * size;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      auto part = cast<FloatType>(complex.getElementType());
      double re = decodeFloat(loadBits(from, size / 2), part);
      double im = decodeFloat(loadBits(from + size / 2, size / 2), part);
      if (field)
        static_cast<FieldComplex *>(cells)[i] = {field->fromDouble(re),
                                                 field->fromDouble(im)};
      else
        static_cast<std::complex<double> *>(cells)[i] = {re, im};
    } else if (auto floatType = dyn_cast<FloatType>(element)) {
      storeFloat(tensor, cells, i, decodeFloat(loadBits(from, size), floatType), field);
    } else {
      static_cast<int64_t *>(cells)[i] =
          wrapToType(int64_t(loadBits(from, size)), element);
    }
  }
  return tensor;
}

std::vector<char> Tensor::toBytes(const Field *field) const {
  Type element = getElementType();
  int64_t size = getPackedSize(element);
  std::vector<char> bytes(count * size);
  for (int64_t i = 0; i < count; ++i) {
    char *to = bytes.data() + i * size;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      auto part = cast<FloatType>(complex.getElementType());
      double re, im;
      if (kind == CellKind::ComplexField) {
        re = field->toDouble(cells<FieldComplex>()[i].re);
        im = field->toDouble(cells<FieldComplex>()[i].im);
      } else {
        re = cells<std::complex<double>>()[i].real();
        im = cells<std::complex<double>>()[i].imag();
      }
      uint64_t reBits = encodeFloat(re, part), imBits = encodeFloat(im, part);
      std::memcpy(to, &reBits, size / 2);
      std::memcpy(to + size / 2, &imBits, size / 2);
      continue;
    }
    uint64_t bits = isa<FloatType>(element)
                        ? encodeFloat(getAsDouble(i, field), cast<FloatType>(element))
                        : uint64_t(getAsInt(i));
    std::memcpy(to, &bits, size);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading and printing
//===----------------------------------------------------------------------===//

double Tensor::getAsDouble(int64_t index, const Field *field) const {
  switch (kind) {
  case CellKind::None:
    return 0;
  case CellKind::Float32:
    return cells<float>()[index];
  case CellKind::Float64:
    return cells<double>()[index];
  case CellKind::Int64:
    return isUnsignedType(getElementType()) ? double(uint64_t(getAsInt(index)))
                                            : double(getAsInt(index));
  case CellKind::Complex:
    return cells<std::complex<double>>()[index].real();
  case CellKind::Field:
    return field ? field->toDouble(cells<Field::Word>()[index]) : 0;
  case CellKind::ComplexField:
    return field ? field->toDouble(cells<FieldComplex>()[index].re) : 0;
  }
  return 0;
}

static std::string floatToString(double value, int digits) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.*g", digits, value);
  return text;
}

static std::string wordToString(Field::Word word, const Field *field) {
  if (Field::isSpecial(word))
    return word == Field::kNaN ? "nan" : word == Field::kPosInf ? "inf" : "-inf";
  if (field)
    if (auto small = field->asSmallInt(word))
      return std::to_string(*small);
  return "r" + std::to_string(word);
}

std::string Tensor::elementToString(int64_t index, const Field *field) const {
  switch (kind) {
  case CellKind::None:
    return isBundle() ? "bundle" : "token";
  case CellKind::Float32:
    return floatToString(cells<float>()[index], 7);
  case CellKind::Float64:
    return floatToString(cells<double>()[index], 15);
  case CellKind::Int64:
    if (getElementType().isInteger(1))
      return getAsInt(index) ? "true" : "false";
    return isUnsignedType(getElementType()) ? std::to_string(uint64_t(getAsInt(index)))
                                            : std::to_string(getAsInt(index));
  case CellKind::Complex: {
    auto value = cells<std::complex<double>>()[index];
    return "(" + floatToString(value.real(), 7) + ", " +
           floatToString(value.imag(), 7) + ")";
  }
  case CellKind::Field:
    return wordToString(cells<Field::Word>()[index], field);
  case CellKind::ComplexField: {
    auto value = cells<FieldComplex>()[index];
    return "(" + wordToString(value.re, field) + ", " +
           wordToString(value.im, field) + ")";
  }
  }
  return "";
}

static void printNested(llvm::raw_ostream &os, const Tensor &tensor,
                        const Field *field, unsigned dim, int64_t &index,
                        int64_t &budget) {
  if (dim == tensor.getShape().size()) {
    os << tensor.elementToString(index++, field);
    --budget;
    return;
  }
  int64_t size = tensor.getShape()[dim], below = 1;
  for (int64_t d : tensor.getShape().drop_front(dim + 1))
    below *= d;
  os << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (budget <= 0) {
      os << " ...";
      index += (size - i) * below;
      break;
    }
    if (i)
      os << ' ';
    printNested(os, tensor, field, dim + 1, index, budget);
  }
  os << ']';
}

void Tensor::print(llvm::raw_ostream &os, const Field *field, int64_t limit) const {
  if (!type) {
    os << "<none>";
    return;
  }
  os << type;
  if (kind == CellKind::None) {
    for (const Tensor &part : getParts()) {
      os << ' ';
      part.print(os, field, limit);
    }
    return;
  }
  os << ' ';
  int64_t index = 0;
  printNested(os, *this, field, 0, index, limit);
}
