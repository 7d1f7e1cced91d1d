// Tiles of a few results by a few vectors of features, whose sums stay in
// registers; the tile's code is compiled for several processors.
#include "DirectConvolution.h"
#include "Blas.h"
#include "Scratch.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <pthread.h>

using namespace partita::runtime;

namespace {

/// One tile: its results, and the part of the window that is summed.
template <typename T> struct Tile {
  const T *input;
  int64_t step;
  const WindowRun *runs, *runsEnd;
  const T *weights; ///< of the panel, a row for each element of the window
  T *output;
  int64_t resultStep;
  int64_t features;
  bool accumulate;
};

template <typename T, int bytes> struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
  static constexpr int lanes = bytes / int(sizeof(T));
};

/// Reads or writes `features` values, at most `vectors` vectors.
template <typename V, typename T, int vectors>
[[gnu::always_inline]] inline void loadSums(V *sums, const T *from,
                                            int64_t features) {
  constexpr int lanes = int(sizeof(V) / sizeof(T));
  if (features == vectors * lanes) {
    std::memcpy(sums, from, vectors * sizeof(V));
    return;
  }
  T values[vectors * lanes] = {};
  std::memcpy(values, from, features * sizeof(T));
  std::memcpy(sums, values, sizeof(values));
}

template <typename V, typename T, int vectors>
[[gnu::always_inline]] inline void storeSums(const V *sums, T *to,
                                             int64_t features) {
  constexpr int lanes = int(sizeof(V) / sizeof(T));
  if (features == vectors * lanes) {
    std::memcpy(to, sums, vectors * sizeof(V));
    return;
  }
  T values[vectors * lanes];
  std::memcpy(values, sums, sizeof(values));
  std::memcpy(to, values, features * sizeof(T));
}

template <typename T, int bytes, int results, int vectors>
[[gnu::always_inline]] inline void sumTile(const Tile<T> &tile) {
  using V = typename VectorOf<T, bytes>::type;
  constexpr int lanes = VectorOf<T, bytes>::lanes;
  V sums[results][vectors];
  for (int r = 0; r < results; ++r) {
    if (tile.accumulate)
      loadSums<V, T, vectors>(sums[r], tile.output + r * tile.resultStep,
                              tile.features);
    else
      for (int v = 0; v < vectors; ++v)
        sums[r][v] = V{};
  }
  const T *weights = tile.weights;
  for (const WindowRun *run = tile.runs; run != tile.runsEnd; ++run) {
    const T *input = tile.input + run->offset;
    for (int64_t k = 0; k < run->length; ++k) {
      V row[vectors];
      std::memcpy(row, weights, sizeof(row));
      weights += vectors * lanes;
      for (int r = 0; r < results; ++r) {
        V value = input[r * tile.step + k] - V{};
        for (int v = 0; v < vectors; ++v)
          sums[r][v] += value * row[v];
      }
    }
  }
  for (int r = 0; r < results; ++r)
    storeSums<V, T, vectors>(sums[r], tile.output + r * tile.resultStep,
                             tile.features);
}

constexpr int kTileResults = 6;

template <typename T, int bytes, int vectors>
[[gnu::always_inline]] inline void sumSome(const Tile<T> &tile,
                                           int64_t results) {
  switch (results) {
  case 1:
    return sumTile<T, bytes, 1, vectors>(tile);
  case 2:
    return sumTile<T, bytes, 2, vectors>(tile);
  case 3:
    return sumTile<T, bytes, 3, vectors>(tile);
  case 4:
    return sumTile<T, bytes, 4, vectors>(tile);
  case 5:
    return sumTile<T, bytes, 5, vectors>(tile);
  default:
    return sumTile<T, bytes, kTileResults, vectors>(tile);
  }
}

