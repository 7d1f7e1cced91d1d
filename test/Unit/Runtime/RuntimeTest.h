// Descriptors and buffers for tests of the runtime.
#ifndef PARTITA_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define PARTITA_TEST_UNIT_RUNTIME_RUNTIMETEST_H

#include "../../../lib/Runtime/Numbers.h"
#include "partita/Runtime/World.h"
#include "gtest/gtest.h"
#include <complex>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace partita::runtime::testing {

using Words = std::vector<int64_t>;

struct Type {
  partita_dtype dtype;
  Words shape;
};

/// Builds the words of a call.
class Call {
public:
  Call(int64_t opId, std::vector<Type> inputs, std::vector<Type> outputs)
      : words{opId, 0, int64_t(inputs.size()), int64_t(outputs.size())} {
    for (auto &types : {inputs, outputs})
      for (const Type &type : types) {
        add(type.dtype);
        list(type.shape);
      }
    words[1] = int64_t(words.size());
  }
  Call &add(int64_t word) {
    words.push_back(word);
    words[1] = int64_t(words.size());
    return *this;
  }
  Call &list(const Words &items) {
    add(int64_t(items.size()));
    for (int64_t item : items)
      add(item);
    return *this;
  }
  Call &items(const Words &items) {
    for (int64_t item : items)
      add(item);
    return *this;
  }
  /// Groups of equal size.
  Call &groups(const std::vector<Words> &table) {
    add(int64_t(table.size())).add(table.empty() ? 0 : int64_t(table[0].size()));
    for (const Words &group : table)
      items(group);
    return *this;
  }
  const int64_t *get() const { return words.data(); }
  Words words;
};

using Function = void (*)(partita_context *, const int64_t *, void *const *);

/// Runs a kernel on one device; the error text, "" if none.
inline std::string runOne(Function function, Call call, std::vector<void *> buffers) {
  World world({});
  return world.run([&](partita_context *context) {
    function(context, call.get(), buffers.data());
  });
}

/// Small values of both signs, of which floats hold every sum and product.
template <typename T> std::vector<T> makeData(int64_t n, int64_t seed = 1) {
  std::vector<T> data(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t value = (i * 37 + seed * 11 + i / 7) % 13 - 6;
    if constexpr (isComplex<T>)
      data[i] = T(typename T::value_type(value), typename T::value_type(value % 4));
    else if constexpr (isHalf<T>)
      data[i] = T(float(value) / 4);
    else if constexpr (std::is_same_v<T, Bool>)
      data[i] = T(value > 0);
    else if constexpr (std::is_integral_v<T>)
      data[i] = T(value);
    else
      data[i] = T(value) / T(4);
  }
  return data;
}

/// A body for the kernels that take one.
inline void addFloats(void *const *arguments, void *const *results) {
  *static_cast<float *>(results[0]) =
      *static_cast<float *>(arguments[0]) + *static_cast<float *>(arguments[1]);
}

} // namespace partita::runtime::testing

#endif
