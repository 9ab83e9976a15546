#include "engine/tokenizers/by_language.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

// Unicode's blocks of letters, as far as they tell a reader which script it is.
struct Block {
  char32_t first, last;
  const char* script;
};
constexpr std::array kBlocks = {
    Block{0x41, 0x24F, "Latin"},       Block{0x250, 0x2AF, "Latin"},      Block{0x370, 0x3FF, "Greek"},
    Block{0x400, 0x52F, "Cyrillic"},   Block{0x530, 0x58F, "Armenian"},   Block{0x590, 0x5FF, "Hebrew"},
    Block{0x600, 0x6FF, "Arabic"},     Block{0x700, 0x74F, "Syriac"},     Block{0x750, 0x77F, "Arabic"},
    Block{0x780, 0x7BF, "Thaana"},     Block{0x7C0, 0x7FF, "N'Ko"},       Block{0x8A0, 0x8FF, "Arabic"},
    Block{0x900, 0x97F, "Devanagari"}, Block{0x980, 0x9FF, "Bengali"},    Block{0xA00, 0xA7F, "Gurmukhi"},
    Block{0xA80, 0xAFF, "Gujarati"},   Block{0xB00, 0xB7F, "Odia"},       Block{0xB80, 0xBFF, "Tamil"},
    Block{0xC00, 0xC7F, "Telugu"},     Block{0xC80, 0xCFF, "Kannada"},    Block{0xD00, 0xD7F, "Malayalam"},
    Block{0xD80, 0xDFF, "Sinhala"},    Block{0xE00, 0xE7F, "Thai"},       Block{0xE80, 0xEFF, "Lao"},
    Block{0xF00, 0xFFF, "Tibetan"},    Block{0x1000, 0x109F, "Myanmar"},  Block{0x10A0, 0x10FF, "Georgian"},
    Block{0x1100, 0x11FF, "Hangul"},   Block{0x1200, 0x139F, "Ethiopic"}, Block{0x13A0, 0x13FF, "Cherokee"},
    Block{0x1400, 0x167F, "Canadian"}, Block{0x1780, 0x17FF, "Khmer"},    Block{0x1800, 0x18AF, "Mongolian"},
    Block{0x1E00, 0x1EFF, "Latin"},    Block{0x1F00, 0x1FFF, "Greek"},    Block{0x2D00, 0x2D2F, "Georgian"},
    Block{0x2D30, 0x2D7F, "Tifinagh"}, Block{0x2D80, 0x2DDF, "Ethiopic"}, Block{0x3040, 0x30FF, "kana"},
    Block{0x3100, 0x312F, "Bopomofo"}, Block{0x3130, 0x318F, "Hangul"},   Block{0x31F0, 0x31FF, "kana"},
    Block{0x3400, 0x9FFF, "Han"},      Block{0xA000, 0xA4CF, "Yi"},       Block{0xA720, 0xA7FF, "Latin"},
    Block{0xA980, 0xA9DF, "Javanese"}, Block{0xAC00, 0xD7AF, "Hangul"},   Block{0xF900, 0xFAFF, "Han"},
    Block{0xFB50, 0xFDFF, "Arabic"},   Block{0xFE70, 0xFEFF, "Arabic"},   Block{0x1E900, 0x1E95F, "Adlam"},
    Block{0x20000, 0x3FFFF, "Han"},
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

struct Columns {
  std::size_t key = 0, name = 0, text = 1;
  bool heading = false;
};
// The columns by their heading; a line without the word "text" is none.
Columns columns_of(const std::vector<std::string>& first) {
  Columns columns;
  columns.text = first.size() - 1;
  columns.heading = std::ranges::find(first, "text") != first.end() || std::ranges::find(first, "sentence") != first.end();
  if (!columns.heading) return columns;
  const auto find = [&](std::initializer_list<const char*> names, std::size_t otherwise) {
    for (const char* name : names)
      if (const auto at = std::ranges::find(first, name); at != first.end()) return static_cast<std::size_t>(at - first.begin());
    return otherwise;
  };
  columns.text = find({"text", "sentence"}, columns.text);
  columns.name = find({"name", "language"}, 0);
  columns.key = find({"key", "code", "iso"}, columns.name);
  return columns;
}

void count_sizes(LanguageTexts& language) {
  std::string all;
  for (const std::string& text : language.texts) {
    language.bytes += static_cast<std::int64_t>(text.size());
    language.characters += text::count_code_points(text);
    bool inside = false;
    for (const char c : text) {
      language.words += c != ' ' && !inside;
      inside = c != ' ';
    }
    all += text;
  }
  language.script = scripts_of(all);
}

}  // namespace

