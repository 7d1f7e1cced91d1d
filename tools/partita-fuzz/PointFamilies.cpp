// Elementwise ops, shape changes and movement.

#include "Families.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static void writeUnary(Generator &g, const TextValue &x) {
  if (x.type.isFloat()) {
    const char *ops[] = {
        "negate", "abs",      "exponential", "tanh",   "floor",
        "sign",   "logistic", "sqrt",        "cosine", "optimization_barrier"};
    g.emit(std::string("stablehlo.") + g.random.pick(ops), x, x.type);
  } else if (x.type.element == "i32") {
    const char *ops[] = {"negate", "abs", "sign", "not", "popcnt"};
    g.emit(std::string("stablehlo.") + g.random.pick(ops), x, x.type);
  } else if (x.type.isComplex()) {
    TextType real{x.type.dims, "f32"};
    if (g.random.chance(60)) {
      TextValue re = g.emit("stablehlo.real", x, real);
      TextValue im = g.emit("stablehlo.imag", x, real);
      g.emit("stablehlo.subtract", {re, im}, real);
    } else {
      g.emit("stablehlo.negate", x, x.type);
    }
  } else {
    g.emit("stablehlo.not", x, x.type);
  }
}

void writeElementwise(Generator &g) {
  TextValue x = g.anyOf("fibc");
  if (g.random.chance(30))
    return writeUnary(g, x);
  TextValue y = g.need(x.type);
  if (g.random.chance(30))
    std::swap(x, y);
  std::string op;
  if (x.type.isFloat()) {
    const char *ops[] = {"add",      "add",     "subtract", "multiply",
                         "multiply", "maximum", "minimum",  "divide",
                         "power",    "atan2"};
    op = g.random.pick(ops);
  } else if (x.type.isInteger()) {
    const char *ops[] = {"add",     "subtract", "multiply",  "maximum",
                         "minimum", "xor",      "shift_left"};
    op = g.random.pick(ops);
  } else if (x.type.isBool()) {
    const char *ops[] = {"xor", "xor", "and", "or"};
    op = g.random.pick(ops);
  } else {
    const char *ops[] = {"add", "subtract", "multiply"};
    op = g.random.pick(ops);
  }
  g.emit("stablehlo." + op, {x, y}, x.type);
}

void writeCompare(Generator &g) {
  TextValue x = g.anyOf("fi"), y = g.need(x.type);
  const char *kinds[] = {"LT", "LE", "GT", "GE", "NE", "EQ"};
  g.emit(
      "stablehlo.compare", {x, y}, {x.type.dims, "i1"},
      std::string("comparison_direction = #stablehlo<comparison_direction ") +
          g.random.pick(kinds) + ">");
}

void writeSelect(Generator &g) {
  TextValue x = g.anyOf("fic"), y = g.need(x.type);
  TextValue p = g.need({g.random.chance(25) ? Dims{} : x.type.dims, "i1"});
  g.emit("stablehlo.select", {p, x, y}, x.type);
}

void writeClamp(Generator &g) {
  TextValue x = g.anyOf("fi");
  auto bound = [&] {
    return g.need({g.random.chance(60) ? Dims{} : x.type.dims, x.type.element});
  };
  TextValue low = bound();
  g.emit("stablehlo.clamp", {low, x, bound()}, x.type);
}

void writeConvert(Generator &g) {
  TextValue x = g.anyOf("fib");
  const char *elements[] = {"f32", "i32", "bf16", "ui32", "f32"};
  std::string element = g.random.pick(elements);
  if (element != x.type.element)
    g.emit("stablehlo.convert", x, {x.type.dims, element});
}

void writeIota(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  TextValue iota = g.emit(
      "stablehlo.iota", {}, x.type,
      "iota_dimension = " + std::to_string(g.random.in(0, x.type.rank() - 1)) +
          " : i64");
  g.emit(g.random.chance(50) ? "stablehlo.add" : "stablehlo.multiply",
         {x, iota}, x.type);
}