/// All results of one line for one panel of features, in tiles of like sizes:
/// one of a single result would take half the time of a full one.
template <typename T, int bytes, int vectors>
[[gnu::always_inline]] inline void sumLine(Tile<T> tile, int64_t perLine) {
  int64_t tiles = (perLine + kTileResults - 1) / kTileResults;
  for (int64_t i = 0; i < tiles; ++i) {
    int64_t results = perLine * (i + 1) / tiles - perLine * i / tiles;
    sumSome<T, bytes, vectors>(tile, results);
    tile.input += results * tile.step;
    tile.output += results * tile.resultStep;
  }
}

/// How a processor's code takes features: a panel of at most `maxVectors`.
template <typename T> struct Code {
  void (*line)(const Tile<T> &tile, int64_t perLine, int vectors) = nullptr;
  int lanes = 0, maxVectors = 0;
};

#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,fma"), gnu::noinline]] void
sumLineWithAVX512(const Tile<T> &tile, int64_t perLine, int vectors) {
  switch (vectors) {
  case 1:
    return sumLine<T, 64, 1>(tile, perLine);
  case 2:
    return sumLine<T, 64, 2>(tile, perLine);
  case 3:
    return sumLine<T, 64, 3>(tile, perLine);
  default:
    return sumLine<T, 64, 4>(tile, perLine);
  }
}

template <typename T>
[[gnu::target("avx2,fma"), gnu::noinline]] void
sumLineWithAVX2(const Tile<T> &tile, int64_t perLine, int vectors) {
  vectors == 1 ? sumLine<T, 32, 1>(tile, perLine)
               : sumLine<T, 32, 2>(tile, perLine);
}
#endif

template <typename T> Code<T> chooseCode() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool hasFMA = __builtin_cpu_supports("fma");
  if (hasFMA && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return {sumLineWithAVX512<T>, 64 / int(sizeof(T)), 4};
  if (hasFMA && __builtin_cpu_supports("avx2"))
    return {sumLineWithAVX2<T>, 32 / int(sizeof(T)), 2};
#endif
  return {};
}

template <typename T> const Code<T> &getCode() {
  static const Code<T> code = chooseCode<T>();
  return code;
}

/// Part of the window: whole runs, or pieces of them, of limited length.
struct WindowPart {
  std::vector<WindowRun> runs;
  int64_t rows;
};

/// At least one part, which may be empty.
std::vector<WindowPart> splitWindow(const std::vector<WindowRun> &runs,
                                    int64_t maxRows) {
  std::vector<WindowPart> parts{{{}, 0}};
  for (WindowRun run : runs)
    while (run.length > 0) {
      if (parts.back().rows == maxRows)
        parts.push_back({{}, 0});
      int64_t length = std::min(run.length, maxRows - parts.back().rows);
      parts.back().runs.push_back({run.offset, length, run.row});
      parts.back().rows += length;
      run.offset += length;
      run.row += length;
      run.length -= length;
    }
  return parts;
}

/// Weights at hand: most of a core's first cache.
constexpr int64_t panelBytes = int64_t(32) << 10;

