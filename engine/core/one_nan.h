// NaN in texts has one spelling, "nan", whatever its sign bit is.
#pragma once

#include <cmath>
#include <limits>

namespace headlight {

// The number; of every NaN the one that printf writes without a sign. one_nan(-std::nan("")) prints as "nan".
inline double one_nan(double number) { return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number; }
inline float one_nan(float number) { return std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : number; }

}  // namespace headlight
