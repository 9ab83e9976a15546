// Texts that grow by kept keys and values, against the same texts computed as a whole.
#include "engine/pipeline/continuation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/backends/backends.h"
#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"
#include "engine/pipeline/executor.h"
#include "engine/pipeline/generate.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

using Ids = Continuation::Ids;
using Texts = std::vector<Ids>;
using Change = std::function<void(Document&)>;

std::shared_ptr<ContinuedModel> model_of(const Change& change, const std::string& continuation_backend = "reference",
                                         bool reads_two = false) {
  auto model = std::make_shared<ContinuedModel>();
  Document& d = model->document;
  d.d_model = 16;
  d.heads = d.layers = 2;
  d.d_ff = 24;
  d.masks = {{"causal", {}}};
  if (change) change(d);
  model->architecture = std::make_shared<const architectures::Architecture>(architecture_of(d));
  model->reads_two = reads_two;
  model->target_table = reads_two;
  model->tied = !reads_two;
  model->length = 40;
  model->text_tokens = {30, 0, "test"};
  model->target_tokens = {20, 0, "test"};
  model->weights = models::seeded_weights(3);
  model->backend = *backends::open(continuation_backend);
  return model;
}

// The scores behind the last token of each text, by the executor and without anything kept.
std::vector<std::vector<double>> whole(const ContinuedModel& model, const Texts& sources, const Texts& texts) {
  const BatchIds growing = batch_ids(texts, 0), read = model.reads_two ? batch_ids(sources, 0) : BatchIds{};
  const BatchIds &first = model.reads_two ? read : growing, &second = model.reads_two ? growing : read;
  models::Sizes sizes;
  sizes.batch = static_cast<std::int64_t>(texts.size());
  sizes.text_length = first.longest;
  sizes.text_lengths = first.lengths;
  sizes.target_length = second.longest;
  sizes.target_lengths = second.lengths;
  sizes.text_tokens = model.text_tokens;
  sizes.target_tokens = model.target_tokens;
  sizes.target_table = model.target_table;
  sizes.output = {true, model.tied};
  models::ModelPlan plan = models::plan_of(*model.architecture, model.document, sizes, model.backend->dtype());
  EXPECT_TRUE(models::add_masks(plan, model.document, sizes).ok());
  std::size_t logits = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].step.role == Role::logits) logits = i;
  const CancelToken cancel;
  Executor executor(model.document, first, second, *model.weights, plan, *model.backend, cancel, nullptr);
  const auto values = executor.compute_some({&logits, 1});
  EXPECT_TRUE(values.ok()) << (values.ok() ? "" : values.error().sentence());
  std::vector<std::vector<double>> rows;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    rows.emplace_back();
    for (std::int64_t t = 0; t < values->front().dim(2); ++t)
      rows.back().push_back(
          values->front().at({static_cast<std::int64_t>(b), static_cast<std::int64_t>(texts[b].size()) - 1, t}));
  }
  return rows;
}

double greatest_difference(const Tensor& logits, const std::vector<std::vector<double>>& expected) {
  double largest = 0, difference = 0;
  for (std::size_t b = 0; b < expected.size(); ++b)
    for (std::size_t t = 0; t < expected[b].size(); ++t) {
      largest = std::max(largest, std::abs(expected[b][t]));
      difference = std::max(difference,
                            std::abs(logits.at({static_cast<std::int64_t>(b), static_cast<std::int64_t>(t)}) - expected[b][t]));
    }
  return difference / largest;
}

// Adds two beginnings of different lengths, then token after token, once several, drops a text on the way, and goes beyond the
// room that was made first; each time compared with the whole.
void compare(const std::shared_ptr<ContinuedModel>& model, double tolerance, const std::string& what) {
  ASSERT_TRUE(Continuation::possible(*model)) << what;
  Texts sources = model->reads_two ? Texts{{5, 6, 7, 8, 9, 3}, {11, 12, 3}, {4, 4, 19, 3}} : Texts{};
  Texts texts = {{1, 2, 3}, {4}, {7, 8, 9, 10, 11}};
  Continuation growing(model, texts.size(), sources);
  Texts added = texts;
  for (int step = 0; step < 18; ++step) {
    const auto logits = growing.add(added, {});
    ASSERT_TRUE(logits.ok()) << what << ": " << logits.error().sentence();
    ASSERT_EQ(logits->dim(0), static_cast<std::int64_t>(texts.size()));
    EXPECT_LE(greatest_difference(*logits, whole(*model, sources, texts)), tolerance) << what << ", step " << step;
    if (step == 4) {  // the second is done; the others change places
      const std::vector<std::size_t> left = {2, 0};
      growing.keep(left);
      texts = {texts[2], texts[0]};
      if (model->reads_two) sources = {sources[2], sources[0]};
    }
    if (step == 8) {  // and two tokens are taken back
      growing.take_back(2);
      for (Ids& text : texts) text.resize(text.size() - 2);
    }
    added.assign(texts.size(), {});
    for (std::size_t b = 0; b < texts.size(); ++b)
      for (int i = 0; i < (step == 6 ? 3 - static_cast<int>(b) : 1); ++i)
        added[b].push_back(static_cast<std::int32_t>(1 + (5 * step + 7 * static_cast<int>(b) + i) % 18));
    for (std::size_t b = 0; b < texts.size(); ++b) texts[b].insert(texts[b].end(), added[b].begin(), added[b].end());
  }
}

