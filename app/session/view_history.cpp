#include "app/session/view_history.h"

#include <utility>

#include "app/session/view_fields.h"

namespace headlight {
namespace {

constexpr std::size_t kMostViewSteps = 200;

const std::vector<const SavedField*>& undone_fields() {
  static const std::vector<const SavedField*> fields = [] {
    std::vector<const SavedField*> list;
    for (const SavedField& field : saved_fields())
      if (field.undone) list.push_back(&field);
    return list;
  }();
  return fields;
}

}  // namespace

ViewHistory::Values ViewHistory::values_of(const ViewState& view) {
  Values values;
  for (const SavedField* field : undone_fields()) values.push_back(field->value(view));
  return values;
}

void ViewHistory::look(const ViewState& view, double now, bool held, bool counts) {
  if (seen_ && *seen_ == view) {  // as in most frames
    moving_ = moving_ && held;
    return;
  }
  seen_ = view;
  Values values = values_of(view);
  if (last_ && !(values == *last_)) {
    if (counts) {
      after_.clear();
      if (!moving_) before_.push_back({std::move(*last_), view.tab, now});
      before_.back().at = now;
      if (before_.size() > kMostViewSteps) before_.erase(before_.begin());
      moving_ = held;
    }
    last_ = std::move(values);
  } else if (!last_) {
    last_ = std::move(values);
  }
  if (!held) moving_ = false;
}

std::optional<double> ViewHistory::undo_time() const { return before_.empty() ? std::nullopt : std::optional(before_.back().at); }
std::optional<double> ViewHistory::redo_time() const { return after_.empty() ? std::nullopt : std::optional(after_.back().at); }

void ViewHistory::undo(ViewState& view) { take(view, before_, after_); }
void ViewHistory::redo(ViewState& view) { take(view, after_, before_); }

void ViewHistory::take(ViewState& view, std::vector<Step>& from, std::vector<Step>& to) {
  if (from.empty()) return;
  Step step = std::move(from.back());
  from.pop_back();
  to.push_back({values_of(view), step.tab, step.at});
  for (std::size_t i = 0; i < step.values.size(); ++i) undone_fields()[i]->set(view, step.values[i]);
  view.tab = step.tab;
  last_ = values_of(view);
  moving_ = false;
}

}  // namespace headlight
