// The pictures of the Scores view: six scores of one query as cards with shared rows, the norm of the softmax's Jacobian over the
// scale, and the relations of Q, K and V. Functions from data to a Figure; screen and files use the same functions.
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
  std::string question;             // what it asks, in words; empty: that is not said
  std::vector<std::string> labels;  // of all keys
  std::vector<std::int64_t> shown;  // the keys with a line of their own, in order; one more line adds up the other keys
  std::vector<ScoreRow> rows;       // one card for each row of compared_scores()
  std::vector<char> visible;        // by key, 0: masked; empty: no key is masked
  std::string in_use;               // id of the model's own score; empty: none of these scores
  std::int64_t d = 0;
  double factor = 0;        // the factor of the scaled dot product
  double model_factor = 0;  // the model's own factor
  bool own_factor = false;  // `factor` was changed by the user
  std::uint64_t seed = 0;
  std::int64_t hot = -1;  // index of the highlighted key; -1: none
  float pitch = 20;       // from one line to the next, in points
  bool beside = false;    // for a low room: scores and weights share lines
  bool low = false;       // heads of cards are short, and the second line of words above is left out
  std::string words;      // the second line of words above the cards
};
// `width` points wide and as high as its lines. Numbers are tagged {Tag::cell, key, 2 card + (0: score, 1: weight)}, names of
// keys {Tag::row, key}, heads of cards {Tag::link, card}, entropies {Tag::bar, card}. data: "score" and "weight" [score, key],
// "entropy" [score]. score_cards(input, 900, theme, measure) shows one card for each of input.rows.
Figure score_cards(const ScoreCardsInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The height of the picture without its lines, in points.
float score_cards_frame(const ScoreCardsInput& input);
// The number of lines that `count` keys take: score_lines(input, 5) gives 5 if input.beside, else 10.
std::int64_t score_lines(const ScoreCardsInput& input, std::int64_t count);
// Whether scores and weights fit beside each other in the cards.
// score_cards_fit_beside(input, 100, measure) of six cards is false: a card has under 17 points.
bool score_cards_fit_beside(const ScoreCardsInput& input, float width, const TextMeasure& measure);

// A score in about three digits: score_number(-0.214) gives "-0.21", score_number(12.84) "12.8".
std::string score_number(double value);

struct ScalePlotInput {
  std::vector<double> factors;              // ascending
  std::vector<double> norms;                // one per factor, for the selected query
  std::vector<std::vector<double>> others;  // the norms of other queries
  std::int64_t d = 0;
  double factor = 0, norm = 0;  // the marker's place
  double root = 0;              // 1/sqrt(d)
  double norm_at_one = 0;
  bool own_factor = false;  // the marker was dragged away from the model's own factor
  std::string others_words;
};
// Exactly `width` x `height` points. The plot is tagged {Tag::column, 0}. data: "norm" [query, factor].
// scale_plot(input, 480, 320, theme, measure) draws input.norms over input.factors.
Figure scale_plot(const ScalePlotInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The factor at a point of a figure that scale_plot() made. Outside of the plot it is 0 or, if `clamped`, the nearest factor.
// factor_at(figure, input, {-10, -10}, false) gives 0; with true it gives the smallest factor of the axis.
double factor_at(const Figure& figure, const ScalePlotInput& input, Point at, bool clamped);
// The distance in points at which two factors are drawn: factors_apart(figure, input, 0.5, 0.5) gives 0.
float factors_apart(const Figure& figure, const ScalePlotInput& input, double a, double b);

struct RelationsInput {
  std::vector<RelatedMap> maps;
  std::vector<std::string> names, meanings;  // one for each map
  std::string given_words;                   // words before the strips of the vectors that the query takes away
  std::vector<std::string> queries, keys;    // all tokens on either side
  QkvRelation chosen = QkvRelation::separate;
  std::int64_t from_width = 0, to_width = 0;  // numbers into and out of a map
  std::int64_t hot_query = -1, hot_key = -1;  // indices in `queries` and `keys`; -1: none
  std::uint64_t key = 0;                      // unique for these numbers
};
// The relations as rows, tagged {Tag::link, index}. If there is room, the chosen relation's scores stand beside the rows as Cells
// {Tag::cell_area, 0, 0}. Exactly `width` x `height` points. data: "score" [query, key] of the chosen relation, "handed on"
// [relation, d]. relation_rows(input, 900, 480, theme, measure) shows a row for each of input.maps.
Figure relation_rows(const RelationsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
