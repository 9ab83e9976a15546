// The live numbers of lessons: what a place means, and what the shipped lessons claim, computed without a window.
#include <gtest/gtest.h>

#include <cmath>

#include "app/lessons/compared_runs.h"
#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/insight/predictions.h"
#include "engine/pipeline/run_anywhere.h"
#include "tests/support/small_trace.h"

namespace headlight {
namespace {

TEST(LessonPlaces, ComputeFromTheTrace) {
  const auto trace = tests::three_words(false);
  ViewState view;
  const std::map<std::string, double> names{{"W", 500}, {"l", 32}};
  const lessons::Source source{trace, view, nullptr, 4.25, names};
  const auto text = [&](const std::string& place) {
    const auto run = lessons::evaluate(place, source);
    return run.ok() ? run->text : "error: " + run.error().what.english();
  };
  EXPECT_EQ(text("weights 0 0 1 2"), "0.576");
  EXPECT_EQ(text("layer.0.weights 0 0 1 2 : 4"), "0.5761");
  EXPECT_EQ(text("weights[0, 0, 1, 3 - 1] : 4"), "0.5761");
  EXPECT_EQ(text("sum(weights 0 0 1 *)"), "1");
  EXPECT_EQ(text("max(scores 0 0 1 *) - min(scores 0 0 1 *)"), "1");
  EXPECT_EQ(text("strongest(weights 0 0 1 *)"), "·both");
  EXPECT_EQ(text("dot(q 0 0 2 *, k 0 0 2 *)"), "3");
  EXPECT_EQ(text("norm(input 0 2 *) ^ 2"), "2.000");
  EXPECT_EQ(text("exp(masked_scores[0, 0, 1, 2]) / (exp(1) + exp(1) + exp(2)) : 4"), "0.5761");
  EXPECT_EQ(text("token(1)"), "·two");
  EXPECT_EQ(text("id(2)"), "12");
  EXPECT_EQ(text("tokens"), "3");
  EXPECT_EQ(text("shape(weights)"), "[1, 1, 3, 3]");
  EXPECT_EQ(text("size(weights, 3)"), "3");
  EXPECT_EQ(text("6 * W * l * 4 ^ 2"),
            "1\xE2\x80\xAF"
            "536\xE2\x80\xAF"
            "000");
  EXPECT_EQ(text("isdpa : 1"), "4.2");
  EXPECT_EQ(text("-2 ^ 2"), "4") << "the sign belongs to the number";
  EXPECT_EQ(text("0.5 : %"), "50.0 %");
  EXPECT_EQ(text("input 0 2 *"), "[1.00, 1.00]");

  const auto one = lessons::evaluate("weights 0 0 1 2", source);
  EXPECT_EQ(one->value, (ValueAddress{"layer.0.weights", {0, 0, 1, 2}}));
  EXPECT_TRUE(lessons::evaluate("weights[0, 0, 1, 2] * 1", source)->value.step.empty())
      << "what is computed is no value of a step";
  for (const char* wrong : {"", "weights 0 0 1", "weights 0 0 1 9", "nothing 1", "sum(weights 0 0 * *)", "1 +", "(1", "token(7)",
                            "fused(1)", "strongest(input 0 0 *)", "sqrt(weights 0 0 1 *)", "1 2"})
    EXPECT_FALSE(lessons::evaluate(wrong, source).ok()) << wrong;
}

TEST(LessonPlaces, RunsKeepTheirStylesAndAMissingNumberIsADash) {
  const auto trace = tests::three_words(true);
  ViewState view;
  const std::map<std::string, double> names;
  const auto runs = lessons::fill_places("a **b {tokens}** `q k`\n\n{{x}} {weights 9 0 0 0}", {trace, view, nullptr, {}, names});
  std::string all;
  for (const auto& run : runs) all += run.text;
  EXPECT_EQ(all, "a b 3 q k\n{x} —");
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_TRUE(runs[1].bold);
  EXPECT_TRUE(runs[2].live && runs[2].bold);
  EXPECT_TRUE(runs[4].mono);
  EXPECT_TRUE(runs.back().why.has_value());
}

// Texts of the model "course", one of them the same as the first but for one word.
Document capitals() {
  Document document;
  const auto model = open_stored_model("course");
  EXPECT_TRUE(model.ok());
  if (model.ok()) use_model(document, **model);
  document.texts = {"Ankara is the capital of", "Oslo is the capital of"};
  return document;
}

// A step as the player computes it.
class Played {
 public:
  explicit Played(lessons::Step step) : step_(std::move(step)) {
    const auto made = run_anywhere(step_.document, {});
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
    if (made.ok()) trace = *made;
    compared_ = lessons::compared_runs(derived_, trace, step_);
  }
  static lessons::Step shipped(const std::string& lesson, std::size_t step) {
    for (const auto& one : lessons::all().lessons)
      if (one->id == lesson) return one->steps.at(step);
    ADD_FAILURE() << "there is no lesson " << lesson;
    return {};
  }
  Played(const std::string& lesson, std::size_t step) : Played(shipped(lesson, step)) {}

