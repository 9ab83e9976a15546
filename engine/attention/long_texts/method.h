// Methods for attention over long texts, on one head's q, k and v: exact methods in pieces, sparse methods that skip cells, and
// methods of low rank. A method is prepared for its sizes on a backend of the host, and really skips the cells that its pattern
// skips. Its pattern, by plain loops in double, is its definition; tests compare the method with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/tensor.h"

namespace headlight::long_texts {

enum class Group {
  exact,     // every cell, the same output
  sparse,    // fewer cells
  low_rank,  // fewer numbers: no cell of the L x L matrix is computed by itself
};
const char* name_of(Group group);  // "exact", "sparse", "low rank"

struct Task {
  std::int64_t tokens = 0, d = 0;
  bool causal = false;
  double scale = 1;        // the factor of q k^T
  std::uint64_t seed = 0;  // for the random projections and rotations of a method
};

// One head's rows, [tokens, d] each.
struct Rows {
  Tensor q, k, v;
};

struct Pattern {
  Tensor weights;   // f64 [L, L]: the output is weights v; without a softmax over keys, rows may not sum to 1
  Tensor computed;  // u8 [L, L]: 1 where the method computes this cell, and the cell is not masked
  // Of each token: its bucket (Reformer) or the device that holds it (ring). Empty for methods that do not deal out tokens.
  std::vector<std::int64_t> part_of;
};

// A method prepared for one task.
class Method {
 public:
  virtual ~Method() = default;
  // Computes the attention: `rows` and `out` are [tokens, d], of the backend's type, contiguous. run(rows, out, cancel) fills
  // `out`.
  virtual Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) = 0;
  // How many scores softmax reads: cells of L x L, or of L x rank for low rank, with the unused cells at the edges of blocks.
  // Zero without a softmax.
  virtual double cells() const = 0;
  virtual operations::Cost cost() const = 0;  // of the operations that it prepared
};

struct Entry {
  std::string id, label, formula, source;
  Group group = Group::exact;
  std::string says;  // one sentence for the reader: "Every token sees its neighbours and nothing else."
  std::vector<Parameter> parameters;
  bool has_causal = true;  // false: it mixes all keys before any score, so that no query can be kept from later keys
  bool formed = true;      // false: no weight is ever formed; `Pattern::weights` are the weights that the output implies
  // Errors (usage): parameters that make no sense for these sizes, such as a rank above the number of tokens. Null: all are
  // right.
  Status (*check)(const Values& values, const Task& task) = nullptr;
  Result<std::unique_ptr<Method>> (*prepare)(backends::Backend& backend, const Values& values, const Task& task) = nullptr;
  // By plain loops. `rows` are f64; the function pattern() below converts them.
  Result<Pattern> (*pattern)(const Values& values, const Task& task, const Rows& rows) = nullptr;
  // The parameters for measuring texts of many lengths, with which the cost grows with the length as the method promises.
  Values (*for_length)(std::int64_t tokens) = nullptr;
};
// full, blockwise, ring, window, dilated, block, global, adaptive, reformer, linformer, linear
const Registry<Entry>& registry();

// The fallbacks of the entry's parameters, replaced by the values in `given`. Errors (usage): an unknown name, a value out of
// range, or Entry::check's. checked(window(), {}, task) gives {"window": 4}.
Result<Values> checked(const Entry& entry, const Values& given, const Task& task);
// A whole number of checked values: whole({{"window", 4}}, "window") is 4; 0 if there is none of that name.
std::int64_t whole(const Values& values, const char* name);

// Checks the values and prepares the method. Errors: checked()'s; a backend of a device (unavailable), because rows are sorted
// and gathered on the host. prepare(window(), cpu, {{"window", 64}}, {.tokens = 4096, .d = 64}) gives a sliding window.
Result<std::unique_ptr<Method>> prepare(const Entry& entry, backends::Backend& backend, const Values& values, const Task& task);
// Entry::pattern with checked values and rows converted to double. pattern(full(), {}, task, rows): ordinary attention.
Result<Pattern> pattern(const Entry& entry, const Values& values, const Task& task, const Rows& rows);
// The output of a pattern: weights [L, L] times v [L, d], f64 [L, d]. output_of(pattern, rows.v) defines a method's output.
Tensor output_of(const Pattern& pattern, const Tensor& v);

}  // namespace headlight::long_texts
