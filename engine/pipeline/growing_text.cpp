#include "engine/pipeline/growing_text.h"

#include <algorithm>

#include "engine/document/stored_model.h"
#include "engine/models/given_weights.h"

namespace headlight {

Result<GrowingText> GrowingText::open(const Document& document, TokenIds source, std::shared_ptr<backends::Backend> backend) {
  HL_ASSIGN(const auto stored, open_stored_model(document.model));
  HL_TRY(check_predicts(*stored));
  if (stored->task == ModelTask::encoder)
    return usage_error("this model fills in [MASK], and continues no text")
        .at(document.model)
        .mend("choose a decoder or an encoder-decoder");
  HL_ASSIGN(const Predictor predictor, Predictor::open(stored, std::move(backend)));
  auto model = std::make_shared<ContinuedModel>(*predictor.continued());
  HL_ASSIGN(model->weights,
            models::with_given(model->weights, document.matrices, predictor.tokenizer(), predictor.output_tokenizer()));
  model->document.masks = document.masks;
  model->document.custom_mask = document.custom_mask;
  model->document.mask_fill = document.mask_fill;
  model->document.score = document.score;
  model->document.scale = document.scale;
  model->document.temperature = document.temperature;
  model->document.interventions = document.interventions;
  if (!Continuation::possible(*model)) {
    ContinuedModel untouched = *model;
    untouched.document.interventions.clear();
    if (!document.interventions.empty() && Continuation::possible(untouched))
      return usage_error("a mean or a replaced pattern depends on the whole text, so the text cannot grow token by token")
          .at(document.model)
          .mend("take these interventions back");
    return usage_error("with these masks a token sees those behind it, so the text cannot grow token by token")
        .at(document.model)
        .mend("switch the causal mask on");
  }
  GrowingText text;
  text.model_ = std::move(model);
  text.source_ = std::move(source);
  return text;
}

Result<std::vector<double>> GrowingText::scores_behind(const TokenIds& tokens, const CancelToken& cancel) {
  if (tokens.empty()) return usage_error("the text is empty").mend("give at least one character");
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (count > length())
    return invalid("it has {} tokens, and the model reads at most {}", count, length())
        .at("the text")
        .mend("give a shorter text");
  // The last token is read again, because its row gives the scores.
  const auto common =
      static_cast<std::size_t>(std::mismatch(held_.begin(), held_.end(), tokens.begin(), tokens.end()).first - held_.begin());
  const std::size_t kept = std::min(common, tokens.size() - 1);
  if (!continuation_ || kept == 0) {
    std::vector<TokenIds> sources;
    if (model_->reads_two) sources.push_back(source_);
    continuation_ = std::make_unique<Continuation>(model_, 1, std::move(sources));
    held_.clear();
  } else if (kept < held_.size()) {
    continuation_->take_back(static_cast<std::int64_t>(held_.size() - kept));
    held_.resize(kept);
  }
  const std::vector<TokenIds> added = {TokenIds(tokens.begin() + static_cast<std::ptrdiff_t>(held_.size()), tokens.end())};
  const auto logits = continuation_->add(added, cancel);
  if (!logits) {
    continuation_.reset();
    held_.clear();
    return logits.error();
  }
  held_ = tokens;
  const Tensor row = logits->select(0, 0).as(DType::f64).compact();
  const auto scores = row.values<double>();
  return std::vector<double>(scores.begin(), scores.end());
}

Result<std::vector<double>> GrowingText::log_probabilities(const TokenIds& tokens, const TokenIds& added,
                                                           const CancelToken& cancel) {
  TokenIds text = tokens;
  std::vector<double> out;
  for (const std::int32_t token : added) {
    HL_ASSIGN(const std::vector<double> scores, scores_behind(text, cancel));
    if (token < 0 || static_cast<std::size_t>(token) >= scores.size())
      return invalid("the token that follows is none of the vocabulary");
    out.push_back(log_probability(scores, token));
    text.push_back(token);
  }
  return out;
}

}  // namespace headlight
