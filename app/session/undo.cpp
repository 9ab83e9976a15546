#include "app/session/undo.h"

namespace headlight {
namespace {

constexpr double kJoinSeconds = 1.0;

bool only_texts_differ(const Document& a, const Document& b) {
  Document other = b;
  other.texts = a.texts;
  other.targets = a.targets;
  return other == a;
}

}  // namespace

UndoHistory::UndoHistory(Document first, std::size_t limit) : states_{std::move(first)}, limit_(limit < 2 ? 2 : limit) {}

void UndoHistory::record(const Document& document, double now) {
  if (document == current()) return;
  const bool typing = only_texts_differ(document, current());
  states_.resize(at_ + 1);
  if (typing && joinable_ && at_ > 0 && now - last_typed_ <= kJoinSeconds) {
    states_[at_] = document;
  } else {
    states_.push_back(document);
    if (states_.size() > limit_) states_.erase(states_.begin());
    at_ = states_.size() - 1;
  }
  joinable_ = typing;
  if (typing) last_typed_ = now;
}

std::optional<Document> UndoHistory::undo() {
  joinable_ = false;
  if (!can_undo()) return std::nullopt;
  return states_[--at_];
}

std::optional<Document> UndoHistory::redo() {
  joinable_ = false;
  if (!can_redo()) return std::nullopt;
  return states_[++at_];
}

}  // namespace headlight
