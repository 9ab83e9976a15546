// Data: what a training reads, as batches. A batch depends on its number, the configuration and the files alone, so that a
// training that is resumed reads on where it stopped, on any machine and with any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/fingerprint.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/train/config.h"

namespace headlight::train {

using TokenizerPointer = std::shared_ptr<const tokenizers::Tokenizer>;

struct Batch {
  Tensor ids;      // i32 [rows, length] what the model reads, of pairs the source; filled up with the padding id
  Tensor targets;  // i32 [rows, target length] what the decoder reads, of pairs; else empty
  std::vector<std::int64_t> lengths, target_lengths;  // of each row, without what fills it up
  // i32 [rows * length], of pairs [rows * target length]: the id that each position is to predict; -1: none.
  Tensor labels;
  std::int64_t labelled = 0;  // labels that are not -1
  std::int64_t bytes = 0;     // of the text that the labelled tokens stand for, for bits per byte
};

class Data {
 public:
  virtual ~Data() = default;

  // Batch `index` of the training, from 0. After each epoch everything comes in another order.
  virtual Batch training(std::int64_t index) const = 0;
  virtual std::int64_t training_batches() const = 0;  // in an epoch, rounded up; 0: nothing ever comes again
  // What is held out, in an order that makes the first few batches as good a sample as any; the last may have fewer rows.
  virtual std::int64_t held_out_batches() const = 0;
  virtual Batch held_out(std::int64_t index) const = 0;

  const TokenizerPointer& tokenizer() const { return tokenizer_; }
  const TokenizerPointer& target_tokenizer() const { return target_tokenizer_; }  // of pairs; null otherwise
  // What was read, for the log and the model's card.
  struct Sizes {
    std::int64_t training_texts = 0, held_out_texts = 0;    // paragraphs or pairs
    std::int64_t training_tokens = 0, held_out_tokens = 0;  // labels of an epoch
    std::int64_t left_out = 0;                              // pairs that are too long for a row
  };
  const Sizes& sizes() const { return sizes_; }
  // Of all tokens: a checkpoint that was made with other files has another one.
  const Fingerprint& fingerprint() const { return fingerprint_; }

 protected:
  TokenizerPointer tokenizer_, target_tokenizer_;
  Sizes sizes_;
  Fingerprint fingerprint_;
};

// Where the files lie, and the tokenizers of an earlier start of the same training; without them they are trained here, which
// gives the same ones.
struct DataPlaces {
  std::string data_folder;    // of Corpus::files
  std::string config_folder;  // of GrammarText::file
  std::string where;          // the configuration, for errors
  TokenizerPointer tokenizer = nullptr, target_tokenizer = nullptr;
};
// Errors: files that are missing or cannot be read, no data, a split that leaves nothing, a vocabulary larger than the text,
// cancelled.
Result<std::shared_ptr<const Data>> open_data(const Config& config, const DataPlaces& places, const CancelToken& cancel = {});

// Saves the tokenizers as a stored model has them (stored_model.h): in `folder`, and that of the targets, where they have their
// own, in its folder "target". tokenizers::open() reads both.
Status save_tokenizers(const Data& data, const std::string& folder);

}  // namespace headlight::train
