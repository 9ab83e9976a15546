// A translation model in the window: its own translation while the person types, and a second sentence of one's own.
#include <gtest/gtest.h>

#include "app/figures/base/figure.h"
#include "app/session/translator.h"
#include "app/views/base/view.h"
#include "engine/document/stored_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

struct TranslationRoom : test::Room {
  TranslationRoom() : test::Room(document(), view()) {}
  static Document document() {
    Document document;
    const auto model = open_stored_model("english-french");
    EXPECT_TRUE(model.ok());
    if (model.ok()) use_model(document, **model);
    document.texts = {"I am happy."};
    return document;
  }
  static ViewState view() {
    ViewState view;
    view.translates = true;
    return view;
  }
  const std::vector<std::string>& targets() const { return shell->document().targets; }
  void type(const std::string& text) {
    Document next = shell->document();
    next.texts = {text};
    shell->edit(std::move(next));
    window.frame(*shell);
    settle();
  }
};

TEST(TranslationInTheWindow, IsWrittenAsOneTypesAndIsNoStepOfItsOwn) {
  TranslationRoom room;
  room.settle();
  ASSERT_EQ(room.targets().size(), 1u);
  const std::string first = room.targets()[0];
  EXPECT_NE(first.find("heureu"), std::string::npos) << first;
  ASSERT_NE(room.shell->published().trace, nullptr);
  EXPECT_EQ(room.shell->published().trace->targets().size(), 1u);
  room.type("The cat is black.");
  EXPECT_NE(room.targets()[0].find("chat"), std::string::npos) << room.targets()[0];
  EXPECT_EQ(room.shell->published().trace->document().targets, room.targets()) << "the trace reads the translation";
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], "I am happy.");
  EXPECT_EQ(room.targets(), std::vector<std::string>{first});
  room.shell->redo();
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], "The cat is black.") << "the translation took nothing from what can be redone";
}

// Rows of cross-attention by the word that is read or written: the same numbers, the names moved on by one, the end guessed.
TEST(TranslationInTheWindow, ARowIsNamedByTheWordThatItWritesOrReads) {
  TranslationRoom room;
  room.type("The cat is black.");
  window::Shell& shell = *room.shell;
  shell.view().tab = "heads";
  shell.view().site = "decoder.cross.";
  shell.view().layer = shell.view().head = 1;
  room.settle();
  const auto* const panel = views::registry().find("heads");
  const auto rows = [&] {
    const figures::Figure figure = views::figure_of_view(shell.context(room.window.as_frame()), *panel, 900, 800);
    EXPECT_FALSE(figure.data.empty());
    return figure.data.empty() ? figures::Data{} : figure.data.front();
  };
  ASSERT_EQ(shell.view().row_word, "written") << "as the sentence above the picture names them";
  const figures::Data written = rows();
  shell.view().row_word = "read";
  const figures::Data read = rows();
  shell.view().row_word = "written";
  ASSERT_EQ(read.labels.size(), 2u);
  const std::vector<std::string>& names = written.labels[0];
  ASSERT_EQ(names.size(), read.labels[0].size());
  ASSERT_GT(names.size(), 3u);
  for (std::size_t i = 0; i + 1 < names.size(); ++i) EXPECT_EQ(names[i], read.labels[0][i + 1]) << i;
  EXPECT_EQ(names.back(), "[EOS]") << "behind a finished sentence the model's best guess is its end";
  EXPECT_EQ(written.labels[1], read.labels[1]);
  ASSERT_EQ(written.values.shape(), read.values.shape());
  for (std::int64_t r = 0; r < read.values.dim(0); ++r)
    for (std::int64_t c = 0; c < read.values.dim(1); ++c) EXPECT_EQ(written.values.at({r, c}), read.values.at({r, c}));
  shell.view().site = "encoder.";
  room.settle();
  const figures::Data encoder = rows();
  EXPECT_EQ(encoder.labels[0], encoder.labels[1]) << "an encoder writes nothing";
}

TEST(TranslationInTheWindow, BothFieldsNameTheLanguagesOfTheModel) {
  TranslationRoom room;
  room.settle();
  const SentenceLanguages languages = languages_of(room.shell->document());
  EXPECT_EQ(languages.text, "English");
  EXPECT_EQ(languages.target, "French");
  const auto language = room.part("language:sentence"), field = room.part("sentence");
  EXPECT_NEAR(language.x0, field.x0, 1) << "it stands at the field's beginning";
  EXPECT_LT(language.x1, field.x1 - 100) << "and leaves room to type";
  EXPECT_NEAR(language.y0, field.y0, 1);
  EXPECT_NEAR(room.part("language:target").x0, room.part("target").x0, 1);
  room.shell->edit(test::small_document());
  room.settle();
  EXPECT_FALSE(room.has("language:sentence")) << "the sandbox has none";
  EXPECT_FALSE(room.has("language:target"));
}

