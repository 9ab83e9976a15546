// Sources of a model's numbers. A model asks for a parameter by name and shape; seeded numbers are one source, the tensors of a
// file or of a training are others. The process remembers each parameter, so that a keystroke does not make it again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/models/step.h"

namespace headlight::backends {
class StoredMatrix;
}

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

  // The place of the parameter in another tensor of the source: a projection out of a fused [d, 3 d] one, a matrix stored [out,
  // in], an output matrix tied to the embedding. Rows and columns are counted in the tensor as it is stored; the part is
  // transposed afterwards.
  struct Part {
    std::string of;  // the stored tensor's name; empty: the parameter is a whole tensor
    Shape shape;     // of the stored tensor
    std::int64_t first_row = 0, first_column = 0;
    bool transposed = false;
  };
  Part part;
};

// A source of weights.
class Weights {
 public:
  virtual ~Weights() = default;
  // Everything that the numbers depend on, in few words. It is a part of the key of every step that reads them. Two sources with
  // one identity give the same numbers under each name.
  virtual const std::string& identity() const = 0;
  virtual Origin origin() const = 0;
  // The origin of one parameter's numbers, if the source has several origins; of an embedding table, of its rows `ids` (empty: of
  // all rows).
  // origin_of(spec, {}) is origin() for most sources.
  virtual Origin origin_of(const ParameterSpec&, std::span<const std::int32_t> /*ids*/) const { return origin(); }
  virtual std::string label() const = 0;  // as in figures: "random weights, seed 0"

  // The tensor named spec.name, whole, as it is stored (spec.part is ignored): f32, C order. Errors: not_found with the name;
  // invalid if it has another shape; too_large; cancelled.
  // tensor(spec, {}) of spec.name "parameters.layer.0.wq" and shape [64, 64]: the whole W_Q.
  virtual Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken& cancel) const = 0;
  // Whether tensor() also gives a parameter that is a part of another one, so that the other one need not be made whole.
  virtual bool gives_parts() const { return false; }
  // A matrix as its file stores it, for backends that widen it while they multiply. Null: it has to be made as a tensor. Errors:
  // those of tensor().
  virtual Result<std::shared_ptr<const backends::StoredMatrix>> stored(const ParameterSpec& spec,
                                                                       const CancelToken& cancel) const;
  // Rows `ids` of a table [vocabulary, d], without making the other rows: f32 [ids, d]. Rows outside the table and spec.zero_row
  // are zero. rows(spec, ids, {}) of the ids 5 and 7: [2, d].
  virtual Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const = 0;
};

// Numbers drawn by the seed: Fill::normal is deviation * Rng(seed, name).normal(row, column), rounded to float32; a vector is one
// row.
std::shared_ptr<const Weights> seeded_weights(std::uint64_t seed);

// parameter() gives the parameter, cut and transposed as spec.part says, from the process's cache. Beyond kCacheBytes the least
// recently used parameters leave the cache. parameter_on() gives the same as a buffer of a backend. Errors: those of
// Weights::tensor(); a part outside its tensor (invalid).
// parameter(*seeded_weights(0), plan.parameters[0]): the first parameter of a sandbox, f32.
inline constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 30;
Result<Tensor> parameter(const Weights& weights, const ParameterSpec& spec, const CancelToken& cancel = {});
Result<backends::Buffer> parameter_on(backends::Backend& backend, const Weights& weights, const ParameterSpec& spec,
                                      const CancelToken& cancel = {});
// Adds everything that the parameter's values depend on to the key.
// add_to(key, weights, spec): weights.identity(), and the fields of spec.
void add_to(Fingerprint& key, const Weights& weights, const ParameterSpec& spec);

}  // namespace headlight::models
