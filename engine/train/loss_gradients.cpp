#include "engine/train/loss_gradients.h"

#include <algorithm>

#include "engine/document/stored_model.h"
#include "engine/models/families/families.h"
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

// The traced model once more, as a graph that can be differentiated, and everything that it reads.
class Backtrace {
 public:
  Backtrace(const Trace& trace, std::shared_ptr<backends::Backend> backend, const CancelToken& cancel)
      : trace_(trace), backend_(std::move(backend)), cancel_(cancel) {}
  Result<NamedTensors> compute();

 private:
  Status make_plan();
  Status read_inputs();
  Status forward_and_backward();
  Status add_steps(NamedTensors& out);
  Status add_maps(const models::SitePlan& site, const Graph& graph, NamedTensors& out);

  const Trace& trace_;
  std::shared_ptr<backends::Backend> backend_;
  const CancelToken& cancel_;
  models::Sizes sizes_;
  models::ModelPlan plan_;
  StepInputs inputs_;
  std::unique_ptr<Machine> machine_;
};

Status Backtrace::make_plan() {
  const Document& document = trace_.document();
  const auto says =
      std::any_of(trace_.steps().begin(), trace_.steps().end(), [](const Step& step) { return step.role == Role::logits; });
  if (!says)
    return usage_error("this model says nothing of the next token, so it has no loss and no gradients", document.model,
                       "choose a trained model by --model");
  HL_ASSIGN(const std::shared_ptr<const StoredModel> stored, open_stored_model(document.model));
  if (stored->task == ModelTask::encoder)
    return usage_error("this model fills in hidden tokens, and none is hidden, so it has no loss and no gradients",
                       document.model, "choose a model that predicts the next token");
  sizes_.text_lengths = lengths_of(trace_.texts());
  sizes_.target_lengths = lengths_of(trace_.targets());
  sizes_.batch = static_cast<std::int64_t>(sizes_.text_lengths.size());
  sizes_.text_length = *std::max_element(sizes_.text_lengths.begin(), sizes_.text_lengths.end());
  if (!sizes_.target_lengths.empty())
    sizes_.target_length = *std::max_element(sizes_.target_lengths.begin(), sizes_.target_lengths.end());
  sizes_.text_tokens = models::tokens_of(*trace_.tokenizer());
  sizes_.target_tokens = models::tokens_of(*trace_.target_tokenizer());
  models::take_tables(sizes_, *stored);
  HL_ASSIGN(const models::Family* const family, models::family_of(document));
  plan_ = family->plan(document, sizes_, backend_->dtype());
  return models::add_masks(plan_, document, sizes_);
}

Status Backtrace::read_inputs() {
  inputs_ = inputs_of(plan_, sizes_, trace_.document(), backend_->dtype());
  const bool two = !trace_.targets().empty();
  HL_ASSIGN(inputs_.ids, trace_.values(two ? "encoder.tokens" : "tokens", cancel_));
  if (two) {
    HL_ASSIGN(inputs_.targets, trace_.values("decoder.tokens", cancel_));
  }
  // Each position's label is the token behind it.
  const Tensor& read = two ? inputs_.targets : inputs_.ids;
  const auto& lengths = two ? sizes_.target_lengths : sizes_.text_lengths;
  const std::int64_t longest = read.dim(1);
  inputs_.labels = Tensor(DType::i32, read.shape(), {"batch", "position"}, true);
  std::int64_t labelled = 0;
  for (std::int64_t b = 0; b < sizes_.batch; ++b)
    for (std::int64_t i = 0; i < longest; ++i) {
      const bool follows = i + 1 < lengths[static_cast<std::size_t>(b)];
      labelled += follows ? 1 : 0;
      inputs_.labels.data<std::int32_t>()[b * longest + i] = follows ? read.data<std::int32_t>()[b * longest + i + 1] : -1;
    }
  if (labelled == 0)
    return usage_error("no token follows another, so there is no loss", two ? "--target" : "--text", "give at least two tokens");
  inputs_.shares = Tensor(DType::f64, {read.count()}, {}, true);
  std::fill_n(inputs_.shares.data<double>(), read.count(), 1 / static_cast<double>(labelled));
  return {};
}

