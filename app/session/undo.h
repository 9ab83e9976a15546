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
  void record(const Document& document, double now);
  // Replaces the present state by `document` without a new step: for additions that the program itself makes to a change.
  void amend(const Document& document) { states_[at_] = document; }
  const Document& current() const { return states_[at_]; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  // The previous or next document, which becomes the current one; none at the end of the history.
  std::optional<Document> undo();
  std::optional<Document> redo();
  std::size_t size() const { return states_.size(); }
  std::size_t at() const { return at_; }  // the current document's place in the history

 private:
  std::vector<Document> states_;
  std::size_t at_ = 0, limit_;
  double last_at_ = -1e9;
  Stream joinable_ = Stream::none;  // the last change's kind, if further changes may be joined to it
};

// Undo of a switch of the view, in order with the document's changes: every turn knows behind which of them it was made.
class SwitchHistory {
 public:
  // What the switch is now, once a frame; `at` is UndoHistory::at(). A value that is no turn by the person is passed to know().
  void notice(bool value, std::size_t at);
  void know(bool value) { last_ = value; }
  void edited() { after_.clear(); }  // the document was changed: what was turned back is not turned again
  // Turns the switch back, or again, if that is the last change, or the next one. Returns false if it is not.
  bool undo(bool& value, std::size_t at);
  bool redo(bool& value, std::size_t at);

 private:
  bool last_ = false;
  std::vector<std::size_t> before_, after_;  // the turns' places
};

}  // namespace headlight
