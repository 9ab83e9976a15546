// The sandbox's heads made one by the 2-D stack (S4), keys and values from one projection (S10), and padding by an index behind
// the vocabulary (S5): steps and shapes, plain loops in double, explanations, and gradients against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/backends/backends.h"
#include "engine/document/intervention.h"
#include "engine/document/presets.h"
#include "engine/insight/combined_heads.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/layer_ledger.h"
#include "engine/insight/value_map.h"
#include "engine/train/learner.h"
#include "tests/support/small_sandbox.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

using tests::small_sandbox;
using tests::trace_of;

Document stacked() {
  Document d = small_sandbox();
  d.combiner = "stack2d";
  d.stack_hidden = 5;
  return d;
}

Tensor doubles(const Trace& trace, const std::string& name) { return trace.values(name).value().as(DType::f64).compact(); }

TEST(StackedHeads, HaveTheirShapesAndFewNumbers) {
  const auto trace = trace_of(stacked());
  ASSERT_NE(trace, nullptr);
  const auto shape = [&](const char* name) {
    const Step* step = trace->find(name);
    return step ? step->shape : Shape{};
  };
  EXPECT_EQ(shape("layer.0.q"), (Shape{2, 3, 5, 24}));  // d_k = d
  EXPECT_EQ(shape("layer.0.context"), (Shape{2, 3, 5, 24}));
  EXPECT_EQ(shape("layer.0.heads_stacked"), (Shape{2, 5, 24, 3}));
  EXPECT_EQ(shape("layer.0.stack_hidden"), (Shape{2, 5, 24, 5}));
  EXPECT_EQ(shape("layer.0.attention_output"), (Shape{2, 5, 24}));
  EXPECT_EQ(trace->find("layer.0.concat"), nullptr);
  EXPECT_EQ(trace->values("parameters.layer.0.wq").value().shape(), (Shape{24, 72}));
  EXPECT_EQ(trace->values("parameters.layer.0.wh").value().shape(), (Shape{3, 5}));
  EXPECT_EQ(trace->values("parameters.layer.0.wo").value().shape(), (Shape{5, 1}));
}

// tanh(tanh(Stack W_H) W_O), from the context alone.
void expect_the_stack(const Trace& trace, const std::string& place, double tolerance) {
  const Tensor heads = doubles(trace, place + "context"), wh = doubles(trace, "parameters." + place + "wh"),
               wo = doubles(trace, "parameters." + place + "wo"), out = doubles(trace, place + "attention_output");
  double apart = 0;
  for (std::int64_t b = 0; b < out.dim(0); ++b)
    for (std::int64_t i = 0; i < out.dim(1); ++i)
      for (std::int64_t c = 0; c < out.dim(2); ++c) {
        double sum = 0;
        for (std::int64_t f = 0; f < wh.dim(1); ++f) {
          double inner = 0;
          for (std::int64_t h = 0; h < wh.dim(0); ++h) inner += heads.at({b, h, i, c}) * wh.at({h, f});
          sum += std::tanh(inner) * wo.at({f, 0});
        }
        apart = std::max(apart, std::abs(std::tanh(sum) - out.at({b, i, c})));
      }
  EXPECT_LE(apart, tolerance) << place;
}

TEST(StackedHeads, AreWhatPlainLoopsMakeOfThem) {
  for (const char* backend : {"reference", "cpu"})
    for (const bool crossed : {false, true}) {
      Document d = stacked();
      d.backend = backend;
      if (crossed) d.targets = {"le chat", "un homme mord le chien"};
      const auto trace = trace_of(d);
      ASSERT_NE(trace, nullptr);
      for (const AttentionSite& site : trace->sites()) expect_the_stack(*trace, site.prefix, d.backend == "cpu" ? 1e-5 : 1e-14);
    }
}

