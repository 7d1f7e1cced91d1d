// Reads PTX text: directives, functions, statements. What it does not know is
// an error with its line, never skipped.
#include "PtxWords.h"
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace ptx;

namespace {

uint32_t getBytes(const std::string &type) {
  return uint32_t(std::atoi(type.c_str() + type.find_first_of("0123456789"))) /
         8;
}

std::string trim(const std::string &text) {
  size_t from = text.find_first_not_of(" \t\r\n"),
         to = text.find_last_not_of(" \t\r\n");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

/// Splits at commas outside brackets.
std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += c == '{' || c == '[' || c == '(';
    depth -= c == '}' || c == ']' || c == ')';
    if (c == ',' && depth == 0) {
      parts.push_back(trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trim(part).empty())
    parts.push_back(trim(part));
  return parts;
}

std::vector<std::string> splitWords(const std::string &text, char separator) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == separator)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

class Parser {
public:
  Parser(const std::string &text, Module &module)
      : text(text), module(module) {}
  std::string run();

private:
  bool fail(const std::string &message) {
    if (error.empty())
      error = "line " + std::to_string(line()) + ": " + message;
    return false;
  }
  int line() const {
    int number = 1;
    for (size_t i = 0; i < at && i < text.size(); ++i)
      number += text[i] == '\n';
    return number;
  }
  void removeComments();
  void skipSpace() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  std::string readUntil(const char *stops);
  bool parseFunction(bool isEntry);
  bool parseParameters(std::vector<Parameter> &list);
  bool parseArray(const std::string &declaration, bool isShared);
  bool parseBody();
  bool parseDeclaration(const std::string &statement);
  bool parseStatement(const std::string &statement);
  bool parseOpcode(const std::string &word, Instruction &i);
  bool parseOperand(std::string text, std::vector<Operand> &list);
  bool parseAddress(const std::string &text, Instruction &i);
  bool parseCall(const std::string &rest, Instruction &i);
  uint32_t addFrame(uint32_t bytes) {
    function->frameBytes = (function->frameBytes + 15) / 16 * 16;
    uint32_t offset = function->frameBytes;
    function->frameBytes += bytes;
    return offset;
  }
  bool lookup(const std::string &name, Operand &operand);

  std::string text;
  Module &module;
  size_t at = 0;
  std::string error;
  Function *function = nullptr;
  std::vector<std::map<std::string, Operand>> scopes;
  std::map<std::string, int> labels;
  std::vector<std::pair<size_t, std::string>> branches, calls;
  /// Calls to functions that stand below.
  std::vector<std::tuple<Function *, size_t, std::string>> openCalls;
};

} // namespace

void Parser::removeComments() {
  for (size_t i = 0; (i = text.find("//", i)) != std::string::npos;)
    while (i < text.size() && text[i] != '\n')
      text[i++] = ' ';
}

std::string Parser::readUntil(const char *stops) {
  size_t end = text.find_first_of(stops, at);
  if (end == std::string::npos)
    end = text.size();
  std::string part = text.substr(at, end - at);
  at = end;
  return trim(part);
}

bool Parser::lookup(const std::string &name, Operand &operand) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end()) {
      operand = found->second;
      return true;
    }
  }
  auto array = module.addresses.find(name);
  if (array == module.addresses.end())
    return false;
  operand.kind = Operand::Kind::Immediate;
  operand.value = array->second;
  return true;
}

bool Parser::parseParameters(std::vector<Parameter> &list) {
  ++at; // (
  std::string inside = readUntil(")");
  ++at;
  for (const std::string &declaration : splitList(inside)) {
    // .param .align 8 .b8 name[16], or .param .u64 .ptr .align 1 name
    std::vector<std::string> words = splitWords(declaration, ' ');
    std::string name = words.back();
    uint32_t bytes = 0;
    for (const std::string &word : words)
      if (!bytes && word.size() > 1 && kTypes.count(word.substr(1)))
        bytes = getBytes(word);
    if (size_t bracket = name.find('['); bracket != std::string::npos) {
      bytes *= uint32_t(std::atoi(name.c_str() + bracket + 1));
      name.resize(bracket);
    }
    if (!bytes)
      return fail("parameter '" + declaration + "'");
    Parameter parameter{name, addFrame(bytes), bytes};
    list.push_back(parameter);
    Operand operand;
    operand.kind = Operand::Kind::Frame;
    operand.value = parameter.offset;
    scopes.back()[name] = operand;
  }
  return true;
}

