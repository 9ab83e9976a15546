#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

const Registry<Entry>& registry() {
  static const Registry<Entry> kinds("tokenizer", {characters_entry(), words_entry(), bpe_entry(), wordpiece_entry()});
  return kinds;
}

const Registry<Entry>& trainers() {
  static const Registry<Entry> kinds("tokenizer",
                                     {characters_entry(), words_entry(), bpe_entry(), wordpiece_entry(), unigram_entry()});
  return kinds;
}

}  // namespace headlight::tokenizers
