#include "engine/train/learner.h"

#include <cmath>

#include "engine/attention/positions/position.h"
#include "engine/backends/backends.h"
#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/backends/cpu/levels.h"
#include "engine/core/parallel.h"
#include "engine/core/rng.h"
#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"
#include "engine/operations/activation.h"
#include "engine/operations/attention.h"
#include "engine/operations/gradient.h"
#include "engine/train/batch_parts.h"

namespace headlight::train {
namespace {

using backends::Buffer;
using models::ParameterSpec;

// Graphs of as many shapes stay prepared: pairs of sentences come in about so many lengths.
constexpr std::size_t kShapes = 40;
// Numbers of a gradient that one task adds up.
constexpr std::int64_t kNumbersOfTask = 1 << 15;

bool ends_with(const std::string& name, const char* end) { return name.ends_with(end); }

bool is_position_table(const ParameterSpec& spec) { return spec.axes.front() == "position"; }

Tensor drawn(const ParameterSpec& spec, std::uint64_t seed, double deviation) {
  const Rng rng(seed, spec.name);
  Tensor t(DType::f32, spec.shape, spec.axes, true);
  const std::int64_t columns = spec.shape.back();
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(
        deviation * rng.normal(static_cast<std::uint64_t>(i / columns), static_cast<std::uint64_t>(i % columns)));
  return t;
}

Tensor filled(const ParameterSpec& spec, float with) {
  Tensor t(DType::f32, spec.shape, spec.axes, true);
  std::fill_n(t.data<float>(), t.count(), with);
  return t;
}

bool takes_heads_side_by_side(const backends::Backend& backend) {
  operations::Attention attention{1, 1, 1, 1, 1, 1};
  attention.keep_weights = attention.side_by_side = true;
  return backend.supports(attention) && backend.supports(operations::Gradient{attention, {}});
}

}  // namespace

Learner::Learner(const Config& config, const Vocabularies& vocabularies, std::shared_ptr<backends::Backend> backend)
    : config_(config), vocabularies_(vocabularies), backend_(std::move(backend)) {
  lanes_.push_back({std::make_shared<Arena>(backend_), {}});
}

Result<std::unique_ptr<Learner>> Learner::make(const Config& config, const Vocabularies& vocabularies,
                                               std::shared_ptr<backends::Backend> backend) {
  if (config.products == "bfloat16")
    if (std::shared_ptr<backends::Backend> rounding = backends::with_bfloat16_products(*backend)) backend = std::move(rounding);
  std::unique_ptr<Learner> learner(new Learner(config, vocabularies, std::move(backend)));
  HL_TRY(learner->draw());
  return learner;
}

Result<models::ModelPlan> Learner::plan_of(const models::Sizes& sizes) const {
  models::ModelPlan plan = models::plan_of(architecture_of(config_.model), config_.model, sizes, backend_->dtype());
  HL_TRY(models::add_masks(plan, config_.model, sizes));
  return plan;
}

models::Sizes Learner::sizes_of(const std::vector<std::int64_t>& lengths, std::int64_t length,
                                const std::vector<std::int64_t>& target_lengths, std::int64_t target_length) const {
  models::Sizes sizes;
  sizes.batch = static_cast<std::int64_t>(lengths.size());
  sizes.text_length = length;
  sizes.text_lengths = lengths;
  sizes.target_length = target_length;
  sizes.target_lengths = target_lengths;
  sizes.text_tokens = vocabularies_.text;
  sizes.target_tokens = vocabularies_.target;
  sizes.target_table = vocabularies_.target_table;
  sizes.output = {true, config_.tied};
  sizes.trained_positions = config_.model.position == "learned" ? config_.length : 0;
  return sizes;
}

// The parameters do not depend on how long the texts are.
Status Learner::draw() {
  const models::Sizes sizes =
      sizes_of({1}, 1, config_.task == Task::pairs ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{},
               config_.task == Task::pairs ? 1 : 0);
  HL_ASSIGN(const models::ModelPlan plan, plan_of(sizes));
  HL_ASSIGN(const Graph graph, make_graph(plan, sizes, {}));
  const positions::Entry* position = positions::registry().find(config_.model.position);
  std::string tied;
  for (const ParameterSpec& spec : plan.parameters)
    if (!spec.part.of.empty()) tied = spec.part.of;
  const double into_stream = 1 / std::sqrt(2.0 * static_cast<double>(config_.model.layers));
  for (const std::size_t index : graph.specs) {
    const ParameterSpec& spec = plan.parameters[index];
    Trained one;
    one.spec = spec;
    one.decays = spec.shape.size() > 1;
    if (spec.fill == ParameterSpec::Fill::ones) {
      one.value = filled(spec, 1);
    } else if (spec.fill == ParameterSpec::Fill::zeros || spec.shape.size() == 1) {
      one.value = filled(spec, 0);
    } else if (is_position_table(spec)) {
      one.value = drawn(spec, config_.seed, 1 / std::sqrt(static_cast<double>(config_.model.d_model)));
    } else if (spec.by_rows) {
      // As large as the positions that are added to it, but where it also makes logits, of about 1.
      const bool beside_positions = position && position->make && !position->random && spec.name != tied;
      one.value = drawn(spec, config_.seed, beside_positions ? 1 : 1 / std::sqrt(static_cast<double>(config_.model.d_model)));
    } else {
      const bool writes = config_.model.residual && (ends_with(spec.name, ".wo") || ends_with(spec.name, ".w_down"));
      one.value = drawn(spec, config_.seed, (writes ? into_stream : 1) / std::sqrt(static_cast<double>(spec.shape[0])));
    }
    one.moments = {filled(spec, 0), filled(spec, 0)};
    parameters_.push_back(std::move(one));
  }
  return {};
}

std::int64_t Learner::count() const {
  std::int64_t sum = 0;
  for (const Trained& one : parameters_) sum += one.value.count();
  return sum;
}

GraphOptions Learner::graph_options(bool training) const {
  GraphOptions options;
  options.seed = config_.seed;
  options.heads_side_by_side = takes_heads_side_by_side(*backend_);
  options.keep_slopes = backend_->supports(operations::Activate{1, 1, operations::ActivationKind::gelu, true});
  if (training) {
    options.dropout = config_.dropout;
    options.label_smoothing = config_.label_smoothing;
  }
  return options;
}

Result<Learner::Shaped*> Learner::shaped(std::size_t lane, const Batch& batch, bool training) {
  std::list<Shaped>& prepared = lanes_[lane].shaped;
  const bool alike = config_.dropout == 0 && config_.label_smoothing == 0;  // one graph serves both
  const std::int64_t rows = batch.ids.dim(0), length = batch.ids.dim(1);
  const std::int64_t target_length = batch.targets.empty() ? 0 : batch.targets.dim(1);
  auto at = prepared.begin();
  for (; at != prepared.end(); ++at)
    if (at->sizes.batch == rows && at->sizes.text_length == length && at->sizes.target_length == target_length &&
        (alike || at->training == training))
      break;
  if (at != prepared.begin()) prepared.front().machine->release();
  if (at != prepared.end()) {
    prepared.splice(prepared.begin(), prepared, at);
    Shaped& found = prepared.front();
    if (found.sizes.text_lengths != batch.lengths || found.sizes.target_lengths != batch.target_lengths) {
      found.sizes.text_lengths = batch.lengths;
      found.sizes.target_lengths = batch.target_lengths;
      HL_TRY(models::add_masks(found.plan, config_.model, found.sizes));
      found.inputs = inputs_of(found.plan, found.sizes, config_.model, backend_->dtype());
    }
    return &found;
  }
  Shaped made;
  made.training = training;
  made.sizes = sizes_of(batch.lengths, length, batch.target_lengths, target_length);
  HL_ASSIGN(made.plan, plan_of(made.sizes));
  HL_ASSIGN(Graph graph, make_graph(made.plan, made.sizes, graph_options(training)));
  HL_ASSIGN(made.machine, Machine::make(std::move(graph), lanes_[lane].arena));
  made.inputs = inputs_of(made.plan, made.sizes, config_.model, backend_->dtype());
  if (prepared.size() >= kShapes) prepared.pop_back();
  prepared.push_front(std::move(made));
  return &prepared.front();
}

// The sum of the losses; `share` is the weight of each label in the loss that is differentiated.
Result<double> Learner::forward(Shaped& shaped, const Batch& batch, double share, std::int64_t counter,
                                const CancelToken& cancel) {
  StepInputs inputs = shaped.inputs;
  inputs.ids = batch.ids;
  inputs.targets = batch.targets;
  inputs.labels = batch.labels;
  inputs.counter = static_cast<std::int32_t>(counter % (std::int64_t{1} << 31));
  inputs.shares = Tensor(DType::f32, {batch.labels.count()}, {}, true);
  std::fill_n(inputs.shares.data<float>(), batch.labels.count(), static_cast<float>(share));
  std::vector<Buffer> parameters;
  for (const Trained& one : parameters_) {
    HL_ASSIGN(Buffer buffer, backend_->upload(one.value));
    parameters.push_back(std::move(buffer));
  }
  HL_TRY(shaped.machine->forward(inputs, parameters, cancel));
  HL_ASSIGN(const Tensor losses, shaped.machine->losses());
  const Tensor all = losses.as(DType::f64);
  double sum = 0;
  for (const double one : all.values<double>()) sum += one;
  return sum;
}

Result<Learner::Share> Learner::share_of(std::size_t lane, const Batch& batch, double share, std::int64_t counter,
                                         const CancelToken& cancel) {
  Share done;
  HL_ASSIGN(Shaped* const shape, shaped(lane, batch, true));
  HL_ASSIGN(done.loss, forward(*shape, batch, share, counter, cancel));
  if (!std::isfinite(done.loss)) return done;
  HL_TRY(shape->machine->backward(cancel));
  std::vector<Buffer> gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) gradients.push_back(shape->machine->gradient(i));
  HL_ASSIGN(const std::vector<Tensor> downloaded, backend_->download_all(gradients));  // a device is waited for once
  for (const Tensor& gradient : downloaded) done.gradients.push_back(gradient.as(DType::f32));
  return done;
}

