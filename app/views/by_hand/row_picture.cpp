#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/by_hand/pictures.h"
#include "engine/core/one_nan.h"

namespace headlight::views::hand {
namespace {

using namespace figures;

using by_hand::Table;

constexpr float kHeading = 30, kRow = 23, kWordsSize = 14;

class RowDrawing {
 public:
  RowDrawing(const ByHandInput& input, float width, const Composer& pen)
      : input_(input),
        width_(width),
        pen_(pen),
        pair_(pair_of(input.hot.stage.empty() ? input.chosen : input.hot, input.worked)) {}

  float draw() {
    score();
    softmax();
    sum();
    return y_;
  }

 private:
  std::string written(double value) const { return hand_number(value, input_.digits); }
  Color hue(std::int64_t key) const { return pen_.theme.hues[static_cast<std::size_t>(key) % pen_.theme.hues.size()]; }
  const Table* table(const char* stage) const {
    const auto found = input_.worked.stages.find(stage);
    return found == input_.worked.stages.end() ? nullptr : &found->second;
  }

  void heading(const std::string& number, const std::string& words) {
    if (y_ > 0) {
      pen_.line({0, y_ + 6}, {width_, y_ + 6}, pen_.theme.line, 1);
      y_ += 14;
    }
    pen_.box({0, y_ + 4, 20, 20}, {0, 0, 0, 0}, pen_.theme.secondary, 1, 10);
    pen_.text(10, y_ + 14, number, 13, Font::words, pen_.theme.secondary, Align::middle);
    pen_.text(28, y_ + 14, words, 16, Font::words_bold, pen_.theme.text, Align::start, width_ - 28);
    y_ += kHeading;
  }
  // Breaks a sum between its terms.
  void terms(const std::vector<std::string>& terms, const std::string& result, Color color) {
    float x = 0;
    const auto put = [&](const std::string& words, Font font, Color ink) {
      const float wide = pen_.measure.width(words, 15, font);
      if (x > 0 && x + wide > width_) {
        x = 0;
        y_ += 21;
      }
      pen_.text(x, y_ + 11, words, 15, font, ink);
      x += wide + 6;
    };
    for (std::size_t i = 0; i < terms.size(); ++i) put((i ? "+ " : "") + terms[i], Font::mono, color);
    put("= " + result, Font::mono, pen_.theme.text);
    y_ += 24;
  }

  void score() {
    const Table *q = table("q"), *k = table("k"), *scores = table("scores");
    if (!scores) return;
    const std::string query = query_name(input_.hand, pair_.query), key = key_name(input_.hand, pair_.key);
    heading("1", tr("One score"));
    pen_.text(0, y_ + 8, fill(tr("{} asks, {} answers"), {query, key}), 13, Font::words, pen_.theme.secondary, Align::start,
              width_);
    y_ += 22;
    const double value = scores->at(pair_.query, pair_.key);
    if (!input_.worked.visible(pair_.query, pair_.key)) {
      line(tr("masked: a later key is not seen"));
    } else if (by_hand::is_held(input_.hand, "scores", pair_.query, pair_.key)) {
      line(fill(tr("held at {}"), {written(value)}));
    } else if (!q || !k) {
      line(fill(tr("given: {}"), {hand_number(value, 6)}));
    } else {
      std::vector<std::string> products;
      for (std::int64_t c = 0; c < q->columns; ++c)
        products.push_back(written(q->at(pair_.query, c)) + "·" + written(k->at(pair_.key, c)));
      terms(products, written(value), pen_.theme.selected);
    }
    if (input_.hand.divided && k)
      line(fill(tr("divided by √{}: {}"), {std::to_string(k->columns), written(table("divided")->at(pair_.query, pair_.key))}));
  }
  void line(const std::string& words) {
    pen_.text(0, y_ + 10, words, kWordsSize, Font::words, pen_.theme.text, Align::start, width_);
    y_ += 23;
  }

