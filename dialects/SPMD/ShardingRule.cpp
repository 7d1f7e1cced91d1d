// What rules say of reads across borders, and their text for remarks, tests and
// --list-op-models.
#include "dialects/SPMD/SPMD.h"
#include "partita/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace partita;
using namespace partita::spmd;

BlockInterval HaloRead::getInterval(const BlockInterval &readers) const {
  // Of an interval's indices, those at its ends read furthest.
  int64_t across = stride * (readers.length - 1);
  int64_t base = floorDiv(std::min<int64_t>(across, 0) + first, period);
  int64_t end = floorDiv(std::max<int64_t>(across, 0) + last, period) + 1;
  int64_t length = readers.length == 0 ? 0 : std::max<int64_t>(end - base, 0);
  return {base + readers.base * stride / period, readers.step * stride / period,
          length};
}

std::optional<BlockInterval> ReaderBlocks::getCover(int64_t unit) const {
  if (block % unit == 0)
    return BlockInterval{0, block, block};
  // Steps are the multiple of `unit` next to a block. The further a block, the
  // further it begins behind its interval, or before it.
  int64_t step = floorDiv(block + (unit - 1) / 2, unit) * unit;
  int64_t drift = (ceilDiv(size, block) - 1) * (block - step);
  int64_t base = floorDiv(std::min<int64_t>(drift, 0), unit) * unit;
  int64_t length =
      ceilDiv(block + std::max<int64_t>(drift, 0) - base, unit) * unit;
  if (length >= size && block < size)
    return std::nullopt;
  return BlockInterval{base, step, length};
}

std::optional<llvm::SmallVector<BlockInterval>> ShardingRule::getReads(
    unsigned index, llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<int64_t> ownBlock,
    llvm::function_ref<std::optional<ReaderBlocks>(const HaloRead &)> getBlocks)
    const {
  llvm::SmallVector<BlockInterval> intervals;
  for (int64_t size : ownBlock)
    intervals.push_back({0, size, size});
  for (const HaloRead &read : reads) {
    if (read.operand != index)
      continue;
    std::optional<ReaderBlocks> blocks = getBlocks(read);
    if (!blocks)
      continue;
    std::optional<BlockInterval> readers = blocks->getCover(read.blockUnit);
    if (!readers)
      return std::nullopt;
    BlockInterval interval = read.getInterval(*readers);
    // All but the first block are padding: they read what is past the end.
    if (blocks->size <= blocks->block)
      interval.step = std::max<int64_t>(shape[read.dim] - interval.base, 0);
    intervals[read.dim] = interval;
  }
  return intervals;
}

/// i, j, ..., z, then z_1, z_2, ...
static std::string getFactorName(int index) {
  constexpr int letters = 'z' - 'i' + 1;
  if (index < letters)
    return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - letters + 1);
}

static void printMappings(llvm::raw_ostream &os,
                          llvm::ArrayRef<TensorMapping> mappings) {
  os << "(";
  auto printMapping = [&](const TensorMapping &mapping) {
    os << "[";
    llvm::interleaveComma(mapping.dims, os, [&](const auto &dim) {
      for (int factor : dim)
        os << getFactorName(factor);
    });
    os << "]";
  };
  llvm::interleave(mappings, os, printMapping, ",");
  os << ")";
}

/// What the factor is beyond its size; empty for a plain parallel one.
static std::string describe(const Factor &factor) {
  std::string text;
  switch (factor.kind) {
  case FactorKind::Parallel: break;
  case FactorKind::Reduction: text = factor.reduction ? "" : " reduction"; break;
  case FactorKind::Halo: text = " halo"; break;
  case FactorKind::Scan: text = " scan"; break;
  case FactorKind::Indexed: text = " indexed"; break;
  case FactorKind::Sort: text = " sort"; break;
  case FactorKind::Fft: text = " fft"; break;
  case FactorKind::Replicated: text = " replicated"; break;
  }
  if (factor.reduction)
    text += " " + stringifyEnum(*factor.reduction).str();
  if (factor.direction != PropagationDirection::Both)
    text += " direction=" + stringifyEnum(factor.direction).str();
  if (!factor.shardable)
    text += " gathered";
  return text;
}

std::string ShardingRule::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printMappings(os, operands);
  os << "->";
  printMappings(os, results);
  os << " {";
  int index = 0;
  llvm::interleaveComma(factors, os, [&](const Factor &factor) {
    os << getFactorName(index++) << "=" << factor.size << describe(factor);
  });
  os << "}";
  return text;
}
