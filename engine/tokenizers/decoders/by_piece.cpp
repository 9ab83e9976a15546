#include "engine/tokenizers/decoders/by_piece.h"

namespace headlight::tokenizers {

bool are_by_piece(const Decoders& decoders) {
  bool joined = false;  // what follows sees the whole text as one piece
  for (std::size_t i = 0; i < decoders.size(); ++i) {
    const Choice& choice = decoders[i].choice;
    const std::string& id = choice.id;
    if (joined) {
      if (id == "plain" || (id == "strip" && std::get<std::int64_t>(choice.values.at("right")) == 0)) continue;
      return false;
    }
    joined = id == "plain" || id == "byte_level";
    if (joined || id == "metaspace" || id == "replace" || id == "strip" || id == "sentence") continue;
    if (id == "wordpiece" && std::get<std::string>(choice.values.at("spaces")) != "reader") continue;
    // Bytes behind each other are one piece for the next decoder.
    if (id == "byte_fallback" && (i + 1 == decoders.size() || decoders[i + 1].choice.id == "plain")) continue;
    return false;
  }
  return true;
}

}  // namespace headlight::tokenizers
