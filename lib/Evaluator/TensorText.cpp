// Tensors as bytes and as text.
#include "Float.h"
#include "partita/Evaluator/Tensor.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace partita;

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
      storeFloat(tensor, cells, i, decodeFloat(loadBits(from, size), floatType),
                 field);
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
    uint64_t bits =
        isa<FloatType>(element)
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
    return word == Field::kNaN      ? "nan"
           : word == Field::kPosInf ? "inf"
                                    : "-inf";
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
    return isUnsignedType(getElementType())
               ? std::to_string(uint64_t(getAsInt(index)))
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

void Tensor::print(llvm::raw_ostream &os, const Field *field,
                   int64_t limit) const {
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
