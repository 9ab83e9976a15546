// nfc, nfd, nfkc, nfkd: the normalisation forms of Unicode Standard Annex 15, by utf8proc's tables. Each result keeps the bytes
// of the input that it came from: characters that composition joins or reorders share theirs.
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
  utf8proc_int32_t character;
  Span from;  // the input bytes it came from
};

int class_of(const Part& part) { return combining_class(static_cast<char32_t>(part.character)); }

// Canonical order: by combining class, those of one class as they came; class 0 does not move.
void reorder(std::vector<Part>& stretch) {
  for (std::size_t begin = 0; begin < stretch.size();) {
    std::size_t end = begin + 1;
    if (class_of(stretch[begin]) != 0) {
      while (end < stretch.size() && class_of(stretch[end]) != 0) ++end;
      std::stable_sort(stretch.begin() + static_cast<std::ptrdiff_t>(begin), stretch.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Part& x, const Part& y) { return class_of(x) < class_of(y); });
    }
    begin = end;
  }
}

class UnicodeForm final : public Normalizer {
 public:
  UnicodeForm(bool composed, bool compatible)
      : composed_(composed),
        options_(UTF8PROC_STABLE | (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) | (compatible ? UTF8PROC_COMPAT : 0)) {}

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
      const Span here = text.source(at, at + point.length);
      utf8proc_int32_t parts[32];  // the longest decomposition, U+FDFA under nfkc, has 18
      const auto count =
          utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.value), parts, 32,
                                  static_cast<utf8proc_option_t>((options_ & ~UTF8PROC_COMPOSE) | UTF8PROC_DECOMPOSE), nullptr);
      for (utf8proc_ssize_t i = 0; i < count && i < 32; ++i) {
        if (!stretch.empty() && !joins_before(static_cast<char32_t>(parts[i]))) flush(stretch, result);
        stretch.push_back({parts[i], here});
      }
    });
    flush(stretch, result);
    result.into(text);
  }
  bool may_cut() const override { return true; }

 private:
  // Writes the stretch in its form and empties it.
  void flush(std::vector<Part>& stretch, Rewrite& result) const {
    reorder(stretch);
    std::vector<utf8proc_int32_t> made;
    made.reserve(stretch.size());
    for (const Part& part : stretch) made.push_back(part.character);
    if (composed_ && made.size() > 1) {
      const auto length = utf8proc_normalize_utf32(made.data(), static_cast<utf8proc_ssize_t>(made.size()),
                                                   static_cast<utf8proc_option_t>(options_));
      if (length >= 0) made.resize(static_cast<std::size_t>(length));
    }
    // Characters at the beginning and the end of the stretch that composition did not change keep their own source bytes. Those
    // between were composed, and each gets the source bytes of everything that went into them.
    std::size_t front = 0, back = 0;
    while (front < made.size() && made[front] == stretch[front].character) ++front;
    while (back < made.size() - front && made[made.size() - 1 - back] == stretch[stretch.size() - 1 - back].character) ++back;
    Span middle{0, 0};
    for (std::size_t i = front; i < stretch.size() - back; ++i) {
      const Span& from = stretch[i].from;
      middle = i == front ? from : Span{std::min(middle.start, from.start), std::max(middle.end, from.end)};
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      const bool in_back = i >= made.size() - back;
      const Span from = i < front ? stretch[i].from : in_back ? stretch[i + stretch.size() - made.size()].from : middle;
      result.put(to_utf8(static_cast<char32_t>(made[i])), from);
    }
    stretch.clear();
  }

  bool composed_;
  int options_;
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
