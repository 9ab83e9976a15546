#include "app/views/walk/losses_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kLossesSmall = 13, kRead = 0.26f;
constexpr std::size_t kMostLosses = 16;  // places; the rest is counted

std::string nats(double loss) {
  char text[24];
  std::snprintf(text, sizeof text, "%.2f", one_nan(loss));
  return text;
}

}  // namespace

Figure walk_losses(const WalkLosses& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kBetween = 10;
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  const float line = measure.line_height(kLossesSmall, Font::mono) + 3;
  const float read = width * kRead, each = (width - read - 2 * kBetween) / 2;
  const float left[2] = {read + kBetween, read + each + 2 * kBetween};
  const auto current = [&](int side) { return input.shifted == (side == 1); };
  const auto ink = [&](int side) { return current(side) ? theme.text : theme.secondary; };
  const auto cell = [&](float x, float y, const std::string& words, Font font, Color color, float room) {
    pen.text(x, y + line / 2, words, kLossesSmall, font, color, Align::start, room);
  };

  cell(0, 0, tr("place reads"), Font::words, theme.secondary, read);
  cell(left[0], 0, tr("its own token"), Font::words_bold, ink(0), each);
  cell(left[1], 0, tr("the next token"), Font::words_bold, ink(1), each);
  // The shapes, in as many lines as the narrower column needs.
  const std::string* const shapes[] = {&input.own_words, &input.next_words};
  float y = line, below = y;
  for (int side = 0; side < 2; ++side) {
    float at = y;
    for (const std::string& words : wrap(*shapes[side], each, kLossesSmall, Font::mono, measure)) {
      cell(left[side], at, words, Font::mono, ink(side), each);
      at += line;
    }
    below = std::max(below, at);
  }
  y = below + 2;
  pen.line({0, y}, {figure.width, y}, theme.line);
  y += 2;

  double largest = 0;
  for (const WalkLosses::Place& place : input.places)
    for (const double loss : {place.own_loss, place.next_loss})
      if (std::isfinite(loss)) largest = std::max(largest, loss);
  // A label, its loss, and a bar as long as the loss behind them.
  const auto label = [&](int side, const std::string& words, double loss) {
    if (words.empty()) {
      cell(left[side], y, "–", Font::mono, theme.secondary, each);
      return;
    }
    const std::string number = nats(loss);
    const float wide = measure.width(number, kLossesSmall, Font::mono);
    if (const NonFinite kind = non_finite(loss); kind != NonFinite::none)
      figure.add(gap_mark(kind, {left[side], y + line - 3, each, 2}));
    else if (largest > 0)
      pen.box({left[side], y + 1, each * static_cast<float>(loss / largest), line - 2},
              with_alpha(theme.info, current(side) ? 0.28f : 0.12f), {}, 0, 2);
    cell(left[side] + 3, y, words, Font::mono, ink(side), each - wide - 10);
    pen.text(left[side] + each - 2, y + line / 2, number, kLossesSmall, Font::mono, ink(side), Align::end);
  };
  const std::size_t shown = std::min(kMostLosses, input.places.size());
  for (std::size_t i = 0; i < shown; ++i, y += line) {
    const WalkLosses::Place& place = input.places[i];
    cell(0, y, std::to_string(i) + " " + place.read, Font::mono, theme.text, read);
    label(0, place.own, place.own_loss);
    label(1, place.next, place.next_loss);
  }
  if (shown < input.places.size()) {
    cell(0, y, fill(tr("and {} more"), {std::to_string(input.places.size() - shown)}), Font::words, theme.secondary,
         figure.width);
    y += line;
  }

  y += 2;
  pen.line({0, y}, {figure.width, y}, theme.line);
  y += 2;
  cell(0, y, tr("mean of all"), Font::words, theme.secondary, read);
  const double means[] = {input.own_mean, input.next_mean};
  for (int side = 0; side < 2; ++side)
    if (!std::isnan(means[side]))
      pen.text(left[side] + each - 2, y + line / 2, nats(means[side]), kLossesSmall, Font::mono,
               current(side) ? theme.selected : theme.secondary, Align::end);
  figure.height = y + line;
  return figure;
}

}  // namespace headlight::figures
