#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "app/views/scores/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kTitleSize = 18, kCardName = 16, kCardFormula = 14, kCardSmallSize = 13, kLeastCardSize = 12;
constexpr float kCardGap = 8, kInset = 10, kBetweenCardParts = 26, kEntropy = 34;

float title_height(const ScoreCardsInput& input) { return input.low || input.words.empty() ? 28 : 50; }
float head_height(const ScoreCardsInput& input) { return input.low ? 62 : 84; }

bool has_others(const ScoreCardsInput& input) { return input.shown.size() < input.labels.size(); }
std::size_t card_lines(const ScoreCardsInput& input) { return input.shown.size() + (has_others(input) ? 1 : 0); }

std::string cards_others_words(const ScoreCardsInput& input) {
  return fill(tr("{} others"), {std::to_string(input.labels.size() - input.shown.size())});
}

// How many keys the asking token may see.
std::size_t seen_keys(const ScoreCardsInput& input) {
  if (input.visible.empty()) return input.labels.size();
  return input.visible.size() - static_cast<std::size_t>(std::count(input.visible.begin(), input.visible.end(), char{0}));
}

std::string asks_words(const ScoreCardsInput& input, float width, const TextMeasure& measure) {
  const std::size_t seen = seen_keys(input);
  const bool all = seen == input.labels.size();
  const std::string count = std::to_string(seen);
  std::vector<std::string> texts;
  if (!input.question.empty())  // the meaning first
    texts = {
        fill(all ? tr("asks all {0} tokens: “{1}”") : tr("asks the {0} tokens that it sees: “{1}”"), {count, input.question}),
        fill(tr("asks: “{}”"), {input.question})};
  else if (input.rows.size() > 1 && all)
    texts = {fill(tr("asks all {} tokens: six ways to score, one softmax"), {count})};
  if (all) {
    texts.push_back(fill(tr("asks all {} tokens"), {count}));
    texts.emplace_back(tr("asks all"));
  } else {
    if (seen > 1) texts.push_back(fill(tr("asks the {} tokens that it sees"), {count}));
    texts.emplace_back(tr("asks what it sees"));
  }
  return first_that_fits(texts, width, kTitleSize, Font::words_bold, measure);
}

float card_names_width(const ScoreCardsInput& input, float width, const TextMeasure& measure) {
  float wide = std::max(measure.width(tr("entropy, nat"), kCardSmallSize, Font::words),
                        measure.width(tr("score, weight"), kCardSmallSize, Font::words_bold) - 8);
  for (const std::int64_t key : input.shown)
    wide = std::max(wide, measure.width(input.labels[static_cast<std::size_t>(key)], 15, Font::mono));
  if (has_others(input)) wide = std::max(wide, measure.width(cards_others_words(input), kCardSmallSize, Font::words));
  return std::min(wide + 14, std::max(104.0f, 0.16f * width));
}

// Where the parts of a card's line are, from the card's left edge.
struct LineParts {
  float score = 0, score_wide = 0, score_end = 0;     // the bar, the right end of its number
  float weight = 0, weight_wide = 0, weight_end = 0;  // likewise
};
LineParts parts_of(const ScoreCardsInput& input, float card, const TextMeasure& measure) {
  LineParts at;
  const float score_number_wide = measure.width("-00.00", kCardSmallSize, Font::mono),
              weight_number_wide = measure.width("1.00", kCardSmallSize, Font::mono);
  const float inner = card - 2 * kInset;
  at.score = at.weight = kInset;
  if (!input.beside) {
    at.score_end = at.weight_end = card - kInset;
    at.score_wide = at.weight_wide = std::max(4.0f, inner - score_number_wide - 6);
    return at;
  }
  const float bars = std::max(8.0f, inner - score_number_wide - weight_number_wide - 18);
  at.score_wide = bars * 0.5f;
  at.score_end = at.score + at.score_wide + 4 + score_number_wide;
  at.weight = at.score_end + 10;
  at.weight_wide = bars - at.score_wide;
  at.weight_end = card - kInset;
  return at;
}

