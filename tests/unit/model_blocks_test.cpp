// What models are composed of, beyond the sandbox's defaults: rotary positions, cosine scores, gated feed-forward parts, a final
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
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/models/blocks.h"
#include "engine/models/families/families.h"
#include "engine/models/weights.h"
#include "engine/operations/activation.h"
#include "engine/operations/rotary.h"
#include "engine/pipeline/on_host.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

Document small() {
  Document d;
  d.texts = {"a fluffy blue creature"};
  d.d_model = 24;
  d.heads = 3;
  d.layers = 2;
  d.backend = "reference";
  return d;
}

TracePtr trace_of(const Document& d) {
  const auto trace = run(d, **backends::open(d.backend), {});
  EXPECT_TRUE(trace.ok()) << trace.error().sentence();
  return trace ? *trace : nullptr;
}

std::vector<double> numbers(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  if (!values) return {};
  const Tensor t = values->as(DType::f64).compact();
  return {t.data<double>(), t.data<double>() + t.count()};
}

// Every step on the CPU is what the reference computes, and every number of the named steps is explained.
void check(Document d, const std::vector<std::string>& steps) {
  const TracePtr reference = trace_of(d);
  d.backend = "cpu";
  const TracePtr cpu = trace_of(d);
  ASSERT_TRUE(reference && cpu);
  for (const Step& step : reference->steps()) {
    if (step.dtype != DType::f64) continue;
    const std::vector<double> a = numbers(*reference, step.name), b = numbers(*cpu, step.name);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;  // -inf, where a mask is 0
      ASSERT_NEAR(a[i], b[i], 2e-4 * (1 + std::abs(a[i]))) << step.name << " " << i;
    }
  }
  for (const std::string& name : steps) {
    const Step* step = reference->find(name);
    ASSERT_TRUE(step) << name;
    std::vector<std::int64_t> last(step->shape.begin(), step->shape.end());
    for (std::int64_t& i : last) --i;
    for (const auto& index : {std::vector<std::int64_t>(last.size(), 0), last}) {
      const auto e = explain_value(*reference, {name, index});
      ASSERT_TRUE(e.ok()) << name << ": " << e.error().sentence();
      EXPECT_EQ(e->check, ValueCheck::computed) << name;
      EXPECT_NEAR(e->computed, e->value, e->tolerance) << name;
    }
  }
}

TEST(ModelBlocks, RotaryPositionsTurnQueriesAndKeys) {
  Document d = small();
  d.position = "rotary";
  check(d, {"layer.0.q_rotated", "layer.1.k_rotated", "layer.0.scores", "layer.0.q", "input"});
  const TracePtr trace = trace_of(d);
  EXPECT_EQ(trace->find("position"), nullptr);
  EXPECT_EQ(trace->sites()[0].q, "layer.0.q_rotated");
  EXPECT_EQ(trace->find("layer.0.q_rotated")->role, Role::q_scored);
  // At position 0 nothing turns; at 1 something does.
  const std::vector<double> q = numbers(*trace, "layer.0.q"), turned = numbers(*trace, "layer.0.q_rotated");
  EXPECT_EQ(std::vector<double>(q.begin(), q.begin() + 8), std::vector<double>(turned.begin(), turned.begin() + 8));
  EXPECT_NE(q[8], turned[8]);
}

TEST(ModelBlocks, SplitPairsLieHalfAHeadApart) {
  Document d = small();
  d.position = "rotary-split";
  check(d, {"layer.0.q_rotated", "layer.1.k_rotated", "layer.0.scores"});
  const TracePtr trace = trace_of(d);
  const Tensor q = *trace->values("layer.0.q"), turned = *trace->values("layer.0.q_rotated");
  const std::int64_t d_k = q.dim(3), half = d_k / 2;
  for (std::int64_t t = 0; t < q.dim(2); ++t)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(t) * std::pow(10000.0, -2 * static_cast<double>(i) / static_cast<double>(d_k));
      const double a = q.at({0, 1, t, i}), b = q.at({0, 1, t, i + half});
      EXPECT_NEAR(turned.at({0, 1, t, i}), a * std::cos(angle) - b * std::sin(angle), 1e-5);
      EXPECT_NEAR(turned.at({0, 1, t, i + half}), a * std::sin(angle) + b * std::cos(angle), 1e-5);
    }
}

