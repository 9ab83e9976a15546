// The trace: which steps there are, that each follows from its inputs, and that the model's parts are what they are called.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/backends/backends.h"
#include "engine/insight/explain.h"
#include "engine/operations/attention.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

Document small_document() {
  Document d;
  d.texts = {"a fluffy blue creature roamed the verdant forest"};
  d.tokenizer = "words";
  d.d_model = 24;
  d.heads = 4;
  d.layers = 2;
  d.backend = "reference";
  return d;
}

TracePtr trace_of_options(const Document& document, const RunOptions& trace_options = {}) {
  const auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend) << backend.error().sentence();
  auto trace = run(document, **backend, {}, trace_options);
  EXPECT_TRUE(trace) << trace.error().sentence();
  return trace ? *trace : nullptr;
}

Tensor get(const Trace& trace, const std::string& name) {
  const auto t = trace.values(name);
  EXPECT_TRUE(t) << t.error().sentence();
  return t ? *t : Tensor();
}

std::string names(const Trace& trace) {
  std::string all;
  for (const Step& step : trace.steps()) all += step.name + " ";
  return all;
}

// x [rows, inner] W [inner, columns] + b, in double.
std::vector<double> linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const std::int64_t inner = w.dim(0), columns = w.dim(1), rows = x.count() / inner;
  const Tensor flat = x.as(DType::f64).compact().reshaped({rows, inner});
  std::vector<double> y;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      double sum = b.at({c});
      for (std::int64_t i = 0; i < inner; ++i) sum += flat.at({r, i}) * w.at({i, c});
      y.push_back(sum);
    }
  return y;
}

TEST(Trace, HasTheStepsOfTheContractInOrder) {
  Document d = small_document();
  d.layers = 1;
  d.masks = *masks::parse_list("causal");
  EXPECT_EQ(names(*trace_of_options(d)),
            "tokens embedding places div_term angles position position_unsqueezed input layer.0.attention_norm "
            "layer.0.q_projected layer.0.q_view layer.0.q "
            "layer.0.k_projected layer.0.k_view layer.0.k layer.0.v_projected layer.0.v_view layer.0.v layer.0.k_transposed "
            "layer.0.scores layer.0.scaled_scores layer.0.causal_mask layer.0.causal_mask_unsqueezed_once "
            "layer.0.causal_mask_unsqueezed layer.0.mask "
            "layer.0.masked_scores layer.0.weights layer.0.context layer.0.context_transposed layer.0.context_copied "
            "layer.0.concat layer.0.attention_output "
            "layer.0.attention_residual layer.0.mlp_norm layer.0.mlp_hidden layer.0.mlp_output layer.0.mlp_residual ");
  d.norm = "post";
  EXPECT_NE(names(*trace_of_options(d))
                .find("attention_residual layer.0.attention_norm layer.0.mlp_hidden layer.0.mlp_output "
                      "layer.0.mlp_residual layer.0.mlp_norm "),
            std::string::npos);
  d.norm = "none";
  d.residual = d.feed_forward = d.projected = false;
  d.heads = 1;
  d.position = "none";
  EXPECT_EQ(names(*trace_of_options(d)),
            "tokens embedding input layer.0.q layer.0.k layer.0.v layer.0.k_transposed layer.0.scores layer.0.scaled_scores "
            "layer.0.causal_mask layer.0.causal_mask_unsqueezed_once layer.0.causal_mask_unsqueezed layer.0.mask "
            "layer.0.masked_scores layer.0.weights "
            "layer.0.context layer.0.concat ");
}

