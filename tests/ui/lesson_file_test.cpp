// A lesson's file: what is refused and in which words, what is read back, a person's own lessons, and how its text is broken into
// lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/lessons/prose.h"
#include "app/views/heads/state.h"
#include "app/views/index/state.h"
#include "app/views/masks/state.h"
#include "app/views/walk/state.h"
#include "engine/core/files.h"
#include "test_data.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using lessons::Lesson;

std::string file_with(const std::string& step) {
  return R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2, "steps": [)" + step + "]}";
}

TEST(LessonFile, WrongFilesAreAnsweredWithASentence) {
  struct Case {
    std::string json;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases = {
      {"{\"headlight_lesson\": ", {"f.json", "not JSON"}},
      {"[]", {"not a lesson", "headlight_lesson"}},
      {R"({"headlight_lesson": 2, "id": "t"})", {"version 2", "newer"}},
      {R"({"headlight_lesson": 1, "title": {"en": "T"}, "minutes": 2, "steps": [{}]})", {"'id'"}},
      {R"({"headlight_lesson": 1, "id": "t", "title": "T", "minutes": 2, "steps": [{}]})", {"'title'", "\"en\""}},
      {R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 0, "steps": [{}]})", {"'minutes'", "1 to 600"}},
      {R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2, "steps": []})", {"'steps'"}},
      {R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2, "colour": 1, "steps": [{}]})",
       {"'colour'", "known are"}},
      {file_with("{}"), {"step 1", "'text'"}},
      {file_with(R"({"text": {"en": "a"}}, {"text": {"en": "b"}, "documnet": {}})"), {"step 2", "'documnet'", "document"}},
      {file_with(R"({"text": {"en": "a"}, "document": {"d_modle": 4}})"), {"step 1 document", "'d_modle'"}},
      {file_with(R"({"text": {"en": "a"}, "document": {"heads": 7}})"), {"step 1 document", "heads"}},
      {file_with(R"({"text": {"en": "a"}, "view": {"tabb": "heads"}})"), {"step 1 view", "'tabb'", "tab"}},
      {file_with(R"({"text": {"en": "a"}, "view": {"heads": {"pictur": "arcs"}}})"),
       {"step 1 view", "'heads.pictur'", "heads.picture"}},
      {file_with(R"({"text": {"en": "a"}, "view": {"theme": "light"}})"), {"step 1 view", "'theme'", "the person's"}},
      {file_with(R"({"text": {"en": "a"}, "view": {"layer": "one"}})"), {"step 1 view", "'layer'"}},
      {file_with(R"({"text": {"en": "a"}, "highlight": "chips"})"), {"step 1", "'highlight'"}},
      {file_with(R"({"text": {"en": "a"}, "names": {"W": "x"}})"), {"step 1", "'names'"}},
      {file_with(R"({"text": {"en": "a"}, "training": {"kind": "bpe2"}})"), {"step 1 training", "'bpe2'", "wordpiece"}},
      {file_with(
           R"({"text": {"en": "a"}, "question": {"text": {"en": "q"}, "why": {"en": "w"}, "choices": [{"en": "1"}], "answer": 0}})"),
       {"step 1 question", "'choices'"}},
      {file_with(
           R"({"text": {"en": "a"}, "question": {"text": {"en": "q"}, "why": {"en": "w"}, "choices": [{"en": "1"}, {"en": "2"}], "answer": 2}})"),
       {"step 1 question", "'answer'", "0 to 1"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    const auto lesson = lessons::lesson_from_json(c.json, "f.json");
    ASSERT_FALSE(lesson.ok());
    for (const std::string& word : c.says)
      EXPECT_NE(lesson.error().sentence().find(word), std::string::npos) << lesson.error().sentence();
    EXPECT_FALSE(lesson.error().mend.empty());
  }
}

