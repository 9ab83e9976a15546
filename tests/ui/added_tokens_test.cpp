// Special tokens that a sentence names, in the window: chips of their own, a legend, a switch, and what the file asks for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/ui/room.h"

namespace headlight {
namespace {

class AddedTokensWindow : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("headlight_added_window-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "tokenizer.json")
        << R"({"truncation":{"max_length":128},"added_tokens":[{"id":3,"content":"[MASK]","special":true}],
              "pre_tokenizer":{"type":"Whitespace"},
              "model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"the":1,"cat":2,"[MASK]":3,"[":4,"MASK":5,"]":6}}})";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// The words that a frame draws.
std::vector<gl::DrawnText> drawn(test::Room& room) {
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  return texts;
}
const gl::DrawnText* find(const std::vector<gl::DrawnText>& texts, const std::string& words) {
  const auto at = std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.text == words; });
  return at == texts.end() ? nullptr : &*at;
}

TEST_F(AddedTokensWindow, TheViewNamesThemAndTheSwitchReadsThemAsText) {
  Document document = test::small_document();
  document.texts = {"the [MASK] cat"};
  document.tokenizer = folder_.string();
  ViewState view;
  view.tab = "tokens";
  test::Room room(document, view);
  ASSERT_TRUE(room.shell->published().trace);
  ASSERT_EQ(room.shell->published().trace->texts()[0].tokens.size(), 3u);
  EXPECT_TRUE(room.shell->published().trace->texts()[0].tokens[1].added);
  EXPECT_TRUE(room.has("tokens:legend"));
  EXPECT_TRUE(find(drawn(room), "a special or added token that the sentence names"));

  room.click_part("picker:tokenizer");
  ASSERT_TRUE(test::NullWindow::popup_open());
  const auto texts = drawn(room);
  EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const auto& text) {
    return text.text.find("cuts texts off after 128 tokens") != std::string::npos;
  }));
  const gl::DrawnText* const found = find(texts, "special tokens as text");
  ASSERT_TRUE(found);
  room.click((found->low.x + found->high.x) / 2, (found->low.y + found->high.y) / 2);
  while (test::NullWindow::popup_open()) room.window.key(*room.shell, ImGuiKey_Escape);
  room.settle();
  EXPECT_TRUE(room.shell->document().plain);
  EXPECT_EQ(room.shell->published().trace->texts()[0].tokens.size(), 5u) << "the [ MASK ] cat";
  const auto after = drawn(room);
  EXPECT_TRUE(find(after, "special tokens are read as plain text"));
  EXPECT_FALSE(find(after, "a special or added token that the sentence names"));
  EXPECT_EQ(room.window.errors(), 0);
}

}  // namespace
}  // namespace headlight
