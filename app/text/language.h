// The window's texts in the user's language. English is written where it is used, tr("Export"). Translations are in tables, one
// line per text and one column per language: assets/interface.tsv, and assets/errors.tsv for errors (error_words.h). A file
// languages/xx.tsv with two columns, beside them or in the configuration folder, adds a language and may have lines of both
// kinds. A text that a table lacks stays English.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// A table from English to one other language; immutable.
class Language {
 public:
  virtual ~Language() = default;
  virtual const char* find(std::string_view english) const = 0;  // null: not in the table
  virtual std::vector<std::string> texts() const = 0;            // every English text it has
};

struct LanguageName {
  std::string id, label;  // "zh", "中文"
};
// English, the columns of the table, then the files in the folders.
std::vector<LanguageName> languages();
// Null for English. Errors: no such language, or a file with a line that has not two columns (with its name and line number).
Result<std::shared_ptr<const Language>> load_language(const std::string& id);
// The system's language (LC_ALL, LC_MESSAGES, LANG) if there is a table for it, else "en".
std::string system_language();

// Sets the language that tr() uses from now on, for the whole process; null: English. Called by the window between frames.
void speak(std::shared_ptr<const Language> language);
// The current language; null: English. It lives as long as the process.
const Language* spoken_language();

// The text in the current language; the pointer stays valid as long as the process runs.
const char* tr(const char* english);
// Marks a text in a table that is translated when it is shown, by tr() of a variable.
constexpr const char* tr_later(const char* english) { return english; }
// Fills the places of "{} tokens in {} ms" in order; {0} {1} can be in any order.
std::string fill(std::string_view text, std::initializer_list<std::string> values);
std::string fill(std::string_view text, std::span<const std::string> values);

}  // namespace headlight
