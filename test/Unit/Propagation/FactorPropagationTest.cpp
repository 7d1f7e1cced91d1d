// One op's step of propagation: rules written as text, shardings as letters.
#include "partita/Transforms/Propagation/FactorPropagation.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace partita::propagation;
using partita::spmd::PropagationClass;

namespace {

// Mesh: a=2, b=3, c=4, d=8. "c1" and "c2" are the major and minor half of c.
AxisRef axis(char name) {
  switch (name) {
  case 'a':
    return {0, 1, 2};
  case 'b':
    return {1, 1, 3};
  case 'c':
    return {2, 1, 4};
  default:
    return {3, 1, 8};
  }
}

AxisList axes(llvm::StringRef text) {
  AxisList list;
  for (size_t i = 0; i < text.size(); ++i) {
    AxisRef ref = axis(text[i]);
    if (i + 1 < text.size() && (text[i + 1] == '1' || text[i + 1] == '2')) {
      ref.pre = text[i + 1] == '1' ? 1 : 2;
      ref.size = 2;
      ++i;
    }
    list.push_back(ref);
  }
  return list;
}

struct Dim {
  const char *axes;
  bool isClosed = false;
};

/// A rule with the given factor sizes and tensors, and the state of an op.
struct Op {
  PropagationRule rule;
  Projection projection;
  std::vector<std::vector<AxisList>> storage;

  Op(std::vector<int64_t> sizes, unsigned numOperands,
     std::vector<std::vector<std::vector<int>>> tensors,
     std::vector<std::vector<Dim>> state,
     PropagationClass propagation = PropagationClass::Ordinary) {
    for (int64_t size : sizes)
      rule.factors.push_back({size, PropagationDirection::Both, true});
    rule.numOperands = numOperands;
    rule.propagation = propagation;
    for (const auto &tensor : tensors) {
      auto &dims = rule.tensors.emplace_back();
      for (const auto &dim : tensor) {
        dims.emplace_back().assign(dim.begin(), dim.end());
        rule.isSimple &= dim.size() == 1;
      }
    }
    projection.numOperands = numOperands;
    projection.tensors.resize(tensors.size());
    for (unsigned i = 0; i < tensors.size(); ++i) {
      auto &lists = storage.emplace_back();
      llvm::SmallVector<DimAxes> dims;
      for (const Dim &dim : state[i])
        lists.push_back(axes(dim.axes));
      for (auto [list, dim] : llvm::zip(lists, state[i]))
        dims.push_back({list, dim.isClosed});
      projection.tensors[i].project(rule, i, dims);
    }
  }

