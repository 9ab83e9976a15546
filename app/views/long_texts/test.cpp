// The Long texts view: a tile a method, parameters, parts, what is pointed at, and the chart of costs.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "app/views/long_texts/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::long_range::State;
using Of = figures::LongCostsInput::Of;

Document forty_words() {
  Document document = test::small_document("words");
  std::string text;
  for (int i = 0; i < 40; ++i) text += (i ? " w" : "w") + std::to_string(i);
  document.texts = {text};
  return document;
}

ViewState long_texts_view_of(const char* method) {
  ViewState view;
  view.tab = "long-texts";
  view.own.of<State>().method = method;
  return view;
}

struct LongTexts : testing::Test {
  void open(const char* method, Document document = forty_words()) {
    room = std::make_unique<Room>(std::move(document), long_texts_view_of(method));
    room->settle();
  }
  void TearDown() override { EXPECT_EQ(room->window.errors(), 0); }
  views::long_range::LongState state() {
    const views::Context context = room->shell->context(room->window.as_frame());
    return views::long_range::long_state(context, views::choose_attention(context));
  }
  State& view() { return room->shell->view().own.of<State>(); }
  std::unique_ptr<Room> room;
};

TEST_F(LongTexts, EveryMethodHasATileAndExactOnesGiveTheSameOutput) {
  open("global");
  for (const char* part : {"long:tiles", "long:weights", "long:difference", "long:chart", "long:window", "long:global"})
    EXPECT_TRUE(room->has(part)) << part;
  const auto shown = state();
  const auto& entries = long_texts::registry().entries();
  ASSERT_EQ(shown.results.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_TRUE(shown.results[i].shown) << entries[i].id << ": " << shown.results[i].refused;
    const views::long_range::LongShown& one = *shown.results[i].shown;
    if (entries[i].group == long_texts::Group::exact) {
      EXPECT_LT(one.max_diff, 1e-5) << entries[i].id;
      EXPECT_DOUBLE_EQ(one.computed_cells, 1600) << entries[i].id;
    } else {
      EXPECT_GT(one.max_diff, 1e-5) << entries[i].id;
      EXPECT_LT(one.computed_cells, 1600) << entries[i].id;
    }
  }
  // A window of 4: 9 cells a row, less 20 at the two ends; of the two global tokens a row and a column each, what the window
  // lacks.
  const auto cells = [&](const char* id) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].id == id) return shown.results[i].shown->computed_cells;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(cells("window"), 40 * 9 - 20);
  EXPECT_DOUBLE_EQ(cells("global"), 40 * 9 - 20 + 2 * (35 + 34));
  EXPECT_DOUBLE_EQ(cells("block"), 5 * 64);
}

TEST_F(LongTexts, ATileIsChosenByMouseAndAParameterComputesItAnew) {
  open("full");
  room->click_part("long:tiles", 0.33f, 0.6f);
  room->settle();
  EXPECT_EQ(view().method, "window");
  const double before = state().result().shown->computed_cells;
  room->click_part("long:window", 0.95f, 0.5f);
  room->settle();
  EXPECT_EQ(view().window, 5);
  EXPECT_GT(state().result().shown->computed_cells, before);
}

TEST_F(LongTexts, TheRingTellsWhoHoldsWhatAndStepsOn) {
  open("ring");
  EXPECT_TRUE(room->has("long:part-rows"));
  {
    const auto rows = views::long_range::long_part_rows(room->shell->context(room->window.as_frame()), state());
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].name, "device 1, keys of 1");
    EXPECT_EQ(rows[1].members.size(), 10u);
  }
  room->click_part("long:step", 0.95f, 0.5f);
  room->settle();
  EXPECT_EQ(view().step, 1);
  const auto rows = views::long_range::long_part_rows(room->shell->context(room->window.as_frame()), state());
  EXPECT_EQ(rows[0].name, "device 0, keys of 3");
  room->click_part("long:parts", 0.1f, 0.5f);
  room->settle();
  EXPECT_FALSE(view().parts);
  EXPECT_TRUE(room->has("long:difference"));
}

