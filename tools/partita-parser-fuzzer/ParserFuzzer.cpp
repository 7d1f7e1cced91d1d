// libFuzzer target: any text is parsed and verified or refused by an error,
// never a crash. What parses is printed and must parse again.
//
//   partita-parser-fuzzer -timeout=10 -max_len=4000 CORPUS
//
// CORPUS is a folder that libFuzzer adds to; test/*/*.mlir are good seeds.
// Texts are changed token by token, for bytes alone rarely make another
// program.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <random>

using namespace mlir;

namespace {

/// One context for all texts: loading dialects takes longer than parsing.
MLIRContext &getContext() {
  static DialectRegistry registry;
  static MLIRContext *context = [] {
    partita::registerAllDialects(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    made->allowUnregisteredDialects();
    return made;
  }();
  return *context;
}

using Tokens = std::vector<std::string>;

/// Words, numbers, and single characters, each with the white space before it.
Tokens tokenize(StringRef text) {
  Tokens tokens;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '@' ||
           c == '#' || c == '!';
  };
  while (!text.empty()) {
    size_t length = 0;
    while (length < text.size() && llvm::isSpace(text[length]))
      ++length;
    size_t start = length;
    while (length < text.size() && isWord(text[length]))
      ++length;
    if (length == start && length < text.size())
      ++length;
    tokens.push_back(text.take_front(length).str());
    text = text.drop_front(length);
  }
  return tokens;
}

/// Tokens of all texts seen so far.
Tokens pool;

void mutateOnce(Tokens &tokens, std::mt19937 &random) {
  if (tokens.empty())
    return;
  auto at = [&] { return random() % tokens.size(); };
  static const char *numbers[] = {" 0", " -1",         " 1",
                                  " 7", " 4294967296", " 9223372036854775807",
                                  " ?", " 0x7F800000"};
  switch (random() % 6) {
  case 0:
    tokens.erase(tokens.begin() + at());
    return;
  case 1:
    std::swap(tokens[at()], tokens[at()]);
    return;
  case 2:
    tokens[at()] = numbers[random() % std::size(numbers)];
    return;
  case 3:
    tokens[at()] = pool.empty() ? " " : pool[random() % pool.size()];
    return;
  case 4: {
    // A piece once more.
    size_t begin = at(), end = std::min(begin + random() % 12, tokens.size());
    Tokens piece(tokens.begin() + begin, tokens.begin() + end);
    tokens.insert(tokens.begin() + at(), piece.begin(), piece.end());
    return;
  }
  default:
    tokens.insert(tokens.begin() + at(),
                  pool.empty() ? " " : pool[random() % pool.size()]);
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  Tokens tokens =
      tokenize(StringRef(reinterpret_cast<const char *>(data), size));
  if (pool.size() < 100000)
    pool.insert(pool.end(), tokens.begin(), tokens.end());
  for (unsigned i = 0, n = 1 + random() % 3; i < n; ++i)
    mutateOnce(tokens, random);
  std::string text = llvm::join(tokens, "");
  size = std::min(text.size(), maxSize);
  std::copy_n(text.begin(), size, data);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  // A copy: MLIR's lexer looks at the zero behind the text.
  std::string copy(reinterpret_cast<const char *>(data), size);
  StringRef text(copy);
  // Nesting without end exhausts the stack in MLIR's own parser.
  if (text.count('(') + text.count('<') + text.count('[') + text.count('{') >
      2000)
    return 0;
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return 0;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(printed, config);
  if (!again) {
    llvm::errs() << "what was printed does not parse:\n" << printed;
    std::abort();
  }
  return 0;
}
