// run: Document -> Trace, a pure function. The window, the command line and the tests all call it.
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

// Completed steps by the key of their operation, parameters and inputs' keys; the least recently used steps leave first.
// Thread-safe.
class StepCache {
 public:
  // By default a dozen traces of 128 tokens, or two of 1,024, at d_model 256: enough to switch a mask on and off. On a device
  // with its own memory, the last trace.
  explicit StepCache(std::uint64_t budget_bytes = std::uint64_t{192} << 20);
  ~StepCache();
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct RunOptions {
  // The most bytes that the trace may keep. A larger trace is refused before anything is allocated; the error has the figure and
  // the sizes to reduce.
  std::uint64_t budget_bytes = std::uint64_t{2} << 30;
  // The trace keeps the attention weights if all of them together take at most this many bytes. Otherwise a reader's tile is
  // computed again. At 48 heads, texts of up to about 580 tokens keep their weights.
  std::uint64_t kept_weights = std::uint64_t{64} << 20;
  StepCache* cache = nullptr;
  Message remark;  // for the trace's remark()
};

// The steps of run() without their values: the texts are tokenized and the steps are counted, and no step is computed.
struct Outline {
  std::vector<Step> steps;
  std::vector<NamedParameter> parameters;
  std::uint64_t bytes = 0;         // that the trace would keep, including the model's matrices
  std::uint64_t largest_step = 0;  // of the largest step when it is read whole
  bool uneven = false;             // the texts, or the targets, have several lengths: the shorter ones are padded
};
Result<Outline> outline(const Document& document);
Result<std::uint64_t> bytes_needed(const Document& document);  // outline's bytes

// Errors: those of validate(), of the tokenizer and of the backend; too_large; cancelled. Weights and embedding rows are made
// once a process and shared between runs. `backend` must outlive the trace, which computes unkept steps again on it; the backends
// of backends::open() do.
// run(document, **backends::open("cpu"), {}): the trace of the document.
Result<std::shared_ptr<const Trace>> run(const Document& document, backends::Backend& backend, const CancelToken& cancel,
                                         const RunOptions& options = {});

}  // namespace headlight