Result<std::vector<Learner::Share>> Learner::shares_of(const Batch& batch, double share, const CancelToken& cancel) {
  const std::int64_t count = backend_->device().id == "cpu" ? parts_of(batch, config_.model.d_model, this->count()) : 1;
  std::vector<Share> shares(static_cast<std::size_t>(count));
  if (count == 1) {
    HL_ASSIGN(shares[0], share_of(0, batch, share, steps_, cancel));
    return shares;
  }
  while (lanes_.size() < shares.size()) lanes_.push_back({std::make_shared<Arena>(backend_), {}});
  std::vector<Status> ends(shares.size());
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const auto at = static_cast<std::size_t>(part);
      // Each part drops other numbers.
      Result<Share> done = share_of(at, part_of(batch, part, count), share, steps_ * count + part, cancel);
      if (done.ok())
        shares[at] = std::move(*done);
      else
        ends[at] = done.error();
    }
  };
  if (!parallel_for(count, 1, compute, cancel)) return cancelled();
  for (const Status& end : ends) HL_TRY(end);
  return shares;
}

void Learner::add_gradients(const std::vector<Share>& shares, bool from_zero) {
  std::vector<std::int64_t> counts;
  for (const Trained& one : parameters_) {
    counts.push_back(one.value.count());
    // Arrays of their own: what a lane has computed is overwritten by its next batch.
    if (sums_.size() < counts.size()) sums_.emplace_back(DType::f32, one.value.shape(), Axes{}, true);
  }
  parallel_for_all(counts, kNumbersOfTask, [&](std::size_t which, std::int64_t begin, std::int64_t end) {
    float* const sum = sums_[which].data<float>();
    const auto numbers_of = [&](std::size_t part) { return shares[part].gradients[which].data<float>(); };
    const float* const first = from_zero ? numbers_of(0) : sum;
    std::size_t part = from_zero ? 1 : 0;
    if (part == shares.size()) std::copy(first + begin, first + end, sum + begin);
    for (; part < shares.size(); ++part) {
      const float* const so_far = from_zero && part == 1 ? first : sum;
      backends::cpu::widest_kernels().add(so_far + begin, numbers_of(part) + begin, end - begin, sum + begin);
    }
  });
}

