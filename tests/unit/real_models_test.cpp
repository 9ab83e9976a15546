// The two real models of the catalogue, where `headlight models get` brought them: what the library transformers makes of the
// sentences of tests/data/real_models (tests/parity/real_models.py compares all of them, and writes these fixtures).
#include <gtest/gtest.h>

#include <cmath>

#include "engine/architectures/architecture.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/user_folder.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/predict.h"
#include "support/trace_of.h"
#include "test_data.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class RealModel : public testing::Test {
 protected:
  void open(const std::string& name) {
    if (!architectures::is_checkpoint(own_models_folder() / name))
      GTEST_SKIP() << name << " is not in " << own_models_folder() << ": headlight models get " << name;
    model = open_stored_model(name).value();
    rows = Json::parse(read_file(fs::path(HEADLIGHT_TEST_DATA) / "real_models" / (name + ".json")).value()).value()["sentences"];
    ASSERT_GE(rows.size(), 10u);
  }

  std::shared_ptr<const StoredModel> model;
  Json rows;  // every twentieth sentence
};

TEST_F(RealModel, SmolLM2ContinuesSentencesAsTheLibraryDoes) {
  open("smollm2");
  if (IsSkipped()) return;
  const auto predictor = Predictor::open(model, *backends::open("cpu"));
  ASSERT_TRUE(predictor.ok()) << predictor.error().sentence();
  std::vector<std::string> texts;
  for (const Json& row : rows.elements()) texts.push_back(row["text"].string());
  GenerateOptions options;
  options.tokens = 20;
  const auto made = generate(*predictor, texts, options, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Json& row = rows[i];
    if (!row["near"].empty()) continue;  // two candidates are alike
    std::vector<std::int64_t> ids, wanted;
    for (const Generated::Step& step : (*made)[i].steps) ids.push_back(step.token);
    for (const Json& id : row["next"].elements()) wanted.push_back(id.integer());
    if (ids.size() == wanted.size() + 1) ids.pop_back();  // the end
    EXPECT_EQ(ids, wanted) << texts[i];
  }
}

TEST_F(RealModel, MiniLMGivesTheLibrarysVectors) {
  open("minilm");
  if (IsSkipped()) return;
  for (const Json& row : rows.elements()) {
    Document document;
    use_model(document, *model);
    document.texts = {row["text"].string()};
    const auto trace = tests::trace_of(document);
    ASSERT_TRUE(trace);
    const Tensor last = trace->values("layer.5.mlp_norm").value().as(DType::f64).compact();
    const std::int64_t tokens = last.dim(1), width = last.dim(2);
    ASSERT_EQ(static_cast<std::size_t>(tokens), row["ids"].size()) << row["text"].string();
    std::vector<double> mean(static_cast<std::size_t>(width));
    for (std::int64_t i = 0; i < last.count(); ++i) mean[static_cast<std::size_t>(i % width)] += last.data<double>()[i];
    double square = 0;
    for (const double x : mean) square += x * x;
    for (std::size_t i = 0; i < row["pooled"].size(); ++i)
      EXPECT_NEAR(mean[i] / std::sqrt(square), row["pooled"][i].number(), 2e-6) << row["text"].string();
  }
}

}  // namespace
}  // namespace headlight
