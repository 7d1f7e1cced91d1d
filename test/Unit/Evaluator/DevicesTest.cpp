// Several devices: collectives, manual regions, predicates, layouts.
#include "EvaluatorTest.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace partita;

namespace {
class DevicesTest : public EvaluatorTest {
protected:
  /// Evaluates @main(%x) where device d holds the d-th text.
  std::vector<std::string> runOn(llvm::StringRef body,
                                 llvm::ArrayRef<StringRef> values) {
    DeviceValues inputs(1);
    for (StringRef value : values)
      inputs[0].push_back(tensor(value));
    auto result = run(mesh + body.str(), inputs, values.size());
    std::vector<std::string> printed;
    EXPECT_TRUE(succeeded(result)) << diagnostics;
    if (succeeded(result))
      for (const Tensor &value : (*result)[0])
        printed.push_back(print(value));
    return printed;
  }

  spmd::ShardingAttr sharding(StringRef text) {
    return cast<spmd::ShardingAttr>(parseAttribute(text, &context));
  }

  std::string mesh = "spmd.mesh @m = <[\"x\"=2, \"y\"=2]>\n";
};
using Strings = std::vector<std::string>;
} // namespace

TEST_F(DevicesTest, AllReduceOverOneAxis) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<1xi32>) -> tensor<1xi32> {
      %r = spmd.all_reduce add %x {"x"} on @m : (tensor<1xi32>) -> tensor<1xi32>
      return %r : tensor<1xi32>
    })mlir";
  EXPECT_EQ(
      runOn(body, {"dense<1> : tensor<1xi32>", "dense<2> : tensor<1xi32>",
                   "dense<4> : tensor<1xi32>", "dense<8> : tensor<1xi32>"}),
      (Strings{"tensor<1xi32> [5]", "tensor<1xi32> [10]", "tensor<1xi32> [5]",
               "tensor<1xi32> [10]"}));
}

TEST_F(DevicesTest, GatherSliceScatter) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<1xi32>) -> tensor<1xi32> {
      %g = spmd.all_gather %x [{"y", "x"}] on @m : (tensor<1xi32>) -> tensor<4xi32>
      %s = spmd.all_slice %g [{"x", "y"}] on @m : (tensor<4xi32>) -> tensor<1xi32>
      %r = spmd.reduce_scatter add %g [{"x", "y"}] on @m : (tensor<4xi32>) -> tensor<1xi32>
      %t = stablehlo.multiply %s, %r : tensor<1xi32>
      return %t : tensor<1xi32>
    })mlir";
  // Gathered in the order y, x: 1 3 2 4; each times 4 after the scatter.
  EXPECT_EQ(
      runOn(body, {"dense<1> : tensor<1xi32>", "dense<2> : tensor<1xi32>",
                   "dense<3> : tensor<1xi32>", "dense<4> : tensor<1xi32>"}),
      (Strings{"tensor<1xi32> [4]", "tensor<1xi32> [36]", "tensor<1xi32> [16]",
               "tensor<1xi32> [64]"}));
}

TEST_F(DevicesTest, PermuteAndAxisIndex) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %i = spmd.axis_index {"x", "y"} on @m : tensor<i32>
      %y = stablehlo.add %x, %i : tensor<i32>
      %p = spmd.permute %y {"x", "y"} pairs = [0, 1, 1, 2] on @m
        : (tensor<i32>) -> tensor<i32>
      return %p : tensor<i32>
    })mlir";
  StringRef ten = "dense<10> : tensor<i32>";
  EXPECT_EQ(runOn(body, {ten, ten, ten, ten}),
            (Strings{"tensor<i32> 0", "tensor<i32> 10", "tensor<i32> 11",
                     "tensor<i32> 0"}));
}

TEST_F(DevicesTest, AllToAllTransposesBlocks) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<1x2xi32>) -> tensor<2x1xi32> {
      %r = spmd.all_to_all %x [{"y"}: 0 -> 1] on @m : (tensor<1x2xi32>) -> tensor<2x1xi32>
      return %r : tensor<2x1xi32>
    })mlir";
  EXPECT_EQ(
      runOn(body, {"dense<[[1, 2]]> : tensor<1x2xi32>",
                   "dense<[[3, 4]]> : tensor<1x2xi32>",
                   "dense<[[5, 6]]> : tensor<1x2xi32>",
                   "dense<[[7, 8]]> : tensor<1x2xi32>"}),
      (Strings{"tensor<2x1xi32> [[1] [3]]", "tensor<2x1xi32> [[2] [4]]",
               "tensor<2x1xi32> [[5] [7]]", "tensor<2x1xi32> [[6] [8]]"}));
}

