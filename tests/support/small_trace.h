// A Trace made by hand from named tensors, for tests that need to know every number: the three words of S13.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "engine/operations/attention_fill.h"
#include "engine/operations/gather.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/pipeline/trace.h"

namespace headlight::tests {

class SmallTrace final : public Trace {
 public:
  Document document_;
  std::vector<Sentence> texts_, targets_;
  std::vector<Step> steps_;
  std::vector<AttentionSite> sites_;
  std::vector<NamedParameter> parameters_;
  std::map<std::string, Tensor, std::less<>> values_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  std::uint64_t generation_ = 1;

  void put(const std::string& name, Tensor tensor, std::vector<std::string> inputs = {}) {
    Step step;
    step.name = name;
    step.inputs = std::move(inputs);
    step.shape = tensor.shape();
    step.dtype = tensor.dtype();
    step.kept = true;
    step.origin = Origin::random;
    struct Kind {
      Role role;
      Computation computed_by;
    };
    static const std::map<std::string, Kind, std::less<>> kinds{
        {"tokens", {Role::tokens, Computation::tokens}},
        {"embedding", {Role::embedding, operations::kind_of<operations::Gather>()}},
        {"position", {Role::position, Computation::position}},
        {"input", {Role::input, operations::kind_of<operations::Linear>()}},
        {"q", {Role::q, operations::kind_of<operations::Linear>()}},
        {"k", {Role::k, operations::kind_of<operations::Linear>()}},
        {"v", {Role::v, operations::kind_of<operations::Linear>()}},
        {"scores", {Role::scores, Computation::attention_scores}},
        {"scaled_scores", {Role::scaled_scores, Computation::attention_scaled}},
        {"mask", {Role::mask, Computation::mask}},
        {"masked_scores", {Role::masked_scores, Computation::attention_masked}},
        {"weights", {Role::weights, Computation::attention_weights}},
        {"context", {Role::context, Computation::attention_context}},
        {"concat", {Role::concat, operations::kind_of<operations::MergeHeads>()}},
        {"attention_output", {Role::attention_output, operations::kind_of<operations::Linear>()}},
        {"attention_residual", {Role::attention_residual, operations::kind_of<operations::Linear>()}},
    };
    if (const auto kind = kinds.find(own_name(name)); kind != kinds.end()) {
      step.role = kind->second.role;
      step.computed_by = kind->second.computed_by;
    } else {
      step.computed_by = operations::kind_of<operations::Linear>();
    }
    steps_.push_back(std::move(step));
    values_[name] = std::move(tensor);
  }
  void put_parameter(const std::string& name, Tensor tensor) {
    parameters_.push_back({name, tensor.shape(), {}, Origin::random});
    values_[name] = std::move(tensor);
  }