class Cards {
 public:
  Cards(const ScoreCardsInput& input, float width, Figure& figure, const Theme& theme, const TextMeasure& measure)
      : input_(input), width_(width), pen_{figure, theme, measure}, names_(card_names_width(input, width, measure)) {
    const auto count = static_cast<float>(input.rows.size());
    card_ = (width - names_ - kCardGap * (count - 1)) / count;
    parts_ = parts_of(input, card_, measure);
    top_ = title_height(input);
    scores_ = top_ + head_height(input);
    weights_ = input.beside ? scores_ : scores_ + static_cast<float>(card_lines(input)) * input.pitch + kBetweenCardParts;
    entropy_ = weights_ + static_cast<float>(card_lines(input)) * input.pitch + 4;
    bottom_ = entropy_ + kEntropy;
    figure.height = bottom_ + 1;
  }

  void draw() {
    draw_title();
    for (std::size_t i = 0; i < input_.rows.size(); ++i) draw_ground(i);
    draw_hot();
    draw_names();
    for (std::size_t i = 0; i < input_.rows.size(); ++i) {
      draw_head(i);
      draw_lines(i);
      draw_entropy(i);
    }
    add_places();
  }

 private:
  float left(std::size_t card) const { return names_ + static_cast<float>(card) * (card_ + kCardGap); }
  bool used(std::size_t card) const { return input_.rows[card].id == input_.in_use; }
  bool sees(std::int64_t key) const { return input_.visible.empty() || input_.visible[static_cast<std::size_t>(key)] != 0; }
  const ComparedScore& kind(std::size_t card) const { return *compared_scores().find(input_.rows[card].id); }

  void draw_title() const {
    const Theme& theme = pen_.theme;
    const float most = 0.4f * width_;
    const float asker = std::min(most, pen_.measure.width(input_.asker, kTitleSize, Font::mono));
    pen_.text(0, 13, input_.asker, kTitleSize, Font::mono, theme.selected, Align::start, most + 1);
    pen_.text(asker + 10, 13, asks_words(input_, width_ - asker - 10, pen_.measure), kTitleSize, Font::words_bold, theme.text);
    if (!input_.low && !input_.words.empty())
      pen_.text(0, 37, input_.words, kCardSmallSize, Font::words, theme.secondary, Align::start, width_);
  }

  void draw_ground(std::size_t card) const {
    const Theme& theme = pen_.theme;
    const Box box{left(card) + 0.5f, top_ + 0.5f, card_ - 1, bottom_ - top_ - 1};
    if (used(card)) {
      pen_.box(box, with_alpha(theme.selected, 0.1f), theme.selected, 2, 8);
    } else if (!input_.rows[card].drawn) {
      pen_.box(box, theme.panel, theme.line, 1, 8);
    } else {
      pen_.box(box, theme.panel, {0, 0, 0, 0}, 0, 8);
      dashed({box.x + 4, box.y}, {box.x + box.w - 4, box.y});
      dashed({box.x + 4, box.y + box.h}, {box.x + box.w - 4, box.y + box.h});
      dashed({box.x, box.y + 4}, {box.x, box.y + box.h - 4});
      dashed({box.x + box.w, box.y + 4}, {box.x + box.w, box.y + box.h - 4});
    }
  }
  void dashed(Point from, Point to) const {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    for (float at = 0; at < length; at += 8) {
      const float end = std::min(length, at + 5);
      const auto on = [&](float t) {
        return Point{from.x + (to.x - from.x) * t / length, from.y + (to.y - from.y) * t / length};
      };
      pen_.line(on(at), on(end), pen_.theme.secondary, 1);
    }
  }

  // The line of the key under the mouse, through all cards.
  void draw_hot() const {
    for (std::size_t n = 0; n < input_.shown.size(); ++n) {
      if (input_.shown[n] != input_.hot) continue;
      for (const float start : {scores_, weights_}) {
        pen_.box({0, start + static_cast<float>(n) * input_.pitch, width_, input_.pitch}, with_alpha(pen_.theme.selected, 0.16f),
                 {0, 0, 0, 0}, 0, 4);
        if (input_.beside) break;
      }
    }
  }

