// What the inspector writes out: the number, cell or token under the mouse, else the pinned one, else the strongest cell; its
// history; and what it can copy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/explanation/explanation_figure.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

struct Subject {
  // One of these is set, or none while it is being computed or if there is nothing to write out.
  std::shared_ptr<const CellExplanation> cell;
  std::shared_ptr<const TokenExplanation> token;
  std::shared_ptr<const ValueExplanation> value;
  ValueAddress address;     // the number; for a token its place in the step "tokens"
  const char* source = "";  // "pinned", "hovered", "in this view", "strongest cell": English
  bool pinned = false;      // the user chose it, so it can be released
  std::shared_ptr<const Error> error;
  std::string key;  // identifies the trace and the number
  explicit operator bool() const { return cell || token || value; }
};
Subject choose_subject(const Context& context);

// Laid out for a column of `width` points.
struct Page {
  Subject subject;  // owns what `written.pictures` points to
  figures::WrittenFigure written;
  std::vector<figures::Box> link_boxes;  // positions of the links
};
std::shared_ptr<const Page> page_of(const Context& context, const Subject& subject, float width);

std::string text_of(const Subject& subject);
std::string latex_of(const Subject& subject);

// Whether `address` is a cell of the shown attention: then it can be highlighted and pinned as a row and a column.
bool is_shown_cell(const Context& context, const ValueAddress& address);

// --- history

// Shows `to` from now on; Back returns to `from`.
void follow(Context& context, const ValueAddress& to, const ValueAddress& from);
bool can_go(const Context& context, int direction);  // -1 back, +1 forward
void go(Context& context, int direction, const ValueAddress& from);
void let_go(Context& context);  // removes the pin
// Call once per frame: a pin that another panel has set becomes a step of the history, and the last pin set is the one shown.
void notice_pins(Context& context);

}  // namespace headlight::panels
