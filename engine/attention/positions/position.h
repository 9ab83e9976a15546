// Positional encodings: tables that are added to the embeddings, rotations of q and k, and numbers that are added to the scores.
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
  rotates,   // the operation `rotary` turns q and k in every self-attention
  scores,    // a bias is added to the scaled scores of every self-attention
  relative,  // rows of two tables, chosen by distance up to Document::relative_clip, join keys and values of every self-attention
};

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Where where = Where::input;
  // The table [length, d_model], f64, of the positions 0..length-1. Null: nothing is added.
  Tensor (*make)(std::int64_t length, std::int64_t d_model, std::uint64_t seed) = nullptr;
  // Of a table whose last dimensions may be empty: how many dimensions `length` positions use; null: all d_model.
  std::int64_t (*used)(std::int64_t length, std::int64_t d_model) = nullptr;
  // Of a table of sines: the angle in radians by which pair `i` turns from one position to the next; null for other tables.
  double (*frequency)(std::int64_t i, std::int64_t d_model) = nullptr;
  // Of Where::scores: the bias that is added to the scaled score of one query and one key; null for other entries.
  double (*bias)(std::int64_t heads, std::int64_t head, std::int64_t query, std::int64_t key) = nullptr;
  bool random = false;  // drawn from the seed; the window then says so
};

// A part of the bias [all_heads, query, key] of one attention: `heads` heads from `head` on, `rows` queries from `row` on,
// `columns` keys from `column` on.
struct BiasPart {
  std::int64_t all_heads = 1;  // of the attention
  std::int64_t head = 0, heads = 1, row = 0, rows = 0, column = 0, columns = 0;
};
// The bias of this part, of type `real`: [1, heads, rows, columns], axes [batch, head, query, key].
// bias_of(alibi(), {.all_heads = 8, .heads = 8, .rows = 5, .columns = 5}, DType::f32) is [1, 8, 5, 5], zero on the diagonal.
Tensor bias_of(const Entry& entry, const BiasPart& part, DType real);

const Registry<Entry>& registry();  // none, binary, sinusoidal, learned, rotary, rotary-split, alibi, relative

}  // namespace headlight::positions