Status Backtrace::forward_and_backward() {
  HL_ASSIGN(Graph graph, make_graph(plan_, sizes_, {}));
  HL_ASSIGN(machine_, Machine::make(std::move(graph), std::make_shared<Arena>(backend_), true));
  std::vector<Buffer> parameters;
  for (const std::size_t spec : machine_->graph().specs) {
    HL_ASSIGN(const Tensor values, trace_.values(plan_.parameters[spec].name, cancel_));
    HL_ASSIGN(Buffer buffer, backend_->upload(values));
    parameters.push_back(std::move(buffer));
  }
  HL_TRY(machine_->forward(inputs_, parameters, cancel_));
  return machine_->backward(cancel_);
}

// The gradients of what an attention keeps to itself: of its weights, of the scores that the softmax takes, and of q k^T.
Status Backtrace::add_maps(const models::SitePlan& site, const Graph& graph, NamedTensors& out) {
  const operations::Attention& a = *site.attention;
  const auto array = [&](int node) { return graph.of_node[static_cast<std::size_t>(node)]; };
  const std::size_t context = array(site.context), v = array(site.v);
  if (graph.of_gradient[context] == kNoArray) return {};
  const auto made =
      std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Instruction& one) { return one.out[0] == context; });
  HL_ASSIGN(const Tensor by_context, machine_->read(graph.of_gradient[context]));
  HL_ASSIGN(const Tensor values, machine_->read(v));
  HL_ASSIGN(const Tensor weights, machine_->read(made->out[1]));
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
  out.emplace_back(place + "weights", by_weights.as(backend_->dtype()));
  out.emplace_back(place + "masked_scores", by_masked.as(backend_->dtype()));
  out.emplace_back(place + "scores", by_scores.as(backend_->dtype()));
  return {};
}

Status Backtrace::add_steps(NamedTensors& out) {
  const Graph& graph = machine_->graph();
  for (std::size_t n = plan_.nodes.size(); n-- > 0;) {
    if (cancel_.cancelled()) return cancelled();
    const models::Node& node = plan_.nodes[n];
    for (const models::SitePlan& site : plan_.sites)
      if (site.context == static_cast<int>(n)) HL_TRY(add_maps(site, graph, out));
    if (node.source == models::Node::Source::tokens || graph.of_node[n] == kNoArray) continue;
    const std::size_t gradient = graph.of_gradient[graph.of_node[n]];
    if (gradient == kNoArray) continue;  // nothing that can be trained is behind it
    HL_ASSIGN(const Tensor values, machine_->read(gradient));
    out.emplace_back("grad." + node.step.name, values.reshaped(node.step.shape, node.step.axes));
  }
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    HL_ASSIGN(const Tensor values, machine_->read(graph.gradients[i]));
    const models::ParameterSpec& spec = plan_.parameters[graph.specs[i]];
    out.emplace_back("grad." + spec.name, values.reshaped(spec.shape, spec.axes));
  }
  return {};
}

Result<NamedTensors> Backtrace::compute() {
  for (const Intervention& one : trace_.document().interventions)
    if (changes_pattern(one))
      return usage_error("no gradient goes through weights that are replaced", to_text(one.at),
                         "take this intervention back, or leave the gradients out");
  if (std::any_of(trace_.sites().begin(), trace_.sites().end(), [](const AttentionSite& s) { return !s.relative_keys.empty(); }))
    return usage_error("gradients are not computed through relative positions", "--position",
                       "choose another kind of positions, or leave the gradients out");
  HL_TRY(make_plan());
  HL_TRY(read_inputs());
  HL_TRY(forward_and_backward());
  NamedTensors out;
  HL_ASSIGN(const Tensor losses, machine_->losses());
  out.emplace_back("loss", losses.reshaped(inputs_.labels.shape(), {"batch", "position"}));
  HL_TRY(add_steps(out));
  return out;
}

}  // namespace

Result<NamedTensors> loss_gradients(const Trace& trace, std::shared_ptr<backends::Backend> backend, const CancelToken& cancel) {
  return Backtrace(trace, std::move(backend), cancel).compute();
}

}  // namespace headlight::train
