// Folds of arrays, vectorised over blocks that stay in the first cache.
#include "Reduce.h"
#include "Numbers.h"
#include <algorithm>
#include <array>

using namespace partita::runtime;

template <typename T, partita_reduction kind>
static void reduceTyped(const std::vector<const void *> &inputs,
                        const std::vector<void *> &outputs, int64_t begin, int64_t end) {
  using W = Wide<T>;
  constexpr int64_t block = 1024;
  W sum[block];
  for (int64_t at = begin; at < end; at += block) {
    int64_t n = std::min(block, end - at);
    for (size_t m = 0; m < inputs.size(); ++m) {
      const T *in = static_cast<const T *>(inputs[m]) + at;
      if (m == 0)
        for (int64_t i = 0; i < n; ++i)
          sum[i] = W(in[i]);
      else
        for (int64_t i = 0; i < n; ++i)
          sum[i] = combine<kind>(sum[i], W(in[i]));
    }
    T *first = static_cast<T *>(outputs[0]) + at;
    for (int64_t i = 0; i < n; ++i)
      first[i] = T(sum[i]);
    for (size_t m = 1; m < outputs.size(); ++m)
      std::memcpy(static_cast<T *>(outputs[m]) + at, first, n * sizeof(T));
  }
}

void partita::runtime::reduceArrays(partita_dtype dtype, partita_reduction kind,
                                    const std::vector<const void *> &inputs,
                                    const std::vector<void *> &outputs, int64_t begin,
                                    int64_t end) {
  dispatch(dtype, [&](auto type) {
    dispatchKind(kind, [&](auto k) {
      reduceTyped<decltype(type), decltype(k)::value>(inputs, outputs, begin, end);
    });
  });
}

void partita::runtime::reduceByBody(const std::vector<int64_t> &elementBytes,
                                    partita_body body,
                                    const std::vector<std::vector<const char *>> &inputs,
                                    const std::vector<std::vector<char *>> &outputs,
                                    int64_t begin, int64_t end) {
  size_t count = elementBytes.size();
  std::vector<std::array<char, 16>> sums(count), next(count);
  std::vector<void *> arguments(2 * count), results(count);
  for (size_t v = 0; v < count; ++v) {
    arguments[v] = sums[v].data();
    results[v] = next[v].data();
  }
  for (int64_t i = begin; i < end; ++i) {
    for (size_t v = 0; v < count; ++v)
      std::memcpy(sums[v].data(), inputs[0][v] + i * elementBytes[v], elementBytes[v]);
    for (size_t m = 1; m < inputs.size(); ++m) {
      for (size_t v = 0; v < count; ++v)
        arguments[count + v] = const_cast<char *>(inputs[m][v] + i * elementBytes[v]);
      body(arguments.data(), results.data());
      for (size_t v = 0; v < count; ++v)
        sums[v] = next[v];
      // `arguments` point into `sums`, whose cells stay where they are.
    }
    for (const std::vector<char *> &output : outputs)
      for (size_t v = 0; v < count; ++v)
        std::memcpy(output[v] + i * elementBytes[v], sums[v].data(), elementBytes[v]);
  }
}

void partita::runtime::accumulate(partita_dtype dtype, partita_reduction kind,
                                  void *target, const void *source, int64_t step,
                                  int64_t count) {
  dispatch(dtype, [&](auto type) {
    using T = decltype(type);
    using W = Wide<T>;
    dispatchKind(kind, [&](auto k) {
      T *to = static_cast<T *>(target);
      const T *from = static_cast<const T *>(source);
      if (step == 1)
        for (int64_t i = 0; i < count; ++i)
          to[i] = T(combine<decltype(k)::value>(W(to[i]), W(from[i])));
      else
        for (int64_t i = 0; i < count; ++i)
          to[i] = T(combine<decltype(k)::value>(W(to[i]), W(from[i * step])));
    });
  });
}