TEST(Trace, EncoderAndDecoderHaveTheirOwnStepsAndCrossAttention) {
  Document d = small_document();
  d.texts = {"I do not want to pet it", "man bites dog"};
  d.targets = {"je ne veux pas le caresser ce soir", "chien"};
  d.masks = *masks::parse_list("padding,causal");
  const TracePtr trace = trace_of_options(d);
  const std::int64_t m = trace->find("encoder.tokens")->shape[1], n = trace->find("decoder.tokens")->shape[1];
  EXPECT_NE(m, n);
  EXPECT_EQ(trace->find("encoder.layer.1.scores")->shape, (Shape{2, 4, m, m}));
  EXPECT_EQ(trace->find("decoder.layer.1.scores")->shape, (Shape{2, 4, n, n}));
  EXPECT_EQ(trace->find("decoder.layer.1.cross.weights")->shape, (Shape{2, 4, n, m}));
  EXPECT_EQ(trace->find("decoder.layer.0.cross.k")->inputs[0], "encoder.layer.1.mlp_residual");
  EXPECT_EQ(trace->find("decoder.layer.0.cross.q")->inputs[0], "decoder.layer.0.cross.attention_norm");
  EXPECT_EQ(trace->find("decoder.layer.0.cross.attention_residual")->inputs[0], "decoder.layer.0.attention_residual");
  std::string prefixes;
  for (const AttentionSite& site : trace->sites()) prefixes += site.prefix + " ";
  EXPECT_EQ(prefixes,
            "encoder.layer.0. encoder.layer.1. decoder.layer.0. decoder.layer.1. decoder.layer.0.cross. decoder.layer.1.cross. ");
  EXPECT_EQ(trace->sites()[0].mask.mask.shape(), (Shape{2, 1, 1, m}));
  EXPECT_EQ(trace->sites()[2].mask.mask.shape(), (Shape{2, 1, n, n}));
  EXPECT_EQ(trace->sites()[4].mask.mask.shape(), (Shape{2, 1, 1, m}));
  EXPECT_TRUE(trace->sites()[4].rows_are_targets);
  EXPECT_FALSE(trace->sites()[4].columns_are_targets);
  // The second text is shorter: its padded keys get nothing from any target.
  const Tensor w = get(*trace, "decoder.layer.0.cross.weights");
  for (std::int64_t j = trace->texts()[1].tokens.size(); j < m; ++j) EXPECT_EQ(w.at({1, 2, 0, j}), 0);
}

TEST(Trace, StepsAreFoundByPlaceAndRole) {
  Document document = small_document();
  document.targets = {"chien"};
  document.position = "rotary";
  document.score = "cosine";
  const TracePtr trace = trace_of_options(document);
  for (const AttentionSite& site : trace->sites()) {
    const Step* weights = trace->step_at(site.prefix, Role::weights);
    ASSERT_NE(weights, nullptr);
    EXPECT_EQ(weights->name, site.prefix + "weights");
    EXPECT_EQ(trace->name_at(site.prefix, Role::v), site.v);
    EXPECT_EQ(trace->name_at(site.prefix, Role::q_scored), site.q) << "of two steps of a role the last";
    EXPECT_EQ(trace->step_at(site.prefix, Role::embedding), nullptr);
    EXPECT_EQ(trace->step_at(site.prefix, Role::position), nullptr);
    EXPECT_EQ(trace->name_at(site.prefix, Role::position), "");
    EXPECT_EQ(weights->of_targets, site.rows_are_targets);
    EXPECT_EQ(trace->step_at(site.prefix, Role::mask)->of_targets, site.rows_are_targets);
    EXPECT_EQ(trace->step_at(site.prefix, Role::v)->of_targets, site.columns_are_targets);
    EXPECT_EQ(trace->find(site.k)->of_targets, site.columns_are_targets);
    EXPECT_EQ(trace->step_at(site.prefix, Role::attention_residual)->of_targets, site.rows_are_targets);
  }
  EXPECT_EQ(trace->name_at("decoder.", Role::embedding), "decoder.embedding");
  EXPECT_TRUE(trace->step_at("decoder.", Role::tokens)->of_targets);
  EXPECT_FALSE(trace->step_at("encoder.", Role::tokens)->of_targets);
  EXPECT_TRUE(trace->step_at("decoder.layer.1.", Role::mlp_residual)->of_targets);
  EXPECT_FALSE(trace->values("").ok());
}

TEST(Trace, InputsOfEveryStepAreStepsOrParametersBeforeIt) {
  Document d = small_document();
  d.targets = {"ein flauschiges Wesen"};
  const TracePtr trace = trace_of_options(d);
  std::set<std::string> known;
  for (const NamedParameter& p : trace->parameters()) known.insert(p.name);
  for (const Step& step : trace->steps()) {
    for (const std::string& input : step.inputs) EXPECT_TRUE(known.count(input)) << step.name << " <- " << input;
    EXPECT_TRUE(known.insert(step.name).second) << step.name;
    EXPECT_FALSE(step.operation.empty() || step.formula.empty()) << step.name;
    EXPECT_EQ(step.axes.size(), step.shape.size()) << step.name;
    const Tensor t = get(*trace, step.name);
    EXPECT_EQ(t.shape(), step.shape) << step.name;
    EXPECT_EQ(t.axes(), step.axes) << step.name;
    EXPECT_EQ(t.dtype(), step.dtype) << step.name;
    EXPECT_TRUE(t.contiguous()) << step.name;
  }
  for (const NamedParameter& p : trace->parameters()) EXPECT_EQ(get(*trace, p.name).shape(), p.shape) << p.name;
}

