#include "engine/tokenizers/training/pair_trainer.h"

#include <algorithm>
#include <unordered_map>

#include "engine/tokenizers/models/pair_key.h"

namespace headlight::tokenizers {
namespace {

__extension__ using Wide = unsigned __int128;  // products of counts, exact

// One kind of pair of neighbours. `count`, `divisor` and `first` are the key under which it lies in the heap.
struct Pair {
  std::int32_t left = 0, right = 0;
  std::int64_t live = 0;             // occurrences now, weighted by the words' counts
  std::int64_t count = 0;            // the same when the key was last set
  Wide divisor = 1;                  // likelihood: count(left) * count(right)
  std::int64_t first = 0;            // first place in the corpus
  std::vector<std::int64_t> places;  // of the left piece; some may be outdated
  std::size_t front = 0;             // places before this one are outdated
  std::int64_t at = -1;              // in the heap; -1: not there
  bool sorted = true;
  bool changed = false;
  bool never = false;  // would make a special token's name
};

// The corpus as one row of pieces with links, so that joining two costs the same in a long word as in a short one.
class PairTrainer {
 public:
  PairTrainer(const std::vector<SegmentedWord>& words, PairRule rule, const TrainingOptions& options, Vocabulary& vocabulary)
      : rule_(rule), options_(options), vocabulary_(vocabulary), frequency_(static_cast<std::size_t>(vocabulary.size()), 0) {
    pairs_of_.resize(frequency_.size());
    for (const SegmentedWord& word : words) add_word(word);
    for (std::size_t i = 0; i < piece_.size(); ++i)
      if (next_[i] >= 0)
        count_up(piece_[i], piece_[static_cast<std::size_t>(next_[i])], static_cast<std::int64_t>(i), weight_[i]);
    settle();
  }

  Result<PairTraining> run(const CancelToken& cancel) {
    PairTraining training;
    const std::int64_t begun = vocabulary_.size();
    while (vocabulary_.size() < options_.vocabulary_size) {
      if (cancel.cancelled()) return cancelled();
      if (heap_.empty()) {
        training.ran_out_of_pairs = true;
        break;
      }
      const std::int32_t best = heap_[0];
      const std::string token = joined(pairs_[static_cast<std::size_t>(best)]);
      if (vocabulary_.is_special(vocabulary_.find(token))) {
        pairs_[static_cast<std::size_t>(best)].never = true;
        leave(best);
        continue;
      }
      if (options_.record_steps)
        training.steps.push_back(record(best, token, static_cast<std::int64_t>(training.steps.size()) + 1));
      training.merges.emplace_back(pairs_[static_cast<std::size_t>(best)].left, pairs_[static_cast<std::size_t>(best)].right);
      const std::int32_t made = vocabulary_.add(token);
      if (static_cast<std::size_t>(made) >= frequency_.size()) {
        frequency_.push_back(0);
        pairs_of_.emplace_back();
      }
      merge(best, made);
      settle();
      if (options_.progress) options_.progress(vocabulary_.size() - begun, options_.vocabulary_size - begun);
    }
    return training;
  }

 private:
  void add_word(const SegmentedWord& word) {
    std::int64_t before = -1;
    for (const std::int32_t id : word.pieces) {
      if (id < 0) {
        before = -1;
        continue;
      }
      const auto place = static_cast<std::int64_t>(piece_.size());
      piece_.push_back(id);
      weight_.push_back(word.count);
      previous_.push_back(before);
      next_.push_back(-1);
      if (before >= 0) next_[static_cast<std::size_t>(before)] = place;
      frequency_[static_cast<std::size_t>(id)] += word.count;
      before = place;
    }
  }

  std::int32_t pair_of(std::int32_t left, std::int32_t right) {
    const auto [it, added] = index_.try_emplace(pair_key(left, right), static_cast<std::int32_t>(pairs_.size()));
    if (added) {
      Pair& pair = pairs_.emplace_back();
      pair.left = left, pair.right = right;
      if (rule_ == PairRule::likelihood) {
        pairs_of_[static_cast<std::size_t>(left)].push_back(it->second);
        if (right != left) pairs_of_[static_cast<std::size_t>(right)].push_back(it->second);
      }
    }
    return it->second;
  }

  void note(std::int32_t index) {
    Pair& pair = pairs_[static_cast<std::size_t>(index)];
    if (pair.changed) return;
    pair.changed = true;
    changed_.push_back(index);
  }

