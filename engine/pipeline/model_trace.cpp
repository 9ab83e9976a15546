#include "engine/pipeline/model_trace.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "engine/backends/backends.h"
#include "engine/core/byte_words.h"
#include "engine/core/sorting.h"
#include "engine/models/of_rows.h"
#include "engine/models/weights.h"
#include "engine/operations/attention.h"
#include "engine/pipeline/generation.h"

namespace headlight {

using Source = models::Node::Source;

namespace {

std::string known_steps(std::span<const Step> steps) {
  std::string known;
  for (std::size_t i = 0; i < steps.size() && i < 60; ++i) known += (i ? ", " : "") + steps[i].name;
  return steps.size() > 60 ? known + ", ..." : known;
}

}  // namespace

ModelTrace::ModelTrace(Document document, std::shared_ptr<const StoredModel> stored,
                       std::shared_ptr<const models::Weights> weights, models::ModelPlan plan,
                       std::shared_ptr<const std::vector<Tensor>> kept, std::vector<Sentence> texts,
                       std::vector<Sentence> targets, std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                       std::shared_ptr<const tokenizers::Tokenizer> target_tokenizer, backends::Backend& backend,
                       std::uint64_t budget_bytes)
    : document_(std::move(document)),
      stored_(std::move(stored)),
      weights_(std::move(weights)),
      plan_(std::move(plan)),
      kept_(std::move(kept)),
      texts_(std::move(texts)),
      targets_(std::move(targets)),
      tokenizer_(std::move(tokenizer)),
      target_tokenizer_(std::move(target_tokenizer)),
      backend_(backend),
      backend_label_(backend.device().label),
      budget_(budget_bytes),
      generation_(next_generation()) {
  steps_.reserve(plan_.nodes.size());
  for (models::Node& node : plan_.nodes) steps_.push_back(std::move(node.step));
  for (const models::SitePlan& s : plan_.sites) sites_.push_back(s.site);
  // Computed in the order decoder self, cross, next layer; read in the order encoder, decoder self, decoder cross.
  sort_stably(sites_, [](const AttentionSite& a, const AttentionSite& b) { return a.site < b.site; });
  parameters_ = models::named(plan_.parameters, *weights_);
  by_name_.reserve(steps_.size() + parameters_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) by_name_[steps_[i].name] = i;
  for (std::size_t i = 0; i < parameters_.size(); ++i) by_name_[parameters_[i].name] = steps_.size() + i;
  std::vector<const std::byte*> counted;  // a view of another step's values costs nothing
  const auto count = [&](const Tensor& t) {
    if (t.empty() || std::find(counted.begin(), counted.end(), t.raw()) != counted.end()) return;
    counted.push_back(t.raw());
    bytes_ += t.bytes();
  };
  for (const Tensor& t : *kept_) count(t);
  for (const AttentionSite& site : sites_) {
    count(site.mask.mask);
    for (const masks::Part& part : site.mask.parts) count(part.mask);
  }
}

const Step* ModelTrace::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at != by_name_.end() && at->second < steps_.size() ? &steps_[at->second] : nullptr;
}

const operations::Operation* ModelTrace::operation(std::string_view name, std::size_t n) const {
  const auto at = by_name_.find(name);
  if (at == by_name_.end() || at->second >= steps_.size()) return nullptr;
  const std::vector<operations::Operation>& all = plan_.nodes[at->second].ops;
  return n < all.size() ? &all[n] : nullptr;
}

Status ModelTrace::affordable(const Step& step, double count) const {
  const double bytes = count * static_cast<double>(size_of(step.dtype));
  if (bytes <= static_cast<double>(budget_)) return {};
  return failure(ErrorKind::too_large, "this step is {} and the budget is {}", byte_words(bytes),
                 byte_words(static_cast<double>(budget_)))
      .at(step.name)
      .mend("use a shorter text, or look at a part of it");
}

