#include "engine/insight/word_lists.h"

#include <algorithm>

#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/text/span.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

struct Word {
  std::string text;  // in small letters
  text::Span span;   // bytes of the text
};

// Runs of letters, marks and digits.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  bool inside = false;
  text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& c) {
    const bool part = c.valid && (text::is_letter(c.value) || text::is_mark(c.value) || text::is_number(c.value));
    if (part && !inside) words.push_back({{}, {at, at}});
    if (part) {
      text::append_utf8(words.back().text, text::to_lower(c.value));
      words.back().span.end = at + c.length;
    }
    inside = part;
  });
  return words;
}

// Whether the text between two words has spaces alone, or commas too where those are allowed.
bool only_spaces(std::string_view between, bool commas) {
  bool only = !between.empty();
  text::for_each_code_point(between, [&](std::int64_t, const text::CodePoint& c) {
    only &= c.valid && (text::is_whitespace(c.value) || (commas && c.value == U','));
  });
  return only;
}

// Tokens that stand for some bytes of the span: [first, last).
std::pair<std::int64_t, std::int64_t> tokens_within(text::Span span, std::span<const tokenizers::Token> tokens) {
  std::int64_t first = -1, last = -1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (std::max(tokens[i].start, span.start) >= std::min(tokens[i].end, span.end)) continue;
    if (first < 0) first = static_cast<std::int64_t>(i);
    last = static_cast<std::int64_t>(i) + 1;
  }
  return {first, last};
}

}  // namespace

Result<WordLists> WordLists::read(std::string_view text, const std::string& where) {
  WordLists lists;
  std::unordered_set<std::string>* list = nullptr;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::string place = where + ":" + std::to_string(++number);
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (line.front() != ' ' && line.front() != '\t') {
      const std::size_t colon = std::min(line.find(':'), line.size());
      const std::string_view name = line.substr(0, colon);
      list = name == "adjective" ? &lists.adjectives_ : name == "noun" ? &lists.nouns_ : nullptr;
      if (!list || colon == line.size())
        return invalid("this line begins neither with 'adjective:' nor with 'noun:'")
            .at(place)
            .mend("begin a list with one of them, and what continues it with spaces");
      line.remove_prefix(colon + 1);
    }
    if (!list) return invalid("this line continues nothing").at(place).mend("begin a list with 'adjective:' or 'noun:'");
    for (std::size_t at; (at = line.find_first_not_of(" \t\r")) != std::string_view::npos;) {
      line.remove_prefix(at);
      const std::string given(line.substr(0, line.find_first_of(" \t\r")));
      line.remove_prefix(given.size());
      const std::vector<Word> word = words_of(given);
      if (word.size() != 1 || word[0].span != text::Span{0, static_cast<std::int64_t>(given.size())})
        return invalid("'{}' is no word", given).at(place).mend("write words of letters, with spaces between them");
      const auto& other = list == &lists.nouns_ ? lists.adjectives_ : lists.nouns_;
      if (other.contains(word[0].text)) return invalid("'{}' is in both lists", given).at(place).mend("leave it in one of them");
      list->insert(word[0].text);
    }
  }
  if (lists.adjectives_.empty()) return invalid("it has no adjectives").at(where).mend("add a line 'adjective: ...'");
  if (lists.nouns_.empty()) return invalid("it has no nouns").at(where).mend("add a line 'noun: ...'");
  return lists;
}

Result<WordLists> WordLists::open(const fs::path& path) {
  fs::path file = path;
  if (file.empty()) {
    HL_ASSIGN(const fs::path assets, assets_folder());
    file = assets / "words/english.txt";
  }
  HL_ASSIGN(const std::string text, read_text_file(file));
  return read(text, file.string());
}

std::vector<WordLists::Described> WordLists::described_nouns(std::string_view text,
                                                             std::span<const tokenizers::Token> tokens) const {
  std::vector<Described> all;
  std::vector<Word> run;  // of adjectives, up to the word before
  std::int64_t before = 0;
  for (const Word& word : words_of(text)) {
    if (tokens.empty() || word.span.start >= tokens.back().end) break;
    const std::string_view between =
        text.substr(static_cast<std::size_t>(before), static_cast<std::size_t>(word.span.start - before));
    before = word.span.end;
    const bool is_adjective = adjectives_.contains(word.text);
    if (!only_spaces(between, is_adjective)) run.clear();
    if (is_adjective) {
      run.push_back(word);
      continue;
    }
    const auto [first, last] = tokens_within(word.span, tokens);
    if (nouns_.contains(word.text) && !run.empty() && first >= 0 &&
        tokens[static_cast<std::size_t>(last - 1)].end >= word.span.end) {
      Described one{last - 1, {}};
      for (const Word& adjective : run) {
        const auto [begin, end] = tokens_within(adjective.span, tokens);
        for (std::int64_t i = begin; i >= 0 && i < std::min(end, first); ++i)
          if (one.adjectives.empty() || one.adjectives.back() < i) one.adjectives.push_back(i);
      }
      if (!one.adjectives.empty()) all.push_back(std::move(one));
    }
    run.clear();
  }
  return all;
}

}  // namespace headlight
