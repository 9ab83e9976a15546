// What models are composed of, beyond the sandbox's defaults: cosine scores, gated feed-forward parts, a final
// norm; and where their weights come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "engine/attention/masks/combined.h"
#include "engine/backends/backends.h"
#include "engine/document/model_architecture.h"
#include "engine/document/model_names.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/models/blocks.h"
#include "engine/models/weights.h"
#include "engine/operations/activation.h"
#include "engine/operations/attention.h"
#include "engine/pipeline/on_host.h"
#include "engine/pipeline/run.h"
#include "tests/support/model_parts.h"

namespace headlight {
namespace {

using tests::check;
using tests::numbers;
using tests::small_model;
using tests::trace_of;
using tests::TracePtr;

// What PyTorch's reshape of the heads passes through, as the course writes it: [B, L, d] -> [B, L, h, d_k] -> [B, h, L, d_k] and
// back. Each array is one of the plan's steps, reads the same numbers at other places, and can be read in parts.
TEST(ModelBlocks, EveryArrayBetweenTheProjectionAndTheHeadsIsAStep) {
  Document d = small_model();
  d.texts = {"a fluffy blue creature", "a creature"};
  d.masks = {Choice{"padding", {}}, Choice{"causal", {}}};
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  const std::int64_t b = 2, h = 3, dk = 8, n = trace->find("layer.1.q")->shape[2];
  const auto expect = [&](const std::string& name, const Shape& shape, Role role, const std::string& of,
                          const std::function<std::vector<std::int64_t>(const std::vector<std::int64_t>&)>& from) {
    const Step* step = trace->find(name);
    ASSERT_TRUE(step) << name;
    EXPECT_EQ(step->shape, shape) << name;
    EXPECT_EQ(step->role, role) << name;
    EXPECT_FALSE(step->kept) << name << " takes no memory";
    const Tensor t = *trace->values(name), source = *trace->values(of);
    std::vector<std::int64_t> index(shape.size(), 0);
    for (std::int64_t i = 0; i < t.count(); ++i) {
      std::int64_t rest = i;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      const std::vector<std::int64_t> at = from(index);
      ASSERT_EQ(t.at(index), source.at(at)) << name << " " << i;
      if (i % 37 != 0) continue;
      Trace::Tile tile{index[0], shape.size() == 4 ? index[1] : 0, index[shape.size() - 2], 1, index.back(), 1};
      ASSERT_EQ(trace->tile(name, tile)->at({0, 0}), t.at(index)) << name << " " << i;
      const auto written = explain_value(*trace, {name, index});
      ASSERT_TRUE(written.ok()) << name << ": " << written.error().sentence();
      EXPECT_EQ(written->check, ValueCheck::computed) << name;
      EXPECT_NEAR(written->computed, written->value, written->tolerance) << name;
    }
  };
  using Index = std::vector<std::int64_t>;
  const auto cut = [&](const Index& i) { return Index{i[0], i[2] / dk, i[1], i[2] % dk}; };
  const auto exchanged = [](const Index& i) { return Index{i[0], i[2], i[1], i[3]}; };
  const std::pair<const char*, std::array<Role, 2>> parts[] = {{"q", {Role::q_projected, Role::q_view}},
                                                               {"k", {Role::k_projected, Role::k_view}},
                                                               {"v", {Role::v_projected, Role::v_view}}};
  for (const auto& [which, roles] : parts) {
    const std::string q = std::string("layer.1.") + which;
    expect(q + "_projected", {b, n, h * dk}, roles[0], q, cut);
    expect(q + "_view", {b, n, h, dk}, roles[1], q, exchanged);
  }
  expect("layer.1.k_transposed", {b, h, dk, n}, Role::k_transposed, "layer.1.k", [](const Index& i) {
    return Index{i[0], i[1], i[3], i[2]};
  });
  expect("layer.1.context_transposed", {b, n, h, dk}, Role::context_transposed, "layer.1.context", exchanged);
  expect("layer.1.context_copied", {b, n, h, dk}, Role::context_copied, "layer.1.context", exchanged);
  expect("layer.1.padding_mask_unsqueezed", {b, 1, 1, n}, Role::mask_part, "layer.1.padding_mask", [](const Index& i) {
    return Index{i[0], i[3]};
  });
  expect("layer.1.causal_mask_unsqueezed", {1, 1, n, n}, Role::mask_part, "layer.1.causal_mask", [](const Index& i) {
    return Index{i[2], i[3]};
  });
  const Tensor mask = *trace->values("layer.1.mask"), padding = *trace->values("layer.1.padding_mask");
  for (std::int64_t s = 0; s < b; ++s)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(mask.at({s, 0, i, j}), j <= i && padding.at({s, j}) != 0 ? 1 : 0) << s << " " << i << " " << j;
}

// Each attention has masks of its own: two sites of one model need not share them.
TEST(ModelBlocks, EveryAttentionHasItsOwnMasks) {
  models::Sizes sizes;
  sizes.text_length = 4;
  sizes.text_lengths = {4};
  sizes.text_tokens.vocabulary = 10;
  models::PlanBuilder builder(sizes, 8, DType::f64, Origin::random);
  const models::Stream x = builder.embed("", false, builder.embedding_table("embedding", sizes.text_tokens), nullptr);
  models::AttentionPart part;
  part.heads = 2;
  part.d_k = 4;
  part.score = scores::registry().find("scaled_dot");
  part.masks = {Choice{"causal", {}}};
  builder.attention("layer.0.", part, x, x.node, x, x.node);
  part.masks = {};
  builder.attention("layer.1.", part, x, x.node, x, x.node);
  ASSERT_TRUE(models::add_masks(builder.plan, small_model(), sizes).ok());
  EXPECT_TRUE(builder.plan.sites[0].attention->has_mask);
  EXPECT_FALSE(builder.plan.sites[1].attention->has_mask);
}

TEST(ModelBlocks, CosineScoresAreCosines) {
  Document d = small_model();
  d.score = "cosine";
  check(d, {"layer.0.q_unit", "layer.0.k_unit", "layer.1.scores", "layer.1.scaled_scores"});
  const TracePtr trace = trace_of(d);
  const std::vector<double> q = numbers(*trace, "layer.0.q"), k = numbers(*trace, "layer.0.k"),
                            scores = numbers(*trace, "layer.0.scores"), scaled = numbers(*trace, "layer.0.scaled_scores");
  EXPECT_EQ(scores, scaled);  // "sqrt" says nothing of d_k here
  double dot = 0, qq = 0, kk = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    dot += q[i] * k[8 + i];
    qq += q[i] * q[i];
    kk += k[8 + i] * k[8 + i];
  }
  EXPECT_NEAR(scores[1], dot / std::sqrt(qq * kk), 1e-12);
  d.scale = "10";
  EXPECT_NEAR(numbers(*trace_of(d), "layer.0.scaled_scores")[1], 10 * scores[1], 1e-12);
}

// The sum over a, b of q[i, a] W[a, b] k[j, b], by loops that know nothing of the plan; W is one for both heads.
TEST(ModelBlocks, GeneralScoresHaveAMatrixBetweenQueryAndKey) {
  Document d = small_model();
  d.score = "general";
  check(d, {"layer.0.q_weighted", "layer.1.q_weighted", "layer.1.scores", "layer.1.scaled_scores"});
  d.targets = {"une creature bleue"};
  const TracePtr trace = trace_of(d);
  for (const std::string prefix : {"encoder.layer.1.", "decoder.layer.0.", "decoder.layer.0.cross."}) {
    const Step* const step = trace->find(prefix + "scores");
    ASSERT_TRUE(step) << prefix;
    const std::vector<double> q = numbers(*trace, prefix + "q"), k = numbers(*trace, prefix + "k"),
                              w = numbers(*trace, "parameters." + prefix + "w_score"),
                              scores = numbers(*trace, prefix + "scores");
    const auto heads = static_cast<std::size_t>(step->shape[1]), n = static_cast<std::size_t>(step->shape[2]),
               m = static_cast<std::size_t>(step->shape[3]), d_k = q.size() / heads / n;
    ASSERT_EQ(w.size(), d_k * d_k);
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          double sum = 0;
          for (std::size_t a = 0; a < d_k; ++a)
            for (std::size_t b = 0; b < d_k; ++b) sum += q[(h * n + i) * d_k + a] * w[a * d_k + b] * k[(h * m + j) * d_k + b];
          EXPECT_NEAR(scores[(h * n + i) * m + j], sum, 1e-12) << prefix;
        }
    EXPECT_EQ(numbers(*trace, prefix + "scaled_scores"), scores) << "\"sqrt\" says nothing of d_k here";
  }
}

