// Which attention is looked at: the ViewState's site, sentence, layer and head, brought into what the trace has; and the tiles
// of it, kept in Derived so that no frame converts a tensor twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/panels/panel.h"
#include "engine/pipeline/head_statistics.h"

namespace headlight::panels {

struct AttentionChoice {
  const AttentionSite* site = nullptr;       // null: the trace has no attention (no layers, no tokens)
  std::vector<const AttentionSite*> layers;  // the same kind in every layer, in order
  struct Kind {
    std::string id, label;  // ViewState::site, "encoder"
  };
  std::vector<Kind> kinds;  // those that the trace has
  std::string kind;
  std::int64_t batch = 0, head = 0;
  std::string prefix() const { return site ? site->prefix : std::string(); }
};
AttentionChoice choose_attention(const Context& context);

// The tokens of the chosen sentence on one side; padded with "[PAD]" to the length of the trace's arrays.
std::vector<std::string> row_labels(const Trace& trace, const AttentionChoice& choice);
std::vector<std::string> column_labels(const Trace& trace, const AttentionChoice& choice);

// One head of one step, ready for a picture: f32, finite where visible (masked cells are 0 and hatched).
struct HeadPicture {
  Tensor values, mask;    // [rows, columns]; [columns, rows] if transposed. mask empty: nothing is masked
  double largest = 0;     // |value| over visible cells
  std::uint64_t key = 0;  // of its texture
};
// `step` is "weights", "scores" or "masked_scores" after the prefix. Null while it is being made in the background (long texts).
std::shared_ptr<const HeadPicture> head_picture(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                std::int64_t head, const std::string& step, bool transposed);
// All heads of all layers as small pictures of their weights, in order of layer, then head.
struct GridPictures {
  std::vector<Tensor> values, masks;
  std::vector<std::uint64_t> keys;
  double largest = 0;      // of all of them
  std::int64_t block = 1;  // cells a side that became one
};
std::shared_ptr<const GridPictures> grid_pictures(const Context& context, const AttentionChoice& choice);
std::shared_ptr<const HeadStatistics> statistics(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                 std::int64_t head);

}  // namespace headlight::panels
