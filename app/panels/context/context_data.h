// What the Context view compares and computes, in the background lane, and what it keeps from frame to frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/export/context_figure.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// A sentence of more tokens is refused: six of them are computed at once, with every head's weights.
inline constexpr std::int64_t kMostContextTokens = 256;

// The word and its sentences: those of the view, or the defaults for the model.
struct ContextWords {
  std::string word;
  std::vector<std::string> sentences;
  std::vector<std::string> probes;
};

// What is known of them at present.
struct ContextState {
  ContextWords words;
  std::string key;  // of everything that is compared
  struct Sentence {
    std::shared_ptr<const WordInText> found;  // null: not ready yet, or `error` says why not
    std::string error, brief;                 // with and without how to mend it
  };
  std::vector<Sentence> sentences;  // as many as words.sentences
  std::vector<std::shared_ptr<const ProbeWord>> probes;
  std::string probe_error;
  std::shared_ptr<const WordContext> compared;  // of all sentences; null: fewer than two are there, or not ready yet
  // Which sentence of `words` each of the compared ones is: those with errors are left out.
  std::vector<std::size_t> shown;
};

// What lives from frame to frame.
struct ContextTransient {
  std::uint64_t generation = 0;  // the trace whose model `model` names
  bool asked = false;
  std::string model;
  ContextState last;  // the last one that was compared: shown until that of an edit is ready
  figures::SentencePair lit, lit_next;
  std::int64_t hot_source = -1, hot_source_next = -1, hot_head = -1, hot_head_next = -1;
  double playing_since = -1;  // steady seconds; below 0: it does not play
  std::int64_t playing_from = 0;
  // A head that is opened in Heads as soon as the sentence is the typed one; head -1: none.
  struct Opening {
    std::string text, site;
    std::int64_t layer = 0, head = -1, row = 0;
  } opening;
};

// The document whose model is asked: the last one computed, or before that the one being edited.
const Document& context_document(const Context& context);
ContextWords context_words(const Context& context);
ContextState context_state(const Context& context);
std::shared_ptr<const AttentionAdded> context_added(const Context& context, const ContextState& state,
                                                    const figures::ContextChoice& choice, std::string* error);
// Of the selected sentence and head, in the layer that brought it where it is; null: there is none, or it is not ready.
std::shared_ptr<const QueryKeySpace> context_space(const Context& context, const ContextState& state,
                                                   const figures::ContextChoice& choice, std::string* error);
// What the view shows of a state that has been compared.
figures::ContextChoice context_choice(const Context& context, const ContextState& state);

// "dug, contains" as its words; at most six.
std::vector<std::string> probe_list(const std::string& typed);

}  // namespace headlight::panels