TEST_F(DevicesTest, ExchangeShifts) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
      %r = spmd.exchange %x [8] from <@m, [{"x", "y"}]>
        to <@m, [{"x", "y"}]> [-1 + i*2 : 2]
        : (tensor<2xi32>) -> tensor<2xi32>
      return %r : tensor<2xi32>
    })mlir";
  std::string text = body.str();
  auto result = runOn(
      body, {"dense<[1, 2]> : tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>",
             "dense<[5, 6]> : tensor<2xi32>", "dense<[7, 8]> : tensor<2xi32>"});
  EXPECT_EQ(result, (Strings{"tensor<2xi32> [0 1]", "tensor<2xi32> [2 3]",
                             "tensor<2xi32> [4 5]", "tensor<2xi32> [6 7]"}));
}

// Each pair along y agrees, so that the collective over y is complete.
TEST_F(DevicesTest, IndependentBranches) {
  StringRef body = R"mlir(
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %i = spmd.axis_index {"x"} on @m : tensor<i32>
      %p = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({
        %s = spmd.all_reduce add %x {"y"} on @m : (tensor<i32>) -> tensor<i32>
        stablehlo.return %s : tensor<i32>
      }, {
        stablehlo.return %x : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      return %r : tensor<i32>
    })mlir";
  StringRef ten = "dense<10> : tensor<i32>";
  EXPECT_EQ(runOn(body, {ten, ten, ten, ten}),
            (Strings{"tensor<i32> 20", "tensor<i32> 20", "tensor<i32> 10",
                     "tensor<i32> 10"}));
}

TEST_F(DevicesTest, PartlyActiveGroupsAreRefused) {
  expectError(
      R"mlir(
    spmd.mesh @m = <["x"=2]>
    func.func @main() -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %i = spmd.axis_index {"x"} on @m : tensor<i32>
      %p = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({
        %s = spmd.all_reduce add %i {"x"} on @m : (tensor<i32>) -> tensor<i32>
        stablehlo.return %s : tensor<i32>
      }, {
        stablehlo.return %i : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      return %r : tensor<i32>
    })mlir",
      "a predicate that differs between devices: of one group of "
      "'spmd.all_reduce', device 0 (x=0) arrive and device 1 (x=1) do not",
      2);
}

// psum_1d of the tutorials.
TEST_F(DevicesTest, ManualRegionOnOneDevice) {
  auto result = run(R"mlir(
    spmd.mesh @m = <["i"=4]>
    func.func @main() -> tensor<4xi32> {
      %x = stablehlo.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, 2]>
        : tensor<16xi32>
      %r = spmd.manual (%x) in_shardings=[<@m, [{"i"}]>] out_shardings=[<@m, [{}]>]
          manual_axes={"i"} (%b: tensor<4xi32>) {
        %s = spmd.all_reduce add %b {"i"} on @m : (tensor<4xi32>) -> tensor<4xi32>
        spmd.return %s : tensor<4xi32>
      } : (tensor<16xi32>) -> tensor<4xi32>
      return %r : tensor<4xi32>
    })mlir");
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), "tensor<4xi32> [22 20 12 17]");
}

// The inner region's collectives may name the axes of the outer one too.
TEST_F(DevicesTest, NestedManualRegions) {
  auto result = run(R"mlir(
    spmd.mesh @m = <["x"=2, "y"=2]>
    func.func @main() -> tensor<4xi32> {
      %v = stablehlo.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
      %r = spmd.manual (%v) in_shardings=[<@m, [{"x", "y"}]>]
          out_shardings=[<@m, [{"x", "y"}]>] manual_axes={"x"} (%b: tensor<2xi32>) {
        %q = spmd.manual (%b) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{"y"}]>]
            manual_axes={"y"} (%c: tensor<1xi32>) {
          %s = spmd.all_reduce add %c {"x"} on @m : (tensor<1xi32>) -> tensor<1xi32>
          %i = spmd.axis_index {"y"} on @m : tensor<i32>
          %j = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
          %t = stablehlo.add %s, %j : tensor<1xi32>
          spmd.return %t : tensor<1xi32>
        } : (tensor<2xi32>) -> tensor<2xi32>
        spmd.return %q : tensor<2xi32>
      } : (tensor<4xi32>) -> tensor<4xi32>
      return %r : tensor<4xi32>
    })mlir");
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), "tensor<4xi32> [5 11 5 11]");
}

