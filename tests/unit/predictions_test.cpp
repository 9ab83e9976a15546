// What a model says of next tokens, where it comes from, and how it goes on: against plain arithmetic on the trace's own numbers.
#include "engine/insight/predictions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/insight/logit_contributions.h"
#include "engine/insight/logit_lens.h"
#include "engine/insight/output_parts.h"
#include "engine/insight/row_sum.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/growing_text.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using tests::tiny_model;
using tests::TinyModel;

std::shared_ptr<const Trace> predictions_trace(const TinyModel& tiny, const std::string& predictions_backend = "reference",
                                               const std::vector<std::string>& texts = {"a mole ran"}) {
  EXPECT_TRUE(tiny.write().ok());
  Document document;
  EXPECT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
  document.texts = texts;
  document.backend = predictions_backend;
  if (tiny.model.task == ModelTask::encoder_decoder) document.targets = {"la taupe"};
  return tests::trace_of(document);
}

TokenIds ids_of(const Sentence& sentence) {
  TokenIds ids;
  for (const tokenizers::Token& token : sentence.tokens) ids.push_back(token.id);
  return ids;
}

TEST(Predictions, LossAndRankOfWhatReallyFollows) {
  const auto made = predictions_trace(tiny_model("follows"), "reference", {"a mole ran", "the end"});
  ASSERT_TRUE(made);
  ASSERT_TRUE(predicts_next(*made));
  const Tensor shares = made->values("probabilities").value();
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    const auto said = predictions(*made, batch, 5, {});
    ASSERT_TRUE(said.ok()) << said.error().sentence();
    const auto& tokens = made->texts()[static_cast<std::size_t>(batch)].tokens;
    ASSERT_EQ(said->positions.size(), tokens.size());
    double sum = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto& here = said->positions[i];
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_EQ(here.follows, tokens[i + 1].id);
      const double p = shares.at({batch, at, here.follows});
      std::int64_t better = 0;
      for (std::int64_t t = 0; t < said->vocabulary; ++t) better += shares.at({batch, at, t}) > p;
      EXPECT_NEAR(here.probability, p, 1e-12);
      EXPECT_NEAR(here.loss, -std::log(p), 1e-9);
      EXPECT_EQ(here.rank, better + 1);
      sum -= std::log(p);
      ASSERT_EQ(here.best.size(), 5u);
      EXPECT_NEAR(here.best.front().probability, shares.at({batch, at, here.best.front().token}), 1e-12);
      for (std::size_t n = 1; n < 5; ++n) EXPECT_LE(here.best[n].probability, here.best[n - 1].probability);
    }
    EXPECT_EQ(said->positions.back().follows, -1);
    EXPECT_NEAR(said->mean_loss, sum / static_cast<double>(tokens.size() - 1), 1e-9);
  }
}

TEST(Predictions, AModelWithoutLogitsPredictsNothing) {
  Document sandbox;
  const auto made = tests::trace_of(sandbox);
  ASSERT_TRUE(made);
  EXPECT_FALSE(predicts_next(*made));
  EXPECT_FALSE(predictions(*made, 0, 5, {}).ok());
  EXPECT_FALSE(logit_contributions(*made, 0, 0, 1, {}).ok());
  const auto filling = predictions_trace(tiny_model("filling", ModelTask::encoder));
  ASSERT_TRUE(filling);
  EXPECT_FALSE(predicts_next(*filling)) << "it sees what stands behind a token";
}

TEST(Predictions, OneTokenHasNoMeanLoss) {
  const auto made = predictions_trace(
      tiny_model("short", ModelTask::decoder, [](StoredModel& m) { m.document.add_begin = false; }), "reference", {"a"});
  ASSERT_TRUE(made);
  const auto said = predictions(*made, 0, 3, {});
  ASSERT_TRUE(said.ok());
  EXPECT_TRUE(std::isnan(said->mean_loss));
}

