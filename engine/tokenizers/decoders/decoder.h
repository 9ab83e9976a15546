// The interface of decoders and their registry. A decoder turns pieces into a text again, and shows a single piece to a person.
// One file a kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/registry_stage.h"
#include "engine/text/display.h"

namespace headlight::tokenizers {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // The text of pieces in order; special tokens that stand for no text are not among them.
  virtual std::string decode(const std::vector<std::string_view>& pieces) const = 0;
  // Whether a list of pieces may be cut: the texts of its parts, one after the other, are then the text of the whole list.
  virtual bool may_cut() const = 0;
  // A piece as a person sees it: whitespace as "·", "↵", "⇥"; half a character as hex ("0xE2"), never "?".
  virtual std::string display(std::string_view piece) const { return text::display_text(piece); }
};

struct DecoderEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Result<std::shared_ptr<const Decoder>> (*make)(const Values& values) = nullptr;
};

const Registry<DecoderEntry>& decoder_registry();

// The entries, each in its own file.
DecoderEntry plain_decoder();
DecoderEntry words_decoder();
DecoderEntry wordpiece_decoder();
DecoderEntry byte_level_decoder();
DecoderEntry byte_fallback_decoder();
DecoderEntry sentencepiece_decoder();

}  // namespace headlight::tokenizers