TEST(StackedHeads, EveryNumberIsWrittenOut) {
  for (const char* qkv : {"separate", "one"}) {
    Document d = stacked();
    d.qkv = qkv;
    const auto trace = trace_of(d);
    ASSERT_NE(trace, nullptr);
    for (const char* step : {"heads_stacked", "stack_hidden", "attention_output", "q", "k", "v"}) {
      ValueAddress at{std::string("layer.1.") + step, {1, 0, 2, 1}};
      if (trace->find(at.step)->shape.size() == 3) at.index = {1, 2, 17};
      const auto e = explain_value(*trace, at);
      ASSERT_TRUE(e.ok()) << at.step << ": " << e.error().sentence();
      EXPECT_EQ(e->check, ValueCheck::computed) << at.step;
      EXPECT_NEAR(e->value, e->computed, e->tolerance) << at.step;
      EXPECT_FALSE(e->inputs.empty()) << at.step;
    }
  }
}

TEST(StackedHeads, AddUpAsAWholeAndHaveNoSharesOfTheirOwn) {
  const auto trace = trace_of(stacked());
  ASSERT_NE(trace, nullptr);
  const auto ledger = layer_ledger(*trace, "", 1, 0, 3, {});
  ASSERT_TRUE(ledger.ok()) << ledger.error().sentence();
  EXPECT_LE(ledger->difference, ledger->tolerance);
  for (const LayerLedger::Row& row : ledger->rows) EXPECT_NE(row.kind, LayerLedger::Kind::head);
  const auto map = value_map(*trace, trace->sites()[0], 0, {});
  ASSERT_FALSE(map.ok());
  EXPECT_NE(map.error().sentence().find("through tanh"), std::string::npos);
}

TEST(StackedHeads, BesideConcatOfTheSameHeads) {
  const auto trace = trace_of(stacked());
  ASSERT_NE(trace, nullptr);
  const auto both = combine_both_ways(*trace, trace->sites()[1], 0, {});
  ASSERT_TRUE(both.ok()) << both.error().sentence();
  EXPECT_EQ(both->stack.parameters, 3 * 5 + 5);
  EXPECT_EQ(both->concat.parameters, 3 * 24 * 24);
  EXPECT_EQ(both->stack.at_course_sizes, 528);
  EXPECT_EQ(both->concat.at_course_sizes, 8'388'608);
  EXPECT_GT(both->stack.seconds, 0);
  EXPECT_GT(both->concat.seconds, 0);
  const Tensor own = doubles(*trace, "layer.1.attention_output");
  const Tensor heads = doubles(*trace, "layer.1.context"), wide = both->concat_matrix.as(DType::f64).compact();
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t c = 0; c < 24; ++c) {
      EXPECT_NEAR(both->stack.output.at({i, c}), own.at({0, i, c}), 1e-12);
      double sum = 0;
      for (std::int64_t h = 0; h < 3; ++h)
        for (std::int64_t k = 0; k < 24; ++k) sum += heads.at({0, h, i, k}) * wide.at({h * 24 + k, c});
      EXPECT_NEAR(both->concat.output.at({i, c}), sum, 1e-12);
    }
  Document side = small_sandbox();
  const auto without = trace_of(side);
  EXPECT_FALSE(combine_both_ways(*without, without->sites()[0], 0, {}).ok());
  const Document wide_heads = with_stacked_heads(side, 0);
  EXPECT_EQ(wide_heads.combiner, "stack2d");
  EXPECT_EQ(wide_heads.layers, 1);
  EXPECT_TRUE(validate(wide_heads).ok());
}

TEST(StackedHeads, AreRefusedWithASentence) {
  const auto refusal = [](auto change) {
    Document d = stacked();
    change(d);
    const Status status = validate(d);
    return status.ok() ? std::string("accepted") : status.error().sentence();
  };
  EXPECT_EQ(refusal([](Document& d) { d.heads = 5; }), "accepted");  // heads of full width need not divide d_model
  EXPECT_NE(refusal([](Document& d) {
              d.projected = false;
              d.heads = 1;
            }).find("nothing to stack"),
            std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.stack_hidden = 0; }).find("--stack-hidden"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.combiner = "stack"; }).find("stack2d"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) {
              d.qkv = "shared";
              d.score = "location";
            }).find("--qkv"),
            std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d = Document{}, d.model = "stories", d.qkv = "one"; }), "accepted");
}

