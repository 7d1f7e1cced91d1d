// Descriptor words and names of element types.
#include "Descriptor.h"

using namespace partita::runtime;

int64_t partita::runtime::getElementBytes(partita_dtype dtype) {
  static constexpr int8_t bytes[] = {8, 4, 2, 2, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
  return bytes[dtype];
}

const char *partita::runtime::getName(partita_dtype dtype) {
  static constexpr const char *names[] = {"f64",  "f32",  "bf16", "f16",  "i1",
                                          "i8",   "i16",  "i32",  "i64",  "ui8",
                                          "ui16", "ui32", "ui64", "c64",  "c128"};
  return names[dtype];
}

const char *partita::runtime::getName(partita_reduction kind) {
  static constexpr const char *names[] = {"add", "mul", "max", "min", "and",
                                          "or",  "xor", "set", "body"};
  return kind >= 0 && kind <= PARTITA_BODY ? names[kind] : "unknown";
}

Descriptor::Descriptor(const int64_t *words) : words(words), size(words[1]) {
  int64_t numInputs = size >= 4 ? words[2] : 0, numOutputs = size >= 4 ? words[3] : 0;
  if (size < 4 || numInputs < 0 || numOutputs < 0 || numInputs + numOutputs > size) {
    valid = false;
    return;
  }
  inputs.reserve(numInputs);
  outputs.reserve(numOutputs);
  for (int64_t i = 0; i < numInputs; ++i)
    inputs.push_back(nextType());
  for (int64_t i = 0; i < numOutputs; ++i)
    outputs.push_back(nextType());
}

int64_t Descriptor::next() {
  if (at >= size) {
    valid = false;
    return 0;
  }
  return words[at++];
}

Shape Descriptor::nextItems(int64_t count) {
  if (count < 0 || count > size - at) {
    valid = false;
    return {};
  }
  at += count;
  return Shape(words + at - count, words + at);
}

Shape Descriptor::nextList() { return nextItems(next()); }

BufferType Descriptor::nextType() {
  BufferType type;
  int64_t dtype = next();
  if (dtype < PARTITA_F64 || dtype > PARTITA_C128)
    valid = false;
  else
    type.dtype = partita_dtype(dtype);
  type.shape = nextList();
  return type;
}
