// The Context view's comparison, computed in the background, and what the view keeps from frame to frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"
#include "app/views/context/inputs.h"
#include "app/views/context/state.h"

namespace headlight::views::contexts {

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

// What lives from frame to frame.
struct Held {
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

// The view in one frame.
struct Frame {
  const Scene& scene;
  State& state;
  ContextState typed;             // of the typed sentences
  ContextState shown;             // the last compared state; null `compared`: none yet
  figures::ContextChoice choice;  // of `shown`
  std::shared_ptr<Held> held;

  const Context& context() const { return scene.context; }
  const WordContext& compared() const { return *shown.compared; }
  const WordInText& selected() const { return *compared().texts[static_cast<std::size_t>(choice.sentence)]; }
  std::int64_t last_layer() const { return static_cast<std::int64_t>(compared().layers.size()) - 1; }
  bool presented() const { return scene.medium == sheet::Medium::presented; }
  bool filed() const { return scene.medium == sheet::Medium::file; }
};
using Shared = std::shared_ptr<const Frame>;

// Passes as many layers, and stops playing.
void choose_layer(const Frame& frame, std::int64_t layer);

// The word and its examples, the layers passed, and buttons that add a sentence and bring back what the view begins with.
sheet::Node controls_flow(Sheet& sheet, const Shared& frame);
// A row for each sentence, which can be typed into except where it is presented; and what must be known of the model.
std::vector<sheet::Node> sentence_rows(Sheet& sheet, const Shared& frame);
// The plane: a choice, and below it the word's paths through the layers, or the queries and keys of one head.
std::vector<sheet::Node> plane_nodes(Sheet& sheet, const Shared& frame);
std::vector<sheet::Node> probe_nodes(Sheet& sheet, const Shared& frame);
std::vector<sheet::Node> pair_nodes(Sheet& sheet, const Shared& frame);
std::vector<sheet::Node> added_nodes(Sheet& sheet, const Shared& frame);
// All pictures alone, and all on one page, for files.
void fill_file(Sheet& sheet, const Shared& frame);

// A field whose every keystroke takes effect at once.
struct LiveField {
  std::string id, text, hint, why;
  float type = 15;
  std::function<void(std::string)> set;
};
sheet::Node live_field(Sheet& sheet, LiveField field, sheet::Span wide, float high);

// A quiet line of words, as wide as they are, in the middle of this height, or at its end.
sheet::Node quiet_line(Sheet& sheet, std::string id, std::string words, float high, bool at_end = false);

// The words between commas, each once and at most six: probe_list("dug, contains") gives {"dug", "contains"}.
std::vector<std::string> probe_list(const std::string& typed);

}  // namespace headlight::views::contexts
