// ViewState: how the person looks at a trace. Saved beside the Document, never recomputes anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// One head of the shown kind of attention.
struct HeadRef {
  std::int64_t layer = 0, head = 0;
  bool operator==(const HeadRef&) const = default;
};

struct ViewState {
  std::string tab = "heads";  // panel registry id
  std::string theme = "dark";
  std::string colormap = "viridis";
  std::string shown = "weights";  // scores, masked_scores, weights
  std::string site = "";          // prefix kind: "", "encoder.", "decoder.", "decoder.cross."
  std::int64_t batch = 0;         // which sentence
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t pinned_row = -1, pinned_column = -1;  // -1: nothing pinned
  bool transposed = false;                           // false: row = query, column = key
  double zoom = 1.0, pan_x = 0.0, pan_y = 0.0;       // of the large heatmap, in cells
  double ui_scale = 0.0;                             // 0: as the display says
  bool presentation = false;                         // large type, high contrast, no chrome (F11)

  // Heads
  std::string head_view = "heatmap";  // heatmap, dots, arcs, neuron
  std::vector<HeadRef> chosen_heads;  // shown together; empty: (layer, head) alone
  std::string together = "side";      // how several are shown: side, overlay, mean, rollout
  std::string head_order = "model";   // the thumbnails: model, entropy, distance, pattern
  std::string head_filter;            // a pattern's name; empty: all
  std::string range = "fixed";        // weights coloured: fixed (0..1), own (up to the largest), row, log
  std::string reduction = "max";      // of cells smaller than a pixel: max, mean
  double arc_share = 0.0;             // share of each row's weight that arcs show; 0: as crowded as it is
  // Walk-through
  std::string walk_step = "tokens";  // the box that is lit
  std::string walk_open;             // the box whose values are open; empty: none
  // Masks
  std::string mask_tool = "rectangle";  // rectangle, row, column, cell
  bool mask_allows = false;             // painting lets cells attend instead of masking them
  std::string mask_shows = "after";     // before, after, difference, all
  std::string mask_page = "paint";      // paint, shapes, fill
  std::int64_t mask_row = -1;           // line by line: the row that the decoder has come to; -1: all at once
  // Tokens
  std::string token_view = "rows";  // presented, the one picture: rows, training
  // Positions
  std::string position_view = "heatmap";    // heatmap, curves, distance
  std::vector<std::int64_t> position_dims;  // the curves shown; empty: a choice of ours
  std::int64_t position_count = 0;          // positions shown, 2..256; 0: a choice of ours
  // Inspector: any value of any step, when one is pinned that is no attention cell
  std::string pinned_step;
  std::vector<std::int64_t> pinned_index;
  // Index lab
  std::string lab_word = "apple";
  std::int64_t lab_words = 500, lab_length = 32, lab_vocab = 64, lab_d = 512, lab_heads = 1;
  bool lab_cached = false;               // tables kept between calls
  bool lab_padding = false;              // symbol 0 is masked
  bool lab_word_lengths = false;         // words as long as a text's, filled up with padding
  bool lab_every_query = false;          // not pooled: every query's output is kept
  bool lab_log = false;                  // times on a logarithmic axis
  std::string lab_shown;                 // of several devices: whose map, errors and table are shown; empty: the first's
  std::vector<std::string> lab_devices;  // "cpu", "cuda", "cuda:1"; empty: the document's, or the CPU
  std::vector<std::string> lab_precisions{"f32"};  // f32, tf32, bf16, of the devices that have them
  std::string lab_page;  // beside the times: map, table, errors, notebook; word and times too where there is room for one alone
  std::string lab_across = "words", lab_up = "vocab";  // axes of the map: words, length, vocab, d
  std::string lab_against = "fastest";                 // fastest (without an index) or written (as the layer is usually written)
  // Lesson being played; empty: none
  std::string lesson;
  std::int64_t lesson_step = 0;
  bool operator==(const ViewState&) const = default;
};

std::string to_json(const ViewState& view);
Result<ViewState> view_state_from_json(std::string_view json, const std::string& where);  // unknown keys are ignored

// Clamps layer, head, batch and pins to what a trace has.
class Trace;
void fit(ViewState& view, const Trace& trace);

}  // namespace headlight