TEST(LessonFile, ReadsBackWhatItWrote) {
  const auto read = lessons::lesson_from_json(
      file_with(
          R"({"text": {"en": "a", "zh": "甲"}, "document": {"texts": ["x y"], "masks": ["causal"], "heads": 3}, "view": {"tab": "heads",
 "layer": 0, "pinned_row": 1}, "highlight": ["chip:1"], "names": {"W": 500}, "training": {"kind": "wordpiece", "step": 2},
 "question": {"text": {"en": "q"}, "why": {"en": "w"}, "choices": [{"en": "1"}, {"en": "2"}], "answer": 1}}, {"text": {"en": "b"}})"),
      "f.json");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  const auto again = lessons::lesson_from_json(lessons::to_json(*read), "again");
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_EQ(again->id, read->id);
  EXPECT_EQ(again->title, read->title);
  EXPECT_TRUE(again->steps == read->steps);
  EXPECT_TRUE(again->steps[0].view_keys.contains("layer")) << "a key with its default value is still said";
}

TEST(LessonFile, AnotherModelChangesWhatItNames) {
  const std::string file = R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2,
 "document": {"texts": ["x y"]}, "view": {"tab": "heads", "layer": 1},
 "steps": [{"text": {"en": "a"}, "names": {"W": 1, "V": 2}, "highlight": ["chips"]},
           {"text": {"en": "b"}, "question": {"text": {"en": "q"}, "why": {"en": "w"}, "choices": [{"en": "1"}, {"en": "2"}], "answer": 0}}],
 "also": {"course": {"document": {"texts": ["the cat"]}, "view": {"layer": 2},
  "steps": [{"names": {"V": 3}}, {"text": {"en": "c"}, "question": null}]}}})";
  const auto own = lessons::lesson_from_json(file, "f.json"), other = lessons::lesson_from_json(file, "f.json", "course");
  ASSERT_TRUE(own.ok()) << own.error().sentence();
  ASSERT_TRUE(other.ok()) << other.error().sentence();
  EXPECT_EQ(own->also, std::vector<std::string>{"course"});
  EXPECT_EQ(own->steps[0].document.model, "sandbox");
  EXPECT_EQ(other->model, "course");
  EXPECT_EQ(other->steps[0].document.model, "course");
  EXPECT_EQ(other->steps[0].document.texts, std::vector<std::string>{"the cat"});
  EXPECT_EQ(other->steps[1].view.layer, 2);
  EXPECT_EQ(other->steps[0].text, own->steps[0].text);
  EXPECT_EQ(other->steps[0].highlight, own->steps[0].highlight);
  EXPECT_EQ(other->steps[0].names, (std::map<std::string, double>{{"V", 3}, {"W", 1}}));
  EXPECT_EQ(other->steps[1].text.at("en"), "c");
  EXPECT_TRUE(own->steps[1].question);
  EXPECT_FALSE(other->steps[1].question);
  const auto wrong = lessons::lesson_from_json(
      R"({"headlight_lesson": 1, "id": "t", "title": {"en": "T"}, "minutes": 2, "steps": [{"text": {"en": "a"}}],
 "also": {"course": {"steps": [{}, {}]}}})",
      "f.json", "course");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().sentence().find("also course"), std::string::npos) << wrong.error().sentence();
}

TEST(LessonFile, AByteOrderMarkIsSkipped) {
  const auto file = read_file(std::string(HEADLIGHT_TEST_DATA) + "/sessions/lesson.json");
  ASSERT_TRUE(file.ok());
  const std::filesystem::path path = testing::TempDir() + "headlight-marked-lesson-" + std::to_string(::getpid()) + ".json";
  ASSERT_TRUE(write_file(path, "\xEF\xBB\xBF" + *file).ok());
  const auto marked = lessons::load_lesson(path),
             plain = lessons::load_lesson(std::string(HEADLIGHT_TEST_DATA) + "/sessions/lesson.json");
  std::filesystem::remove(path);
  ASSERT_TRUE(marked.ok()) << marked.error().sentence();
  EXPECT_EQ(marked->title, plain->title);
  EXPECT_TRUE(marked->steps == plain->steps);
}

