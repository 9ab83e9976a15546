// The Next word view on trained models: the list, a candidate that is taken, words that are generated, kept and taken back, two
// continuations compared, a head opened.
#include <gtest/gtest.h>

#include <cmath>

#include "app/panels/next_word/next_word_data.h"
#include "engine/document/stored_model.h"
#include "tests/ui/layout_eye.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight {
namespace {

using test::Room;
using test::stored_document;
using views::GeneratedWords;
using views::NextWordTransient;

Document course() { return stored_document("course", "Ankara is the capital of"); }

ViewState next_word_view_of(const std::string& tab = "next") {
  ViewState view;
  view.tab = tab;
  return view;
}

NextWordTransient& next_word_kept(Room& room) { return room.shell->transient.of<NextWordTransient>(); }

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
  for (int i = 0; i < 60 && next_word_kept(room).generated.words.size() < next_word_kept(room).generated.wanted &&
                  !next_word_kept(room).generated.ended;
       ++i) {
    room.shell->lane().wait();
    room.window.frame(*room.shell);
  }
}

TEST(NextWordPanel, SaysWhichModelToTakeAndTakesIt) {
  Room room(test::small_document(), next_word_view_of());
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

TEST(NextWordPanel, ASecondClickTakesTheCandidateAndUndoBringsTheSentenceBack) {
  Room room(course(), next_word_view_of());
  const std::string before = room.shell->document().texts[0];
  const auto shares = probabilities(room, static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()) - 1);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const auto at = room.search(
      "next:candidates", [&] { return next_word_kept(room).pointed == best; }, 8);
  ASSERT_GE(at.x, 0) << "the best candidate is in the list";
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->document().texts[0], before) << "the first click follows the word";
  EXPECT_EQ(room.shell->view().next_word.tracked, room.shell->published().trace->tokenizer()->piece(best));
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

TEST(NextWordPanel, ThePointedCandidateIsAGhostInTheFieldAndTabTakesIt) {
  Room room(course(), next_word_view_of());
  const std::string before = room.shell->document().texts[0];
  const auto shares = probabilities(room, static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()) - 1);
  const auto best = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const auto at = room.search(
      "next:candidates", [&] { return next_word_kept(room).pointed == best; }, 8);
  ASSERT_GE(at.x, 0);
  const std::string ghost = " " + room.shell->published().trace->tokenizer()->decode({best});
  EXPECT_EQ(next_word_kept(room).ghost, ghost);
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
  EXPECT_TRUE(next_word_kept(room).ghost.empty()) << "nothing is pointed at";
  const std::string now = room.shell->document().texts[0];
  room.window.key(*room.shell, ImGuiKey_Tab);
  EXPECT_EQ(room.shell->document().texts[0], now) << "elsewhere Tab goes to the next control";
}

TEST(NextWordPanel, ACellOfTheLensMakesItsLayerTheListsSource) {
  Room room(course(), next_word_view_of());
  const auto trace = room.shell->published().trace;
  const auto tokens = static_cast<std::int64_t>(trace->texts()[0].tokens.size());
  const auto lens = logit_lens(*trace, 0, tokens, **backends::open("cpu"), {});
  ASSERT_TRUE(lens.ok());
  const auto place = room.part("next:lens");
  // The second column's cell of layer 1: below the names, right of the layers' numbers.
  for (float y = place.y0 + 30; y < place.y1 && room.shell->view().next_word.layer != 1; y += 8)
    room.click(place.x0 + 48 + 90, y);
  ASSERT_EQ(room.shell->view().next_word.layer, 1);
  room.settle();
  const std::int64_t position = room.shell->view().next_word.position;
  ASSERT_GE(position, 0);
  EXPECT_TRUE(room.has("next:all layers"));
  const std::int32_t top = lens->token.data<std::int32_t>()[1 * tokens + position];
  const auto at = room.search(
      "next:candidates", [&] { return next_word_kept(room).pointed == top; }, 8);
  const auto list = room.part("next:candidates");
  ASSERT_GE(at.x, 0);
  EXPECT_LT(at.y, list.y0 + 22 + 30) << "that layer's top word is the first";
  room.click_part("next:all layers");
  EXPECT_EQ(room.shell->view().next_word.layer, -1);
  room.settle();
  EXPECT_FALSE(room.has("next:all layers"));
}

