// Config: one training as a commented JSON file describes it: the task, its data and tokenizers, the model, the schedule. The
// keys of the file are the names of the members below; assets/models/NAME/train.json are examples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight::train {

enum class Task {
  text,    // a decoder predicts the next token of a running text
  pairs,   // an encoder reads a sentence, a decoder writes its translation
  masked,  // an encoder fills in tokens that were taken out (Devlin et al. 2018)
  repeat,  // a decoder continues random sequences that repeat themselves (Olsson et al. 2022)
  // A decoder reads random letters and "=", and writes an answer made from these letters.
  copy,      // the same letters
  reverse,   // the same, from the last to the first
  sort,      // the same, in the order of the alphabet
  majority,  // the most frequent letter; of several the first in the alphabet
  spell,     // a decoder spells one word again and again
};

const char* name_of(Task task);  // "text", ...
bool has_letters(Task task);     // copy, reverse, sort, majority, spell
bool is_made_up(Task task);      // these tasks and repeat: rows are made when they are asked for

// Files of texts, or a part of them. In JSON an object of these keys, or the first key's value alone.
struct Corpus {
  std::string files;                 // in the data folder; '*' in the last part of the path stands for any characters
  std::string except;                // names that `files` matches and that are left out, also with '*'; empty: none
  std::int64_t column = 0;           // of lines with tabs between columns: the column to read, from 1; 0: the whole line
  std::string paragraphs = "lines";  // "lines": a line is a paragraph; "blocks": paragraphs are divided by empty lines
  // true: each paragraph is read once, in a seeded order, and a hash of its text decides whether it is held out. false: the order
  // stays, and the last paragraphs of each file are held out.
  bool shuffled = false;
};

// Text that a grammar (grammar.h) writes, in place of files.
struct GrammarText {
  std::string file;  // beside the configuration
  std::int64_t paragraphs = 40000;
};

// Random sequences: a segment of random symbols, repeated until the row is full. The length of the segment is drawn for every
// row, so that a model cannot learn the distance to the same place in the segment before by heart.
struct RandomSequences {
  std::int64_t symbols = 256;               // number of different symbols
  std::int64_t shortest = 8, longest = 32;  // of a segment, in symbols
  bool first_too = false;                   // the first segment, which no model can predict, counts in the loss
};

// Letters that are copied, reversed, sorted or counted, or a word that is spelled.
struct Letters {
  std::int64_t symbols = 16;               // number of different letters, from a on
  std::int64_t shortest = 4, longest = 8;  // number of letters before "=", drawn for every row
  std::string word = "hello";              // of spell: small letters, at least two
};

// A vocabulary to train on the training part of a corpus before the model is trained.
struct VocabularyWanted {
  std::string kind = "bpe";      // of tokenizers::registry()
  std::int64_t size = 8192;      // with the special tokens; 0 (words, characters): all pieces
  std::int64_t least_count = 1;  // rarer pairs are not merged, rarer words are left out
  bool lowercase = false;        // words and wordpiece
  bool plain_spaces = false;     // no-break spaces (U+00A0, U+202F) become spaces before anything else
  std::vector<Corpus> corpus;    // empty: the training's own corpus
  // Words that bpe keeps whole: each is counted 1,000 times more, after a space, than it stands in the text.
  std::vector<std::string> whole;
};

struct Config {
  std::string name;
  std::string trained_on;                 // words behind "trained on": "30 books for children"
  std::string language, target_language;  // of pairs: the window writes them before the two sentences
  Task task = Task::text;
  std::vector<Corpus> corpus;
  GrammarText grammar;  // file empty: none
  RandomSequences repeat;
  Letters letters;
  double held_out = 0.05;  // the share of the data that is not used for training

  VocabularyWanted tokenizer, target_tokenizer;  // the second one of pairs
  bool one_tokenizer = false;                    // of pairs: one tokenizer for both languages, trained on both

  // A model whose weights begin the training in place of drawn ones, and whose vocabulary the training takes over: a bundled
  // model's name, or a folder, relative to the configuration's unless its path is absolute. Empty: none.
  std::string start;
  // Its sizes and blocks; in JSON "model" has exactly the fields of a document that concern them.
  Document model;
  bool tied = true;  // the matrix that makes logits is the transposed embedding table (of pairs the target's)

  std::int64_t length = 128;    // tokens of a row; longer pairs are left out
  std::int64_t batch = 16;      // rows
  std::int64_t accumulate = 1;  // batches whose gradients are added up before the weights change
  std::int64_t steps = 1000;
  std::uint64_t seed = 1;
  double learning_rate = 1e-3, least_learning_rate = 1e-4;
  std::int64_t warmup = 100;  // steps
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1;
  double clip = 1;  // of the gradients' global norm; 0: none
  double dropout = 0, label_smoothing = 0;
  double masked_share = 0.15;  // the share of the tokens that a masked training hides
  // "bfloat16": the products of linear layers and logits, and their gradients' products, round both operands to bfloat16 and add
  // up in float32, where the device has such products. All other arithmetic is float32 in either case.
  std::string products = "float32";

  std::int64_t evaluate_every = 500, evaluate_batches = 20, checkpoint_every = 500;
};

// Reads a configuration. Errors name the file, the key and the mend: an unknown key (with the nearest known one), a wrong type, a
// number out of its range, keys that contradict each other, a model that validate() refuses. `where` names the text.
// config_from_json(R"({"task": "sort", ...})", "train.json"): every key that is left out has its default.
Result<Config> config_from_json(std::string_view text, const std::string& where);
Result<Config> read_config(const std::string& path);

// The keys that the numbers of a training depend on, with every default written out, for a checkpoint. Name, trained_on and the
// intervals of evaluations and checkpoints are left out. `products` is left out, too: like the device it changes the rounding of
// numbers and not the data, and a training may continue with other products.
Json what_determines(const Config& config);
// Checks that `saved`, what_determines() of the training that wrote a checkpoint, is that of `config`. The error names the first
// key that differs, with both values. `where` names the checkpoint.
// check_same_training(what_determines(config), config, "out") passes.
Status check_same_training(const Json& saved, const Config& config, const std::string& where);

}  // namespace headlight::train