TEST(Trace, MultiHeadEqualsALoopOverHeadsWithSlicesOfTheWeights) {
  // S6: head i owns columns i d_k .. (i + 1) d_k.
  const TracePtr trace = trace_of_options(small_document());
  const Tensor x = get(*trace, "layer.0.attention_norm"), q = get(*trace, "layer.0.q"), weights = get(*trace, "layer.0.weights"),
               context = get(*trace, "layer.0.context"), concat = get(*trace, "layer.0.concat");
  const std::int64_t n = x.dim(1), d = 24, d_k = 6;
  double worst = 0;
  for (std::int64_t h = 0; h < 4; ++h) {
    const auto part = [&](const char* which) {
      const std::string p = std::string("parameters.layer.0.");
      return linear(x, get(*trace, p + "w" + which).slice(1, h * d_k, (h + 1) * d_k),
                    get(*trace, p + "b" + which).slice(0, h * d_k, (h + 1) * d_k));
    };
    const std::vector<double> qs = part("q"), ks = part("k"), vs = part("v");
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<double> e(static_cast<std::size_t>(n));
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        double dot = 0;
        for (std::int64_t c = 0; c < d_k; ++c)
          dot += qs[static_cast<std::size_t>(i * d_k + c)] * ks[static_cast<std::size_t>(j * d_k + c)];
        sum += e[static_cast<std::size_t>(j)] = std::exp(dot / std::sqrt(6.0));
      }
      for (std::int64_t c = 0; c < d_k; ++c) {
        double y = 0;
        for (std::int64_t j = 0; j < n; ++j)
          y += e[static_cast<std::size_t>(j)] / sum * vs[static_cast<std::size_t>(j * d_k + c)];
        worst = std::max({worst, std::abs(y - context.at({0, h, i, c})), std::abs(y - concat.at({0, i, h * d_k + c})),
                          std::abs(qs[static_cast<std::size_t>(i * d_k + c)] - q.at({0, h, i, c}))});
      }
      for (std::int64_t j = 0; j < n; ++j)
        worst = std::max(worst, std::abs(e[static_cast<std::size_t>(j)] / sum - weights.at({0, h, i, j})));
    }
  }
  // Both are double; sums of 24 products of size 1 in another order.
  EXPECT_LE(worst, 1e-13);
  EXPECT_EQ(d, x.dim(2));
}

TEST(Trace, PaddingIsAttendedUnlessItIsMasked) {
  // S5: e^0 = 1, so zeros alone do not keep padded keys out of softmax.
  Document d = small_document();
  d.texts = {"one two three four five", "one two"};
  d.position = "none";
  d.norm = "none";
  d.bias = false;
  const TracePtr open = trace_of_options(d);
  const std::int64_t real = static_cast<std::int64_t>(open->texts()[1].tokens.size()), all = open->find("tokens")->shape[1];
  ASSERT_LT(real, all);
  EXPECT_EQ(get(*open, "tokens").at({1, all - 1}), open->tokenizer()->special(tokenizers::Role::pad));
  for (std::int64_t c = 0; c < 24; ++c) EXPECT_EQ(get(*open, "embedding").at({1, all - 1, c}), 0);
  EXPECT_EQ(get(*open, "layer.0.scores").at({1, 0, 0, all - 1}), 0);
  EXPECT_GT(get(*open, "layer.0.weights").at({1, 0, 0, all - 1}), 0.001);
  EXPECT_NE(open->find("layer.0.weights")->note.find("[PAD] keys are attended"), std::string::npos);
  d.masks = *masks::parse_list("padding");
  const TracePtr masked = trace_of_options(d);
  const Tensor w = get(*masked, "layer.0.weights");
  for (std::int64_t h = 0; h < 4; ++h)
    for (std::int64_t i = 0; i < all; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < all; ++j) {
        sum += w.at({1, h, i, j});
        if (j >= real) {
          EXPECT_EQ(w.at({1, h, i, j}), 0);
        }
      }
      EXPECT_NEAR(sum, 1, 1e-14);  // a few roundings of double
    }
  EXPECT_EQ(masked->find("layer.0.weights")->note.find("[PAD]"), std::string::npos);
  // What the padded sentence says is what it says alone.
  d.texts = {"one two"};
  d.masks.clear();
  const Tensor alone = get(*trace_of_options(d), "layer.1.mlp_residual");
  const Tensor padded = get(*masked, "layer.1.mlp_residual").slice(0, 1, 2).slice(1, 0, real).compact();
  EXPECT_LE(difference(alone, padded).max_abs, 1e-13);
}