// The matrix comes before the turning: a score of two turned rows depends on their words and their distance, not on their places.
TEST(ModelBlocks, GeneralScoresOfTurnedRowsDependOnTheDistance) {
  Document d = small_model();
  d.score = "general";
  d.position = "rotary";
  d.layers = 1;
  d.tokenizer = "words";
  d.texts = {"dog man dog man dog"};
  check(d, {"layer.0.q_weighted", "layer.0.q_rotated", "layer.0.k_rotated", "layer.0.scores"});
  const std::vector<double> scores = numbers(*trace_of(d), "layer.0.scores");
  EXPECT_NEAR(scores[0 * 5 + 1], scores[2 * 5 + 3], 1e-9);
  EXPECT_GT(std::abs(scores[0 * 5 + 1] - scores[0 * 5 + 3]), 1e-6);
}

// The scores' formula is checked by conformance; here that every number is explained, the cell as well, and cross-attention.
TEST(ModelBlocks, AdditiveScoresAreWrittenOut) {
  Document d = small_model();
  d.score = "additive";
  d.masks = {{"causal", {}}};
  check(d, {"layer.0.q_weighted", "layer.0.k_weighted", "layer.0.scores", "layer.1.scores", "layer.1.scaled_scores",
            "layer.1.masked_scores", "layer.1.weights", "layer.1.context"});
  const TracePtr trace = trace_of(d);
  EXPECT_EQ(trace->sites()[0].score_vector, "parameters.layer.0.v_score");
  EXPECT_EQ(trace->find("layer.0.k_transposed"), nullptr) << "nothing is multiplied by K transposed";
  for (const std::int64_t key : {0, 2}) {
    const auto cell = explain_cell(*trace, {"layer.0.", 0, 1, 3, key});
    ASSERT_TRUE(cell.ok()) << cell.error().sentence();
    EXPECT_NEAR(cell->dot, cell->dot_in_trace, 1e-12);
    EXPECT_NEAR(cell->weight, cell->weight_in_trace, 1e-12);
    const std::vector<double> q = numbers(*trace, "layer.0.q_weighted"), k = numbers(*trace, "layer.0.k_weighted"),
                              v = numbers(*trace, "parameters.layer.0.v_score");
    const std::size_t n = static_cast<std::size_t>(trace->sites()[0].queries);
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(cell->products[i], v[i] * std::tanh(q[(n + 3) * 8 + i] + k[(n + static_cast<std::size_t>(key)) * 8 + i]),
                  1e-12);
    const std::string words = to_text(*cell);
    EXPECT_NE(words.find("v·tanh(q W + k U)"), std::string::npos) << words;
    const auto value = explain_value(*trace, {"layer.0.scores", {0, 1, 3, key}});
    ASSERT_TRUE(value.ok());
    EXPECT_NE(to_text(*value).find("tanh("), std::string::npos);
  }
  d.targets = {"une creature bleue"};
  check(d, {"decoder.layer.0.cross.scores", "decoder.layer.0.cross.weights", "encoder.layer.1.scores"});
}