Result<Learner::Outcome> Learner::step(std::span<const Batch> batches, const CancelToken& cancel) {
  std::int64_t labelled = 0;
  for (const Batch& batch : batches) labelled += batch.labelled;
  if (labelled == 0) return invalid("no position of these batches has a label").at("step {}", steps_ + 1);
  const double share = 1 / static_cast<double>(labelled);
  Outcome done;
  std::vector<Tensor> gradients;
  for (const Batch& batch : batches) {
    HL_ASSIGN(std::vector<Share> shares, shares_of(batch, share, cancel));
    double sum = 0;
    for (const Share& one : shares) sum += one.loss;
    done.loss += sum * share;
    if (!std::isfinite(sum)) break;
    if (batches.size() == 1 && shares.size() == 1)
      gradients = std::move(shares[0].gradients);  // as they are
    else
      add_gradients(shares, &batch == &batches.front());
  }
  if (gradients.empty()) gradients = sums_;
  done.gradient_norm = std::isfinite(done.loss) ? global_norm(gradients) : 0;
  if (!std::isfinite(done.loss) || !std::isfinite(done.gradient_norm))
    return failure(ErrorKind::invalid, "the loss is no finite number any more")
        .at("step {}", steps_ + 1)
        .mend("lower learning_rate, or lengthen warmup, and resume from the last checkpoint");
  const double factor = config_.clip > 0 && done.gradient_norm > config_.clip ? config_.clip / done.gradient_norm : 1;
  done.rate = rate_at({config_.learning_rate, config_.least_learning_rate, config_.warmup, config_.steps}, steps_ + 1);
  const AdamW optimiser{config_.beta1, config_.beta2, config_.epsilon, config_.decay};
  if (cancel.cancelled()) return cancelled();
  std::vector<Update> updates;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    updates.push_back({parameters_[i].value, gradients[i], parameters_[i].moments, parameters_[i].decays});
  std::vector<Tensor> values = updated(optimiser, updates, done.rate, factor, steps_ + 1);
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].value = std::move(values[i]);
  ++steps_;
  return done;
}