  void softmax() {
    const Table *divided = table("divided"), *weights = table("weights");
    if (!divided || !weights) return;
    heading("2", fill(tr("Softmax of {}"), {query_name(input_.hand, pair_.query)}));
    const float weight_x = width_, bar_x = width_ * 0.66f, exp_x = width_ * 0.62f, score_x = width_ * 0.36f;
    const double t = input_.hand.temperature;
    const bool plain = t > 0 && std::isfinite(t);
    pen_.text(score_x, y_ + 7, tr("score"), 13, Font::words, pen_.theme.secondary, Align::end);
    if (plain) pen_.text(exp_x, y_ + 7, tr("exponential"), 13, Font::words, pen_.theme.secondary, Align::end);
    pen_.text(weight_x, y_ + 7, tr("weight"), 13, Font::words, pen_.theme.secondary, Align::end);
    y_ += 20;
    double all = 0;
    // So large that e^score has no digits left: then the largest score is taken off first.
    double largest = -INFINITY;
    for (std::int64_t j = 0; j < divided->columns; ++j)
      if (input_.worked.visible(pair_.query, j)) largest = std::max(largest, divided->at(pair_.query, j));
    const double off = plain && std::abs(largest / t) > 20 ? largest : 0;
    for (std::int64_t j = 0; j < divided->columns; ++j) {
      const bool seen = input_.worked.visible(pair_.query, j), on = j == pair_.key;
      const double s = divided->at(pair_.query, j), w = weights->at(pair_.query, j),
                   e = plain && seen ? std::exp((s - off) / t) : 0;
      all += e;
      const float y = y_ + kRow / 2;
      pen_.box({0, y - 7, 3.5f, 14}, hue(j), {0, 0, 0, 0}, 0, 1.5f);
      pen_.text(10, y, key_name(input_.hand, j), kWordsSize, Font::words, on ? pen_.theme.selected : pen_.theme.text,
                Align::start, width_ * 0.2f);
      pen_.text(score_x, y, seen ? written(s) : tr("masked"), 13, seen ? Font::mono : Font::words,
                seen ? pen_.theme.text : pen_.theme.secondary, Align::end);
      if (plain && seen) pen_.text(exp_x, y, hand_number(e, input_.digits), 13, Font::mono, pen_.theme.text, Align::end);
      const float room = weight_x - bar_x - 56;
      if (room > 12) pen_.bar({bar_x, y - 4, room, 8}, std::clamp(w, 0.0, 1.0), hue(j));
      pen_.text(weight_x, y, written(w), 13, Font::mono, on ? pen_.theme.selected : pen_.theme.text, Align::end);
      y_ += kRow;
    }
    if (plain) {
      pen_.text(10, y_ + 10, tr("sum"), 13, Font::words, pen_.theme.secondary);
      pen_.text(exp_x, y_ + 10, hand_number(all, input_.digits), 13, Font::mono, pen_.theme.text, Align::end);
    }
    double total = 0;
    for (std::int64_t j = 0; j < weights->columns; ++j) total += weights->at(pair_.query, j);
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", input_.digits, one_nan(total));
    pen_.text(weight_x, y_ + 10, text, 13, Font::mono, std::abs(total - 1) < 1e-9 ? pen_.theme.good : pen_.theme.wrong,
              Align::end);
    y_ += kRow;
    if (off != 0) note(fill(tr("exponentials of the scores less {}, the largest"), {written(off)}));
    if (t == 0) note(tr("temperature 0: the largest score takes all, equal ones share"));
    if (std::isinf(t)) note(tr("temperature ∞: all visible keys alike"));
  }
  void note(const std::string& words) {
    for (const std::string& one : wrap(words, width_, 13, Font::words, pen_.measure)) {
      pen_.text(0, y_ + 9, one, 13, Font::words, pen_.theme.secondary);
      y_ += 18;
    }
  }

  void sum() {
    const Table *weights = table("weights"), *v = table("v"), *output = table("output");
    if (!v || !output) return;
    const HandPlace& place = input_.hot.stage.empty() ? input_.chosen : input_.hot;
    const std::int64_t column = place.stage == "output" || place.stage == "v" ? std::min(place.column, v->columns - 1) : 0;
    heading("3", fill(tr("The sum, number {} of {}"), {std::to_string(column), std::to_string(v->columns)}));
    if (by_hand::is_held(input_.hand, "output", pair_.query, column)) {
      line(fill(tr("held at {}"), {written(output->at(pair_.query, column))}));
      return;
    }
    std::vector<std::string> products;
    for (std::int64_t j = 0; j < v->rows; ++j)
      if (weights->at(pair_.query, j) != 0)
        products.push_back(written(weights->at(pair_.query, j)) + "·" + hand_number(v->at(j, column), input_.digits));
    terms(products, written(output->at(pair_.query, column)), pen_.theme.text);
  }

  const ByHandInput& input_;
  float width_, y_ = 0;
  const Composer& pen_;
  HandPair pair_;
};

}  // namespace

std::string hand_number(double value, int digits) {
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  char text[48];
  if (value == std::floor(value) && std::abs(value) < 1e6) {
    std::snprintf(text, sizeof text, "%.0f", one_nan(value == 0 ? 0.0 : value));
    return text;
  }
  if (std::abs(value) >= 1e6 || (digits > 4 && std::abs(value) < 0.5 * std::pow(10.0, -digits))) {
    std::snprintf(text, sizeof text, "%.2g", one_nan(value));
    return text;
  }
  std::snprintf(text, sizeof text, "%.*f", digits, one_nan(value));
  std::string all = text;
  if (digits > 4)  // a number that was typed: without zeros at its end
    while (all.back() == '0') all.pop_back();
  if (all.starts_with("0.")) return all.substr(1);
  return all.starts_with("-0.") ? "-" + all.substr(2) : all;
}

std::string query_name(const by_hand::Case& hand, std::int64_t query) {
  const auto at = static_cast<std::size_t>(query);
  return at < hand.query_names.size() ? hand.query_names[at] : "q" + std::to_string(query);
}
std::string key_name(const by_hand::Case& hand, std::int64_t key) {
  const auto at = static_cast<std::size_t>(key);
  return at < hand.key_names.size() ? hand.key_names[at] : "k" + std::to_string(key);
}

HandPair pair_of(const HandPlace& place, const by_hand::Worked& worked) {
  HandPair pair;
  if (place.stage == "scores" || place.stage == "divided" || place.stage == "weights") {
    pair = {place.row, place.column};
  } else if (place.stage == "k" || place.stage == "v") {
    pair.key = place.row;
  } else if (place.stage == "x" || place.stage == "q" || place.stage == "output") {
    pair.query = place.row;
  }
  const auto found = worked.stages.find("scores");
  if (found == worked.stages.end()) return {};
  return {std::clamp<std::int64_t>(pair.query, 0, found->second.rows - 1),
          std::clamp<std::int64_t>(pair.key, 0, found->second.columns - 1)};
}

Figure by_hand_row(const ByHandInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("One row by hand"), width, 0, theme);
  const Composer pen{figure, theme, measure};
  figure.height = RowDrawing(input, width, pen).draw();
  return figure;
}

}  // namespace headlight::views::hand
