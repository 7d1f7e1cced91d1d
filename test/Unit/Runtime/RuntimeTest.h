// Descriptors and buffers for tests of the runtime.
#ifndef PARTITA_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define PARTITA_TEST_UNIT_RUNTIME_RUNTIMETEST_H

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

} // namespace partita::runtime::testing

#endif