Result<Tensor> ModelTrace::values(std::string_view name, const CancelToken& cancel) const {
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return not_found("there is no step '{}'", name).mend("there are {}", known_steps(steps_));
  if (at->second >= steps_.size()) {
    HL_ASSIGN(const Tensor t, models::parameter(*weights_, plan_.parameters[at->second - steps_.size()], cancel));
    return t.as(backend_.dtype());
  }
  if (!(*kept_)[at->second].empty()) return (*kept_)[at->second];
  const Step& step = steps_[at->second];
  const models::Node& node = plan_.nodes[at->second];
  double count = 1;
  for (const std::int64_t size : step.shape) count *= static_cast<double>(size);
  HL_TRY(affordable(step, count));
  if (node.source == Source::mask_part || node.source == Source::rearranged) return read_from_kept(node, step);
  if (node.source == Source::operations) {
    Tensor all(step.dtype, step.shape, step.axes, true);
    const std::size_t each = all.bytes() / static_cast<std::size_t>(step.shape[0]);
    for (std::int64_t b = 0; b < step.shape[0]; ++b) {
      HL_ASSIGN(const Tensor rows, rows_again(at->second, b, 0, step.shape[1], cancel));
      std::memcpy(all.raw() + static_cast<std::size_t>(b) * each, rows.raw(), each);
    }
    return all;
  }
  Part part;
  part.rows = step.shape[2];
  part.columns = step.shape[3];
  if (node.source == Source::mask) return mask_part(node, part).named(step.axes);
  if (node.source == Source::bias) return bias_part(node, part).named(step.axes);
  HL_ASSIGN(const Tensor t, attention_part(node, part, cancel));
  return t.named(step.axes);
}

Result<Tensor> ModelTrace::tile(std::string_view name, const Tile& tile) const {
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return not_found("there is no step '{}'", name).mend("there are {}", known_steps(steps_));
  if (at->second >= steps_.size()) return parameter_part(plan_.parameters[at->second - steps_.size()], tile);
  const Step& step = steps_[at->second];
  const std::size_t rank = step.shape.size();
  if (rank != 4 && rank != 3)
    return invalid("a tile of a step of shape {}", to_string(step.shape)).at(step.name).mend("read it whole");
  const std::int64_t heads = rank == 4 ? step.shape[1] : 1;
  const Source source = plan_.nodes[at->second].source;
  // One mask serves all heads, and where it has one row of a kind, all sentences and all queries; and so do positions.
  const bool is_mask = source == Source::mask || source == Source::mask_part;
  const std::int64_t head = is_mask ? 0 : tile.head;
  const std::int64_t batch = step.shape[0] == 1 && (is_mask || source == Source::bias || texts().size() > 1) ? 0 : tile.batch;
  const std::int64_t all_rows = step.shape[rank - 2], all_columns = step.shape[rank - 1];
  Part part{batch,       head,
            tile.row,    tile.rows < 0 ? all_rows - tile.row : tile.rows,
            tile.column, tile.columns < 0 ? all_columns - tile.column : tile.columns};
  const auto inside = [](std::int64_t begin, std::int64_t count, std::int64_t size) {
    return begin >= 0 && count >= 0 && begin <= size - count;
  };
  if (batch < 0 || batch >= step.shape[0] || head < 0 || head >= heads || !inside(part.row, part.rows, all_rows) ||
      !inside(part.column, part.columns, all_columns))
    return not_found("there is no part at batch {}, head {}, rows {}..{}, columns {}..{}", batch, head, part.row,
                     part.row + part.rows, part.column, part.column + part.columns)
        .at(step.name)
        .mend("its shape is {}", to_string(step.shape));
  const Axes axes = step.axes.size() == rank ? Axes{step.axes[rank - 2], step.axes[rank - 1]} : Axes{};
  HL_TRY(affordable(step, static_cast<double>(part.rows) * static_cast<double>(part.columns)));
  if (part.rows == 0 || part.columns == 0) return Tensor(step.dtype, {part.rows, part.columns}, axes);
  try {
    Tensor t = (*kept_)[at->second];
    if (!t.empty()) {
      t = t.select(0, batch);
      if (rank == 4) t = t.select(0, head);
      return t.slice(0, part.row, part.row + part.rows).slice(1, part.column, part.column + part.columns).compact().named(axes);
    }
    const models::Node& node = plan_.nodes[at->second];
    if (source == Source::mask_part || source == Source::rearranged)
      return part_read_from_kept(node, step, {batch, head, part.row, part.rows, part.column, part.columns}).named(axes);
    if (source == Source::operations) {
      HL_ASSIGN(t, rows_again(at->second, batch, part.row, part.rows, {}));
      return t.slice(1, part.column, part.column + part.columns).compact().named(axes);
    }
    if (source == Source::mask) return mask_part(node, part).select(0, 0).select(0, 0).named(axes);
    if (source == Source::bias) return bias_part(node, part).select(0, 0).select(0, 0).named(axes);
    HL_ASSIGN(t, attention_part(node, part, {}));
    return t.select(0, 0).select(0, 0).compact().named(axes);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for this part").at(step.name).mend("ask for a smaller one");
  }
}

