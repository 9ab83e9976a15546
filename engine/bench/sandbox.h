// The window's work without a window: edits of a sandbox's sentence; each runs until its trace is published.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/bench/benches.h"
#include "engine/pipeline/run.h"

namespace headlight::bench {

// A model of r.layers layers, width r.d and r.heads heads over r.tokens letters, causal, on one backend, with its step cache.
class Sandbox {
 public:
  // Runs once, so that weights are made and resident. Errors: those of validate() and run(); internal, if a letter is not one
  // token. `kept_weights` as in RunOptions.
  static Result<std::shared_ptr<Sandbox>> make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel, std::uint64_t kept_weights = RunOptions{}.kept_weights);
  // Runs a sentence that was not seen before, until its trace is there. So the cache can provide only what really did not change
  // (weights, positions, masks). Runs on another backend if one is given: one that forwards to its own.
  Status edit(const CancelToken& cancel, backends::Backend* other = nullptr);
  const Trace& published() const { return *published_; }
  backends::Backend& backend() { return *backend_; }

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::int64_t tokens_ = 0;
  std::uint64_t kept_weights_ = 0;
  Document document_;
  StepCache cache_;
  std::shared_ptr<const Trace> published_;
  std::uint64_t edits_ = 0;
};

}  // namespace headlight::bench
