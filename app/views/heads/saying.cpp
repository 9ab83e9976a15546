#include "app/views/heads/saying.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::views::heads {
namespace {

constexpr std::int64_t kLongestLabel = 24;  // characters
constexpr double kLeastSecond = 0.15;       // of a row's second word, for it to be named
constexpr double kSpread = 0.2;             // below it no word stands out

std::string label_of(std::string_view bytes) {
  while (!bytes.empty() && bytes.front() == ' ') bytes.remove_prefix(1);
  while (!bytes.empty() && bytes.back() == ' ') bytes.remove_suffix(1);
  std::string label;
  std::int64_t count = 0;
  text::for_each_code_point(bytes, [&](std::int64_t at, const text::CodePoint& c) {
    if (++count <= kLongestLabel) label += bytes.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(c.length));
  });
  return text::display_text(label) + (count > kLongestLabel ? "…" : "");
}

// A sign that is no word stands in quotes: beside the sentence's own stops it would not be seen.
std::string quoted_sign(const std::string& label) {
  bool word = label.empty();
  text::for_each_code_point(label, [&](std::int64_t, const text::CodePoint& c) {
    word |= text::is_letter(c.value) || text::is_number(c.value) || text::is_ideograph(c.value);
  });
  return word ? label : "“" + label + "”";
}

// The parts of a text whose {0}, {1} stand for others.
Saying filled(std::string_view words, std::initializer_list<Saying> values) {
  Saying saying;
  while (!words.empty()) {
    const std::size_t at = std::min(words.find('{'), words.size());
    if (at > 0) saying.push_back({std::string(words.substr(0, at)), false});
    words.remove_prefix(at);
    if (words.size() < 3) break;
    const auto which = static_cast<std::size_t>(words[1] - '0');
    if (which < values.size()) {
      const Saying& value = *(values.begin() + static_cast<std::ptrdiff_t>(which));
      saying.insert(saying.end(), value.begin(), value.end());
    }
    words.remove_prefix(3);
  }
  return saying;
}
void append(Saying& saying, const Saying& more) { saying.insert(saying.end(), more.begin(), more.end()); }

// A row of the weights, read as words.
struct Looking {
  std::size_t row = 0;          // the word that looks, or that is written
  std::int64_t token = 0;       // the row of the weights
  std::vector<double> weights;  // of each word of the columns; -1: the mask leaves it none of its tokens
  double role = -1;             // on the cells of the role; -1: the row has none
  std::size_t strongest(bool but_first) const {
    std::size_t best = but_first ? 1 : 0;
    for (std::size_t c = best; c < weights.size(); ++c)
      if (weights[c] > weights[best]) best = c;
    return best;
  }
};

class SayingMaker {
 public:
  SayingMaker(const HeadMap& map, const SayingText& text, std::optional<HeadPattern> role) : map_(map), text_(text), role_(role) {
    if (role) cells_ = text.self ? pattern_rows(map, text.patterns) : cross_rows(map, text.patterns, {});
  }
  Saying make(int rows);

 private:
  void read_rows();
  std::vector<std::int64_t> cells_of_role(std::int64_t row) const;
  Saying name(const std::vector<TokenWord>& words, std::size_t at) const { return {{quoted_sign(words[at].label), true}}; }
  Saying say_most(std::int64_t count, bool first) const;
  Saying say_rows(std::vector<Looking> chosen, bool but_first) const;
  Saying say_row(const Looking& one, bool but_first, bool begins) const;
  std::int64_t count_most(bool first) const;

  const HeadMap& map_;
  const SayingText& text_;
  const std::optional<HeadPattern> role_;
  std::vector<PatternRow> cells_;
  std::vector<Looking> rows_;  // those with a choice
};

// The columns that the role is about at a row, of those that the mask leaves it.
std::vector<std::int64_t> SayingMaker::cells_of_role(std::int64_t row) const {
  for (const PatternRow& one : cells_)
    if (one.row == row && one.pattern == role_) return one.columns;
  return {};
}

