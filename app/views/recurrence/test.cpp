// The Recurrence view: kinds, the followed token, learning until the text is known, a state space as a matrix, the lecture's
// hello.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/views/recurrence/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::recurrent::State;

ViewState recurrence_view_of(const char* kind, const char* source = "text") {
  ViewState view;
  view.tab = "recurrence";
  view.own.of<State>().kind = kind;
  view.own.of<State>().source = source;
  return view;
}

struct RecurrenceTab : testing::Test {
  void open(ViewState view, const char* tokenizer = "words", float width = 1600, float height = 1000) {
    room = std::make_unique<Room>(test::small_document(tokenizer), std::move(view), width, height);
    room->settle();
  }
  void TearDown() override { EXPECT_EQ(room->window.errors(), 0); }
  views::Context context() { return room->shell->context(room->window.as_frame()); }
  State& view() { return room->shell->view().own.of<State>(); }
  std::unique_ptr<Room> room;
};

TEST_F(RecurrenceTab, EveryKindIsUnfoldedOverTheTokens) {
  open(recurrence_view_of("lstm"));
  for (const char* part :
       {"recurrence:network", "recurrence:reach", "recurrence:gradients", "recurrence:kind", "recurrence:learn"})
    EXPECT_TRUE(room->has(part)) << part;
  for (const recurrence::Kind& kind : recurrence::kinds().entries()) {
    view().kind = kind.id;
    room->settle();
    const views::Context now = context();
    const views::recurrent::Reading state = views::recurrent::reading_of(now);
    ASSERT_TRUE(state.net) << kind.id;
    ASSERT_EQ(state.text.count(), static_cast<std::int64_t>(now.trace->texts().front().tokens.size()));
    const figures::UnfoldedInput input = views::recurrent::unfolded_input(now, state, 0, state.text.count());
    EXPECT_EQ(input.bands.size(), kind.parts.size()) << kind.id;
    double sum = 0;
    for (const auto& column : input.columns)
      if (column.loss >= 0) sum += column.loss;
    EXPECT_NEAR(sum, input.sum, 1e-12) << kind.id;
    EXPECT_LT(input.columns.back().loss, 0) << "nothing follows the last token";
  }
}

TEST_F(RecurrenceTab, AClickFollowsATokenInEveryPicture) {
  open(recurrence_view_of("rnn"));
  const auto at = room->part("recurrence:network");
  const auto count = static_cast<float>(views::recurrent::reading_of(context()).text.count());
  const float names = figures::kUnfoldedNames, pitch = (at.x1 - at.x0 - names) / count;
  room->click(at.x0 + names + 2.5f * pitch, at.y0 + 55);
  EXPECT_EQ(view().at, 2);
  const views::Context now = context();
  const views::recurrent::Reading state = views::recurrent::reading_of(now);
  EXPECT_EQ(state.selected, 2);
  EXPECT_EQ(views::recurrent::reach_input(now, state).hot, state.text.count() - 3);
  room->click(at.x0 + names + 2.5f * pitch, at.y0 + 55);
  EXPECT_EQ(view().at, -1);
}

TEST_F(RecurrenceTab, HelloIsLearntToTheEnd) {
  open(recurrence_view_of("lstm", "hello"));
  view().learnt = 300;
  room->settle();
  const views::recurrent::Reading state = views::recurrent::reading_of(context());
  ASSERT_TRUE(state.net);
  EXPECT_EQ(state.learner->steps(), 300);
  EXPECT_LT(state.net->unfolded.sum, 0.1);
  const figures::UnfoldedInput input = views::recurrent::unfolded_input(context(), state, 0, 5);
  EXPECT_EQ(input.columns[0].token, "h");
  EXPECT_EQ(input.columns[0].guess, "e");
  for (std::size_t t = 0; t + 1 < 5; ++t) EXPECT_TRUE(input.columns[t].right) << t;
}

TEST_F(RecurrenceTab, LearningGoesOnUntilItIsPausedAndCanBeForgotten) {
  open(recurrence_view_of("rnn", "hello"));
  room->click_part("recurrence:learn");
  for (int i = 0; i < 4; ++i) room->settle();
  EXPECT_GT(view().learnt, 0);
  room->click_part("recurrence:learn");
  room->settle();
  const std::int64_t paused = view().learnt;
  room->settle();
  EXPECT_EQ(view().learnt, paused);
  room->click_part("recurrence:forget");
  room->settle();
  EXPECT_EQ(view().learnt, 0);
}

TEST_F(RecurrenceTab, HowItIsCutIntoStepsDoesNotChangeWhatIsLearnt) {
  open(recurrence_view_of("lstm", "repeats"));
  view().learnt = 30;
  room->settle();
  const double at_once = views::recurrent::reading_of(context()).net->unfolded.sum;
  view().learnt = 0;
  room->settle();
  for (const std::int64_t steps : {10, 20, 30}) {
    view().learnt = steps;
    room->settle();
  }
  EXPECT_EQ(views::recurrent::reading_of(context()).net->unfolded.sum, at_once);
}

