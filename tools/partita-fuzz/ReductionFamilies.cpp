// Contractions, reductions, windows, sorts, random bits.

#include "Families.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita {

void writeDot(Generator &g) {
  TextValue lhs = g.anyOf("fic", 1);
  if (lhs.type.element == "bf16")
    return;
  Dims batch, contract, freeDims;
  for (int64_t dim = 0; dim < lhs.type.rank(); ++dim) {
    int64_t roll = g.random.in(0, 99);
    (roll < 22 ? batch : roll < 65 ? contract : freeDims).push_back(dim);
  }
  if (g.random.chance(20))
    g.random.shuffle(contract);
  // Dimensions of the other side: kind and size, shuffled.
  struct Dim {
    char kind;
    int64_t index, size;
  };
  std::vector<Dim> dims;
  for (auto [i, dim] : llvm::enumerate(batch))
    dims.push_back({'b', int64_t(i), lhs.type.dims[dim]});
  for (auto [i, dim] : llvm::enumerate(contract))
    dims.push_back({'c', int64_t(i), lhs.type.dims[dim]});
  for (int64_t i = 0, n = g.random.in(0, 2); i < n && dims.size() < 4; ++i)
    dims.push_back({'f', i, g.random.in(1, 6)});
  g.random.shuffle(dims);
  TextType rhsType{{}, lhs.type.element}, result{{}, lhs.type.element};
  Dims rhsBatch(batch.size()), rhsContract(contract.size());
  for (auto [at, dim] : llvm::enumerate(dims)) {
    rhsType.dims.push_back(dim.size);
    if (dim.kind != 'f')
      (dim.kind == 'b' ? rhsBatch : rhsContract)[dim.index] = at;
  }
  for (int64_t dim : batch)
    result.dims.push_back(lhs.type.dims[dim]);
  for (int64_t dim : freeDims)
    result.dims.push_back(lhs.type.dims[dim]);
  for (const Dim &dim : dims)
    if (dim.kind == 'f')
      result.dims.push_back(dim.size);
  if (result.count() > 300 || rhsType.count() > 300 || result.rank() > 4)
    return;
  TextValue rhs = g.need(rhsType);
  g.emit("stablehlo.dot_general", {lhs, rhs}, result,
         "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = " +
             list(batch) + ", rhs_batching_dimensions = " + list(rhsBatch) +
             ", lhs_contracting_dimensions = " + list(contract) +
             ", rhs_contracting_dimensions = " + list(rhsContract) + ">");
}