  std::string text(const std::string& place) const {
    const auto run = lessons::evaluate(place, {trace, step_.view, nullptr, {}, step_.names, compared_});
    return run.ok() ? run->text : "error: " + run.error().what.english();
  }
  double number(const std::string& place) const {
    const std::string said = text(place + " : 9");
    EXPECT_NE(said.find_first_of("0123456789"), std::string::npos) << place << ": " << said;
    return std::atof(said.c_str());
  }
  std::shared_ptr<const Trace> trace;

 private:
  lessons::Step step_;
  Derived derived_;
  lessons::ComparedRuns compared_;
};

TEST(LessonPlaces, NextWordsAreThoseOfTheModel) {
  lessons::Step step;
  step.document = capitals();
  const Played played(step);
  ASSERT_TRUE(played.trace);
  const auto expected = predictions(*played.trace, 0, 3, {});
  ASSERT_TRUE(expected.ok());
  const auto& last = expected->positions[4];
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(played.text("word(probabilities 0 4 *, " + std::to_string(k + 1) + ")"),
              predicted_tokenizer(*played.trace).display_text(last.best[k].token));
    EXPECT_NEAR(played.number("largest(probabilities 0 4 *, " + std::to_string(k + 1) + ")"), last.best[k].probability, 1e-6);
  }
  EXPECT_NEAR(played.number("follows(1)"), expected->positions[1].probability, 1e-6);
  EXPECT_NEAR(played.number("-ln(follows(1))"), expected->positions[1].loss, 1e-4);
  const auto scores = scores_behind(*played.trace, 0, 4);
  ASSERT_TRUE(scores.ok());
  EXPECT_NEAR(played.number("logits[0, 4, piece('Turkey')]"), (*scores)[static_cast<std::size_t>(last.best[0].token)], 1e-5);
  EXPECT_NEAR(played.number("probabilities[0, 0, id(1)]"), expected->positions[0].probability, 1e-6);
  for (const char* wrong : {"word(weights 0 0 4 *, 1)", "largest(probabilities 0 4 *, 0)", "piece('Atlantis')", "piece(Turkey)",
                            "follows(4)", "written(0)", "word(probabilities 0 4 *)"})
    EXPECT_TRUE(played.text(wrong).starts_with("error: ")) << wrong << ": " << played.text(wrong);
}

TEST(LessonPlaces, RowsAreAddedAndMultiplied) {
  lessons::Step step;
  step.document = capitals();
  const Played played(step);
  ASSERT_TRUE(played.trace);
  const Tensor rows = played.trace->values("embedding")->as(DType::f64).compact();
  double apart = 0, half = 0;
  for (std::int64_t c = 0; c < rows.dim(2); ++c) {
    apart += std::pow(rows.at({0, 0, c}) - rows.at({1, 0, c}), 2);
    half += std::pow(rows.at({0, 0, c}) / 2 + rows.at({0, 1, c}), 2);
  }
  EXPECT_NEAR(played.number("norm(embedding[0, 0, *] - embedding[1, 0, *])"), std::sqrt(apart), 1e-5);
  EXPECT_NEAR(played.number("norm(embedding[0, 0, *] / 2 + embedding[0, 1, *])"), std::sqrt(half), 1e-5);
  EXPECT_TRUE(played.text("embedding[0, 0, *] - probabilities[0, 0, *]").starts_with("error: "));
  EXPECT_TRUE(played.text("strongest(weights[0, 0, 4, *] * 2)").starts_with("error: "));
}

TEST(LessonPlaces, BeforeIsTheModelWithoutItsInterventions) {
  lessons::Step step;
  step.document = capitals();
  const Played plain(step);
  ASSERT_TRUE(find_field("without")->set(step.document, {"layer.0.head.0"}).ok());
  const Played unasked(step);
  EXPECT_TRUE(unasked.text("before(logits[0, 4, 7])").starts_with("error: ")) << "no text of the step says it";
  step.text["en"] = "{before(logits[0, 4, 7])}";
  const Played changed(step);
  const std::string place = "largest(probabilities 0 4 *, 1)";
  EXPECT_NEAR(changed.number("before(" + place + ")"), plain.number(place), 1e-7);
  EXPECT_GE(std::abs(changed.number(place) - plain.number(place)), 0.1);
  EXPECT_EQ(plain.text("before(" + place + ")"), plain.text(place)) << "nothing is changed, so it is the same";
}

// --- what the shipped lessons say of trained models holds of them

TEST(LessonClaims, WithoutPositionsTheTwoTranslationsAreOne) {
  const Played with("order-matters", 0), without("order-matters", 3);
  EXPECT_NE(with.text("written(0)"), with.text("written(1)"));
  EXPECT_EQ(without.text("written(0)"), without.text("written(1)"));
  EXPECT_EQ(without.text("before(written(0))"), with.text("written(0)"));
  EXPECT_EQ(without.text("before(written(1))"), with.text("written(1)"));
  EXPECT_LE(without.number("norm(logits[0,0,*] - logits[1,0,*])"), 1e-3);
  EXPECT_GE(without.number("before(norm(logits[0,0,*] - logits[1,0,*]))"), 1);
}

TEST(LessonClaims, AStrikingHeadMayNotMatterAndAnotherMay) {
  const Played striking("heads", 5), spread("heads", 6);
  const std::string score = "logits[0, 4, piece('Turkey')]";
  const auto change = [&](const Played& played) { return played.number(score) - played.number("before(" + score + ")"); };
  EXPECT_GE(striking.number("before(layer.1.weights 0 1 4 0)"), 0.9);
  EXPECT_LE(std::abs(change(striking)), 0.2);
  EXPECT_LE(spread.number("before(layer.0.weights 0 0 4 0)"), 0.01);
  EXPECT_LE(spread.number("before(max(layer.0.weights 0 0 4 *))"), 0.6);
  EXPECT_LE(change(spread), -2);
}

TEST(LessonClaims, OneWordComesApartByItsContext) {
  const Played mole("one-word-three-meanings", 0), deaf("one-word-three-meanings", 4);
  double last = -1;
  for (const char* step : {"embedding", "layer.0.mlp_residual", "layer.1.mlp_residual", "layer.3.mlp_residual"}) {
    const std::string at(step);
    const double apart = mole.number("norm(" + at + "[0,3,*] - " + at + "[2,7,*])");
    EXPECT_GT(apart, last) << step;
    last = apart;
  }
  EXPECT_NE(mole.text("word(probabilities 0 3 *, 1)"), mole.text("word(probabilities 2 7 *, 1)"));
  EXPECT_EQ(deaf.text("word(probabilities 0 3 *, 1)"), deaf.text("word(probabilities 2 7 *, 1)"));
}

TEST(LessonClaims, ATranslationLooksAtTheWordsThatItStandsFor) {
  const Played aligned("a-translation-is-aligned", 1), one_out("a-translation-is-aligned", 4),
      deaf("a-translation-is-aligned", 5);
  EXPECT_EQ(aligned.text("strongest(weights 0 1 4 *)"), "·car");
  EXPECT_EQ(aligned.text("target(5)"), "·voiture");
  EXPECT_EQ(aligned.text("strongest(weights 0 1 5 *)"), "·red");
  EXPECT_EQ(aligned.text("target(6)"), "·rouge");
  EXPECT_NEAR(one_out.number("follows(5)"), one_out.number("before(follows(5))"), 0.05);
  EXPECT_LE(deaf.number("follows(5)"), 0.05);
}

TEST(LessonClaims, InductionNeedsTheLayerBelow) {
  const Played whole("attention-being-learnt", 1), cut("attention-being-learnt", 3), twin("attention-being-learnt", 4);
  EXPECT_EQ(whole.text("strongest(weights 0 0 8 *)"), "so");
  EXPECT_EQ(whole.text("word(probabilities 0 8 *, 1)"), "so");
  EXPECT_LE(cut.number("layer.1.weights 0 0 8 3"), 0.2);
  EXPECT_GE(cut.number("before(layer.1.weights 0 0 8 3)"), 0.9);
  EXPECT_NE(cut.text("word(probabilities 0 8 *, 1)"), "so");
  EXPECT_NE(twin.text("word(probabilities 0 8 *, 1)"), "so");
}

// The losses of steps 4 and 5 of the lesson on masks, which it asks to compare.
TEST(LessonClaims, AMaskKeepsTheAnswerFromBeingSeen) {
  const Played masked("masks", 3), open("masks", 4);
  EXPECT_EQ(masked.number("weights[0, 2, 0, 1]"), 0);
  EXPECT_GE(open.number("layer.1.weights 0 2 0 1"), 0.5);
  EXPECT_GT(open.number("probabilities[0,0,id(1)]"), masked.number("probabilities[0,0,id(1)]"));
}

}  // namespace
}  // namespace headlight