std::vector<Choice> masks_of(const std::string& text) { return masks::parse_list(text).value(); }

const std::vector<std::pair<std::string, Change>>& continuation_kinds() {
  static const std::vector<std::pair<std::string, Change>> all = {
      {"as it is", {}},
      {"rotary", [](Document& d) { d.position = "rotary"; }},
      {"sinusoidal", [](Document& d) { d.position = "sinusoidal"; }},
      {"learned", [](Document& d) { d.position = "learned"; }},
      {"alibi", [](Document& d) { d.position = "alibi"; }},
      {"general scores", [](Document& d) { d.score = "general"; }},
      {"additive scores", [](Document& d) { d.score = "additive"; }},
      {"no positions", [](Document& d) { d.position = "none"; }},
      {"RMSNorm before, gated, no biases, rotary",
       [](Document& d) {
         d.norm_kind = "rms";
         d.norm = "pre";
         d.final_norm = d.gated = true;
         d.bias = false;
         d.activation = "silu";
         d.position = "rotary";
       }},
      {"norms behind", [](Document& d) { d.norm = "post"; }},
      {"no norms, no residual sums",
       [](Document& d) {
         d.norm = "none";
         d.residual = false;
       }},
      {"attention alone", [](Document& d) { d.feed_forward = false; }},
      {"one head", [](Document& d) { d.heads = 1; }},
      {"no projections",
       [](Document& d) {
         d.heads = 1;
         d.projected = false;
       }},
      {"cosines, GELU, another temperature",
       [](Document& d) {
         d.score = "cosine";
         d.activation = "gelu";
         d.temperature = 0.7;
       }},
      {"a window", [](Document& d) { d.masks = masks_of("causal,window:3"); }},
      {"a window and a global token, alibi",
       [](Document& d) {
         d.masks = masks_of("causal,padding,window:2,global:0+5");
         d.position = "alibi";
       }},
      {"blocks, rotary",
       [](Document& d) {
         d.masks = masks_of("causal,block:4");
         d.position = "rotary";
       }},
      {"dilated", [](Document& d) { d.masks = masks_of("causal,dilated"); }},
      {"a prefix that is no longer than the first token", [](Document& d) { d.masks = masks_of("prefix:1"); }},
      {"-1e9", [](Document& d) { d.mask_fill = operations::MaskFill::minus_1e9; }},
  };
  return all;
}

TEST(ContinuationTest, ADecoderOfEveryKindGoesOnAsItIsAsAWhole) {
  for (const auto& [what, change] : continuation_kinds()) {
    compare(model_of(change), 1e-12, what);
    compare(model_of(change, "cpu"), 1e-5, what + ", cpu");
  }
}

TEST(ContinuationTest, ATargetGoesOnWhileItsSourceIsReadOnce) {
  for (const auto& [what, change] : continuation_kinds()) {
    const auto with_padding = [&change = change](Document& d) {
      if (change) change(d);
      if (std::none_of(d.masks.begin(), d.masks.end(), [](const Choice& one) { return one.id == "padding"; }))
        d.masks.push_back({"padding", {}});
    };
    compare(model_of(with_padding, "reference", true), 1e-12, "pairs, " + what);
    compare(model_of(with_padding, "cpu", true), 1e-5, "pairs, cpu, " + what);
  }
}