TEST_F(LongTexts, ParametersThatMakeNoSenseAreSaidAndNothingElseIsLost) {
  open("linformer", test::small_document("words"));
  view().rank = 99;
  room->settle();
  const auto shown = state();
  EXPECT_FALSE(shown.result().shown);
  EXPECT_NE(shown.result().refused.find("99"), std::string::npos) << shown.result().refused;
  EXPECT_TRUE(shown.results.front().shown);
  EXPECT_TRUE(room->has("long:tiles"));
}

TEST_F(LongTexts, ACellUnderTheMouseIsLitEverywhere) {
  open("window");
  const auto at = room->search(
      "long:weights", [&] { return room->shell->context(room->window.as_frame()).hover.now.row >= 0; }, 9);
  EXPECT_GE(at.x, 0);
  room->press(true);
  room->press(false);
  EXPECT_GE(room->shell->view().pinned_row, 0);
}

TEST_F(LongTexts, TheModelsMaskIsFollowedUntilOneChooses) {
  Document causal = forty_words();
  causal.masks = {{"causal", {}}};
  open("full", causal);
  EXPECT_TRUE(state().task.causal);
  EXPECT_DOUBLE_EQ(state().result().shown->computed_cells, 40 * 41 / 2);
  room->click_part("long:causal", 0.55f, 0.5f);
  room->settle();
  EXPECT_EQ(view().causal, "off");
  EXPECT_DOUBLE_EQ(state().result().shown->computed_cells, 1600);
}

TEST_F(LongTexts, OperationsAreCountedAndTheSelectedMethodCrossesFullAttention) {
  open("window");
  const auto costs = views::long_range::long_costs(room->shell->context(room->window.as_frame()), state(), Of::operations, 0);
  EXPECT_EQ(costs.done, views::long_range::kLongLengths.size());
  ASSERT_EQ(costs.input.lines.size(), long_texts::registry().entries().size() + 3);
  EXPECT_NEAR(costs.input.lines.front().exponent, 2, 0.01);
  for (std::size_t i = costs.input.lines.size() - 3; i < costs.input.lines.size(); ++i)
    EXPECT_NEAR(costs.input.lines[i].exponent, 1, 1e-6) << costs.input.lines[i].id;
  for (const auto& line : costs.input.lines)
    if (line.selected) {
      EXPECT_NEAR(line.exponent, 1, 0.05);
    }
  EXPECT_GT(costs.input.crossing, 64);
  EXPECT_LT(costs.input.crossing, 8192);
}

TEST_F(LongTexts, BytesAreCountedBesideOperations) {
  open("full");
  const auto& shown = *state().result().shown;
  EXPECT_GT(shown.cost.bytes, 0);
  bool said = false;
  for (const std::string& line : views::long_range::long_words(state()))
    said = said || line.find(" operations, ") != std::string::npos;
  EXPECT_TRUE(said);
  room->click_part("long:cost", 0.5f, 0.5f);
  room->settle();
  EXPECT_EQ(view().cost, "bytes");
  const auto costs = views::long_range::long_costs(room->shell->context(room->window.as_frame()), state(), Of::bytes, 0);
  EXPECT_EQ(costs.done, views::long_range::kLongLengths.size());
  EXPECT_TRUE(costs.input.guides.empty());
  // An LSTM's bytes grow with the rows that it reads and writes: 4 bytes of each of 2 L d numbers.
  const auto& lstm = costs.input.lines[costs.input.lines.size() - 2];
  ASSERT_EQ(lstm.id, "lstm");
  EXPECT_DOUBLE_EQ(lstm.y[1] - lstm.y[0], 4.0 * 2 * 64 * static_cast<double>(state().task.d));
}

TEST_F(LongTexts, TimesAreMeasuredOnlyWhenAskedFor) {
  open("full");
  view().cost = "time";
  room->settle();
  EXPECT_TRUE(room->has("long:measure"));
  const auto costs = views::long_range::long_costs(room->shell->context(room->window.as_frame()), state(), Of::seconds, 0);
  EXPECT_EQ(costs.done, 0u);
  EXPECT_FALSE(costs.measuring);
}

TEST_F(LongTexts, ALongerTextIsOneClickAway) {
  open("window", test::small_document("words"));
  const Document before = room->shell->document();
  room->click_part("long:longer");
  room->settle();
  EXPECT_GT(state().tokens, 40);
  EXPECT_FALSE(room->has("long:longer"));
  EXPECT_NE(room->shell->document().texts, before.texts);
}

}  // namespace
}  // namespace headlight