Result<Tensor> ModelTrace::parameter_part(const models::ParameterSpec& spec, const Tile& tile) const {
  const bool vector = spec.shape.size() == 1;
  const std::int64_t all_rows = vector ? 1 : spec.shape[0], all_columns = spec.shape.back();
  const std::int64_t rows = tile.rows < 0 ? all_rows - tile.row : tile.rows;
  const std::int64_t columns = tile.columns < 0 ? all_columns - tile.column : tile.columns;
  const auto inside = [](std::int64_t begin, std::int64_t count, std::int64_t size) {
    return begin >= 0 && count >= 0 && begin <= size - count;
  };
  if (tile.batch != 0 || tile.head != 0 || !inside(tile.row, rows, all_rows) || !inside(tile.column, columns, all_columns))
    return not_found("there is no part at rows {}..{}, columns {}..{}", tile.row, tile.row + rows, tile.column,
                     tile.column + columns)
        .at(spec.name)
        .mend("its shape is {}", to_string(spec.shape));
  try {
    if (spec.by_rows && rows > 0) {  // never made whole
      std::vector<std::int32_t> ids(static_cast<std::size_t>(rows));
      std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(tile.row));
      HL_ASSIGN(const Tensor made, weights_->rows(spec, ids, {}));
      return made.slice(1, tile.column, tile.column + columns).compact().as(backend_.dtype()).named(spec.axes);
    }
    HL_ASSIGN(Tensor t, models::parameter(*weights_, spec, {}));
    if (vector) t = t.reshaped({1, all_columns});
    t = t.slice(0, tile.row, tile.row + rows).slice(1, tile.column, tile.column + columns).compact().as(backend_.dtype());
    return vector ? t : t.named(spec.axes);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for this part").at(spec.name).mend("ask for a smaller one");
  }
}

Tensor ModelTrace::mask_part(const models::Node& node, const Part& part) const {
  const AttentionSite& site = plan_.sites[static_cast<std::size_t>(node.site)].site;
  const std::int64_t batch = part.batch < 0 ? plan_.sites[static_cast<std::size_t>(node.site)].attention->batch : 1;
  const Shape shape{batch, 1, part.rows, part.columns};
  if (site.mask.mask.empty()) {
    Tensor ones(DType::u8, shape, {"batch", "head", "query", "key"}, true);
    std::memset(ones.raw(), 1, ones.bytes());
    return ones;
  }
  Tensor t = site.mask.mask;
  if (part.batch >= 0 && t.dim(0) > 1) t = t.slice(0, part.batch, part.batch + 1);
  if (t.dim(2) > 1) t = t.slice(2, part.row, part.row + part.rows);
  if (t.dim(3) > 1) t = t.slice(3, part.column, part.column + part.columns);
  return t.broadcast_to(shape).compact();
}

