// Reads StableHLO text; files of other kinds are refused with the way to it.

#include "partita/Pipelines/InputFile.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace partita {
namespace {

struct WrongKind {
  StringRef what, fix;
};

/// What the file is, if it is not MLIR text.
std::optional<WrongKind> recognize(StringRef path, StringRef text) {
  constexpr StringLiteral lower =
      "print(jax.jit(f).lower(*args).as_text()) writes StableHLO text";
  StringRef start = text.ltrim();
  if (text.starts_with("ML\xefR"))
    return WrongKind{"MLIR bytecode or a serialized StableHLO artifact",
                     "print it as text: str(jax.jit(f).lower(*args).compiler_ir()), "
                     "or stablehlo.deserialize_portable_artifact(context, bytes)"};
  if (start.starts_with("HloModule"))
    return WrongKind{"HLO text", lower};
  if (path.ends_with(".py") || start.starts_with("import ") ||
      start.starts_with("from ") || start.starts_with("def ") ||
      start.starts_with("#!"))
    return WrongKind{"Python source", lower};
  if (text.find('\0') != StringRef::npos)
    return WrongKind{"a binary file", lower};
  if (start.empty())
    return WrongKind{"an empty file", lower};
  return std::nullopt;
}

} // namespace

OwningOpRef<ModuleOp> readProgram(MLIRContext &context,
                                  llvm::SourceMgr &sources, StringRef path) {
  Location location = FileLineColLoc::get(&context, path, 1, 1);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    InFlightDiagnostic diagnostic = emitError(location)
                                    << "cannot read '" << path
                                    << "': " << error.message();
    diagnostic.attachNote() << "fix: name a file of StableHLO text, or - for "
                               "standard input";
    return nullptr;
  }
  if (auto wrong = recognize(path, (*buffer)->getBuffer())) {
    InFlightDiagnostic diagnostic =
        emitError(location) << "this is " << wrong->what
                            << ", not StableHLO text";
    diagnostic.attachNote() << "fix: " << wrong->fix;
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

} // namespace partita
