// What a continuation keeps, and the plans of its additions; continuation_steps.cpp computes them.
#include "engine/pipeline/continuation.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "engine/models/composed_plan.h"
#include "engine/operations/ablate.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/scale.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/unit_rows.h"

namespace headlight {
namespace {

using Source = models::Node::Source;

constexpr std::int64_t kRoomStep = 16;           // places of keys and values are made in such steps
constexpr std::int64_t kLongestMaskSeen = 4096;  // a longer mask is not looked through cell by cell

models::Sizes sizes_of(const ContinuedModel& model, std::int64_t texts, std::int64_t source_length, std::int64_t rows) {
  models::Sizes sizes;
  sizes.batch = texts;
  const auto count = static_cast<std::size_t>(texts);
  sizes.text_length = model.reads_two ? source_length : rows;
  sizes.text_lengths.assign(count, sizes.text_length);
  if (model.reads_two) {
    sizes.target_length = rows;
    sizes.target_lengths.assign(count, rows);
  }
  sizes.text_tokens = model.text_tokens;
  sizes.target_tokens = model.target_tokens;
  sizes.target_table = model.target_table;
  sizes.trained_positions = model.trained_positions;
  sizes.output = {true, model.tied};
  return sizes;
}

models::ModelPlan plan_of(const ContinuedModel& model, const models::Sizes& sizes) {
  models::ModelPlan plan = models::plan_of(*model.architecture, model.document, sizes, model.backend->dtype());
  models::fix_weights(plan);
  return plan;
}

std::size_t logits_of(const models::ModelPlan& plan) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].step.role == Role::logits) at = i;
  return at;
}

// Operations that compute each row by itself, and attention. A mean over the positions is none, and neither is a pattern that is
// replaced as a whole.
bool is_known(const backends::OpDesc& op) {
  using namespace operations;
  if (const auto* ablate = op.get_if<Ablate>()) return !ablate->averages();
  return visit<Linear, Add, Multiply, Scale, SoftCap, Activate, LayerNorm, RmsNorm, UnitRows, Rotary, SplitHeads, MergeHeads,
               Attention, Softmax>(op, [](const auto&) {});
}

// Whether no row of these masks sees a later column, and no row depends on how many columns there are: a row that sees none is
// uniform over all of them under -1e9.
bool hides_what_follows(const models::SitePlan& site, const Document& document, std::int64_t length) {
  const bool infinite = site.attention->fill == operations::MaskFill::minus_infinity;
  const auto is_causal = [](const Choice& mask) { return mask.id == "causal"; };
  if (infinite && std::any_of(site.masks.begin(), site.masks.end(), is_causal)) return true;
  if (length > kLongestMaskSeen) return false;
  masks::Request request;
  request.site = site.site.site;
  request.queries = request.keys = length;
  request.key_lengths = {length};
  const auto combined = masks::combine(site.masks, request, document.custom_mask.get());
  if (!combined || combined->mask.empty()) return false;
  const Tensor mask = combined->mask.broadcast_to({1, 1, length, length}).compact();
  const auto cells = mask.values<std::uint8_t>();
  for (std::int64_t i = 0; i < length; ++i) {
    const auto row = cells.subspan(static_cast<std::size_t>(i * length), static_cast<std::size_t>(length));
    const auto behind = row.subspan(static_cast<std::size_t>(i + 1));
    if (std::any_of(behind.begin(), behind.end(), [](std::uint8_t may) { return may != 0; })) return false;
    if (!infinite && std::all_of(row.begin(), row.end(), [](std::uint8_t may) { return may == 0; })) return false;
  }
  return true;
}

}  // namespace

bool Continuation::possible(const ContinuedModel& model) {
  // Rotary positions that turn otherwise in a longer text leave no row as it was.
  const auto& rope = model.architecture->rope;
  if (model.backend->computes_later() || (rope && rope->depends_on_length())) return false;
  const models::ModelPlan plan = plan_of(model, sizes_of(model, 1, 1, 1));
  for (std::size_t i = 0; i <= logits_of(plan); ++i)
    for (const backends::OpDesc& op : plan.nodes[i].ops)
      if (!is_known(op)) return false;
  return std::all_of(plan.sites.begin(), plan.sites.end(), [&](const models::SitePlan& site) {
    if (site.site.site == masks::Site::decoder_self) return hides_what_follows(site, model.document, model.length);
    if (site.site.site == masks::Site::encoder_self) return true;
    return std::all_of(site.masks.begin(), site.masks.end(),
                       [](const Choice& mask) { return masks::registry().find(mask.id)->by_sentence; });
  });
}

