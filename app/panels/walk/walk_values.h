// The values of the Walk-through's boxes: small pictures, single rows for the text beside them, and the place of a picture's cell
// in its step. Stored in Derived; nothing is computed in every frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/walk/walk_figure.h"
#include "app/figures/walk/walk_notes.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/value_address.h"

namespace headlight::panels {

// Null: the box has no picture (text, tokens), or it is still being computed in the background.
std::shared_ptr<const figures::WalkPicture> walk_picture(const Context& context, const AttentionChoice& choice,
                                                         const figures::WalkGraph& graph, int box);

// One step or parameter as the matrix in the opened box: [rows, columns] of the chosen sentence and head.
struct WalkMatrix {
  Tensor values, mask;  // f32, finite; u8 or empty
  std::uint64_t bytes() const { return values.bytes() + mask.bytes(); }
  double largest = 0;
  std::uint64_t key = 0;
  std::string row_axis, column_axis;
  figures::WalkPicture::Side rows = figures::WalkPicture::Side::other, columns = figures::WalkPicture::Side::other;
};
// Null while it is being computed; `error`: why it cannot be.
std::shared_ptr<const WalkMatrix> walk_matrix(const Context& context, const AttentionChoice& choice, const figures::WalkBox& box,
                                              const std::string& step, const Error** error);
// The axis of a step of four axes that counts heads; 1 where none is called so.
std::size_t head_axis(const Step& step);
// The number at (row, column) of that matrix.
ValueAddress walk_address(const Trace& trace, const AttentionChoice& choice, const std::string& step, std::int64_t row,
                          std::int64_t column);

// The query and key whose numbers the text shows: the pinned cell, else the head's strongest one.
struct WalkFocus {
  std::int64_t query = 0, key = 0;
};
WalkFocus walk_focus(const Context& context, const AttentionChoice& choice);

// The rows of a box's inputs and of its result at the focus, as much as fits in a line.
std::vector<figures::WalkNotes::Row> walk_rows(const Context& context, const AttentionChoice& choice,
                                               const figures::WalkGraph& graph, int box, const WalkFocus& focus);

// Labels of one side of a picture; empty: the side has no tokens.
std::vector<std::string> walk_labels(const Trace& trace, const AttentionChoice& choice, const figures::WalkBox& box,
                                     figures::WalkPicture::Side side);

// A number as the Walk-through prints it: two decimals, "-inf", a power of ten where two decimals would show nothing.
std::string walk_number(double value);

}  // namespace headlight::panels