Tensor ModelTrace::bias_part(const models::Node& node, const Part& part) const {
  const models::SitePlan& s = plan_.sites[static_cast<std::size_t>(node.site)];
  if (plan_.nodes[static_cast<std::size_t>(s.bias)].source != Source::bias) {  // a step of the plan computed it
    Tensor t = (*kept_)[static_cast<std::size_t>(s.bias)];
    if (part.batch >= 0) t = t.slice(0, part.batch, part.batch + 1);
    if (part.head >= 0) t = t.slice(1, part.head, part.head + 1);
    return t.slice(2, part.row, part.row + part.rows).slice(3, part.column, part.column + part.columns).compact();
  }
  const bool all = part.head < 0;
  return positions::bias_of(
      *s.position,
      {s.attention->heads, all ? 0 : part.head, all ? s.attention->heads : 1, part.row, part.rows, part.column, part.columns},
      backend_.dtype());
}

Tensor ModelTrace::read_from_kept(const models::Node& node, const Step& step) const {
  if (node.source == Source::mask_part)
    return plan_.sites[static_cast<std::size_t>(node.site)].site.mask.parts[node.part].mask.reshaped(step.shape, step.axes);
  return (*kept_)[static_cast<std::size_t>(node.inputs[0])].permuted(node.order).compact().reshaped(step.shape, step.axes);
}

Tensor ModelTrace::part_read_from_kept(const models::Node& node, const Step& step, const Tile& tile) const {
  const auto cut = [&](const Tensor& t) {
    return t.slice(0, tile.row, tile.row + tile.rows).slice(1, tile.column, tile.column + tile.columns).compact();
  };
  if (node.source == Source::mask_part) {
    const Tensor t = read_from_kept(node, step).select(0, tile.batch);
    return cut(step.shape.size() == 4 ? t.select(0, tile.head) : t);
  }
  const Tensor t = (*kept_)[static_cast<std::size_t>(node.inputs[0])].permuted(node.order).select(0, tile.batch);
  if (step.shape.size() == 4) return cut(t.select(0, tile.head));
  // [L, h, d_k] as [L, h d_k]: only the rows asked for are copied.
  const Tensor rows = t.slice(0, tile.row, tile.row + tile.rows).compact().reshaped({tile.rows, step.shape[2]});
  return rows.slice(1, tile.column, tile.column + tile.columns).compact();
}

Result<Tensor> ModelTrace::on_any(FunctionRef<Result<Tensor>(backends::Backend&)> make) const {
  auto made = make(backend_);
  const bool of_device = !made && backend_.device().id.starts_with("cuda") &&
                         (made.error().kind == ErrorKind::unavailable || made.error().kind == ErrorKind::too_large);
  if (!of_device) return made;
  // The device was lost or filled up since the run: what is computed from is here, so the CPU can.
  HL_ASSIGN(const std::shared_ptr<backends::Backend> cpu, backends::open("cpu"));
  return make(*cpu);
}

Result<Tensor> ModelTrace::attention_part(const models::Node& node, const Part& part, const CancelToken& cancel) const {
  return on_any([&](backends::Backend& backend) { return attention_on(backend, node, part, cancel); });
}