void writeConvolution(Generator &g) {
  int64_t space = g.random.in(1, 2);
  int64_t groups = g.random.chance(70) ? 1 : 2;
  bool batchGroups = groups > 1 && g.random.chance(40);
  int64_t batch = g.random.in(1, 3) * (batchGroups ? groups : 1);
  int64_t in = g.random.in(1, 3) * (batchGroups ? 1 : groups);
  int64_t out = g.random.in(1, 3) * groups;
  Dims lhsSpace, rhsSpace, outSpace, strides, low, high, lhsDilation,
      rhsDilation;
  std::string padding, reversal;
  for (int64_t i = 0; i < space; ++i) {
    int64_t size = g.random.in(3, 8), window = g.random.in(1, 3);
    int64_t stride = g.random.in(1, 2), before = g.random.in(-1, 2),
            after = g.random.in(-1, 2);
    int64_t dilateL = g.random.chance(70) ? 1 : 2,
            dilateR = g.random.chance(70) ? 1 : 2;
    int64_t spread = (size - 1) * dilateL + 1 + before + after;
    // As in the gradient of a kernel: few windows of many positions.
    int64_t room = spread - (window - 1) * stride;
    if (g.random.chance(25) && room > 0)
      window = (room - 1) / dilateR + 1;
    int64_t reach = (window - 1) * dilateR + 1;
    if (spread < reach)
      return;
    lhsSpace.push_back(size);
    rhsSpace.push_back(window);
    outSpace.push_back((spread - reach) / stride + 1);
    strides.push_back(stride);
    lhsDilation.push_back(dilateL);
    rhsDilation.push_back(dilateR);
    padding += (i ? ", " : "") + list({before, after});
    reversal +=
        std::string(i ? ", " : "") + (g.random.chance(20) ? "true" : "false");
  }
  // The dimensions of each side in random order.
  auto layout = [&](const char *letters, Dims sizes, Dims &dims) {
    Dims order;
    for (size_t i = 0; i < sizes.size(); ++i)
      order.push_back(i);
    if (g.random.chance(70))
      g.random.shuffle(order);
    std::string text = "[";
    for (auto [at, i] : llvm::enumerate(order)) {
      text += at ? ", " : "";
      text += i < 2 ? std::string(1, letters[i]) : std::to_string(i - 2);
      dims.push_back(sizes[i]);
    }
    return text + "]";
  };
  auto sizes = [](int64_t a, int64_t b, const Dims &rest) {
    Dims all = {a, b};
    all.append(rest.begin(), rest.end());
    return all;
  };
  TextType lhs{{}, "f32"}, rhs{{}, "f32"}, result{{}, "f32"};
  std::string numbers =
      layout("bf", sizes(batch, in, lhsSpace), lhs.dims) + "x" +
      layout("io", sizes(batchGroups ? in : in / groups, out, rhsSpace),
             rhs.dims) +
      "->" +
      layout("bf", sizes(batchGroups ? batch / groups : batch, out, outSpace),
             result.dims);
  TextValue x = g.need(lhs), w = g.need(rhs);
  g.emit(
      "stablehlo.convolution", {x, w}, result,
      "dimension_numbers = #stablehlo.conv<" + numbers +
          ">, window_strides = " + i64Array(strides) + ", padding = dense<[" +
          padding + "]> : tensor<" + std::to_string(space) +
          "x2xi64>, lhs_dilation = " + i64Array(lhsDilation) +
          ", rhs_dilation = " + i64Array(rhsDilation) +
          ", window_reversal = array<i1: " + reversal +
          ">, batch_group_count = " + std::to_string(batchGroups ? groups : 1) +
          " : i64, feature_group_count = " +
          std::to_string(batchGroups ? 1 : groups) + " : i64");
}

void writeReduce(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  Dims dims;
  TextType result{{}, x.type.element};
  for (int64_t i = 0; i < x.type.rank(); ++i) {
    if (g.random.chance(55))
      dims.push_back(i);
    else
      result.dims.push_back(x.type.dims[i]);
  }
  TextType scalar{{}, x.type.element};
  bool circle = g.random.chance(6) &&
                (x.type.element == "i32" || x.type.element == "f32");
  std::string kind = circle ? "circle" : g.randomKind(x.type);
  std::string body = g.combiner(kind, x.type.element);
  TextValue init = g.initial(kind, scalar);
  if (g.random.chance(20)) { // two independent reductions in one op
    TextValue y = g.need(x.type);
    TextValue other = g.initial("add", scalar);
    std::string e = "tensor<" + x.type.element + ">",
                sum = x.type.isBool() ? "or" : "add";
    if (circle)
      kind = "multiply";
    body = "{\n^bb0(%ra: " + e + ", %rb: " + e + ", %rc: " + e + ", %rd: " + e +
           "):\n%r0 = stablehlo." + kind + " %ra, %rc : " + e +
           "\n%r1 = stablehlo." + sum + " %rb, %rd : " + e +
           "\nstablehlo.return %r0, %r1 : " + e + ", " + e + "\n}";
    g.emitMany("stablehlo.reduce", {x, y, init, other}, {result, result},
               "dimensions = " + i64Array(dims), body);
    return;
  }
  g.emit("stablehlo.reduce", {x, init}, result,
         "dimensions = " + i64Array(dims), body);
}

