// strip: takes a character away at the beginning and the end of every piece, a number of times each at most.
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Strip final : public PieceDecoder {
 public:
  Strip(std::string content, std::int64_t left, std::int64_t right) : content_(std::move(content)), left_(left), right_(right) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    for (std::string& piece : pieces) {
      std::string_view rest = piece;
      for (std::int64_t i = 0; i < left_ && rest.starts_with(content_); ++i) rest.remove_prefix(content_.size());
      for (std::int64_t i = 0; i < right_ && rest.ends_with(content_); ++i) rest.remove_suffix(content_.size());
      piece = std::string(rest);
    }
  }
  bool may_cut() const override { return true; }

 private:
  std::string content_;
  std::int64_t left_, right_;
};

Result<std::shared_ptr<const Decoder>> make_strip(const Values& values) {
  const auto content = std::get<std::string>(values.at("content"));
  if (content.empty()) return invalid("'strip' has nothing to take away").at("content").mend("give a character");
  return std::shared_ptr<const Decoder>(
      std::make_shared<Strip>(content, std::get<std::int64_t>(values.at("left")), std::get<std::int64_t>(values.at("right"))));
}

}  // namespace

DecoderEntry strip_decoder() {
  return {"strip",
          "strip",
          "a character less at the ends of a piece",
          "Hugging Face tokenizers",
          {{"content", "content", "The character.", Parameter::Kind::text, std::string(" "), 0, 0, {}},
           {"left", "left", "How many go at the beginning.", Parameter::Kind::integer, std::int64_t{1}, 0, 1000000, {}},
           {"right", "right", "How many go at the end.", Parameter::Kind::integer, std::int64_t{0}, 0, 1000000, {}}},
          make_strip};
}

}  // namespace headlight::tokenizers
