#include "app/session/undo.h"

namespace headlight {
namespace {

constexpr double kJoinSeconds = 1.0;

// Changes that come in quick succession: typing, and dragging a slider of the attention.
UndoHistory::Stream stream_of(const Document& a, const Document& b) {
  Document other = b;
  other.texts = a.texts;
  other.targets = a.targets;
  if (other == a) return UndoHistory::Stream::typing;
  other = b;
  other.temperature = a.temperature;
  if (other == a) return UndoHistory::Stream::temperature;
  other = b;
  other.scale = a.scale;
  // From one number to another; choosing sqrt or none is a separate undo step.
  const auto named = [](const Document& d) { return d.scale == "sqrt" || d.scale == "none"; };
  if (other == a && !named(a) && !named(b)) return UndoHistory::Stream::scale;
  return UndoHistory::Stream::none;
}

}  // namespace

UndoHistory::UndoHistory(Document first, std::size_t limit) : states_{std::move(first)}, limit_(limit < 2 ? 2 : limit) {}

void UndoHistory::record(const Document& document, double now) {
  if (document == current()) return;
  const Stream stream = stream_of(document, current());
  states_.resize(at_ + 1);
  if (stream != Stream::none && stream == joinable_ && at_ > 0 && now - last_at_ <= kJoinSeconds) {
    states_[at_] = document;
  } else {
    states_.push_back(document);
    if (states_.size() > limit_) states_.erase(states_.begin());
    at_ = states_.size() - 1;
  }
  joinable_ = stream;
  last_at_ = now;
}

std::optional<Document> UndoHistory::undo() {
  joinable_ = Stream::none;
  if (!can_undo()) return std::nullopt;
  return states_[--at_];
}

std::optional<Document> UndoHistory::redo() {
  joinable_ = Stream::none;
  if (!can_redo()) return std::nullopt;
  return states_[++at_];
}

void SwitchHistory::notice(bool value, std::size_t at) {
  if (value == last_) return;
  last_ = value;
  before_.push_back(at);
  after_.clear();
}

bool SwitchHistory::undo(bool& value, std::size_t at) {
  // A turn behind a change that was taken back and replaced by another is forgotten.
  while (!before_.empty() && before_.back() > at) before_.pop_back();
  if (before_.empty() || before_.back() != at) return false;
  after_.push_back(before_.back());
  before_.pop_back();
  last_ = value = !value;
  return true;
}

bool SwitchHistory::redo(bool& value, std::size_t at) {
  if (after_.empty() || after_.back() != at) return false;
  before_.push_back(after_.back());
  after_.pop_back();
  last_ = value = !value;
  return true;
}

}  // namespace headlight
