// Whole numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace headlight::text {

// "1,250", "-12,288", "175,181,291,520"
std::string grouped_number(std::int64_t number);

}  // namespace headlight::text