TEST(TokenChoice, TemperatureTopKAndTopPCutTheList) {
  const std::vector<double> scores = {std::log(0.1), std::log(0.5), std::log(0.15), std::log(0.25)};
  const auto ranked = ranked_tokens(scores, 1, 4);
  ASSERT_EQ(ranked[0].token, 1);
  ASSERT_EQ(ranked[1].token, 3);
  EXPECT_NEAR(ranked[2].probability, 0.15, 1e-12);
  EXPECT_EQ(tokens_allowed(ranked, {0, 3, 1}), 1u) << "greedy";
  EXPECT_EQ(tokens_allowed(ranked, {1, 3, 1}), 3u);
  EXPECT_EQ(tokens_allowed(ranked, {1, 0, 0.7}), 2u);
  EXPECT_EQ(tokens_allowed(ranked, {1, 0, 0.76}), 3u);
  EXPECT_EQ(tokens_allowed(ranked, {1, 1, 0.76}), 1u);
  EXPECT_EQ(tokens_allowed(ranked, {1, 0, 1}), 4u);
  // At temperature 2 the probabilities are proportional to their square roots.
  double sum = 0;
  for (const double p : {0.1, 0.5, 0.15, 0.25}) sum += std::sqrt(p);
  EXPECT_NEAR(ranked_tokens(scores, 2, 4)[0].probability, std::sqrt(0.5) / sum, 1e-12);
  EXPECT_EQ(drawn_token(ranked, 2, 0.66), 1) << "0.5 of 0.75 is two thirds";
  EXPECT_EQ(drawn_token(ranked, 2, 0.67), 3);
}

TEST(TokenChoice, TheChanceIsTheShareOfWhatCouldBeDrawn) {
  const std::vector<double> scores = {std::log(0.1), std::log(0.5), std::log(0.15), std::log(0.25)};
  GenerateOptions how;
  EXPECT_EQ(choose_token(scores, how, 0, 0).chance, 1) << "greedy leaves no choice";
  how.temperature = 1;
  how.top_k = 2;
  for (std::size_t step = 0; step < 20; ++step) {
    const Generated::Step made = choose_token(scores, how, 0, step);
    EXPECT_NEAR(made.chance, made.token == 1 ? 0.5 / 0.75 : 0.25 / 0.75, 1e-12);
  }
}

class LogitLensTest : public testing::TestWithParam<std::tuple<ModelTask, std::string>> {};

TEST_P(LogitLensTest, TheLastRowIsWhatTheModelSays) {
  const auto [task, backend_id] = GetParam();
  const auto made = predictions_trace(tiny_model("lens", task), backend_id);
  ASSERT_TRUE(made);
  const auto positions = static_cast<std::int64_t>(predicted_sentence(*made, 0).tokens.size());
  const auto lens = logit_lens(*made, 0, positions, **backends::open(backend_id), {});
  ASSERT_TRUE(lens.ok()) << lens.error().sentence();
  ASSERT_EQ(lens->rows(), 3) << "the embedding and two layers";
  const Tensor shares = made->values("probabilities").value(), logits = made->values("logits").value();
  for (std::int64_t i = 0; i < positions; ++i) {
    const std::int32_t best = lens->token.data<std::int32_t>()[2 * positions + i];
    EXPECT_NEAR(lens->probability.at({2, i}), shares.at({0, i, best}), 1e-5);
    for (std::int32_t t = 0; t < 20; ++t) {
      EXPECT_LE(shares.at({0, i, t}), shares.at({0, i, best}) + 1e-6);
      EXPECT_NEAR(lens->logit(2, i, t), logits.at({0, i, t}), 2e-5);
      EXPECT_NEAR(std::exp(lens->log_probability(2, i, t)), shares.at({0, i, t}), 1e-5);
    }
    const std::vector<double> all = lens->logits(1, i);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(lens->vocabulary()));
    for (const std::int32_t t : {0, 19, best}) EXPECT_NEAR(all[static_cast<std::size_t>(t)], lens->logit(1, i, t), 1e-9);
  }
}

