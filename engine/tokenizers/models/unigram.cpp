// unigram: a unigram language model (Kudo 2018). Every piece has the logarithm of a probability as its score, and a word is cut
// so that the sum of the scores is the greatest (Viterbi). A character without a piece is unknown, and so are those beside it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/json.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/models/model.h"
#include "engine/tokenizers/models/piece_trie.h"

namespace headlight::tokenizers {
namespace {

constexpr double kUnknownPenalty = 10;  // what an unknown character costs more than the worst piece
// SentencePiece 0.2.3 begins its sum anew where it goes beyond this.
constexpr float kMostSum = 100'000;
constexpr std::string_view kWordSign = "▁";
// Every place of a text is compared with the pieces, so that longer ones would make a text of few letters quadratic.
constexpr std::size_t kLongestPiece = 4096;
constexpr double kMostScore = 1024;  // so that sums of 8,192 scores are below 2^23

// The best way to a place in the word.
template <class Sum>
struct LatticeNode {
  Sum score = 0;
  std::int32_t id = -1;
  std::int32_t length = 0;  // of the piece that ends here; 0: no way leads here
};

// `count` of them as they begin, in memory that stays from word to word, unless it was a very long one.
template <class Node>
std::vector<Node>& new_nodes(std::size_t count) {
  constexpr std::size_t kKept = 4096;
  thread_local std::vector<Node> nodes;
  if (nodes.capacity() > kKept && count <= kKept) nodes = {};
  nodes.assign(count, Node());
  return nodes;
}

// A node of weigh(): the second best way's score as well, and what the last piece of the best one added.
struct WeighedNode : LatticeNode<double> {
  double second = -std::numeric_limits<double>::infinity();
  float added = 0;
};

struct UnigramOptions {
  bool byte_fallback = false;
  bool single = false;  // SentencePiece's own arithmetic
  std::vector<std::string> user_defined;
};

class Unigram final : public Model, public RunningModel {
 public:
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, const UnigramOptions& options)
      : Model(vocabulary), scores_(std::move(scores)), options_(options), unknown_(vocabulary.special(Role::unknown)) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::pair<std::string_view, std::int32_t>> texts;
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      // In SentencePiece, control and byte pieces and the unknown one are no texts.
      const bool is_text =
          vocabulary.is_text(id) &&
          (!options.single || (id != unknown_ && !(options.byte_fallback && byte_of_token(vocabulary.piece(id)) >= 0)));
      if (!is_text || vocabulary.piece(id).empty()) continue;
      const std::string& piece = this->vocabulary().piece(id);
      texts.emplace_back(piece, id);
      least = std::min(least, scores_[static_cast<std::size_t>(id)]);
      has_sign_ = has_sign_ || piece == kWordSign;
      joins_words_ = joins_words_ || piece.find(kWordSign, 1) != std::string::npos || piece.find(' ') != std::string::npos;
    }
    offers_ = scores_;
    for (const std::string& piece : options_.user_defined)
      if (const std::int32_t id = vocabulary.find(piece); id >= 0) {
        texts.emplace_back(piece, id);
        offers_[static_cast<std::size_t>(id)] = static_cast<double>(-0.1f);  // it costs next to nothing
      }
    unknown_score_ = (std::isfinite(least) ? least : 0) - kUnknownPenalty;
    set_joints(texts);
    trie_ = PieceTrie(std::move(texts));
    for (int byte = 0; byte < 256; ++byte) {
      bytes_[byte] = options.byte_fallback ? vocabulary.find(byte_token(static_cast<unsigned char>(byte))) : -1;
      falls_back_ = falls_back_ || bytes_[byte] >= 0;
    }
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const override {
    pieces.clear();
    if (!options_.single) return cut<double>(word, pieces, cancel);
    float sum = 0;
    return encode_from(word, sum, pieces, cancel);
  }
  Status encode_from(std::string_view word, float& sum, std::vector<Piece>& pieces, const CancelToken& cancel) const override {
    pieces.clear();
    std::vector<LatticeNode<float>>& ends = new_nodes<LatticeNode<float>>(word.size() + 1);
    ends[0].score = sum;
    std::size_t farthest = 0;
    const auto begin = [&](std::size_t start) {
      const float offset = ends[start].score;
      if (std::abs(offset) <= kMostSum) return;
      for (std::size_t i = start; i <= farthest; ++i)
        if (i == start || ends[i].length > 0) ends[i].score -= offset;
    };
    HL_TRY(each_edge(word, cancel, begin, [&](std::size_t start, std::size_t end, std::int32_t id, double score) {
      farthest = std::max(farthest, end);
      LatticeNode<float>& node = ends[end];
      const float way = static_cast<float>(score) + ends[start].score;
      if (node.length == 0 || way > node.score) node = {way, id, static_cast<std::int32_t>(end - start)};
    }));
    sum = ends.back().score;
    put(word, ends, pieces);
    return {};
  }
  Status weigh(std::string_view word, Weighed& made, const CancelToken& cancel) const override {
    std::vector<WeighedNode>& ends = new_nodes<WeighedNode>(word.size() + 1);
    double margin = 0, lowest = 0;
    HL_TRY(sure_way(word, ends, margin, cancel));
    made.scores.clear();
    for (std::size_t end = word.size(); end > 0; end -= static_cast<std::size_t>(ends[end].length))
      made.scores.push_back(ends[end].added);
    std::reverse(made.scores.begin(), made.scores.end());
    for (const WeighedNode& node : ends) lowest = std::min(lowest, node.score);
    // A sum of up to n scores is wrong by at most n half units in the last place, and two such sums are compared.
    const double each = static_cast<double>(std::numeric_limits<float>::epsilon()) * static_cast<double>(word.size() + 1);
    made.limit = static_cast<float>(std::min(margin / each + lowest, kMostSum + lowest) - 1);
    made.pieces.clear();
    put(word, ends, made.pieces);
    return {};
  }
  Status encode_part(std::string_view part, std::vector<Piece>& pieces, bool& holds, const CancelToken& cancel) const override {
    std::vector<WeighedNode>& ends = new_nodes<WeighedNode>(part.size() + 1);
    double margin = 0;
    HL_TRY(sure_way(part, ends, margin, cancel));
    // 16,384 additions of sums below 2^23, each wrong by at most 2^-30.
    holds = margin > 0x1p-16;
    pieces.clear();
    put(part, ends, pieces);
    return {};
  }
  const RunningModel* running() const override { return options_.single && has_sign_ && !joins_words_ ? this : nullptr; }
  Result<Explanation> explain(std::string_view word, const CancelToken& cancel) const override {
    return options_.single ? lattice<float>(word, cancel) : lattice<double>(word, cancel);
  }
  bool may_cut() const override { return !options_.single; }  // rounding goes on from word to word
  const Joints* joints() const override { return options_.single || is_bounded_ ? &joints_ : nullptr; }
  bool uses_unknown() const override { return true; }
  std::vector<double> scores() const override { return scores_; }