TEST(ModelBlocks, LocationScoresReadPlacesAndNoWords) {
  Document d = small_model();
  d.score = "location";
  d.tokenizer = "words";
  check(d, {"layer.0.k_places", "layer.0.k", "layer.1.scores", "layer.1.weights"});
  const TracePtr trace = trace_of(d);
  EXPECT_FALSE(std::any_of(trace->parameters().begin(), trace->parameters().end(), [](const auto& p) {
    return p.name == "parameters.layer.0.wk";
  })) << "no key is made of the words";
  Document other = d;
  other.texts = {"the man bites dogs"};
  EXPECT_EQ(numbers(*trace, "layer.0.k"), numbers(*trace_of(other), "layer.0.k"));
  other.texts = {"the man bites dogs and runs"};  // a longer text reads the same first rows
  const std::vector<double> some = numbers(*trace, "layer.0.k_places"), more = numbers(*trace_of(other), "layer.0.k_places");
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  const auto cell = explain_cell(*trace, {"layer.0.", 0, 1, 2, 1});
  ASSERT_TRUE(cell.ok());
  EXPECT_NEAR(cell->dot, cell->dot_in_trace, 1e-12);
  EXPECT_NE(to_text(*cell).find("q·W_j"), std::string::npos);
  d.targets = {"une creature bleue"};
  check(d, {"decoder.layer.0.cross.k_places", "decoder.layer.0.cross.k", "decoder.layer.0.cross.scores"});
}

