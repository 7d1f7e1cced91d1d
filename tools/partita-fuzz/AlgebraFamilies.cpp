// Ops that import writes as others, factorisations, ragged dots, bits.

#include "Families.h"
#include "llvm/ADT/STLExtras.h"

namespace partita {

static std::string i64(int64_t value) {
  return std::to_string(value) + " : i64";
}

void writeBatchNorm(Generator &g) {
  TextValue x = g.anyOf("f", 1, 4);
  if (x.type.element != "f32")
    return;
  int64_t feature = g.random.in(0, x.type.rank() - 1);
  TextType vector{{x.type.dims[feature]}, "f32"};
  std::string properties =
      "epsilon = 1.0 : f32, feature_index = " + i64(feature);
  switch (g.random.in(0, 2)) {
  case 0: {
    TextValue scale = g.need(vector), offset = g.need(vector);
    TextValue mean = g.need(vector), variance = g.need(vector);
    g.emit("stablehlo.batch_norm_inference", {x, scale, offset, mean, variance},
           x.type, properties);
    return;
  }
  case 1: {
    TextValue scale = g.need(vector), offset = g.need(vector);
    g.emitMany("stablehlo.batch_norm_training", {x, scale, offset},
               {x.type, vector, vector}, properties);
    return;
  }
  default: {
    TextValue scale = g.need(vector), mean = g.need(vector);
    TextValue variance = g.need(vector), gradient = g.need(x.type);
    g.emitMany("stablehlo.batch_norm_grad",
               {x, scale, mean, variance, gradient}, {x.type, vector, vector},
               properties);
  }
  }
}

void writeComposite(Generator &g) {
  TextValue x = g.anyOf("fi", 0, 3);
  TextValue y = g.need(x.type);
  std::string name = "composite" + std::to_string(g.nextId());
  std::string type = x.type.str();
  const char *ops[] = {"add", "multiply", "maximum", "subtract"};
  g.addFunction("func.func private @" + name + "(%a: " + type +
                ", %b: " + type + ") -> " + type + " {\n  %r = stablehlo." +
                g.random.pick(ops) + " %a, %b : " + type +
                "\n  return %r : " + type + "\n}\n");
  g.emit("stablehlo.composite", {x, y}, x.type,
         "name = \"fuzz.op\", decomposition = @" + name);
}

/// A constant vector of i64 numbers.
static TextValue numbers(Generator &g, const Dims &values) {
  TextValue constant;
  constant.name = g.name();
  constant.type = {{int64_t(values.size())}, "i64"};
  constant.reacts = false;
  g.line(constant.name + " = stablehlo.constant dense<" + list(values) +
         "> : " + constant.type.str());
  return constant;
}

static void writeDynamicPad(Generator &g, const TextValue &x) {
  Dims low, high, interior;
  TextType result{{}, x.type.element};
  for (int64_t size : x.type.dims) {
    low.push_back(g.random.in(0, 2));
    high.push_back(g.random.in(0, 2));
    interior.push_back(g.random.in(0, 1));
    result.dims.push_back(low.back() + high.back() + size +
                          (size - 1) * interior.back());
  }
  if (result.count() > 300)
    return;
  TextValue fill = g.need({{}, x.type.element});
  TextValue l = numbers(g, low), h = numbers(g, high);
  g.emit("stablehlo.dynamic_pad", {x, fill, l, h, numbers(g, interior)},
         result);
}

static void writeRealDynamicSlice(Generator &g, const TextValue &x) {
  Dims starts, limits, strides;
  TextType result{{}, x.type.element};
  for (int64_t size : x.type.dims) {
    starts.push_back(g.random.in(0, size - 1));
    limits.push_back(g.random.in(starts.back() + 1, size));
    strides.push_back(g.random.in(1, 2));
    result.dims.push_back((limits.back() - starts.back() + strides.back() - 1) /
                          strides.back());
  }
  TextValue s = numbers(g, starts), l = numbers(g, limits);
  g.emit("stablehlo.real_dynamic_slice", {x, s, l, numbers(g, strides)},
         result);
}

void writeDynamicOp(Generator &g) {
  TextValue x = g.anyOf("fib", 1, 3);
  switch (g.random.in(0, 2)) {
  case 0:
    return writeDynamicPad(g, x);
  case 1:
    return writeRealDynamicSlice(g, x);
  default: {
    TextType result{Dims(x.type.dims.rbegin(), x.type.dims.rend()),
                    x.type.element};
    TextValue shape = numbers(g, result.dims);
    g.emit("stablehlo.dynamic_reshape", {x, shape}, result);
  }
  }
}

void writeEinsum(Generator &g) {
  TextValue x = g.anyOf("f", 1, 3);
  if (x.type.element != "f32")
    return;
  std::string letters = "abcd", lhs = letters.substr(0, x.type.rank()), rhs,
              out;
  TextType rhsType{{}, "f32"}, result{{}, "f32"};
  for (int64_t dim = 0; dim < x.type.rank(); ++dim)
    if (g.random.chance(60)) {
      rhs += letters[dim];
      rhsType.dims.push_back(x.type.dims[dim]);
    }
  rhs += 'z';
  rhsType.dims.push_back(g.random.in(1, 5));
  for (int64_t dim = 0; dim < x.type.rank(); ++dim)
    if (g.random.chance(50)) {
      out += letters[dim];
      result.dims.push_back(x.type.dims[dim]);
    }
  int64_t at = g.random.in(0, out.size());
  out.insert(at, "z");
  result.dims.insert(result.dims.begin() + at, rhsType.dims.back());
  g.emit("stablehlo.einsum", {x, g.need(rhsType)}, result,
         "einsum_config = \"" + lhs + "," + rhs + "->" + out + "\"");
}

void writeRaggedDot(Generator &g) {
  int64_t rows = g.random.in(1, 9), inner = g.random.in(1, 5),
          columns = g.random.in(1, 5), groups = g.random.in(1, 3);
  TextType vector{{groups}, "i32"};
  // Sizes from 0 to 3, whatever the integers are.
  TextValue sizes =
      g.emit("stablehlo.and", {g.need(vector), g.splat(vector, 3)}, vector);
  bool contracts = g.random.chance(50);
  TextValue lhs = g.need({{rows, inner}, "f32"});
  TextValue rhs = g.need(contracts ? TextType{{rows, columns}, "f32"}
                                   : TextType{{groups, inner, columns}, "f32"});
  TextType result = contracts ? TextType{{groups, inner, columns}, "f32"}
                              : TextType{{rows, columns}, "f32"};
  std::string contracted = contracts ? "[0]" : "[1]";
  g.emit("chlo.ragged_dot", {lhs, rhs, sizes}, result,
         "ragged_dot_dimension_numbers = #chlo.ragged_dot<"
         "lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
         "lhs_contracting_dimensions = " +
             contracted + ", rhs_contracting_dimensions = " + contracted +
             ", lhs_ragged_dimensions = [0], rhs_group_dimensions = " +
             (contracts ? "[]" : "[0]") + ">");
}

void writeFactorization(Generator &g) {
  int64_t batch = g.random.in(1, 4), n = g.random.in(1, 4);
  TextValue a = g.need({{batch, n, n}, "f32"});
  if (g.random.chance(50)) {
    g.emit("stablehlo.cholesky", a, a.type,
           std::string("lower = ") + (g.random.chance(50) ? "true" : "false"));
    return;
  }
  bool left = g.random.chance(50);
  int64_t systems = g.random.in(1, 5);
  TextValue b =
      g.need({left ? Dims{batch, n, systems} : Dims{batch, systems, n}, "f32"});
  const char *transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  g.emit("stablehlo.triangular_solve", {a, b}, b.type,
         std::string("left_side = ") + (left ? "true" : "false") +
             ", lower = " + (g.random.chance(50) ? "true" : "false") +
             ", unit_diagonal = false, transpose_a = #stablehlo<transpose " +
             g.random.pick(transposes) + ">");
}

void writeBits(Generator &g) {
  if (g.random.chance(40)) {
    TextValue x = g.anyOf("f", 1);
    g.emit("stablehlo.reduce_precision", x, x.type,
           "exponent_bits = 5 : i32, mantissa_bits = " +
               std::to_string(g.random.in(1, 9)) + " : i32");
    return;
  }
  TextValue x = g.anyOf("i", 1, 3);
  TextType bytes{x.type.dims, "ui8"};
  bytes.dims.push_back(4);
  TextValue split = g.emit("stablehlo.bitcast_convert", x, bytes);
  TextValue doubled = g.emit("stablehlo.add", {split, split}, bytes);
  g.emit("stablehlo.bitcast_convert", doubled, x.type);
}

void writeMap(Generator &g) {
  TextValue x = g.anyOf("fi", 1, 3), y = g.need(x.type);
  Dims dims;
  for (int64_t dim = 0; dim < x.type.rank(); ++dim)
    dims.push_back(dim);
  g.emit("stablehlo.map", {x, y}, x.type, "dimensions = " + i64Array(dims),
         g.randomCombiner(x.type));
}

} // namespace partita