  void count_up(std::int32_t left, std::int32_t right, std::int64_t place, std::int64_t weight) {
    const std::int32_t index = pair_of(left, right);
    Pair& pair = pairs_[static_cast<std::size_t>(index)];
    pair.live += weight;
    // A piece that two different pairs can make gets places out of order.
    if (!pair.places.empty() && pair.places.back() >= place) pair.sorted = false;
    pair.places.push_back(place);
    note(index);
  }

  void count_down(std::int32_t left, std::int32_t right, std::int64_t weight) {
    const std::int32_t index = pair_of(left, right);
    pairs_[static_cast<std::size_t>(index)].live -= weight;
    note(index);
  }

  bool stands_at(const Pair& pair, std::int64_t place) const {
    const auto p = static_cast<std::size_t>(place);
    return piece_[p] == pair.left && next_[p] >= 0 && piece_[static_cast<std::size_t>(next_[p])] == pair.right;
  }

  void sort_places(Pair& pair) {
    if (pair.sorted) return;
    pair.places.erase(pair.places.begin(), pair.places.begin() + static_cast<std::ptrdiff_t>(pair.front));
    pair.front = 0;
    std::sort(pair.places.begin(), pair.places.end());
    pair.places.erase(std::unique(pair.places.begin(), pair.places.end()), pair.places.end());
    pair.sorted = true;
  }

  // Joins every occurrence of the pair, from the left, and keeps all counts true.
  void merge(std::int32_t best, std::int32_t made) {
    const std::int32_t left = pairs_[static_cast<std::size_t>(best)].left, right = pairs_[static_cast<std::size_t>(best)].right;
    sort_places(pairs_[static_cast<std::size_t>(best)]);
    const std::vector<std::int64_t> places = std::move(pairs_[static_cast<std::size_t>(best)].places);
    pairs_[static_cast<std::size_t>(best)].places.clear();
    pairs_[static_cast<std::size_t>(best)].front = 0;
    for (const std::int64_t place : places) {
      if (!stands_at(pairs_[static_cast<std::size_t>(best)], place)) continue;
      const auto p = static_cast<std::size_t>(place);
      const auto q = static_cast<std::size_t>(next_[p]);
      const std::int64_t before = previous_[p], after = next_[q], weight = weight_[p];
      count_down(left, right, weight);
      if (before >= 0) count_down(piece_[static_cast<std::size_t>(before)], left, weight);
      if (after >= 0) count_down(right, piece_[static_cast<std::size_t>(after)], weight);
      piece_[p] = made;
      piece_[q] = -1;
      next_[p] = after;
      if (after >= 0) previous_[static_cast<std::size_t>(after)] = place;
      frequency_[static_cast<std::size_t>(left)] -= weight;
      frequency_[static_cast<std::size_t>(right)] -= weight;
      frequency_[static_cast<std::size_t>(made)] += weight;
      if (before >= 0) count_up(piece_[static_cast<std::size_t>(before)], made, before, weight);
      if (after >= 0) count_up(made, piece_[static_cast<std::size_t>(after)], place, weight);
    }
    if (rule_ == PairRule::likelihood)  // their parts' counts have changed, and so the scores
      for (const std::int32_t id : {left, right, made})
        for (const std::int32_t index : pairs_of_[static_cast<std::size_t>(id)])
          if (pairs_[static_cast<std::size_t>(index)].live > 0) note(index);
  }

  // Gives every changed pair its new key and its place in the heap.
  void settle() {
    for (const std::int32_t index : changed_) {
      Pair& pair = pairs_[static_cast<std::size_t>(index)];
      pair.changed = false;
      if (pair.live < std::max<std::int64_t>(1, options_.min_pair_count) || pair.never) {
        leave(index);
        if (pair.live == 0) pair.places = {}, pair.front = 0, pair.sorted = true;
        continue;
      }
      sort_places(pair);
      while (!stands_at(pair, pair.places[pair.front])) ++pair.front;
      pair.first = pair.places[pair.front];
      pair.count = pair.live;
      if (rule_ == PairRule::likelihood)
        pair.divisor = static_cast<Wide>(frequency_[static_cast<std::size_t>(pair.left)]) *
                       static_cast<Wide>(frequency_[static_cast<std::size_t>(pair.right)]);
      if (pair.at < 0) {
        pair.at = static_cast<std::int64_t>(heap_.size());
        heap_.push_back(index);
      }
      sink(raise(static_cast<std::size_t>(pair.at)));
    }
    changed_.clear();
  }

