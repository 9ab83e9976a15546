// What the inspector writes out: the number, cell or token under the mouse, else the pinned one, else the strongest cell; where
// it has been before; and what it can copy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/explanation/explanation_figure.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

struct Subject {
  // One of these, or none while it is being made or where nothing can be written out.
  std::shared_ptr<const CellExplanation> cell;
  std::shared_ptr<const TokenExplanation> token;
  std::shared_ptr<const ValueExplanation> value;
  ValueAddress address;     // the number; of a token its place in the tokens
  const char* source = "";  // "pinned", "hovered", "strongest cell": English
  bool pinned = false;      // the person chose it: it can be let go
  std::shared_ptr<const Error> error;
  std::string key;  // names the trace and the number
  explicit operator bool() const { return cell || token || value; }
};
Subject choose_subject(const Context& context);

// Laid out for a column of `width` points.
struct Page {
  Subject subject;  // keeps what `written.pictures` point to
  figures::WrittenFigure written;
  std::vector<figures::Box> link_boxes;  // where each link stands
};
std::shared_ptr<const Page> page_of(const Context& context, const Subject& subject, float width);

std::string text_of(const Subject& subject);
std::string latex_of(const Subject& subject);

// Whether `address` is a cell of the attention that is looked at: then it can be lit and pinned as a row and a column.
bool is_shown_cell(const Context& context, const ValueAddress& address);

// --- history

// Writes out `to` from now on; Back comes back to `from`.
void follow(Context& context, const ValueAddress& to, const ValueAddress& from);
bool can_go(const Context& context, int direction);  // -1 back, +1 forward
void go(Context& context, int direction, const ValueAddress& from);
void let_go(Context& context);  // nothing is pinned any more
// Once a frame: a pin that another panel has set becomes a step of the history, and the last pin set is the one that counts.
void notice_pins(Context& context);

}  // namespace headlight::panels
