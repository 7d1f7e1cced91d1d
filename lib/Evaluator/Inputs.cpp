// Random arguments, and the choice of the field for a set of modules.
#include "Element.h"
#include "partita/Evaluator/Evaluator.h"
#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace partita;

static double normal(std::mt19937_64 &engine) {
  // Not std::normal_distribution, which differs between libraries.
  double u = (double(engine() >> 11) + 1) * 0x1p-53,
         v = double(engine() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

static double makeFloat(InputKind kind, std::mt19937_64 &engine) {
  if (kind == InputKind::Positive)
    return 0.5 + double(engine() >> 11) * 0x1p-53;
  return normal(engine);
}

Tensor partita::makeRandomTensor(RankedTensorType type, InputKind kind,
                                 uint64_t seed, const Field *field) {
  std::mt19937_64 engine(seed * 0x9e3779b97f4a7c15ull + 1);
  Tensor tensor = Tensor::allocate(type, field != nullptr);
  Type element = type.getElementType();
  int64_t count = tensor.getNumElements();
  auto floatType = dyn_cast<FloatType>(element);
  if (auto complex = dyn_cast<ComplexType>(element))
    floatType = cast<FloatType>(complex.getElementType());
  switch (tensor.getKind()) {
  case CellKind::None:
    break;
  case CellKind::Float32:
    for (int64_t i = 0; i < count; ++i)
      tensor.mutableCells<float>()[i] =
          float(roundToType(makeFloat(kind, engine), floatType));
    break;
  case CellKind::Float64:
    for (int64_t i = 0; i < count; ++i)
      tensor.mutableCells<double>()[i] = makeFloat(kind, engine);
    break;
  case CellKind::Int64:
    for (int64_t i = 0; i < count; ++i)
      tensor.mutableCells<int64_t>()[i] =
          wrapToType(int64_t(engine() >> 61), element);
    break;
  case CellKind::Complex:
    for (int64_t i = 0; i < count; ++i) {
      double re = roundToType(makeFloat(kind, engine), floatType);
      double im = roundToType(makeFloat(kind, engine), floatType);
      tensor.mutableCells<std::complex<double>>()[i] = {re, im};
    }
    break;
  case CellKind::Field:
    for (int64_t i = 0; i < count; ++i)
      tensor.mutableCells<Field::Word>()[i] = engine() % field->getPrime();
    break;
  case CellKind::ComplexField:
    for (int64_t i = 0; i < 2 * count; ++i)
      static_cast<Field::Word *>(tensor.mutableData())[i] =
          engine() % field->getPrime();
    break;
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Choice of the field
//===----------------------------------------------------------------------===//

namespace {
/// Distinct float constants by residue; finds two that are one residue.
class CollisionFinder {
public:
  explicit CollisionFinder(const Field &field) : field(field) {
    // Integers that the evaluator makes itself.
    for (int64_t i = -2; i <= 2; ++i)
      add(double(i));
  }
  void add(double value) {
    if (!std::isfinite(value) || collides)
      return;
    auto [it, isNew] = seen.try_emplace(field.fromDouble(value), value);
    collides |= it->second != value;
  }
  bool hasCollision() const { return collides; }

private:
  const Field &field;
  std::map<Field::Word, double> seen;
  bool collides = false;
};
} // namespace

static double widen(APFloat value) {
  bool loses;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

static bool haveCollision(ArrayRef<ModuleOp> modules, const Field &field) {
  CollisionFinder finder(field);
  for (ModuleOp module : modules)
    module->walk([&](Operation *op) {
      auto value = op->getAttrOfType<DenseElementsAttr>("value");
      if (!value || !isa<FloatType>(value.getElementType()))
        return;
      if (value.isSplat())
        finder.add(widen(value.getSplatValue<APFloat>()));
      else
        for (const APFloat &element : value.getValues<APFloat>())
          finder.add(widen(element));
    });
  return finder.hasCollision();
}

std::shared_ptr<const Field> partita::makeField(ArrayRef<ModuleOp> modules,
                                                uint64_t seed,
                                                bool smallNearTop) {
  auto field =
      std::make_shared<const Field>(Field::kGoldilocks, seed, smallNearTop);
  for (uint64_t attempt = 0; attempt < 16 && haveCollision(modules, *field);
       ++attempt)
    field = std::make_shared<const Field>(Field::findPrime(seed * 16 + attempt),
                                          seed, smallNearTop);
  return field;
}
