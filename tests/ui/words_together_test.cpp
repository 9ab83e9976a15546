// Words instead of pieces, in the window: one switch for all views, the inspector's account of a word's cell, and undo.
#include <gtest/gtest.h>

#include <any>
#include <set>

#include "app/views/heads/state.h"
#include "app/views/masks/state.h"
#include "engine/document/stored_model.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/word_groups.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

// The first sentence with the model that the window begins with.
Document first_document() {
  Document document;
  const auto stored = open_stored_model("stories");
  EXPECT_TRUE(stored.ok());
  if (stored.ok()) use_model(document, **stored);
  return document;
}

struct WordsRoom : test::Room {
  explicit WordsRoom(ViewState view = {}, float width = 1600, float height = 1000)
      : Room(first_document(), std::move(view), width, height) {}
  WordAxes axes() const {
    const auto trace = shell->published().trace;
    return word_axes(*trace, trace->sites()[0], 0, false);
  }
  // The last token of a word.
  std::int64_t token_of(const std::string& label) const {
    for (const WordGroups::Word& word : axes().rows.words)
      if (word.label == label) return word.end - 1;
    ADD_FAILURE() << label << " is no word";
    return 0;
  }
  const views::Visited& visited() const { return shell->transient.visited; }
  // What the inspector writes out, if it is a number that is no cell of pieces.
  std::string written() const {
    const auto* value = std::any_cast<std::shared_ptr<const ValueExplanation>>(&visited().written);
    return value && *value ? (*value)->name : std::string();
  }
  bool writes_a_cell() const { return std::any_cast<std::shared_ptr<const CellExplanation>>(&visited().written) != nullptr; }
};

