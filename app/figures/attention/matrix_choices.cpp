#include "app/figures/attention/matrix_choices.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

Status check(const std::vector<std::int64_t>& chosen, std::int64_t size, const Message& of_what) {
  for (const std::int64_t i : chosen)
    if (i < 0 || i >= size)
      return usage_error("there is no {} {}", of_what, i)
          .at("--tokens")
          .mend(size == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", size - 1));
  return {};
}

std::vector<std::int64_t> all_of(const std::vector<std::int64_t>& chosen, std::int64_t size) {
  if (!chosen.empty()) return chosen;
  std::vector<std::int64_t> all(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

template <class Number>
Tensor picked(const Tensor& from, DType type, const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
  const Tensor in = from.as(type).compact();
  Tensor out(type, {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())}, {}, true);
  Number* to = out.data<Number>();
  for (const std::int64_t r : rows)
    for (const std::int64_t c : columns) *to++ = in.data<Number>()[r * in.dim(1) + c];
  return out;
}

Tensor picked(const Tensor& from, const MatrixChoices& choices) {
  if (from.empty()) return from;
  const auto rows = all_of(choices.rows, from.dim(0)), columns = all_of(choices.columns, from.dim(1));
  return from.dtype() == DType::u8    ? picked<std::uint8_t>(from, DType::u8, rows, columns)
         : from.dtype() == DType::i32 ? picked<std::int32_t>(from, DType::i32, rows, columns)
         : from.dtype() == DType::f64 ? picked<double>(from, DType::f64, rows, columns)
                                      : picked<float>(from, DType::f32, rows, columns);
}

template <class T>
void pick(std::vector<T>& list, const std::vector<std::int64_t>& chosen, std::int64_t size) {
  if (chosen.empty() || static_cast<std::int64_t>(list.size()) != size) return;
  std::vector<T> out;
  for (const std::int64_t i : chosen) out.push_back(list[static_cast<std::size_t>(i)]);
  list = std::move(out);
}

// Rows that have no labels are named by their numbers before some are left out.
void number(std::vector<std::string>& labels, const std::vector<std::int64_t>& chosen, std::int64_t size) {
  if (chosen.empty() || static_cast<std::int64_t>(labels.size()) == size) return;
  labels.clear();
  for (std::int64_t i = 0; i < size; ++i) labels.push_back(std::to_string(i));
}

// The smallest and largest of the visible numbers.
struct Extremes {
  double low = 0, high = 0;
  bool any = false;
  // The numbers are the values times `unit`.
  void add(const Tensor& values, const Tensor& mask, double unit) {
    const Tensor in = values.as(DType::f64).compact();
    for (std::int64_t i = 0; i < in.count(); ++i) {
      const double v = in.data<double>()[i] * unit;
      if (!std::isfinite(v) || (!mask.empty() && !mask.data<std::uint8_t>()[i])) continue;
      low = any ? std::min(low, v) : v;
      high = any ? std::max(high, v) : v;
      any = true;
    }
  }
};

struct ColorScale {
  double low = 0, high = 1, middle = 0.5;
  bool bent() const { return std::abs(middle - (low + high) / 2) > 1e-9 * (high - low); }
};

ColorScale scale_of(const Extremes& seen, const MatrixChoices& choices) {
  ColorScale s;
  if (choices.low && choices.high) {
    s.low = *choices.low;
    s.high = *choices.high;
    s.middle = choices.centre.value_or((s.low + s.high) / 2);
    return s;
  }
  s.middle = choices.centre.value_or(0);
  const double reach = std::max({seen.high - s.middle, s.middle - seen.low, 1e-12});
  s.low = s.middle - reach;
  s.high = s.middle + reach;
  return s;
}

// Each side of the middle on a line of its own, from -1 to 1.
Tensor bent(const Tensor& values, const ColorScale& s, double unit) {
  const Tensor in = values.as(DType::f64).compact();
  Tensor out(DType::f32, in.shape(), in.axes(), true);
  for (std::int64_t i = 0; i < in.count(); ++i) {
    const double v = in.data<double>()[i] * unit - s.middle;
    out.data<float>()[i] = static_cast<float>(v / (v < 0 ? s.middle - s.low : s.high - s.middle));
  }
  return out;
}

// What all inputs with a colour bar have.
template <class Input>
void set_scale(Input& input, const ColorScale& s, const Extremes& seen, const MatrixChoices& choices) {
  const double slack = 1e-6 * (s.high - s.low);
  input.low_words = (seen.low < s.low - slack ? "≤ " : "") + range_number(s.low);
  input.high_words = (seen.high > s.high + slack ? "≥ " : "") + range_number(s.high);
  input.low = s.bent() ? -1.0f : static_cast<float>(s.low / input.unit);
  input.high = s.bent() ? 1.0f : static_cast<float>(s.high / input.unit);
  const std::string what = input.quantity.empty() ? input.data_name : input.quantity;
  input.range_words = choices.centre ? fill(tr("{0}, centred on {1}"), {what, range_number(s.middle)}) : what;
  const Colormap* map = colormaps().find(input.colormap);
  if (map && !map->is_signed) input.range_words += ", " + input.colormap;
}

}  // namespace

Tensor in_units(const Tensor& numbers, double unit) {
  if (unit == 1) return numbers.as(DType::f32).compact();
  const Tensor in = numbers.as(DType::f64).compact();
  Tensor out(DType::f32, in.shape(), in.axes(), true);
  for (std::int64_t i = 0; i < in.count(); ++i) out.data<float>()[i] = static_cast<float>(in.data<double>()[i] / unit);
  return out;
}

Status choose_tokens(HeatmapInput& input, const MatrixChoices& choices) {
  if (input.values.empty() || (choices.rows.empty() && choices.columns.empty())) return {};
  const std::int64_t rows = input.values.dim(0), columns = input.values.dim(1);
  HL_TRY(check(choices.rows, rows, Message("row")));
  HL_TRY(check(choices.columns, columns, Message("column")));
  number(input.row_labels, choices.rows, rows);
  number(input.column_labels, choices.columns, columns);
  pick(input.row_labels, choices.rows, rows);
  pick(input.column_labels, choices.columns, columns);
  pick(input.row_hues, choices.rows, rows);
  pick(input.column_hues, choices.columns, columns);
  for (Tensor* tensor : {&input.values, &input.numbers, &input.mask, &input.strongest}) *tensor = picked(*tensor, choices);
  return {};
}

Status choose_tokens(GridInput& input, const MatrixChoices& choices) {
  if (choices.rows.empty() && choices.columns.empty()) return {};
  for (Tensor& values : input.values) {
    if (values.empty()) continue;
    HL_TRY(check(choices.rows, values.dim(0), Message("row")));
    HL_TRY(check(choices.columns, values.dim(1), Message("column")));
    values = picked(values, choices);
  }
  for (Tensor& mask : input.masks) mask = picked(mask, choices);
  return {};
}

void limit_colors(HeatmapInput& input, const MatrixChoices& choices) {
  if (!choices.has_limits() || input.values.empty()) return;
  // The numbers themselves, not a scale that was made for them.
  const Tensor numbers = input.numbers.empty() ? input.values : input.numbers;
  const double unit = input.numbers.empty() ? input.unit : 1;
  Extremes seen;
  seen.add(numbers, input.mask, unit);
  const ColorScale s = scale_of(seen, choices);
  set_scale(input, s, seen, choices);
  if (s.bent()) {
    if (input.numbers.empty()) input.numbers = input.values;
    input.values = bent(numbers, s, unit);
  } else if (!input.numbers.empty()) {
    input.values = in_units(numbers, input.unit);
  }
}

void limit_colors(GridInput& input, const MatrixChoices& choices) {
  if (!choices.has_limits()) return;
  Extremes seen;
  for (std::size_t i = 0; i < input.values.size(); ++i)
    if (!input.values[i].empty()) seen.add(input.values[i], i < input.masks.size() ? input.masks[i] : Tensor(), input.unit);
  const ColorScale s = scale_of(seen, choices);
  set_scale(input, s, seen, choices);
  if (!s.bent()) return;
  for (Tensor& values : input.values)
    if (!values.empty()) values = bent(values, s, input.unit);
}

void size_cells(MatrixInput& input, const MatrixChoices& choices) {
  input.fit = choices.fit;
  input.cell_side = choices.cell_side;
  input.small_numbers = choices.small_numbers;
  input.least_label = choices.least_label;
  input.all_labels = choices.all_labels;
  if (!choices.axes) {
    input.row_axis.clear();
    input.column_axis.clear();
  }
  // Of a chosen size the cells are not rounded to whole points.
  if (choices.fit != CellFit::limited || choices.cell_side > 0) input.grain = 1.0f / 64;
}

void size_cells(GridInput& input, const MatrixChoices& choices) {
  constexpr float kAnySlot = 100000;
  if (choices.fit != CellFit::limited) input.most_slot = kAnySlot;
  if (choices.axes) return;
  input.row_axis.clear();
  input.column_axis.clear();
}

}  // namespace headlight::figures
