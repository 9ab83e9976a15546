// What the Heads tab draws, made from the trace and kept in Derived: one head or several as one matrix, what is drawn of it as
// marks, the statistics of all heads, one query with its keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/panels/heads/head_choosing.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/zoom.h"

namespace headlight::panels {

// One picture of the tab.
struct Pane {
  enum Kind { one, mean, overlay, rollout } kind = one;
  std::vector<HeadRef> heads;  // one; or those that are put together. Layers count into AttentionChoice::layers.
  std::string title;           // "layer 4, head 11"
};
// The panes for the view's chosen heads: one each side by side, or one for all of them.
std::vector<Pane> panes_of(const Context& context, const AttentionChoice& choice);
std::string head_name(const AttentionChoice& choice, HeadRef head);   // "4.11", of arrays in files
std::string head_short(const AttentionChoice& choice, HeadRef head);  // "L4 H11", in every language
std::string head_title(const AttentionChoice& choice, HeadRef head);  // "encoder, layer 4, head 11"
// The weights, or the scores or masked scores where the view asks for them and the picture can show them.
Role role_of(const ViewState& view, const Pane& pane);

// A pane as one matrix; transposed as the view says. Null while it is being made.
struct PanePicture {
  Tensor values, mask;  // [rows, columns]; masked or infinite cells are 0
  Tensor colours;       // of the same shape: what the view's range makes of them
  Tensor strongest;     // overlay: which of the heads each value is of
  double largest = 0;   // |value| over visible cells
  std::uint64_t key = 0;
  std::uint64_t bytes() const { return values.bytes() + mask.bytes() + colours.bytes() + strongest.bytes(); }
};
// `error` is set if there can be no such picture (rollout of a cross-attention).
std::shared_ptr<const PanePicture> pane_picture(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                                const Error** error = nullptr);

// What is in sight of a pane's matrix, with cells put together where there are more than `most` a side. Rows and columns of the
// result stand for `block` of the matrix each, from the window's first row and column on.
struct PaneMarks {
  std::vector<figures::HeadMatrix> heads;  // one; several for an overlay
  Tensor mask;
  std::int64_t block = 1;
  double largest = 0;
  std::uint64_t key = 0;
};
std::shared_ptr<const PaneMarks> pane_marks(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                            const PaneWindow& window, std::int64_t most);
// The arcs of a pane's head, or of each of an overlay's.
std::shared_ptr<const std::vector<figures::ArcsInput::Head>> pane_arcs(const Context& context, const AttentionChoice& choice,
                                                                       const Pane& pane);

// All heads of all layers as small pictures of their weights, in order of layer, then head.
struct GridPictures {
  std::vector<Tensor> values, masks;
  std::vector<std::uint64_t> keys;
  double largest = 0;      // of all of them
  std::int64_t block = 1;  // cells a side that became one
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Tensor& t : values) sum += t.bytes();
    for (const Tensor& t : masks) sum += t.bytes();
    return sum;
  }
};
std::shared_ptr<const GridPictures> grid_pictures(const Context& context, const AttentionChoice& choice);
std::shared_ptr<const HeadStatistics> statistics(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                 std::int64_t head);

struct HeadTable {
  std::vector<HeadStatistics> heads;  // by layer * heads + head
};
std::shared_ptr<const HeadTable> head_table(const Context& context, const AttentionChoice& choice);

// q of one query, and the `most` strongest of its keys in order, without labels. Null if the trace cannot give them.
struct NeuronRow {
  figures::NeuronInput input;
};
std::shared_ptr<const NeuronRow> neuron_row(const Context& context, const AttentionChoice& choice, HeadRef head,
                                            std::int64_t query, std::int64_t most);

}  // namespace headlight::panels
