#include "engine/text/splitters/pre_tokenize.h"

#include <algorithm>
#include <initializer_list>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

enum class Class { letter, number, space, other };

Class class_of(const CodePoint& point) {
  if (!point.valid) return Class::other;
  if (is_letter(point.value)) return Class::letter;
  if (is_number(point.value)) return Class::number;
  return is_whitespace(point.value) ? Class::space : Class::other;
}

// The length of an English contraction's ending at `at`, or 0. No ending begins another, so their order does not matter.
std::int64_t contraction(std::string_view text, std::int64_t at) {
  if (text[static_cast<std::size_t>(at)] != '\'') return 0;
  const std::string_view rest = text.substr(static_cast<std::size_t>(at) + 1);
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"})
    if (rest.starts_with(ending)) return 1 + static_cast<std::int64_t>(ending.size());
  return 0;
}

}  // namespace

const char* name_of(PreTokenizer pre_tokenizer) { return pre_tokenizer == PreTokenizer::words ? "words" : "gpt2"; }

std::vector<Span> split_words(std::string_view text) {
  std::vector<Span> spans;
  std::int64_t start = -1;  // of the word being read
  const auto close = [&](std::int64_t end) {
    if (start >= 0) spans.push_back({start, end});
    start = -1;
  };
  for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
    if (point.valid && is_whitespace(point.value)) {
      close(at);
    } else if (point.valid && (is_punctuation(point.value) || is_ideograph(point.value))) {
      close(at);
      spans.push_back({at, at + point.length});
    } else if (start < 0) {
      start = at;
    }
  });
  close(static_cast<std::int64_t>(text.size()));
  return spans;
}

std::vector<Span> split_gpt2(std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  std::vector<Span> spans;
  // The end of the run of one class that begins at `at`.
  const auto run_end = [&](std::int64_t at, Class wanted) {
    while (at < size) {
      const CodePoint point = decode_at(text, at);
      if (class_of(point) != wanted) break;
      at += point.length;
    }
    return at;
  };
  for (std::int64_t at = 0; at < size;) {
    std::int64_t end = at;
    if (const std::int64_t length = contraction(text, at)) {
      end = at + length;
    } else {
      // " ?X+": an optional ASCII space, then a run of letters, numbers or others.
      const std::int64_t word = text[static_cast<std::size_t>(at)] == ' ' ? at + 1 : at;
      const Class kind = word < size ? class_of(decode_at(text, word)) : Class::space;
      if (kind != Class::space) {
        end = run_end(word, kind);
      } else {
        // "\s+(?!\S)": a run of spaces gives its last one back if a word follows, unless it is that one alone.
        std::int64_t last = at;
        while (end < size) {
          const CodePoint point = decode_at(text, end);
          if (class_of(point) != Class::space) break;
          last = end;
          end += point.length;
        }
        if (end < size && last > at) end = last;
      }
    }
    spans.push_back({at, end});
    at = end;
  }
  return spans;
}

std::vector<Span> split(PreTokenizer pre_tokenizer, std::string_view text) {
  return pre_tokenizer == PreTokenizer::words ? split_words(text) : split_gpt2(text);
}

std::int64_t part_end(std::string_view text, std::int64_t begin, std::int64_t about) {
  const auto size = static_cast<std::int64_t>(text.size());
  for (std::int64_t end = begin + std::max<std::int64_t>(1, about); end < size; ++end) {
    if (text[static_cast<std::size_t>(end)] != '\n') continue;
    std::int64_t last = end - 1;  // the character before the newline
    while (last > begin && last > end - 4 && (static_cast<unsigned char>(text[static_cast<std::size_t>(last)]) & 0xC0u) == 0x80)
      --last;
    const CodePoint point = decode_at(text, last);
    if (point.valid && last + point.length == end && !is_whitespace(point.value)) return end;
  }
  return size;
}

}  // namespace headlight::text