TEST_F(RecurrenceTab, TwoAttentionLayersLearnTheSameSequenceBesideThem) {
  ViewState view = recurrence_view_of("lstm", "repeats");
  view.own.of<State>().side = "learning";
  open(view);
  for (const std::int64_t steps : {20, 60}) {
    this->view().learnt = steps;
    room->settle();
  }
  bool complete = true;
  const figures::CurvesInput input =
      views::recurrent::learning_input(context(), views::recurrent::reading_of(context()), &complete);
  EXPECT_TRUE(complete);
  ASSERT_EQ(input.curves.size(), recurrence::kinds().entries().size() + 1);
  for (const char* label : {"vanilla RNN", "LSTM", "two attention layers"}) {
    const auto curve =
        std::find_if(input.curves.begin(), input.curves.end(), [&](const auto& one) { return one.label == label; });
    ASSERT_NE(curve, input.curves.end()) << label;
    ASSERT_EQ(curve->y.size(), 61u);
    for (const double loss : curve->y) ASSERT_TRUE(std::isfinite(loss)) << label;
    EXPECT_LT(curve->y.back(), 0.5 * curve->y.front()) << label;
  }
}

TEST_F(RecurrenceTab, AnEchoStateNetworkIsFittedInOneStep) {
  open(recurrence_view_of("esn", "hello"));
  view().learnt = 10;
  room->settle();
  const views::recurrent::Reading state = views::recurrent::reading_of(context());
  ASSERT_TRUE(state.net);
  EXPECT_EQ(state.learner->steps(), 1);
  EXPECT_LT(state.learner->losses().back(), state.learner->losses().front());
}

TEST_F(RecurrenceTab, AStateSpaceIsTheMatrixThatItsRecurrenceComputes) {
  ViewState view = recurrence_view_of("ssm");
  view.own.of<State>().side = "matrix";
  open(view);
  EXPECT_TRUE(room->has("recurrence:matrix"));
  EXPECT_TRUE(room->has("recurrence:attention"));
  for (const bool selective : {true, false}) {
    this->view().selective = selective;
    room->settle();
    const views::recurrent::Reading state = views::recurrent::reading_of(context());
    const views::recurrent::UnrolledState unrolled = views::recurrent::unrolled_state(context(), state);
    ASSERT_TRUE(unrolled.matrix);
    EXPECT_LE(unrolled.apart, 1e-12);
    EXPECT_EQ(unrolled.matrix->at({0, 1}), 0);
    EXPECT_NE(unrolled.matrix->at({2, 1}), 0);
  }
}

TEST_F(RecurrenceTab, TheHeadStaysBesideTheMatrixWhenTimesAreShown) {
  ViewState view = recurrence_view_of("ssm");
  view.own.of<State>().side = "matrix";
  open(view);
  EXPECT_FALSE(room->has("recurrence:times"));
  room->click_part("recurrence:measure");
  for (const char* part : {"recurrence:matrix", "recurrence:attention", "recurrence:times"}) EXPECT_TRUE(room->has(part)) << part;
  const auto matrix = room->part("recurrence:matrix"), head = room->part("recurrence:attention"),
             times = room->part("recurrence:times");
  EXPECT_TRUE(head.x0 >= matrix.x1 || head.y0 >= matrix.y1) << "they do not overlap";
  EXPECT_GE(times.y0, std::max(matrix.y1, head.y1));
  if (room->has("recurrence:stop")) {
    room->click_part("recurrence:stop");
    room->settle();
    EXPECT_FALSE(room->has("recurrence:stop"));
  }
}

TEST_F(RecurrenceTab, LargerWeightsExplodeAndSmallerOnesVanish) {
  open(recurrence_view_of("rnn"));
  const auto last_of = [&](double times) {
    view().weights_times = times;
    room->settle();
    const figures::CurvesInput input = views::recurrent::gradient_input(context(), views::recurrent::reading_of(context()));
    return input.curves[1].y[20];
  };
  EXPECT_LT(last_of(0.5), 1e-3);
  view().weights_times = 1;
  EXPECT_EQ(views::recurrent::gradient_input(context(), views::recurrent::reading_of(context())).curves.size(), 2u);
}

TEST_F(RecurrenceTab, ALongTextIsReadThroughAWindow) {
  Document document = test::small_document("words");
  document.texts = {""};
  for (int i = 0; i < 60; ++i) document.texts[0] += "w" + std::to_string(i % 7) + " ";
  room = std::make_unique<Room>(std::move(document), recurrence_view_of("lstm"));
  room->settle();
  ASSERT_TRUE(room->has("recurrence:sight"));
  room->click_part("recurrence:sight", 0.95f, 0.5f);
  room->settle();
  EXPECT_EQ(view().first, 1);
}

TEST_F(RecurrenceTab, ASmallWindowHasPages) {
  ViewState view = recurrence_view_of("lstm");
  view.own.of<State>().page = "side";
  view.own.of<State>().side = "forms";
  open(view, "words", 820, 600);
  EXPECT_TRUE(room->has("recurrence:page"));
  EXPECT_TRUE(room->has("recurrence:forms"));
  EXPECT_FALSE(room->has("recurrence:network"));
}

}  // namespace
}  // namespace headlight
