// Where a model's numbers come from. A model asks by name and shape; seeded numbers are one source, a file's or a training's
// tensors are others. What a source makes is remembered by the process, so that a keystroke does not make it again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/models/step.h"

namespace headlight::models {

// A matrix or vector of the model. Values are float32 numbers on every backend, so that backends differ in arithmetic only.
struct ParameterSpec {
  enum class Fill { normal, zeros, ones };
  std::string name;  // "parameters.layer.0.wq": also the name of the random stream
  Shape shape;
  Axes axes;
  Fill fill = Fill::normal;
  double deviation = 1;        // of Fill::normal
  std::int64_t zero_row = -1;  // this row is zero: the padding token's row of an embedding table
  bool by_rows = false;        // an embedding table, of which only the rows in use are made

  // How it lies in another tensor of the source: a projection out of a fused [d, 3 d] one, a matrix stored [out, in], an output
  // matrix tied to the embedding. Rows and columns are counted in the tensor as it is stored; then it is turned.
  struct Part {
    std::string of;  // the stored tensor's name; empty: the parameter is a tensor of its own
    Shape shape;     // of the stored tensor
    std::int64_t first_row = 0, first_column = 0;
    bool transposed = false;
  };
  Part part;
};

class Weights {
 public:
  virtual ~Weights() = default;
  // Everything its numbers depend on, in few words: part of the key of every step that they enter. Two sources with one identity
  // give the same numbers under each name.
  virtual const std::string& identity() const = 0;
  virtual Origin origin() const = 0;
  // Of one parameter's numbers, where they are not all of one origin; of an embedding table, of its rows `ids` (none: of all).
  virtual Origin origin_of(const ParameterSpec&, std::span<const std::int32_t> /*ids*/) const { return origin(); }
  virtual std::string label() const = 0;  // as a figure says it: "random weights, seed 0"

  // The tensor `spec` names, whole, as it is stored (spec.part is not looked at): f32, C order. Errors: not_found with the name;
  // invalid where its shape is another; too_large; cancelled.
  virtual Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken& cancel) const = 0;
  // Rows `ids` of a table [vocabulary, d], without making the others: f32 [ids, d]. Rows outside the table and spec.zero_row are
  // zero.
  virtual Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const = 0;
};

// Drawn by the seed: Fill::normal is deviation * Rng(seed, name).normal(row, column), rounded to float32; a vector is one row.
std::shared_ptr<const Weights> seeded_weights(std::uint64_t seed);

// The parameter, cut and turned as spec.part says, from the process's cache (least recently used go first beyond kCacheBytes);
// and the same as a buffer of a backend.
inline constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 30;
Result<Tensor> parameter(const Weights& weights, const ParameterSpec& spec, const CancelToken& cancel = {});
Result<backends::Buffer> parameter_on(backends::Backend& backend, const Weights& weights, const ParameterSpec& spec,
                                      const CancelToken& cancel = {});
// Everything the parameter's values depend on.
void add_to(Fingerprint& key, const Weights& weights, const ParameterSpec& spec);

}  // namespace headlight::models
