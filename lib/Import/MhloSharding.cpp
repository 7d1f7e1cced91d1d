// Parser of `mhlo.sharding` strings.
#include "MhloSharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace partita {

namespace {

/// Largest number of devices that a string may name.
constexpr int64_t maxDevices = int64_t(1) << 24;

class Parser {
public:
  explicit Parser(StringRef text) : text(text) {}

  Expected<MhloSharding> parse() {
    Expected<MhloSharding> sharding = parseSharding();
    if (sharding && peek() != '\0')
      return fail("the end");
    return sharding;
  }

private:
  Error fail(const Twine &expected) {
    return createStringError("expected " + expected + " at character " +
                             Twine(position + 1) + " of \"" + text + "\"");
  }
  char peek() {
    while (position < text.size() && isSpace(text[position]))
      ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool consume(StringRef token) {
    peek();
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }
  StringRef parseWord() {
    peek();
    StringRef word = text.substr(position).take_while(
        [](char c) { return isAlnum(c) || c == '_'; });
    position += word.size();
    return word;
  }
  bool parseInteger(int64_t &value) {
    peek();
    StringRef digits = text.substr(position).take_while(isDigit);
    if (digits.empty() || digits.getAsInteger(10, value))
      return false;
    position += digits.size();
    return true;
  }
  Expected<SmallVector<int64_t>> parseList(StringRef open, StringRef close);
  Expected<MhloSharding> parseSharding();
  Error parseDevices(MhloSharding &sharding);
  Error parseIota(MhloSharding &sharding, int64_t count);
  Error parseSubgroups(MhloSharding &sharding);
  Error parseEntry(MhloSharding &sharding, StringRef word);

  StringRef text;
  size_t position = 0;
};

} // namespace

Expected<SmallVector<int64_t>> Parser::parseList(StringRef open,
                                                 StringRef close) {
  if (!consume(open))
    return fail("'" + open + "'");
  SmallVector<int64_t> list;
  while (!consume(close)) {
    if (!list.empty() && !consume(","))
      return fail("',' or '" + close + "'");
    int64_t value;
    if (!parseInteger(value))
      return fail("an integer");
    list.push_back(value);
  }
  return list;
}

/// `<=[4,2]T(1,0)`: iota reshaped and transposed.
Error Parser::parseIota(MhloSharding &sharding, int64_t count) {
  Expected<SmallVector<int64_t>> dims = parseList("[", "]");
  if (!dims)
    return dims.takeError();
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, dims->size()));
  if (consume("T")) {
    Expected<SmallVector<int64_t>> permutation = parseList("(", ")");
    if (!permutation)
      return permutation.takeError();
    SmallVector<int64_t> sorted = *permutation;
    llvm::sort(sorted);
    if (sorted != order)
      return fail("a permutation of the " + Twine(dims->size()) +
                  " dimensions");
    order = *permutation;
  }
  int64_t product = 1;
  for (int64_t size : *dims) {
    if (size < 1 || size > maxDevices / product)
      return fail("sizes from 1");
    product *= size;
  }
  if (product != count)
    return fail("an iota of " + Twine(count) + " devices");
  SmallVector<int64_t> strides(dims->size(), 1);
  for (size_t i = dims->size(); i-- > 1;)
    strides[i - 1] = strides[i] * (*dims)[i];
  sharding.devices = {0};
  for (int64_t dim : order) {
    SmallVector<int64_t> next;
    next.reserve(sharding.devices.size() * (*dims)[dim]);
    for (int64_t device : sharding.devices)
      for (int64_t i = 0; i < (*dims)[dim]; ++i)
        next.push_back(device + i * strides[dim]);
    sharding.devices = std::move(next);
  }
  return Error::success();
}

/// `[4,2]0,1,...` or `[4,2]<=...`, after `devices=`.
Error Parser::parseDevices(MhloSharding &sharding) {
  Expected<SmallVector<int64_t>> tiles = parseList("[", "]");
  if (!tiles)
    return tiles.takeError();
  int64_t count = 1;
  for (int64_t size : *tiles) {
    if (size < 1 || size > maxDevices / count)
      return fail("tile counts from 1");
    count *= size;
  }
  sharding.kind = MhloSharding::Kind::Tiled;
  sharding.tiles = std::move(*tiles);
  if (consume("<="))
    return parseIota(sharding, count);
  do {
    int64_t device;
    if (!parseInteger(device))
      return fail("a device number");
    sharding.devices.push_back(device);
  } while (consume(","));
  if (static_cast<int64_t>(sharding.devices.size()) != count)
    return fail(Twine(count) + " devices instead of " +
                Twine(sharding.devices.size()));
  SmallVector<int64_t> sorted = sharding.devices;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, seq<int64_t>(0, count)))
    return fail("each device from 0 to " + Twine(count - 1) + " once");
  return Error::success();
}

