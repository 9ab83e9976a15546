// A model as a plan: every step in order with the operations that compute it, before anything is computed. The executor
// (engine/pipeline/run.cpp) knows operations, not models; a model is a function that writes such a plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/attention/positions/position.h"
#include "engine/core/tensor.h"
#include "engine/document/document.h"
#include "engine/document/stored_model.h"
#include "engine/models/step.h"
#include "engine/models/weights.h"
#include "engine/operations/operation.h"

namespace headlight::operations {
struct Attention;
}

namespace headlight::models {

// An attention's descriptor, held and copied like a value. Files that read the descriptor include engine/operations/attention.h;
// the many files that read other parts of a plan need not be compiled again when that operation changes.
class HeldAttention {
 public:
  HeldAttention();
  HeldAttention(const HeldAttention& other);
  HeldAttention(HeldAttention&& other) noexcept;
  HeldAttention& operator=(const HeldAttention& other);
  HeldAttention& operator=(HeldAttention&& other) noexcept;
  ~HeldAttention();
  operations::Attention& operator*() { return *held_; }
  const operations::Attention& operator*() const { return *held_; }
  operations::Attention* operator->() { return held_.get(); }
  const operations::Attention* operator->() const { return held_.get(); }

 private:
  std::unique_ptr<operations::Attention> held_;  // null only after a move
};

// The parameters as a Trace lists them, each with the origin of its numbers: "computed" where seeded weights are zeros or ones.
// named(plan.parameters, *seeded_weights(0)): the list of a sandbox model.
std::vector<NamedParameter> named(const std::vector<ParameterSpec>& specs, const Weights& weights);

// One step of a plan, and how it is computed.
struct Node {
  enum class Source {
    operations,  // ops, on the values of inputs, then parameters
    view,        // the one input in another shape, without any computation
    tokens,      // ids
    embedding,   // rows of the embedding table, made for the ids in use only
    aside,       // an array beside the model's own steps, whose kind is in the field `aside`
    position,    // the table of Document::position: computed, drawn, or the first rows of the node's parameter
    mask,        // the site's combined mask, broadcast when asked for
    mask_part,   // one of the site's masks before they are combined, in the step's shape
    bias,        // the numbers that the site's position adds to the scores
    rearranged,  // the one input with its axes in `order`, in the step's shape: made when asked for
    attention,   // one of the optional outputs of the attention at `site`; kept or made again by tile
  };
  enum class Stage { none, scores, scaled, masked, weights };  // of Source::attention
  // Of Source::aside: the numbers that a table of sines is made from, and the labels that a loss compares with. No step before
  // the logits reads them.
  enum class Aside {
    none,
    places,        // [N, 1], 0 .. N-1
    frequencies,   // [d_model / 2], positions::Entry::frequency
    angles,        // [N, d_model / 2], place times frequency
    labels,        // i32 [B N], the token at each place, -1 on padding
    next_labels,   // i32 [B (N - 1)], the token behind each place but the last
    all_but_last,  // i32 [B (N - 1)], the rows of [B N] that have a token behind them
  };
  Step step;
  Source source = Source::operations;
  // The first operation takes the inputs and parameters, each further one takes the result of the operation before it.
  std::vector<operations::Operation> ops;
  std::vector<int> inputs;      // nodes; of `rearranged` it may be a later node, whose operation splits this step's numbers
  std::vector<int> parameters;  // ModelPlan::parameters
  bool of_targets = false;      // tokens, embedding, position, aside: of the targets
  Aside aside = Aside::none;
  int site = -1;  // of an attention's steps: ModelPlan::sites
  Stage stage = Stage::none;
  std::vector<int> order;  // of Source::rearranged: axis i of the result is the input's axis order[i]
  std::size_t part = 0;    // of Source::mask_part: SitePlan::masks
  // Further outputs of the last operation, and the nodes whose values they are: an attention's weights, a recurrent state.
  struct Given {
    std::size_t output = 1;
    int node = -1;
  };
  std::vector<Given> gives;
};

// An attention of a plan.
struct SitePlan {
  AttentionSite site;
  // Nodes: q and k as the scores multiply them; weights and context as the attention itself makes them.
  int q = -1, k = -1, v = -1, mask = -1, bias = -1, weights = -1, context = -1;
  int score_vector = -1;  // a of an additive score, in ModelPlan::parameters
  // The weights that multiply the values: `weights`, or the weights that an intervention puts in their place.
  int used_weights = -1;
  std::vector<Choice> masks;                   // the masks that apply here, in the order in which they were chosen
  const positions::Entry* position = nullptr;  // a position that works inside this attention; mostly null
  HeldAttention attention;                     // as executed; keep_weights if they are kept
};

struct ModelPlan {
  // These are defined in the source file: inline, every copy of a plan would cost the build seconds.
  ModelPlan();
  ModelPlan(const ModelPlan& other);
  ModelPlan(ModelPlan&& other) noexcept;
  ModelPlan& operator=(const ModelPlan& other);
  ModelPlan& operator=(ModelPlan&& other) noexcept;
  ~ModelPlan();

