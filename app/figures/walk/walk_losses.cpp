#include "app/figures/walk/walk_losses.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kSmall = 13, kRead = 0.26f;
constexpr std::size_t kMost = 16;  // places; the rest is counted

std::string nats(double loss) {
  char text[24];
  std::snprintf(text, sizeof text, "%.2f", loss);
  return text;
}

class Drawer {
 public:
  Drawer(const WalkLosses& input, float width, const Theme& theme, const TextMeasure& measure)
      : input_(input), theme_(theme), measure_(measure), pen_{figure_, theme, measure} {
    figure_.width = width;
    line_ = measure.line_height(kSmall, Font::mono) + 3;
    const float read = width * kRead, each = (width - read - 2 * kBetween) / 2;
    left_[0] = read + kBetween;
    left_[1] = left_[0] + each + kBetween;
    each_ = each;
    for (const WalkLosses::Place& place : input.places) largest_ = std::max({largest_, place.own_loss, place.next_loss});
  }

  Figure draw() {
    float y = 0;
    cell(0, y, tr("place reads"), Font::words, theme_.secondary, figure_.width * kRead);
    cell(left_[0], y, tr("its own token"), Font::words_bold, ink(0), each_);
    cell(left_[1], y, tr("the next token"), Font::words_bold, ink(1), each_);
    y += line_;
    // The shapes, in as many lines as the narrower column needs.
    const std::string* const shapes[] = {&input_.own_words, &input_.next_words};
    float below = y;
    for (int side = 0; side < 2; ++side) {
      float at = y;
      for (const std::string& words : wrap(*shapes[side], each_, kSmall, Font::mono, measure_)) {
        cell(left_[side], at, words, Font::mono, ink(side), each_);
        at += line_;
      }
      below = std::max(below, at);
    }
    y = below + 2;
    pen_.line({0, y}, {figure_.width, y}, theme_.line);
    y += 2;
    const std::size_t shown = std::min(kMost, input_.places.size());
    for (std::size_t i = 0; i < shown; ++i, y += line_) {
      const WalkLosses::Place& place = input_.places[i];
      cell(0, y, std::to_string(i) + " " + place.read, Font::mono, theme_.text, figure_.width * kRead);
      label(0, y, place.own, place.own_loss);
      label(1, y, place.next, place.next_loss);
    }
    if (shown < input_.places.size()) {
      cell(0, y, fill(tr("and {} more"), {std::to_string(input_.places.size() - shown)}), Font::words, theme_.secondary,
           figure_.width);
      y += line_;
    }
    y += 2;
    pen_.line({0, y}, {figure_.width, y}, theme_.line);
    y += 2;
    cell(0, y, tr("mean of all"), Font::words, theme_.secondary, figure_.width * kRead);
    mean(0, y, input_.own_mean);
    mean(1, y, input_.next_mean);
    figure_.height = y + line_;
    return std::move(figure_);
  }

 private:
  static constexpr float kBetween = 10;

  bool current(int side) const { return input_.shifted == (side == 1); }
  Color ink(int side) const { return current(side) ? theme_.text : theme_.secondary; }

  void cell(float x, float y, const std::string& words, Font font, Color color, float room) const {
    pen_.text(x, y + line_ / 2, words, kSmall, font, color, Align::start, room);
  }

  // A label, its loss, and a bar as long as the loss behind them.
  void label(int side, float y, const std::string& words, double loss) const {
    if (words.empty()) {
      cell(left_[side], y, "–", Font::mono, theme_.secondary, each_);
      return;
    }
    const std::string number = nats(loss);
    const float wide = measure_.width(number, kSmall, Font::mono);
    if (largest_ > 0)
      pen_.box({left_[side], y + 1, each_ * static_cast<float>(loss / largest_), line_ - 2},
               with_alpha(theme_.info, current(side) ? 0.28f : 0.12f), {}, 0, 2);
    cell(left_[side] + 3, y, words, Font::mono, ink(side), each_ - wide - 10);
    pen_.text(left_[side] + each_ - 2, y + line_ / 2, number, kSmall, Font::mono, ink(side), Align::end);
  }

  void mean(int side, float y, double value) const {
    if (std::isnan(value)) return;
    pen_.text(left_[side] + each_ - 2, y + line_ / 2, nats(value), kSmall, Font::mono,
              current(side) ? theme_.selected : theme_.secondary, Align::end);
  }

  const WalkLosses& input_;
  const Theme& theme_;
  const TextMeasure& measure_;
  Figure figure_;
  Composer pen_;
  float line_ = 0, each_ = 0, left_[2] = {};
  double largest_ = 0;
};

}  // namespace

Figure walk_losses(const WalkLosses& input, float width, const Theme& theme, const TextMeasure& measure) {
  return Drawer(input, width, theme, measure).draw();
}

}  // namespace headlight::figures
