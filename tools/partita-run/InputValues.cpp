// Inputs and results of a run.

#include "InputValues.h"
#include "Npz.h"

using namespace mlir;

namespace partita {

/// NumPy's type string of an element type; empty if it has none.
static std::string getNpyType(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return complexType.getElementType().isF32() ? "<c8" : "<c16";
  if (type.isBF16())
    return "<V2";
  if (auto floatType = dyn_cast<FloatType>(type)) {
    unsigned bytes = floatType.getWidth() / 8;
    return bytes == 1 ? "|V1" : "<f" + std::to_string(bytes);
  }
  if (type.isInteger(1))
    return "|b1";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return "";
  unsigned bytes = std::max(1u, integer.getWidth() / 8);
  return (bytes == 1 ? "|" : "<") +
         std::string(integer.isUnsigned() ? "u" : "i") + std::to_string(bytes);
}

static FailureOr<HostValues> readInputs(Program &program, StringRef path) {
  func::FuncOp main = program.getImportedMain();
  llvm::Expected<std::vector<NpyArray>> arrays = readNpz(path);
  if (!arrays) {
    InFlightDiagnostic diagnostic =
        main.emitError() << "cannot read inputs from '" << path
                         << "': " << llvm::toString(arrays.takeError());
    diagnostic.attachNote() << "fix: --inputs is normal, positive, or a file "
                               "written by np.savez(path, *arguments)";
    return diagnostic;
  }
  if (arrays->size() != program.inputs.size()) {
    InFlightDiagnostic diagnostic = main.emitError()
                                    << "main has " << program.inputs.size()
                                    << " arguments, '" << path << "' has "
                                    << arrays->size() << " arrays";
    diagnostic.attachNote() << "fix: save one array per argument, in order";
    return diagnostic;
  }
  HostValues values;
  for (auto [port, array] : llvm::zip_equal(program.inputs, *arrays)) {
    std::string wanted = getNpyType(port.type.getElementType());
    bool isBits =
        StringRef(wanted).contains("V") &&
        StringRef(array.dtype).take_back(1) == StringRef(wanted).take_back(1);
    if ((array.dtype != wanted && !isBits) ||
        ArrayRef<int64_t>(array.shape) != port.type.getShape()) {
      std::string shape;
      llvm::raw_string_ostream os(shape);
      llvm::interleaveComma(array.shape, os);
      InFlightDiagnostic diagnostic =
          main.emitError() << port.name << " is " << port.type << ", array '"
                           << array.name << "' has dtype " << array.dtype
                           << " and shape (" << shape << ")";
      diagnostic.attachNote() << "fix: save it with dtype " << wanted
                              << " and the argument's shape";
      return diagnostic;
    }
    if (int64_t(array.bytes.size()) != getDenseBytes(port.type)) {
      InFlightDiagnostic diagnostic =
          main.emitError() << "array '" << array.name << "' in '" << path
                           << "' has " << array.bytes.size()
                           << " bytes, which do not fit its dtype and shape";
      diagnostic.attachNote() << "fix: write the file anew by np.savez; it is "
                                 "damaged";
      return diagnostic;
    }
    values.push_back(HostArray::allocate(port.type));
    std::memcpy(values.back().data(), array.bytes.data(), array.bytes.size());
    array.bytes = {};
  }
  return values;
}

static bool isRandom(StringRef spec) {
  return spec == "normal" || spec == "positive";
}

static Tensor makeRandomInput(Program &program, size_t index, StringRef spec,
                              uint64_t seed, const Field *field) {
  InputKind kind = spec == "normal" ? InputKind::Normal : InputKind::Positive;
  return makeRandomTensor(program.inputs[index].type, kind,
                          seed * 1000003 + index, field);
}

FailureOr<Values> makeInputValues(Program &program, StringRef spec,
                                  uint64_t seed, const Field *field) {
  Values values;
  if (isRandom(spec)) {
    for (size_t index = 0; index < program.inputs.size(); ++index)
      values.push_back(makeRandomInput(program, index, spec, seed, field));
    return values;
  }
  FailureOr<HostValues> arrays = readInputs(program, spec);
  if (failed(arrays))
    return failure();
  for (const HostArray &array : *arrays)
    values.push_back(Tensor::fromBytes(
        array.getType(), ArrayRef<char>(array.data(), array.getNumBytes()),
        field));
  return values;
}

FailureOr<HostValues> makeHostInputs(Program &program, StringRef spec,
                                     uint64_t seed) {
  if (!isRandom(spec))
    return readInputs(program, spec);
  HostValues values;
  for (size_t index = 0; index < program.inputs.size(); ++index)
    values.push_back(HostArray::fromTensor(
        makeRandomInput(program, index, spec, seed, nullptr)));
  return values;
}

LogicalResult writeResults(Program &program, StringRef path,
                           const HostValues &results) {
  std::vector<NpyArray> arrays;
  for (auto [index, value] : llvm::enumerate(results)) {
    NpyArray array;
    array.name = "arr_" + std::to_string(index);
    array.dtype = getNpyType(value.getType().getElementType());
    array.shape.assign(value.getType().getShape().begin(),
                       value.getType().getShape().end());
    array.bytes.assign(value.data(), value.data() + value.getNumBytes());
    if (array.dtype.empty()) {
      InFlightDiagnostic diagnostic =
          program.getImportedMain().emitError()
          << program.outputs[index].name << " has an element type that NumPy "
          << "does not know: " << value.getType().getElementType();
      diagnostic.attachNote() << "fix: convert the result in the program";
      return diagnostic;
    }
    arrays.push_back(std::move(array));
  }
  if (llvm::Error error = writeNpz(path, arrays)) {
    InFlightDiagnostic diagnostic = program.getImportedMain().emitError()
                                    << "cannot write results: "
                                    << llvm::toString(std::move(error));
    diagnostic.attachNote() << "fix: name a .npz in a folder that exists";
    return diagnostic;
  }
  return success();
}

} // namespace partita
