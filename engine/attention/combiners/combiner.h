// Combiners: they make one output of the outputs of h heads, each of full width d (S4). A combiner is a chain of backend
// operations over the heads [h, W, d].
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::combiners {

struct Sizes {
  std::int64_t words = 0, d = 0, heads = 0;  // W, d, h
  std::int64_t hidden = 16, outputs = 1;     // of the 2-D stack: n_hidden, n_output
};

struct Entry {
  std::string id, label, formula, source;
  std::vector<Shape> (*weights)(const Sizes&);  // shapes of the weights, in order; combiners have no biases
  std::int64_t (*width)(const Sizes&);          // the result is [words, width]
  bool wide_heads = false;  // in a model every head is as wide as the model, and one head's weights are d by d
};
const Registry<Entry>& registry();  // concat, stack2d

// The number of weights. parameter_count(entry, {.words = 1, .d = 512, .heads = 32}) is 8,388,608 for concat and 528 for stack2d
// with n_hidden = 16, n_output = 1.
std::int64_t parameter_count(const Entry& entry, const Sizes& sizes);

// A combiner prepared on a backend.
class Combiner {
 public:
  virtual ~Combiner() = default;
  // Combines heads [h, W, d] with the weights that Entry::weights lists, both already on the backend. Returns [W, width] in a
  // buffer that the next call overwrites.
  // combine(heads, {wo}, cancel) is the concatenation's [W, d], with wo [h d, d].
  virtual Result<backends::Buffer> combine(const backends::Buffer& heads, const std::vector<backends::Buffer>& weights,
                                           const CancelToken& cancel) = 0;
};
// Errors: an unknown id (not_found); a size below 1 or one that cannot be counted (invalid, too_large).
// prepare("concat", {.words = 100, .d = 512, .heads = 8}, backend) gives a combiner of heads [8, 100, 512].
Result<std::unique_ptr<Combiner>> prepare(std::string_view id, const Sizes& sizes, backends::Backend& backend);

}  // namespace headlight::combiners
