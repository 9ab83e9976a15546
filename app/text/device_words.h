// A device's label in the window's language: the engine says "CPU, 2 threads, AVX-512".
#pragma once

#include <string>

namespace headlight {

// At most `most` of the label's parts, which are separated by commas.
std::string device_words(const std::string& label, int most = 100);

}  // namespace headlight
