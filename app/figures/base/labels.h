// Tick labels of the layouts: which of many fit, shortened how far, and numbers as the design writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The indices in [first, first + count) whose labels are drawn when each needs `need` of the `pitch` between neighbours: every
// k-th by number, and always `hot` (-1: none), whose neighbours give way.
std::vector<std::int64_t> ticks(std::int64_t first, std::int64_t count, float pitch, float need, std::int64_t hot);

// A value for a cell: two decimals (or `decimals`) without a leading zero (".42", "1.00", "-.07"), fewer for large ones.
std::string cell_number(double value, int decimals = 2);
// The end of a range: as short as it can be said ("0", "1", "-3.2", "1.5e+06").
std::string range_number(double value);

// The labels with a number below the line at each that occurs more than once ("the₁", "the₂"), so that no two are the same.
std::vector<std::string> numbered(std::vector<std::string> labels);

// Without what stands in brackets behind it: "causal (no peeking)" is "causal".
std::string without_brackets(const std::string& label);

// Width and height on the page of a line of text turned by `degrees` counter-clockwise.
struct Extent {
  float w = 0, h = 0;
};
Extent turned(float width, float height, float degrees);

}  // namespace headlight::figures
