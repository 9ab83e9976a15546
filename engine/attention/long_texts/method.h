// Ways to attend over long texts: exact ones in pieces, sparse ones that skip cells, and ones of low rank, over one head's q, k
// and v. Each is prepared for its sizes on a backend of the host and really skips what its pattern skips; its pattern by plain
// loops in double is its definition, and what tests compare it with.
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
  double scale = 1;        // of q k^T
  std::uint64_t seed = 0;  // of what a method draws: projections, rotations
};

// One head's rows, [tokens, d] each.
struct Rows {
  Tensor q, k, v;
};

struct Pattern {
  Tensor weights;   // f64 [L, L]: the output is weights v; rows may sum to more or less than 1 where a method has no softmax over
                    // keys
  Tensor computed;  // u8 [L, L]: 1 where the method computes this cell, and the cell is not masked
  // Of a method that sorts or deals out tokens: the bucket of each (Reformer), the device that holds it (ring). Empty: none.
  std::vector<std::int64_t> part_of;
};

// Prepared for one task.
class Method {
 public:
  virtual ~Method() = default;
  // rows and `out` [tokens, d], of the backend's type, contiguous.
  virtual Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) = 0;
  // Numbers that softmax reads: cells of L x L or, of low rank, of L x rank, those at the edges of blocks included. 0: none.
  virtual double cells() const = 0;
  virtual operations::Cost cost() const = 0;  // of the operations that it prepared
};

struct Entry {
  std::string id, label, formula, source;
  Group group = Group::exact;
  std::string says;  // one sentence: what it does
  std::vector<Parameter> parameters;
  bool has_causal = true;  // false: it mixes all keys before any score, so that no query can be kept from later ones
  bool formed = true;      // false: no weight is ever formed; `Pattern::weights` is what the output implies
  // Errors (usage): parameters that make no sense for these sizes, such as a rank above the number of tokens; null: none do.
  Status (*check)(const Values& values, const Task& task) = nullptr;
  Result<std::unique_ptr<Method>> (*prepare)(backends::Backend& backend, const Values& values, const Task& task) = nullptr;
  // By plain loops. `rows` of any real type.
  Result<Pattern> (*pattern)(const Values& values, const Task& task, const Rows& rows) = nullptr;
  // Parameters for measuring texts of many lengths: what makes the cost grow with the length where the method says so.
  Values (*for_length)(std::int64_t tokens) = nullptr;
};
// full, blockwise, ring, window, dilated, block, global, adaptive, reformer, linformer, linear
const Registry<Entry>& registry();

// The entry's own values with `given` put in their place. Errors (usage): an unknown name, a value out of range, or what
// Entry::check says.
Result<Values> checked(const Entry& entry, const Values& given, const Task& task);
// A number of checked values.
std::int64_t whole(const Values& values, const char* name);

// Refuses a device: rows are sorted and gathered on the host.
Result<std::unique_ptr<Method>> prepare(const Entry& entry, backends::Backend& backend, const Values& values, const Task& task);
Result<Pattern> pattern(const Entry& entry, const Values& values, const Task& task, const Rows& rows);
// weights v, f64 [tokens, d].
Tensor output_of(const Pattern& pattern, const Tensor& v);

}  // namespace headlight::long_texts
