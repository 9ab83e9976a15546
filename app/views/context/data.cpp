#include "app/views/context/data.h"

#include <algorithm>
#include <functional>

#include "app/text/error_words.h"
#include "engine/backends/backends.h"

namespace headlight::views::contexts {
namespace {

constexpr std::size_t kMostProbes = 6;

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The material's three phrases; where the model's vocabulary has no moles, the typed sentence and the same from its end to its
// beginning.
ContextWords default_words(const Context& context) {
  ContextWords words{
      "mole", {"American shrew mole", "One mole of carbon dioxide", "Take a biopsy of the mole"}, {"lives", "weighs", "on"}};
  if (!context.trace || context.trace->texts().empty()) return words;
  const auto tokenizer = context.trace->tokenizer();
  const std::int32_t unknown = tokenizer->unknown_id();
  const auto tokens = tokenizer->encode(" mole");
  const bool known = unknown < 0 || !tokens.ok() ||
                     std::none_of(tokens->begin(), tokens->end(), [&](const auto& token) { return token.id == unknown; });
  std::vector<std::string> typed = words_in(context.document.texts.empty() ? std::string() : context.document.texts.front());
  if (known || typed.size() < 2) return words;
  words.word = typed.back();
  words.probes = {typed.front()};
  words.sentences.clear();
  for (int turn = 0; turn < 2; ++turn) {
    std::string sentence;
    for (const std::string& one : typed) sentence += (sentence.empty() ? "" : " ") + one;
    words.sentences.push_back(std::move(sentence));
    std::reverse(typed.begin(), typed.end());
  }
  return words;
}

// Names everything of the document that what is computed depends on.
std::string model_key(const Context& context) {
  const Document& document = context_document(context);
  const std::uint64_t generation = context.trace ? context.trace->generation() : 0;
  Held none;
  Held& own = context.transient ? context.transient->of<Held>() : none;
  if (own.asked && own.generation == generation && context.trace) return own.model;
  Document model = document;
  model.texts = {std::string()};
  if (!model.targets.empty()) model.targets = {std::string()};
  model.custom_mask = nullptr;
  own.model = std::to_string(std::hash<std::string>{}(to_json(model)));
  own.generation = generation;
  own.asked = true;
  return own.model;
}

Result<std::shared_ptr<backends::Backend>> own_backend() { return backends::open("cpu"); }

void find_sentences(const Context& context, const std::string& model, ContextState& state) {
  const Document& document = context_document(context);
  for (std::size_t i = 0; i < state.words.sentences.size(); ++i) {
    const std::string text = state.words.sentences[i], word = state.words.word;
    const DerivedKey key("context/sentence", {model, i, word, text});
    const auto made =
        context.derived.later<WordInText>(key, [document, word, text, i](const CancelToken& cancel) -> Result<WordInText> {
          HL_ASSIGN(const auto backend, own_backend());
          return word_in_text(document, *backend, word, text, i, kMostContextTokens, cancel);
        });
    ContextState::Sentence& one = state.sentences.emplace_back();
    one.found = made.value;
    if (made.error) {
      one.error = spoken_in_window(*made.error);
      Error brief = *made.error;
      brief.mend = {};
      one.brief = spoken_in_window(brief);
    }
    state.key.add(key);
  }
}

void find_probes(const Context& context, const std::string& model, ContextState& state) {
  const Document& document = context_document(context);
  for (const std::string& probe : state.words.probes) {
    const DerivedKey key("context/probe", {model, probe});
    const auto made = context.derived.later<ProbeWord>(key, [document, probe](const CancelToken& cancel) -> Result<ProbeWord> {
      HL_ASSIGN(const auto backend, own_backend());
      return probe_word(document, *backend, probe, cancel);
    });
    if (made.error) state.probe_error = spoken_in_window(*made.error);
    if (made.value) state.probes.push_back(made.value);
    state.key.add(key);
  }
}

}  // namespace

const Document& context_document(const Context& context) { return context.trace ? context.trace->document() : context.document; }

std::vector<std::string> probe_list(const std::string& typed) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= typed.size();) {
    const std::size_t end = std::min(typed.find(',', at), typed.size());
    const std::string word = trimmed(typed.substr(at, end - at));
    if (!word.empty() && words.size() < kMostProbes && std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(word);
    at = end + 1;
  }
  return words;
}

