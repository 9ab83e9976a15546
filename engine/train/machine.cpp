#include "engine/train/machine.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "engine/attention/positions/position.h"
#include "engine/core/sorting.h"
#include "engine/operations/attention.h"

namespace headlight::train {

using backends::Buffer;

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// The last instruction of the backward pass that reads each value; kNever: the value is a result.
std::vector<std::size_t> last_reads(const Graph& graph) {
  std::vector<std::size_t> last(graph.values.size(), 0);
  for (std::size_t i = 0; i < graph.backward.size(); ++i)
    for (const std::size_t in : graph.backward[i].in) last[in] = i;
  for (const std::size_t gradient : graph.gradients) last[gradient] = kNever;
  return last;
}

}  // namespace

StepInputs inputs_of(const models::ModelPlan& plan, const models::Sizes& sizes, const Document& document, DType real) {
  StepInputs inputs;
  const positions::Entry* position = positions::registry().find(document.position);
  const bool trained = sizes.trained_positions > 0;  // a parameter then, no input
  if (position && position->make && !trained)
    for (const std::int64_t n : {sizes.text_length, sizes.target_length})
      inputs.positions.push_back(n > 0 ? position->make(n, document.d_model, document.seed) : Tensor());
  for (const models::SitePlan& site : plan.sites) {
    const operations::Attention& a = *site.attention;
    inputs.masks.push_back(site.site.mask.mask);
    inputs.biases.push_back(
        site.bias < 0 ? Tensor() : positions::bias_of(*site.position, {a.heads, 0, a.heads, 0, a.queries, 0, a.keys}, real));
  }
  return inputs;
}

Result<Buffer> Arena::at(std::size_t slot, const Shape& shape) {
  if (slot >= places_.size()) places_.resize(slot + 1);
  Buffer& place = places_[slot];
  const std::int64_t count = element_count(shape);
  // On a device an array is allocated as it is asked for: its memory cannot be cut here.
  const bool fits = !place.host.empty() && !place.device && place.host.count() >= count;
  if (!fits && (place.host.empty() || place.host.count() != count)) {
    HL_ASSIGN(place, backend_->allocate(backend_->dtype(), {count}, {}));
  }
  if (place.device) return Buffer{place.host.reshaped(shape), place.device};
  return Buffer{place.host.slice(0, 0, count).reshaped(shape), nullptr};
}

Result<std::unique_ptr<Machine>> Machine::make(Graph graph, std::shared_ptr<Arena> arena, bool keeps_all) {
  std::unique_ptr<Machine> machine(new Machine(std::move(graph), std::move(arena), keeps_all));
  HL_TRY(machine->prepare());
  return machine;
}

Result<Machine::Ready> Machine::ready(const Instruction& one) const {
  Ready made;
  HL_ASSIGN(made.signature, backends::signature(one.op, arena_->backend().dtype()));
  HL_ASSIGN(made.plan, arena_->backend().prepare(one.op));
  return made;
}

Status Machine::prepare() {
  values_.resize(graph_.values.size());
  for (const Instruction& one : graph_.forward) {
    HL_ASSIGN(Ready made, ready(one));
    forward_.push_back(std::move(made));
  }
  for (const Instruction& one : graph_.backward) {
    HL_ASSIGN(Ready made, ready(one));
    backward_.push_back(std::move(made));
  }
  choose_slots();
  return {};
}

// What the forward pass makes stays for the backward pass. A gradient stays until its last reader has read it; then its place
// serves the next one of that size.
void Machine::choose_slots() {
  slots_.assign(graph_.values.size(), kNever);
  std::size_t next = 0;
  for (const Instruction& one : graph_.forward)
    for (const std::size_t value : one.out) slots_[value] = next++;
  const std::vector<std::size_t> last = last_reads(graph_);
  std::multimap<std::int64_t, std::size_t> free;
  std::vector<bool> is_gradient(graph_.values.size(), false);
  for (std::size_t i = 0; i < graph_.backward.size(); ++i) {
    const Instruction& one = graph_.backward[i];
    for (const std::size_t value : one.out) {
      is_gradient[value] = true;
      const auto found = free.find(element_count(graph_.values[value].shape));
      slots_[value] = found != free.end() ? found->second : next++;
      if (found != free.end()) free.erase(found);
    }
    std::vector<std::size_t> read = one.in;  // an instruction may read one value twice
    sort_stably(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const std::size_t value : read)
      if (!keeps_all_ && is_gradient[value] && last[value] == i)
        free.emplace(element_count(graph_.values[value].shape), slots_[value]);
  }
}

