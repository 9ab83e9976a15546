// The pictures of the Next word view: what really follows at every position, the candidates of one position, the logit lens, and
// the heads that push one candidate. Functions from data to a Figure; screen and files use the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// A card for each token: what stands next to it in the sentence, and how surprised the model is by that.
struct SurpriseInput {
  struct Card {
    std::string token;
    int hue = 0;
    std::string follows;    // the token that stands next; empty: nothing yet, and `best` is said instead
    double loss = 0;        // -ln of its probability, in nats
    std::int64_t rank = 0;  // 1: it is the best candidate
    double chance = 0;      // its probability; without a next token that of `best`
    std::string best;       // the best candidate
  };
  std::vector<Card> cards;
  std::int64_t first = 0, count = -1;  // the cards that are drawn, the others keep their places; -1: all from `first`
  std::int64_t current = -1, hot = -1;
  bool labels = true;  // the words for the lines stand at the left
  float pitch = 140;   // from card to card
};
// As wide as its cards; tags {Tag::token, position}. data: "loss", "rank", "chance" [position].
Figure surprise_cards(const SurpriseInput& input, const Theme& theme, const TextMeasure& measure);
float surprise_labels_width(const TextMeasure& measure);
// The pitch at which `count` cards fill `width` points; where they do not fit, as many whole ones as do.
float card_pitch(std::int64_t count, float width);

// The candidates for the next token, best first.
struct CandidatesInput {
  struct Row {
    std::string token;
    double model = 0;  // probability at temperature 1
    double drawn = 0;  // with which it is drawn; 0: it is cut off
  };
  std::vector<Row> rows;
  std::size_t allowed = 0;  // of all candidates, how many can be drawn
  std::string cut_words;    // at the line below the last that can be drawn; empty: no line
  std::string others;       // "2,038 other words"
  double others_model = 0, others_drawn = 0;
  bool only_model = false;    // nothing is drawn: there is no such column
  std::int64_t tracked = -1;  // the row that is lit
  float row_height = 28;
  std::string title;  // above, in files
};
// `width` points wide; rows are tagged {Tag::row, number}. data: "model" and "drawn" [candidate].
Figure candidate_list(const CandidatesInput& input, float width, const Theme& theme, const TextMeasure& measure);

// What the model would say if it ended after each layer: rows are layers (0: the embedding), columns are positions.
struct LensInput {
  std::vector<std::string> positions;           // of all columns
  std::vector<std::vector<std::string>> words;  // [row][column]: the top token
  Tensor probability;                           // f32 [rows, columns]: of that token
  std::int64_t first = 0, count = 0;            // the columns that are shown
  std::string tracked;                          // a token; empty: no column for it
  std::vector<double> chance;                   // [row]: its probability at the current position
  std::int64_t current = -1;                    // column
  std::int64_t source = -1;                     // the row whose words are listed beside it; -1: the last
  std::string colormap = "viridis";
  float row_height = 30;
  std::uint64_t key = 0;
  std::string title;  // above, in files
};
// `width` points wide. The cells are tagged {Tag::cell_area}, counted in all columns. data: "lens" [layer, position], "tracked".
Figure lens_map(const LensInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Where one token looks: a head a row, its weights on the tokens, and what it adds to the logit of one candidate.
struct LooksInput {
  struct Row {
    std::string name;             // "L4 H3"
    std::vector<double> weights;  // [column]
    double push = 0;
  };
  std::vector<std::string> tokens;    // of all columns
  std::int64_t first = 0, count = 0;  // the columns that are shown
  std::vector<Row> rows;
  std::string push_title;               // "logit"
  double largest = 0;                   // |push| that fills half the column
  std::int64_t current = -1, hot = -1;  // column; row
  std::string title;
};
// `width` points wide; rows are tagged {Tag::row, number}. data: "weights" [head, token] and "push" [head].
Figure looks_table(const LooksInput& input, float width, const Theme& theme, const TextMeasure& measure);

// How many columns of the lens and of the table of looks fit into `width` points, and which are shown: those that end a little
// behind the current one.
struct ShownColumns {
  std::int64_t first = 0, count = 0;
};
ShownColumns shown_columns(std::int64_t positions, std::int64_t current, float width);

// Words that were generated, each with the chance it had; more than a line goes on below.
struct GeneratedInput {
  struct Word {
    std::string token;
    double chance = 0;
  };
  std::vector<Word> words;
};
Figure generated_words(const GeneratedInput& input, float width, const Theme& theme, const TextMeasure& measure);

// "81.2 %", with one decimal; below 0.05 % "< 0.1 %".
std::string percent(double share);

}  // namespace headlight::figures
