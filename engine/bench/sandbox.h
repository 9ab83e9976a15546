// The window's work without a window: edits of a sentence, each of which runs until its trace is published.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/bench/benches.h"
#include "engine/pipeline/run.h"

namespace headlight::bench {

// Sentences with a given number of tokens, another sentence for each edit.
class Sentences {
 public:
  // Sentences of letters, each a token of the sandbox's "characters".
  static Sentences of_letters();
  // Sentences of a tokenizer's words that are one token each at any place. Error (not_found): it has fewer than two such words.
  // of_words(*tokenizer, cancel): for a stored model.
  static Result<Sentences> of_words(const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel);

  // How often a sentence has been edited at each place.
  struct Edits {
    std::uint64_t first = 0, middle = 0, last = 0;
  };
  // of_letters().sentence(3, {}) gives "aho", and sentence(3, {.last = 1}) gives "ahb".
  std::string sentence(std::int64_t tokens, const Edits& edits) const;

 private:
  std::vector<std::string> words_;
  std::string between_;
};

// A model over sentences of r.tokens tokens on one backend, with its step cache. It is a sandbox of r.layers layers, width r.d
// and r.heads heads, causal, with seeded weights, or the stored model r.model with its own settings.
class Sandbox {
 public:
  // Runs once, so that weights are made and resident. Errors: those of open_stored_model(), validate() and run(); internal, if
  // the sentence has another number of tokens than r.tokens. `kept_weights` as in RunOptions.
  // make({.tokens = 128}, backend, cancel): a causal sandbox over 128 letters.
  static Result<std::shared_ptr<Sandbox>> make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel, std::uint64_t kept_weights = RunOptions{}.kept_weights);
  // Replaces a word and runs the new sentence until its trace is there. So the cache can provide only what the edit did not
  // change: weights, positions, masks and, in a decoder, the rows before the word. `other`: a backend that forwards to the
  // sandbox's own, to run on in its place.
  // edit(cancel): published() is the trace of the new sentence, of which every row was computed.
  enum class Place { first, middle, last };
  Status edit(const CancelToken& cancel, Place place = Place::first, backends::Backend* other = nullptr);
  const Trace& published() const { return *published_; }
  backends::Backend& backend() { return *backend_; }
  std::vector<std::pair<std::string, std::int64_t>> sizes() const;  // as a measured row names them

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::int64_t tokens_ = 0;  // without the special ones that the model adds
  std::uint64_t kept_weights_ = 0;
  Document document_;
  Sentences texts_ = Sentences::of_letters(), targets_ = Sentences::of_letters();
  StepCache cache_;
  std::shared_ptr<const Trace> published_;
  Sentences::Edits edits_;
};

}  // namespace headlight::bench
