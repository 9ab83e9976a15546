// Positional encodings: tables that are added to the embeddings, turns of q and k, and numbers that are added to the scores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/tensor.h"

namespace headlight::positions {

enum class Where {
  input,     // a table is added to the embeddings
  rotates,   // q and k turn in every self-attention, by the operation `rotary`
  scores,    // a bias is added to the scaled scores of every self-attention
  relative,  // rows of two tables join the keys and the values of every self-attention, by distance; Document::relative_clip
};

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Where where = Where::input;
  // [length, d_model], f64; rows 0..length-1. Null means nothing is added.
  Tensor (*make)(std::int64_t length, std::int64_t d_model, std::uint64_t seed) = nullptr;
  // Of a table whose last dimensions may be empty: how many of d_model are used by `length` positions; null: all.
  std::int64_t (*used)(std::int64_t length, std::int64_t d_model) = nullptr;
  // Of a table of sines: by how many radians pair `i` turns a position; null for the others.
  double (*frequency)(std::int64_t i, std::int64_t d_model) = nullptr;
  // Of Where::scores: what is added to the scaled score of one query and one key; null for the others.
  double (*bias)(std::int64_t heads, std::int64_t head, std::int64_t query, std::int64_t key) = nullptr;
  bool random = false;  // drawn from the seed; the window then says so
};

// The bias of some heads, queries and keys: [1, heads, rows, columns] of type `real`, axes [batch, head, query, key].
struct BiasPart {
  std::int64_t all_heads = 1;  // of the attention
  std::int64_t head = 0, heads = 1, row = 0, rows = 0, column = 0, columns = 0;
};
Tensor bias_of(const Entry& entry, const BiasPart& part, DType real);

const Registry<Entry>& registry();  // none, binary, sinusoidal, learned, rotary, alibi, relative

}  // namespace headlight::positions