TEST_P(LogitLensTest, TheSharesOfALogitAddUpToIt) {
  const auto [task, backend_id] = GetParam();
  const auto made = predictions_trace(tiny_model("shares", task), backend_id);
  ASSERT_TRUE(made);
  const Tensor logits = made->values("logits").value();
  const std::size_t attentions = task == ModelTask::decoder ? 2 : 4;
  for (const std::int64_t position : {0, 3, 6})
    for (const std::int32_t token : {5, 17}) {
      const auto shares = logit_contributions(*made, 0, position, token, {});
      ASSERT_TRUE(shares.ok()) << shares.error().sentence();
      double sum = 0;
      std::size_t heads = 0;
      for (const auto& part : shares->parts) {
        sum += part.logit;
        heads += part.kind == LogitContributions::Kind::head;
      }
      EXPECT_EQ(heads, 2 * attentions);
      EXPECT_NEAR(sum, logits.at({0, position, token}), 1e-4);
      EXPECT_NEAR(shares->rest, 0, backend_id == "reference" ? 1e-9 : 1e-4);
    }
}

INSTANTIATE_TEST_SUITE_P(Models, LogitLensTest,
                         testing::Combine(testing::Values(ModelTask::decoder, ModelTask::encoder_decoder),
                                          testing::Values("reference", "cpu")),
                         [](const auto& run) {
                           return std::string(std::get<0>(run.param) == ModelTask::decoder ? "decoder" : "two_texts") + "_" +
                                  std::get<1>(run.param);
                         });

TEST(LogitLens, TheFirstRowIsTheNormedEmbeddingTimesTheTable) {
  const TinyModel tiny = tiny_model("lens-first");
  const auto made = predictions_trace(tiny);
  ASSERT_TRUE(made);
  const auto lens = logit_lens(*made, 0, 4, **backends::open("reference"), {});
  ASSERT_TRUE(lens.ok());
  const Tensor input = made->values("input").value();
  const Tensor &gamma = *find(tiny.parameters, "parameters.final_norm.gamma"),
               &table = *find(tiny.parameters, "parameters.embedding");
  for (std::int64_t i = 0; i < 4; ++i) {
    double square = 0;
    for (std::int64_t c = 0; c < 16; ++c) square += input.at({0, i, c}) * input.at({0, i, c}) / 16;
    std::vector<double> logits;
    double all = 0;
    for (std::int64_t t = 0; t < tiny.model.vocabulary; ++t) {
      double sum = 0;
      for (std::int64_t c = 0; c < 16; ++c)
        sum += input.at({0, i, c}) / std::sqrt(square + 1e-5) * gamma.at({c}) * table.at({t, c});
      logits.push_back(sum);
      all += std::exp(sum);
    }
    const auto best = std::max_element(logits.begin(), logits.end());
    EXPECT_EQ(lens->token.data<std::int32_t>()[i], best - logits.begin());
    EXPECT_NEAR(lens->probability.at({0, i}), std::exp(*best) / all, 1e-6);
    EXPECT_NEAR(lens->logit(0, i, 20), logits[20], 1e-5);
  }
}

