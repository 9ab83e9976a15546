// Interventions: each against arithmetic of its own, on both CPU backends, with the step cache, with kept keys and values, and
// what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backends/backends.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/row_sum.h"
#include "engine/pipeline/continuation.h"
#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/growing_text.h"
#include "engine/pipeline/run.h"
#include "engine/train/loss_gradients.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

using Options = std::vector<std::pair<std::string, std::vector<std::string>>>;  // a field's id and its texts

void set(Document& document, const Options& options) {
  for (const auto& [id, texts] : options) {
    const Status done = find_field(id)->set(document, texts);
    EXPECT_TRUE(done.ok()) << done.error().sentence();
  }
}

Document sandbox(const Options& options = {}, const std::string& backend = "reference") {
  Document d;
  d.texts = {"a fluffy blue creature roamed"};
  d.tokenizer = "words";
  d.d_model = 24;
  d.heads = 3;
  d.layers = 3;
  d.d_ff = 16;
  d.masks = {{"causal", {}}};
  d.backend = backend;
  set(d, options);
  return d;
}

std::shared_ptr<const Trace> interventions_trace(const Document& document, StepCache* interventions_cache = nullptr) {
  const auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend.ok());
  RunOptions options;
  options.cache = interventions_cache;
  const auto made = run(document, **backend, {}, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
  return made.ok() ? *made : nullptr;
}

Tensor tensor(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  return values.ok() ? values->as(DType::f64).compact() : Tensor();
}
std::vector<double> numbers(const Trace& trace, const std::string& step) {
  const Tensor t = tensor(trace, step);
  return {t.data<double>(), t.data<double>() + t.count()};
}
double greatest(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

constexpr const char* kLast = "layer.2.mlp_residual";

// The matrix of a trace with the rows of one head set to 0, as --matrix takes it.
std::string zeroed_rows(const Trace& trace, const std::string& matrix, std::int64_t head, std::int64_t heads) {
  const Tensor m = tensor(trace, "parameters." + matrix);
  GivenMatrix given{matrix, {}, m.dim(0), m.dim(1), {}};
  const std::int64_t each = m.dim(0) / heads;
  for (std::int64_t r = 0; r < m.dim(0); ++r)
    for (std::int64_t c = 0; c < m.dim(1); ++c)
      given.values.push_back(r / each == head ? 0.0f : static_cast<float>(m.at({r, c})));
  return to_text(given);
}

TEST(Interventions, AHeadTakenOutIsItsRowsOfTheOutputMatrixSetToZero) {
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    const auto plain = interventions_trace(sandbox({}, backend)),
               without = interventions_trace(sandbox({{"without", {"layer.1.head.2"}}}, backend));
    const auto zeroed = interventions_trace(sandbox({{"matrices", {zeroed_rows(*plain, "layer.1.wo", 2, 3)}}}, backend));
    ASSERT_TRUE(plain && without && zeroed);
    const double tolerance = std::string(backend) == "cpu" ? 2e-5 : 1e-12;
    EXPECT_LE(greatest(numbers(*without, kLast), numbers(*zeroed, kLast)), tolerance);
    EXPECT_GE(greatest(numbers(*without, kLast), numbers(*plain, kLast)), 1e-2);
    EXPECT_EQ(numbers(*without, "layer.1.context_own"), numbers(*plain, "layer.1.context")) << "what the model makes stays";
    EXPECT_EQ(numbers(*without, "layer.0.mlp_residual"), numbers(*plain, "layer.0.mlp_residual"));
  }
}

TEST(Interventions, WhatChangesNothingLeavesEveryNumberAsItWas) {
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    const auto plain = interventions_trace(sandbox({}, backend));
    EXPECT_EQ(numbers(*interventions_trace(sandbox({{"scale_head", {"layer.1.attention=1"}}}, backend)), kLast),
              numbers(*plain, kLast));
    // Cells that lie outside the text.
    const auto outside = interventions_trace(sandbox({{"mask_cells", {"layer.1.head.0=90:1"}}}, backend));
    EXPECT_LE(greatest(numbers(*outside, kLast), numbers(*plain, kLast)), std::string(backend) == "cpu" ? 1e-5 : 1e-12);
  }
  // Of a text of one token every pattern is 1: equal weights are its own, and so is its mean.
  Document one = sandbox(), uniform = sandbox({{"uniform", {"layer.0.attention"}}}),
           mean = sandbox({{"mean", {"layer.1.head.1"}}});
  for (Document* d : {&one, &uniform, &mean}) d->texts = {"a"};
  EXPECT_LE(greatest(numbers(*interventions_trace(uniform), kLast), numbers(*interventions_trace(one), kLast)), 1e-12);
  EXPECT_LE(greatest(numbers(*interventions_trace(mean), kLast), numbers(*interventions_trace(one), kLast)), 1e-12);
  EXPECT_FALSE(interventions_trace(one)->find("layer.0.weights_own"));
}

