// Masks: 1 = the query may attend to the key. Each kind is made as its smallest broadcastable shape (S5: padding
// [B,1,1,M], causal [1,1,N,M], ...).
//
// How kinds are combined. Most forbid, and all of them must agree: AND. Sparse patterns (window, block, dilated) keep the pattern
// cheap, and a widening kind (global tokens: Beltagy et al. 2020, Longformer, 3.1) takes back what *they* forbid, never what
// causal, padding, prefix or an own matrix forbid:
//
//     may = AND of the limits  AND  (AND of the sparse patterns  OR  OR of the widening kinds)
//
// Without a sparse pattern there is nothing to take back, and a widening kind changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::masks {

enum class Site { encoder_self, decoder_self, cross };  // a model without targets has decoder_self only

// What a mask may look at.
struct Request {
  Site site = Site::decoder_self;
  std::int64_t batch = 1, queries = 0, keys = 0;
  std::vector<std::int64_t> key_lengths;  // [batch] real keys before padding
};

// A matrix painted or loaded by the person: values[query * keys + key], 1 = may attend. Immutable and shared. It is laid over
// the attention's first query and key; cells outside it may attend, so that typing on does not invalidate what was painted.
struct Matrix {
  std::int64_t queries = 0, keys = 0;
  std::vector<std::uint8_t> values;
  bool operator==(const Matrix&) const = default;
};

// What a kind does when it is combined with others: see the head of this file.
enum class Role { limits, sparse, widens };

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Role role = Role::limits;
  bool applies_to_encoder = false, applies_to_decoder = true, applies_to_cross = false;
  // u8 tensor of rank 4 whose sizes are 1 or the request's, axes [batch, head, query, key].
  Result<Tensor> (*make)(const Request&, const Values&, const Matrix* custom);
};

bool applies(const Entry& entry, Site site);

// "causal,padding,window:4" and back; "" and "none" are the empty list. Errors name the mask, its parameter and the range.
Result<std::vector<Choice>> parse_list(std::string_view text);
std::string to_text(const std::vector<Choice>& choices);

const Registry<Entry>& registry();  // padding, causal, window, dilated, block, global, prefix, custom

// One mask as it was made, for the broadcast picture of S5.
struct Part {
  Choice choice;
  Tensor mask;  // u8, broadcastable; of a widening kind: 1 where it lets a sparse pattern's masked cell attend again
  Role role = Role::limits;
};
struct Combined {
  std::vector<Part> parts;
  Tensor mask;  // u8, the parts combined at their smallest broadcastable shape; empty if no part applies
};
// The parts that apply at request.site, combined. No part: `mask` is empty and everything may attend. Only widening parts:
// `mask` is all ones, [1, 1, 1, 1].
Result<Combined> combine(const std::vector<Choice>& choices, const Request& request, const Matrix* custom);

// The tokens that a text such as "0+3" names, in order, each once. Errors: anything but whole numbers divided by '+'.
Result<std::vector<std::int64_t>> positions_from_text(std::string_view text);

}  // namespace headlight::masks
