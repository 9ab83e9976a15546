// Undo of a view's own fields: those that its state declares as undone. The sheet records what the view itself changes, so that
// an opened session or a lesson's step is no change to take back.
#pragma once

#include <optional>

#include "app/session/view_state.h"
#include "app/views/base/transient.h"
#include "app/views/base/view.h"

namespace headlight::views {

// Compares a view's state with that of its construction; changes while the mouse button is held are one step.
// const Recording recording(view, state, transient, held); ...; recording.end();
class Recording {
 public:
  Recording(const View& view, ViewState& state, Transient* transient, bool mouse_held);
  void end() const;

 private:
  OwnState* state_;
  Transient* transient_;
  std::unique_ptr<OwnState> before_;
  std::string view_;
  bool held_;
};

// Takes back the open view's last change, or does it again. Returns false if there is none.
bool undo(ViewState& state, Transient& transient);
bool redo(ViewState& state, Transient& transient);
// When that change was made, in steady_seconds().
std::optional<double> undo_time(const ViewState& state, Transient& transient);
std::optional<double> redo_time(const ViewState& state, Transient& transient);

}  // namespace headlight::views
