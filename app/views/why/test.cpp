// The view Why this word on trained models: the graph, an edge and a vector that are chosen, two words compared, pictures for
// files.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/session/worker.h"
#include "app/views/why/parts.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight::views::why {
namespace {

using test::Room;
using test::stored_document;

ViewState view_of(const std::string& page = "routes") {
  ViewState view;
  view.tab = "why";
  view.own.of<State>().page = page;
  return view;
}

State& state_of(Room& room) { return room.shell->view().own.of<State>(); }

struct Seen {
  Place place;
  std::shared_ptr<const InformationShares> shares;
  ShownRoutes shown;
};

Seen seen_in(Room& room) {
  const Context context = room.shell->context(room.window.as_frame());
  Seen seen;
  const auto place = place_in(context);
  EXPECT_TRUE(place);
  if (!place) return seen;
  seen.place = *place;
  seen.shares = shares_of(context, *place, nullptr);
  EXPECT_TRUE(seen.shares);
  if (seen.shares) seen.shown = shown_routes(context, *place, *seen.shares);
  return seen;
}

TEST(WhyView, ShowsRoutesTheirHeadsAndTheOtherWords) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  for (const char* part :
       {"why:page", "why:word", "why:threshold", "why:routes", "why:heads", "why:map", "why:lens", "why:candidates"})
    EXPECT_TRUE(room.has(part)) << part;
  const Seen seen = seen_in(room);
  EXPECT_TRUE(seen.shares->adds_up());
  EXPECT_EQ(seen.place.position, 4);
  ASSERT_FALSE(seen.shown.routes.edges.empty());
  EXPECT_GE(seen.shown.edge, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhyView, AnEdgeIsChosenByAClickAndOpensInHeads) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  const State before = state_of(room);
  ASSERT_EQ(before.layer, -1);
  // Somewhere in the graph the mouse finds an edge, and a click chooses it.
  const auto found = room.search(
      "why:routes", [&] { return room.shell->transient.of<Own>().hot_edge >= 0; }, 9);
  ASSERT_GE(found.x, 0);
  const std::int64_t hot = room.shell->transient.of<Own>().hot_edge;
  const InformationRoutes::Edge edge = seen_in(room).shown.routes.edges[static_cast<std::size_t>(hot)];
  room.click(found.x, found.y);
  room.settle();
  EXPECT_EQ(state_of(room).query, edge.query);
  EXPECT_EQ(state_of(room).key, edge.key);
  room.click_part("why:heads", 0.3f, 0.5f);
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_EQ(room.shell->view().layer, edge.to.level - 1);
  EXPECT_EQ(room.shell->view().pinned_row, edge.query);
  EXPECT_EQ(room.shell->view().pinned_column, edge.key);
}

TEST(WhyView, AVectorTellsWhatItIsMadeOfAndOpensItsLedger) {
  ViewState view = view_of();
  view.own.of<State>().level = 4;
  view.own.of<State>().at = 4;
  Room room(stored_document("course", "Ankara is the capital of"), view);
  EXPECT_EQ(seen_in(room).shown.vector, 0) << "the asked vector";
  ASSERT_TRUE(room.has("why:vector"));
  ASSERT_TRUE(room.has("why:near"));
  const auto context = room.shell->context(room.window.as_frame());
  const Seen seen = seen_in(room);
  const auto near = words_near(context, seen.place, *seen.shares, seen.shown.routes.vectors[0].at);
  const auto words = words_behind(context, seen.place);
  ASSERT_TRUE(near && words);
  ASSERT_EQ(near->size(), kWordsNear);
  for (std::size_t i = 0; i < kWordsNear; ++i) {  // of the last vector they are the model's own
    EXPECT_EQ((*near)[i].token, words->best[i].token);
    EXPECT_NEAR((*near)[i].probability, words->best[i].probability, 1e-4);
  }
  room.click_part("why:ledger");
  room.settle();
  EXPECT_EQ(room.shell->view().tab, "values");
  EXPECT_EQ(room.shell->view().layer, 3);
  EXPECT_EQ(room.shell->view().pinned_row, 4);
}

TEST(WhyView, AHigherThresholdAndNoFirstTokenDrawLess) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  const std::size_t all = seen_in(room).shown.routes.edges.size();
  state_of(room).threshold = 0.2;
  room.settle();
  EXPECT_LT(seen_in(room).shown.routes.edges.size(), all);
  state_of(room).threshold = 0.04;
  room.click_part("why:first", 0.1f);
  room.settle();
  ASSERT_TRUE(state_of(room).without_first);
  const Seen seen = seen_in(room);
  EXPECT_GT(seen.shown.routes.hidden, 0);
  for (const InformationRoutes::Edge& edge : seen.shown.routes.edges) EXPECT_NE(edge.key, 0);
}