TEST(Interventions, EqualWeightsCountTheKeysThatTheMaskAllows) {
  const auto trace = interventions_trace(sandbox({{"uniform", {"layer.0.head.1"}}}));
  const Tensor weights = tensor(*trace, "layer.0.weights"), own = tensor(*trace, "layer.0.weights_own");
  const Tensor v = tensor(*trace, "layer.0.v"), context = tensor(*trace, "layer.0.context");
  for (std::int64_t i = 0; i < weights.dim(2); ++i) {
    for (std::int64_t j = 0; j < weights.dim(3); ++j) {
      EXPECT_DOUBLE_EQ(weights.at({0, 1, i, j}), j <= i ? 1.0 / static_cast<double>(i + 1) : 0) << i << ", " << j;
      EXPECT_EQ(weights.at({0, 0, i, j}), own.at({0, 0, i, j}));
    }
    for (std::int64_t d = 0; d < v.dim(3); ++d) {
      double mean = 0;
      for (std::int64_t j = 0; j <= i; ++j) mean += v.at({0, 1, j, d}) / static_cast<double>(i + 1);
      EXPECT_NEAR(context.at({0, 1, i, d}), mean, 1e-12);
    }
  }
}

TEST(Interventions, MaskedCellsAreWhatAMaskOfTheirOwnMakes) {
  // All heads of the only attention: the same as the document's own mask without these cells.
  Document by_hand = sandbox({{"layers", {"1"}}, {"mask_cells", {"layer.0.attention=2:1,3:0,3:3"}}});
  Document masked = sandbox({{"layers", {"1"}}});
  const auto changed = interventions_trace(by_hand);
  const auto n = static_cast<std::int64_t>(changed->texts()[0].tokens.size());
  std::string matrix;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) matrix += (i == 2 && j == 1) || (i == 3 && (j == 0 || j == 3)) || j > i ? '0' : '1';
    if (i + 1 < n) matrix += '/';
  }
  set(masked, {{"masks", {"causal,custom"}}, {"custom_mask", {matrix}}});
  const auto expected = interventions_trace(masked);
  EXPECT_LE(greatest(numbers(*changed, "layer.0.weights"), numbers(*expected, "layer.0.weights")), 1e-12);
  EXPECT_LE(greatest(numbers(*changed, "layer.0.mlp_residual"), numbers(*expected, "layer.0.mlp_residual")), 1e-12);
  // A row of which nothing is left is 0, as one that is masked as a whole.
  const auto empty = interventions_trace(sandbox({{"mask_cells", {"layer.0.head.0=0:0"}}}));
  EXPECT_EQ(tensor(*empty, "layer.0.weights").at({0, 0, 0, 0}), 0);
}

TEST(Interventions, APatternOfAnotherSentenceTakesThePlaceOfItsOwn) {
  const std::string other = "the verdant green monster slept";
  Document of_other = sandbox();
  of_other.texts = {other};
  const auto theirs = interventions_trace(of_other), own = interventions_trace(sandbox());
  ASSERT_EQ(theirs->texts()[0].tokens.size(), own->texts()[0].tokens.size()) << "the test needs sentences of one length";
  const auto mixed = interventions_trace(sandbox({{"pattern_from", {"layer.1.head.1=" + other}}}));
  const Tensor used = tensor(*mixed, "layer.1.weights"), from = tensor(*theirs, "layer.1.weights");
  for (std::int64_t i = 0; i < used.dim(2); ++i)
    for (std::int64_t j = 0; j < used.dim(3); ++j) EXPECT_DOUBLE_EQ(used.at({0, 1, i, j}), from.at({0, 1, i, j}));
  EXPECT_GE(greatest(numbers(*mixed, kLast), numbers(*own, kLast)), 1e-3);
  const auto same = interventions_trace(sandbox({{"pattern_from", {"layer.1.attention=" + sandbox().texts[0]}}}));
  EXPECT_LE(greatest(numbers(*same, kLast), numbers(*own, kLast)), 1e-12);
  const auto backend = backends::open("reference");
  const auto refused = run(sandbox({{"pattern_from", {"layer.1.head.1=a"}}}), **backend, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("layer.1.head.1: 'a' has length 1 in tokens, and what it replaces has length 5"),
            std::string::npos)
      << refused.error().sentence();
}

