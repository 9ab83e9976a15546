// The measurements that need no window. `headlight bench` and the Index lab run them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/bench/harness.h"

namespace headlight::bench {

// The sizes and limits of a measurement.
struct Request {
  std::shared_ptr<backends::Backend> backend;
  // keystroke, routes, forward, generate: a stored model's name or folder, whose own sizes are used; empty: a sandbox of the
  // sizes below.
  std::string model;
  std::vector<std::shared_ptr<backends::Backend>> others;  // forward: measured in turn with `backend`
  // The defaults are the notebook's sizes (S1) and the sandbox's.
  std::int64_t words = 500, length = 32, vocab = 64, d = 512, heads = 1, tokens = 128, layers = 6, batch = 1;
  std::int64_t pad_index = -1;  // isdpa: the symbol that is masked; -1: none, as in the notebook
  // isdpa: words have lengths like those of a text and are filled up with symbol 0; else 0 is a symbol like any other
  bool word_lengths = false;
  bool position_weights = false;      // isdpa: the positions have weights of their own, W_P; else W_P = W_M
  bool pooled = true;                 // isdpa: errors are those of the mean over the queries; else of every query's output
  std::string mode;                   // isdpa: only "per-call" or only "cached"; empty: both
  std::string stage;                  // isdpa: only "q", "qk", "layer" or "combiner"; empty: all
  std::vector<std::string> variants;  // isdpa: only these, such as "layer:index" or "layer:index cached"; empty: all
  bool ceilings = false;              // isdpa, sdpa, forward: measure the device's best rates, too
  int sets = 4;                       // isdpa: sets of inputs, used in turn
  std::int64_t checked_words = 16;    // isdpa: words whose errors are measured; 0: no errors, and no reference is computed
  Effort effort;
  std::function<void(const std::string&)> progress;  // may be empty
};

// Index-based against written-out attention, pooled (S1, S2, S3), and the two ways to combine heads of full width (S4). Rows: q,
// qk, layer, combiner.
// isdpa({.backend = backend, .words = 100}, cancel): 100 words of 32 symbols. The measurements below are called in the same way.
Result<std::vector<Row>> isdpa(const Request& request, const CancelToken& cancel);
// A multi-head attention layer over W sequences of l symbols, from the look-up of the symbols to the context. Rows: q, qk, layer.
Result<std::vector<Row>> sdpa(const Request& request, const CancelToken& cancel);

// The time from an edit of a sentence to its published trace (S5 to S9), of the sandbox or of a stored model. In a decoder the
// rows before the edit are those of the trace before. Rows: first word (every row is computed), middle word, last word.
Result<std::vector<Row>> keystroke(const Request& request, const CancelToken& cancel);

// An edit, and from its trace to the shares of all vectors and the routes back from the last token's. Rows: edit, routes.
Result<std::vector<Row>> routes(const Request& request, const CancelToken& cancel);

// The time of an edit with its parts, on every backend in turn. One row per backend, with the backend's id.
Result<std::vector<Row>> forward(const Request& request, const CancelToken& cancel);

// A step of a training: `batch` rows of `tokens` tokens of a vocabulary of `vocab`, in float32 and, where the device has such
// products, with bfloat16 products, in turns. Rows: train, "step", one for each precision.
Result<std::vector<Row>> train(const Request& request, const CancelToken& cancel);

// One more token of a decoder's text of `tokens` tokens, and its choice: with the keys and values of the other tokens kept, and
// with the whole text computed anew. Rows: token:kept, token:anew. Error: a backend that keeps no keys and values.
Result<std::vector<Row>> generate(const Request& request, const CancelToken& cancel);

// Every method for long texts over one head of `tokens` rows of `d` numbers, with parameters that suit the length (S16, S21). One
// row for each method; `error` is the difference from full attention. Error: the backend is a device.
Result<std::vector<Row>> long_texts(const Request& request, const CancelToken& cancel);
// The methods of long_texts() and a vanilla RNN, an LSTM and a selective state space of kMeasuredStates numbers a channel (S17,
// S24). These have d units over rows of d numbers, up to d = recurrence::kMostUnits, because their matrices grow with the square
// of d. Their output is compared with nothing.
inline constexpr std::int64_t kMeasuredStates = 16;
Result<std::vector<Row>> long_texts_and_layers(const Request& request, const CancelToken& cancel);
// One random channel of a state space over `tokens` steps, in double: step by step, and as a matrix that is made and multiplied.
// Rows: scan, matrix; the matrix row's `error` is its difference from the scan.
// scan_and_matrix(request, 16, cancel): a channel of 16 states.
Result<std::vector<Row>> scan_and_matrix(const Request& request, std::int64_t states, const CancelToken& cancel);
// Sets the exponent of every row: the slope of log(median time) over log(tokens) by least squares over its variant's rows of at
// least kFittedFrom tokens. In shorter texts calls cost more than cells. A variant with fewer than two such rows has no exponent.
inline constexpr double kFittedFrom = 512;
void fit_exponents(std::vector<Row>& rows);

// The contenders of S4 with `heads` heads: combiner:concat and combiner:stack2d.
// combiner_contenders(request, 32, cancel): to be measured with others.
Result<std::vector<Contender>> combiner_contenders(const Request& request, std::int64_t heads, const CancelToken& cancel);

// A row with backend, device and precision filled in. row_of(request, "isdpa", "layer:index", "cached").
Row row_of(const Request& request, std::string what, std::string variant, std::string mode);
// Differences of the first rows of `actual` from `expected`, whose first axis may be shorter.
// errors_of(actual, expected) of {1, 2} and {1, 1}: mean_abs is .5, max_abs is 1.
ErrorFigures errors_of(const Tensor& actual, const Tensor& expected);

// Whether the backend computes on a separate device with its own memory.
Result<bool> is_device(backends::Backend& backend);
// Sets the backend's own clock where the effort has no clock: a device still computes after a call has returned.
// effort_on(backend, {.seconds = 1}): the effort that measure() needs for this backend.
Effort effort_on(backends::Backend& backend, Effort effort);

// Refuses a request that needs more than the machine's (on a GPU the GPU's) memory; the error names both sizes. `arrays` are
// shapes of the backend's type.
// check_fits(request, {{500, 32, 512}}) passes where 33 MB of float32 fit.
Status check_fits(const Request& request, const std::vector<Shape>& arrays);

// Inputs of index-based attention as the notebook makes them, from a seed: F normal with row 0 zero, P sinusoidal, weights
// uniform in +-1/sqrt(d) (three more of them with position_weights), ids uniform. They are in the order of Isdpa's inputs, as
// float64 arrays of float32 values. With word_lengths a word has 1 to 12 symbols of 1 .. n-1, with the lengths of the words in
// the bundled English text (4.1 on average), cut at l; the rest is symbol 0.
// notebook_inputs(request, 0): F, P, WQ, WK, WV and ids.
std::vector<Tensor> notebook_inputs(const Request& request, std::uint64_t seed);
// The expected share of symbol 0, padding, among all symbols, in 0..1: 1/n if words are drawn without lengths.
double expected_padding(const Request& request);

}  // namespace headlight::bench