TEST(WhyView, AnotherCandidateIsAskedAboutByAClick) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  const auto asked = [&] {
    const auto context = room.shell->context(room.window.as_frame());
    const Seen seen = seen_in(room);
    const auto words = words_behind(context, seen.place);
    return std::pair(asked_in(context, seen.place, words.get()).word,
                     graph_input(context, seen.place, *seen.shares, seen.shown, words.get()).answer);
  };
  const auto before = asked();
  room.click_part("why:candidates", 0.4f, 0.55f);
  room.settle();
  const auto after = asked();
  EXPECT_EQ(state_of(room).page, "routes");
  EXPECT_NE(after.first, before.first);
  EXPECT_NE(after.second, before.second) << "the answer above the graph";
  EXPECT_EQ(state_of(room).over, seen_in(room).place.tokenizer().piece(before.first)) << "what it is compared with";
}

// Every list of the page adds up to the difference, also where there is room for a part of the rows alone.
TEST(WhyView, TwoWordsAreComparedAndThePartsAddUp) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of("difference"));
  for (int i = 0; i < 3; ++i) room.settle();
  for (const char* part : {"why:layers", "why:difference heads", "why:sources", "why:over"}) EXPECT_TRUE(room.has(part)) << part;
  const Context context = room.shell->context(room.window.as_frame());
  const Seen seen = seen_in(room);
  const auto words = words_behind(context, seen.place);
  ASSERT_TRUE(words);
  const Asked choice = asked_in(context, seen.place, words.get());
  EXPECT_NE(choice.word, choice.over);
  const auto difference = difference_of(context, seen.place, choice.word, choice.over, nullptr);
  ASSERT_TRUE(difference);
  EXPECT_NEAR(difference->difference,
              words->scores[static_cast<std::size_t>(choice.word)] - words->scores[static_cast<std::size_t>(choice.over)], 1e-4);
  EXPECT_TRUE(difference->adds_up()) << difference->rest << ", allowed " << difference->tolerance;
  const figures::Figure figure = difference_figure(context, seen.place, 700);
  int lists = 0;
  for (const figures::Data& data : figure.data) {
    if (data.name.find("values") == std::string::npos) continue;
    double sum = 0;
    for (std::int64_t i = 0; i < data.values.dim(0); ++i) sum += data.values.at({i});
    EXPECT_NEAR(sum, difference->difference, 1e-3) << data.name;
    ++lists;
  }
  EXPECT_EQ(lists, 3);
  const auto without = without_heads_of(context, seen.place, difference, choice.word, choice.over);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->parts.size(), kMostRemoved);
  EXPECT_EQ(without->differences.size(), kMostRemoved);
}

TEST(WhyView, AModelThatTranslatesHasRoutesFromTheOtherText) {
  Room room(stored_document("english-french", "The teacher writes.", "Le professeur"), view_of());
  const Seen two = seen_in(room);
  EXPECT_EQ(two.shares->stacks.size(), 2u);
  EXPECT_TRUE(std::any_of(two.shown.routes.edges.begin(), two.shown.routes.edges.end(),
                          [](const InformationRoutes::Edge& edge) { return edge.from.stack != edge.to.stack; }));
  EXPECT_EQ(room.window.errors(), 0);
}

// The graph stands upright: what a text hands over comes from below.
TEST(WhyView, TheTextThatIsTranslatedStandsBelow) {
  Room room(stored_document("english-french", "The teacher writes.", "Le professeur"), view_of());
  const Seen seen = seen_in(room);
  const auto context = room.shell->context(room.window.as_frame());
  const figures::RouteGraphInput input =
      graph_input(context, seen.place, *seen.shares, seen.shown, words_behind(context, seen.place).get());
  const figures::Figure figure = figures::route_graph(input, 700, 500, context.theme, context.measure);
  int rising = 0;
  for (const figures::Item& item : figure.items) {
    const auto* const curve = std::get_if<figures::Curve>(&item);
    if (!curve) continue;
    const figures::RouteGraphInput::Edge& edge = input.edges[static_cast<std::size_t>(curve->tag.a)];
    EXPECT_GT(curve->from.y, curve->to.y) << "layer " << edge.to_level;
    rising += edge.from_column < input.sources && edge.to_column >= input.sources ? 1 : 0;
  }
  EXPECT_GT(rising, 0) << "the cross edges";
}

TEST(SignedBars, TheRestTakesUpTheRowsThatAreLeftOut) {
  figures::SignedBarsInput input;
  for (const double value : {3.0, -2.0, 1.0, 0.5, 4.0}) input.rows.push_back({"row", value, false, 0, ""});
  EXPECT_EQ(figures::with_rows(input, 3).rows.back().value, 1) << "without a rest the others go";
  input.last_is_rest = true;
  const figures::SignedBarsInput three = figures::with_rows(input, 3);
  ASSERT_EQ(three.rows.size(), 3u);
  EXPECT_EQ(three.rows[1].value, -2);
  EXPECT_EQ(three.rows.back().value, 5.5);
  EXPECT_EQ(figures::with_rows(input, 9).rows.size(), 5u);
}

TEST(WhyView, AModelThatFillsInIsAskedAboutItsMask) {
  Room room(stored_document("fill-in", "The [MASK] ate an apple."), view_of());
  EXPECT_EQ(seen_in(room).place.label(), "[MASK]");
  EXPECT_TRUE(room.has("why:candidates"));
}

