// One word under three algorithms, as the pictures want it.
#include <algorithm>

#include "app/views/tokens/data.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"

namespace headlight::views::tokens {
namespace {

using tokenizers::Anatomy;
using tokenizers::ModelWord;

std::string shown(const ModelWord& word, std::int64_t start, std::int64_t end) {
  return text::display_text(
      std::string_view(word.text.text()).substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
}
figures::Letter letter_of(const ModelWord& word, std::int64_t start, std::int64_t end) {
  const text::Span source = word.source(start, end);
  return {shown(word, start, end), source.start, source.end};
}

// The letters of the word and the bytes at which they begin.
void add_letters(const ModelWord& word, std::int64_t most, std::vector<figures::Letter>& letters,
                 std::vector<std::int64_t>& starts) {
  const std::string_view text = word.text.text();
  text::for_each_code_point(text.substr(0, static_cast<std::size_t>(most)), [&](std::int64_t at, const text::CodePoint& point) {
    letters.push_back(letter_of(word, at, at + point.length));
    starts.push_back(at);
  });
}
std::size_t index_of(const std::vector<std::int64_t>& starts, std::int64_t at) {
  return static_cast<std::size_t>(std::ranges::lower_bound(starts, at) - starts.begin());
}

const NamedTokenizer* chosen(const std::vector<NamedTokenizer>& set, const char* kind, const std::string& name) {
  const NamedTokenizer* first = nullptr;
  for (const NamedTokenizer& one : set) {
    if (!one.tokenizer || one.tokenizer->kind() != kind) continue;
    if (one.name == name) return &one;
    if (!first || (one.current && !first->current)) first = &one;
  }
  return first;
}

}  // namespace

std::optional<ModelWord> word_at(const Anatomy& anatomy, std::string_view text, std::int64_t start, std::int64_t end) {
  std::optional<ModelWord> best;
  std::int64_t most = 0;
  for (ModelWord& word : anatomy.words(text)) {
    const text::Span source = word.source();
    const std::int64_t shared = std::min(end, source.end) - std::max(start, source.start);
    if (shared <= most) continue;
    most = shared;
    best = std::move(word);
  }
  return best;
}

figures::JoinsInput joins_of(const Anatomy& anatomy, const ModelWord& word) {
  figures::JoinsInput input;
  const tokenizers::MergeStory story = anatomy.merges(word.text.text());
  if (story.states.empty()) return input;
  std::vector<std::int64_t> starts;
  for (const auto& part : story.states.front().parts) {
    input.letters.push_back(letter_of(word, part.start, part.end));
    if (part.id >= 0) input.letters.back().text = anatomy.tokenizer().display_text(part.id);
    starts.push_back(part.start);
  }
  for (const auto& state : story.states) {
    auto& row = input.states.emplace_back();
    for (const auto& part : state.parts)
      row.parts.push_back({index_of(starts, part.start), index_of(starts, part.end),
                           part.id >= 0 ? anatomy.tokenizer().display_text(part.id) : shown(word, part.start, part.end)});
    row.ranks = state.ranks;
    row.chosen = state.chosen;
  }
  return input;
}

figures::TriesInput tries_of(const Anatomy& anatomy, const ModelWord& word) {
  figures::TriesInput input;
  std::vector<std::int64_t> starts;
  add_letters(word, Anatomy::kLongest, input.letters, starts);
  const tokenizers::TryStory story = anatomy.tries(word.text.text());
  for (const auto& one : story.tries) {
    const std::size_t from = index_of(starts, one.start), to = index_of(starts, one.end);
    if (to <= input.letters.size() && from < to) input.tries.push_back({from, to, one.id >= 0});
  }
  input.covered = story.covered;
  return input;
}

figures::LatticeInput lattice_of(const Anatomy& anatomy, const ModelWord& word, std::size_t most,
                                 const std::vector<std::int64_t>& forbidden, std::vector<std::int64_t>* ids, double* all_paths) {
  figures::LatticeInput input;
  std::vector<std::int64_t> starts;
  const tokenizers::LatticeStory story = anatomy.lattice(word.text.text(), most, forbidden);
  add_letters(word, story.boundaries.back(), input.letters, starts);
  const auto piece_of = [&](const auto& piece, bool is_forbidden) {
    return figures::LatticeInput::Piece{index_of(starts, piece.start),
                                        index_of(starts, piece.end),
                                        shown(word, piece.start, piece.end),
                                        piece.score,
                                        piece.unknown,
                                        is_forbidden};
  };
  for (const auto& piece : story.pieces) {
    input.pieces.push_back(piece_of(piece, false));
    if (ids) ids->push_back(piece.id);
  }
  // Forbidden pieces stay to be seen, and to be allowed again.
  if (!forbidden.empty())
    for (const auto& piece : anatomy.lattice(word.text.text(), 1).pieces) {
      if (std::ranges::find(forbidden, piece.id) == forbidden.end()) continue;
      input.pieces.push_back(piece_of(piece, true));
      if (ids) ids->push_back(piece.id);
    }
  input.best = story.best;
  for (const auto& path : story.paths) input.paths.push_back({path.pieces, path.sum, path.share});
  if (all_paths) *all_paths = story.all_paths;
  return input;
}

WordData word_data(const Context& context) {
  constexpr std::size_t kPaths = 5;
  WordData data;
  const State& view = state_of(context);
  const std::string* const sentence = token_text(context);
  std::string text = sentence ? *sentence : std::string();
  const auto words = words_of(text);
  const auto is_word = [&](const auto& range) {
    return std::string_view(text).substr(static_cast<std::size_t>(range.first),
                                         static_cast<std::size_t>(range.second - range.first)) == view.word;
  };
  auto at = std::ranges::find_if(words, is_word);
  if (at == words.end() && view.word.empty() && !words.empty()) {
    const bool pinned = view.pinned_start >= 0;
    at = std::ranges::max_element(words, {}, [&](const auto& range) {
      const bool holds = pinned && range.first < view.pinned_end && range.second > view.pinned_start;
      return (holds ? 1 << 20 : 0) + range.second - range.first;
    });
  }
  if (at != words.end()) {
    data.start = at->first;
    data.end = at->second;
  } else {  // a typed word that is not in the sentence
    text = view.word;
    data.end = static_cast<std::int64_t>(text.size());
  }
  data.word = text.substr(static_cast<std::size_t>(data.start), static_cast<std::size_t>(data.end - data.start));
  if (data.word.empty()) return data;
  const std::vector<NamedTokenizer> set = token_set(context);
  const auto begin = [&](const char* kind, const std::string& name,
                         NamedTokenizer& one) -> std::optional<std::pair<std::shared_ptr<const Anatomy>, ModelWord>> {
    const NamedTokenizer* const found = chosen(set, kind, name);
    if (!found) return std::nullopt;
    one = *found;
    const auto anatomy = anatomy_of(context, one);
    data.ready = data.ready && anatomy;
    if (!anatomy) return std::nullopt;
    auto word = word_at(*anatomy, text, data.start, data.end);
    if (!word) return std::nullopt;
    return std::pair(anatomy, std::move(*word));
  };
  if (const auto found = begin("unigram", view.unigram, data.unigram)) {
    data.lattice = lattice_of(*found->first, found->second, kPaths, view.forbidden, &data.lattice_ids, &data.all_paths);
    data.lattice.chosen = data.lattice.paths.empty() ? 0
                                                     : std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, view.path)),
                                                                data.lattice.paths.size() - 1);
  }
  if (const auto found = begin("wordpiece", view.wordpiece, data.wordpiece)) data.tries = tries_of(*found->first, found->second);
  if (const auto found = begin("bpe", view.bpe, data.bpe)) data.joins = joins_of(*found->first, found->second);
  return data;
}

}  // namespace headlight::views::tokens
