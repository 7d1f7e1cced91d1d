// Trip counts of stablehlo.while against loops counted by hand.
#include "partita/Building/TripCount.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {

/// A loop on a counter: `start`, `compare` (of %i and %n), `step` (makes %j of
/// %i and %s), the step's and the bound's constants.
struct Loop {
  std::string start = "0", compare = "LT", step = "stablehlo.add %i, %s",
              size = "1", bound = "10", type = "i32";

  std::string text() const {
    std::string t = "tensor<" + type + ">";
    std::string sign = type[0] == 'u' ? "UNSIGNED" : "SIGNED";
    return "func.func @main(%x: " + t +
           ") {\n"
           "  %start = stablehlo.constant dense<" +
           start + "> : " + t +
           "\n"
           "  %0 = stablehlo.while(%i = %start) : " +
           t +
           "\n"
           "  cond {\n"
           "    %n = stablehlo.constant dense<" +
           bound + "> : " + t +
           "\n"
           "    %p = stablehlo.compare " +
           compare + ", %i, %n, " + sign + " : (" + t + ", " + t +
           ") -> tensor<i1>\n"
           "    stablehlo.return %p : tensor<i1>\n"
           "  } do {\n"
           "    %s = stablehlo.constant dense<" +
           size + "> : " + t +
           "\n"
           "    %j = " +
           step + " : " + t +
           "\n"
           "    stablehlo.return %j : " +
           t +
           "\n"
           "  }\n"
           "  return\n"
           "}\n";
  }
};

class TripCountTest : public testing::Test {
protected:
  TripCountTest() {
    context.loadDialect<func::FuncDialect, stablehlo::StableHLODialect>();
  }
  std::optional<int64_t> count(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    std::optional<int64_t> result;
    if (module)
      module->walk(
          [&](stablehlo::WhileOp loop) { result = getStaticTripCount(loop); });
    return result;
  }
  std::optional<int64_t> count(const Loop &loop) { return count(loop.text()); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// What the loop does, run.
int64_t simulate(int64_t start, const std::string &compare, int64_t step,
                 int64_t bound) {
  auto holds = [&](int64_t i) {
    if (compare == "LT")
      return i < bound;
    if (compare == "LE")
      return i <= bound;
    if (compare == "GT")
      return i > bound;
    return i >= bound;
  };
  int64_t trips = 0;
  for (int64_t i = start; holds(i); i += step)
    ++trips;
  return trips;
}

TEST_F(TripCountTest, AgreesWithRunning) {
  for (const char *compare : {"LT", "LE", "GT", "GE"})
    for (int64_t start : {-3, 0, 4})
      for (int64_t bound : {-4, 0, 3, 7})
        for (int64_t size : {1, 2, 3}) {
          bool up = compare[0] == 'L';
          Loop loop{std::to_string(start), compare,
                    up ? "stablehlo.add %i, %s" : "stablehlo.subtract %i, %s",
                    std::to_string(size), std::to_string(bound)};
          EXPECT_EQ(count(loop),
                    simulate(start, compare, up ? size : -size, bound))
              << loop.text();
        }
}

TEST_F(TripCountTest, OperandsOfTheStepCommute) {
  Loop loop;
  loop.step = "stablehlo.add %s, %i";
  EXPECT_EQ(count(loop), 10);
}

TEST_F(TripCountTest, NegativeStepsCountDown) {
  EXPECT_EQ(count(Loop{"9", "GE", "stablehlo.add %i, %s", "-3", "0"}), 4);
}

TEST_F(TripCountTest, OtherIntegerTypes) {
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %s", "1", "10", "ui32"}),
            10);
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %s", "1", "100", "i8"}),
            100);
  // Unsigned constants above the signed maximum are no negative numbers.
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %s", "1", "200", "ui8"}),
            200);
}

TEST_F(TripCountTest, CountersThatWrapRoundHaveNone) {
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %s", "100", "127", "i8"}),
            std::nullopt);
  EXPECT_EQ(
      count(Loop{"9", "GE", "stablehlo.subtract %i, %s", "1", "0", "ui8"}),
      std::nullopt);
}

TEST_F(TripCountTest, StepsAwayFromTheBoundHaveNone) {
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.subtract %i, %s"}), std::nullopt);
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %s", "0"}), std::nullopt);
}

TEST_F(TripCountTest, OtherFormsHaveNone) {
  // Another step than a constant one, another comparison, another start.
  EXPECT_EQ(count(Loop{"1", "LT", "stablehlo.multiply %i, %s", "2"}),
            std::nullopt);
  EXPECT_EQ(count(Loop{"0", "NE"}), std::nullopt);
  EXPECT_EQ(count(Loop{"0", "LT", "stablehlo.add %i, %x"}), std::nullopt);
}

TEST_F(TripCountTest, BoundMayBeACarriedConstant) {
  // As lax.fori_loop prints it: the bound goes round unchanged.
  const char *text = R"(
    func.func @main(%x: tensor<i32>) {
      %a = stablehlo.constant dense<2> : tensor<i32>
      %b = stablehlo.constant dense<9> : tensor<i32>
      %0:2 = stablehlo.while(%i = %a, %n = %b) : tensor<i32>, tensor<i32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %s = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %s : tensor<i32>
        stablehlo.return %j, %n : tensor<i32>, tensor<i32>
      }
      return
    })";
  EXPECT_EQ(count(text), 7);
  std::string changed = text;
  changed.replace(changed.find("return %j, %n"), 13, "return %j, %j");
  EXPECT_EQ(count(changed), std::nullopt);
  std::string unknown = text;
  unknown.replace(unknown.find("%n = %b"), 7, "%n = %x");
  EXPECT_EQ(count(unknown), std::nullopt);
}

} // namespace
