// The data that the Heads view draws, made from the trace and stored in Derived: one head or several as one matrix, the marks
// that are drawn of it, the statistics of all heads, one query with its keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/zoom.h"
#include "app/views/heads/choosing.h"

namespace headlight::views::heads {

// One picture of the tab.
struct Pane {
  enum Kind { one, mean, overlay, rollout, max } kind = one;
  std::vector<HeadRef> heads;  // one head, or the combined heads; HeadRef::layer is an index into AttentionChoice::layers
  std::string title;           // "layer 4, head 11"
};
// The panes for the view's chosen heads: one pane a head, side by side, or one pane for all of them.
// panes_of(context, choice) gives one pane of kind `mean` over all chosen heads if the view asks for their mean.
std::vector<Pane> panes_of(const Context& context, const AttentionChoice& choice);
std::string head_name(const AttentionChoice& choice, HeadRef head);   // "4.11", for the names of arrays in files
std::string head_short(const AttentionChoice& choice, HeadRef head);  // "L4 H11", in every language
std::string head_title(const AttentionChoice& choice, HeadRef head);  // "encoder, layer 4, head 11"
// The role whose numbers the pane shows: the scores or masked scores if the view asks for them and the pane can show them, else
// the weights.
// role_of(view, pane) is Role::weights for a rollout, whatever the view asks for.
Role role_of(const ViewState& view, const Pane& pane);

// A pane as one matrix, transposed if the view says so. Null while it is being made.
struct PanePicture {
  Tensor values, mask;  // [rows, columns]; masked cells are 0
  Tensor colours;       // of the same shape: `values` mapped into the view's colour range
  Tensor strongest;     // overlay: the index of the head that each value comes from
  double largest = 0;   // the largest finite |value| of a visible cell
  figures::NonFiniteCount non_finite;
  std::uint64_t key = 0;
  std::uint64_t bytes() const { return values.bytes() + mask.bytes() + colours.bytes() + strongest.bytes(); }
};
// Sets `error` if there can be no such picture (rollout of a cross-attention).
// pane_picture(context, choice, panes[0], &error)->values is [queries, keys] unless the view is transposed.
std::shared_ptr<const PanePicture> pane_picture(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                                const Error** error = nullptr);

// The visible part of a pane's matrix; cells are combined so that there are at most `most` a side. A row or column of the result
// stands for `block` rows or columns of the matrix, from the window's first ones on.
struct PaneMarks {
  std::vector<figures::HeadMatrix> heads;  // one; several for an overlay
  Tensor mask;
  std::int64_t block = 1;
  double largest = 0;
  figures::NonFiniteCount non_finite;  // in the whole matrices
  std::uint64_t key = 0;
};
// pane_marks(context, choice, pane, {0, 200, 0, 200}, 100)->block is 2.
std::shared_ptr<const PaneMarks> pane_marks(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                            const PaneWindow& window, std::int64_t most);
// The arcs of a pane's head, or of each of an overlay's heads.
// pane_arcs(context, choice, panes[0]) is null while the arcs are being made.
std::shared_ptr<const std::vector<figures::ArcsInput::Head>> pane_arcs(const Context& context, const AttentionChoice& choice,
                                                                       const Pane& pane);

// All heads of all layers as small pictures of their weights, in order of layer, then head.
struct GridPictures {
  std::vector<Tensor> values, masks;
  std::vector<figures::CellCounts> counts;  // of the whole matrices
  std::vector<std::uint64_t> keys;
  double largest = 0;      // of all finite values
  std::int64_t block = 1;  // cells per side that are combined into one
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Tensor& t : values) sum += t.bytes();
    for (const Tensor& t : masks) sum += t.bytes();
    return sum;
  }
};
// grid_pictures(context, choice, 0, 12)->values[layer * heads + head] is that head's small picture; null while they are being
// made. The layers from `begin` to before `end` have pictures; of the others they are empty.
std::shared_ptr<const GridPictures> grid_pictures(const Context& context, const AttentionChoice& choice, std::int64_t begin,
                                                  std::int64_t end);
// The first cell without a finite number after `after`, in order of layer, head, query and key; behind the last one the search
// begins anew, and the search for a kind other than `none` finds this kind only. `role` chooses the numbers. Nothing if there is
// none. next_non_finite(context, choice, Role::weights, NonFinite::nan, {{0, 3}, 2, -1}) looks from query 2 of head 3 in layer 0
// on.
struct CellPlace {
  HeadRef head;
  std::int64_t query = -1, key = -1;
};
std::optional<CellPlace> next_non_finite(const Context& context, const AttentionChoice& choice, Role role,
                                         figures::NonFinite kind, const CellPlace& after);
// The statistics of one head, alone and in a table of all heads; null while they are being computed.
// statistics(context, choice, *choice.site, 3) is about head 3 of the shown layer.
std::shared_ptr<const HeadStatistics> statistics(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                 std::int64_t head);

struct HeadTable {
  std::vector<HeadStatistics> heads;  // by layer * heads + head
};
std::shared_ptr<const HeadTable> head_table(const Context& context, const AttentionChoice& choice);

// The q of one query, and its `most` strongest keys in descending order, without labels. Null if the trace cannot give them.
// neuron_row(context, choice, {0, 3}, 2, 8) is about query 2 in head 3 of the first layer and its eight strongest keys.
struct NeuronRow {
  figures::NeuronInput input;
};
std::shared_ptr<const NeuronRow> neuron_row(const Context& context, const AttentionChoice& choice, HeadRef head,
                                            std::int64_t query, std::int64_t most);

}  // namespace headlight::views::heads
