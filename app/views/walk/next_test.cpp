// The Walk-through behind the last layer: the unembedding, the logits, their shares, the word, and the start again with one token
// more; on every bundled model and on published ones. Models that say no words end with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/views/walk/next.h"
#include "app/views/walk/scene.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/generate.h"
#include "tests/support/parity_data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using figures::WalkBox;
using test::Room;

Document walked(const std::string& model) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok()) << model;
  if (stored.ok()) use_model(document, **stored);
  document.texts = {model == "fill-in"               ? "The [MASK] ate a big red apple."
                    : model == "english-french"      ? "I am happy."
                    : model.starts_with("induction") ? "pa lar vu so mi ken pa lar"
                                                     : "the cat sat on the"};
  if (model == "english-french") document.targets = {"Je suis"};
  return document;
}

struct NextRoom : Room {
  explicit NextRoom(const Document& document, ViewState view = {}, float width = 1600, float height = 1000)
      : Room(setup_of(document, on_walk(std::move(view))), width, height, false) {
    settle();
  }
  static ViewState on_walk(ViewState view) {
    view.tab = "walk";
    if (view.own.of<views::walk::State>().step == "tokens") view.own.of<views::walk::State>().step = "text";
    return view;
  }
  views::Context context() { return shell->context(window.as_frame()); }
  views::walk::WalkScene scene() { return views::walk::walk_scene(context()); }
  // Waits for the next word.
  views::walk::WalkScene ready() {
    for (int i = 0; i < 20 && !scene().next; ++i) settle();
    return scene();
  }
  void space() { window.key(*shell, ImGuiKey_Space, false, false); }
};

const WalkBox& box_of(const views::walk::WalkScene& scene, const std::string& id) {
  const int at = scene.graph->find(id);
  EXPECT_GE(at, 0) << id;
  return scene.graph->boxes[static_cast<std::size_t>(std::max(0, at))];
}

TEST(WalkNext, EveryBundledModelGoesOnToItsWordFromEveryLayer) {
  for (const std::string& model : bundled_models()) {
    const Document document = walked(model);
    for (std::int64_t layer = 0; layer < document.layers; ++layer) {
      SCOPED_TRACE(model + ", layer " + std::to_string(layer));
      ViewState view;
      view.layer = layer;
      if (!document.targets.empty()) view.site = "decoder.cross.";
      NextRoom room(document, view);
      const views::walk::WalkScene scene = room.ready();
      ASSERT_TRUE(scene.next);
      ASSERT_TRUE(scene.graph->says_words());
      EXPECT_EQ(scene.graph->layer, layer);
      const Trace& trace = *room.shell->published().trace;
      const Step& logits = *trace.find("logits");
      const std::int64_t vocabulary = logits.shape.back();

      // The word is the prediction.
      const views::NextWordPlace& place = scene.next->place;
      const auto said = predictions(trace, 0, 3, {});
      ASSERT_TRUE(said.ok());
      const auto& best = said->positions[static_cast<std::size_t>(place.position)].best;
      EXPECT_EQ(scene.next->chosen.token, best[0].token);
      EXPECT_EQ(scene.next->best[0].token, best[0].token);
      EXPECT_EQ(scene.next->best[1].token, best[1].token);
      EXPECT_NEAR(scene.next->chosen.share, best[0].probability, 1e-9);
      if (model == "fill-in") {
        EXPECT_TRUE(place.masked());
      } else {
        EXPECT_EQ(place.position + 1, place.tokens());
      }

      // The shapes.
      EXPECT_EQ(box_of(scene, "unembedding").shape, (Shape{document.d_model, vocabulary}));
      EXPECT_EQ(box_of(scene, "logits").shape, logits.shape);
      EXPECT_EQ(box_of(scene, "probabilities").shape, logits.shape);
      EXPECT_EQ(scene.next->vocabulary, vocabulary);

      // Each step has a sentence, and what is shown behind the last layer are words, not the vocabulary's cells.
      const std::vector<std::string> last{"unembedding", "logits", "probabilities", "word"};
      ASSERT_GE(scene.graph->stops.size(), last.size());
      for (std::size_t stop = 0; stop < scene.graph->stops.size(); ++stop) {
        const int at = scene.graph->stops[stop].boxes.front();
        const figures::WalkNotes notes = views::walk::walk_notes_of(room.context(), scene, at);
        EXPECT_GT(notes.words.size(), 20u) << notes.title;
        EXPECT_EQ(notes.words.find('{'), std::string::npos) << notes.words;
        EXPECT_EQ(notes.ends, "") << notes.title;
        const std::size_t behind = stop + last.size() - scene.graph->stops.size();
        if (stop + last.size() < scene.graph->stops.size()) continue;
        EXPECT_EQ(scene.graph->boxes[static_cast<std::size_t>(at)].id, last[behind]);
        EXPECT_FALSE(notes.formula.empty());
        EXPECT_FALSE(notes.shape.empty());
        ASSERT_FALSE(notes.candidates.rows.empty());
        EXPECT_EQ(notes.candidates.rows[0].word, scene.next->best[0].word);
        EXPECT_EQ(scene.input.pictures[static_cast<std::size_t>(at)], nullptr);
        ASSERT_TRUE(scene.input.candidates[static_cast<std::size_t>(at)]);
        if (last[behind] != "word") {
          EXPECT_GE(notes.candidates.rows.size(), 10u);
          EXPECT_EQ(static_cast<std::int64_t>(notes.candidates.rows.size()) + notes.candidates.others, vocabulary);
          EXPECT_TRUE(notes.candidates.rows[0].chosen);
        }
      }
      // The product of the vector and the column is the logit, as far as its first numbers go on: they are those of the trace.
      const Step& vectors = *trace.find(document.targets.empty() ? "final_norm" : "decoder.final_norm");
      Trace::Tile row;
      row.row = place.position;
      row.rows = 1;
      const Tensor vector = *trace.tile(vectors.name, row);
      const Tensor matrix = *trace.values(box_of(scene, "unembedding").parameters.front());
      double product = 0;
      for (std::int64_t k = 0; k < document.d_model; ++k) product += vector.at({0, k}) * matrix.at({k, best[0].token});
      EXPECT_NEAR(product, scene.next->best[0].logit, 1e-3 * std::max(1.0, std::abs(product)));
      ASSERT_GE(scene.next->columns.dim(1), 12);
      EXPECT_NEAR(scene.next->columns.at({0, 5}), matrix.at({5, best[0].token}), 1e-5);
      EXPECT_NEAR(scene.next->vector.at({7}), vector.at({0, 7}), 1e-5);
    }
  }
}