TEST_F(DevicesTest, RaggedAllToAll) {
  auto result = run(R"mlir(
    spmd.mesh @m = <["x"=2]>
    func.func @main() -> tensor<4xi32> {
      %i = spmd.axis_index {"x"} on @m : tensor<i32>
      %ten = stablehlo.constant dense<10> : tensor<i32>
      %base = stablehlo.multiply %i, %ten : tensor<i32>
      %b = stablehlo.broadcast_in_dim %base, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %n = stablehlo.iota dim = 0 : tensor<3xi32>
      %x = stablehlo.add %b, %n : tensor<3xi32>
      %out = stablehlo.constant dense<-1> : tensor<4xi32>
      // Each device sends its first row to device 0 and the other two to device 1.
      %from = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
      %count = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
      %two = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
      %ii = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %to = stablehlo.multiply %ii, %two : tensor<2xi32>
      %r = spmd.ragged_all_to_all %x, %out, %from, %count, %to, %count {"x"} on @m
        : (tensor<3xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
           tensor<2xi32>) -> tensor<4xi32>
      return %r : tensor<4xi32>
    })mlir",
                    {}, 2);
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), "tensor<4xi32> [0 10 -1 -1]");
  EXPECT_EQ(print((*result)[0][1]), "tensor<4xi32> [1 2 11 12]");
}

TEST_F(DevicesTest, AsynchronousForm) {
  auto result = run(R"mlir(
    spmd.mesh @m = <["x"=2]>
    func.func @main() -> tensor<i32> {
      %i = spmd.axis_index {"x"} on @m : tensor<i32>
      %f = "spmd.start"(%i) ({
        ^bb0(%a: tensor<i32>):
          %s = spmd.all_reduce max %a {"x"} on @m : (tensor<i32>) -> tensor<i32>
          "spmd.return"(%s) : (tensor<i32>) -> ()
      }) : (tensor<i32>) -> !spmd.future<tensor<i32>>
      %d = spmd.done %f : !spmd.future<tensor<i32>> -> tensor<i32>
      %t = spmd.to_unreduced add %d {"x"} on @m : tensor<i32>
      %u = spmd.broadcast %t {"x"} root = 1 on @m : tensor<i32>
      %v = stablehlo.subtract %d, %u : tensor<i32>
      return %v : tensor<i32>
    })mlir",
                    {}, 2);
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), "tensor<i32> 1");
}

TEST_F(DevicesTest, UnevenLayoutsRoundTrip) {
  auto module = parse(
      "spmd.mesh @m = <[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>");
  spmd::MeshAttr mesh = spmd::lookupMesh(&module->getBody()->front(),
                                         FlatSymbolRefAttr::get(&context, "m"));
  ASSERT_TRUE(mesh);
  for (StringRef text :
       {"#spmd.sharding<@m, [{\"x\"}, {\"y\"}]>",
        "#spmd.sharding<@m, [{}, {\"y\", \"x\"}]>",
        "#spmd.sharding<@m, [{\"y\"}, {}], unreduced={\"x\"}>"}) {
    Tensor global = makeRandomTensor(
        RankedTensorType::get({5, 4}, Float32Type::get(&context)),
        InputKind::Normal, 3, nullptr);
    auto blocks = splitTensor(global, sharding(text), mesh, 6, nullptr);
    std::optional<ReplicaMismatch> mismatch;
    Tensor back = assembleTensor(blocks, global.getTensorType(), sharding(text),
                                 mesh, nullptr, &mismatch);
    EXPECT_FALSE(mismatch.has_value());
    EXPECT_TRUE(compareTensors(global, back, nullptr).equal);
    EXPECT_EQ(compareTensors(global, back, nullptr).nanShare, 0);
  }
}

TEST_F(DevicesTest, DifferentReplicasAreFound) {
  auto module = parse("spmd.mesh @m = <[\"x\"=2, \"y\"=2]>");
  spmd::MeshAttr mesh = spmd::lookupMesh(&module->getBody()->front(),
                                         FlatSymbolRefAttr::get(&context, "m"));
  SmallVector<Tensor> blocks = {tensor("dense<[1, 2]> : tensor<2xi32>"),
                                tensor("dense<[1, 2]> : tensor<2xi32>"),
                                tensor("dense<[3, 4]> : tensor<2xi32>"),
                                tensor("dense<[3, 5]> : tensor<2xi32>")};
  std::optional<ReplicaMismatch> mismatch;
  assembleTensor(
      blocks, RankedTensorType::get({4}, IntegerType::get(&context, 32)),
      sharding("#spmd.sharding<@m, [{\"x\"}]>"), mesh, nullptr, &mismatch);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->device, 2);
  EXPECT_EQ(mismatch->otherDevice, 3);
  EXPECT_EQ(mismatch->index[0], 3);
}
