#include "engine/pipeline/executor.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "engine/attention/positions/position.h"
#include "engine/operations/attention.h"
#include "engine/pipeline/asides.h"

namespace headlight {

using backends::Buffer;
using Source = models::Node::Source;

BatchIds batch_ids(std::span<const std::vector<std::int32_t>> sequences, std::int32_t pad) {
  BatchIds batch;
  for (const auto& sequence : sequences) batch.lengths.push_back(static_cast<std::int64_t>(sequence.size()));
  for (const std::int64_t length : batch.lengths) batch.longest = std::max(batch.longest, length);
  batch.ids = Tensor(DType::i32, {static_cast<std::int64_t>(sequences.size()), batch.longest}, {"batch", "position"}, true);
  auto* id = batch.ids.data<std::int32_t>();
  for (const auto& sequence : sequences) {
    id = std::copy(sequence.begin(), sequence.end(), id);
    id = std::fill_n(id, batch.longest - static_cast<std::int64_t>(sequence.size()), pad);
  }
  return batch;
}

Executor::Executor(const Document& document, const BatchIds& texts, const BatchIds& targets, const models::Weights& weights,
                   models::ModelPlan& plan, backends::Backend& backend, const CancelToken& cancel, StepCache::State* cache,
                   std::span<const StepPatch> patches)
    : document_(document),
      texts_(texts),
      targets_(targets),
      weights_(weights),
      plan_(plan),
      backend_(backend),
      cancel_(cancel),
      cache_(cache),
      patches_(patches),
      keys_(plan.nodes.size()),
      row_keys_(plan.nodes.size()),
      has_rows_(plan.nodes.size()),
      same_masks_(plan.sites.size()),
      values_(plan.nodes.size()),
      masks_(plan.sites.size()),
      biases_(plan.sites.size()) {
  const backends::Device device = backend.device();
  base_.add(std::string_view(device.id)).add(static_cast<std::uint64_t>(backend.dtype()));
}

Status Executor::compute() {
  find_earlier();
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (cancel_.cancelled()) return cancelled();
    if (plan_.nodes[i].source == Source::operations && !plan_.nodes[i].step.kept) continue;  // computed when it is asked for
    HL_TRY(compute_node(i));
  }
  return {};
}

Result<std::vector<Tensor>> Executor::compute_some(std::span<const std::size_t> wanted) {
  const std::size_t never = plan_.nodes.size();
  const auto is_wanted = [&](std::size_t node) { return std::find(wanted.begin(), wanted.end(), node) != wanted.end(); };
  std::size_t end = 0;
  for (const std::size_t node : wanted) end = std::max(end, node + 1);
  for (std::size_t i = 0; i < never; ++i)
    for (const models::Node::Given& given : plan_.nodes[i].gives)
      if (is_wanted(static_cast<std::size_t>(given.node))) end = std::max(end, i + 1);
  // The last node that reads each one.
  std::vector<std::size_t> last(never, 0);
  for (std::size_t i = 0; i < end; ++i) {
    for (const int input : plan_.nodes[i].inputs) last[static_cast<std::size_t>(input)] = i;
    if (const int bias = computed_bias(plan_.nodes[i]); bias >= 0) last[static_cast<std::size_t>(bias)] = i;
  }
  for (const std::size_t node : wanted) last[node] = never;
  for (std::size_t i = 0; i < end; ++i) {
    if (cancel_.cancelled()) return cancelled();
    HL_TRY(compute_node(i));
    for (std::size_t before = 0; before <= i; ++before)
      if (last[before] <= i) values_[before] = {};
  }
  std::vector<Tensor> values;
  for (const std::size_t node : wanted) {
    HL_ASSIGN(Tensor value, backend_.download(values_[node]));
    values.push_back(value.named(plan_.nodes[node].step.axes));
  }
  return values;
}

Status Executor::compute_node(std::size_t index) {
  HL_TRY(compute_own(index));
  return patch(index);
}

