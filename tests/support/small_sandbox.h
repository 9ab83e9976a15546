// A model of the sandbox that is quick to run in double: two sentences, two layers of three heads, 24 dimensions.
#pragma once

#include "engine/document/document.h"

namespace headlight::tests {

inline Document small_sandbox() {
  Document d;
  d.texts = {"a fluffy blue creature roamed", "man bites dog"};
  d.tokenizer = "words";
  d.d_model = 24;
  d.heads = 3;
  d.layers = 2;
  d.d_ff = 16;
  d.masks = {{"padding", {}}, {"causal", {}}};
  d.backend = "reference";
  return d;
}

}  // namespace headlight::tests
