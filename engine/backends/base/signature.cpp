// What each operation takes and gives: one place that every backend, and every caller, asks.
#include <cmath>
#include <limits>
#include <string>

#include "engine/backends/base/backend.h"
#include "engine/backends/base/checks.h"

namespace headlight::backends {
namespace {

struct Size {
  const char* name;
  std::int64_t value;
};

// Sizes are at least 1 and small enough that products of two of them stay far from overflow.
Status check_sizes(const char* operation, std::initializer_list<Size> sizes) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (const Size& size : sizes) {
    if (size.value < 1) {
      return invalid(std::string(size.name) + " is " + std::to_string(size.value), operation, "it must be at least 1");
    }
    if (size.value > most) {
      return Error{ErrorKind::too_large, std::string(size.name) + " is " + std::to_string(size.value), operation,
                   "it may be " + std::to_string(most) + " at most"};
    }
  }
  return {};
}

void input(Signature& s, DType type, Shape shape) {
  s.inputs.push_back(std::move(shape));
  s.input_types.push_back(type);
}
void output(Signature& s, Shape shape, Axes axes) {
  s.outputs.push_back(std::move(shape));
  s.output_axes.push_back(std::move(axes));
}

Status describe(const Linear& op, DType real, Signature& s) {
  HL_TRY(check_sizes("linear", {{"rows", op.rows}, {"inner", op.inner}, {"columns", op.columns}}));
  input(s, real, {op.rows, op.inner});
  input(s, real, {op.inner, op.columns});
  if (op.bias) input(s, real, {op.columns});
  output(s, {op.rows, op.columns}, {"row", "column"});
  return {};
}

Status describe(const Gather& op, DType real, Signature& s) {
  HL_TRY(check_sizes("gather", {{"rows", op.rows}, {"table_rows", op.table_rows}, {"d", op.d}}));
  input(s, real, {op.table_rows, op.d});
  input(s, DType::i32, {op.rows});
  output(s, {op.rows, op.d}, {"row", "d_model"});
  return {};
}

Status describe(const Add& op, DType real, Signature& s) {
  HL_TRY(check_sizes("add", {{"outer", op.outer}, {"inner", op.inner}}));
  input(s, real, {op.outer, op.inner});
  input(s, real, op.b_repeats ? Shape{op.inner} : Shape{op.outer, op.inner});
  output(s, {op.outer, op.inner}, {"outer", "inner"});
  return {};
}

Status describe(const LayerNorm& op, DType real, Signature& s) {
  HL_TRY(check_sizes("layer_norm", {{"rows", op.rows}, {"d", op.d}}));
  if (!(op.epsilon >= 0) || !std::isfinite(op.epsilon)) return invalid("epsilon must be a number >= 0", "layer_norm");
  input(s, real, {op.rows, op.d});
  input(s, real, {op.d});
  if (!op.rms) input(s, real, {op.d});
  output(s, {op.rows, op.d}, {"row", "d_model"});
  return {};
}

Status describe(const SplitHeads& op, DType real, Signature& s) {
  HL_TRY(check_sizes("split_heads", {{"batch", op.batch}, {"length", op.length}, {"heads", op.heads}, {"d_k", op.d_k}}));
  input(s, real, {op.batch, op.length, op.heads * op.d_k});
  output(s, {op.batch, op.heads, op.length, op.d_k}, {"batch", "head", "position", "d_k"});
  return {};
}

Status describe(const MergeHeads& op, DType real, Signature& s) {
  HL_TRY(check_sizes("merge_heads", {{"batch", op.batch}, {"length", op.length}, {"heads", op.heads}, {"d_k", op.d_k}}));
  input(s, real, {op.batch, op.heads, op.length, op.d_k});
  output(s, {op.batch, op.length, op.heads * op.d_k}, {"batch", "position", "d_model"});
  return {};
}

Status describe(const Attention& op, DType real, Signature& s) {
  HL_TRY(check_sizes(
      "attention",
      {{"batch", op.batch}, {"heads", op.heads}, {"queries", op.queries}, {"keys", op.keys}, {"d_k", op.d_k}, {"d_v", op.d_v}}));
  const std::int64_t kv_heads = op.kv_heads == 0 ? op.heads : op.kv_heads;
  if (kv_heads < 1 || op.heads % kv_heads != 0) {
    return invalid(std::to_string(op.heads) + " query heads over " + std::to_string(kv_heads) + " key/value heads", "attention",
                   "the number of key/value heads must divide the number of query heads");
  }
  if (!std::isfinite(op.scale)) return invalid("the scale is not a finite number", "attention");
  if (!(op.temperature > 0) || !std::isfinite(op.temperature)) {
    return invalid("the softmax temperature is " + std::to_string(op.temperature), "attention", "it must be greater than 0");
  }
  input(s, real, {op.batch, op.heads, op.queries, op.d_k});
  input(s, real, {op.batch, kv_heads, op.keys, op.d_k});
  input(s, real, {op.batch, kv_heads, op.keys, op.d_v});
  if (op.has_mask) input(s, op.mask_is_additive ? real : DType::u8, {-1, -1, -1, -1});
  output(s, {op.batch, op.heads, op.queries, op.d_v}, {"batch", "head", "position", "d_k"});
  for (const bool kept : {op.keep_scores, op.keep_scaled, op.keep_masked, op.keep_weights}) {
    if (kept) output(s, {op.batch, op.heads, op.queries, op.keys}, {"batch", "head", "query", "key"});
  }
  return {};
}

Status describe(const Isdpa& op, DType real, Signature& s) {
  HL_TRY(check_sizes("isdpa", {{"words", op.words}, {"length", op.length}, {"vocabulary", op.vocabulary}, {"d", op.d}}));
  if (op.pad_index < -1 || op.pad_index >= op.vocabulary) {
    return invalid("the padding index is " + std::to_string(op.pad_index), "isdpa",
                   "it must be 0 to " + std::to_string(op.vocabulary - 1) + ", or -1 for none");
  }
  if (op.heads < 1 || op.d % op.heads != 0) {
    return invalid("d " + std::to_string(op.d) + " cannot be divided among " + std::to_string(op.heads) + " heads", "isdpa",
                   "give a number of heads that divides d");
  }
  if (Isdpa::is_shortcut(op.method) && (op.separate_position_weights || op.keep_q || op.keep_k || op.keep_v || op.keep_terms)) {
    return invalid("this method makes neither Q, K, V nor the four terms, and has no weights of the positions' own", "isdpa",
                   "keep qk, score and result only, or use direct");
  }
  if (Isdpa::is_folded(op.method) && op.heads > 1)
    return invalid("folding WQ WK^T saves nothing with several heads", "isdpa", "use direct_distinct");
  if (!op.pooled && (op.method == Isdpa::Method::direct_pooled || Isdpa::is_folded(op.method))) {
    return invalid("this method pools over the queries", "isdpa", "use index or direct for the ordinary layer");
  }
  input(s, real, {op.vocabulary, op.d});
  input(s, real, {op.length, op.d});
  for (int i = 0; i < (op.separate_position_weights ? 6 : 3); ++i) input(s, real, {op.d, op.d});
  input(s, DType::i32, {op.words, op.length});
  for (const bool kept : {op.keep_q, op.keep_k, op.keep_v}) {
    if (kept) output(s, {op.words, op.length, op.d}, {"word", "position", "d_model"});
  }
  // A single head has no axis of its own.
  const auto per_head = [&](Shape sizes, Axes axes) {
    if (op.heads > 1) {
      sizes.insert(sizes.begin() + 1, op.heads);
      axes.insert(axes.begin() + 1, "head");
    }
    output(s, std::move(sizes), std::move(axes));
  };
  const int squares = (op.keep_terms ? 4 : 0) + (op.keep_qk ? 1 : 0) + (op.keep_score && !op.pooled ? 1 : 0);
  for (int i = 0; i < squares; ++i) per_head({op.words, op.length, op.length}, {"word", "query", "key"});
  if (op.keep_score && op.pooled) per_head({op.words, op.length}, {"word", "key"});
  if (op.keep_result && op.pooled) output(s, {op.words, op.d}, {"word", "d_model"});
  if (op.keep_result && !op.pooled) output(s, {op.words, op.length, op.d}, {"word", "position", "d_model"});
  if (s.outputs.empty()) return invalid("nothing is kept", "isdpa", "keep at least one output");
  return {};
}

Shape full_mask_shape(const OpDesc& desc) {
  const auto& op = std::get<Attention>(desc);
  return {op.batch, op.heads, op.queries, op.keys};
}

enum class Side { input, output };

Error mismatch(const OpDesc& desc, Side side, std::size_t i, const std::string& has, const std::string& wanted) {
  return {ErrorKind::invalid, (side == Side::input ? "input " : "output ") + std::to_string(i) + " is " + has, name_of(desc),
          "it must be " + wanted};
}

}  // namespace

