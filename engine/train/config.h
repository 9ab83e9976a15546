// Config: what one training is, as a commented JSON file says it: the task, its data and tokenizers, the model, the schedule. The
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
  // A decoder reads random letters and "=", and writes what becomes of them.
  copy,      // the same letters
  reverse,   // the same, from the last to the first
  sort,      // the same, in the order of the alphabet
  majority,  // the one that stands there most often; of several the first in the alphabet
  spell,     // a decoder spells one word again and again
};

const char* name_of(Task task);  // "text", ...
bool has_letters(Task task);     // copy, reverse, sort, majority, spell
bool is_made_up(Task task);      // those, and repeat: rows that are made when they are asked for

// Files that are read, or a part of them. In JSON an object of these keys, or the first one alone as a text.
struct Corpus {
  std::string files;                 // in the data folder; '*' in the last part of the path stands for any characters
  std::string except;                // names that `files` matches and that are left out, with '*' likewise; empty: none
  std::int64_t column = 0;           // of lines with tabs between columns: the one that is read, from 1; 0: the whole line
  std::string paragraphs = "lines";  // "lines": a line is a paragraph; "blocks": paragraphs are divided by empty lines
  // Each paragraph is read once, in a seeded order, and a hash of it decides whether it is held out. Otherwise the order stays,
  // and the last paragraphs of each file are held out.
  bool shuffled = false;
};

// A grammar (grammar.h) in place of files: how many paragraphs it writes.
struct GrammarText {
  std::string file;  // beside the configuration
  std::int64_t paragraphs = 40000;
};

// Random sequences: a segment of random symbols, repeated until the row is full. Its length is drawn anew for every row, so that
// the distance to the same place in the segment before cannot be learnt by heart.
struct RandomSequences {
  std::int64_t symbols = 256;               // how many different ones
  std::int64_t shortest = 8, longest = 32;  // of a segment, in symbols
  bool first_too = false;                   // the first segment, which nobody can predict, counts in the loss
};

// Letters that are copied, reversed, sorted or counted, or a word that is spelt.
struct Letters {
  std::int64_t symbols = 16;               // how many different ones, from a on
  std::int64_t shortest = 4, longest = 8;  // how many stand before "="; drawn anew for every row
  std::string word = "hello";              // of spell: small letters, at least two
};

// A vocabulary that is trained on the training part of a corpus before the model is.
struct VocabularyWanted {
  std::string kind = "bpe";      // of tokenizers::registry()
  std::int64_t size = 8192;      // with the special tokens; 0 (words, characters): all there are
  std::int64_t least_count = 1;  // rarer pairs are not merged, rarer words are left out
  bool lowercase = false;        // words and wordpiece
  bool plain_spaces = false;     // no-break spaces (U+00A0, U+202F) become spaces before anything else
  std::vector<Corpus> corpus;    // empty: that of the training
  // Words that bpe shall keep whole: each counts as if it stood in the text 1,000 times more, after a space.
  std::vector<std::string> whole;
};

struct Config {
  std::string name;
  std::string trained_on;                 // said behind "trained on": "30 books for children"
  std::string language, target_language;  // of pairs: what the window writes before the two sentences
  Task task = Task::text;
  std::vector<Corpus> corpus;
  GrammarText grammar;  // file empty: none
  RandomSequences repeat;
  Letters letters;
  double held_out = 0.05;  // the share of the data that is not trained on

  VocabularyWanted tokenizer, target_tokenizer;  // the latter of pairs
  bool one_tokenizer = false;                    // of pairs: one for both languages, trained on both

  // A model whose weights begin the training in place of drawn ones, and whose vocabulary it takes over: a bundled one's name, or
  // a folder, beside the configuration unless its path is absolute. Empty: none.
  std::string start;
  Document model;    // its sizes and blocks; "model" takes the fields of a document that concern them, and no others
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
  double masked_share = 0.15;  // of the tokens that a masked training asks for
  // "bfloat16": the products of linear layers and logits and those of their gradients round both operands to bfloat16 and add up
  // in float32, where the device has such products. All else is float32 either way.
  std::string products = "float32";

  std::int64_t evaluate_every = 500, evaluate_batches = 20, checkpoint_every = 500;
};

// Reads a configuration. Errors name the file, the key and the mend: an unknown key (with the nearest known one), a wrong type, a
// number out of its range, keys that contradict each other, what the model's document refuses. `where` names the text.
Result<Config> config_from_json(std::string_view text, const std::string& where);
Result<Config> read_config(const std::string& path);

// What the numbers of a training depend on, with every default written out: a checkpoint keeps it. Name, trained_on and how
// often it is evaluated and saved are left out; `products`, too: like the device it changes how numbers are rounded, not what is
// learnt from, and a training may go on with others.
Json what_determines(const Config& config);
// Error unless `saved`, what_determines() of the training that wrote a checkpoint, is that of `config`: it names the first key
// that differs with both values. `where` names the checkpoint.
Status check_same_training(const Json& saved, const Config& config, const std::string& where);

}  // namespace headlight::train
