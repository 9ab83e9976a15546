// Undo and redo of whole Documents. Keystrokes or slider moves in quick succession are one step.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/document/document.h"

namespace headlight {

class UndoHistory {
 public:
  explicit UndoHistory(Document first, std::size_t limit = 500);

  // The kind of a succession of changes that may be joined.
  enum class Stream { none, typing, temperature, scale };

  // Records a change made at `now` (seconds). Changes of the texts alone (or of the temperature, or of a numeric scale) within a
  // second of each other are joined, except across a pause, another kind of change, or an undo. A document equal to the current
  // one is ignored.
  void record(const Document& document, double now);
  // The present state becomes `document`: what the program itself adds to a change, which is no step of its own.
  void amend(const Document& document) { states_[at_] = document; }
  const Document& current() const { return states_[at_]; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  // The previous (next) document, which becomes current; none at the end.
  std::optional<Document> undo();
  std::optional<Document> redo();
  std::size_t size() const { return states_.size(); }

 private:
  std::vector<Document> states_;
  std::size_t at_ = 0, limit_;
  double last_at_ = -1e9;
  Stream joinable_ = Stream::none;  // the kind of the last change, if further changes may be joined to it
};

}  // namespace headlight
