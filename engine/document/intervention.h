// Interventions: what a document changes inside its model while it is computed. A head's output, its pattern or a whole part of a
// layer is replaced, and everything behind it is computed with the replacement.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

struct Document;

// A place in a model, as its steps are named: layer 2, its attention, its feed-forward part or one head of it. The positions are
// a place as well, in no layer: of an encoder, of a decoder, or (side "") of all there is.
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
  // Whether the attention at `prefix`, or one head of it, is within this place.
  bool covers_head(std::string_view prefix, std::int64_t head_there) const;
  bool covers_attention(std::string_view prefix) const;
  bool covers_feed_forward(std::string_view prefix) const;  // `prefix` of the layer
};
// "layer.2.head.3", "decoder.layer.1.cross.attention", "layer.0", "encoder.positions"
std::string to_text(const ModelAddress& address);
// Error (usage): what is no address, with the word that was probably meant.
Result<ModelAddress> address_from_text(std::string_view text);

struct Intervention {
  enum class Kind {
    uniform,  // a head's weights: equal over the keys that the mask allows
    pattern,  // a head's weights: those that it has on another sentence of as many tokens
    cells,    // a head's weights: these cells are 0, and what is left of a row is divided by its sum
    zero,     // a head's weighted sum, or what a part adds: 0
    mean,     // the same: at every position the mean over the text's positions
    scale,    // a head's weighted sum times a factor
  };
  struct Cell {
    std::int64_t query = 0, key = 0;
    bool operator==(const Cell&) const = default;
  };
  Kind kind = Kind::zero;
  ModelAddress at;
  double factor = 1;        // of Kind::scale
  std::string sentence;     // of Kind::pattern: it stands in for what the attention's queries are, or in cross-attention its keys
  std::vector<Cell> cells;  // of Kind::cells; those outside a text change nothing in it
  bool operator==(const Intervention&) const = default;
};

// The kinds that change weights; the others change what the weights make.
inline bool changes_pattern(const Intervention& one) { return one.kind <= Intervention::Kind::cells; }

// "layer.2.head.3", "layer.2.head.3=0.5", "layer.2.head.3=another sentence", "layer.2.head.3=4:1,5:0" (query:key).
std::string to_text(const Intervention& one);
// One or, of kinds that need no value, several divided by commas. Errors (usage): no address; a value that is missing or wrong; a
// part of a layer where only heads have what is changed.
Result<std::vector<Intervention>> interventions_from_text(Intervention::Kind kind, std::string_view text);

// Whether one of them takes the positions of this side ("", "encoder.", "decoder.") out: then tokens are computed as with the
// position "none", and nothing but a mask tells their order.
bool positions_are_out(std::span<const Intervention> interventions, std::string_view side);

// Whether any side's positions are out; and the document with those of all sides out, or with none out.
bool leaves_out_positions(const Document& document);
void leave_out_positions(Document& document, bool out);

// Whether the model of the document has every place, and nothing is replaced twice. `reads_two`: it has an encoder and a decoder.
// Errors (usage), naming the place and what there is.
Status check_interventions(const Document& document, bool reads_two);

}  // namespace headlight
