// What the Masks tab and the picker's popup do to a document: layers on and off, and strokes on the painted layer. No drawing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/document/document.h"

namespace headlight::panels {

// Layers: the document's choices from the mask registry, each kind at most once. All return the changed document.
const Choice* layer_of(const Document& document, std::string_view id);  // null: it is not on
Choice fresh_layer(const masks::Entry& entry);                          // with its parameters' defaults
Document with_layer(Document document, Choice layer);                   // added, or its parameters replaced
Document without_layer(Document document, std::string_view id);

// Combinations that are chosen with one click.
struct MaskPreset {
  const char* label;  // for tr()
  std::vector<const char*> ids;
};
const std::vector<MaskPreset>& mask_presets();  // none, causal, ...
bool is_preset(const Document& document, const MaskPreset& preset);
Document with_preset(Document document, const MaskPreset& preset);

// A rectangle of cells of the attention, in queries and keys.
struct CellRange {
  std::int64_t query = 0, key = 0, queries = 1, keys = 1;
  bool contains(std::int64_t q, std::int64_t k) const { return q >= query && q < query + queries && k >= key && k < key + keys; }
  bool operator==(const CellRange&) const = default;
};

// The painted layer lies over an attention of `queries` x `keys` cells: 1 = may attend. Each of these copies the matrix once,
// makes it at least that large (new cells may attend) and switches the layer on.
Document painted(Document document, std::int64_t queries, std::int64_t keys, std::span<const CellRange> cells, bool allow);
Document inverted(Document document, std::int64_t queries, std::int64_t keys);
// The painted layer becomes what all layers together say: `combined` u8 [queries, keys], or empty where nothing is masked.
Document filled_from(Document document, std::int64_t queries, std::int64_t keys, const Tensor& combined);
Document cleared(Document document);  // nothing is painted any more

// Cells of the matrix that may not attend, of the first `queries` x `keys`.
std::int64_t masked_cells(const masks::Matrix& matrix, std::int64_t queries, std::int64_t keys);

// Of these cells, how many one sentence may not attend to whatever is painted: the layers other than the painted one forbid them.
std::int64_t still_masked(const masks::Combined& mask, std::int64_t batch, std::span<const CellRange> cells);

// The combined mask of one sentence as u8 [queries, keys]; empty if nothing is masked.
Tensor mask_of_sentence(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch);

// What every layer says about one sentence, in cells of its attention.
struct LayerCount {
  std::string id;
  masks::Role role = masks::Role::limits;
  Shape shape;              // as it was made, before broadcasting
  std::int64_t masked = 0;  // cells it forbids; of a widening kind: cells that it gives back
};
struct MaskCount {
  std::vector<LayerCount> layers;
  std::int64_t cells = 0, masked = 0;    // of all together
  std::vector<std::int64_t> empty_rows;  // queries that may attend to nothing, in order
  std::int64_t first_masked_row = -1;    // the first query that may not attend to all; -1: there is none
};
MaskCount count_masks(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch);

}  // namespace headlight::panels
