// The pictures of the view Next word: the true next token at every position, the candidates of one position, the logit lens, the
// heads that push one candidate, two continuations, and generated words. Screen and files use the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// A card for each token: the next token of the sentence, and how much it surprises the model.
struct SurpriseInput {
  struct Card {
    std::string token;
    int hue = 0;
    std::string follows;    // the next token; empty: there is none, and the card names `best` instead
    double loss = 0;        // -ln of the next token's probability, in nats
    std::int64_t rank = 0;  // 1: the next token is the best candidate
    double chance = 0;      // the next token's probability; if there is none, the probability of `best`
    std::string best;       // the best candidate
  };
  std::vector<Card> cards;
  std::int64_t first = 0, count = -1;  // the cards that are drawn, the others keep their places; -1: all from `first`
  std::int64_t current = -1, hot = -1;
  bool labels = true;  // the words for the lines stand at the left
  float pitch = 140;   // from card to card, in points
};
// As wide as its cards; tags {Tag::token, position}. data: "loss", "rank", "chance" [position].
// surprise_cards(input, theme, measure) shows one card for each token.
Figure surprise_cards(const SurpriseInput& input, const Theme& theme, const TextMeasure& measure);
float surprise_labels_width(const TextMeasure& measure);
// The pitch at which `count` cards fill `width` points, or as many whole cards as fit; at most 172.
// card_pitch(4, 600) gives 150; card_pitch(10, 600) gives 150, too: four cards of at least 126 points fit.
float card_pitch(std::int64_t count, float width);

// The candidates for the next token, best first.
struct CandidatesInput {
  struct Row {
    std::string token;
    double model = 0;  // probability at temperature 1
    double drawn = 0;  // probability with which the token is drawn; 0: it is cut off
  };
  std::vector<Row> rows;
  std::size_t allowed = 0;  // the number of candidates that can be drawn
  std::string cut_words;    // words at the line below the last candidate that can be drawn; empty: no line
  std::string others;       // "2,038 other words"
  double others_model = 0, others_drawn = 0;
  bool only_model = false;    // the column of `drawn` is left out
  std::int64_t tracked = -1;  // index of the lit row; -1: none
  float row_height = 28;
  std::string title;  // stands above, in files
};
// `width` points wide; rows are tagged {Tag::row, index}. data: "model" and "drawn" [candidate].
// candidate_list(input, 360, theme, measure) shows one line for each of input.rows.
Figure candidate_list(const CandidatesInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The token that the model would predict if it ended after each layer: rows are layers (0: the embedding), columns are positions.
struct LensInput {
  std::vector<std::string> positions;           // the tokens of all columns
  std::vector<std::vector<std::string>> words;  // [row][column]: the most probable token
  Tensor probability;                           // f32 [rows, columns]: probability of this token
  std::int64_t first = 0, count = 0;            // the columns that are shown
  std::string tracked;                          // a token with a column of its own; empty: there is no such column
  std::vector<double> chance;                   // [row]: probability of `tracked` at the current position
  std::int64_t current = -1;                    // index of the current column; -1: none
  std::int64_t source = -1;                     // the row whose words are listed beside the map; -1: the last row
  std::string colormap = "viridis";
  float row_height = 30;
  std::uint64_t key = 0;
  std::string title;  // stands above, in files
};
inline constexpr float kLensAround = 52;  // the height of what is not rows, without a title
// `width` points wide. The cells are tagged {Tag::cell_area}, counted in all columns. data: "lens" [layer, position], "tracked".
// lens_map(input, 640, theme, measure) shows one row for each layer.
Figure lens_map(const LensInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The attention of one token: a row for each head with its weights on the tokens, and the head's share in the logit of one
// candidate.
struct LooksInput {
  struct Row {
    std::string name;             // "L4 H3"
    std::vector<double> weights;  // [column]
    double push = 0;
  };
  std::vector<std::string> tokens;    // labels of all columns
  std::int64_t first = 0, count = 0;  // the columns that are shown
  std::vector<Row> rows;
  std::string push_title;               // "logit"
  double largest = 0;                   // |push| that fills half of its column
  std::int64_t current = -1, hot = -1;  // indices of the current column and of the highlighted row; -1: none
  std::string title;
};
inline constexpr float kLooksNames = 22, kLooksRow = 34, kLooksBelow = 2;  // heights: of the names, of a row, of what is below
// `width` points wide; rows are tagged {Tag::row, index}. data: "weights" [head, token] and "push" [head].
// looks_table(input, 640, theme, measure) shows one line for each of input.rows.
Figure looks_table(const LooksInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The columns of the lens and of the table of looks that fit into `width` points; they end one column behind the current one.
struct ShownColumns {
  std::int64_t first = 0, count = 0;
};
// shown_columns(1, 0, 640) gives {0, 1}: the only column.
ShownColumns shown_columns(std::int64_t positions, std::int64_t current, float width);

// A sentence and what a model expects behind it, for slides: a creature that reads the sentence, and its thought, the candidates.
struct ThinkingInput {
  std::string sentence;  // the words before the next word
  CandidatesInput candidates;
};
// `width` points wide and as high as its parts need; the rows in the thought are tagged {Tag::row, index}. If there is no room
// for both, the thought stands below the sentence. data: "model" and "drawn" [candidate].
// thinking({"The fox", candidates}, 900, theme, measure) shows the sentence and the candidates.
Figure thinking(const ThinkingInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Two continuations with their probabilities, and a bar that they share in proportion.
struct ContinuationsInput {
  struct One {
    std::string words;
    double chance = 0;
  };
  One first, second;
};
// `width` points wide. data: "chance" [continuation].
// continuations({{"·Turkey", 0.8}, {"·Syria", 0.1}}, 400, theme, measure) fills eight ninths of the bar with the first colour.
Figure continuations(const ContinuationsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Generated words, each with the probability that it had; words that do not fit go on in further lines.
struct GeneratedInput {
  struct Word {
    std::string token;
    double chance = 0;
  };
  std::vector<Word> words;
};
// `height` 0: as high as all lines; else only the last lines that fit are shown, at least one.
// generated_words({{{"fox", 0.3}}}, 480, 0, theme, measure) shows one word, 480 points wide.
Figure generated_words(const GeneratedInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
