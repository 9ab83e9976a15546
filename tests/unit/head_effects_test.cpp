// Heads taken out in turn, against traces of documents that take them out one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backends/backends.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/prediction_change.h"
#include "engine/insight/weight_against_effect.h"
#include "engine/pipeline/run.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

Document head_effects_document_of(const tests::TinyModel& tiny, const std::string& text, const std::string& effects_target = {}) {
  Document d;
  EXPECT_TRUE(find_field("model")->set(d, {tiny.name()}).ok());
  d.texts = {text};
  if (tiny.model.task == ModelTask::encoder_decoder) d.targets = {effects_target};
  return d;
}

// ln softmax in plain loops, of the trace's own logits.
TokenOutlook plain(const Trace& trace, std::int64_t position, std::int32_t token) {
  const Tensor logits = trace.values("logits")->as(DType::f64).compact();
  const auto shares = [&](std::int64_t i, std::int32_t t) {
    double sum = 0;
    for (std::int64_t v = 0; v < logits.dim(2); ++v) sum += std::exp(logits.at({0, i, v}) - logits.at({0, i, t}));
    return 1 / sum;
  };
  TokenOutlook out{logits.at({0, position, token}), shares(position, token), 0.0};
  const auto& tokens = (trace.targets().empty() ? trace.texts() : trace.targets())[0].tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    *out.loss -= std::log(shares(static_cast<std::int64_t>(i), tokens[i + 1].id)) / static_cast<double>(tokens.size() - 1);
  return out;
}

void expect_near(const TokenOutlook& a, const TokenOutlook& b, const std::string& what) {
  EXPECT_NEAR(a.logit, b.logit, 1e-4) << what;
  EXPECT_NEAR(a.probability, b.probability, 1e-5) << what;
  ASSERT_TRUE(a.loss && b.loss) << what;
  EXPECT_NEAR(*a.loss, *b.loss, 1e-5) << what;
}

TEST(HeadEffects, EveryHeadIsWhatTakingItOutAloneMakes) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const auto tiny = tests::tiny_model(task == ModelTask::decoder ? "effects" : "effects-pairs", task);
    ASSERT_TRUE(tiny.write().ok());
    const Document document = head_effects_document_of(tiny, "the dog", "le rat");
    const auto backend = backends::open("cpu");
    for (const bool mean : {false, true}) {
      HeadEffectsQuestion question;
      question.mean = mean;
      question.position = 3;
      std::int64_t last = -1;
      const auto effects = head_effects(document, **backend, question, {}, [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(done, last + 1);
        EXPECT_LT(done, total);
        last = done;
      });
      ASSERT_TRUE(effects.ok()) << effects.error().sentence();
      EXPECT_EQ(effects->heads.size(), task == ModelTask::decoder ? 4u : 12u);
      const auto with = run(document, **backend, {});
      expect_near(effects->with, plain(**with, 3, effects->token), "with all heads");
      double greatest = 0;
      for (const HeadEffects::Head& head : effects->heads) {
        Document without = document;
        const std::string place = head.prefix + "head." + std::to_string(head.head);
        ASSERT_TRUE(find_field(mean ? "mean" : "without")->set(without, {place}).ok());
        const auto trace = run(without, **backend, {});
        ASSERT_TRUE(trace.ok()) << trace.error().sentence();
        expect_near(head.without, plain(**trace, 3, effects->token), place);
        greatest = std::max(greatest, std::abs(head.without.logit - effects->with.logit));
      }
      EXPECT_GT(greatest, 1e-3) << "no head matters";
    }
  }
}

TEST(HeadEffects, AskForAWordAndAPositionOrForTheMostProbableAtTheEnd) {
  const auto tiny = tests::tiny_model("effects-words");
  ASSERT_TRUE(tiny.write().ok());
  const auto backend = backends::open("cpu");
  const auto trace = *run(head_effects_document_of(tiny, "the dog"), **backend, {});
  EXPECT_EQ(*predicted_position(*trace, {}), static_cast<std::int64_t>(trace->texts()[0].tokens.size()) - 1);
  EXPECT_EQ(*token_of_word(*trace, "d"), tiny.tokenizer->vocabulary().find("d"));
  EXPECT_FALSE(token_of_word(*trace, "").ok());
  const auto beyond = predicted_position(*trace, 40);
  ASSERT_FALSE(beyond.ok());
  EXPECT_NE(beyond.error().sentence().find("position 40 is outside the text; the text has positions 0 to 7"), std::string::npos)
      << beyond.error().sentence();
  Document sandbox;
  const auto refused = head_effects(sandbox, **backend, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("predicts nothing"), std::string::npos);
  CancelSource stopped;
  stopped.cancel();
  EXPECT_EQ(head_effects(head_effects_document_of(tiny, "the dog"), **backend, {}, stopped.token()).error().kind,
            ErrorKind::cancelled);
}