std::string name_of(const OpDesc& desc) {
  static constexpr const char* names[] = {"linear",      "gather",      "add",       "layer_norm",
                                          "split_heads", "merge_heads", "attention", "isdpa"};
  static_assert(std::size(names) == std::variant_size_v<OpDesc>, "name the new operation");
  return names[desc.index()];
}

Result<std::uint64_t> checked_bytes(DType dtype, const Shape& shape) {
  std::uint64_t count = size_of(dtype);
  for (const std::int64_t size : shape) {
    if (size < 0) return invalid("a size of " + std::to_string(size), to_string(shape));
    if (size > 0 && count > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(size)) {
      return Error{ErrorKind::too_large, "an array of shape " + to_string(shape) + " has more bytes than can be counted", {}, {}};
    }
    count *= static_cast<std::uint64_t>(size);
  }
  return count;
}

Result<Signature> signature(const OpDesc& desc, DType real) {
  Signature s;
  HL_TRY(std::visit([&](const auto& op) { return describe(op, real, s); }, desc));
  for (const Shape& shape : s.outputs) HL_TRY(checked_bytes(real, shape));
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    if (s.inputs[i].empty() || s.inputs[i][0] >= 0) HL_TRY(checked_bytes(s.input_types[i], s.inputs[i]));
  }
  return s;
}

