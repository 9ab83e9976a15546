// Lessons: the shipped ones step by step on the null renderer, how the player treats the user's own work, the keys, the recorder.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/files/configuration.h"
#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/lessons/player.h"
#include "app/views/base/view.h"
#include "app/window/shell/lesson_side.h"
#include "engine/core/files.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/real_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using lessons::Lesson;
using test::NullWindow;
using window::Setup;
using window::Shell;

struct LessonsRoom : private test::ConfigurationFolder, test::Room {
  explicit LessonsRoom(Document document = {}, float width = 1600, float height = 1000)
      : test::Room(calm(std::move(document)), width, height) {}
  static Setup calm(Document document) {
    Setup setup;
    setup.session.document = std::move(document);
    setup.configuration.language = "en";
    setup.configuration.reduce_motion = true;
    setup.compute = run_on_backend();
    return setup;
  }
  const test::ConfigurationFolder& folder = *this;
};

// What is still being computed as a lesson begins is of another model, without cross-attention.
TEST(LessonPlayer, AStepsPlaceOutlivesTheTraceOfAnEarlierSentence) {
  LessonsRoom room;
  Shell& shell = *room.shell;
  Document other = shell.document();
  other.texts = {"another sentence"};
  shell.edit(other);
  room.window.frame(shell);
  shell.worker().wait();  // computed, and not yet shown
  ASSERT_TRUE(shell.player().start(shell, "a-translation-is-aligned").ok());
  const ViewState& step = shell.player().current()->view;
  room.settle();
  EXPECT_EQ(step.site, "decoder.cross.");
  EXPECT_EQ(shell.view().site, step.site);
  EXPECT_EQ(shell.view().layer, step.layer);
  EXPECT_FALSE(shell.player().away(shell));
}

// --- the shipped lessons ---

TEST(ShippedLessons, EveryFileParsesInBothLanguagesAndHasAQuestion) {
  const test::ConfigurationFolder folder;
  const auto found = lessons::all();
  for (const Error& error : found.errors) ADD_FAILURE() << error.sentence();
  ASSERT_FALSE(found.lessons.empty());
  std::set<std::int64_t> orders;
  for (const auto& lesson : found.lessons) {
    SCOPED_TRACE(lesson->id);
    EXPECT_TRUE(orders.insert(lesson->order).second) << "two lessons at one place";
    EXPECT_GE(lesson->steps.size(), 4u);
    EXPECT_LE(lesson->steps.size(), 8u);
    EXPECT_LE(lesson->minutes, 3);
    bool question = false;
    const auto both = [](const lessons::Texts& texts, const std::string& what) {
      for (const char* language : {"en", "zh"})
        EXPECT_TRUE(texts.contains(language) && !texts.at(language).empty()) << what << " in " << language;
    };
    both(lesson->title, "title");
    for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
      const auto& step = lesson->steps[i];
      SCOPED_TRACE("step " + std::to_string(i + 1));
      both(step.text, "text");
      EXPECT_FALSE(step.highlight.empty());
      EXPECT_TRUE(views::registry().find(step.view.tab)) << "there is no tab " << step.view.tab;
      if (!step.question) continue;
      question = true;
      both(step.question->text, "question");
      both(step.question->why, "why");
      for (const auto& choice : step.question->choices) both(choice, "choice");
    }
    EXPECT_TRUE(question);
  }
}

// Every place of a text has a value.
void expect_places(Shell& shell, const lessons::Step& step, const lessons::Texts& texts) {
  const lessons::Source source = window::lesson_side::source_of(shell, step);
  for (const auto& [language, text] : texts)
    for (const auto& run : lessons::fill_places(text, source)) {
      EXPECT_FALSE(run.why) << language << ": " << run.why->sentence();
      EXPECT_EQ(run.text.find_first_of("{}*"), std::string::npos) << language << ": " << run.text;
    }
}

// Choices are computed, so two of them could say the same.
void expect_choices_differ(Shell& shell, const lessons::Step& step) {
  const lessons::Source source = window::lesson_side::source_of(shell, step);
  for (const char* language : {"en", "zh"}) {
    std::set<std::string> seen;
    for (const auto& choice : step.question->choices) {
      std::string all;
      for (const auto& run : lessons::fill_places(choice.at(language), source)) all += run.text;
      EXPECT_TRUE(seen.insert(all).second) << language << ": two choices say " << all;
    }
  }
}

