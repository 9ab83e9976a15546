#include "engine/tokenizers/training/corpus.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

#include "engine/text/parts.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

// Keeps the order of first appearance.
class Counter {
 public:
  void add(std::string_view word, std::int64_t count) {
    if (const auto it = places_.find(word); it != places_.end()) {
      words_[it->second].count += count;
      return;
    }
    places_.emplace(std::string(word), words_.size());
    words_.push_back({std::string(word), count});
  }
  std::vector<WordCount> take() { return std::move(words_); }

 private:
  StringMap<std::size_t> places_;
  std::vector<WordCount> words_;
};

}  // namespace

std::vector<Choice> normalizers_for(const TrainingOptions& options) {
  if (!options.lowercase) return {};
  return {{"nfc", {}}, {"lowercase", {}}};
}

Result<std::vector<WordCount>> count_spans(std::string_view text, const std::string& splitter,
                                           const std::vector<Choice>& normalizers,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           const CancelToken& cancel) {
  HL_ASSIGN(const text::Normalizers before, text::make_normalizers(normalizers));
  HL_ASSIGN(const text::Splitters splitters, text::make_splitters({{splitter, {}}}));
  Counter counter;
  for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(text.size());) {
    if (cancel.cancelled()) return cancelled();
    const std::int64_t end = text::part_end(text, begin);
    const std::string_view part = text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const text::Split split = text::split(text::normalize(part, before), splitters);
    const std::string_view words = split.text.text();
    for (const text::Span& span : split.words)
      counter.add(words.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)), 1);
    begin = end;
    if (progress) progress(begin, static_cast<std::int64_t>(text.size()));
  }
  return counter.take();
}

Result<std::vector<WordCount>> count_stretches(std::string_view text,
                                               const std::function<void(std::int64_t, std::int64_t)>& progress,
                                               const CancelToken& cancel) {
  constexpr std::string_view kBreaks = " \t\n\v\f\r";
  Counter counter;
  std::string last;
  std::int64_t round = 0;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(kBreaks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBreaks, begin), text.size());
    const std::string_view stretch = text.substr(begin, end - begin);
    begin = end;
    while (begin < text.size() && text[begin] != '\n' && kBreaks.find(text[begin]) != std::string_view::npos) ++begin;
    if (begin < text.size() && text[begin] != '\n') {
      counter.add(stretch, 1);
    } else {
      last.assign(stretch) += '\n';
      counter.add(last, 1);
    }
    if (++round % 65536 != 0) continue;
    if (cancel.cancelled()) return cancelled();
    if (progress) progress(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(text.size()));
  }
  return counter.take();
}

Result<std::vector<WordCount>> checked_corpus(const std::vector<WordCount>& corpus, const std::vector<Choice>& normalizers) {
  HL_ASSIGN(const text::Normalizers before, text::make_normalizers(normalizers));
  Counter counter;
  for (const WordCount& word : corpus) {
    if (word.count < 1)
      return invalid("the word '{}' has the count {}", word.word, word.count).at("corpus").mend("counts begin at 1");
    const text::Normalized normal = text::normalize(word.word, before);
    if (!normal.text().empty()) counter.add(normal.text(), word.count);
  }
  std::vector<WordCount> words = counter.take();
  if (words.empty()) return invalid("there are no words to train on").at("corpus").mend("give a text with at least one word");
  return words;
}

Status check_vocabulary_size(const TrainingOptions& options, std::int64_t alphabet, const Message& what) {
  static_assert(kTrainedSpecials.size() == 4);  // as the sentence below says
  const std::int64_t least = 4 + alphabet;
  const Message asked("a vocabulary of {} pieces", options.vocabulary_size);
  if (options.vocabulary_size < least)
    return usage_error("{} has no room for 4 special tokens and {} {}", asked, alphabet, what)
        .at("vocabulary size")
        .mend("ask for at least {}", least);
  if (options.vocabulary_size > kMostPieces)
    return usage_error("{} is too large", asked).at("vocabulary size").mend("ask for at most {}", kMostPieces);
  return {};
}

void add_most_frequent(std::vector<WordCount> entries, const TrainingOptions& options, Vocabulary& vocabulary,
                       Training& training) {
  std::erase_if(entries,
                [&](const WordCount& entry) { return entry.count < options.min_pair_count || vocabulary.find(entry.word) >= 0; });
  std::stable_sort(entries.begin(), entries.end(), [](const WordCount& a, const WordCount& b) { return a.count > b.count; });
  std::size_t next = 0;
  for (; next < entries.size() && vocabulary.size() < options.vocabulary_size; ++next) {
    const WordCount& entry = entries[next];
    if (options.record_steps) {
      TrainingStep step;
      step.step = static_cast<std::int64_t>(next) + 1;
      step.left = entry.word, step.token = entry.word;
      step.count = entry.count, step.score = static_cast<double>(entry.count);
      for (std::size_t i = next; i < entries.size() && i - next < static_cast<std::size_t>(options.keep_candidates); ++i)
        step.candidates.push_back({entries[i].word, "", entries[i].count, static_cast<double>(entries[i].count)});
      training.steps.push_back(std::move(step));
    }
    vocabulary.add(entry.word);
  }
  training.ran_out_of_pairs = vocabulary.size() < options.vocabulary_size;
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
    if (line.empty()) continue;
    const std::string at = where + ":" + std::to_string(number);
    constexpr Phrase<0> mend = "write a word, a tab and a whole number from 1, as \"hug\\t10\"";
    const std::size_t tab = line.rfind('\t');
    if (tab == std::string_view::npos) return invalid("there is no tab in this line").at(at).mend(mend);
    const std::string_view word = line.substr(0, tab), digits = line.substr(tab + 1);
    if (word.empty()) return invalid("there is no word before the tab").at(at).mend(mend);
    if (!text::is_valid_utf8(word)) return invalid("the word is not UTF-8").at(at).mend("save the file as UTF-8");
    std::int64_t count = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || rest != digits.data() + digits.size() || count < 1 || count > kMostCount)
      return invalid("the count '{}' is not a whole number from 1 to 10^12", text::is_valid_utf8(digits) ? digits : "?")
          .at(at)
          .mend(mend);
    const auto [it, added] = places.try_emplace(std::string(word), words.size());
    if (added) words.push_back({std::string(word), 0});
    words[it->second].count += count;
    if (words[it->second].count > kMostCount)
      return invalid("the counts of this word add up to more than 10^12").at(at).mend(mend);
  }
  if (words.empty()) return invalid("there are no words in it").at(where).mend("give lines of a word, a tab and its count");
  return words;
}

}  // namespace headlight::tokenizers
