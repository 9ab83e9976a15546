#include "engine/bench/lab.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/backends/backends.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/linear.h"
#include "engine/text/utf8.h"

namespace headlight::bench {
namespace {

using namespace backends;

Result<std::vector<Tensor>> compute(Backend& backend, const OpDesc& desc, const std::vector<Tensor>& inputs,
                                    const CancelToken& cancel) {
  std::vector<Buffer> in;
  for (const Tensor& t : inputs) {
    HL_ASSIGN(Buffer buffer, backend.upload(t));
    in.push_back(std::move(buffer));
  }
  HL_ASSIGN(const std::vector<Buffer> out, backend.apply(desc, in, cancel));
  std::vector<Tensor> made;
  for (const Buffer& buffer : out) {
    HL_ASSIGN(Tensor t, backend.download(buffer));
    made.push_back(std::move(t));
  }
  return made;
}

Tensor transposed(const Tensor& t) {
  Tensor out(DType::f64, {t.dim(1), t.dim(0)}, {}, true);
  const Tensor from = t.as(DType::f64).compact();
  for (std::int64_t i = 0; i < t.dim(0); ++i)
    for (std::int64_t j = 0; j < t.dim(1); ++j) out.data<double>()[j * t.dim(0) + i] = from.data<double>()[i * t.dim(1) + j];
  return out;
}

std::string hex(char32_t byte) {
  char out[8];
  std::snprintf(out, sizeof out, "0x%02X", static_cast<unsigned>(byte));
  return out;
}

std::int32_t symbol_of(std::string_view character) {
  if (character.size() != 1) return 63;
  const char c = character[0];
  if (c >= 'a' && c <= 'z') return static_cast<std::int32_t>(c - 'a' + 1);
  if (c >= 'A' && c <= 'Z') return static_cast<std::int32_t>(c - 'A' + 27);
  if (c >= '0' && c <= '9') return static_cast<std::int32_t>(c - '0' + 53);
  return 63;
}

int bin_of(double error) {
  if (!(error > 0)) return 0;
  const double at = (std::log10(error) - ErrorHistogram::kLowest) * ErrorHistogram::kPerDecade;
  return std::clamp(static_cast<int>(std::floor(at)), 0, ErrorHistogram::kBins - 1);
}

// The layer by the index, at these sizes.
Isdpa layer_of(const Request& request) {
  Isdpa op;
  op.words = request.words;
  op.length = request.length;
  op.vocabulary = request.vocab;
  op.d = request.d;
  op.heads = request.heads;
  op.pad_index = request.pad_index;
  op.separate_position_weights = request.position_weights;
  return op;
}

}  // namespace

IndexedWord index_word(std::string_view word, std::int64_t length) {
  IndexedWord out;
  text::for_each_code_point(word, [&](std::int64_t start, const text::CodePoint& c) {
    if (static_cast<std::int64_t>(out.ids.size()) >= length) return;
    const std::string_view bytes = word.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(c.length));
    out.ids.push_back(symbol_of(bytes));
    out.labels.emplace_back(bytes == " " ? std::string("␣") : c.valid ? std::string(bytes) : hex(c.value));
  });
  while (static_cast<std::int64_t>(out.ids.size()) < length) {
    out.ids.push_back(0);
    out.labels.emplace_back("·");
  }
  return out;
}

namespace {

// F [n, d] by W and P [l, d] by its own, one below the other: [n + l, d].
Result<Tensor> symbols_and_positions(Backend& backend, const std::vector<Tensor>& inputs, std::size_t weight,
                                     std::size_t position_weight, const CancelToken& cancel) {
  const std::int64_t n = inputs[0].dim(0), l = inputs[1].dim(0), d = inputs[0].dim(1);
  HL_ASSIGN(const std::vector<Tensor> symbols, compute(backend, Linear{n, d, d}, {inputs[0], inputs[weight]}, cancel));
  HL_ASSIGN(const std::vector<Tensor> positions, compute(backend, Linear{l, d, d}, {inputs[1], inputs[position_weight]}, cancel));
  Tensor both(DType::f64, {n + l, d}, {}, true);
  std::copy_n(symbols[0].as(DType::f64).compact().data<double>(), n * d, both.data<double>());
  std::copy_n(positions[0].as(DType::f64).compact().data<double>(), l * d, both.data<double>() + n * d);
  return both;
}

}  // namespace

