// The Scores view: six cards of one query, one line under the mouse through all of them, the marker of the scale, the relation of
// Q, K and V, who asks, and what is saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/base/view.h"
#include "app/views/scores/bahdanau_data.h"
#include "app/views/scores/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
namespace scored = views::scored;

ViewState scores_view(const char* scores_page = "six") {
  ViewState view;
  view.tab = "scores";
  view.own.of<scored::State>().page = scores_page;
  view.pinned_row = 3;
  view.pinned_column = 1;
  return view;
}

Document masked_document() {
  Document document = test::small_document("words");
  document.masks = {{"causal", {}}};
  return document;
}

struct ScoresView : testing::Test {
  Room room{masked_document(), scores_view()};
  scored::State& view() { return room.shell->view().own.of<scored::State>(); }
  scored::Asked state() {
    views::Context context = room.shell->context(room.window.as_frame());
    return scored::asked_data(context, view(), views::choose_attention(context));
  }
  const ScoreRow& scaled(const scored::Asked& state) { return state.rows.back(); }
  void SetUp() override { room.settle(); }
  void TearDown() override { EXPECT_EQ(room.window.errors(), 0); }
};

TEST_F(ScoresView, OneQueryAsksAllTokensInSixWays) {
  for (const char* part : {"scores:cards", "scores:scale", "scores:relations", "scores:pages", "scores:query", "scores:mask"})
    EXPECT_TRUE(room.has(part)) << part;
  const auto now = state();
  ASSERT_TRUE(now.asked);
  EXPECT_EQ(now.query, 3);
  ASSERT_EQ(now.rows.size(), 6u);
  EXPECT_EQ(now.asked->in_use, "scaled_dot");
  EXPECT_EQ(now.keys, 4);
  for (const ScoreRow& row : now.rows)
    for (const double weight : row.weights) EXPECT_GT(weight, 0) << row.id << ": the mask is off";
}

TEST(ScoresQuestion, IsTheMeaningOfWhereTheWeightsLie) {
  Document document = test::small_document("words");
  document.texts = {"a big red cat saw a red cat"};
  Room room(document, scores_view());
  room.settle();
  views::Context context = room.shell->context(room.window.as_frame());
  scored::Asked asked = scored::asked_data(context, room.shell->view().own.of<scored::State>(), views::choose_attention(context));
  ASSERT_TRUE(asked.asked);
  const auto question = [&](std::int64_t query, std::vector<double> weights) {
    asked.query = query;
    for (ScoreRow& row : asked.rows) row.weights = weights;
    return scored::question_of(context, asked);
  };
  EXPECT_EQ(question(3, {0.1, 0.4, 0.4, 0.1, 0, 0, 0, 0}), "any adjectives in front of me?");
  EXPECT_NE(question(4, {0.1, 0.4, 0.4, 0.1, 0, 0, 0, 0}).find("big tell me?"), std::string::npos) << "saw is no noun";
  EXPECT_EQ(question(3, {0.1, 0.1, 0, 0.8, 0, 0, 0, 0}), "what am I myself?");
  EXPECT_EQ(question(7, {0, 0, 0, 1, 0, 0, 0, 0}), "where else do I stand?");
  EXPECT_EQ(question(6, {0, 0, 0, 1, 0, 0, 0, 0}), "what came behind me the last time?");
  EXPECT_EQ(question(4, {0, 0, 0, 1, 0, 0, 0, 0}), "who stands right before me?");
  EXPECT_EQ(question(3, {0, 0, 0, 0, 1, 0, 0, 0}), "who stands right behind me?");
  EXPECT_EQ(question(4, {1, 0, 0, 0, 0, 0, 0, 0}), "who begins the text?");
  EXPECT_EQ(question(4, {.13, .12, .13, .12, .13, .12, .13, .12}), "what is here altogether?");
  // It is what the picture says first.
  const figures::ScoreCardsInput input = scored::cards_input(context, asked, 1400, 500);
  const figures::Figure figure = figures::score_cards(input, 1400, context.theme, context.measure);
  EXPECT_NE(figure.title.find("what is here altogether?"), std::string::npos) << figure.title;
}

