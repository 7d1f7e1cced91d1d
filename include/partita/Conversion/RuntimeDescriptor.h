// Descriptors of runtime calls: the words of partita/Runtime/ABI.h.
#ifndef PARTITA_CONVERSION_RUNTIMEDESCRIPTOR_H
#define PARTITA_CONVERSION_RUNTIMEDESCRIPTOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "partita/Runtime/ABI.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace partita {

/// The runtime's code of an element type; none for types that it lacks.
inline std::optional<partita_dtype> getRuntimeType(mlir::Type type) {
  if (auto complexType = llvm::dyn_cast<mlir::ComplexType>(type))
    return complexType.getElementType().isF32() ? PARTITA_C64 : PARTITA_C128;
  if (type.isF64())
    return PARTITA_F64;
  if (type.isF32())
    return PARTITA_F32;
  if (type.isBF16())
    return PARTITA_BF16;
  if (type.isF16())
    return PARTITA_F16;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return PARTITA_I1;
  case 8:
    return isUnsigned ? PARTITA_UI8 : PARTITA_I8;
  case 16:
    return isUnsigned ? PARTITA_UI16 : PARTITA_I16;
  case 32:
    return isUnsigned ? PARTITA_UI32 : PARTITA_I32;
  case 64:
    return isUnsigned ? PARTITA_UI64 : PARTITA_I64;
  default:
    return std::nullopt;
  }
}

/// Collects the words of one call.
class RuntimeDescriptor {
public:
  /// `inputs` and `outputs` are ranked tensors of the original (signed or
  /// unsigned) element types; `isValid()` is false if the runtime lacks one.
  RuntimeDescriptor(int64_t opId, mlir::TypeRange inputs,
                    mlir::TypeRange outputs) {
    words = {opId, 0, static_cast<int64_t>(inputs.size()),
             static_cast<int64_t>(outputs.size())};
    for (mlir::TypeRange types : {inputs, outputs})
      for (mlir::Type type : types) {
        auto tensor = llvm::cast<mlir::RankedTensorType>(type);
        std::optional<partita_dtype> dtype =
            getRuntimeType(tensor.getElementType());
        valid &= dtype.has_value();
        words.push_back(dtype.value_or(PARTITA_F32));
        words.push_back(tensor.getRank());
        llvm::append_range(words, tensor.getShape());
      }
  }
  RuntimeDescriptor &add(int64_t word) {
    words.push_back(word);
    return *this;
  }
  template <typename Range> RuntimeDescriptor &addList(const Range &items) {
    size_t at = words.size();
    words.push_back(0);
    for (auto item : items)
      words.push_back(static_cast<int64_t>(item));
    words[at] = words.size() - at - 1;
    return *this;
  }
  bool isValid() const { return valid; }
  llvm::ArrayRef<int64_t> finish() {
    words[1] = words.size();
    return words;
  }

private:
  llvm::SmallVector<int64_t> words;
  bool valid = true;
};

} // namespace partita

#endif
