// Loops, branches, calls, manual regions and what stands in them.

#include "Families.h"
#include "llvm/ADT/STLExtras.h"

namespace partita {

/// Writes a region of one block with `arguments` that returns values of
/// `types`: those that `write` gives, then any; `varies` becomes the union over
/// what it returns.
static std::string
writeRegion(Generator &g, llvm::ArrayRef<TextValue> arguments,
            llvm::ArrayRef<TextType> types, std::string prologue,
            llvm::function_ref<std::vector<TextValue>()> write,
            uint32_t &varies) {
  Frame &frame = *g.frame;
  std::string outside = std::move(frame.text);
  size_t scope = frame.locals.size();
  frame.text = prologue;
  frame.locals.insert(frame.locals.end(), arguments.begin(), arguments.end());
  ++frame.depth;
  size_t own = frame.locals.size();
  std::vector<TextValue> results = write();
  for (const TextType &type : types.drop_front(results.size())) {
    std::vector<TextValue> found;
    for (size_t i = own; i < frame.locals.size(); ++i)
      if (frame.locals[i].type == type)
        found.push_back(frame.locals[i]);
    results.push_back(found.empty() ? g.need(type) : g.random.pick(found));
  }
  --frame.depth;
  std::string text = "{\n", names, typeList;
  if (!arguments.empty()) {
    text += "^bb0(";
    for (auto [index, argument] : llvm::enumerate(arguments))
      text += (index ? ", " : "") + argument.name + ": " + argument.type.str();
    text += "):\n";
  }
  for (auto [index, result] : llvm::enumerate(results)) {
    names += (index ? ", " : "") + result.name;
    typeList += (index ? ", " : "") + result.type.str();
    varies |= result.varies;
  }
  text += frame.text + "stablehlo.return " + names + " : " + typeList + "\n}";
  frame.text = std::move(outside);
  frame.locals.resize(scope);
  return text;
}

/// Marks the last `count` values of the frame.
static void setVaries(Generator &g, size_t count, uint32_t varies) {
  for (size_t i = g.frame->locals.size() - count; i < g.frame->locals.size();
       ++i)
    g.frame->locals[i].varies |= varies;
}

/// A loop that counts up to `bound` and carries `values`; `write` gives, of the
/// loop's own arguments for them, what the next trip gets of the first few.
static void writeCounted(
    Generator &g, TextValue bound, llvm::ArrayRef<TextValue> values,
    llvm::function_ref<std::vector<TextValue>(llvm::ArrayRef<TextValue>)>
        write) {
  TextType index{{}, "i32"};
  std::vector<TextValue> operands = {g.splat(index, 0)}, arguments;
  std::vector<TextType> types = {index};
  for (const TextValue &value : values) {
    operands.push_back(value);
    types.push_back(value.type);
  }
  uint32_t all = g.frame->manualAxes;
  for (const TextType &type : types)
    arguments.push_back({g.name(), type, true, all});
  arguments[0].varies = 0;
  std::string test = g.name();
  std::vector<TextValue> other;
  std::string names;
  for (auto [i, type] : llvm::enumerate(types)) {
    other.push_back({g.name(), type, true, all});
    names += (i ? ", " : "") + other.back().name + ": " + type.str();
  }
  std::string condition = "{\n^bb0(" + names + "):\n" + test +
                          " = stablehlo.compare LT, " + other[0].name + ", " +
                          bound.name +
                          " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "stablehlo.return " +
                          test + " : tensor<i1>\n}";
  std::string one = g.name(), next = g.name();
  std::string prologue =
      one + " = stablehlo.constant dense<1> : tensor<i32>\n" + next +
      " = stablehlo.add " + arguments[0].name + ", " + one + " : tensor<i32>\n";
  uint32_t varies = 0;
  auto writeBody = [&]() {
    std::vector<TextValue> results = {{next, index, true, 0}};
    llvm::append_range(results, write(llvm::ArrayRef(arguments).drop_front()));
    return results;
  };
  std::string body =
      writeRegion(g, arguments, types, prologue, writeBody, varies);
  g.emitMany("stablehlo.while", operands, types, "", condition + ", " + body);
  setVaries(g, types.size(), all);
  for (size_t i = g.frame->locals.size() - types.size() + 1;
       i < g.frame->locals.size(); ++i)
    g.frame->locals[i].reacts = true;
}

void writeWhile(Generator &g) {
  if (g.frame->depth >= 2)
    return;
  TextType index{{}, "i32"};
  std::vector<TextValue> values;
  for (int64_t i = 0, n = g.random.in(1, 3); i < n; ++i)
    values.push_back(g.anyOf("fib"));
  // A bound that is the same on all devices of a manual region.
  TextValue bound = g.splat(index, g.random.in(1, 3));
  if (!g.frame->manualAxes && g.random.chance(30))
    bound = g.emit("stablehlo.and", {g.need(index), g.splat(index, 3)}, index);
  writeCounted(g, bound, values, [&](llvm::ArrayRef<TextValue>) {
    g.writeOps(g.random.in(1, 4));
    return std::vector<TextValue>();
  });
}

void writeStencil(Generator &g) {
  if (g.frame->depth >= 2)
    return;
  TextValue x = g.anyOf("fi", 1), field = g.need(x.type),
            captured = g.need(x.type);
  TextValue bound = g.splat({{}, "i32"}, g.random.in(2, 7));
  writeCounted(g, bound, {x, field}, [&](llvm::ArrayRef<TextValue> carried) {
    TextValue sum = carried[0];
    for (int64_t i = 0, n = g.random.in(1, 3); i < n; ++i) {
      TextValue moved = shift(g, g.random.chance(60) ? carried[0] : sum);
      sum = g.emit("stablehlo.add", {moved, sum}, x.type);
    }
    if (g.random.chance(30))
      sum = g.emit("stablehlo.multiply", {sum, carried[1]}, x.type);
    // What trips may leave alone is read around the block, too.
    for (const TextValue &other : {carried[1], captured})
      if (g.random.chance(20))
        sum = g.emit("stablehlo.add", {sum, shift(g, other)}, x.type);
    if (g.random.chance(30)) {
      int64_t dim = g.random.in(0, x.type.rank() - 1);
      TextValue positions =
          g.emit("stablehlo.iota", {}, x.type,
                 "iota_dimension = " + std::to_string(dim) + " : i64");
      sum = g.emit("stablehlo.add", {sum, positions}, x.type);
    }
    if (g.random.chance(20))
      g.writeOps(g.random.in(1, 2));
    return std::vector<TextValue>{sum, g.random.chance(60) ? carried[1]
                                                           : carried[0]};
  });
}

/// Rows folded into a carry that is a row; each step also yields one.
void writeScan(Generator &g) {
  TextValue x = g.anyOf("fi", 1);
  int64_t dim = g.random.in(0, x.type.rank() - 1);
  TextType row = x.type;
  row.dims.erase(row.dims.begin() + dim);
  std::string in = g.name(), carry = g.name(), out = g.name();
  std::string type = row.str();
  std::string body = "{\n^bb0(" + in + ": " + type + ", " + carry + ": " +
                     type + "):\n" + out + " = stablehlo." + g.randomKind(row) +
                     " " + in + ", " + carry + " : " + type +
                     "\nstablehlo.return " +
                     (g.random.chance(50) ? out : carry) + ", " + out + " : " +
                     type + ", " + type + "\n}";
  g.emitMany("chlo.scan", {x, g.need(row)}, {x.type, row},
             "dimension = " + std::to_string(dim) + " : i64, is_reverse = " +
                 (g.random.chance(40) ? "true" : "false") +
                 ", operandSegmentSizes = array<i32: 1, 1>, "
                 "resultSegmentSizes = array<i32: 1, 1>",
             body);
}

/// `count` branches chosen by `selector`, results of one or two types.
static void writeBranches(Generator &g, llvm::StringRef op,
                          const TextValue &selector, int64_t count) {
  std::vector<TextType> types;
  for (int64_t i = 0, n = g.random.in(1, 2); i < n; ++i)
    types.push_back(g.anyOf("fib").type);
  std::string regions;
  uint32_t varies = 0;
  for (int64_t i = 0; i < count; ++i)
    regions += (i ? ", " : "") + writeRegion(
                                     g, {}, types, "",
                                     [&]() {
                                       g.writeOps(g.random.in(1, 3));
                                       return std::vector<TextValue>();
                                     },
                                     varies);
  g.emitMany(op, selector, types, "", regions);
  setVaries(g, types.size(), varies);
}

void writeIf(Generator &g) {
  // A predicate that differs between devices must not guard collectives.
  if (g.frame->depth >= 2 || g.frame->manualAxes)
    return;
  writeBranches(g, "stablehlo.if", g.need({{}, "i1"}), 2);
}

void writeCase(Generator &g) {
  if (g.frame->depth >= 2 || g.frame->manualAxes)
    return;
  writeBranches(g, "stablehlo.case", g.need({{}, "i32"}), g.random.in(2, 3));
}

/// Writes the ops of another frame; its arguments and results are in `inner`.
static std::vector<TextValue> writeFrame(Generator &g, Frame &inner,
                                         int64_t ops) {
  Frame *outer = g.frame;
  inner.depth = outer->depth + 1;
  g.frame = &inner;
  g.writeOps(ops);
  std::vector<TextValue> results = g.chooseResults(g.random.in(1, 2));
  g.frame = outer;
  return results;
}

static void appendResults(Generator &g, std::string base,
                          llvm::ArrayRef<TextValue> results, uint32_t varies) {
  for (auto [index, result] : llvm::enumerate(results))
    g.frame->locals.push_back(
        {results.size() > 1 ? base + "#" + std::to_string(index) : base,
         result.type, true, varies});
}

static std::string join(llvm::ArrayRef<TextValue> values, bool types) {
  std::string text;
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : "") + (types ? value.type.str() : value.name);
  return text;
}