void SayingMaker::read_rows() {
  for (std::size_t r = 0; r < text_.rows.size(); ++r) {
    const TokenWord& word = text_.rows[r];
    // A word looks from its last token, when all of it has been read; at the token before it, from its first one.
    std::int64_t token = role_ == HeadPattern::previous ? word.begin : word.end - 1;
    if (!text_.self) token = word.begin - 1;
    if (token < 0 || token >= map_.rows()) continue;
    Looking one{r, token, {}, -1};
    std::int64_t visible = 0;
    for (const TokenWord& column : text_.columns) {
      double sum = -1;
      for (std::int64_t j = column.begin; j < column.end; ++j)
        if (map_.sees(token, j)) sum = std::max(sum, 0.0) + map_(token, j);
      visible += sum >= 0;
      one.weights.push_back(sum);
    }
    if (visible < 2) continue;
    for (const std::int64_t j : cells_of_role(token)) one.role = std::max(one.role, 0.0) + map_(token, j);
    rows_.push_back(std::move(one));
  }
}

// How many rows look more at the first word, or at themselves, than at any other.
std::int64_t SayingMaker::count_most(bool first) const {
  return std::count_if(rows_.begin(), rows_.end(), [&](const Looking& one) {
    const std::size_t at = first ? 0 : one.row;
    if (one.row == 0 || at >= one.weights.size()) return false;
    for (std::size_t c = 0; c < one.weights.size(); ++c)
      if (c != at && one.weights[c] >= one.weights[at]) return false;
    return true;
  });
}

Saying SayingMaker::say_most(std::int64_t count, bool first) const {
  const Saying n{{std::to_string(count), false}}, all{{std::to_string(rows_.size()), false}};
  if (first) return filled(tr("{0} of {1} words look most at {2}, the first one."), {n, all, name(text_.columns, 0)});
  return filled(tr("{0} of {1} words look most at themselves."), {n, all});
}

Saying SayingMaker::say_row(const Looking& one, bool but_first, bool begins) const {
  const std::size_t best = one.strongest(but_first);
  std::size_t second = best;
  for (std::size_t c = but_first ? 1 : 0; c < one.weights.size(); ++c)
    if (c != best && (second == best || one.weights[c] > one.weights[second])) second = c;
  const auto called = [&](std::size_t c) -> Saying {
    if (text_.self && c == one.row) return {{tr("itself"), false}};
    return name(text_.columns, c);
  };
  Saying at = called(best);
  if (second != best && one.weights[second] >= kLeastSecond) at = filled(tr("{0} and {1}"), {at, called(second)});
  const char* words = text_.self ? (begins ? tr("{0} looks at {1}") : tr(", {0} at {1}"))
                                 : (begins ? tr("to write {0} it looks at {1}") : tr(", to write {0} at {1}"));
  return filled(words, {name(text_.rows, one.row), at});
}

Saying SayingMaker::say_rows(std::vector<Looking> chosen, bool but_first) const {
  const double most = chosen.front().weights[chosen.front().strongest(but_first)];
  if (most < kSpread) {
    const Looking& one = chosen.front();
    return filled(
        tr("it spreads its weight; the most that one word gets is {0}, from {1} to {2}."),
        {{{figures::cell_number(most), false}}, name(text_.rows, one.row), name(text_.columns, one.strongest(but_first))});
  }
  sort_stably(chosen, [](const Looking& a, const Looking& b) { return a.row < b.row; });
  Saying saying;
  for (const Looking& one : chosen)
    if (but_first && one.weights[0] > one.weights[one.strongest(true)] && saying.empty())
      saying = filled(tr("apart from {0}, the first one, "), {name(text_.columns, 0)});
  bool begins = true;
  for (const Looking& one : chosen) {
    append(saying, say_row(one, but_first, begins));
    begins = false;
  }
  saying.push_back({tr("."), false});
  return saying;
}

