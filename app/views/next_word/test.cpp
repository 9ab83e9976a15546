// The view Next word on trained models: the list, a candidate that is taken, words that are generated, kept and taken back, two
// continuations compared, a head opened.
#include <gtest/gtest.h>

#include <cmath>

#include "app/views/next_word/data.h"
#include "app/window/commands/palette_commands.h"
#include "engine/document/stored_model.h"
#include "tests/ui/layout_eye.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight::views::next_word {
namespace {

using test::Room;
using test::stored_document;

Document course() { return stored_document("course", "Ankara is the capital of"); }

ViewState opened() {
  ViewState view;
  view.tab = "next";
  return view;
}

Held& held_in(Room& room) { return room.shell->transient.of<Held>(); }
State& state_in(Room& room) { return room.shell->view().own.of<State>(); }
const std::string& ghost_in(Room& room) { return room.shell->transient.of<OfferedText>().text; }

// What the model says of the present sentence, by the trace itself.
std::vector<double> probabilities(Room& room, std::int64_t position) {
  const auto trace = room.shell->published().trace;
  const auto scores = scores_behind(*trace, 0, position);
  EXPECT_TRUE(scores.ok());
  std::vector<double> shares(scores->size());
  for (const TokenCandidate& one : ranked_tokens(*scores, 1, 0)) shares[static_cast<std::size_t>(one.token)] = one.probability;
  return shares;
}

// Draws frames until the words that were asked for are there.
void finish(Room& room) {
  for (int i = 0;
       i < 60 && held_in(room).generated.words.size() < held_in(room).generated.wanted && !held_in(room).generated.ended; ++i) {
    room.shell->lane().wait();
    room.window.frame(*room.shell);
  }
}

TEST(NextWordView, SaysWhichModelToTakeAndTakesIt) {
  Room room(test::small_document(), opened());
  ASSERT_TRUE(room.has("next:model"));
  EXPECT_FALSE(room.has("next:candidates"));
  const std::string text = room.shell->document().texts[0];
  room.click_part("next:model");
  room.settle();
  EXPECT_EQ(room.shell->document().model, "stories");
  EXPECT_EQ(room.shell->document().texts[0], text);
  EXPECT_TRUE(room.has("next:candidates"));
  EXPECT_TRUE(room.has("next:lens"));
  EXPECT_TRUE(room.has("next:looks"));
}

TEST(NextWordView, ASecondClickTakesTheCandidateAndUndoBringsTheSentenceBack) {
  Room room(course(), opened());
  const std::string before = room.shell->document().texts[0];
  const auto shares = probabilities(room, static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()) - 1);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const auto at = room.search(
      "next:candidates", [&] { return held_in(room).pointed == best; }, 8);
  ASSERT_GE(at.x, 0) << "the best candidate is in the list";
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->document().texts[0], before) << "the first click follows the word";
  EXPECT_EQ(state_in(room).tracked, room.shell->published().trace->tokenizer()->piece(best));
  room.window.frames(*room.shell, 40);
  room.click(at.x, at.y);
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before + " " + room.shell->published().trace->tokenizer()->decode({best}));
  const auto& tokens = room.shell->published().trace->texts()[0].tokens;
  EXPECT_EQ(tokens.back().id, best) << "the sentence is cut into the token that was taken";
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before);
}

TEST(NextWordView, ThePointedCandidateIsAGhostInTheFieldAndTabTakesIt) {
  Room room(course(), opened());
  const std::string before = room.shell->document().texts[0];
  const auto shares = probabilities(room, static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()) - 1);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const auto at = room.search(
      "next:candidates", [&] { return held_in(room).pointed == best; }, 8);
  ASSERT_GE(at.x, 0);
  const std::string ghost = " " + room.shell->published().trace->tokenizer()->decode({best});
  EXPECT_EQ(ghost_in(room), ghost);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto field = room.part("sentence");
  const auto drawn = std::find_if(texts.begin(), texts.end(), [&](const gl::DrawnText& text) { return text.text == ghost; });
  ASSERT_NE(drawn, texts.end()) << "behind the sentence";
  EXPECT_GE(drawn->low.x, field.x0);
  EXPECT_LE(drawn->high.y, field.y1 + 1);
  room.window.key(*room.shell, ImGuiKey_Tab);
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before + ghost);
  room.move(5, 5);
  EXPECT_TRUE(ghost_in(room).empty()) << "nothing is pointed at";
  const std::string now = room.shell->document().texts[0];
  room.window.key(*room.shell, ImGuiKey_Tab);
  EXPECT_EQ(room.shell->document().texts[0], now) << "elsewhere Tab goes to the next control";
}