Result<Learner::Loss> Learner::evaluate(const Batch& batch, const CancelToken& cancel) {
  HL_ASSIGN(Shaped* const shape, shaped(0, batch, false));
  Loss loss;
  HL_ASSIGN(loss.sum, forward(*shape, batch, 0, steps_, cancel));
  loss.labelled = batch.labelled;
  loss.bytes = batch.bytes;
  return loss;
}

Result<Learner::Reading> Learner::read(const Batch& batch, const CancelToken& cancel) {
  HL_ASSIGN(Shaped* const shape, shaped(0, batch, false));
  HL_ASSIGN([[maybe_unused]] const double sum, forward(*shape, batch, 0, steps_, cancel));
  Reading reading;
  const Graph& graph = shape->machine->graph();
  // A copy, since the next batch overwrites what is read.
  const auto kept = [&](std::size_t value) -> Result<Tensor> {
    HL_ASSIGN(const Tensor read, shape->machine->read(value));
    return read.as(DType::f64).as(DType::f32).reshaped(graph.values[value].shape);
  };
  for (const Instruction& one : graph.forward) {
    if (one.op.get_if<operations::Attention>()) {
      HL_ASSIGN(Tensor weights, kept(one.out[1]));
      reading.weights.push_back(std::move(weights));
    }
    if (one.out[0] == graph.losses) {
      HL_ASSIGN(reading.logits, kept(one.in[0]));
    }
  }
  return reading;
}

Result<std::uint64_t> Learner::bytes_needed(const Batch& batch) const {
  const std::int64_t target_length = batch.targets.empty() ? 0 : batch.targets.dim(1);
  const models::Sizes sizes = sizes_of(batch.lengths, batch.ids.dim(1), batch.target_lengths, target_length);
  HL_ASSIGN(const models::ModelPlan plan, plan_of(sizes));
  HL_ASSIGN(const Graph graph, make_graph(plan, sizes, graph_options(true)));
  std::uint64_t numbers = 0;
  for (const Array& one : graph.values) {
    std::uint64_t count = 1;
    for (const std::int64_t side : one.shape) count *= static_cast<std::uint64_t>(side);
    numbers += count;
  }
  return numbers * sizeof(float);
}

Result<double> Learner::flops(const Batch& batch) {
  HL_ASSIGN(Shaped* const shape, shaped(0, batch, true));
  return shape->machine->graph().flops;
}

Result<std::vector<Tensor>> Learner::gradients(const Batch& batch, const CancelToken& cancel) {
  HL_ASSIGN(Shaped* const shape, shaped(0, batch, true));
  HL_ASSIGN([[maybe_unused]] const double sum, forward(*shape, batch, 1 / static_cast<double>(batch.labelled), steps_, cancel));
  HL_TRY(shape->machine->backward(cancel));
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    HL_ASSIGN(const Tensor gradient, backend_->download(shape->machine->gradient(i)));
    const Tensor shaped_as = gradient.reshaped(parameters_[i].value.shape());
    // A copy, since the next step overwrites it.
    all.push_back(backend_->dtype() == DType::f64 ? shaped_as.as(DType::f32).as(DType::f64) : shaped_as.as(DType::f64));
  }
  return all;
}

}  // namespace headlight::train
