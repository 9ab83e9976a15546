// The values of the Walk-through's boxes: small pictures, single rows for the text beside them, and the address of a picture's
// cell. The values are stored in Derived; nothing is computed in every frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/walk/diagram_picture.h"
#include "app/views/walk/notes_picture.h"
#include "app/views/walk/state.h"
#include "engine/insight/value_address.h"

namespace headlight::views::walk {

inline State& own(const Context& context) { return context.view.own.of<State>(); }

// The small picture of box `box`. Null: the box has no picture (text, tokens), or it is still being computed in the background.
// walk_picture(context, choice, *scene.graph, 3) shows a matrix with its cells put together.
std::shared_ptr<const figures::WalkPicture> walk_picture(const Context& context, const AttentionChoice& choice,
                                                         const figures::WalkGraph& graph, int box);

// A step or parameter as the matrix in the opened box, of the chosen sentence and head.
struct WalkMatrix {
  Tensor values, mask;  // f32 [rows, columns], finite; u8 [rows, columns] or empty
  std::uint64_t bytes() const { return values.bytes() + mask.bytes(); }
  double largest = 0;
  std::uint64_t key = 0;
  std::string row_axis, column_axis;
  figures::WalkPicture::Side rows = figures::WalkPicture::Side::other, columns = figures::WalkPicture::Side::other;
};
// Null while the matrix is being computed; `error` then says why it cannot be, if so.
// walk_matrix(context, choice, box, "layer.0.weights", &error) is f32 [queries, keys] of one head.
std::shared_ptr<const WalkMatrix> walk_matrix(const Context& context, const AttentionChoice& choice, const figures::WalkBox& box,
                                              const std::string& step, const Error** error);
// The index of the axis "head" of a step with four axes; 1 if no axis has this name.
std::size_t head_axis(const Step& step);
// The address of the number at (row, column) of that matrix; an empty address if the trace has no such step or parameter.
// walk_address(trace, choice, "layer.0.weights", 2, 3).index is {0, 1, 2, 3} for head 1 of the first sentence.
ValueAddress walk_address(const Trace& trace, const AttentionChoice& choice, const std::string& step, std::int64_t row,
                          std::int64_t column);

// The query and key whose numbers the text shows: the pinned cell, else the strongest cell of the head.
struct WalkFocus {
  std::int64_t query = 0, key = 0;
};
// walk_focus(context, choice) is {2, 3} while the cell of query 2 and key 3 is pinned.
WalkFocus walk_focus(const Context& context, const AttentionChoice& choice);

// The rows of a box's inputs and of its result at the focus, as much of each as fits in a line.
// walk_rows(context, choice, *scene.graph, 3, {2, 3}) gives the rows of query 2 or of key 3.
std::vector<figures::WalkNotes::Row> walk_rows(const Context& context, const AttentionChoice& choice,
                                               const figures::WalkGraph& graph, int box, const WalkFocus& focus);

// The labels of one side of a picture; empty if the side has no tokens.
// walk_labels(trace, choice, box, figures::WalkPicture::Side::keys) are the tokens that the columns of weights stand for.
std::vector<std::string> walk_labels(const Trace& trace, const AttentionChoice& choice, const figures::WalkBox& box,
                                     figures::WalkPicture::Side side);

// A number as the Walk-through prints it: "0.13", "-inf"; a power of ten where two decimals would show nothing: "1e-5".
std::string walk_number(double value);

}  // namespace headlight::views::walk
