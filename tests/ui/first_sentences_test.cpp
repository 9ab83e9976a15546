// What a view says before its picture: the fields that differ in Compare, the word that Recurrence
// follows; and names of tokens along small maps.
#include <gtest/gtest.h>

#include <cmath>

#include "app/views/base/attention_bar.h"
#include "app/views/long_texts/data.h"
#include "app/views/positions/data.h"
#include "app/views/recurrence/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

ViewState first_sentence_view(const char* tab) {
  ViewState view;
  view.tab = tab;
  return view;
}

TEST(FirstSentences, WhatDiffersStandsAboveTheMapsOfCompare) {
  for (const bool presented : {false, true})
    for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}}) {
      SCOPED_TRACE(std::to_string(width) + (presented ? " presented" : ""));
      Room room(test::small_document("words"), first_sentence_view("compare"), width, height);
      room.click_part("compare:pin");
      Document changed = room.shell->document();
      changed.temperature = 3;
      changed.masks = {{"causal", {}}};
      room.shell->edit(changed);
      room.shell->view().presentation = presented;
      room.settle();
      std::vector<gl::DrawnText> texts;
      room.window.figures().watch_text(&texts);
      room.window.frame(*room.shell);
      room.window.figures().watch_text(nullptr);
      if (!presented) {
        EXPECT_LE(room.part("compare:fields").y1, room.part("compare:a").y0 + 1);
        EXPECT_GE(room.part("compare:a").y1 - room.part("compare:a").y0, 200) << "the maps keep their room";
      }
      bool named = false;
      for (const gl::DrawnText& text : texts) named |= text.text.find("causal") != std::string::npos;
      EXPECT_TRUE(named || presented);
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(FirstSentences, RecurrenceFollowsTheWordUnderTheMouse) {
  Room room(test::small_document("words"), first_sentence_view("recurrence"));
  room.settle();
  const auto state = [&] { return views::recurrent::reading_of(room.shell->context(room.window.as_frame())); };
  ASSERT_TRUE(room.has("recurrence:word"));
  EXPECT_LE(room.part("recurrence:word").y1, room.part("recurrence:network").y0 + 1);
  EXPECT_EQ(state().selected, 0);
  const auto chip = room.part("chip:2");
  room.move((chip.x0 + chip.x1) / 2, (chip.y0 + chip.y1) / 2);
  const views::recurrent::Reading pointed = state();
  EXPECT_EQ(pointed.selected, 2);
  const std::string said = views::recurrent::reach_sentence(pointed);
  EXPECT_NE(said.find(pointed.text.labels[2]), std::string::npos) << said;
  EXPECT_NE(said.find("token 3 of 4"), std::string::npos) << said;
  // The number is the influence of this token beside the last one's.
  EXPECT_NE(said.find(views::short_number(pointed.net->influence[2] / pointed.net->influence[3]) + " times"), std::string::npos)
      << said;
  room.move(5, 990);
  EXPECT_EQ(state().selected, 0) << "the chosen one again";
}

TEST(FirstSentences, PositionsAddFourNumbersOfAPlaceToFourOfAWord) {
  Document document = test::small_document("words");
  document.position = "sinusoidal";
  Room room(document, first_sentence_view("positions"));
  room.settle();
  ASSERT_TRUE(room.has("positions:added"));
  const views::Context context = room.shell->context(room.window.as_frame());
  const Trace& trace = *context.trace;
  for (const std::int64_t token : {0, 2}) {
    const figures::NumberSumInput input = views::placed::added_numbers(context, token);
    ASSERT_EQ(input.parts.size(), 3u);
    EXPECT_NE(input.parts[0].name.find(trace.texts()[0].labels[static_cast<std::size_t>(token)]), std::string::npos);
    const Tensor sum = *trace.values("input");
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(input.parts[0].numbers[k] + input.parts[1].numbers[k], input.parts[2].numbers[k], 1e-5);
      EXPECT_NEAR(input.parts[2].numbers[k], sum.at({0, token, static_cast<std::int64_t>(k)}), 1e-6);
    }
    EXPECT_NEAR(input.parts[1].numbers[1], std::cos(static_cast<double>(token)), 1e-5) << "the first pair turns by one a place";
  }
  for (const char* other : {"rotary", "alibi", "none"}) {
    document.position = other;
    room.shell->edit(document);
    room.settle();
    EXPECT_FALSE(room.has("positions:added")) << other;
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(FirstSentences, LongTextsNameUpToTwentyFourTokens) {
  for (const int words : {24, 25}) {
    Document document = test::small_document("words");
    std::string text;
    for (int i = 0; i < words; ++i) text += (i ? " w" : "w") + std::to_string(i);
    document.texts = {text};
    Room room(document, first_sentence_view("long-texts"));
    room.settle();
    const views::Context context = room.shell->context(room.window.as_frame());
    const views::long_range::LongState state = views::long_range::long_state(context, views::choose_attention(context));
    ASSERT_TRUE(state.result().shown);
    EXPECT_EQ(views::long_range::long_map_input(context, state, false).row_labels.size(), words == 24 ? 24u : 0u);
  }
}

}  // namespace
}  // namespace headlight
