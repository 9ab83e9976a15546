// strip_accents: removes nonspacing marks (category Mn), or all marks (M). After nfd that turns "é" into "e", as BERT's uncased
// models do, which leave the other marks in place.
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

// Marks that came after Unicode 9, of which the library tokenizers' table of all marks is.
constexpr std::pair<char32_t, char32_t> kNewMarks[] = {
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},     {0xB55, 0xB55},
    {0xC04, 0xC04},     {0xC3C, 0xC3C},     {0xCF3, 0xCF3},     {0xD00, 0xD00},     {0xD3B, 0xD3C},     {0xD81, 0xD81},
    {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x1715, 0x1715},   {0x180F, 0x180F},   {0x1ABF, 0x1ACE},   {0x1CF7, 0x1CF7},
    {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},   {0xA8FF, 0xA8FF},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF},
    {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x11073, 0x11074}, {0x110C2, 0x110C2}, {0x11145, 0x11146},
    {0x111C9, 0x111C9}, {0x111CE, 0x111CF}, {0x11241, 0x11241}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x1182C, 0x1183A},
    {0x11930, 0x11943}, {0x119D1, 0x119E4}, {0x11A01, 0x11A99}, {0x11D31, 0x11D97}, {0x11EF3, 0x11F42}, {0x13440, 0x13455},
    {0x16F4F, 0x16F4F}, {0x16F7F, 0x16F87}, {0x16FE4, 0x16FF1}, {0x1CF00, 0x1CF46}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136},
    {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}};

bool is_known_mark(char32_t c) {
  if (c == 0x1CF2 || c == 0x1CF3) return true;  // letters since Unicode 12
  return is_mark(c) && std::none_of(std::begin(kNewMarks), std::end(kNewMarks),
                                    [&](const auto& range) { return c >= range.first && c <= range.second; });
}

class StripAccents final : public Normalizer {
 public:
  explicit StripAccents(bool all) : all_(all) {}

  void apply(Normalized& text) const override {
    if (is_ascii(text.text())) return;
    Rewrite result(text);
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      if (point.valid && (all_ ? is_known_mark(point.value) : is_accent(point.value))) return;
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
