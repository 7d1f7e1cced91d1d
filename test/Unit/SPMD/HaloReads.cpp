// What blocks of a result read across borders, against the reads of each of
// their elements.
#include "dialects/SPMD/ShardingRule.h"
#include "partita/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::spmd;

namespace {

constexpr int64_t kBlocks = 4;

/// Every element of block i reads inside the interval of what covers it, and
/// the cover's elements at the ends of what is read reach the interval's ends.
void checkRead(const HaloRead &read, int64_t block) {
  std::optional<BlockInterval> cover =
      ReaderBlocks{kBlocks * block, block}.getCover(read.blockUnit);
  if (!cover)
    return;
  BlockInterval interval = read.getInterval(*cover);
  for (int64_t i = 0; i < kBlocks; ++i) {
    int64_t begin = cover->base + i * cover->step;
    EXPECT_LE(begin, i * block);
    EXPECT_GE(begin + cover->length, (i + 1) * block);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t j = begin; j < begin + cover->length; ++j) {
      int64_t first = floorDiv(read.stride * j + read.first, read.period);
      int64_t last = floorDiv(read.stride * j + read.last, read.period);
      if (first > last)
        continue;
      low = std::min(low, first);
      high = std::max(high, last);
    }
    EXPECT_EQ(interval.base + i * interval.step, low);
    EXPECT_EQ(interval.base + i * interval.step + interval.length, high + 1);
  }
}

TEST(HaloReads, Covers) {
  // Blocks that begin at multiples are their own cover, whatever their number.
  EXPECT_EQ(*(ReaderBlocks{12, 4}.getCover(2)), (BlockInterval{0, 4, 4}));
  EXPECT_EQ(*(ReaderBlocks{11, 4}.getCover(1)), (BlockInterval{0, 4, 4}));
  // Steps of four fall behind blocks of five, steps of six run ahead.
  EXPECT_EQ(*(ReaderBlocks{15, 5}.getCover(2)), (BlockInterval{0, 4, 8}));
  EXPECT_EQ(*(ReaderBlocks{15, 5}.getCover(3)), (BlockInterval{-3, 6, 9}));
  // One block alone drifts nowhere.
  EXPECT_EQ(ReaderBlocks({5, 5}).getCover(2)->length, 6);
  // A cover as long as all is none.
  EXPECT_FALSE((ReaderBlocks{8, 1}.getCover(2)));
  for (int64_t unit = 1; unit <= 5; ++unit)
    for (int64_t block = 1; block <= 9; ++block)
      if (auto cover = ReaderBlocks{kBlocks * block, block}.getCover(unit)) {
        EXPECT_EQ(cover->base % unit, 0);
        EXPECT_EQ(cover->length % unit, 0);
        EXPECT_LT(cover->length, kBlocks * block);
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
  EXPECT_EQ(read.getInterval({0, 0, 0}).length, 0);
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
