// The picker of tokenizers where there are two sentences: each has its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/training.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

// Clicks the words in an open popup, as a person finds them.
void click_words(Room& room, const std::string& words) {
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto at = std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.floats && text.text == words; });
  ASSERT_NE(at, texts.end()) << words;
  room.click((at->low.x + at->high.x) / 2, (at->low.y + at->high.y) / 2);
}

bool has_target_table(const Trace& trace) {
  const auto& all = trace.parameters();
  return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.name == "parameters.target_embedding"; });
}

Document two_sentences() {
  Document document = test::small_document("characters");
  document.texts = {"man bites dog"};
  document.targets = {"man bites dog"};
  return document;
}

std::string label_of(const std::string& id) { return tokenizers::registry().find(id)->label; }

TEST(TokenizerPicker, GivesTheSecondSentenceItsOwnAndUndoTakesItBack) {
  Room room(two_sentences());
  window::Shell& shell = *room.shell;
  const std::size_t characters = shell.published().trace->texts()[0].tokens.size();
  ASSERT_EQ(shell.published().trace->targets()[0].tokens.size(), characters);
  EXPECT_FALSE(has_target_table(*shell.published().trace));

  room.click_part("picker:tokenizer");
  ASSERT_TRUE(test::NullWindow::popup_open());
  click_words(room, "second sentence");
  click_words(room, label_of("words"));
  room.settle();
  EXPECT_EQ(shell.document().target_tokenizer, "words");
  EXPECT_EQ(shell.document().tokenizer, "characters") << "the first sentence keeps its own";
  const auto trace = shell.published().trace;
  EXPECT_EQ(trace->target_tokenizer()->kind(), "words");
  EXPECT_EQ(trace->targets()[0].tokens.size(), 3u);
  EXPECT_EQ(trace->texts()[0].tokens.size(), characters);
  EXPECT_TRUE(has_target_table(*trace)) << "another vocabulary has another table";

  while (test::NullWindow::popup_open()) room.window.key(shell, ImGuiKey_Escape);
  room.window.key(shell, ImGuiKey_Z, true);
  room.settle();
  EXPECT_EQ(shell.document(), two_sentences());
  EXPECT_EQ(shell.published().trace->targets()[0].tokens.size(), characters);
  EXPECT_FALSE(has_target_table(*shell.published().trace));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(TokenizerPicker, OneTokenizerForBothAgain) {
  Document document = two_sentences();
  document.target_tokenizer = "words";
  Room room(document);
  room.click_part("picker:tokenizer");
  click_words(room, "second sentence");
  click_words(room, "as the first sentence");
  room.settle();
  EXPECT_EQ(room.shell->document(), two_sentences());
  EXPECT_FALSE(has_target_table(*room.shell->published().trace));
}

TEST(TokenizerPicker, ChangesTheFirstSentenceUnlessAskedOtherwise) {
  Room room(two_sentences());
  room.click_part("picker:tokenizer");
  click_words(room, label_of("words"));
  room.settle();
  EXPECT_EQ(room.shell->document().tokenizer, "words");
  EXPECT_EQ(room.shell->document().target_tokenizer, "");
  EXPECT_EQ(room.shell->published().trace->targets()[0].tokens.size(), 3u) << "one tokenizer for both";
}

}  // namespace
}  // namespace headlight