Result<Tensor> ModelTrace::rows_again(std::size_t index, std::int64_t batch, std::int64_t row, std::int64_t rows,
                                      const CancelToken& cancel) const {
  constexpr std::size_t kRemembered = 16, kRememberedBytes = std::size_t{4} << 20;
  const auto is_it = [&](const Remembered& one) {
    return one.node == index && one.batch == batch && one.row == row && one.rows.dim(0) == rows;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(remembered_.begin(), remembered_.end(), is_it);
    if (found != remembered_.end()) return found->rows;
  }
  const models::Node& node = plan_.nodes[index];
  const auto input = static_cast<std::size_t>(node.inputs[0]);
  Tensor from;
  if ((*kept_)[input].empty()) {
    HL_ASSIGN(from, rows_again(input, batch, row, rows, cancel));
  } else {
    from = (*kept_)[input].select(0, batch).slice(0, row, row + rows).compact();
  }
  HL_ASSIGN(Tensor made, on_any([&](backends::Backend& backend) -> Result<Tensor> {
              std::vector<backends::Buffer> in(1);
              HL_ASSIGN(in[0], backend.upload(from));
              for (const int p : node.parameters) {
                HL_ASSIGN(backends::Buffer parameter,
                          models::parameter_on(backend, *weights_, plan_.parameters[static_cast<std::size_t>(p)], cancel));
                in.push_back(std::move(parameter));
              }
              for (const operations::Operation& op : node.ops) {
                HL_ASSIGN(in, backend.apply(models::of_rows(op, rows), in, cancel));
              }
              return backend.download(in[0]);
            }));
  if (made.bytes() > kRememberedBytes) return made;
  const std::lock_guard lock(mutex_);
  remembered_.push_front({index, batch, row, made});
  if (remembered_.size() > kRemembered) remembered_.pop_back();
  return made;
}

Result<Tensor> ModelTrace::attention_on(backends::Backend& backend, const models::Node& node, const Part& part,
                                        const CancelToken& cancel) const {
  const models::SitePlan& s = plan_.sites[static_cast<std::size_t>(node.site)];
  const bool weights = node.stage == models::Node::Stage::weights;
  // Softmax needs the whole row of keys; the other stages only the keys asked for.
  const std::int64_t column = weights ? 0 : part.column;
  const std::int64_t columns = weights ? s.attention->keys : part.columns;
  backends::Attention op = *s.attention;
  op.queries = part.rows;
  op.keys = columns;
  op.keep_scores = node.stage == models::Node::Stage::scores;
  op.keep_scaled = node.stage == models::Node::Stage::scaled;
  op.keep_masked = node.stage == models::Node::Stage::masked;
  op.keep_weights = weights;
  // A query's head reads the key and value head of its group.
  const std::int64_t group = s.attention->heads / s.attention->key_heads();
  const auto cut = [&](int which, std::int64_t begin, std::int64_t count) {
    Tensor t = (*kept_)[static_cast<std::size_t>(which)];
    const std::int64_t head = which == s.q ? part.head : part.head / group;
    if (part.batch >= 0) t = t.slice(0, part.batch, part.batch + 1);
    if (part.head >= 0) t = t.slice(1, head, head + 1);
    return t.slice(2, begin, begin + count).compact();
  };
  if (part.batch >= 0) op.batch = 1;
  if (part.head >= 0) op.heads = op.kv_heads = 1;
  std::vector<backends::Buffer> in;
  for (const auto& [which, begin, count] :
       {std::tuple{s.q, part.row, part.rows}, {s.k, column, columns}, {s.v, column, columns}}) {
    HL_ASSIGN(backends::Buffer buffer, backend.upload(cut(which, begin, count)));
    in.push_back(std::move(buffer));
  }
  if (op.additive) {
    HL_ASSIGN(backends::Buffer vector,
              models::parameter_on(backend, *weights_, plan_.parameters[static_cast<std::size_t>(s.score_vector)], cancel));
    in.push_back(std::move(vector));
  }
  Part cells = part;
  cells.column = column;
  cells.columns = columns;
  if (op.has_mask) {
    HL_ASSIGN(backends::Buffer mask, backend.upload(mask_part(node, cells)));
    in.push_back(std::move(mask));
  }
  // Scores before the mask are asked for without what is added to them.
  op.has_bias = s.attention->has_bias && (weights || node.stage == models::Node::Stage::masked);
  if (op.has_bias) {
    HL_ASSIGN(backends::Buffer bias, backend.upload(bias_part(node, cells)));
    in.push_back(std::move(bias));
  }
  HL_ASSIGN(const std::vector<backends::Buffer> out, backend.apply(op, in, cancel));
  HL_ASSIGN(Tensor t, backend.download(out[1]));
  return weights && (part.column != 0 || part.columns != columns) ? t.slice(3, part.column, part.column + part.columns) : t;
}

}  // namespace headlight
