// Interventions: the replacements that a document makes inside its model during a run. A head's output, its pattern or a whole
// part of a layer is replaced, and everything behind it is computed with the replacement.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

struct Document;

// A place in a model, written as the names of steps are: layer 2, its attention, its feed-forward part or one of its heads. The
// positions are a place in no layer: an encoder's, a decoder's or, with side "", all.
struct ModelAddress {
  enum class Part { layer, attention, feed_forward, head, positions };
  std::string side;        // "", "encoder." or "decoder."
  std::int64_t layer = 0;  // from 0
  bool cross = false;      // the cross-attention of a decoder's layer
  Part part = Part::layer;
  std::int64_t head = 0;  // of Part::head, from 0
  bool operator==(const ModelAddress&) const = default;

  // "layer.2.", "decoder.layer.1.cross.": AttentionSite::prefix
  std::string prefix() const;
  // Whether a replacement here concerns one head, a whole attention or the feed-forward part at `prefix`. A place that is a whole
  // layer covers the layer's attentions and feed-forward part, but no single head of them.
  // The place layer.2.attention covers_head("layer.2.", 3), and so does the place layer.2.head.3.
  bool covers_head(std::string_view prefix, std::int64_t head_there) const;
  bool covers_attention(std::string_view prefix) const;
  bool covers_feed_forward(std::string_view prefix) const;
};
// "layer.2.head.3", "decoder.layer.1.cross.attention", "layer.0", "encoder.positions"
std::string to_text(const ModelAddress& address);
// Reads the form of to_text(). Error (usage): the text is no address; the error guesses the word that was meant.
Result<ModelAddress> address_from_text(std::string_view text);

struct Intervention {
  enum class Kind {
    uniform,  // a head's weights: equal over the keys that the mask allows
    pattern,  // a head's weights: its weights on another sentence of as many tokens
    cells,    // a head's weights: these cells are 0, and the rest of each row is divided by its sum
    zero,     // a head's weighted sum, or the output that a part adds: 0
    mean,     // a head's weighted sum, or the output that a part adds: at every position the mean over the text's positions
    scale,    // a head's weighted sum times a factor
  };
  struct Cell {
    std::int64_t query = 0, key = 0;
    bool operator==(const Cell&) const = default;
  };
  Kind kind = Kind::zero;
  ModelAddress at;
  double factor = 1;        // of Kind::scale
  std::string sentence;     // of Kind::pattern: replaces the text of the queries, or in cross-attention the text of the keys
  std::vector<Cell> cells;  // of Kind::cells; cells outside a text change nothing
  bool operator==(const Intervention&) const = default;
};

// Whether the kind changes a head's weights; the other kinds change the output.
inline bool changes_pattern(const Intervention& one) { return one.kind <= Intervention::Kind::cells; }

// "layer.2.head.3", "layer.2.head.3=0.5", "layer.2.head.3=another sentence", "layer.2.head.3=4:1,5:0" (query:key).
std::string to_text(const Intervention& one);
// Reads one intervention, or several divided by commas if the kind needs no value. Errors (usage): no address; a value that is
// missing or wrong; a place that is no head or attention, for a kind that changes heads alone.
// interventions_from_text(Intervention::Kind::scale, "layer.2.head.3=0.5") gives one, with factor 0.5.
Result<std::vector<Intervention>> interventions_from_text(Intervention::Kind kind, std::string_view text);

// Whether an intervention takes the positions of this side ("", "encoder.", "decoder.") out. The side is then computed as with
// the position "none", and nothing but a mask tells the order of its tokens.
// positions_are_out(document.interventions, "decoder.") is true for the place "decoder.positions", and for "positions".
bool positions_are_out(std::span<const Intervention> interventions, std::string_view side);

// Whether the positions of any side are out.
bool leaves_out_positions(const Document& document);
// Takes the positions of all sides out, or puts those of all sides back: leave_out_positions(document, true) adds "positions".
void leave_out_positions(Document& document, bool out);

// Checks that the document's model has every place, and that nothing is replaced twice. `reads_two`: the model has an encoder and
// a decoder. Errors (usage) name the place and the places that exist.
// check_interventions(document, !document.targets.empty()) checks a document of the sandbox.
Status check_interventions(const Document& document, bool reads_two);

}  // namespace headlight
