#include "engine/insight/head_effects.h"

#include <algorithm>
#include <cmath>

#include "engine/document/stored_model.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/predict.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

const Sentence& predicted_sentence(const Trace& trace) { return trace.targets().empty() ? trace.texts()[0] : trace.targets()[0]; }

const tokenizers::Tokenizer& predicted_tokenizer(const Trace& trace) {
  return trace.targets().empty() ? *trace.tokenizer() : *trace.target_tokenizer();
}

Result<std::vector<double>> logits_at(const Trace& trace, std::int64_t position) {
  const std::string name = trace.name_at("", Role::logits);
  if (!trace.find(name))
    return usage_error("the sandbox's weights are random, so it predicts nothing")
        .at("--model")
        .mend("name a trained model, or its folder");
  HL_ASSIGN(const Tensor row, rows_of(trace, name, 0, 0, position, 1));
  return as_doubles(row);
}

// Mean -ln p of the tokens that follow.
Result<std::optional<double>> loss_of(const Trace& trace) {
  const auto& tokens = predicted_sentence(trace).tokens;
  if (tokens.size() < 2 || fills_in(trace.stored_model().get())) return std::optional<double>();
  double sum = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    HL_ASSIGN(const std::vector<double> scores, logits_at(trace, static_cast<std::int64_t>(i)));
    sum -= log_probability(scores, tokens[i + 1].id);
  }
  return std::optional(sum / static_cast<double>(tokens.size() - 1));
}

}  // namespace

Result<std::int64_t> predicted_position(const Trace& trace, const std::optional<std::int64_t>& position) {
  const auto& tokens = predicted_sentence(trace).tokens;
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (position) {
    if (*position >= 0 && *position < count) return *position;
    return usage_error("position {} is outside the text", *position)
        .at("--position")
        .mend("the text has positions 0 to {}", count - 1);
  }
  if (fills_in(trace.stored_model().get())) {
    const std::int32_t mask = predicted_tokenizer(trace).special(tokenizers::Role::mask);
    for (std::int64_t i = 0; i < count; ++i)
      if (tokens[static_cast<std::size_t>(i)].id == mask) return i;
  }
  // Behind an end nothing follows: the last position before it predicts.
  const std::int32_t end = predicted_tokenizer(trace).special(tokenizers::Role::end);
  return count > 1 && end >= 0 && tokens.back().id == end && !fills_in(trace.stored_model().get()) ? count - 2 : count - 1;
}

Result<std::int32_t> most_probable(const Trace& trace, std::int64_t position) {
  HL_ASSIGN(const std::vector<double> scores, logits_at(trace, position));
  return static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

Result<std::int32_t> token_of_word(const Trace& trace, const std::string& word) {
  const tokenizers::Tokenizer& tokenizer = predicted_tokenizer(trace);
  if (const std::int32_t exact = tokenizer.vocabulary().find(word); exact >= 0 && tokenizer.vocabulary().is_special(exact))
    return exact;
  // As within a sentence, where a space stands before it; a word that begins with one says so itself.
  for (const std::string& text : {" " + word, word}) {
    if (word.empty()) break;
    HL_ASSIGN(const auto tokens, tokenizer.encode(text, {}));
    for (const tokenizers::Token& token : tokens)
      if (tokenizer.decode({token.id}).find_first_not_of(' ') != std::string::npos) return token.id;
  }
  return usage_error("'{}' is no token of the model's vocabulary", word).at("--word").mend("give a word");
}

Result<TokenOutlook> token_outlook(const Trace& trace, std::int64_t position, std::int32_t token) {
  HL_ASSIGN(const std::vector<double> scores, logits_at(trace, position));
  if (token < 0 || token >= static_cast<std::int32_t>(scores.size()))
    return usage_error("there is no token {}", token).at("--word").mend("give a word of the model's vocabulary");
  TokenOutlook out;
  out.logit = scores[static_cast<std::size_t>(token)];
  out.probability = std::exp(log_probability(scores, token));
  HL_ASSIGN(out.loss, loss_of(trace));
  return out;
}

Document without_head(Document document, const ModelAddress& head, bool mean) {
  const Intervention::Kind kind = mean ? Intervention::Kind::mean : Intervention::Kind::zero;
  std::erase_if(document.interventions, [&](const Intervention& one) { return one.at == head && !changes_pattern(one); });
  const auto at = std::find_if(document.interventions.begin(), document.interventions.end(),
                               [&](const Intervention& one) { return one.kind > kind; });
  document.interventions.insert(at, Intervention{kind, head, 1, {}, {}});
  return document;
}

Result<HeadEffects> head_effects(const Document& document, backends::Backend& backend, const HeadEffectsQuestion& question,
                                 const CancelToken& cancel, const std::function<void(std::int64_t, std::int64_t)>& progress) {
  StepCache cache;
  RunOptions options;
  options.cache = &cache;
  HL_ASSIGN(const std::shared_ptr<const Trace> with, run(document, backend, cancel, options));
  HeadEffects out;
  HL_ASSIGN(out.position, predicted_position(*with, question.position));
  if (question.token) {
    out.token = *question.token;
  } else {
    HL_ASSIGN(out.token, most_probable(*with, out.position));
  }
  HL_ASSIGN(out.with, token_outlook(*with, out.position, out.token));
  out.label = predicted_tokenizer(*with).display_text(out.token);
  for (const AttentionSite& site : with->sites())
    for (std::int64_t head = 0; head < site.heads; ++head) out.heads.push_back({site.prefix, site.layer, head, {}});
  std::int64_t done = 0;
  // From the last layer back: what the cache keeps of the layers before is used by all that come after.
  for (std::size_t i = out.heads.size(); i-- > 0;) {
    if (cancel.cancelled()) return cancelled();
    if (progress) progress(done++, static_cast<std::int64_t>(out.heads.size()));
    HeadEffects::Head& head = out.heads[i];
    HL_ASSIGN(const ModelAddress at, address_from_text(head.prefix + "head." + std::to_string(head.head)));
    HL_ASSIGN(const auto trace, run(without_head(document, at, question.mean), backend, cancel, options));
    HL_ASSIGN(head.without, token_outlook(*trace, out.position, out.token));
  }
  return out;
}

}  // namespace headlight