TEST(Interventions, AMeanIsTakenOverTheTextsOwnPositions) {
  Document two = sandbox({{"mean", {"layer.1.head.0"}}, {"masks", {"causal,padding"}}});
  two.texts = {"a fluffy blue creature roamed", "a dog"};
  const auto trace = interventions_trace(two);
  const Tensor own = tensor(*trace, "layer.1.context_own"), used = tensor(*trace, "layer.1.context");
  for (std::int64_t b = 0; b < 2; ++b) {
    const auto n = static_cast<std::int64_t>(trace->texts()[static_cast<std::size_t>(b)].tokens.size());
    for (std::int64_t d = 0; d < own.dim(3); ++d) {
      double mean = 0;
      for (std::int64_t i = 0; i < n; ++i) mean += own.at({b, 0, i, d}) / static_cast<double>(n);
      for (std::int64_t i = 0; i < n; ++i) {
        EXPECT_NEAR(used.at({b, 0, i, d}), mean, 1e-12);
        EXPECT_EQ(used.at({b, 1, i, d}), own.at({b, 1, i, d}));
      }
    }
  }
}

TEST(Interventions, ALayerTakenOutLetsTheVectorsPass) {
  const auto trace = interventions_trace(sandbox({{"without", {"layer.1"}}}));
  EXPECT_EQ(numbers(*trace, "layer.1.mlp_residual"), numbers(*trace, "layer.0.mlp_residual"));
  const auto attention = interventions_trace(sandbox({{"without", {"layer.1.attention"}}}));
  EXPECT_EQ(numbers(*attention, "layer.1.attention_residual"), numbers(*attention, "layer.0.mlp_residual"));
  EXPECT_NE(numbers(*attention, "layer.1.mlp_residual"), numbers(*attention, "layer.0.mlp_residual"));
  const auto scaled = interventions_trace(sandbox({{"scale_head", {"layer.1.head.2=-0.5"}}}));
  const Tensor own = tensor(*scaled, "layer.1.context_own"), used = tensor(*scaled, "layer.1.context");
  EXPECT_DOUBLE_EQ(used.at({0, 2, 3, 4}), -0.5 * own.at({0, 2, 3, 4}));
}

TEST(Interventions, WithTheStepCacheTheNumbersAreTheSame) {
  StepCache interventions_cache;
  const std::vector<Options> all = {{},
                                    {{"without", {"layer.1.head.2"}}},
                                    {{"uniform", {"layer.1.head.2"}}},
                                    {{"uniform", {"layer.1.head.1"}}},
                                    {{"mask_cells", {"layer.1.head.1=3:1"}}},
                                    {{"mask_cells", {"layer.1.head.1=3:2"}}},
                                    {{"scale_head", {"layer.0.head.0=2"}}, {"mean", {"layer.2"}}},
                                    {{"pattern_from", {"layer.1.head.1=the verdant green monster slept"}}},
                                    {{"pattern_from", {"layer.1.head.1=the fluffy green monster slept"}}},
                                    {}};
  for (const char* backend : {"reference", "cpu"})
    for (const Options& options : all)
      EXPECT_EQ(numbers(*interventions_trace(sandbox(options, backend), &interventions_cache), kLast),
                numbers(*interventions_trace(sandbox(options, backend)), kLast));
}

