// A measured time in words.
#pragma once

#include <string>

namespace headlight::figures {

// A time in three digits: time_text(12.4e-6) gives "12.4 µs", time_text(1.05e-3) "1.05 ms" and time_text(2.3) "2.30 s".
std::string time_text(double seconds);

}  // namespace headlight::figures
