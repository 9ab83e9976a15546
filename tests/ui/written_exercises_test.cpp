// Exercises: each shipped one is unsolved as it begins and solved by its solution, and the column says so. The conditions, the
// way that is gone, and the file's form.
#include <gtest/gtest.h>

#include "app/lessons/exercise.h"
#include "app/lessons/lesson.h"
#include "app/lessons/player.h"
#include "app/window/shell/lesson_side.h"
#include "engine/document/document.h"
#include "tests/support/small_trace.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/real_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using lessons::Nearness;
using test::NullWindow;
using window::Shell;

struct ExerciseRoom : private test::ConfigurationFolder, test::Room {
  explicit ExerciseRoom(float width = 1280, float height = 720) : test::Room(calm(), width, height) {}
  static window::Setup calm() {
    window::Setup setup;
    setup.configuration.language = "en";
    setup.configuration.reduce_motion = true;
    setup.compute = run_on_backend();
    return setup;
  }
  const lessons::Step& step() { return *shell->player().current(); }
  std::vector<Nearness> goal() {
    settle();
    return lessons::nearness(*step().exercise, window::lesson_side::source_of(*shell, step()));
  }
  // Plays the last step of a lesson.
  void play(const std::string& id) {
    for (const auto& lesson : shell->player().list())
      if (lesson->id == id) shell->player().play(*shell, lesson, 1000);
    settle();
    ASSERT_TRUE(step().exercise) << id;
  }
  void take_out(const std::string& place) {
    Document document = step().document;
    ASSERT_TRUE(find_field("without")->set(document, {place}).ok());
    shell->edit(std::move(document));
  }
};

void expect_texts(Shell& shell, const lessons::Step& step, const lessons::Texts& texts, const std::string& what) {
  for (const char* language : {"en", "zh"}) {
    SCOPED_TRACE(what + " in " + language);
    ASSERT_TRUE(texts.contains(language));
    for (const auto& run : lessons::fill_places(texts.at(language), window::lesson_side::source_of(shell, step)))
      EXPECT_FALSE(run.why) << run.why->sentence();
  }
}

// The step that is played is unsolved as it begins, its solution solves it, and to begin again takes the solution back.
void expect_exercise(ExerciseRoom& room) {
  Shell& shell = *room.shell;
  lessons::Player& player = shell.player();
  const lessons::Step& step = room.step();
  ASSERT_TRUE(step.exercise);
  const std::vector<Nearness> before = room.goal();
  ASSERT_FALSE(shell.published().error) << shell.published().error->sentence();
  EXPECT_FALSE(lessons::solved(before)) << "it is solved as it begins";
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_FALSE(before[i].why) << before[i].why->sentence();
    expect_texts(shell, step, step.exercise->goal[i].what, "goal");
  }
  EXPECT_TRUE(room.has("lesson:goal"));
  EXPECT_FALSE(player.solution_shown(shell));
  player.show_solution(shell);
  const std::vector<Nearness> after = room.goal();
  ASSERT_FALSE(shell.published().error) << shell.published().error->sentence();
  for (const Nearness& one : after)
    EXPECT_TRUE(one.holds) << one.value << ", wanted " << one.wanted << (one.why ? one.why->sentence() : "");
  EXPECT_TRUE(player.solution_shown(shell));
  expect_texts(shell, step, step.exercise->text, "solution");
  player.come_back(shell);
  EXPECT_FALSE(lessons::solved(room.goal()));
}