TEST(Interventions, EveryNumberOfAChangedTraceIsExplained) {
  Options options = {{"without", {"layer.0.head.0", "layer.2.attention"}},
                     {"mean", {"layer.0.head.1", "layer.1.feed_forward"}},
                     {"uniform", {"layer.0.head.2"}},
                     {"scale_head", {"layer.1.head.1=3"}},
                     {"mask_cells", {"layer.1.head.0=3:1,4:0"}}};
  for (const char* backend : {"reference", "cpu"}) {
    const auto trace = interventions_trace(sandbox(options, backend));
    ASSERT_TRUE(trace);
    for (const Step& step : trace->steps()) {
      for (int sample = 0; sample < 6; ++sample) {
        ValueAddress at{step.name, {}};
        for (std::size_t axis = 0; axis < step.shape.size(); ++axis)
          at.index.push_back((sample * 7 + 3 * static_cast<int>(axis)) % step.shape[axis]);
        const auto e = explain_value(*trace, at);
        ASSERT_TRUE(e.ok()) << step.name << ": " << e.error().sentence();
        const bool same = e->computed == e->value || std::abs(e->computed - e->value) <= e->tolerance;
        EXPECT_TRUE(same) << backend << " " << to_text(*e);
      }
    }
    EXPECT_NE(trace->find("layer.0.context")->note.find("head 0: 0; head 1: its mean"), std::string::npos)
        << trace->find("layer.0.context")->note;
    const auto cell = explain_cell(*trace, {"layer.0.", 0, 2, 3, 1});
    ASSERT_TRUE(cell.ok());
    EXPECT_TRUE(cell->weights_replaced);
    EXPECT_NEAR(cell->weight, 0.25, 1e-6);
    const auto row = row_sum(*trace, "layer.0.", 0, 0, 3);
    ASSERT_TRUE(row.ok());
    for (const double one : row->head_adds) EXPECT_EQ(one, 0) << "a head that is taken out adds nothing";
  }
}

TEST(Interventions, SidesOfATranslationAreChangedEach) {
  const auto tiny = tests::tiny_model("without-pairs", ModelTask::encoder_decoder);
  ASSERT_TRUE(tiny.write().ok());
  const auto document = [&](const Options& options) {
    Document d;
    d.texts = {"the cat"};
    d.targets = {"le rat"};
    d.backend = "reference";
    set(d, {{"model", {tiny.name()}}});
    set(d, options);
    return d;
  };
  const auto plain = interventions_trace(document({}));
  for (const char* place : {"encoder.layer.1.head.0", "decoder.layer.0.head.1", "decoder.layer.1.cross.head.1",
                            "decoder.layer.1.cross", "encoder.layer.0", "decoder.layer.0.feed_forward"}) {
    const auto changed = interventions_trace(document({{"without", {place}}}));
    EXPECT_GE(greatest(numbers(*changed, "logits"), numbers(*plain, "logits")), 1e-3) << place;
    if (std::string(place).starts_with("decoder.")) {
      EXPECT_EQ(numbers(*changed, "encoder.layer.1.mlp_residual"), numbers(*plain, "encoder.layer.1.mlp_residual")) << place;
    }
  }
  const auto head = interventions_trace(document({{"without", {"decoder.layer.1.cross.head.1"}}}));
  Document zeroed = document({});
  set(zeroed, {{"matrices", {zeroed_rows(*plain, "decoder.layer.1.cross.wo", 1, 2)}}});
  EXPECT_LE(greatest(numbers(*head, "logits"), numbers(*interventions_trace(zeroed), "logits")), 1e-12);
  // The sentence stands in for the source in cross-attention.
  const auto mixed = interventions_trace(document({{"pattern_from", {"decoder.layer.0.cross.head.0=the dog"}}}));
  ASSERT_TRUE(mixed);
  Document other = document({});
  other.texts = {"the dog"};
  EXPECT_EQ(tensor(*mixed, "decoder.layer.0.cross.weights").at({0, 0, 2, 5}),
            tensor(*interventions_trace(other), "decoder.layer.0.cross.weights").at({0, 0, 2, 5}));
}