TEST(Trace, AFullyMaskedRowIsZerosUnderInfinityAndUniformUnderABillion) {
  Document d = small_document();
  d.masks = *masks::parse_list("custom");
  d.custom_mask =
      std::make_shared<const masks::Matrix>(masks::Matrix{1, 64, std::vector<std::uint8_t>(64, 0)});  // query 0 sees nothing
  for (const bool infinite : {true, false}) {
    d.mask_fill = infinite ? operations::MaskFill::minus_infinity : operations::MaskFill::minus_1e9;
    const TracePtr trace = trace_of_options(d);
    const Tensor w = get(*trace, "layer.0.weights"), masked = get(*trace, "layer.0.masked_scores"),
                 context = get(*trace, "layer.0.context");
    const std::int64_t n = w.dim(3);
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_EQ(w.at({0, 0, 0, j}), infinite ? 0 : 1 / static_cast<double>(n));
      EXPECT_EQ(masked.at({0, 0, 0, j}), infinite ? -std::numeric_limits<double>::infinity() : -1e9);
    }
    if (infinite) {
      EXPECT_EQ(context.at({0, 0, 0, 0}), 0);
    }
    EXPECT_NE(trace->find("layer.0.weights")->note.find(infinite ? "all zeros" : "uniform"), std::string::npos);
  }
}

TEST(Trace, TheSlidesPatternComesOut) {
  // S18, keys down and queries across there; rows are queries here, so both tables are transposed.
  const double printed_scores[6][6] = {
      {3.53, .80, 1.96, 4.48, 3.74, -1.95}, {0, -.30, -.21, .82, .29, 2.91}, {0, 0, .89, .67, 2.99, -.41},
      {0, 0, 0, 1.31, 1.73, -1.48},         {0, 0, 0, 0, 3.07, 2.94},        {0, 0, 0, 0, 0, .31}};
  const double printed_weights[6][6] = {{1, .75, .69, .92, .46, 0}, {0, .25, .08, .02, .01, .46}, {0, 0, .24, .02, .22, .02},
                                        {0, 0, 0, .04, .06, .01},   {0, 0, 0, 0, .24, .48},       {0, 0, 0, 0, 0, .03}};
  const auto backend = *backends::open("reference");
  Tensor q(DType::f64, {1, 1, 6, 6}), k(DType::f64, {1, 1, 6, 6}), v(DType::f64, {1, 1, 6, 6});
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) q.data<double>()[i * 6 + j] = printed_scores[j][i];
    k.data<double>()[i * 7] = v.data<double>()[i * 7] = 1;  // identity: scores = q
  }
  masks::Request request;
  request.queries = request.keys = 6;
  backends::Attention op;
  op.batch = op.heads = 1;
  op.queries = op.keys = op.d_k = op.d_v = 6;
  op.has_mask = op.keep_weights = true;
  const std::vector<backends::Buffer> in{
      {q, {}}, {k, {}}, {v, {}}, {masks::combine(*masks::parse_list("causal"), request, nullptr)->mask, {}}};
  const auto out = backend->apply(op, in);
  ASSERT_TRUE(out) << out.error().sentence();
  for (std::int64_t key = 0; key < 6; ++key)
    for (std::int64_t query = 0; query < 6; ++query) {
      const double w = (*out)[1].host.at({0, 0, query, key});
      // Printed to two digits from scores printed to two digits, cut rather than rounded in places (0.465 as 0.46).
      EXPECT_NEAR(w, printed_weights[key][query], 0.0075) << key << " " << query;
      if (key > query) {
        EXPECT_EQ(w, 0);
      }
    }
  EXPECT_NEAR((*out)[1].host.at({0, 0, 4, 0}), 0.465, 0.0005);
}

