// Dynamic slices and updates, gathers and scatters.

#include "Families.h"
#include "llvm/ADT/STLExtras.h"

namespace partita {

/// A start index: an input, possibly moved out of range, or a constant.
static TextValue startIndex(Generator &g) {
  TextType type{{}, "i32"};
  if (g.random.chance(25))
    return g.splat(type, g.random.in(-3, 9));
  TextValue start = g.need(type);
  if (g.random.chance(30))
    start = g.emit("stablehlo.add", {start, g.splat(type, g.random.in(-4, 4))},
                   type);
  return start;
}

static TextType windowOf(Generator &g, const TextType &type) {
  TextType window{{}, type.element};
  for (int64_t dim : type.dims)
    window.dims.push_back(g.random.chance(35) ? dim : g.random.in(1, dim));
  return window;
}

void writeDynamicSlice(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  TextType window = windowOf(g, x.type);
  std::vector<TextValue> operands = {x};
  for (int64_t i = 0; i < x.type.rank(); ++i)
    operands.push_back(startIndex(g));
  g.emit("stablehlo.dynamic_slice", operands, window,
         "slice_sizes = " + i64Array(window.dims));
}

void writeDynamicUpdateSlice(Generator &g) {
  TextValue x = g.anyOf("fibc", 1);
  std::vector<TextValue> operands = {x, g.need(windowOf(g, x.type))};
  for (int64_t i = 0; i < x.type.rank(); ++i)
    operands.push_back(startIndex(g));
  g.emit("stablehlo.dynamic_update_slice", operands, x.type);
}

namespace {
/// Dimension numbers of a gather or scatter over an operand.
struct Numbers {
  Dims sliceSizes, collapsed, batching, indexBatching, indexMap;
  Dims offsetSizes;  ///< sizes of window dimensions in result or updates
  TextType indices;  ///< of the start indices
  int64_t vectorDim; ///< index_vector_dim
  Dims batchSizes;   ///< sizes of the batch dimensions of the result
  Dims offsetDims;   ///< where the windows lie in the result
  TextType result;
};
} // namespace

static Numbers chooseNumbers(Generator &g, const TextType &operand,
                             bool points) {
  Numbers n;
  Dims batchSizes;
  for (auto [dim, size] : llvm::enumerate(operand.dims)) {
    int64_t roll = g.random.in(0, 99);
    if (roll < 20 && !points) {
      n.batching.push_back(dim);
      n.sliceSizes.push_back(1);
    } else if (roll < 55 || (points && n.indexMap.empty())) {
      n.indexMap.push_back(dim);
      n.collapsed.push_back(dim);
      n.sliceSizes.push_back(1);
    } else {
      bool indexed = !points && roll < 75;
      int64_t window = indexed || (!points && g.random.chance(20))
                           ? g.random.in(1, size)
                           : size;
      if (indexed)
        n.indexMap.push_back(dim);
      n.sliceSizes.push_back(window);
      n.offsetSizes.push_back(window);
    }
  }
  if (n.indexMap.empty())
    return n;
  g.random.shuffle(n.indexMap);
  // Index batches: those of the operand and free ones, shuffled.
  std::vector<std::pair<int64_t, int64_t>> batches;
  for (auto [i, dim] : llvm::enumerate(n.batching))
    batches.push_back({operand.dims[dim], i});
  for (int64_t i = 0, extra = g.random.in(points ? 1 : 0, 2);
       i < extra && batches.size() < 2; ++i)
    batches.push_back({g.random.in(1, 6), -1});
  g.random.shuffle(batches);
  bool implicit = n.indexMap.size() == 1 && g.random.chance(40);
  n.vectorDim = implicit || g.random.chance(60)
                    ? batches.size()
                    : g.random.in(0, batches.size());
  n.indexBatching.resize(n.batching.size());
  n.indices.element = g.random.chance(90) ? "i32" : "ui32";
  for (auto [at, batch] : llvm::enumerate(batches)) {
    n.indices.dims.push_back(batch.first);
    n.batchSizes.push_back(batch.first);
    if (batch.second >= 0)
      n.indexBatching[batch.second] =
          at + (!implicit && int64_t(at) >= n.vectorDim);
  }
  if (!implicit)
    n.indices.dims.insert(n.indices.dims.begin() + n.vectorDim,
                          n.indexMap.size());
  // Windows at random places of the result.
  int64_t rank = n.batchSizes.size() + n.offsetSizes.size();
  Dims places;
  for (int64_t i = 0; i < rank; ++i)
    places.push_back(i);
  if (g.random.chance(60))
    std::rotate(places.begin(), places.begin() + n.batchSizes.size(),
                places.end());
  else
    g.random.shuffle(places);
  places.resize(n.offsetSizes.size());
  llvm::sort(places);
  n.offsetDims = places;
  n.result.element = operand.element;
  for (int64_t at = 0, window = 0, batch = 0; at < rank; ++at)
    n.result.dims.push_back(llvm::is_contained(places, at)
                                ? n.offsetSizes[window++]
                                : n.batchSizes[batch++]);
  return n;
}

void writeGather(Generator &g) {
  TextValue x = g.anyOf("fibc", 1, 3);
  Numbers n = chooseNumbers(g, x.type, false);
  if (n.indexMap.empty() || n.result.count() > 300 || n.result.rank() > 4)
    return;
  TextValue indices = g.need(n.indices);
  g.emit("stablehlo.gather", {x, indices}, n.result,
         "dimension_numbers = #stablehlo.gather<offset_dims = " +
             list(n.offsetDims) +
             ", collapsed_slice_dims = " + list(n.collapsed) +
             ", operand_batching_dims = " + list(n.batching) +
             ", start_indices_batching_dims = " + list(n.indexBatching) +
             ", start_index_map = " + list(n.indexMap) +
             ", index_vector_dim = " + std::to_string(n.vectorDim) +
             ">, indices_are_sorted = false, slice_sizes = " +
             i64Array(n.sliceSizes));
}

void writeScatter(Generator &g) {
  TextValue x = g.anyOf("fic", 1, 3);
  // Replacing is defined only where no two updates meet: distinct rows.
  bool replace = g.random.chance(15);
  Numbers n = chooseNumbers(g, x.type, replace);
  if (n.indexMap.empty() || n.result.count() > 300 || n.result.rank() > 4)
    return;
  TextValue indices;
  std::string body;
  if (replace) {
    if (n.indexMap.size() > 1 || n.batchSizes.size() != 1 ||
        n.indices.rank() > 2 || (n.indices.rank() == 2 && n.vectorDim != 1))
      return;
    Dims rows;
    for (int64_t i = 0; i < n.batchSizes[0] + 2; ++i)
      rows.push_back(i);
    g.random.shuffle(rows);
    std::string text;
    for (int64_t i = 0; i < n.batchSizes[0]; ++i) {
      std::string row = std::to_string(rows[i]);
      text += (i ? ", " : "") + (n.indices.rank() == 2 ? "[" + row + "]" : row);
    }
    indices = {g.name(), n.indices, false, 0};
    g.line(indices.name + " = stablehlo.constant dense<[" + text +
           "]> : " + n.indices.str());
    std::string a = g.name(), b = g.name(),
                e = "tensor<" + x.type.element + ">";
    body = "{\n^bb0(" + a + ": " + e + ", " + b + ": " + e +
           "):\nstablehlo.return " + b + " : " + e + "\n}";
  } else {
    indices = g.need(n.indices);
    body = g.randomCombiner(x.type);
  }
  TextValue updates = g.need(n.result);
  g.emit(
      "stablehlo.scatter", {x, indices, updates}, x.type,
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
          list(n.offsetDims) + ", inserted_window_dims = " + list(n.collapsed) +
          ", input_batching_dims = " + list(n.batching) +
          ", scatter_indices_batching_dims = " + list(n.indexBatching) +
          ", scatter_dims_to_operand_dims = " + list(n.indexMap) +
          ", index_vector_dim = " + std::to_string(n.vectorDim) +
          ">, indices_are_sorted = false, unique_indices = " +
          (replace ? "true" : "false"),
      body);
}

} // namespace partita
