// Tick labels: which of many labels fit, how labels are shortened, and how numbers are written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The indices in [first, first + count) whose labels are drawn, if neighbours are `pitch` points apart and a label needs `need`
// points: every k-th index (k is 1, 2, 5, 10, ...) and always `hot` (-1: none), whose neighbours are left out.
// ticks(0, 10, 10, 15, -1) gives 0, 2, 4, 6, 8; ticks(0, 10, 10, 15, 3) gives 0, 3, 6, 8.
std::vector<std::int64_t> ticks(std::int64_t first, std::int64_t count, float pitch, float need, std::int64_t hot);

// The size of names beside rows that are `pitch` points high: 14 points, or less where no name is left out then, at least 12. A
// name needs kNameLine times its size. row_name_size(20) is 14.
inline constexpr float kNameLine = 1.0f;
inline float row_name_size(float pitch) { return std::clamp(pitch / kNameLine, 12.0f, 14.0f); }

// A value for a cell: `decimals` decimals without a leading zero, and fewer decimals for large values.
// cell_number(0.42) gives ".42", cell_number(-0.07) "-.07", cell_number(12.34) "12.3" and cell_number(0.5, 1) ".5".
std::string cell_number(double value, int decimals = 2);
// The end of a range in three digits or fewer: "0", "1", "-3.2", "1.5e+06".
std::string range_number(double value);

// A share with one decimal: percent(0.812) gives "81.2 %", percent(0.0001) "< 0.1 %".
std::string percent(double share);

// Appends a subscript number to every label that occurs more than once ("the₁", "the₂"), so that all are different.
std::vector<std::string> numbered(std::vector<std::string> labels);

// shown_words(2) is "every second label is shown", shown_words(50) "one label in 50 is shown", in the window's language.
std::string shown_words(std::int64_t step);
// shortened_words(3) is "3 labels are shortened; a wider picture shows them whole".
std::string shortened_words(std::int64_t count);

// Removes brackets at the end: "causal (no peeking)" becomes "causal".
std::string without_brackets(const std::string& label);

// Width and height of the box around a line of text that is rotated by `degrees`. turned(40, 10, 90) gives {10, 40} within
// rounding.
struct Extent {
  float w = 0, h = 0;
};
Extent turned(float width, float height, float degrees);

}  // namespace headlight::figures
