// Reads the words of a call (see partita/Runtime/ABI.h).
#ifndef PARTITA_LIB_RUNTIME_DESCRIPTOR_H
#define PARTITA_LIB_RUNTIME_DESCRIPTOR_H

#include "partita/Runtime/ABI.h"
#include <cstddef>
#include <vector>

namespace partita::runtime {

using Shape = std::vector<int64_t>;

/// Product of the sizes.
inline int64_t getVolume(const Shape &shape) {
  int64_t volume = 1;
  for (int64_t size : shape)
    volume *= size;
  return volume;
}

/// Bytes of one element.
int64_t getElementBytes(partita_dtype dtype);
const char *getName(partita_dtype dtype);
const char *getName(partita_reduction kind);

struct BufferType {
  partita_dtype dtype = PARTITA_F32;
  Shape shape;
  int64_t getCount() const { return getVolume(shape); }
  int64_t getBytes() const { return getCount() * getElementBytes(dtype); }
  int64_t rank() const { return int64_t(shape.size()); }
};

/// Header fields and a cursor over the words after them. Reading past the end
/// gives 0 and clears `isValid`.
class Descriptor {
public:
  explicit Descriptor(const int64_t *words);

  int64_t next();
  Shape nextList();
  Shape nextItems(int64_t count);
  Shape nextRest() { return nextItems(size - at); }
  bool isValid() const { return valid; }
  int64_t getOpId() const { return words[0]; }

  std::vector<BufferType> inputs, outputs;

private:
  BufferType nextType();

  const int64_t *words;
  int64_t size, at = 4;
  bool valid = true;
};

} // namespace partita::runtime

#endif