TEST(LogitContributions, AHeadsShareIsWhatItAddsThroughTheNorm) {
  const TinyModel tiny = tiny_model("head-share");
  const auto made = predictions_trace(tiny);
  ASSERT_TRUE(made);
  const std::int64_t position = 5;
  const std::int32_t token = 14;
  const auto shares = logit_contributions(*made, 0, position, token, {});
  ASSERT_TRUE(shares.ok());
  const auto row = row_sum(*made, "layer.1.", 0, 1, position);
  ASSERT_TRUE(row.ok());
  const Tensor stream = made->values(output_parts(*made)->stream.back()).value();
  const Tensor &gamma = *find(tiny.parameters, "parameters.final_norm.gamma"),
               &table = *find(tiny.parameters, "parameters.embedding");
  double square = 0, expected = 0;
  for (std::int64_t c = 0; c < 16; ++c) square += stream.at({0, position, c}) * stream.at({0, position, c}) / 16;
  for (std::int64_t c = 0; c < 16; ++c)
    expected += row->head_adds[static_cast<std::size_t>(c)] / std::sqrt(square + 1e-5) * gamma.at({c}) * table.at({token, c});
  bool seen = false;
  for (const auto& part : shares->parts)
    if (part.place == "layer.1." && part.head == 1) {
      EXPECT_NEAR(part.logit, expected, 1e-9);
      seen = true;
    }
  EXPECT_TRUE(seen);
}

TEST(LogitContributions, NoSharesWhereANormStandsBehindEachSum) {
  const auto made = predictions_trace(tiny_model("post", ModelTask::decoder, [](StoredModel& m) {
    m.document.norm = "post";
    m.document.final_norm = false;
  }));
  ASSERT_TRUE(made);
  EXPECT_FALSE(logit_contributions(*made, 0, 1, 5, {}).ok());
  EXPECT_TRUE(logit_lens(*made, 0, 2, **backends::open("cpu"), {}).ok());
}

TEST(GrowingText, ScoresAreTheTracesWhateverCameBefore) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const auto made = predictions_trace(tiny_model("growing", task));
    ASSERT_TRUE(made);
    const Tensor logits = made->values("logits").value();
    const bool two = task == ModelTask::encoder_decoder;
    auto text = GrowingText::open(made->document(), two ? ids_of(made->texts()[0]) : TokenIds(), *backends::open("reference"));
    ASSERT_TRUE(text.ok()) << text.error().sentence();
    const TokenIds all = ids_of(predicted_sentence(*made, 0));
    // Longer, shorter, the same again, one alone, and from another beginning.
    for (const std::size_t count : {std::size_t{3}, all.size(), std::size_t{4}, std::size_t{4}, std::size_t{1}, std::size_t{5}}) {
      const auto scores = text->scores_behind(TokenIds(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)), {});
      ASSERT_TRUE(scores.ok()) << scores.error().sentence();
      for (std::size_t t = 0; t < scores->size(); ++t)
        ASSERT_NEAR((*scores)[t], logits.at({0, static_cast<std::int64_t>(count) - 1, static_cast<std::int64_t>(t)}), 1e-9);
    }
    const TokenIds first(all.begin(), all.begin() + 3), rest(all.begin() + 3, all.end());
    const auto logs = text->log_probabilities(first, rest, {});
    ASSERT_TRUE(logs.ok());
    const auto said = predictions(*made, 0, 1, {});
    ASSERT_TRUE(said.ok());
    for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_NEAR((*logs)[i], -said->positions[i + 2].loss, 1e-9);
  }
}

TEST(GrowingText, RefusesWhatCannotGrow) {
  const TinyModel tiny = tiny_model("refused");
  const auto made = predictions_trace(tiny);
  ASSERT_TRUE(made);
  auto text = GrowingText::open(made->document(), {}, *backends::open("cpu"));
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(text->scores_behind({}, {}).ok());
  EXPECT_FALSE(text->scores_behind(TokenIds(13, 20), {}).ok()) << "the model reads 12";
  EXPECT_TRUE(text->scores_behind(TokenIds(12, 20), {}).ok());
  Document open = made->document();
  open.masks.clear();
  EXPECT_FALSE(GrowingText::open(open, {}, *backends::open("cpu")).ok());
  const auto filling = predictions_trace(tiny_model("refused-filling", ModelTask::encoder));
  ASSERT_TRUE(filling);
  EXPECT_FALSE(GrowingText::open(filling->document(), {}, *backends::open("cpu")).ok());
}

}  // namespace
}  // namespace headlight
