#include "engine/core/rng.h"

#include <bit>
#include <cmath>

namespace headlight {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits with full avalanche.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// ln(x) for x in (0, 1) from +, -, *, / only (IEEE-exact operations), so that the last bit does not depend on a libm: x = m 2^e
// with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m-1)/(m+1)) by its series.
double portable_log(double x) {
  const auto raw = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>((raw >> 52) & 0x7ff) - 1023;
  double m = std::bit_cast<double>((raw & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0.0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return exponent * 0.6931471805599453 + 2.0 * s * sum;
}

// P. J. Acklam's inverse of the normal distribution function (2003).
double inverse_normal(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double low = 0.02425;
  if (p < low || p > 1.0 - low) {
    const double tail = p < low ? p : 1.0 - p;
    const double q = std::sqrt(-2.0 * portable_log(tail));
    const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                     ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    return p < low ? x : -x;
  }
  const double q = p - 0.5;
  const double r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::string_view tensor) {
  std::uint64_t h = 0xcbf29ce484222325ULL;  // FNV-1a of the name, then mixed with the seed
  for (const char ch : tensor) h = (h ^ static_cast<unsigned char>(ch)) * 0x100000001b3ULL;
  key_ = mix(mix(seed) ^ h);
}

std::uint64_t Rng::bits(std::uint64_t row, std::uint64_t column) const {
  return mix(mix(key_ + row) ^ (column * 0xd1342543de82ef95ULL + 1));
}

double Rng::uniform(std::uint64_t row, std::uint64_t column) const {
  return static_cast<double>(bits(row, column) >> 11) * 0x1.0p-53;
}

double Rng::normal(std::uint64_t row, std::uint64_t column) const {
  // The argument is shifted by half a step into (0, 1), so it is never 0 or 1.
  return inverse_normal((static_cast<double>(bits(row, column) >> 12) + 0.5) * 0x1.0p-52);
}

}  // namespace headlight