TEST(Interventions, PositionsTakenOutAreThoseOfAModelWithoutAny) {
  for (const char* position : {"sinusoidal", "learned", "rotary", "alibi", "relative"}) {
    const auto with = interventions_trace(sandbox({{"position", {position}}}));
    const auto out = interventions_trace(sandbox({{"position", {position}}, {"without", {"positions"}}}));
    const auto none = interventions_trace(sandbox({{"position", {"none"}}}));
    EXPECT_EQ(numbers(*out, kLast), numbers(*none, kLast)) << position;
    EXPECT_GE(greatest(numbers(*out, kLast), numbers(*with, kLast)), 1e-2) << position;
    EXPECT_NE(out->find("input")->note.find("left out"), std::string::npos);
  }
}

TEST(Interventions, WithoutThePositionsOfItsEncoderATranslationReadsABagOfWords) {
  const auto tiny = tests::tiny_model("bag-of-words", ModelTask::encoder_decoder);
  ASSERT_TRUE(tiny.write().ok());
  const auto logits = [&](const char* text, const Options& options) {
    Document d;
    d.texts = {text};
    d.targets = {"le rat"};
    d.backend = "reference";
    set(d, {{"model", {tiny.name()}}});
    set(d, options);
    return numbers(*interventions_trace(d), "logits");
  };
  const Options encoder = {{"without", {"encoder.positions"}}}, both = {{"without", {"positions"}}};
  EXPECT_GE(greatest(logits("the cat", {}), logits("cat the", {})), 1e-2);
  EXPECT_LE(greatest(logits("the cat", encoder), logits("cat the", encoder)), 1e-12);
  EXPECT_LE(greatest(logits("the cat", both), logits("cat the", both)), 1e-12);
  EXPECT_GE(greatest(logits("the cat", encoder), logits("the cat", both)), 1e-3) << "the decoder has its own";
  EXPECT_EQ(logits("the cat", both), logits("the cat", {{"without", {"encoder.positions,decoder.positions"}}}));
}

Result<Predictor> interventions_predictor_of(const tests::TinyModel& tiny, const Options& options) {
  Document list;
  set(list, options);
  HL_ASSIGN(auto model, open_stored_model(tiny.name()));
  HL_ASSIGN(auto changed, with_interventions(std::move(model), list.interventions));
  HL_ASSIGN(auto backend, backends::open("reference"));
  return Predictor::open(std::move(changed), std::move(backend));
}

TEST(Interventions, GenerationIsThatOfTheChangedModelWithOrWithoutKeptKeys) {
  const auto tiny = tests::tiny_model("without-generate");
  ASSERT_TRUE(tiny.write().ok());
  struct Way {
    Options options;
    bool kept;  // whether keys and values can be kept
  };
  const std::vector<Way> ways = {{{}, true},
                                 {{{"without", {"layer.0.head.1", "layer.1.feed_forward"}}}, true},
                                 {{{"scale_head", {"layer.1.head.0=-2"}}}, true},
                                 {{{"without", {"positions"}}}, true},
                                 {{{"mean", {"layer.0.head.0"}}}, false},
                                 {{{"uniform", {"layer.1.attention"}}}, false},
                                 {{{"mask_cells", {"layer.0.attention=3:0,4:1,5:0"}}}, false}};
  for (const Way& way : ways) {
    const auto predictor = interventions_predictor_of(tiny, way.options);
    ASSERT_TRUE(predictor.ok()) << predictor.error().sentence();
    EXPECT_EQ(Continuation::possible(*predictor->continued()), way.kept);
    GenerateOptions how;
    how.tokens = 6;
    const auto made = generate(*predictor, {"a dog"}, how, {}, {});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    // Token by token, each by the whole text so far without anything kept.
    TokenIds ids = *predictor->beginning("a dog", {});
    for (const Generated::Step& step : made->front().steps) {
      const auto logits = predictor->logits({&ids, 1}, {}, {});
      ASSERT_TRUE(logits.ok()) << logits.error().sentence();
      const auto scores = scores_at(*logits, 0, static_cast<std::int64_t>(ids.size()) - 1);
      EXPECT_EQ(step.candidates.front().token, step.token);
      EXPECT_NEAR(std::exp(log_probability(scores, step.token)), step.candidates.front().probability, 1e-9) << ids.size();
      ids.push_back(step.token);
    }
    // And the first by a trace.
    Document document;
    set(document, {{"model", {tiny.name()}}});
    set(document, way.options);
    document.texts = {"a dog"};
    document.add_end = false;
    document.backend = "reference";
    const Tensor shares = tensor(*interventions_trace(document), "probabilities");
    const Generated::Step& first = made->front().steps.front();
    EXPECT_NEAR(shares.at({0, shares.dim(1) - 1, first.token}), first.candidates.front().probability, 1e-9);
  }
}

