// The Context view's comparison, computed in the background, and the view's state from frame to frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/export/context_figure.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// A longer sentence is refused, because six sentences are computed at once, with every head's weights.
inline constexpr std::int64_t kMostContextTokens = 256;

// The word and its sentences: the view's, or the model's defaults.
struct ContextWords {
  std::string word;
  std::vector<std::string> sentences;
  std::vector<std::string> probes;
};

// The results that are known at present.
struct ContextState {
  ContextWords words;
  DerivedKey key;  // names everything that is compared
  struct Sentence {
    std::shared_ptr<const WordInText> found;  // null: still being computed, or refused with an `error`
    std::string error, brief;                 // with and without advice
  };
  std::vector<Sentence> sentences;  // one for each of words.sentences
  std::vector<std::shared_ptr<const ProbeWord>> probes;
  std::string probe_error;
  std::shared_ptr<const WordContext> compared;  // over all sentences; null: fewer than two are ready
  // The index in words.sentences of each compared sentence; sentences with errors are left out.
  std::vector<std::size_t> shown;
};

// The view's state from frame to frame.
struct ContextTransient {
  std::uint64_t generation = 0;  // the trace whose model is named by `model`
  bool asked = false;
  std::string model;
  ContextState last;  // the last compared state, shown until an edit's state is ready
  figures::SentencePair lit, lit_next;
  std::int64_t hot_source = -1, hot_source_next = -1, hot_head = -1, hot_head_next = -1;
  double playing_since = -1;  // when playing began, steady_seconds(); negative: it does not play
  std::int64_t playing_from = 0;
  // A head that Heads opens once the sentence has become the typed one; head -1: none.
  struct Opening {
    std::string text, site;
    std::int64_t layer = 0, head = -1, row = 0;
  } opening;
};

// The document whose model is asked: the last computed one, or the one being edited before the first result.
const Document& context_document(const Context& context);
ContextWords context_words(const Context& context);
ContextState context_state(const Context& context);
// context_added(context, state, choice, &error) is what attention added to the word in the selected sentence; null while it is
// being computed.
std::shared_ptr<const AttentionAdded> context_added(const Context& context, const ContextState& state,
                                                    const figures::ContextChoice& choice, std::string* error);
// The queries and keys of the selected sentence and head. Null if there is no such head, or while they are being computed.
// context_space(context, state, choice, &error) is of the layer that moved the word to its place.
std::shared_ptr<const QueryKeySpace> context_space(const Context& context, const ContextState& state,
                                                   const figures::ContextChoice& choice, std::string* error);
// The view's choices for a state that has been compared.
// context_choice(context, state) selects only sentences and heads that `state` has.
figures::ContextChoice context_choice(const Context& context, const ContextState& state);

// The words between commas, each once and at most six: probe_list("dug, contains") gives {"dug", "contains"}.
std::vector<std::string> probe_list(const std::string& typed);

}  // namespace headlight::panels