// Puts the given numbers in place of the step's own, so that everything behind it is another step for the cache, too.
Status Executor::patch(std::size_t index) {
  const std::string& name = plan_.nodes[index].step.name;
  if (std::none_of(patches_.begin(), patches_.end(), [&](const StepPatch& one) { return one.step == name; })) return {};
  HL_ASSIGN(const Tensor own, backend_.download(values_[index]));
  const Shape& shape = own.shape();
  const Tensor plain = own.as(DType::f64).compact();
  std::vector<double> numbers(plain.values<double>().begin(), plain.values<double>().end());
  StepKey key = keys_[index];
  for (const StepPatch& one : patches_) {
    if (one.step != name) continue;
    const bool of_heads = shape.size() == 4;
    const std::int64_t heads = of_heads ? shape[1] : 1, rows = shape[shape.size() - 2], width = shape.back();
    if (shape.size() < 3 || one.batch < 0 || one.batch >= shape[0] || one.head < 0 || one.head >= heads || one.row < 0 ||
        one.row >= rows || static_cast<std::int64_t>(one.numbers.size()) != width)
      return not_found("there is no such row in {}", to_string(shape)).at(name);
    std::copy(one.numbers.begin(), one.numbers.end(),
              numbers.begin() + ((one.batch * heads + one.head) * rows + one.row) * width);
    key.add(static_cast<std::uint64_t>(one.batch))
        .add(static_cast<std::uint64_t>(one.head))
        .add(static_cast<std::uint64_t>(one.row));
    for (const double x : one.numbers) key.add(x);
  }
  const Tensor patched = Tensor::of(numbers, shape, own.axes()).as(backend_.dtype());
  HL_ASSIGN(values_[index], backend_.upload(patched));
  keys_[index] = key;
  return {};
}

Status Executor::compute_own(std::size_t index) {
  models::Node& node = plan_.nodes[index];
  switch (node.source) {
    case Source::mask:
    case Source::mask_part:
    case Source::bias:
    case Source::rearranged:
    case Source::attention: return {};  // weights come with the context, the others on demand
    case Source::view: {
      const auto from = static_cast<std::size_t>(node.inputs[0]);
      keys_[index] = keys_[from];
      row_keys_[index] = row_keys_[from];
      has_rows_[index] = has_rows_[from];
      values_[index] = {values_[from].host.reshaped(node.step.shape, node.step.axes), values_[from].device};
      node.step.from_cache = plan_.nodes[from].step.from_cache;
      return {};
    }
    case Source::tokens:
    case Source::embedding:
    case Source::aside:
    case Source::position: {
      keys_[index] = source_key(node);
      row_keys_[index] = source_row_key(node);
      has_rows_[index] = has_earlier_rows(index);
      std::vector<Buffer> found;
      if (cache_ && cache_->find(keys_[index], found)) {
        node.step.from_cache = true;
        values_[index] = found[0];
        return {};
      }
      HL_ASSIGN(const Tensor made, make_source(node));
      HL_ASSIGN(values_[index], backend_.upload(made.reshaped(node.step.shape, node.step.axes)));
      keep(keys_[index], {values_[index]});
      return {};
    }
    case Source::operations: return compute_operations(index);
  }
  return {};
}

// Puts a step's outputs into the cache. On a device with memory of its own all arrays of a run, also those that only one step
// needs, are kept equally long, so that the run after the next finds all of their addresses free.
void Executor::keep(const StepKey& key, const std::vector<Buffer>& outputs, std::span<const Buffer> between) {
  if (!cache_) return;
  if (!backend_.computes_later()) {
    cache_->put(key, outputs);
    return;
  }
  uncertain_.emplace_back(key, outputs);
  std::vector<Buffer>& all = uncertain_.back().second;
  all.insert(all.end(), between.begin(), between.end());
}

StepKey Executor::source_key(const models::Node& node) const {
  StepKey key = base_;
  key.add(static_cast<std::uint64_t>(node.source));
  const Tensor& ids = ids_of(node).ids;
  key.add(static_cast<std::uint64_t>(node.aside));
  if (node.source == Source::position && !node.parameters.empty()) {
    models::add_to(key, weights_, table_of(node));
    return key.add(static_cast<std::uint64_t>(ids.dim(1)));
  }
  if (node.source == Source::position || (node.source == Source::aside && !is_of_tokens(node.aside))) {
    return key.add(document_.position)
        .add(document_.seed)
        .add(static_cast<std::uint64_t>(ids.dim(1)))
        .add(static_cast<std::uint64_t>(document_.d_model));
  }
  key.add(static_cast<std::uint64_t>(ids.dim(0))).add(static_cast<std::uint64_t>(ids.dim(1)));
  for (const std::int32_t id : ids.values<std::int32_t>()) key.add(static_cast<std::uint64_t>(id));
  if (node.source == Source::embedding) {
    const models::ParameterSpec& table = table_of(node);
    models::add_to(key, weights_, table);
  }
  return key;
}

