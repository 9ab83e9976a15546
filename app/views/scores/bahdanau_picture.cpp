#include "app/views/scores/bahdanau_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "app/views/scores/pictures.h"
#include "engine/core/one_nan.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kSheetTitle = 52, kSheetHead = 24, kGapBetween = 24, kBahdanauSmall = 13, kBahdanauNumber = 46;
constexpr std::int64_t kWordsOfATag = std::int64_t{1} << 32;

std::string others_words(std::size_t count) { return fill(tr("{} others"), {std::to_string(count)}); }

// The parts of the sheet.
struct SheetRoom {
  float names = 0, h = 0, hidden = 0, e = 0, e_bar = 0, alpha = 0, alpha_bar = 0;  // left edges; hidden 0: left out
  float right = 0, right_wide = 0;
  float top = 0, pitch = 20, told_top = 0;
  std::size_t lines = 0;
};

SheetRoom room_of(const SheetInput& input, float width, float height, const TextMeasure& measure) {
  SheetRoom room;
  const float others = measure.width(others_words(input.source.size()), kBahdanauSmall, Font::words) + 4;
  float names = std::max(60.0f, others);
  for (const std::string& label : input.source) names = std::max(names, measure.width(label, 14, Font::mono));
  room.names = std::min(names + 10, std::max(others + 10, 0.14f * width));
  const float told = std::clamp(0.28f * height, 96.0f, 190.0f);
  room.top = kSheetTitle + kSheetHead;
  room.told_top = height - told;
  room.right_wide = std::clamp(0.3f * width, 190.0f, 380.0f);
  room.right = width - room.right_wide;
  const float inner = room.right - kGapBetween - room.names;
  const float h = kBahdanauNumber * kAnnotation + 12, hidden = kBahdanauNumber * kAlignWidth + 12;
  room.h = room.names;
  float x = room.h + h;
  const bool has_hidden = inner >= h + hidden + 2 * (kBahdanauNumber + 50);
  if (has_hidden) {
    room.hidden = x;
    x += hidden;
  }
  const float each = (room.right - kGapBetween - x) / 2;
  room.e = x;
  room.e_bar = std::max(0.0f, each - kBahdanauNumber - 10);
  room.alpha = x + each;
  room.alpha_bar = room.e_bar;
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.source.size()));
  const float high = room.told_top - room.top - 10;
  room.pitch = std::clamp(high / count, 16.0f, 28.0f);
  room.lines = static_cast<std::size_t>(std::max(2.0f, std::floor(high / room.pitch + 0.01f)));
  return room;
}

// All, or those that are weighed most, in order; the last line is then the others'.
std::vector<std::size_t> shown_of(const std::vector<double>& weights, std::size_t most, std::size_t always) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() <= most) return order;
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    if ((a == always) != (b == always)) return a == always;
    return weights[a] > weights[b];
  });
  order.resize(std::max<std::size_t>(1, most - 1));
  sort_stably(order);
  return order;
}

std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", one_nan(value));
  return text;
}

class BahdanauSheet {
 public:
  BahdanauSheet(const SheetInput& input, float width, float height, const Composer& pen)
      : input_(input),
        step_(input.step),
        width_(width),
        height_(height),
        pen_(pen),
        room_(room_of(input, width, height, pen.measure)) {}

  void draw() {
    title();
    table();
    vectors();
    told();
  }

 private:
  void title() const {
    const Theme& theme = pen_.theme;
    const std::string what =
        fill(tr("Step {} of {} writes {}"), {std::to_string(step_.step), std::to_string(input_.steps), input_.written});
    pen_.text(0, 13, what, 18, Font::words_bold, theme.text, Align::start, width_);
    const std::string seed = std::to_string(input_.seed);
    const std::string words = first_that_fits(
        {fill(tr("Bahdanau et al. 2015 in small, with random weights, seed {}: nothing is learnt, every number can be followed."),
              {seed}),
         fill(tr("Bahdanau et al. 2015 in small, random weights, seed {}"), {seed})},
        width_, kBahdanauSmall, Font::words, pen_.measure);
    pen_.text(0, 37, words, kBahdanauSmall, Font::words, theme.secondary);
  }

  void head(float x, float wide, const std::string& words) const {
    pen_.text(x, kSheetTitle + 12, words, kBahdanauSmall, Font::mono, pen_.theme.secondary, Align::start, wide);
  }

