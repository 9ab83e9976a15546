#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {

const Registry<DecoderEntry>& decoder_registry() {
  static const Registry<DecoderEntry> kinds(
      "decoder", {plain_decoder(), words_decoder(), wordpiece_decoder(), byte_level_decoder(), byte_fallback_decoder(),
                  replace_decoder(), metaspace_decoder(), strip_decoder(), suffix_decoder(), spaced_decoder(), ctc_decoder(),
                  sentence_decoder(), denormalized_decoder()});
  return kinds;
}

std::string PieceDecoder::decode(const std::vector<std::string_view>& pieces) const {
  std::vector<std::string> copies(pieces.begin(), pieces.end());
  rewrite(copies);
  std::string text;
  for (const std::string& piece : copies) text += piece;
  return text;
}

Result<Decoders> make_decoders(const std::vector<Choice>& choices) {
  Decoders made;
  for (const Choice& choice : choices) {
    HL_ASSIGN(Stage<Decoder> stage, make_stage<Decoder>(decoder_registry(), choice));
    made.push_back(std::move(stage));
  }
  if (made.empty()) return invalid("there is no decoder").mend("give one, such as plain");
  return made;
}

std::string decode(const std::vector<std::string_view>& pieces, const Decoders& decoders) {
  if (decoders.size() == 1) return decoders.front()->decode(pieces);
  std::vector<std::string> made(pieces.begin(), pieces.end());
  for (const Stage<Decoder>& stage : decoders) stage->rewrite(made);
  std::string text;
  for (const std::string& piece : made) text += piece;
  return text;
}

std::string display(std::string_view piece, const Decoders& decoders) {
  std::string shown(piece);
  for (const Stage<Decoder>& stage : decoders) {
    if (const int byte = stage.choice.id == "byte_fallback" ? byte_of_any_token(shown) : -1; byte >= 0)
      return text::display_byte(static_cast<unsigned char>(byte));
    shown = stage->text_of(shown);
  }
  return text::display_text(shown);
}

}  // namespace headlight::tokenizers
