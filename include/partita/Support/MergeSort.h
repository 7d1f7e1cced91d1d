// The sort of the evaluator and of the runtime: the same order from both, also
// where the comparator is none.
#ifndef PARTITA_SUPPORT_MERGESORT_H
#define PARTITA_SUPPORT_MERGESORT_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace partita {

/// Sorts `order`, stably; `scratch` has its size. Unlike std::stable_sort it
/// bears a comparator that is no order, as that of floats with NaN: which items
/// are compared depends on what `less(a, b)` has said alone.
template <typename Less>
void mergeSort(std::vector<int64_t> &order, std::vector<int64_t> &scratch,
               Less less) {
  int64_t n = int64_t(order.size());
  constexpr int64_t run = 8; // by insertion
  for (int64_t begin = 0; begin < n; begin += run)
    for (int64_t i = begin + 1; i < std::min(begin + run, n); ++i) {
      int64_t item = order[i], j = i;
      for (; j > begin && less(item, order[j - 1]); --j)
        order[j] = order[j - 1];
      order[j] = item;
    }
  for (int64_t width = run; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      int64_t middle = std::min(begin + width, n),
              end = std::min(begin + 2 * width, n);
      int64_t i = begin, j = middle, k = begin;
      while (i < middle && j < end)
        scratch[k++] = less(order[j], order[i]) ? order[j++] : order[i++];
      while (i < middle)
        scratch[k++] = order[i++];
      while (j < end)
        scratch[k++] = order[j++];
    }
    std::swap(order, scratch);
  }
}

} // namespace partita

#endif
