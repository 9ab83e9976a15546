// strip_accents: removes nonspacing marks (category Mn), or all marks (M). After nfd that turns "é" into "e", as BERT's uncased
// models do, which leave the other marks in place.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class StripAccents final : public Normalizer {
 public:
  explicit StripAccents(bool all) : all_(all) {}

  void apply(Normalized& text) const override {
    if (is_ascii(text.text())) return;
    Rewrite result(text);
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      if (point.valid && (all_ ? is_mark(point.value) : is_accent(point.value))) return;
      result.put(std::string_view(text.text()).substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length)),
                 text.source(at, at + point.length));
    });
    result.into(text);
  }
  // False: a part may end in a mark after a space, before a newline. Without the mark it would end in the space, no visible
  // character.
  bool may_cut() const override { return false; }

 private:
  bool all_;
};

Result<std::shared_ptr<const Normalizer>> make_strip_accents(const Values& values) {
  return std::shared_ptr<const Normalizer>(std::make_shared<StripAccents>(std::get<std::string>(values.at("marks")) == "all"));
}

}  // namespace

NormalizerEntry strip_accents() {
  return {"strip_accents",
          "without accents",
          "leaves out characters of category Mn",
          "Devlin et al. 2018 (BERT, uncased)",
          {{"marks",
            "marks",
            "Which marks go: nonspacing ones (Mn), or all of them (M).",
            Parameter::Kind::choice,
            std::string("nonspacing"),
            0,
            0,
            {"nonspacing", "all"},
            nullptr,
            true}},
          make_strip_accents};
}

}  // namespace headlight::text
