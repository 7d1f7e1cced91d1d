// Products by cuBLASLt, and kernels that run on the host, against the CPU's.
#include "CudaRuntimeTest.h"

using namespace partita::runtime;
using namespace partita::runtime::testing;

namespace {

void expectDot(partita_dtype dtype, partita_dtype out, Words lhs, Words rhs,
               Words result, Words lhsBatch, Words rhsBatch, Words lhsDepth,
               Words rhsDepth) {
  auto count = [](const Words &shape) {
    int64_t product = 1;
    for (int64_t size : shape)
      product *= size;
    return product;
  };
  Call call(3, {{dtype, lhs}, {dtype, rhs}}, {{out, result}});
  call.list(lhsBatch).list(rhsBatch).list(lhsDepth).list(rhsDepth);
  expectSame(
      "partita_dot_general", call, {},
      {{makeBytes(dtype, count(lhs), 0), makeBytes(dtype, count(rhs), 1)}},
      {{Buffer(count(result) * getBytes(out))}});
}

} // namespace

TEST(Dot, EveryType) {
  for (partita_dtype dtype :
       {PARTITA_F64, PARTITA_F32, PARTITA_BF16, PARTITA_F16, PARTITA_C64,
        PARTITA_C128, PARTITA_I32, PARTITA_I8, PARTITA_UI64})
    expectDot(dtype, dtype, {3, 5}, {5, 7}, {3, 7}, {}, {}, {1}, {0});
  expectDot(PARTITA_BF16, PARTITA_F32, {3, 5}, {5, 7}, {3, 7}, {}, {}, {1},
            {0});
}

TEST(Dot, EveryTranspose) {
  expectDot(PARTITA_F32, PARTITA_F32, {5, 3}, {5, 7}, {3, 7}, {}, {}, {0}, {0});
  expectDot(PARTITA_F32, PARTITA_F32, {3, 5}, {7, 5}, {3, 7}, {}, {}, {1}, {1});
  expectDot(PARTITA_F32, PARTITA_F32, {5, 3}, {7, 5}, {3, 7}, {}, {}, {0}, {1});
}

TEST(Dot, VectorsAndEmptySizes) {
  expectDot(PARTITA_F32, PARTITA_F32, {5}, {5}, {}, {}, {}, {0}, {0});
  expectDot(PARTITA_F32, PARTITA_F32, {4, 5}, {5}, {4}, {}, {}, {1}, {0});
  expectDot(PARTITA_F32, PARTITA_F32, {5}, {5, 6}, {6}, {}, {}, {0}, {0});
  expectDot(PARTITA_F32, PARTITA_F32, {3}, {4}, {3, 4}, {}, {}, {}, {});
  expectDot(PARTITA_F32, PARTITA_F32, {3, 0}, {0, 4}, {3, 4}, {}, {}, {1}, {0});
  expectDot(PARTITA_F32, PARTITA_F32, {0, 3}, {3, 4}, {0, 4}, {}, {}, {1}, {0});
}

TEST(Dot, Batches) {
  expectDot(PARTITA_F32, PARTITA_F32, {6, 3, 5}, {6, 5, 4}, {6, 3, 4}, {0}, {0},
            {2}, {1});
  // Attention: [batch, time, head, depth], no copy, a loop over the batch.
  expectDot(PARTITA_F32, PARTITA_F32, {2, 5, 3, 4}, {2, 6, 3, 4}, {2, 3, 5, 6},
            {0, 2}, {0, 2}, {3}, {3});
  // Batch innermost: no stride of 1 is left, so operands are packed.
  expectDot(PARTITA_F32, PARTITA_F32, {3, 5, 6}, {5, 4, 6}, {6, 3, 4}, {2}, {2},
            {1}, {0});
  // Depth of two dimensions, in different orders.
  expectDot(PARTITA_F32, PARTITA_F32, {3, 4, 5}, {5, 4, 7}, {3, 7}, {}, {},
            {1, 2}, {1, 0});
  expectDot(PARTITA_F32, PARTITA_F32, {3, 4, 5}, {4, 5, 7}, {3, 7}, {}, {},
            {2, 1}, {1, 0});
}

TEST(HostKernel, SortWithABody) {
  partita_body less = [](void *const *arguments, void *const *results) {
    *static_cast<char *>(results[0]) =
        *static_cast<const int32_t *>(arguments[0]) <
        *static_cast<const int32_t *>(arguments[1]);
  };
  Call call(4, {{PARTITA_I32, {6, 9}}}, {{PARTITA_I32, {6, 9}}});
  expectSame("partita_sort", call.add(1).add(1), {},
             {{makeBytes(PARTITA_I32, 54, 2)}}, {{Buffer(54 * 4)}},
             reinterpret_cast<void *>(less));
}