bool Parser::parseFunction(bool isEntry) {
  auto made = std::make_unique<Function>();
  function = made.get();
  function->isEntry = isEntry;
  scopes.assign(1, {});
  labels.clear();
  branches.clear();
  skipSpace();
  if (!isEntry && text[at] == '(' && !parseParameters(function->results))
    return false;
  function->name = readUntil("(;{");
  if (text[at] == '(' && !parseParameters(function->parameters))
    return false;
  skipSpace();
  if (text[at] == ';') { // a declaration
    ++at;
    return true;
  }
  std::string directives = readUntil("{");
  if (size_t most = directives.find(".maxntid"); most != std::string::npos)
    function->maxThreads = uint32_t(std::atoi(directives.c_str() + most + 8));
  module.index[function->name] = int(module.functions.size());
  module.functions.push_back(std::move(made));
  return parseBody();
}

/// `.align 4 .b8 name[24] = {1, 2}` after its space.
bool Parser::parseArray(const std::string &declaration, bool isShared) {
  size_t equals = declaration.find('=');
  std::vector<std::string> words =
      splitWords(trim(declaration.substr(0, equals)), ' ');
  std::string name = words.back();
  uint32_t element = getBytes(words[words.size() - 2]), count = 1;
  if (size_t bracket = name.find('['); bracket != std::string::npos) {
    count = uint32_t(std::atoi(name.c_str() + bracket + 1));
    name.resize(bracket);
  }
  if (isShared) {
    Operand operand;
    operand.kind = Operand::Kind::Shared;
    function->sharedBytes = (function->sharedBytes + 15) / 16 * 16;
    operand.value = function->sharedBytes;
    function->sharedBytes += element * count;
    scopes.back()[name] = operand;
    return true;
  }
  auto array = std::make_unique<std::vector<uint8_t>>(element * count + 16);
  if (equals != std::string::npos) {
    std::string values = declaration.substr(declaration.find('{') + 1);
    size_t i = 0;
    for (const std::string &value :
         splitList(values.substr(0, values.find('}')))) {
      uint64_t number = std::strtoull(value.c_str(), nullptr, 0);
      std::memcpy(array->data() + element * i++, &number, element);
    }
  }
  module.addresses[name] = reinterpret_cast<uint64_t>(array->data());
  module.arrays.push_back(std::move(array));
  return true;
}

/// Registers, local memory, shared memory and the parameters of calls; hints.
bool Parser::parseDeclaration(const std::string &statement) {
  std::vector<std::string> words = splitWords(statement, ' ');
  std::string rest = trim(statement.substr(words[0].size()));
  if (words[0].rfind(".reg", 0) == 0) {
    size_t space = rest.find_first_of(" \t");
    for (const std::string &name : splitList(rest.substr(space))) {
      size_t range = name.find('<');
      int count =
          range == std::string::npos ? 0 : std::atoi(name.c_str() + range + 1);
      for (int i = range == std::string::npos ? -1 : 0; i < count; ++i) {
        Operand operand;
        operand.kind = Operand::Kind::Register;
        operand.index = function->numRegisters++;
        scopes
            .back()[i < 0 ? name : name.substr(0, range) + std::to_string(i)] =
            operand;
      }
    }
    return true;
  }
  if (words[0] == ".pragma")
    return true;
  if (words[0] == ".shared")
    return parseArray(rest, true);
  if (words[0] != ".local" && words[0] != ".param")
    return fail("declaration '" + statement + "'");
  std::vector<std::string> parts = splitWords(rest, ' ');
  std::string name = parts.back();
  uint32_t bytes = 0;
  for (const std::string &word : parts)
    if (!bytes && word.size() > 1 && kTypes.count(word.substr(1)))
      bytes = getBytes(word);
  if (size_t bracket = name.find('['); bracket != std::string::npos) {
    bytes *= uint32_t(std::atoi(name.c_str() + bracket + 1));
    name.resize(bracket);
  }
  Operand operand;
  operand.kind = Operand::Kind::Frame;
  operand.value = addFrame(bytes);
  operand.index = bytes;
  scopes.back()[name] = operand;
  return true;
}

