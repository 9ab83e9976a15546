// Tick labels: which of many labels fit, how they are shortened, and how numbers are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The indices in [first, first + count) whose labels are drawn if each needs `need` of the `pitch` between neighbours: every
// k-th, and always `hot` (-1: none), whose neighbours are left out.
std::vector<std::int64_t> ticks(std::int64_t first, std::int64_t count, float pitch, float need, std::int64_t hot);

// A value for a cell: two decimals (or `decimals`) without a leading zero (".42", "1.00", "-.07"), fewer for large ones.
std::string cell_number(double value, int decimals = 2);
// The end of a range, as short as possible ("0", "1", "-3.2", "1.5e+06").
std::string range_number(double value);

// Appends a subscript number to every label that occurs more than once ("the₁", "the₂"), so that all are different.
std::vector<std::string> numbered(std::vector<std::string> labels);

// Removes brackets at the end: "causal (no peeking)" becomes "causal".
std::string without_brackets(const std::string& label);

// Width and height that a line of text takes when rotated by `degrees` counter-clockwise.
struct Extent {
  float w = 0, h = 0;
};
Extent turned(float width, float height, float degrees);

}  // namespace headlight::figures
