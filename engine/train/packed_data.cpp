// Running text: windows of a stream of tokens. An epoch reads every window once, in a seeded order and from a seeded place on, so
// that windows are cut elsewhere each time; the stream is a ring for that. What is left over at its end is shorter than a window.
#include <algorithm>

#include "engine/core/rng.h"
#include "engine/train/data_kinds.h"
#include "engine/train/permutation.h"
#include "engine/train/vocabulary_training.h"

namespace headlight::train {
namespace {

using tokenizers::Role;

// Which tokens of a window are asked for, and what stands in their places (Devlin et al. 2018, 3.1): [MASK] for 80% of them, a
// random piece for 10%, the token itself for 10%.
class Masking {
 public:
  Masking(const tokenizers::Tokenizer& tokenizer, std::uint64_t seed, const char* name, double share)
      : rng_(seed, name), share_(share), mask_(tokenizer.special(Role::mask)) {
    for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
      (tokenizer.vocabulary().is_special(id) ? special_ : pieces_).push_back(id);
  }

  bool is_special(std::int32_t id) const { return std::binary_search(special_.begin(), special_.end(), id); }
  bool chosen(std::uint64_t window, std::uint64_t position) const { return rng_.uniform(window, 4 * position) < share_; }
  std::uint64_t fallback(std::uint64_t window) const { return rng_.bits(window, 1); }
  std::int32_t shown(std::uint64_t window, std::uint64_t position, std::int32_t id) const {
    const double way = rng_.uniform(window, 4 * position + 2);
    if (way < 0.8) return mask_;
    return way < 0.9 ? pieces_[rng_.bits(window, 4 * position + 3) % pieces_.size()] : id;
  }

 private:
  Rng rng_;
  double share_;
  std::int32_t mask_;
  std::vector<std::int32_t> special_, pieces_;  // ascending
};

class PackedData final : public Data {
 public:
  PackedData(const Config& config, TokenizerPointer tokenizer, Encoded training, Encoded held_out)
      : masked_(config.task == Task::masked),
        length_(config.length),
        rows_(config.batch),
        seed_(config.seed),
        training_(std::move(training)),
        held_out_(std::move(held_out)),
        training_masking_(*tokenizer, config.seed, "masked tokens", config.masked_share),
        held_out_masking_(*tokenizer, 0, "masked tokens held out", config.masked_share),
        pad_(std::max(tokenizer->special(Role::pad), 0)),
        windows_(size_of(training_) / length_),
        held_out_windows_((size_of(held_out_) - 1 + length_ - 1) / length_) {
    tokenizer_ = std::move(tokenizer);
    sizes_.training_texts = static_cast<std::int64_t>(training_.begins.size()) - 1;
    sizes_.held_out_texts = static_cast<std::int64_t>(held_out_.begins.size()) - 1;
    sizes_.training_tokens = size_of(training_);
    sizes_.held_out_tokens = size_of(held_out_);
    for (const Encoded* part : {&training_, &held_out_})
      for (const std::int32_t id : part->ids) fingerprint_.add(static_cast<std::uint64_t>(id));
  }

  std::int64_t training_batches() const override { return (windows_ + rows_ - 1) / rows_; }
  std::int64_t held_out_batches() const override { return (held_out_windows_ + rows_ - 1) / rows_; }

  Batch training(std::int64_t index) const override {
    Rows rows = make_rows(rows_);
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::int64_t number = index * rows_ + row, epoch = number / windows_;
      const auto seeded = static_cast<std::uint64_t>(epoch);
      const std::int64_t window = Permutation(seed_, "windows", seeded, windows_).at(number % windows_);
      const auto offset =
          static_cast<std::int64_t>(Rng(seed_, "first window").bits(seeded, 0) % static_cast<std::uint64_t>(length_));
      read(training_, offset + window * length_, length_, training_masking_, static_cast<std::uint64_t>(number), rows);
    }
    return batch_of(rows);
  }

  Batch held_out(std::int64_t index) const override {
    const std::int64_t first = index * rows_, count = std::min(rows_, held_out_windows_ - first);
    Rows rows = make_rows(count);
    const Permutation order(0, "windows held out", 0, held_out_windows_);
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int64_t window = order.at(first + row), begin = window * length_;
      const std::int64_t size = std::min(length_, size_of(held_out_) - 1 - begin);
      read(held_out_, begin, size, held_out_masking_, static_cast<std::uint64_t>(window), rows);
    }
    return batch_of(rows);
  }

