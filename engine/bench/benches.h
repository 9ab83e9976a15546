// The measurements that need no window: `headlight bench` and the index lab run these.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/bench/harness.h"

namespace headlight::bench {

struct Request {
  std::shared_ptr<backends::Backend> backend;
  std::vector<std::shared_ptr<backends::Backend>> others;  // forward: measured in turns with the first
  // The notebook's sizes (S1) and the sandbox's.
  std::int64_t words = 500, length = 32, vocab = 64, d = 512, heads = 1, tokens = 128, layers = 6;
  std::int64_t pad_index = -1;        // isdpa: this symbol is masked; -1: none, as in the notebook
  bool word_lengths = false;          // isdpa: words as long as those of a text, filled up with symbol 0; else 0 is any symbol
  bool pooled = true;                 // isdpa's errors: of the mean over the queries, or of every query's output
  std::string mode;                   // isdpa: only "per-call" or only "cached"; empty: both
  std::string stage;                  // isdpa: only "q", "qk", "layer" or "combiner"; empty: all
  std::vector<std::string> variants;  // isdpa: only these, as "layer:index" or "layer:index cached"; empty: all
  bool ceilings = false;              // isdpa, sdpa: measure them, for the rows
  int sets = 4;                       // isdpa: sets of inputs that rotate
  std::int64_t checked_words = 16;    // isdpa: errors are taken over so many; 0: no errors, and no time for the reference
  Effort effort;
  std::function<void(const std::string&)> progress;  // may be empty
};

// Index-based against written-out attention, pooled (S1, S2, S3), and the two ways of combining heads of full width (S4).
// Rows: q, qk, layer, combiner.
Result<std::vector<Row>> isdpa(const Request& request, const CancelToken& cancel);
// A multi-head attention layer over W sequences of l symbols, from the look-up of the symbols to the context. Rows: q, qk, layer.
Result<std::vector<Row>> sdpa(const Request& request, const CancelToken& cancel);

// An edit of the sandbox's sentence until its trace is published (S5 to S9 computed anew). Row: edit.
Result<std::vector<Row>> keystroke(const Request& request, const CancelToken& cancel);

// The same with what it is made of, on every backend in turns. A row a backend, by its id.
Result<std::vector<Row>> forward(const Request& request, const CancelToken& cancel);

// The contenders of S4 with so many heads: combiner:concat and combiner:stack2d.
Result<std::vector<Contender>> combiner_contenders(const Request& request, std::int64_t heads, const CancelToken& cancel);

// A row with backend, device and precision filled in.
Row row_of(const Request& request, std::string what, std::string variant, std::string mode);
// Differences of the first rows of `actual` from `expected`, whose first axis may be shorter.
ErrorFigures errors_of(const Tensor& actual, const Tensor& expected);

// Whether the backend computes on a device of its own, with memory of its own.
Result<bool> is_device(backends::Backend& backend);
// The same effort; timed by the backend's own clock where none was asked for: a device computes on after a call has returned.
Effort effort_on(backends::Backend& backend, Effort effort);

// Refuses what would take more than the machine's memory, naming both; `arrays` are shapes of the backend's type.
Status check_fits(const Request& request, const std::vector<Shape>& arrays);

// Inputs of index-based attention as the notebook makes them, from a seed: F normal with row 0 zero, P sinusoidal, weights
// uniform in +-1/sqrt(d), ids uniform. In the order of Isdpa's inputs, float64 holding float32 values.
// With word_lengths a word has 1 to 12 symbols of 1 .. n-1, as many as the words of the bundled English text have (4.1 on
// average), cut at l; the rest is symbol 0.
std::vector<Tensor> notebook_inputs(const Request& request, std::uint64_t seed);
// The share of all symbols that is expected to be symbol 0, padding, in 0..1: 1/n where words are drawn without lengths.
double expected_padding(const Request& request);

}  // namespace headlight::bench