Result<Tensor> Executor::make_source(const models::Node& node) const {
  const BatchIds& batch = ids_of(node);
  if (node.source == Source::tokens) return batch.ids;
  if (node.source == Source::aside)
    return is_of_tokens(node.aside)
               ? labels_aside(node.aside, batch)
               : positions_aside(node.aside, *positions::registry().find(document_.position), batch.longest, document_.d_model);
  if (node.source == Source::position && !node.parameters.empty()) {
    std::vector<std::int32_t> places(static_cast<std::size_t>(batch.longest));
    std::iota(places.begin(), places.end(), 0);
    return weights_.rows(table_of(node), places, cancel_);
  }
  if (node.source == Source::position)
    return positions::registry().find(document_.position)->make(batch.longest, document_.d_model, document_.seed);
  return weights_.rows(table_of(node), batch.ids.values<std::int32_t>(), cancel_);
}

Result<Buffer> Executor::mask_buffer(int site) {
  const std::size_t first = models::mask_of(plan_, static_cast<std::size_t>(site));
  Buffer& buffer = masks_[first];
  if (buffer.host.empty()) {
    HL_ASSIGN(buffer, backend_.upload(plan_.sites[first].site.mask.mask));
  }
  return buffer;
}

int Executor::computed_bias(const models::Node& node) const {
  if (!models::reads_bias(plan_, node)) return -1;
  const int bias = plan_.sites[static_cast<std::size_t>(node.site)].bias;
  return plan_.nodes[static_cast<std::size_t>(bias)].source == Source::operations ? bias : -1;
}

Result<Buffer> Executor::bias_buffer(int site) {
  const std::size_t first = models::bias_of(plan_, static_cast<std::size_t>(site));
  Buffer& buffer = biases_[first];
  if (buffer.host.empty()) {
    const operations::Attention& a = *plan_.sites[first].attention;
    HL_ASSIGN(buffer, backend_.upload(positions::bias_of(*plan_.sites[first].position,
                                                         {a.heads, 0, a.heads, 0, a.queries, 0, a.keys}, backend_.dtype())));
  }
  return buffer;
}

Result<std::vector<Buffer>> Executor::execute(const backends::OpDesc& desc, std::span<const Buffer> in, std::vector<Buffer> out) {
  HL_ASSIGN(const backends::Signature s, backends::signature(desc, backend_.dtype()));
  for (std::size_t i = out.size(); i < s.outputs.size(); ++i) {
    HL_ASSIGN(Buffer buffer, backend_.allocate(backend_.dtype(), s.outputs[i], s.output_axes[i]));
    out.push_back(std::move(buffer));
  }
  std::vector<Buffer> shaped(in.begin(), in.end());
  for (std::size_t i = 0; i < shaped.size(); ++i)
    if (!s.broadcasts[i]) shaped[i].host = shaped[i].host.reshaped(s.inputs[i]);
  std::unique_ptr<backends::Plan> plan;
  if (cache_) {
    HL_ASSIGN(plan, cache_->take_plan(backend_, desc));
  } else {
    HL_ASSIGN(plan, backend_.prepare(desc));
  }
  HL_TRY(backend_.execute(*plan, shaped, out, cancel_));
  if (cache_) cache_->give_back(backend_, desc, std::move(plan));
  return out;
}

