// strip_spaces: takes the whitespace at the beginning and at the end of a text away.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class StripSpaces final : public Normalizer {
 public:
  StripSpaces(bool left, bool right) : left_(left), right_(right) {}

  void apply(Normalized& text) const override {
    std::int64_t first = -1, last = 0;  // what stays: [first, last)
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      if (point.valid && is_whitespace(point.value)) return;
      if (first < 0) first = at;
      last = at + point.length;
    });
    const auto size = static_cast<std::int64_t>(text.text().size());
    Rewrite result(text);
    if (first < 0) first = last = left_ || right_ ? 0 : size;  // nothing but spaces
    const std::int64_t begin = left_ ? first : 0, end = right_ || last == 0 ? last : size;
    result.keep(begin, std::max(begin, end));
    result.into(text);
  }
  bool may_cut() const override { return false; }

 private:
  bool left_, right_;
};

Result<std::shared_ptr<const Normalizer>> make_strip_spaces(const Values& values) {
  return std::shared_ptr<const Normalizer>(
      std::make_shared<StripSpaces>(std::get<bool>(values.at("left")), std::get<bool>(values.at("right"))));
}

}  // namespace

NormalizerEntry strip_spaces() {
  return {"strip_spaces",
          "stripped",
          "no whitespace at the beginning and at the end",
          "",
          {{"left", "left", "Whether the beginning is stripped.", Parameter::Kind::boolean, true, 0, 0, {}},
           {"right", "right", "Whether the end is stripped.", Parameter::Kind::boolean, true, 0, 0, {}}},
          make_strip_spaces};
}

}  // namespace headlight::text
