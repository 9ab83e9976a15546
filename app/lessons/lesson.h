// A lesson: a file of steps, each a state of the window (document, view) with a few sentences, what to look at, and perhaps a
// question. Lessons lie in assets/lessons and, a teacher's own, in the configuration folder's lessons/.
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

// One text in several languages, by language id ("en", "zh"). A text may hold **bold** words, `formulas` and {places} that are
// filled with live numbers (places.h); an empty line divides paragraphs.
using Texts = std::map<std::string, std::string>;
// In `language`, else in English, else in the first there is; empty for no text at all.
const std::string& in_language(const Texts& texts, const std::string& language);

struct Question {
  Texts text;
  std::vector<Texts> choices;  // two or more
  std::int64_t answer = 0;     // the right one, from 0
  Texts why;
  bool operator==(const Question&) const = default;
};

// A tokenizer's training, stopped at one step: what the Tokens tab's film shows.
struct FilmAt {
  std::string corpus = "lecture";  // lecture, sample
  std::string kind = "bpe";
  std::int64_t vocabulary = 32;
  std::int64_t step = 0;
  bool operator==(const FilmAt&) const = default;
};

struct Step {
  Texts text;
  Document document;                    // whole: the file's part over the default document
  ViewState view;                       // likewise; what is the person's own (personal_keys()) stays the person's
  std::set<std::string> view_keys;      // the fields that the file names: "layer", "heads.picture" (SavedField::path())
  std::vector<std::string> highlight;   // parts of the window (panels::Parts), "cell:ROW,COLUMN", "row:N", "column:N"
  std::map<std::string, double> names;  // numbers that places may use by name
  std::optional<FilmAt> training;
  std::optional<Question> question;
  bool operator==(const Step&) const = default;
};

struct Lesson {
  static constexpr int kVersion = 1;
  std::string id;
  Texts title;
  std::int64_t minutes = 3;
  std::int64_t order = 1000;  // in the menu
  std::vector<Step> steps;
  std::filesystem::path path;  // where it was read; empty: nowhere yet
  bool own = false;            // lies in the configuration folder
};

// The fields of a view that no lesson changes: theme, colours, sizes, and which lesson is played.
const std::set<std::string>& personal_keys();
// The step's view with the person's own fields kept.
ViewState view_for(const Step& step, const ViewState& person);
// Whether `view` shows what the step's file says of it (its tab and the fields it names).
bool shows(const Step& step, const ViewState& view);

// Errors name `where`, the step (from 1), the key and the mend; unknown keys are refused.
Result<Lesson> lesson_from_json(std::string_view json, const std::string& where);
// Documents and views as their differences from the defaults. Reads back as the same lesson.
std::string to_json(const Lesson& lesson);
Result<Lesson> load_lesson(const std::filesystem::path& path);
Status save_lesson(const std::filesystem::path& path, const Lesson& lesson);  // whole or not at all; makes the folder

struct Found {
  std::vector<std::shared_ptr<const Lesson>> lessons;  // in order; of two with one id, the person's own
  std::vector<Error> errors;                           // of files that are no lessons
};
// Reads both folders.
Found all();
std::filesystem::path own_folder();
// Letters, digits and dashes of a title: "Why scale?" -> "why-scale"; "lesson" where nothing is left.
std::string id_from(const std::string& title);

}  // namespace headlight::lessons
