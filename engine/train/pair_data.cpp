// Pairs: a source that ends with the end token; a decoder that reads the begin token and the target, and predicts the target and
// the end token. A batch holds pairs of about the same lengths, so that little of it is filled up.
#include <algorithm>
#include <mutex>
#include <tuple>

#include "engine/core/rng.h"
#include "engine/core/sorting.h"
#include "engine/train/data_kinds.h"
#include "engine/train/permutation.h"
#include "engine/train/vocabulary_training.h"

namespace headlight::train {
namespace {

using tokenizers::Role;

constexpr std::int64_t kMultiple = 8;  // rows are filled up to a multiple of it, as far as Config::length allows

std::int64_t rounded_up(std::int64_t length) { return (length + kMultiple - 1) / kMultiple * kMultiple; }

// Pairs in tokens. Pair i is pair order[i] of the encoded texts, which are kept as they are.
struct Part {
  Encoded sources, targets;         // sources with the end token, targets with it too
  std::vector<std::int64_t> pairs;  // those that are short enough
  std::int64_t tokens = 0;          // labels

  std::int64_t source_length(std::int64_t pair) const { return length(sources, pair); }
  std::int64_t target_length(std::int64_t pair) const { return length(targets, pair); }
  static std::int64_t length(const Encoded& texts, std::int64_t pair) {
    const auto i = static_cast<std::size_t>(pair);
    return texts.begins[i + 1] - texts.begins[i];
  }
};

class PairData final : public Data {
 public:
  PairData(const Config& config, TokenizerPointer tokenizer, TokenizerPointer target_tokenizer, Part training, Part held_out)
      : rows_(config.batch),
        length_(config.length),
        seed_(config.seed),
        training_(std::move(training)),
        held_out_(std::move(held_out)),
        pad_(std::max(tokenizer->special(Role::pad), 0)),
        target_pad_(std::max(target_tokenizer->special(Role::pad), 0)),
        begin_(target_tokenizer->special(Role::begin)),
        held_out_order_(order_of(held_out_, 0, 0)) {
    tokenizer_ = std::move(tokenizer);
    target_tokenizer_ = std::move(target_tokenizer);
    sizes_.training_texts = static_cast<std::int64_t>(training_.pairs.size());
    sizes_.held_out_texts = static_cast<std::int64_t>(held_out_.pairs.size());
    sizes_.training_tokens = training_.tokens;
    sizes_.held_out_tokens = held_out_.tokens;
    for (const Part* part : {&training_, &held_out_}) {
      sizes_.left_out += static_cast<std::int64_t>(part->sources.begins.size() - 1 - part->pairs.size());
      for (const Encoded* texts : {&part->sources, &part->targets})
        for (const std::int32_t id : texts->ids) fingerprint_.add(static_cast<std::uint64_t>(id));
    }
  }

  std::int64_t training_batches() const override { return batches_of(training_); }
  std::int64_t held_out_batches() const override { return batches_of(held_out_); }

  Batch training(std::int64_t index) const override {
    const std::int64_t count = training_batches(), epoch = index / count;
    const auto seeded = static_cast<std::uint64_t>(epoch);
    const std::int64_t batch = Permutation(seed_, "batches", seeded, count).at(index % count);
    return batch_of(training_, *epoch_order(seeded), batch);
  }

  Batch held_out(std::int64_t index) const override {
    const std::int64_t batch = Permutation(0, "batches held out", 0, held_out_batches()).at(index);
    return batch_of(held_out_, held_out_order_, batch);
  }

 private:
  using Order = std::vector<std::int64_t>;

  std::int64_t batches_of(const Part& part) const { return (static_cast<std::int64_t>(part.pairs.size()) + rows_ - 1) / rows_; }

  // The pairs by rounded lengths; those of equal ones in an order that is drawn anew for every epoch.
  static Order order_of(const Part& part, std::uint64_t seed, std::uint64_t epoch) {
    using Place =
        std::tuple<std::int64_t, std::int64_t, std::uint64_t, std::int64_t>;  // lengths of target and source, draw, pair
    const Rng rng(seed, "pairs");
    std::vector<Place> places;
    places.reserve(part.pairs.size());
    for (const std::int64_t pair : part.pairs)
      places.emplace_back(rounded_up(part.target_length(pair)), rounded_up(part.source_length(pair)),
                          rng.bits(epoch, static_cast<std::uint64_t>(pair)), pair);
    sort_stably(places);
    Order order;
    order.reserve(places.size());
    for (const Place& place : places) order.push_back(std::get<3>(place));
    return order;
  }

