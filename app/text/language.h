// The window's words in the person's language. English is written where it is used, tr("Export"); the other languages stand
// beside it in tables, a line a text, a column a language: assets/interface.tsv, and assets/errors.tsv for what errors say
// (error_words.h). A file languages/xx.tsv beside them or in the configuration folder, two columns, adds a language and may have
// lines of both. A text that a table lacks stays English.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// English to one other language, immutable.
class Language {
 public:
  virtual ~Language() = default;
  virtual const char* find(std::string_view english) const = 0;  // null: not in the table
  virtual std::vector<std::string> texts() const = 0;            // every English text it has
  virtual std::vector<std::string> error_texts() const = 0;      // those of them that errors are made of
};

struct LanguageName {
  std::string id, label;  // "zh", "中文"
};
// English, the table's columns, then the files of the folders.
std::vector<LanguageName> languages();
// Null for English. Errors: no such language, or a file with a line that is not two columns, by name and line.
Result<std::shared_ptr<const Language>> load_language(const std::string& id);
// The system's (LC_ALL, LC_MESSAGES, LANG) if there is a table for it, else "en".
std::string system_language();

// The one that tr() speaks from now on, process-wide; null: English. By the window, between frames.
void speak(std::shared_ptr<const Language> language);
// That one; null: English. It lives as long as the process.
const Language* spoken_language();

// The text in the spoken language; the pointer stays valid for the life of the process.
const char* tr(const char* english);
// For a text that stands in a table and is spoken where it is shown, by tr() of a variable.
constexpr const char* tr_later(const char* english) { return english; }
// "{} tokens in {} ms" with its places filled in order, {0} {1} in any order.
std::string fill(std::string_view text, std::initializer_list<std::string> values);
std::string fill(std::string_view text, std::span<const std::string> values);

}  // namespace headlight
