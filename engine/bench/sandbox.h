// The window's work without a window: edits of a sandbox's sentence, each run until its trace is published.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/bench/benches.h"
#include "engine/pipeline/run.h"

namespace headlight::bench {

// A model of r.layers layers, width r.d and r.heads heads over r.tokens letters, causal, on one backend, with its step cache.
class Sandbox {
 public:
  // Runs once, so that weights are made and resident. Errors: validate()'s, run()'s; internal, if letters are not tokens.
  static Result<std::shared_ptr<Sandbox>> make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel);
  // A sentence that was not seen before, so that the cache can serve only what really did not change (weights, positions,
  // masks), until its trace is there. On another backend than its own if one is given: one that passes on what it is asked.
  Status edit(const CancelToken& cancel, backends::Backend* other = nullptr);
  const Trace& published() const { return *published_; }
  backends::Backend& backend() { return *backend_; }

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::int64_t tokens_ = 0;
  Document document_;
  StepCache cache_;
  std::shared_ptr<const Trace> published_;
  std::uint64_t edits_ = 0;
};

}  // namespace headlight::bench
