#include "engine/pipeline/padding.h"

#include <algorithm>

#include "engine/pipeline/run.h"

namespace headlight {
namespace {

bool is_uneven(std::span<const Sentence> sentences) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const Sentence& s) { return s.tokens.size() != sentences.front().tokens.size(); });
}

}  // namespace

bool masks_padding(const Document& document) {
  return std::any_of(document.masks.begin(), document.masks.end(), [](const Choice& one) { return one.id == "padding"; });
}

bool attends_padding(const Trace& trace) {
  return !masks_padding(trace.document()) && (is_uneven(trace.texts()) || is_uneven(trace.targets()));
}

Result<bool> would_attend_padding(const Document& document) {
  if (masks_padding(document) || (document.texts.size() < 2 && document.targets.size() < 2)) return false;
  HL_ASSIGN(const Outline planned, outline(document));
  return planned.uneven;
}

}  // namespace headlight
