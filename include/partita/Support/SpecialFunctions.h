// Special functions of CHLO that the C library lacks. Double precision.
#ifndef PARTITA_SUPPORT_SPECIALFUNCTIONS_H
#define PARTITA_SUPPORT_SPECIALFUNCTIONS_H

namespace partita {

double digamma(double x);
/// Hurwitz zeta function.
double zeta(double x, double q);
/// Derivative n + 1 of the logarithm of gamma.
double polygamma(double n, double x);
double erfInverse(double x);
/// The same to the precision of f32, and much faster (M. Giles, "Approximating
/// the erfinv function", 2010).
float erfInverseF32(float x);
/// exp(-|x|) I1(x).
double besselI1e(double x);

} // namespace partita

#endif
