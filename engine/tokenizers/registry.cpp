// The four kinds, and the names by which a document means one of their vocabularies.
#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

#include "engine/core/files.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/tokenizer_file.h"
#include "engine/tokenizers/kinds.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kTrained = "trained:";

struct Opened {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Tokenizer>> published;  // by "trained:NAME"
  // By file, its time of change and its size: a vocabulary trained anew into the same folder is read anew.
  std::map<std::tuple<std::string, std::filesystem::file_time_type, std::uintmax_t>, std::shared_ptr<const Tokenizer>> loaded;
};
Opened& opened() {
  static Opened all;
  return all;
}

Result<std::shared_ptr<const Tokenizer>> load_folder(const std::filesystem::path& folder) {
  HL_ASSIGN(const std::string kind, read_tokenizer_kind(folder));
  const Entry* entry = registry().find(kind);
  if (!entry) {
    const Error error = registry().get(kind).error();
    return Error{ErrorKind::invalid, error.what, folder.string(), error.mend};
  }
  return entry->load(folder);
}

// The folder that `name` means; an error that lists what there is.
Result<std::filesystem::path> folder_of(const std::string& name) {
  std::error_code none;
  const auto holds = [&](const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "tokenizer.json", none) || std::filesystem::is_regular_file(folder, none);
  };
  const Entry* entry = registry().find(name);
  const bool bare = name.find('/') == std::string::npos && !name.empty() && name != "." && name != "..";
  if (bare) {
    auto assets = assets_folder();
    if (!assets && entry) return assets.error();
    if (assets) {
      const std::filesystem::path folder = *assets / "vocabularies" / (entry ? entry->bundled : name);
      if (holds(folder)) return folder;
      if (entry) return not_found("the bundled vocabulary is missing", folder.string(), "install Headlight's assets again");
    }
  }
  if (!name.empty() && holds(name)) return std::filesystem::path(name);
  if (std::filesystem::is_directory(name, none))
    return not_found("this folder has no tokenizer.json", name, "give one that `headlight train-tokenizer` wrote");
  std::string known;
  for (const std::string& bundled : bundled_names()) known += (known.empty() ? "" : ", ") + bundled;
  return not_found("there is no tokenizer '" + name + "'", {},
                   "known are " + known + "; or give a folder that holds a tokenizer.json");
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> kinds("tokenizer", {characters_entry(), words_entry(), bpe_entry(), wordpiece_entry()});
  return kinds;
}

Result<std::shared_ptr<const Tokenizer>> open(const std::string& name) {
  Opened& all = opened();
  if (name.starts_with(kTrained)) {
    std::lock_guard lock(all.mutex);
    if (const auto it = all.published.find(name); it != all.published.end()) return it->second;
    return not_found("there is no tokenizer '" + name + "'", {},
                     "it was trained in another run of the program: train it again or open its folder");
  }
  HL_ASSIGN(const std::filesystem::path folder, folder_of(name));
  std::error_code none;
  const std::filesystem::path file = std::filesystem::is_directory(folder, none) ? folder / "tokenizer.json" : folder;
  const auto key = std::tuple{std::filesystem::absolute(file, none).string(), std::filesystem::last_write_time(file, none),
                              std::filesystem::file_size(file, none)};
  std::lock_guard lock(all.mutex);
  if (const auto it = all.loaded.find(key); it != all.loaded.end()) return it->second;
  HL_ASSIGN(auto tokenizer, load_folder(folder));
  all.loaded[key] = tokenizer;
  return tokenizer;
}

std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const Entry& entry : registry().entries()) names.push_back(entry.id);
  const auto assets = assets_folder();
  if (!assets) return names;
  std::vector<std::string> others;
  std::error_code none;
  for (const auto& item : std::filesystem::directory_iterator(*assets / "vocabularies", none)) {
    const std::string name = item.path().filename().string();
    const bool meant =
        std::any_of(registry().entries().begin(), registry().entries().end(), [&](const Entry& e) { return e.bundled == name; });
    if (!meant && std::filesystem::exists(item.path() / "tokenizer.json", none)) others.push_back(name);
  }
  std::sort(others.begin(), others.end());
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

void publish(const std::string& name, std::shared_ptr<const Tokenizer> tokenizer) {
  Opened& all = opened();
  std::lock_guard lock(all.mutex);
  all.published[std::string(kTrained) + name] = std::move(tokenizer);
}

Measured measure(const Tokenizer& tokenizer, std::string_view text, const std::vector<Token>& tokens) {
  Measured measured;
  measured.tokens = static_cast<std::int64_t>(tokens.size());
  measured.bytes = static_cast<std::int64_t>(text.size());
  if (!tokens.empty()) measured.bytes_per_token = static_cast<double>(measured.bytes) / static_cast<double>(measured.tokens);
  std::map<std::string_view, bool> named;
  for (const Token& token : tokens) {
    if (token.start == token.end) continue;
    if (token.id == tokenizer.unknown_id()) {
      ++measured.unknown;
      const auto word = text.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start));
      if (named.emplace(word, true).second) measured.unknown_words.emplace_back(word);
    }
    // A continuation byte at an end means that a character was cut there (or that the text is no UTF-8).
    const auto inside = [&](std::int64_t at) {
      return at < measured.bytes && (static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0u) == 0x80;
    };
    if (inside(token.start) || inside(token.end)) ++measured.partial;
  }
  return measured;
}

Result<std::vector<WordCount>> parse_word_counts(std::string_view text, const std::string& where) {
  constexpr std::int64_t kMostCount = 1'000'000'000'000;  // so that products of counts stay exact
  std::vector<WordCount> words;
  std::map<std::string, std::size_t, std::less<>> places;
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++number;
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // a byte order mark
    if (line.empty()) continue;
    const std::string at = where + ":" + std::to_string(number);
    const std::string mend = "write a word, a tab and a whole number from 1, as \"hug\\t10\"";
    const std::size_t tab = line.rfind('\t');
    if (tab == std::string_view::npos) return invalid("there is no tab in this line", at, mend);
    const std::string_view word = line.substr(0, tab), digits = line.substr(tab + 1);
    if (word.empty()) return invalid("there is no word before the tab", at, mend);
    if (!text::is_valid_utf8(word)) return invalid("the word is not UTF-8", at, "save the file as UTF-8");
    std::int64_t count = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || rest != digits.data() + digits.size() || count < 1 || count > kMostCount)
      return invalid(
          "the count '" + (text::is_valid_utf8(digits) ? std::string(digits) : "?") + "' is not a whole number from 1 to 10^12",
          at, mend);
    const auto [it, added] = places.try_emplace(std::string(word), words.size());
    if (added) words.push_back({std::string(word), 0});
    words[it->second].count += count;
    if (words[it->second].count > kMostCount) return invalid("the counts of this word add up to more than 10^12", at, mend);
  }
  if (words.empty()) return invalid("there are no words in it", where, "give lines of a word, a tab and its count");
  return words;
}

}  // namespace headlight::tokenizers
