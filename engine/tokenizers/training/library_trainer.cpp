#include "engine/tokenizers/training/library_trainer.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "engine/tokenizers/models/pair_key.h"

namespace headlight::tokenizers {
namespace {

// A pair that waits for its turn: its count when it came, and the words in which it was new then.
struct Waiting {
  std::int64_t count = 0;
  std::uint64_t pair = 0;
  std::int32_t words = -1;                      // of LibraryTrainer::places_
  bool operator<(const Waiting& other) const {  // of equal counts the lower ids go first
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class LibraryTrainer {
 public:
  LibraryTrainer(const std::vector<SegmentedWord>& words, std::string prefix, const TrainingOptions& options,
                 Vocabulary& vocabulary)
      : prefix_(std::move(prefix)), options_(options), vocabulary_(vocabulary) {
    for (const SegmentedWord& word : words) {
      std::vector<std::int32_t> pieces;
      for (const std::int32_t id : word.pieces)
        if (id >= 0) pieces.push_back(id);
      const auto number = static_cast<std::int32_t>(words_.size());
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
        const std::uint64_t pair = pair_key(pieces[i], pieces[i + 1]);
        counts_[pair] += word.count;
        note(pair, number);
      }
      words_.push_back(std::move(pieces));
      weights_.push_back(word.count);
    }
    wait_for_noted();
  }

  Result<PairTraining> run(const CancelToken& cancel) {
    PairTraining training;
    const std::int64_t begun = vocabulary_.size();
    while (vocabulary_.size() < options_.vocabulary_size) {
      if (cancel.cancelled()) return cancelled();
      if (queue_.empty()) {
        training.ran_out_of_pairs = true;
        break;
      }
      Waiting top = queue_.top();
      queue_.pop();
      if (const std::int64_t now = counts_[top.pair]; now != top.count) {
        top.count = now;
        queue_.push(top);
        continue;
      }
      if (top.count < std::max<std::int64_t>(1, options_.min_pair_count)) {
        training.ran_out_of_pairs = true;
        break;
      }
      join(top, training);
      if (options_.progress) options_.progress(vocabulary_.size() - begun, options_.vocabulary_size - begun);
    }
    return training;
  }

 private:
  // Remembers that the pair is in the word, until wait_for_noted().
  void note(std::uint64_t pair, std::int32_t word) {
    const auto [it, added] = noted_.try_emplace(pair, static_cast<std::int32_t>(places_.size()));
    if (added) places_.emplace_back();
    std::vector<std::int32_t>& places = places_[static_cast<std::size_t>(it->second)];
    if (places.empty() || places.back() != word) places.push_back(word);
  }
  void wait_for_noted() {
    for (const auto& [pair, words] : noted_) {
      if (const std::int64_t count = counts_[pair]; count > 0)
        queue_.push({count, pair, words});
      else
        places_[static_cast<std::size_t>(words)] = {};
    }
    noted_.clear();
  }

  void join(const Waiting& top, PairTraining& training) {
    const auto left = static_cast<std::int32_t>(top.pair >> 32), right = static_cast<std::int32_t>(top.pair & 0xFFFFFFFFu);
    const std::string first = vocabulary_.piece(left);
    std::string second = vocabulary_.piece(right);
    if (!prefix_.empty() && second.starts_with(prefix_)) second.erase(0, prefix_.size());
    const std::string token = first + second;
    if (options_.record_steps) {
      TrainingStep step;
      step.step = static_cast<std::int64_t>(training.steps.size()) + 1;
      step.left = first, step.right = vocabulary_.piece(right), step.token = token;
      step.count = top.count, step.score = static_cast<double>(top.count);
      step.candidates = {{step.left, step.right, step.count, step.score}};
      training.steps.push_back(std::move(step));
    }
    const std::int32_t made = vocabulary_.add(token);
    training.merges.emplace_back(left, right);
    const std::vector<std::int32_t> words = std::exchange(places_[static_cast<std::size_t>(top.words)], {});
    for (const std::int32_t word : words) join_in(word, left, right, made);
    wait_for_noted();
  }

  // Joins every occurrence in one word, from the left, and counts its neighbours anew.
  void join_in(std::int32_t number, std::int32_t left, std::int32_t right, std::int32_t made) {
    std::vector<std::int32_t>& word = words_[static_cast<std::size_t>(number)];
    const std::int64_t weight = weights_[static_cast<std::size_t>(number)];
    const auto gain = [&](std::int32_t a, std::int32_t b) {
      counts_[pair_key(a, b)] += weight;
      note(pair_key(a, b), number);
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] != left || i + 1 >= word.size() || word[i + 1] != right) {
        word[kept++] = word[i];
        continue;
      }
      if (kept > 0) {
        counts_[pair_key(word[kept - 1], left)] -= weight;
        gain(word[kept - 1], made);
      }
      if (i + 2 < word.size()) {
        counts_[pair_key(right, word[i + 2])] -= weight;
        gain(made, word[i + 2]);
      }
      word[kept++] = made;
      ++i;
    }
    word.resize(kept);
  }

  std::string prefix_;
  const TrainingOptions& options_;
  Vocabulary& vocabulary_;
  std::vector<std::vector<std::int32_t>> words_;
  std::vector<std::int64_t> weights_;
  std::unordered_map<std::uint64_t, std::int64_t> counts_;
  std::unordered_map<std::uint64_t, std::int32_t> noted_;
  std::vector<std::vector<std::int32_t>> places_;
  std::priority_queue<Waiting> queue_;
};

}  // namespace

Result<PairTraining> train_as_library(const std::vector<SegmentedWord>& words, const std::string& prefix,
                                      const TrainingOptions& options, Vocabulary& vocabulary, const CancelToken& cancel) {
  if (cancel.cancelled()) return cancelled();
  return LibraryTrainer(words, prefix, options, vocabulary).run(cancel);
}

}  // namespace headlight::tokenizers
