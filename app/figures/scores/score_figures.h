// The pictures of the Scores view: six scores of one query as cards with shared rows, the norm of the softmax's Jacobian over the
// scale, and the relations of Q, K and V. Functions from data to a Figure; screen and files use the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/asked_scores.h"

namespace headlight::figures {

struct ScoreCardsInput {
  std::string asker;                // the token that asks
  std::vector<std::string> labels;  // of all keys
  std::vector<std::int64_t> shown;  // the keys with a line, in order; the others are added up in one more
  std::vector<ScoreRow> rows;       // a card each, of compared_scores()
  std::vector<char> visible;        // by key, 0: masked; empty: all are asked
  std::string in_use;               // the model's own score; empty: none of these
  std::int64_t d = 0;
  double factor = 0;        // of scaled dot
  double model_factor = 0;  // the model's own
  bool own_factor = false;  // it is not the model's
  std::uint64_t seed = 0;
  std::int64_t hot = -1;  // a key
  float pitch = 20;       // between lines
  bool beside = false;    // a low room: scores and weights share lines
  bool low = false;       // heads of cards are short, and there is no second line of words above
  std::string words;      // the second line above
};
// `width` points wide and as high as its lines. Numbers are tagged {Tag::cell, key, 2 card + (0: score, 1: weight)}, names of
// keys {Tag::row, key}, heads of cards {Tag::link, card}, entropies {Tag::bar, card}. data: "score" and "weight" [score, key],
// "entropy" [score].
Figure score_cards(const ScoreCardsInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The height of everything but the lines, and how many lines `count` keys take.
float score_cards_frame(const ScoreCardsInput& input);
std::int64_t score_lines(const ScoreCardsInput& input, std::int64_t count);
// Whether the numbers of both halves fit beside each other in its cards.
bool score_cards_fit_beside(const ScoreCardsInput& input, float width, const TextMeasure& measure);

// "-0.21", "12.8": three digits or so.
std::string score_number(double value);

struct ScalePlotInput {
  std::vector<double> factors;              // ascending
  std::vector<double> norms;                // of the asked row
  std::vector<std::vector<double>> others;  // of other queries
  std::int64_t d = 0;
  double factor = 0, norm = 0;  // the marker
  double root = 0;              // 1/sqrt(d)
  double norm_at_one = 0;
  bool own_factor = false;  // the marker was dragged away from the model's own
  std::string others_words;
};
// Exactly `width` x `height` points. The plot is tagged {Tag::column, 0}. data: "norm" [query, factor].
Figure scale_plot(const ScalePlotInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The factor at a point of a figure that scale_plot() made; 0 outside of its plot, unless `clamped`.
double factor_at(const Figure& figure, const ScalePlotInput& input, Point at, bool clamped);
// How many points apart two factors are drawn.
float factors_apart(const Figure& figure, const ScalePlotInput& input, double a, double b);

struct RelationsInput {
  std::vector<RelatedMap> maps;
  std::vector<std::string> names, meanings;  // one a map
  std::string given_words;                   // before the strips of what the query takes away
  std::vector<std::string> queries, keys;    // all tokens on either side
  QkvRelation chosen = QkvRelation::separate;
  std::int64_t from_width = 0, to_width = 0;  // of a map
  std::int64_t hot_query = -1, hot_key = -1;  // of the text
  std::uint64_t key = 0;                      // unique for these numbers
};
// Rows tagged {Tag::link, number}; beside them, where there is room, the chosen one's scores as Cells {Tag::cell_area, 0, 0}.
// Exactly `width` x `height` points. data: "score" [query, key] of the chosen one, "handed on" [relation, d].
Figure relation_rows(const RelationsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
