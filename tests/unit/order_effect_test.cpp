// S15: man bites dog, dog bites man.
#include "engine/insight/order_effect.h"
#include "engine/document/stored_model.h"

#include <gtest/gtest.h>

#include "engine/backends/base/backend.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

Document example() {
  Document document;
  document.d_model = 32;
  document.heads = 4;
  document.layers = 2;
  document.backend = "reference";
  document.masks = {{"causal", {}}};
  return reordered_example(document);
}

TEST(OrderEffect, WithoutPositionsTheOutputsAreTheSameSet) {
  const auto none = order_effect_with(example(), "none");
  ASSERT_TRUE(none.ok()) << none.error().sentence();
  ASSERT_EQ(none->words.size(), 3u);
  EXPECT_EQ(none->words[0].label, "man");
  EXPECT_EQ(none->words[0].first, 0);
  EXPECT_EQ(none->words[0].second, 2);
  EXPECT_EQ(none->words[1].second, 1);
  EXPECT_LT(none->largest, 1e-9) << "a bag of words";
  EXPECT_GT(none->words[0].length, 0.1);
  EXPECT_EQ(none->step, "layer.1.mlp_residual");
}

TEST(OrderEffect, WithPositionsEveryWordKnowsWhereItStands) {
  for (const char* position : {"sinusoidal", "learned"}) {
    const auto some = order_effect_with(example(), position);
    ASSERT_TRUE(some.ok());
    for (const auto& word : some->words) EXPECT_GT(word.distance, 0.01) << position << " " << word.label;
  }
}

TEST(OrderEffect, ACausalMaskKnowsOrderToo) {
  Document document = example();
  document.masks = {{"causal", {}}};
  const auto masked = order_effect_with(document, "none");
  ASSERT_TRUE(masked.ok());
  EXPECT_GT(masked->largest, 0.01);
}

// A session from a machine with more GPUs than this one: the CPU computes it, as it does the document itself.
TEST(OrderEffect, ADeviceThatIsNotHereIsReplaced) {
  Document document = example();
  document.backend = "cuda:7";
  const auto none = order_effect_with(document, "none");
  ASSERT_TRUE(none.ok()) << none.error().sentence();
  EXPECT_EQ(none->words.size(), 3u);
}

// Positions of a trained model can be left out and nothing else; an encoder's vectors are compared, whatever the decoder reads.
TEST(OrderEffect, OfATrainedTranslationTheEncodersVectorsAreCompared) {
  Document document;
  const auto stored = open_stored_model("english-french");
  ASSERT_TRUE(stored.ok());
  use_model(document, **stored);
  document.targets = {"", ""};
  document = reordered_example(document);
  const auto none = order_effect_with(document, "none");
  ASSERT_TRUE(none.ok()) << none.error().sentence();
  EXPECT_TRUE(none->step.starts_with("encoder.")) << none->step;
  EXPECT_LT(none->largest, 1e-3 * none->words[0].length) << "a bag of words, but for rounding";
  const auto with = order_effect_with(document, document.position);
  ASSERT_TRUE(with.ok()) << with.error().sentence();
  EXPECT_GT(with->largest, 0.1 * with->words[0].length);
  EXPECT_FALSE(order_effect_with(document, "learned").ok()) << "it was trained with others";
}

TEST(OrderEffect, OtherSentencesAreRefused) {
  Document document = example();
  document.texts = {"man bites dog", "man bites man"};
  EXPECT_FALSE(order_effect_with(document, "none").ok());
  document.texts = {"man bites dog", "man bites dog"};
  EXPECT_FALSE(order_effect_with(document, "none").ok());
  EXPECT_FALSE(order_effect_with(example(), "no such positions").ok());
}

}  // namespace
}  // namespace headlight
