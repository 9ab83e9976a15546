// nfc, nfd, nfkc, nfkd: the normalisation forms of Unicode Standard Annex 15, by utf8proc's tables. Each character keeps the
// bytes of the input that it came from, as the library tokenizers says it: a letter that a mark was joined to comes from the
// letter.
#include <utf8proc.h>

#include <algorithm>

#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

int combining_class(char32_t c) { return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class; }

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
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
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
      const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.value), parts, 32, options_, nullptr);
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
