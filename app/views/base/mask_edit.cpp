#include "app/views/base/mask_edit.h"

#include <algorithm>
#include <cstring>

#include "app/text/language.h"
#include "engine/attention/masks/combined.h"

namespace headlight::views {
namespace {

// A copy of the painted matrix that covers the attention; new cells may attend.
std::shared_ptr<masks::Matrix> copy_of(const Document& document, std::int64_t queries, std::int64_t keys) {
  const masks::Matrix* old = document.custom_mask.get();
  auto matrix = std::make_shared<masks::Matrix>();
  matrix->queries = std::max(queries, old ? old->queries : 0);
  matrix->keys = std::max(keys, old ? old->keys : 0);
  if (old && old->queries == matrix->queries && old->keys == matrix->keys) {
    matrix->values = old->values;
    return matrix;
  }
  matrix->values.assign(static_cast<std::size_t>(matrix->queries * matrix->keys), 1);
  for (std::int64_t i = 0; old && i < old->queries; ++i)
    std::memcpy(matrix->values.data() + i * matrix->keys, old->values.data() + i * old->keys,
                static_cast<std::size_t>(old->keys));
  return matrix;
}

Document with_matrix(Document document, std::shared_ptr<const masks::Matrix> matrix) {
  document.custom_mask = std::move(matrix);
  return layer_of(document, "custom") ? document : with_layer(std::move(document), {"custom", {}});
}

// Calls visit(row) with a pointer to the u8 cells of each query and the distance between two keys.
template <class Visit>
void rows_of(const Tensor& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch, Visit visit) {
  const Tensor item = mask.select(0, mask.dim(0) == 1 ? 0 : batch).select(0, 0).broadcast_to({queries, keys});
  for (std::int64_t i = 0; i < queries; ++i) visit(i, item.data<std::uint8_t>() + i * item.strides()[0], item.strides()[1]);
}

}  // namespace

const Choice* layer_of(const Document& document, std::string_view id) {
  for (const Choice& choice : document.masks)
    if (choice.id == id) return &choice;
  return nullptr;
}

Choice fresh_layer(const masks::Entry& entry) {
  Choice choice{entry.id, {}};
  for (const Parameter& parameter : entry.parameters) choice.values[parameter.id] = parameter.fallback;
  return choice;
}

Document with_layer(Document document, Choice layer) {
  for (Choice& choice : document.masks)
    if (choice.id == layer.id) {
      choice = std::move(layer);
      return document;
    }
  document.masks.push_back(std::move(layer));
  return document;
}

Document without_layer(Document document, std::string_view id) {
  std::erase_if(document.masks, [&](const Choice& choice) { return choice.id == id; });
  return document;
}

const std::vector<MaskPreset>& mask_presets() {
  static const std::vector<MaskPreset> presets = {{tr_later("none"), {}},
                                                  {tr_later("causal"), {"causal"}},
                                                  {tr_later("causal + padding"), {"causal", "padding"}},
                                                  {tr_later("causal + window"), {"causal", "window"}},
                                                  {tr_later("Longformer"), {"padding", "window", "global"}}};
  return presets;
}

bool is_preset(const Document& document, const MaskPreset& preset) {
  return document.masks.size() == preset.ids.size() &&
         std::all_of(preset.ids.begin(), preset.ids.end(), [&](const char* id) { return layer_of(document, id); });
}

Document with_preset(Document document, const MaskPreset& preset) {
  const std::vector<Choice> before = std::exchange(document.masks, {});
  for (const char* id : preset.ids) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const Choice& choice) { return choice.id == id; });
    if (same != before.end())
      document.masks.push_back(*same);  // its parameters stay
    else if (const masks::Entry* entry = masks::registry().find(id))
      document.masks.push_back(fresh_layer(*entry));
  }
  return document;
}

Document painted(Document document, std::int64_t queries, std::int64_t keys, std::span<const CellRange> cells, bool allow) {
  auto matrix = copy_of(document, queries, keys);
  for (const CellRange& range : cells) {
    const std::int64_t first_query = std::clamp<std::int64_t>(range.query, 0, matrix->queries),
                       last_query = std::clamp<std::int64_t>(range.query + range.queries, first_query, matrix->queries),
                       first_key = std::clamp<std::int64_t>(range.key, 0, matrix->keys),
                       last_key = std::clamp<std::int64_t>(range.key + range.keys, first_key, matrix->keys);
    for (std::int64_t i = first_query; i < last_query; ++i)
      std::memset(matrix->values.data() + i * matrix->keys + first_key, allow ? 1 : 0,
                  static_cast<std::size_t>(last_key - first_key));
  }
  return with_matrix(std::move(document), std::move(matrix));
}

Document inverted(Document document, std::int64_t queries, std::int64_t keys) {
  auto matrix = copy_of(document, queries, keys);
  for (std::uint8_t& cell : matrix->values) cell = cell ? 0 : 1;
  return with_matrix(std::move(document), std::move(matrix));
}