TEST(WhyView, RandomWeightsHaveRoutesButNoWords) {
  Room room(test::small_document(), view_of());
  EXPECT_TRUE(room.has("why:routes"));
  EXPECT_FALSE(room.has("why:candidates"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhyView, HeadsThatFeedHeadsAreListedAndOpen) {
  Room room(stored_document("induction", "a b c a b"), view_of("composition"));
  for (const char* part : {"why:composition", "why:pairs", "why:composes"}) EXPECT_TRUE(room.has(part)) << part;
  room.click_part("why:pairs", 0.3f, 0.08f);  // the strongest: layer 0's head 3 into the keys of layer 1's head 0
  room.settle();
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_EQ(room.shell->view().head, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

// Waits for the view's job, which has a thread of its own.
void wait_for_patching(Room& room) {
  auto* const patcher = dynamic_cast<Patcher*>(room.shell->job("why"));
  ASSERT_TRUE(patcher);
  for (int i = 0; i < 6000 && !patcher->settled(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    room.window.frame(*room.shell);
  }
  ASSERT_TRUE(patcher->settled());
  room.settle();
}

TEST(WhyView, AChangedSentenceIsSuggestedAndEveryPartIsPutBack) {
  ViewState view = view_of("patching");
  view.own.of<State>().word = "so";
  view.own.of<State>().over = "pa";
  Room room(stored_document("induction", "pa lar vu so mi ken pa lar vu"), view);
  for (const char* part : {"why:page", "why:word", "why:over", "why:changed", "why:patched"}) EXPECT_TRUE(room.has(part)) << part;
  const Seen seen = seen_in(room);
  const Context context = room.shell->context(room.window.as_frame());
  const auto words = words_behind(context, seen.place);
  ASSERT_TRUE(words);
  const Asked choice = asked_in(context, seen.place, words.get());
  EXPECT_EQ(suggested_change(seen.place, choice), "so lar vu pa mi ken so lar vu");
  EXPECT_EQ(suggested_change(seen.place, {choice.word, -1}), "");
  wait_for_patching(room);
  EXPECT_TRUE(room.has("why:patched heads"));
  const auto paper = [&] { return patching_figure(room.shell->context(room.window.as_frame()), seen.place, 900, 560); };
  (void)paper();  // begins it in the background
  room.settle();
  const figures::Figure figure = paper();
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[1].name, "effects");
  const Tensor& effects = figure.data[1].values;
  ASSERT_EQ(effects.dim(0), static_cast<std::int64_t>(seen.shown.routes.edges.size()));
  const float* const first = effects.data<float>();
  EXPECT_GT(*std::max_element(first, first + effects.dim(0)), 0.3f) << "an edge brings the word back";

  // A sentence of another length is refused in words, and another text is
  // suggested anew.
  state_of(room).changed = "pa lar";
  wait_for_patching(room);
  EXPECT_FALSE(room.has("why:patched heads"));
  EXPECT_TRUE(room.has("why:patched")) << "the graph stays";
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhyView, AnEditGivesThePatchingUp) {
  const Document document = stored_document("course", "Ankara is the capital of");
  const auto trace = run_on_backend()(document, {});
  ASSERT_TRUE(trace.ok());
  const auto backend = backends::open("cpu");
  const auto shares = information_shares(**trace, 0, **backend, {});
  ASSERT_TRUE(shares.ok());
  Patcher::Request request;
  request.document = document;
  request.question = {"Oslo is the capital of", 4, 10, 11};
  request.shares = std::make_shared<const InformationShares>(*shares);
  request.routes = information_routes(*shares, last_vector(*shares, 4), 0.1, false);
  std::atomic<bool> busy = true;
  Patcher patcher([&] { return busy.load(); }, {});
  EXPECT_TRUE(patcher.of("a", [&] { return request; }).running);
  EXPECT_FALSE(patcher.settled());
  patcher.make_way();
  EXPECT_TRUE(patcher.settled()) << "it is given up";
  busy = false;
  EXPECT_TRUE(patcher.of("a", [&] { return request; }).running) << "and begins anew";
  for (int i = 0; i < 6000 && !patcher.settled(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Patcher::Answer answer = patcher.of("a", [&] { return request; });
  ASSERT_TRUE(answer.effects) << (answer.error ? answer.error->sentence() : "");
  EXPECT_EQ(answer.effects->heads.size(), 20u);
  EXPECT_GT(answer.total, 0);
}

TEST(WhyView, AClickOnATokenAboveAsksWhatStandsBehindIt) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  room.click_part("chip:2");
  room.settle();
  EXPECT_EQ(state_of(room).position, 2);
  EXPECT_EQ(seen_in(room).place.position, 2);
  room.click_part("chip:2");
  EXPECT_EQ(state_of(room).position, -1) << "a second click lets go";
}

TEST(WhyView, PlayBuildsThePictureFromTheWordsUp) {
  Room room(stored_document("course", "Ankara is the capital of"), view_of());
  room.click_part("why:play");
  EXPECT_GE(room.shell->transient.of<Own>().playing_since, 0);
}

}  // namespace
}  // namespace headlight::views::why