  void draw_names() const {
    const Theme& theme = pen_.theme;
    const float size = std::min(15.0f, input_.pitch - 2);
    const auto names_at = [&](float start, const char* what) {
      const float size_of_what = input_.beside ? kCardSmallSize : 15;
      pen_.text(0, start - 12, what, size_of_what, Font::words_bold, theme.text, Align::start, names_ - 6);
      for (std::size_t n = 0; n < card_lines(input_); ++n) {
        const float y = start + (static_cast<float>(n) + 0.5f) * input_.pitch;
        if (n == input_.shown.size()) {
          pen_.text(names_ - 10, y, cards_others_words(input_), std::min(kCardSmallSize, size), Font::words, theme.secondary,
                    Align::end, names_ - 10);
        } else {
          const std::int64_t key = input_.shown[n];
          pen_.text(names_ - 10, y, input_.labels[static_cast<std::size_t>(key)], size, Font::mono,
                    key == input_.hot ? theme.selected : theme.text, Align::end, names_ - 10);
        }
      }
    };
    names_at(scores_, input_.beside ? tr("score, weight") : tr("score"));
    if (!input_.beside) names_at(weights_, tr("weight"));
    pen_.text(names_ - 10, entropy_ + kEntropy / 2, tr("entropy, nat"), kCardSmallSize, Font::words, theme.secondary, Align::end,
              names_ - 10);
  }

  std::string formula_of(std::size_t card) const {
    if (kind(card).id != "scaled_dot" || !input_.own_factor) return kind(card).formula;
    return "s·h × " + score_number(input_.factor);
  }

  void draw_head(std::size_t card) const {
    const Theme& theme = pen_.theme;
    const float x = left(card) + kInset, inner = card_ - 2 * kInset;
    const std::string scale = "±" + score_number(input_.rows[card].largest);
    const float scale_wide = pen_.measure.width(scale, kCardSmallSize, Font::mono);
    const std::string name = tr(kind(card).label.c_str());
    const bool both = pen_.measure.width(name, kCardName, Font::words_bold) + 8 + scale_wide <= inner;
    // In a narrow card the name is smaller, and then nearer to the card's edges.
    float name_size = kCardName;
    for (const float less : {kCardSmallSize, kLeastCardSize})
      if (pen_.measure.width(name, name_size, Font::words_bold) > inner) name_size = less;
    const bool wide = pen_.measure.width(name, name_size, Font::words_bold) > inner;
    const float around = wide ? 3 : kInset;
    pen_.text(left(card) + around, top_ + 17, name, name_size, Font::words_bold, used(card) ? theme.selected : theme.text,
              Align::start, both ? inner - scale_wide - 6 : card_ - 2 * around);
    if (both) pen_.text(x + inner, top_ + 17, scale, kCardSmallSize, Font::mono, theme.secondary, Align::end);
    const std::string formula = formula_of(card);
    const float size = pen_.measure.width(formula, kCardFormula, Font::mono) <= inner ? kCardFormula : kLeastCardSize;
    const std::vector<std::string> lines = wrap(formula, inner, size, Font::mono, pen_.measure);
    const std::string own = fill(tr("random, seed {}"), {std::to_string(input_.seed)});
    std::string third = tr(kind(card).meaning.c_str()), fourth;
    if (input_.rows[card].drawn) (input_.low ? third : fourth) = own;
    if (used(card)) (input_.low ? third : fourth) = fill(tr("in use here, d = {}"), {std::to_string(input_.d)});
    if (used(card) && input_.own_factor && kind(card).id == "scaled_dot")
      (input_.low ? third : fourth) = fill(tr("the model has × {}"), {score_number(input_.model_factor)});
    const auto fits = [&](const std::string& words) {
      return !words.empty() && pen_.measure.width(words, kCardSmallSize, Font::words) <= inner;
    };
    const auto put = [&](const std::string& words, float y) {
      if (fits(words)) pen_.text(x, y, words, kCardSmallSize, Font::words, theme.secondary);
    };
    // The meaning stands before the formula where both have a line.
    const bool meant = !input_.low && lines.size() == 1 && fits(third);
    for (std::size_t n = 0; n < lines.size() && n < 2; ++n)
      pen_.text(x, top_ + (meant ? 55.0f : 37.0f) + 16 * static_cast<float>(n), lines[n], size, Font::mono, theme.text,
                Align::start, inner);
    if (lines.size() > 1) third.clear();
    if (!both && lines.size() == 1 && !fits(third))
      pen_.text(x, top_ + 55, scale, kCardSmallSize, Font::mono, theme.secondary, Align::start, inner);
    put(third, top_ + (meant ? 37.0f : 55.0f));
    put(fourth, top_ + 73);
  }

