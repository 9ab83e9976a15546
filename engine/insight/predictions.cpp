#include "engine/insight/predictions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/insight/residual_stream.h"
#include "engine/pipeline/predict.h"

namespace headlight {
namespace {

const Step* logits_of(const Trace& trace) {
  for (const Step& step : trace.steps())
    if (step.role == Role::logits) return &step;
  return nullptr;
}

Error no_logits() {
  return not_found("this model predicts no next token").mend("choose a trained model that continues or translates texts");
}

}  // namespace

bool predicts_next(const Trace& trace) {
  if (!logits_of(trace)) return false;
  const auto sites = trace.sites();
  // A model that fills in has logits, too, and no causal mask: it is an encoder without a second sentence.
  const bool two = !trace.targets().empty();
  return std::all_of(sites.begin(), sites.end(), [&](const AttentionSite& site) {
    if (two && site.site != masks::Site::decoder_self) return true;
    return std::any_of(site.mask.parts.begin(), site.mask.parts.end(),
                       [](const masks::Part& part) { return part.choice.id == "causal"; });
  });
}

const Sentence& predicted_sentence(const Trace& trace, std::int64_t batch) {
  const auto sentences = trace.targets().empty() ? trace.texts() : trace.targets();
  return sentences[static_cast<std::size_t>(batch)];
}

const tokenizers::Tokenizer& predicted_tokenizer(const Trace& trace) {
  return trace.targets().empty() ? *trace.tokenizer() : *trace.target_tokenizer();
}

std::uint64_t Predictions::bytes() const {
  std::uint64_t sum = sizeof *this;
  for (const Position& one : positions) sum += one.bytes();
  return sum;
}

Result<std::vector<double>> scores_behind(const Trace& trace, std::int64_t batch, std::int64_t position) {
  const Step* const step = logits_of(trace);
  if (!step) return no_logits();
  HL_ASSIGN(const Tensor row, rows_of(trace, step->name, batch, 0, position, 1));
  return as_doubles(row);
}

Result<Predictions> predictions(const Trace& trace, std::int64_t batch, std::size_t most, const CancelToken& cancel) {
  const Step* const step = logits_of(trace);
  if (!step) return no_logits();
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()))
    return not_found("there is no sentence {}", batch + 1);
  const std::vector<tokenizers::Token>& tokens = predicted_sentence(trace, batch).tokens;
  Predictions out;
  out.vocabulary = step->shape.back();
  double sum = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const std::vector<double> scores, scores_behind(trace, batch, static_cast<std::int64_t>(i)));
    Predictions::Position& here = out.positions.emplace_back();
    here.best = ranked_tokens(scores, 1, most);
    here.best.resize(std::min(most, here.best.size()));
    if (i + 1 == tokens.size()) break;
    here.follows = tokens[i + 1].id;
    if (here.follows < 0 || here.follows >= out.vocabulary) return invalid("the token that follows is none of the vocabulary");
    here.loss = -log_probability(scores, here.follows);
    here.probability = std::exp(-here.loss);
    const double own = scores[static_cast<std::size_t>(here.follows)];
    here.rank = 1;
    for (std::size_t t = 0; t < scores.size(); ++t)
      if (scores[t] > own || (scores[t] == own && t < static_cast<std::size_t>(here.follows))) ++here.rank;
    sum += here.loss;
  }
  out.mean_loss = tokens.size() > 1 ? sum / static_cast<double>(tokens.size() - 1) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

bool writes_words(const AttentionSite& site) {
  // Weights that a file gives without queries have the rows that it names: nobody knows what these write.
  return site.rows_are_targets && !site.columns_are_targets && !site.q.empty();
}

std::string best_guess(const Trace& trace, std::int64_t batch, std::int64_t position) {
  if (!predicts_next(trace)) return "…";
  const auto scores = scores_behind(trace, batch, position);
  if (!scores.ok() || scores->empty()) return "…";
  const auto best = std::max_element(scores->begin(), scores->end());
  return predicted_tokenizer(trace).display_text(static_cast<std::int32_t>(best - scores->begin()));
}

std::vector<std::string> written_names(const Trace& trace, std::int64_t batch, std::vector<std::string> read,
                                       const std::string& guess) {
  const auto targets = trace.targets();
  const auto at = static_cast<std::size_t>(batch);
  // A shorter sentence of a batch is padded behind its own last token.
  const std::size_t own = at < targets.size() ? std::min(targets[at].tokens.size(), read.size()) : read.size();
  if (own == 0) return read;
  std::rotate(read.begin(), read.begin() + 1, read.begin() + static_cast<std::ptrdiff_t>(own));
  read[own - 1] = guess.empty() ? best_guess(trace, batch, static_cast<std::int64_t>(own) - 1) : guess;
  return read;
}

}  // namespace headlight