TEST(NextWordPanel, GeneratesWhatTheCommandLineGenerates) {
  ViewState view = next_word_view_of();
  view.next_word.words = 4;
  view.next_word.seed = 3;
  Room room(stored_document("stories", "Once upon a time there was a little"), view);
  const std::string before = room.shell->document().texts[0];
  room.click_part("next:generate");
  finish(room);
  const auto generated = next_word_kept(room).generated;
  ASSERT_EQ(generated.words.size(), 4u);
  const auto predictor = Predictor::open(*open_stored_model("stories"), *backends::open("cpu"));
  ASSERT_TRUE(predictor.ok());
  GenerateOptions how;
  static_cast<SamplingOptions&>(how) = views::sampling_of(view.next_word);
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
  EXPECT_EQ(next_word_kept(room).generated.words.size(), 3u);
  room.click_part("next:more");
  finish(room);
  ASSERT_EQ(next_word_kept(room).generated.words.size(), 4u);
  EXPECT_EQ(next_word_kept(room).generated.words[3].token, generated.words[3].token) << "the same step of the same seed";
  room.settle();
  room.click_part("next:keep");
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before + expected->front().output);
  EXPECT_TRUE(next_word_kept(room).generated.words.empty());
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], before);
}

TEST(NextWordPanel, ANewWordsRowIsThatOfTheSentenceWithIt) {
  ViewState view = next_word_view_of();
  view.next_word.words = 2;
  view.layer = 2;
  view.head = 3;
  Room room(course(), view);
  room.click_part("next:generate");
  finish(room);
  ASSERT_EQ(next_word_kept(room).generated.words.size(), 2u);
  room.settle();
  ASSERT_TRUE(room.has("next:new rows"));
  TokenIds added;
  for (const auto& word : next_word_kept(room).generated.words) added.push_back(word.token);
  const views::NextWordPlace place{room.shell->published().trace, 0, 4};
  const gl::Fonts fonts;
  const window::Frame frame{fonts, room.window.figures()};
  const auto row = views::attention_of_added(room.shell->context(frame), place, added);
  ASSERT_TRUE(row) << "the window has computed it";
  room.click_part("next:keep");
  room.settle();
  const auto trace = room.shell->published().trace;
  ASSERT_EQ(trace->texts()[0].tokens.size(), 7u);
  for (std::int64_t key = 0; key < 7; ++key)
    EXPECT_NEAR((*row)[static_cast<std::size_t>(key)], trace->values("layer.2.weights")->at({0, 3, 6, key}), 1e-5);
}

TEST(NextWordPanel, AnEditEndsTheGeneration) {
  ViewState view = next_word_view_of();
  view.next_word.words = 50;
  Room room(course(), view);
  room.click_part("next:generate");
  Document other = room.shell->document();
  other.texts[0] = "Paris is the capital of";
  room.shell->edit(other);
  room.settle();
  EXPECT_TRUE(next_word_kept(room).generated.words.empty());
  EXPECT_EQ(next_word_kept(room).generated.wanted, 0u);
  EXPECT_EQ(room.shell->document().texts[0], other.texts[0]);
}

TEST(NextWordPanel, ACardChangesThePositionAndTakingThereCutsTheSentence) {
  Room room(course(), next_word_view_of());
  room.click_part("next:cards", 0.3f, 0.5f);
  room.settle();
  const std::int64_t position = room.shell->view().next_word.position;
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
  EXPECT_EQ(room.shell->view().next_word.position, -1);
}

