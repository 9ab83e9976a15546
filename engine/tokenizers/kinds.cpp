#include "engine/tokenizers/kinds.h"

#include <algorithm>

#include "engine/tokenizers/vocabulary.h"

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

std::vector<text::Normalizer> normalizers_for(const TrainingOptions& options) {
  if (!options.lowercase) return {};
  return {text::Normalizer::nfc, text::Normalizer::lowercase};
}

Result<std::vector<WordCount>> count_spans(std::string_view text, text::PreTokenizer pre_tokenizer,
                                           const std::vector<text::Normalizer>& normalizers,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           const CancelToken& cancel) {
  Counter counter;
  for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(text.size());) {
    if (cancel.cancelled()) return cancelled();
    const std::int64_t end = text::part_end(text, begin);
    const text::Normalized part =
        text::normalize(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), normalizers);
    const std::string_view normal = part.text();
    for (const text::Span& span : text::split(pre_tokenizer, normal))
      counter.add(normal.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)), 1);
    begin = end;
    if (progress) progress(begin, static_cast<std::int64_t>(text.size()));
  }
  return counter.take();
}

Result<std::vector<WordCount>> checked_corpus(const std::vector<WordCount>& corpus,
                                              const std::vector<text::Normalizer>& normalizers) {
  Counter counter;
  for (const WordCount& word : corpus) {
    if (word.count < 1)
      return invalid("the word '" + word.word + "' has the count " + std::to_string(word.count), "corpus", "counts begin at 1");
    const text::Normalized normal = text::normalize(word.word, normalizers);
    if (!normal.text().empty()) counter.add(normal.text(), word.count);
  }
  std::vector<WordCount> words = counter.take();
  if (words.empty()) return invalid("there are no words to train on", "corpus", "give a text with at least one word");
  return words;
}

Status check_vocabulary_size(const TrainingOptions& options, std::int64_t alphabet, const std::string& what) {
  const std::int64_t least = 4 + alphabet;
  const std::string asked = "a vocabulary of " + std::to_string(options.vocabulary_size) + " pieces";
  if (options.vocabulary_size < least)
    return usage_error(asked + " has no room for 4 special tokens and " + std::to_string(alphabet) + " " + what,
                       "vocabulary size", "ask for at least " + std::to_string(least));
  if (options.vocabulary_size > kMostPieces)
    return usage_error(asked + " is too large", "vocabulary size", "ask for at most " + std::to_string(kMostPieces));
  return {};
}

Status for_each_word(
    std::string_view input, const std::vector<text::Normalizer>& normalizers, const CancelToken& cancel,
    const std::function<void(std::string_view, const std::function<text::Span(std::int64_t, std::int64_t)>&)>& visit) {
  const auto size = static_cast<std::int64_t>(input.size());
  for (std::int64_t begin = 0; begin < size;) {
    if (cancel.cancelled()) return cancelled();
    const std::int64_t end = text::part_end(input, begin);
    const text::Normalized part =
        text::normalize(input.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), normalizers);
    const std::string_view normal = part.text();
    std::int64_t word_start = 0;
    const std::function<text::Span(std::int64_t, std::int64_t)> source = [&](std::int64_t from, std::int64_t to) {
      const text::Span span = part.source(word_start + from, word_start + to);
      return text::Span{begin + span.start, begin + span.end};
    };
    std::int64_t round = 0;
    for (const text::Span& word : text::split_words(normal)) {
      if (++round % 4096 == 0 && cancel.cancelled()) return cancelled();
      word_start = word.start;
      visit(normal.substr(static_cast<std::size_t>(word.start), static_cast<std::size_t>(word.end - word.start)), source);
    }
    begin = end;
  }
  return {};
}

void add_most_frequent(std::vector<WordCount> entries, const TrainingOptions& options, Vocabulary& vocabulary,
                       Training& training) {
  std::erase_if(entries, [&](const WordCount& entry) {
    return is_special_name(entry.word) || entry.count < options.min_pair_count || vocabulary.find(entry.word) >= 0;
  });
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

}  // namespace headlight::tokenizers
