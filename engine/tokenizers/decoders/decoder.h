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
  // The same for a chain: what the next decoder reads as pieces; joined, they are decode()'s text.
  virtual void rewrite(std::vector<std::string>& pieces) const { pieces = {decode({pieces.begin(), pieces.end()})}; }
  // Whether a list of pieces may be cut: the texts of its parts, one after the other, are then the text of the whole list.
  virtual bool may_cut() const = 0;
  // The text, or the bytes, that a piece alone stands for: of "Ġthe" " the".
  virtual std::string text_of(std::string_view piece) const { return std::string(piece); }
  // A piece as a person sees it: whitespace as "·", "↵", "⇥"; half a character as hex ("0xE2"), never "?".
  std::string display(std::string_view piece) const { return text::display_text(text_of(piece)); }
};

// A decoder that changes each piece by itself or joins neighbours.
class PieceDecoder : public Decoder {
 public:
  void rewrite(std::vector<std::string>& pieces) const override = 0;
  std::string decode(const std::vector<std::string_view>& pieces) const override;
};

struct DecoderEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Result<std::shared_ptr<const Decoder>> (*make)(const Values& values) = nullptr;
};

const Registry<DecoderEntry>& decoder_registry();

using Decoders = std::vector<Stage<Decoder>>;
// The decoders of the choices, each of which reads what the one before it made; there is at least one. Errors: make_stage's.
Result<Decoders> make_decoders(const std::vector<Choice>& choices);
// The text of pieces after all decoders. With "replace" of ▁ by a space and then "plain", decode({"▁a", "▁b"}, decoders) is " a
// b".
std::string decode(const std::vector<std::string_view>& pieces, const Decoders& decoders);
// Like Decoder::display for the chain; a byte token is shown as its byte ("<0xE2>" as 0xE2).
std::string display(std::string_view piece, const Decoders& decoders);

// The entries, each in its own file.
DecoderEntry plain_decoder();
DecoderEntry words_decoder();
DecoderEntry wordpiece_decoder();
DecoderEntry byte_level_decoder();
DecoderEntry byte_fallback_decoder();
DecoderEntry replace_decoder();
DecoderEntry metaspace_decoder();
DecoderEntry strip_decoder();
DecoderEntry suffix_decoder();
DecoderEntry spaced_decoder();
DecoderEntry ctc_decoder();
DecoderEntry sentence_decoder();
DecoderEntry denormalized_decoder();

}  // namespace headlight::tokenizers
