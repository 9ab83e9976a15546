// The texts of a training's files, divided into a training part and a held-out part.
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

// The files that a pattern names, sorted by name. A pattern without '*' gives its path, which is not checked. Errors: the folder
// is missing, no file of it matches.
// matching_files({.files = "books/*.txt"}, "/data"): the text files in /data/books.
Result<std::vector<std::filesystem::path>> matching_files(const Corpus& corpus, const std::string& data_folder);

// The paragraphs of all files. In order: of each file the paragraphs that begin in its last `held_out` part are held out.
// Shuffled: each distinct paragraph once, and a hash of its text decides. A held-out paragraph is nowhere in the training part.
// Errors: those of matching_files(), unreadable files, a column that a line lacks, a part that is empty.
// read_paragraphs({{.files = "books/*.txt"}}, "/data", 0.05, "train.json"): about 5% of the text is held out.
Result<Split<std::string>> read_paragraphs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                           const std::string& where);

// The text of a grammar: wanted.paragraphs paragraphs of seen templates for the training, and a `held_out` share of that number
// of unseen templates, each paragraph of these once. A held-out paragraph is nowhere in the training part. Errors: those of
// Grammar::parse(), an unreadable file, a part that is empty.
// write_paragraphs({"grammar.txt", 40000}, "assets/models/course", 0.05, "train.json").
Result<Split<std::string>> write_paragraphs(const GrammarText& wanted, const std::string& folder, double held_out,
                                            const std::string& where);

// The paragraphs of a training on text: of its corpus or of its grammar, whose file lies in `config_folder`.
// read_texts(config, "/data", "assets/models/course", "train.json").
Result<Split<std::string>> read_texts(const Config& config, const std::string& data_folder, const std::string& config_folder,
                                      const std::string& where);

// Lines of two columns, source and target. All pairs of one source are in the same part, which a hash of the source decides.
// Errors: those of read_paragraphs().
// read_pairs({{.files = "en-fr.tsv"}}, "/data", 0.05, "train.json"): pairs of an English and a French sentence.
using TextPair = std::pair<std::string, std::string>;
Result<Split<TextPair>> read_pairs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                   const std::string& where);

// Whether the hash of a text puts it into the held-out part, the same in every training with this share.
// is_held_out("Yes.", 1) is true, is_held_out("Yes.", 0) is false.
bool is_held_out(std::string_view text, double share);

}  // namespace headlight::train