TEST(ModelBlocks, RotaryScoresDependOnTheDistanceAlone) {
  constexpr std::int64_t d_k = 8, length = 40;
  std::vector<double> row(d_k);
  std::iota(row.begin(), row.end(), 1.0);
  Tensor same(DType::f64, {length, d_k}, {}, true);
  for (std::int64_t t = 0; t < length; ++t) std::copy(row.begin(), row.end(), same.data<double>() + t * d_k);
  for (const bool halves : {false, true}) {
    Tensor y(DType::f64, {length, d_k}, {}, true);
    ASSERT_TRUE(
        operations::compute(operations::Rotary{length, length, d_k, 10000, halves}, std::span(&same, 1), std::span(&y, 1), {})
            .ok());
    const auto dot = [&](std::int64_t a, std::int64_t b) {
      double sum = 0;
      for (std::int64_t i = 0; i < d_k; ++i) sum += y.data<double>()[a * d_k + i] * y.data<double>()[b * d_k + i];
      return sum;
    };
    EXPECT_NEAR(dot(3, 0), dot(39, 36), 1e-9);
    EXPECT_GT(std::abs(dot(3, 0) - dot(4, 0)), 1e-3);
  }
}

// What PyTorch's reshape of the heads passes through, as the course writes it: [B, L, d] -> [B, L, h, d_k] -> [B, h, L, d_k] and
// back. Each array is one of the plan's steps, reads the same numbers at other places, and can be read in parts.
TEST(ModelBlocks, EveryArrayBetweenTheProjectionAndTheHeadsIsAStep) {
  Document d = small();
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

// A position that is added to the scores: each attention has it beside its mask, on every backend, and in part as well as whole.
TEST(ModelBlocks, ABiasByDistanceIsAddedToTheScores) {
  Document d = small();
  d.position = "alibi";
  d.masks = {Choice{"causal", {}}};
  check(d, {"layer.0.position_bias", "layer.0.masked_scores", "layer.0.weights", "layer.1.context"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->find("position"), nullptr) << "nothing is added to the embeddings";
  const Tensor scaled = *trace->values("layer.1.scaled_scores"), masked = *trace->values("layer.1.masked_scores");
  const Shape shape = scaled.shape();
  for (std::int64_t head = 0; head < shape[1]; ++head)
    for (std::int64_t i = 0; i < shape[2]; ++i) {
      for (std::int64_t j = 0; j <= i; ++j)
        ASSERT_NEAR(masked.at({0, head, i, j}) - scaled.at({0, head, i, j}),
                    -std::pow(2.0, -8.0 * static_cast<double>(head + 1) / 3) * static_cast<double>(i - j), 1e-12);
      const Tensor row = *trace->tile("layer.1.weights", {0, head, i, 1, 0, -1});
      for (std::int64_t j = 0; j < shape[3]; ++j)
        ASSERT_EQ(row.at({0, j}), trace->values("layer.1.weights")->at({0, head, i, j})) << head << " " << i << " " << j;
    }
  d.backend = "cpu";
  const TracePtr cpu = trace_of(d);
  ASSERT_TRUE(cpu);
  for (const Step& step : cpu->steps()) EXPECT_FALSE(step.on_host) << step.name << ": the CPU adds a bias beside a mask itself";
}

// Cross-attention counts no distance between the tokens of two sentences.
TEST(ModelBlocks, CrossAttentionHasNoBiasByDistance) {
  Document d = small();
  d.position = "alibi";
  d.targets = {"une creature"};
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_NE(trace->find("decoder.layer.0.position_bias"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.position_bias"), nullptr);
}

// Shaw et al. 2018: a row of a table by distance joins each key inside the score and each value inside the sum.
TEST(ModelBlocks, RelativePositionsJoinKeysAndValues) {
  Document d = small();
  d.position = "relative";
  d.relative_clip = 2;
  d.masks = {Choice{"causal", {}}, Choice{"padding", {}}};
  d.texts = {"a fluffy blue creature roamed", "man bites dog"};
  check(d, {"layer.0.position_bias", "layer.0.weights", "layer.0.context_of_values", "layer.1.context_of_positions",
            "layer.1.context", "layer.1.concat"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->find("position"), nullptr) << "nothing is added to the embeddings";
  const AttentionSite& site = trace->sites()[1];
  EXPECT_EQ(site.relative_keys, "parameters.layer.1.a_k");
  EXPECT_EQ(site.relative_values, "parameters.layer.1.a_v");
  const Tensor q = *trace->values(site.q), k = *trace->values(site.k), v = *trace->values(site.v);
  const Tensor by_key = *trace->values(site.relative_keys), by_value = *trace->values(site.relative_values);
  ASSERT_EQ(by_key.shape(), (Shape{5, site.d_k}));
  const Tensor masked = *trace->values("layer.1.masked_scores"), weights = *trace->values("layer.1.weights");
  const Tensor context = *trace->values("layer.1.context");
  const auto row = [](std::int64_t i, std::int64_t j) { return std::clamp<std::int64_t>(j - i, -2, 2) + 2; };
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < site.heads; ++h)
      for (std::int64_t i = 0; i < site.queries; ++i) {
        for (std::int64_t j = 0; j < site.keys; ++j) {
          double score = 0;
          for (std::int64_t c = 0; c < site.d_k; ++c)
            score += q.at({b, h, i, c}) * (k.at({b, h, j, c}) + by_key.at({row(i, j), c}));
          if (!masks::allows(site.mask.mask, b, h, i, j)) continue;
          ASSERT_NEAR(masked.at({b, h, i, j}), score / std::sqrt(static_cast<double>(site.d_k)), 1e-12);
        }
        for (std::int64_t c = 0; c < site.d_k; ++c) {
          double sum = 0;
          for (std::int64_t j = 0; j < site.keys; ++j)
            sum += weights.at({b, h, i, j}) * (v.at({b, h, j, c}) + by_value.at({row(i, j), c}));
          ASSERT_NEAR(context.at({b, h, i, c}), sum, 1e-12);
        }
      }
}

TEST(ModelBlocks, CrossAttentionHasNoRelativePositions) {
  Document d = small();
  d.position = "relative";
  d.targets = {"une creature"};
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_NE(trace->find("encoder.layer.0.position_bias"), nullptr);
  EXPECT_NE(trace->find("decoder.layer.0.context_of_positions"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.position_bias"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.context_of_positions"), nullptr);
}

// A pattern that is replaced weighs the values and the rows of their distances alike; a head that is taken out passes neither.
TEST(ModelBlocks, InterventionsReachWhatRelativePositionsAdd) {
  Document d = small();
  d.position = "relative";
  for (const auto& [id, text] : {std::pair{"uniform", "layer.0.head.1"}, {"without", "layer.0.head.2"}})
    ASSERT_TRUE(find_field(id)->set(d, {text}).ok());
  check(d, {"layer.0.context_of_values", "layer.0.context_of_positions", "layer.0.context", "layer.0.weights"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  const AttentionSite& site = trace->sites()[0];
  const Tensor rows = *trace->values(site.relative_values), added = *trace->values("layer.0.context_of_positions");
  const Tensor context = *trace->values("layer.0.context");
  for (std::int64_t c = 0; c < site.d_k; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < site.keys; ++j)
      sum += rows.at({std::min<std::int64_t>(j, 4) + 4, c}) / static_cast<double>(site.keys);
    ASSERT_NEAR(added.at({0, 1, 0, c}), sum, 1e-12);
    EXPECT_EQ(context.at({0, 2, 0, c}), 0);
  }
  // Without positions nothing is left of them.
  ASSERT_TRUE(find_field("without")->set(d, {"positions"}).ok());
  const TracePtr bare = trace_of(d);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->find("layer.0.context_of_positions"), nullptr);
}

TEST(ModelBlocks, RelativePositionsNeedKeys) {
  Document d = small();
  d.position = "relative";
  for (const char* score : {"additive", "location", "cosine"}) {
    d.score = score;
    const Status said = validate(d);
    ASSERT_FALSE(said.ok()) << score;
    EXPECT_NE(said.error().sentence().find("choose scaled_dot, dot or general"), std::string::npos) << said.error().sentence();
  }
  d.score = "general";
  EXPECT_TRUE(validate(d).ok());
  d.relative_clip = -1;
  EXPECT_FALSE(validate(d).ok()) << "a negative clip";
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
  ASSERT_TRUE(models::add_masks(builder.plan, small(), sizes).ok());
  EXPECT_TRUE(builder.plan.sites[0].attention.has_mask);
  EXPECT_FALSE(builder.plan.sites[1].attention.has_mask);
}

TEST(ModelBlocks, AnOddHeadCannotTurn) {
  Document d = small();
  d.position = "rotary";
  d.d_model = 21;
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("d_k is 7"), std::string::npos) << trace.error().sentence();
}

TEST(ModelBlocks, CosineScoresAreCosines) {
  Document d = small();
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
  Document d = small();
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
  Document d = small();
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
  Document d = small();
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
  Document d = small();
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
  Document d = small();
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
    Document d = small();
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
  Document d = small();
  d.score = "dot";
  const TracePtr trace = trace_of(d);
  EXPECT_EQ(numbers(*trace, "layer.0.scores"), numbers(*trace, "layer.0.scaled_scores"));
}

TEST(ModelBlocks, AGateMultipliesTheHiddenValues) {
  Document d = small();
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
  EXPECT_EQ(on_host(*trace).steps, 0);
}

TEST(ModelBlocks, EveryActivationIsOneOfTheList) {
  for (const operations::Activation& activation : operations::activations()) {
    if (activation.kind == operations::ActivationKind::none) continue;
    Document d = small();
    d.activation = activation.id;
    check(d, {"layer.0.mlp_hidden"});
  }
  Document d = small();
  d.activation = "swoosh";
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("swoosh"), std::string::npos) << trace.error().sentence();
  EXPECT_NE(trace.error().sentence().find("silu"), std::string::npos) << trace.error().sentence();
}

TEST(ModelBlocks, AnUnknownModelIsNamedWithTheKnownOnes) {
  Document d = small();
  d.model = "oracle";
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("oracle"), std::string::npos) << trace.error().sentence();
  EXPECT_NE(trace.error().sentence().find("sandbox"), std::string::npos) << trace.error().sentence();
}

TEST(ModelBlocks, EveryModelThatADocumentMayNameIsThere) {
  ASSERT_EQ(models::families().entries().size(), model_names().entries().size());
  for (const ModelName& name : model_names().entries()) EXPECT_NE(models::families().find(name.id), nullptr) << name.id;
}

// A source of one tensor, [2, 6] of 0, 1, 2, ...
class OneTensor final : public models::Weights {
 public:
  explicit OneTensor(std::string identity, float first) : identity_(std::move(identity)), first_(first) {}
  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return Origin::file; }
  std::string label() const override { return "one tensor"; }
  Result<Tensor> tensor(const models::ParameterSpec& spec, const CancelToken&) const override {
    if (spec.name != "fused") return not_found("there is no tensor '" + spec.name + "'");
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
