#include "engine/tokenizers/training/unigram_lattices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/text/patterns/scripts.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

// Numbers of characters: the end of a word before a space, and of a line; one outside the alphabet; the alphabet's first.
constexpr std::uint32_t kSpaceBehind = 0, kLineEnd = 1, kOutside = 2, kFirst = 3;
constexpr char32_t kSpace = 0x2581;     // ▁
constexpr double kUnknownPenalty = 10;  // what an unknown character costs more than the least piece
constexpr double kImpossible = -std::numeric_limits<double>::infinity();
// Up to here products of probabilities are numbers of double: a piece has at least e^-31.
constexpr std::int64_t kShortStretch = 20;
constexpr std::int64_t kShares =
    8;  // of the corpus, each with sums of its own, so that sums are the same for any number of threads

// An edge: (piece + 1) << kLengthBits | length.
constexpr std::uint32_t kLengthBits = 5;
std::uint32_t edge_of(std::size_t piece, std::int32_t length) {
  return static_cast<std::uint32_t>(piece + 1) << kLengthBits | static_cast<std::uint32_t>(length);
}

std::size_t length_of(std::uint32_t edge) { return edge & ((1u << kLengthBits) - 1); }

double log_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == kImpossible ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace

Result<UnigramLattices> UnigramLattices::of(const std::vector<CorpusWord>& words,
                                            const std::vector<std::pair<char32_t, std::int64_t>>& alphabet, std::size_t most,
                                            const CancelToken& cancel) {
  UnigramLattices made;
  std::vector<std::uint32_t> numbers(0x110000, kOutside);
  for (const auto& [character, count] : alphabet) {
    numbers[character] = static_cast<std::uint32_t>(made.alphabet_.size()) + kFirst;
    made.alphabet_.push_back(character);
  }
  const auto add = [&](const CorpusWord& word, std::int64_t count, std::uint32_t ending) {
    auto begin = static_cast<std::int64_t>(made.text_.size());
    const auto end_stretch = [&] {
      const auto end = static_cast<std::int64_t>(made.text_.size());
      if (end > begin) made.stretches_.push_back({begin, end, static_cast<double>(count)});
      begin = end + 1;
    };
    text::for_each_code_point(word.word, [&](std::int64_t, const text::CodePoint& point) {
      const std::uint32_t number = point.valid ? numbers[point.value] : kOutside;
      if (number == kOutside) end_stretch();
      made.text_.push_back(number);
    });
    end_stretch();
    made.text_.push_back(ending);
    made.weights_.resize(made.text_.size(), static_cast<float>(count));
  };
  for (const CorpusWord& word : words) {
    made.words_.push_back(static_cast<std::int64_t>(made.text_.size()));
    // One that stands both before spaces and at ends of lines is there twice: it is followed by two characters.
    if (word.count > word.ends_line) add(word, word.count - word.ends_line, kSpaceBehind);
    if (word.ends_line > 0) add(word, word.ends_line, kLineEnd);
  }
  if (made.text_.size() >= std::numeric_limits<std::uint32_t>::max())
    return failure(ErrorKind::too_large, "the different words of the corpus have {} characters", made.text_.size())
        .at("corpus")
        .mend("give a part of it");
  if (cancel.cancelled()) return cancelled();
  std::vector<std::uint32_t> order;
  for (std::size_t place = 0; place < made.text_.size(); ++place)
    if (made.text_[place] >= kFirst) order.push_back(static_cast<std::uint32_t>(place));
  std::vector<Seed> seeds = made.seeds(order, most);
  if (cancel.cancelled()) return cancelled();

  std::vector<std::int64_t> place_of(alphabet.size(), 0);
  for (std::size_t place = made.text_.size(); place-- > 0;)
    if (made.text_[place] >= kFirst) place_of[made.text_[place] - kFirst] = static_cast<std::int64_t>(place);
  double sum = 0;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    made.pieces_.push_back({place_of[i], 1, static_cast<double>(alphabet[i].second), true});
    sum += made.pieces_.back().score;
  }
  for (const Seed& seed : seeds) {
    made.pieces_.push_back({order[seed.begin], seed.length, seed.score, false});
    sum += seed.score;
  }
  for (UnigramPiece& piece : made.pieces_) piece.score = std::log(piece.score) - std::log(sum);
  made.add_edges(seeds, order);
  return made;
}

