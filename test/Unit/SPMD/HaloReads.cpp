// What blocks of a result read across borders, against the reads of each of
// their elements.
#include "dialects/SPMD/ShardingRule.h"
#include "partita/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::spmd;

namespace {

/// Every element of block i reads inside the block's interval, and those at the
/// ends of what is read reach the interval's ends.
void checkRead(const HaloRead &read, int64_t block) {
  std::optional<BlockInterval> interval = read.getInterval(block);
  if (block % read.blockUnit != 0) {
    EXPECT_FALSE(interval);
    return;
  }
  ASSERT_TRUE(interval);
  for (int64_t i = 0; i < 4; ++i) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t j = i * block; j < (i + 1) * block; ++j) {
      int64_t first = floorDiv(read.stride * j + read.first, read.period);
      int64_t last = floorDiv(read.stride * j + read.last, read.period);
      if (first > last)
        continue;
      low = std::min(low, first);
      high = std::max(high, last);
    }
    int64_t begin = interval->base + i * interval->step;
    EXPECT_EQ(begin, low);
    EXPECT_EQ(begin + interval->length, high + 1);
  }
}

TEST(HaloReads, Shifts) {
  for (int64_t stride : {-2, -1, 1, 2, 3})
    for (int64_t first : {-3, 0, 5})
      for (int64_t extent : {1, 2, 4})
        for (int64_t block : {1, 2, 5})
          checkRead(
              {.stride = stride, .first = first, .last = first + extent - 1},
              block);
}

TEST(HaloReads, InteriorPadding) {
  for (int64_t period : {2, 3})
    for (int64_t low : {-2, -1, 0, 1, 4})
      for (int64_t block : {1, 2, 3, 6, 12})
        checkRead({.first = period - 1 - low,
                   .last = -low,
                   .period = period,
                   .blockUnit = period},
                  block);
}

TEST(HaloReads, NoElements) {
  HaloRead read{.first = 3, .last = 3};
  EXPECT_EQ(read.getInterval(0)->length, 0);
}

TEST(HaloReads, OfAnOperand) {
  // slice [2:6] of 8, sharded by 2 in the second dimension.
  ShardingRule rule;
  rule.reads.push_back({.dim = 1, .readerDim = 1, .first = 2, .last = 2});
  auto isHalf = [](const HaloRead &read) -> std::optional<ReaderBlocks> {
    return read.readerDim == 1 ? std::optional(ReaderBlocks{4, 2})
                               : std::nullopt;
  };
  auto reads = rule.getReads(0, {3, 8}, {3, 4}, isHalf);
  ASSERT_TRUE(reads);
  EXPECT_EQ((*reads)[0], (BlockInterval{0, 3, 3}));
  EXPECT_EQ((*reads)[1], (BlockInterval{2, 2, 2}));
  // Whole, it reads nothing of others.
  reads = rule.getReads(
      0, {3, 8}, {3, 8}, [](const HaloRead &) { return std::nullopt; });
  EXPECT_EQ((*reads)[1], (BlockInterval{0, 8, 8}));
  // Other operands keep their blocks.
  reads = rule.getReads(1, {3, 8}, {3, 4}, isHalf);
  EXPECT_EQ((*reads)[1], (BlockInterval{0, 4, 4}));
  // Where the first block is all there is, the others read past the end.
  reads = rule.getReads(
      0, {3, 8}, {3, 4},
      [](const HaloRead &) { return std::optional(ReaderBlocks{1, 1}); });
  EXPECT_EQ((*reads)[1], (BlockInterval{2, 6, 1}));
}

} // namespace