  const Document& document() const override { return document_; }
  std::span<const Sentence> texts() const override { return texts_; }
  std::span<const Sentence> targets() const override { return targets_; }
  std::span<const Step> steps() const override { return steps_; }
  const Step* find(std::string_view name) const override {
    for (const Step& step : steps_)
      if (step.name == name) return &step;
    return nullptr;
  }
  std::span<const AttentionSite> sites() const override { return sites_; }
  std::span<const NamedParameter> parameters() const override { return parameters_; }
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const override { return tokenizer_; }
  Result<Tensor> values(std::string_view name, const CancelToken&) const override {
    const auto at = values_.find(name);
    if (at == values_.end()) return not_found("there is no step '{}'", name);
    return at->second;
  }
  Result<Tensor> tile(std::string_view name, const Tile& tile) const override {
    HL_ASSIGN(const Tensor whole, values(name, {}));
    if (whole.rank() == 2)
      return whole.slice(0, tile.row, tile.rows < 0 ? whole.dim(0) : tile.row + tile.rows)
          .slice(1, tile.column, tile.columns < 0 ? whole.dim(1) : tile.column + tile.columns)
          .compact();
    if (whole.rank() != 4) return invalid("not an attention step").at(name);
    const Tensor head = whole.select(0, tile.batch).select(0, tile.head);
    return head.slice(0, tile.row, tile.rows < 0 ? head.dim(0) : tile.row + tile.rows)
        .slice(1, tile.column, tile.columns < 0 ? head.dim(1) : tile.column + tile.columns)
        .compact();
  }
  double seconds() const override { return 0.001; }
  std::string backend_label() const override { return "by hand"; }
  std::uint64_t bytes() const override { return 0; }
  std::uint64_t generation() const override { return generation_; }
};

// S13: x W_q, x W_k, x W_v as printed there; scores unscaled, softmax by rows; W_O = 2 I, so that deltas are easy to check.
inline std::shared_ptr<SmallTrace> three_words(bool causal, operations::MaskFill fill = operations::MaskFill::minus_infinity) {
  auto trace = std::make_shared<SmallTrace>();
  trace->document_.texts = {"one two both"};
  trace->document_.mask_fill = fill;
  trace->document_.scale = "none";
  Sentence sentence;
  sentence.text = "one two both";
  sentence.tokens = {{10, "one", 0, 3}, {11, "Ġtwo", 3, 7}, {12, "Ġboth", 7, 12}};
  sentence.labels = {"one", "·two", "·both"};
  trace->texts_ = {sentence};

  const Tensor x = Tensor::of<double>({1, 0, 0, 1, 1, 1}, {1, 3, 2});
  const Tensor q = Tensor::of<double>({1, 0, 0, 1, 1, 1}, {1, 1, 3, 2}), k = Tensor::of<double>({1, 1, 0, 1, 1, 2}, {1, 1, 3, 2}),
               v = Tensor::of<double>({1, 2, 3, 0, 4, 2}, {1, 1, 3, 2});
  Tensor scores(DType::f64, {1, 1, 3, 3}), weights(DType::f64, {1, 1, 3, 3}), mask(DType::u8, {1, 1, 3, 3});
  for (std::int64_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 3; ++j) {
      mask.data<std::uint8_t>()[i * 3 + j] = !causal || j <= i;
      scores.data<double>()[i * 3 + j] = q.at({0, 0, i, 0}) * k.at({0, 0, j, 0}) + q.at({0, 0, i, 1}) * k.at({0, 0, j, 1});
      if (!causal || j <= i) sum += std::exp(scores.data<double>()[i * 3 + j]);
    }
    for (std::int64_t j = 0; j < 3; ++j)
      weights.data<double>()[i * 3 + j] = !causal || j <= i ? std::exp(scores.data<double>()[i * 3 + j]) / sum : 0;
  }
  Tensor masked(DType::f64, {1, 1, 3, 3});
  for (std::int64_t i = 0; i < 9; ++i)
    masked.data<double>()[i] = mask.data<std::uint8_t>()[i] ? scores.data<double>()[i] : -std::numeric_limits<double>::infinity();
  trace->put("embedding", x);
  trace->put("input", x, {"embedding"});
  trace->put("layer.0.q", q, {"input"});
  trace->put("layer.0.k", k, {"input"});
  trace->put("layer.0.v", v, {"input"});
  trace->put("layer.0.scores", scores, {"layer.0.q", "layer.0.k"});
  trace->put("layer.0.scaled_scores", scores, {"layer.0.scores"});
  trace->put("layer.0.masked_scores", masked, {"layer.0.scaled_scores"});
  trace->put("layer.0.weights", weights, {"layer.0.masked_scores"});
  trace->put_parameter("parameters.layer.0.wo", Tensor::of<double>({2, 0, 0, 2}, {2, 2}));
  trace->put("layer.0.attention_output", x, {"layer.0.concat", "parameters.layer.0.wo"});
  trace->put("layer.0.attention_residual", x, {"input", "layer.0.attention_output"});
  AttentionSite site;
  site.prefix = "layer.0.";
  site.queries = site.keys = 3;
  site.d_k = 2;
  site.q = "layer.0.q";
  site.k = "layer.0.k";
  site.v = "layer.0.v";
  if (causal) {
    site.mask.parts.push_back({{"causal", {}}, mask});
    site.mask.mask = mask;
  }
  trace->sites_ = {site};
  return trace;
}

}  // namespace headlight::tests
