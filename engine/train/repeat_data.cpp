// Random sequences: a segment of random symbols again and again until the row is full. Its first pass cannot be predicted; after
// it, whoever finds the same symbols earlier in the row knows what comes next.
#include "engine/core/rng.h"
#include "engine/train/data_kinds.h"

namespace headlight::train {
namespace {

class RepeatData final : public Data {
 public:
  RepeatData(const Config& config, TokenizerPointer tokenizer)
      : repeat_(config.repeat),
        length_(config.length),
        rows_(config.batch),
        held_out_batches_(config.evaluate_batches),
        first_(tokenizer->vocabulary_size() - static_cast<std::int32_t>(config.repeat.symbols)),
        training_(config.seed, "sequences"),
        held_out_(config.seed, "sequences held out") {
    tokenizer_ = std::move(tokenizer);
    fingerprint_.add(config.seed).add(static_cast<std::uint64_t>(repeat_.symbols));
  }

  Batch training(std::int64_t index) const override { return draw(training_, index); }
  std::int64_t training_batches() const override { return 0; }
  std::int64_t held_out_batches() const override { return held_out_batches_; }
  Batch held_out(std::int64_t index) const override { return draw(held_out_, index); }

 private:
  Batch draw(const Rng& rng, std::int64_t index) const {
    Batch batch;
    batch.ids = Tensor(DType::i32, {rows_, length_}, {"batch", "position"});
    batch.labels = Tensor(DType::i32, {rows_ * length_});
    batch.lengths.assign(static_cast<std::size_t>(rows_), length_);
    const auto symbols = static_cast<std::uint64_t>(repeat_.symbols);
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto number = static_cast<std::uint64_t>(index * rows_ + row);
      const auto lengths = static_cast<std::uint64_t>(repeat_.longest - repeat_.shortest + 1);
      const std::int64_t segment = repeat_.shortest + static_cast<std::int64_t>(rng.bits(number, 0) % lengths);
      // Column 0 is the segment's length, column 1 + i its symbol i.
      const auto symbol = [&](std::int64_t i) {
        return first_ + static_cast<std::int32_t>(rng.bits(number, 1 + static_cast<std::uint64_t>(i % segment)) % symbols);
      };
      std::int32_t* const ids = batch.ids.data<std::int32_t>() + row * length_;
      std::int32_t* const labels = batch.labels.data<std::int32_t>() + row * length_;
      for (std::int64_t i = 0; i < length_; ++i) {
        ids[i] = symbol(i);
        // The first symbol that comes again is not foreseen either: nothing says that the segment has ended.
        const bool asked = repeat_.first_too || i >= segment;
        labels[i] = asked ? symbol(i + 1) : -1;
        if (!asked) continue;
        ++batch.labelled;
        batch.bytes += 1 + static_cast<std::int64_t>(tokenizer_->piece(labels[i]).size());  // with the space before it
      }
    }
    return batch;
  }

  RandomSequences repeat_;
  std::int64_t length_, rows_, held_out_batches_;
  std::int32_t first_;  // id of the first symbol
  Rng training_, held_out_;
};

}  // namespace

std::shared_ptr<const Data> repeat_data(const Config& config, TokenizerPointer tokenizer) {
  return std::make_shared<RepeatData>(config, std::move(tokenizer));
}

}  // namespace headlight::train
