// Undo and redo of whole Documents. Keystrokes or slider moves in quick succession form one step.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/document/document.h"

namespace headlight {

class UndoHistory {
 public:
  explicit UndoHistory(Document first, std::size_t limit = 500);

  // The kinds of changes that can be joined with the next change.
  enum class Stream { none, typing, temperature, scale };

  // Records a change made at `now` (seconds). Changes of the texts alone within a second of each other are joined; so are changes
  // of the temperature, and of a numeric scale. A pause, another kind of change or an undo ends the joining. A document equal to
  // the current one is ignored.
  // record(document, 12.0) and record(longer, 12.4) are one step if both change the texts only.
  // `same_gesture`: the change goes on with the gesture, such as a drag, that made the last one, and joins it.
  void record(const Document& document, double now, bool same_gesture = false);
  // Replaces the present state by `document` without a new step: for additions that the program itself makes to a change.
  void amend(const Document& document) { states_[at_] = document; }
  const Document& current() const { return states_[at_]; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  // The previous or next document, which becomes the current one; none at the end of the history.
  std::optional<Document> undo();
  std::optional<Document> redo();
  std::size_t size() const { return states_.size(); }
  // When the change was made that undo() would take back, or redo() make again; none at the end of the history.
  std::optional<double> undo_time() const { return can_undo() ? std::optional(times_[at_]) : std::nullopt; }
  std::optional<double> redo_time() const { return can_redo() ? std::optional(times_[at_ + 1]) : std::nullopt; }

 private:
  std::vector<Document> states_;
  std::vector<double> times_;  // when each state was made
  std::size_t at_ = 0, limit_;
  double last_at_ = -1e9;
  Stream joinable_ = Stream::none;  // the last change's kind, if further changes may be joined to it
};

}  // namespace headlight
