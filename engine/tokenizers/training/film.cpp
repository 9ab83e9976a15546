#include "engine/tokenizers/training/film.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "engine/text/byte_alphabet.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

constexpr const char* kInside = "##";  // WordPiece: not at the beginning of a word

// Joins every (left, right) in order; whether anything was joined.
bool join(std::vector<std::int32_t>& symbols, std::int32_t left, std::int32_t right, std::int32_t token) {
  std::size_t out = 0;
  bool any = false;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (i + 1 < symbols.size() && symbols[i] == left && symbols[i + 1] == right) {
      symbols[out++] = token;
      ++i;
      any = true;
    } else {
      symbols[out++] = symbols[i];
    }
  }
  symbols.resize(out);
  return any;
}

// The units that training began from: characters, each a piece of the alphabet (Training::words are written in it).
std::vector<std::string> first_symbols(const std::string& word, bool wordpiece) {
  std::vector<std::string> units;
  text::for_each_code_point(word, [&](std::int64_t start, const text::CodePoint& point) {
    const std::string unit = word.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(point.length));
    units.push_back((wordpiece && start > 0 ? kInside : "") + unit);
  });
  return units;
}

constexpr std::size_t kLongestNamed = 40;  // bytes: a run without spaces (Japanese, Thai) is no word to name

}  // namespace

Result<std::shared_ptr<const Film>> Film::of(std::shared_ptr<const Training> training, const std::string& kind, bool byte_level,
                                             const CancelToken& cancel) {
  auto film = std::make_shared<Film>();
  film->training_ = std::move(training);
  film->kind_ = kind;
  film->byte_level_ = byte_level;
  film->merges_ = kind == "bpe" || kind == "wordpiece";
  const Training& t = *film->training_;
  if (!film->merges_) return std::shared_ptr<const Film>(film);

  std::unordered_map<std::string, std::int32_t> ids;
  const auto id_of = [&](const std::string& name) {
    const auto [at, fresh] = ids.try_emplace(name, static_cast<std::int32_t>(film->names_.size()));
    if (fresh) film->names_.push_back(name);
    return at->second;
  };
  std::int64_t occurrences = 0, tokens = 0;
  for (const WordCount& word : t.words) {
    std::vector<std::int32_t> symbols;
    for (const std::string& unit : first_symbols(word.word, kind == "wordpiece")) symbols.push_back(id_of(unit));
    tokens += word.count * static_cast<std::int64_t>(symbols.size());
    occurrences += word.count;
    film->start_.push_back(std::move(symbols));
  }
  film->changes_.resize(t.words.size());
  std::vector<std::vector<std::int32_t>> now = film->start_;
  const auto mean = [&] { return occurrences ? static_cast<double>(tokens) / static_cast<double>(occurrences) : 0.0; };
  film->tokens_per_word_.push_back(mean());
  for (const TrainingStep& step : t.steps) {
    if (cancel.cancelled()) return cancelled();
    const Merge merge{id_of(step.left), id_of(step.right), id_of(step.token)};
    film->merge_list_.push_back(merge);
    for (std::size_t w = 0; w < now.size(); ++w) {
      const auto before = static_cast<std::int64_t>(now[w].size());
      if (before < 2 || !join(now[w], merge.left, merge.right, merge.token)) continue;
      film->changes_[w].push_back(static_cast<std::int64_t>(film->merge_list_.size()));
      tokens -= t.words[w].count * (before - static_cast<std::int64_t>(now[w].size()));
    }
    film->tokens_per_word_.push_back(mean());
  }
  return std::shared_ptr<const Film>(film);
}

std::vector<std::int32_t> Film::symbols_of(std::size_t word, std::int64_t step) const {
  std::vector<std::int32_t> symbols = start_[word];
  for (const std::int64_t change : changes_[word]) {
    if (change > step) break;
    const Merge& merge = merge_list_[static_cast<std::size_t>(change - 1)];
    join(symbols, merge.left, merge.right, merge.token);
  }
  return symbols;
}

