// One token of the rows, written out.
#include <algorithm>
#include <cstdio>

#include "app/text/language.h"
#include "app/views/tokens/data.h"
#include "engine/text/display.h"
#include "engine/text/graphemes.h"
#include "engine/text/grouped_number.h"
#include "engine/text/utf8.h"

namespace headlight::views::tokens {
namespace {

constexpr std::size_t kPaths = 3, kMostElsewhere = 10;

// "2–14", or "2" of one.
std::string range_words(std::int64_t start, std::int64_t end) {
  return end - start <= 1 ? std::to_string(start) : std::to_string(start) + "–" + std::to_string(end - 1);
}

// The part of a BPE's joins that made the piece with these bytes of the word: its own letters and joins alone.
figures::JoinsInput only(const figures::JoinsInput& joins, const figures::JoinsInput::Part& made) {
  figures::JoinsInput part;
  part.letters.assign(joins.letters.begin() + static_cast<std::ptrdiff_t>(made.from),
                      joins.letters.begin() + static_cast<std::ptrdiff_t>(made.to));
  for (const auto& state : joins.states) {
    figures::JoinsInput::State own;
    std::size_t first = state.parts.size();
    for (std::size_t p = 0; p < state.parts.size(); ++p) {
      if (state.parts[p].from < made.from || state.parts[p].to > made.to) continue;
      first = std::min(first, p);
      own.parts.push_back({state.parts[p].from - made.from, state.parts[p].to - made.from, state.parts[p].text});
      if (own.parts.size() > 1) own.ranks.push_back(state.ranks[p - 1]);
    }
    const std::int64_t chosen = state.chosen - static_cast<std::int64_t>(first);
    const bool joins_here = state.chosen >= 0 && chosen >= 0 && chosen + 1 < static_cast<std::int64_t>(own.parts.size());
    own.chosen = joins_here ? chosen : -1;
    if (joins_here || own.parts.size() == 1) part.states.push_back(std::move(own));
    if (!part.states.empty() && part.states.back().parts.size() == 1) break;
  }
  return part;
}

void tell_how(const Context& context, const TokenRowsData& rows, TokenPlace at, figures::TokenStory& story) {
  const NamedTokenizer& one = rows.set[at.row];
  const tokenizers::Token& token = rows.tokens[at.row][at.token];
  if (token.added) {
    story.how = tr("how it came to be");
    story.how_note = tr("An added token: it is found in the text before anything else is done, and no stage sees it.");
    return;
  }
  const auto anatomy = anatomy_of(context, one);
  if (!anatomy) return;
  const std::string& kind = one.tokenizer->kind();
  const auto word = word_at(*anatomy, rows.text, token.start, std::max(token.end, token.start + 1));
  if (!word) return;
  if (kind == "bpe") {
    const figures::JoinsInput all = joins_of(*anatomy, *word);
    story.how = tr("how it came to be");
    if (all.states.empty()) return;
    for (const auto& part : all.states.back().parts) {
      const auto& first = all.letters[part.from];
      const auto& last = all.letters[part.to - 1];
      if (first.start > token.start || last.end < token.end || first.start >= token.end) continue;
      story.joins = only(all, part);
      break;
    }
    const std::size_t joined = story.joins.states.empty() ? 0 : story.joins.states.size() - 1;
    story.how_note = joined == 0   ? tr("It is in the vocabulary as it stands: no join was needed.")
                     : joined == 1 ? tr("Read upward: one join.")
                                   : fill(tr("Read upward: {} joins, the lowest rank first."), {std::to_string(joined)});
    if (joined == 0) story.joins = {};
  } else if (kind == "wordpiece") {
    story.tries = tries_of(*anatomy, *word);
    story.tries.folded = story.tries.tries.size() > 24;
    story.how = tr("the tries for its word");
    story.how_note = story.tries.covered ? tr("The longest piece first; it goes on behind it, and never looks back.")
                                         : tr("No piece fits somewhere, so the whole word is unknown.");
  } else if (kind == "unigram") {
    double paths = 0;
    story.lattice = lattice_of(*anatomy, *word, kPaths, {}, nullptr, &paths);
    story.how = tr("the paths through its word");
    story.how_note = fill(tr("Of {} paths the one with the highest sum wins."),
                          {paths < 1e9 ? text::grouped_number(static_cast<std::int64_t>(paths)) : ">10⁹"});
  } else {
    story.how = tr("how it came to be");
    story.how_note = kind == "words" ? tr("A word is looked up whole; one that is not in the vocabulary is unknown.")
                                     : tr("Every character is looked up by itself.");
  }
}

// What the sign means by which a vocabulary says that a piece begins a word, or continues one.
std::string sign_words(const std::string& piece) {
  if (piece.starts_with("Ġ")) return tr("in this vocabulary Ġ is a space");
  if (piece.starts_with("▁")) return tr("in this vocabulary ▁ is a space");
  return piece.starts_with("##") ? tr("## continues a word") : "";
}

}  // namespace

std::optional<TokenPlace> shown_token(const Context& context, const TokenRowsData& rows) {
  const auto has = [&](std::int64_t row, std::int64_t token) {
    return row >= 0 && row < static_cast<std::int64_t>(rows.tokens.size()) && token >= 0 &&
           token < static_cast<std::int64_t>(rows.tokens[static_cast<std::size_t>(row)].size());
  };
  if (context.transient) {
    const PointedToken& pointed = context.transient->of<PointedToken>();
    if (has(pointed.row, pointed.token))
      return TokenPlace{static_cast<std::size_t>(pointed.row), static_cast<std::size_t>(pointed.token)};
  }
  const auto find = [&](std::size_t row, std::int64_t start, std::int64_t end) -> std::optional<TokenPlace> {
    for (std::size_t t = 0; t < rows.tokens[row].size(); ++t)
      if (rows.tokens[row][t].start < end && rows.tokens[row][t].end > start) return TokenPlace{row, t};
    return std::nullopt;
  };
  const State& view = state_of(context);
  const Hot& hot = context.hover.now;
  const bool chip = hot.byte_start >= 0 && !hot.in_target;
  if (!chip && !view.pinned.empty())
    for (std::size_t row = 0; row < rows.set.size(); ++row)
      if (rows.set[row].name == view.pinned)
        if (const auto found = find(row, view.pinned_start, view.pinned_end)) return found;
  // The document's row, else the first one that has something to tell.
  const auto rank = [&](std::size_t row) {
    if (rows.tokens[row].empty()) return 0;
    const std::string& kind = rows.set[row].tokenizer->kind();
    return rows.set[row].current ? 3 : kind == "characters" || kind == "words" ? 1 : 2;
  };
  std::size_t own = rows.set.size();
  for (std::size_t row = 0; row < rows.set.size(); ++row)
    if (rank(row) > (own == rows.set.size() ? 0 : rank(own))) own = row;
  if (own == rows.set.size()) return std::nullopt;
  if (chip)
    if (const auto found = find(own, hot.byte_start, hot.byte_end)) return found;
  TokenPlace longest{own, 0};
  for (std::size_t t = 0; t < rows.tokens[own].size(); ++t)
    if (rows.tokens[own][t].end - rows.tokens[own][t].start >
        rows.tokens[own][longest.token].end - rows.tokens[own][longest.token].start)
      longest.token = t;
  return longest;
}

figures::TokenStory token_story_of(const Context& context, const TokenRowsData& rows, TokenPlace at) {
  figures::TokenStory story;
  const NamedTokenizer& one = rows.set[at.row];
  const tokenizers::Token& token = rows.tokens[at.row][at.token];
  const figures::TokenRow& row = rows.input.rows[at.row];
  const tokenizers::Tokenizer& tokenizer = *one.tokenizer;
  story.piece = tokenizer.display_text(token.id);
  story.where = fill(tr("{0} · token {1} of {2}"),
                     {one.label, std::to_string(at.token), text::grouped_number(static_cast<std::int64_t>(row.pieces.size()))});
  story.facts.push_back({tr("id"), std::to_string(token.id), token.added ? tr("an added token") : ""});
  if (const auto anatomy = anatomy_of(context, one)) {
    if (const std::int64_t rank = anatomy->rank_of(token.id); rank >= 0)
      story.facts.push_back({tr("merge rank"), text::grouped_number(rank),
                             fill(tr("of {} joins"), {text::grouped_number(anatomy->merge_count())})});
    if (tokenizer.kind() == "unigram") {
      char score[32];
      std::snprintf(score, sizeof score, "%.2f", anatomy->score_of(token.id));
      story.facts.push_back({tr("score"), score, tr("the logarithm of its probability")});
    }
  }
  const std::string_view text = rows.text;
  const auto begin = static_cast<std::size_t>(token.start), size = static_cast<std::size_t>(token.end - token.start);
  const std::int64_t first = text::count_graphemes(text.substr(0, begin)),
                     count = text::count_graphemes(text.substr(begin, size));
  story.facts.push_back({tr("characters"), range_words(first, first + count),
                         fill(tr("{0} of {1}"), {std::to_string(count), std::to_string(rows.input.characters.size())})});
  story.facts.push_back({tr("bytes"), range_words(token.start, token.end),
                         fill(tr("{0} of {1}"), {std::to_string(token.end - token.start), std::to_string(text.size())})});
  if (story.piece != token.piece)
    story.facts.push_back({tr("written"), text::display_text(token.piece), sign_words(token.piece)});
  for (const char c : text.substr(begin, std::min<std::size_t>(size, 64))) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "%s%02x", story.bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
    story.bytes += hex;
  }
  if (tokenizer.vocabulary_size() > 1) {
    story.place = static_cast<double>(token.id) / (tokenizer.vocabulary_size() - 1);
    story.place_end = text::grouped_number(tokenizer.vocabulary_size() - 1);
  }
  tell_how(context, rows, at, story);
  for (std::size_t other = 0; other < rows.set.size() && story.elsewhere.size() < kMostElsewhere; ++other) {
    if (other == at.row || !rows.set[other].tokenizer) continue;
    figures::TokenStory::Elsewhere& line = story.elsewhere.emplace_back();
    line.name = rows.set[other].label;
    std::int64_t pieces = 0;
    for (const auto& piece : rows.input.rows[other].pieces) {
      if (piece.start >= token.end || piece.end <= token.start) continue;
      line.pieces += (pieces++ ? " | " : "") + (piece.unknown ? std::string("[UNK]") : piece.text);
    }
    line.count = std::to_string(pieces);
  }
  return story;
}

}  // namespace headlight::views::tokens