void writeArgmax(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  if (!x.reacts)
    return;
  int64_t dim = g.random.in(0, x.type.rank() - 1);
  TextType indices{x.type.dims, "i32"}, value{x.type.dims, x.type.element};
  value.dims.erase(value.dims.begin() + dim);
  TextType index{value.dims, "i32"};
  TextValue iota = g.emit("stablehlo.iota", {}, indices,
                          "iota_dimension = " + std::to_string(dim) + " : i64");
  bool max = g.random.chance(60);
  TextValue low = g.initial(max ? "maximum" : "minimum", {{}, x.type.element});
  TextValue zero = g.splat({{}, "i32"}, 0);
  std::string e = "tensor<" + x.type.element + ">";
  std::string body = llvm::formatv(
      R"({{
^bb0(%ra: {0}, %rb: tensor<i32>, %rc: {0}, %rd: tensor<i32>):
%r0 = stablehlo.compare {1}, %ra, %rc : ({0}, {0}) -> tensor<i1>
%r1 = stablehlo.compare EQ, %ra, %rc : ({0}, {0}) -> tensor<i1>
%r2 = stablehlo.compare LT, %rb, %rd : (tensor<i32>, tensor<i32>) -> tensor<i1>
%r3 = stablehlo.and %r1, %r2 : tensor<i1>
%r4 = stablehlo.or %r0, %r3 : tensor<i1>
%r5 = stablehlo.select %r0, %ra, %rc : tensor<i1>, {0}
%r6 = stablehlo.select %r4, %rb, %rd : tensor<i1>, tensor<i32>
stablehlo.return %r5, %r6 : {0}, tensor<i32>
})",
      e, max ? "GT" : "LT");
  g.emitMany("stablehlo.reduce", {x, iota, low, zero}, {value, index},
             "dimensions = " + i64Array({dim}), body);
}

void writeReduceWindow(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  if (x.type.element == "bf16")
    return;
  TextType result{{}, x.type.element}, scalar{{}, x.type.element};
  Dims windows, strides, base, dilations;
  std::string padding;
  for (auto [i, size] : llvm::enumerate(x.type.dims)) {
    bool none = g.random.chance(40);
    int64_t window = none ? 1 : g.random.in(1, 4),
            stride = none ? 1 : g.random.in(1, 3);
    int64_t baseDilation = none || g.random.chance(80) ? 1 : 2;
    int64_t dilation = none || g.random.chance(80) ? 1 : 2;
    int64_t before = none ? 0 : g.random.in(0, 2),
            after = none ? 0 : g.random.in(0, 2);
    int64_t spread = (size - 1) * baseDilation + 1 + before + after;
    int64_t reach = (window - 1) * dilation + 1;
    if (spread < reach)
      return;
    result.dims.push_back((spread - reach) / stride + 1);
    windows.push_back(window);
    strides.push_back(stride);
    base.push_back(baseDilation);
    dilations.push_back(dilation);
    padding += (i ? ", " : "") + list({before, after});
  }
  std::string kind = g.randomKind(x.type);
  TextValue init = g.initial(kind, scalar);
  g.emit("stablehlo.reduce_window", {x, init}, result,
         "window_dimensions = " + i64Array(windows) + ", window_strides = " +
             i64Array(strides) + ", base_dilations = " + i64Array(base) +
             ", window_dilations = " + i64Array(dilations) +
             ", padding = dense<[" + padding + "]> : tensor<" +
             std::to_string(x.type.rank()) + "x2xi64>",
         g.combiner(kind, x.type.element));
}

void writeCumulative(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  if (x.type.element == "bf16")
    return;
  int64_t dim = g.random.in(0, x.type.rank() - 1), size = x.type.dims[dim];
  bool reverse = g.random.chance(40);
  Dims windows(x.type.rank(), 1);
  windows[dim] = size;
  std::string padding;
  for (int64_t i = 0; i < x.type.rank(); ++i) {
    int64_t pad = i == dim ? size - 1 : 0;
    padding += (i ? ", " : "") + list({reverse ? 0 : pad, reverse ? pad : 0});
  }
  std::string kind = g.randomKind(x.type);
  TextValue init = g.random.chance(85) ? g.neutral(kind, {{}, x.type.element})
                                       : g.initial(kind, {{}, x.type.element});
  g.emit("stablehlo.reduce_window", {x, init}, x.type,
         "window_dimensions = " + i64Array(windows) + ", padding = dense<[" +
             padding + "]> : tensor<" + std::to_string(x.type.rank()) +
             "x2xi64>",
         g.combiner(kind, x.type.element));
}

