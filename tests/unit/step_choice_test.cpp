#include "app/cli/step_choice.h"

#include <gtest/gtest.h>

namespace headlight::cli {
namespace {

std::vector<Step> steps(const std::vector<std::string>& names) {
  std::vector<Step> list;
  for (const std::string& name : names) {
    Step step;
    step.name = name;
    list.push_back(step);
  }
  return list;
}
const std::vector<Step>& one_model() {
  static const auto list =
      steps({"tokens", "input", "layer.0.q", "layer.0.weights", "layer.1.q", "layer.1.weights", "layer.10.weights"});
  return list;
}
const std::vector<Step>& translator() {
  static const auto list = steps({"encoder.layer.0.weights", "decoder.input", "decoder.layer.0.weights",
                                  "decoder.layer.0.cross.weights", "decoder.layer.1.cross.weights"});
  return list;
}
std::string chosen(const std::vector<Step>& list, const std::string& what, std::optional<std::int64_t> layer = {},
                   std::int64_t fallback = 0) {
  const Result<const Step*> r = choose_step(list, what, layer, fallback);
  return r.ok() ? r.value()->name : "error: " + r.error().sentence();
}

TEST(StepChoice, NamesComeApart) {
  const StepName name = split_step_name("decoder.layer.12.cross.weights");
  EXPECT_EQ(name.site, "decoder.");
  EXPECT_EQ(name.layer, 12);
  EXPECT_EQ(name.rest, "cross.weights");
  EXPECT_EQ(name.kind(), "decoder.cross.weights");
  EXPECT_EQ(split_step_name("input").rest, "input");
  EXPECT_FALSE(split_step_name("layer.x.q").layer);
  EXPECT_EQ(split_step_name("layer.7").rest, "layer.7");
}

TEST(StepChoice, AFullNameAStepAndALayerMeanTheSame) {
  EXPECT_EQ(chosen(one_model(), "layer.1.weights"), "layer.1.weights");
  EXPECT_EQ(chosen(one_model(), "weights", 1), "layer.1.weights");
  EXPECT_EQ(chosen(one_model(), "layer.1.weights", 1), "layer.1.weights");
  EXPECT_EQ(chosen(one_model(), "weights", {}, 10), "layer.10.weights");
  EXPECT_EQ(chosen(one_model(), "weights", {}, 5), "layer.0.weights");  // this model has no such layer
  EXPECT_EQ(chosen(one_model(), "input"), "input");
  EXPECT_EQ(chosen(translator(), "cross.weights", 1), "decoder.layer.1.cross.weights");
  EXPECT_EQ(chosen(translator(), "decoder.weights"), "decoder.layer.0.weights");
  EXPECT_EQ(chosen(translator(), "input"), "decoder.input");
}

TEST(StepChoice, ErrorsNameWhatThereIs) {
  EXPECT_NE(chosen(one_model(), "wieghts").find("known are tokens, input, q, weights"), std::string::npos);
  EXPECT_NE(chosen(one_model(), "weights", 11).find("layers go from 0 to 10"), std::string::npos);
  EXPECT_NE(chosen(one_model(), "weights", -1).find("there is no layer -1"), std::string::npos);
  EXPECT_NE(chosen(one_model(), "layer.1.weights", 0).find("--layer says 0"), std::string::npos);
  EXPECT_NE(chosen(one_model(), "input", 0).find("belongs to no layer"), std::string::npos);
  EXPECT_NE(chosen(translator(), "weights").find("encoder.weights, decoder.weights, decoder.cross.weights"), std::string::npos);
  EXPECT_NE(chosen(translator(), "encoder.input").find("decoder.input"), std::string::npos);
  EXPECT_EQ(choose_step(one_model(), "", {}, 0).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace headlight::cli