// The order of all places is refined character by character: the places where one substring stands are then a range of it.
std::vector<UnigramLattices::Seed> UnigramLattices::seeds(std::vector<std::uint32_t>& order, std::size_t most) const {
  constexpr int kAny = -1;
  std::vector<int> script(alphabet_.size() + kFirst, kAny);
  for (std::size_t i = 0; i < alphabet_.size(); ++i)
    if (alphabet_[i] != kSpace) script[i + kFirst] = text::script_of(alphabet_[i]);
  struct Range {
    std::size_t begin, end;
    std::int32_t depth;
    int script;
  };
  std::vector<Seed> found;
  std::vector<Range> open{{0, order.size(), 0, kAny}};
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> moved;
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    const auto next = [&](std::uint32_t place) { return text_[place + static_cast<std::size_t>(range.depth)]; };
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(range.begin),
               last = order.begin() + static_cast<std::ptrdiff_t>(range.end);
    if (4 * (range.end - range.begin) > script.size()) {  // sorted by counting
      starts.assign(script.size() + 1, 0);
      for (auto place = first; place != last; ++place) ++starts[next(*place) + 1];
      for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
      moved.assign(first, last);
      for (const std::uint32_t place : moved) order[range.begin + starts[next(place)]++] = place;
    } else {
      std::sort(first, last, [&](std::uint32_t a, std::uint32_t b) { return next(a) != next(b) ? next(a) < next(b) : a < b; });
    }
    int different = 0;
    for (std::size_t begin = range.begin; begin < range.end;) {
      const std::uint32_t character = next(order[begin]);
      std::size_t end = begin + 1;
      while (end < range.end && next(order[end]) == character) ++end;
      ++different;
      const bool space = character >= kFirst && alphabet_[character - kFirst] == kSpace;
      const bool joins =
          character >= kFirst && (space ? range.depth == 0 : range.script == kAny || script[character] == range.script);
      if (joins && end - begin > 1 && range.depth < kLongest) open.push_back({begin, end, range.depth + 1, script[character]});
      begin = end;
    }
    if (range.depth < 2 || different < 2) continue;
    double count = 0;
    for (auto place = first; place != last; ++place) count += static_cast<double>(weights_[*place]);
    found.push_back({range.begin, range.end, range.depth, count * range.depth});
  }
  const auto better = [](const Seed& a, const Seed& b) { return a.score != b.score ? a.score > b.score : a.begin < b.begin; };
  if (found.size() > most) {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(), better);
    found.resize(most);
  }
  std::sort(found.begin(), found.end(), better);
  return found;
}

void UnigramLattices::add_edges(const std::vector<Seed>& seeds, const std::vector<std::uint32_t>& order) {
  first_.assign(text_.size() + 1, 0);
  for (std::size_t place = 0; place < text_.size(); ++place)
    if (text_[place] >= kFirst) ++first_[place + 1];
  for (const Seed& seed : seeds)
    for (std::size_t i = seed.begin; i < seed.end; ++i) ++first_[order[i] + std::size_t{1}];
  for (std::size_t place = 0; place < text_.size(); ++place) first_[place + 1] += first_[place];
  edges_.resize(static_cast<std::size_t>(first_.back()));
  std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t place = 0; place < text_.size(); ++place)
    if (text_[place] >= kFirst) edges_[static_cast<std::size_t>(next[place]++)] = edge_of(text_[place] - kFirst, 1);
  for (std::int32_t length = 2; length <= kLongest; ++length)
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      if (seeds[s].length != length) continue;
      for (std::size_t i = seeds[s].begin; i < seeds[s].end; ++i)
        edges_[static_cast<std::size_t>(next[order[i]]++)] = edge_of(alphabet_.size() + s, length);
    }
}

std::string UnigramLattices::text_of(const UnigramPiece& piece) const {
  std::string text;
  for (std::int64_t i = 0; i < piece.length; ++i)
    text::append_utf8(text, alphabet_[text_[static_cast<std::size_t>(piece.place + i)] - kFirst]);
  return text;
}

void UnigramLattices::keep(const std::vector<bool>& keep) {
  std::vector<std::uint32_t> renumbered(pieces_.size() + 1, 0);  // by piece + 1; 0: taken out
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!keep[i]) continue;
    pieces_[kept] = pieces_[i];
    renumbered[i + 1] = static_cast<std::uint32_t>(++kept);
  }
  pieces_.resize(kept);
  std::size_t to = 0;
  std::int64_t from = 0;
  for (std::size_t place = 0; place + 1 < first_.size(); ++place) {
    const std::int64_t end = first_[place + 1];
    first_[place] = static_cast<std::int64_t>(to);
    for (; from < end; ++from) {
      const Edge edge = edges_[static_cast<std::size_t>(from)];
      const auto length = static_cast<std::uint32_t>(length_of(edge)), piece = renumbered[edge >> kLengthBits];
      if (piece != 0 || length == 1) edges_[to++] = piece << kLengthBits | length;
    }
  }
  first_.back() = static_cast<std::int64_t>(to);
  edges_.resize(to);
}

