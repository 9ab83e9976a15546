// What the files of published tokenizers have in common.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/tokenizers/models/model.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// The largest such file that is read: those of the largest published vocabularies have about a tenth of it.
inline constexpr std::uint64_t kMostPublished = std::uint64_t{256} << 20;

// The lines of a file, without their ends ("\n", or "\r\n"); the last one need not end. Errors: read_file's.
Result<std::vector<std::string>> lines_of(const std::filesystem::path& file);
// The pieces of {"piece": id, ...} in the order of their ids, which must be 0, 1, 2, ...; `more`: further ones, [piece, id].
// Errors name `where` and the piece or id.
Result<std::vector<std::string>> pieces_by_id(const Json& object, const std::vector<std::pair<std::string, std::int64_t>>& more,
                                              const std::string& where);
// The merge that a line says: two pieces with a space between. Errors name `where` and the line's number.
Result<std::pair<std::string, std::string>> merge_of(std::string_view line, std::size_t number, const std::string& where);

// Gives a special token of one of the usual names ("[PAD]", "<pad>", "<|endoftext|>", ...) its role; others become Role::other.
// Nothing happens where the vocabulary lacks it, or where it has a role already.
void set_special_by_name(Vocabulary& vocabulary, const std::string& name);

// The plan of a byte-level BPE (Radford et al. 2019), whose pieces are written in the byte alphabet. splitter: "gpt2", "cl100k".
TokenizerPlan byte_level_plan(Vocabulary vocabulary, Merges merges, const std::string& splitter);
// The plan of BERT (Devlin et al. 2018): cleaned, without accents and capitals where `lower`, cut into words, WordPiece, [CLS]
// and [SEP] around it where the vocabulary has them.
TokenizerPlan bert_plan(Vocabulary vocabulary, bool lower);

}  // namespace headlight::tokenizers