Status check_inputs(const OpDesc& desc, std::span<const Buffer> in, DType real) {
  HL_ASSIGN(const Signature s, signature(desc, real));
  if (in.size() != s.inputs.size()) {
    return invalid(std::to_string(in.size()) + " inputs", name_of(desc), "it takes " + std::to_string(s.inputs.size()));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].host.dtype() != s.input_types[i]) {
      return mismatch(desc, Side::input, i, name_of(in[i].host.dtype()), name_of(s.input_types[i]));
    }
    const Shape& shape = in[i].shape();
    bool fits = shape.size() == s.inputs[i].size();
    const bool broadcasts = !s.inputs[i].empty() && s.inputs[i][0] == -1;
    const Shape wanted = broadcasts ? full_mask_shape(desc) : s.inputs[i];
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
      fits = shape[axis] == wanted[axis] || (broadcasts && shape[axis] == 1);
    }
    if (!fits) {
      return mismatch(desc, Side::input, i, to_string(shape), to_string(wanted) + (broadcasts ? ", each size that or 1" : ""));
    }
  }
  return {};
}

Status check_buffers(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real) {
  HL_TRY(check_inputs(desc, in, real));
  HL_ASSIGN(const Signature s, signature(desc, real));
  if (out.size() != s.outputs.size()) {
    return invalid(std::to_string(out.size()) + " outputs", name_of(desc), "it gives " + std::to_string(s.outputs.size()));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].host.dtype() != real) return mismatch(desc, Side::output, i, name_of(out[i].host.dtype()), name_of(real));
    if (out[i].shape() != s.outputs[i])
      return mismatch(desc, Side::output, i, to_string(out[i].shape()), to_string(s.outputs[i]));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i].device && !in[i].host.contiguous()) return mismatch(desc, Side::input, i, "a strided view", "contiguous");
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].device && !out[i].host.contiguous()) return mismatch(desc, Side::output, i, "a strided view", "contiguous");
  }
  return {};
}

Status check_ids(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t per_line, const char* where) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < rows) continue;
    const auto at = static_cast<std::int64_t>(i);
    const std::string place = per_line > 0 ? "[" + std::to_string(at / per_line) + ", " + std::to_string(at % per_line) + "]"
                                           : "[" + std::to_string(at) + "]";
    return invalid(
        "index " + std::to_string(ids[i]) + " at " + place + " is outside the table of " + std::to_string(rows) + " rows", where,
        "indices run from 0 to " + std::to_string(rows - 1));
  }
  return {};
}

}  // namespace headlight::backends
