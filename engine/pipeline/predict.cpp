#include "engine/pipeline/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"
#include "engine/models/stored_models.h"
#include "engine/pipeline/continuation.h"
#include "engine/pipeline/executor.h"
#include "engine/pipeline/step_cache.h"

namespace headlight {
namespace {

// Keys that stand for no token of a shorter sequence must not be attended. Behind a causal mask nobody sees them.
void hide_padding(Document& document) {
  for (const Choice& mask : document.masks)
    if (mask.id == "padding") return;
  document.masks.push_back({"padding", {}});
}

bool is_causal(const Document& document) {
  return std::any_of(document.masks.begin(), document.masks.end(), [](const Choice& mask) { return mask.id == "causal"; });
}

Error no_memory() {
  return failure(ErrorKind::too_large, "there is not enough memory for this prediction").mend("use shorter texts");
}

}  // namespace

Result<Predictor> Predictor::open(std::shared_ptr<const StoredModel> model, std::shared_ptr<backends::Backend> backend) {
  Predictor p;
  HL_ASSIGN(p.weights_, models::open_weights(*model));
  HL_ASSIGN(p.tokenizer_, open_tokenizer(model->document));
  p.target_tokenizer_ = p.tokenizer_;
  if (model->task == ModelTask::encoder_decoder) {
    HL_ASSIGN(p.target_tokenizer_, open_tokenizer(model->document, true));
  }
  p.architecture_ = architecture_of(*model);
  p.model_ = std::move(model);
  p.backend_ = std::move(backend);
  p.cache_ = std::make_shared<StepCache>();
  return p;
}

Result<TokenIds> Predictor::source(std::string_view text, const Message& where, const CancelToken& cancel) const {
  const SentenceEnds ends = ends_of(model_->document, model_.get(), false);
  HL_ASSIGN(TokenIds ids, ids_of(text, ends, cancel));
  if (const auto count = static_cast<std::int64_t>(ids.size()); count > model_->length)
    return invalid("it has {} tokens, and the model reads at most {}", count, model_->length)
        .at(where)
        .mend("give a shorter text");
  return ids;
}

Result<TokenIds> Predictor::beginning(std::string_view text, const CancelToken& cancel) const {
  return ids_of(text, {ends_of(model_->document, model_.get(), false).begin, false}, cancel);
}

Result<TokenIds> Predictor::ids_of(std::string_view text, const SentenceEnds& ends, const CancelToken& cancel) const {
  std::vector<tokenizers::Token> tokens;
  if (model_->document.chat && model_->chat) {
    HL_ASSIGN(tokens, tokenizers::encode_in_frame(*tokenizer_, *model_->chat, text, cancel));
  } else if (is_published(*model_)) {  // the tokenizer says which special tokens there are
    HL_ASSIGN(tokenizers::Encoding encoding, tokenizer_->encode_single(text, cancel));
    tokens = std::move(encoding.tokens);
  } else {
    HL_ASSIGN(tokens, tokenizer_->encode(text, cancel));
  }
  TokenIds ids;
  ids.reserve(tokens.size() + 2);
  const std::int32_t begin = tokenizer_->special(tokenizers::Role::begin), end = tokenizer_->special(tokenizers::Role::end);
  if (ends.begin && begin >= 0) ids.push_back(begin);
  for (const tokenizers::Token& token : tokens) ids.push_back(token.id);
  if (ends.end && end >= 0) ids.push_back(end);
  return ids;
}

Result<std::int32_t> Predictor::first_output() const {
  const std::int32_t first = target_tokenizer_->special(tokenizers::Role::begin);
  if (first >= 0) return first;
  return invalid("the tokenizer of its output has no [BOS] to begin from").at(model_->folder.string()).mend("train it with one");
}

struct Predictor::Planned {
  Document document;
  BatchIds texts, targets;
  models::ModelPlan plan;
};

Result<Predictor::Planned> Predictor::plan(std::span<const TokenIds> texts, std::span<const TokenIds> targets) const {
  Planned made;
  made.document = model_->document;
  const std::int32_t pad = tokenizer_->special(tokenizers::Role::pad);
  const std::int32_t target_pad = target_tokenizer_->special(tokenizers::Role::pad);
  made.texts = batch_ids(texts, is_published(*model_) ? -1 : pad);
  if (!targets.empty()) made.targets = batch_ids(targets, target_pad);
  const bool uneven =
      std::any_of(made.texts.lengths.begin(), made.texts.lengths.end(), [&](std::int64_t n) { return n != made.texts.longest; });
  if (uneven && !(model_->task == ModelTask::decoder && is_causal(made.document))) hide_padding(made.document);
  models::Sizes sizes;
  sizes.batch = static_cast<std::int64_t>(texts.size());
  sizes.text_length = made.texts.longest;
  sizes.text_lengths = made.texts.lengths;
  sizes.target_length = made.targets.longest;
  sizes.target_lengths = made.targets.lengths;
  sizes.text_tokens = models::tokens_of(*tokenizer_);
  sizes.target_tokens = models::tokens_of(*target_tokenizer_);
  models::take_tables(sizes, *model_);
  made.plan = models::plan_of(*architecture_, made.document, sizes, backend_->dtype());
  HL_TRY(models::check_positions(made.plan));
  models::fix_weights(made.plan);
  HL_TRY(models::add_masks(made.plan, made.document, sizes));
  return made;
}

Result<std::vector<Tensor>> Predictor::compute(Planned& planned, const std::vector<std::size_t>& wanted,
                                               const CancelToken& cancel) const {
  StepCache::State* const cache = reads_two() ? &cache_->state() : nullptr;
  Executor executor(planned.document, planned.texts, planned.targets, *weights_, planned.plan, *backend_, cancel, cache);
  return executor.compute_some(wanted);
}

Result<Tensor> Predictor::logits(std::span<const TokenIds> texts, std::span<const TokenIds> targets,
                                 const CancelToken& cancel) const {
  HL_TRY(check_predicts(*model_));
  try {
    HL_ASSIGN(Planned planned, plan(texts, targets));
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < planned.plan.nodes.size(); ++i)
      if (planned.plan.nodes[i].step.role == Role::logits) wanted = i;
    HL_ASSIGN(std::vector<Tensor> values, compute(planned, {wanted}, cancel));
    return std::move(values.front());
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
}

Result<std::vector<SiteWeights>> Predictor::attention(std::span<const TokenIds> texts, std::span<const TokenIds> targets,
                                                      const CancelToken& cancel) const {
  try {
    HL_ASSIGN(Planned planned, plan(texts, targets));
    models::keep_weights(planned.plan, backend_->dtype(), std::numeric_limits<std::uint64_t>::max());
    std::vector<std::size_t> wanted;
    for (const models::SitePlan& site : planned.plan.sites) wanted.push_back(static_cast<std::size_t>(site.used_weights));
    HL_ASSIGN(const std::vector<Tensor> values, compute(planned, wanted, cancel));
    std::vector<SiteWeights> out;
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back({planned.plan.sites[i].site, values[i]});
    return out;
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
}

std::shared_ptr<const ContinuedModel> Predictor::continued() const {
  auto made = std::make_shared<ContinuedModel>();
  made->document = model_->document;
  made->architecture = architecture_;
  made->reads_two = reads_two();
  models::Sizes tables;
  tables.text_tokens = models::tokens_of(*tokenizer_);
  tables.target_tokens = models::tokens_of(*target_tokenizer_);
  models::take_tables(tables, *model_);
  made->text_tokens = tables.text_tokens;
  made->target_tokens = tables.target_tokens;
  made->target_table = tables.target_table;
  made->tied = tables.output.tied;
  made->trained_positions = tables.trained_positions;
  made->length = model_->length;
  made->weights = weights_;
  made->backend = backend_;
  return made;
}

std::int64_t Predictor::good_batch(std::int64_t length) const {
  constexpr std::int64_t kNumbers = std::int64_t{16} << 20;
  const std::int64_t each =
      std::max<std::int64_t>(1, length) * std::max<std::int64_t>(output_tokenizer().vocabulary_size(), model_->vocabulary);
  return std::clamp<std::int64_t>(kNumbers / each, 1, 32);
}

double log_probability(std::span<const double> scores, std::int32_t token) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - largest);
  return scores[static_cast<std::size_t>(token)] - largest - std::log(sum);
}

std::vector<double> scores_at(const Tensor& logits, std::int64_t sequence, std::int64_t position) {
  const Tensor row = logits.select(0, sequence).select(0, position).as(DType::f64);
  const auto values = row.compact().values<double>();
  return {values.begin(), values.end()};
}

}  // namespace headlight
