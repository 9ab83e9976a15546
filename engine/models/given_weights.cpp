#include "engine/models/given_weights.h"

#include <algorithm>
#include <map>

namespace headlight::models {
namespace {

constexpr std::string_view kPrefix = "parameters.";

// The name without "parameters.".
std::string_view short_name(const ParameterSpec& spec) {
  return std::string_view(spec.name).substr(std::string_view(spec.name).starts_with(kPrefix) ? kPrefix.size() : 0);
}

Tensor copy_of(const Tensor& from) {
  Tensor t(DType::f32, from.shape(), from.axes(), true);
  const Tensor numbers = from.compact();
  std::copy_n(numbers.data<float>(), t.count(), t.data<float>());
  return t;
}

Tensor tensor_of(const GivenMatrix& given, const ParameterSpec& spec) {
  Tensor t(DType::f32, spec.shape, spec.axes, true);
  std::copy(given.values.begin(), given.values.end(), t.data<float>());
  return t;
}

class GivenWeights final : public Weights {
 public:
  using Rows = std::map<std::int32_t, const GivenMatrix*>;  // of an embedding table, by token

  GivenWeights(std::shared_ptr<const Weights> own, std::vector<GivenMatrix> given)
      : own_(std::move(own)), given_(std::move(given)) {}
  Status read(const tokenizers::Tokenizer& tokenizer, const tokenizers::Tokenizer& target_tokenizer);

  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return own_->origin(); }
  Origin origin_of(const ParameterSpec& spec, std::span<const std::int32_t> ids) const override;
  std::string label() const override { return "given in part, otherwise " + own_->label(); }
  Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken& cancel) const override;
  Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const override;

 private:
  const GivenMatrix* whole(const ParameterSpec& spec) const {
    const auto at = whole_.find(short_name(spec));
    return at == whole_.end() ? nullptr : at->second;
  }
  const Rows* rows_of(const ParameterSpec& spec) const {
    const auto at = rows_.find(short_name(spec));
    return at == rows_.end() ? nullptr : &at->second;
  }

  std::shared_ptr<const Weights> own_;
  std::vector<GivenMatrix> given_;
  std::map<std::string, const GivenMatrix*, std::less<>> whole_;  // into given_
  std::map<std::string, Rows, std::less<>> rows_;
  std::string identity_;
};

Status GivenWeights::read(const tokenizers::Tokenizer& tokenizer, const tokenizers::Tokenizer& target_tokenizer) {
  Fingerprint key;
  for (const GivenMatrix& given : given_) {
    key.add(std::string_view(to_text(given)));
    bool first = true;
    if (given.token.empty()) {
      first = whole_.emplace(given.name, &given).second;
    } else {
      const tokenizers::Tokenizer& of = given.name == "target_embedding" ? target_tokenizer : tokenizer;
      const std::int32_t id = of.vocabulary().find(given.token);
      if (id < 0)
        return usage_error("the vocabulary of {} has no piece '{}'", of.label(), given.token)
            .at("--matrix")
            .mend("give the rows of pieces that tokenize prints");
      key.add(static_cast<std::uint64_t>(id));
      first = rows_[given.name].emplace(id, &given).second;
    }
    if (!first) return usage_error("the matrix {} is given twice", given.name).at("--matrix").mend("give it once");
  }
  identity_ = "given " + std::to_string(key.a) + " " + std::to_string(key.b) + ", " + own_->identity();
  return {};
}

Origin GivenWeights::origin_of(const ParameterSpec& spec, std::span<const std::int32_t> ids) const {
  if (whole(spec)) return Origin::given;
  const Rows* rows = rows_of(spec);
  if (!rows || ids.empty()) return own_->origin_of(spec, ids);
  const bool all =
      std::all_of(ids.begin(), ids.end(), [&](std::int32_t id) { return id == spec.zero_row || rows->count(id) > 0; });
  return all ? Origin::given : own_->origin_of(spec, ids);
}

Result<Tensor> GivenWeights::tensor(const ParameterSpec& spec, const CancelToken& cancel) const {
  if (const GivenMatrix* given = whole(spec)) return tensor_of(*given, spec);
  HL_ASSIGN(const Tensor t, own_->tensor(spec, cancel));
  const Rows* rows = rows_of(spec);
  if (!rows) return t;
  Tensor changed = copy_of(t);
  for (const auto& [id, given] : *rows)
    std::copy(given->values.begin(), given->values.end(), changed.data<float>() + id * spec.shape[1]);
  return changed;
}