// tests/data/sessions/lesson.json was written when all fields of a view lay in one object (commit d07a209).
TEST(LessonFile, ALessonSavedBeforeOpensAsItWas) {
  const auto lesson = lessons::load_lesson(std::string(HEADLIGHT_TEST_DATA) + "/sessions/lesson.json");
  ASSERT_TRUE(lesson.ok()) << lesson.error().sentence();
  ASSERT_EQ(lesson->steps.size(), 3u);
  const lessons::Step &heads = lesson->steps[0], &masks = lesson->steps[1], &lab = lesson->steps[2];
  EXPECT_EQ(heads.view.own.of<views::heads::State>(), (views::heads::State{"arcs", "overlay", "entropy", "previous", 0.75}));
  EXPECT_EQ(heads.view.chosen_heads, (std::vector<HeadRef>{{0, 1}, {1, 2}}));
  EXPECT_EQ(heads.view.range, "row");
  EXPECT_TRUE(heads.view_keys.contains("walk.step")) << "said with its default value";
  EXPECT_EQ(masks.view.own.of<views::walk::State>(), (views::walk::State{"scores", "q"}));
  EXPECT_EQ(masks.view.own.of<views::masked::State>(), (views::masked::State{"cell", true, "difference", "shapes", 2}));
  EXPECT_EQ(masks.view.inspector, (InspectorState{"layer.1.q", {0, 2, 1, 3}}));
  EXPECT_EQ(lab.view.own.of<views::lab::State>().words, 120);
  EXPECT_EQ(lab.view.own.of<views::lab::State>().precisions, (std::vector<std::string>{"f32", "bf16"}));
  EXPECT_TRUE(lessons::shows(heads, heads.view));
  EXPECT_FALSE(lessons::shows(heads, masks.view));
  const auto again = lessons::lesson_from_json(lessons::to_json(*lesson), "again");
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_TRUE(again->steps == lesson->steps);
}

TEST(LessonFile, APersonsOwnLessonsJoinTheMenuAndABrokenOneIsNamed) {
  const test::ConfigurationFolder folder;
  ASSERT_TRUE(lessons::save_lesson(lessons::own_folder() / "mine.json",
                                   *lessons::lesson_from_json(file_with(R"({"text": {"en": "a"}})"), "t"))
                  .ok());
  ASSERT_TRUE(write_file(lessons::own_folder() / "broken.json", "{").ok());
  const auto found = lessons::all();
  ASSERT_EQ(found.errors.size(), 1u);
  EXPECT_NE(found.errors[0].sentence().find("broken.json"), std::string::npos);
  ASSERT_FALSE(found.lessons.empty());
  EXPECT_EQ(found.lessons.back()->id, "t");
  EXPECT_TRUE(found.lessons.back()->own);
}

struct LessonsPitch final : figures::TextMeasure {
  float width(std::string_view text, float size, figures::Font) const override {
    return 0.5f * size * static_cast<float>(text.size());
  }
  float line_height(float size, figures::Font) const override { return size * 1.3f; }
};

TEST(LessonProse, BreaksLinesWithinTheWidthAndNeverBeforeAChineseStop) {
  lessons::Run plain;
  plain.text = "a row of words that is far too long for one line，注意力把每个词元与其他每个词元相比较。词元";
  const auto& theme = figures::themes().entries().front();
  for (float width = 60; width < 400; width += 7) {
    const auto shown = lessons::prose({plain}, width, 16, theme.text, theme, LessonsPitch());
    std::string all;
    float y = -1;
    for (const auto& item : shown.figure.items) {
      const auto* text = std::get_if<figures::Text>(&item);
      ASSERT_TRUE(text);
      all += text->text;
      if (text->at.y > y) {
        EXPECT_FALSE(text->text.starts_with("。") || text->text.starts_with("，")) << width;
        EXPECT_EQ(text->at.x, 0);
      }
      y = text->at.y;
      if (text->at.x > 0) {
        EXPECT_LE(text->at.x + LessonsPitch().width(text->text, 16, figures::Font::words), width + 0.5f);
      }
    }
    std::string expected = plain.text;
    std::erase(expected, ' ');
    EXPECT_EQ(all, expected);
    EXPECT_GT(shown.figure.height, y);
  }
}

}  // namespace
}  // namespace headlight