bool Parser::parseOpcode(const std::string &word, Instruction &i) {
  std::vector<std::string> words = splitWords(word, '.');
  auto op = kOps.find(words[0]);
  if (op == kOps.end())
    return fail("unknown instruction '" + word + "'");
  i.op = op->second;
  if (words[0] == "addc" || words[0] == "subc" || words[0] == "madc")
    i.flags |= UseCarry;
  std::vector<Type> types;
  for (size_t w = 1; w < words.size(); ++w) {
    const std::string &part = words[w];
    if (auto type = kTypes.find(part); type != kTypes.end())
      types.push_back(type->second);
    else if (i.op == Op::Setp && kCompares.count(part)) {
      i.compare = kCompares.at(part).first;
      i.flags |= kCompares.at(part).second ? Unordered : 0;
    } else if (i.op == Op::Setp &&
               (part == "and" || part == "or" || part == "xor"))
      i.combine = kOps.at(part);
    else if (part == "v2" || part == "v4")
      i.width = uint8_t(part[1] - '0');
    else if (auto flag = kFlags.find(part); flag != kFlags.end())
      i.flags |= flag->second;
    else
      return fail("unknown part '." + part + "' of '" + word + "'");
  }
  if (!types.empty())
    i.type = types[0];
  i.from = types.size() > 1 ? types[1] : i.type;
  function->hasSync |= i.op == Op::Bar || i.op == Op::Shfl;
  return true;
}

bool Parser::parseOperand(std::string word, std::vector<Operand> &list) {
  if (word[0] == '{') {
    for (const std::string &part : splitList(word.substr(1, word.size() - 2)))
      if (!parseOperand(part, list))
        return false;
    return true;
  }
  Operand operand;
  if (word[0] == '!') {
    operand.isNegated = true;
    word = word.substr(1);
  }
  if (word == "_") {
    list.push_back(operand);
    return true;
  }
  if (auto special = kSpecials.find(word); special != kSpecials.end()) {
    operand.kind = Operand::Kind::Special;
    operand.index = special->second;
  } else if (word.rfind("0f", 0) == 0 || word.rfind("0d", 0) == 0 ||
             word.rfind("0F", 0) == 0 || word.rfind("0D", 0) == 0) {
    operand.kind = Operand::Kind::Immediate;
    operand.value = std::strtoull(word.c_str() + 2, nullptr, 16);
  } else if (std::isdigit(static_cast<unsigned char>(word[0])) ||
             word[0] == '-') {
    operand.kind = Operand::Kind::Immediate;
    operand.value = word[0] == '-'
                        ? uint64_t(std::strtoll(word.c_str(), nullptr, 0))
                        : std::strtoull(word.c_str(), nullptr, 0);
  } else {
    bool isNegated = operand.isNegated;
    if (!lookup(word, operand))
      return fail("unknown operand '" + word + "'");
    operand.isNegated = isNegated;
  }
  list.push_back(operand);
  return true;
}

bool Parser::parseAddress(const std::string &word, Instruction &i) {
  std::string inside = trim(word.substr(1, word.size() - 2));
  size_t plus = inside.find('+');
  if (plus != std::string::npos)
    i.offset = std::strtoll(inside.c_str() + plus + 1, nullptr, 0);
  return parseOperand(trim(inside.substr(0, plus)), i.from_);
}

/// `(retval0), name, (param0, param1)`; results and arguments are in frame
/// memory.
bool Parser::parseCall(const std::string &rest, Instruction &i) {
  std::vector<std::string> parts = splitList(rest);
  size_t name = parts[0][0] == '(' ? 1 : 0;
  if (name == 1 &&
      !parseOperand("{" + parts[0].substr(1, parts[0].size() - 2) + "}", i.to))
    return false;
  if (parts.size() > name + 1) {
    const std::string &list = parts[name + 1];
    if (!parseOperand("{" + list.substr(1, list.size() - 2) + "}", i.from_))
      return false;
  }
  openCalls.push_back({function, function->code.size(), parts[name]});
  return true;
}

