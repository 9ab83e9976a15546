#include "engine/text/patterns/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headlight::text {
namespace {

// What \s and \w are for Oniguruma, as the inside of a class; PCRE2's own differ in a few characters.
constexpr std::string_view kSpace =
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
constexpr std::string_view kWord =
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}"
    "\\x{1f170}-\\x{1f189}\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}";  // and Latin-1's raised digits and fractions
// Steps of one search before it is given up: a hostile pattern ends.
constexpr std::uint32_t kMostSteps = 5'000'000;

Failure differs(std::string_view part) {
  return invalid("'{}' in a regular expression cannot be read", part).mend("give a file whose pattern does without it");
}

// The expression as PCRE2 reads it.
Result<std::string> translated(std::string_view from) {
  std::string to;
  int depth = 0;  // of brackets of a class
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    const std::string_view rest = from.substr(i);
    if (c == '\\' && i + 1 < from.size()) {
      const char next = from[++i];
      const bool in_class = depth > 0;
      if (next == 'h' || next == 'H' || next == 'K' || next == 'G' || next == 'y' || next == 'Y')
        return differs(from.substr(i - 1, 2));
      if (next == 's' || next == 'w') {
        const std::string_view kind = next == 's' ? kSpace : kWord;
        to += in_class ? std::string(kind) : "[" + std::string(kind) + "]";
      } else if (next == 'S' || next == 'W') {
        if (in_class) return differs(from.substr(i - 1, 2));
        to += "[^" + std::string(next == 'S' ? kSpace : kWord) + "]";
      } else {
        to += c;
        to += next;
      }
      continue;
    }
    if (depth > 0 && rest.starts_with("&&")) return differs("&&");
    if (c == '[') {
      if (depth > 0 && !rest.starts_with("[:")) return differs("a class in a class");
      if (rest.starts_with("[:") && depth > 0) {  // [[:alpha:]]
        const std::size_t end = from.find(":]", i);
        if (end == std::string_view::npos) return differs("[:");
        to += from.substr(i, end + 2 - i);
        i = end + 1;
        continue;
      }
      depth = 1;
      to += c;
      if (i + 1 < from.size() && from[i + 1] == '^') to += from[++i];
      if (i + 1 < from.size() && from[i + 1] == ']') to += "\\]", ++i;  // the first one is a letter
      continue;
    }
    if (c == ']' && depth > 0) depth = 0;
    // For Oniguruma the + of {1,3}+ repeats the repetition.
    if (c == '}' && depth == 0 && i + 1 < from.size() && from[i + 1] == '+') {
      const std::size_t open = from.rfind('{', i);
      if (open != std::string_view::npos && open > 0 && from[open - 1] != 'p' && from[open - 1] != 'P' && from[open - 1] != 'x')
        return differs(from.substr(open, i + 2 - open));
    }
    to += c;
  }
  return to;
}

}  // namespace

struct Pattern::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_code_free(code);
    pcre2_match_context_free(context);
  }
};

Result<Pattern> Pattern::of(std::string_view expression) {
  HL_ASSIGN(const std::string own, translated(expression));
  const auto made = std::make_shared<Code>();
  int number = 0;
  PCRE2_SIZE place = 0;
  pcre2_compile_context* const compiling = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(compiling, PCRE2_NEWLINE_LF);
  made->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(own.data()), own.size(),
                             PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &number,
                             &place, compiling);
  pcre2_compile_context_free(compiling);
  if (!made->code) {
    std::array<PCRE2_UCHAR, 160> words{};
    pcre2_get_error_message(number, words.data(), words.size());
    return invalid("the regular expression '{}' cannot be read: {}", expression,
                   Message::term(reinterpret_cast<const char*>(words.data())))
        .mend("fetch the file again");
  }
  pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE);  // without it the search is slower and the same
  made->context = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(made->context, kMostSteps);
  Pattern pattern;
  pattern.code_ = made;
  return pattern;
}

std::vector<Stretch> Pattern::stretches(std::string_view text) const {
  std::vector<Stretch> all;
  const auto size = static_cast<std::int64_t>(text.size());
  std::int64_t previous = 0;
  pcre2_match_data* const data = pcre2_match_data_create(1, nullptr);
  for (std::int64_t from = 0; from <= size;) {
    const auto search = [&](std::uint32_t options) {
      return pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), static_cast<PCRE2_SIZE>(from),
                         options, data, code_->context);
    };
    int found = search(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(PCRE2_NO_JIT);  // slower, with the heap as its stack
    if (found < 0) break;
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data);
    const auto start = static_cast<std::int64_t>(ends[0]), end = static_cast<std::int64_t>(ends[1]);
    if (end > start) {
      if (start > previous) all.push_back({{previous, start}, false});
      all.push_back({{start, end}, true});
      previous = from = end;
      continue;
    }
    // An empty match divides what stands before it from what follows; directly behind a match it is none.
    if (start > previous) {
      all.push_back({{previous, start}, false});
      previous = start;
    }
    from = start + 1;
    while (from < size && (static_cast<unsigned char>(text[static_cast<std::size_t>(from)]) & 0xC0u) == 0x80) ++from;
  }
  pcre2_match_data_free(data);
  if (previous < size) all.push_back({{previous, size}, false});
  return all;
}

std::optional<Matches> matches_named(std::string_view name) {
  constexpr std::pair<std::string_view, Matches> names[] = {{"isolated", Matches::isolated},
                                                            {"removed", Matches::removed},
                                                            {"with_previous", Matches::with_previous},
                                                            {"with_next", Matches::with_next},
                                                            {"contiguous", Matches::contiguous}};
  for (const auto& [known, matches] : names)
    if (name == known) return matches;
  return std::nullopt;
}

std::vector<Span> words_of(const std::vector<Stretch>& stretches, Matches matches) {
  std::vector<Span> words;
  words.reserve(stretches.size());
  const auto join = [&](const Stretch& one, bool joins, bool before) {
    if (!joins || words.empty())
      words.push_back(one.span);
    else if (before)
      words.back().start = one.span.start;
    else
      words.back().end = one.span.end;
  };
  bool previous = false;  // the one before was a match
  if (matches == Matches::with_next) {
    for (auto one = stretches.rbegin(); one != stretches.rend(); ++one) {
      join(*one, one->match && !previous, true);
      previous = one->match;
    }
    std::reverse(words.begin(), words.end());
    return words;
  }
  for (const Stretch& one : stretches) {
    if (matches == Matches::removed) {
      if (!one.match) words.push_back(one.span);
      continue;
    }
    join(one,
         matches == Matches::contiguous ? one.match == previous : matches == Matches::with_previous && one.match && !previous,
         false);
    previous = one.match;
  }
  return words;
}

}  // namespace headlight::text