TEST(WordsTogether, ForestLooksAtVerdantInOneCellWhichTheInspectorTakesApart) {
  WordsRoom room;
  room.click_part("heads:words");
  ASSERT_TRUE(room.shell->view().words_together);
  room.settle();
  const std::int64_t forest = room.token_of("forest"), verdant = room.token_of("verdant");
  const auto on_cell = [&] { return room.shell->hover.now.row == forest && room.shell->hover.now.column == verdant; };
  ASSERT_GE(room.search("heads:cells", on_cell, 20).x, 0);
  EXPECT_TRUE(room.shell->hover.now.words);
  EXPECT_EQ(room.written(), "weights[forest → verdant]");
  room.press(true);
  room.press(false);
  EXPECT_EQ(room.shell->view().pinned_row, forest);
  EXPECT_EQ(room.shell->view().pinned_column, verdant);
  room.move(5, 5);
  EXPECT_EQ(room.written(), "weights[forest → verdant]") << "pinned";
  // A number of the list leads to the cell of two pieces, also to that of the words' last ones; Back returns to the words.
  for (const std::int64_t key : {verdant - 1, verdant}) {
    const auto on_link = [&] {
      const ValueAddress& at = room.shell->hover.now.value;
      return at.index.size() == 4 && at.index[2] == forest && at.index[3] == key && at.step.ends_with("weights");
    };
    ASSERT_GE(room.search(room.part("inspector"), 22, 7, on_link).x, 0) << key;
    room.press(true);
    room.press(false);
    room.window.frames(*room.shell, 3);
    EXPECT_EQ(room.visited().shown.index[3], key);
    EXPECT_TRUE(room.writes_a_cell()) << key;
    room.click_part("inspector:back");
    EXPECT_EQ(room.written(), "weights[forest → verdant]") << key;
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WordsTogether, TheArrowsGoFromWordToWordAndTheSwitchIsUndone) {
  ViewState view;
  view.words_together = true;
  WordsRoom room(view);
  const WordAxes axes = room.axes();
  ASSERT_TRUE(axes.joins());
  // From word to word, never to a piece inside of one.
  std::set<std::int64_t> rows, columns;
  room.search(
      "heads:cells",
      [&] {
        rows.insert(room.shell->hover.now.row);
        columns.insert(room.shell->hover.now.column);
        return false;
      },
      24);
  for (const std::set<std::int64_t>* axis : {&rows, &columns})
    for (const std::int64_t token : *axis) EXPECT_TRUE(token < 0 || axes.rows.last_token(axes.rows.at(token)) == token) << token;
  EXPECT_GE(rows.size(), static_cast<std::size_t>(axes.rows.size()));

  // A change of the document, the switch, then both taken back and made again, in their order.
  const std::string text = room.shell->document().texts[0];
  Document longer = room.shell->document();
  longer.texts[0] += " slowly";
  room.shell->edit(longer);
  room.settle();
  room.click_part("heads:words");
  ASSERT_FALSE(room.shell->view().words_together);
  room.window.frames(*room.shell, 2);
  room.shell->undo();
  EXPECT_TRUE(room.shell->view().words_together);
  EXPECT_NE(room.shell->document().texts[0], text);
  room.window.frames(*room.shell, 2);
  room.shell->undo();
  EXPECT_EQ(room.shell->document().texts[0], text);
  room.window.frames(*room.shell, 2);
  room.shell->redo();
  EXPECT_TRUE(room.shell->view().words_together);
  EXPECT_NE(room.shell->document().texts[0], text);
  room.window.frames(*room.shell, 2);
  room.shell->redo();
  EXPECT_FALSE(room.shell->view().words_together);
  EXPECT_EQ(room.window.errors(), 0);
}

// Every view and picture with the switch on, at two sizes and presented.
TEST(WordsTogether, EveryViewShowsThem) {
  for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f)})
    for (const bool presented : {false, true}) {
      ViewState view;
      view.words_together = true;
      view.presentation = presented;
      WordsRoom room(view, width, height);
      for (const char* picture : {"heatmap", "dots", "arcs", "neuron"})
        for (const char* shown : {"weights", "scores"})
          for (const char* together : {"side", "mean", "max", "overlay", "rollout"}) {
            room.shell->view().own.of<views::heads::State>().picture = picture;
            room.shell->view().shown = shown;
            room.shell->view().own.of<views::heads::State>().together = together;
            room.shell->view().chosen_heads = {{0, 0}, {1, 1}};
            room.window.frames(*room.shell, 2);
          }
      for (const char* shows : {"before", "after", "difference", "all"}) {
        room.shell->view().tab = "masks";
        room.shell->view().own.of<views::masked::State>().shows = shows;
        room.shell->view().transposed = shows[0] == 'a';
        room.settle();
      }
      room.shell->pin(true);
      for (const char* tab : {"compare", "next", "values", "walk", "why"}) {
        room.shell->view().tab = tab;
        room.settle();
      }
      EXPECT_EQ(room.window.errors(), 0);
    }
}

// A stroke over a word's cell masks the cells of all its pieces.
TEST(WordsTogether, AMaskIsPaintedForAllPiecesOfAWord) {
  ViewState view;
  view.words_together = true;
  view.tab = "masks";
  view.own.of<views::masked::State>().shows = "after";
  WordsRoom room(view);
  const WordAxes axes = room.axes();
  const std::int64_t forest = room.token_of("forest"), verdant = room.token_of("verdant");
  ASSERT_GE(
      room.search(
              "masks:paint", [&] { return room.shell->hover.now.row == forest && room.shell->hover.now.column == verdant; }, 14)
          .x,
      0);
  room.press(true);
  room.press(false);
  const auto painted = room.shell->document().custom_mask;
  ASSERT_TRUE(painted);
  std::int64_t masked = 0;
  for (const std::uint8_t cell : painted->values) masked += cell == 0;
  const auto pieces = [&](std::int64_t token) {
    const WordGroups::Word& word = axes.rows.words[static_cast<std::size_t>(axes.rows.at(token))];
    return word.end - word.begin;
  };
  EXPECT_EQ(masked, pieces(forest) * pieces(verdant));
  EXPECT_EQ(painted->values[static_cast<std::size_t>(forest * painted->keys + verdant - 1)], 0);
}

}  // namespace
}  // namespace headlight