TEST(NextWordView, ACellOfTheLensMakesItsLayerTheListsSource) {
  Room room(course(), opened());
  const auto trace = room.shell->published().trace;
  const auto tokens = static_cast<std::int64_t>(trace->texts()[0].tokens.size());
  const auto lens = logit_lens(*trace, 0, tokens, **backends::open("cpu"), {});
  ASSERT_TRUE(lens.ok());
  const auto place = room.part("next:lens");
  // The second column's cell of layer 1: below the names, right of the layers' numbers.
  for (float y = place.y0 + 30; y < place.y1 && state_in(room).layer != 1; y += 8) room.click(place.x0 + 48 + 90, y);
  ASSERT_EQ(state_in(room).layer, 1);
  room.settle();
  const std::int64_t position = state_in(room).position;
  ASSERT_GE(position, 0);
  EXPECT_TRUE(room.has("next:all layers"));
  const std::int32_t top = lens->token.data<std::int32_t>()[1 * tokens + position];
  const auto at = room.search(
      "next:candidates", [&] { return held_in(room).pointed == top; }, 8);
  const auto list = room.part("next:candidates");
  ASSERT_GE(at.x, 0);
  EXPECT_LT(at.y, list.y0 + 22 + 30) << "that layer's top word is the first";
  room.click_part("next:all layers");
  EXPECT_EQ(state_in(room).layer, -1);
  room.settle();
  EXPECT_FALSE(room.has("next:all layers"));
}

TEST(NextWordView, GeneratesWhatTheCommandLineGenerates) {
  ViewState view = opened();
  view.own.of<State>().words = 4;
  view.sampling.seed = 3;
  Room room(stored_document("stories", "Once upon a time there was a little"), view);
  const std::string before = room.shell->document().texts[0];
  room.click_part("next:generate");
  finish(room);
  const auto generated = held_in(room).generated;
  ASSERT_EQ(generated.words.size(), 4u);
  const auto predictor = Predictor::open(*open_stored_model("stories"), *backends::open("cpu"));
  ASSERT_TRUE(predictor.ok());
  GenerateOptions how;
  static_cast<SamplingOptions&>(how) = sampling_of(view.sampling);
  how.seed = 3;
  how.tokens = 4;
  const auto expected = generate(*predictor, {before}, how, {});
  ASSERT_TRUE(expected.ok());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(generated.words[i].token, expected->front().steps[i].token);
    EXPECT_NEAR(generated.words[i].chance, expected->front().steps[i].chance, 1e-4);
  }
  EXPECT_EQ(room.shell->document().texts[0], before) << "they join the sentence only with keep";
  room.settle();
  EXPECT_TRUE(room.has("next:new rows")) << "where each of them looks";
  room.click_part("next:undo");
  EXPECT_EQ(held_in(room).generated.words.size(), 3u);
  room.click_part("next:more");
  finish(room);
  ASSERT_EQ(held_in(room).generated.words.size(), 4u);
  EXPECT_EQ(held_in(room).generated.words[3].token, generated.words[3].token) << "the same step of the same seed";
  room.settle();
  room.click_part("next:keep");
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before + expected->front().output);
  EXPECT_TRUE(held_in(room).generated.words.empty());
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before);
}

TEST(NextWordView, ANewWordsRowIsThatOfTheSentenceWithIt) {
  ViewState view = opened();
  view.own.of<State>().words = 2;
  view.layer = 2;
  view.head = 3;
  Room room(course(), view);
  room.click_part("next:generate");
  finish(room);
  ASSERT_EQ(held_in(room).generated.words.size(), 2u);
  room.settle();
  ASSERT_TRUE(room.has("next:new rows"));
  TokenIds added;
  for (const auto& word : held_in(room).generated.words) added.push_back(word.token);
  const Place place{room.shell->published().trace, 0, 4};
  const gl::Fonts fonts;
  const window::Frame frame{fonts, room.window.figures()};
  const auto row = attention_of_added(room.shell->context(frame), place, added);
  ASSERT_TRUE(row) << "the window has computed it";
  room.click_part("next:keep");
  room.settle();
  const auto trace = room.shell->published().trace;
  ASSERT_EQ(trace->texts()[0].tokens.size(), 7u);
  for (std::int64_t key = 0; key < 7; ++key)
    EXPECT_NEAR((*row)[static_cast<std::size_t>(key)], trace->values("layer.2.weights")->at({0, 3, 6, key}), 1e-5);
}

