// What collectives say through CollectiveOpInterface, against counts over all
// devices; and where shardings of values are found.
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace mlir;
using namespace partita::spmd;

namespace {
struct CollectiveTest : testing::Test {
  CollectiveTest() {
    context.loadDialect<SPMDDialect, func::FuncDialect,
                        partita::stablehlo::StableHLODialect>();
  }

  /// Parses a module with a mesh and one function around `ops`.
  void parse(StringRef ops, StringRef arguments) {
    std::string text = "spmd.mesh @m = <[\"x\"=4, \"y\"=2, \"z\"=3]>\n"
                       "func.func @f(" + arguments.str() + ") {\n" +
                       ops.str() + "\n return\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    mesh = (*module->getOps<MeshOp>().begin()).getMesh();
  }
  /// The first collective in the module.
  CollectiveOpInterface first() {
    CollectiveOpInterface found;
    module->walk<WalkOrder::PreOrder>([&](CollectiveOpInterface op) {
      if (!found)
        found = op;
    });
    return found;
  }
  int64_t bytes(StringRef op, StringRef arguments) {
    parse(op, arguments);
    return module ? first().getSentBytes(mesh) : -1;
  }
  std::string axes(StringRef op, StringRef arguments) {
    parse(op, arguments);
    return AxisListAttr::get(&context, first().getCommunicationAxes()).str();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  MeshAttr mesh;
};

TEST_F(CollectiveTest, RingBytes) {
  StringRef args = "%a: tensor<8x6xf32>, %b: tensor<4xi8>"; // 192 and 4 bytes
  EXPECT_EQ(bytes("%0:2 = spmd.all_gather %a, %a [{\"x\"}, {\"z\"}] on @m : "
                  "(tensor<8x6xf32>, tensor<8x6xf32>) -> (tensor<32x18xf32>, "
                  "tensor<32x18xf32>)", args), 11 * 384);
  EXPECT_EQ(bytes("%0 = spmd.all_slice %a [{\"x\"}, {}] on @m : "
                  "(tensor<8x6xf32>) -> tensor<2x6xf32>", args), 0);
  EXPECT_EQ(bytes("%0 = spmd.all_reduce add %a {\"x\"} on @m : "
                  "(tensor<8x6xf32>) -> tensor<8x6xf32>", args), 2 * 192 * 3 / 4);
  EXPECT_EQ(bytes("%0 = spmd.reduce_scatter add %a [{\"x\"}, {\"z\"}] on @m : "
                  "(tensor<8x6xf32>) -> tensor<2x2xf32>", args), 192 * 11 / 12);
  EXPECT_EQ(bytes("%0 = spmd.all_to_all %a [{\"x\"}: 1 -> 0] on @m : "
                  "(tensor<8x6xf32>) -> tensor<2x24xf32>", args), 192 * 3 / 4);
  EXPECT_EQ(bytes("%0 = spmd.broadcast %a {\"x\"} root = 1 on @m : "
                  "tensor<8x6xf32>", args), 192);
  EXPECT_EQ(bytes("%0 = spmd.broadcast %a {} root = 0 on @m : "
                  "tensor<8x6xf32>", args), 0);
  EXPECT_EQ(bytes("%0 = spmd.to_unreduced add %a {\"x\"} on @m : "
                  "tensor<8x6xf32>", args), 0);
  EXPECT_EQ(bytes("%0:2 = spmd.permute %a, %b {\"x\"} shift = [1] on @m : "
                  "(tensor<8x6xf32>, tensor<4xi8>) -> (tensor<8x6xf32>, "
                  "tensor<4xi8>)", args), 196);
  EXPECT_EQ(bytes("%0 = spmd.permute %a {\"x\"} pairs = [1, 1] on @m : "
                  "(tensor<8x6xf32>) -> tensor<8x6xf32>", args), 0);
  EXPECT_EQ(bytes("%0 = spmd.permute %a {\"x\"} shift = [4] wrap on @m : "
                  "(tensor<8x6xf32>) -> tensor<8x6xf32>", args), 0);
  StringRef ragged = "%a: tensor<8x6xf32>, %b: tensor<9x6xf32>, %c: tensor<3xi32>";
  EXPECT_EQ(bytes("%0 = spmd.ragged_all_to_all %a, %b, %c, %c, %c, %c {\"z\"} "
                  "on @m : (tensor<8x6xf32>, tensor<9x6xf32>, tensor<3xi32>, "
                  "tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> "
                  "tensor<9x6xf32>", ragged), 192);
  EXPECT_EQ(bytes("%0 = spmd.start (%a) (%b: tensor<8x6xf32>) {\n"
                  "%r = spmd.all_reduce add %b {\"z\"} on @m : "
                  "(tensor<8x6xf32>) -> tensor<8x6xf32>\n"
                  "spmd.return %r : tensor<8x6xf32>\n"
                  "} : (tensor<8x6xf32>) -> !spmd.future<tensor<8x6xf32>>",
                  "%a: tensor<8x6xf32>"), 2 * 192 * 2 / 3);
}

TEST_F(CollectiveTest, Axes) {
  StringRef args = "%a: tensor<8x6xf32>";
  EXPECT_EQ(axes("%0 = spmd.all_to_all %a [{\"y\", \"x\":(1)2}: 1 -> 0, "
                 "{\"z\"}: 0 -> 1] on @m : (tensor<8x6xf32>) -> "
                 "tensor<6x8xf32>", args), "{\"y\", \"x\":(1)2, \"z\"}");
  EXPECT_EQ(axes("%0 = spmd.all_gather %a [{\"z\"}, {\"x\"}] on @m : "
                 "(tensor<8x6xf32>) -> tensor<24x24xf32>", args),
            "{\"z\", \"x\"}");
  EXPECT_EQ(first().getMeshName().getValue(), "m");
  // A dimension in which every shard reads its own block takes no part.
  EXPECT_EQ(axes("%0 = spmd.exchange %a [32, 18] from <@m, [{\"x\"}, "
                 "{\"z\"}]> to <@m, [{\"x\"}, {\"z\"}]> [0 + i*8 : 8, "
                 "-1 + i*6 : 6] : (tensor<8x6xf32>) -> tensor<8x6xf32>", args),
            "{\"z\"}");
}

TEST_F(CollectiveTest, PermutePairs) {
  auto pairs = [&](StringRef map) {
    parse(("%0 = spmd.permute %a {\"y\", \"z\"} " + map +
           " on @m : (tensor<f32>) -> tensor<f32>").str(), "%a: tensor<f32>");
    return cast<PermuteOp>(first().getOperation()).getPairList(mesh);
  };
  using Pairs = SmallVector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(pairs("pairs = [5, 0, 0, 2]"), (Pairs{{5, 0}, {0, 2}}));
  // Number 2y + ... over (z, y) goes to the same number over (y, z).
  EXPECT_EQ(pairs("to {\"z\", \"y\"}"),
            (Pairs{{0, 0}, {1, 3}, {2, 1}, {3, 4}, {4, 2}, {5, 5}}));
  EXPECT_EQ(pairs("shift = [0, 1]"), (Pairs{{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
  EXPECT_EQ(pairs("shift = [1, -1] wrap"),
            (Pairs{{0, 5}, {1, 3}, {2, 4}, {3, 2}, {4, 0}, {5, 1}}));
  EXPECT_EQ(pairs("shift = [9223372036854775807, 0]"), Pairs());
  EXPECT_EQ(pairs("shift = [-9223372036854775808, 0]"), Pairs());
}

/// Bytes that leave the busiest device, by sets of indices: a reader takes each
/// index from the owner that has its own coordinates on the axes that `from`
/// does not use.
int64_t countExchange(ExchangeOp op, MeshAttr mesh) {
  SmallVector<int64_t> sizes;
  for (MeshAxisAttr axis : mesh.getAxes())
    sizes.push_back(axis.getSize());
  int64_t devices = mesh.getNumDevices();
  auto coordinates = [&](int64_t device) {
    SmallVector<int64_t> result(sizes.size());
    for (int i = sizes.size() - 1; i >= 0; --i) {
      result[i] = device % sizes[i];
      device /= sizes[i];
    }
    return result;
  };
  auto blockIndex = [&](ArrayRef<AxisRefAttr> axes, int64_t device) {
    int64_t index = 0;
    for (AxisRefAttr axis : axes) {
      int64_t position = mesh.getAxisIndex(axis.getName());
      index = index * axis.getSize(mesh) +
              getSubCoordinate(axis, coordinates(device)[position],
                               sizes[position]);
    }
    return index;
  };
  // Coordinates without the parts of axes that `from` uses.
  auto elsewhere = [&](int64_t device) {
    SmallVector<int64_t> rest = coordinates(device);
    for (DimShardingAttr dim : op.getFrom().getDims())
      for (AxisRefAttr axis : dim.getAxes()) {
        int64_t position = mesh.getAxisIndex(axis.getName());
        int64_t minor = axis.isSubAxis() ? sizes[position] / axis.getPreSize() /
                                               axis.getSubSize()
                                         : 1;
        rest[position] -= minor * getSubCoordinate(
                                      axis, coordinates(device)[position],
                                      sizes[position]);
      }
    return rest;
  };
  int64_t worst = 0;
  for (int64_t sender = 0; sender < devices; ++sender) {
    int64_t sent = 0;
    for (int64_t reader = 0; reader < devices; ++reader) {
      if (reader == sender || elsewhere(sender) != elsewhere(reader))
        continue;
      int64_t volume = 1;
      for (auto [d, n] : llvm::enumerate(op.getFromShape())) {
        auto interval = cast<IntervalAttr>(op.getIntervals()[d]);
        int64_t k = op.getFrom().getShardCount(d, mesh), c = (n + k - 1) / k;
        int64_t block = blockIndex(op.getFrom().getDims()[d].getAxes(), sender);
        int64_t begin = interval.getBase() +
                        interval.getStep() *
                            blockIndex(op.getTo().getDims()[d].getAxes(), reader);
        int64_t count = 0;
        for (int64_t i = begin; i < begin + interval.getLength(); ++i) {
          int64_t index =
              interval.getOutside() == Outside::Wrap ? (i % n + n) % n : i;
          count += index >= 0 && index < n && index / c == block;
        }
        volume *= count;
      }
      sent += volume;
    }
    worst = std::max(worst, sent);
  }
  return worst * 4;
}

TEST_F(CollectiveTest, ExchangeBytes) {
  struct Case {
    StringRef shape, local, from, to, intervals, result;
  } cases[] = {
      {"[11]", "3", "[{\"x\"}]", "[{\"x\"}]", "[-1 + i*3 : 5]", "5"},
      {"[11]", "3", "[{\"x\"}]", "[{\"z\"}]", "[0 + i*4 : 4]", "4"},
      {"[12]", "3", "[{\"x\"}]", "[{\"x\"}]", "[9 + i*-3 : 3]", "3"},
      {"[24]", "1", "[{\"x\", \"y\", \"z\"}]", "[{\"z\", \"x\"}]", "[0 + i*2 : 2]", "2"},
      {"[24]", "2", "[{\"x\", \"z\"}]", "[{\"y\"}]", "[0 + i*12 : 12]", "12"},
      {"[24]", "8", "[{\"z\"}]", "[{\"z\", \"y\"}]", "[1 + i*4 : 4]", "4"},
      {"[24]", "8", "[{\"z\"}]", "[{}]", "[0 + i*0 : 24]", "24"},
      {"[24]", "24", "[{}]", "[{\"z\"}]", "[0 + i*8 : 8]", "8"},
      {"[5]", "2", "[{\"x\"}]", "[{\"x\"}]", "[2 + i*2 : 2]", "2"},
      {"[3]", "1", "[{\"x\"}]", "[{\"y\"}]", "[0 + i*2 : 2]", "2"},
      {"[11, 12]", "3x6", "[{\"x\"}, {\"y\"}]", "[{\"z\"}, {\"x\"}]",
       "[0 + i*4 : 4, 0 + i*3 : 3]", "4x3"},
      {"[11, 12]", "3x6", "[{\"x\"}, {\"y\"}]", "[{\"y\"}, {\"x\"}]",
       "[0 + i*6 : 6, 9 + i*-3 : 4]", "6x4"},
      {"[8, 9]", "4x3", "[{\"x\":(1)2}, {\"z\"}]", "[{\"z\"}, {\"x\":(1)2}]",
       "[0 + i*3 : 3, 0 + i*5 : 5]", "3x5"},
      {"[12]", "3", "[{\"x\"}]", "[{\"x\"}]", "[-1 + i*3 : 5 wrap]", "5"},
      {"[12]", "3", "[{\"x\"}]", "[{\"x\"}]", "[-7 + i*3 : 3 wrap]", "3"},
      {"[12]", "3", "[{\"x\"}]", "[{\"x\"}]", "[-4 + i*3 : 20 wrap]", "20"},
      {"[12, 6]", "3x3", "[{\"x\"}, {\"y\"}]", "[{\"x\"}, {\"y\"}]",
       "[0 + i*3 : 3, 2 + i*3 : 3 wrap]", "3x3"},
      {"[11]", "3", "[{\"x\"}]", "[{\"x\"}]", "[-2 + i*3 : 3 edge]", "3"},
  };
  for (const Case &c : cases) {
    std::string op = ("%0 = spmd.exchange %a " + c.shape + " from <@m, " +
                      c.from + "> to <@m, " + c.to + "> " + c.intervals +
                      " : (tensor<" + c.local + "xf32>) -> tensor<" + c.result +
                      "xf32>").str();
    int64_t modelled = bytes(op, ("%a: tensor<" + c.local + "xf32>").str());
    ASSERT_GE(modelled, 0);
    EXPECT_EQ(modelled,
              countExchange(cast<ExchangeOp>(first().getOperation()), mesh))
        << op;
  }
}

TEST_F(CollectiveTest, ShardingsOfValues) {
  parse("%0 = spmd.constraint %a <@m, [{\"y\"}, {?}]> : tensor<8x6xf32>\n"
        "%1 = spmd.manual (%0) in_shardings=[<@m, [{\"x\", \"y\"}, {}], "
        "replicated={\"z\"}>] out_shardings=[<@m, [{}, {\"y\"}]>] "
        "manual_axes={\"x\", \"z\"} (%b: tensor<2x6xf32>) {\n"
        "spmd.return %b : tensor<2x6xf32>\n} : (tensor<8x6xf32>) -> "
        "tensor<2x6xf32>",
        "%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@m, [{\"x\"}, {}]>}");
  auto function = *module->getOps<func::FuncOp>().begin();
  auto text = [](Attribute attr) {
    std::string result;
    llvm::raw_string_ostream(result) << attr;
    return result;
  };
  Value argument = function.getArgument(0);
  EXPECT_EQ(text(getSharding(argument)), "#spmd.sharding<@m, [{\"x\"}, {}]>");
  auto constraint = *function.getOps<ConstraintOp>().begin();
  EXPECT_EQ(text(getSharding(constraint.getResult())),
            "#spmd.sharding<@m, [{\"y\"}, {?}]>");
  auto manual = *function.getOps<ManualOp>().begin();
  EXPECT_EQ(text(getSharding(manual.getResult(0))),
            "#spmd.sharding<@m, [{}, {\"y\"}]>");
  BlockArgument inner = manual.getBody().getArgument(0);
  EXPECT_EQ(text(getSharding(inner)), "#spmd.sharding<@m, [{\"y\"}, {}]>");

  ShardingAttr other = ShardingAttr::getReplicated(&context, "m", 2, true);
  EXPECT_FALSE(setSharding(inner, other));
  EXPECT_TRUE(setSharding(argument, other));
  EXPECT_EQ(getSharding(argument), other);
  EXPECT_TRUE(setSharding(manual.getResult(0), other));
  EXPECT_EQ(getSharding(manual.getResult(0)), other);
  // What propagation found stands beside what the user wrote.
  EXPECT_TRUE(setSharding(constraint.getResult(), other));
  EXPECT_EQ(getSharding(constraint.getResult()), other);
  EXPECT_EQ(text(constraint.getSharding()), "#spmd.sharding<@m, [{\"y\"}, {?}]>");
  EXPECT_TRUE(succeeded(verify(*module)));
}

/// Arguments of both regions of a loop have the shardings of its results.
TEST_F(CollectiveTest, ShardingsOfLoopCarries) {
  parse("%0:2 = \"stablehlo.while\"(%a, %b) ({\n"
        "^bb0(%c: tensor<8xf32>, %d: tensor<i1>):\n"
        "  \"stablehlo.return\"(%d) : (tensor<i1>) -> ()\n}, {\n"
        "^bb0(%e: tensor<8xf32>, %f: tensor<i1>):\n"
        "  \"stablehlo.return\"(%e, %f) : (tensor<8xf32>, tensor<i1>) -> ()\n"
        "}) {spmd.shardings = [#spmd.sharding<@m, [{\"x\"}]>, "
        "#spmd.sharding<@m, []>]} : (tensor<8xf32>, tensor<i1>) -> "
        "(tensor<8xf32>, tensor<i1>)",
        "%a: tensor<8xf32>, %b: tensor<i1>");
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation &loop = function.front().front();
  for (Region &region : loop.getRegions())
    for (auto [argument, result] :
         llvm::zip(region.getArguments(), loop.getResults())) {
      EXPECT_TRUE(getSharding(argument));
      EXPECT_EQ(getSharding(argument), getSharding(result));
      EXPECT_FALSE(setSharding(argument, getSharding(result)));
    }
}
} // namespace