// A head that is taken out is taken out of the stack, too: the model's own output is still what the page computes from its heads.
TEST(StackedHeads, WithAHeadTakenOutTheStackIsStillTheModels) {
  Document d = stacked();
  d.interventions = interventions_from_text(Intervention::Kind::zero, "layer.1.head.1").value();
  const auto trace = trace_of(d);
  ASSERT_NE(trace, nullptr);
  const auto both = combine_both_ways(*trace, trace->sites()[1], 0, {});
  ASSERT_TRUE(both.ok()) << both.error().sentence();
  const Tensor own = doubles(*trace, "layer.1.attention_output");
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t c = 0; c < 24; ++c) EXPECT_NEAR(both->stack.output.at({i, c}), own.at({0, i, c}), 1e-12);
}

TEST(SharedProjections, AreTheSameRows) {
  for (const char* qkv : {"shared", "one"}) {
    Document d = small_sandbox();
    d.qkv = qkv;
    d.targets = {"le chat", "un homme mord le chien"};
    const auto trace = trace_of(d);
    ASSERT_NE(trace, nullptr);
    for (const AttentionSite& site : trace->sites()) {
      const auto same = [&](const char* a, const char* b) {
        const Tensor x = doubles(*trace, site.prefix + a), y = doubles(*trace, site.prefix + b);
        const auto v = x.values<double>(), w = y.values<double>();
        return std::equal(v.begin(), v.end(), w.begin(), w.end());
      };
      EXPECT_TRUE(same("k", "v")) << site.prefix;
      const bool one = d.qkv == "one" && site.site != masks::Site::cross;
      EXPECT_EQ(same("q", "k"), one) << site.prefix;
      const auto has = [&](const char* name) {
        for (const NamedParameter& p : trace->parameters())
          if (p.name == "parameters." + site.prefix + name) return true;
        return false;
      };
      EXPECT_TRUE(has("wq"));
      EXPECT_EQ(has("wk"), !one);
      EXPECT_FALSE(has("wv"));
      // The value map's V_down is then the keys' matrix, or the queries', and the sum over heads still is Concat W_O.
      const auto sum = value_sum(*trace, site, 0, {});
      ASSERT_TRUE(sum.ok()) << sum.error().sentence();
      EXPECT_TRUE(sum->equal()) << site.prefix;
    }
  }
}

TEST(PaddingRow, StandsBehindTheVocabulary) {
  Document d;
  presets::registry().find("walkthrough")->apply(d);
  const auto trace = trace_of(d);
  ASSERT_NE(trace, nullptr);
  const std::int64_t v = trace->tokenizer()->vocabulary_size();
  EXPECT_EQ(trace->find("logits")->shape, (Shape{20, 10, v}));
  std::int64_t tables = 0;
  for (const NamedParameter& p : trace->parameters())
    if (p.name.ends_with("embedding")) {
      ++tables;
      EXPECT_EQ(p.shape, (Shape{v + 1, 200})) << p.name;
      EXPECT_EQ(p.zero_row, v);
    } else if (p.name == "parameters.output") {
      EXPECT_EQ(p.shape, (Shape{200, v}));
    }
  EXPECT_GE(tables, 1);
  const Tensor ids = trace->values("encoder.tokens").value(), rows = doubles(*trace, "encoder.embedding"),
               mask = trace->values("encoder.layer.0.padding_mask").value(), labels = trace->values("labels").value(),
               targets = trace->values("decoder.tokens").value(), by_row = doubles(*trace, "loss_by_row");
  std::int64_t padded = 0;
  for (std::int64_t b = 0; b < 20; ++b)
    for (std::int64_t i = 0; i < 10; ++i) {
      const bool is_padding = ids.data<std::int32_t>()[b * 10 + i] == v;
      padded += is_padding;
      EXPECT_EQ(mask.data<std::uint8_t>()[b * 10 + i], is_padding ? 0 : 1);
      for (std::int64_t c = 0; is_padding && c < 200; ++c) EXPECT_EQ(rows.at({b, i, c}), 0);
      const bool no_label = targets.data<std::int32_t>()[b * 10 + i] == v;
      EXPECT_EQ(labels.data<std::int32_t>()[b * 10 + i] == -1, no_label);
      EXPECT_EQ(by_row.data<double>()[b * 10 + i] == 0, no_label);  // padding is ignored by the loss
    }
  EXPECT_GT(padded, 0);
}