Document filled_from(Document document, std::int64_t queries, std::int64_t keys, const Tensor& combined) {
  auto matrix = copy_of(document, queries, keys);
  std::fill(matrix->values.begin(), matrix->values.end(), std::uint8_t{1});
  if (!combined.empty()) {
    const Tensor mask = combined.compact();
    for (std::int64_t i = 0; i < std::min(queries, mask.dim(0)); ++i)
      std::memcpy(matrix->values.data() + i * matrix->keys, mask.data<std::uint8_t>() + i * mask.dim(1),
                  static_cast<std::size_t>(std::min(keys, mask.dim(1))));
  }
  return with_matrix(std::move(document), std::move(matrix));
}

Document cleared(Document document) {
  document.custom_mask = nullptr;
  return without_layer(std::move(document), "custom");
}

std::int64_t masked_cells(const masks::Matrix& matrix, std::int64_t queries, std::int64_t keys) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < std::min(queries, matrix.queries); ++i) {
    const std::uint8_t* row = matrix.values.data() + i * matrix.keys;
    masked += std::count(row, row + std::min(keys, matrix.keys), std::uint8_t{0});
  }
  return masked;
}

std::int64_t still_masked(const masks::Combined& mask, std::int64_t batch, std::span<const CellRange> cells) {
  std::vector<masks::Part> others = mask.parts;
  std::erase_if(others, [](const masks::Part& part) { return part.choice.id == "custom"; });
  const Tensor rest = masks::joined(others);
  if (rest.empty()) return 0;
  const Tensor one = rest.select(0, rest.dim(0) == 1 ? 0 : batch).select(0, 0);
  const std::int64_t down = one.dim(0) == 1 ? 0 : one.strides()[0], across = one.dim(1) == 1 ? 0 : one.strides()[1];
  std::int64_t masked = 0;
  for (const CellRange& range : cells)
    for (std::int64_t i = range.query; i < range.query + range.queries; ++i)
      for (std::int64_t j = range.key; j < range.key + range.keys; ++j)
        masked += one.data<std::uint8_t>()[i * down + j * across] == 0;
  return masked;
}

Tensor mask_of_sentence(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch) {
  if (mask.mask.empty()) return {};
  return mask.mask.select(0, mask.mask.dim(0) == 1 ? 0 : batch).select(0, 0).broadcast_to({queries, keys}).compact();
}

MaskCount count_masks(const masks::Combined& mask, std::int64_t queries, std::int64_t keys, std::int64_t batch) {
  MaskCount count;
  count.cells = queries * keys;
  // What the limits alone, and the sparse patterns alone, forbid: a widening kind gives back the cells that only the latter do.
  std::vector<std::uint8_t> limited, sparse;
  const bool widened =
      std::any_of(mask.parts.begin(), mask.parts.end(), [](const masks::Part& part) { return part.role == masks::Role::widens; });
  if (widened) {
    limited.assign(static_cast<std::size_t>(count.cells), 0);
    sparse.assign(static_cast<std::size_t>(count.cells), 0);
  }
  for (const masks::Part& part : mask.parts) {
    LayerCount layer{part.choice.id, part.role, part.mask.shape(), 0};
    if (part.role != masks::Role::widens)
      rows_of(part.mask, queries, keys, batch, [&](std::int64_t i, const std::uint8_t* row, std::int64_t stride) {
        auto& forbidden = part.role == masks::Role::sparse ? sparse : limited;
        for (std::int64_t j = 0; j < keys; ++j) {
          const bool forbids = row[j * stride] == 0;
          layer.masked += forbids;
          if (widened && forbids) forbidden[static_cast<std::size_t>(i * keys + j)] = 1;
        }
      });
    count.layers.push_back(std::move(layer));
  }
  for (std::size_t p = 0; p < mask.parts.size(); ++p)
    if (mask.parts[p].role == masks::Role::widens)
      rows_of(mask.parts[p].mask, queries, keys, batch, [&](std::int64_t i, const std::uint8_t* row, std::int64_t stride) {
        for (std::int64_t j = 0; j < keys; ++j) {
          const auto at = static_cast<std::size_t>(i * keys + j);
          count.layers[p].masked += row[j * stride] != 0 && sparse[at] && !limited[at];
        }
      });
  if (mask.mask.empty()) return count;
  rows_of(mask.mask, queries, keys, batch, [&](std::int64_t i, const std::uint8_t* row, std::int64_t stride) {
    std::int64_t masked = 0;
    for (std::int64_t j = 0; j < keys; ++j) masked += row[j * stride] == 0;
    count.masked += masked;
    if (masked == keys) count.empty_rows.push_back(i);
    if (masked > 0 && count.first_masked_row < 0) count.first_masked_row = i;
  });
  return count;
}

}  // namespace headlight::views
