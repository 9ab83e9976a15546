// A device's label in the spoken language: the engine says "CPU, 2 threads, AVX-512".
#pragma once

#include <string>

namespace headlight {

// At most `most` of the label's parts, divided by commas.
std::string device_words(const std::string& label, int most = 100);

}  // namespace headlight
