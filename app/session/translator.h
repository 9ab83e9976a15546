// Translator: the translations that a document's model writes of the typed sentences, computed in the background lane while the
// person types. A sentence that was typed over before its turn is not translated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/derived.h"
#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight {

// Whether the document's model reads one sentence and writes another: a trained encoder-decoder.
bool translates(const Document& document);

// The languages that the document's model reads and writes, in the window's language: "English", "French"; empty if the model
// does not name them.
struct SentenceLanguages {
  std::string text, target;
};
SentenceLanguages languages_of(const Document& document);

// The translations of the document's texts by its model, changed by the document's interventions; empty for a blank text. Errors:
// the model folder's, with_interventions()'s, a text longer than the model can read, cancelled.
// translated(document, cancel)->at(0) is the translation of document.texts[0].
Result<std::vector<std::string>> translated(const Document& document, const CancelToken& cancel);

struct Translation {
  std::vector<std::string> targets;  // one for each text, with the most probable token at each step; empty for a blank text
  std::optional<Error> error;        // the model folder's, or a text longer than the model can read; `targets` is then empty
};

class Translator {
 public:
  // Without a lane, a translation is made on the calling thread (tests). `wake` is called from the lane when a translation is
  // ready.
  explicit Translator(Derived::Lane lane = {}, std::function<void()> wake = {});
  ~Translator();  // cancels
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  // The translation of the document's texts by its model on its backend, changed by its interventions. Patterns of another
  // sentence are left out, because they fit one length of text only. Null until it is ready. A call for another document drops
  // the last translation.
  std::shared_ptr<const Translation> of(const Document& document);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the running job
  Derived::Lane lane_;
};

}  // namespace headlight