void writeCall(Generator &g) {
  if (g.frame->depth >= 2)
    return;
  Frame callee;
  callee.manualAxes = g.frame->manualAxes;
  std::vector<TextValue> results = writeFrame(g, callee, g.random.in(1, 3));
  std::string name = "@f" + std::to_string(g.nextId());
  std::string text = "func.func private " + name + "(";
  for (auto [index, argument] : llvm::enumerate(callee.arguments))
    text += (index ? ", " : "") + argument.name + ": " + argument.type.str();
  g.addFunction(text + ") -> (" + join(results, true) + ") {\n" + callee.text +
                "return " + join(results, false) + " : " + join(results, true) +
                "\n}\n");
  for (int64_t i = 0, calls = g.random.in(1, 2); i < calls; ++i) {
    std::vector<TextValue> operands;
    for (const TextValue &argument : callee.arguments)
      operands.push_back(g.need(argument.type));
    std::string base = g.name();
    g.line(base +
           (results.size() > 1 ? ":" + std::to_string(results.size()) : "") +
           " = func.call " + name + "(" + join(operands, false) + ") : (" +
           join(operands, true) + ") -> (" + join(results, true) + ")");
    appendResults(g, base, results, callee.manualAxes);
  }
}

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

/// A sharding of a value of a manual region: manual axes in `must` on some
/// dimension, others now and then. `type` becomes the whole type.
static std::string manualSharding(Generator &g, TextType &type, uint32_t must,
                                  uint32_t manual) {
  std::vector<std::string> dims(type.rank());
  std::vector<unsigned> axes;
  for (unsigned axis = 0; axis < g.axisSizes.size(); ++axis)
    if (manual >> axis & 1 && (must >> axis & 1 || g.random.chance(20)))
      axes.push_back(axis);
  g.random.shuffle(axes);
  if (type.rank())
    for (unsigned axis : axes) {
      int64_t dim = g.random.in(0, type.rank() - 1);
      type.dims[dim] *= g.axisSizes[axis];
      dims[dim] +=
          (dims[dim].empty() ? "\"" : ", \"") + g.axisName(axis) + "\"";
    }
  // Free axes follow the manual ones.
  for (unsigned axis = 0; axis < g.axisSizes.size(); ++axis)
    if (!(manual >> axis & 1) && type.rank() && g.random.chance(25)) {
      std::string &dim = dims[g.random.in(0, type.rank() - 1)];
      dim += (dim.empty() ? "\"" : ", \"") + g.axisName(axis) + "\"";
    }
  std::string text = "<@mesh, [";
  for (auto [index, dim] : llvm::enumerate(dims))
    text += (index ? ", {" : "{") + dim + "}";
  return text + "]>";
}