TEST(NextWordView, AnEditEndsTheGeneration) {
  ViewState view = opened();
  view.own.of<State>().words = 50;
  Room room(course(), view);
  room.click_part("next:generate");
  Document other = room.shell->document();
  other.texts[0] = "Paris is the capital of";
  room.shell->edit(other);
  room.settle();
  EXPECT_TRUE(held_in(room).generated.words.empty());
  EXPECT_EQ(held_in(room).generated.wanted, 0u);
  EXPECT_EQ(room.shell->document().texts[0], other.texts[0]);
}

TEST(NextWordView, ACardChangesThePositionAndTakingThereCutsTheSentence) {
  Room room(course(), opened());
  room.click_part("next:cards", 0.3f, 0.5f);
  room.settle();
  const std::int64_t position = state_in(room).position;
  ASSERT_GE(position, 0);
  const auto shares = probabilities(room, position);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const Sentence sentence = room.shell->published().trace->texts()[0];
  ASSERT_LT(position + 1, static_cast<std::int64_t>(sentence.tokens.size()));
  room.click_part("next:take");
  room.settle();
  const auto end = static_cast<std::size_t>(sentence.tokens[static_cast<std::size_t>(position)].end);
  const auto& now = room.shell->published().trace->texts()[0];
  EXPECT_EQ(now.text.substr(0, end), sentence.text.substr(0, end));
  EXPECT_EQ(static_cast<std::int64_t>(now.tokens.size()), position + 2);
  EXPECT_EQ(now.tokens.back().id, best);
  EXPECT_EQ(state_in(room).position, -1);
}

TEST(NextWordView, ContinuationsAreComparedByTheChainRule) {
  Room room(course(), opened());
  const Context context = room.shell->context(room.window.as_frame());
  const auto place = place_in(context);
  ASSERT_TRUE(place);
  const TokenIds two = continuation_ids(*place, "Turkey .");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(place->word(two[0]), "Turkey");
  std::string error;
  std::shared_ptr<const Continued> said;
  for (int i = 0; i < 3 && !said; ++i) {
    said = continued_of(context, *place, two, &error);
    room.shell->lane().wait();
  }
  ASSERT_TRUE(said) << error;
  Document longer = course();
  longer.texts[0] = continued_document(context, *place, two).texts[0];
  const double first = probabilities(room, place->position)[static_cast<std::size_t>(two[0])];
  const std::int64_t position = place->position;
  room.shell->edit(longer);
  room.settle();
  ASSERT_EQ(room.shell->published().trace->texts()[0].tokens.back().id, two[1]);
  const double second = probabilities(room, position + 1)[static_cast<std::size_t>(two[1])];
  EXPECT_NEAR(said->log_probability, std::log(first) + std::log(second), 1e-3);
}

TEST(NextWordView, AHeadsRowOpensItInHeads) {
  Room room(course(), opened());
  room.click_part("next:looks", 0.2f, 0.3f);
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_GE(room.shell->view().pinned_row, 0);
}

TEST(NextWordView, TranslationsSayTheNextWordOfTheTarget) {
  Room room(stored_document("english-french", "I am happy.", "Je suis"), opened());
  ASSERT_TRUE(room.has("next:candidates"));
  const std::string before = room.shell->document().targets[0];
  room.click_part("next:take");
  room.settle();
  EXPECT_GT(room.shell->document().targets[0].size(), before.size());
  EXPECT_EQ(room.shell->document().texts[0], "I am happy.");
}

TEST(NextWordView, ThePaletteTakesTheFollowedWord) {
  Room room(course(), opened());
  const std::string before = room.shell->document().texts[0];
  state_in(room).tracked = "Turkey";
  const auto take = [&] {
    for (const window::Palette::Command& command : window::palette_commands(*room.shell))
      if (command.english == "Take the next word") return command;
    return window::Palette::Command();
  };
  room.shell->view().tab = "heads";
  EXPECT_FALSE(take().enabled) << "what it would take is not seen";
  room.shell->view().tab = "next";
  ASSERT_TRUE(take().enabled);
  const window::Frame frame = room.window.as_frame();
  room.shell->frame_in_progress = &frame;
  take().run();
  room.shell->frame_in_progress = nullptr;
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before + " Turkey");
  EXPECT_TRUE(state_in(room).tracked.empty());
}