  void draw_lines(std::size_t card) const {
    const Theme& theme = pen_.theme;
    const ScoreRow& row = input_.rows[card];
    const float x = left(card), high = std::clamp(input_.pitch * 0.45f, 5.0f, 9.0f);
    const float size = std::clamp(input_.pitch - 3, kLeastCardSize, 14.0f);
    const float middle = x + parts_.score + parts_.score_wide / 2;
    pen_.line({middle, scores_ + 2}, {middle, scores_ + static_cast<float>(card_lines(input_)) * input_.pitch - 2}, theme.line,
              1);
    double others = 0;
    for (const double w : row.weights) others += w;
    for (std::size_t n = 0; n < input_.shown.size(); ++n) {
      const std::int64_t key = input_.shown[n];
      const auto at = static_cast<std::size_t>(key);
      const float offset = (static_cast<float>(n) + 0.5f) * input_.pitch, y = scores_ + offset, below = weights_ + offset;
      const Color ink = key == input_.hot ? theme.selected : theme.text;
      others -= row.weights[at];
      if (!sees(key)) {
        pen_.figure.add(hatched({x + parts_.score, y - high / 2, parts_.score_wide, high}));
        pen_.figure.add(hatched({x + parts_.weight, below - high / 2, parts_.weight_wide, high}));
        continue;
      }
      const double share = row.largest > 0 ? row.scores[at] / row.largest : 0;
      const float wide = std::max(1.0f, static_cast<float>(std::abs(share)) * parts_.score_wide / 2);
      if (const NonFinite kind = non_finite(row.scores[at]); kind != NonFinite::none)
        pen_.figure.add(gap_mark(kind, {x + parts_.score, y - high / 2, parts_.score_wide, high}));
      else if (std::isfinite(share))
        pen_.box({share < 0 ? middle - wide : middle, y - high / 2, wide, high}, share < 0 ? theme.signed_low : theme.signed_high,
                 {0, 0, 0, 0}, 0, std::min(2.0f, wide / 2));
      pen_.text(x + parts_.score_end, y, score_number(row.scores[at]), size, Font::mono, ink, Align::end);
      draw_weight(x, below, high, size, row.weights[at], used(card) ? theme.selected : theme.info, ink);
    }
    if (has_others(input_))
      draw_weight(x, weights_ + (static_cast<float>(input_.shown.size()) + 0.5f) * input_.pitch, high, size,
                  std::max(0.0, others), theme.secondary, theme.secondary);
  }
  void draw_weight(float x, float y, float high, float size, double weight, Color color, Color ink) const {
    const float wide = std::max(1.5f, static_cast<float>(std::isfinite(weight) ? weight : 0) * parts_.weight_wide);
    if (const NonFinite kind = non_finite(weight); kind != NonFinite::none)
      pen_.figure.add(gap_mark(kind, {x + parts_.weight, y - high / 2, parts_.weight_wide, high}));
    else
      pen_.box({x + parts_.weight, y - high / 2, wide, high}, color, {0, 0, 0, 0}, 0, std::min(2.0f, wide / 2));
    pen_.text(x + parts_.weight_end, y, std::isfinite(weight) ? cell_number(weight) : "-", size, Font::mono, ink, Align::end);
  }

  void draw_entropy(std::size_t card) const {
    const Theme& theme = pen_.theme;
    const float x = left(card) + kInset, end = left(card) + card_ - kInset, y = entropy_ + kEntropy / 2;
    pen_.line({x, entropy_ + 1}, {end, entropy_ + 1}, theme.line, 1);
    std::size_t asked = 0;
    for (std::size_t key = 0; key < input_.labels.size(); ++key) asked += sees(static_cast<std::int64_t>(key));
    const double most = asked > 1 ? std::log(static_cast<double>(asked)) : 1;
    const std::string number = score_number(input_.rows[card].entropy);
    const float room = end - x - pen_.measure.width("0.00", 15, Font::mono) - 8;
    if (room > 8) pen_.bar({x, y - 4, room, 8}, input_.rows[card].entropy / most, used(card) ? theme.selected : theme.secondary);
    pen_.text(end, y, number, 15, Font::mono, used(card) ? theme.selected : theme.text, Align::end);
  }

