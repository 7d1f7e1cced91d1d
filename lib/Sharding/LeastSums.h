// The inner loops of the placement solver, inlined into functions that are
// compiled for several instruction sets.
#ifndef PARTITA_LIB_SHARDING_LEASTSUMS_H
#define PARTITA_LIB_SHARDING_LEASTSUMS_H

#include "partita/Sharding/PlacementGraph.h"
#include <algorithm>

// Most of the solver's time, and faster with wider vectors.
#if defined(__x86_64__) && defined(__linux__)
#define PARTITA_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define PARTITA_VECTORISED
#endif

namespace partita {

/// `width` of the columns, which stay in registers.
template <unsigned width>
__attribute__((always_inline)) inline void
takeLeastOf(const double *table, const double *costs, unsigned rows,
            double *least, unsigned columns) {
  double found[width];
  std::fill(found, found + width, infiniteCost);
  for (unsigned i = 0; i < rows; ++i, table += columns)
    for (unsigned j = 0; j < width; ++j) {
      double sum = costs[i] + table[j];
      found[j] = sum < found[j] ? sum : found[j];
    }
  std::copy(found, found + width, least);
}

/// least[j] = min over i of costs[i] + table[i * columns + j].
__attribute__((always_inline)) inline void
takeLeast(const double *table, const double *costs, unsigned rows,
          double *least, unsigned columns) {
  if (columns < 4) {
    for (unsigned j = 0; j < columns; ++j)
      takeLeastOf<1>(table + j, costs, rows, least + j, columns);
    return;
  }
  unsigned j = 0;
  for (; j + 16 <= columns; j += 16)
    takeLeastOf<16>(table + j, costs, rows, least + j, columns);
  for (; j + 8 <= columns; j += 8)
    takeLeastOf<8>(table + j, costs, rows, least + j, columns);
  for (; j + 4 <= columns; j += 4)
    takeLeastOf<4>(table + j, costs, rows, least + j, columns);
  // The last four, some of them again.
  if (j < columns)
    takeLeastOf<4>(table + columns - 4, costs, rows, least + columns - 4,
                   columns);
}

} // namespace partita

#endif