void writeConstant(Generator &g) {
  TextValue x = g.anyOf("fibc");
  TextValue c = g.constant(x.type);
  g.emit(x.type.isBool() ? "stablehlo.xor" : "stablehlo.add", {x, c}, x.type);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

void writeBroadcast(Generator &g) {
  TextValue x = g.anyOf("fibc", 0, 2);
  int64_t rank = std::min<int64_t>(3, x.type.rank() + g.random.in(0, 2));
  Dims places;
  for (int64_t i = 0; i < rank; ++i)
    places.push_back(i);
  g.random.shuffle(places);
  places.resize(x.type.rank());
  if (g.random.chance(80))
    llvm::sort(places);
  TextType result{Dims(rank, 0), x.type.element};
  for (auto [dim, place] : llvm::enumerate(places))
    result.dims[place] = x.type.dims[dim];
  for (int64_t dim = 0; dim < rank; ++dim)
    if (result.dims[dim] == 0 || (result.dims[dim] == 1 && g.random.chance(70)))
      result.dims[dim] = g.random.in(1, 7);
  if (result.count() <= 300)
    g.emit("stablehlo.broadcast_in_dim", x, result,
           "broadcast_dimensions = " + i64Array(places));
}

void writeTranspose(Generator &g) {
  TextValue x = g.anyOf("fibc", 2);
  Dims order, dims;
  for (int64_t i = 0; i < x.type.rank(); ++i)
    order.push_back(i);
  g.random.shuffle(order);
  for (int64_t dim : order)
    dims.push_back(x.type.dims[dim]);
  g.emit("stablehlo.transpose", x, {dims, x.type.element},
         "permutation = " + i64Array(order));
}

void writeReshape(Generator &g) {
  TextValue x = g.anyOf("fibc");
  Dims factors, dims;
  for (int64_t dim : x.type.dims)
    for (int64_t f = 2; dim > 1; ++f)
      for (; dim % f == 0; dim /= f)
        factors.push_back(f);
  if (g.random.chance(20))
    g.random.shuffle(factors);
  for (int64_t factor : factors) {
    if (dims.empty() || (dims.size() < 4 && g.random.chance(45)))
      dims.push_back(factor);
    else
      dims.back() *= factor;
  }
  if (dims.size() < 4 && g.random.chance(15))
    dims.insert(dims.begin() + g.random.in(0, dims.size()), 1);
  g.emit("stablehlo.reshape", x, {dims, x.type.element});
}

void writeReverse(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  Dims dims;
  for (int64_t i = 0; i < x.type.rank(); ++i)
    if (g.random.chance(60))
      dims.push_back(i);
  g.emit("stablehlo.reverse", x, x.type, "dimensions = " + i64Array(dims));
}

void writeSlice(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  Dims starts, limits, strides;
  TextType result{{}, x.type.element};
  for (int64_t dim : x.type.dims) {
    bool whole = g.random.chance(30);
    int64_t start = whole ? 0 : g.random.in(0, dim - 1);
    int64_t limit = whole ? dim : g.random.in(start + 1, dim);
    int64_t stride = g.random.chance(60) ? 1 : g.random.in(1, 3);
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    result.dims.push_back((limit - start + stride - 1) / stride);
  }
  g.emit("stablehlo.slice", x, result,
         "start_indices = " + i64Array(starts) + ", limit_indices = " +
             i64Array(limits) + ", strides = " + i64Array(strides));
}

void writePad(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  Dims low, high, interior;
  TextType result{{}, x.type.element};
  for (int64_t dim : x.type.dims) {
    bool none = g.random.chance(35);
    int64_t inside = none || g.random.chance(60) ? 0 : g.random.in(0, 2);
    int64_t middle = dim + (dim - 1) * inside;
    int64_t before = none ? 0 : g.random.in(-2, 3),
            after = none ? 0 : g.random.in(-2, 3);
    if (middle + before + after < 1)
      before = after = 1;
    low.push_back(before);
    high.push_back(after);
    interior.push_back(inside);
    result.dims.push_back(middle + before + after);
  }
  if (result.count() > 300)
    return;
  TextValue value = g.random.chance(50) ? g.constant({{}, x.type.element})
                                        : g.need({{}, x.type.element});
  g.emit("stablehlo.pad", {x, value}, result,
         "edge_padding_low = " + i64Array(low) + ", edge_padding_high = " +
             i64Array(high) + ", interior_padding = " + i64Array(interior));
}

void writeConcatenate(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  int64_t dim = g.random.in(0, x.type.rank() - 1);
  std::vector<TextValue> operands = {x};
  TextType result = x.type;
  for (int64_t i = 0, n = g.random.in(1, 2); i < n; ++i) {
    TextType other = x.type;
    if (g.random.chance(60))
      other.dims[dim] = g.random.in(1, 5);
    operands.push_back(g.need(other));
    result.dims[dim] += other.dims[dim];
  }
  g.random.shuffle(operands);
  if (result.count() <= 300)
    g.emit("stablehlo.concatenate", operands, result,
           "dimension = " + std::to_string(dim) + " : i64");
}

/// Rows [start, limit) of `x` along `dim`.
static TextValue takeRows(Generator &g, const TextValue &x, int64_t dim,
                          int64_t start, int64_t limit) {
  Dims starts(x.type.rank(), 0), strides(x.type.rank(), 1);
  Dims limits(x.type.dims.begin(), x.type.dims.end());
  TextType type = x.type;
  starts[dim] = start;
  limits[dim] = limit;
  type.dims[dim] = limit - start;
  return g.emit("stablehlo.slice", x, type,
                "start_indices = " + i64Array(starts) + ", limit_indices = " +
                    i64Array(limits) + ", strides = " + i64Array(strides));
}

/// `count` times the row `index` of `x`, as jnp.pad writes it.
static TextValue repeatRow(Generator &g, const TextValue &x, int64_t dim,
                           int64_t index, int64_t count) {
  TextValue row = takeRows(g, x, dim, index, index + 1);
  TextType type = x.type, repeated = x.type;
  type.dims[dim] = count;
  repeated.dims[dim] = count;
  repeated.dims.insert(repeated.dims.begin() + dim, 1);
  Dims dims;
  for (int64_t each = 0; each < x.type.rank(); ++each)
    dims.push_back(each > dim ? each + 1 : each);
  TextValue more = g.emit("stablehlo.broadcast_in_dim", row, repeated,
                          "broadcast_dimensions = " + i64Array(dims));
  return g.emit("stablehlo.reshape", more, type);
}

TextValue shift(Generator &g, const TextValue &x) {
  int64_t dim = g.random.in(0, x.type.rank() - 1), size = x.type.dims[dim];
  int64_t by = g.random.in(1, std::min<int64_t>(3, size));
  std::string along = "dimension = " + std::to_string(dim) + " : i64";
  if (g.random.chance(40)) {
    bool isDown = g.random.chance(50);
    Dims low(x.type.rank(), 0), high(low), interior(low);
    low[dim] = isDown ? by : -by;
    high[dim] = -low[dim];
    return g.emit("stablehlo.pad", {x, g.constant({{}, x.type.element})},
                  x.type,
                  "edge_padding_low = " + i64Array(low) +
                      ", edge_padding_high = " + i64Array(high) +
                      ", interior_padding = " + i64Array(interior));
  }
  if (by < size && g.random.chance(50)) {
    int64_t cut = g.random.chance(50) ? by : size - by;
    return g.emit("stablehlo.concatenate",
                  {takeRows(g, x, dim, cut, size), takeRows(g, x, dim, 0, cut)},
                  x.type, along);
  }
  TextType longer = x.type;
  longer.dims[dim] += 2 * by;
  TextValue padded = g.emit(
      "stablehlo.concatenate",
      {repeatRow(g, x, dim, 0, by), x, repeatRow(g, x, dim, size - 1, by)},
      longer, along);
  int64_t start = g.random.in(0, 2 * by);
  return takeRows(g, padded, dim, start, start + size);
}

void writeRoll(Generator &g) { shift(g, g.anyOf("fibc", 1)); }

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

void writeConstraint(Generator &g) {
  TextValue x = g.anyOf("fibc"), result = x;
  result.name = g.name();
  g.line(result.name + " = " +
         (g.random.chance(85) ? "sdy.sharding_constraint " : "sdy.reshard ") +
         x.name + " " + g.randomSharding(x.type, g.frame->manualAxes, true) +
         " : " + x.type.str());
  g.frame->locals.push_back(result);
}

/// Several values side by side, as around a checkpointed layer.
void writeForwarded(Generator &g) {
  std::vector<TextValue> values;
  std::vector<TextType> types;
  for (int64_t i = 0, count = g.random.in(2, 4); i < count; ++i) {
    values.push_back(g.anyOf("fibc"));
    types.push_back(values.back().type);
  }
  g.emitMany("stablehlo.optimization_barrier", values, types);
}

void writeBarrier(Generator &g) {
  TextValue x = g.anyOf("fibc");
  if (g.random.chance(50)) {
    TextValue y = g.need(x.type);
    int64_t id = g.nextId();
    for (const TextValue &value : {x, y})
      g.line("sdy.sharding_group " + value.name +
             " group_id=" + std::to_string(id) + " : " + x.type.str());
    return;
  }
  TextValue result = x;
  result.name = g.name();
  const char *directions[] = {"NONE", "FORWARD", "BACKWARD"};
  g.line(result.name + " = sdy.propagation_barrier " + x.name +
         " allowed_direction=" + g.random.pick(directions) + " : " +
         x.type.str());
  g.frame->locals.push_back(result);
}

} // namespace partita
