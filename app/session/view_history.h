// Undo of what is dragged and set in a view without changing the document: a temperature, a number of positions, the least share
// of a route. A view's state says which of its fields are undone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "engine/core/json.h"

namespace headlight {

class ViewHistory {
 public:
  // Compares the view with what it was in the last call. A change becomes a step, and those while the mouse button is held are
  // one step. `counts` is false for a change that a lesson, an opened session or undo made: it is no step. look(view, now, held,
  // true) once a frame.
  void look(const ViewState& view, double now, bool held, bool counts);
  void edited() { after_.clear(); }  // the document was changed: what was taken back is not made again
  // The time of the step that undo() would take back, and of the one that redo() would make again.
  std::optional<double> undo_time() const;
  std::optional<double> redo_time() const;
  // Both open the view that the step was made in, so that it is seen.
  void undo(ViewState& view);
  void redo(ViewState& view);

 private:
  using Values = std::vector<Json>;  // of the fields that can be taken back
  struct Step {
    Values values;
    std::string tab;
    double at = 0;
  };
  static Values values_of(const ViewState& view);
  void take(ViewState& view, std::vector<Step>& from, std::vector<Step>& to);

  std::optional<ViewState> seen_;  // in the last call
  std::optional<Values> last_;
  std::vector<Step> before_, after_;
  bool moving_ = false;
};

}  // namespace headlight
