// Explained: how a text comes to its tokens. Each stage shows the text and the words as they are behind it, and what it changed;
// the model's own way to the pieces of a word is Tokenizer::explain_word().
// tokenizer->explain("The dog") of BERT's has the stages clean_text, ..., lowercase, words, and the words "the" and "dog".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/text/normalized.h"
#include "engine/text/span.h"
#include "engine/tokenizers/models/word_explanation.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// One normaliser or splitter, and what is there behind it.
struct ExplainedStage {
  bool splits = false;              // a splitter, else a normaliser
  Choice choice;                    // its id in splitter_registry() or normalizer_registry(), and its parameters
  std::string label;                // the registry's
  text::Normalized text;            // source() gives the bytes of the part that a byte came from
  std::vector<text::Span> words;    // of text.text()
  std::vector<text::Span> written;  // what of text.text() the stage wrote, in whole characters
  std::vector<text::Span> gone;     // what of the text before it is no longer there, in whole characters
  bool cut = false;                 // the words are others than before the stage
  bool changed() const { return cut || !written.empty() || !gone.empty(); }
};

struct Explained {
  // A word that reaches the model.
  struct Word {
    std::string text;                         // as the last stage wrote it
    text::Span place;                         // bytes of the last stage's text
    text::Span source;                        // bytes of the input
    std::size_t first_token = 0, tokens = 0;  // of Explained::tokens
  };
  // What stands between two added tokens, or one of these.
  struct Part {
    text::Span source;        // bytes of the input
    std::int32_t added = -1;  // the id of the added token; -1: it is none, and the stages tell what becomes of it
    std::size_t token = 0;    // of an added token: its place in Explained::tokens
    std::string original;     // the bytes of the input, or, behind an added token that is looked for in the normalised text,
                              // those of the normalised text
    std::vector<ExplainedStage> stages;
    std::vector<Word> words;
  };
  std::vector<Part> parts;    // in the order of the text
  std::vector<Token> tokens;  // encode()'s
};

}  // namespace headlight::tokenizers
