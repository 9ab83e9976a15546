// The pickers with a trained model: what each model is for, what is fixed in it and why, and what it was not trained with.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/files/configuration.h"
#include "engine/document/stored_model.h"
#include "test_data.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

struct TrainedPickersRoom : test::Room {
  using test::Room::Room;
  std::string words() {
    std::vector<gl::DrawnText> drawn;
    window.figures().watch_text(&drawn);
    window.frame(*shell);
    window.figures().watch_text(nullptr);
    std::string all;
    for (const gl::DrawnText& one : drawn) all += one.text + " ";
    return all;
  }
  std::string popup(const char* picker) {
    window.key(*shell, ImGuiKey_Escape);
    shell->ui.popup_next = picker;
    settle();
    return words();
  }
};

Document trained_pickers_course() {
  Document document;
  const auto model = open_stored_model("course");
  EXPECT_TRUE(model.ok());
  if (model.ok()) use_model(document, **model);
  document.texts = {"the dog"};
  return document;
}

TEST(TrainedPickers, TheListOfModelsSaysWhatEachIsForAndBringsAllOfIt) {
  TrainedPickersRoom room;
  const std::string list = room.popup("model");
  for (const char* said : {"continues a text", "fills in hidden words", "translates English into French", "made-up sentences"})
    EXPECT_NE(list.find(said), std::string::npos) << said << " in " << list;
  room.click_part("model:course");
  room.settle();
  const Document& document = room.shell->document();
  EXPECT_EQ(document.model, "course");
  EXPECT_EQ(document.d_model, 160);
  EXPECT_EQ(document.position, "rotary");
  EXPECT_EQ(document.masks.size(), 1u);
  EXPECT_EQ(document.texts, test::small_document().texts) << "the sentence stays";
}

TEST(TrainedPickers, AFetchedModelIsListedWithItsFamilyAndOpens) {
  const test::ConfigurationFolder configuration;
  const std::filesystem::path folder = models_path() / "tiny",
                              published = std::filesystem::path(HEADLIGHT_TEST_DATA) / "published";
  std::filesystem::create_directories(folder);
  for (const char* file : {"llama.gguf", "tokenizer.json"}) std::filesystem::copy_file(published / file, folder / file);
  TrainedPickersRoom room;
  const std::string list = room.popup("model");
  EXPECT_NE(list.find("tiny Llama \xC2\xB7 continues a text 2 \xC3\x97 2 over 1"), std::string::npos) << list;
  room.click_part("model:tiny");
  room.settle();
  EXPECT_EQ(room.shell->document().model, folder.string());
  Document named = room.shell->document();
  named.model = "tiny";
  room.shell->edit(std::move(named));
  const std::string again = room.popup("model");
  EXPECT_NE(again.find("tiny Llama"), std::string::npos);
  EXPECT_EQ(again.find("tiny Llama"), again.rfind("tiny Llama")) << "by its name alone it is the same model: " << again;
}

TEST(TrainedPickers, WhatIsFixedIsGreyedWithTheReason) {
  TrainedPickersRoom room(trained_pickers_course());
  room.settle();
  EXPECT_NE(room.popup("size").find("trained with these sizes"), std::string::npos);
  EXPECT_NE(room.popup("tokenizer").find("trained with this tokenizer"), std::string::npos);
  EXPECT_NE(room.popup("positions").find("trained with these positions"), std::string::npos);
  EXPECT_EQ(room.shell->document(), trained_pickers_course());
}

TEST(TrainedPickers, TheSandboxHasAnySize) {
  TrainedPickersRoom room;
  EXPECT_EQ(room.popup("size").find("trained with these sizes"), std::string::npos);
}

TEST(TrainedPickers, WhatTheModelWasNotTrainedWithIsSaid) {
  TrainedPickersRoom room(trained_pickers_course());
  room.settle();
  const char* const said = "was not trained with this choice of";
  EXPECT_EQ(room.words().find("not trained so"), std::string::npos);
  EXPECT_EQ(room.popup("mask").find(said), std::string::npos);
  Document other = trained_pickers_course();
  other.masks.clear();
  other.temperature = 3;
  room.shell->edit(other);
  room.settle();
  EXPECT_NE(room.words().find("not trained so"), std::string::npos) << "the badge";
  EXPECT_NE(room.popup("mask").find("choice of masks:"), std::string::npos);
  EXPECT_NE(room.popup("score").find("choice of temperature:"), std::string::npos);
  room.window.key(*room.shell, ImGuiKey_Escape);
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.words().find("not trained so"), std::string::npos);
}

TEST(TrainedPickers, MaskedCellsThatTheSentenceDoesNotHaveAreListed) {
  Document document = trained_pickers_course();
  ASSERT_TRUE(find_field("mask_cells")->set(document, {"layer.0.head.1=1:0,9:2"}).ok());
  TrainedPickersRoom room(document);
  room.settle();
  room.click_part("interventions");
  room.settle();
  const std::string said = room.words();
  EXPECT_NE(said.find("too short for these cells"), std::string::npos) << said;
  EXPECT_NE(said.find("layer.0.head.1=9:2"), std::string::npos) << said;
}

}  // namespace
}  // namespace headlight