TEST(Exercises, EveryLessonEndsWithOneThatItsSolutionSolves) {
  ExerciseRoom room;
  Shell& shell = *room.shell;
  for (const auto& lesson : shell.player().list()) {
    SCOPED_TRACE(lesson->id);
    for (std::size_t i = 0; i < lesson->steps.size(); ++i)
      EXPECT_EQ(lesson->steps[i].exercise.has_value(), i + 1 == lesson->steps.size()) << "step " << i + 1;
    shell.player().play(shell, lesson, 1000);
    expect_exercise(room);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Exercises, AreWrittenForTheRealModelToo) {
  ExerciseRoom room;
  if (!test::has_real_model()) GTEST_SKIP() << test::kNoRealModel;
  Shell& shell = *room.shell;
  for (const auto& lesson : shell.player().list()) {
    if (lesson->also.empty()) continue;
    SCOPED_TRACE(lesson->id);
    shell.player().play(shell, lesson, 1000);
    room.settle();
    ASSERT_TRUE(shell.player().play_on(shell, "smollm2").ok());
    expect_exercise(room);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// "The one head without which the lead falls most" is one head.
TEST(Exercises, OnlyOneHeadIsTheOneWithoutWhichTheLeadFallsMost) {
  ExerciseRoom room;
  room.play("why-did-it-say-that");
  std::vector<std::string> solving;
  for (int layer = 0; layer < 4; ++layer)
    for (int head = 0; head < 5; ++head) {
      const std::string place = "layer." + std::to_string(layer) + ".head." + std::to_string(head);
      room.take_out(place);
      if (lessons::solved(room.goal())) solving.push_back(place);
    }
  EXPECT_EQ(solving, std::vector<std::string>{"layer.0.head.2"});
  room.take_out("layer.0.attention");
  EXPECT_FALSE(lessons::solved(room.goal())) << "that is more than one head";
}

TEST(Exercises, AnythingThatLeadsThereCounts) {
  ExerciseRoom room;
  Shell& shell = *room.shell;
  room.play("queries-and-keys");
  Document masked = room.step().document;
  masked.masks = {{"causal", {}}, {"custom", {}}};
  ASSERT_TRUE(
      find_field("custom_mask")->set(masked, {"11111111/11111111/11111111/01000000/11111111/11111111/11111111/11111111"}).ok());
  shell.edit(masked);
  EXPECT_TRUE(lessons::solved(room.goal())) << "a mask instead of single cells";
  EXPECT_FALSE(shell.player().solution_shown(shell));
  Document nearer = room.step().document;
  nearer.texts = {"a fluffy creature roamed the verdant forest"};
  shell.edit(nearer);
  const std::vector<Nearness> near = room.goal();
  EXPECT_FALSE(lessons::solved(near));
  EXPECT_GT(near[0].distance, 0.2);
  EXPECT_LT(near[0].distance, 0.5) << "more than a third of the way";
  Document gone = room.step().document;
  gone.texts = {"a blue sky"};
  shell.edit(gone);
  const std::vector<Nearness> none = room.goal();
  EXPECT_FALSE(lessons::solved(none));
  EXPECT_EQ(none[0].value, "—");
  ASSERT_TRUE(none[0].why);
  EXPECT_NE(none[0].why->sentence().find("creature"), std::string::npos);
}

TEST(Exercises, TheNextLessonIsReachedFromASolvedOne) {
  ExerciseRoom room(1600, 1000);
  Shell& shell = *room.shell;
  room.play("tokens");
  EXPECT_TRUE(room.has("lesson:solution"));
  room.click_part("lesson:solution");
  EXPECT_TRUE(lessons::solved(room.goal()));
  EXPECT_FALSE(room.has("lesson:solution")) << "it is shown already";
  EXPECT_TRUE(shell.player().away(shell));
  room.window.key(shell, ImGuiKey_Space);
  room.settle();
  EXPECT_EQ(shell.player().lesson()->id, "bpe-and-wordpiece");
}

// --- conditions

TEST(ExerciseConditions, ARelationStandsBetweenTwoPlaces) {
  const auto read = lessons::relation_of("weights[0, 4, 7, 5] : 2 >= 0.9");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->left, "weights[0, 4, 7, 5] : 2");
  EXPECT_EQ(read->sign, ">=");
  EXPECT_EQ(read->right, "0.9");
  EXPECT_EQ(lessons::relation_of("token(1) != 'a > b'")->sign, "!=");
  EXPECT_EQ(lessons::relation_of("piece('<=') = id(2)")->left, "piece('<=')");
  for (const char* wrong : {"tokens", "", "tokens 5", "= 5", "tokens >"}) EXPECT_FALSE(lessons::relation_of(wrong).ok()) << wrong;
}

TEST(ExerciseConditions, HoldOfTheTrace) {
  const auto trace = tests::three_words(false);
  const ViewState view;
  const std::map<std::string, double> names{{"W", 500}};
  const lessons::Source source{trace, view, nullptr, {}, names};
  const auto near = [&](const std::string& that) {
    lessons::Exercise exercise;
    exercise.goal = {{{{"en", "x"}}, that}};
    return lessons::nearness(exercise, source)[0];
  };
  for (const char* holds :
       {"tokens = 3", "tokens >= 3", "tokens <= 3", "tokens > 2", "tokens < 4", "tokens != 4", "different = 3", "removed = 0",
        "sentence = 0", "at('·both') = 2", "token(1) = '·two'", "token(1) != 'two'", "id(2) = 12", "W / 2 >= 250",
        "sum(weights 0 0 1 *) = 1", "strongest(weights 0 0 1 *) = '·both'"})
    EXPECT_TRUE(near(holds).holds) << holds << ": " << near(holds).value;
  for (const char* not_so : {"tokens = 4", "tokens > 3", "tokens < 3", "token(1) = 'two'", "at('·none') >= 0",
                             "tokens >= nothing", "token(1) > 'a'", "at('·both', 2) >= 0"})
    EXPECT_FALSE(near(not_so).holds) << not_so;
  EXPECT_EQ(near("weights 0 0 1 2 : 2 >= 0.9").value, "0.58");
  EXPECT_EQ(near("weights 0 0 1 2 : 2 >= 0.9").wanted, "≥ 0.900");
  EXPECT_NEAR(near("weights 0 0 1 2 >= 0.9").distance, 0.9 - 0.5761, 1e-4);
  EXPECT_NEAR(near("tokens <= 1").distance, 2, 1e-9);
  EXPECT_FALSE(near("tokens >= 4").why);
  EXPECT_TRUE(near("at('·none') >= 0").why);
}

TEST(ExerciseConditions, TheWayThatIsGone) {
  EXPECT_EQ(lessons::share_of({"", "", true, 0, {}}, 5), 1);
  EXPECT_DOUBLE_EQ(lessons::share_of({"", "", false, 1, {}}, 4), 0.75);
  EXPECT_DOUBLE_EQ(lessons::share_of({"", "", false, 8, {}}, 4), 0) << "further away than at the beginning";
  EXPECT_LT(lessons::share_of({"", "", false, 1e-9, {}}, 4), 1) << "it is not reached";
  EXPECT_EQ(lessons::share_of({"", "", false, 1, invalid("gone")}, 4), 0);
  EXPECT_DOUBLE_EQ(lessons::share_of({"", "", false, 0.25, {}}, -1), 0.75);
}

// --- the file

std::string lesson_with(const std::string& exercise) {
  return R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2, "steps": [{"text": {"en": "a"},
 "document": {"texts": ["x y"], "without": ["layer.0.head.1"]}, "view": {"layer": 1}, "exercise": )" +
         exercise + "}]}";
}

TEST(ExerciseFile, ReadsBackWhatItWrote) {
  const auto read = lessons::lesson_from_json(
      lesson_with(
          R"({"goal": [{"what": {"en": "tokens", "zh": "词元"}, "that": "tokens >= 5"}, {"what": {"en": "out"}, "that": "removed = 0"}],
 "solution": {"text": {"en": "so"}, "document": {"texts": ["x y z u v"], "without": []}, "view": {"head": 2},
 "training": {"kind": "bpe", "vocabulary": 20}}})"),
      "f.json");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  const lessons::Step& step = read->steps[0];
  ASSERT_TRUE(step.exercise);
  EXPECT_TRUE(step.exercise->document.interventions.empty()) << "the solution puts the head back";
  EXPECT_EQ(step.exercise->document.texts, std::vector<std::string>{"x y z u v"});
  EXPECT_EQ(step.exercise->view.layer, 1) << "what it leaves out is the step's";
  EXPECT_EQ(step.exercise->view.head, 2);
  EXPECT_EQ(step.exercise->training->vocabulary, 20);
  const lessons::Step solved = lessons::solved_step(step);
  EXPECT_EQ(solved.text.at("en"), "so");
  EXPECT_TRUE(solved.document == step.exercise->document);
  const auto again = lessons::lesson_from_json(lessons::to_json(*read), "again");
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_TRUE(again->steps == read->steps);
}

TEST(ExerciseFile, WrongOnesAreAnsweredWithASentence) {
  const std::string solution = R"("solution": {"text": {"en": "so"}})",
                    goal = R"("goal": [{"what": {"en": "w"}, "that": "tokens > 1"}])";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{" + solution + "}", "'goal'"},
      {R"({"goal": [], )" + solution + "}", "'goal'"},
      {"{" + goal + "}", "solution"},
      {R"({"goal": [{"what": {"en": "w"}, "that": "tokens"}], )" + solution + "}", "'tokens' is no condition"},
      {R"({"goal": [{"that": "tokens > 1"}], )" + solution + "}", "'what'"},
      {R"({"goal": [{"what": {"en": "w"}, "that": "tokens > 1", "hint": 1}], )" + solution + "}", "'hint'"},
      {"{" + goal + R"(, "solution": {"text": {"en": "so"}, "document": {"heads": 7}}})", "solution document"},
      {"{" + goal + R"(, "solution": {"text": {"en": "so"}, "view": {"theme": "light"}}})", "solution view"},
  };
  for (const auto& [exercise, says] : cases) {
    SCOPED_TRACE(exercise);
    const auto lesson = lessons::lesson_from_json(lesson_with(exercise), "f.json");
    ASSERT_FALSE(lesson.ok());
    EXPECT_NE(lesson.error().sentence().find("step 1 exercise"), std::string::npos) << lesson.error().sentence();
    EXPECT_NE(lesson.error().sentence().find(says), std::string::npos) << lesson.error().sentence();
    EXPECT_FALSE(lesson.error().mend.empty());
  }
}

}  // namespace
}  // namespace headlight