TEST(ModelBlocks, ALocationScoreKnowsSoManyPlaces) {
  Document d = small_model();
  d.score = "location";
  d.tokenizer = "words";
  d.d_model = 6;
  d.layers = 1;
  std::string text;
  for (std::int64_t i = 0; i <= scores::kPlaces; ++i) text += "dog ";
  d.texts = {text};
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("has 4096 rows, one for each place"), std::string::npos) << trace.error().sentence();
}

// What an intervention replaces is another score's just as well.
TEST(ModelBlocks, InterventionsChangeTheHeadsOfEveryScore) {
  for (const char* score : {"general", "additive", "location"}) {
    Document d = small_model();
    d.score = score;
    d.interventions = interventions_from_text(Intervention::Kind::uniform, "layer.0.head.1").value();
    const TracePtr trace = trace_of(d);
    ASSERT_TRUE(trace);
    const std::vector<double> weights = numbers(*trace, "layer.0.weights");
    const auto n = static_cast<std::size_t>(trace->sites()[0].keys);
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(weights[n * n + j], 1.0 / static_cast<double>(n), 1e-12) << score;
  }
}

TEST(ModelBlocks, TheDotProductIsNotScaled) {
  Document d = small_model();
  d.score = "dot";
  const TracePtr trace = trace_of(d);
  EXPECT_EQ(numbers(*trace, "layer.0.scores"), numbers(*trace, "layer.0.scaled_scores"));
}

TEST(ModelBlocks, AGateMultipliesTheHiddenValues) {
  Document d = small_model();
  d.activation = "silu";
  d.gated = true;
  d.norm_kind = "rms";
  d.final_norm = true;
  check(d, {"layer.0.mlp_gate", "layer.0.mlp_up", "layer.0.mlp_hidden", "layer.1.mlp_output", "final_norm"});
  const TracePtr trace = trace_of(d);
  const std::vector<double> gate = numbers(*trace, "layer.0.mlp_gate"), up = numbers(*trace, "layer.0.mlp_up"),
                            hidden = numbers(*trace, "layer.0.mlp_hidden");
  for (std::size_t i = 0; i < hidden.size(); ++i) ASSERT_DOUBLE_EQ(hidden[i], gate[i] * up[i]);
  EXPECT_EQ(trace->steps().back().name, "final_norm");
  for (const Step& step : trace->steps()) EXPECT_TRUE(step.computed_by.known()) << step.name;
  EXPECT_EQ(on_host(*trace).steps, 0);
}

TEST(ModelBlocks, EveryActivationIsOneOfTheList) {
  for (const operations::Activation& activation : operations::activations()) {
    if (activation.kind == operations::ActivationKind::none) continue;
    Document d = small_model();
    d.activation = activation.id;
    check(d, {"layer.0.mlp_hidden"});
  }
  Document d = small_model();
  d.activation = "swoosh";
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("swoosh"), std::string::npos) << trace.error().sentence();
  EXPECT_NE(trace.error().sentence().find("silu"), std::string::npos) << trace.error().sentence();
}