Result<WordTerms> word_terms(Backend& backend, std::string_view word, std::int64_t length, std::int64_t d,
                             const CancelToken& cancel, bool position_weights) {
  WordTerms terms;
  terms.word = index_word(word, length);
  Request request;
  request.words = 1;
  request.length = length;
  request.vocab = kAlphabet;
  request.d = d;
  request.position_weights = position_weights;
  std::vector<Tensor> inputs = notebook_inputs(request, 1);
  std::copy(terms.word.ids.begin(), terms.word.ids.end(), inputs.back().data<std::int32_t>());

  Isdpa op;
  op.words = 1;
  op.length = length;
  op.vocabulary = kAlphabet;
  op.d = d;
  op.separate_position_weights = position_weights;
  op.keep_terms = op.keep_qk = true;
  op.keep_result = false;
  HL_ASSIGN(const std::vector<Tensor> index, compute(backend, op, inputs, cancel));
  op.method = Isdpa::Method::direct;
  op.keep_terms = false;
  HL_ASSIGN(const std::vector<Tensor> direct, compute(backend, op, inputs, cancel));
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  HL_ASSIGN(const std::vector<Tensor> truth, compute(*reference, op, inputs, cancel));

  const auto square = [&](const Tensor& t) { return t.as(DType::f32).reshaped({length, length}); };
  terms.mm = square(index[0]);
  terms.mp = square(index[1]);
  terms.pm = square(index[2]);
  terms.pp = square(index[3]);
  terms.qk = square(index[4]);
  terms.mean_between = difference(index[4], direct[0]).mean_abs;
  const ErrorFigures a = errors_of(index[4], truth[0]), b = errors_of(direct[0], truth[0]);
  terms.mean_index = a.mean_abs;
  terms.mean_direct = b.mean_abs;
  terms.relative_index = a.relative;
  terms.relative_direct = b.relative;

  // Counts projecting [F; P] by WQ and by WK, and multiplying all rows with each other.
  const std::int64_t rows = kAlphabet + length;
  HL_ASSIGN(const Tensor q, symbols_and_positions(backend, inputs, 2, position_weights ? 5 : 2, cancel));
  HL_ASSIGN(const Tensor k, symbols_and_positions(backend, inputs, 3, position_weights ? 6 : 3, cancel));
  HL_ASSIGN(const std::vector<Tensor> table, compute(backend, Linear{rows, d, rows}, {q, transposed(k)}, cancel));
  terms.table = table[0].as(DType::f32);
  return terms;
}

WordWeights word_weights(const WordTerms& terms, std::int64_t d, bool mask_padding) {
  const std::vector<std::int32_t>& ids = terms.word.ids;
  const auto l = static_cast<std::int64_t>(ids.size());
  const auto counts = [&](std::int64_t place) { return !mask_padding || ids[static_cast<std::size_t>(place)] != 0; };
  WordWeights out{Tensor(DType::f32, {l, l}, {}, true), Tensor(DType::f32, {l}, {}, true)};
  const float* const qk = terms.qk.data<float>();
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  std::vector<double> row(ids.size()), mean(ids.size(), 0);
  double queries = 0;
  for (std::int64_t i = 0; i < l; ++i) {
    double most = -INFINITY, sum = 0;
    for (std::int64_t j = 0; j < l; ++j)
      if (counts(j)) most = std::max(most, static_cast<double>(qk[i * l + j]) * scale);
    for (std::int64_t j = 0; j < l; ++j) {
      const auto at = static_cast<std::size_t>(j);
      row[at] = counts(j) ? std::exp(static_cast<double>(qk[i * l + j]) * scale - most) : 0;
      sum += row[at];
    }
    if (counts(i)) queries += 1;
    for (std::int64_t j = 0; j < l; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double weight = sum > 0 ? row[at] / sum : 0;
      out.weights.data<float>()[i * l + j] = static_cast<float>(weight);
      if (counts(i)) mean[at] += weight;
    }
  }
  for (std::int64_t j = 0; j < l; ++j)
    out.pooled.data<float>()[j] = queries > 0 ? static_cast<float>(mean[static_cast<std::size_t>(j)] / queries) : 0.0f;
  return out;
}

std::int64_t words_to_check(const Request& request) {
  constexpr double kFlops = 2.5e8;
  const LabSizes one{1, static_cast<double>(request.length), static_cast<double>(request.vocab), static_cast<double>(request.d)};
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kFlops / written_flops(one)), 1, 16);
}

Result<ErrorHistogram> error_histogram(const Request& request, const CancelToken& cancel) {
  Request few = request;
  few.words = std::min(request.words, words_to_check(request));
  const std::vector<Tensor> inputs = notebook_inputs(few, 1);
  Isdpa op = layer_of(few);
  op.pooled = few.pooled;
  HL_ASSIGN(const std::vector<Tensor> index, compute(*request.backend, op, inputs, cancel));
  op.method = Isdpa::Method::direct;
  HL_ASSIGN(const std::vector<Tensor> direct, compute(*request.backend, op, inputs, cancel));
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  HL_ASSIGN(const std::vector<Tensor> truth, compute(*reference, op, inputs, cancel));
  ErrorHistogram h;
  h.values = truth[0].count();
  h.index_errors = errors_of(index[0], truth[0]);
  h.direct_errors = errors_of(direct[0], truth[0]);
  const Tensor a = index[0].as(DType::f64), b = direct[0].as(DType::f64), t = truth[0].as(DType::f64);
  for (std::int64_t i = 0; i < h.values; ++i) {
    ++h.index[static_cast<std::size_t>(bin_of(std::abs(a.data<double>()[i] - t.data<double>()[i])))];
    ++h.direct[static_cast<std::size_t>(bin_of(std::abs(b.data<double>()[i] - t.data<double>()[i])))];
  }
  return h;
}