TEST(WalkNext, SpaceAtTheWordTakesItIntoTheTextAndBeginsAgain) {
  for (const std::string& model : bundled_models()) {
    SCOPED_TRACE(model);
    ViewState view;
    if (model == "english-french") view.site = "decoder.cross.";
    NextRoom room(walked(model), view);
    const views::walk::WalkScene scene = room.ready();
    ASSERT_TRUE(scene.next);
    for (std::size_t i = 1; i < scene.graph->stops.size(); ++i) room.space();
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().step, "word");
    const Document before = room.shell->document();
    ASSERT_FALSE(scene.next->ends);
    room.space();
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().step, "text");
    const Document& after = room.shell->document();
    const std::string& text = model == "english-french" ? after.targets[0] : after.texts[0];
    const std::string word = scene.next->place.tokenizer().decode({scene.next->chosen.token});
    if (model == "fill-in")
      EXPECT_EQ(text.find("[MASK]"), std::string::npos) << text;
    else
      EXPECT_TRUE(text.starts_with(model == "english-french" ? before.targets[0] : before.texts[0])) << text;
    EXPECT_NE(text, model == "english-french" ? before.targets[0] : before.texts[0]);
    const std::size_t from = word.find_first_not_of(' ');
    EXPECT_NE(text.find(word.substr(from == std::string::npos ? 0 : from)), std::string::npos) << text << " has no " << word;
    room.settle();
    // One token more, and another word behind it.
    const views::walk::WalkScene again = room.ready();
    ASSERT_TRUE(again.next);
    if (model != "fill-in") {
      EXPECT_EQ(again.next->place.tokens(), scene.next->place.tokens() + 1);
    }
    room.shell->undo();
    EXPECT_TRUE(room.shell->document() == before);
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(WalkNext, TheSuggestionsSetTheTemperatureAndDraw) {
  ViewState view;
  view.own.of<views::walk::State>().step = "probabilities";
  view.layer = 3;
  NextRoom room(walked("course"), view);
  const double share = room.ready().next->best[0].share;
  room.click_part("walk:try");  // temperature 2
  EXPECT_EQ(room.shell->view().sampling.temperature, 2);
  const views::walk::WalkScene warm = room.ready();
  EXPECT_LT(warm.next->best[0].share, share) << "more even";
  const figures::WalkNotes notes = views::walk::walk_notes_of(room.context(), warm, warm.graph->find("probabilities"));
  EXPECT_NE(notes.words.find("temperature 2"), std::string::npos) << notes.words;
  EXPECT_NE(notes.formula.find("T = 2"), std::string::npos) << notes.formula;
  EXPECT_EQ(warm.next->chosen.token, warm.next->best[0].token) << "still the likeliest";

  room.shell->view().own.of<views::walk::State>().draw = true;
  room.shell->view().own.of<views::walk::State>().step = "word";
  std::set<std::int32_t> drawn;
  for (std::int64_t seed = 0; seed < 12; ++seed) {
    room.shell->view().sampling.seed = seed;
    room.settle();
    const views::walk::WalkScene one = room.ready();
    ASSERT_TRUE(one.next);
    GenerateOptions options;
    const SamplingState& asked = room.shell->view().sampling;
    static_cast<SamplingOptions&>(options) = {asked.temperature, asked.top_k, asked.top_p};
    options.seed = static_cast<std::uint64_t>(seed);
    const auto scores = scores_behind(*room.shell->published().trace, 0, one.next->place.position);
    EXPECT_EQ(one.next->chosen.token, choose_token(*scores, options, 0, 0).token) << "as Next word draws it";
    drawn.insert(one.next->chosen.token);
  }
  EXPECT_GT(drawn.size(), 1u);
  EXPECT_TRUE(room.has("walk:try"));
}