TEST(PredictionChange, ListsTheWordsThatMatterInEitherTrace) {
  const auto tiny = tests::tiny_model("change");
  ASSERT_TRUE(tiny.write().ok());
  Document document = head_effects_document_of(tiny, "the dog"), changed = document;
  ASSERT_TRUE(find_field("without")->set(changed, {"layer.1"}).ok());
  const auto backend = backends::open("cpu");
  const auto before = *run(document, **backend, {}), now = *run(changed, **backend, {});
  const auto change = prediction_change(*before, *now, 4, 5);
  ASSERT_TRUE(change.ok()) << change.error().sentence();
  EXPECT_EQ(change->position, 4);
  EXPECT_EQ(change->behind, before->texts()[0].labels[4]);
  ASSERT_EQ(change->words.size(), 5u);
  const Tensor a = *before->values("probabilities"), b = *now->values("probabilities");
  double listed = 0, least = 1;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& word = change->words[i];
    EXPECT_NEAR(word.before, a.at({0, 4, word.token}), 1e-6);
    EXPECT_NEAR(word.now, b.at({0, 4, word.token}), 1e-6);
    EXPECT_TRUE(i == 0 || change->words[i - 1].before >= word.before);
    listed += word.before;
    least = std::min(least, std::max(word.before, word.now));
  }
  EXPECT_NEAR(change->others_before, 1 - listed, 1e-9);
  int above = 0;
  for (std::int64_t t = 0; t < a.dim(2); ++t) above += std::max(a.at({0, 4, t}), b.at({0, 4, t})) > least + 1e-6 ? 1 : 0;
  EXPECT_LE(above, 4) << "a word that matters more is left out";
  expect_near({0, 0, change->loss_before}, {0, 0, plain(*before, 4, 0).loss}, "before");
  expect_near({0, 0, change->loss_now}, {0, 0, plain(*now, 4, 0).loss}, "now");
}

TEST(HeadEffects, OtherInterventionsStay) {
  const auto tiny = tests::tiny_model("effects-others");
  ASSERT_TRUE(tiny.write().ok());
  Document document = head_effects_document_of(tiny, "the dog");
  ASSERT_TRUE(find_field("without")->set(document, {"layer.0.head.0"}).ok());
  ASSERT_TRUE(find_field("scale_head")->set(document, {"layer.1.head.1=2"}).ok());
  const auto backend = backends::open("cpu");
  const auto effects = head_effects(document, **backend, {}, {});
  ASSERT_TRUE(effects.ok()) << effects.error().sentence();
  EXPECT_EQ(effects->heads[0].without.logit, effects->with.logit) << "it is out already";
  Document both = head_effects_document_of(tiny, "the dog");
  ASSERT_TRUE(find_field("without")->set(both, {"layer.0.head.0,layer.1.head.1"}).ok());
  expect_near(effects->heads[3].without, plain(**run(both, **backend, {}), effects->position, effects->token), "in place of x 2");
}

// Every row and every change, looked at in plain loops.
TEST(CounterExample, IsAStrikingHeadThatHardlyMattersBesideAPlainOneThatDoes) {
  Document document;
  ASSERT_TRUE(find_field("model")->set(document, {"course"}).ok());
  document.texts = {"Ankara is the capital of"};
  const auto backend = backends::open("cpu");
  const auto trace = run(document, **backend, {});
  ASSERT_TRUE(trace.ok());
  const auto effects = head_effects(document, **backend, {}, {});
  ASSERT_TRUE(effects.ok());
  const auto found = counter_example(**trace, *effects);
  ASSERT_TRUE(found.ok() && *found);
  const auto& [striking, plain] = **found;
  double least = 1e9, most = 0;
  for (const HeadEffects::Head& head : effects->heads) {
    const Tensor weights = (*trace)->values(head.prefix + "weights")->as(DType::f64).compact();
    double strongest = 0;
    for (std::int64_t j = 0; j < 5; ++j) strongest = std::max(strongest, weights.at({0, head.head, effects->position, j}));
    const double change = std::abs(head.without.logit - effects->with.logit);
    if (strongest >= 0.8) least = std::min(least, change);
    if (strongest <= 0.6) most = std::max(most, change);
    if (head.prefix == striking.prefix && head.head == striking.head) {
      EXPECT_NEAR(strongest, striking.weight, 1e-6);
    }
  }
  EXPECT_NEAR(std::abs(striking.change), least, 1e-9);
  EXPECT_NEAR(std::abs(plain.change), most, 1e-9);
  EXPECT_GE(most, 4 * least);
  // Where the heads that look sharply are those that matter there is none.
  HeadEffects other = *effects;
  for (HeadEffects::Head& head : other.heads) head.without.logit = other.with.logit;
  const auto none = counter_example(**trace, other);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace headlight