std::vector<double> UnigramLattices::scores() const {
  std::vector<double> scores{0};
  double least = 0;
  for (const UnigramPiece& piece : pieces_) {
    scores.push_back(piece.score);
    least = std::min(least, piece.score);
  }
  scores[0] = least - kUnknownPenalty;
  return scores;
}

double UnigramLattices::add_short(const Stretch& stretch, const std::vector<double>& probabilities,
                                  std::vector<double>& counts) const {
  std::array<double, kShortStretch + 1> before{}, behind{};
  const auto size = static_cast<std::size_t>(stretch.end - stretch.begin);
  before[0] = behind[size] = 1;
  for (std::size_t i = 0; i < size; ++i)
    for (const Edge edge : edges_at(stretch.begin + static_cast<std::int64_t>(i)))
      before[i + length_of(edge)] += before[i] * probabilities[edge >> kLengthBits];
  const double share = stretch.weight / before[size];
  for (std::size_t i = size; i-- > 0;)
    for (const Edge edge : edges_at(stretch.begin + static_cast<std::int64_t>(i))) {
      const double rest = probabilities[edge >> kLengthBits] * behind[i + length_of(edge)];
      behind[i] += rest;
      counts[edge >> kLengthBits] += share * before[i] * rest;
    }
  return std::log(before[size]);
}

double UnigramLattices::add_long(const Stretch& stretch, const std::vector<double>& scores, std::vector<double>& counts) const {
  const auto size = static_cast<std::size_t>(stretch.end - stretch.begin);
  std::vector<double> before(size + 1, kImpossible), behind(size + 1, kImpossible);
  before[0] = behind[size] = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (const Edge edge : edges_at(stretch.begin + static_cast<std::int64_t>(i))) {
      double& to = before[i + length_of(edge)];
      to = log_sum(to, before[i] + scores[edge >> kLengthBits]);
    }
  for (std::size_t i = size; i-- > 0;)
    for (const Edge edge : edges_at(stretch.begin + static_cast<std::int64_t>(i))) {
      const double rest = scores[edge >> kLengthBits] + behind[i + length_of(edge)];
      behind[i] = log_sum(behind[i], rest);
      counts[edge >> kLengthBits] += stretch.weight * std::exp(before[i] + rest - before[size]);
    }
  return before[size];
}

Result<UnigramLattices::Expected> UnigramLattices::expected(const CancelToken& cancel) const {
  const std::vector<double> scores = this->scores();
  std::vector<double> probabilities;
  for (const double score : scores) probabilities.push_back(std::exp(score));
  std::vector<Expected> shares(kShares);
  const auto size = static_cast<std::int64_t>(stretches_.size());
  const bool whole = parallel_for(
      kShares, 1,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t share = first; share < last; ++share) {
          Expected& sums = shares[static_cast<std::size_t>(share)];
          sums.counts.assign(scores.size(), 0);
          for (std::int64_t i = size * share / kShares; i < size * (share + 1) / kShares; ++i) {
            if (i % 4096 == 0 && cancel.cancelled()) return;
            const Stretch& stretch = stretches_[static_cast<std::size_t>(i)];
            const bool is_short = stretch.end - stretch.begin <= kShortStretch;
            sums.log_likelihood += stretch.weight * (is_short ? add_short(stretch, probabilities, sums.counts)
                                                              : add_long(stretch, scores, sums.counts));
          }
        }
      },
      cancel);
  if (!whole || cancel.cancelled()) return cancelled();
  Expected sum;
  sum.counts.assign(pieces_.size(), 0);
  for (const Expected& share : shares) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) sum.counts[i] += share.counts[i + 1];
    sum.log_likelihood += share.log_likelihood;
  }
  return sum;
}

