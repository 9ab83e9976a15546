// What is said of texts that a model was never trained to read.
#include "engine/insight/trace_remarks.h"

#include <gtest/gtest.h>

#include "engine/document/stored_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

TraceRemarks remarks_of(const char* model, const std::string& text, const char* trace_remarks_target = nullptr) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok());
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  if (trace_remarks_target) document.targets = {trace_remarks_target};
  const auto trace = tests::trace_of(document);
  EXPECT_TRUE(trace);
  return trace_remarks(*trace, {}).value();
}

TEST(TraceRemarks, ATextBeyondTheTrainedLengthIsSaid) {
  std::string text = "dog";
  for (int i = 0; i < 63; ++i) text += " dog";
  EXPECT_FALSE(remarks_of("course", text).any()) << "64 tokens are what it was trained on";
  const TraceRemarks beyond = remarks_of("course", text + " dog");
  EXPECT_EQ(beyond.tokens, 65);
  EXPECT_EQ(beyond.trained_length, 64);
}

TEST(TraceRemarks, ATargetInAnotherLanguageIsHardlyPossibleAndATranslationIsNot) {
  const std::string text = "The cat is on the table.";
  EXPECT_FALSE(remarks_of("english-french", text, "Le chat est sur la table.").any());
  EXPECT_FALSE(remarks_of("english-french", text, "Le").any()) << "a beginning";
  for (const char* wrong : {"Der Hund liegt auf dem Tisch.", "the forest was green", "我是中国人"}) {
    const TraceRemarks said = remarks_of("english-french", text, wrong);
    EXPECT_GT(said.target_loss, kUnlikelyTarget) << wrong;
    EXPECT_EQ(said.target_language, "French");
  }
}

TEST(TraceRemarks, ATextOfAnotherLanguageIsStrangeToALanguageModelAndAPlainOneIsNot) {
  EXPECT_FALSE(remarks_of("stories", "The old man sat down by the fire and told the boy a story.").any());
  for (const char* strange : {"Der alte Mann setzte sich ans Feuer und erzählte dem Jungen eine Geschichte.",
                              "Le vieil homme s'assit près du feu et raconta une histoire au garçon."}) {
    const TraceRemarks said = remarks_of("stories", strange);
    EXPECT_GT(said.text_loss, kStrangeText) << strange;
    EXPECT_GT(said.text_loss, said.usual_loss + kStranger) << strange;
    EXPECT_GT(said.usual_loss, 1) << strange;
  }
  EXPECT_FALSE(remarks_of("stories", "Der alte Mann").any()) << "too short to tell";
  EXPECT_FALSE(remarks_of("course", "The old man sat down by the fire and told the boy a story.").any())
      << "plain sentences are as strange to it";
}

TEST(TraceRemarks, AMaskOrATemperatureThatTheModelWasNotTrainedWithIsSaid) {
  Document document;
  use_model(document, *open_stored_model("course").value());
  document.texts = {"the dog"};
  EXPECT_TRUE(untrained_fields(document).empty());
  document.temperature = 2;
  document.masks.clear();
  EXPECT_EQ(untrained_fields(document), (std::vector<std::string>{"masks", "temperature"}));
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace_remarks(*trace, {}).value().untrained, untrained_fields(document));
  document.temperature = 1;
  document.masks = {{"padding", {}}, {"causal", {}}};
  EXPECT_TRUE(untrained_fields(document).empty()) << "padding is masked of texts of several lengths";
  document.model = "sandbox";
  document.masks.clear();
  EXPECT_TRUE(untrained_fields(document).empty()) << "nothing is trained there";
}

TEST(TraceRemarks, CellsThatTheTextDoesNotHaveAreNamed) {
  Document document;
  document.texts = {"the dog"};
  document.tokenizer = "words";
  ASSERT_TRUE(find_field("mask_cells")->set(document, {"layer.1.head.0=1:0,1:7,9:0", "layer.2.head.0=1:1"}).ok());
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace_remarks(*trace, {}).value().lost_cells, (std::vector<std::string>{"layer.1.head.0=1:7,9:0"}));
}

}  // namespace
}  // namespace headlight
