// Translator: what a model that translates makes of the typed sentences, computed in the background lane while the person types.
// A sentence that was typed over before its turn came is not translated.
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

// What the document's model reads and writes, in the window's language: "English", "French"; empty where it does not say.
struct SentenceLanguages {
  std::string text, target;
};
SentenceLanguages languages_of(const Document& document);

// What the document's model, changed by the document's interventions, writes of its texts by itself; of a blank text nothing.
// Errors: of the model's folder, with_interventions()'s, a text that is longer than the model reads, cancelled.
Result<std::vector<std::string>> translated(const Document& document, const CancelToken& cancel);

struct Translation {
  std::vector<std::string> targets;  // one a text, the most probable token at each step; of a blank text: empty
  std::optional<Error> error;        // of the model's folder, or a text that is longer than it reads; `targets` is empty then
};

class Translator {
 public:
  // Without a lane a translation is made on the calling thread (tests). `wake` is called from the lane when one is there.
  explicit Translator(Derived::Lane lane = {}, std::function<void()> wake = {});
  ~Translator();  // cancels
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  // Of the document's texts by its model on its backend, changed by its interventions, except patterns of another sentence, which
  // fit one length of text alone; null: not there yet. Asking for another one drops the last.
  std::shared_ptr<const Translation> of(const Document& document);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the running job
  Derived::Lane lane_;
};

}  // namespace headlight
