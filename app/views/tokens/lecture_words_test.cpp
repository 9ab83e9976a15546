// The Tokens view: what is measured of each tokenizer, beside the lecture's words for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/text/language.h"
#include "app/views/tokens/lecture_words.h"
#include "app/window/shell/shell.h"
#include "engine/tokenizers/files/open.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

std::string note_of(const std::string& kind, const std::string& text) {
  const auto tokenizer = tokenizers::open(kind);
  if (!tokenizer.ok()) return "not opened";
  const auto tokens = (*tokenizer)->encode(text);
  return tokens.ok() ? views::tokens::lecture_note(kind, **tokenizer, tokenizers::measure(**tokenizer, text, *tokens))
                     : "not cut";
}

TEST(LectureWords, StandBesideWhatIsMeasured) {
  speak(nullptr);
  const std::string characters = note_of("characters", "blue fox"), words = note_of("words", "zzqxv");
  EXPECT_NE(characters.find("unknown tokens: 0 here; a lecture says: excellent"), std::string::npos) << characters;
  EXPECT_NE(characters.find("length: 8 tokens of 1.00 bytes here; a lecture says: very long"), std::string::npos) << characters;
  EXPECT_NE(words.find("unknown tokens: 1 here; a lecture says: poor"), std::string::npos) << words;
  EXPECT_EQ(note_of("words", "a").find("unhappiness"), std::string::npos) << "a whole word has no pieces to compare";
  EXPECT_EQ(views::tokens::lecture_note("mine", **tokenizers::open("words"), {}), "");
}

TEST(LectureWords, TheTruePiecesOfUnhappinessStandBesideTheLectures) {
  for (const std::string kind : {"bpe", "wordpiece"}) {
    const auto tokenizer = tokenizers::open(kind);
    ASSERT_TRUE(tokenizer.ok());
    const auto tokens = (*tokenizer)->encode("unhappiness");
    ASSERT_TRUE(tokens.ok());
    std::string pieces;
    for (const auto& token : *tokens) pieces += (pieces.empty() ? "" : " - ") + (*tokenizer)->display_text(token.id);
    const std::string note = note_of(kind, "a");
    EXPECT_NE(note.find("unhappiness: " + pieces + " here; a lecture cuts un-ha-pp-iness"), std::string::npos) << note;
  }
}

TEST(LectureWords, PointingAtARowsNameOrNumbersSaysThem) {
  test::NullWindow window;
  Document document;
  document.texts = {"a fluffy blue creature"};
  window::Setup setup;
  setup.session.document = document;
  setup.session.view.tab = "tokens";
  setup.compute = run_on_backend();
  window::Shell shell(std::move(setup));
  window.frames(shell, 6);
  window.key(shell, ImGuiKey_Escape);
  for (const char* name : {"tokens:names", "tokens:table"}) {
    ASSERT_TRUE(shell.parts.places.contains(name)) << name;
    const auto place = shell.parts.places.at(name);
    ImGui::GetIO().AddMousePosEvent((place.x0 + place.x1) / 2, place.y0 + 0.25f * (place.y1 - place.y0));
    window.frames(shell, 120);
    EXPECT_TRUE(std::any_of(GImGui->Windows.begin(), GImGui->Windows.end(), [](const ImGuiWindow* w) {
      return (w->Flags & ImGuiWindowFlags_Tooltip) && w->Active && !w->Hidden;
    })) << name;
  }
}

}  // namespace
}  // namespace headlight
