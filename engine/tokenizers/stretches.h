// Where a text may be cut so that each stretch is looked up before it is normalised.
#pragma once

#include <array>

#include "engine/text/normalizers/normalizer.h"
#include "engine/text/splitters/splitter.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {

struct Stretches {
  enum class Kind {
    none,
    between_whitespace,  // whitespace gives no tokens
    before_spaces,       // before a single space between visible ASCII characters, which nothing joins or changes there
    words,               // at `spaces`, of which there may be several; each word then begins with "▁"
  };
  Kind kind = Kind::none;
  bool runs = false;         // words of a model with a running sum
  bool anywhere = false;     // words end at all spaces; else only at those between visible ASCII characters and letters
  bool keeps_ascii = false;  // a word "ab" of visible ASCII characters, or a stretch " ab", reaches the model as "▁ab"
  bool signs = false;        // whitespace ends a word, and "▁" is put before each; "▁" in a word begins another
  std::array<bool, 256> spaces{};
};

// `added`: an added token may stand in the normalised text, so that no stretch is known before.
Stretches stretches_of(const text::Normalizers& normalizers, const text::Splitters& splitters, const Model& model, bool added);

}  // namespace headlight::tokenizers
