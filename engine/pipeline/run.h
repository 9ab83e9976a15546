// run: Document -> Trace, a pure function. Window, command line and tests call this one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Completed steps by the key of their operation, parameters and inputs' keys; least recently used go first. Thread-safe.
class StepCache {
 public:
  // By default a dozen traces of 128 tokens, or two of 1,024, at d_model 256: enough to switch a mask to and fro. On a device of
  // its own, the last trace.
  explicit StepCache(std::uint64_t budget_bytes = std::uint64_t{192} << 20);
  ~StepCache();
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct RunOptions {
  // What the trace may keep. More is refused before anything is allocated, with the figure and what to keep less of.
  std::uint64_t budget_bytes = std::uint64_t{2} << 30;
  // Bytes of all attention weights together up to which a trace keeps them; beyond, they are computed again, tile by tile, when
  // someone reads them. At 48 heads, texts of up to about 580 tokens keep theirs.
  std::uint64_t kept_weights = std::uint64_t{64} << 20;
  StepCache* cache = nullptr;
  std::string remark;  // for the trace's remark()
};

// What run() would make, without computing it: the texts are tokenized and the steps are counted, nothing else.
struct Outline {
  std::vector<Step> steps;
  std::vector<NamedParameter> parameters;
  std::uint64_t bytes = 0;         // that the trace would keep, the model's matrices included
  std::uint64_t largest_step = 0;  // of the largest step when it is read whole
  bool uneven = false;             // the texts, or the targets, have several lengths: the shorter ones are padded
};
Result<Outline> outline(const Document& document);
Result<std::uint64_t> bytes_needed(const Document& document);  // outline's bytes

// Errors: validate()'s, the tokenizer's, too_large, cancelled, the backend's. Weights and embedding rows are made once a process
// and shared between runs. `backend` must outlive the trace, which makes unkept steps again on it; those of backends::open() do.
Result<std::shared_ptr<const Trace>> run(const Document& document, backends::Backend& backend, const CancelToken& cancel,
                                         const RunOptions& options = {});

}  // namespace headlight
