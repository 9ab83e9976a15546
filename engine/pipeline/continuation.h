// Continuation: texts that grow token by token. The keys and values of every attention are kept, so that a new token costs one
// row of every step instead of the whole text (Shazeer 2019, 2.4: incremental decoding).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"
#include "engine/operations/rotary.h"

namespace headlight::architectures {
struct Architecture;
}

namespace headlight {

// The parts of a model that a continuation needs.
struct ContinuedModel {
  Document document;
  std::shared_ptr<const architectures::Architecture> architecture;
  bool reads_two = false;     // an encoder reads the sources, and the targets grow
  bool target_table = false;  // Sizes::target_table
  bool tied = true;
  std::int64_t trained_positions = 0;  // Sizes::trained_positions
  std::int64_t length = 0;             // tokens of the longest text that it reads
  models::Sizes::Tokens text_tokens, target_tokens;
  std::shared_ptr<const models::Weights> weights;
  std::shared_ptr<backends::Backend> backend;
};

class Continuation {
 public:
  using Ids = std::vector<std::int32_t>;

  // Whether the model can be continued row by row, up to its length. Its masks must hide later tokens from every token, so that
  // earlier rows stay as they are. No step but attention may read several rows, and the backend must compute in the host's
  // memory. Other models compute the whole text again for every token.
  static bool possible(const ContinuedModel& model);
  // The keys and values of one text at the model's length, in bytes.
  static std::uint64_t bytes_of_text(const ContinuedModel& model);

  // `texts` empty texts; `sources`: one each where the model reads two, else none. The model must be possible().
  // Continuation(model, 2, {}): two texts of a decoder, to which add() adds tokens.
  Continuation(std::shared_ptr<const ContinuedModel> model, std::size_t texts, std::vector<Ids> sources);

  // Adds at least one token to each text. logits[b, t]: the score of token t behind text b, before softmax, [texts, vocabulary].
  // After an error the continuation must not be used again. Errors: the backend's; no memory; cancelled.
  // add({{5}, {6, 7}}, cancel): one token for the first text and two for the second.
  Result<Tensor> add(std::span<const Ids> tokens, const CancelToken& cancel);
  // Continues with these texts alone, in this order. keep({1, 1}): two copies of the second text.
  void keep(std::span<const std::size_t> texts);
  // Removes the last `tokens` tokens of every text; each text must have more tokens.
  void take_back(std::int64_t tokens);

  double flops() const { return flops_; }  // of the last add(), counted from the sizes

 private:
  using Buffer = backends::Buffer;
  // An operation prepared for the backend.
  struct Prepared {
    std::optional<backends::OpDesc> desc;  // none: not prepared yet
    std::unique_ptr<backends::Plan> plan;
    backends::Signature signature;
    double flops = 0;
  };
  // An operation of a node, with the arrays that it reads and writes in every addition.
  struct Part {
    Prepared prepared;
    std::vector<Buffer> in;
    Buffer out;
  };
  // The model's plan for some texts, and for as many new rows of each as the longest addition has. Its arrays are made once: one
  // more token is hundreds of small operations, and making an array costs as much time as some of them.
  struct Pass {
    std::int64_t texts = 0, rows = 0;
    bool with_sources = false;  // the pass also computes the encoder, and the keys and values of cross-attention
    models::ModelPlan plan;
    std::size_t logits = 0;
    std::vector<char> needed;       // by node
    std::vector<std::size_t> last;  // by node: the last node that reads it
    std::vector<Buffer> values;     // by node
    std::vector<std::vector<Part>> parts;
    std::vector<int> keeps;                             // by node: the place in kept_ that its values belong to, or -1
    std::vector<std::size_t> mask_places, bias_places;  // by site: models::mask_of() and bias_of()
  };
  // The keys or values of one attention.
  struct Kept {
    Tensor rows;  // [texts, heads, room, width]; of cross-attention `room` is the sources' length
    bool grows = true;
  };

  Result<Tensor> compute(std::span<const Ids> tokens, const CancelToken& cancel);
  Status make_pass(std::int64_t rows, const CancelToken& cancel);
  void find_needed(Pass& pass) const;
  Status make_arrays(Pass& pass, const CancelToken& cancel);
  Status make_parts(Pass& pass, std::size_t node, FunctionRef<Result<Tensor>(Shape, Axes)> make_array, const CancelToken& cancel);
  void make_room(std::int64_t tokens);
  bool grows(const models::Node& node) const { return node.step.of_targets == model_->reads_two; }

  Result<Prepared> prepare(const backends::OpDesc& desc) const;
  Status execute(Part& part, const CancelToken& cancel);
  Status compute_node(std::size_t index, std::span<const Ids> tokens, const CancelToken& cancel);
  Status compute_operations(std::size_t index, std::span<const Ids> tokens, const CancelToken& cancel);
  Result<Tensor> embedding(const models::Node& node, std::span<const Ids> tokens, const CancelToken& cancel) const;
  Result<Tensor> position_rows(const models::Node& node, const CancelToken& cancel);
  Status turn(const operations::Rotary& op, bool growing, Part& part, const CancelToken& cancel);
  Status attend(std::size_t index, Part& part, const CancelToken& cancel);
  Status make_masks(std::size_t site);
  Result<Tensor> growing_mask(std::size_t site);
  Tensor bias_of(const models::SitePlan& site, bool growing) const;
  void append(Kept& kept, const Tensor& rows, std::span<const Ids> tokens) const;
  void last_rows(const Tensor& rows, std::span<const Ids> tokens, Tensor& last) const;

  std::shared_ptr<const ContinuedModel> model_;
  std::vector<Ids> sources_;
  std::int64_t source_length_ = 0;     // of the longest source
  std::vector<std::int64_t> lengths_;  // tokens of each text
  std::int64_t room_ = 0;              // rows allocated for growing keys and values
  std::vector<Kept> kept_;             // two a site: keys, values
  std::unique_ptr<Pass> pass_;
  std::vector<Buffer> parameters_;         // of the plan, each from its first use on
  std::vector<Prepared> turns_;            // of this add
  std::vector<Tensor> masks_, biases_;     // of this add, by site
  std::map<std::size_t, Tensor> squares_;  // by site: every row of its growing mask
  Tensor positions_;                       // every row of the positions
  double flops_ = 0;
};

}  // namespace headlight
