// The contents of the Compare tab: the pinned state A beside the present one B, for the selected head.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/table.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/comparison.h"

namespace headlight::panels {

// One side's head, with queries as rows and keys as columns; masked and infinite cells are 0.
struct SidePicture {
  Tensor values, mask;    // f32, u8 or empty
  double largest = 0;     // |value| over visible cells
  std::uint64_t key = 0;  // of its texture
};
// The same attention in both traces.
struct Sides {
  AttentionChoice a, b;                            // a.site null: A has no such attention
  std::shared_ptr<const SidePicture> left, right;  // null: not ready yet
  Role role = Role::weights;                       // of the step that is compared: weights, scores or masked scores
};

// The difference of the two on their common tokens.
struct Compared {
  Alignment rows, columns;
  HeadDifference difference;
  std::vector<std::string> row_names, column_names;  // of the groups
  std::uint64_t key = 0;                             // of its texture
};

// The context for A: with its trace instead of the present one.
Context context_of_a(const Context& context);

Sides sides_of(const Context& context);
// Null while it is being computed, or with `error`.
std::shared_ptr<const Compared> compared(const Context& context, const Sides& sides, const Error** error);

// One side as a heatmap, in the view's orientation.
figures::HeatmapInput side_input(const Context& context, const Sides& sides, bool a);
figures::HeatmapInput difference_input(const Context& context, const Sides& sides, const Compared& compared);
figures::TableInput changes_input(const Compared& compared, std::size_t most);

// How the tokens of both were matched, and how much weight moved, in words.
std::string alignment_words(const Compared& compared);
std::string moved_words(const Compared& compared, const Sides& sides);

// What the tab keeps from frame to frame.
struct CompareTransient {
  std::int64_t row = -1, column = -1;      // the cell of A that the mouse is on, in A's own tokens
  std::map<std::string, bool> hot_offers;  // by part: whether the mouse was on the card
};

// One field in which the documents differ.
struct FieldDifference {
  std::string id, label;
  std::string a, b;  // their values in words
};
std::vector<FieldDifference> differing_fields(const Document& a, const Document& b);
// B with A's value of this field. Errors: the schema's.
Result<Document> with_field_of(const Document& a, Document b, const std::string& id);

}  // namespace headlight::panels