bool Parser::parseStatement(const std::string &statement) {
  Instruction i;
  i.line = line();
  std::string rest = statement;
  if (rest[0] == '@') {
    size_t space = rest.find_first_of(" \t");
    std::vector<Operand> guard;
    if (!parseOperand(rest.substr(1, space - 1), guard))
      return false;
    i.guard = int32_t(guard[0].index);
    i.isGuardNegated = guard[0].isNegated;
    rest = trim(rest.substr(space));
  }
  size_t space = rest.find_first_of(" \t");
  if (!parseOpcode(rest.substr(0, space), i))
    return false;
  rest = space == std::string::npos ? "" : trim(rest.substr(space));
  std::vector<std::string> parts = splitList(rest);
  if (i.op == Op::Bra) {
    branches.push_back({function->code.size(), rest});
  } else if (i.op == Op::Call) {
    if (!parseCall(rest, i))
      return false;
  } else if (i.op == Op::Store) {
    if (!parseAddress(parts[0], i) || !parseOperand(parts[1], i.from_))
      return false;
  } else if (i.op == Op::Load) {
    if (!parseOperand(parts[0], i.to) || !parseAddress(parts[1], i))
      return false;
  } else if (i.op != Op::Ret && i.op != Op::Bar && i.op != Op::Trap) {
    for (size_t p = 0; p < parts.size(); ++p) {
      std::string part = parts[p];
      if (size_t bar = part.find('|'); p == 0 && bar != std::string::npos)
        part = "{" + part.substr(0, bar) + "," + part.substr(bar + 1) + "}";
      if (!parseOperand(part, p == 0 ? i.to : i.from_))
        return false;
    }
  }
  function->code.push_back(std::move(i));
  return true;
}

bool Parser::parseBody() {
  ++at; // {
  size_t depth = scopes.size();
  scopes.emplace_back();
  while (error.empty()) {
    skipSpace();
    if (at >= text.size())
      return fail("the body has no end");
    if (text[at] == '{') {
      scopes.emplace_back();
      ++at;
      continue;
    }
    if (text[at] == '}') {
      ++at;
      scopes.pop_back();
      if (scopes.size() == depth)
        break;
      continue;
    }
    size_t end = text.find_first_of(";:", at);
    if (end != std::string::npos && text[end] == ':') {
      labels[trim(text.substr(at, end - at))] = int(function->code.size());
      at = end + 1;
      continue;
    }
    std::string statement = readUntil(";");
    for (char &c : statement)
      c = c == '\t' || c == '\n' ? ' ' : c;
    bool ok = statement[0] == '.' ? parseDeclaration(statement)
                                  : parseStatement(statement);
    if (!ok)
      return false;
    ++at;
  }
  for (auto &[index, label] : branches) {
    auto target = labels.find(label);
    if (target == labels.end())
      return fail("no label " + label);
    function->code[index].target = target->second;
  }
  Instruction last;
  last.op = Op::Ret;
  function->code.push_back(last);
  return true;
}

std::string Parser::run() {
  removeComments();
  while (error.empty()) {
    skipSpace();
    if (at >= text.size())
      break;
    std::string word = readUntil(" \t\n");
    if (word == ".version" || word == ".target" || word == ".address_size") {
      readUntil("\n");
    } else if (word == ".visible" || word == ".weak" || word == ".extern") {
      continue;
    } else if (word == ".entry" || word == ".func") {
      parseFunction(word == ".entry");
    } else if (word == ".global" || word == ".const") {
      parseArray(readUntil(";"), false);
      ++at;
    } else {
      fail("unknown directive '" + word + "'");
    }
  }
  for (auto &[caller, index, name] : openCalls) {
    auto callee = module.index.find(name);
    if (callee == module.index.end())
      fail("no function " + name);
    else
      caller->code[index].target = callee->second;
  }
  return error;
}

std::string ptx::parse(const std::string &text, Module &module) {
  return Parser(text, module).run();
}