// Shows a step of the lesson that is played, and checks that it shows what it speaks of.
void expect_step(LessonsRoom& room, std::size_t i) {
  Shell& shell = *room.shell;
  shell.player().go(shell, static_cast<std::int64_t>(i));
  const auto& step = *shell.player().current();
  room.settle();
  ASSERT_FALSE(shell.published().error) << shell.published().error->sentence();
  ASSERT_TRUE(shell.published().trace);
  EXPECT_EQ(shell.published().trace->document().texts, step.document.texts);
  EXPECT_EQ(shell.view().tab, step.view.tab);
  EXPECT_FALSE(shell.player().away(shell)) << "a step that has just been entered is not left: " << to_json(shell.view());
  for (const std::string& part : step.highlight) {
    if (part.starts_with("cell:") || part.starts_with("row:") || part.starts_with("column:")) continue;
    EXPECT_TRUE(shell.parts.places.contains(part)) << "there is no part " << part;
  }
  for (const std::string& cell : shell.player().unknown_cells) ADD_FAILURE() << "there is no " << cell;
  if (step.training) {
    EXPECT_EQ(shell.trainer().step(), step.training->step);
  }
  expect_places(shell, step, step.text);
  if (!step.question) return;
  expect_places(shell, step, step.question->text);
  expect_places(shell, step, step.question->why);
  for (const auto& choice : step.question->choices) expect_places(shell, step, choice);
  expect_choices_differ(shell, step);
  shell.player().answer(step.question->answer);
  room.window.frames(shell, 2);
}

TEST(ShippedLessons, EveryStepPlaysComputesAndShowsWhatItSpeaksOf) {
  for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f)}) {
    LessonsRoom room({}, width, height);
    Shell& shell = *room.shell;
    for (const auto& lesson : shell.player().list())
      for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
        SCOPED_TRACE(lesson->id + " step " + std::to_string(i + 1) + ", width " + std::to_string(width));
        if (i == 0) shell.player().play(shell, lesson);
        expect_step(room, i);
        if (testing::Test::HasFatalFailure()) return;
        EXPECT_LT(shell.published().trace->bytes(), std::uint64_t{64} << 20) << "a lesson's document is small";
      }
    EXPECT_EQ(room.window.errors(), 0);
  }
}

// The lessons that speak of meaning, on a language model that is too large to lie beside the tests.
TEST(ShippedLessons, AreWrittenForTheRealModelToo) {
  LessonsRoom room;
  if (!test::has_real_model()) GTEST_SKIP() << test::kNoRealModel;
  Shell& shell = *room.shell;
  std::size_t played = 0;
  for (const auto& lesson : shell.player().list()) {
    if (lesson->also.empty()) continue;
    SCOPED_TRACE(lesson->id);
    EXPECT_EQ(lesson->also, std::vector<std::string>{"smollm2"});
    ++played;
    shell.player().play(shell, lesson);
    room.settle();
    const auto place = room.part("lesson:model");
    EXPECT_GT(place.x1, place.x0) << "the switch";
    const Status on = shell.player().play_on(shell, "smollm2");
    ASSERT_TRUE(on.ok()) << on.error().sentence();
    for (std::size_t i = 0; i < shell.player().lesson()->steps.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i + 1));
      expect_step(room, i);
      if (testing::Test::HasFatalFailure()) return;
      EXPECT_EQ(shell.published().trace->document().model, "smollm2");
    }
    ASSERT_TRUE(shell.player().play_on(shell, "").ok());
    EXPECT_NE(shell.document().model, "smollm2");
  }
  EXPECT_EQ(played, 5u);
  EXPECT_EQ(room.window.errors(), 0);
}

// --- the player ---

Document own_work() {
  Document document;
  document.texts = {"the person's own sentence"};
  document.d_model = 24;
  document.heads = 2;
  document.layers = 2;
  return document;
}