std::uint64_t Continuation::bytes_of_text(const ContinuedModel& model) {
  const auto numbers = static_cast<std::uint64_t>(model.length * model.document.d_model * model.document.layers);
  return numbers * size_of(model.backend->dtype()) * (model.reads_two ? 4 : 2);
}

Continuation::Continuation(std::shared_ptr<const ContinuedModel> model, std::size_t texts, std::vector<Ids> sources)
    : model_(std::move(model)), sources_(std::move(sources)), lengths_(texts, 0) {
  for (const Ids& source : sources_) source_length_ = std::max(source_length_, static_cast<std::int64_t>(source.size()));
}

Result<Tensor> Continuation::add(std::span<const Ids> tokens, const CancelToken& cancel) {
  try {
    std::int64_t rows = 1, longest = 1;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto count = static_cast<std::int64_t>(tokens[i].size());
      rows = std::max(rows, count);
      longest = std::max(longest, lengths_[i] + count);
    }
    HL_TRY(make_pass(rows, cancel));
    make_room(longest);
    turns_.clear();
    masks_.assign(pass_->plan.sites.size(), {});
    biases_.assign(pass_->plan.sites.size(), {});
    flops_ = 0;
    HL_ASSIGN(Tensor logits, compute(tokens, cancel));
    for (std::size_t i = 0; i < tokens.size(); ++i) lengths_[i] += static_cast<std::int64_t>(tokens[i].size());
    return logits;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "there is not enough memory for this prediction").mend("use shorter texts");
  }
}

void Continuation::keep(std::span<const std::size_t> texts) {
  std::vector<std::size_t> all(lengths_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (std::equal(texts.begin(), texts.end(), all.begin(), all.end())) return;
  for (Kept& one : kept_) {
    if (one.rows.empty()) continue;
    Shape shape = one.rows.shape();
    shape[0] = static_cast<std::int64_t>(texts.size());
    Tensor fewer(one.rows.dtype(), shape, one.rows.axes(), true);
    const std::size_t each = one.rows.bytes() / lengths_.size();
    for (std::size_t i = 0; i < texts.size(); ++i) std::memcpy(fewer.raw() + i * each, one.rows.raw() + texts[i] * each, each);
    one.rows = std::move(fewer);
  }
  std::vector<std::int64_t> lengths;
  std::vector<Ids> sources;
  for (const std::size_t text : texts) {
    lengths.push_back(lengths_[text]);
    if (model_->reads_two) sources.push_back(sources_[text]);
  }
  lengths_ = std::move(lengths);
  sources_ = std::move(sources);
}

void Continuation::take_back(std::int64_t tokens) {
  for (std::int64_t& length : lengths_) length -= tokens;
}

Status Continuation::make_pass(std::int64_t rows, const CancelToken& cancel) {
  const auto texts = static_cast<std::int64_t>(lengths_.size());
  const bool with_sources = model_->reads_two && lengths_.front() == 0;
  if (pass_ && pass_->texts == texts && pass_->rows == rows && pass_->with_sources == with_sources) return {};
  pass_.reset();  // its arrays are free for the next ones
  auto pass = std::make_unique<Pass>();
  pass->texts = texts;
  pass->rows = rows;
  pass->with_sources = with_sources;
  pass->plan = plan_of(*model_, sizes_of(*model_, texts, source_length_, rows));
  pass->logits = logits_of(pass->plan);
  const std::size_t nodes = pass->plan.nodes.size();
  pass->keeps.assign(nodes, -1);
  kept_.resize(2 * pass->plan.sites.size());
  for (std::size_t i = 0; i < pass->plan.sites.size(); ++i) {
    const models::SitePlan& site = pass->plan.sites[i];
    pass->mask_places.push_back(models::mask_of(pass->plan, i));
    pass->bias_places.push_back(models::bias_of(pass->plan, i));
    if (site.site.site == masks::Site::encoder_self) continue;
    pass->keeps[static_cast<std::size_t>(site.k)] = static_cast<int>(2 * i);
    pass->keeps[static_cast<std::size_t>(site.v)] = static_cast<int>(2 * i + 1);
    kept_[2 * i].grows = kept_[2 * i + 1].grows = site.site.site == masks::Site::decoder_self;
  }
  find_needed(*pass);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (!pass->needed[i]) continue;
    models::Node& node = pass->plan.nodes[i];
    // Positions are those of each text's own rows here.
    if (node.inputs.size() == 2 && pass->plan.nodes[static_cast<std::size_t>(node.inputs[1])].source == Source::position)
      node.ops = {operations::Add{1, element_count(node.step.shape), false}};
    if (i == pass->logits) {
      operations::Linear last = *node.ops.front().get_if<operations::Linear>();
      last.rows = texts;
      node.ops.front() = last;
      if (node.ops.size() > 1) {
        operations::SoftCap cap = *node.ops[1].get_if<operations::SoftCap>();
        cap.rows = texts;
        node.ops[1] = cap;
      }
      node.step.shape = {texts, last.columns};
      node.step.axes = {"batch", "token"};
    }
  }
  parameters_.resize(pass->plan.parameters.size());
  HL_TRY(make_arrays(*pass, cancel));
  pass_ = std::move(pass);
  return {};
}

