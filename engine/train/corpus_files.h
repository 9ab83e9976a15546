// The texts of a training's files, divided into what is trained on and what is held out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/status.h"
#include "engine/train/config.h"

namespace headlight::train {

template <class Item>
struct Split {
  std::vector<Item> training, held_out;
};

// The files that a pattern names, sorted by name. Errors: the folder is missing, no file of it matches.
Result<std::vector<std::filesystem::path>> matching_files(const Corpus& corpus, const std::string& data_folder);

// The paragraphs of all files. In order: of each file those that begin in its last `held_out` part are held out. Shuffled: each
// distinct paragraph once, and a hash of it decides. A paragraph that is held out is nowhere in the training part. Errors:
// matching_files()'s, unreadable files, a column that a line lacks, a part that is empty.
Result<Split<std::string>> read_paragraphs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                           const std::string& where);

// What a grammar writes: `count` paragraphs of seen templates, and a share as large of unseen ones, each of these once. Nothing
// that is held out is in the training part. Errors: Grammar::parse()'s, an unreadable file, a part that is empty.
Result<Split<std::string>> write_paragraphs(const GrammarText& wanted, const std::string& folder, double held_out,
                                            const std::string& where);

// The paragraphs of a training on text: of its corpus or of its grammar, whose file lies in `config_folder`.
Result<Split<std::string>> read_texts(const Config& config, const std::string& data_folder, const std::string& config_folder,
                                      const std::string& where);

// Lines of two columns, source and target. All pairs of one source are on the same side, which a hash of it decides. Errors
// likewise.
using TextPair = std::pair<std::string, std::string>;
Result<Split<TextPair>> read_pairs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                   const std::string& where);

// Whether the hash of a text says that it is held out: the same for every training with this share.
bool is_held_out(std::string_view text, double share);

}  // namespace headlight::train