TEST(LessonPlayer, FreePlayReturnsToTheStepAndClosingReturnsThePersonsWork) {
  LessonsRoom room(own_work());
  Shell& shell = *room.shell;
  shell.view().theme = "light";
  shell.view().head = 1;
  room.settle();
  const Session before = shell.session();
  const auto lesson = shell.player().list().front();
  ASSERT_TRUE(shell.player().start(shell, lesson->id).ok());
  room.settle();
  EXPECT_EQ(shell.document(), lesson->steps[0].document);
  EXPECT_EQ(shell.view().theme, "light") << "how it looks is the person's";
  EXPECT_EQ(shell.view().lesson, lesson->id);
  EXPECT_FALSE(shell.player().away(shell));

  Document changed = shell.document();
  changed.texts = {"something else"};
  shell.edit(changed);
  shell.view().tab = "heads";
  room.settle();
  EXPECT_TRUE(shell.player().away(shell));
  shell.player().next(shell);
  room.settle();
  EXPECT_EQ(shell.player().step(), 1);
  EXPECT_EQ(shell.document(), lesson->steps[1].document) << "next goes on from the step";
  shell.edit(changed);
  shell.player().come_back(shell);
  room.settle();
  EXPECT_EQ(shell.document(), lesson->steps[1].document);
  EXPECT_FALSE(shell.player().away(shell));

  shell.view().theme = "dark";
  shell.player().stop(shell);
  room.settle();
  EXPECT_EQ(shell.document(), before.document);
  EXPECT_EQ(shell.view().head, 1);
  EXPECT_EQ(shell.view().theme, "dark") << "a theme chosen during the lesson stays";
  EXPECT_TRUE(shell.view().lesson.empty());
  EXPECT_FALSE(shell.player().active());
}

TEST(LessonPlayer, UndoReachesThePersonsWorkToo) {
  LessonsRoom room(own_work());
  Shell& shell = *room.shell;
  const auto lesson = shell.player().list().front();
  shell.player().play(shell, lesson);
  room.settle();
  for (int i = 0; i < 5 && shell.document().texts != own_work().texts; ++i) shell.undo();
  EXPECT_EQ(shell.document(), own_work());
  room.settle();
  EXPECT_TRUE(shell.player().away(shell));
}

TEST(LessonPlayer, StaysWithinTheLessonAndNamesAnUnknownOne) {
  LessonsRoom room;
  Shell& shell = *room.shell;
  const auto lesson = shell.player().list().front();
  shell.player().play(shell, lesson);
  shell.player().back(shell);
  EXPECT_EQ(shell.player().step(), 0);
  shell.player().go(shell, 1000);
  EXPECT_EQ(shell.player().step(), static_cast<std::int64_t>(lesson->steps.size()) - 1);
  const Status unknown = shell.player().start(shell, "no such lesson");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().sentence().find(lesson->id), std::string::npos);
}

TEST(LessonPlayer, AnOpenedSessionTakesUpItsLesson) {
  LessonsRoom room;
  Shell& shell = *room.shell;
  const auto lesson = shell.player().list().front();
  Session session;
  session.view.lesson = lesson->id;
  session.view.lesson_step = 1;
  shell.replace(session);
  room.settle();
  EXPECT_TRUE(shell.player().active());
  EXPECT_EQ(shell.player().step(), 1);
  EXPECT_TRUE(NullWindow::shows("lesson"));
  shell.replace(Session());
  room.settle();
  EXPECT_FALSE(shell.player().active());
  session.view.lesson = "gone";
  shell.replace(session);
  room.settle();
  EXPECT_FALSE(shell.player().active());
  EXPECT_NE(shell.ui.notice.find("gone"), std::string::npos);
}

TEST(LessonKeys, SpaceGoesOnShiftSpaceBackAndTypingKeepsItsSpaces) {
  LessonsRoom room;
  Shell& shell = *room.shell;
  const auto lesson = shell.player().list().front();
  shell.player().play(shell, lesson);
  room.settle();
  EXPECT_FALSE(ImGui::GetIO().WantTextInput) << "the lesson took the keyboard from the sentence";
  room.window.key(shell, ImGuiKey_Space);
  room.window.key(shell, ImGuiKey_Space);
  EXPECT_EQ(shell.player().step(), 2);
  room.window.key(shell, ImGuiKey_Space, false, true);
  EXPECT_EQ(shell.player().step(), 1);
  room.settle();
  room.window.key(shell, ImGuiKey_L, true);  // focuses the sentence
  room.settle();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  room.window.key(shell, ImGuiKey_Space);
  EXPECT_EQ(shell.player().step(), 1);
}