TEST(Interventions, EvaluationAndGradientsAreThoseOfTheChangedModel) {
  const auto tiny = tests::tiny_model("without-evaluate");
  ASSERT_TRUE(tiny.write().ok());
  const Options options = {{"without", {"layer.0.head.1"}}};
  const auto plain = interventions_predictor_of(tiny, {}), changed = interventions_predictor_of(tiny, options);
  ASSERT_TRUE(plain.ok() && changed.ok());
  const auto a = evaluate_text(*plain, "the dog ran", "test", {}, {}), b = evaluate_text(*changed, "the dog ran", "test", {}, {});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_GT(std::abs(a->nats_per_token() - b->nats_per_token()), 1e-4);
  Document document;
  set(document, {{"model", {tiny.name()}}});
  set(document, options);
  document.texts = {"the dog ran"};
  document.backend = "reference";
  const auto trace = interventions_trace(document);
  const auto gradients = train::loss_gradients(*trace, *backends::open("reference"), {});
  ASSERT_TRUE(gradients.ok()) << gradients.error().sentence();
  bool found = false;
  for (const auto& [name, values] : *gradients) {
    if (name != "grad.parameters.layer.0.wo") continue;
    found = true;
    const Tensor wide = values.as(DType::f64);
    for (std::int64_t r = 0; r < wide.dim(0); ++r)
      EXPECT_EQ(wide.at({r, 0}) == 0, r >= wide.dim(0) / 2) << "rows of the head that is taken out move nothing";
  }
  EXPECT_TRUE(found);
  set(document, {{"uniform", {"layer.0.head.0"}}});
  const auto refused = train::loss_gradients(*interventions_trace(document), *backends::open("reference"), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("layer.0.head.0: no gradient goes through weights that are replaced"),
            std::string::npos);
}

TEST(Interventions, TheSharesOfALogitAddUpInAChangedModel) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const bool two = task == ModelTask::encoder_decoder;
    const auto tiny = tests::tiny_model(two ? "without-shares-2" : "without-shares", task);
    ASSERT_TRUE(tiny.write().ok());
    const std::string side = two ? "decoder." : "";
    for (const Options& options : {Options{{"without", {side + "layer.0.head.1"}}},
                                   Options{{"without", {side + "layer.0.attention", side + "layer.1.feed_forward"}}},
                                   Options{{"mean", {side + "layer.1.attention", side + "layer.0.head.0"}}},
                                   Options{{"uniform", {side + "layer.1.head.0"}}}}) {
      Document document;
      set(document, {{"model", {tiny.name()}}});
      set(document, options);
      document.texts = {"the dog"};
      if (two) document.targets = {"le rat"};
      document.backend = "reference";
      const auto shares = logit_contributions(*interventions_trace(document), 0, 3, 20, {});
      ASSERT_TRUE(shares.ok()) << shares.error().sentence();
      EXPECT_NEAR(shares->rest, 0, 1e-9) << options.front().first << " " << options.front().second.front();
    }
  }
}

TEST(Interventions, ATextGrowsAsTheChangedModelSays) {
  const auto tiny = tests::tiny_model("without-growing");
  ASSERT_TRUE(tiny.write().ok());
  Document document;
  set(document, {{"model", {tiny.name()}}, {"without", {"layer.0.head.1"}}});
  const auto predictor = interventions_predictor_of(tiny, {{"without", {"layer.0.head.1"}}});
  ASSERT_TRUE(predictor.ok());
  auto growing = GrowingText::open(document, {}, *backends::open("reference"));
  ASSERT_TRUE(growing.ok()) << growing.error().sentence();
  const TokenIds ids = *predictor->beginning("the dog", {});
  const auto scores = growing->scores_behind(ids, {});
  ASSERT_TRUE(scores.ok());
  const auto whole = scores_at(*predictor->logits({&ids, 1}, {}, {}), 0, static_cast<std::int64_t>(ids.size()) - 1);
  EXPECT_LE(greatest(*scores, whole), 1e-9);
  set(document, {{"mean", {"layer.1.head.0"}}});
  const auto refused = GrowingText::open(document, {}, *backends::open("reference"));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("a mean or a replaced pattern depends on the whole text"), std::string::npos);
}

