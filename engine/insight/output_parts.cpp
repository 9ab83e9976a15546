#include "engine/insight/output_parts.h"

#include "engine/operations/layer_norm.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/soft_cap.h"

namespace headlight {
namespace {

// The last step of the layer that has the shape of the stream: its residual sum, or the norm behind that.
std::string end_of_layer(const Trace& trace, const std::string& place, const Shape& shape) {
  std::string last;
  for (const Step& step : trace.steps())
    if (step.name.starts_with(place) && step.shape == shape) last = step.name;
  return last;
}

double epsilon_of(const operations::Operation* norm) {
  if (const auto* const rms = norm ? norm->get_if<operations::RmsNorm>() : nullptr) return rms->epsilon;
  if (const auto* const layer = norm ? norm->get_if<operations::LayerNorm>() : nullptr) return layer->epsilon;
  return operations::LayerNorm{}.epsilon;
}

}  // namespace

Result<OutputParts> output_parts(const Trace& trace) {
  OutputParts parts;
  const Step* logits = nullptr;
  for (const Step& step : trace.steps())
    if (step.role == Role::logits) logits = &step;
  if (!logits || logits->inputs.size() < 2)
    return not_found("this model predicts no next token").mend("choose a trained model that continues or translates texts");
  parts.logits = logits->name;
  parts.matrix = logits->inputs[1];
  parts.stack = trace.targets().empty() ? "" : "decoder.";
  const Step* const norm = trace.find(logits->inputs[0]);
  if (norm && norm->role == Role::final_norm && norm->inputs.size() >= 2) {
    parts.norm = norm->name;
    parts.rms = norm->computed_by.is<operations::RmsNorm>();
    parts.gamma = norm->inputs[1];
    if (norm->inputs.size() > 2) parts.beta = norm->inputs[2];
    parts.epsilon = epsilon_of(trace.operation(norm->name));
  }
  if (const operations::Operation* const bent = trace.operation(logits->name, 1))
    if (const auto* const cap = bent->get_if<operations::SoftCap>()) parts.cap = cap->cap;
  const Step* const input = trace.step_at(parts.stack, Role::input);
  if (!input) return not_found("the model's first vectors are no step of the trace");
  parts.stream = {input->name};
  for (std::int64_t layer = 0;; ++layer) {
    const std::string end = end_of_layer(trace, parts.stack + "layer." + std::to_string(layer) + ".", input->shape);
    if (end.empty()) break;
    parts.stream.push_back(end);
  }
  return parts;
}

}  // namespace headlight