  // Exact: no rounding decides between equal scores.
  bool better(std::int32_t a, std::int32_t b) const {
    const Pair &x = pairs_[static_cast<std::size_t>(a)], &y = pairs_[static_cast<std::size_t>(b)];
    if (rule_ == PairRule::frequency) {
      if (x.count != y.count) return x.count > y.count;
    } else {
      const Wide p = static_cast<Wide>(x.count) * y.divisor, q = static_cast<Wide>(y.count) * x.divisor;
      if (p != q) return p > q;
    }
    return x.first < y.first;
  }

  void put(std::size_t at, std::int32_t index) {
    heap_[at] = index;
    pairs_[static_cast<std::size_t>(index)].at = static_cast<std::int64_t>(at);
  }
  std::size_t raise(std::size_t at) {
    const std::int32_t index = heap_[at];
    while (at > 0 && better(index, heap_[(at - 1) / 2])) {
      put(at, heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, index);
    return at;
  }
  void sink(std::size_t at) {
    const std::int32_t index = heap_[at];
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && better(heap_[child + 1], heap_[child])) ++child;
      if (!better(heap_[child], index)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, index);
  }
  void leave(std::int32_t index) {
    Pair& pair = pairs_[static_cast<std::size_t>(index)];
    if (pair.at < 0) return;
    const auto at = static_cast<std::size_t>(pair.at);
    pair.at = -1;
    const std::int32_t last = heap_.back();
    heap_.pop_back();
    if (last == index) return;
    put(at, last);
    sink(raise(at));
  }

  std::string joined(const Pair& pair) const {
    const std::string& left = vocabulary_.piece(pair.left);
    const std::string& right = vocabulary_.piece(pair.right);
    return left + (rule_ == PairRule::likelihood && right.starts_with("##") ? right.substr(2) : right);
  }

  double score(const Pair& pair) const {
    if (rule_ == PairRule::frequency) return static_cast<double>(pair.count);
    return static_cast<double>(pair.count) / static_cast<double>(pair.divisor);
  }

  TrainingStep record(std::int32_t best, const std::string& token, std::int64_t number) const {
    TrainingStep step;
    const Pair& pair = pairs_[static_cast<std::size_t>(best)];
    step.step = number;
    step.left = vocabulary_.piece(pair.left), step.right = vocabulary_.piece(pair.right);
    step.token = token;
    step.count = pair.count, step.score = score(pair);
    // The best of a heap without disturbing it: a node can only follow its parent.
    const auto worse = [&](std::size_t a, std::size_t b) { return better(heap_[b], heap_[a]); };
    std::vector<std::size_t> open{0};
    while (!open.empty() && static_cast<std::int64_t>(step.candidates.size()) < options_.keep_candidates) {
      std::pop_heap(open.begin(), open.end(), worse);
      const std::size_t at = open.back();
      open.pop_back();
      const Pair& candidate = pairs_[static_cast<std::size_t>(heap_[at])];
      step.candidates.push_back(
          {vocabulary_.piece(candidate.left), vocabulary_.piece(candidate.right), candidate.count, score(candidate)});
      for (const std::size_t child : {2 * at + 1, 2 * at + 2})
        if (child < heap_.size()) {
          open.push_back(child);
          std::push_heap(open.begin(), open.end(), worse);
        }
    }
    return step;
  }

  PairRule rule_;
  const TrainingOptions& options_;
  Vocabulary& vocabulary_;
  std::vector<std::int32_t> piece_;                  // by place; -1: joined to the one before
  std::vector<std::int64_t> weight_;                 // the count of the place's word
  std::vector<std::int64_t> previous_, next_;        // neighbouring places, -1: none
  std::vector<std::int64_t> frequency_;              // by piece
  std::vector<std::vector<std::int32_t>> pairs_of_;  // by piece, likelihood only: the pairs it is part of
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::int32_t> index_;
  std::vector<std::int32_t> heap_;  // of pairs, the best at the top
  std::vector<std::int32_t> changed_;
};

}  // namespace

Result<PairTraining> train_pairs(const std::vector<SegmentedWord>& words, PairRule rule, const TrainingOptions& options,
                                 Vocabulary& vocabulary, const CancelToken& cancel) {
  if (cancel.cancelled()) return cancelled();
  PairTrainer trainer(words, rule, options, vocabulary);
  return trainer.run(cancel);
}

}  // namespace headlight::tokenizers
