#include "app/text/language.h"

#include "app/text/spoken_id.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "app/files/configuration.h"
#include "app/text/view_words.h"
#include "engine/core/files.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"

namespace headlight {
namespace {

struct Table final : Language {
  explicit Table(std::string name) : id(std::move(name)) {}
  std::map<std::string, std::string, std::less<>> words;
  const char* find(std::string_view english) const override {
    const auto at = words.find(english);
    return at == words.end() ? nullptr : at->second.c_str();
  }
  std::vector<std::string> texts() const override {
    std::vector<std::string> out;
    for (const auto& [english, other] : words) out.push_back(english);
    return out;
  }
  const std::string id;
};

std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t tab = line.find('\t');
    out.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return out;
    line.remove_prefix(tab + 1);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

// The table's first line names the languages: "en<TAB>zh=中文<TAB>…".
LanguageName name_of(const std::string& column) {
  const std::size_t equals = column.find('=');
  return equals == std::string::npos ? LanguageName{column, column}
                                     : LanguageName{column.substr(0, equals), column.substr(equals + 1)};
}

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> out;
  if (const auto assets = assets_folder(); assets.ok()) out.push_back(assets.value() / "languages");
  out.push_back(configuration_path().parent_path() / "languages");
  return out;
}

// Adds the lines of a file to the table.
Status add_lines(Table& table, const std::filesystem::path& path, std::size_t column) {
  HL_ASSIGN(const std::string text, read_text_file(path));
  const auto lines = lines_of(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto columns = columns_of(lines[i]);
    if (columns.size() <= column)
      return invalid("this line lacks a column")
          .at("{}:{}", path.string(), i + 1)
          .mend("write the English text, a tab and its translation");
    if (!columns[column].empty()) table.words[columns[0]] = columns[column];
  }
  return {};
}

// Adds the texts of the views, in a language that the shipped table has.
void add_view_words(Table& table, const std::string& id) {
  for (const std::string& text : view_words()) {
    const auto lines = lines_of(text);
    const auto names = columns_of(lines[0]);
    for (std::size_t column = 1; column < names.size(); ++column) {
      if (name_of(names[column]).id != id) continue;
      for (const std::string_view line : std::span(lines).subspan(1))
        if (const auto columns = columns_of(line); columns.size() > column) table.words.emplace(columns[0], columns[column]);
    }
  }
}

Result<std::filesystem::path> shipped_table(const char* name) {
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  return assets / name;
}
constexpr const char* kInterface = "interface.tsv";
constexpr const char* kErrors = "errors.tsv";

// The column of a language according to the table's first line; 0: it has none.
std::size_t column_of(const std::filesystem::path& path, const std::string& id) {
  const auto text = read_text_file(path);
  const auto lines = text.ok() ? lines_of(text.value()) : std::vector<std::string_view>{};
  const auto columns = lines.empty() ? std::vector<std::string>{} : columns_of(lines[0]);
  for (std::size_t i = 1; i < columns.size(); ++i)
    if (name_of(columns[i]).id == id) return i;
  return 0;
}

// What tr() reads on every call. Tables of languages used before are kept, because pointers to their texts are still in use.
struct Spoken {
  std::atomic<const Language*> now{nullptr};
  std::mutex mutex;
  std::vector<std::shared_ptr<const Language>> kept;
};
Spoken& now_spoken() {
  static Spoken one;
  return one;
}

}  // namespace

std::vector<LanguageName> languages() {
  std::vector<LanguageName> out{{"en", "English"}};
  const auto add = [&](const LanguageName& name) {
    if (std::none_of(out.begin(), out.end(), [&](const LanguageName& other) { return other.id == name.id; })) out.push_back(name);
  };
  if (const auto table = shipped_table(kInterface); table.ok())
    if (const auto text = read_text_file(table.value()); text.ok()) {
      const auto lines = lines_of(text.value());
      if (!lines.empty())
        for (const std::string& column : columns_of(lines[0])) add(name_of(column));
    }
  for (const auto& folder : folders()) {
    std::error_code failed;
    std::vector<LanguageName> found;
    for (const auto& file : std::filesystem::directory_iterator(folder, failed)) {
      if (file.path().extension() != ".tsv") continue;
      const auto text = read_text_file(file.path());
      if (!text.ok()) continue;
      const auto lines = lines_of(text.value());
      const auto columns = lines.empty() ? std::vector<std::string>{} : columns_of(lines[0]);
      const std::string id = file.path().stem().string();
      found.push_back({id, columns.size() > 1 ? name_of(columns[1]).label : id});
    }
    sort_stably(found, [](const auto& a, const auto& b) { return a.id < b.id; });
    for (const LanguageName& name : found) add(name);
  }
  return out;
}

Result<std::shared_ptr<const Language>> load_language(const std::string& id) {
  if (id == "en") return std::shared_ptr<const Language>();
  auto table = std::make_shared<Table>(id);
  for (const auto& folder : folders()) {
    const std::filesystem::path own = folder / (id + ".tsv");
    if (!std::filesystem::exists(own)) continue;
    HL_TRY(add_lines(*table, own, 1));
    return std::shared_ptr<const Language>(std::move(table));
  }
  HL_ASSIGN(const std::filesystem::path path, shipped_table(kInterface));
  const std::size_t column = column_of(path, id);
  if (column == 0)
    return invalid("there is no language '{}'", id).at(path.string()).mend("choose another one, or write languages/{}.tsv", id);
  HL_TRY(add_lines(*table, path, column));
  add_view_words(*table, id);
  HL_ASSIGN(const std::filesystem::path errors, shipped_table(kErrors));
  if (const std::size_t of_errors = column_of(errors, id); of_errors > 0) HL_TRY(add_lines(*table, errors, of_errors));
  return std::shared_ptr<const Language>(std::move(table));
}

std::string system_language() {
  const auto there = languages();
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string id = std::string(value).substr(0, 2);
    for (const LanguageName& language : there)
      if (language.id == id) return id;
    return "en";
  }
  return "en";
}

void speak(std::shared_ptr<const Language> language) {
  Spoken& state = now_spoken();
  const std::lock_guard lock(state.mutex);
  state.now.store(language.get(), std::memory_order_release);
  if (language) state.kept.push_back(std::move(language));
}

std::string spoken_id() {
  const auto* const table = dynamic_cast<const Table*>(spoken_language());
  return table ? table->id : "en";
}

const Language* spoken_language() { return now_spoken().now.load(std::memory_order_acquire); }

const char* tr(const char* english) {
  const Language* language = spoken_language();
  const char* found = language ? language->find(english) : nullptr;
  return found ? found : english;
}

std::string fill(std::string_view text, std::initializer_list<std::string> values) {
  return fill(text, std::span<const std::string>(values.begin(), values.size()));
}

std::string fill(std::string_view text, std::span<const std::string> values) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos || close - i > 2) {
      out += text[i];
      continue;
    }
    const std::size_t which = close == i + 1 ? next++ : static_cast<std::size_t>(text[i + 1] - '0');
    if (which < values.size()) out += values[which];
    i = close;
  }
  return out;
}

}  // namespace headlight
