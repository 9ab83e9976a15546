// byte_level: writes every byte of every word as its visible character (byte_alphabet.h) and cuts nowhere, so that a model over
// characters reads bytes.
#include "engine/text/byte_alphabet.h"
#include "engine/text/splitters/splitter.h"

namespace headlight::text {
namespace {

class ByteLevel final : public Splitter {
 public:
  void split(Split& split) const override {
    Rewrite result(split.text);
    const std::string& input = split.text.text();
    for (Span& word : split.words) {
      const std::int64_t start = result.size();
      for (std::int64_t at = word.start; at < word.end; ++at)
        result.put(byte_piece(static_cast<unsigned char>(input[static_cast<std::size_t>(at)])), split.text.source(at, at + 1));
      word = {start, result.size()};
    }
    result.into(split.text);
  }
  bool may_cut() const override { return true; }
};

Result<std::shared_ptr<const Splitter>> make_byte_level(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<ByteLevel>());
}

}  // namespace

SplitterEntry byte_level() {
  return {"byte_level", "byte alphabet", "every byte as its visible character", "Radford et al. 2019 (GPT-2)",
          {},           make_byte_level};
}

}  // namespace headlight::text
