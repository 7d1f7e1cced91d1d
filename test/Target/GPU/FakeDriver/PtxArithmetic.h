// What PTX's instructions compute on registers, which hold raw bits.
#ifndef PARTITA_TEST_FAKEDRIVER_PTXARITHMETIC_H
#define PARTITA_TEST_FAKEDRIVER_PTXARITHMETIC_H

#include "Ptx.h"

namespace ptx {

int getBits(Type type);
bool isSigned(Type type);
uint64_t truncate(uint64_t value, int bits);
/// The value as 64 bits: signed types with their sign.
int64_t extend(uint64_t value, Type type);

/// Instructions of up to three operands; what is unknown sets `error`.
uint64_t compute(const Instruction &i, bool &carry, uint64_t a, uint64_t b,
                 uint64_t c, std::string &error);
uint64_t convert(const Instruction &i, uint64_t a, std::string &error);
bool compare(const Instruction &i, uint64_t a, uint64_t b);

} // namespace ptx

#endif
