// Shared by the readers of published tokenizers' files.
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

// The most bytes of a file that is read. The files of the largest published vocabularies have about a tenth of this size.
inline constexpr std::uint64_t kMostPublished = std::uint64_t{256} << 20;
// Beyond the ids of all published vocabularies.
inline constexpr std::int64_t kMostIds = std::int64_t{1} << 24;

// The lines of a file, without their ends ("\n", or "\r\n"); the last one need not end. Errors: read_text_file's.
Result<std::vector<std::string>> lines_of(const std::filesystem::path& file);
// The pieces of {"piece": id, ...} in the order of their ids, which must be 0, 1, 2, ...; with `gaps`, an id that no piece has
// gets an empty one. Errors name `where` and the piece or id. pieces_by_id({"b": 1, "a": 0}, "vocab.json") gives a and b.
Result<std::vector<std::string>> pieces_by_id(const Json& object, const std::string& where, bool gaps = false);
// The merge in a line: two pieces with a space between. The error names `where` and the merge's number.
// merge_of("h ug", 0, "merges.txt") gives {"h", "ug"}.
Result<std::pair<std::string, std::string>> merge_of(std::string_view line, std::size_t number, const std::string& where);

// The role of a special token by its usual name; Role::other of other names. role_by_name("</s>") is Role::end.
Role role_by_name(std::string_view name);
// Makes the piece `name` a special token. The usual names ("[PAD]", "<pad>", "<|endoftext|>", ...) get their roles, other names
// Role::other. Does nothing if the vocabulary lacks the piece, or if the piece has a role already.
// set_special_by_name(vocabulary, "<pad>") gives the piece <pad> Role::pad.
// Without `names_unknown` the piece <unk> is special, but not the unknown token: the file itself says which one is.
void set_special_by_name(Vocabulary& vocabulary, const std::string& name, bool names_unknown = true);

// The plan of a byte-level BPE (Radford et al. 2019), whose pieces are written in the byte alphabet.
// byte_level_plan(vocabulary, merges, {"gpt2", {}}) is GPT-2's.
TokenizerPlan byte_level_plan(Vocabulary vocabulary, Merges merges, Choice splitter);
// Whether a piece has a capital, special tokens left aside: a vocabulary without one is for lower-case texts.
bool has_capital(const Vocabulary& vocabulary);
// How BERT changes a text before it is cut.
struct BertOptions {
  bool clean = true;  // no controls; whitespace becomes a space
  bool lower = true;
  bool strip_accents = true;
  bool ideographs = true;  // every Chinese character is a word
};
std::vector<Choice> bert_normalizers(const BertOptions& options);
// The plan of BERT (Devlin et al. 2018). The changed text is cut into words for WordPiece; [CLS] and [SEP] stand around it if the
// vocabulary has them. bert_plan(vocabulary, {}) is bert-base-uncased's.
TokenizerPlan bert_plan(Vocabulary vocabulary, const BertOptions& options);

}  // namespace headlight::tokenizers