TEST_F(ScoresView, ALineUnderTheMouseIsLitInAllCards) {
  const auto found = room.search("scores:cards", [&] {
    const views::Hot& hot = room.shell->hover.now;
    return hot.row == 3 && hot.column == 2;
  });
  ASSERT_GE(found.x, 0);
  views::Context context = room.shell->context(room.window.as_frame());
  EXPECT_EQ(scored::cards_input(context, state(), 1400, 500).hot, 2);
}

TEST_F(ScoresView, TheMarkerChangesScaledDotAloneAndADoubleClickTakesItBack) {
  const auto before = state();
  room.click_part("scores:scale", 0.9f, 0.5f);
  room.settle();
  EXPECT_GT(view().factor, 1);
  const auto after = state();
  for (std::size_t i = 0; i + 1 < before.rows.size(); ++i) EXPECT_EQ(before.rows[i].weights, after.rows[i].weights);
  EXPECT_LT(scaled(after).entropy, scaled(before).entropy) << "a larger factor sharpens";
  for (std::size_t key = 0; key < 4; ++key) EXPECT_NEAR(scaled(after).scores[key], after.asked->dots[key] * view().factor, 1e-12);
  const auto at = room.part("scores:scale");
  room.move(at.x0 + 0.3f * (at.x1 - at.x0), 0.5f * (at.y0 + at.y1));
  for (int i = 0; i < 2; ++i) {
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    room.window.frame(*room.shell);
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    room.window.frame(*room.shell);
  }
  EXPECT_EQ(view().factor, 0);
}

TEST_F(ScoresView, WithOneMapTheKeysAreTheQueries) {
  room.click_part("scores:relations", 0.1f, 0.25f);
  room.settle();
  EXPECT_EQ(view().relation, "one");
  const auto now = state();
  ASSERT_TRUE(now.asked && now.maps);
  EXPECT_EQ(now.asked->question.h[3], now.asked->question.s);
  EXPECT_EQ((*now.maps)[0].asymmetry, 0);
  room.click_part("scores:relations", 0.1f, 0.9f);
  room.settle();
  EXPECT_EQ(view().relation, "separate");
}

TEST_F(ScoresView, TheModelsMaskCanCount) {
  room.shell->view().pinned_row = 1;
  room.settle();
  EXPECT_TRUE(view().masked) << "as in the model itself";
  for (const ScoreRow& row : state().rows) {
    EXPECT_EQ(row.weights[2], 0) << row.id;
    EXPECT_NEAR(row.weights[0] + row.weights[1], 1, 1e-12) << row.id;
  }
  room.click_part("scores:mask", 0.1f);
  room.settle();
  EXPECT_FALSE(view().masked);
  for (const ScoreRow& row : state().rows) EXPECT_GT(row.weights[2], 0) << row.id;
}

TEST_F(ScoresView, AChipOrANameLetsItsTokenAsk) {
  room.click_part("chip:1");
  room.settle();
  EXPECT_EQ(state().query, 1);
  // A name at the left of the first card, of another token.
  const auto place = room.part("scores:cards");
  for (float y = place.y0 + 4; y < place.y1 && state().query == 1; y += 12) room.click(place.x0 + 30, y);
  EXPECT_NE(state().query, 1);
  EXPECT_GE(room.shell->view().pinned_column, 0);
}

TEST_F(ScoresView, EveryPageDrawsAndIsReachedByItsButton) {
  room.click_part("scores:pages", 0.3f);
  room.settle();
  EXPECT_EQ(view().page, "scale");
  EXPECT_TRUE(room.has("scores:cards")) << "the card that the marker changes";
  view().page = "relation";
  room.settle();
  EXPECT_TRUE(room.has("scores:relations"));
  EXPECT_FALSE(room.has("scores:scale"));
}

