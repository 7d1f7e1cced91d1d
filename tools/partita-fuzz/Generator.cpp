// Values, meshes, shardings and the frame of a random program.

#include "Generator.h"
#include "Families.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

namespace partita {

static std::string join(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : "") + std::to_string(value);
  return text;
}
std::string i64Array(llvm::ArrayRef<int64_t> values) {
  return values.empty() ? "array<i64>" : "array<i64: " + join(values) + ">";
}
std::string list(llvm::ArrayRef<int64_t> values) {
  return "[" + join(values) + "]";
}

std::string TextType::str() const {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}
int64_t TextType::count() const {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

Generator::Generator(const GeneratorOptions &options)
    : random(options.seed * 4 + options.attempt), options(options) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string Generator::randomElement() {
  int64_t roll = random.in(0, 99);
  return roll < 68   ? "f32"
         : roll < 84 ? "i32"
         : roll < 89 ? "i1"
         : roll < 93 ? "bf16"
         : roll < 96 ? "ui32"
                     : "complex<f32>";
}

TextType Generator::randomType(int64_t minRank, int64_t maxRank,
                               llvm::StringRef element) {
  TextType type;
  type.element = element.empty() ? randomElement() : element.str();
  int64_t rank = random.in(minRank, std::min<int64_t>(maxRank, 3));
  if (rank < maxRank && rank < 2 && random.chance(50))
    ++rank;
  for (int64_t i = 0; i < rank; ++i)
    type.dims.push_back(random.chance(8) ? 1 : random.in(2, rank > 2 ? 6 : 9));
  return type;
}

TextValue Generator::addArgument(TextType type) {
  TextValue value{"%a" + std::to_string(counter++), std::move(type), true,
                  frame->manualAxes};
  frame->arguments.push_back(value);
  return value;
}

TextValue Generator::any(llvm::function_ref<bool(const TextType &)> accept,
                         llvm::function_ref<TextType()> fallback) {
  std::vector<const TextValue *> found;
  for (const auto *values : {&frame->arguments, &frame->locals})
    for (const TextValue &value : *values)
      if (accept(value.type) && value.reacts)
        found.push_back(&value);
  if (found.empty() || (random.chance(12) && frame->arguments.size() < 6))
    return addArgument(fallback());
  // Recent values are the likelier, so that programs grow deep.
  size_t from =
      random.chance(60) ? found.size() - std::min<size_t>(found.size(), 3) : 0;
  return *found[random.in(from, found.size() - 1)];
}

TextValue Generator::anyOf(llvm::StringRef kinds, int64_t minRank,
                           int64_t maxRank) {
  auto accept = [&](const TextType &type) {
    return type.rank() >= minRank && type.rank() <= maxRank &&
           ((kinds.contains('f') && type.isFloat()) ||
            (kinds.contains('i') && type.isInteger()) ||
            (kinds.contains('b') && type.isBool()) ||
            (kinds.contains('c') && type.isComplex()));
  };
  return any(accept, [&] {
    for (;;) {
      TextType type = randomType(minRank, maxRank);
      if (accept(type))
        return type;
    }
  });
}

TextValue Generator::need(const TextType &type) {
  std::vector<TextValue> found;
  bool source = false;
  for (const auto *values : {&frame->arguments, &frame->locals})
    for (const TextValue &value : *values) {
      if (value.type == type)
        found.push_back(value);
      source |= value.type.element == type.element && value.reacts &&
                value.type.rank() > 0;
    }
  if (!found.empty() && random.chance(80))
    return random.pick(found);
  if (source && random.chance(frame->arguments.size() > 5 ? 80 : 25))
    return derive(type);
  if (random.chance(6))
    return constant(type);
  return addArgument(type);
}

/// Another value, flattened, cut or padded, and reshaped.
TextValue Generator::derive(const TextType &type) {
  std::vector<TextValue> found;
  for (const auto *values : {&frame->arguments, &frame->locals})
    for (const TextValue &value : *values)
      if (value.type.element == type.element && value.reacts &&
          value.type.rank())
        found.push_back(value);
  TextValue value = random.pick(found);
  int64_t have = value.type.count(), want = type.count();
  if (value.type.rank() != 1)
    value = emit("stablehlo.reshape", value, {{have}, type.element});
  if (have > want) {
    int64_t start = random.in(0, have - want);
    value = emit("stablehlo.slice", value, {{want}, type.element},
                 "start_indices = " + i64Array({start}) + ", limit_indices = " +
                     i64Array({start + want}) + ", strides = array<i64: 1>");
  } else if (have < want) {
    int64_t low = random.in(0, want - have);
    value = emit("stablehlo.pad", {value, constant({{}, type.element})},
                 {{want}, type.element},
                 "edge_padding_low = " + i64Array({low}) +
                     ", edge_padding_high = " + i64Array({want - have - low}) +
                     ", interior_padding = array<i64: 0>");
  }
  if (type.rank() == 1)
    return value;
  return emit("stablehlo.reshape", value, type);
}

static std::string elementText(const TextType &type, int64_t value) {
  if (type.isBool())
    return value & 1 ? "true" : "false";
  if (type.isComplex())
    return llvm::formatv("({0}.0, {1}.0)", value, 1 - value);
  if (type.isFloat())
    return std::to_string(value / 2) + (value & 1 ? ".5" : ".0");
  return std::to_string(type.element[0] == 'u' ? std::abs(value) : value);
}

static std::string denseText(const TextType &type, Random &random, size_t dim) {
  if (dim == type.dims.size())
    return elementText(type, random.in(type.isFloat() ? 0 : -3, 9));
  std::string text = "[";
  for (int64_t i = 0; i < type.dims[dim]; ++i)
    text += (i ? ", " : "") + denseText(type, random, dim + 1);
  return text + "]";
}

TextValue Generator::splat(const TextType &type, int64_t value) {
  TextValue result{name(), type, false, 0};
  line(result.name + " = stablehlo.constant dense<" + elementText(type, value) +
       "> : " + type.str());
  frame->locals.push_back(result);
  return result;
}

TextValue Generator::constant(const TextType &type) {
  if (random.chance(60))
    return splat(type, random.in(type.isFloat() ? 0 : -3, 9));
  TextValue result{name(), type, false, 0};
  line(result.name + " = stablehlo.constant dense<" +
       denseText(type, random, 0) + "> : " + type.str());
  frame->locals.push_back(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Generator::line(const llvm::Twine &text) {
  frame->text += (text + "\n").str();
}

std::vector<TextValue> Generator::emitMany(llvm::StringRef op,
                                           llvm::ArrayRef<TextValue> operands,
                                           llvm::ArrayRef<TextType> results,
                                           const llvm::Twine &properties,
                                           const llvm::Twine &regions) {
  std::string base = name(), text = base;
  std::vector<TextValue> values;
  for (auto [index, type] : llvm::enumerate(results)) {
    TextValue value{base, type, false, 0};
    if (results.size() > 1)
      value.name += "#" + std::to_string(index);
    for (const TextValue &operand : operands) {
      value.reacts |= operand.reacts;
      value.varies |= operand.varies;
    }
    values.push_back(value);
  }
  if (results.size() > 1)
    text += ":" + std::to_string(results.size());
  text += " = \"" + op.str() + "\"(";
  std::string types;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    text += (index ? ", " : "") + operand.name;
    types += (index ? ", " : "") + operand.type.str();
  }
  text += ")";
  if (std::string props = properties.str(); !props.empty())
    text += " <{" + props + "}>";
  if (std::string body = regions.str(); !body.empty())
    text += " (" + body + ")";
  text += " : (" + types + ") -> (";
  for (auto [index, type] : llvm::enumerate(results))
    text += (index ? ", " : "") + type.str();
  line(text + ")");
  frame->locals.insert(frame->locals.end(), values.begin(), values.end());
  return values;
}

TextValue Generator::emit(llvm::StringRef op,
                          llvm::ArrayRef<TextValue> operands,
                          const TextType &result, const llvm::Twine &properties,
                          const llvm::Twine &regions) {
  return emitMany(op, operands, result, properties, regions)[0];
}

std::string Generator::combiner(llvm::StringRef kind, llvm::StringRef element) {
  std::string type = "tensor<" + element.str() + ">";
  std::string x = name(), y = name(), r = name();
  std::string text =
      "{\n^bb0(" + x + ": " + type + ", " + y + ": " + type + "):\n";
  auto binary = [&](llvm::StringRef op, std::string to, std::string a,
                    std::string b) {
    text += to + " = stablehlo." + op.str() + " " + a + ", " + b + " : " +
            type + "\n";
  };
  if (kind == "circle") { // x + y + xy is associative, with neutral element 0
    std::string sum = name(), product = name();
    binary("add", sum, x, y);
    binary("multiply", product, x, y);
    binary("add", r, sum, product);
  } else {
    bool swap = random.chance(20);
    binary(kind, r, swap ? y : x, swap ? x : y);
  }
  return text + "stablehlo.return " + r + " : " + type + "\n}";
}

std::string Generator::randomKind(const TextType &type) {
  if (type.isBool())
    return random.chance(50) ? "and" : "or";
  if (type.isComplex())
    return random.chance(70) ? "add" : "multiply";
  if (type.isInteger() && random.chance(15))
    return random.chance(50) ? "and" : "or";
  const char *kinds[] = {"add", "add", "add", "maximum", "minimum", "multiply"};
  return random.pick(kinds);
}

TextValue Generator::neutral(llvm::StringRef kind, const TextType &type) {
  std::string text;
  bool isMax = kind == "maximum", isUnsigned = type.element[0] == 'u';
  if (isMax || kind == "minimum") {
    text = type.element == "bf16" ? (isMax ? "0xFF80" : "0x7F80")
           : type.isFloat()       ? (isMax ? "0xFF800000" : "0x7F800000")
           : isUnsigned           ? (isMax ? "0" : "4294967295")
                                  : (isMax ? "-2147483648" : "2147483647");
  } else if (kind == "and") {
    text = type.isBool() ? "true" : isUnsigned ? "4294967295" : "-1";
  } else if (kind == "multiply") {
    text = type.isComplex() ? "(1.0, 0.0)" : type.isFloat() ? "1.0" : "1";
  } else {
    text = type.isComplex() ? "(0.0, 0.0)"
           : type.isBool()  ? "false"
           : type.isFloat() ? "0.0"
                            : "0";
  }
  // Only reductions use it: products with infinity have no sign in a field.
  TextValue result{name(), type, false, 0};
  line(result.name + " = stablehlo.constant dense<" + text +
       "> : " + type.str());
  return result;
}

TextValue Generator::initial(llvm::StringRef kind, const TextType &type) {
  if (random.chance(60))
    return neutral(kind, type);
  if (random.chance(60))
    return need(type);
  // Neither zero in a product nor what swallows the rest of a conjunction.
  return type.isBool() ? neutral(kind, type) : splat(type, random.in(1, 3) * 2);
}

void Generator::writeOps(int64_t count) {
  std::vector<const Family *> table;
  const Family *elementwise = nullptr;
  for (const Family &family : getFamilies()) {
    if (family.write == writeElementwise)
      elementwise = &family;
    if (options.families.empty() ||
        llvm::is_contained(options.families, family.name))
      table.insert(table.end(), family.weight, &family);
  }
  // Between ops of the chosen families, a fifth at least is elementwise.
  if (!options.families.empty())
    table.insert(table.end(), (table.size() + 3) / 4, elementwise);
  size_t base = frame->text.size();
  for (int64_t i = 0; i < count && frame->text.size() - base < 6000; ++i)
    random.pick(table)->write(*this);
}

std::vector<TextValue> Generator::chooseResults(int64_t count) {
  std::vector<TextValue> unused, used, results;
  for (const TextValue &value : frame->locals) {
    if (!value.reacts || value.type.element == "ui64")
      continue;
    // A name that the text mentions once is defined and not used.
    std::string base = value.name.substr(0, value.name.find('#'));
    size_t again = frame->text.find(base, frame->text.find(base) + base.size());
    (again == std::string::npos ? unused : used).push_back(value);
  }
  while (!unused.empty() && int64_t(results.size()) < count) {
    results.push_back(unused.back());
    unused.pop_back();
  }
  if (results.empty() && !used.empty())
    results.push_back(used.back());
  if (results.empty()) {
    TextValue value = anyOf("f");
    results.push_back(emit("stablehlo.add", {value, value}, value.type));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

std::string Generator::writeMain() {
  Frame main;
  frame = &main;
  writeOps(random.in(1, options.maxOps));
  std::vector<TextValue> results = chooseResults(random.in(2, 5));
  std::string text = "func.func public @main(";
  for (auto [index, argument] : llvm::enumerate(main.arguments)) {
    text += (index ? ", " : "") + argument.name + ": " + argument.type.str();
    if (random.chance(70))
      text += " {sdy.sharding = #sdy.sharding" +
              randomSharding(argument.type, 0, false) + "}";
  }
  text += ") -> (";
  for (auto [index, result] : llvm::enumerate(results)) {
    text += (index ? ", " : "") + result.type.str();
    if (random.chance(50))
      text += " {sdy.sharding = #sdy.sharding" +
              randomSharding(result.type, 0, false) + "}";
  }
  text += ") {\n" + main.text + "return ";
  std::string types;
  for (auto [index, result] : llvm::enumerate(results)) {
    text += (index ? ", " : "") + result.name;
    types += (index ? ", " : "") + result.type.str();
  }
  return text + " : " + types + "\n}\n";
}

std::string Generator::generate() {
  chooseMesh();
  std::string main = writeMain();
  std::string mesh = "sdy.mesh @mesh = <[";
  for (auto [index, size] : llvm::enumerate(axisSizes))
    mesh += llvm::formatv("{0}\"{1}\"={2}", index ? ", " : "", axisNames[index],
                          size);
  mesh += "]";
  if (isPermuted) {
    Dims order;
    for (int64_t i = 0; i < deviceCount(); ++i)
      order.push_back(i);
    random.shuffle(order);
    mesh += ", device_ids=" + list(order);
  }
  return llvm::formatv(
      "module @fuzz attributes {{mhlo.num_partitions = {0} : i32, "
      "mhlo.num_replicas = 1 : i32} {{\n{1}>\n{2}{3}}\n",
      deviceCount(), mesh, main, functions);
}

} // namespace partita