 private:
  void set_joints(const std::vector<std::pair<std::string_view, std::int32_t>>& texts) {
    is_bounded_ = std::abs(unknown_score_) <= kMostScore;
    std::array<bool, 256> is_known{};  // bytes that are a piece alone
    for (const auto& [text, id] : texts) {
      joints_.add(text);
      if (text.size() == 1) is_known[static_cast<unsigned char>(text.front())] = true;
      is_bounded_ = is_bounded_ && std::abs(offers_[static_cast<std::size_t>(id)]) <= kMostScore;
    }
    // Unknown neighbours are one piece.
    for (int left = 0; left < 256; ++left)
      for (int right = 0; right < 256; ++right)
        if (!is_known[static_cast<std::size_t>(left)] && !is_known[static_cast<std::size_t>(right)])
          joints_.add(static_cast<char>(left), static_cast<char>(right));
  }

  // The nodes of the best way, in new `ends`, and by how much it is better than any other at its narrowest place.
  Status sure_way(std::string_view word, std::vector<WeighedNode>& ends, double& margin, const CancelToken& cancel) const {
    HL_TRY(each_edge(word, cancel, [&](std::size_t start, std::size_t end, std::int32_t id, double score) {
      WeighedNode& node = ends[end];
      const double way = score + ends[start].score;
      if (node.length == 0 || way > node.score) {
        if (node.length > 0) node.second = node.score;
        node.score = way;
        node.id = id;
        node.length = static_cast<std::int32_t>(end - start);
        node.added = static_cast<float>(score);
      } else {
        node.second = std::max(node.second, way);
      }
    }));
    margin = std::numeric_limits<double>::infinity();
    for (std::size_t end = word.size(); end > 0; end -= static_cast<std::size_t>(ends[end].length))
      margin = std::min(margin, ends[end].score - ends[end].second);
    return {};
  }