void Continuation::find_needed(Pass& pass) const {
  const std::size_t nodes = pass.plan.nodes.size();
  pass.needed.assign(nodes, 0);
  pass.last.assign(nodes, 0);
  pass.needed[pass.logits] = 1;
  for (std::size_t i = pass.logits + 1; i-- > 0;) {
    if (!pass.needed[i]) continue;
    const int kept = pass.keeps[i];
    if (kept >= 0 && !kept_[static_cast<std::size_t>(kept)].grows && !pass.with_sources) continue;  // it is there
    for (const int input : pass.plan.nodes[i].inputs) {
      const auto at = static_cast<std::size_t>(input);
      pass.needed[at] = 1;
      pass.last[at] = std::max(pass.last[at], i);
    }
  }
}

// Gives every node its array. An array serves another node when no later one reads it: together they take little more than the
// two largest.
Status Continuation::make_arrays(Pass& pass, const CancelToken& cancel) {
  const std::size_t nodes = pass.plan.nodes.size();
  // A view reads another node's array, so that the array is needed as long as the view.
  std::vector<std::size_t> owner(nodes), last = pass.last;
  for (std::size_t i = 0; i < nodes; ++i) {
    const models::Node& node = pass.plan.nodes[i];
    owner[i] = node.source == Source::view ? owner[static_cast<std::size_t>(node.inputs[0])] : i;
    last[owner[i]] = std::max(last[owner[i]], last[i]);
  }
  std::vector<Tensor> free;
  const DType real = model_->backend->dtype();
  const auto make_array = [&](Shape shape, Axes axes) -> Result<Tensor> {
    const std::size_t bytes = static_cast<std::size_t>(element_count(shape)) * size_of(real);
    const auto fits = [&](const Tensor& one) { return one.bytes() == bytes; };
    if (const auto at = std::find_if(free.begin(), free.end(), fits); at != free.end()) {
      Tensor found = at->reshaped(std::move(shape), std::move(axes));
      free.erase(at);
      return found;
    }
    HL_ASSIGN(Buffer made, model_->backend->allocate(real, std::move(shape), std::move(axes)));
    return std::move(made.host);
  };
  pass.values.resize(nodes);
  pass.parts.resize(nodes);
  for (std::size_t i = 0; i <= pass.logits; ++i) {
    if (!pass.needed[i]) continue;
    const models::Node& node = pass.plan.nodes[i];
    const int kept = pass.keeps[i];
    const bool is_there = kept >= 0 && !kept_[static_cast<std::size_t>(kept)].grows && !pass.with_sources;
    if (node.source == Source::view) {
      pass.values[i].host = pass.values[static_cast<std::size_t>(node.inputs[0])].host.reshaped(node.step.shape, node.step.axes);
    } else if (node.source == Source::operations && !is_there) {
      HL_TRY(make_parts(pass, i, make_array, cancel));
      for (std::size_t part = 0; part + 1 < pass.parts[i].size(); ++part) free.push_back(pass.parts[i][part].out.host);
    } else if (node.source == Source::embedding || node.source == Source::position) {
      Shape shape = node.step.shape;
      if (node.source == Source::position) shape.insert(shape.begin(), pass.texts);
      HL_ASSIGN(pass.values[i].host, make_array(shape, {"batch", "position", "d_model"}));
    }
    if (is_there) continue;
    for (const int input : node.inputs) {
      const std::size_t read = owner[static_cast<std::size_t>(input)];
      if (last[read] != i || pass.values[read].host.empty()) continue;
      last[read] = nodes;  // once
      free.push_back(pass.values[read].host);
    }
  }
  return {};
}

