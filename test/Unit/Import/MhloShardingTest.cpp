// Text of sharding strings: what parses, what it means, and that nothing that
// is not a sharding crashes the parser.
#include "lib/Import/MhloSharding.h"

#include "gtest/gtest.h"

#include <random>

using namespace partita;
using Kind = MhloSharding::Kind;

static MhloSharding parse(llvm::StringRef text) {
  auto sharding = parseMhloSharding(text);
  EXPECT_TRUE(static_cast<bool>(sharding)) << text.str();
  return sharding ? *sharding : MhloSharding();
}

TEST(MhloShardingTest, Kinds) {
  EXPECT_EQ(parse("{replicated}").kind, Kind::Replicated);
  EXPECT_EQ(parse("{manual}").kind, Kind::Manual);
  EXPECT_EQ(parse("{maximal device=3}").kind, Kind::Maximal);
  EXPECT_EQ(parse("{maximal device=3}").device, 3);
  EXPECT_EQ(*parse("{unknown shard_like 4}").group, 4);
  EXPECT_EQ(parse("{{replicated}, {manual}}").elements.size(), 2u);
  EXPECT_EQ(parse("{}").elements.size(), 0u);
  EXPECT_EQ(
      parse("{replicated metadata={op_name=\"a{b}\" source_line=3}}").kind,
      Kind::Replicated);
}

TEST(MhloShardingTest, DeviceLists) {
  MhloSharding list = parse("{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}");
  MhloSharding iota =
      parse("{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(list.devices, iota.devices);
  EXPECT_EQ(iota.getRank(), 2);
  auto digits = iota.getDigits();
  ASSERT_TRUE(digits);
  ASSERT_EQ((*digits)[0].size(), 1u);
  EXPECT_EQ((*digits)[0][0].stride, 1);
  EXPECT_EQ((*digits)[2][0].stride, 2);
  MhloSharding named = parse(
      "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}");
  EXPECT_EQ(named.getRank(), 1);
  EXPECT_EQ(named.getSubgroupDim(MhloSharding::Subgroup::Manual), 1);
  EXPECT_FALSE(parse("{devices=[4]0,1,3,2}").getDigits());
}

TEST(MhloShardingTest, RefusesOtherText) {
  for (llvm::StringRef text :
       {"", "{", "replicated", "{devices}", "{devices=}", "{devices=[2]}",
        "{devices=[0]<=[0]}", "{devices=[2]<=[2]T(0,1)}",
        "{devices=[2]<=[2]T(1)}", "{devices=[99999999999999999999]<=[1]}",
        "{devices=[4096,65536]<=[1]}", "{maximal device=}",
        "{devices=[2]0,1 last_tile_dims={x}}",
        "{replicated last_tile_dim_replicate}", "{{replicated}", "{shard_as}",
        "{metadata={"}) {
    auto sharding = parseMhloSharding(text);
    EXPECT_FALSE(static_cast<bool>(sharding)) << text.str();
    llvm::consumeError(sharding.takeError());
  }
}

TEST(MhloShardingTest, RandomTextDoesNotCrash) {
  std::mt19937 random(11);
  const char *pieces[] = {"{",
                          "}",
                          "devices=",
                          "[",
                          "]",
                          "<=",
                          "T(",
                          ")",
                          "1",
                          "2",
                          ",",
                          "replicated",
                          "manual",
                          " ",
                          "4",
                          "maximal",
                          "device=",
                          "metadata=",
                          "0,1",
                          "=",
                          "last_tile_dims={manual}",
                          "last_tile_dim_replicate"};
  for (int round = 0; round < 20000; ++round) {
    std::string text = "{";
    for (int i = random() % 12; i >= 0; --i)
      text += pieces[random() % std::size(pieces)];
    auto sharding = parseMhloSharding(text);
    if (sharding)
      (void)sharding->getDigits();
    else
      llvm::consumeError(sharding.takeError());
  }
}
