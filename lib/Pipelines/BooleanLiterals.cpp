// Rewrites dense<"0x...">, without a parser: the type stands right behind it.

#include "partita/Pipelines/BooleanLiterals.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace partita {
namespace {

constexpr llvm::StringLiteral kStart = "dense<\"0x";
constexpr llvm::StringLiteral kEnd = "\"> : tensor<";

/// Number of elements of the type whose text after `tensor<` is `type`, if that
/// is one of booleans.
std::optional<uint64_t> getNumBooleans(StringRef type) {
  type = type.take_until([](char c) { return c == '>'; });
  if (!type.consume_back("xi1"))
    return std::nullopt;
  uint64_t count = 1;
  llvm::SmallVector<StringRef> sizes;
  type.split(sizes, 'x');
  for (StringRef text : sizes) {
    uint64_t size;
    if (text.getAsInteger(10, size))
      return std::nullopt;
    count *= size;
  }
  return count;
}

/// The digits of one literal, those of another form of it.
using Conversion = llvm::function_ref<std::optional<std::string>(
    StringRef digits, uint64_t count)>;

/// `text` with the digits of boolean literals converted, where that gives some;
/// none: nowhere. `pads`: blanks after a literal make up for digits it lost.
std::optional<std::string> convertLiterals(StringRef text, bool pads,
                                           Conversion convert) {
  std::string result;
  size_t copied = 0;
  for (size_t at = text.find(kStart); at != StringRef::npos;
       at = text.find(kStart, at)) {
    at += kStart.size();
    size_t end = text.find('"', at);
    if (end == StringRef::npos)
      break;
    StringRef digits = text.slice(at, end);
    StringRef behind = text.substr(end);
    std::optional<uint64_t> count;
    if (behind.consume_front(kEnd))
      count = getNumBooleans(behind);
    std::optional<std::string> converted =
        count ? convert(digits, *count) : std::nullopt;
    if (!converted)
      continue;
    result += text.slice(copied, at);
    result += *converted + "\">";
    if (pads && converted->size() < digits.size())
      result.append(digits.size() - converted->size(), ' ');
    copied = end + 2; // behind ">
  }
  if (copied == 0)
    return std::nullopt;
  result += text.substr(copied);
  return result;
}

uint64_t getByte(StringRef digits, uint64_t index) {
  return llvm::hexDigitValue(digits[2 * index]) * 16 +
         llvm::hexDigitValue(digits[2 * index + 1]);
}

void appendByte(std::string &digits, uint64_t byte) {
  digits += llvm::hexdigit(byte / 16);
  digits += llvm::hexdigit(byte % 16);
}

} // namespace

std::optional<std::string> packBooleanLiterals(StringRef text) {
  return convertLiterals(
      text, /*pads=*/true,
      [](StringRef digits, uint64_t count) -> std::optional<std::string> {
        if (count < 2 || digits.size() != 2 * count ||
            !llvm::all_of(digits, llvm::isHexDigit))
          return std::nullopt;
        std::string packed;
        for (uint64_t first = 0; first < count; first += 8) {
          uint64_t byte = 0;
          for (uint64_t i = first; i < std::min(first + 8, count); ++i)
            byte |= uint64_t(getByte(digits, i) != 0) << (i - first);
          appendByte(packed, byte);
        }
        return packed;
      });
}

std::optional<std::string> unpackBooleanLiterals(StringRef text) {
  return convertLiterals(
      text, /*pads=*/false,
      [](StringRef digits, uint64_t count) -> std::optional<std::string> {
        if (count < 2 || digits.size() != 2 * ((count + 7) / 8))
          return std::nullopt;
        std::string bytes;
        for (uint64_t i = 0; i < count; ++i)
          appendByte(bytes, getByte(digits, i / 8) >> (i % 8) & 1);
        return bytes;
      });
}

} // namespace partita