Result<Tensor> GivenWeights::rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const {
  const GivenMatrix* table = whole(spec);
  const Rows* rows = rows_of(spec);
  if (!table && !rows) return own_->rows(spec, ids, cancel);
  HL_ASSIGN(const Tensor drawn, own_->rows(spec, ids, cancel));
  Tensor out = copy_of(drawn);
  const std::int64_t width = spec.shape[1];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t id = ids[i];
    if (id < 0 || id >= spec.shape[0]) continue;
    const float* from = nullptr;
    if (table) {
      from = table->values.data() + id * width;
    } else if (const auto at = rows->find(ids[i]); at != rows->end()) {
      from = at->second->values.data();
    }
    if (from) std::copy_n(from, width, out.data<float>() + static_cast<std::int64_t>(i) * width);
  }
  return out;
}

// Of two origins the one that a step says: drawn numbers before all others, since they mean nothing.
Origin foremost(Origin a, Origin b) {
  for (const Origin one : {Origin::random, Origin::given, Origin::file, Origin::trained})
    if (a == one || b == one) return one;
  return Origin::computed;
}

}  // namespace

Result<std::shared_ptr<const Weights>> with_given(std::shared_ptr<const Weights> own, const std::vector<GivenMatrix>& given,
                                                  const tokenizers::Tokenizer& tokenizer,
                                                  const tokenizers::Tokenizer& target_tokenizer) {
  if (given.empty()) return own;
  auto both = std::make_shared<GivenWeights>(std::move(own), given);
  HL_TRY(both->read(tokenizer, target_tokenizer));
  return std::shared_ptr<const Weights>(std::move(both));
}

Status check_given(const ModelPlan& plan, const std::vector<GivenMatrix>& given) {
  for (const GivenMatrix& one : given) {
    const auto spec = std::find_if(plan.parameters.begin(), plan.parameters.end(),
                                   [&](const ParameterSpec& p) { return short_name(p) == one.name; });
    if (spec == plan.parameters.end()) {
      std::string known;
      for (std::size_t i = 0; i < plan.parameters.size() && i < 20; ++i)
        known += (i ? ", " : "") + std::string(short_name(plan.parameters[i]));
      return usage_error("the model has no matrix '{}'", one.name).at("--matrix").mend("known are {}", known);
    }
    if (!one.token.empty() && !spec->by_rows)
      return usage_error("the matrix '{}' has no rows of tokens", one.name).at("--matrix").mend("give it whole");
    const bool vector = spec->shape.size() == 1;
    const Shape wanted{one.token.empty() && !vector ? spec->shape[0] : 1, spec->shape.back()};
    if (Shape{one.rows, one.columns} != wanted)
      return usage_error("'{}' is given as {} and the model's is {}", one.name, to_string(Shape{one.rows, one.columns}),
                         to_string(wanted))
          .at("--matrix")
          .mend("give it in the model's size, or take it back");
  }
  return {};
}

void mark_origins(ModelPlan& plan, const Weights& weights, std::span<const std::int32_t> ids,
                  std::span<const std::int32_t> target_ids) {
  for (Node& node : plan.nodes) {
    const bool drawn = node.source == Node::Source::position && node.parameters.empty();
    if (node.source == Node::Source::tokens || drawn || node.source == Node::Source::mask ||
        node.source == Node::Source::mask_part || node.source == Node::Source::bias)
      continue;                                             // no weights are behind them, or none that can be given
    if (node.source == Node::Source::rearranged) continue;  // of a node that may come later
    Origin origin = Origin::computed;
    for (const int input : node.inputs) origin = foremost(origin, plan.nodes[static_cast<std::size_t>(input)].step.origin);
    for (const int p : node.parameters) {
      const ParameterSpec& spec = plan.parameters[static_cast<std::size_t>(p)];
      if (spec.fill != ParameterSpec::Fill::normal && weights.origin_of(spec, {}) == Origin::random) continue;  // zeros or ones
      const auto rows = spec.by_rows ? (node.of_targets ? target_ids : ids) : std::span<const std::int32_t>();
      origin = foremost(origin, weights.origin_of(spec, rows));
    }
    node.step.origin = origin;
  }
  for (Node& node : plan.nodes)
    if (node.source == Node::Source::rearranged)
      node.step.origin = plan.nodes[static_cast<std::size_t>(node.inputs[0])].step.origin;
}

}  // namespace headlight::models
