// Storage of tensors, and their construction from attributes.
#include "partita/Evaluator/Tensor.h"
#include "Float.h"
#include "mlir/IR/DialectResourceBlobManager.h"
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
    : parts(std::make_unique<std::vector<Tensor>>(values.begin(),
                                                  values.end())) {}
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
// From attributes
//===----------------------------------------------------------------------===//

void partita::storeFloat(Tensor &tensor, void *cells, int64_t i, double value,
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

double partita::toDouble(const APFloat &value) {
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
      ints[i] =
          isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
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