TEST(NextWordPanel, ContinuationsAreComparedByTheChainRule) {
  Room room(course(), next_word_view_of());
  const views::Context context = room.shell->context(room.window.as_frame());
  const auto place = views::next_word_place(context);
  ASSERT_TRUE(place);
  const TokenIds two = views::continuation_ids(*place, "Turkey .");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(place->word(two[0]), "Turkey");
  std::string error;
  std::shared_ptr<const views::Continued> said;
  for (int i = 0; i < 3 && !said; ++i) {
    said = views::continued_of(context, *place, two, &error);
    room.shell->lane().wait();
  }
  ASSERT_TRUE(said) << error;
  Document longer = course();
  longer.texts[0] = views::continued_document(context, *place, two).texts[0];
  const double first = probabilities(room, place->position)[static_cast<std::size_t>(two[0])];
  const std::int64_t position = place->position;
  room.shell->edit(longer);
  room.settle();
  ASSERT_EQ(room.shell->published().trace->texts()[0].tokens.back().id, two[1]);
  const double second = probabilities(room, position + 1)[static_cast<std::size_t>(two[1])];
  EXPECT_NEAR(said->log_probability, std::log(first) + std::log(second), 1e-3);
}

TEST(NextWordPanel, AHeadsRowOpensItInHeads) {
  Room room(course(), next_word_view_of());
  room.click_part("next:looks", 0.2f, 0.3f);
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_GE(room.shell->view().pinned_row, 0);
}

TEST(NextWordPanel, TranslationsSayTheNextWordOfTheTarget) {
  Room room(stored_document("english-french", "I am happy.", "Je suis"), next_word_view_of());
  ASSERT_TRUE(room.has("next:candidates"));
  const std::string before = room.shell->document().targets[0];
  room.click_part("next:take");
  room.settle();
  EXPECT_GT(room.shell->document().targets[0].size(), before.size());
  EXPECT_EQ(room.shell->document().texts[0], "I am happy.");
}

TEST(NextWordPanel, NothingIsCutOffAtAnySizeInBothLanguages) {
  struct Size {
    float width, height;
    bool presented;
  };
  for (const Size& size : {Size{1600, 1000, false}, Size{1280, 720, false}, Size{900, 640, false}, Size{1280, 720, true}})
    for (const std::string language : {"en", "zh"})
      for (const char* text : {"Ankara is the capital of", "Mary is the aunt of John and the Eiffel Tower is in Paris and"}) {
        ViewState view = next_word_view_of();
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
        GeneratedWords& generated = shell.transient.of<NextWordTransient>().generated;
        generated.wanted = 5;
        settle();
        EXPECT_TRUE(size.presented || !generated.words.empty());
        for (const std::string& fault : eye.look(shell))
          ADD_FAILURE() << size.width << " x " << size.height << (size.presented ? " presented " : " ") << language << ": "
                        << fault;
      }
}

TEST(NextWordPanel, AModelThatFillsInIsAskedAtTheMaskAndAWordTakesItsPlace) {
  Room room(stored_document("fill-in", "The [MASK] cat sat on the [MASK]."), next_word_view_of());
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
  const auto place = views::next_word_place(room.shell->context(room.window.as_frame()));
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

TEST(Badge, SaysWhatTheModelWasNeverTrainedToRead) {
  const auto says = [](Room& room, const std::string& words) {
    std::vector<gl::DrawnText> drawn;
    room.window.figures().watch_text(&drawn);
    room.window.frame(*room.shell);
    room.window.figures().watch_text(nullptr);
    return std::any_of(drawn.begin(), drawn.end(), [&](const auto& one) { return one.text == words; });
  };
  std::string text = "the";
  for (int i = 0; i < 280; ++i) text += " cat";
  Room room(stored_document("stories", text));
  const auto length = (*open_stored_model("stories"))->length;
  ASSERT_GT(static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()), length);
  EXPECT_TRUE(says(room, "beyond " + std::to_string(length) + " tokens"));
  room.shell->edit(stored_document("stories", "the cat"));
  room.settle();
  EXPECT_TRUE(says(room, "trained"));
  room.shell->edit(stored_document("english-french", "The cat is on the table.", "Le chat est sur la table."));
  room.settle();
  EXPECT_TRUE(says(room, "trained"));
  room.shell->edit(stored_document("english-french", "The cat is on the table.", "Der Hund liegt auf dem Tisch."));
  room.settle();
  EXPECT_TRUE(says(room, "unlikely target"));
}

}  // namespace
}  // namespace headlight
