// What the Compare view shows: the pinned state A beside the present one B, for the selected head.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/table.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "engine/insight/comparison.h"

namespace headlight::views::comparing {

// One side's head, [queries, keys]; masked and infinite cells are 0.
struct SidePicture {
  Tensor values, mask;    // f32; u8, or empty without a mask
  double largest = 0;     // |value| over visible cells
  std::uint64_t key = 0;  // of its texture
};
// The same attention in both traces.
struct Sides {
  AttentionChoice a, b;                            // a.site null: A has no such attention
  std::shared_ptr<const SidePicture> left, right;  // null: not ready yet
  Role role = Role::weights;                       // the compared step: weights, scores or masked scores
};

// The difference A - B on the tokens that both have in common.
struct Compared {
  Alignment rows, columns;
  HeadDifference difference;
  std::vector<std::string> row_names, column_names;  // the labels of the groups of tokens
  std::uint64_t key = 0;                             // of its texture
};

// The context for A: with A's trace instead of the present one.
Context context_of_a(const Context& context);

Sides sides_of(const Context& context);
// Null while it is being computed, and after an error, which is then in `error`.
// compared(context, sides_of(context), &error)->difference.changes lists the largest changes first.
std::shared_ptr<const Compared> compared(const Context& context, const Sides& sides, const Error** error);

// One side as a heatmap, in the view's orientation.
// side_input(context, sides, true) is A's heatmap, and side_input(context, sides, false) is B's.
figures::HeatmapInput side_input(const Context& context, const Sides& sides, bool a);
figures::HeatmapInput difference_input(const Context& context, const Sides& sides, const Compared& compared);
// changes_input(*compared, 8) is a table of the eight largest changes.
figures::TableInput changes_input(const Compared& compared, std::size_t most);

// How the tokens of A and B were matched, and how much weight moved, in words.
// moved_words(*compared, sides) is "A and B are equal here, to the last digit." if nothing differs.
std::string alignment_words(const Compared& compared);
std::string moved_words(const Compared& compared, const Sides& sides);

// What lives from frame to frame.
struct Held {
  std::int64_t row = -1, column = -1;      // the cell of A that the mouse is on, in A's own tokens
  std::map<std::string, bool> hot_offers;  // by offer: whether the mouse was on its card
};

// One field in which two documents differ.
struct FieldDifference {
  std::string id, label;
  std::string a, b;  // their values in words
};
// differing_fields(a, b)[0] is {"heads", ...} if the documents differ in their number of heads alone.
std::vector<FieldDifference> differing_fields(const Document& a, const Document& b);
// B with A's value of this field. Errors: the schema's.
// with_field_of(a, b, "heads") has a.heads heads and everything else from b.
Result<Document> with_field_of(const Document& a, Document b, const std::string& id);

}  // namespace headlight::views::comparing
