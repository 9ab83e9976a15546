#include <algorithm>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/recurrence/recurrence_figures.h"

namespace headlight::figures {
namespace {

constexpr float kRowGap = 14, kLargest = 1.9f;

// The sizes of a network's boxes and of the steps between them, at a scale.
struct FormSizes {
  float scale = 1;
  float side() const { return 18 * scale; }
  float step() const { return 34 * scale; }
  float level() const { return 31 * scale; }
  float network() const { return 2 * level() + side(); }
};

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
void draw_form(const Composer& pen, const FormSizes& sizes, const NetworkForm& form, float left, float top, Tag tag) {
  const float side = sizes.side(), step = sizes.step(), level = sizes.level();
  for (std::size_t t = 0; t < form.inputs.size(); ++t) {
    const float x = left + static_cast<float>(t) * step, middle = x + side / 2;
    const float state = top + level, input = top + 2 * level;
    pen.box({x, state, side, side}, pen.theme.raised, pen.theme.secondary, 1, 4, tag);
    if (t > 0) arrow_right(pen, state + side / 2, x - (step - side) + 1, x - 1);
    if (form.outputs[t]) {
      pen.box({x, top, side, side}, with_alpha(pen.theme.good, 0.25f), pen.theme.good, 1, 4, tag);
      arrow_up(pen, middle, state - 1, top + side + 1);
    }
    if (form.inputs[t]) {
      pen.box({x, input, side, side}, with_alpha(pen.theme.info, 0.25f), pen.theme.info, 1, 4, tag);
      arrow_up(pen, middle, input - 1, state + side + 1);
    }
  }
}

}  // namespace

Figure network_forms(const std::vector<NetworkForm>& forms, float width, float height, const Theme& theme,
                     const TextMeasure& measure) {
  std::size_t steps = 1;
  for (const NetworkForm& form : forms) steps = std::max(steps, form.inputs.size());
  FormSizes sizes;
  // As large as the rows may be in `height`, while the networks leave half of the width for their words.
  const float rows = static_cast<float>(std::max<std::size_t>(1, forms.size())), half = static_cast<float>(steps) * sizes.step();
  sizes.scale = std::clamp(std::min((height / rows - kRowGap) / sizes.network(), 0.5f * width / half), 1.0f, kLargest);
  Figure figure = begin_picture({}, width, 1, theme);
  const Composer pen{figure, theme, measure};
  const float words_at = static_cast<float>(steps) * sizes.step() + 12, room = std::max(60.0f, width - words_at);
  float y = 4;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const Tag tag{Tag::link, static_cast<std::int64_t>(i), 0, Part::picture};
    draw_form(pen, sizes, forms[i], 4, y, tag);
    float line = y + 10;
    for (const std::string& words : wrap(forms[i].name, room, 16, Font::words_bold, measure)) {
      pen.text(words_at, line, words, 16, Font::words_bold, theme.text, Align::start, room, tag);
      line += 21;
    }
    line += 3;
    for (const std::string& words : wrap(forms[i].use, room, 14, Font::words, measure)) {
      pen.text(words_at, line, words, 14, Font::words, theme.secondary, Align::start, room);
      line += 19;
    }
    y = std::max(y + sizes.network(), line - 8) + kRowGap;
  }
  figure.height = std::max(1.0f, y - kRowGap + 4);
  return figure;
}

}  // namespace headlight::figures
