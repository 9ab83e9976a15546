// Letters and what becomes of them: copied, reversed, sorted, counted; or one word that is spelt again and again. The rows are
// made when they are asked for; held-out ones are drawn from another stream of random numbers.
#include <algorithm>
#include <array>

#include "engine/core/rng.h"
#include "engine/core/sorting.h"
#include "engine/tokenizers/kinds.h"
#include "engine/train/data_kinds.h"

namespace headlight::train {
namespace {

constexpr const char* kBecomes = "=";
using Ids = std::vector<std::int32_t>;

// The answer to these letters; ids are in the order of the alphabet.
Ids answer_to(Task task, Ids letters) {
  switch (task) {
    case Task::reverse: std::reverse(letters.begin(), letters.end()); return letters;
    case Task::sort: sort_stably(letters); return letters;
    case Task::majority: {
      sort_stably(letters);
      std::int32_t best = letters.front();
      std::ptrdiff_t most = 0;
      for (const std::int32_t one : letters)
        if (const auto count = std::count(letters.begin(), letters.end(), one); count > most) {
          most = count;
          best = one;
        }
      return {best};
    }
    default: return letters;
  }
}

// Rows of one length, made from their number.
class MadeUpData : public Data {
 public:
  MadeUpData(const Config& config, TokenizerPointer tokenizer)
      : task_(config.task),
        letters_(config.letters),
        length_(config.length),
        rows_(config.batch),
        held_out_batches_(config.evaluate_batches),
        training_(config.seed, "letters"),
        held_out_(config.seed, "letters held out") {
    tokenizer_ = std::move(tokenizer);
    fingerprint_.add(config.seed).add(static_cast<std::uint64_t>(tokenizer_->vocabulary_size()));
  }

  Batch training(std::int64_t index) const override { return draw(training_, index); }
  std::int64_t training_batches() const override { return 0; }
  std::int64_t held_out_batches() const override { return held_out_batches_; }
  Batch held_out(std::int64_t index) const override { return draw(held_out_, index); }

 protected:
  struct Row {
    Ids ids;
    std::size_t asked_from = 0;  // the place from which on the next token is asked for
    std::int32_t next = -1;      // behind the last token; -1: nothing is asked there
  };
  virtual Row row(const Rng& rng, std::uint64_t number) const = 0;

  Task task_;
  Letters letters_;
  std::int64_t length_;

 private:
  Batch draw(const Rng& rng, std::int64_t index) const {
    Batch batch;
    std::vector<Ids> rows;
    batch.labels = Tensor(DType::i32, {rows_ * length_});
    std::int32_t* labels = batch.labels.data<std::int32_t>();
    std::fill_n(labels, rows_ * length_, -1);
    for (std::int64_t r = 0; r < rows_; ++r, labels += length_) {
      Row made = row(rng, static_cast<std::uint64_t>(index * rows_ + r));
      for (std::size_t i = made.asked_from; i < made.ids.size(); ++i) {
        const std::int32_t label = i + 1 < made.ids.size() ? made.ids[i + 1] : made.next;
        if (label < 0) continue;
        labels[i] = label;
        ++batch.labelled;
        batch.bytes += 2;  // a letter, and the space before it
      }
      batch.lengths.push_back(length_);
      rows.push_back(std::move(made.ids));
    }
    batch.ids = padded(rows, length_, std::max(tokenizer_->special(tokenizers::Role::pad), 0));
    return batch;
  }

  std::int64_t rows_, held_out_batches_;
  Rng training_, held_out_;
};

class LetterData final : public MadeUpData {
 public:
  LetterData(const Config& config, TokenizerPointer tokenizer)
      : MadeUpData(config, std::move(tokenizer)),
        becomes_(tokenizer_->vocabulary().find_text(kBecomes)),
        first_(tokenizer_->vocabulary().find_text("a")) {}

 private:
  Row row(const Rng& rng, std::uint64_t number) const override {
    const auto lengths = static_cast<std::uint64_t>(letters_.longest - letters_.shortest + 1);
    const std::uint64_t count = static_cast<std::uint64_t>(letters_.shortest) + rng.bits(number, 0) % lengths;
    Row made;
    for (std::uint64_t i = 0; i < count; ++i)
      made.ids.push_back(first_ +
                         static_cast<std::int32_t>(rng.bits(number, 1 + i) % static_cast<std::uint64_t>(letters_.symbols)));
    const Ids answer = answer_to(task_, made.ids);
    made.asked_from = made.ids.size();
    made.ids.push_back(becomes_);
    made.ids.insert(made.ids.end(), answer.begin(), answer.end());
    return made;
  }
  std::int32_t becomes_, first_;
};

class SpellData final : public MadeUpData {
 public:
  SpellData(const Config& config, TokenizerPointer tokenizer) : MadeUpData(config, std::move(tokenizer)) {
    for (const char letter : letters_.word) word_.push_back(tokenizer_->vocabulary().find_text(std::string(1, letter)));
  }

 private:
  Row row(const Rng& rng, std::uint64_t number) const override {
    const auto begin = static_cast<std::size_t>(rng.bits(number, 0) % word_.size());
    Row made;
    const auto at = [&](std::size_t i) { return word_[(begin + i) % word_.size()]; };
    for (std::size_t i = 0; i < static_cast<std::size_t>(length_); ++i) made.ids.push_back(at(i));
    made.next = at(static_cast<std::size_t>(length_));
    return made;
  }
  Ids word_;
};

}  // namespace

std::shared_ptr<const Data> letter_data(const Config& config, TokenizerPointer tokenizer) {
  return std::make_shared<LetterData>(config, std::move(tokenizer));
}
std::shared_ptr<const Data> spell_data(const Config& config, TokenizerPointer tokenizer) {
  return std::make_shared<SpellData>(config, std::move(tokenizer));
}

Result<TokenizerPointer> letters_tokenizer(const Config& config) {
  tokenizers::Vocabulary vocabulary = tokenizers::Vocabulary::with_specials();
  if (config.task == Task::spell) {
    for (const char letter : config.letters.word) vocabulary.add(std::string(1, letter));
  } else {
    for (std::int64_t i = 0; i < config.letters.symbols; ++i) vocabulary.add(std::string(1, static_cast<char>('a' + i)));
    vocabulary.add(kBecomes);
  }
  return tokenizers::Tokenizer::make(tokenizers::plan_of("words", std::move(vocabulary)), "the letters");
}

}  // namespace headlight::train