// The operations of a node with their arrays. What changes with every addition is set when they are executed.
Status Continuation::make_parts(Pass& pass, std::size_t index, FunctionRef<Result<Tensor>(Shape, Axes)> make_array,
                                const CancelToken& cancel) {
  const models::Node& node = pass.plan.nodes[index];
  std::vector<Buffer> in;
  for (const int input : node.inputs) in.push_back(pass.values[static_cast<std::size_t>(input)]);
  if (index == pass.logits) {
    HL_ASSIGN(in[0].host, make_array({pass.texts, in[0].host.dim(2)}, {"batch", "d_model"}));
  }
  for (const int p : node.parameters) {
    Buffer& parameter = parameters_[static_cast<std::size_t>(p)];
    if (parameter.host.empty()) {
      const models::ParameterSpec& spec = pass.plan.parameters[static_cast<std::size_t>(p)];
      HL_ASSIGN(parameter, models::parameter_on(*model_->backend, *model_->weights, spec, cancel));
    }
    in.push_back(parameter);
  }
  for (const backends::OpDesc& op : node.ops) {
    Part part;
    const bool attends = op.get_if<operations::Attention>() != nullptr;
    const bool changes = attends || op.get_if<operations::Rotary>();  // with every addition
    if (changes) {
      HL_ASSIGN(part.prepared.signature, backends::signature(op, model_->backend->dtype()));
    } else {
      HL_ASSIGN(part.prepared, prepare(op));
    }
    const backends::Signature& s = part.prepared.signature;
    part.in = std::move(in);
    for (std::size_t i = 0; i < part.in.size() && !attends; ++i)
      if (!s.broadcasts[i]) part.in[i].host = part.in[i].host.reshaped(s.inputs[i]);
    HL_ASSIGN(part.out.host, make_array(s.outputs[0], s.output_axes[0]));
    in = {part.out};
    pass.parts[index].push_back(std::move(part));
  }
  pass.values[index].host = in[0].host.reshaped(node.step.shape, node.step.axes);
  return {};
}

// Makes room for the keys and values of so many tokens.
void Continuation::make_room(std::int64_t tokens) {
  const std::int64_t old = room_;
  if (tokens > room_) {
    room_ = std::max(tokens, std::min(room_ + room_ / 4, model_->length));
    room_ = (room_ + kRoomStep - 1) / kRoomStep * kRoomStep;
    squares_.clear();
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    Kept& one = kept_[i];
    const models::SitePlan& site = pass_->plan.sites[i / 2];
    if (!one.grows || site.site.site == masks::Site::encoder_self || (!one.rows.empty() && one.rows.dim(2) == room_)) continue;
    const operations::Attention& a = *site.attention;
    const std::int64_t width = i % 2 == 0 ? a.d_k : a.d_v;
    // Zeros: a masked key has no weight, but nothing may make it infinite.
    Tensor wider(model_->backend->dtype(), {pass_->texts, a.key_heads(), room_, width}, {"batch", "head", "position", "d_k"});
    if (!one.rows.empty()) {
      const std::size_t row = static_cast<std::size_t>(width) * size_of(wider.dtype());
      const auto before = static_cast<std::size_t>(old) * row, after = static_cast<std::size_t>(room_) * row;
      for (std::size_t block = 0; block < static_cast<std::size_t>(pass_->texts * a.key_heads()); ++block)
        std::memcpy(wider.raw() + block * after, one.rows.raw() + block * before, before);
    }
    one.rows = std::move(wider);
  }
}

}  // namespace headlight