TEST(LessonKeys, DigitsAnswerTheQuestion) {
  LessonsRoom room;
  Shell& shell = *room.shell;
  for (const auto& lesson : shell.player().list())
    for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
      if (!lesson->steps[i].question) continue;
      shell.player().play(shell, lesson, static_cast<std::int64_t>(i));
      room.settle();
      EXPECT_EQ(shell.player().answered(), -1);
      room.window.key(shell, ImGuiKey_2);
      EXPECT_EQ(shell.player().answered(), 1);
      return;
    }
  FAIL() << "no lesson asks a question";
}

// As a lecturer would, who leaves the mouse alone: all lessons in one go, at each question every wrong answer before the right
// one.
TEST(LessonKeys, EveryLessonIsPlayedToItsEndByKeyboardWithWrongAnswersToo) {
  LessonsRoom room(own_work());
  Shell& shell = *room.shell;
  const auto lessons = shell.player().list();
  shell.player().play(shell, lessons.front());
  room.settle();
  std::int64_t questions = 0;
  for (const auto& lesson : lessons) {
    ASSERT_TRUE(shell.player().active());
    ASSERT_EQ(shell.player().lesson()->id, lesson->id) << "Space on the last step goes on to the next lesson";
    for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
      SCOPED_TRACE(lesson->id + " step " + std::to_string(i + 1));
      ASSERT_EQ(shell.player().step(), static_cast<std::int64_t>(i));
      ASSERT_FALSE(shell.published().error) << shell.published().error->sentence();
      if (const auto& question = lesson->steps[i].question) {
        ++questions;
        const auto press = [&](std::int64_t choice) {
          room.window.key(shell, static_cast<ImGuiKey>(ImGuiKey_1 + choice));
          room.settle();
          EXPECT_EQ(shell.player().answered(), choice);
          EXPECT_FALSE(shell.player().away(shell)) << "an answer changes nothing in the view";
        };
        for (std::size_t choice = 0; choice < question->choices.size(); ++choice)
          if (static_cast<std::int64_t>(choice) != question->answer) press(static_cast<std::int64_t>(choice));
        press(question->answer);
      }
      room.window.key(shell, ImGuiKey_Space);
      room.settle();
    }
  }
  EXPECT_GE(questions, static_cast<std::int64_t>(lessons.size())) << "every lesson asks";
  EXPECT_FALSE(shell.player().active()) << "Space on the very last step ends it";
  EXPECT_EQ(shell.document(), own_work()) << "the person's own work is back";
  EXPECT_EQ(room.window.errors(), 0);
}

// --- the recorder ---