TEST(Trace, UnprojectedAttentionUsesTheVectorsThemselves) {
  // S12: e_i' = sum_j softmax_j(e_j . e_i) e_j.
  Document d = small_document();
  d.projected = d.residual = d.feed_forward = false;
  d.norm = "none";
  d.scale = "none";
  d.heads = d.layers = 1;
  const TracePtr trace = trace_of_options(d);
  const Tensor x = get(*trace, "input"), y = get(*trace, "layer.0.concat");
  EXPECT_EQ(difference(get(*trace, "layer.0.q").reshaped(x.shape()), x).max_abs, 0);
  const std::int64_t n = x.dim(1);
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> dots;
    for (std::int64_t j = 0; j < n; ++j) {
      double dot = 0;
      for (std::int64_t c = 0; c < 24; ++c) dot += x.at({0, i, c}) * x.at({0, j, c});
      dots.push_back(dot);
    }
    const double largest = *std::max_element(dots.begin(), dots.end());
    double sum = 0;
    for (double& e : dots) sum += e = std::exp(e - largest);
    for (std::int64_t c = 0; c < 24; ++c) {
      double expected = 0;
      for (std::int64_t j = 0; j < n; ++j) expected += dots[static_cast<std::size_t>(j)] / sum * x.at({0, j, c});
      EXPECT_NEAR(y.at({0, i, c}), expected, 1e-12);  // scores of up to about 60 carry 1e-14 into the exponent
    }
  }
}

TEST(Trace, ScaleAndTemperatureActWhereTheySay) {
  Document d = small_document();
  d.layers = 1;
  d.scale = "0.25";
  d.temperature = 2;
  const TracePtr trace = trace_of_options(d);
  EXPECT_EQ(trace->sites()[0].scale, 0.25);
  const Tensor scores = get(*trace, "layer.0.scores"), scaled = get(*trace, "layer.0.scaled_scores"),
               w = get(*trace, "layer.0.weights");
  EXPECT_EQ(scaled.at({0, 1, 2, 3}), scores.at({0, 1, 2, 3}) * 0.25);
  EXPECT_NEAR(std::log(w.at({0, 1, 2, 3}) / w.at({0, 1, 2, 4})), (scaled.at({0, 1, 2, 3}) - scaled.at({0, 1, 2, 4})) / 2, 1e-12);
  EXPECT_NE(trace->find("layer.0.scaled_scores")->formula.find("0.25"), std::string::npos);
  EXPECT_NE(trace_of_options(small_document())->find("layer.0.scaled_scores")->formula.find("sqrt(6)"), std::string::npos);
}

TEST(Trace, TilesAreThePartsOfTheWhole) {
  Document d = small_document();
  d.texts = {"a b c d e f g h i j", "k l m"};
  d.masks = *masks::parse_list("padding,causal");
  for (const char* backend : {"reference", "cpu"}) {
    d.backend = backend;
    const TracePtr trace = trace_of_options(d);
    for (const Step& step : trace->steps()) {
      if (step.shape.size() < 3) continue;
      SCOPED_TRACE(step.name);
      const Tensor whole = get(*trace, step.name);
      Trace::Tile tile;
      // One mask serves every sentence and every head, and one row of padding every query.
      tile.batch = 1;
      tile.head = step.shape.size() == 4 && step.shape[1] > 1 ? 2 : 0;
      const bool one_row = step.shape[step.shape.size() - 2] == 1;
      tile.row = one_row ? 0 : 1;
      tile.rows = one_row ? 1 : 2;
      tile.column = 3;
      tile.columns = 2;
      const auto part = trace->tile(step.name, tile);
      ASSERT_TRUE(part) << part.error().sentence();
      Tensor expected = whole.select(0, step.shape[0] > 1 ? 1 : 0);
      if (step.shape.size() == 4) expected = expected.select(0, tile.head);
      const Difference difference_ =
          difference(*part, expected.slice(0, tile.row, tile.row + tile.rows).slice(1, 3, 5).compact());
      EXPECT_TRUE(difference_.same_shape);
      EXPECT_FALSE(difference_.nan_mismatch);
      EXPECT_LE(difference_.max_abs, 2e-6);  // float sums of 6 products of size 1 to 4, perhaps in another order
      tile.row = 1000;
      EXPECT_FALSE(trace->tile(step.name, tile)) << "rows beyond the end";
    }
    EXPECT_FALSE(trace->tile("layer.0.nothing", {}));
    EXPECT_FALSE(trace->values("layer.9.q"));
    EXPECT_NE(trace->values("layer.9.q").error().sentence().find("layer.1.q"), std::string::npos);
  }
}