static TextValue allReduce(Generator &g, const TextValue &x, uint32_t axes,
                           llvm::StringRef kind) {
  int64_t size;
  TextValue result = g.emit(
      "stablehlo.all_reduce", x, x.type,
      "channel_handle = #stablehlo.channel_handle<handle = " +
          std::to_string(g.nextId() + 1) + ", type = 1>, replica_groups = " +
          g.replicaGroups(axes, size) + ", use_global_device_ids",
      g.combiner(kind, x.type.element));
  result.varies &= ~axes;
  g.frame->locals.back() = result;
  return result;
}

void writeManual(Generator &g) {
  if (g.frame->depth >= 2 || g.frame->manualAxes || !g.hasPlainDevices())
    return;
  Frame body;
  while (!body.manualAxes)
    for (unsigned axis = 0; axis < g.axisSizes.size(); ++axis)
      if (g.random.chance(65))
        body.manualAxes |= 1u << axis;
  std::vector<TextValue> results = writeFrame(g, body, g.random.in(2, 5));
  Frame *outer = g.frame;
  // A value without a dimension for the axes over which it varies is summed.
  g.frame = &body;
  for (TextValue &result : results)
    if (result.varies && (result.type.rank() == 0 || g.random.chance(15)))
      result = allReduce(g, result, result.varies,
                         result.type.isBool() ? "or" : "add");
  g.frame = outer;
  std::string ins, outs, arguments, axes;
  std::vector<TextValue> operands, wholes;
  for (auto [index, argument] : llvm::enumerate(body.arguments)) {
    TextType whole = argument.type;
    ins += (index ? ", " : "") +
           manualSharding(g, whole, g.random.chance(80) ? body.manualAxes : 0,
                          body.manualAxes);
    operands.push_back(g.need(whole));
    arguments +=
        (index ? ", " : "") + argument.name + ": " + argument.type.str();
  }
  for (auto [index, result] : llvm::enumerate(results)) {
    TextValue whole = result;
    outs += (index ? ", " : "") +
            manualSharding(g, whole.type, result.varies, body.manualAxes);
    wholes.push_back(whole);
  }
  for (unsigned axis = 0; axis < g.axisSizes.size(); ++axis)
    if (body.manualAxes >> axis & 1)
      axes += (axes.empty() ? "\"" : ", \"") + g.axisName(axis) + "\"";
  std::string base = g.name();
  g.line(base + (wholes.size() > 1 ? ":" + std::to_string(wholes.size()) : "") +
         " = sdy.manual_computation(" + join(operands, false) +
         ") in_shardings=[" + ins + "] out_shardings=[" + outs +
         "] manual_axes={" + axes + "} (" + arguments + ") {\n" + body.text +
         "sdy.return " + join(results, false) + " : " + join(results, true) +
         "\n} : (" + join(operands, true) + ") -> (" + join(wholes, true) +
         ")");
  appendResults(g, base, wholes, 0);
}

