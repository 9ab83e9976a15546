#include "engine/document/document.h"

#include "engine/attention/combiners/combiner.h"
#include "engine/attention/positions/position.h"
#include "engine/attention/scores/score.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/document/array_source.h"
#include "engine/document/stored_model.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/trained.h"

namespace headlight {
namespace {

using TrainedList = std::vector<std::shared_ptr<const tokenizers::Trained>>;

bool same(const TrainedList& a, const TrainedList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return x == y || *x == *y; });
}

}  // namespace

Document::Document() = default;
Document::Document(const Document& other) = default;
Document::Document(Document&& other) noexcept = default;
Document& Document::operator=(const Document& other) = default;
Document& Document::operator=(Document&& other) noexcept = default;
Document::~Document() = default;

bool Document::operator==(const Document& o) const {
  const bool same_matrix = custom_mask == o.custom_mask || (custom_mask && o.custom_mask && *custom_mask == *o.custom_mask);
  return same_matrix && same(trained_in_use(*this), trained_in_use(o)) && texts == o.texts && targets == o.targets &&
         tokenizer == o.tokenizer && target_tokenizer == o.target_tokenizer && add_begin == o.add_begin && add_end == o.add_end &&
         model == o.model && d_model == o.d_model && heads == o.heads && layers == o.layers && d_ff == o.d_ff &&
         projected == o.projected && bias == o.bias && residual == o.residual && norm == o.norm && norm_kind == o.norm_kind &&
         final_norm == o.final_norm && feed_forward == o.feed_forward && activation == o.activation && gated == o.gated &&
         logits == o.logits && seed == o.seed && matrices == o.matrices && interventions == o.interventions &&
         position == o.position && relative_clip == o.relative_clip && masks == o.masks && mask_fill == o.mask_fill &&
         score == o.score && scale == o.scale && temperature == o.temperature && combiner == o.combiner && backend == o.backend &&
         qkv == o.qkv && stack_hidden == o.stack_hidden && padding == o.padding && plain == o.plain && chat == o.chat;
}

Result<std::shared_ptr<const tokenizers::Tokenizer>> open_tokenizer(const Document& document, bool of_targets) {
  const std::string& name = of_targets && !document.target_tokenizer.empty() ? document.target_tokenizer : document.tokenizer;
  for (const auto& trained : document.trained)
    if (trained->name == name) return trained->tokenizer;
  HL_ASSIGN(auto opened, tokenizers::open(name));
  return document.plain ? opened->as_plain() : opened;
}

TrainedList trained_in_use(const Document& document) {
  TrainedList used;
  for (const std::string* name : {&document.tokenizer, &document.target_tokenizer}) {
    if (!name->starts_with(tokenizers::kTrainedPrefix)) continue;
    for (const auto& trained : document.trained)
      if (trained->name == *name) {
        if (std::find(used.begin(), used.end(), trained) == used.end()) used.push_back(trained);
        break;
      }
  }
  return used;
}

void use_trained(Document& document, std::shared_ptr<const tokenizers::Trained> trained, bool of_targets) {
  (of_targets ? document.target_tokenizer : document.tokenizer) = trained->name;
  // The other field may name an older vocabulary of the same name: it is one vocabulary from now on.
  std::erase_if(document.trained, [&](const auto& one) { return one->name == trained->name; });
  document.trained.push_back(std::move(trained));
  document.trained = trained_in_use(document);
}

bool has_wide_heads(const Document& document) {
  const combiners::Entry* combiner = combiners::registry().find(document.combiner);
  return combiner && combiner->wide_heads;
}

std::int64_t head_width(const Document& document) {
  return has_wide_heads(document) ? document.d_model : document.d_model / std::max<std::int64_t>(1, document.heads);
}

double scale_of(const Document& document, std::int64_t d_k) {
  const scores::Entry* entry = scores::registry().find(document.score);
  return entry ? scores::scale(*entry, document.scale, d_k) : 1.0;
}

