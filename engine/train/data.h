// Data: the batches that a training reads. A batch depends on its number, the configuration and the files alone, so that a
// resumed training reads on from the same place, on any machine and with any number of threads.
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
  Tensor ids;      // i32 [rows, length], the tokens that the model reads, of pairs the source; filled up with the padding id
  Tensor targets;  // i32 [rows, target length], of pairs the tokens that the decoder reads; else empty
  std::vector<std::int64_t> lengths, target_lengths;  // of each row, without its padding
  // i32 [rows * length], of pairs [rows * target length]: the id that each position should predict; -1: none.
  Tensor labels;
  std::int64_t labelled = 0;  // labels that are not -1
  std::int64_t bytes = 0;     // of the text that the labelled tokens stand for, for bits per byte
};

class Data {
 public:
  virtual ~Data() = default;

  // Batch `index` of the training, from 0. Every epoch has another order.
  virtual Batch training(std::int64_t index) const = 0;
  virtual std::int64_t training_batches() const = 0;  // in an epoch, rounded up; 0: no batch ever comes again
  // The held-out part, in an order in which the first few batches are as good a sample as any others. The last batch may have
  // fewer rows.
  virtual std::int64_t held_out_batches() const = 0;
  virtual Batch held_out(std::int64_t index) const = 0;

  const TokenizerPointer& tokenizer() const { return tokenizer_; }
  const TokenizerPointer& target_tokenizer() const { return target_tokenizer_; }  // of pairs; null otherwise
  // The sizes of the data, for the log and the model's card.
  struct Sizes {
    std::int64_t training_texts = 0, held_out_texts = 0;    // paragraphs or pairs
    std::int64_t training_tokens = 0, held_out_tokens = 0;  // labels of an epoch
    std::int64_t left_out = 0;                              // pairs that are too long for a row
  };
  const Sizes& sizes() const { return sizes_; }
  // Of all tokens: a checkpoint that was made with other files has another fingerprint.
  const Fingerprint& fingerprint() const { return fingerprint_; }

 protected:
  TokenizerPointer tokenizer_, target_tokenizer_;
  Sizes sizes_;
  Fingerprint fingerprint_;
};

// The folders of the files, and the tokenizers of an earlier start of the same training. Without tokenizers they are trained
// here, with the same result.
struct DataPlaces {
  std::string data_folder;    // of Corpus::files
  std::string config_folder;  // of GrammarText::file
  std::string where;          // the configuration, for errors
  TokenizerPointer tokenizer = nullptr, target_tokenizer = nullptr;
};
// Errors: files that are missing or cannot be read, no data, a part that is empty, a vocabulary larger than the text, cancelled.
// open_data(config, {"/data", "assets/models/course", "train.json"}): the batches of the training.
Result<std::shared_ptr<const Data>> open_data(const Config& config, const DataPlaces& places, const CancelToken& cancel = {});

// Saves the tokenizers as a stored model has them (stored_model.h): the first in `folder`, and the targets' own, if they have
// one, in its folder "target". tokenizers::open() reads both.
// save_tokenizers(*data, "out"): tokenizers::open("out") then gives data->tokenizer().
Status save_tokenizers(const Data& data, const std::string& folder);

}  // namespace headlight::train
