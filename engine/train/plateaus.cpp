#include "engine/train/plateaus.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headlight::train {
namespace {

constexpr std::int64_t kCounted = 100;  // training batches
constexpr std::int64_t kAsked = 20;     // held-out batches

std::int64_t symbols_of(const Config& config, const Data& data) {
  if (config.task == Task::repeat) return config.repeat.symbols;
  if (has_letters(config.task) && config.task != Task::spell) return config.letters.symbols;
  std::int64_t pieces = 0;
  for (std::int32_t id = 0; id < data.tokenizer()->vocabulary_size(); ++id)
    pieces += data.tokenizer()->vocabulary().is_special(id) ? 0 : 1;
  return pieces;
}

// Calls see(row of ids, place, label) for every label of a batch.
template <class See>
void each_label(const Batch& batch, See see) {
  const std::int64_t length = batch.ids.dim(1);
  const std::int32_t* const ids = batch.ids.data<std::int32_t>();
  const std::int32_t* const labels = batch.labels.data<std::int32_t>();
  for (std::int64_t i = 0; i < batch.labels.count(); ++i)
    if (labels[i] >= 0) see(ids + i / length * length, i % length, labels[i]);
}

// -ln of the label's share among the symbols that stood in the row before; with letters, before "=".
double surprise_in_row(const std::int32_t* ids, std::int64_t place, std::int32_t label, std::int32_t becomes) {
  std::int64_t all = 0, same = 0;
  for (std::int64_t i = 0; i <= place && ids[i] != becomes; ++i) {
    ++all;
    same += ids[i] == label ? 1 : 0;
  }
  return -std::log(static_cast<double>(std::max<std::int64_t>(same, 1)) / static_cast<double>(std::max<std::int64_t>(all, 1)));
}

struct Counts {
  explicit Counts(std::int64_t pieces) : single(static_cast<std::size_t>(pieces), 1), all(static_cast<double>(pieces)) {}
  std::vector<double> single;
  double all;
  std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
  std::map<std::int32_t, double> firsts;

  void add(std::int32_t before, std::int32_t label) {
    ++single[static_cast<std::size_t>(label)];
    ++all;
    ++pairs[{before, label}];
    ++firsts[before];
  }
  double share(std::int32_t label) const { return single[static_cast<std::size_t>(label)] / all; }
  double share_behind(std::int32_t before, std::int32_t label) const {
    const auto pair = pairs.find({before, label});
    const auto first = firsts.find(before);
    const double seen = pair == pairs.end() ? 0 : pair->second, begun = first == firsts.end() ? 0 : first->second;
    return (seen + share(label)) / (begun + 1);
  }
};

}  // namespace

Result<std::vector<Plateau>> plateaus(const Config& config, const Data& data, const CancelToken& cancel) {
  const std::int64_t symbols = symbols_of(config, data);
  std::vector<Plateau> all{{Plateau::Knows::nothing, std::log(static_cast<double>(symbols)), symbols}};
  const bool in_row = is_made_up(config.task) && config.task != Task::majority && config.task != Task::spell;
  const std::int32_t becomes = has_letters(config.task) ? data.tokenizer()->vocabulary().find_text("=") : -1;
  Counts counts(data.tokenizer()->vocabulary_size());
  if (!in_row) {
    const std::int64_t epoch = data.training_batches();
    for (std::int64_t i = 0; i < (epoch > 0 ? std::min(epoch, kCounted) : kCounted); ++i) {
      if (cancel.cancelled()) return cancelled();
      each_label(data.training(i),
                 [&](const std::int32_t* ids, std::int64_t place, std::int32_t label) { counts.add(ids[place], label); });
    }
  }
  double row = 0, frequency = 0, pair = 0, labels = 0;
  for (std::int64_t i = 0; i < std::min(data.held_out_batches(), kAsked); ++i) {
    if (cancel.cancelled()) return cancelled();
    each_label(data.held_out(i), [&](const std::int32_t* ids, std::int64_t place, std::int32_t label) {
      ++labels;
      if (in_row) {
        row += surprise_in_row(ids, place, label, becomes);
      } else {
        frequency -= std::log(counts.share(label));
        pair -= std::log(counts.share_behind(ids[place], label));
      }
    });
  }
  if (labels == 0) return all;
  if (in_row) all.push_back({Plateau::Knows::row_symbols, row / labels, 0});
  if (!in_row) all.push_back({Plateau::Knows::frequencies, frequency / labels, 0});
  if (!in_row && config.task != Task::majority) all.push_back({Plateau::Knows::last_token, pair / labels, 0});
  return all;
}

}  // namespace headlight::train