TEST(ModelBlocks, AnUnknownModelIsNamedWithTheKnownOnes) {
  Document d = small_model();
  d.model = "oracle";
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("oracle"), std::string::npos) << trace.error().sentence();
  EXPECT_NE(trace.error().sentence().find("sandbox"), std::string::npos) << trace.error().sentence();
}

// What a document takes over from its model, and what the model is made of, are the same.
TEST(ModelBlocks, EveryModelThatADocumentMayNameIsMadeOfWhatTheDocumentSays) {
  ASSERT_GT(model_names().entries().size(), 4u);
  for (const ModelName& name : model_names().entries()) {
    Document d;
    ASSERT_TRUE(find_field("model")->set(d, {name.id}).ok()) << name.id;
    const auto stored = stored_model_of(d);
    ASSERT_TRUE(stored.ok()) << name.id;
    EXPECT_EQ(*stored == nullptr, name.id == "sandbox");
    if (!*stored) continue;
    const auto own = architecture_of(**stored);
    EXPECT_TRUE(own->computes_like([&] {
      architectures::Architecture a = architecture_of(d);
      a.causal = own->causal;
      a.tied = own->tied;
      a.vocabulary = own->vocabulary;
      a.length = own->length;
      return a;
    }()))
        << name.id;
  }
}

// A source of one tensor, [2, 6] of 0, 1, 2, ...
class OneTensor final : public models::Weights {
 public:
  explicit OneTensor(std::string identity, float first) : identity_(std::move(identity)), first_(first) {}
  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return Origin::file; }
  std::string label() const override { return "one tensor"; }
  Result<Tensor> tensor(const models::ParameterSpec& spec, const CancelToken&) const override {
    if (spec.name != "fused") return not_found("there is no tensor '{}'", spec.name);
    Tensor t(DType::f32, {2, 6}, {"row", "column"}, true);
    std::iota(t.data<float>(), t.data<float>() + 12, first_);
    return t;
  }
  Result<Tensor> rows(const models::ParameterSpec&, std::span<const std::int32_t>, const CancelToken&) const override {
    return not_found("this source has no table");
  }

 private:
  std::string identity_;
  float first_;
};

models::ParameterSpec part_of_fused(std::int64_t first_column, bool transposed) {
  models::ParameterSpec spec;
  spec.name = "parameters.part";
  spec.shape = transposed ? Shape{3, 2} : Shape{2, 3};
  spec.axes = {"in", "out"};
  spec.part = {"fused", {2, 6}, 0, first_column, transposed};
  return spec;
}

TEST(Weights, APartIsCutAndTurned) {
  const OneTensor source("cut and turned", 0);
  const auto values = [&](const models::ParameterSpec& spec) {
    const auto t = models::parameter(source, spec);
    EXPECT_TRUE(t.ok()) << t.error().sentence();
    return std::vector<float>(t->data<float>(), t->data<float>() + t->count());
  };
  EXPECT_EQ(values(part_of_fused(3, false)), (std::vector<float>{3, 4, 5, 9, 10, 11}));
  EXPECT_EQ(values(part_of_fused(0, true)), (std::vector<float>{0, 6, 1, 7, 2, 8}));
  const auto outside = models::parameter(source, part_of_fused(4, false));
  ASSERT_FALSE(outside.ok());
  EXPECT_NE(outside.error().sentence().find("[2, 6]"), std::string::npos) << outside.error().sentence();
}

TEST(Weights, TwoSourcesOfOneShapeAreNotMixedUp) {
  const OneTensor first("checkpoint a", 0), second("checkpoint b", 100);
  EXPECT_EQ(models::parameter(first, part_of_fused(0, false))->data<float>()[0], 0);
  EXPECT_EQ(models::parameter(second, part_of_fused(0, false))->data<float>()[0], 100);
  Fingerprint a, b;
  models::add_to(a, first, part_of_fused(0, false));
  models::add_to(b, second, part_of_fused(0, false));
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace headlight