  // An epoch's order is computed once and kept until another epoch is asked for.
  std::shared_ptr<const Order> epoch_order(std::uint64_t epoch) const {
    const std::lock_guard lock(mutex_);
    if (!order_ || order_epoch_ != epoch) {
      order_ = std::make_shared<const Order>(order_of(training_, seed_, epoch));
      order_epoch_ = epoch;
    }
    return order_;
  }

  Batch batch_of(const Part& part, const Order& order, std::int64_t number) const {
    const auto first = static_cast<std::size_t>(number * rows_);
    const std::size_t last = std::min(order.size(), first + static_cast<std::size_t>(rows_));
    std::vector<std::vector<std::int32_t>> sources, targets, labels;
    Batch batch;
    std::int64_t longest = 0, longest_target = 0;
    for (std::size_t i = first; i < last; ++i) {
      const auto row = [&](const Encoded& texts) {
        const auto pair = static_cast<std::size_t>(order[i]);
        return std::vector<std::int32_t>(texts.ids.begin() + texts.begins[pair], texts.ids.begin() + texts.begins[pair + 1]);
      };
      sources.push_back(row(part.sources));
      labels.push_back(row(part.targets));
      targets.push_back(labels.back());
      targets.back().insert(targets.back().begin(), begin_);
      targets.back().pop_back();  // the end token is predicted, not read
      batch.lengths.push_back(part.source_length(order[i]));
      batch.target_lengths.push_back(part.target_length(order[i]));
      longest = std::max(longest, batch.lengths.back());
      longest_target = std::max(longest_target, batch.target_lengths.back());
      batch.labelled += batch.target_lengths.back();
      const auto pair = static_cast<std::size_t>(order[i]);
      for (std::int64_t at = part.targets.begins[pair]; at < part.targets.begins[pair + 1]; ++at)
        batch.bytes += part.targets.bytes[static_cast<std::size_t>(at)];
    }
    // A trained table of positions has no row beyond the longest that a row may be.
    longest = std::min(rounded_up(longest), length_);
    longest_target = std::min(rounded_up(longest_target), length_);
    batch.ids = padded(sources, longest, pad_);
    batch.targets = padded(targets, longest_target, target_pad_);
    batch.labels = padded(labels, longest_target, -1).reshaped({batch.targets.count()});
    return batch;
  }

  std::int64_t rows_, length_;
  std::uint64_t seed_;
  Part training_, held_out_;
  std::int32_t pad_, target_pad_, begin_;
  Order held_out_order_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Order> order_;
  mutable std::uint64_t order_epoch_ = 0;
};

Result<Part> encode_part(const std::vector<TextPair>& pairs, const tokenizers::Tokenizer& tokenizer,
                         const tokenizers::Tokenizer& target_tokenizer, std::int64_t longest, const CancelToken& cancel) {
  std::vector<std::string_view> sources, targets;
  for (const auto& [source, target] : pairs) {
    sources.push_back(source);
    targets.push_back(target);
  }
  Part part;
  HL_ASSIGN(part.sources, encode_all(tokenizer, sources, tokenizer.special(Role::end), cancel));
  HL_ASSIGN(part.targets, encode_all(target_tokenizer, targets, target_tokenizer.special(Role::end), cancel));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(pairs.size()); ++i) {
    if (part.source_length(i) > longest || part.target_length(i) > longest) continue;
    part.pairs.push_back(i);
    part.tokens += part.target_length(i);
  }
  return part;
}

}  // namespace

Result<std::shared_ptr<const Data>> pair_data(const Config& config, const Split<TextPair>& pairs, TokenizerPointer tokenizer,
                                              TokenizerPointer target_tokenizer, const std::string& where,
                                              const CancelToken& cancel) {
  HL_ASSIGN(Part training, encode_part(pairs.training, *tokenizer, *target_tokenizer, config.length, cancel));
  HL_ASSIGN(Part held_out, encode_part(pairs.held_out, *tokenizer, *target_tokenizer, config.length, cancel));
  if (training.pairs.empty() || held_out.pairs.empty())
    return invalid(training.pairs.empty() ? Message("all pairs to train on are longer than {} tokens", config.length)
                                          : Message("all pairs that are held out are longer than {} tokens", config.length))
        .at(where)
        .mend("make 'length' larger");
  return std::shared_ptr<const Data>(std::make_shared<PairData>(config, std::move(tokenizer), std::move(target_tokenizer),
                                                                std::move(training), std::move(held_out)));
}

}  // namespace headlight::train