static void writeAxisIndex(Generator &g, unsigned axis) {
  TextType type{{}, "ui32"};
  int64_t below = 1;
  for (unsigned i = axis + 1; i < g.axisSizes.size(); ++i)
    below *= g.axisSizes[i];
  TextValue id = g.emit("stablehlo.partition_id", {}, type);
  auto number = [&](int64_t value) { return g.splat(type, value); };
  TextValue index = g.emit("stablehlo.divide", {id, number(below)}, type);
  index =
      g.emit("stablehlo.remainder", {index, number(g.axisSizes[axis])}, type);
  index = g.emit("stablehlo.convert", index, {{}, "i32"});
  for (size_t i = 0; i < 6; ++i)
    g.frame->locals.pop_back(); // raw ids are no values of the program
  index.varies = 1u << axis;
  TextValue x = g.need({{}, "i32"});
  TextValue sum = g.emit("stablehlo.add", {x, index}, index.type);
  g.frame->locals.back().varies |= index.varies;
  (void)sum;
}

void writeCollective(Generator &g) {
  uint32_t manual = g.frame->manualAxes;
  if (!manual)
    return writeManual(g);
  uint32_t axes = 0;
  while (!axes)
    for (unsigned axis = 0; axis < g.axisSizes.size(); ++axis)
      if (manual >> axis & 1 && g.random.chance(60))
        axes |= 1u << axis;
  unsigned axis = 0;
  while (!(axes >> axis & 1))
    ++axis;
  int64_t kind = g.random.in(0, 5), size = g.groupSize(axes);
  if (kind == 0)
    return writeAxisIndex(g, axis);
  TextValue x = g.anyOf("fi", kind == 1 ? 0 : 1);
  std::string channel = "channel_handle = #stablehlo.channel_handle<handle = " +
                        std::to_string(g.nextId() + 1) + ", type = 1>";
  std::string groups = ", replica_groups = " + g.replicaGroups(axes, size);
  int64_t dim = x.type.rank() ? g.random.in(0, x.type.rank() - 1) : 0;
  TextType result = x.type;
  uint32_t varies = x.varies;
  if (kind == 1) {
    const char *kinds[] = {"add", "add", "maximum", "minimum"};
    allReduce(g, x, axes, g.random.pick(kinds));
    return;
  }
  if (kind == 2) {
    result.dims[dim] *= size;
    if (result.count() > 300)
      return;
    g.emit("stablehlo.all_gather", x, result,
           "all_gather_dim = " + std::to_string(dim) + " : i64, " + channel +
               groups + ", use_global_device_ids");
    varies &= ~axes;
  } else if (kind == 3 || kind == 4) {
    // The dimension must divide by the group: broadcast a new one when not.
    if (x.type.dims[dim] % size) {
      TextType wide = x.type;
      wide.dims[dim] = size * g.random.in(1, 2);
      if (wide.count() > 300)
        return;
      x = g.need(wide);
      result = wide;
      varies = x.varies;
    }
    if (kind == 3) {
      result.dims[dim] /= size;
      g.emit("stablehlo.reduce_scatter", x, result,
             "scatter_dimension = " + std::to_string(dim) + " : i64, " +
                 channel + groups + ", use_global_device_ids",
             g.combiner("add", x.type.element));
    } else {
      int64_t to = g.random.in(0, x.type.rank() - 1);
      result.dims[dim] /= size;
      result.dims[to] *= size;
      g.emit("stablehlo.all_to_all", x, result,
             "split_dimension = " + std::to_string(dim) +
                 " : i64, concat_dimension = " + std::to_string(to) +
                 " : i64, split_count = " + std::to_string(size) + " : i64, " +
                 channel + groups);
    }
    varies |= axes;
  } else {
    int64_t below = 1, count = 0, n = g.axisSizes[axis];
    for (unsigned i = axis + 1; i < g.axisSizes.size(); ++i)
      below *= g.axisSizes[i];
    int64_t shift = g.random.in(1, n - 1);
    bool ring = g.random.chance(60);
    std::string pairs;
    for (int64_t device = 0; device < g.deviceCount(); ++device) {
      int64_t at = device / below % n, to = at + shift;
      if (to >= n && !ring)
        continue;
      pairs += (count++ ? ", " : "") +
               list({device, device + (to % n - at) * below});
    }
    g.emit("stablehlo.collective_permute", x, result,
           channel + ", source_target_pairs = dense<[" + pairs +
               "]> : tensor<" + std::to_string(count) + "x2xi64>");
    varies |= 1u << axis;
  }
  g.frame->locals.back().varies = varies;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

llvm::ArrayRef<Family> getFamilies() {
  static const Family families[] = {
      {"elementwise", 16, writeElementwise},
      {"compare", 2, writeCompare},
      {"select", 3, writeSelect},
      {"clamp", 2, writeClamp},
      {"convert", 2, writeConvert},
      {"iota", 3, writeIota},
      {"constant", 2, writeConstant},
      {"broadcast", 4, writeBroadcast},
      {"transpose", 4, writeTranspose},
      {"reshape", 6, writeReshape},
      {"reverse", 3, writeReverse},
      {"slice", 5, writeSlice},
      {"pad", 5, writePad},
      {"concatenate", 5, writeConcatenate},
      {"dot", 7, writeDot},
      {"convolution", 3, writeConvolution},
      {"reduce", 7, writeReduce},
      {"argmax", 2, writeArgmax},
      {"reduce_window", 3, writeReduceWindow},
      {"cumulative", 3, writeCumulative},
      {"sort", 3, writeSort},
      {"rng", 2, writeRng},
      {"top_k", 2, writeTopK},
      {"select_and_scatter", 2, writeSelectAndScatter},
      {"fft", 1, writeFft},
      {"batch_norm", 2, writeBatchNorm},
      {"composite", 2, writeComposite},
      {"dynamic", 2, writeDynamicOp},
      {"einsum", 2, writeEinsum},
      {"ragged_dot", 2, writeRaggedDot},
      {"factorization", 2, writeFactorization},
      {"bits", 2, writeBits},
      {"map", 1, writeMap},
      {"dynamic_slice", 4, writeDynamicSlice},
      {"dynamic_update_slice", 4, writeDynamicUpdateSlice},
      {"gather", 5, writeGather},
      {"scatter", 5, writeScatter},
      {"roll", 2, writeRoll},
      {"while", 3, writeWhile},
      {"stencil", 2, writeStencil},
      {"scan", 2, writeScan},
      {"if", 2, writeIf},
      {"case", 1, writeCase},
      {"call", 2, writeCall},
      {"manual", 3, writeManual},
      {"collective", 5, writeCollective},
      {"constraint", 6, writeConstraint},
      {"forwarded", 2, writeForwarded},
      {"barrier", 1, writeBarrier},
  };
  return families;
}

} // namespace partita