TEST(WalkNext, OpenedTheLastStepsListTheBestTokensAndTheOtherNumbersAreAPageFurther) {
  ViewState view;
  view.layer = 3;
  view.own.of<views::walk::State>().step = view.own.of<views::walk::State>().open = "logits";
  NextRoom room(walked("course"), view);
  room.ready();
  room.settle();
  for (const char* id : {"logits", "probabilities", "word", "unembedding"}) {
    room.shell->view().own.of<views::walk::State>().step = room.shell->view().own.of<views::walk::State>().open = id;
    room.settle();
    EXPECT_TRUE(room.has("walk:values")) << id;
    EXPECT_TRUE(test::NullWindow::shows("opened")) << id;
  }
  room.shell->view().own.of<views::walk::State>().step = room.shell->view().own.of<views::walk::State>().open = "logits";
  room.shell->transient.of<views::walk::WalkTransient>().page = "logits";
  room.settle();
  EXPECT_TRUE(room.has("walk:values")) << "every number";
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WalkNext, AModelWithoutALanguageHeadEndsWithTheReason) {
  const auto end_of = [](const Document& document, const std::string& site = {}) {
    ViewState view;
    view.layer = 99;
    if (!site.empty()) view.site = site;
    NextRoom room(document, view);
    const views::walk::WalkScene scene = room.scene();
    EXPECT_FALSE(scene.graph->says_words());
    const auto stops = static_cast<int>(scene.graph->stops.size());
    for (int stop = 0; stop + 1 < stops; ++stop) EXPECT_EQ(views::walk::walk_end(room.context(), *scene.graph, stop), "");
    return views::walk::walk_notes_of(room.context(), scene, scene.graph->stops.back().boxes.front()).ends;
  };
  EXPECT_NE(end_of(test::small_document()).find("random"), std::string::npos);
  EXPECT_NE(end_of(walked("english-french"), "encoder.").find("decoder"), std::string::npos);
  if (test::parity_data().empty()) return;
  for (const char* model : {"coldfire-tiny_bert", "jammi-tiny_modernbert"})
    EXPECT_NE(end_of(walked((test::parity_data() / "tiny-models" / model).string())).find("no unembedding"), std::string::npos);
}

TEST(WalkNext, WithoutACausalMaskTheWordsBoxSaysWhyThereIsNone) {
  Document document = walked("course");
  document.masks.clear();
  ViewState view;
  view.own.of<views::walk::State>().step = "word";
  NextRoom room(document, view);
  const views::walk::WalkScene scene = room.scene();
  EXPECT_FALSE(scene.next);
  const figures::WalkNotes notes = views::walk::walk_notes_of(room.context(), scene, scene.graph->find("word"));
  EXPECT_NE(notes.ends.find("causal"), std::string::npos) << notes.ends;
  room.space();
  EXPECT_EQ(room.shell->view().own.of<views::walk::State>().step, "word") << "there is nothing to take";
}

}  // namespace
}  // namespace headlight