  // Calls visit(start, end, id, score) for every piece that fits anywhere, by where it starts, the shortest first; a character
  // without a piece of its own is unknown there.
  template <class Visit>
  Status each_edge(std::string_view word, const CancelToken& cancel, Visit&& visit) const {
    return each_edge(
        word, cancel, [](std::size_t) {}, visit);
  }
  // The same; begin(start) is called before the pieces of each start.
  template <class Begin, class Visit>
  Status each_edge(std::string_view word, const CancelToken& cancel, Begin&& begin, Visit&& visit) const {
    for (std::size_t start = 0, round = 0; start < word.size(); ++round) {
      if (round % 4096 == 4095 && cancel.cancelled()) return cancelled();
      begin(start);
      const std::size_t length = static_cast<unsigned char>(word[start]) < 0x80
                                     ? 1
                                     : static_cast<std::size_t>(text::decode_at(word, static_cast<std::int64_t>(start)).length);
      bool is_known = false;
      trie_.each_prefix(word.substr(start), [&](std::size_t size, std::int32_t id) {
        visit(start, start + size, id, offers_[static_cast<std::size_t>(id)]);
        is_known = is_known || size == length;
      });
      if (!is_known) {
        if (unknown_ < 0) return no_piece_for(word.substr(start, length));
        visit(start, start + length, unknown_, unknown_score_);
      }
      start += length;
    }
    return {};
  }

  template <class Sum>
  Status cut(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const {
    std::vector<LatticeNode<Sum>>& ends = new_nodes<LatticeNode<Sum>>(word.size() + 1);
    HL_TRY(each_edge(word, cancel, [&](std::size_t start, std::size_t end, std::int32_t id, double score) {
      LatticeNode<Sum>& node = ends[end];
      const Sum sum = static_cast<Sum>(score) + ends[start].score;
      if (node.length == 0 || sum > node.score) node = {sum, id, static_cast<std::int32_t>(end - start)};
    }));
    put(word, ends, pieces);
    return {};
  }

  // The best two ways to a place, and with which sum; `rank` says which of the two ways to the edge's start goes on.
  template <class Sum>
  struct Way {
    Sum score = -std::numeric_limits<Sum>::infinity();
    std::int32_t edge = -1, rank = 0;
  };

  template <class Sum>
  Result<Explanation> lattice(std::string_view word, const CancelToken& cancel) const {
    Lattice made;
    std::vector<std::array<Way<Sum>, 2>> ways(word.size() + 1);
    ways[0][0].score = 0;
    HL_TRY(each_edge(word, cancel, [&](std::size_t start, std::size_t end, std::int32_t id, double score) {
      const auto edge = static_cast<std::int32_t>(made.edges.size());
      made.edges.push_back({static_cast<std::int64_t>(start), static_cast<std::int64_t>(end), id, score, 0, id == unknown_});
      auto& [best, second] = ways[end];
      for (std::int32_t rank = 0; rank < 2; ++rank) {
        const Sum sum = static_cast<Sum>(score) + ways[start][static_cast<std::size_t>(rank)].score;
        if (sum > best.score) {
          second = best;
          best = {sum, edge, rank};
        } else if (sum > second.score) {
          second = {sum, edge, rank};
        }
      }
    }));
    for (const auto& [best, second] : ways) made.best_to.push_back(static_cast<double>(best.score));
    const auto way_back = [&](std::int32_t rank) {
      std::vector<std::int32_t> edges;
      for (std::size_t end = word.size(); end > 0;) {
        const Way<Sum>& way = ways[end][static_cast<std::size_t>(rank)];
        if (way.edge < 0) return std::vector<std::int32_t>();
        edges.push_back(way.edge);
        end = static_cast<std::size_t>(made.edges[static_cast<std::size_t>(way.edge)].start);
        rank = way.rank;
      }
      std::reverse(edges.begin(), edges.end());
      return edges;
    };
    made.best = way_back(0);
    made.runner_up = way_back(1);
    made.best_score = made.best_to.back();
    made.runner_up_score = static_cast<double>(ways.back()[1].score);
    set_shares(made, word.size());
    return Explanation(std::move(made));
  }

  // Forward and backward sums of the ways' probabilities.
  static void set_shares(Lattice& lattice, std::size_t size) {
    constexpr double kImpossible = -std::numeric_limits<double>::infinity();
    const auto add = [](double& sum, double more) {
      const double high = std::max(sum, more), low = std::min(sum, more);
      sum = low == kImpossible ? high : high + std::log1p(std::exp(low - high));
    };
    std::vector<double> before(size + 1, kImpossible), behind(size + 1, kImpossible);
    before[0] = behind[size] = 0;
    for (const Lattice::Edge& edge : lattice.edges)
      add(before[static_cast<std::size_t>(edge.end)], before[static_cast<std::size_t>(edge.start)] + edge.score);
    for (auto edge = lattice.edges.rbegin(); edge != lattice.edges.rend(); ++edge)
      add(behind[static_cast<std::size_t>(edge->start)], behind[static_cast<std::size_t>(edge->end)] + edge->score);
    for (Lattice::Edge& edge : lattice.edges)
      edge.share = std::exp(before[static_cast<std::size_t>(edge.start)] + edge.score +
                            behind[static_cast<std::size_t>(edge.end)] - before[size]);
  }

  // The pieces of the best way, and neighbours that are unknown as one.
  template <class Node>
  void put(std::string_view word, const std::vector<Node>& ends, std::vector<Piece>& pieces) const {
    for (auto end = static_cast<std::int64_t>(word.size()); end > 0;) {
      const Node& node = ends[static_cast<std::size_t>(end)];
      const std::int64_t start = end - node.length;
      if (node.id == unknown_ && !pieces.empty() && pieces.back().id == unknown_ && !(options_.single && falls_back_))
        pieces.back().start = start;
      else
        pieces.push_back({node.id, end, start});
      end = start;
    }
    std::reverse(pieces.begin(), pieces.end());
    if (std::none_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.id == unknown_; })) return;
    std::vector<Piece> known;
    for (const Piece& piece : pieces) {
      if (piece.id != unknown_) {
        known.push_back(piece);
        continue;
      }
      const std::string_view part =
          word.substr(static_cast<std::size_t>(piece.start), static_cast<std::size_t>(piece.end - piece.start));
      // As in the library tokenizers: unknown characters may be a piece together.
      const std::int32_t id = options_.single ? -1 : vocabulary().find_text(part);
      if (id >= 0 || !has_bytes(part)) {
        known.push_back({id >= 0 ? id : unknown_, piece.end, piece.start});
        continue;
      }
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::int64_t at = piece.start + static_cast<std::int64_t>(i);
        known.push_back({bytes_[static_cast<unsigned char>(part[i])], options_.single ? at + 1 : piece.end,
                         options_.single ? at : piece.start});
      }
    }
    pieces = std::move(known);
  }

  bool has_bytes(std::string_view part) const {
    return falls_back_ &&
           std::all_of(part.begin(), part.end(), [&](char c) { return bytes_[static_cast<unsigned char>(c)] >= 0; });
  }

  std::vector<double> scores_, offers_;  // by id; the second with what the user's pieces cost
  UnigramOptions options_;
  std::int32_t unknown_;
  PieceTrie trie_;
  double unknown_score_ = 0;
  std::int32_t bytes_[256];  // the byte tokens; -1: there is none
  bool falls_back_ = false;
  Joints joints_;
  bool is_bounded_ = false;                      // no score is beyond kMostScore
  bool has_sign_ = false, joins_words_ = false;  // "▁" is a piece; a piece has it, or a space, behind its beginning
};