  void run(PropagationDirection direction = PropagationDirection::Both) {
    llvm::SmallVector<PropagationDirection> directions(rule.factors.size(),
                                                       direction);
    expansions = propagateFactors(projection, rule, directions);
  }
  AxisList get(unsigned tensor, unsigned dim) {
    bool isClosed;
    return projection.tensors[tensor].getDimAxes(rule, tensor, dim, isClosed);
  }
  llvm::SmallVector<Expansion> expansions;
};

/// lhs[i, k] * rhs[k, j] -> result[i, j] with i=8, k=16, j=32.
Op dot(std::vector<std::vector<Dim>> state) {
  return Op({8, 16, 32}, 2, {{{0}, {1}}, {{1}, {2}}, {{0}, {2}}}, state);
}

TEST(Agreement, PassesBothWays) {
  Op op = dot({{{"a"}, {""}}, {{"b"}, {""}}, {{""}, {"c"}}});
  op.run();
  EXPECT_EQ(op.get(0, 1), axes("b"));
  EXPECT_EQ(op.get(1, 1), axes("c"));
  EXPECT_EQ(op.get(2, 0), axes("a"));
  ASSERT_EQ(op.expansions.size(), 3u);
  EXPECT_EQ(op.expansions[0].source, 0);
}

TEST(Agreement, ClosedDimensionStops) {
  Op op = dot({{{"a"}, {""}}, {{""}, {""}}, {{"", true}, {""}}});
  op.run();
  EXPECT_EQ(op.get(2, 0), axes(""));
}

TEST(Agreement, LongestCommonPrefix) {
  Op op({8}, 2, {{{0}}, {{0}}, {{0}}}, {{{"ab"}}, {{"ac"}}, {{""}}});
  op.run();
  EXPECT_EQ(op.get(2, 0), axes("a"));
}

TEST(Agreement, SubAxisGrows) {
  Op op({8}, 1, {{{0}}, {{0}}}, {{{"c1"}}, {{"c"}}});
  op.run();
  EXPECT_EQ(op.get(0, 0), axes("c"));
}

TEST(Agreement, ReplicatedAxisIsKeptOut) {
  Op op({8}, 1, {{{0}}, {{0}}}, {{{"ab"}}, {{""}}});
  AxisList replicated = axes("b");
  op.projection.tensors[1].replicated = replicated;
  op.run();
  EXPECT_EQ(op.get(1, 0), axes("a"));
}

TEST(Agreement, UnreducedHalfAxisCutsTheAxis) {
  Op op({8}, 1, {{{0}}, {{0}}}, {{{"c"}}, {{""}}});
  AxisList unreduced = axes("c2");
  op.projection.tensors[1].unreduced = unreduced;
  op.run();
  EXPECT_EQ(op.get(1, 0), axes("c1"));
}

TEST(Agreement, OneDirection) {
  Op forward({8}, 1, {{{0}}, {{0}}}, {{{"a"}}, {{"ab"}}});
  forward.run(PropagationDirection::Forward);
  EXPECT_EQ(forward.get(0, 0), axes("a"));
  Op backward({8}, 1, {{{0}}, {{0}}}, {{{"a"}}, {{"ab"}}});
  backward.run(PropagationDirection::Backward);
  EXPECT_EQ(backward.get(0, 0), axes("ab"));
  Op none({8}, 1, {{{0}}, {{0}}}, {{{"a"}}, {{"ab"}}});
  none.run(PropagationDirection::None);
  EXPECT_EQ(none.get(0, 0), axes("a"));
}

TEST(Projection, AxesFillTheMajorFactorFirst) {
  // [2, 4, 8] merged to [64]: a fills the first factor, c the second.
  Op op({2, 4, 8}, 1, {{{0, 1, 2}}, {{0}, {1}, {2}}},
        {{{"acb"}}, {{""}, {""}, {""}}});
  op.run();
  EXPECT_EQ(op.get(1, 0), axes("a"));
  EXPECT_EQ(op.get(1, 1), axes("c"));
  EXPECT_EQ(op.get(1, 2), axes("b"));
}

TEST(Projection, AxisIsSplitOverFactors) {
  Op op({2, 8}, 1, {{{0, 1}}, {{0}, {1}}}, {{{"c"}}, {{""}, {""}}});
  op.run();
  EXPECT_EQ(op.get(1, 0), axes("c1"));
  EXPECT_EQ(op.get(1, 1), axes("c2"));
}

TEST(Projection, PartsJoinAgain) {
  Op op({2, 8}, 1, {{{0}, {1}}, {{0, 1}}}, {{{"c1"}, {"c2"}}, {{""}}});
  op.run();
  EXPECT_EQ(op.get(1, 0), axes("c"));
}

TEST(Projection, NoMinorFactorAlone) {
  // The minor factor's axis would need a strided view of the merged dimension.
  Op op({2, 8}, 1, {{{0}, {1}}, {{0, 1}}}, {{{""}, {"a"}}, {{""}}});
  op.run();
  EXPECT_EQ(op.get(1, 0), axes(""));
}

TEST(Projection, OverflowStaysOnItsDimension) {
  // b=3 doesn't divide the factor of size 2.
  Op op({2, 8}, 1, {{{0, 1}}, {{0}, {1}}}, {{{"b"}}, {{""}, {""}}});
  op.run();
  EXPECT_EQ(op.get(0, 0), axes("b"));
  EXPECT_EQ(op.get(1, 0), axes(""));
  EXPECT_EQ(op.get(1, 1), axes(""));
}

TEST(Conflict, LargerTensorWins) {
  // The rhs (16 x 32) is larger than the lhs (8 x 16): j gets a.
  Op op = dot({{{"a"}, {""}}, {{""}, {"a"}}, {{""}, {""}}});
  op.run();
  EXPECT_EQ(op.get(2, 0), axes(""));
  EXPECT_EQ(op.get(2, 1), axes("a"));
}

TEST(Conflict, ElementwiseTakesTheMoreShardedFactor) {
  Op op({8, 8}, 2, {{{0}, {1}}, {{0}, {1}}, {{0}, {1}}},
        {{{"a"}, {""}}, {{""}, {"ac"}}, {{""}, {""}}},
        PropagationClass::Elementwise);
  op.run();
  EXPECT_EQ(op.get(2, 0), axes(""));
  EXPECT_EQ(op.get(2, 1), axes("ac"));
}

TEST(Conflict, NothingSidewaysPastAClosedResult) {
  Op op({8}, 2, {{{0}}, {{0}}, {{0}}}, {{{"a"}}, {{""}}, {{"", true}}},
        PropagationClass::Elementwise);
  op.run();
  EXPECT_EQ(op.get(1, 0), axes(""));
}

TEST(PropagationRule, DimensionWithoutFactorGetsItsOwn) {
  partita::spmd::ShardingRule source;
  int factor = source.addFactor(8);
  source.operands.push_back({{{factor}, {}}});
  source.results.push_back({{{factor}}});
  PropagationRule rule = PropagationRule::get(source, {2}, {1});
  EXPECT_EQ(rule.factors.size(), 2u);
  EXPECT_EQ(rule.tensors[0][1][0], 1);
  EXPECT_TRUE(rule.isSimple);
}

} // namespace
