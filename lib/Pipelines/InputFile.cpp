// Reads StableHLO text; files of other kinds are refused with the way to it.

#include "partita/Pipelines/InputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "partita/Pipelines/BooleanLiterals.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Process.h"

using namespace mlir;

namespace partita {
namespace {

constexpr StringLiteral kWayToText =
    "print(jax.jit(f).lower(*args).as_text()) writes StableHLO text";

struct WrongKind {
  StringRef what, fix;
};

/// True for bytecode that this LLVM wrote: magic, version, producer.
bool isOwnBytecode(StringRef text) {
  return text.substr(5).starts_with("MLIR" LLVM_VERSION_STRING);
}

/// What the file is, if it is not MLIR text.
std::optional<WrongKind> recognize(StringRef path, StringRef text,
                                   Bytecode bytecode) {
  StringRef start = text.ltrim();
  if (text.starts_with("ML\xefR")) {
    if (bytecode == Bytecode::Own && isOwnBytecode(text))
      return std::nullopt;
    return WrongKind{
        "MLIR bytecode or a serialized StableHLO artifact",
        "print it as text: str(jax.jit(f).lower(*args).compiler_ir()), "
        "or stablehlo.deserialize_portable_artifact(context, bytes)"};
  }
  if (start.starts_with("HloModule"))
    return WrongKind{"HLO text", kWayToText};
  if (path.ends_with(".py") || start.starts_with("import ") ||
      start.starts_with("from ") || start.starts_with("def ") ||
      start.starts_with("#!") || start.starts_with("\"\"\""))
    return WrongKind{"Python source", kWayToText};
  if (text.find('\0') != StringRef::npos)
    return WrongKind{"a binary file", kWayToText};
  if (start.empty())
    return WrongKind{"an empty file", kWayToText};
  return std::nullopt;
}

} // namespace

InputFile openInput(StringRef path, Bytecode bytecode) {
  constexpr StringLiteral nameFile =
      "name a file of StableHLO text, or - for standard input";
  InputFile input;
  if (path == "-" && llvm::sys::Process::StandardInIsUserInput()) {
    input.error = "no file is given, and standard input is a terminal";
    input.fix = nameFile;
    return input;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    input.error = ("cannot read '" + path + "': " + error.message()).str();
    input.fix = nameFile;
    return input;
  }
  if (auto wrong = recognize(path, (*buffer)->getBuffer(), bytecode)) {
    input.error = ("this is " + wrong->what + ", not StableHLO text").str();
    input.fix = wrong->fix;
    return input;
  }
  input.buffer = std::move(*buffer);
  if (auto packed = packBooleanLiterals(input.buffer->getBuffer()))
    input.buffer = llvm::MemoryBuffer::getMemBufferCopy(
        *packed, input.buffer->getBufferIdentifier());
  return input;
}

OwningOpRef<ModuleOp> readProgram(MLIRContext &context,
                                  llvm::SourceMgr &sources, StringRef path) {
  InputFile input = openInput(path, Bytecode::Refuse);
  if (!input.buffer) {
    Location location = FileLineColLoc::get(&context, path, 1, 1);
    InFlightDiagnostic diagnostic = emitError(location) << input.error;
    diagnostic.attachNote() << "fix: " << input.fix;
    return nullptr;
  }
  // Errors of the parser itself name the place but no way out.
  ScopedDiagnosticHandler withFix(&context, [](Diagnostic &diagnostic) {
    bool hasFix = llvm::any_of(diagnostic.getNotes(), [](Diagnostic &note) {
      return StringRef(note.str()).starts_with("fix:");
    });
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !hasFix)
      diagnostic.attachNote(diagnostic.getLocation())
          << "fix: correct the text here, or write it anew: " << kWayToText;
    return failure();
  });
  // The parser reads the first buffer of a manager; `sources` may have others.
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input.buffer->getMemBufferRef()),
      llvm::SMLoc());
  sources.AddNewSourceBuffer(std::move(input.buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(own, &context);
}

} // namespace partita
