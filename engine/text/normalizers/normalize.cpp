#include "engine/text/normalizers/normalize.h"

#include <utf8proc.h>

#include <algorithm>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

constexpr Normalizer kAll[] = {Normalizer::nfc, Normalizer::nfd, Normalizer::nfkc, Normalizer::lowercase,
                               Normalizer::strip_accents};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

int combining_class(char32_t c) { return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class; }

// Whether composition could join `c` to what stands before it, or reordering could move it: marks and the vowels and final
// consonants of Hangul. Everything else begins a stretch of text that normalises by itself.
bool joins_before(char32_t c) {
  if (c < 0x300) return false;
  return combining_class(c) != 0 || is_mark(c) || (c >= 0x1160 && c <= 0x11FF);
}

}  // namespace

const char* name_of(Normalizer normalizer) {
  switch (normalizer) {
    case Normalizer::nfc: return "nfc";
    case Normalizer::nfd: return "nfd";
    case Normalizer::nfkc: return "nfkc";
    case Normalizer::lowercase: return "lowercase";
    case Normalizer::strip_accents: return "strip_accents";
  }
  return "";
}

Result<Normalizer> normalizer_named(std::string_view name) {
  std::string known;
  for (const Normalizer normalizer : kAll) {
    if (name == name_of(normalizer)) return normalizer;
    known += (known.empty() ? "" : ", ") + std::string(name_of(normalizer));
  }
  return Error{ErrorKind::not_found, "there is no normaliser '" + std::string(name) + "'", {}, "known are " + known};
}

Span Normalized::source(std::int64_t start, std::int64_t end) const {
  if (sources_.empty()) return {start, end};
  Span span = sources_[static_cast<std::size_t>(start)];
  for (std::int64_t i = start; i < end; ++i) {  // reordered marks may lie before their neighbours
    span.start = std::min(span.start, sources_[static_cast<std::size_t>(i)].start);
    span.end = std::max(span.end, sources_[static_cast<std::size_t>(i)].end);
  }
  return span;
}

void Normalized::replace(std::string text, std::vector<Span> sources) {
  text_ = std::move(text);
  sources_ = std::move(sources);
}

void Normalized::apply(Normalizer normalizer) {
  if (is_ascii(text_)) {  // one byte a character: the bytes keep their places
    if (normalizer == Normalizer::lowercase)
      for (char& c : text_)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return;
  }
  if (normalizer == Normalizer::lowercase || normalizer == Normalizer::strip_accents) {
    apply_each(normalizer);
  } else {
    apply_form(normalizer);
  }
}

void Normalized::apply_each(Normalizer normalizer) {
  std::string result;
  std::vector<Span> sources;
  result.reserve(text_.size());
  sources.reserve(text_.size());
  for_each_code_point(text_, [&](std::int64_t at, const CodePoint& point) {
    if (point.valid && normalizer == Normalizer::strip_accents && is_nonspacing_mark(point.value)) return;
    if (!point.valid || normalizer == Normalizer::strip_accents) {
      result.append(text_, static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
    } else if (point.value == 0x130) {  // the only character whose lower case is two
      result += "i\u0307";
    } else {
      append_utf8(result, to_lower(point.value));
    }
    sources.resize(result.size(), source(at, at + point.length));
  });
  replace(std::move(result), std::move(sources));
}

void Normalized::apply_form(Normalizer normalizer) {
  const int options = UTF8PROC_STABLE | (normalizer == Normalizer::nfd ? UTF8PROC_DECOMPOSE : UTF8PROC_COMPOSE) |
                      (normalizer == Normalizer::nfkc ? UTF8PROC_COMPAT : 0);
  std::string result;
  std::vector<Span> sources;
  result.reserve(text_.size());
  sources.reserve(text_.size());
  struct Part {
    utf8proc_int32_t character;
    Span from;  // the input bytes it came from
  };
  std::vector<Part> stretch;  // decomposed characters that may still reorder and compose
  std::vector<utf8proc_int32_t> composed;
  const auto combining = [](const Part& part) { return combining_class(static_cast<char32_t>(part.character)); };
  const auto flush = [&] {
    // Canonical order: by combining class, those of one class as they came; class 0 does not move.
    for (std::size_t begin = 0; begin < stretch.size();) {
      std::size_t end = begin + 1;
      if (combining(stretch[begin]) != 0) {
        while (end < stretch.size() && combining(stretch[end]) != 0) ++end;
        std::stable_sort(stretch.begin() + static_cast<std::ptrdiff_t>(begin), stretch.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](const Part& x, const Part& y) { return combining(x) < combining(y); });
      }
      begin = end;
    }
    composed.clear();
    for (const Part& part : stretch) composed.push_back(part.character);
    if (normalizer != Normalizer::nfd && composed.size() > 1) {
      const auto length = utf8proc_normalize_utf32(composed.data(), static_cast<utf8proc_ssize_t>(composed.size()),
                                                   static_cast<utf8proc_option_t>(options));
      if (length >= 0) composed.resize(static_cast<std::size_t>(length));
    }
    // What composition left alone at either end keeps its own place; what lies between stands for all that went into it.
    std::size_t front = 0, back = 0;
    while (front < composed.size() && composed[front] == stretch[front].character) ++front;
    while (back < composed.size() - front && composed[composed.size() - 1 - back] == stretch[stretch.size() - 1 - back].character)
      ++back;
    Span middle{0, 0};
    for (std::size_t i = front; i < stretch.size() - back; ++i) {
      const Span& from = stretch[i].from;
      middle = i == front ? from : Span{std::min(middle.start, from.start), std::max(middle.end, from.end)};
    }
    for (std::size_t i = 0; i < composed.size(); ++i) {
      append_utf8(result, static_cast<char32_t>(composed[i]));
      const bool in_back = i >= composed.size() - back;
      sources.resize(result.size(), i < front ? stretch[i].from
                                    : in_back ? stretch[i + stretch.size() - composed.size()].from
                                              : middle);
    }
    stretch.clear();
  };
  for_each_code_point(text_, [&](std::int64_t at, const CodePoint& point) {
    const Span here = source(at, at + point.length);
    if (!point.valid) {
      flush();
      result.append(text_, static_cast<std::size_t>(at), 1);
      sources.resize(result.size(), here);
      return;
    }
    utf8proc_int32_t parts[32];  // the longest decomposition, U+FDFA under nfkc, has 18
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.value), parts, 32,
                                static_cast<utf8proc_option_t>((options & ~UTF8PROC_COMPOSE) | UTF8PROC_DECOMPOSE), nullptr);
    for (utf8proc_ssize_t i = 0; i < count && i < 32; ++i) {
      const auto part = static_cast<char32_t>(parts[i]);
      if (!stretch.empty() && !joins_before(part)) flush();
      stretch.push_back({parts[i], here});
    }
  });
  flush();
  replace(std::move(result), std::move(sources));
}

Normalized normalize(std::string_view text, const std::vector<Normalizer>& normalizers) {
  Normalized normalized(text);
  for (const Normalizer normalizer : normalizers) normalized.apply(normalizer);
  return normalized;
}

}  // namespace headlight::text
