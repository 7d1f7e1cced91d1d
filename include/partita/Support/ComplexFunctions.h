// Functions of complex numbers, by name. Double precision.
#ifndef PARTITA_SUPPORT_COMPLEXFUNCTIONS_H
#define PARTITA_SUPPORT_COMPLEXFUNCTIONS_H

#include <complex>
#include <cstdint>
#include <string_view>

namespace partita {

/// Position of the function in the table of all; -1 if there is none. Names are
/// those of StableHLO and CHLO ops without the dialect.
int64_t findComplexFunction(std::string_view name);

/// Number of functions, and of operands of one.
int64_t getNumComplexFunctions();
int64_t getNumComplexOperands(int64_t function);

/// The function of `a` and, if it takes two operands, `b`.
std::complex<double> evaluateComplex(int64_t function, std::complex<double> a,
                                     std::complex<double> b);

} // namespace partita

#endif