template <class Visit>
void UnigramLattices::each_of_best(std::int64_t begin, std::int64_t end, const std::vector<double>& scores, Visit&& visit) const {
  struct Node {
    double score = kImpossible;
    Edge edge = 0;
  };
  thread_local std::vector<Node> nodes;
  nodes.assign(static_cast<std::size_t>(end - begin) + 1, {});
  nodes[0].score = 0;
  for (std::int64_t place = begin; place < end; ++place) {
    const double before = nodes[static_cast<std::size_t>(place - begin)].score;
    for (const Edge edge : edges_at(place)) {
      Node& node = nodes[static_cast<std::size_t>(place - begin) + length_of(edge)];
      if (const double score = before + scores[edge >> kLengthBits]; score > node.score) node = {score, edge};
    }
  }
  for (std::int64_t at = end; at > begin;) {
    const Edge edge = nodes[static_cast<std::size_t>(at - begin)].edge;
    visit(edge >> kLengthBits, static_cast<std::int64_t>(length_of(edge)));
    at -= static_cast<std::int64_t>(length_of(edge));
  }
}

Result<std::vector<double>> UnigramLattices::best_counts(const CancelToken& cancel) const {
  const std::vector<double> scores = this->scores();
  std::vector<std::vector<double>> shares(kShares);
  const auto size = static_cast<std::int64_t>(stretches_.size());
  const bool whole = parallel_for(
      kShares, 1,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t share = first; share < last; ++share) {
          std::vector<double>& counts = shares[static_cast<std::size_t>(share)];
          counts.assign(scores.size(), 0);
          for (std::int64_t i = size * share / kShares; i < size * (share + 1) / kShares; ++i) {
            if (i % 4096 == 0 && cancel.cancelled()) return;
            const Stretch& stretch = stretches_[static_cast<std::size_t>(i)];
            each_of_best(stretch.begin, stretch.end, scores,
                         [&](std::size_t piece, std::int64_t) { counts[piece] += stretch.weight; });
          }
        }
      },
      cancel);
  if (!whole || cancel.cancelled()) return cancelled();
  std::vector<double> sum(pieces_.size(), 0);
  for (const std::vector<double>& share : shares)
    for (std::size_t i = 0; i < pieces_.size(); ++i) sum[i] += share[i + 1];
  return sum;
}

UnigramLattices::Cuts UnigramLattices::cuts_of(std::int64_t begin, std::int64_t end, const std::vector<double>& scores) const {
  // The best two ways to a place; `rank` says which of the two to the edge's start goes on.
  struct Way {
    double score = kImpossible;
    Edge edge = 0;
    std::size_t rank = 0;
  };
  const auto size = static_cast<std::size_t>(end - begin);
  std::vector<std::array<Way, 2>> ways(size + 1);
  ways[0][0].score = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (const Edge edge : edges_at(begin + static_cast<std::int64_t>(i))) {
      if (i + length_of(edge) > size) break;
      auto& [best, second] = ways[i + length_of(edge)];
      for (std::size_t rank = 0; rank < 2; ++rank) {
        if (ways[i][rank].score == kImpossible) break;
        const double score = ways[i][rank].score + scores[edge >> kLengthBits];
        if (score > best.score) {
          second = best;
          best = {score, edge, rank};
        } else if (score > second.score) {
          second = {score, edge, rank};
        }
      }
    }
  const auto back = [&](std::size_t rank) {
    std::vector<std::int32_t> pieces;
    for (std::size_t at = size; at > 0;) {
      const Way& way = ways[at][rank];
      if (way.score == kImpossible) return std::vector<std::int32_t>();
      pieces.push_back(static_cast<std::int32_t>(way.edge >> kLengthBits) - 1);
      at -= length_of(way.edge);
      rank = way.rank;
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
  };
  return {back(0), back(1)};
}

std::vector<std::string> UnigramLattices::best_cut(const std::vector<CorpusWord>& words, std::size_t index,
                                                   const std::vector<double>& scores) const {
  std::vector<std::string> characters;
  text::for_each_code_point(words[index].word, [&](std::int64_t at, const text::CodePoint& point) {
    characters.push_back(words[index].word.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length)));
  });
  std::vector<std::string> cut;
  const auto begin = words_[index];
  for (std::size_t at = 0; at < characters.size();) {
    std::size_t end = at;
    while (end < characters.size() && text_[static_cast<std::size_t>(begin) + end] >= kFirst) ++end;
    if (end == at) {
      cut.push_back(characters[at++]);
      continue;
    }
    std::vector<std::int64_t> lengths;
    each_of_best(begin + static_cast<std::int64_t>(at), begin + static_cast<std::int64_t>(end), scores,
                 [&](std::size_t, std::int64_t length) { lengths.push_back(length); });
    for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
      std::string& piece = cut.emplace_back();
      for (std::int64_t i = 0; i < *length; ++i) piece += characters[at++];
    }
  }
  return cut;
}

}  // namespace headlight::tokenizers