TEST(Trace, CpuAgreesWithReference) {
  Document d = small_document();
  d.texts = {"a fluffy blue creature roamed the verdant forest", "one mole of carbon dioxide"};
  d.masks = *masks::parse_list("padding,causal");
  for (const bool with_target : {false, true}) {
    for (const char* norm : {"pre", "post", "none"}) {
      d.norm = norm;
      d.targets = with_target ? std::vector<std::string>{"un deux", "trois quatre cinq six"} : std::vector<std::string>{};
      d.backend = "reference";
      const TracePtr exact = trace_of_options(d);
      d.backend = "cpu";
      const TracePtr fast = trace_of_options(d);
      for (const Step& step : exact->steps()) {
        const Difference difference_ = difference(get(*fast, step.name), get(*exact, step.name));
        EXPECT_FALSE(difference_.nan_mismatch) << step.name;
        // Float rounding of 6e-8 through two layers of sums of 24 to 96 products; without LayerNorm values grow.
        EXPECT_LE(difference_.nmse, 1e-10) << norm << " " << step.name;
        EXPECT_EQ(exact->find(step.name)->dtype == DType::f64, fast->find(step.name)->dtype == DType::f32) << step.name;
      }
    }
  }
}

TEST(Trace, IsTheSameEveryTimeAndDifferentForAnotherTextOrSeed) {
  Document d = small_document();
  d.backend = "cpu";
  const Tensor a = get(*trace_of_options(d), "layer.1.mlp_residual"), b = get(*trace_of_options(d), "layer.1.mlp_residual");
  EXPECT_EQ(difference(a, b).max_abs, 0);
  d.seed = 1;
  EXPECT_GT(difference(get(*trace_of_options(d), "layer.1.mlp_residual"), a).mean_abs, 0.1);
  d.seed = 0;
  d.texts = {"a fluffy blue creature roamed the verdant desert"};
  const TracePtr other = trace_of_options(d);
  const TracePtr first = trace_of_options(small_document());
  const std::set<std::string> names_of_places{"places", "div_term", "angles", "position", "position_unsqueezed"};
  for (const Step& step : other->steps()) {
    const Step* same = first->find(step.name);
    if (names_of_places.contains(step.name) || step.name.ends_with(".mask") || same->shape != step.shape) continue;
    EXPECT_GT(difference(get(*other, step.name), get(*first, step.name)).max_abs, 0) << step.name;
  }
  EXPECT_NE(trace_of_options(d)->generation(), other->generation());
}

TEST(Trace, EmptyAndUnknownThingsAreSentences) {
  const auto refusal = [](Document d) {
    const auto trace = run(d, **backends::open(d.backend), {});
    return trace ? std::string("accepted") : trace.error().sentence();
  };
  Document d = small_document();
  d.texts = {""};
  EXPECT_NE(refusal(d).find("the sentence is empty"), std::string::npos);
  d.texts = {"", "word"};
  EXPECT_EQ(refusal(d), "accepted");
  d.targets = {"", ""};
  EXPECT_NE(refusal(d).find("--target"), std::string::npos);
  d = small_document();
  d.heads = 5;
  EXPECT_NE(refusal(d).find("divide"), std::string::npos);
}

TEST(Trace, LeadsFromEveryWeightBackToItsInputs) {
  // The inspector's path, over every kind of model: what explain_cell computes in double is what the trace holds.
  for (int kind = 0; kind < 4; ++kind) {
    Document d = small_document();
    d.texts = {"a fluffy blue creature", "one two"};
    d.masks = *masks::parse_list("padding,causal");
    if (kind == 1) d.targets = {"un deux trois quatre cinq six", "sept"};
    if (kind == 2) {
      d.projected = false;
      d.heads = 1;
      d.norm = "none";
    }
    if (kind == 3) {
      d.norm = "post";
      d.temperature = 0.5;
      d.residual = false;
    }
    const TracePtr trace = trace_of_options(d);
    for (const AttentionSite& site : trace->sites()) {
      const auto cell = explain_cell(*trace, {site.prefix, 1, site.heads - 1, site.queries - 1, 1});
      ASSERT_TRUE(cell) << kind << " " << site.prefix << ": " << cell.error().sentence();
      EXPECT_NEAR(cell->dot, cell->dot_in_trace, 1e-12) << kind << " " << site.prefix;
      EXPECT_NEAR(cell->weight, cell->weight_in_trace, 1e-12) << kind << " " << site.prefix;
      EXPECT_EQ(cell->delta.size(), 24u);
      EXPECT_FALSE(cell->residual_step.empty());
      EXPECT_TRUE(cell->random_weights);
    }
    EXPECT_TRUE(explain_token(*trace, false, 1, 1));
  }
}

}  // namespace
}  // namespace headlight