TEST(NextWordView, OnAProjectorGeneratedWordsTakeThePlaceOfTheCards) {
  ViewState view = opened();
  view.presentation = true;
  Room room(course(), view, 1280, 720);
  for (const char* part : {"next:candidates", "next:lens", "next:cards"}) EXPECT_TRUE(room.has(part)) << part;
  for (const char* part : {"next:take", "next:temperature"}) EXPECT_FALSE(room.has(part)) << part;
  held_in(room).generated.wanted = 3;
  finish(room);
  room.settle();
  EXPECT_TRUE(room.has("next:generated"));
  EXPECT_FALSE(room.has("next:cards"));
  const auto words = room.part("next:generated"), main = room.part("main");
  EXPECT_LE(words.y1, main.y1 + 1);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(NextWordView, NothingIsCutOffAtAnySizeInBothLanguages) {
  struct Size {
    float width, height;
    bool presented;
  };
  for (const Size& size : {Size{1600, 1000, false}, Size{1280, 720, false}, Size{900, 640, false}, Size{1280, 720, true}})
    for (const std::string language : {"en", "zh"})
      for (const char* text : {"Ankara is the capital of", "Mary is the aunt of John and the Eiffel Tower is in Paris and"}) {
        ViewState view = opened();
        view.presentation = size.presented;
        window::Setup setup = Room::setup_of(stored_document("course", text), view);
        setup.configuration.language = language;
        setup.configuration.reduce_motion = true;
        test::NullWindow window(size.width, size.height, 1, true);
        if (!window.has_design_fonts()) GTEST_SKIP() << "skipped: Inter and JetBrains Mono are not installed";
        window::Shell shell(std::move(setup));
        test::LayoutEye eye(window);
        const auto settle = [&] {
          for (int i = 0; i < 12; ++i) {
            shell.worker().wait();
            shell.lane().wait();
            window.frame(shell);
          }
        };
        settle();
        GeneratedWords& generated = shell.transient.of<Held>().generated;
        generated.wanted = 5;
        settle();
        EXPECT_TRUE(size.presented || !generated.words.empty());
        for (const std::string& fault : eye.look(shell))
          ADD_FAILURE() << size.width << " x " << size.height << (size.presented ? " presented " : " ") << language << ": "
                        << fault;
      }
}

TEST(NextWordView, AModelThatFillsInIsAskedAtTheMaskAndAWordTakesItsPlace) {
  Room room(stored_document("fill-in", "The [MASK] cat sat on the [MASK]."), opened());
  const auto& tokens = room.shell->published().trace->texts()[0].tokens;
  const std::int32_t mask = room.shell->published().trace->tokenizer()->special(tokenizers::Role::mask);
  ASSERT_GE(mask, 0);
  ASSERT_EQ(tokens[1].id, mask);
  for (const char* part : {"next:candidates", "next:lens", "next:looks", "next:position", "next:take"})
    EXPECT_TRUE(room.has(part)) << part;
  for (const char* part : {"next:cards", "next:generate", "next:temperature", "next:mask"}) EXPECT_FALSE(room.has(part)) << part;
  const auto shares = probabilities(room, 1);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const std::string word = room.shell->published().trace->tokenizer()->decode({best});
  room.click_part("next:take");
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], "The" + word + " cat sat on the [MASK].");
  ASSERT_EQ(room.shell->published().trace->texts()[0].tokens[1].id, best);
  const auto place = place_in(room.shell->context(room.window.as_frame()));
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->masked()) << "the next mask is asked for";
  EXPECT_EQ(place->position, place->tokens() - 2) << "before the full stop";
  room.click_part("next:take");
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0].find("[MASK]"), std::string::npos);
  ASSERT_TRUE(room.has("next:mask")) << "a word can be hidden again";
  room.click_part("next:mask");
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], "The" + word + " cat sat on the [MASK].");
  room.shell->undo();
  room.shell->undo();
  room.shell->undo();
  EXPECT_EQ(room.shell->document().texts[0], "The [MASK] cat sat on the [MASK].");
  EXPECT_EQ(room.window.errors(), 0);
}

}  // namespace
}  // namespace headlight::views::next_word
