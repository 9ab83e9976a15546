#include "app/text/glossary.h"

#include <algorithm>
#include <cctype>

#include "app/text/spoken_id.h"
#include "engine/core/files.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

std::vector<std::string> parts_of(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ') || part.ends_with('\r')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char to_small(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Written with a capital letter behind its first character, as BPE and LayerNorm are: then capitals count.
bool is_abbreviation(std::string_view form) { return std::any_of(form.begin() + (form.empty() ? 0 : 1), form.end(), is_upper); }

// Letters, digits and what joins them: a term that goes on with one of them is part of another word.
bool joins(char32_t c) {
  return !text::is_ideograph(c) && (text::is_letter(c) || text::is_number(c) || text::is_mark(c) || c == U'_');
}

char32_t before(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  std::size_t begin = at - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  char32_t last = 0;
  text::for_each_code_point(text.substr(begin, at - begin), [&](std::int64_t, const text::CodePoint& c) { last = c.value; });
  return last;
}
char32_t behind(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  char32_t first = 0;
  bool any = false;
  text::for_each_code_point(text.substr(at, 4), [&](std::int64_t, const text::CodePoint& c) {
    if (!any) first = c.value;
    any = true;
  });
  return first;
}

std::size_t bytes_of(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

}  // namespace

Result<Glossary> Glossary::read(std::string_view text, const std::string& where, const std::string& language) {
  Glossary glossary;
  std::size_t term = 0, meaning = 1, number = 0;
  bool head = true;
  for (const std::string& line : parts_of(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> columns = parts_of(line, '\t');
    if (head) {
      head = false;
      for (std::size_t i = 0; i + 1 < columns.size(); ++i)
        if (columns[i] == "term " + language) {
          term = i;
          meaning = i + 1;
        }
      continue;
    }
    if (columns.size() <= meaning || columns[term].empty() || columns[meaning].empty())
      return invalid("this line lacks a column").at("{}:{}", where, number).mend("write a term, a tab and its meaning");
    Entry entry{parts_of(columns[term], ';'), columns[meaning]};
    for (const std::string& form : entry.forms) {
      std::string shown = form;
      if (!is_abbreviation(form)) std::transform(shown.begin(), shown.end(), shown.begin(), to_small);
      std::string key = form.substr(0, bytes_of(form.front()));
      key.front() = to_small(key.front());
      glossary.by_beginning_[key].push_back({std::move(shown), glossary.entries_.size()});
    }
    glossary.entries_.push_back(std::move(entry));
  }
  for (auto& [key, forms] : glossary.by_beginning_)
    sort_stably(forms, [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
  return glossary;
}

std::vector<Glossary::Found> Glossary::find(std::string_view text) const {
  std::vector<Found> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min(bytes_of(text[at]), text.size() - at);
    std::string key(text.substr(at, size));
    key.front() = to_small(key.front());
    const auto forms = by_beginning_.find(key);
    std::size_t end = at + size;
    if (forms != by_beginning_.end() && !joins(before(text, at))) {
      for (const Form& form : forms->second) {
        const std::string_view here = text.substr(at, form.text.size());
        const bool same = here.size() == form.text.size() &&
                          (is_abbreviation(form.text) ? here == form.text
                                                      : std::equal(here.begin(), here.end(), form.text.begin(),
                                                                   [](char a, char b) { return to_small(a) == b; }));
        if (!same || joins(behind(text, at + form.text.size()))) continue;
        // One ideograph alone is a word only where no other stands beside it.
        const bool alone = form.text.size() <= 4 && static_cast<unsigned char>(form.text.front()) >= 0xE0;
        if (alone && (text::is_ideograph(before(text, at)) || text::is_ideograph(behind(text, at + form.text.size())))) continue;
        end = at + form.text.size();
        found.push_back({at, end, form.entry});
        break;
      }
    }
    at = end;
  }
  return found;
}

const Glossary& glossary() {
  struct Loaded {
    std::string language;
    Glossary glossary;
  };
  static Loaded loaded;  // a single thread draws the window
  const std::string id = spoken_id();
  if (loaded.language == id) return loaded.glossary;
  loaded = {id, {}};
  if (const auto assets = assets_folder(); assets.ok())
    if (const auto text = read_text_file(*assets / "glossary.tsv"); text.ok())
      if (auto read = Glossary::read(*text, "glossary.tsv", id); read.ok()) loaded.glossary = std::move(read).value();
  return loaded.glossary;
}

}  // namespace headlight