Result<std::shared_ptr<const Model>> make_unigram(const Values& values, const ModelData& data) {
  if (data.scores.size() > static_cast<std::size_t>(data.vocabulary.size()))
    return invalid("{} pieces have {} scores", data.vocabulary.size(), data.scores.size())
        .at(data.where)
        .mend("fetch the file again");
  for (std::int32_t id = 0; id < data.vocabulary.size(); ++id)
    if (const std::size_t size = data.vocabulary.piece(id).size(); data.vocabulary.is_text(id) && size > kLongestPiece)
      return invalid("the piece {} has {} bytes, and those of a unigram model have {} at most", id, size, kLongestPiece)
          .at(data.where)
          .mend("leave it out, or make an added token of it");
  std::vector<double> scores = data.scores;
  scores.resize(static_cast<std::size_t>(data.vocabulary.size()), 0);  // added tokens have none
  UnigramOptions options;
  options.byte_fallback = std::get<bool>(values.at("byte_fallback"));
  options.single = std::get<bool>(values.at("single"));
  HL_ASSIGN(options.user_defined, texts_in(std::get<std::string>(values.at("user_defined")), data.where));
  return std::shared_ptr<const Model>(std::make_shared<Unigram>(data.vocabulary, std::move(scores), options));
}

}  // namespace

ModelEntry unigram_model() {
  return {"unigram",
          "Unigram",
          "argmax over cuts of the sum of log p(piece)",
          "Kudo 2018 (subword regularisation)",
          {{"byte_fallback",
            "bytes",
            "Whether unknown characters are their bytes, written <0xE2>.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {}},
           {"single",
            "single precision",
            "Whether sums are rounded as SentencePiece rounds them.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {},
            nullptr,
            true},
           {"user_defined",
            "user's pieces",
            "Pieces that are taken wherever they fit, as a list in JSON.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true}},
          make_unigram,
          false};
}

}  // namespace headlight::tokenizers