TEST(LessonRecorder, RecordsTheWindowAndPlaysItBackTheSame) {
  LessonsRoom room(own_work());
  Shell& shell = *room.shell;
  auto& recorder = shell.recorder();
  recorder.open(shell);
  room.settle();
  ASSERT_TRUE(recorder.active());
  EXPECT_TRUE(NullWindow::shows("recorder"));
  ASSERT_EQ(recorder.draft().steps.size(), 1u) << "the present state is the first step";
  recorder.draft().title["en"] = "My first lesson";
  recorder.step().text["en"] = "{tokens} tokens, **live**";
  recorder.toggle_part("chips");
  recorder.toggle_part("picker:mask");
  recorder.toggle_part("chips");
  EXPECT_EQ(recorder.step().highlight, std::vector<std::string>{"picker:mask"});

  Document second = own_work();
  second.texts = {"another sentence"};
  second.masks.push_back({"causal", {}});
  shell.edit(second);
  shell.view().layer = 1;
  shell.view().theme = "light";
  room.settle();
  recorder.record(shell);
  ASSERT_EQ(recorder.draft().steps.size(), 2u);
  EXPECT_EQ(recorder.selected(), 1);
  recorder.step().question.emplace();
  recorder.step().question->text["en"] = "q";
  recorder.step().question->why["en"] = "w";
  recorder.step().question->choices = {{{"en", "1"}}, {{"en", "2"}}};
  room.settle();

  const auto path = room.folder.path / "lessons" / "mine.json";
  ASSERT_TRUE(recorder.save(path).ok());
  const auto read = lessons::load_lesson(path);
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(read->id, "mine");
  EXPECT_TRUE(read->steps == recorder.draft().steps);
  EXPECT_TRUE(read->steps[1].view_keys.contains("layer"));
  EXPECT_FALSE(read->steps[1].view_keys.contains("theme")) << "the theme is the person's own";

  recorder.close(shell);
  shell.player().reload();
  ASSERT_TRUE(shell.player().start(shell, "mine", 1).ok());
  room.settle();
  EXPECT_EQ(shell.document(), second);
  EXPECT_EQ(shell.view().layer, 1);
  EXPECT_FALSE(shell.player().away(shell));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(LessonRecorder, MovesAndDeletesStepsAndKeepsTheLastOne) {
  LessonsRoom room(own_work());
  auto& recorder = room.shell->recorder();
  recorder.open(*room.shell);
  recorder.step().text["en"] = "one";
  recorder.record(*room.shell);
  recorder.step().text["en"] = "two";
  recorder.record(*room.shell);
  recorder.step().text["en"] = "three";
  const auto order = [&] {
    std::string all;
    for (const auto& step : recorder.draft().steps) all += step.text.at("en") + " ";
    return all;
  };
  recorder.move(1);  // no effect: it is the last one
  EXPECT_EQ(order(), "one two three ");
  recorder.move(-1);
  EXPECT_EQ(order(), "one three two ");
  EXPECT_EQ(recorder.selected(), 1);
  recorder.remove();
  EXPECT_EQ(order(), "one two ");
  recorder.remove();
  recorder.remove();
  EXPECT_EQ(order(), "one ");
}

TEST(LessonRecorder, AKillLosesNothingOfTheDraft) {
  const test::ConfigurationFolder folder;
  const auto setup = [&] {
    window::Setup made;
    made.session.document = own_work();
    made.autosave = folder.path / "session.json";
    made.configuration.language = "en";
    made.compute = run_on_backend();
    return made;
  };
  NullWindow window;
  {
    Shell shell(setup());
    shell.recorder().open(shell);
    shell.recorder().draft().title["en"] = "Half written";
    shell.recorder().step().text["en"] = "not saved by hand";
    EXPECT_GT(shell.recorder().tick(shell, 100), 0) << "a change waits a second for its friends";
    EXPECT_FALSE(std::filesystem::exists(lessons::Recorder::draft_path()));
    (void)shell.recorder().tick(shell, 101.5);
    EXPECT_TRUE(std::filesystem::exists(lessons::Recorder::draft_path()));
    EXPECT_LT(shell.recorder().tick(shell, 103), 0) << "nothing more to write";
  }
  Shell shell(setup());
  shell.recorder().open(shell);
  EXPECT_EQ(shell.recorder().draft().title["en"], "Half written");
  EXPECT_EQ(shell.recorder().step().text["en"], "not saved by hand");
  window.frames(shell, 2);
}

TEST(LessonRecorder, AClickOnAPartRingsItInsteadOfPressingIt) {
  LessonsRoom room(own_work());
  Shell& shell = *room.shell;
  shell.recorder().open(shell);
  shell.recorder().picking = true;
  room.settle();
  const auto entry = shell.parts.places.at("rail:tokens");
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent((entry.x0 + entry.x1) / 2, (entry.y0 + entry.y1) / 2);
  room.window.frames(shell, 3);
  io.AddMouseButtonEvent(0, true);
  room.window.frames(shell, 2);
  io.AddMouseButtonEvent(0, false);
  room.window.frames(shell, 2);
  EXPECT_EQ(shell.recorder().step().highlight, std::vector<std::string>{"rail:tokens"});
  EXPECT_EQ(shell.view().tab, "heads");
  shell.recorder().picking = false;
  room.window.frames(shell, 2);
  io.AddMouseButtonEvent(0, true);
  room.window.frames(shell, 2);
  io.AddMouseButtonEvent(0, false);
  room.window.frames(shell, 2);
  EXPECT_EQ(shell.view().tab, "tokens") << "without picking the same click presses";
}

}  // namespace
}  // namespace headlight
