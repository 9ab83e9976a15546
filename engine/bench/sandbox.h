// The window's work without a window: edits of a sentence; each runs until its trace is published.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/bench/benches.h"
#include "engine/pipeline/run.h"

namespace headlight::bench {

// Sentences of a given number of tokens, another one for each edit.
class Sentences {
 public:
  // Of letters, each a token of the sandbox's "characters".
  static Sentences of_letters();
  // Of a tokenizer's own words, each a token wherever it stands. Error (not_found): it has no two such words.
  static Result<Sentences> of_words(const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel);

  std::string sentence(std::int64_t tokens, std::uint64_t edit) const;

 private:
  std::vector<std::string> words_;
  std::string between_;
};

// A model over sentences of r.tokens tokens on one backend, with its step cache: r.layers layers, width r.d and r.heads heads,
// causal, with seeded weights; or the stored model r.model, with what it was trained with.
class Sandbox {
 public:
  // Runs once, so that weights are made and resident. Errors: those of open_stored_model(), validate() and run(); internal, if
  // the sentence has not r.tokens tokens. `kept_weights` as in RunOptions.
  static Result<std::shared_ptr<Sandbox>> make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel, std::uint64_t kept_weights = RunOptions{}.kept_weights);
  // Runs a sentence that was not seen before, until its trace is there. So the cache can provide only what really did not change
  // (weights, positions, masks). Runs on another backend if one is given: one that forwards to its own.
  Status edit(const CancelToken& cancel, backends::Backend* other = nullptr);
  const Trace& published() const { return *published_; }
  backends::Backend& backend() { return *backend_; }
  std::vector<std::pair<std::string, std::int64_t>> sizes() const;  // as a row of the measurement names them

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::int64_t tokens_ = 0;  // without the special ones that the model adds
  std::uint64_t kept_weights_ = 0;
  Document document_;
  Sentences texts_ = Sentences::of_letters(), targets_ = Sentences::of_letters();
  StepCache cache_;
  std::shared_ptr<const Trace> published_;
  std::uint64_t edits_ = 0;
};

}  // namespace headlight::bench