  // A number as a cell, coloured by its sign and size.
  void number(Box box, double value, const SheetPlace& place) const {
    const Theme& theme = pen_.theme;
    const float strength = static_cast<float>(std::min(1.0, std::abs(std::isfinite(value) ? value : 0))) * 0.55f;
    const bool on = place == input_.shown;
    if (const NonFinite kind = non_finite(value); kind != NonFinite::none) pen_.figure.add(gap_mark(kind, box));
    pen_.box(box, with_alpha(value < 0 ? theme.signed_low : theme.signed_high, strength), on ? theme.selected : theme.line,
             on ? 2.0f : 1.0f, 3, tag_of(place));
    pen_.text(box.x + box.w / 2, box.y + box.h / 2, score_number(value), std::clamp(box.h - 2, 12.0f, kBahdanauSmall), Font::mono,
              on ? theme.selected : theme.text, Align::middle, 0, tag_of(place));
  }
  void numbers(float x, float y, float high, const std::vector<double>& values, std::int64_t quantity, std::int64_t word) const {
    for (std::size_t u = 0; u < values.size(); ++u)
      number({x + static_cast<float>(u) * kBahdanauNumber, y, kBahdanauNumber - 3, high}, values[u],
             {quantity, word, static_cast<std::int64_t>(u)});
  }

  void table() const {
    const Theme& theme = pen_.theme;
    head(room_.h, kBahdanauNumber * kAnnotation, "hⱼ");
    if (room_.hidden > 0) head(room_.hidden, kBahdanauNumber * kAlignWidth, "tanh(W s + U h)");
    head(room_.e, room_.alpha - room_.e - 6, "eᵢⱼ = v·tanh");
    head(room_.alpha, room_.right - room_.alpha - 6, "αᵢⱼ");
    const std::vector<std::size_t> shown = shown_of(step_.weights_of_words, room_.lines, step_.words.size());
    double largest = 1e-12, others = 1;
    for (const double e : step_.scores) largest = std::max(largest, std::abs(e));
    float y = room_.top;
    for (const std::size_t j : shown) {
      line(j, y, largest);
      others -= step_.weights_of_words[j];
      y += room_.pitch;
    }
    if (shown.size() < step_.words.size()) {
      pen_.text(room_.names - 10, y + room_.pitch / 2, others_words(step_.words.size() - shown.size()), kBahdanauSmall,
                Font::words, theme.secondary, Align::end, room_.names - 10);
      weight(y, std::max(0.0, others), theme.secondary, {});
    }
  }

  void line(std::size_t j, float y, double largest) const {
    const Theme& theme = pen_.theme;
    const auto word = static_cast<std::int64_t>(j);
    const bool hot = word == input_.hot;
    const float high = room_.pitch - 3, middle = y + room_.pitch / 2;
    if (hot) pen_.box({0, y, room_.right - kGapBetween + 8, room_.pitch}, with_alpha(theme.selected, 0.16f), {0, 0, 0, 0}, 0, 4);
    pen_.text(room_.names - 10, middle, input_.source[j], std::min(14.0f, room_.pitch - 2), Font::mono,
              hot ? theme.selected : theme.text, Align::end, room_.names - 10);
    numbers(room_.h, y, high, step_.annotations[j], 0, word);
    if (room_.hidden > 0) numbers(room_.hidden, y, high, step_.hidden[j], 1, word);
    number({room_.e, y, kBahdanauNumber - 3, high}, step_.scores[j], {2, word, 0});
    const float half = room_.e_bar / 2, from = room_.e + kBahdanauNumber + half;
    const float wide = std::max(1.0f, static_cast<float>(std::abs(step_.scores[j]) / largest) * half);
    if (half > 6) {
      pen_.line({from, y}, {from, y + high}, theme.line, 1);
      pen_.box({step_.scores[j] < 0 ? from - wide : from, middle - 5, wide, 8},
               step_.scores[j] < 0 ? theme.signed_low : theme.signed_high, {0, 0, 0, 0}, 0, 2);
    }
    weight(y, step_.weights_of_words[j], theme.info, {3, word, 0});
  }
  void weight(float y, double value, Color color, const SheetPlace& place) const {
    const Theme& theme = pen_.theme;
    const bool on = place.quantity >= 0 && place == input_.shown;
    const Tag tag = place.quantity >= 0 ? tag_of(place) : Tag{};
    const Box box{room_.alpha, y, kBahdanauNumber - 3, room_.pitch - 3};
    pen_.box(box, {0, 0, 0, 0}, on ? theme.selected : theme.line, on ? 2.0f : 1.0f, 3, tag);
    pen_.text(box.x + box.w / 2, box.y + box.h / 2, cell_number(value, 3), std::clamp(box.h - 2, 12.0f, kBahdanauSmall),
              Font::mono, on ? theme.selected : theme.text, Align::middle, 0, tag);
    if (room_.alpha_bar > 6)
      pen_.box({room_.alpha + kBahdanauNumber, y + room_.pitch / 2 - 5,
                std::max(1.5f, static_cast<float>(value) * room_.alpha_bar), 8},
               color, {0, 0, 0, 0}, 0, 2);
  }