void writeSort(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  int64_t dim = g.random.in(0, x.type.rank() - 1);
  std::vector<TextValue> operands = {x};
  std::vector<TextType> types = {x.type};
  if (g.random.chance(60)) {
    types.push_back({x.type.dims, g.random.chance(50) ? "f32" : "i32"});
    operands.push_back(g.need(types[1]));
  }
  std::string a = g.name(), b = g.name(), r = g.name();
  std::string e = "tensor<" + x.type.element + ">";
  std::string arguments = a + ": " + e + ", " + b + ": " + e;
  for (size_t i = 1; i < types.size(); ++i)
    for (int j = 0; j < 2; ++j)
      arguments += ", " + g.name() + ": tensor<" + types[i].element + ">";
  std::string body =
      "{\n^bb0(" + arguments + "):\n" + r + " = stablehlo.compare " +
      (g.random.chance(60) ? "LT" : "GT") + ", " + a + ", " + b + " : (" + e +
      ", " + e + ") -> tensor<i1>\nstablehlo.return " + r + " : tensor<i1>\n}";
  g.emitMany("stablehlo.sort", operands, types,
             "dimension = " + std::to_string(dim) + " : i64, is_stable = true",
             body);
}

void writeTopK(Generator &g) {
  TextValue x = g.anyOf("f", 1);
  if (x.type.element != "f32")
    return;
  TextType values = x.type, indices{x.type.dims, "i32"};
  int64_t k = g.random.in(1, x.type.dims.back());
  values.dims.back() = indices.dims.back() = k;
  g.emitMany("chlo.top_k", x, {values, indices},
             "k = " + std::to_string(k) + " : i64");
}

void writeSelectAndScatter(Generator &g) {
  TextValue x = g.anyOf("f", 1, 3);
  if (x.type.element != "f32")
    return;
  TextType windows{{}, "f32"};
  Dims sizes, strides;
  std::string padding;
  for (auto [i, size] : llvm::enumerate(x.type.dims)) {
    int64_t window =
        g.random.chance(40) ? 1 : g.random.in(1, std::min<int64_t>(3, size));
    int64_t stride = window == 1 ? 1 : g.random.in(1, window);
    int64_t before = window > 1 ? g.random.in(0, 1) : 0,
            after = window > 1 ? g.random.in(0, 1) : 0;
    windows.dims.push_back((size + before + after - window) / stride + 1);
    sizes.push_back(window);
    strides.push_back(stride);
    padding += (i ? ", " : "") + list({before, after});
  }
  TextValue source = g.need(windows), init = g.initial("add", {{}, "f32"});
  std::string a = g.name(), b = g.name(), r = g.name();
  std::string select = "{\n^bb0(" + a + ": tensor<f32>, " + b +
                       ": tensor<f32>):\n" + r + " = stablehlo.compare " +
                       (g.random.chance(60) ? "GE" : "LE") + ", " + a + ", " +
                       b + " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" +
                       "stablehlo.return " + r + " : tensor<i1>\n}";
  g.emit("stablehlo.select_and_scatter", {x, source, init}, x.type,
         "window_dimensions = " + i64Array(sizes) + ", window_strides = " +
             i64Array(strides) + ", padding = dense<[" + padding +
             "]> : tensor<" + std::to_string(x.type.rank()) + "x2xi64>",
         select + ", " + g.combiner("add", "f32"));
}

void writeFft(Generator &g) {
  TextType type = g.randomType(1, 3, "complex<f32>");
  // The field has no roots of unity of order seven and nine.
  int64_t transformed = g.random.in(1, type.rank());
  Dims lengths;
  for (int64_t dim = type.rank() - transformed; dim < type.rank(); ++dim)
    lengths.push_back(type.dims[dim] = std::min<int64_t>(type.dims[dim], 6));
  TextValue x = g.need(type);
  g.emit("stablehlo.fft", x, x.type,
         std::string("fft_type = #stablehlo<fft_type ") +
             (g.random.chance(50) ? "FFT" : "IFFT") +
             ">, fft_length = " + i64Array(lengths));
}

void writeRng(Generator &g) {
  TextType state{{2}, "ui64"};
  TextValue key = g.need(state);
  TextType bits = g.randomType(1, 3, "ui32");
  std::vector<TextValue> results =
      g.emitMany("stablehlo.rng_bit_generator", key, {state, bits},
                 std::string("rng_algorithm = #stablehlo<rng_algorithm ") +
                     (g.random.chance(70) ? "THREE_FRY" : "PHILOX") + ">");
  g.emit("stablehlo.convert", results[1], {bits.dims, "f32"});
}

} // namespace partita
