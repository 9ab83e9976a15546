// Changes of a document's masks for the Masks tab and the picker's popup: layers on and off, and strokes on the painted layer. No
// drawing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/document/document.h"

namespace headlight::views {

// Layers are the document's choices from the mask registry, each kind at most once. The functions return the changed document.
// layer_of(with_layer(document, {"causal", {}}), "causal")->id is "causal"; without_layer(document, "causal") has none.
const Choice* layer_of(const Document& document, std::string_view id);  // null: the layer is off
Choice fresh_layer(const masks::Entry& entry);                          // with its parameters' default values
Document with_layer(Document document, Choice layer);                   // adds a layer or replaces its parameters
Document without_layer(Document document, std::string_view id);

// A combination of layers that one click chooses.
struct MaskPreset {
  const char* label;  // for tr()
  std::vector<const char*> ids;
};
const std::vector<MaskPreset>& mask_presets();  // none, causal, ...
// is_preset(with_preset(document, mask_presets()[1]), mask_presets()[1]) is true: the causal mask alone. Layers that stay keep
// their parameters.
bool is_preset(const Document& document, const MaskPreset& preset);
Document with_preset(Document document, const MaskPreset& preset);

// A rectangle of cells of the attention, in queries and keys.
struct CellRange {
  std::int64_t query = 0, key = 0, queries = 1, keys = 1;
  // contains(2, 3) is true for {2, 3, 1, 1}.
  bool contains(std::int64_t q, std::int64_t k) const { return q >= query && q < query + queries && k >= key && k < key + keys; }
  bool operator==(const CellRange&) const = default;
};

// The painted layer lies over an attention of `queries` x `keys` cells; 1 = may attend. These functions copy its matrix once,
// extend it to at least this size (new cells may attend) and switch the layer on.
// painted(document, 12, 12, cells, false) with cells[0] = {2, 3, 1, 2} forbids query 2 to attend to keys 3 and 4;
// inverted(document, 12, 12) swaps 0 and 1.
Document painted(Document document, std::int64_t queries, std::int64_t keys, std::span<const CellRange> cells, bool allow);
Document inverted(Document document, std::int64_t queries, std::int64_t keys);
// Copies the mask of all layers into the painted layer: `combined` u8 [queries, keys], or empty if nothing is masked.
// filled_from(document, 12, 12, mask_of_sentence(mask, 12, 12, 0)) starts painting from the present mask.
Document filled_from(Document document, std::int64_t queries, std::int64_t keys, const Tensor& combined);
Document cleared(Document document);  // removes the painted layer

// The number of forbidden cells among the matrix's first `queries` x `keys`.
// masked_cells(matrix, 12, 12) is 0 for a matrix of ones.
std::int64_t masked_cells(const masks::Matrix& matrix, std::int64_t queries, std::int64_t keys);

// How many of these cells are forbidden in one sentence by the layers other than the painted one, so that painting cannot allow
// them.
// still_masked(mask, 0, cells) is 1 under a causal mask for the one cell of query 0 and key 1.
std::int64_t still_masked(const masks::Combined& mask, std::int64_t batch, std::span<const CellRange> cells);

// The combined mask of one sentence, u8 [queries, keys]; empty if nothing is masked.
// mask_of_sentence(mask, 12, 12, 0) is the first sentence's.
Tensor mask_of_sentence(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch);

// One layer's effect on one sentence, in cells of its attention.
struct LayerCount {
  std::string id;
  masks::Role role = masks::Role::limits;
  Shape shape;              // of the layer's own mask, before broadcasting
  std::int64_t masked = 0;  // the cells it forbids; for a widening kind, the cells it gives back
};
struct MaskCount {
  std::vector<LayerCount> layers;
  std::int64_t cells = 0, masked = 0;    // of all layers together
  std::vector<std::int64_t> empty_rows;  // the queries that may attend to no key, in order
  std::int64_t first_masked_row = -1;    // the first query that may not attend to every key; -1: none
};
// count_masks(mask, 3, 3, 0).masked is 3 for a causal mask over three tokens.
MaskCount count_masks(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch);

}  // namespace headlight::views
