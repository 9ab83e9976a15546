// The pictures of the Recurrence view: a network unfolded over a text with its states and gates below, and the forms in which
// such networks are used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// The visible tokens as columns. Rows from the top: the next token, the loss, the best guess, the state, the input, the way that
// attention takes; then a map of each state and gate on the same columns.
struct UnfoldedInput {
  struct Column {
    std::string token;
    int hue = -1;         // index into Theme::hues; -1: plain
    std::string follows;  // the next token; empty: there is none
    double loss = -1;     // in nats; below 0: there is no next token
    std::string guess;    // the token that the network finds most probable
    double share = 0;     // the guess's probability
    bool right = false;   // the guess is the next token
  };
  std::vector<Column> columns;
  std::int64_t first = 0, all = 0;          // index of the first column's token, and the number of all tokens
  std::int64_t selected = -1;               // index among all tokens of the token that is followed to the last one; -1: none
  std::int64_t hot = -1;                    // index among all tokens of the token under the mouse; -1: none
  std::vector<std::string> state_names;     // words in the box: {"c", "h"}
  std::string input_matrix, output_matrix;  // words beside the arrows: "W_xh", "W_hy"
  double sum = 0;                           // sum of all losses, in nats
  double largest_loss = 1;                  // the loss that fills a bar
  struct Band {
    std::string id, label, range;  // "f", "forget", "0..1"
    Tensor values;                 // f32 [rows, columns in sight]
    std::string colormap;
    float low = 0, high = 1;
    std::uint64_t key = 0;
  };
  std::vector<Band> bands;
  std::string order_words;  // the order of a map's rows, in words
  std::string title, note;
};
// A hit's cell in row r belongs to band r / kBandRows, and is row r % kBandRows of this band.
inline constexpr std::int64_t kBandRows = 1 << 20;
// The width of the names at the left, and the width that a column needs so that its words are readable, in points.
inline constexpr float kUnfoldedNames = 92, kUnfoldedColumn = 64;
// Exactly `width` x `height` points. The maps share the rest of the height; if it is less than 18 points for each map, the maps
// are left out. Tags: all items in a column are {Tag::column, index of the token}, cells of the maps are cell_area. data: each
// band under its id ["unit", "token"], and "loss" ["token"].
// unfolded_network(input, 900, 480, theme, measure) shows input.columns from left to right.
Figure unfolded_network(const UnfoldedInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// One form of use, such as one-to-many, many-to-one or many-to-many, as a small network with its name and its use.
struct NetworkForm {
  std::string name, use;
  std::vector<bool> inputs, outputs;  // for each step, whether it has an input and an output
};
// Exactly `width` points wide, as high as its rows. If `height` has room, the networks are drawn larger. Tags: a form is
// {Tag::link, its index}. network_forms({{"many-to-one", "sentiment", {true, true}, {false, true}}}, 480, 200, theme, measure)
// shows one form.
Figure network_forms(const std::vector<NetworkForm>& forms, float width, float height, const Theme& theme,
                     const TextMeasure& measure);

}  // namespace headlight::figures
