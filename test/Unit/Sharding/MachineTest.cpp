// The machine table and the figures that users give.
#include "partita/Sharding/Machine.h"
#include "gtest/gtest.h"

using namespace partita;

namespace {

/// The machine, or what is wrong with its text.
struct Parsed {
  std::optional<Machine> machine;
  std::string problem, fix;
};

Parsed parse(llvm::StringRef text) {
  Parsed parsed;
  parsed.machine = parseMachine(
      text, [&](const llvm::Twine &problem, const llvm::Twine &fix) {
        parsed.problem = problem.str();
        parsed.fix = fix.str();
      });
  return parsed;
}

TEST(Machine, EachIsFoundByItsName) {
  for (const Machine &machine : getMachines()) {
    Parsed parsed = parse(machine.name);
    ASSERT_TRUE(parsed.machine);
    EXPECT_EQ(parsed.machine->linkBandwidth, machine.linkBandwidth);
    EXPECT_GE(machine.peakFlops, machine.peakFlops32);
    EXPECT_GT(machine.memoryBandwidth, machine.linkBandwidth);
  }
  EXPECT_EQ(getMachines().front().name, "tpu-v5e");
}

TEST(Machine, OwnFiguresReplaceThoseOfTheName) {
  Machine cpu = *parse("cpu").machine;
  Machine own = *parse("cpu,launch=9e-5,link=1e9,latency=0,overlap=on").machine;
  EXPECT_EQ(own.name, "cpu,launch=9e-5,link=1e9,latency=0,overlap=on");
  EXPECT_EQ(own.launchOverhead, 9e-5);
  EXPECT_EQ(own.linkBandwidth, 1e9);
  EXPECT_EQ(own.linkLatency, 0);
  EXPECT_TRUE(own.overlaps);
  EXPECT_FALSE(cpu.overlaps);
  EXPECT_EQ(own.kernelOverhead, cpu.kernelOverhead);
  EXPECT_EQ(own.peakFlops32, cpu.peakFlops32);
  EXPECT_EQ(parse("cpu,flops=2,flops32=1,memory=3,kernel=4").machine->peakFlops,
            2);
}

TEST(Machine, OneKindOfCollectiveMayHaveFiguresOfItsOwn) {
  Machine machine =
      *parse("cpu,permute-launch=1e-4,all_reduce-latency=0,launch=2e-5,"
             "all_to_all-link=1e9,link=2e9")
           .machine;
  EXPECT_EQ(machine.getLaunchOverhead(CollectiveKind::Permute), 1e-4);
  EXPECT_EQ(machine.getLaunchOverhead(CollectiveKind::Exchange), 1e-4);
  EXPECT_EQ(machine.getLaunchOverhead(CollectiveKind::AllGather), 2e-5);
  EXPECT_EQ(machine.getLinkLatency(CollectiveKind::AllReduce), 0);
  EXPECT_EQ(machine.getLinkLatency(CollectiveKind::AllGather),
            machine.linkLatency);
  EXPECT_EQ(machine.getLinkBandwidth(CollectiveKind::AllToAll), 1e9);
  EXPECT_EQ(machine.getLinkBandwidth(CollectiveKind::Permute), 2e9);
  EXPECT_EQ(machine.getMostLinkBandwidth(), 2e9);
  EXPECT_EQ(machine.getLeastLaunchOverhead(), 2e-5);
  EXPECT_EQ(machine.getLeastLinkLatency(), 0);
  EXPECT_FALSE(machine.hasEqualKinds());
  EXPECT_TRUE(parse("cpu,launch=2e-5").machine->hasEqualKinds());
  for (llvm::StringRef text :
       {"cpu,all_slice-launch=1", "cpu,permute-flops=1", "cpu,permute=1",
        "cpu,permute-launch=-1", "cpu,permute-launch=", "cpu,permute-link=0"})
    EXPECT_FALSE(parse(text).machine) << text.str();
}

TEST(Machine, WrongTextsAreExplained) {
  EXPECT_EQ(parse("abacus").problem, "unknown machine 'abacus'");
  EXPECT_EQ(parse("abacus").fix.find("use one of tpu-v5e, tpu-v4"), 0u);
  EXPECT_EQ(parse("").problem, "unknown machine ''");
  EXPECT_EQ(parse("cpu,lunch=1").problem, "a machine has no figure 'lunch=1'");
  EXPECT_EQ(parse("cpu,overlap=maybe").problem,
            "a machine has no figure 'overlap=maybe'");
  EXPECT_EQ(parse("cpu,link=fast").problem, "'fast' is no link of a machine");
  for (llvm::StringRef text :
       {"cpu,link=0", "cpu,link=-1", "cpu,link=inf", "cpu,link=nan",
        "cpu,launch=-1", "cpu,launch", "cpu,flops="})
    EXPECT_FALSE(parse(text).machine) << text.str();
  EXPECT_EQ(parse("cpu,launch=x").fix, "give seconds, e.g. launch=2e-6");
}

} // namespace