ContextWords context_words(const Context& context) {
  const State& view = context.view.own.of<State>();
  ContextWords words = default_words(context);
  if (view.sentences.size() >= 2) words.sentences = view.sentences;
  if (words.sentences.size() > figures::kMostSentences) words.sentences.resize(figures::kMostSentences);
  if (!trimmed(view.word).empty()) words.word = trimmed(view.word);
  if (!view.probes.empty()) words.probes = probe_list(view.probes);
  return words;
}

ContextState context_state(const Context& context) {
  ContextState state;
  state.words = context_words(context);
  state.key = DerivedKey("context/compared");
  const std::string model = model_key(context);
  find_sentences(context, model, state);
  find_probes(context, model, state);
  std::vector<std::shared_ptr<const WordInText>> found;
  bool waiting = state.probes.size() < state.words.probes.size() && state.probe_error.empty();
  for (std::size_t i = 0; i < state.sentences.size(); ++i) {
    waiting = waiting || (!state.sentences[i].found && state.sentences[i].error.empty());
    if (!state.sentences[i].found) continue;
    found.push_back(state.sentences[i].found);
    state.shown.push_back(i);
  }
  if (waiting || found.size() < 2) return state;
  state.compared = context.derived
                       .later<WordContext>(state.key,
                                           [found, probes = state.probes](const CancelToken&) -> Result<WordContext> {
                                             return compare_words(found, probes);
                                           })
                       .value;
  return state;
}

figures::ContextChoice context_choice(const Context& context, const ContextState& state) {
  const State& view = context.view.own.of<State>();
  figures::ContextChoice choice;
  choice.word = state.words.word;
  choice.cosine = view.measure == "cosine";
  choice.colormap = context.view.colormap;
  if (!state.compared) return choice;
  choice.numbers = state.shown;
  const auto last = static_cast<std::int64_t>(state.compared->layers.size()) - 1;
  choice.layer = view.layer < 0 ? last : std::min(view.layer, last);
  choice.sentence = std::clamp<std::int64_t>(view.sentence, 0, static_cast<std::int64_t>(state.compared->texts.size()) - 1);
  const AttentionSite* const site =
      figures::site_of(*state.compared->texts[static_cast<std::size_t>(choice.sentence)], choice.layer);
  choice.head = site ? std::min(view.head, site->heads - 1) : 0;
  choice.query = view.query;
  return choice;
}

std::shared_ptr<const QueryKeySpace> context_space(const Context& context, const ContextState& state,
                                                   const figures::ContextChoice& choice, std::string* error) {
  if (!state.compared) return nullptr;
  const auto text = state.compared->texts[static_cast<std::size_t>(choice.sentence)];
  if (!figures::site_of(*text, choice.layer)) return nullptr;
  const std::int64_t layer = choice.layer, head = choice.head;
  const auto made = context.derived.later<QueryKeySpace>(
      DerivedKey("context/space", {text->trace->generation(), layer, head}), [text, layer, head](const CancelToken& cancel) {
        return query_key_space(*text->trace, *figures::site_of(*text, layer), 0, head, cancel);
      });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

std::shared_ptr<const AttentionAdded> context_added(const Context& context, const ContextState& state,
                                                    const figures::ContextChoice& choice, std::string* error) {
  if (!state.compared) return nullptr;
  const auto text = state.compared->texts[static_cast<std::size_t>(choice.sentence)];
  if (!figures::site_of(*text, choice.layer)) return nullptr;
  const std::int64_t layer = choice.layer;
  const auto made = context.derived.later<AttentionAdded>(
      DerivedKey("context/added", {text->trace->generation(), text->row, layer}), [text, layer](const CancelToken& cancel) {
        return attention_added(*text->trace, *figures::site_of(*text, layer), 0, text->row, cancel);
      });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

}  // namespace headlight::views::contexts
