// By language: how many tokens a tokenizer needs for the same sentences in many languages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// The texts of one language, which say the same as those of the others.
struct LanguageTexts {
  std::string key, name;
  std::string script;                                 // "Latin", "kana, Han"; found from the letters
  std::vector<std::string> texts;                     // sentences or articles
  std::int64_t bytes = 0, characters = 0, words = 0;  // words: between spaces
};

struct LanguageTable {
  std::string name;                      // "parallel sentences", or the file's name
  std::vector<LanguageTexts> languages;  // each has as many texts as the first
  std::size_t base = 0;                  // English if it is there, else the first
};

// A table has a line a text: language, tab, text. With a heading, its columns "name" or "language", "key" or "code", and "text"
// count; without one, the first column is the language and the last the text. Lines that begin with '#' are remarks. Languages
// with fewer texts than the first one are left out. Errors: read_text_file's, and (invalid) a line without a tab, fewer than two
// languages. read_languages("") reads the sentences that come with the program.
Result<LanguageTable> read_languages(const std::filesystem::path& file);
// The same of a text: languages_in("en\ta b\nde\tc d\n", "table.tsv") has two languages of one text.
Result<LanguageTable> languages_in(std::string_view text, const std::string& where);

// The scripts of a text's letters, the most frequent first, those under a tenth left out; "" without letters.
// scripts_of("猫は") is "kana, Han".
std::string scripts_of(std::string_view text);

struct LanguageCount {
  std::int64_t tokens = 0, unknown = 0;
  std::vector<std::int64_t> of_text;  // tokens of each text
  // Of `room` tokens: how many texts fit, from the first on.
  std::int64_t fits(std::int64_t room) const;
  double unknown_share() const { return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0; }
};
// One for each language of the table. Each text is cut by itself, without special tokens. Errors: the tokenizer's, cancelled.
Result<std::vector<LanguageCount>> count_languages(const LanguageTable& table, const Tokenizer& tokenizer,
                                                   const CancelToken& cancel = {});
// How many times the tokens of the base a language needs: 2.32 for German and GPT-2, in the thirty articles of the Universal
// Declaration of Human Rights.
double times_base(const LanguageTable& table, const std::vector<LanguageCount>& counts, std::size_t language);

}  // namespace headlight::tokenizers
