// Predictions, continuations and evaluations of small stored models, checked against traces.
#include "engine/pipeline/predict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/core/rng.h"
#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/generate.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using tests::tiny_model;
using tests::TinyModel;

Predictor predictor_of(const TinyModel& tiny, const std::string& predict_backend = "cpu") {
  EXPECT_TRUE(tiny.write().ok());
  auto model = open_stored_model(tiny.name());
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().sentence());
  auto predictor = Predictor::open(*model, *backends::open(predict_backend));
  EXPECT_TRUE(predictor.ok()) << (predictor.ok() ? "" : predictor.error().sentence());
  return std::move(predictor).value();
}

// The trace's probabilities of what follows the last token.
std::shared_ptr<const Trace> trace(const TinyModel& tiny, const std::string& text, const std::string& target = {},
                                   const std::string& predict_backend = "cpu") {
  Document document;
  EXPECT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
  document.texts = {text};
  document.backend = predict_backend;
  if (tiny.model.task == ModelTask::encoder_decoder) {
    document.targets = {target};
    document.add_end = tiny.model.document.add_end;
  }
  return tests::trace_of(document);
}
std::int32_t best_of(const Trace& of, std::int64_t row) {
  const Tensor p = of.values("probabilities").value();
  std::int32_t best = 0;
  for (std::int32_t t = 1; t < p.dim(2); ++t)
    if (p.at({0, row, t}) > p.at({0, row, best})) best = t;
  return best;
}

