#include "engine/pipeline/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/pipeline/pairs.h"

namespace headlight {
namespace {

// Adds what one window's logits say of tokens [first, end) of the sequence that begins at `begin`.
void score(const Tensor& logits, std::int64_t row, const TokenIds& tokens, std::int64_t begin, std::int64_t first,
           std::int64_t end, Evaluation& sum) {
  std::vector<double> nats(static_cast<std::size_t>(std::max<std::int64_t>(0, end - first)));
  parallel_for(static_cast<std::int64_t>(nats.size()), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t t = first + i;
      nats[static_cast<std::size_t>(i)] =
          -log_probability(scores_at(logits, row, t - 1 - begin), tokens[static_cast<std::size_t>(t)]);
    }
  });
  // In one order, whatever the threads.
  for (const double one : nats) sum.nats += one;
  sum.tokens += static_cast<std::int64_t>(nats.size());
}

Error other_task(const Predictor& predictor, const char* mend) {
  return usage_error("the model '" + predictor.model().name + "' is of the task " + name_of(predictor.model().task), "--model",
                     mend);
}

}  // namespace

double Evaluation::nats_per_token() const { return tokens > 0 ? nats / static_cast<double>(tokens) : 0; }
double Evaluation::bits_per_byte() const { return bytes > 0 ? nats / std::numbers::ln2 / static_cast<double>(bytes) : 0; }
double Evaluation::perplexity() const { return std::exp(nats_per_token()); }

Result<Evaluation> evaluate_text(const Predictor& predictor, std::string_view text, const std::string& where,
                                 const CancelToken& cancel, const EvaluationProgress& progress) {
  if (predictor.model().task != ModelTask::decoder)
    return other_task(predictor, "choose a decoder, or give an encoder-decoder pairs with tabs between");
  HL_ASSIGN(const TokenIds tokens, predictor.beginning(text, cancel));
  const auto count = static_cast<std::int64_t>(tokens.size()), length = predictor.model().length;
  if (count < 2) return invalid("the text has too few tokens to predict one", where, "give a longer text");
  Evaluation sum;
  sum.bytes = static_cast<std::int64_t>(text.size());
  if (tokens.front() != predictor.tokenizer().special(tokenizers::Role::begin)) {
    HL_ASSIGN(const std::vector<tokenizers::Token> read, predictor.tokenizer().encode(text, cancel));
    sum.bytes -= read.front().end - read.front().start;  // it is not predicted
  }
  // A window reads tokens [begin, begin + length) and predicts up to token begin + length.
  const std::int64_t stride = std::max<std::int64_t>(1, length / 2);
  const std::int64_t batch = predictor.good_batch(std::min(count, length));
  std::vector<std::int64_t> begins = {0};
  while (begins.back() + length < count - 1) begins.push_back(begins.back() + stride);
  std::int64_t scored = 1;  // tokens before this one were predicted, or are the first
  for (std::size_t at = 0; at < begins.size(); at += static_cast<std::size_t>(batch)) {
    const std::size_t end = std::min(begins.size(), at + static_cast<std::size_t>(batch));
    std::vector<TokenIds> windows;
    for (std::size_t i = at; i < end; ++i)
      windows.emplace_back(tokens.begin() + begins[i], tokens.begin() + std::min(begins[i] + length, count - 1));
    if (progress) progress(scored, count);
    HL_ASSIGN(const Tensor logits, predictor.logits(windows, {}, cancel));
    for (std::size_t i = at; i < end; ++i) {
      const std::int64_t to = std::min(begins[i] + length, count - 1) + 1;
      score(logits, static_cast<std::int64_t>(i - at), tokens, begins[i], scored, to, sum);
      scored = to;
    }
  }
  return sum;
}

Result<Evaluation> evaluate_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const CancelToken& cancel, const EvaluationProgress& progress) {
  if (!predictor.reads_two()) return other_task(predictor, "choose an encoder-decoder, or give a text without tabs");
  HL_ASSIGN(std::vector<TokenPair> pairs, read_pairs(predictor, text, where, cancel));
  // Pairs of about one length are computed together.
  std::stable_sort(pairs.begin(), pairs.end(), [](const TokenPair& a, const TokenPair& b) {
    return std::pair(a.target.size(), a.source.size()) < std::pair(b.target.size(), b.source.size());
  });
  Evaluation sum;
  for (std::size_t at = 0; at < pairs.size();) {
    const std::size_t most =
        at + static_cast<std::size_t>(predictor.good_batch(static_cast<std::int64_t>(pairs[at].target.size())));
    const std::size_t end = std::min(pairs.size(), most);
    std::vector<TokenIds> sources, targets;
    for (std::size_t i = at; i < end; ++i) {
      sources.push_back(pairs[i].source);
      targets.emplace_back(pairs[i].target.begin(), pairs[i].target.end() - 1);
    }
    if (progress) progress(static_cast<std::int64_t>(at), static_cast<std::int64_t>(pairs.size()));
    HL_ASSIGN(const Tensor logits, predictor.logits(sources, targets, cancel));
    for (std::size_t i = at; i < end; ++i) {
      score(logits, static_cast<std::int64_t>(i - at), pairs[i].target, 0, 1, static_cast<std::int64_t>(pairs[i].target.size()),
            sum);
      sum.bytes += pairs[i].bytes;
    }
    at = end;
  }
  return sum;
}

}  // namespace headlight