  // Context, states and the word before, then what is written next.
  void vectors() const {
    const Theme& theme = pen_.theme;
    const float cells = room_.right + room_.right_wide - kBahdanauNumber * static_cast<float>(kAnnotation);
    const bool low = room_.told_top - room_.top < 230;
    const float pitch = low ? 26 : 34, high = low ? 20 : 24;
    float y = kSheetTitle + 2;
    // Without room for how the vector is made its name stands alone.
    const auto put = [&](const std::string& name, const std::string& made, const std::vector<double>& values,
                         std::int64_t quantity) {
      const std::string words = first_that_fits({name + made, name}, cells - room_.right - 4, 14, Font::mono, pen_.measure);
      pen_.text(room_.right, y + high / 2, words, 14, Font::mono, theme.text);
      numbers(cells, y, high, values, quantity, 0);
      y += pitch;
    };
    put("sᵢ₋₁", "", step_.state_before(), 5);
    put("cᵢ", " = Σ α h", step_.context, 4);
    put("yᵢ₋₁", input_.before.empty() ? std::string(" = 0") : " " + input_.before, step_.previous_word, 6);
    put("sᵢ", " = f(·)", step_.state(), 7);
    pen_.text(room_.right, y + 10, "p(yᵢ) = g(yᵢ₋₁, sᵢ, cᵢ)", kBahdanauSmall, Font::mono, theme.secondary, Align::start,
              room_.right_wide);
    y += 24;
    next_words(y);
  }
  void next_words(float y) const {
    const Theme& theme = pen_.theme;
    const float pitch = 21, left = room_.told_top - 6 - y;
    const auto right = static_cast<std::size_t>(step_.right);
    const std::vector<std::size_t> shown =
        shown_of(step_.probabilities, static_cast<std::size_t>(std::max(2.0f, std::floor(left / pitch))), right);
    float names = 40;
    if (shown.size() < step_.probabilities.size())
      names = pen_.measure.width(others_words(step_.probabilities.size()), kBahdanauSmall, Font::words) + 8;
    for (const std::size_t w : shown) names = std::max(names, pen_.measure.width(input_.vocabulary[w], 14, Font::mono) + 8);
    names = std::min(names, room_.right_wide * 0.4f);
    double others = 1;
    const auto bar = [&](double p, const std::string& label, Font font, Color ink, const SheetPlace& place) {
      const bool on = place.quantity >= 0 && place == input_.shown;
      const Tag tag = place.quantity >= 0 ? tag_of(place) : Tag{};
      const float from = room_.right + names + kBahdanauNumber + 2,
                  wide = room_.right + room_.right_wide - kBahdanauNumber - 6 - from;
      pen_.box({room_.right, y, room_.right_wide, pitch}, {0, 0, 0, 0}, on ? theme.selected : Color{0, 0, 0, 0}, on ? 1.5f : 0, 3,
               tag);
      if (place.quantity >= 0)
        number({room_.right + names, y + 1, kBahdanauNumber - 3, pitch - 3}, step_.logits[static_cast<std::size_t>(place.word)],
               {8, place.word, 0});
      pen_.text(room_.right + 4, y + pitch / 2, label, font == Font::mono ? 14 : kBahdanauSmall, font, ink, Align::start,
                names - 6, tag);
      pen_.box({from, y + pitch / 2 - 4, std::max(1.5f, static_cast<float>(p) * wide), 8},
               place.word == step_.right && place.quantity >= 0 ? theme.good : theme.info, {0, 0, 0, 0}, 0, 2, tag);
      pen_.text(room_.right + room_.right_wide - 4, y + pitch / 2, cell_number(p, 3), kBahdanauSmall, Font::mono,
                on ? theme.selected : theme.text, Align::end, 0, tag);
      y += pitch;
    };
    for (const std::size_t w : shown) {
      others -= step_.probabilities[w];
      bar(step_.probabilities[w], input_.vocabulary[w], Font::mono, w == right ? theme.good : theme.text,
          {9, static_cast<std::int64_t>(w), 0});
    }
    if (shown.size() < step_.probabilities.size())
      bar(std::max(0.0, others), others_words(step_.probabilities.size() - shown.size()), Font::words, theme.secondary, {});
  }

