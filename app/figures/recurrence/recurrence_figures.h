// The pictures of the Recurrence view: a network unfolded over a text with its states and gates below, and the forms that such
// networks are used in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// The tokens in sight as columns. Rows from the top: what follows, the loss, the best guess, the state, the input, the way that
// attention takes; then a map of each state and gate on the same columns.
struct UnfoldedInput {
  struct Column {
    std::string token;
    int hue = -1;         // index into Theme::hues; -1: plain
    std::string follows;  // empty: nothing does
    double loss = -1;     // nat; below 0: nothing follows
    std::string guess;    // the most probable token, or below learning's eye: any
    double share = 0;     // its probability
    bool right = false;   // it is what follows
  };
  std::vector<Column> columns;
  std::int64_t first = 0, all = 0;          // the number of the first column, and of all tokens
  std::int64_t selected = -1;               // the token that is followed to the last one, counted in all tokens; -1: none
  std::int64_t hot = -1;                    // the token under the mouse, likewise
  std::vector<std::string> state_names;     // in the box: {"c", "h"}
  std::string input_matrix, output_matrix;  // beside the arrows: "W_xh", "W_hy"
  double sum = 0;                           // of all losses
  double largest_loss = 1;                  // which fills a loss's bar
  struct Band {
    std::string id, label, range;  // "f", "forget", "0..1"
    Tensor values;                 // f32 [rows, columns in sight]
    std::string colormap;
    float low = 0, high = 1;
    std::uint64_t key = 0;
  };
  std::vector<Band> bands;
  std::string order_words;  // what the order of a map's rows is
  std::string title, note;
};
// The rows that a hit's cell counts on from band to band: row % kBandRows of band row / kBandRows.
inline constexpr std::int64_t kBandRows = 1 << 20;
// The width that a column needs beside the names, so that its words are readable.
inline constexpr float kUnfoldedNames = 92, kUnfoldedColumn = 64;
// Exactly `width` x `height` points. The maps share what is left of the height; without 18 points for each they are left out.
// Tags: everything in a column is {Tag::column, its token}, cells of the maps are cell_area. data: each band under its id
// ["unit", "token"], and "loss" ["token"].
Figure unfolded_network(const UnfoldedInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// One-to-many, many-to-one, many-to-many: a small network each, with its name and what it is used for.
struct NetworkForm {
  std::string name, use;
  std::vector<bool> inputs, outputs;  // of each step, whether it has one
};
// Exactly `width` points wide, as high as its rows; larger than its least size where `height` has room for that. Tags: a form is
// {Tag::link, its number}.
Figure network_forms(const std::vector<NetworkForm>& forms, float width, float height, const Theme& theme,
                     const TextMeasure& measure);

}  // namespace headlight::figures
