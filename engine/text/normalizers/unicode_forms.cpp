// nfc, nfd, nfkc, nfkd: the normalisation forms of Unicode Standard Annex 15, by utf8proc's tables as far as Unicode 9 has them.
// Each character keeps the bytes of the input that it came from, as the library tokenizers says it: a letter that a mark was
// joined to comes from the letter.
#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

// What came after Unicode 9, of which the library tokenizers has its tables, and has a decomposition or an order there.
constexpr std::pair<char32_t, char32_t> kUnknownToForms[] = {
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},     {0xC3C, 0xC3C},     {0xD3B, 0xD3C},
    {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0x32FF, 0x32FF},   {0xA7F2, 0xA7F4},
    {0xA82C, 0xA82C},   {0xAB69, 0xAB69},   {0x10781, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x10D24, 0x10D27},
    {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B},
    {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11938, 0x11938}, {0x1193D, 0x1193E}, {0x11943, 0x11943}, {0x119E0, 0x119E0},
    {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42}, {0x11D44, 0x11D45}, {0x11D97, 0x11D97},
    {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1}, {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
    {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

bool is_unknown_to_forms(char32_t c) {
  const auto* const range = std::lower_bound(std::begin(kUnknownToForms), std::end(kUnknownToForms), c,
                                             [](const auto& one, char32_t value) { return one.second < value; });
  return range != std::end(kUnknownToForms) && range->first <= c;
}

int combining_class(char32_t c) {
  const int order = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  return order != 0 && is_unknown_to_forms(c) ? 0 : order;
}

// Whether composition could join `c` to what stands before it, or reordering could move it: marks and the vowels and final
// consonants of Hangul. Everything else begins a stretch of text that normalises by itself.
bool joins_before(char32_t c) {
  if (c < 0x300) return false;
  return combining_class(c) != 0 || is_mark(c) || (c >= 0x1160 && c <= 0x11FF);
}

struct Part {
  char32_t character;
  std::int64_t change;  // 1: it came out of the character before it (Rewrite::change)
  int order;            // its combining class
};

// Canonical order: by combining class, those of one class as they came; class 0 does not move.
void reorder(std::vector<Part>& stretch) {
  for (std::size_t begin = 0; begin < stretch.size();) {
    std::size_t end = begin + 1;
    if (stretch[begin].order != 0) {
      while (end < stretch.size() && stretch[end].order != 0) ++end;
      std::stable_sort(stretch.begin() + static_cast<std::ptrdiff_t>(begin), stretch.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Part& x, const Part& y) { return x.order < y.order; });
    }
    begin = end;
  }
}

// The one character that two are; 0: they do not compose.
char32_t composed_of(char32_t a, char32_t b) {
  utf8proc_int32_t pair[2] = {static_cast<utf8proc_int32_t>(a), static_cast<utf8proc_int32_t>(b)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  if (utf8proc_normalize_utf32(pair, 2, options) != 1) return 0;
  const auto joined = static_cast<char32_t>(pair[0]);
  return is_unknown_to_forms(joined) ? 0 : joined;
}

// Joins every character to the last one of class 0 before it, where the two compose and nothing between stands in the way.
void compose(std::vector<Part>& stretch) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t kept = 0, starter = kNone;
  int last = -1;  // the class of what stands between; -1: nothing does
  for (const Part part : stretch) {
    if (starter != kNone && last < part.order)
      if (const char32_t joined = composed_of(stretch[starter].character, part.character)) {
        stretch[starter].character = joined;
        stretch[starter].change += part.change - 1;
        continue;
      }
    if (part.order == 0) starter = kept;
    last = part.order == 0 || starter == kNone ? -1 : part.order;
    stretch[kept++] = part;
  }
  stretch.resize(kept);
}

class UnicodeForm final : public Normalizer {
 public:
  UnicodeForm(bool composed, bool compatible)
      : composed_(composed),
        options_(static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0))) {}

  void apply(Normalized& text) const override {
    if (is_ascii(text.text())) return;
    Rewrite result(text);
    std::vector<Part> stretch;  // decomposed characters that may still reorder and compose
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      if (!point.valid) {
        flush(stretch, result);
        result.keep(at, at + 1);
        return;
      }
      utf8proc_int32_t parts[32];  // the longest decomposition, U+FDFA under nfkc, has 18
      auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.value), parts, 32, options_, nullptr);
      if ((count != 1 || parts[0] != static_cast<utf8proc_int32_t>(point.value)) && is_unknown_to_forms(point.value)) {
        parts[0] = static_cast<utf8proc_int32_t>(point.value);
        count = 1;
      }
      for (utf8proc_ssize_t i = 0; i < count && i < 32; ++i) {
        const auto c = static_cast<char32_t>(parts[i]);
        if (!stretch.empty() && !joins_before(c)) flush(stretch, result);
        stretch.push_back({c, i > 0 ? 1 : 0, combining_class(c)});
      }
    });
    flush(stretch, result);
    result.into(text);
  }
  bool may_cut() const override { return true; }

 private:
  // Writes the stretch in its form and empties it.
  void flush(std::vector<Part>& stretch, Rewrite& result) const {
    if (stretch.size() > 1) {
      reorder(stretch);
      if (composed_) compose(stretch);
    }
    for (const Part& part : stretch) result.change(part.character, part.change);
    stretch.clear();
  }

  bool composed_;
  utf8proc_option_t options_;
};

template <bool composed, bool compatible>
Result<std::shared_ptr<const Normalizer>> make_unicode_forms(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<UnicodeForm>(composed, compatible));
}

constexpr const char* kSource = "Unicode Standard Annex 15";

}  // namespace

NormalizerEntry nfc() { return {"nfc", "NFC", "canonical composition", kSource, {}, make_unicode_forms<true, false>}; }
NormalizerEntry nfd() { return {"nfd", "NFD", "canonical decomposition", kSource, {}, make_unicode_forms<false, false>}; }
NormalizerEntry nfkc() { return {"nfkc", "NFKC", "compatibility composition", kSource, {}, make_unicode_forms<true, true>}; }
NormalizerEntry nfkd() { return {"nfkd", "NFKD", "compatibility decomposition", kSource, {}, make_unicode_forms<false, true>}; }

}  // namespace headlight::text
