#include "engine/train/loss_gradients.h"

#include <algorithm>

#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"
#include "engine/operations/attention.h"
#include "engine/train/machine.h"

namespace headlight::train {
namespace {

using backends::Buffer;

std::vector<std::int64_t> lengths_of(std::span<const Sentence> sentences) {
  std::vector<std::int64_t> all;
  for (const Sentence& s : sentences) all.push_back(static_cast<std::int64_t>(s.tokens.size()));
  return all;
}

// The gradients of what an attention keeps to itself: of its weights, of the scores that the softmax takes, and of q k^T.
Status add_maps(const models::SitePlan& site, Machine& machine, DType real, NamedTensors& out) {
  const Graph& graph = machine.graph();
  const operations::Attention& a = *site.attention;
  const auto array = [&](int node) { return graph.of_node[static_cast<std::size_t>(node)]; };
  const std::size_t context = array(site.context), v = array(site.v);
  if (graph.of_gradient[context] == kNoArray) return {};
  const auto made =
      std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Instruction& one) { return one.out[0] == context; });
  HL_ASSIGN(const Tensor by_context, machine.read(graph.of_gradient[context]));
  HL_ASSIGN(const Tensor values, machine.read(v));
  HL_ASSIGN(const Tensor weights, machine.read(made->out[1]));
  const Tensor dcontext = by_context.as(DType::f64), vs = values.as(DType::f64), w = weights.as(DType::f64);
  const Shape square{a.batch, a.heads, a.queries, a.keys};
  const Axes axes{"batch", "head", "query", "key"};
  Tensor by_weights(DType::f64, square, axes), by_masked(DType::f64, square, axes), by_scores(DType::f64, square, axes);
  const Tensor mask = a.has_mask ? site.site.mask.mask.broadcast_to(square) : Tensor();
  const std::int64_t group = a.heads / a.key_heads();
  for (std::int64_t row = 0; row < a.batch * a.heads * a.queries; ++row) {
    const std::int64_t b = row / a.queries / a.heads, h = row / a.queries % a.heads, i = row % a.queries;
    const double* const value = vs.data<double>() + (b * a.key_heads() + h / group) * a.keys * a.d_v;
    const double* const dc = dcontext.data<double>() + row * a.d_v;
    const double* const weight = w.data<double>() + row * a.keys;
    double* const dw = by_weights.data<double>() + row * a.keys;
    double mean = 0;
    for (std::int64_t j = 0; j < a.keys; ++j) {
      for (std::int64_t d = 0; d < a.d_v; ++d) dw[j] += dc[d] * value[j * a.d_v + d];
      mean += weight[j] * dw[j];
    }
    for (std::int64_t j = 0; j < a.keys; ++j) {
      const double through = weight[j] * (dw[j] - mean) / a.temperature;
      const bool kept = mask.empty() || mask.at({b, h, i, j}) != 0;
      by_masked.data<double>()[row * a.keys + j] = through;
      by_scores.data<double>()[row * a.keys + j] = kept ? through * a.scale : 0;
    }
  }
  const std::string place = "grad." + site.site.prefix;
  out.emplace_back(place + "weights", by_weights.as(real));
  out.emplace_back(place + "masked_scores", by_masked.as(real));
  out.emplace_back(place + "scores", by_scores.as(real));
  return {};
}

}  // namespace

