// plain: the pieces one after the other; the decoders behind it see one piece.
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Plain final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string text;
    for (const std::string_view piece : pieces) text += piece;
    return text;
  }
  bool may_cut() const override { return true; }
};

Result<std::shared_ptr<const Decoder>> make_plain(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<Plain>());
}

}  // namespace

DecoderEntry plain_decoder() { return {"plain", "plain", "the pieces one after the other", "", {}, make_plain}; }

}  // namespace headlight::tokenizers
