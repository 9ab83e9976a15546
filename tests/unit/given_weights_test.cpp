// Weights that a document gives in numbers: what they enter, what is drawn beside them, what is refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/backends/backends.h"
#include "engine/document/presets.h"
#include "engine/insight/explain_value.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/step_cache.h"

namespace headlight {
namespace {

Document with(const std::vector<std::string>& matrices) {
  Document d;
  presets::registry().find("lecture")->apply(d);
  d.projected = true;
  d.texts = {"attention is all"};
  d.tokenizer = "words";
  d.d_model = 2;
  d.backend = "reference";
  const Status set = find_field("matrices")->set(d, matrices);
  EXPECT_TRUE(set.ok()) << set.error().sentence();
  return d;
}

// The three words of S13 with its matrices; W_O = I, which changes nothing.
const std::vector<std::string>& three_words() {
  static const std::vector<std::string> matrices = {"embedding[attention]=1 0", "embedding[is]=0 1",  "embedding[all]=1 1",
                                                    "layer.0.wq=1 0/0 1",       "layer.0.wk=1 1/0 1", "layer.0.wv=1 2/3 0",
                                                    "layer.0.wo=1 0/0 1"};
  return matrices;
}

Result<std::shared_ptr<const Trace>> given_weights_trace_of(const Document& document, StepCache* cache = nullptr) {
  const auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend.ok());
  RunOptions options;
  options.cache = cache;
  return run(document, **backend, {}, options);
}

std::vector<double> given_weights_numbers(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  if (!values.ok()) return {};
  const Tensor t = values->as(DType::f64).compact();
  return {t.data<double>(), t.data<double>() + t.count()};
}

TEST(GivenWeights, TheThreeWordsAreWhatTheirMatricesSay) {
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Document document = with(three_words());
    document.backend = backend;
    const auto made = given_weights_trace_of(document);
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    const Trace& trace = **made;
    EXPECT_EQ(given_weights_numbers(trace, "input"), (std::vector<double>{1, 0, 0, 1, 1, 1}));
    EXPECT_EQ(given_weights_numbers(trace, "layer.0.q"), (std::vector<double>{1, 0, 0, 1, 1, 1}));
    EXPECT_EQ(given_weights_numbers(trace, "layer.0.k"), (std::vector<double>{1, 1, 0, 1, 1, 2}));
    EXPECT_EQ(given_weights_numbers(trace, "layer.0.v"), (std::vector<double>{1, 2, 3, 0, 4, 2}));
    EXPECT_EQ(given_weights_numbers(trace, "layer.0.scores"), (std::vector<double>{1, 0, 1, 1, 1, 2, 2, 1, 3}));
    const double weights[] = {.4223, .1554, .4223, .2119, .2119, .5761, .2447, .0900, .6652};
    const double output[] = {2.5777, 1.6893, 3.1522, 1.5761, 3.1758, 1.8199};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(given_weights_numbers(trace, "layer.0.weights")[i], weights[i], 5.1e-5) << i;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(given_weights_numbers(trace, "layer.0.attention_output")[i], output[i], 5.1e-5) << i;
    for (const Step& step : trace.steps()) EXPECT_NE(step.origin, Origin::random) << step.name;
  }
}

TEST(GivenWeights, WhatIsNotGivenIsDrawnAsEver) {
  const auto drawn = given_weights_trace_of(with({}));
  const auto mixed = given_weights_trace_of(with({"embedding[is]=5 6", "layer.0.wv=1 2/3 0"}));
  ASSERT_TRUE(drawn.ok() && mixed.ok());
  const auto a = given_weights_numbers(**drawn, "embedding"), b = given_weights_numbers(**mixed, "embedding");
  EXPECT_EQ(b, (std::vector<double>{a[0], a[1], 5, 6, a[4], a[5]}));
  EXPECT_EQ(given_weights_numbers(**drawn, "parameters.layer.0.wq"), given_weights_numbers(**mixed, "parameters.layer.0.wq"));
  EXPECT_EQ(given_weights_numbers(**mixed, "parameters.layer.0.wv"), (std::vector<double>{1, 2, 3, 0}));
  EXPECT_EQ((*mixed)->find("embedding")->origin, Origin::random) << "two of its rows were drawn";
  for (const NamedParameter& parameter : (*mixed)->parameters())
    EXPECT_EQ(parameter.origin, parameter.name == "parameters.layer.0.wv" ? Origin::given : Origin::random) << parameter.name;
}

