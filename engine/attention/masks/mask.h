// Masks: 1 = the query may attend to the key. Each kind is made as its smallest broadcastable shape (S5: padding [B,1,1,M],
// causal [1,1,N,M], ...).
//
// How kinds are combined. Most kinds forbid cells, and a cell must be allowed by all of them: AND. Sparse patterns (window,
// block, dilated) forbid cells to make attention cheap. A widening kind (global tokens: Beltagy et al. 2020, Longformer, 3.1)
// allows again what a *sparse pattern* forbids, but never what causal, padding, prefix or a custom matrix forbids:
//
//     may = AND of the limits  AND  (AND of the sparse patterns  OR  OR of the widening kinds)
//
// Without a sparse pattern a widening kind changes nothing.
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

// What a mask is computed from.
struct Request {
  Site site = Site::decoder_self;
  std::int64_t batch = 1, queries = 0, keys = 0;
  std::vector<std::int64_t> key_lengths;  // [batch] tokens of each text, without padding
};

// A matrix that the user painted or loaded: values[query * keys + key], 1 = may attend. Immutable and shared. It begins at the
// attention's first query and key. Cells outside it may attend, so that a painted mask stays valid while the text grows.
struct Matrix {
  std::int64_t queries = 0, keys = 0;
  std::vector<std::uint8_t> values;
  bool operator==(const Matrix&) const = default;
};

// How a kind is combined with others; see the head of this file.
enum class Role { limits, sparse, widens };

// A mask worked out by hand, which make() must give: of two sentences of 3 and 5 tokens, the first one's; of `custom`, with the
// matrix 101/001.
struct Example {
  std::string values;             // as they stand behind the id: "2/3"
  std::vector<std::string> rows;  // a row for each of 4 queries, a digit for each of 5 keys: 1 = may attend
};

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Example example;
  Role role = Role::limits;
  // Made from the lengths of the sentences alone: [B, 1, 1, M]. The others are the same for every sentence: [1, 1, N, M].
  bool by_sentence = false;
  bool applies_to_encoder = false, applies_to_decoder = true, applies_to_cross = false;
  // u8 tensor of rank 4 whose sizes are 1 or the request's, axes [batch, head, query, key].
  Result<Tensor> (*make)(const Request&, const Values&, const Matrix* custom);
};

bool applies(const Entry& entry, Site site);

// Parses "causal,padding,window:4", and writes it back; "" and "none" are the empty list. Errors name the mask, its parameter and
// the range.
Result<std::vector<Choice>> parse_list(std::string_view text);
std::string to_text(const std::vector<Choice>& choices);

const Registry<Entry>& registry();  // padding, causal, window, dilated, block, global, prefix, custom

// What the option --mask says of all of them: their ids and parameters, and how they are combined.
std::string help();

// One mask before combining, for the broadcast picture of S5.
struct Part {
  Choice choice;
  Tensor mask;  // u8, broadcastable; of a widening kind: 1 where a cell that a sparse pattern masks may attend again
  Role role = Role::limits;
};
struct Combined {
  std::vector<Part> parts;
  Tensor mask;  // u8, the parts combined at their smallest broadcastable shape; empty if no part applies
};
// Combines the parts that apply at request.site. No part: `mask` is empty and everything may attend. Only widening parts: `mask`
// is all ones, [1, 1, 1, 1].
Result<Combined> combine(const std::vector<Choice>& choices, const Request& request, const Matrix* custom);

// Parses token positions such as "0+3", in order, each once. Errors: anything but whole numbers separated by '+'.
Result<std::vector<std::int64_t>> positions_from_text(std::string_view text);

}  // namespace headlight::masks