std::string scripts_of(std::string_view text) {
  std::map<std::string_view, std::int64_t> counts;
  std::int64_t letters = 0;
  text::for_each_code_point(text, [&](std::int64_t, const text::CodePoint& point) {
    if (!point.valid || !(text::is_letter(point.value) || text::is_mark(point.value))) return;
    for (const Block& block : kBlocks)
      if (point.value >= block.first && point.value <= block.last) {
        ++counts[block.script];
        ++letters;
        return;
      }
  });
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [script, count] : counts)
    if (10 * count >= letters) order.emplace_back(-count, script);
  std::ranges::sort(order);
  std::string words;
  for (const auto& [count, script] : order) words += (words.empty() ? "" : ", ") + std::string(script);
  return words;
}

Result<LanguageTable> languages_in(std::string_view text, const std::string& where) {
  LanguageTable table;
  table.name = std::filesystem::path(where).filename().string();
  Columns columns;
  bool begun = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of_text(text)) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 2) return invalid("line {} has no tab", number).at(where).mend("a line is a language, a tab, and a text");
    if (!begun) {
      begun = true;
      columns = columns_of(fields);
      if (columns.heading) continue;
    }
    if (fields.size() <= std::max({columns.key, columns.name, columns.text}))
      return invalid("line {} has {} columns, fewer than the first", number, fields.size()).at(where);
    const std::string& key = fields[columns.key];
    auto at = std::ranges::find_if(table.languages, [&](const LanguageTexts& one) { return one.key == key; });
    if (at == table.languages.end()) {
      table.languages.push_back({key, fields[columns.name], {}, {}});
      at = table.languages.end() - 1;
    }
    at->texts.push_back(fields[columns.text]);
  }
  if (!table.languages.empty()) {
    const std::size_t texts = table.languages.front().texts.size();
    std::erase_if(table.languages, [&](const LanguageTexts& one) { return one.texts.size() != texts; });
  }
  if (table.languages.size() < 2)
    return invalid("there are fewer than two languages with as many texts as the first one")
        .at(where)
        .mend("a line is a language, a tab, and a text");
  for (std::size_t i = 0; i < table.languages.size(); ++i) {
    count_sizes(table.languages[i]);
    if (table.languages[i].name == "English" && table.languages[table.base].name != "English") table.base = i;
  }
  return table;
}

Result<LanguageTable> read_languages(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  if (file.empty()) {
    HL_ASSIGN(const std::filesystem::path assets, assets_folder());
    path = assets / "sentences" / "parallel.tsv";
  }
  HL_ASSIGN(const std::string text, read_text_file(path, kMostBytes));
  return languages_in(text, path.string());
}

std::int64_t LanguageCount::fits(std::int64_t room) const {
  std::int64_t texts = 0;
  for (const std::int64_t one : of_text) {
    if (one > room) break;
    room -= one;
    ++texts;
  }
  return texts;
}

Result<std::vector<LanguageCount>> count_languages(const LanguageTable& table, const Tokenizer& tokenizer,
                                                   const CancelToken& cancel) {
  std::vector<LanguageCount> counts;
  const std::int32_t unknown = tokenizer.unknown_id();
  for (const LanguageTexts& language : table.languages) {
    LanguageCount& count = counts.emplace_back();
    for (const std::string& text : language.texts) {
      HL_ASSIGN(const std::vector<std::int32_t> ids, tokenizer.encode_ids(text, cancel));
      count.of_text.push_back(static_cast<std::int64_t>(ids.size()));
      count.tokens += count.of_text.back();
      if (unknown >= 0) count.unknown += std::ranges::count(ids, unknown);
    }
  }
  return counts;
}

double times_base(const LanguageTable& table, const std::vector<LanguageCount>& counts, std::size_t language) {
  const std::int64_t base = counts[table.base].tokens;
  return base > 0 ? static_cast<double>(counts[language].tokens) / static_cast<double>(base) : 0;
}

}  // namespace headlight::tokenizers