TEST(GivenWeights, AnotherMatrixIsComputedAgainDespiteTheCache) {
  StepCache cache;
  ASSERT_TRUE(given_weights_trace_of(with(three_words()), &cache).ok());
  auto changed = three_words();
  changed[5] = "layer.0.wv=2 4/6 0";
  const auto again = given_weights_trace_of(with(changed), &cache), fresh = given_weights_trace_of(with(changed));
  ASSERT_TRUE(again.ok() && fresh.ok());
  EXPECT_EQ(given_weights_numbers(**again, "layer.0.v"), (std::vector<double>{2, 4, 6, 0, 8, 4}));
  EXPECT_EQ(given_weights_numbers(**again, "layer.0.attention_output"),
            given_weights_numbers(**fresh, "layer.0.attention_output"));
}

TEST(GivenWeights, TheTargetsTableHasRowsOfItsOwnTokenizer) {
  Document document = with({"target_embedding[a]=7 8"});
  document.targets = {"a"};
  document.target_tokenizer = "characters";
  const auto made = given_weights_trace_of(document);
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  EXPECT_EQ(given_weights_numbers(**made, "decoder.embedding"), (std::vector<double>{7, 8}));
}

TEST(GivenWeights, WhatDoesNotFitIsNamed) {
  const auto refusal = [](const std::vector<std::string>& matrices) {
    const auto made = given_weights_trace_of(with(matrices));
    return made.ok() ? std::string("accepted") : made.error().sentence();
  };
  EXPECT_NE(refusal({"layer.7.wq=1 0/0 1"}).find("the model has no matrix 'layer.7.wq'; known are embedding, layer.0.wq"),
            std::string::npos)
      << refusal({"layer.7.wq=1 0/0 1"});
  EXPECT_NE(refusal({"layer.0.wq=1 0 0/0 1 0"}).find("'layer.0.wq' is given as [2, 3] and the model's is [2, 2]"),
            std::string::npos)
      << refusal({"layer.0.wq=1 0 0/0 1 0"});
  EXPECT_NE(refusal({"embedding[is]=1"}).find("is given as [1, 1] and the model's is [1, 2]"), std::string::npos);
  EXPECT_NE(refusal({"layer.0.wq[is]=1 0"}).find("has no rows of tokens"), std::string::npos);
  EXPECT_NE(refusal({"embedding[qqzx]=1 0"}).find("has no piece 'qqzx'"), std::string::npos);
  EXPECT_NE(refusal({"layer.0.wq=1 0/0 1", "layer.0.wq=1 0/0 1"}).find("given twice"), std::string::npos);
}

TEST(GivenWeights, AGivenNumberIsCheckedAgainstTheDocument) {
  const auto made = given_weights_trace_of(with(three_words()));
  ASSERT_TRUE(made.ok());
  const auto matrix = explain_value(**made, {"parameters.layer.0.wv", {1, 0}});
  ASSERT_TRUE(matrix.ok()) << matrix.error().sentence();
  EXPECT_EQ(matrix->check, ValueCheck::given);
  EXPECT_EQ(matrix->computed, 3);
  EXPECT_EQ(matrix->operation, "given");
  EXPECT_FALSE(matrix->random_weights);
  const std::int64_t id = (*made)->texts()[0].tokens[2].id;
  const auto row = explain_value(**made, {"parameters.embedding", {id, 1}});
  ASSERT_TRUE(row.ok()) << row.error().sentence();
  EXPECT_EQ(row->check, ValueCheck::given);
  EXPECT_EQ(row->computed, 1);
  const auto other = explain_value(**made, {"parameters.embedding", {id + 1, 1}});
  ASSERT_TRUE(other.ok()) << other.error().sentence();
  EXPECT_EQ(other->check, ValueCheck::drawn);
  EXPECT_EQ(other->computed, other->value);
}

}  // namespace
}  // namespace headlight
