// Executor: computes a model's plan, node by node, on a backend. It knows operations, not models. run() keeps every step for a
// trace; predictions ask for one node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"
#include "engine/pipeline/kept_rows.h"
#include "engine/pipeline/patched_run.h"
#include "engine/pipeline/step_cache.h"

namespace headlight {

// The token ids of a batch of sequences, each filled up to the longest.
struct BatchIds {
  std::vector<std::int64_t> lengths;
  std::int64_t longest = 0;
  Tensor ids;  // i32 [batch, longest]
};
// batch_ids({{5, 6}, {7}}, 0): ids {{5, 6}, {7, 0}}, lengths {2, 1}, longest 2.
BatchIds batch_ids(std::span<const std::vector<std::int32_t>> sequences, std::int32_t pad);

class Executor {
 public:
  using Values = std::shared_ptr<const std::vector<Tensor>>;  // by node; empty where a step is not kept

  // All referenced arguments must outlive the executor. `targets` is empty where the plan has none; `cache` may be null.
  // `patches`: those of run_patched(). With a cache, rows of one text that an earlier run has computed are taken from its trace.
  Executor(const Document& document, const BatchIds& texts, const BatchIds& targets, const models::Weights& weights,
           models::ModelPlan& plan, backends::Backend& backend, const CancelToken& cancel, StepCache::State* cache,
           std::span<const StepPatch> patches = {});
  // compute() computes all steps that the plan keeps; download() then gives the values of the kept steps, by node. Errors:
  // cancelled, the backend's.
  Status compute();
  Result<Values> download();
  // The values of some nodes. Steps behind them are not computed, and values that no later step needs are freed on the way.
  Result<std::vector<Tensor>> compute_some(std::span<const std::size_t> wanted);

 private:
  Status compute_node(std::size_t index);
  Status compute_own(std::size_t index);
  Status patch(std::size_t index);
  Status compute_operations(std::size_t index);
  // Computes the operation into `out` or, where that is empty, into new arrays.
  Result<std::vector<backends::Buffer>> execute(const backends::OpDesc& desc, std::span<const backends::Buffer> in,
                                                std::vector<backends::Buffer> out = {});
  // Of the rows that an earlier run has computed (kept_rows.h); executor_rows.cpp has them.
  bool takes_rows() const;
  void find_earlier();
  std::optional<StepKey> source_row_key(const models::Node& node) const;
  std::optional<StepKey> computed_row_key(const models::Node& node) const;
  bool has_earlier_rows(std::size_t index);
  Result<std::vector<backends::Buffer>> compute_last_rows(std::size_t index, std::vector<backends::Buffer> in);
  void remember(const Values& values);
  StepKey source_key(const models::Node& node) const;
  void keep(const StepKey& key, const std::vector<backends::Buffer>& outputs, std::span<const backends::Buffer> between = {});
  Result<Tensor> make_source(const models::Node& node) const;
  Result<backends::Buffer> mask_buffer(int site);
  Result<backends::Buffer> bias_buffer(int site);
  // The node whose values are the bias of the attention at `node`; -1: no bias, or a bias that the host makes.
  int computed_bias(const models::Node& node) const;
  const models::ParameterSpec& table_of(const models::Node& embedding) const {
    return plan_.parameters[static_cast<std::size_t>(embedding.parameters[0])];
  }
  const BatchIds& ids_of(const models::Node& node) const { return node.of_targets ? targets_ : texts_; }

  const Document& document_;
  const BatchIds &texts_, &targets_;
  const models::Weights& weights_;
  models::ModelPlan& plan_;
  backends::Backend& backend_;
  const CancelToken& cancel_;
  StepCache::State* cache_;
  std::span<const StepPatch> patches_;
  StepKey base_;
  std::vector<StepKey> keys_;                     // by node
  std::vector<std::optional<StepKey>> row_keys_;  // by node: keys of rows, whatever tokens stand there
  std::vector<char> has_rows_;                    // by node: its first rows_ rows are those of the earlier run
  EarlierRun earlier_;                            // whose first rows_ rows are those of this run
  Values earlier_values_;
  std::int64_t rows_ = 0;
  std::vector<std::optional<bool>> same_masks_;   // by site, as masks_
  std::vector<backends::Buffer> values_;          // by node
  std::vector<backends::Buffer> masks_, biases_;  // by site; made where a site is the first with this mask or this bias
  // Steps for the cache as soon as they are certain: a device may still fail to compute them.
  std::vector<std::pair<StepKey, std::vector<backends::Buffer>>> uncertain_;
};

}  // namespace headlight
