#include "app/views/base/view_undo.h"

#include <algorithm>
#include <map>

#include "app/session/field_values.h"
#include "app/session/worker.h"

namespace headlight::views {
namespace {

constexpr std::size_t kMostSteps = 200;

struct ViewStep {
  std::unique_ptr<OwnState> state;
  double at = 0;
};
struct History {
  std::vector<ViewStep> before, after;
  bool moving = false;  // the last change was made with the mouse button that is still held
};
History& history_of(Transient& transient, const std::string& view) {
  return transient.of<std::map<std::string, History>>()[view];
}

// Views and their states stand in one order.
OwnState* own_state(ViewState& state, std::string_view id) {
  for (std::size_t i = 0; i < views().size(); ++i)
    if (id == views()[i]->id) return &state.own.at(i);
  return nullptr;
}

bool differ(OwnState& a, OwnState& b) {
  if (a.same(b)) return false;
  return std::ranges::any_of(keys_of(a), [&](const FieldKey& field) {
    return field.undone && !(field_value(a, field.key) == field_value(b, field.key));
  });
}

bool take(ViewState& state, Transient& transient, std::vector<ViewStep> History::*from, std::vector<ViewStep> History::*to) {
  History& history = history_of(transient, state.tab);
  OwnState* const own = own_state(state, state.tab);
  if (!own || (history.*from).empty()) return false;
  (history.*to).push_back({own->copy(), (history.*from).back().at});
  OwnState& saved = *(history.*from).back().state;
  for (const FieldKey& field : keys_of(saved))
    if (field.undone) set_field(*own, field.key, field_value(saved, field.key));
  (history.*from).pop_back();
  history.moving = false;
  return true;
}

}  // namespace

Recording::Recording(const View& view, ViewState& state, Transient* transient, bool mouse_held)
    : state_(transient ? own_state(state, view.id) : nullptr), transient_(transient), view_(view.id), held_(mouse_held) {
  if (state_) before_ = state_->copy();
}

void Recording::end() const {
  if (!state_) return;
  if (!differ(*before_, *state_)) {
    if (!held_) history_of(*transient_, view_).moving = false;
    return;
  }
  History& history = history_of(*transient_, view_);
  history.after.clear();
  if (!history.moving) history.before.push_back({before_->copy(), 0});
  history.before.back().at = steady_seconds();
  if (history.before.size() > kMostSteps) history.before.erase(history.before.begin());
  history.moving = held_;
}

std::optional<double> undo_time(const ViewState& state, Transient& transient) {
  const History& history = history_of(transient, state.tab);
  return history.before.empty() ? std::nullopt : std::optional(history.before.back().at);
}
std::optional<double> redo_time(const ViewState& state, Transient& transient) {
  const History& history = history_of(transient, state.tab);
  return history.after.empty() ? std::nullopt : std::optional(history.after.back().at);
}

bool undo(ViewState& state, Transient& transient) { return take(state, transient, &History::before, &History::after); }
bool redo(ViewState& state, Transient& transient) { return take(state, transient, &History::after, &History::before); }

}  // namespace headlight::views
