// Whether decoders read each piece by itself, so that a long list of ids can be decoded from a table of texts.
#pragma once

#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {

// Whether a piece's text is the same behind whatever pieces, as soon as something of the text is written: only a text's beginning
// may be another. True for "byte_level", false for "words", which looks for marks around a piece.
bool are_by_piece(const Decoders& decoders);

}  // namespace headlight::tokenizers