 private:
  struct Rows {
    std::vector<std::vector<std::int32_t>> ids, labels;
    std::int64_t labelled = 0, bytes = 0;
  };

  static std::int64_t size_of(const Encoded& text) { return static_cast<std::int64_t>(text.ids.size()); }
  static Rows make_rows(std::int64_t count) {
    Rows rows;
    rows.ids.reserve(static_cast<std::size_t>(count));
    rows.labels.reserve(static_cast<std::size_t>(count));
    return rows;
  }

  // One row: `size` tokens of the ring from `begin` on, each labelled by the next; or, masked, by itself where it is asked for.
  void read(const Encoded& text, std::int64_t begin, std::int64_t size, const Masking& masking, std::uint64_t window,
            Rows& rows) const {
    std::vector<std::int32_t>& ids = rows.ids.emplace_back(static_cast<std::size_t>(size));
    std::vector<std::int32_t>& labels = rows.labels.emplace_back(static_cast<std::size_t>(size), -1);
    const auto place = [&](std::int64_t i) { return static_cast<std::size_t>((begin + i) % size_of(text)); };
    const auto ask = [&](std::size_t i, std::size_t from) {
      labels[i] = text.ids[from];
      rows.bytes += text.bytes[from];
      ++rows.labelled;
    };
    for (std::int64_t i = 0; i < size; ++i) ids[static_cast<std::size_t>(i)] = text.ids[place(i)];
    if (!masked_) {
      for (std::int64_t i = 0; i < size; ++i) ask(static_cast<std::size_t>(i), place(i + 1));
      return;
    }
    const std::int64_t before = rows.labelled;
    const auto mask = [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      if (masking.is_special(ids[at])) return;
      ask(at, place(i));
      ids[at] = masking.shown(window, static_cast<std::uint64_t>(i), ids[at]);
    };
    for (std::int64_t i = 0; i < size; ++i)
      if (masking.chosen(window, static_cast<std::uint64_t>(i))) mask(i);
    if (rows.labelled == before)  // a row always asks for something
      mask(static_cast<std::int64_t>(masking.fallback(window) % static_cast<std::uint64_t>(size)));
  }

  Batch batch_of(const Rows& rows) const {
    Batch batch;
    std::int64_t longest = 0;
    for (const auto& row : rows.ids) {
      batch.lengths.push_back(static_cast<std::int64_t>(row.size()));
      longest = std::max(longest, batch.lengths.back());
    }
    batch.ids = padded(rows.ids, longest, pad_);
    batch.labels = padded(rows.labels, longest, -1).reshaped({batch.ids.count()});
    batch.labelled = rows.labelled;
    batch.bytes = rows.bytes;
    return batch;
  }

  bool masked_;
  std::int64_t length_, rows_;
  std::uint64_t seed_;
  Encoded training_, held_out_;
  Masking training_masking_, held_out_masking_;
  std::int32_t pad_;
  std::int64_t windows_, held_out_windows_;
};

}  // namespace

Result<std::shared_ptr<const Data>> packed_data(const Config& config, const Split<std::string>& texts, TokenizerPointer tokenizer,
                                                const std::string& where, const CancelToken& cancel) {
  const std::int32_t end = tokenizer->special(Role::end);
  const auto encode = [&](const std::vector<std::string>& part) {
    return encode_all(*tokenizer, {part.begin(), part.end()}, end, cancel);
  };
  HL_ASSIGN(Encoded training, encode(texts.training));
  HL_ASSIGN(Encoded held_out, encode(texts.held_out));
  if (static_cast<std::int64_t>(training.ids.size()) <= config.length)
    return invalid("the text has only {} tokens to train on, and a row has {}", training.ids.size(), config.length)
        .at(where)
        .mend("give more text, or make 'length' smaller");
  if (held_out.ids.size() < 2)
    return invalid("the held-out text is empty").at(where).mend("give more text, or make 'held_out' larger");
  return std::shared_ptr<const Data>(
      std::make_shared<PackedData>(config, std::move(tokenizer), std::move(training), std::move(held_out)));
}

}  // namespace headlight::train