TEST(ContinuationTest, WhatDependsOnLaterTokensIsNotContinued) {
  const auto possible = [](const Change& change) { return Continuation::possible(*model_of(change)); };
  EXPECT_TRUE(possible({}));
  EXPECT_FALSE(possible([](Document& d) { d.masks = {}; }));
  EXPECT_FALSE(possible([](Document& d) { d.masks = masks_of("padding"); }));
  EXPECT_FALSE(possible([](Document& d) { d.masks = masks_of("prefix:2"); }));
  EXPECT_FALSE(possible([](Document& d) { d.masks = masks_of("window:2"); }));
  // A row that sees nothing is uniform over all keys under -1e9, also over those that come later.
  const auto blind = [](Document& d) {
    d.masks = masks_of("causal,custom");
    d.custom_mask = std::make_shared<masks::Matrix>(masks::Matrix{2, 2, {1, 1, 0, 0}});
  };
  EXPECT_TRUE(possible(blind));
  compare(model_of(blind), 1e-12, "a row that sees nothing");
  EXPECT_FALSE(possible([&](Document& d) {
    blind(d);
    d.mask_fill = operations::MaskFill::minus_1e9;
  }));
}

TEST(ContinuationTest, CanBeStopped) {
  CancelSource stop;
  stop.cancel();
  Continuation growing(model_of({}), 1, {});
  const Texts one = {{1}};
  const auto logits = growing.add(one, stop.token());
  ASSERT_FALSE(logits.ok());
  EXPECT_EQ(logits.error().kind, ErrorKind::cancelled);
}

Predictor continuation_predictor_of(const tests::TinyModel& tiny, const std::string& continuation_backend) {
  EXPECT_TRUE(tiny.write().ok());
  return std::move(Predictor::open(*open_stored_model(tiny.name()), *backends::open(continuation_backend))).value();
}

// What was generated is what the whole text, or its last tokens, say at each step; also where the window moves on.
void follow(const Predictor& predictor, const std::vector<std::string>& texts, const GenerateOptions& options) {
  const auto made = generate(predictor, texts, options, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  for (std::size_t n = 0; n < texts.size(); ++n) {
    TokenIds source, ids;
    if (predictor.reads_two()) {
      source = predictor.source(texts[n], Message::name("here"), {}).value();
      ids = {*predictor.first_output()};
    } else {
      ids = predictor.beginning(texts[n], {}).value();
    }
    ASSERT_TRUE(made->at(n).ended || static_cast<std::int64_t>(made->at(n).steps.size()) == options.tokens);
    for (const Generated::Step& step : made->at(n).steps) {
      const auto keep = std::min<std::ptrdiff_t>(std::ssize(ids), predictor.model().length);
      const TokenIds window(ids.end() - keep, ids.end());
      const auto logits =
          predictor.reads_two() ? predictor.logits({&source, 1}, {&window, 1}, {}) : predictor.logits({&window, 1}, {}, {});
      const std::vector<double> scores = scores_at(*logits, 0, keep - 1);
      for (const Generated::Candidate& one : step.candidates)
        EXPECT_NEAR(std::log(one.probability), log_probability(scores, one.token), 1e-4) << texts[n] << ", token " << ids.size();
      if (options.temperature == 0) {
        EXPECT_EQ(step.token, std::max_element(scores.begin(), scores.end()) - scores.begin());
      }
      ids.push_back(step.token);
    }
  }
}

TEST(ContinuationTest, TextsOfOneCallAreGeneratedAsIfAlone) {
  const std::vector<std::string> texts = {"a", "a mole ran", "the ant", "a mole ran into the garden", "ox"};
  GenerateOptions options;
  options.tokens = 18;  // the models read 12 at a time
  for (const char* continuation_backend : {"cpu", "reference"})
    for (const double temperature : {0.0, 1.0}) {
      options.temperature = temperature;
      follow(continuation_predictor_of(tests::tiny_model("continued"), continuation_backend), texts, options);
      follow(continuation_predictor_of(tests::tiny_model("continued-prefix", ModelTask::decoder,
                                                         [](StoredModel& m) { m.document.masks = masks_of("prefix:3"); }),
                                       continuation_backend),
             texts, options);
      follow(continuation_predictor_of(tests::tiny_model("continued-learned", ModelTask::decoder,
                                                         [](StoredModel& m) { m.document.position = "learned"; }),
                                       continuation_backend),
             texts, options);
    }
  options.tokens = 15;
  for (const double temperature : {0.0, 1.0}) {
    options.temperature = temperature;
    follow(continuation_predictor_of(tests::tiny_model("continued-pairs", ModelTask::encoder_decoder), "cpu"),
           {"a", "a mole", "the ant", "ox ran"}, options);
  }
}

}  // namespace
}  // namespace headlight
