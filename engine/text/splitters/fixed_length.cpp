// fixed_length: cut after every so many characters.
#include "engine/text/splitters/splitter.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class FixedLength final : public Splitter {
 public:
  explicit FixedLength(std::int64_t length) : length_(length) {}

  void split(Split& split) const override {
    refine(split, [&](std::string_view text) {
      std::vector<Span> spans;
      std::int64_t count = 0;
      for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
        if (count++ % length_ == 0) spans.push_back({at, at});
        spans.back().end = at + point.length;
      });
      return spans;
    });
  }
  bool may_cut() const override { return false; }  // characters are counted from the beginning

 private:
  std::int64_t length_;
};

Result<std::shared_ptr<const Splitter>> make_fixed_length(const Values& values) {
  return std::shared_ptr<const Splitter>(std::make_shared<FixedLength>(std::get<std::int64_t>(values.at("length"))));
}

}  // namespace

SplitterEntry fixed_length() {
  return {"fixed_length",
          "of one length",
          "cut after every so many characters",
          "Hugging Face tokenizers, FixedLength",
          {{"length", "length", "How many characters a word has.", Parameter::Kind::integer, std::int64_t{5}, 1, 1000000, {}}},
          make_fixed_length};
}

}  // namespace headlight::text
