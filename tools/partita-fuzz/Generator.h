// Random typed StableHLO programs with meshes and shardings, as text.
#ifndef PARTITA_TOOLS_FUZZ_GENERATOR_H
#define PARTITA_TOOLS_FUZZ_GENERATOR_H

#include "Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <vector>

namespace partita {

using Dims = llvm::SmallVector<int64_t, 4>;

/// A tensor type of a program.
struct TextType {
  Dims dims;
  std::string element;

  std::string str() const;
  int64_t count() const;
  int64_t rank() const { return dims.size(); }
  bool isFloat() const { return element == "f32" || element == "bf16"; }
  bool isComplex() const { return element == "complex<f32>"; }
  bool isBool() const { return element == "i1"; }
  bool isInteger() const { return element == "i32" || element == "ui32"; }
  bool operator==(const TextType &other) const {
    return dims == other.dims && element == other.element;
  }
};

/// A value of a program.
struct TextValue {
  std::string name;
  TextType type;
  /// Whether an input reaches it.
  bool reacts = true;
  /// Inside manual regions: the axes (bits) over which it may differ.
  uint32_t varies = 0;
};

/// What is being written: main, a private function, or the body of a manual
/// region. Arguments are added as ops want them.
struct Frame {
  std::vector<TextValue> arguments;
  std::vector<TextValue> locals;
  std::string text;
  /// Bits of the mesh axes that are manual here.
  uint32_t manualAxes = 0;
  /// Depth of nested regions and calls.
  int depth = 0;
};

struct GeneratorOptions {
  uint64_t seed = 0;
  /// Another program of the same seed.
  uint64_t attempt = 0;
  /// Names of the only families to use besides elementwise ops; none: all.
  std::vector<std::string> families;
  int64_t maxOps = 8;
};

/// Writes one program. Families (Families.h) call the rest.
class Generator {
public:
  explicit Generator(const GeneratorOptions &options);

  std::string generate();

  Random random;
  Frame *frame = nullptr;

  //===--- values
  //-----------------------------------------------------------===//
  TextType randomType(int64_t minRank, int64_t maxRank,
                      llvm::StringRef element = "");
  std::string randomElement();
  TextValue addArgument(TextType type);
  /// A value that `accept` takes, else a new argument of type `fallback`.
  TextValue any(llvm::function_ref<bool(const TextType &)> accept,
                llvm::function_ref<TextType()> fallback);
  /// A value of the element types `f` float, `i` integer, `b` bool, `c`
  /// complex.
  TextValue anyOf(llvm::StringRef kinds, int64_t minRank = 0,
                  int64_t maxRank = 4);
  /// A value of exactly this type.
  TextValue need(const TextType &type);
  TextValue constant(const TextType &type);
  TextValue splat(const TextType &type, int64_t value);

  //===--- text
  //-------------------------------------------------------------===//
  /// A new name; none is a prefix of another.
  std::string name() { return "%v" + std::to_string(counter++) + "_"; }
  int64_t nextId() { return counter++; }
  void line(const llvm::Twine &text);
  /// Writes a generic op with one result.
  TextValue emit(llvm::StringRef op, llvm::ArrayRef<TextValue> operands,
                 const TextType &result, const llvm::Twine &properties = "",
                 const llvm::Twine &regions = "");
  std::vector<TextValue> emitMany(llvm::StringRef op,
                                  llvm::ArrayRef<TextValue> operands,
                                  llvm::ArrayRef<TextType> results,
                                  const llvm::Twine &properties = "",
                                  const llvm::Twine &regions = "");
  /// Region of one block that combines two scalars: "add" etc.
  std::string combiner(llvm::StringRef kind, llvm::StringRef element);
  /// A combiner that suits the element.
  std::string randomKind(const TextType &type);
  std::string randomCombiner(const TextType &type) {
    return combiner(randomKind(type), type.element);
  }
  /// The neutral element of a combiner, or now and then another scalar.
  TextValue initial(llvm::StringRef kind, const TextType &type);
  TextValue neutral(llvm::StringRef kind, const TextType &type);
  /// Random ops into the current frame.
  void writeOps(int64_t count);
  void addFunction(std::string text) { functions += text; }

  //===--- meshes
  //-----------------------------------------------------------===//
  /// `[{"x"}, {?}]...` with the mesh name, over axes outside `exclude`.
  std::string randomSharding(const TextType &type, uint32_t exclude, bool user);
  uint32_t allAxes() const { return (1u << axisSizes.size()) - 1; }
  int64_t deviceCount() const;
  /// `dense<[[..]]> : tensor<..>` of the groups along the axes.
  std::string replicaGroups(uint32_t axes, int64_t &groupSize) const;
  std::string axisName(unsigned axis) const { return axisNames[axis]; }
  int64_t groupSize(uint32_t axes) const;

  Dims axisSizes;
  /// True where device numbers are mesh positions, as groups of collectives
  /// need.
  bool hasPlainDevices() const { return !isPermuted; }
  /// Chooses the values that the current frame returns.
  std::vector<TextValue> chooseResults(int64_t count);

private:
  void chooseMesh();
  std::string writeMain();
  TextValue derive(const TextType &type);

  GeneratorOptions options;
  std::vector<std::string> axisNames;
  /// The mesh lists its devices in an order of its own.
  bool isPermuted = false;
  std::string functions;
  int64_t counter = 0;
};

std::string i64Array(llvm::ArrayRef<int64_t> values);
std::string list(llvm::ArrayRef<int64_t> values);

} // namespace partita

#endif
