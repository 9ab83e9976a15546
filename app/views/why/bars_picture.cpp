#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/views/why/pictures.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kSignedBarsSmall = 13, kSignedBarsName = 14, kSignedBarsNumber = 58;

std::string signed_number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(v) >= 100 ? "%+.0f" : "%+.2f", one_nan(v));
  return text;
}

float bar_scale(const SignedBarsInput& input, float room) {
  double largest = 1e-12;
  for (const SignedBarsInput::Row& row : input.rows) {
    if (std::isfinite(row.value)) largest = std::max(largest, std::abs(row.value));
    if (row.has_second && std::isfinite(row.second)) largest = std::max(largest, std::abs(row.second));
  }
  return room / static_cast<float>(largest);
}

void add_bars_data(const SignedBarsInput& input, Figure& figure) {
  std::vector<double> values, second;
  std::vector<std::string> names;
  bool any = false;
  for (const SignedBarsInput::Row& row : input.rows) {
    names.push_back(row.name);
    values.push_back(row.value);
    second.push_back(row.second);
    any = any || row.has_second;
  }
  const auto count = static_cast<std::int64_t>(names.size());
  figure.data.push_back({"values", Tensor::of(values, {count}), {"row"}, {names}});
  if (any) figure.data.push_back({"second", Tensor::of(second, {count}), {"row"}, {names}});
}

}  // namespace

SignedBarsInput with_rows(const SignedBarsInput& input, std::size_t count) {
  SignedBarsInput some = input;
  if (count >= input.rows.size()) return some;
  some.rows.resize(count);
  if (!input.last_is_rest || count == 0) return some;
  SignedBarsInput::Row rest = input.rows.back();
  for (std::size_t i = count - 1; i + 1 < input.rows.size(); ++i) rest.value += input.rows[i].value;
  some.rows.back() = std::move(rest);
  return some;
}

Figure signed_bars(const SignedBarsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  float y = 0;
  if (!input.title.empty()) {
    pen.heading(input.title, input.quiet, 16);
    y = 28;
  }
  float name = 30;
  const Font font = input.mono ? Font::mono : Font::words;
  for (const SignedBarsInput::Row& row : input.rows) name = std::max(name, measure.width(row.name, kSignedBarsName, font) + 12);
  // Bars to the right alone do with little room, those to both sides need more.
  name = std::min(name, input.only_positive ? std::max(width * 0.42f, width - kSignedBarsNumber - 46) : width * 0.42f);
  const float room = std::max(20.0f, width - name - kSignedBarsNumber - 6), zero = input.only_positive ? name : name + room / 2;
  const float scale = bar_scale(input, input.only_positive ? room : room / 2), top = y;
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    const SignedBarsInput::Row& row = input.rows[i];
    const auto at = static_cast<std::int64_t>(i);
    const bool is_rest = input.last_is_rest && i + 1 == input.rows.size();
    const Tag tag{Tag::row, is_rest ? -1 : at};
    const bool lit = at == input.hot || at == input.chosen;
    pen.box({0, y, width, input.row_height - 1}, lit ? theme.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    pen.text(2, y + input.row_height / 2, row.name, kSignedBarsName, is_rest ? Font::words : font,
             lit ? theme.selected : theme.text, Align::start, name - 6, tag);
    const auto bar = [&](double value, float middle, float high, Color color) {
      if (!std::isfinite(value)) return;
      const float wide = std::max(1.0f, static_cast<float>(std::abs(value)) * scale);
      pen.box({value < 0 ? zero - wide : zero, middle - high / 2, wide, high}, color, {0, 0, 0, 0}, 0, std::min(2.0f, wide / 2),
              tag);
    };
    const Color color = lit                   ? theme.selected
                        : input.only_positive ? theme.info
                        : row.value < 0       ? theme.signed_low
                                              : theme.signed_high;
    const float high = std::min(12.0f, input.row_height * 0.5f);
    bar(row.value, y + input.row_height / 2 - (row.has_second ? 3.0f : 0.0f), row.has_second ? high * 0.8f : high, color);
    if (row.has_second) bar(row.second, y + input.row_height / 2 + high * 0.8f / 2 + 1, 3, theme.secondary);
    pen.text(width - 2, y + input.row_height / 2, row.number.empty() ? signed_number(row.value) : row.number, kSignedBarsSmall,
             Font::mono, lit ? theme.selected : theme.text, Align::end, 0, tag);
    y += input.row_height;
  }
  if (!input.only_positive && !input.rows.empty()) pen.line({zero, top}, {zero, y}, theme.secondary, 1);
  if (!input.second_title.empty()) {
    for (const std::string& line : wrap(input.second_title, width, kSignedBarsSmall, Font::words, measure)) {
      pen.text(0, y + 10, line, kSignedBarsSmall, Font::words, theme.secondary, Align::start, width);
      y += 18;
    }
  }
  figure.height = y + 2;
  add_bars_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
