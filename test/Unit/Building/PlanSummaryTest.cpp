// Counts, bytes and peak memory of small partitioned programs, by hand.
#include "partita/Pipelines/PlanSummary.h"

#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {

class PlanSummaryTest : public testing::Test {
protected:
  PlanSummaryTest() {
    context.loadDialect<func::FuncDialect, spmd::SPMDDialect,
                        stablehlo::StableHLODialect>();
  }
  PlanSummary summarize(StringRef body) {
    parse(body);
    return module ? summarizePlan(*module) : PlanSummary();
  }
  void parse(StringRef body) {
    std::string text = ("spmd.mesh @m = <[\"x\"=4]>\n" + body).str();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(PlanSummaryTest, NothingIsSent) {
  PlanSummary plan = summarize(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  EXPECT_TRUE(plan.collectives.empty());
  EXPECT_EQ(plan.sentBytes, 0);
  EXPECT_EQ(plan.peakBytes, 32); // the argument and the result
}

TEST_F(PlanSummaryTest, RingBytes) {
  PlanSummary plan = summarize(R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<32xf32> {
      %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
      %1 = spmd.all_reduce add %0 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
      %2 = spmd.all_gather %1 [{"x"}] on @m : (tensor<8xf32>) -> tensor<32xf32>
      return %2 : tensor<32xf32>
    })");
  EXPECT_EQ(plan.collectives["all_reduce"].count, 2);
  EXPECT_EQ(plan.collectives["all_reduce"].sentBytes, 2 * 2 * 32 * 3 / 4);
  EXPECT_EQ(plan.collectives["all_gather"].count, 1);
  EXPECT_EQ(plan.collectives["all_gather"].sentBytes, 3 * 32);
  EXPECT_EQ(plan.sentBytes, 96 + 96);
}

TEST_F(PlanSummaryTest, SlicesSendNothingAndAreNotListed) {
  PlanSummary plan = summarize(R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<2xf32> {
      %0 = spmd.all_slice %a [{"x"}] on @m : (tensor<8xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  EXPECT_TRUE(plan.collectives.empty());
}

/// A loop around one all_reduce of 32 bytes, with the bound `bound`.
std::string makeLoop(const std::string &bound) {
  return R"(
    func.func @main(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %z, %v = %a) : tensor<i32>, tensor<8xf32>
      cond {
        %b = stablehlo.constant dense<5> : tensor<i32>
        %p = stablehlo.compare LT, %i, )" +
         bound + R"(, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %s = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %s : tensor<i32>
        %w = func.call @f(%v) : (tensor<8xf32>) -> tensor<8xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>
      }
      return %0#1 : tensor<8xf32>
    }
    func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })";
}

TEST_F(PlanSummaryTest, LoopsAndCallsCountByTheirTrips) {
  PlanSummary plan = summarize(makeLoop("%b"));
  EXPECT_EQ(plan.collectives["all_reduce"].count, 5);
  EXPECT_EQ(plan.sentBytes, 5 * 48);
  EXPECT_EQ(plan.unknownLoops, 0);
}

TEST_F(PlanSummaryTest, LoopsOfUnknownLengthCountOnce) {
  PlanSummary plan = summarize(makeLoop("%n"));
  EXPECT_EQ(plan.collectives["all_reduce"].count, 1);
  EXPECT_EQ(plan.unknownLoops, 1);
}

TEST_F(PlanSummaryTest, PeakIsTheWorstMoment) {
  // 64 bytes live through the middle, where 256 more are made and dropped.
  PlanSummary plan = summarize(R"(
    func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
      %0 = stablehlo.negate %a : tensor<16xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<16xf32>) -> tensor<16x4xf32>
      %2 = stablehlo.slice %1 [0:16, 0:1] : (tensor<16x4xf32>) -> tensor<16x1xf32>
      %3 = stablehlo.reshape %2 : (tensor<16x1xf32>) -> tensor<16xf32>
      %4 = stablehlo.add %3, %0 : tensor<16xf32>
      return %4 : tensor<16xf32>
    })");
  EXPECT_EQ(plan.peakBytes, 64 + 64 + 256 + 64);
}

TEST_F(PlanSummaryTest, Devices) {
  parse("");
  EXPECT_EQ(getDeviceCount(*module), 4);
  module->getOperation()->setAttr(
      "mhlo.num_partitions",
      IntegerAttr::get(IntegerType::get(&context, 32), 8));
  EXPECT_EQ(getDeviceCount(*module), 8);
}

TEST_F(PlanSummaryTest, NoMain) {
  PlanSummary plan = summarize("func.func private @main()");
  EXPECT_EQ(plan.sentBytes, 0);
}

} // namespace
