#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {

const Registry<DecoderEntry>& decoder_registry() {
  static const Registry<DecoderEntry> kinds("decoder", {plain_decoder(), words_decoder(), wordpiece_decoder(),
                                                        byte_level_decoder(), byte_fallback_decoder(), sentencepiece_decoder()});
  return kinds;
}

}  // namespace headlight::tokenizers
