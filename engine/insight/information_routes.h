// The routes by which information came from the tokens to one vector of a model (Ferrando and Voita, "Information Flow Routes:
// Automatically Interpreting Language Models at Scale", 2024). Every vector of the residual stream is a sum; a summand's share
// tells how much it matters to the sum. From a vector back, only what has a share above a threshold is followed.
//
// Norms are folded as the paper does: a value is what the model's own norm made of the token's vector, and what a norm behind an
// attention makes of a summand is told with the norm's scale held at its value. Behind a sum (post-norm) the shares are those of
// the sum that the norm reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The shares of all summands in one sentence. They do not depend on the vector that one asks about.
struct InformationShares {
  struct Attention {
    std::string prefix;      // AttentionSite::prefix
    std::size_t stack = 0;   // of the queries
    std::size_t source = 0;  // the stack of the keys, whose last vectors a cross-attention reads
    std::int64_t layer = 0, heads = 1, queries = 0, keys = 0;
    std::vector<float> by_source;  // [query, key], of all heads
    std::vector<float> before;     // [query]: what was there before the attention
    std::vector<float> rest;       // [query]: the bias of W_O, and what an intervention put in place
    std::vector<float> total;      // [query]: the importances of which the shares are parts
    float share(std::int64_t query, std::int64_t key) const { return by_source[static_cast<std::size_t>(query * keys + key)]; }
    bool is_cross() const { return source != stack; }
  };
  struct Stack {
    std::string name;  // "", "encoder." or "decoder."
    std::int64_t layers = 0, positions = 0;
    // [layer][position]: the feed-forward part's share of the layer's output; 0 where a layer has no such part.
    std::vector<std::vector<float>> feed_forward;
  };
  std::vector<Stack> stacks;          // the last one predicts
  std::vector<Attention> attentions;  // in order of computation
  // The largest number by which a sum of its summands departs from the trace's own vector, and what rounding explains of it. An
  // attention that an intervention changes is left out.
  double difference = 0, tolerance = 0;
  std::uint64_t computed_in = 0;  // sharing_bytes()
  bool adds_up() const { return difference <= tolerance; }
  std::uint64_t bytes() const;
};

// The memory that information_shares() takes beside its result, in bytes: one attention's values behind W_O and its weights, of
// the largest one. 0: no attention adds anything.
std::uint64_t sharing_bytes(const Trace& trace, std::int64_t batch);

// The first `batch` sentence pair's shares. `backend` computes v W_O. Errors: the heads are mixed (2-D stack), or an attention's
// summands pass a LayerNorm before they are added (unavailable); the values of one attention exceed kMostValueBytes (too_large);
// the trace's own; cancelled. `progress` is called with the number of attentions that are done and of all.
// information_shares(*trace, 0, backend, cancel): all shares in the first sentence.
Result<InformationShares> information_shares(const Trace& trace, std::int64_t batch, backends::Backend& backend,
                                             const CancelToken& cancel,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress = {});
inline constexpr std::uint64_t kMostValueBytes = 1ULL << 30;

// A vector: behind `level` layers of a stack, at a position. Level 0 is the embedding.
struct RouteVector {
  std::size_t stack = 0;
  std::int64_t level = 0, position = 0;
  bool operator==(const RouteVector&) const = default;
  bool operator<(const RouteVector& other) const {
    return std::tie(stack, level, position) < std::tie(other.stack, other.level, other.position);
  }
};

struct InformationRoutes {
  struct Edge {
    std::size_t attention = 0;  // of InformationShares::attentions
    std::int64_t query = 0, key = 0;
    float share = 0;
    RouteVector from, to;
  };
  struct Vector {
    RouteVector at;
    bool goes_down = false;  // the vector before this layer, at the same position, is on the route
    float before = 0;        // its share of the vector behind the attention; of several the last one's
    float feed_forward = 0;  // the feed-forward part's share
  };
  std::vector<Vector> vectors;  // those reached, the asked one first, then by stack and level downwards
  std::vector<Edge> edges;      // from other positions, the largest share first
  std::int64_t hidden = 0;      // edges from the first token that were left out
  float hidden_most = 0;        // the largest share among them
};

// What led to `to` by shares of at least `threshold`, 0 to 1. `without_first`: what the first token hands on is left out; many
// models look there when they look nowhere ("attention sink", Xiao et al. 2023). A share stays a part of the whole.
// information_routes(shares, {0, 30, 11}, 0.04, false): from the twelfth token's last vector of 30 layers back.
InformationRoutes information_routes(const InformationShares& shares, const RouteVector& to, double threshold,
                                     bool without_first);

// The last vector of the stack that predicts, at a position. last_vector(shares, 11) is {0, 30, 11} in a decoder of 30 layers.
RouteVector last_vector(const InformationShares& shares, std::int64_t position);

// The share of each head in one edge; they add up to Attention::share(query, key). Errors: as above.
// edge_by_head(*trace, shares, 13, 0, 6, 4, cancel): the heads by which layer 13 hands the fifth token on to the seventh.
Result<std::vector<float>> edge_by_head(const Trace& trace, const InformationShares& shares, std::size_t attention,
                                        std::int64_t batch, std::int64_t query, std::int64_t key, const CancelToken& cancel);

}  // namespace headlight
