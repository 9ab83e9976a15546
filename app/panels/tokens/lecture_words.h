// What the lecture says of each kind of tokenizer, beside what is measured here.
#pragma once

#include <string>

#include "engine/tokenizers/tokenizer.h"

namespace headlight::panels {

// One line per property: what `tokenizer`, of the kind `kind` ("characters", "words", "bpe", "wordpiece"), does with this text,
// and the lecture's word for it; for the two sub-word kinds also the pieces of "unhappiness" beside the lecture's. Empty: another
// kind. Source: the table of the lecture's part on tokenizers (S14).
std::string lecture_note(const std::string& kind, const tokenizers::Tokenizer& tokenizer, const tokenizers::Measured& measured);

}  // namespace headlight::panels
