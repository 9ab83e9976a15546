// The kinds of training data, each in its own file. open_data() chooses one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/train/corpus_files.h"
#include "engine/train/data.h"

namespace headlight::train {

// Rows of ids of different lengths as one tensor [rows, longest], filled up with `pad`.
Tensor padded(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t length, std::int32_t pad);

// text and masked: all paragraphs one after the other, an end token behind each, cut into windows. Errors: fewer tokens than a
// window, cancelled.
Result<std::shared_ptr<const Data>> packed_data(const Config& config, const Split<std::string>& texts, TokenizerPointer tokenizer,
                                                const std::string& where, const CancelToken& cancel);

// pairs: sentences of about the same length together. Errors: all of a part are longer than a row, cancelled.
Result<std::shared_ptr<const Data>> pair_data(const Config& config, const Split<TextPair>& pairs, TokenizerPointer tokenizer,
                                              TokenizerPointer target_tokenizer, const std::string& where,
                                              const CancelToken& cancel);

// repeat: random symbols of `tokenizer`, made when they are asked for.
std::shared_ptr<const Data> repeat_data(const Config& config, TokenizerPointer tokenizer);

// copy, reverse, sort, majority: letters, "=" and the answer, of which every letter is asked for. spell: the word again and
// again, begun at a seeded letter. Both are made when they are asked for.
std::shared_ptr<const Data> letter_data(const Config& config, TokenizerPointer tokenizer);
std::shared_ptr<const Data> spell_data(const Config& config, TokenizerPointer tokenizer);
// Their vocabulary: the letters and "=", or the different letters of the word, with spaces between them.
Result<TokenizerPointer> letters_tokenizer(const Config& config);

}  // namespace headlight::train
