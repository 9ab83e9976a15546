#include "app/text/error_words.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace headlight {
namespace {

// A line with fewer bytes of its own text matches only if its places hold single words, or texts that other lines match.
constexpr std::size_t kLittle = 6;
constexpr std::size_t kMostRemembered = 512;
constexpr int kMostLooks = 500;  // lines tried for one sentence: a few milliseconds; our own sentences take less than thirty

// How the parts of a sentence are put together.
constexpr const char* kWhereWhat = "{}: {}";
constexpr const char* kWhatMend = "{}; {}";

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t place = text.find("{}");
    out.emplace_back(text.substr(0, place));
    if (place == std::string_view::npos) return out;
    text.remove_prefix(place + 2);
  }
}

bool is_single_word(std::string_view value) {
  for (std::size_t i = 0; i + 1 < value.size(); ++i)
    if (value[i] == ' ' && std::isalpha(static_cast<unsigned char>(value[i + 1]))) return false;
  return true;
}

// The lines of the current language, and recently translated sentences.
struct Memory {
  std::mutex mutex;
  const Language* of = nullptr;
  std::unique_ptr<ErrorLines> lines;
  std::map<std::string, std::string, std::less<>> said;
};
Memory& memory() {
  static Memory one;
  return one;
}

}  // namespace

ErrorLines::ErrorLines(const Language& language) : language_(language) {
  for (const std::string& english : language.error_texts()) {
    const char* const other = language.find(english);
    Line line{pieces_of(english), other ? other : english, 0};
    for (const std::string& piece : line.pieces) line.own += piece.size();
    if (line.own > 0 && line.pieces.size() > 1) lines_.push_back(std::move(line));
  }
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.own > b.own; });
}

std::optional<std::vector<std::string_view>> ErrorLines::values_of(const Line& line, std::string_view english) {
  const std::string &first = line.pieces.front(), &last = line.pieces.back();
  const std::size_t places = line.pieces.size() - 1;
  if (english.size() < line.own + places || !english.starts_with(first) || !english.ends_with(last)) return std::nullopt;
  std::string_view rest = english.substr(first.size(), english.size() - first.size() - last.size());
  std::vector<std::string_view> values;
  for (std::size_t i = 1; i < places; ++i) {
    const std::size_t at = rest.find(line.pieces[i], 1);
    if (at == std::string_view::npos) return std::nullopt;
    values.push_back(rest.substr(0, at));
    rest.remove_prefix(at + line.pieces[i].size());
  }
  if (rest.empty()) return std::nullopt;
  values.push_back(rest);
  return values;
}

std::optional<std::string> ErrorLines::by_line(std::string_view english, int& left) const {
  if (const char* const whole = language_.find(english)) return whole;
  if (--left < 0) return std::nullopt;
  for (const Line& line : lines_) {
    const auto values = values_of(line, english);
    if (!values) continue;
    std::vector<std::string> words;
    bool meant = true;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const std::string_view value = (*values)[i];
      const bool is_name = line.pieces[i].ends_with('\'') || line.pieces[i].ends_with('"');
      const auto said = is_name ? std::nullopt : say(value, left);
      meant = meant && (line.own >= kLittle || said || is_single_word(value));
      words.push_back(said.value_or(std::string(value)));
    }
    if (meant) return fill(line.other, words);
  }
  return std::nullopt;
}

std::optional<std::string> ErrorLines::with_where(std::string_view english, int& left) const {
  if (auto whole = by_line(english, left)) return whole;
  for (std::size_t at = english.find(": "); at != std::string_view::npos && left >= 0; at = english.find(": ", at + 1))
    if (const auto what = by_line(english.substr(at + 2), left)) {
      const std::string_view where = english.substr(0, at);
      return join(kWhereWhat, say(where, left).value_or(std::string(where)), *what);
    }
  return std::nullopt;
}

std::optional<std::string> ErrorLines::say(std::string_view english) const {
  int left = kMostLooks;
  auto said = say(english, left);
  return left < 0 ? std::nullopt : said;
}

std::optional<std::string> ErrorLines::say(std::string_view english, int& left) const {
  if (const char* const whole = language_.find(english)) return whole;
  for (std::size_t at = english.find("; "); at != std::string_view::npos && left >= 0; at = english.find("; ", at + 1)) {
    const auto mend = by_line(english.substr(at + 2), left);
    const auto what = mend ? with_where(english.substr(0, at), left) : std::nullopt;
    if (what) return join(kWhatMend, *what, *mend);
  }
  return with_where(english, left);
}

std::string ErrorLines::join(std::string_view with, const std::string& first, const std::string& second) const {
  const char* const own = language_.find(with);
  return fill(own ? own : with, {first, second});
}

std::string spoken(std::string_view sentence) {
  const Language* const language = spoken_language();
  if (!language || sentence.empty()) return std::string(sentence);
  Memory& known = memory();
  const std::lock_guard lock(known.mutex);
  if (known.of != language) {
    known.lines = std::make_unique<ErrorLines>(*language);
    known.said.clear();
    known.of = language;
  }
  if (const auto found = known.said.find(sentence); found != known.said.end()) return found->second;
  if (known.said.size() >= kMostRemembered) known.said.clear();
  std::string said = known.lines->say(sentence).value_or(std::string(sentence));
  known.said.emplace(sentence, said);
  return said;
}

std::string spoken(const Error& error) {
  if (!spoken_language()) return error.sentence();
  std::string out = spoken(error.what);
  if (!error.where.empty()) out = fill(tr(kWhereWhat), {spoken(error.where), out});
  if (!error.mend.empty()) out = fill(tr(kWhatMend), {out, spoken(error.mend)});
  return out;
}

std::string spoken_briefly(std::string_view sentence) {
  // Cut in English, a sentence that has a semicolon of its own would be one that no line makes.
  const std::string said = spoken(sentence);
  const std::string end = fill(tr(kWhatMend), {"", ""});
  return said.substr(0, end.empty() ? std::string::npos : said.find(end));
}

std::string spoken_in_window(const Error& error) {
  return error.where.starts_with("--") ? spoken(Error{error.kind, error.what, {}, error.mend}) : spoken(error);
}

}  // namespace headlight
