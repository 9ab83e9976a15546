#include "engine/pipeline/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/pipeline/pairs.h"

namespace headlight {
namespace {

// The tokens of a text's lines, one after the other, and which of them are predicted.
struct Stream {
  TokenIds ids;
  std::vector<bool> predicted;
  std::int64_t bytes = 0;  // of what is predicted
  void add(std::int32_t id, bool is_predicted) {
    ids.push_back(id);
    predicted.push_back(is_predicted);
  }
};

Result<Stream> read_stream(const Predictor& predictor, std::string_view text, const CancelToken& cancel) {
  const tokenizers::Tokenizer& tokenizer = predictor.tokenizer();
  const std::int32_t end = tokenizer.special(tokenizers::Role::end);
  const std::int32_t begin = predictor.model().document.add_begin ? tokenizer.special(tokenizers::Role::begin) : -1;
  Stream stream;
  if (begin < 0 && end >= 0) stream.add(end, false);  // as behind another text
  while (!text.empty()) {
    const std::size_t stop = end < 0 ? text.size() : std::min(text.find('\n'), text.size());
    const bool ended = stop < text.size();
    std::string_view line = text.substr(0, stop);
    text.remove_prefix(stop + (ended ? 1 : 0));
    if (end >= 0 && line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    HL_ASSIGN(const std::vector<tokenizers::Token> tokens, tokenizer.encode(line, cancel));
    if (begin >= 0) stream.add(begin, false);
    stream.bytes += static_cast<std::int64_t>(line.size());
    for (const tokenizers::Token& token : tokens) {
      const bool first = stream.ids.empty();
      if (first) stream.bytes -= token.end;
      stream.add(token.id, !first);
    }
    if (!ended || end < 0) continue;
    stream.add(end, true);
    ++stream.bytes;
  }
  return stream;
}

// Adds what one window's logits say of tokens [first, end) of the stream, whose token `begin` is the window's first.
void score(const Tensor& logits, std::int64_t row, const Stream& stream, std::int64_t begin, std::int64_t first, std::int64_t end,
           Evaluation& sum) {
  std::vector<double> nats(static_cast<std::size_t>(std::max<std::int64_t>(0, end - first)));
  parallel_for(static_cast<std::int64_t>(nats.size()), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t t = first + i;
      if (!stream.predicted[static_cast<std::size_t>(t)]) continue;
      nats[static_cast<std::size_t>(i)] =
          -log_probability(scores_at(logits, row, t - 1 - begin), stream.ids[static_cast<std::size_t>(t)]);
    }
  });
  // In one order, whatever the threads.
  for (const double one : nats) sum.nats += one;
  for (std::int64_t t = first; t < end; ++t) sum.tokens += stream.predicted[static_cast<std::size_t>(t)];
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
  HL_ASSIGN(const Stream stream, read_stream(predictor, text, cancel));
  const TokenIds& tokens = stream.ids;
  const auto count = static_cast<std::int64_t>(tokens.size()), length = predictor.model().length;
  if (count < 2) return invalid("the text has too few tokens to predict one", where, "give a longer text");
  Evaluation sum;
  sum.bytes = stream.bytes;
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
      score(logits, static_cast<std::int64_t>(i - at), stream, begins[i], scored, to, sum);
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
      const std::size_t size = pairs[i].target.size();
      score(logits, static_cast<std::int64_t>(i - at), {pairs[i].target, std::vector<bool>(size, true), 0}, 0, 1,
            static_cast<std::int64_t>(size), sum);
      sum.bytes += pairs[i].bytes;
    }
    at = end;
  }
  return sum;
}

}  // namespace headlight