namespace {

// Relative positions join the keys that a query is multiplied with, so there must be such keys.
Status check_relative(const Document& document, const positions::Entry* position) {
  if (!position || position->where != positions::Where::relative) return {};
  if (document.model != "sandbox")
    return usage_error("a stored model has no tables of relative positions").at("--position").mend("choose the model sandbox");
  const scores::Entry* score = scores::registry().find(document.score);
  if (!score || (!score->additive && !score->located && !score->unit_rows)) return {};
  return usage_error("relative positions are added to the keys that a product compares, and the score '{}' has none", score->id)
      .at("--score")
      .mend("choose scaled_dot, dot or general");
}

// What one switch makes of another: the projections, and how heads are combined.
Status check_heads(const Document& document, bool published) {
  if (!document.projected && document.heads != 1)
    return usage_error("without projections there are no heads to divide: {} heads", document.heads)
        .at("--heads")
        .mend("give --heads 1, or --projected true");
  const bool wide = has_wide_heads(document);
  if (!document.projected && wide)
    return usage_error("without projections there is one head, and nothing to stack")
        .at("--combiner")
        .mend("give --combiner concat, or --projected true");
  if (!published && !wide && document.d_model % document.heads != 0)
    return usage_error("d_model {} cannot be divided among {} heads", document.d_model, document.heads)
        .at("--heads")
        .mend("give a number of heads that divides d_model");
  const scores::Entry* score = scores::registry().find(document.score);
  if (document.qkv != "separate" && score && score->located)
    return usage_error("the keys of a location-based score are places, and values cannot be the same as places")
        .at("--qkv")
        .mend("choose another score, or leave it out");
  return {};
}

// A stored model was trained with projections and padding of its own.
Status check_sandbox_fields(const Document& document) {
  if (document.model == "sandbox") return {};
  if (document.qkv != "separate")
    return usage_error("the model '{}' was trained with three separate projections", document.model)
        .at("--qkv")
        .mend("leave it out, or choose the model sandbox");
  if (document.padding != "token")
    return usage_error("the model '{}' has no row behind its vocabulary to pad with", document.model)
        .at("--padding")
        .mend("leave it out, or choose the model sandbox");
  return {};
}

Status check_custom_mask(const Document& document) {
  for (const Choice& mask : document.masks)
    if (mask.id == "custom" && !document.custom_mask)
      return usage_error("the mask 'custom' needs a matrix and there is none")
          .at("--mask")
          .mend("paint one or give --custom-mask 100/110/111");
  return {};
}

}  // namespace

Status validate(const Document& document) {
  const auto model = stored_model_of(document);
  HL_TRY(validate(document, model.ok() ? model->get() : nullptr));  // an error of the model's name is said as one of its field
  return model.ok() ? Status() : Status(model.error());
}

Status validate(const Document& document, const StoredModel* model) {
  constexpr std::size_t kMostSentences = 1024;
  if (is_of_arrays(document)) return check_custom_mask(document);  // no model's rules are theirs
  if (document.texts.empty()) return usage_error("there is no sentence").at("--text").mend("give at least one");
  if (document.texts.size() > kMostSentences)
    return usage_error("{} sentences are too many", document.texts.size()).at("--text").mend("give at most 1024");
  if (!document.targets.empty() && document.targets.size() != document.texts.size())
    return usage_error("there are {} targets for {} texts", document.targets.size(), document.texts.size())
        .at("--target")
        .mend("give one target for each text, or none");
  // A Document may be filled by a program: each field is held to its own range here, too.
  for (const Field& field : document_schema()) {
    if (model && field.parameter.id == "model") continue;
    Document copy;
    HL_TRY(field.set(copy, field.get(document)));
  }
  if (document.tokenizer.empty()) return usage_error("no tokenizer is named").at("--tokenizer").mend("give one, such as bpe");
  if (model) HL_TRY(check_model(*model, document));
  const bool published = model && is_published(*model);  // then the architecture says how wide heads are
  HL_TRY(check_heads(document, published));
  HL_TRY(check_sandbox_fields(document));
  if (document.chat && document.plain)
    return usage_error("a chat frame is made of special tokens").at("--chat").mend("leave --plain out");
  if (document.chat && document.model == "sandbox")
    return usage_error("the sandbox has no chat frame").at("--chat").mend("choose a model that was tuned to answer");
  const positions::Entry* position = positions::registry().find(document.position);
  if (!published && position && position->where == positions::Where::rotates && head_width(document) % 2 != 0)
    return usage_error("d_k is {}, and rotary positions turn pairs of dimensions", head_width(document))
        .at("--position")
        .mend("choose d_model and heads so that d_k = d_model / heads is even");
  HL_TRY(check_relative(document, position));
  const bool reads_two = model ? model->task == ModelTask::encoder_decoder : !document.targets.empty();
  HL_TRY(check_interventions(document, reads_two));
  return check_custom_mask(document);
}

}  // namespace headlight
