// The kinds of training data, each in its own file. open_data() chooses one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/train/corpus_files.h"
#include "engine/train/data.h"

namespace headlight::train {

// Rows of ids of different lengths as one tensor [rows, length], filled up with `pad`.
// padded({{5, 6}, {7}}, 2, 0) gives {{5, 6}, {7, 0}}.
Tensor padded(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t length, std::int32_t pad);

// text and masked: all paragraphs one after the other, each with an end token behind it, cut into windows. Errors: fewer tokens
// than a window, cancelled.
// packed_data(config, texts, tokenizer, "train.json", cancel): windows of config.length tokens.
Result<std::shared_ptr<const Data>> packed_data(const Config& config, const Split<std::string>& texts, TokenizerPointer tokenizer,
                                                const std::string& where, const CancelToken& cancel);

// pairs: a batch has sentences of about the same length. Errors: all pairs of a part are longer than a row, cancelled.
// pair_data(config, pairs, tokenizer, target_tokenizer, "train.json", cancel).
Result<std::shared_ptr<const Data>> pair_data(const Config& config, const Split<TextPair>& pairs, TokenizerPointer tokenizer,
                                              TokenizerPointer target_tokenizer, const std::string& where,
                                              const CancelToken& cancel);

// repeat: random symbols of `tokenizer`, made when they are asked for.
// repeat_data(config, *syllables(256)): repeated segments of syllables.
std::shared_ptr<const Data> repeat_data(const Config& config, TokenizerPointer tokenizer);

// copy, reverse, sort, majority: letters, "=" and the answer, every letter of which is a label. spell: the word again and again,
// from a seeded letter on. Both are made when they are asked for.
// letter_data(config, *letters_tokenizer(config)) of the task sort: rows such as "c a b = a b c".
std::shared_ptr<const Data> letter_data(const Config& config, TokenizerPointer tokenizer);
std::shared_ptr<const Data> spell_data(const Config& config, TokenizerPointer tokenizer);
// The vocabulary of the two functions above: the letters and "=", or the different letters of the word, with spaces between them.
Result<TokenizerPointer> letters_tokenizer(const Config& config);

}  // namespace headlight::train