Saying SayingMaker::make(int rows) {
  read_rows();
  if (rows_.empty() || text_.columns.size() < 2) return {};
  const auto all = static_cast<std::int64_t>(rows_.size());
  Saying saying;
  const bool found = std::any_of(rows_.begin(), rows_.end(), [](const Looking& one) { return one.role >= 0; });
  const bool of_first = !role_ || *role_ == HeadPattern::first;
  if (role_ && !found && words_of(*role_).missing) saying.push_back({tr(words_of(*role_).missing), false});
  if (text_.self || of_first)
    for (const bool first : {true, false})
      if (const std::int64_t count = count_most(first);
          all >= 3 && (first ? of_first : !role_) && (2 * count > all || (role_ && count > 0)))
        return say_most(count, first);
  // Rows that show the role; of a head without one, or of a sentence without its places, those that look hardest.
  const bool but_first = role_ && !of_first && *role_ != HeadPattern::alignment && text_.columns.size() > 2;
  std::vector<Looking> chosen;
  for (const Looking& one : rows_) {
    if (found && one.role < 0) continue;
    if (but_first && one.weights[one.strongest(true)] < 0) continue;
    chosen.push_back(one);
  }
  // Only where the role is not about the first word itself: the one before, or an adjective, may be the first.
  const auto passes_over = [&](const Looking& one) {
    if (!but_first) return false;
    const std::vector<std::int64_t> cells = cells_of_role(one.token);
    return std::none_of(cells.begin(), cells.end(), [&](std::int64_t j) { return j < text_.columns.front().end; });
  };
  if (std::any_of(chosen.begin(), chosen.end(), passes_over))
    std::erase_if(chosen, [&](const Looking& one) { return !passes_over(one); });
  if (chosen.empty()) return {};
  const bool over = passes_over(chosen.front());
  const auto strength = [&](const Looking& one) { return found ? one.role : one.weights[one.strongest(over)]; };
  sort_stably(chosen, [&](const Looking& a, const Looking& b) { return strength(a) > strength(b); });
  if (chosen.size() > static_cast<std::size_t>(std::max(1, rows))) chosen.resize(static_cast<std::size_t>(std::max(1, rows)));
  append(saying, say_rows(std::move(chosen), over));
  return saying;
}

}  // namespace

std::vector<TokenWord> words_of(const Sentence& sentence) {
  std::vector<TokenWord> words;
  std::vector<std::pair<std::int64_t, std::int64_t>> bytes;
  const auto part = [&](std::int64_t start, std::int64_t end) {
    const auto size = static_cast<std::int64_t>(sentence.text.size());
    start = std::clamp<std::int64_t>(start, 0, size);
    return std::string_view(sentence.text)
        .substr(static_cast<std::size_t>(start), static_cast<std::size_t>(std::clamp(end, start, size) - start));
  };
  const std::vector<bool> joins = joins_to_words(sentence);
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const tokenizers::Token& token = sentence.tokens[i];
    const auto at = static_cast<std::int64_t>(i);
    if (joins[i]) {
      words.back().end = at + 1;
      bytes.back().second = std::max(bytes.back().second, token.end);
    } else {
      words.push_back({{}, at, at + 1});
      bytes.emplace_back(token.start, token.end);
    }
  }
  std::vector<std::string> labels;
  for (std::size_t w = 0; w < words.size(); ++w) {
    std::string label = label_of(part(bytes[w].first, bytes[w].second));
    const auto first = static_cast<std::size_t>(words[w].begin);
    if (label.empty() && first < sentence.labels.size()) label = sentence.labels[first];
    labels.push_back(std::move(label));
  }
  labels = figures::numbered(std::move(labels));
  for (std::size_t w = 0; w < words.size(); ++w) words[w].label = std::move(labels[w]);
  return words;
}

std::string plain(const Saying& saying) {
  std::string text;
  for (const SayingPart& part : saying) text += part.text;
  return text;
}

Saying head_saying(const HeadMap& map, const SayingText& text, std::optional<HeadPattern> role, int rows) {
  return SayingMaker(map, text, role).make(rows);
}

}  // namespace headlight::views::heads
