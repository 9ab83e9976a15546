// Translates a device's label, which the engine writes in English ("CPU, 2 threads, AVX-512").
#pragma once

#include <string>

namespace headlight {

// The label in the window's language, cut to its first `most` parts; commas separate the parts.
// device_words("CPU, 2 threads, AVX-512", 2) gives "CPU, 2 threads" in English.
std::string device_words(const std::string& label, int most = 100);

}  // namespace headlight