std::vector<std::string> Film::symbols(std::int64_t index, std::int64_t step) const {
  std::vector<std::string> out;
  if (index < 0 || index >= static_cast<std::int64_t>(start_.size())) return out;
  for (const std::int32_t id : symbols_of(static_cast<std::size_t>(index), step))
    out.push_back(names_[static_cast<std::size_t>(id)]);
  return out;
}

std::vector<std::int64_t> Film::words_to_show(std::int64_t step, std::size_t most) const {
  const auto& words = training_->words;
  std::vector<std::int64_t> order(words.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const auto changed = [&](std::int64_t w) {
    return merges_ &&
           std::binary_search(changes_[static_cast<std::size_t>(w)].begin(), changes_[static_cast<std::size_t>(w)].end(), step);
  };
  const std::size_t keep = std::min(most, order.size());
  // A corpus that fits is shown whole, in its own order.
  if (order.size() <= most) return order;
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(), [&](std::int64_t a, std::int64_t b) {
        const bool in_a = changed(a), in_b = changed(b);
        if (in_a != in_b) return in_a;
        const std::int64_t count_a = words[static_cast<std::size_t>(a)].count, count_b = words[static_cast<std::size_t>(b)].count;
        return count_a != count_b ? count_a > count_b : a < b;
      });
  order.resize(keep);
  return order;
}

std::string Film::display(const std::string& symbol) const {
  return text::display_text(byte_level_ ? text::from_byte_pieces(symbol) : symbol);
}

std::int64_t Film::frequency(const std::string& symbol, std::int64_t step) const {
  const auto at = std::find(names_.begin(), names_.end(), symbol);
  if (at == names_.end()) return 0;
  const auto id = static_cast<std::int32_t>(at - names_.begin());
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < start_.size(); ++w) {
    const auto symbols = symbols_of(w, step);
    sum += training_->words[w].count * std::count(symbols.begin(), symbols.end(), id);
  }
  return sum;
}

Film::Reason Film::reason(std::int64_t step) const {
  if (step < 1 || step > steps()) return {};
  const TrainingStep& s = training_->steps[static_cast<std::size_t>(step - 1)];
  Reason reason;
  reason.chosen = display(merges_ ? s.left : s.token);
  reason.count = s.count;
  if (!merges_) return reason;
  reason.chosen += " + " + display(s.right);
  // A pair can occur twice in one word.
  std::int64_t found = 0;
  for (std::size_t w = 0; w < start_.size(); ++w) {
    if (!std::binary_search(changes_[w].begin(), changes_[w].end(), step)) continue;
    const auto joined =
        static_cast<std::int64_t>(symbols_of(w, step - 1).size()) - static_cast<std::int64_t>(symbols_of(w, step).size());
    found += joined * training_->words[w].count;
    reason.where.emplace_back(display(training_->words[w].word), joined * training_->words[w].count);
  }
  const bool nameable =
      reason.where.size() <= 4 && found == s.count &&
      std::all_of(reason.where.begin(), reason.where.end(), [](const auto& word) { return word.first.size() <= kLongestNamed; });
  if (!nameable) reason.where.clear();
  for (const auto& candidate : s.candidates)
    reason.tie = reason.tie || ((candidate.left != s.left || candidate.right != s.right) && candidate.score == s.score);
  if (kind_ == "wordpiece") {
    reason.score = s.score;
    reason.product = s.score > 0 ? static_cast<double>(s.count) / s.score : 0;
    const std::int64_t left = frequency(s.left, step - 1), right = frequency(s.right, step - 1);
    if (std::abs(static_cast<double>(left) * static_cast<double>(right) - reason.product) < 1e-6 * reason.product) {
      reason.left = left;
      reason.right = right;
    }
  }
  return reason;
}

}  // namespace headlight::tokenizers
