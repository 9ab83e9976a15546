// The next word below the masks and the scores: what the model says with what is set now, and as it was trained.
#include <gtest/gtest.h>

#include "app/views/base/next_word_lines.h"
#include "app/views/base/view.h"
#include "engine/document/stored_model.h"
#include "engine/insight/predictions.h"
#include "tests/support/trace_of.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document said_by(const std::string& model, const std::string& text) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok()) << model;
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  return document;
}
ViewState on_tab(const char* tab) {
  ViewState view;
  view.tab = tab;
  return view;
}
std::optional<figures::NextLinesInput> lines_of(Room& room, bool both) {
  room.settle();
  return views::next_word_lines(room.shell->context(room.window.as_frame()), {"now", "as trained", both});
}

TEST(NextWordLines, TheMasksChangeTheWordAndTheModelsOwnStandsBelowIt) {
  const Document plain = said_by("course", "Ankara is the capital of");
  Room room(plain, on_tab("masks"));
  const auto before = lines_of(room, true);
  ASSERT_TRUE(before);
  ASSERT_EQ(before->rows.size(), 2u);
  const auto said = predictions(*room.shell->published().trace, 0, 3, {});
  const tokenizers::Tokenizer& tokenizer = *room.shell->published().trace->tokenizer();
  EXPECT_EQ(before->rows[0].words[0].word, tokenizer.display_text(said->positions.back().best[0].token));
  EXPECT_NEAR(before->rows[0].words[0].share, said->positions.back().best[0].probability, 1e-9);
  EXPECT_EQ(before->rows[0].words[0].word, before->rows[1].words[0].word) << "nothing is changed yet";
  EXPECT_TRUE(room.has("masks:next"));

  Document narrow = plain;
  narrow.masks = {{"causal", {}}, {"window", {{"size", std::int64_t{1}}}}};
  ASSERT_TRUE(validate(narrow).ok());
  room.shell->edit(narrow);
  const auto after = lines_of(room, true);
  ASSERT_TRUE(after);
  const auto now = predictions(*tests::trace_of(narrow), 0, 1, {});
  EXPECT_NEAR(after->rows[0].words[0].share, now->positions.back().best[0].probability, 1e-6);
  EXPECT_NE(after->rows[0].words[0].share, before->rows[0].words[0].share);
  ASSERT_FALSE(after->rows[1].words.empty());
  EXPECT_EQ(after->rows[1].words[0].word, before->rows[0].words[0].word);
  EXPECT_NEAR(after->rows[1].words[0].share, before->rows[0].words[0].share, 1e-6) << "as it was trained";

  Document open = plain;
  open.masks.clear();
  room.shell->edit(open);
  const auto none = lines_of(room, true);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->rows[0].words.empty());
  EXPECT_NE(none->rows[0].instead.find("causal"), std::string::npos);
  EXPECT_NEAR(none->rows[1].words[0].share, before->rows[0].words[0].share, 1e-6);
  EXPECT_TRUE(room.has("masks:next"));
}

TEST(NextWordLines, ThePictureThatIsSavedHasThemToo) {
  for (const char* tab : {"masks", "scores"}) {
    SCOPED_TRACE(tab);
    Room room(said_by("course", "the cat sat on the"), on_tab(tab));
    room.settle();
    const views::Context context = room.shell->context(room.window.as_frame());
    const auto input = views::next_word_lines(context, {"now", "as trained"});
    ASSERT_TRUE(input);
    EXPECT_EQ(input->rows.size(), 1u) << "nothing is changed";
    const figures::Figure figure = views::figure_of_view(context, *views::registry().find(tab), 1000, 760);
    bool found = false;
    for (const figures::Item& item : figure.items)
      if (const auto* text = std::get_if<figures::Text>(&item)) found |= text->text == input->rows[0].words[0].word;
    EXPECT_TRUE(found);
    EXPECT_TRUE(room.has(std::string(tab) + ":next"));
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(NextWordLines, TheyStandBesideTheLegendWhereThereIsNoRoomBelow) {
  int beside = 0, below = 0;
  for (float height = 720; height >= 480; height -= 60) {
    SCOPED_TRACE(height);
    ViewState view = on_tab("masks");
    view.presentation = true;
    Room room(said_by("course", "Ankara is the capital of"), view, 1280, height);
    ASSERT_TRUE(lines_of(room, true));
    ASSERT_TRUE(room.has("masks:next"));
    const auto next = room.part("masks:next"), picture = room.part("masks:paint");
    EXPECT_LE(next.y1, height) << "nothing is cut off";
    if (!room.has("masks:legend")) {
      EXPECT_GE(next.y0, picture.y1);
      ++below;
      continue;
    }
    EXPECT_GE(next.x0, picture.x1);
    EXPECT_LE(next.y1, room.part("masks:legend").y0);
    ++beside;
  }
  EXPECT_GT(beside, 0);
  EXPECT_GT(below, 0);
}

TEST(NextWordLines, ThereAreNoneWithoutALanguageHead) {
  for (const char* tab : {"masks", "scores"}) {
    Room room(test::small_document(), on_tab(tab));
    EXPECT_FALSE(lines_of(room, true));
    EXPECT_FALSE(room.has(std::string(tab) + ":next"));
  }
  for (const bool gap : {false, true}) {
    Room room(said_by("fill-in", gap ? "The [MASK] ate a big red apple." : "The creature ate a big red apple."), on_tab("masks"));
    EXPECT_EQ(lines_of(room, true).has_value(), gap) << "there is something to fill in";
  }
}

}  // namespace
}  // namespace headlight
