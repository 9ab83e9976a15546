// A document of arrays: what `headlight open FILE` makes of a file, and what a correction makes of it.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/arrays/reading.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/array_source.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct ArraysOpened {
  Document document;
  arrays::Guess guess;
};
// Errors: arrays::open()'s, arrays::guess()'s. Tokens that do not fit are left out, and guess.remarks says so.
// open_array_document("attn.npz")->guess.reading says what is what.
Result<ArraysOpened> open_array_document(const std::filesystem::path& path, const arrays::Asked& asked = {});
// Whether the bytes at the beginning of the file, or of a JSON its keys, are those of arrays and not of a session or a model.
bool is_array_file(const std::filesystem::path& path);

// The document with its arrays read otherwise: its texts, sizes and masks follow. Errors: arrays::parts_of()'s, the tokens'.
Result<ArraysOpened> with_reading(const Document& document, const arrays::Reading& reading);
// The same document, whose session keeps a copy of the file (`copy`), or refers to it. Errors: a file of more than kMostCopied
// bytes; the file's.
inline constexpr std::uint64_t kMostCopied = std::uint64_t{16} << 20;
Result<Document> keeping(const Document& document, bool copy);

// The sentences of the parts: texts are the keys of cross-attention and of an encoder; targets, the queries where they are
// others.
struct ArraySentences {
  std::vector<Sentence> texts, targets;                    // targets is empty where queries and keys are the same tokens
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;  // null: the file gives the tokens as texts
  bool has_ids = false;                                    // the tokens' ids are those of the tokenizer
};
Result<ArraySentences> sentences_of(const arrays::File& file, const arrays::Reading& reading,
                                    const std::vector<arrays::Part>& parts, const CancelToken& cancel);

}  // namespace headlight
