#include "engine/pipeline/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/rng.h"
#include "engine/core/sorting.h"
#include "engine/pipeline/pairs.h"

namespace headlight {
namespace {

constexpr double kMaskedShare = 0.15;  // of a text's tokens, as trainings hide (Devlin et al. 2018, 3.1)

// The tokens of a text's lines, one after the other, and which of them are predicted.
struct Stream {
  TokenIds ids;
  std::vector<bool> predicted;
  std::int64_t bytes = 0;             // of what is predicted
  std::vector<std::int64_t> lengths;  // of the text behind each token, in bytes
  void add(std::int32_t id, bool is_predicted, std::int64_t length) {
    ids.push_back(id);
    predicted.push_back(is_predicted);
    lengths.push_back(length);
  }
};

Result<Stream> read_stream(const Predictor& predictor, std::string_view text, const CancelToken& cancel) {
  const tokenizers::Tokenizer& tokenizer = predictor.tokenizer();
  const std::int32_t end = tokenizer.special(tokenizers::Role::end);
  const std::int32_t begin = predictor.model().document.add_begin ? tokenizer.special(tokenizers::Role::begin) : -1;
  Stream stream;
  if (begin < 0 && end >= 0) stream.add(end, false, 0);  // as behind another text
  while (!text.empty()) {
    const std::size_t stop = end < 0 ? text.size() : std::min(text.find('\n'), text.size());
    const bool ended = stop < text.size();
    std::string_view line = text.substr(0, stop);
    text.remove_prefix(stop + (ended ? 1 : 0));
    if (end >= 0 && line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    HL_ASSIGN(const std::vector<tokenizers::Token> tokens, tokenizer.encode(line, cancel));
    if (begin >= 0) stream.add(begin, false, 0);
    stream.bytes += static_cast<std::int64_t>(line.size());
    for (const tokenizers::Token& token : tokens) {
      const bool first = stream.ids.empty();
      if (first) stream.bytes -= token.end;
      stream.add(token.id, !first, token.end - token.start);
    }
    if (!ended || end < 0) continue;
    stream.add(end, true, 1);
    ++stream.bytes;
  }
  return stream;
}

// What stands at a place, asked for by the scores at another one or, where it is masked, at the same one.
struct Question {
  std::int64_t row = 0;  // of the logits of one sequence
  std::int32_t token = 0;
};

// How many tokens have a better score, or the same and a lower id.
std::int64_t rank_of(const std::vector<double>& scores, std::int32_t token) {
  const double own = scores[static_cast<std::size_t>(token)];
  std::int64_t better = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    better += scores[i] > own || (scores[i] == own && i < static_cast<std::size_t>(token));
  return better;
}

// Adds what one sequence's logits say.
void score(const Tensor& logits, std::int64_t sequence, const std::vector<Question>& questions, Evaluation& sum) {
  struct Answer {
    double nats = 0;
    std::int64_t rank = 0;
  };
  std::vector<Answer> answers(questions.size());
  parallel_for(static_cast<std::int64_t>(questions.size()), 1, [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
      const std::vector<double> scores = scores_at(logits, sequence, questions[i].row);
      answers[i] = {-log_probability(scores, questions[i].token), rank_of(scores, questions[i].token)};
    }
  });
  // In one order, whatever the threads.
  for (const Answer& one : answers) {
    sum.nats += one.nats;
    sum.not_finite += !std::isfinite(one.nats);
    sum.first += one.rank == 0;
    sum.among_five += one.rank < 5;
  }
  sum.tokens += static_cast<std::int64_t>(answers.size());
}

Error other_task(const Predictor& predictor, Message mend) {
  return usage_error("the model '{}' is of the task {}", predictor.model().name, name_of(predictor.model().task))
      .at("--model")
      .mend(std::move(mend));
}

}  // namespace

double Evaluation::nats_per_token() const { return tokens > 0 ? nats / static_cast<double>(tokens) : 0; }
double Evaluation::bits_per_byte() const { return bytes > 0 ? nats / std::numbers::ln2 / static_cast<double>(bytes) : 0; }
double Evaluation::first_share() const { return tokens > 0 ? static_cast<double>(first) / static_cast<double>(tokens) : 0; }
double Evaluation::five_share() const { return tokens > 0 ? static_cast<double>(among_five) / static_cast<double>(tokens) : 0; }
double Evaluation::perplexity() const { return std::exp(nats_per_token()); }

Result<Evaluation> evaluate_text(const Predictor& predictor, std::string_view text, const std::string& where,
                                 const CancelToken& cancel, const EvaluationProgress& progress) {
  if (predictor.model().task != ModelTask::decoder)
    return other_task(predictor, Message("choose a decoder, or give an encoder-decoder pairs with tabs between"));
  HL_ASSIGN(const Stream stream, read_stream(predictor, text, cancel));
  const TokenIds& tokens = stream.ids;
  const auto count = static_cast<std::int64_t>(tokens.size()), length = predictor.model().length;
  if (count < 2) return invalid("the text has too few tokens to predict one").at(where).mend("give a longer text");
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
      std::vector<Question> questions;
      for (std::int64_t t = scored; t < to; ++t)
        if (stream.predicted[static_cast<std::size_t>(t)])
          questions.push_back({t - 1 - begins[i], tokens[static_cast<std::size_t>(t)]});
      score(logits, static_cast<std::int64_t>(i - at), questions, sum);
      scored = to;
    }
  }
  return sum;
}