  // The chosen number: formula, terms, sum.
  void told() const {
    const Theme& theme = pen_.theme;
    const BahdanauNumber& n = input_.number;
    const float y = room_.told_top;
    pen_.line({0, y}, {width_, y}, theme.line, 1);
    if (input_.shown.quantity < 0) return;
    pen_.text(0, y + 17, n.formula, 15, Font::mono, theme.selected, Align::start, 0.62f * width_);
    const float formula = std::min(0.62f * width_, pen_.measure.width(n.formula, 15, Font::mono));
    pen_.text(formula + 12, y + 17, result_words(), 15, Font::mono, theme.text, Align::start, width_ - formula - 12);
    if (n.function == "softmax") {
      pen_.text(0, y + 42,
                fill(tr("exp({} - {}) / {}: the largest is taken off before, and the sum is over all"),
                     {four_digits(n.terms[0].b), four_digits(n.largest), four_digits(n.total)}),
                14, Font::words, theme.text, Align::start, width_);
      return;
    }
    constexpr float kTerm = 19, kColumn = 350;
    const auto rows = static_cast<std::size_t>(std::max(1.0f, std::floor((height_ - y - 34) / kTerm)));
    const auto columns = static_cast<std::size_t>(std::max(1.0f, std::floor(width_ / kColumn)));
    const std::size_t room = rows * columns;
    const std::size_t count = n.terms.size() <= room ? n.terms.size() : room - 1;
    const float column = width_ / static_cast<float>(columns);
    double rest = 0;
    for (std::size_t i = 0; i < n.terms.size(); ++i) {
      const BahdanauNumber::Term& t = n.terms[i];
      if (i >= count) {
        rest += t.a * t.b;
        continue;
      }
      term(i, rows, column, t.label,
           t.label.empty() ? four_digits(t.b) : score_number(t.a) + " × " + score_number(t.b) + " = " + four_digits(t.a * t.b));
    }
    if (count < n.terms.size()) term(count, rows, column, others_words(n.terms.size() - count), four_digits(rest));
  }
  void term(std::size_t i, std::size_t rows, float column, const std::string& label, const std::string& words) const {
    const std::size_t at = i / rows;
    const float x = static_cast<float>(at) * column, y = room_.told_top + 41 + static_cast<float>(i - at * rows) * 19;
    const float wide = pen_.measure.width(words, kBahdanauSmall, Font::mono);
    pen_.text(x, y, label, kBahdanauSmall, Font::mono, pen_.theme.secondary, Align::start, std::max(20.0f, column - wide - 24));
    pen_.text(x + column - 16, y, words, kBahdanauSmall, Font::mono, pen_.theme.text, Align::end, column - 20);
  }
  std::string result_words() const {
    const BahdanauNumber& n = input_.number;
    double sum = 0;
    for (const BahdanauNumber::Term& t : n.terms) sum += t.a * t.b;
    if (n.function == "tanh") return "tanh(" + four_digits(sum) + ") = " + four_digits(n.value);
    return "= " + four_digits(n.value);
  }

  const SheetInput& input_;
  const BahdanauStep& step_;
  float width_, height_;
  const Composer& pen_;
  SheetRoom room_;
};

Tensor matrix_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  const auto count = static_cast<std::int64_t>(rows.size());
  return Tensor::of(all, {count, count > 0 ? static_cast<std::int64_t>(all.size()) / count : 0});
}
Tensor vector_as_tensor(const std::vector<double>& x) { return Tensor::of(x, {static_cast<std::int64_t>(x.size())}); }

}  // namespace

Tag tag_of(const SheetPlace& place) { return {Tag::cell, place.quantity * kWordsOfATag + place.word, place.unit}; }

SheetPlace place_of_tag(const Tag& tag) {
  if (tag.kind != Tag::cell) return {};
  return {tag.a / kWordsOfATag, tag.a % kWordsOfATag, tag.b};
}

Figure bahdanau_sheet(const SheetInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("Bahdanau's step"), width, height, theme);
  const Composer pen{figure, theme, measure};
  BahdanauSheet(input, width, height, pen).draw();
  const BahdanauStep& step = input.step;
  figure.data.push_back({"annotations", matrix_of(step.annotations), {"word", "h"}, {input.source, {}}});
  figure.data.push_back({"e", vector_as_tensor(step.scores), {"word"}, {input.source}});
  figure.data.push_back({"alpha", vector_as_tensor(step.weights_of_words), {"word"}, {input.source}});
  figure.data.push_back({"context", vector_as_tensor(step.context), {"h"}, {{}}});
  figure.data.push_back({"state", vector_as_tensor(step.state()), {"s"}, {{}}});
  figure.data.push_back({"probabilities", vector_as_tensor(step.probabilities), {"word"}, {input.vocabulary}});
  return figure;
}

}  // namespace headlight::figures