/// Lines [begin, end).
template <typename T> class LineRange {
public:
  LineRange(const DirectConvolution &c, int64_t begin, int64_t end)
      : c(c), begin(begin), end(end) {}

  /// False if there is no memory.
  bool run() {
    const Code<T> &code = getCode<T>();
    int64_t widest = int64_t(code.lanes) * code.maxVectors;
    int64_t maxRows = panelBytes / (widest * int64_t(sizeof(T)));
    panel = Scratch(panelBytes);
    if (!panel)
      return false;
    std::vector<WindowPart> parts = splitWindow(c.runs, maxRows);
    for (int64_t at = begin; at < end; at += getBlock()) {
      int64_t to = std::min(at + getBlock(), end);
      for (int64_t feature = 0; feature < c.features; feature += widest) {
        int64_t features = std::min(widest, c.features - feature);
        int vectors = int((features + code.lanes - 1) / code.lanes);
        for (size_t i = 0; i < parts.size(); ++i) {
          packPanel(parts[i], feature, features, int64_t(vectors) * code.lanes);
          sumLines(parts[i], at, to, feature, features, vectors,
                   /*accumulate=*/i > 0);
        }
      }
    }
    return true;
  }

private:
  /// How many lines meet all panels before the next do: their input stays in a
  /// core's second cache, but packing must pay.
  int64_t getBlock() const {
    constexpr int64_t inputBytes = int64_t(1) << 20, leastResults = 256;
    int64_t step =
        c.lines.size() > 1 ? std::abs(c.lines[1].input - c.lines[0].input) : 1;
    return std::max({int64_t(1), inputBytes / int64_t((step + 1) * sizeof(T)),
                     leastResults / std::max<int64_t>(1, c.perLine)});
  }

  /// Rows of the weights, one after the other, filled up with zeros.
  void packPanel(const WindowPart &part, int64_t feature, int64_t features,
                 int64_t width) {
    T *to = panel.as<T>();
    for (const WindowRun &run : part.runs) {
      auto *from = static_cast<const T *>(c.weights) +
                   run.row * c.weightStride + feature;
      for (int64_t row = 0; row < run.length; ++row) {
        std::memcpy(to, from, features * sizeof(T));
        std::fill(to + features, to + width, T());
        from += c.weightStride;
        to += width;
      }
    }
  }

  void sumLines(const WindowPart &part, int64_t from, int64_t to,
                int64_t feature, int64_t features, int vectors,
                bool accumulate) {
    Tile<T> tile{};
    tile.step = c.step;
    tile.runs = part.runs.data();
    tile.runsEnd = tile.runs + part.runs.size();
    tile.weights = panel.as<T>();
    tile.resultStep = c.resultStep;
    tile.features = features;
    tile.accumulate = accumulate;
    for (int64_t line = from; line < to; ++line) {
      tile.input = static_cast<const T *>(c.input) + c.lines[line].input;
      tile.output = static_cast<T *>(c.output) + c.lines[line].output + feature;
      getCode<T>().line(tile, c.perLine, vectors);
    }
  }

  const DirectConvolution &c;
  int64_t begin, end;
  Scratch panel;
};

template <typename T> void convolve(const DirectConvolution &c) {
  int64_t lines = int64_t(c.lines.size()), work = 0;
  for (const WindowRun &run : c.runs)
    work += run.length;
  work *= lines * c.perLine * c.features;
  // A thread for at least a few million sums: starting one takes their time.
  constexpr int64_t leastWork = int64_t(1) << 24;
  int64_t count = std::max<int64_t>(
      1, std::min({int64_t(getBlasThreads()), work / leastWork, lines}));
  std::atomic<bool> fits = true;
  std::vector<std::function<void()>> jobs;
  for (int64_t i = 0; i < count; ++i)
    jobs.push_back([&, i] {
      if (!LineRange<T>(c, lines * i / count, lines * (i + 1) / count).run())
        fits = false;
    });
  std::vector<pthread_t> helpers;
  for (int64_t i = 1; i < count; ++i) {
    pthread_t helper;
    auto call = [](void *job) -> void * {
      (*static_cast<std::function<void()> *>(job))();
      return nullptr;
    };
    if (pthread_create(&helper, nullptr, call, &jobs[i]) == 0)
      helpers.push_back(helper);
    else
      jobs[i]();
  }
  jobs[0]();
  for (pthread_t helper : helpers)
    pthread_join(helper, nullptr);
  if (!fits)
    Scratch::noteFailure(panelBytes);
}

} // namespace

bool partita::runtime::isDirectFaster(partita_dtype dtype, int64_t features) {
  int lanes = dtype == PARTITA_F32   ? getCode<float>().lanes
              : dtype == PARTITA_F64 ? getCode<double>().lanes
                                     : 0;
  return lanes > 0 && 2 * features > lanes;
}

void partita::runtime::convolveDirectly(const DirectConvolution &c) {
  c.dtype == PARTITA_F32 ? convolve<float>(c) : convolve<double>(c);
}