TEST(TranslationInTheWindow, PositionsAreLeftOutAndPutBackInThePositionsPicker) {
  TranslationRoom room;
  room.settle();
  room.shell->ui.popup_next = "positions";
  room.settle();
  room.click_part("positions:out");
  room.settle();
  ASSERT_EQ(room.shell->document().interventions.size(), 1u);
  EXPECT_TRUE(positions_are_out(room.shell->document().interventions, "encoder."));
  ASSERT_TRUE(room.shell->published().trace);
  EXPECT_FALSE(room.shell->published().trace->find("encoder.position"));
  EXPECT_TRUE(room.has("interventions")) << "the badge says so";
  room.click_part("positions:out");
  room.settle();
  EXPECT_TRUE(room.shell->document().interventions.empty());
  EXPECT_TRUE(room.shell->published().trace->find("encoder.position"));
  room.shell->undo();
  EXPECT_EQ(room.shell->document().interventions.size(), 1u);
  // The view of positions has the same switch, in place of the kinds that a trained model cannot have.
  room.window.key(*room.shell, ImGuiKey_Escape);
  room.shell->view().tab = "positions";
  room.settle();
  room.click_part("positions:left out", 0.05f);
  room.settle();
  EXPECT_TRUE(room.shell->document().interventions.empty());
}

TEST(TranslationInTheWindow, ASentenceOfOnesOwnStaysAndAClickTranslatesAgain) {
  TranslationRoom room;
  room.settle();
  const std::string own = "je suis contente";
  room.click_part("target");
  room.window.key(*room.shell, ImGuiKey_A, true);
  ImGui::GetIO().AddInputCharactersUTF8(own.c_str());
  room.window.frames(*room.shell, 4);
  room.settle();
  EXPECT_FALSE(room.shell->view().translates) << "it was typed";
  EXPECT_EQ(room.targets(), std::vector<std::string>{own});
  room.click_part("translate");
  room.settle();
  EXPECT_TRUE(room.shell->view().translates);
  EXPECT_NE(room.targets(), std::vector<std::string>{own});
}

TEST(TranslationInTheWindow, AnEmptySentenceHasAnEmptyOneAndAModelOfOneTextNoButton) {
  TranslationRoom room;
  room.settle();
  room.type("");
  EXPECT_EQ(room.targets(), std::vector<std::string>{""});
  room.type("Thank you.");
  EXPECT_FALSE(room.targets()[0].empty());
  Document other = room.shell->document();
  const auto model = open_stored_model("course");
  ASSERT_TRUE(model.ok());
  use_model(other, **model);
  other.targets.clear();
  room.shell->edit(std::move(other));
  room.settle();
  EXPECT_FALSE(room.has("translate"));
  EXPECT_TRUE(room.targets().empty());
}

TEST(TranslationInTheWindow, InterventionsChangeTheTranslationWhileOneTypes) {
  TranslationRoom room;
  room.type("The man bites the dog.");
  const std::string own = room.targets()[0];
  Document changed = room.shell->document();
  ASSERT_TRUE(find_field("without")->set(changed, {"decoder.layer.1.cross,decoder.layer.2.cross"}).ok());
  room.shell->edit(changed);
  room.window.frame(*room.shell);
  room.settle();
  const std::string deaf = room.targets()[0];
  EXPECT_NE(deaf, own) << "a decoder that hardly hears the English writes something else";
  EXPECT_EQ(deaf, translated(room.shell->document(), {}).value()[0]);
  room.type("The cat is black.");
  EXPECT_EQ(room.targets()[0], translated(room.shell->document(), {}).value()[0]) << "also while one types";
  room.shell->edit([&] {
    Document back = room.shell->document();
    back.interventions.clear();
    back.texts = {"The man bites the dog."};
    return back;
  }());
  room.window.frame(*room.shell);
  room.settle();
  EXPECT_EQ(room.targets()[0], own);
}

TEST(TranslationInTheWindow, APatternOfAnotherSentenceStopsNoTranslation) {
  Document document = TranslationRoom::document();
  document.texts = {"I am happy."};
  Translator plain;
  const auto own = plain.of(document);
  ASSERT_TRUE(own && !own->error);
  ASSERT_TRUE(find_field("pattern_from")->set(document, {"encoder.layer.0.head.0=You are sad."}).ok());
  Translator translator;
  const auto made = translator.of(document);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->error);
  EXPECT_EQ(made->targets, own->targets);
}

// What was typed over before its turn came is not made.
TEST(Translator, TranslatesWhatIsWantedLast) {
  std::vector<std::function<void(const CancelToken&)>> jobs;
  Translator translator([&](std::function<void(const CancelToken&)> job) { jobs.push_back(std::move(job)); });
  Document document = TranslationRoom::document();
  EXPECT_EQ(translator.of(document), nullptr);
  document.texts = {"Thank you."};
  EXPECT_EQ(translator.of(document), nullptr);
  ASSERT_EQ(jobs.size(), 1u) << "one job for both";
  jobs[0]({});
  const auto made = translator.of(document);
  ASSERT_NE(made, nullptr);
  EXPECT_FALSE(made->error);
  EXPECT_EQ(made->targets.size(), 1u);
  document.model = "no-such-model";
  EXPECT_EQ(translator.of(document), nullptr);
  jobs[1]({});
  ASSERT_NE(translator.of(document), nullptr);
  EXPECT_TRUE(translator.of(document)->error.has_value());
}

}  // namespace
}  // namespace headlight