Result<NamedTensors> loss_gradients(const Trace& trace, const std::shared_ptr<backends::Backend>& backend,
                                    const CancelToken& cancel) {
  for (const Intervention& one : trace.document().interventions)
    if (changes_pattern(one))
      return usage_error("no gradient goes through weights that are replaced")
          .at(to_text(one.at))
          .mend("take this intervention back, or leave the gradients out");
  if (std::any_of(trace.sites().begin(), trace.sites().end(), [](const AttentionSite& s) { return !s.relative_keys.empty(); }))
    return usage_error("gradients are not computed through relative positions")
        .at("--position")
        .mend("choose another kind of positions, or leave the gradients out");

  // The traced model once more, as a graph that can be differentiated.
  const Document& document = trace.document();
  const auto says =
      std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
  const std::shared_ptr<const StoredModel> stored = trace.stored_model();
  if (!says || !stored)
    return usage_error("this model says nothing of the next token, so it has no loss and no gradients")
        .at(document.model)
        .mend("choose a trained model by --model");
  if (stored->task == ModelTask::encoder)
    return usage_error("this model fills in hidden tokens, and none is hidden, so it has no loss and no gradients")
        .at(document.model)
        .mend("choose a model that predicts the next token");
  models::Sizes sizes;
  sizes.text_lengths = lengths_of(trace.texts());
  sizes.target_lengths = lengths_of(trace.targets());
  sizes.batch = static_cast<std::int64_t>(sizes.text_lengths.size());
  sizes.text_length = *std::max_element(sizes.text_lengths.begin(), sizes.text_lengths.end());
  if (!sizes.target_lengths.empty())
    sizes.target_length = *std::max_element(sizes.target_lengths.begin(), sizes.target_lengths.end());
  sizes.text_tokens = models::tokens_of(*trace.tokenizer());
  sizes.target_tokens = models::tokens_of(*trace.target_tokenizer());
  models::take_tables(sizes, *stored);
  models::ModelPlan plan = models::plan_of(*architecture_of(*stored), document, sizes, backend->dtype());
  HL_TRY(models::add_masks(plan, document, sizes));

  // What it reads.
  StepInputs inputs = inputs_of(plan, sizes, trace.document(), backend->dtype());
  const bool two = !trace.targets().empty();
  HL_ASSIGN(inputs.ids, trace.values(two ? "encoder.tokens" : "tokens", cancel));
  if (two) {
    HL_ASSIGN(inputs.targets, trace.values("decoder.tokens", cancel));
  }
  // Each position's label is the token behind it.
  const Tensor& read = two ? inputs.targets : inputs.ids;
  const auto& lengths = two ? sizes.target_lengths : sizes.text_lengths;
  const std::int64_t longest = read.dim(1);
  inputs.labels = Tensor(DType::i32, read.shape(), {"batch", "position"}, true);
  std::int64_t labelled = 0;
  for (std::int64_t b = 0; b < sizes.batch; ++b)
    for (std::int64_t i = 0; i < longest; ++i) {
      const bool follows = i + 1 < lengths[static_cast<std::size_t>(b)];
      labelled += follows ? 1 : 0;
      inputs.labels.data<std::int32_t>()[b * longest + i] = follows ? read.data<std::int32_t>()[b * longest + i + 1] : -1;
    }
  if (labelled == 0)
    return usage_error("no token follows another, so there is no loss")
        .at(Message::name(two ? "--target" : "--text"))
        .mend("give at least two tokens");
  inputs.shares = Tensor(DType::f64, {read.count()}, {}, true);
  std::fill_n(inputs.shares.data<double>(), read.count(), 1 / static_cast<double>(labelled));

  // Its forward and its backward pass.
  HL_ASSIGN(Graph made, make_graph(plan, sizes, {}));
  HL_ASSIGN(const std::unique_ptr<Machine> machine, Machine::make(std::move(made), std::make_shared<Arena>(backend), true));
  std::vector<Buffer> parameters;
  for (const std::size_t spec : machine->graph().specs) {
    HL_ASSIGN(const Tensor values, trace.values(plan.parameters[spec].name, cancel));
    HL_ASSIGN(Buffer buffer, backend->upload(values));
    parameters.push_back(std::move(buffer));
  }
  HL_TRY(machine->forward(inputs, parameters, cancel));
  HL_TRY(machine->backward(cancel));

  NamedTensors out;
  HL_ASSIGN(const Tensor losses, machine->losses());
  out.emplace_back("loss", losses.reshaped(inputs.labels.shape(), {"batch", "position"}));
  const Graph& graph = machine->graph();
  for (std::size_t n = plan.nodes.size(); n-- > 0;) {
    if (cancel.cancelled()) return cancelled();
    const models::Node& node = plan.nodes[n];
    for (const models::SitePlan& site : plan.sites)
      if (site.context == static_cast<int>(n)) HL_TRY(add_maps(site, *machine, backend->dtype(), out));
    if (node.source == models::Node::Source::tokens || graph.of_node[n] == kNoArray) continue;
    const std::size_t gradient = graph.of_gradient[graph.of_node[n]];
    if (gradient == kNoArray) continue;  // nothing that can be trained is behind it
    HL_ASSIGN(const Tensor values, machine->read(gradient));
    out.emplace_back("grad." + node.step.name, values.reshaped(node.step.shape, node.step.axes));
  }
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    HL_ASSIGN(const Tensor values, machine->read(graph.gradients[i]));
    const models::ParameterSpec& spec = plan.parameters[graph.specs[i]];
    out.emplace_back("grad." + spec.name, values.reshaped(spec.shape, spec.axes));
  }
  return out;
}

}  // namespace headlight::train
