#include "app/views/base/next_place.h"

#include <algorithm>

#include "app/text/language.h"
#include "engine/document/stored_model.h"

namespace headlight::views {

TokenIds NextWordPlace::ids() const {
  TokenIds ids;
  for (std::int64_t i = 0; i <= position; ++i) ids.push_back(sentence().tokens[static_cast<std::size_t>(i)].id);
  return ids;
}

DerivedKey NextWordPlace::key() const { return DerivedKey("next word/place", {trace->generation(), batch, position}); }

namespace {

bool has_logits(const Trace& trace) {
  return std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
}

// The first [MASK] of the sentence; the last token of the text where there is none.
std::int64_t first_mask(const NextWordPlace& place) {
  const std::int32_t mask = place.tokenizer().special(tokenizers::Role::mask);
  const auto& tokens = place.sentence().tokens;
  const auto at = std::find_if(tokens.begin(), tokens.end(), [mask](const auto& token) { return token.id == mask; });
  if (at != tokens.end()) return at - tokens.begin();
  const auto last = std::find_if(tokens.rbegin(), tokens.rend(), [](const auto& token) { return token.end > token.start; });
  return last == tokens.rend() ? place.tokens() - 1 : tokens.rend() - last - 1;
}

}  // namespace

bool NextWordPlace::masked() const {
  return sentence().tokens[static_cast<std::size_t>(position)].id == tokenizer().special(tokenizers::Role::mask);
}

std::optional<NextWordPlace> place_at_end(const Context& context) {
  if (!context.trace) return {};
  NextWordPlace place;
  place.trace = context.trace;
  if (!predicts_next(*context.trace)) {
    place.fills = has_logits(*context.trace) && fills_in(context.trace->stored_model().get());
    if (!place.fills) return {};
  }
  if (place.trace->texts().empty()) return {};
  place.batch = std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(place.trace->texts().size()) - 1);
  if (place.tokens() == 0) return {};
  place.position = place.fills ? first_mask(place) : place.tokens() - 1;
  return place;
}

const char* good_for_filling(const std::string& model) {
  constexpr const char* kWords = tr_later(
      "fill-in knows short everyday English: one hidden token in three is its first guess, best between near words; rare "
      "words and what a whole sentence means are beyond it.");
  return model == "fill-in" ? kWords : nullptr;
}

SamplingOptions sampling_of(const SamplingState& view) { return {view.sample ? view.temperature : 0, view.top_k, view.top_p}; }

std::shared_ptr<const RankedScores> ranked_of(const Context& context, const NextWordPlace& place) {
  return context.derived
      .later<RankedScores>(DerivedKey("next word/ranked", {place.key()}),
                           [place](const CancelToken&) -> Result<RankedScores> {
                             RankedScores ranked;
                             HL_ASSIGN(ranked.scores, scores_behind(*place.trace, place.batch, place.position));
                             ranked.candidates = ranked_tokens(ranked.scores, 1, ranked.scores.size());
                             return ranked;
                           })
      .value;
}

Document continued_document(const Context& context, const NextWordPlace& place, const TokenIds& added) {
  const Sentence& sentence = place.sentence();
  const bool last = place.position + 1 == place.tokens();
  const auto end = static_cast<std::size_t>(sentence.tokens[static_cast<std::size_t>(place.position)].end);
  TokenIds all = place.ids();
  const std::string before = place.tokenizer().decode(all);
  all.insert(all.end(), added.begin(), added.end());
  const std::string whole = place.tokenizer().decode(all);
  // What the tokens add depends on what they stand behind: a first word has no space.
  std::string tail = whole.starts_with(before) ? whole.substr(before.size()) : place.tokenizer().decode(added);
  Document document = context.document;
  // An answer begins behind the frame, which the sentence has in it from then on.
  if (last && document.chat)
    if (const auto model = open_stored_model(document.model); model && (*model)->chat)
      if (const std::string& after = (*model)->chat->after; sentence.text.find(after) == std::string::npos) tail = after + tail;
  auto& texts = place.trace->targets().empty() ? document.texts : document.targets;
  const auto batch = static_cast<std::size_t>(place.batch);
  if (batch < texts.size()) texts[batch] = (last ? sentence.text : sentence.text.substr(0, end)) + tail;
  return document;
}

Document filled_document(const Context& context, const NextWordPlace& place, std::int32_t token) {
  const Sentence& sentence = place.sentence();
  const tokenizers::Token& there = sentence.tokens[static_cast<std::size_t>(place.position)];
  const auto begin = static_cast<std::size_t>(there.start), end = static_cast<std::size_t>(there.end);
  const bool space = begin < end && sentence.text[begin] == ' ';
  const bool mask = token == place.tokenizer().special(tokenizers::Role::mask);
  std::string words = mask ? (space ? " " : "") + place.tokenizer().piece(token) : place.tokenizer().decode({token});
  if (begin == 0 && words.starts_with(' ')) words.erase(0, 1);
  Document document = context.document;
  const auto batch = static_cast<std::size_t>(place.batch);
  if (batch >= document.texts.size()) return document;
  const std::string whole = sentence.text.substr(0, begin) + words + sentence.text.substr(end);
  if (document.targets.empty()) {
    document.texts[batch] = whole;
    return document;
  }
  // Both sentences of a pair, with a space between them.
  const std::size_t first = document.texts[batch].size(), second = document.targets[batch].size();
  if (begin > first)
    document.targets[batch] = whole.substr(first + 1);
  else
    document.texts[batch] = whole.substr(0, whole.size() - second - 1);
  return document;
}

}  // namespace headlight::views