/// `={manual, replicated}`, after `last_tile_dims`.
Error Parser::parseSubgroups(MhloSharding &sharding) {
  if (!consume("=") || !consume("{"))
    return fail("'={'");
  while (!consume("}")) {
    if (!sharding.subgroups.empty() && !consume(","))
      return fail("',' or '}'");
    StringRef word = parseWord();
    if (word == "replicated")
      sharding.subgroups.push_back(MhloSharding::Subgroup::Replicated);
    else if (word == "manual")
      sharding.subgroups.push_back(MhloSharding::Subgroup::Manual);
    else if (word == "unreduced")
      sharding.subgroups.push_back(MhloSharding::Subgroup::Unreduced);
    else
      return fail("replicated, manual or unreduced");
  }
  return Error::success();
}

Error Parser::parseEntry(MhloSharding &sharding, StringRef word) {
  using Kind = MhloSharding::Kind;
  if (word == "replicated") {
    sharding.kind = Kind::Replicated;
  } else if (word == "manual") {
    sharding.kind = Kind::Manual;
  } else if (word == "unreduced") {
    sharding.kind = Kind::Unreduced;
  } else if (word == "unknown") {
    sharding.kind = Kind::Unknown;
  } else if (word == "maximal") {
    sharding.kind = Kind::Maximal;
  } else if (word == "device") {
    sharding.kind = Kind::Maximal;
    if (!consume("=") || !parseInteger(sharding.device))
      return fail("'=' and a device number");
  } else if (word == "devices") {
    if (!consume("="))
      return fail("'='");
    return parseDevices(sharding);
  } else if (word == "last_tile_dim_replicate") {
    sharding.subgroups = {MhloSharding::Subgroup::Replicated};
  } else if (word == "last_tile_dims") {
    return parseSubgroups(sharding);
  } else if (word == "shard_as" || word == "shard_like") {
    int64_t group;
    if (!parseInteger(group))
      return fail("a group number");
    sharding.group = group;
  } else if (word == "metadata") {
    // Names of the ops that the sharding came from: skipped.
    if (!consume("={"))
      return fail("'={'");
    for (int depth = 1; depth > 0; ++position) {
      char c = peek();
      if (c == '\0')
        return fail("'}'");
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  } else {
    position -= word.size();
    return fail("devices=, replicated, manual, maximal or unknown");
  }
  return Error::success();
}

Expected<MhloSharding> Parser::parseSharding() {
  if (!consume("{"))
    return fail("'{'");
  MhloSharding sharding;
  if (peek() == '{' || peek() == '}') {
    sharding.kind = MhloSharding::Kind::Tuple;
    while (!consume("}")) {
      if (!sharding.elements.empty() && !consume(","))
        return fail("',' or '}'");
      Expected<MhloSharding> element = parseSharding();
      if (!element)
        return element.takeError();
      sharding.elements.push_back(std::move(*element));
    }
    return sharding;
  }
  while (!consume("}")) {
    if (Error error = parseEntry(sharding, parseWord()))
      return std::move(error);
    (void)consume(",");
  }
  if (sharding.subgroups.size() > sharding.tiles.size())
    return fail("a tile dimension for each subgroup");
  return sharding;
}

int64_t MhloSharding::getSubgroupDim(Subgroup kind) const {
  for (auto [index, subgroup] : enumerate(subgroups))
    if (subgroup == kind)
      return getRank() + index;
  return -1;
}

std::optional<SmallVector<SmallVector<Digit>>> MhloSharding::getDigits() const {
  if (devices.empty() || devices[0] != 0)
    return std::nullopt;
  auto digits = decomposeIntoDigits(tiles, devices);
  if (!digits || !orderAsMixedRadix(*digits))
    return std::nullopt;
  SmallVector<SmallVector<Digit>> perTile(tiles.size());
  for (const Digit &digit : *digits)
    perTile[digit.axis].push_back(digit);
  return perTile;
}

Expected<MhloSharding> parseMhloSharding(StringRef text) {
  return Parser(text).parse();
}

} // namespace partita