// What stands at a padded place is written out like all else: the index behind the vocabulary is no text's token.
TEST(PaddingRow, APaddedPlaceIsWrittenOut) {
  Document d;
  presets::registry().find("walkthrough")->apply(d);
  d.backend = "reference";
  const auto trace = trace_of(d);
  ASSERT_NE(trace, nullptr);
  const Tensor ids = trace->values("encoder.tokens").value();
  const std::int64_t v = trace->tokenizer()->vocabulary_size();
  std::int64_t b = 0;
  while (b < 20 && ids.data<std::int32_t>()[b * 10 + 9] != v) ++b;
  ASSERT_LT(b, 20);
  for (const ValueAddress& at : {ValueAddress{"encoder.tokens", {b, 9}},
                                 {"encoder.embedding", {b, 9, 3}},
                                 {"encoder.input", {b, 9, 3}},
                                 {"encoder.layer.0.padding_mask", {b, 9}},
                                 {"encoder.layer.0.k", {b, 1, 9, 2}},
                                 {"encoder.layer.0.scores", {b, 1, 0, 9}},
                                 {"encoder.layer.0.weights", {b, 1, 0, 9}}}) {
    const auto e = explain_value(*trace, at);
    ASSERT_TRUE(e.ok()) << at.step << ": " << e.error().sentence();
    EXPECT_NEAR(e->value, e->computed, e->tolerance) << at.step;
  }
}

// The mean loss of a model with the document's heads, by every number of the given parameters.
void expect_gradients(const char* combiner, const char* qkv) {
  train::Config config;
  Document& m = config.model;
  m.d_model = 6;
  m.d_ff = 8;
  m.heads = 3;
  m.layers = 1;
  m.combiner = combiner;
  m.stack_hidden = 4;
  m.qkv = qkv;
  m.bias = false;
  m.masks = {Choice{"causal", {}}};
  config.tied = false;
  auto made = train::Learner::make(config, {{7, -1, ""}, {7, -1, ""}, false}, *backends::open("reference"));
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  train::Learner& learner = **made;
  train::Batch batch;
  batch.ids = Tensor::of<std::int32_t>({1, 3, 5, 0, 2, 4, 6, 1}, {2, 4});
  batch.labels = Tensor::of<std::int32_t>({3, 5, 0, 2, 4, 6, 1, 0}, {8});
  batch.lengths = {4, 4};
  batch.labelled = 8;
  const auto gradients = learner.gradients(batch, {});
  ASSERT_TRUE(gradients.ok()) << gradients.error().sentence();
  const auto loss = [&] { return learner.evaluate(batch, {}).value().sum / 8; };
  std::set<std::string> seen;
  for (std::size_t p = 0; p < learner.parameters().size(); ++p) {
    train::Trained& one = learner.parameters()[p];
    const std::string name = one.spec.name.substr(one.spec.name.rfind('.') + 1);
    if (name != "wh" && name != "wo" && name != "wq" && name != "wk") continue;
    seen.insert(name);
    for (std::int64_t i = 0; i < one.value.count(); i += 3) {
      float& number = one.value.data<float>()[i];
      const float at = number;
      number = at + 0x1p-9f;
      const double above = loss(), up = number;
      number = at - 0x1p-9f;
      const double below = loss(), down = number;
      number = at;
      const double slope = (above - below) / (up - down);
      EXPECT_NEAR((*gradients)[p].as(DType::f64).data<double>()[i], slope, 1e-5 + 1e-3 * std::abs(slope)) << one.spec.name;
    }
  }
  EXPECT_TRUE(seen.contains("wq") && seen.contains("wo"));
  EXPECT_EQ(seen.contains("wh"), std::string(combiner) == "stack2d");
  EXPECT_EQ(seen.contains("wk"), std::string(qkv) != "one");
}

TEST(StackedHeads, GradientsAreFiniteDifferences) { expect_gradients("stack2d", "separate"); }
TEST(SharedProjections, GradientsAreFiniteDifferences) {
  expect_gradients("concat", "shared");
  expect_gradients("concat", "one");
}

}  // namespace
}  // namespace headlight
