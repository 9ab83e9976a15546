#include "app/views/embeddings/data.h"

#include <algorithm>

#include "app/text/error_words.h"
#include "app/views/base/attention_choice.h"
#include "engine/insight/analogies.h"

namespace headlight::views::word_vectors {
namespace {

constexpr std::size_t kListed = 24;

}  // namespace

bool shows_targets(const Context& context) {
  return context.trace && context.view.own.of<State>().target && has_target_embeddings(*context.trace);
}

SharedSpace space_of(const Context& context, std::string* error) {
  const auto trace = context.trace;
  const Document& document = trace->document();
  const bool targets = shows_targets(context);
  // Of a bundled model the table stays as it is; one in a folder of its own may be trained on.
  const bool bundled = document.model.find('/') == std::string::npos && document.matrices.empty();
  SharedSpace shared;
  shared.key = DerivedKey("embeddings", {document.model, document.seed, document.d_model, document.tokenizer, targets,
                                         bundled ? 0 : trace->generation()});
  const auto made = context.derived.later<EmbeddingSpace>(
      shared.key, [trace, targets](const CancelToken& cancel) { return embedding_space(*trace, targets, cancel); });
  if (made.error && error) *error = spoken_in_window(*made.error);
  shared.space = made.value;
  return shared;
}

std::shared_ptr<const AnsweredSum> answer_of(const Context& context, const SharedSpace& shared, const std::string& text,
                                             std::string* error) {
  const auto made = context.derived.later<AnsweredSum>(
      DerivedKey("embeddings/sum", {shared.key, text}),
      [space = shared.space, text](const CancelToken& cancel) -> Result<AnsweredSum> {
        AnsweredSum answer;
        HL_ASSIGN(answer.sum, embedding_sum(*space, text));
        HL_ASSIGN(answer.nearest, nearest_tokens(*space, answer.sum.vector, kListed, tokens_of(answer.sum), cancel));
        if (is_analogy(answer.sum)) answer.counterpart = counterpart_of(*space, answer.sum, answer.nearest);
        return answer;
      });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

AskedSum asked_sum(const Context& context, const SharedSpace& shared) {
  const std::string& own = context.view.own.of<State>().sum;
  if (!own.empty()) return {own, false, false};
  // Of random vectors none means anything; the view says so.
  if (!shared.space || shared.space->random) return {known_analogies().front().sum, false, false};
  using Found = std::optional<Analogy>;
  const auto made = context.derived.later<Found>(
      DerivedKey("embeddings/analogy", {shared.key}),
      [space = shared.space](const CancelToken& cancel) -> Result<Found> { return working_analogy(*space, cancel); });
  if (!made.value) return {};
  return *made.value ? AskedSum{(*made.value)->sum, true, false} : AskedSum{{}, false, true};
}

std::shared_ptr<const Neighbours> neighbours_of(const Context& context, const SharedSpace& shared, std::int32_t token) {
  if (token < 0 || token >= shared.space->tokens()) return nullptr;
  return context.derived
      .later<Neighbours>(DerivedKey("embeddings/token", {shared.key, token}),
                         [space = shared.space, token](const CancelToken& cancel) {
                           return nearest_tokens(*space, row_of_token(*space, token), kListed, {token}, cancel);
                         })
      .value;
}

std::shared_ptr<const EmbeddingComparison> comparison_of(const Context& context, const SharedSpace& shared, std::string* error) {
  const State& view = context.view.own.of<State>();
  if (!view.first.empty() || !view.second.empty()) {
    if (view.first.empty() || view.second.empty()) return nullptr;
    const auto first = answer_of(context, shared, view.first, error), second = answer_of(context, shared, view.second, error);
    if (!first || !second) return nullptr;
    return std::make_shared<const EmbeddingComparison>(
        compare_vectors(view.first, first->sum.vector, view.second, second->sum.vector));
  }
  const std::string sum = asked_sum(context, shared).text;
  const auto answer = sum.empty() ? nullptr : answer_of(context, shared, sum, nullptr);
  if (!answer || answer->counterpart < 0) return nullptr;
  return std::make_shared<const EmbeddingComparison>(compare_differences(*shared.space, answer->sum, answer->counterpart));
}

const Sentence* chosen_sentence(const Context& context) {
  const auto sentences = shows_targets(context) ? context.trace->targets() : context.trace->texts();
  if (sentences.empty()) return nullptr;
  const auto batch = std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(sentences.size()) - 1);
  return &sentences[static_cast<std::size_t>(batch)];
}

std::int64_t chosen_token(const Context& context, const Sentence& sentence, bool follows_chips) {
  const auto count = static_cast<std::int64_t>(sentence.tokens.size());
  const std::int64_t chip = hovered_token(*context.trace, shows_targets(context), context.view.batch, context.hover.now);
  if (follows_chips && chip >= 0 && chip < count) return chip;
  const std::int64_t wanted = context.view.own.of<State>().token;
  return wanted < 0 || wanted >= count ? count - 1 : wanted;
}

}  // namespace headlight::views::word_vectors
