#include "engine/tokenizers/models/piece_trie.h"

#include <algorithm>

namespace headlight::tokenizers {
namespace {

// The free places of the array as a ring, in which the last ones that were tried in vain come last.
class FreePlaces {
 public:
  void add(std::uint32_t place) {
    if (next_.size() <= place) {
      next_.resize(place + 1, kNone);
      previous_.resize(place + 1, kNone);
    }
    const std::uint32_t before = first_ == kNone ? place : previous_[first_];
    if (first_ == kNone) first_ = place;
    next_[place] = first_;
    previous_[place] = before;
    next_[before] = place;
    previous_[first_] = place;
  }
  void take(std::uint32_t place) {
    if (next_[place] == place) {
      first_ = kNone;
    } else {
      next_[previous_[place]] = next_[place];
      previous_[next_[place]] = previous_[place];
      if (first_ == place) first_ = next_[place];
    }
    next_[place] = kNone;
  }
  bool has(std::uint32_t place) const { return place < next_.size() && next_[place] != kNone; }
  bool any() const { return first_ != kNone; }
  std::uint32_t first() const { return first_; }
  void turn() { first_ = next_[first_]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t first_ = kNone;
  std::vector<std::uint32_t> next_, previous_;
};

constexpr int kMostTries = 24;  // before a block is added

// Equal texts behind each other are one, with the last id.
void drop_equal(std::vector<std::pair<std::string_view, std::int32_t>>& texts) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (i + 1 == texts.size() || texts[i].first != texts[i + 1].first) texts[kept++] = texts[i];
  texts.resize(kept);
}

}  // namespace

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> texts) : units_(256) {
  std::stable_sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  drop_equal(texts);
  FreePlaces free;
  for (std::uint32_t place = 1; place < 256; ++place) free.add(place);
  const auto base_for = [&](const std::vector<unsigned char>& labels) {
    for (int tries = 0; tries < kMostTries && free.any(); ++tries, free.turn()) {
      const std::uint32_t base = free.first() ^ labels.front();
      if (std::all_of(labels.begin(), labels.end(), [&](unsigned char label) { return free.has(base ^ label); })) return base;
    }
    const auto base = static_cast<std::uint32_t>(units_.size());
    units_.resize(units_.size() + 256);
    for (std::uint32_t place = base; place < base + 256; ++place) free.add(place);
    return base;
  };
  struct Range {
    std::size_t begin, end;  // of texts that begin alike
    std::size_t depth;       // in so many bytes
    std::uint32_t node;
  };
  std::vector<Range> open{{0, texts.size(), 0, 0}};
  std::vector<unsigned char> labels;
  std::vector<std::size_t> begins;
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    std::size_t begin = range.begin;
    for (; begin < range.end && texts[begin].first.size() == range.depth; ++begin)
      if (range.depth > 0) units_[range.node].id = texts[begin].second;
    if (range.depth > 0 && range.end - begin == 1) {
      units_[range.node].base = kRest + static_cast<std::uint32_t>(rests_.size());
      rests_.push_back({texts[begin].first.substr(range.depth), texts[begin].second});
      continue;
    }
    labels.clear();
    begins.clear();
    for (std::size_t i = begin; i < range.end; ++i) {
      const auto label = static_cast<unsigned char>(texts[i].first[range.depth]);
      if (!labels.empty() && labels.back() == label) continue;
      labels.push_back(label);
      begins.push_back(i);
    }
    if (labels.empty()) continue;
    begins.push_back(range.end);
    const std::uint32_t base = base_for(labels);
    units_[range.node].base = base;
    for (std::size_t i = labels.size(); i-- > 0;) {
      const std::uint32_t child = base ^ labels[i];
      free.take(child);
      units_[child].parent = range.node;
      open.push_back({begins[i], begins[i + 1], range.depth + 1, child});
    }
  }
}

}  // namespace headlight::tokenizers
