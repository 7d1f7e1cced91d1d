// Writes a per-device StableHLO program as HLO text. One writer per
// computation; each op family has a function in a file of its own that appends
// instructions.
#ifndef PARTITA_LIB_TARGET_XLA_HLO_HLOWRITER_H
#define PARTITA_LIB_TARGET_XLA_HLO_HLOWRITER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <string>

namespace partita::hlo {

//===----------------------------------------------------------------------===//
// Text of types, literals and attributes (Types.cpp, Literals.cpp)
//===----------------------------------------------------------------------===//

/// True if HLO has the type: static tensors of its element types, tokens and
/// tuples of them.
bool hasShape(mlir::Type type);

/// "f32[2,3]"; `layout` lists dimensions, minor first. The type must have one.
std::string getShape(mlir::Type type, mlir::DenseIntElementsAttr layout = {});

/// "(f32[2], s32[])"; `layouts` as of a custom call, or null.
std::string getTupleShape(mlir::TypeRange types, mlir::ArrayAttr layouts = {});

/// "{1,2}".
std::string getList(llvm::ArrayRef<int64_t> values);

/// The text in quotes, escaped.
std::string getQuoted(llvm::StringRef text);

/// Text that XLA parses to exactly these values.
std::string getLiteral(mlir::DenseElementsAttr value);

/// "[2,4]<=[4,2]T(1,0)" where the groups are axes of a mesh of `module`, else
/// their list (DeviceGroups.cpp).
std::string getReplicaGroups(mlir::Attribute groups, mlir::ModuleOp module);

//===----------------------------------------------------------------------===//
// Writers (Module.cpp, Computation.cpp)
//===----------------------------------------------------------------------===//

class ComputationWriter;

/// The computations of the module so far, callees before their callers.
class ModuleWriter {
public:
  explicit ModuleWriter(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  mlir::LogicalResult write(llvm::raw_ostream &os);

  mlir::ModuleOp getModule() { return module; }

  /// Computation whose parameters are the arguments of `region`, for to_apply.
  /// Equal ones are shared. Its values may come from outside only if constant.
  mlir::FailureOr<std::string> addBody(mlir::Region &region,
                                       llvm::StringRef name);
  /// Computation with one tuple parameter: the region's arguments, then
  /// `captures`. It returns a tuple of the terminator's operands, with the
  /// captures if `returnsCaptures`; a single value if `single`.
  mlir::FailureOr<std::string> addRegion(mlir::Region &region,
                                         mlir::ValueRange captures,
                                         bool returnsCaptures, bool single,
                                         llvm::StringRef name);
  mlir::FailureOr<std::string> addFunction(mlir::func::FuncOp function);
  mlir::FailureOr<std::string> addFunction(llvm::StringRef symbol,
                                           mlir::Operation *user);

private:
  mlir::LogicalResult writeBody(ComputationWriter &writer,
                                mlir::Region &region);
  std::string share(ComputationWriter &computation, llvm::StringRef name);
  std::string getHeader(mlir::func::FuncOp main);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  std::string text;
  /// Names by body text.
  llvm::StringMap<std::string> shared;
  llvm::StringMap<unsigned> names;
  llvm::DenseMap<mlir::Operation *, std::string> functions;
};

/// Instructions of one computation.
class ComputationWriter {
public:
  explicit ComputationWriter(ModuleWriter &module) : module(module) {}

  ModuleWriter &getModule() { return module; }

  /// Appends `name = shape opcode(operands)attributes`; the attributes start
  /// with a comma. Returns the name.
  std::string add(const llvm::Twine &shape, llvm::StringRef opcode,
                  llvm::ArrayRef<std::string> operands,
                  const llvm::Twine &attributes = "");
  std::string addParameter(const llvm::Twine &shape, mlir::Location loc);
  std::string addElement(mlir::Type type, llvm::StringRef tuple, unsigned index,
                         mlir::DenseIntElementsAttr layout = {});
  std::string addTuple(mlir::TypeRange types,
                       llvm::ArrayRef<std::string> names);
  /// A scalar constant of the element type of `type`, broadcast to it.
  std::string addSplat(mlir::Type type, mlir::Attribute element);
  /// `operand`, of `type` or a scalar, broadcast to `type`.
  std::string addBroadcast(mlir::RankedTensorType type, mlir::Value operand);

  /// Name of the instruction of `value`. Constants of enclosing computations
  /// are written again; other values of theirs are an error, reported by
  /// `write`.
  std::string get(mlir::Value value);
  llvm::SmallVector<std::string> get(mlir::ValueRange values);
  void bind(mlir::Value value, llvm::StringRef name) {
    names[value] = name.str();
  }
  /// `value` is element `index` of a tuple, taken out where it is first used.
  void bindElement(mlir::Value value, llvm::StringRef tuple, unsigned index) {
    elements[value] = {tuple.str(), index};
  }
  /// The results of `op` are the value `name`, or its elements when several.
  void bindResults(mlir::Operation *op, llvm::StringRef name,
                   mlir::ArrayAttr layouts = {});
  /// Shape of all results of `op` together.
  static std::string getResultShape(mlir::Operation *op,
                                    mlir::ArrayAttr layouts = {});
  /// Appends one instruction for `op` with its operands and results.
  void addOp(mlir::Operation *op, llvm::StringRef opcode,
             const llvm::Twine &attributes = "");

  mlir::LogicalResult write(mlir::Operation *op);
  /// All ops of `block` but the terminator.
  mlir::LogicalResult write(mlir::Block &block);

  void setRoot(llvm::StringRef name) { root = name.str(); }
  /// The instructions between the braces.
  std::string getText() const;

private:
  struct Instruction {
    std::string name, text;
  };

  ModuleWriter &module;
  llvm::SmallVector<Instruction> instructions;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseMap<mlir::Value, std::pair<std::string, unsigned>> elements;
  llvm::StringMap<unsigned> opcodeCounts;
  unsigned numParameters = 0;
  /// Frontend attributes and metadata of the op being written.
  std::string suffix;
  std::string root;
  /// An outer value that `get` met.
  mlir::Value outer;
};

//===----------------------------------------------------------------------===//
// Families. True: written. False: not an op of this family.
//===----------------------------------------------------------------------===//

using Written = mlir::FailureOr<bool>;
Written writeElementwise(ComputationWriter &writer, mlir::Operation *op);
Written writeMath(ComputationWriter &writer, mlir::Operation *op);
Written writeDataMovement(ComputationWriter &writer, mlir::Operation *op);
Written writeIndexing(ComputationWriter &writer, mlir::Operation *op);
Written writeContraction(ComputationWriter &writer, mlir::Operation *op);
Written writeReduction(ComputationWriter &writer, mlir::Operation *op);
Written writeControlFlow(ComputationWriter &writer, mlir::Operation *op);
Written writeCollective(ComputationWriter &writer, mlir::Operation *op);
Written writeLinearAlgebra(ComputationWriter &writer, mlir::Operation *op);
Written writeCall(ComputationWriter &writer, mlir::Operation *op);

/// Values from outside `region` that it uses, constants aside.
llvm::SmallVector<mlir::Value>
getCaptures(llvm::ArrayRef<mlir::Region *> regions);

} // namespace partita::hlo

#endif
