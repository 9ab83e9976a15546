// The inspector's subject: the number, cell or token under the mouse, else the pinned one, else the strongest cell; its history,
// and its text for copying.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/explanation/explanation_figure.h"
#include "app/views/base/context.h"

namespace headlight::views {

struct Subject {
  // At most one of these is set. None is set while the explanation is being computed, and if there is nothing to explain.
  std::shared_ptr<const CellExplanation> cell;
  std::shared_ptr<const TokenExplanation> token;
  std::shared_ptr<const ValueExplanation> value;
  ValueAddress address;     // the number; for a token, its place in the step "tokens"
  const char* source = "";  // "pinned", "hovered", "in this view", "strongest cell": English
  bool pinned = false;      // the person has pinned it and can release it
  bool words = false;       // `value` is the weight between two words, of which `address` is a piece
  std::shared_ptr<const Error> error;
  DerivedKey key;  // identifies the trace and the number
  explicit operator bool() const { return cell || token || value; }
};
Subject choose_subject(const Context& context);

// A subject laid out for a column of `width` points.
struct SubjectPage {
  Subject subject;  // owns what `written.pictures` points to
  figures::WrittenFigure written;
  std::vector<figures::Box> link_boxes;  // positions of the links
};
// page_of(context, choose_subject(context), 380) is laid out anew only when subject, width, scale, theme or language changes.
std::shared_ptr<const SubjectPage> page_of(const Context& context, const Subject& subject, float width);

std::string text_of(const Subject& subject);
std::string latex_of(const Subject& subject);

// Whether `address` is a cell of the shown attention, which can be highlighted and pinned as a row and a column.
// is_shown_cell(context, {"layer.0.weights", {0, 1, 2, 3}}) is true while head 1 of layer 0 is shown for the first sentence.
bool is_shown_cell(const Context& context, const ValueAddress& address);

// --- history

// Pins `to`, which the inspector shows from now on. Back returns to `from`.
// follow(context, {"layer.0.q", {0, 1, 2, 5}}, subject.address) after a click on a link to this number of q.
void follow(const Context& context, const ValueAddress& to, const ValueAddress& from);
bool can_go(const Context& context, int direction);  // -1 back, +1 forward
// if (can_go(context, -1)) go(context, -1, subject.address); goes back, and Forward then returns to `subject`.
void go(const Context& context, int direction, const ValueAddress& from);
void let_go(const Context& context);  // removes the pin
// Call it once per frame. A pin that another view has set becomes a step of the history, and the latest pin is the one shown.
void notice_pins(const Context& context);

}  // namespace headlight::views
