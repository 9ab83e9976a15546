// The best paths through the lattice of a unigram model (Kudo 2018), by Viterbi's pass with several candidates a boundary, and
// the sum over all paths.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/text/utf8.h"
#include "engine/tokenizers/anatomy.h"

namespace headlight::tokenizers {
namespace {

constexpr double kNoWay = -std::numeric_limits<double>::infinity();

double log_of_sum(double a, double b) {
  if (a == kNoWay) return b;
  if (b == kNoWay) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// A way to a boundary: its sum, the piece that ends there, and which of the ways to the piece's start it goes on.
struct Way {
  double sum = 0;
  std::size_t piece = 0, before = 0;
};

}  // namespace

LatticeStory Anatomy::lattice(std::string_view word, std::size_t most, const std::vector<std::int64_t>& forbidden) const {
  LatticeStory story;
  word = word.substr(0, static_cast<std::size_t>(kLongest));
  text::for_each_code_point(word, [&](std::int64_t at, const text::CodePoint&) { story.boundaries.push_back(at); });
  story.boundaries.push_back(static_cast<std::int64_t>(word.size()));
  const auto explained = tokenizer_->explain_word(word);
  const auto* const edges = explained ? std::get_if<Lattice>(&*explained) : nullptr;
  if (!edges) return story;
  const std::size_t places = story.boundaries.size();
  std::vector<std::vector<std::size_t>> ending(places);  // the pieces that end at each boundary
  std::vector<std::size_t> start_of;                     // the boundary at which each piece begins
  const auto boundary = [&](std::int64_t at) {
    return static_cast<std::size_t>(std::ranges::lower_bound(story.boundaries, at) - story.boundaries.begin());
  };
  const auto add = [&](std::size_t from, std::size_t to, const LatticeStory::Piece& piece) {
    ending[to].push_back(story.pieces.size());
    start_of.push_back(from);
    story.pieces.push_back(piece);
  };
  std::size_t edge = 0;
  for (std::size_t from = 0; from + 1 < places; ++from) {
    bool known = false;
    for (; edge < edges->edges.size() && edges->edges[edge].start == story.boundaries[from]; ++edge) {
      const Lattice::Edge& one = edges->edges[edge];
      if (std::ranges::find(forbidden, one.id) != forbidden.end()) continue;
      const std::size_t to = boundary(one.end);
      add(from, to, {one.start, one.end, one.id, one.score, one.unknown});
      known = known || to == from + 1;
    }
    // A character whose own piece is forbidden becomes unknown.
    if (!known)
      add(from, from + 1,
          {story.boundaries[from], story.boundaries[from + 1], tokenizer_->special(Role::unknown), unknown_score_, true});
  }

  std::vector<std::vector<Way>> ways(places);
  std::vector<double> all(places, kNoWay), count(places, 0);
  ways[0].push_back({});
  all[0] = 0;
  count[0] = 1;
  for (std::size_t at = 1; at < places; ++at) {
    for (const std::size_t p : ending[at]) {
      const std::size_t from = start_of[p];
      for (std::size_t w = 0; w < ways[from].size(); ++w) ways[at].push_back({ways[from][w].sum + story.pieces[p].score, p, w});
      all[at] = log_of_sum(all[at], all[from] + story.pieces[p].score);
      count[at] += count[from];
    }
    // Of equal sums the piece that begins first is offered first, as in encoding.
    std::ranges::stable_sort(ways[at], [](const Way& a, const Way& b) { return a.sum > b.sum; });
    if (ways[at].size() > most) ways[at].resize(most);
  }
  for (const auto& ways_here : ways) story.best.push_back(ways_here.empty() ? kNoWay : ways_here.front().sum);
  story.all_paths = count.back();
  for (const Way& last : ways.back()) {
    LatticeStory::Path path{{}, last.sum, std::exp(last.sum - all.back())};
    Way way = last;
    for (std::size_t at = places - 1; at > 0;) {
      path.pieces.push_back(way.piece);
      at = start_of[way.piece];
      way = ways[at][way.before];
    }
    std::ranges::reverse(path.pieces);
    story.paths.push_back(std::move(path));
  }
  return story;
}

}  // namespace headlight::tokenizers