TEST_F(ScoresView, EveryNumberOfBahdanausStepCanBeWrittenOut) {
  room.click_part("scores:pages", 0.9f);
  room.settle();
  ASSERT_EQ(view().page, "bahdanau");
  const auto input = [&] {
    views::Context context = room.shell->context(room.window.as_frame());
    return scored::sheet_input(context, views::choose_attention(context), room.shell->view().pinned_row);
  };
  EXPECT_EQ(input().step.step, 3u);
  // A click anywhere among the numbers: each that is hit is written out, and there are all kinds.
  std::set<std::int64_t> kinds;
  const auto place = room.part("scores:bahdanau");
  for (float y = place.y0 + 60; y < place.y1; y += 22)
    for (float x = place.x0 + 20; x < place.x1; x += 44) {
      room.click(x, y);
      const auto now = input();
      kinds.insert(now.shown.quantity);
      EXPECT_FALSE(now.number.formula.empty());
    }
  EXPECT_EQ(kinds.size(), figures::kSheetQuantities.size());
  room.click_part("scores:step", 0.02f);
  room.settle();
  EXPECT_EQ(input().step.step, 2u);
}

TEST_F(ScoresView, ALongTextKeepsTheKeysThatAreWeighedMost) {
  Document document = test::small_document("characters");
  document.texts = {std::string(120, 'a') + "bcd"};
  room.shell->edit(document);
  room.settle();
  views::Context context = room.shell->context(room.window.as_frame());
  const auto now = state();
  const auto input = scored::cards_input(context, now, 1400, 400);
  ASSERT_GE(now.keys, 120);
  EXPECT_LT(input.shown.size(), 40u);
  double least = 1;
  for (const std::int64_t key : input.shown) least = std::min(least, scaled(now).weights[static_cast<std::size_t>(key)]);
  std::size_t above = 0;
  for (const double weight : scaled(now).weights) above += weight > least;
  EXPECT_LE(above, input.shown.size());
  const auto figure = figures::score_cards(input, 1400, context.theme, context.measure);
  EXPECT_LE(figure.height, 401);
}

TEST_F(ScoresView, PicturesHaveTheNumbers) {
  views::Context context = room.shell->context(room.window.as_frame());
  std::size_t seen = 0;
  const views::View* entry = views::registry().find("scores");
  ASSERT_TRUE(entry);
  for (const views::Picture& picture : entry->all_pictures()) {
    const figures::Figure figure = picture.figure(context, 1000, 700);
    EXPECT_FALSE(figure.items.empty()) << picture.id;
    EXPECT_FALSE(figure.data.empty()) << picture.id;
    seen += picture.id == "scores-compared";
    if (picture.id != "scores-compared") continue;
    ASSERT_EQ(figure.data[0].name, "score");
    EXPECT_NEAR(figure.data[0].values.at({4, 1}), state().asked->dots[1], 1e-12);
  }
  EXPECT_EQ(seen, 1u);
}

TEST_F(ScoresView, IsSavedInTheSession) {
  view() = {"relation", "shared", 0.5, true};
  const auto again = view_state_from_json(to_json(room.shell->view()), "test");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->own.of<scored::State>(), view());
}

// Of two texts the queries of cross-attention are the second's, and Q = K = V is not possible.
TEST(ScoresViewOfTwoTexts, CrossAttentionHasNoOneMap) {
  Document document = test::small_document("words");
  document.targets = {"a creature"};
  ViewState view = scores_view();
  view.site = "decoder.cross.";
  view.pinned_row = 1;
  view.own.of<scored::State>().relation = "one";
  Room room(document, view);
  room.settle();
  views::Context context = room.shell->context(room.window.as_frame());
  const auto state = scored::asked_data(context, room.shell->view().own.of<scored::State>(), views::choose_attention(context));
  ASSERT_TRUE(state.asked && state.maps);
  EXPECT_EQ(state.relation, QkvRelation::separate);
  EXPECT_FALSE((*state.maps)[0].possible);
  EXPECT_EQ(room.window.errors(), 0);
}

}  // namespace
}  // namespace headlight
