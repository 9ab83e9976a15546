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

UndoHistory::UndoHistory(Document first, std::size_t limit)
    : states_{std::move(first)}, times_{-1e9}, limit_(limit < 2 ? 2 : limit) {}

void UndoHistory::record(const Document& document, double now, bool same_gesture) {
  if (document == current()) return;
  const Stream stream = stream_of(document, current());
  states_.resize(at_ + 1);
  times_.resize(at_ + 1);
  const bool in_quick_succession = stream != Stream::none && stream == joinable_ && now - last_at_ <= kJoinSeconds;
  if (at_ > 0 && (in_quick_succession || same_gesture)) {
    states_[at_] = document;
    times_[at_] = now;
  } else {
    states_.push_back(document);
    times_.push_back(now);
    if (states_.size() > limit_) {
      states_.erase(states_.begin());
      times_.erase(times_.begin());
    }
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

}  // namespace headlight
