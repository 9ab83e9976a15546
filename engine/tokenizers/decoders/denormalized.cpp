// denormalized: the text after all pieces, in which a table of replacements is applied, the longest entry first.
#include "engine/text/charsmaps/charsmap.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Denormalized final : public Decoder {
 public:
  explicit Denormalized(text::Charsmap map) : map_(std::move(map)) {}

  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string joined, made;
    for (const std::string_view piece : pieces) joined += piece;
    for (std::size_t at = 0; at < joined.size();) {
      const std::string_view rest = std::string_view(joined).substr(at);
      if (const auto found = map_.longest(rest)) {
        made += found->replacement;
        at += static_cast<std::size_t>(found->length);
      } else {
        const auto length = static_cast<std::size_t>(text::decode_at(rest, 0).length);
        made += rest.substr(0, length);
        at += length;
      }
    }
    return made;
  }
  bool may_cut() const override { return map_.empty(); }  // a replaced text may lie across a cut

 private:
  text::Charsmap map_;
};

Result<std::shared_ptr<const Decoder>> make_denormalized(const Values& values) {
  HL_ASSIGN(text::Charsmap map, text::Charsmap::of_base64(std::get<std::string>(values.at("charsmap"))));
  return std::shared_ptr<const Decoder>(std::make_shared<Denormalized>(std::move(map)));
}

}  // namespace

DecoderEntry denormalized_decoder() {
  return {"denormalized",
          "a table's replacements",
          "what a table replaces, in the whole text",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"charsmap", "table", "The table of replacements, in base64.", Parameter::Kind::text, std::string(), 0, 0, {}}},
          make_denormalized};
}

}  // namespace headlight::tokenizers