Status Machine::bind(const std::vector<Instruction>& instructions, std::vector<Ready>& ready) {
  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (std::size_t k = 0; k < instructions[i].out.size(); ++k) {
      const std::size_t value = instructions[i].out[k];
      HL_ASSIGN(values_[value], arena_->at(slots_[value], ready[i].signature.outputs[k]));
    }
  for (std::size_t i = 0; i < instructions.size(); ++i) take_values(instructions[i], ready[i], true);
  return {};
}

void Machine::take_values(const Instruction& one, Ready& ready, bool all) const {
  ready.in.resize(one.in.size());
  ready.out.resize(one.out.size());
  for (std::size_t i = 0; i < one.in.size(); ++i) {
    if (!all && graph_.values[one.in[i]].kind == Array::Kind::made) continue;
    const Buffer& value = values_[one.in[i]];
    const bool as_it_is = ready.signature.broadcasts[i] || value.host.shape() == ready.signature.inputs[i];
    ready.in[i] = as_it_is ? value : Buffer{value.host.reshaped(ready.signature.inputs[i]), value.device};
  }
  for (std::size_t i = 0; all && i < one.out.size(); ++i) ready.out[i] = values_[one.out[i]];
}

Status Machine::forward(const StepInputs& inputs, std::span<const Buffer> parameters, const CancelToken& cancel) {
  for (std::size_t i = 0; i < graph_.parameters.size(); ++i) values_[graph_.parameters[i]] = parameters[i];
  for (std::size_t i = 0; i < graph_.values.size(); ++i) {
    const Array& value = graph_.values[i];
    Tensor given;
    switch (value.kind) {
      case Array::Kind::made:
      case Array::Kind::parameter: continue;
      case Array::Kind::ids: given = inputs.ids.reshaped(value.shape); break;
      case Array::Kind::targets: given = inputs.targets.reshaped(value.shape); break;
      case Array::Kind::labels: given = inputs.labels.reshaped(value.shape); break;
      case Array::Kind::position: given = inputs.positions[value.index]; break;
      case Array::Kind::places:
        given = Tensor(DType::i32, value.shape, {}, true);
        std::iota(given.data<std::int32_t>(), given.data<std::int32_t>() + given.count(), 0);
        break;
      case Array::Kind::mask: given = inputs.masks[value.index]; break;
      case Array::Kind::bias: given = inputs.biases[value.index]; break;
      case Array::Kind::counter: given = Tensor::of<std::int32_t>({inputs.counter}, {1}); break;
      case Array::Kind::share: given = inputs.shares.reshaped(value.shape); break;
    }
    HL_ASSIGN(values_[i], arena_->backend().upload(given));
  }
  if (!bound_) {
    HL_TRY(bind(graph_.forward, forward_));
    HL_TRY(bind(graph_.backward, backward_));
    bound_ = true;
  }
  for (std::size_t i = 0; i < forward_.size(); ++i) HL_TRY(execute(graph_.forward[i], forward_[i], cancel));
  return {};
}

Status Machine::backward(const CancelToken& cancel) {
  for (std::size_t i = 0; i < backward_.size(); ++i) HL_TRY(execute(graph_.backward[i], backward_[i], cancel));
  return {};
}

void Machine::release() {
  std::fill(values_.begin(), values_.end(), Buffer());
  for (std::vector<Ready>* pass : {&forward_, &backward_})
    for (Ready& one : *pass) {
      one.in.clear();
      one.out.clear();
    }
  bound_ = false;
}

Status Machine::execute(const Instruction& one, Ready& ready, const CancelToken& cancel) {
  // A device's host fallback gives new arrays, so that all of them are looked up again; on the host they stay where they are.
  take_values(one, ready, std::any_of(ready.in.begin(), ready.in.end(), [](const Buffer& in) { return in.device != nullptr; }));
  HL_TRY(arena_->backend().execute(*ready.plan, ready.in, ready.out, cancel));
  for (std::size_t i = 0; i < one.out.size(); ++i)
    if (ready.out[i].device) values_[one.out[i]] = ready.out[i];
  return {};
}

}  // namespace headlight::train