TEST(HostKernel, TopK) {
  Call call(4, {{PARTITA_F32, {3, 8}}},
            {{PARTITA_F32, {3, 2}}, {PARTITA_I32, {3, 2}}});
  expectSame("partita_top_k", call.add(2), {},
             {{makeBytes(PARTITA_F32, 24, 1)}}, {{Buffer(24), Buffer(24)}});
}

TEST(Kernel, AxisIndex) {
  GPUOptions options;
  options.numDevices = 3;
  options.transport = GPUTransport::OneCard;
  Call call(5, {}, {{PARTITA_I32, {}}});
  Buffers outputs(3, {Buffer(4)});
  expectSame("partita_axis_index", call.list({5, 6, 7}), options, Buffers(3),
             outputs);
}

TEST(Kernel, EveryFunctionHasAFormForGPUs) {
  for (auto [symbol, address] : getSymbols())
    if (std::string(symbol).rfind("partita_arena", 0) != 0)
      EXPECT_NE(getGPUFunction(symbol), nullptr) << symbol;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct Conv {
  partita_dtype dtype = PARTITA_F32;
  Words input, kernel, output;
  // Batch, feature, spatial; input feature, output feature, spatial.
  Words inputDims{0, 3, 1, 2}, kernelDims{2, 3, 0, 1}, outputDims{0, 3, 1, 2};
  Words strides{1, 1}, padding{0, 0, 0, 0}, lhs{1, 1}, rhs{1, 1},
      reversal{0, 0};
  int64_t groups = 1, batchGroups = 1;

  void expect() const {
    auto count = [](const Words &shape) {
      int64_t product = 1;
      for (int64_t size : shape)
        product *= size;
      return product;
    };
    Call call(6, {{dtype, input}, {dtype, kernel}}, {{dtype, output}});
    for (const Words &dims : {inputDims, kernelDims, outputDims})
      call.add(dims[0]).add(dims[1]).list(Words(dims.begin() + 2, dims.end()));
    call.list(strides).list(padding).list(lhs).list(rhs).list(reversal);
    call.add(groups).add(batchGroups);
    expectSame("partita_convolution", call, {},
               {{makeBytes(dtype, count(input), 0),
                 makeBytes(dtype, count(kernel), 1)}},
               {{Buffer(count(output) * getBytes(dtype))}});
  }
};
} // namespace

TEST(Convolution, Plain) {
  Conv conv{
      .input = {2, 7, 8, 3}, .kernel = {3, 3, 3, 5}, .output = {2, 5, 6, 5}};
  for (partita_dtype dtype : {PARTITA_F32, PARTITA_F64, PARTITA_I32}) {
    conv.dtype = dtype;
    conv.expect();
  }
}

TEST(Convolution, StridesPaddingAndReversal) {
  Conv conv{
      .input = {2, 7, 8, 3}, .kernel = {3, 2, 3, 4}, .output = {2, 4, 4, 4}};
  conv.strides = {2, 2};
  conv.padding = {1, 1, 0, 0};
  conv.expect();
  conv.reversal = {1, 0};
  conv.expect();
  conv.padding = {2, 0, -1, 1};
  conv.expect();
}

TEST(Convolution, Dilations) {
  // As the gradients of strided convolutions are.
  Conv conv{
      .input = {1, 4, 5, 2}, .kernel = {3, 3, 2, 3}, .output = {1, 9, 11, 3}};
  conv.lhs = {2, 2};
  conv.padding = {2, 2, 2, 2};
  conv.expect();
  conv.lhs = {3, 2};
  conv.strides = {2, 1};
  conv.padding = {3, 2, 2, 2};
  conv.output = {1, 7, 11, 3};
  conv.expect();
  conv = {
      .input = {1, 9, 9, 2}, .kernel = {3, 3, 2, 3}, .output = {1, 3, 5, 3}};
  conv.rhs = {3, 2};
  conv.expect();
}

TEST(Convolution, OtherLayoutsAndGroups) {
  Conv conv{
      .input = {2, 6, 5, 7}, .kernel = {4, 3, 2, 3}, .output = {2, 4, 4, 5}};
  conv.inputDims = conv.outputDims = {0, 1, 2, 3}; // features before space
  conv.kernelDims = {1, 0, 2, 3};
  conv.groups = 2;
  conv.expect();
  conv = {
      .input = {4, 5, 5, 2}, .kernel = {2, 2, 2, 4}, .output = {2, 4, 4, 4}};
  conv.batchGroups = 2; // on the host
  conv.expect();
}

TEST(Convolution, OneDimension) {
  Conv conv{.input = {3, 9, 2}, .kernel = {4, 2, 3}, .output = {3, 6, 3}};
  conv.inputDims = conv.outputDims = {0, 2, 1};
  conv.kernelDims = {1, 2, 0};
  conv.strides = conv.lhs = conv.rhs = {1};
  conv.reversal = {0};
  conv.padding = {0, 0};
  conv.expect();
}
