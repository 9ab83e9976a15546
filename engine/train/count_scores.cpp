#include "engine/train/count_scores.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headlight::train {
namespace {

using Pieces = std::vector<std::int32_t>;
constexpr std::size_t kFive = 5;

// Every label of a batch with the token before what it stands for, -1 where that is hidden or outside of the row. `restored`: in
// place of hidden tokens the true ones, and every token of a masked row counts as a label.
void for_each_label(const Batch& batch, Task task, std::int32_t mask, bool restored,
                    const std::function<void(std::int32_t before, std::int32_t label)>& use) {
  const Tensor& read = task == Task::pairs ? batch.targets : batch.ids;
  const std::int64_t width = read.dim(1);
  const auto& lengths = task == Task::pairs ? batch.target_lengths : batch.lengths;
  for (std::int64_t row = 0; row < read.dim(0); ++row) {
    const std::int32_t* const ids = read.data<std::int32_t>() + row * width;
    const std::int32_t* const labels = batch.labels.data<std::int32_t>() + row * width;
    const auto original = [&](std::int64_t i) { return restored && labels[i] >= 0 ? labels[i] : ids[i]; };
    for (std::int64_t i = 0; i < lengths[static_cast<std::size_t>(row)]; ++i) {
      if (task != Task::masked) {
        if (labels[i] >= 0) use(ids[i], labels[i]);
        continue;
      }
      if (!restored && labels[i] < 0) continue;
      const std::int32_t before = i > 0 ? original(i - 1) : -1;
      use(before == mask ? -1 : before, restored ? original(i) : labels[i]);
    }
  }
}

// The five most frequent of (piece, count), equally frequent ones by their ids.
Pieces most_frequent(std::vector<std::pair<std::int32_t, std::int64_t>> counts) {
  const std::size_t size = std::min(kFive, counts.size());
  std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(size), counts.end(),
                    [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  Pieces five;
  for (std::size_t i = 0; i < size; ++i) five.push_back(counts[i].first);
  return five;
}

}  // namespace

Result<CountScores> count_scores(const Data& data, Task task, const CancelToken& cancel) {
  const tokenizers::Tokenizer& tokenizer = task == Task::pairs ? *data.target_tokenizer() : *data.tokenizer();
  const std::int32_t mask = tokenizer.special(tokenizers::Role::mask);
  const auto pieces = static_cast<std::size_t>(tokenizer.vocabulary_size());
  std::vector<std::int64_t> single(pieces, 0);
  std::vector<std::unordered_map<std::int32_t, std::int64_t>> after(pieces);
  for (std::int64_t i = 0; i < data.training_batches(); ++i) {
    if (cancel.cancelled()) return cancelled();
    for_each_label(data.training(i), task, mask, true, [&](std::int32_t before, std::int32_t label) {
      ++single[static_cast<std::size_t>(label)];
      if (before >= 0) ++after[static_cast<std::size_t>(before)][label];
    });
  }
  std::vector<std::pair<std::int32_t, std::int64_t>> all;
  for (std::size_t id = 0; id < pieces; ++id) all.emplace_back(static_cast<std::int32_t>(id), single[id]);
  const Pieces unigram = most_frequent(std::move(all));
  std::vector<Pieces> bigram(pieces);
  for (std::size_t id = 0; id < pieces; ++id) bigram[id] = most_frequent({after[id].begin(), after[id].end()});

  std::array<std::int64_t, 4> right{};  // unigram first, five; bigram first, five
  CountScores scores;
  for (std::int64_t i = 0; i < data.held_out_batches(); ++i) {
    if (cancel.cancelled()) return cancelled();
    for_each_label(data.held_out(i), task, mask, false, [&](std::int32_t before, std::int32_t label) {
      ++scores.labels;
      const bool known = before >= 0 && !bigram[static_cast<std::size_t>(before)].empty();
      const Pieces& follows = known ? bigram[static_cast<std::size_t>(before)] : unigram;
      right[0] += unigram.front() == label;
      right[1] += std::count(unigram.begin(), unigram.end(), label);
      right[2] += follows.front() == label;
      right[3] += std::count(follows.begin(), follows.end(), label);
    });
  }
  const auto share = [&](std::int64_t count) {
    return scores.labels > 0 ? static_cast<double>(count) / static_cast<double>(scores.labels) : 0.0;
  };
  scores.unigram_first = share(right[0]);
  scores.unigram_five = share(right[1]);
  scores.bigram_first = share(right[2]);
  scores.bigram_five = share(right[3]);
  return scores;
}

}  // namespace headlight::train
