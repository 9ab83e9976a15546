// The Trace that run() makes. It holds kept values by step, and computes the attention of a site again, by tile, for steps that
// are not kept, and the scores and shares of tokens by rows.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/function_ref.h"
#include "engine/models/plan.h"
#include "engine/pipeline/trace.h"

namespace headlight {

class ModelTrace final : public Trace {
 public:
  ModelTrace(Document document, std::shared_ptr<const StoredModel> stored, std::shared_ptr<const models::Weights> weights,
             models::ModelPlan plan, std::shared_ptr<const std::vector<Tensor>> kept, std::vector<Sentence> texts,
             std::vector<Sentence> targets, std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
             std::shared_ptr<const tokenizers::Tokenizer> target_tokenizer, backends::Backend& backend,
             std::uint64_t budget_bytes);
  void set_seconds(double seconds) { seconds_ = seconds; }
  void set_remark(Message remark) { remark_ = std::move(remark); }

  const Document& document() const override { return document_; }
  std::shared_ptr<const StoredModel> stored_model() const override { return stored_; }
  std::span<const Sentence> texts() const override { return texts_; }
  std::span<const Sentence> targets() const override { return targets_; }
  std::span<const Step> steps() const override { return steps_; }
  const Step* find(std::string_view name) const override;
  const operations::Operation* operation(std::string_view step, std::size_t n = 0) const override;
  std::span<const AttentionSite> sites() const override { return sites_; }
  std::span<const NamedParameter> parameters() const override { return parameters_; }
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const override { return tokenizer_; }
  std::shared_ptr<const tokenizers::Tokenizer> target_tokenizer() const override { return target_tokenizer_; }
  Result<Tensor> values(std::string_view name, const CancelToken& cancel) const override;
  Result<Tensor> tile(std::string_view name, const Tile& tile) const override;
  double seconds() const override { return seconds_; }
  std::string backend_label() const override { return backend_label_; }
  Message remark() const override { return remark_; }
  std::string weights_label() const override { return weights_->label(); }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint64_t generation() const override { return generation_; }

 private:
  // The part of q, k, v and the mask that is computed: one batch item and head (or all, -1), query rows and key columns.
  struct Part {
    std::int64_t batch = -1, head = -1, row = 0, rows = 0, column = 0, columns = 0;
  };
  Result<Tensor> attention_part(const models::Node& node, const Part& part, const CancelToken& cancel) const;
  Result<Tensor> attention_on(backends::Backend& backend, const models::Node& node, const Part& part,
                              const CancelToken& cancel) const;
  // Rows of a step of operations that is not kept: [rows, columns]. Views ask for the same rows again and again, so that the last
  // ones are remembered.
  Result<Tensor> rows_again(std::size_t node, std::int64_t batch, std::int64_t row, std::int64_t rows,
                            const CancelToken& cancel) const;
  // make(backend) on the backend of the run or, if this device fails by now, on the CPU.
  Result<Tensor> on_any(FunctionRef<Result<Tensor>(backends::Backend&)> make) const;
  Tensor mask_part(const models::Node& node, const Part& part) const;  // u8 [batch, 1, rows, columns]
  Tensor bias_part(const models::Node& node, const Part& part) const;  // [1, heads, rows, columns]
  // A step that holds the numbers of a kept array or of a mask in another arrangement: whole or, of rank 3 and 4, in part: [rows,
  // columns].
  Tensor read_from_kept(const models::Node& node, const Step& step) const;
  Tensor part_read_from_kept(const models::Node& node, const Step& step, const Tile& tile) const;
  Result<Tensor> parameter_part(const models::ParameterSpec& spec, const Tile& tile) const;
  Status affordable(const Step& step, double count) const;

  Document document_;
  std::shared_ptr<const StoredModel> stored_;
  std::shared_ptr<const models::Weights> weights_;
  models::ModelPlan plan_;
  // By node; empty where the step is not kept. The next run of a step cache may take rows from it.
  std::shared_ptr<const std::vector<Tensor>> kept_;
  std::vector<Step> steps_;  // by node
  std::vector<AttentionSite> sites_;
  std::vector<NamedParameter> parameters_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // names live in steps_ and parameters_
  std::vector<Sentence> texts_, targets_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_, target_tokenizer_;
  backends::Backend& backend_;
  std::string backend_label_;
  Message remark_;
  std::uint64_t budget_ = 0, bytes_ = 0, generation_ = 0;
  double seconds_ = 0;
  struct Remembered {
    std::size_t node = 0;
    std::int64_t batch = 0, row = 0;
    Tensor rows;
  };
  mutable std::mutex mutex_;
  mutable std::deque<Remembered> remembered_;  // the latest first
};

}  // namespace headlight
