#include "engine/text/patterns/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "engine/text/graphemes.h"
#include "engine/text/newer_characters.h"
#include "engine/text/patterns/oniguruma.h"

namespace headlight::text {
namespace {

// Steps of one search before it is given up: a hostile pattern ends.
constexpr std::uint32_t kMostSteps = 5'000'000;

// Whether an expression of PCRE2 has \G or \K.
bool moves_matches(std::string_view expression) {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] != '\\') continue;
    ++i;
    if (expression[i] == 'G' || expression[i] == 'K') return true;
  }
  return false;
}

// Where grapheme clusters end in a text, for an expression that asks.
struct ClusterEnds {
  std::string_view text;
  std::vector<bool> ends;  // by byte, and one behind the last
};

ClusterEnds cluster_ends(std::string_view text) {
  ClusterEnds made{text, std::vector<bool>(text.size() + 1)};
  made.ends.front() = true;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    at = grapheme_end(text, at, false);
    made.ends[static_cast<std::size_t>(at)] = true;
  }
  return made;
}

// PCRE2 calls this at (?C1), which only ends of clusters pass, and at (?C2), which only other places pass.
int ask_cluster_ends(pcre2_callout_block* block, void* data) {
  const auto& clusters = *static_cast<const ClusterEnds*>(data);
  const auto at = reinterpret_cast<const char*>(block->subject) + block->current_position - clusters.text.data();
  return clusters.ends[static_cast<std::size_t>(at)] == (block->callout_number == 1) ? 0 : 1;
}

}  // namespace

struct Pattern::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;
  bool names_newer = false;  // a character that PCRE2's tables lack stands in the expression
  bool moves = false;        // it has \G or \K: behind an empty match another may begin where that one ended
  bool asks = false;         // it may have (?C1) or (?C2)
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_code_free(code);
    pcre2_match_context_free(context);
  }
};

Result<Pattern> Pattern::of(std::string_view expression) {
  HL_ASSIGN(const std::string own, from_oniguruma(expression));
  const auto made = std::make_shared<Code>();
  int number = 0;
  PCRE2_SIZE place = 0;
  pcre2_compile_context* const compiling = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(compiling, PCRE2_NEWLINE_LF);
  // What PCRE2 leaves out for speed, it leaves out as if every (?C1) passed.
  made->asks = own.find("(?C") != std::string::npos;
  const std::uint32_t careful =
      made->asks ? PCRE2_NO_AUTO_POSSESS | PCRE2_NO_DOTSTAR_ANCHOR | PCRE2_NO_START_OPTIMIZE : std::uint32_t{0};
  made->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(own.data()), own.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | careful,
                    &number, &place, compiling);
  pcre2_compile_context_free(compiling);
  if (!made->code) {
    std::array<PCRE2_UCHAR, 160> words{};
    pcre2_get_error_message(number, words.data(), words.size());
    constexpr std::size_t kShown = 200;
    const std::string shown =
        expression.size() <= kShown ? std::string(expression) : std::string(expression.substr(0, kShown)) + "…";
    return invalid("the regular expression '{}' cannot be read: {}", shown,
                   Message::term(reinterpret_cast<const char*>(words.data())))
        .mend("fetch the file again");
  }
  pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE);  // without it the search is slower and the same
  made->context = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(made->context, kMostSteps);
  made->moves = moves_matches(own);
  made->names_newer = !with_older_characters(expression).empty();
  Pattern pattern;
  pattern.code_ = made;
  return pattern;
}

std::vector<Stretch> Pattern::stretches(std::string_view text) const {
  std::vector<Stretch> all;
  if (text.empty()) return all;
  // PCRE2's tables are of Unicode 14, those of other tokenizers of Unicode 16.
  const std::string older = code_->names_newer ? std::string() : with_older_characters(text);
  const std::string_view searched = older.empty() ? text : std::string_view(older);
  const auto size = static_cast<std::int64_t>(text.size());
  std::int64_t previous = 0;     // where the last match ends
  std::int64_t last_match = -1;  // the same; -1: there was none
  pcre2_match_data* const data = pcre2_match_data_create(1, nullptr);
  pcre2_match_context* const asking = code_->asks ? pcre2_match_context_copy(code_->context) : nullptr;
  ClusterEnds clusters;
  if (asking) {
    clusters = cluster_ends(searched);
    pcre2_set_callout(asking, ask_cluster_ends, &clusters);
  }
  for (std::int64_t from = 0; from <= size;) {
    const auto search = [&](std::uint32_t options) {
      return pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(searched.data()), searched.size(),
                         static_cast<PCRE2_SIZE>(from), options, data, asking ? asking : code_->context);
    };
    int found = search(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(PCRE2_NO_JIT);  // slower, with the heap as its stack
    if (found < 0) break;
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data);
    const auto start = static_cast<std::int64_t>(ends[0]), end = static_cast<std::int64_t>(ends[1]);
    const bool is_new = end > start || start != last_match;  // directly behind a match an empty one is none
    if (is_new) {
      if (start > previous) all.push_back({{previous, start}, false});
      all.push_back({{start, end}, true});
      previous = from = last_match = end;
    }
    if (end > start || (code_->moves && is_new)) continue;
    from = end + 1;
    while (from < size && (static_cast<unsigned char>(text[static_cast<std::size_t>(from)]) & 0xC0u) == 0x80) ++from;
  }
  pcre2_match_data_free(data);
  pcre2_match_context_free(asking);
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
  const auto is_empty = [](const Span& word) { return word.start == word.end; };  // a match of nothing divides
  bool previous = false;                                                          // the one before was a match
  if (matches == Matches::with_next) {
    for (auto one = stretches.rbegin(); one != stretches.rend(); ++one) {
      join(*one, one->match && !previous, true);
      previous = one->match;
    }
    std::reverse(words.begin(), words.end());
    std::erase_if(words, is_empty);
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
  std::erase_if(words, is_empty);
  return words;
}

}  // namespace headlight::text