// A trace of many tokens and a large vocabulary keeps neither scores nor shares, and gives both.
TEST(Predict, ScoresOfALargeVocabularyAreComputedWhenAskedFor) {
  Document document;
  ASSERT_TRUE(find_field("model")->set(document, {"stories"}).ok());
  std::string text = "the cat";
  for (int i = 0; i < 30; ++i) text += " saw a dog";
  document.texts = {text};
  const auto made = tests::trace_of(document);
  ASSERT_TRUE(made);
  const Step &scores = *made->find("logits"), &shares = *made->find("probabilities");
  ASSERT_GT(element_count(scores.shape), 1 << 19);
  EXPECT_FALSE(scores.kept);
  EXPECT_FALSE(shares.kept);
  TokenIds ids;
  for (const tokenizers::Token& token : made->texts()[0].tokens) ids.push_back(token.id);
  const auto predictor = Predictor::open(open_stored_model("stories").value(), *backends::open("cpu")).value();
  const Tensor expected = predictor.logits({&ids, 1}, {}, {}).value(), all = made->values("logits").value();
  EXPECT_LE(difference(all, expected).max_abs, 1e-4);
  EXPECT_TRUE(difference(all, expected).same_shape);
  const Tensor probabilities = made->values("probabilities").value();
  for (int again = 0; again < 2; ++again) {
    EXPECT_LE(difference(made->tile("logits", {0, 0, 70, 2, 8, 100}).value(),
                         all.select(0, 0).slice(0, 70, 72).slice(1, 8, 108).compact())
                  .max_abs,
              1e-4);
    const Tensor row = made->tile("probabilities", {0, 0, 70, 1}).value();
    EXPECT_LE(difference(row, probabilities.select(0, 0).slice(0, 70, 71).compact()).max_abs, 1e-6);
    double sum = 0;
    for (std::int64_t t = 0; t < row.dim(1); ++t) sum += row.at({0, t});
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(Predict, ATraceEndsInLogitsAndProbabilities) {
  const TinyModel tiny = tiny_model("head");
  ASSERT_TRUE(tiny.write().ok());
  const auto made = trace(tiny, "a mole ran", {}, "reference");
  ASSERT_TRUE(made);
  ASSERT_EQ(made->steps().back().name, "probabilities");
  EXPECT_EQ(made->find("probabilities")->origin, Origin::trained);
  const Tensor logits = made->values("logits").value(), probabilities = made->values("probabilities").value();
  const Tensor normed = made->values("final_norm").value();
  const Tensor& table = *find(tiny.parameters, "parameters.embedding");
  ASSERT_EQ(logits.shape(), (Shape{1, 11, tiny.model.vocabulary}));
  for (std::int64_t i = 0; i < 11; ++i) {
    double sum = 0;
    for (std::int64_t t = 0; t < tiny.model.vocabulary; ++t) {
      double score = 0;  // of the tied table's row
      for (std::int64_t j = 0; j < 16; ++j) score += normed.at({0, i, j}) * table.at({t, j});
      ASSERT_NEAR(logits.at({0, i, t}), score, 1e-9);
      sum += probabilities.at({0, i, t});
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Predict, AnOutputMatrixOfItsOwnIsReadTurned) {
  const TinyModel tiny = tiny_model("untied", ModelTask::decoder, [](StoredModel& m) { m.tied = false; });
  ASSERT_TRUE(tiny.write().ok());
  const auto made = trace(tiny, "mole", {}, "reference");
  ASSERT_TRUE(made);
  const Tensor& output = *find(tiny.parameters, "parameters.output");
  ASSERT_EQ(output.shape(), (Shape{16, tiny.model.vocabulary}));
  const Tensor normed = made->values("final_norm").value();
  double score = 0;
  for (std::int64_t j = 0; j < 16; ++j) score += normed.at({0, 2, j}) * output.at({j, 40});
  EXPECT_NEAR(made->values("logits")->at({0, 2, 40}), score, 1e-9);
}

TEST(Predict, ItsLogitsAreThoseOfTheTrace) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder, ModelTask::encoder}) {
    const TinyModel tiny = tiny_model(std::string("logits-") + name_of(task), task);
    const Predictor predictor = predictor_of(tiny);
    const bool two = task == ModelTask::encoder_decoder;
    const auto made = trace(tiny, "a mole", "une");
    ASSERT_TRUE(made);
    const auto ids = [](const Sentence& s) {
      TokenIds all;
      for (const auto& token : s.tokens) all.push_back(token.id);
      return all;
    };
    // In a batch with another length the same row comes out.
    std::vector<TokenIds> texts = {ids(made->texts()[0]), {4 + 97, 4 + 98}}, targets;
    if (two) targets = {ids(made->targets()[0]), {2}};
    const auto logits = predictor.logits(texts, targets, {});
    ASSERT_TRUE(logits.ok()) << logits.error().sentence();
    const Tensor expected = made->values("logits").value();
    EXPECT_LT(difference(logits->select(0, 0).compact(), expected.select(0, 0).compact()).max_abs, 2e-5) << name_of(task);
  }
}

TEST(Generate, GreedyTokensAreTheBestOfTheTrace) {
  const TinyModel tiny = tiny_model("greedy");
  const Predictor predictor = predictor_of(tiny);
  GenerateOptions options;
  options.tokens = 5;
  const auto made = generate(predictor, {"a mole", "b"}, options, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  ASSERT_EQ(made->size(), 2u);
  // Each token is the best of the probabilities of a trace of everything before it.
  TokenIds ids = predictor.beginning("a mole", {}).value();
  ASSERT_EQ((*made)[0].steps.size(), 5u);
  for (const Generated::Step& step : (*made)[0].steps) {
    const Tensor logits = predictor.logits({{ids}}, {}, {}).value();
    const std::vector<double> scores = scores_at(logits, 0, static_cast<std::int64_t>(ids.size()) - 1);
    EXPECT_EQ(step.token, std::max_element(scores.begin(), scores.end()) - scores.begin());
    EXPECT_EQ(step.candidates.front().token, step.token);
    EXPECT_NEAR(step.candidates.front().probability, std::exp(log_probability(scores, step.token)), 1e-6);
    ids.push_back(step.token);
  }
  const auto first = trace(tiny, "a mole");
  EXPECT_EQ((*made)[0].steps[0].token, best_of(*first, 6));
  EXPECT_EQ((*made)[0].steps[0].candidates.size(), 10u);
}

TEST(Generate, AnEncoderDecoderSaysTheTextAgain) {
  const TinyModel tiny = tiny_model("translate", ModelTask::encoder_decoder);
  const Predictor predictor = predictor_of(tiny);
  GenerateOptions options;
  options.tokens = 20;  // beyond the model's length: the window slides
  const auto made = generate(predictor, {"a mole", "the ant", "x"}, options, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  EXPECT_EQ((*made)[0].steps[0].token, best_of(*trace(tiny, "a mole", ""), 0));
  EXPECT_EQ((*made)[2].steps[0].token, best_of(*trace(tiny, "x", ""), 0));
  for (const Generated& one : *made) {
    EXPECT_TRUE(one.ended || one.steps.size() == 20);
    for (std::size_t i = 0; i + 1 < one.steps.size(); ++i) EXPECT_NE(one.steps[i].token, 3) << "went on behind [EOS]";
  }
  const auto alone = generate(predictor, {"the ant"}, options, {});
  EXPECT_EQ((*alone)[0].output, (*made)[1].output);
  const auto long_one = generate(predictor, {std::string(40, 'a')}, options, {});
  ASSERT_FALSE(long_one.ok());
  EXPECT_EQ(long_one.error().sentence(), "text 1: it has 42 tokens, and the model reads at most 12; give a shorter text");
}

TEST(Generate, DrawsAreSeededAndCut) {
  const Predictor predictor = predictor_of(tiny_model("draws"));
  GenerateOptions options;
  options.tokens = 12;
  options.temperature = 1;
  options.seed = 3;
  const auto tokens = [&](const GenerateOptions& how) {
    TokenIds all;
    const auto made = generate(predictor, {"mole"}, how, {});
    for (const Generated::Step& step : made.value()[0].steps) all.push_back(step.token);
    return all;
  };
  const TokenIds drawn = tokens(options);
  EXPECT_EQ(tokens(options), drawn);
  options.seed = 4;
  EXPECT_NE(tokens(options), drawn);
  GenerateOptions greedy = options;
  greedy.temperature = 0;
  options.top_k = 1;  // only the best is left
  EXPECT_EQ(tokens(options), tokens(greedy));
  options.top_k = 0;
  options.top_p = 1e-9;
  EXPECT_EQ(tokens(options), tokens(greedy));
  options.top_p = 1;
  options.temperature = 1e-3;  // sharpened until only the best has a probability
  EXPECT_EQ(tokens(options), tokens(greedy));
}

TEST(Generate, SaysWhatItCannotDo) {
  GenerateOptions options;
  const auto filled = generate(predictor_of(tiny_model("fills", ModelTask::encoder)), {"a"}, options, {});
  ASSERT_FALSE(filled.ok());
  EXPECT_NE(filled.error().sentence().find("fills in [MASK], and continues no text"), std::string::npos);
  const TinyModel plain = tiny_model("no-begin", ModelTask::decoder, [](StoredModel& m) { m.document.add_begin = false; });
  const auto empty = generate(predictor_of(plain), {""}, options, {});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().sentence(), "text 1: the text is empty; give at least one character");
  CancelSource stop;
  stop.cancel();
  const auto stopped = generate(predictor_of(tiny_model("stopped")), {"a"}, options, stop.token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

// A text that fits into one window: the sum over the trace's probabilities, in double.
TEST(Evaluate, IsTheSumOverTheTracesProbabilities) {
  const TinyModel tiny = tiny_model("evaluate");
  const Predictor predictor = predictor_of(tiny, "reference");
  const std::string text = "a mole ran.";
  const auto made = trace(tiny, text, {}, "reference");
  ASSERT_TRUE(made);
  const Tensor p = made->values("probabilities").value();
  double nats = 0;
  for (std::int64_t i = 0; i < 11; ++i)
    nats -= std::log(p.at({0, i, made->texts()[0].tokens[static_cast<std::size_t>(i + 1)].id}));
  const auto evaluation = evaluate_text(predictor, text, "here", {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().sentence();
  EXPECT_EQ(evaluation->tokens, 11);
  EXPECT_EQ(evaluation->bytes, 11);
  EXPECT_NEAR(evaluation->nats, nats, 1e-9 * nats);
  EXPECT_NEAR(evaluation->bits_per_byte(), nats / std::numbers::ln2 / 11, 1e-9);
  EXPECT_NEAR(evaluation->perplexity(), std::exp(nats / 11), 1e-6);
}

// A longer one: every token once, with at least half a window before it, computed here window by window.
TEST(Evaluate, SlidesByHalfAWindow) {
  for (const bool begins : {true, false}) {
    const TinyModel tiny = tiny_model("slides", ModelTask::decoder, [&](StoredModel& m) { m.document.add_begin = begins; });
    const Predictor predictor = predictor_of(tiny);
    const std::string text = "the mole and the ant ran into the garden and sat.";
    // [BOS] before the text, or the [EOS] of another one.
    TokenIds ids = predictor.beginning(text, {}).value();
    if (!begins) ids.insert(ids.begin(), 3);
    ASSERT_EQ(ids.front(), begins ? 2 : 3);
    const auto count = static_cast<std::int64_t>(ids.size());
    double nats = 0;
    std::int64_t tokens = 0, next = 1;
    for (std::int64_t begin = 0; next < count; begin += 6) {
      const std::int64_t end = std::min(begin + 12, count - 1);
      const Tensor logits = predictor.logits({{TokenIds(ids.begin() + begin, ids.begin() + end)}}, {}, {}).value();
      for (; next <= end; ++next, ++tokens) {
        EXPECT_TRUE(begin == 0 || next - begin > 6);
        nats -= log_probability(scores_at(logits, 0, next - 1 - begin), ids[static_cast<std::size_t>(next)]);
      }
    }
    const auto evaluation = evaluate_text(predictor, text, "here", {});
    ASSERT_TRUE(evaluation.ok()) << evaluation.error().sentence();
    EXPECT_EQ(evaluation->tokens, tokens);
    EXPECT_EQ(tokens, count - 1);
    EXPECT_EQ(evaluation->bytes, static_cast<std::int64_t>(text.size()));
    EXPECT_NEAR(evaluation->nats, nats, 1e-5 * nats);
  }
}

// The end of a line is [EOS], which the next line is read behind; with [BOS] before every line, that one is not predicted.
TEST(Evaluate, LinesAreTextsThatEnd) {
  for (const bool begins : {true, false}) {
    const TinyModel tiny = tiny_model("lines", ModelTask::decoder, [&](StoredModel& m) { m.document.add_begin = begins; });
    const Predictor predictor = predictor_of(tiny, "reference");
    const TokenIds ab = predictor.beginning("ab", {}).value(), c = predictor.beginning("c", {}).value();
    TokenIds ids = begins ? TokenIds() : TokenIds{3};
    ids.insert(ids.end(), ab.begin(), ab.end());
    ids.push_back(3);
    ids.insert(ids.end(), c.begin(), c.end());
    const Tensor logits = predictor.logits({{ids}}, {}, {}).value();
    double nats = 0;
    for (std::size_t i = 1; i < ids.size(); ++i)
      if (ids[i] != 2) nats -= log_probability(scores_at(logits, 0, static_cast<std::int64_t>(i) - 1), ids[i]);
    const auto evaluation = evaluate_text(predictor, "ab\r\n\nc", "here", {});
    ASSERT_TRUE(evaluation.ok()) << evaluation.error().sentence();
    EXPECT_EQ(evaluation->tokens, 4);
    EXPECT_EQ(evaluation->bytes, 4);
    EXPECT_NEAR(evaluation->nats, nats, 1e-9 * nats);
  }
}

// An encoder-decoder reads [EOS] behind its text and writes from [BOS], whatever the document adds.
TEST(Predict, AnEncoderDecodersSentencesHaveTheirEnds) {
  const TinyModel tiny =
      tiny_model("ends", ModelTask::encoder_decoder, [](StoredModel& m) { m.document.add_begin = m.document.add_end = false; });
  const Predictor predictor = predictor_of(tiny);
  const TokenIds source = predictor.source("ab", Message::name("here"), {}).value();
  ASSERT_EQ(source.size(), 3u);
  EXPECT_EQ(source.back(), 3);
  const auto made = trace(tiny, "ab", "le");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->texts()[0].tokens.back().id, 3);
  ASSERT_EQ(made->targets()[0].tokens.size(), 3u);
  EXPECT_EQ(made->targets()[0].tokens.front().id, 2);
  const Tensor logits = predictor.logits({{source}}, {{{2}}}, {}).value();
  const std::vector<double> scores = scores_at(logits, 0, 0);
  EXPECT_NEAR(made->values("logits")->at({0, 0, 5}), scores[5], 1e-5);
}

// Masked tokens are asked for where they stand; the share of right answers is that of the ranks.
TEST(Evaluate, AnEncoderIsAskedForHiddenTokens) {
  const TinyModel tiny = tiny_model("hidden", ModelTask::encoder, [](StoredModel& m) { m.document.add_begin = false; });
  const Predictor predictor = predictor_of(tiny, "reference");
  std::string text;
  for (int i = 0; i < 12; ++i) text += "the mole and the ant ran into the garden. ";
  const auto evaluation = evaluate_masked(predictor, text, "here", {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().sentence();
  EXPECT_GT(evaluation->tokens, 0.1 * static_cast<double>(text.size()));
  EXPECT_LT(evaluation->tokens, 0.2 * static_cast<double>(text.size()));
  EXPECT_EQ(evaluation->bytes, evaluation->tokens);  // characters
  // The same again, by hand: windows of 12 behind an [EOS].
  TokenIds ids = predictor.beginning(text, {}).value();
  ids.insert(ids.begin(), 3);
  const std::int32_t mask = predictor.tokenizer().special(tokenizers::Role::mask);
  const Rng rng(0, "evaluate masked");
  double nats = 0;
  std::int64_t five = 0, tokens = 0;
  for (std::size_t begin = 0; begin < ids.size(); begin += 12) {
    TokenIds window(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                    ids.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 12, ids.size())));
    const TokenIds shown = window;
    for (std::size_t i = 0; i < window.size(); ++i)
      if (rng.uniform(begin + i, 0) < 0.15 && window[i] != 3) window[i] = mask;
    const Tensor logits = predictor.logits({{window}}, {}, {}).value();
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (window[i] != mask) continue;
      const std::vector<double> scores = scores_at(logits, 0, static_cast<std::int64_t>(i));
      nats -= log_probability(scores, shown[i]);
      const double own = scores[static_cast<std::size_t>(shown[i])];
      five += std::count_if(scores.begin(), scores.end(), [&](double x) { return x > own; }) < 5;
      ++tokens;
    }
  }
  EXPECT_EQ(evaluation->tokens, tokens);
  EXPECT_NEAR(evaluation->nats, nats, 1e-9 * nats);
  EXPECT_NEAR(evaluation->five_share(), static_cast<double>(five) / static_cast<double>(tokens), 1e-12);
  EXPECT_GE(evaluation->among_five, evaluation->first);
  EXPECT_FALSE(evaluate_masked(predictor_of(tiny_model("not-hidden")), text, "here", {}).ok());
}

TEST(Evaluate, PairsAreTargetsGivenTheirTexts) {
  const TinyModel tiny = tiny_model("pairs", ModelTask::encoder_decoder);
  const Predictor predictor = predictor_of(tiny, "reference");
  double nats = 0;
  std::int64_t tokens = 0;
  for (const auto& [text, target] : {std::pair<std::string, std::string>{"a mole", "une taupe"}, {"ant", "le rat"}}) {
    const auto made = trace(tiny, text, target, "reference");  // its target has [EOS] too
    ASSERT_TRUE(made);
    const Tensor p = made->values("probabilities").value();
    const auto& read = made->targets()[0].tokens;
    for (std::size_t i = 0; i + 1 < read.size(); ++i, ++tokens)
      nats -= std::log(p.at({0, static_cast<std::int64_t>(i), read[i + 1].id}));
  }
  const auto evaluation = evaluate_pairs(predictor, "a mole\tune taupe\tsomebody\n\nant\tle rat\r\n", "here", {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().sentence();
  EXPECT_EQ(evaluation->tokens, tokens);
  EXPECT_EQ(evaluation->bytes, 15);
  EXPECT_NEAR(evaluation->nats, nats, 1e-9 * nats);
  const auto refused = [&](const char* text, const char* says) {
    const auto wrong = evaluate_pairs(predictor, text, "here", {});
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_EQ(wrong.error().sentence().find(says), 0u) << wrong.error().sentence();
  };
  refused("a\tb\nno tab\n", "here:2: this line is no pair");
  refused("a\t\n", "here:1: this line is no pair");
  refused("\n", "here: there are no pairs in it");
  refused("a\taaaaaaaaaaaaaaaaaaaa\n", "here:1: its target has 21 tokens, and the model reads at most 12");
  EXPECT_FALSE(evaluate_text(predictor, "a text", "here", {}).ok());
}

}  // namespace
}  // namespace headlight