Result<StageDifferences> stage_differences(const Request& request, const CancelToken& cancel) {
  Request few = request;
  few.words = std::min(request.words, words_to_check(request));
  const std::vector<Tensor> inputs = notebook_inputs(few, 1);
  Isdpa op = layer_of(few);
  op.keep_q = op.keep_qk = op.keep_result = true;
  HL_ASSIGN(const std::vector<Tensor> index, compute(*request.backend, op, inputs, cancel));
  op.method = Isdpa::Method::direct;
  HL_ASSIGN(const std::vector<Tensor> direct, compute(*request.backend, op, inputs, cancel));
  return StageDifferences{difference(index[0], direct[0]).mean_abs, difference(index[1], direct[1]).mean_abs,
                          difference(index[2], direct[2]).mean_abs};
}

double symbols_that_occur(const LabSizes& s) { return expected_distinct(s.vocab, s.words * s.length * (1 - s.padding)); }
double rows_that_occur(const LabSizes& s) { return expected_distinct(s.vocab, s.words * (1 - s.padding)) * s.length; }

double index_flops(const LabSizes& s, bool cached) {
  const double m = symbols_that_occur(s) + s.length, places = s.words * s.length;
  const double tables = 6 * m * s.d * s.d + 2 * std::min(m * m, places * s.length) * s.d;
  const double output = s.pooled ? 4 * places * s.d : places * s.d + 2 * places * s.length * s.d;
  return (cached ? 0 : tables) + 8 * s.heads * places * s.length + output;
}
double written_flops(const LabSizes& s) {
  const double positions = s.position_weights ? 6 * s.length * s.d * s.d : 0;
  return positions + 6 * s.words * s.length * s.d * s.d + (s.pooled ? 2 : 4) * s.words * s.length * s.length * s.d;
}
double shortcut_flops(const LabSizes& s, bool cached) {
  const double rows = rows_that_occur(s), places = s.words * s.length, softmax = 8 * s.heads * places * s.length;
  if (s.position_weights) {
    if (!s.pooled) return written_flops(s) + softmax;
    return 4 * places * s.d * s.d + (cached ? 0 : 6 * s.length * s.d * s.d) + 2 * places * s.length * s.d + softmax +
           4 * places * s.d + 2 * s.words * s.d * s.d;
  }
  const double plain = (s.pooled ? 4 : 6) * rows * s.d * s.d;
  const double project = s.pooled && s.heads <= 1 ? std::min(2 * s.d * s.d * s.d + 2 * rows * s.d * s.d, plain) : plain;
  const double output = s.pooled ? 2 * places * s.d + 2 * s.words * s.d * s.d : 2 * places * s.length * s.d;
  return (cached ? 0 : project) + 2 * places * s.length * s.d + softmax + output;
}

std::string index_formula(const LabSizes& s, bool cached) {
  const std::string tables = cached ? "" : "6 m d² + 2 min(m², W l²) d + ";
  return tables + (s.heads > 1 ? "8 h W l²" : "8 W l²") + (s.pooled ? " + 4 W l d" : " + W l d + 2 W l² d");
}
std::string written_formula(const LabSizes& s) {
  return std::string("6 W l d² + ") + (s.position_weights ? "6 l d² + " : "") + (s.pooled ? "2 W l² d" : "4 W l² d");
}
std::string shortcut_formula(const LabSizes& s, bool cached) {
  const std::string softmax = s.heads > 1 ? "8 h W l²" : "8 W l²";
  if (s.position_weights && !s.pooled) return written_formula(s) + " + " + softmax;
  if (s.position_weights)
    return std::string("4 W l d² + ") + (cached ? "" : "6 l d² + ") + "2 W l² d + " + softmax + " + 4 W l d + 2 W d²";
  if (!s.pooled) return (cached ? "4 W l² d + " : "6 r d² + 4 W l² d + ") + softmax;
  const std::string project = cached ? "" : s.heads > 1 ? "4 r d² + " : "min(2 d³ + 2 r d², 4 r d²) + ";
  return project + "2 W l² d + " + softmax + " + 2 W l d + 2 W d²";
}

}  // namespace headlight::bench
