// Strided copies; the inner loops are typed by element size.
#include "Strided.h"
#include <algorithm>
#include <cstring>

using namespace partita::runtime;

namespace {
struct Pair {
  uint64_t a, b;
};

/// One loop of a copy.
struct Loop {
  int64_t size, to, from;
};
} // namespace

/// Drops loops of one step and merges neighbours that are one run.
static std::vector<Loop> makeLoops(const Shape &toStrides, const Shape &fromStrides,
                                   const Shape &sizes) {
  std::vector<Loop> loops;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1)
      continue;
    Loop loop{sizes[d], toStrides[d], fromStrides[d]};
    if (!loops.empty() && loops.back().to == loop.to * loop.size &&
        loops.back().from == loop.from * loop.size) {
      loops.back() = {loops.back().size * loop.size, loop.to, loop.from};
      continue;
    }
    loops.push_back(loop);
  }
  return loops;
}

/// The last two loops in tiles, so that both sides are read by cache lines.
template <typename T>
static void copyPlane(T *to, const T *from, const Loop &outer, const Loop &inner) {
  constexpr int64_t tile = 16;
  if (inner.from == 1 && inner.to == 1) {
    for (int64_t i = 0; i < outer.size; ++i)
      std::memcpy(to + i * outer.to, from + i * outer.from, inner.size * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < outer.size; i += tile)
    for (int64_t j = 0; j < inner.size; j += tile) {
      int64_t iEnd = std::min(i + tile, outer.size), jEnd = std::min(j + tile, inner.size);
      for (int64_t a = i; a < iEnd; ++a)
        for (int64_t b = j; b < jEnd; ++b)
          to[a * outer.to + b * inner.to] = from[a * outer.from + b * inner.from];
    }
}

template <typename T>
static void copyLoops(T *to, const T *from, const std::vector<Loop> &loops) {
  Loop none{1, 0, 0};
  size_t n = loops.size();
  const Loop &inner = n > 0 ? loops[n - 1] : none, &outer = n > 1 ? loops[n - 2] : none;
  Shape sizes;
  for (size_t d = 0; d + 2 < n; ++d)
    sizes.push_back(loops[d].size);
  forEachIndex(sizes, [&](const Shape &index) {
    int64_t t = 0, f = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      t += index[d] * loops[d].to;
      f += index[d] * loops[d].from;
    }
    copyPlane(to + t, from + f, outer, inner);
  });
}

void partita::runtime::copyStrided(void *to, const Shape &toStrides, const void *from,
                                   const Shape &fromStrides, const Shape &sizes,
                                   int64_t bytes) {
  for (int64_t size : sizes)
    if (size <= 0)
      return;
  std::vector<Loop> loops = makeLoops(toStrides, fromStrides, sizes);
  auto copy = [&](auto type) {
    using T = decltype(type);
    copyLoops(static_cast<T *>(to), static_cast<const T *>(from), loops);
  };
  switch (bytes) {
  case 1: return copy(uint8_t());
  case 2: return copy(uint16_t());
  case 4: return copy(uint32_t());
  case 8: return copy(uint64_t());
  default: return copy(Pair());
  }
}

bool partita::runtime::isIdentity(const Shape &shape, const Shape &permutation) {
  int64_t last = -1;
  for (int64_t d : permutation) {
    if (shape[d] == 1)
      continue;
    if (d < last)
      return false;
    last = d;
  }
  return true;
}

void partita::runtime::transpose(void *to, const void *from, const Shape &shape,
                                 const Shape &permutation, int64_t bytes) {
  Shape strides = getStrides(shape), sizes, fromStrides;
  for (int64_t d : permutation) {
    sizes.push_back(shape[d]);
    fromStrides.push_back(strides[d]);
  }
  copyStrided(to, getStrides(sizes), from, fromStrides, sizes, bytes);
}