Status Executor::compute_operations(std::size_t index) {
  models::Node& node = plan_.nodes[index];
  const models::SitePlan* site = node.site >= 0 ? &plan_.sites[static_cast<std::size_t>(node.site)] : nullptr;

  StepKey key = base_;
  for (const auto& op : node.ops) operations::add_to(key, op);
  for (const int input : node.inputs) key.add(keys_[static_cast<std::size_t>(input)]);
  for (const int p : node.parameters) models::add_to(key, weights_, plan_.parameters[static_cast<std::size_t>(p)]);
  const bool masked = models::reads_mask(plan_, node), biased = models::reads_bias(plan_, node);
  if (masked) {  // a mask's values follow from these
    key.add(masks::to_text(site->masks)).add(static_cast<std::uint64_t>(site->site.site));
    for (const std::int64_t n : site->site.columns_are_targets ? targets_.lengths : texts_.lengths)
      key.add(static_cast<std::uint64_t>(n));
    for (const Choice& choice : site->masks)
      if (choice.id == "custom" && document_.custom_mask) {
        const masks::Matrix& m = *document_.custom_mask;
        key.add(static_cast<std::uint64_t>(m.keys))
            .add(std::string_view(reinterpret_cast<const char*>(m.values.data()), m.values.size()));
      }
  }
  const int computed = computed_bias(node);
  if (biased) key.add(site->position->id);
  if (computed >= 0) key.add(keys_[static_cast<std::size_t>(computed)]);
  keys_[index] = key;
  row_keys_[index] = computed_row_key(node);
  for (const models::Node::Given& given : node.gives)
    if (row_keys_[index]) row_keys_[static_cast<std::size_t>(given.node)] = StepKey(*row_keys_[index]).add(given.output);
  has_rows_[index] = has_earlier_rows(index);
  for (const models::Node::Given& given : node.gives) has_rows_[static_cast<std::size_t>(given.node)] = has_rows_[index];

  std::vector<Buffer> out;
  const bool found = cache_ && cache_->find(key, out);
  if (!found) {
    std::vector<Buffer> in, between;  // between: what only this step needs
    for (const int input : node.inputs) in.push_back(values_[static_cast<std::size_t>(input)]);
    for (const int p : node.parameters) {
      HL_ASSIGN(Buffer parameter,
                models::parameter_on(backend_, weights_, plan_.parameters[static_cast<std::size_t>(p)], cancel_));
      in.push_back(std::move(parameter));
    }
    if (masked) {
      HL_ASSIGN(Buffer mask, mask_buffer(node.site));
      between.push_back(mask);
      in.push_back(std::move(mask));
    }
    if (computed >= 0) {
      in.push_back(values_[static_cast<std::size_t>(computed)]);
    } else if (biased) {
      HL_ASSIGN(Buffer bias, bias_buffer(node.site));
      between.push_back(bias);
      in.push_back(std::move(bias));
    }
    if (has_rows_[index]) {
      HL_ASSIGN(out, compute_last_rows(index, std::move(in)));
    } else {
      for (const auto& op : node.ops) {
        between.insert(between.end(), out.begin(), out.end());
        HL_ASSIGN(out, execute(op, in));
        in = {out[0]};
      }
    }
    keep(key, out, between);
  }
  node.step.from_cache = found;
  values_[index] = {out[0].host.reshaped(node.step.shape, node.step.axes), out[0].device};
  for (const models::Node::Given& given : node.gives) {
    const auto to = static_cast<std::size_t>(given.node);
    values_[to] = std::move(out[given.output]);
    keys_[to] = StepKey(key).add(static_cast<std::uint64_t>(given.output));
    plan_.nodes[to].step.from_cache = found;
  }
  for (const auto& op : node.ops) node.step.on_host |= !backend_.supports(op);
  return {};
}

Result<Executor::Values> Executor::download() {
  std::vector<Tensor> kept(values_.size());
  std::vector<Buffer> wanted;
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].host.empty() && !values_[i].device) continue;
    wanted.push_back(values_[i]);
    nodes.push_back(i);
  }
  if (cancel_.cancelled()) return cancelled();
  HL_ASSIGN(const std::vector<Tensor> all, backend_.download_all(wanted));
  for (std::size_t i = 0; i < nodes.size(); ++i) kept[nodes[i]] = all[i].named(plan_.nodes[nodes[i]].step.axes);
  if (cache_ && backend_.computes_later()) {
    for (const auto& [key, outputs] : uncertain_) cache_->put(key, outputs);
    cache_->end_on_device();
  }
  const auto values = std::make_shared<const std::vector<Tensor>>(std::move(kept));
  remember(values);
  return values;
}

}  // namespace headlight
