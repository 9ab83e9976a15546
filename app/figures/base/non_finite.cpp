#include "app/figures/base/non_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/text/language.h"

namespace headlight::figures {

NonFinite non_finite(float value) {
  if (std::isfinite(value)) return NonFinite::none;
  return std::isnan(value) ? NonFinite::nan : value > 0 ? NonFinite::plus : NonFinite::minus;
}

float value_of(NonFinite kind) {
  using Limits = std::numeric_limits<float>;
  switch (kind) {
    case NonFinite::nan: return Limits::quiet_NaN();
    case NonFinite::plus: return Limits::infinity();
    case NonFinite::minus: return -Limits::infinity();
    case NonFinite::none: break;
  }
  return 0;
}

Color color_of(NonFinite kind) {
  return kind == NonFinite::nan ? rgb(0xff00ff) : kind == NonFinite::plus ? rgb(0xff0000) : rgb(0x00ffff);
}

void NonFiniteCount::add(float value) {
  ++cells;
  switch (non_finite(value)) {
    case NonFinite::nan: ++nan; break;
    case NonFinite::plus: ++plus; break;
    case NonFinite::minus: ++minus; break;
    case NonFinite::none: break;
  }
}

void NonFiniteCount::add(const Tensor& values, const Tensor& mask) {
  if (values.empty()) return;
  const Tensor numbers = values.as(DType::f32).compact(), shown = mask.empty() ? mask : mask.as(DType::u8).compact();
  const std::uint8_t* may = shown.empty() ? nullptr : shown.data<std::uint8_t>();
  cells += numbers.count();
  for (std::int64_t i = 0; i < numbers.count(); ++i)
    if (const float v = numbers.data<float>()[i]; !std::isfinite(v) && (!may || may[i]))
      ++(std::isnan(v) ? nan : v > 0 ? plus : minus);
}

void NonFiniteCount::add(const NonFiniteCount& other) {
  nan += other.nan;
  plus += other.plus;
  minus += other.minus;
  cells += other.cells;
}

std::int64_t NonFiniteCount::of(NonFinite kind) const {
  return kind == NonFinite::nan ? nan : kind == NonFinite::plus ? plus : kind == NonFinite::minus ? minus : 0;
}

std::vector<NonFiniteCount::Line> NonFiniteCount::lines(bool brief) const {
  std::vector<Line> list;
  const auto add_line = [&](NonFinite kind, const char* name, const char* one, const char* many) {
    const std::int64_t count = of(kind);
    if (count == 0) return;
    const std::string some = grouped(count), all = grouped(cells);
    list.push_back({kind, brief ? fill(tr("{0}: {1} of {2}"), {name, some, all}) : fill(count == 1 ? one : many, {some, all})});
  };
  add_line(NonFinite::nan, "NaN", tr("{0} of {1} cells is not a number"), tr("{0} of {1} cells are not a number"));
  add_line(NonFinite::plus, "+∞", tr("{0} of {1} cells is +∞"), tr("{0} of {1} cells are +∞"));
  add_line(NonFinite::minus, "−∞", tr("{0} of {1} cells is −∞"), tr("{0} of {1} cells are −∞"));
  return list;
}

void add_remarks(Figure& figure, const NonFiniteCount& count) {
  for (NonFiniteCount::Line& line : count.lines())
    if (std::find(figure.remarks.begin(), figure.remarks.end(), line.words) == figure.remarks.end())
      figure.remarks.push_back(std::move(line.words));
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace headlight::figures
