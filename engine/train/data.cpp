#include "engine/train/data.h"

#include <algorithm>
#include <filesystem>

#include "engine/document/stored_model.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/train/corpus_files.h"
#include "engine/train/data_kinds.h"
#include "engine/train/vocabulary_training.h"

namespace headlight::train {
namespace {

using Texts = std::vector<std::string_view>;

// The texts that a vocabulary is trained on: the training's own, or those of its own corpus, of which the training's held-out
// part is left out likewise.
Result<TokenizerPointer> vocabulary(const VocabularyWanted& wanted, const Texts& own, const Config& config,
                                    const DataPlaces& places, const CancelToken& cancel) {
  const bool with_mask = config.task == Task::masked;
  if (wanted.corpus.empty()) return train_vocabulary(wanted, own, with_mask, places.where, cancel);
  HL_ASSIGN(const Split<std::string> texts, read_paragraphs(wanted.corpus, places.data_folder, config.held_out, places.where));
  return train_vocabulary(wanted, {texts.training.begin(), texts.training.end()}, with_mask, places.where, cancel);
}

Result<std::shared_ptr<const Data>> open_pairs(const Config& config, const DataPlaces& places, const CancelToken& cancel) {
  HL_ASSIGN(const Split<TextPair> pairs, read_pairs(config.corpus, places.data_folder, config.held_out, places.where));
  TokenizerPointer tokenizer = places.tokenizer, target_tokenizer = places.target_tokenizer;
  Texts sources, targets;
  for (const auto& [source, target] : pairs.training) {
    sources.push_back(source);
    targets.push_back(target);
  }
  if (config.one_tokenizer) sources.insert(sources.end(), targets.begin(), targets.end());
  if (!tokenizer) {
    HL_ASSIGN(tokenizer, vocabulary(config.tokenizer, sources, config, places, cancel));
  }
  if (config.one_tokenizer) {
    target_tokenizer = tokenizer;
  } else if (!target_tokenizer) {
    HL_ASSIGN(target_tokenizer, vocabulary(config.target_tokenizer, targets, config, places, cancel));
  }
  return pair_data(config, pairs, tokenizer, target_tokenizer, places.where, cancel);
}

Result<std::shared_ptr<const Data>> open_texts(const Config& config, const DataPlaces& places, const CancelToken& cancel) {
  HL_ASSIGN(const Split<std::string> texts, read_texts(config, places.data_folder, places.config_folder, places.where));
  TokenizerPointer tokenizer = places.tokenizer;
  if (!tokenizer) {
    HL_ASSIGN(tokenizer, vocabulary(config.tokenizer, {texts.training.begin(), texts.training.end()}, config, places, cancel));
  }
  return packed_data(config, texts, tokenizer, places.where, cancel);
}

}  // namespace

Tensor padded(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t length, std::int32_t pad) {
  Tensor tensor(DType::i32, {static_cast<std::int64_t>(rows.size()), length}, {"batch", "position"}, true);
  std::int32_t* out = tensor.data<std::int32_t>();
  for (const std::vector<std::int32_t>& row : rows) {
    std::fill(std::copy(row.begin(), row.end(), out), out + length, pad);
    out += length;
  }
  return tensor;
}

Result<std::shared_ptr<const Data>> open_data(const Config& config, const DataPlaces& places, const CancelToken& cancel) {
  if (config.task == Task::repeat) {
    TokenizerPointer tokenizer = places.tokenizer;
    if (!tokenizer) {
      HL_ASSIGN(tokenizer, syllables(config.repeat.symbols));
    }
    return repeat_data(config, tokenizer);
  }
  if (has_letters(config.task)) {
    TokenizerPointer tokenizer = places.tokenizer;
    if (!tokenizer) {
      HL_ASSIGN(tokenizer, letters_tokenizer(config));
    }
    return config.task == Task::spell ? spell_data(config, tokenizer) : letter_data(config, tokenizer);
  }
  return config.task == Task::pairs ? open_pairs(config, places, cancel) : open_texts(config, places, cancel);
}

Status save_tokenizers(const Data& data, const std::string& folder) {
  HL_TRY(tokenizers::save(*data.tokenizer(), folder));
  if (!data.target_tokenizer() || data.target_tokenizer() == data.tokenizer()) return {};
  return tokenizers::save(*data.target_tokenizer(), std::filesystem::path(folder) / kTargetTokenizerFolder);
}

}  // namespace headlight::train