Result<Evaluation> evaluate_masked(const Predictor& predictor, std::string_view text, const std::string& where,
                                   const CancelToken& cancel, const EvaluationProgress& progress) {
  HL_TRY(check_predicts(predictor.model()));
  if (predictor.model().task != ModelTask::encoder) return other_task(predictor, Message("choose an encoder"));
  const tokenizers::Vocabulary& vocabulary = predictor.tokenizer().vocabulary();
  const std::int32_t mask = vocabulary.special(tokenizers::Role::mask);
  if (mask < 0) return invalid("its tokenizer has no [MASK]").at(predictor.model().folder.string()).mend("train it with one");
  HL_ASSIGN(const Stream stream, read_stream(predictor, text, cancel));
  const auto count = static_cast<std::int64_t>(stream.ids.size()), length = predictor.model().length;
  const Rng rng(0, "evaluate masked");
  const auto is_hidden = [&](std::int64_t t) {
    return rng.uniform(static_cast<std::uint64_t>(t), 0) < kMaskedShare &&
           !vocabulary.is_special(stream.ids[static_cast<std::size_t>(t)]);
  };
  Evaluation sum;
  const std::int64_t batch = predictor.good_batch(std::min(count, length));
  for (std::int64_t at = 0; at < count;) {
    std::vector<TokenIds> windows;
    std::vector<std::vector<Question>> questions;
    if (progress) progress(at, count);
    for (; at < count && static_cast<std::int64_t>(windows.size()) < batch; at += length) {
      const std::int64_t end = std::min(at + length, count);
      TokenIds& window = windows.emplace_back(stream.ids.begin() + at, stream.ids.begin() + end);
      std::vector<Question>& asked = questions.emplace_back();
      for (std::int64_t t = at; t < end; ++t) {
        if (!is_hidden(t)) continue;
        asked.push_back({t - at, stream.ids[static_cast<std::size_t>(t)]});
        window[static_cast<std::size_t>(t - at)] = mask;
        sum.bytes += stream.lengths[static_cast<std::size_t>(t)];
      }
    }
    HL_ASSIGN(const Tensor logits, predictor.logits(windows, {}, cancel));
    for (std::size_t i = 0; i < windows.size(); ++i) score(logits, static_cast<std::int64_t>(i), questions[i], sum);
  }
  if (sum.tokens == 0) return invalid("the text has too few tokens to hide one").at(where).mend("give a longer text");
  return sum;
}

Result<Evaluation> evaluate_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const CancelToken& cancel, const EvaluationProgress& progress) {
  if (!predictor.reads_two()) return other_task(predictor, Message("choose an encoder-decoder, or give a text without tabs"));
  HL_ASSIGN(std::vector<TokenPair> pairs, read_pairs(predictor, text, where, cancel));
  // Pairs of about one length are computed together.
  sort_stably(pairs, [](const TokenPair& a, const TokenPair& b) {
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
      std::vector<Question> questions;
      for (std::size_t t = 1; t < pairs[i].target.size(); ++t)
        questions.push_back({static_cast<std::int64_t>(t) - 1, pairs[i].target[t]});
      score(logits, static_cast<std::int64_t>(i - at), questions, sum);
      sum.bytes += pairs[i].bytes;
    }
    at = end;
  }
  return sum;
}

}  // namespace headlight
