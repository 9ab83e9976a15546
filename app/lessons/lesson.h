// A lesson: a file of steps. Each step is a state of the window (document, view) with a few sentences, marked parts, and perhaps
// a question. Lessons are in assets/lessons; a teacher's own are in lessons/ of the configuration folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view_state.h"
#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight::lessons {

// One text in several languages, by language id ("en", "zh"). A text may contain **bold** words, `formulas` and {places}, which
// are filled with live numbers (places.h); an empty line separates paragraphs.
using Texts = std::map<std::string, std::string>;
// The text in `language`, else in English, else in the first language; empty if there is no text.
// in_language({{"en", "mask"}, {"zh", "掩码"}}, "de") is "mask".
const std::string& in_language(const Texts& texts, const std::string& language);

struct Question {
  Texts text;
  std::vector<Texts> choices;  // two or more
  std::int64_t answer = 0;     // index of the right choice, from 0
  Texts why;
  bool operator==(const Question&) const = default;
};

// A tokenizer's training stopped at one step, for the film in the Tokens tab.
struct FilmAt {
  std::string corpus = "lecture";  // lecture, sample
  std::string kind = "bpe";
  std::int64_t vocabulary = 32;
  std::int64_t step = 0;
  bool operator==(const FilmAt&) const = default;
};

// One thing that an exercise asks for, as a condition over places: "weights[0, 4, 7, 5] >= 0.9", "removed = 1",
// "word(probabilities 0 4 *, 1) = 'cold'". The relations are >= <= > < = !=.
struct Condition {
  Texts what;        // the number in words
  std::string that;  // the condition
  bool operator==(const Condition&) const = default;
};
// The two places of a condition and the relation between them.
struct Relation {
  std::string left, sign, right;
};
// Error (invalid): no relation stands between two places.
// relation_of("tokens >= 5")->sign is ">=".
Result<Relation> relation_of(const std::string& condition);

// What the person is to reach, by whatever way; the step's text says it in words.
struct Exercise {
  std::vector<Condition> goal;  // all must hold
  // One state that reaches it: the file's part applied to the step.
  Texts text;
  Document document;
  ViewState view;
  std::set<std::string> view_keys;
  std::optional<FilmAt> training;
  bool operator==(const Exercise&) const = default;
};

struct Step {
  Texts text;
  Document document;                    // complete: the file's part applied to the default document
  ViewState view;                       // likewise; the person's own settings (personal_keys()) are kept
  std::set<std::string> view_keys;      // the fields that the file names: "layer", "heads.picture" (SavedField::path())
  std::vector<std::string> highlight;   // parts of the window (views::Parts), "cell:ROW,COLUMN", "row:N", "column:N"
  std::map<std::string, double> names;  // numbers that places may use by name
  std::optional<FilmAt> training;
  std::optional<Question> question;
  std::optional<Exercise> exercise;
  bool operator==(const Step&) const = default;
};

struct Lesson {
  static constexpr int kVersion = 1;
  std::string id;
  Texts title;
  std::int64_t minutes = 3;
  std::int64_t order = 1000;  // position in the menu
  std::vector<Step> steps;
  std::vector<std::string> also;  // other models that it can be played on: "smollm2"
  std::string model;              // the one of these that the steps are of; empty: the lesson's own
  std::filesystem::path path;     // the file that it was read from; empty: none
  bool own = false;               // the lesson is in the configuration folder
};

// The fields of a view that no lesson changes: theme, colours, sizes, and the lesson being played.
const std::set<std::string>& personal_keys();
// The step's view with the person's own fields.
// view_for(step, view).theme is view.theme.
ViewState view_for(const Step& step, const ViewState& person);
// The step as its exercise's solution leaves it, with the solution's text; the step itself if it has no exercise.
// solved_step(step).document is step.exercise->document.
Step solved_step(const Step& step);
// Whether `view` agrees with the step's file: in its tab and in the fields that the file names.
// shows(step, step.view) is true.
bool shows(const Step& step, const ViewState& view);

// Reads a lesson; with `model`, one of Lesson::also, its steps for that model, which must be here. Errors name `where`, the step
// (from 1), the key and the correction; unknown keys are errors. lesson_from_json(to_json(lesson), "mask.json") has the steps of
// `lesson`.
Result<Lesson> lesson_from_json(std::string_view json, const std::string& where, const std::string& model = {});
// Documents and views are written as their differences from the defaults. Reading the text gives the same lesson; what it has for
// other models is left out.
std::string to_json(const Lesson& lesson);
Result<Lesson> load_lesson(const std::filesystem::path& path, const std::string& model = {});
// save_lesson(own_folder() / "masks.json", lesson) writes one of the person's own lessons.
Status save_lesson(const std::filesystem::path& path, const Lesson& lesson);  // completely or not at all; creates the folder

struct Found {
  std::vector<std::shared_ptr<const Lesson>> lessons;  // in the menu's order; the person's own of two with the same id
  std::vector<Error> errors;                           // about files that are not lessons
};
// Reads both folders: assets/lessons and own_folder().
Found all();
std::filesystem::path own_folder();
// The letters, digits and dashes of a title: "Why scale?" -> "why-scale"; "lesson" if nothing is left.
std::string id_from(const std::string& title);

}  // namespace headlight::lessons
