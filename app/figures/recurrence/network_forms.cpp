#include <algorithm>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/recurrence/recurrence_figures.h"

namespace headlight::figures {
namespace {

constexpr float kSide = 18, kStep = 34, kLevel = 31, kRowGap = 14, kNetwork = 2 * kLevel + kSide;

void arrow_up(const Composer& pen, float x, float from, float to) {
  pen.line({x, from}, {x, to}, pen.theme.secondary, 1.5f);
  Polygon head;
  head.points = {{x, to}, {x - 3.5f, to + 6}, {x + 3.5f, to + 6}};
  head.fill = pen.theme.secondary;
  pen.figure.add(std::move(head));
}

void arrow_right(const Composer& pen, float y, float from, float to) {
  pen.line({from, y}, {to, y}, pen.theme.secondary, 1.5f);
  Polygon head;
  head.points = {{to, y}, {to - 6, y - 3.5f}, {to - 6, y + 3.5f}};
  head.fill = pen.theme.secondary;
  pen.figure.add(std::move(head));
}

// Inputs below, states in the middle, outputs above.
void draw_form(const Composer& pen, const NetworkForm& form, float left, float top, Tag tag) {
  for (std::size_t t = 0; t < form.inputs.size(); ++t) {
    const float x = left + static_cast<float>(t) * kStep, middle = x + kSide / 2;
    const float state = top + kLevel, input = top + 2 * kLevel;
    pen.box({x, state, kSide, kSide}, pen.theme.raised, pen.theme.secondary, 1, 4, tag);
    if (t > 0) arrow_right(pen, state + kSide / 2, x - (kStep - kSide) + 1, x - 1);
    if (form.outputs[t]) {
      pen.box({x, top, kSide, kSide}, with_alpha(pen.theme.good, 0.25f), pen.theme.good, 1, 4, tag);
      arrow_up(pen, middle, state - 1, top + kSide + 1);
    }
    if (form.inputs[t]) {
      pen.box({x, input, kSide, kSide}, with_alpha(pen.theme.info, 0.25f), pen.theme.info, 1, 4, tag);
      arrow_up(pen, middle, input - 1, state + kSide + 1);
    }
  }
}

}  // namespace

Figure network_forms(const std::vector<NetworkForm>& forms, float width, const Theme& theme, const TextMeasure& measure) {
  std::size_t steps = 1;
  for (const NetworkForm& form : forms) steps = std::max(steps, form.inputs.size());
  Figure figure = begin_picture({}, width, 1, theme);
  const Composer pen{figure, theme, measure};
  const float words_at = static_cast<float>(steps) * kStep + 12, room = std::max(60.0f, width - words_at);
  float y = 4;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const Tag tag{Tag::link, static_cast<std::int64_t>(i), 0, Part::picture};
    draw_form(pen, forms[i], 4, y, tag);
    pen.text(words_at, y + 10, forms[i].name, 16, Font::words_bold, theme.text, Align::start, room, tag);
    float line = y + 34;
    for (const std::string& words : wrap(forms[i].use, room, 14, Font::words, measure)) {
      pen.text(words_at, line, words, 14, Font::words, theme.secondary, Align::start, room);
      line += 19;
    }
    y = std::max(y + kNetwork, line - 8) + kRowGap;
  }
  figure.height = std::max(1.0f, y - kRowGap + 4);
  return figure;
}

}  // namespace headlight::figures