  // For the mouse, above everything.
  void add_places() const {
    const Color none{0, 0, 0, 0};
    for (std::size_t n = 0; n < input_.shown.size(); ++n)
      for (const bool weight : {false, true}) {
        const std::int64_t key = input_.shown[n];
        const float y = (weight ? weights_ : scores_) + static_cast<float>(n) * input_.pitch;
        pen_.box({0, y, names_ - 4, input_.pitch}, none, none, 0, 0, {Tag::row, key, 0});
        for (std::size_t card = 0; card < input_.rows.size(); ++card) {
          const float from = left(card) + (weight && input_.beside ? parts_.weight - 4 : 0);
          const float to = left(card) + (!weight && input_.beside ? parts_.weight - 4 : card_);
          pen_.box({from, y, to - from, input_.pitch}, none, none, 0, 0,
                   {Tag::cell, key, static_cast<std::int64_t>(2 * card + (weight ? 1 : 0))});
        }
      }
    for (std::size_t card = 0; card < input_.rows.size(); ++card) {
      pen_.box({left(card), top_, card_, scores_ - top_}, none, none, 0, 0, {Tag::link, static_cast<std::int64_t>(card), 0});
      pen_.box({left(card), entropy_, card_, kEntropy}, none, none, 0, 0, {Tag::bar, static_cast<std::int64_t>(card), 0});
    }
  }

  const ScoreCardsInput& input_;
  float width_;
  Composer pen_;
  float names_, card_ = 0, top_ = 0, scores_ = 0, weights_ = 0, entropy_ = 0, bottom_ = 0;
  LineParts parts_;
};

void add_score_data(const ScoreCardsInput& input, Figure& figure) {
  std::vector<double> scores, weights, entropies;
  std::vector<std::string> names;
  for (const ScoreRow& row : input.rows) {
    scores.insert(scores.end(), row.scores.begin(), row.scores.end());
    weights.insert(weights.end(), row.weights.begin(), row.weights.end());
    entropies.push_back(row.entropy);
    names.push_back(row.id);
  }
  const auto rows = static_cast<std::int64_t>(input.rows.size()), keys = static_cast<std::int64_t>(input.labels.size());
  figure.data.push_back({"score", Tensor::of(scores, {rows, keys}), {"score", "key"}, {names, input.labels}});
  figure.data.push_back({"weight", Tensor::of(weights, {rows, keys}), {"score", "key"}, {names, input.labels}});
  figure.data.push_back({"entropy", Tensor::of(entropies, {rows}), {"score"}, {names}});
}

}  // namespace

std::string score_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value < 0 ? "-∞" : "∞";
  const double size = std::abs(value);
  if (size < 0.005) return "0.00";
  char text[32];
  std::snprintf(text, sizeof text, size >= 99999.5 ? "%.0e" : size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f", value);
  return text;
}

float score_cards_frame(const ScoreCardsInput& input) {
  return title_height(input) + head_height(input) + (input.beside ? 0 : kBetweenCardParts) + 4 + kEntropy + 1;
}

std::int64_t score_lines(const ScoreCardsInput& input, std::int64_t count) { return input.beside ? count : 2 * count; }

bool score_cards_fit_beside(const ScoreCardsInput& input, float width, const TextMeasure& measure) {
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.rows.size()));
  const float card = (width - card_names_width(input, width, measure) - (count - 1) * kCardGap) / count;
  return card - 2 * kInset - measure.width("-00.00", kCardSmallSize, Font::mono) -
             measure.width("1.00", kCardSmallSize, Font::mono) >=
         40;
}

Figure score_cards(const ScoreCardsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.asker + " " + asks_words(input, 1e6f, measure), width, 0, theme);
  Cards(input, width, figure, theme, measure).draw();
  add_score_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