  std::vector<ParameterSpec> parameters;
  std::vector<Node> nodes;      // a node's inputs come before it
  std::vector<SitePlan> sites;  // in the order of Trace::sites()
};

// The sizes of the texts and of the model's tables, as far as shapes depend on them.
struct Sizes {
  std::int64_t batch = 1;
  std::int64_t text_length = 1, target_length = 0;         // of the longest text and target; 0: no targets
  std::vector<std::int64_t> text_lengths, target_lengths;  // of each text and target
  bool pairs = false;  // each text is a pair of sentences; without targets, whose ids are then the types of the texts' tokens
  // The sizes of the vocabulary of the texts, or of the targets.
  struct Tokens {
    std::int64_t vocabulary = 0;
    std::int64_t pad_id = -1;  // -1: the tokenizer has no padding token, and padding looks up no row
    std::string label;
    std::int64_t rows() const { return vocabulary > pad_id ? vocabulary : pad_id + 1; }  // of the embedding table
  };
  Tokens text_tokens, target_tokens;
  bool target_table = false;  // the targets have another tokenizer, and so an embedding table of their own
  // Rows of the trained table of a model with learned positions; no text may be longer. 0: the table is drawn by the seed and is
  // as long as the text.
  std::int64_t trained_positions = 0;
  // The model's prediction of the next token; a model without `logits` ends with its last vectors.
  struct Output {
    bool logits = false;
    bool tied = true;     // the output matrix is the embedding table's transpose (Press and Wolf 2017)
    bool losses = false;  // the losses of the logits, with and without the shift by one
  };
  Output output;
};

// The sizes of a tokenizer's vocabulary.
Sizes::Tokens tokens_of(const tokenizers::Tokenizer& tokenizer);
// Sets target_table, output and trained_positions from a stored model, and the sizes of a published one's table, which may have
// more rows than its tokenizer has pieces. text_tokens and target_tokens are set before.
// take_tables(sizes, model): output.logits is true afterwards.
void take_tables(Sizes& sizes, const StoredModel& model);

// Error (usage): a text is longer than the trained table of positions that it reads.
Status check_positions(const ModelPlan& plan);

// Keeps the weights of all attentions if together they take at most `most` bytes in type `real`. Otherwise only weights are kept
// that another step reads: an intervention, or a table of relative positions.
// keep_weights(plan, DType::f32, 64 << 20): all weights are kept up to 64 MiB.
void keep_weights(ModelPlan& plan, DType real, std::uint64_t most);
// Keeps the weights of one attention, whose nodes are in the plan, as another output of the step that computes the context.
// keep_weights_of(plan, plan.sites[0]): the weights of the first attention.
void keep_weights_of(ModelPlan& plan, SitePlan& site);
// Tells every matrix product that its weights stay as they are (Linear::fixed_weights). Runs need it; a training changes weights.
void fix_weights(ModelPlan& plan);

// The first site whose mask is the same as this site's: the same masks over the same tokens. It is `site` itself if no earlier
// site has the same mask.
// mask_of(plan, 2) gives 0 in a decoder of three equal layers.
std::size_t mask_of(const ModelPlan& plan, std::size_t site);
// The same for the numbers that positions add to the scores. bias_of(plan, 2) gives 0 in a decoder of three equal layers.
std::size_t bias_of(const ModelPlan& plan, std::size_t site);

// Tells the step that replaces the site's weights whether the site has a mask. add_masks() calls it.
// tell_mask(plan, plan.sites[0]): of the first attention.
void tell_mask(ModelPlan& plan, const SitePlan& site);
// Whether the node computes with the site's mask (with the numbers that positions add to the scores there).
// reads_mask(plan, plan.nodes[plan.sites[0].context]): true for an attention with a mask.
bool reads_mask(const ModelPlan& plan, const Node& node);
bool reads_bias(const ModelPlan& plan, const Node& node);

// Puts the weights of another sentence, [queries, keys] row by row, into the plan for head `head` of the attentions that the
// intervention names. Error (usage): the sentence has another number of tokens.
// set_pattern(plan, intervention, 2, weights): head 2 uses `weights` in place of its own.
Status set_pattern(ModelPlan& plan, const Intervention& intervention, std::int64_t head, const Tensor& weights);

// mask_bytes(): an upper bound of the masks' memory, in bytes. add_masks() makes the masks and writes them into the plan.
double mask_bytes(const ModelPlan& plan);
// Errors: those of masks::combine().
// add_masks(plan, document, sizes): afterwards plan.sites[0].site.mask is the first attention's mask.
Status add_masks(ModelPlan& plan, const Document& document, const Sizes& sizes);

}  // namespace headlight::models