TEST(Interventions, WhatDoesNotExistIsNamedWithWhatDoes) {
  const auto refusal = [](const Options& options) -> std::string {
    Document d = sandbox();
    for (const auto& [id, texts] : options)
      if (const Status done = find_field(id)->set(d, texts); !done) return done.error().sentence();
    const Status valid = validate(d);
    return valid ? "accepted" : valid.error().sentence();
  };
  const auto says = [&](const Options& options, const std::string& part) {
    EXPECT_NE(refusal(options).find(part), std::string::npos) << refusal(options);
  };
  says({{"without", {"layer.9.head.2"}}}, "layer.9.head.2: sandbox has layers 0 to 2");
  says({{"without", {"layer.1.head.7"}}}, "layer.1.head.7: sandbox has heads 0 to 2 in each layer");
  says({{"without", {"layer.1.heads.1"}}}, "there is no 'heads', did you mean 'head'?");
  says({{"uniform", {"layr.1.head.1"}}},
       "--uniform: 'layr.1.head.1' is no part of a model: there is no 'layr', did you mean 'layer'?");
  says({{"without", {"layer.one"}}}, "a layer has a number");
  says({{"without", {"layer.1.head"}}}, "the head's number is missing");
  says({{"without", {""}}}, "no part of the model is named");
  says({{"without", {"layer.1.head.1.weights"}}}, "nothing is within 'layer.1.head.1'");
  says({{"without", {"decoder.layer.1"}}}, "decoder.layer.1: sandbox has no encoder and decoder here; write layer.1");
  says({{"uniform", {"layer.1"}}}, "this is done to heads, and 'layer.1' is none");
  says({{"scale_head", {"layer.1.head.1"}}}, "no factor is given");
  says({{"scale_head", {"layer.1.head.1=half"}}}, "'half' is no factor");
  says({{"mask_cells", {"layer.1.head.1=3"}}}, "'3' is no cell");
  says({{"mask_cells", {"layer.1.head.1="}}}, "no cells are given");
  says({{"pattern_from", {"layer.1.head.1"}}}, "no sentence is given");
  says({{"without", {"layer.1.head.1"}}, {"mean", {"layer.1.head.1"}}}, "layer.1.head.1: it is replaced twice");
  says({{"mean", {"positions"}}}, "positions: positions can be taken out and nothing else");
  says({{"uniform", {"positions"}}}, "positions: positions can be taken out and nothing else");
  says({{"without", {"positions.1"}}}, "nothing is within 'positions'");
  says({{"without", {"encoder.positions"}}}, "encoder.positions: sandbox has no encoder and decoder here");
  says({{"position", {"none"}}, {"without", {"positions"}}}, "positions: sandbox has no positions that could be taken out");
  EXPECT_EQ(refusal({{"without", {"positions"}}}), "accepted");
  EXPECT_EQ(refusal({{"without", {"layer.1.head.1,layer.2", "layer.0.attention"}}}), "accepted");
}

TEST(Interventions, ADocumentKeepsThemAndWithoutAnyIsWhatItWas) {
  EXPECT_EQ(to_json(sandbox()).find("without"), std::string::npos);
  const Options options = {{"without", {"layer.1.head.2", "layer.0", "positions"}},
                           {"mean", {"layer.2.attention"}},
                           {"uniform", {"layer.0.head.1"}},
                           {"scale_head", {"layer.2.head.0=0.25"}},
                           {"pattern_from", {"layer.1.head.0=a = b, c"}},
                           {"mask_cells", {"layer.2.head.1=4:1,5:0"}}};
  const Document document = sandbox(options);
  const auto back = document_from_json(to_json(document), "test");
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  EXPECT_EQ(*back, document);
  EXPECT_EQ(back->interventions.size(), 8u);
  Document reversed = sandbox();
  for (auto it = options.rbegin(); it != options.rend(); ++it) set(reversed, {*it});
  EXPECT_EQ(reversed, document) << "the order in which kinds are given does not matter";
  EXPECT_NE(document, sandbox());
}

}  // namespace
}  // namespace headlight
