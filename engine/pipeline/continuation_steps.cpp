// The steps of an addition: those of new rows, with the keys and values of all.
#include <algorithm>
#include <cstring>

#include "engine/attention/positions/position.h"
#include "engine/operations/attention.h"
#include "engine/pipeline/continuation.h"
#include "engine/pipeline/executor.h"

namespace headlight {

using backends::Buffer;
using Source = models::Node::Source;

Result<Continuation::Prepared> Continuation::prepare(const backends::OpDesc& desc) const {
  Prepared made;
  HL_ASSIGN(made.signature, backends::signature(desc, model_->backend->dtype()));
  HL_ASSIGN(made.plan, model_->backend->prepare(desc));
  made.flops = operations::cost_of(desc, model_->backend->dtype()).flops;
  made.desc = desc;
  return made;
}

Result<Buffer> Continuation::execute(Prepared& prepared, std::vector<Buffer> in, const CancelToken& cancel) {
  const backends::Signature& s = prepared.signature;
  HL_ASSIGN(Buffer out, model_->backend->allocate(model_->backend->dtype(), s.outputs[0], s.output_axes[0]));
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!s.broadcasts[i]) in[i].host = in[i].host.reshaped(s.inputs[i]);
  HL_TRY(model_->backend->execute(*prepared.plan, in, {&out, 1}, cancel));
  flops_ += prepared.flops;
  return out;
}

Result<Tensor> Continuation::compute(std::span<const Ids> tokens, const CancelToken& cancel) {
  const Pass& pass = *pass_;
  std::vector<Buffer> values(pass.plan.nodes.size());
  for (std::size_t i = 0; i <= pass.logits; ++i) {
    if (!pass.needed[i]) continue;
    if (cancel.cancelled()) return cancelled();
    HL_TRY(compute_node(i, tokens, values, cancel));
    for (const int input : pass.plan.nodes[i].inputs)
      if (pass.last[static_cast<std::size_t>(input)] == i) values[static_cast<std::size_t>(input)] = {};
  }
  return model_->backend->download(values[pass.logits]);
}

Status Continuation::compute_node(std::size_t index, std::span<const Ids> tokens, std::vector<Buffer>& values,
                                  const CancelToken& cancel) {
  const models::Node& node = pass_->plan.nodes[index];
  Kept* const kept = pass_->keeps[index] >= 0 ? &kept_[static_cast<std::size_t>(pass_->keeps[index])] : nullptr;
  if (kept && !kept->grows && !pass_->with_sources) {
    values[index].host = kept->rows;
    return {};
  }
  switch (node.source) {
    case Source::embedding: {
      HL_ASSIGN(values[index], embedding(node, tokens, cancel));
      break;
    }
    case Source::position: {
      HL_ASSIGN(values[index], position_rows(node, cancel));
      break;
    }
    case Source::view:
      values[index].host = values[static_cast<std::size_t>(node.inputs[0])].host.reshaped(node.step.shape, node.step.axes);
      break;
    case Source::operations: {
      HL_TRY(compute_operations(index, tokens, values, cancel));
      break;
    }
    default: return {};  // ids are looked up by the embedding; masks, scores and views of whole arrays are asked for by nobody
  }
  if (kept && kept->grows) append(*kept, values[index].host, tokens);
  if (kept && !kept->grows) kept->rows = values[index].host;
  return {};
}

Status Continuation::compute_operations(std::size_t index, std::span<const Ids> tokens, std::vector<Buffer>& values,
                                        const CancelToken& cancel) {
  const models::Node& node = pass_->plan.nodes[index];
  std::vector<Buffer> in;
  for (const int input : node.inputs) in.push_back(values[static_cast<std::size_t>(input)]);
  if (index == pass_->logits) in[0].host = last_rows(in[0].host, tokens);
  for (const int p : node.parameters) {
    Buffer& parameter = parameters_[static_cast<std::size_t>(p)];
    if (parameter.host.empty()) {
      const models::ParameterSpec& spec = pass_->plan.parameters[static_cast<std::size_t>(p)];
      HL_ASSIGN(parameter, models::parameter_on(*model_->backend, *model_->weights, spec, cancel));
    }
    in.push_back(parameter);
  }
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    Buffer out;
    if (const auto* rotary = node.ops[i].get_if<operations::Rotary>()) {
      HL_ASSIGN(out, turned(*rotary, grows(node), in[0], cancel));
    } else if (node.ops[i].get_if<operations::Attention>()) {
      HL_ASSIGN(out, attended(index, in, cancel));
    } else {
      HL_ASSIGN(out, execute(pass_->prepared[index][i], std::move(in), cancel));
    }
    in = {std::move(out)};
  }
  values[index].host = in[0].host.reshaped(node.step.shape, node.step.axes);
  return {};
}

Result<Buffer> Continuation::embedding(const models::Node& node, std::span<const Ids> tokens, const CancelToken& cancel) const {
  const bool of_sources = !grows(node);
  const models::Sizes::Tokens& from = node.of_targets ? model_->target_tokens : model_->text_tokens;
  const BatchIds batch = batch_ids(of_sources ? std::span<const Ids>(sources_) : tokens, static_cast<std::int32_t>(from.pad_id));
  // Of sources that are gone the longest may have been one.
  Tensor ids(DType::i32, {node.step.shape[0], node.step.shape[1]}, {"batch", "position"}, true);
  std::fill_n(ids.data<std::int32_t>(), ids.count(), static_cast<std::int32_t>(from.pad_id));
  for (std::int64_t b = 0; b < ids.dim(0); ++b)
    std::copy_n(batch.ids.data<std::int32_t>() + b * batch.longest, batch.longest, ids.data<std::int32_t>() + b * ids.dim(1));
  const models::ParameterSpec& table = pass_->plan.parameters[static_cast<std::size_t>(node.parameters[0])];
  HL_ASSIGN(const Tensor rows, model_->weights->rows(table, ids.values<std::int32_t>(), cancel));
  return model_->backend->upload(rows.reshaped(node.step.shape, node.step.axes));
}

// Each text's own positions, from its first new row on: [texts, rows, d_model].
Result<Buffer> Continuation::position_rows(const models::Node& node, const CancelToken& cancel) {
  const bool growing = grows(node);
  const std::int64_t texts = pass_->texts, rows = node.step.shape[0], d = node.step.shape[1];
  if (!node.parameters.empty()) {  // a trained table
    std::vector<std::int32_t> places;
    for (const std::int64_t length : lengths_)
      for (std::int64_t i = 0; i < rows; ++i) places.push_back(static_cast<std::int32_t>((growing ? length : 0) + i));
    const models::ParameterSpec& table = pass_->plan.parameters[static_cast<std::size_t>(node.parameters[0])];
    HL_ASSIGN(const Tensor trained, model_->weights->rows(table, places, cancel));
    return model_->backend->upload(trained.reshaped({texts, rows, d}, {"batch", "position", "d_model"}));
  }
  std::int64_t wanted = rows;
  for (const std::int64_t length : lengths_) wanted = std::max(wanted, length + rows);
  if (positions_.empty() || positions_.dim(0) < wanted)
    positions_ = positions::registry()
                     .find(model_->document.position)
                     ->make(std::max(wanted, model_->length), d, model_->document.seed)
                     .as(model_->backend->dtype());
  Tensor all(positions_.dtype(), {texts, rows, d}, {"batch", "position", "d_model"}, true);
  const std::size_t row = static_cast<std::size_t>(d) * size_of(all.dtype());
  const std::size_t block = static_cast<std::size_t>(rows) * row;
  for (std::size_t b = 0; b < lengths_.size(); ++b)
    std::memcpy(all.raw() + b * block, positions_.raw() + (growing ? static_cast<std::size_t>(lengths_[b]) * row : 0), block);
  return model_->backend->upload(all);
}

// Texts that stand at one position are turned together.
Result<Buffer> Continuation::turned(const operations::Rotary& op, bool growing, const Buffer& from, const CancelToken& cancel) {
  HL_ASSIGN(Buffer out, model_->backend->allocate(model_->backend->dtype(), {op.rows, op.d_k}, {"row", "d_k"}));
  const Tensor rows = from.host.reshaped({op.rows, op.d_k});
  const std::int64_t each = op.rows / pass_->texts;
  const auto first = [&](std::int64_t text) { return growing ? lengths_[static_cast<std::size_t>(text)] : std::int64_t{0}; };
  for (std::int64_t begin = 0, end; begin < pass_->texts; begin = end) {
    for (end = begin + 1; end < pass_->texts && first(end) == first(begin);) ++end;
    operations::Rotary part = op;
    part.rows = (end - begin) * each;
    part.first = first(begin);
    const auto key = std::tuple(part.rows, part.length, part.first);
    auto at = turns_.find(key);
    if (at == turns_.end()) {
      HL_ASSIGN(Prepared made, prepare(part));
      at = turns_.emplace(key, std::move(made)).first;
    }
    const Buffer in{rows.slice(0, begin * each, end * each), {}};
    Buffer to{out.host.slice(0, begin * each, end * each), {}};
    HL_TRY(model_->backend->execute(*at->second.plan, {&in, 1}, {&to, 1}, cancel));
    flops_ += at->second.flops;
  }
  return out;
}

Result<Buffer> Continuation::attended(std::size_t index, std::vector<Buffer>& in, const CancelToken& cancel) {
  const auto site = static_cast<std::size_t>(pass_->plan.nodes[index].site);
  const models::SitePlan& s = pass_->plan.sites[site];
  HL_TRY(make_masks(site));
  operations::Attention a = *s.attention;
  if (kept_[2 * site].grows && s.site.site == masks::Site::decoder_self) {
    a.keys = room_;
    in[1].host = kept_[2 * site].rows;
    in[2].host = kept_[2 * site + 1].rows;
  }
  const Tensor &mask = masks_[models::mask_of(pass_->plan, site)], &bias = biases_[models::bias_of(pass_->plan, site)];
  a.has_mask = !mask.empty();
  if (a.has_mask) in.push_back({mask, {}});
  if (a.has_bias) in.push_back({bias, {}});
  Prepared& prepared = pass_->prepared[index].front();
  const auto* before = prepared.desc ? prepared.desc->get_if<operations::Attention>() : nullptr;
  if (!before || before->keys != a.keys || before->has_mask != a.has_mask) {
    HL_ASSIGN(prepared, prepare(a));
  }
  return execute(prepared, std::move(in), cancel);
}

// The mask of a site and what its positions add to the scores, once for all sites like it.
Status Continuation::make_masks(std::size_t site) {
  const models::SitePlan& s = pass_->plan.sites[site];
  const bool growing = s.site.site == masks::Site::decoder_self;
  Tensor& mask = masks_[models::mask_of(pass_->plan, site)];
  if (mask.empty() && growing) {
    HL_ASSIGN(mask, growing_mask(models::mask_of(pass_->plan, site)));
  } else if (mask.empty()) {
    masks::Request request;
    request.site = s.site.site;
    request.batch = pass_->texts;
    request.queries = s.attention->queries;
    request.keys = s.attention->keys;
    for (const Ids& source : sources_) request.key_lengths.push_back(static_cast<std::int64_t>(source.size()));
    std::vector<Choice> all = s.masks;
    const auto is_padding = [](const Choice& one) { return one.id == "padding"; };
    const bool uneven = std::any_of(request.key_lengths.begin(), request.key_lengths.end(),
                                    [&](std::int64_t length) { return length != request.keys; });
    // Keys that stand for no token of a shorter source must not be attended.
    if (uneven && std::none_of(all.begin(), all.end(), is_padding)) all.push_back({"padding", {}});
    HL_ASSIGN(const masks::Combined combined, masks::combine(all, request, model_->document.custom_mask.get()));
    mask = combined.mask;
  }
  Tensor& bias = biases_[models::bias_of(pass_->plan, site)];
  if (s.attention->has_bias && bias.empty()) bias = bias_of(s, growing);
  return {};
}

// Each text's own rows of the mask of the whole, as far as there is room: u8 [texts, 1, rows, room].
Result<Tensor> Continuation::growing_mask(std::size_t at) {
  Tensor& square = squares_[at];
  if (square.empty()) {
    const models::SitePlan& site = pass_->plan.sites[at];
    masks::Request request;
    request.site = site.site.site;
    request.queries = request.keys = room_;
    request.key_lengths = {room_};
    HL_ASSIGN(const masks::Combined combined, masks::combine(site.masks, request, model_->document.custom_mask.get()));
    square = combined.mask.broadcast_to({1, 1, room_, room_}).compact();
  }
  const std::int64_t rows = pass_->rows;
  Tensor mask(DType::u8, {pass_->texts, 1, rows, room_}, {"batch", "head", "query", "key"});
  for (std::int64_t b = 0; b < pass_->texts; ++b)
    for (std::int64_t i = 0; i < rows; ++i) {
      // Rows behind the end of a shorter addition have no meaning, but must not read beyond the square.
      const std::int64_t row = std::min(lengths_[static_cast<std::size_t>(b)] + i, room_ - 1);
      std::copy_n(square.data<std::uint8_t>() + row * room_, row + 1, mask.data<std::uint8_t>() + (b * rows + i) * room_);
    }
  return mask;
}

Tensor Continuation::bias_of(const models::SitePlan& site, bool growing) const {
  const operations::Attention& a = *site.attention;
  const DType real = model_->backend->dtype();
  if (!growing) return positions::bias_of(*site.position, {a.heads, 0, a.heads, 0, a.queries, 0, a.keys}, real);
  Tensor all(real, {pass_->texts, a.heads, a.queries, room_}, {"batch", "head", "query", "key"}, true);
  const std::size_t each = all.bytes() / lengths_.size();
  for (std::size_t b = 0; b < lengths_.size(); ++b) {
    const Tensor one = positions::bias_of(*site.position, {a.heads, 0, a.heads, lengths_[b], a.queries, 0, room_}, real);
    std::memcpy(all.raw() + b * each, one.compact().raw(), each);
  }
  return all;
}

// Puts new keys or values behind those of their texts.
void Continuation::append(Kept& kept, const Tensor& rows, std::span<const Ids> tokens) const {
  const std::int64_t heads = rows.dim(1), added = rows.dim(2);
  const std::size_t row = static_cast<std::size_t>(rows.dim(3)) * size_of(rows.dtype());
  for (std::size_t b = 0; b < tokens.size(); ++b)
    for (std::int64_t h = 0; h < heads; ++h) {
      const auto block = static_cast<std::int64_t>(b) * heads + h;
      std::memcpy(kept.rows.raw() + static_cast<std::size_t>(block * room_ + lengths_[b]) * row,
                  rows.raw() + static_cast<std::size_t>(block * added) * row, tokens[b].size() * row);
    }
}

// The last new row of each text: [texts, d_model].
Tensor Continuation::last_rows(const Tensor& rows, std::span<const Ids> tokens) const {
  const std::int64_t width = rows.dim(2);
  Tensor last(rows.dtype(), {rows.dim(0), width}, {"batch", "d_model"}, true);
  const std::size_t row = static_cast<std::size_t>(width) * size_of(rows.dtype());
  for (std::size_t b = 0; b < tokens.size(); ++b) {
    const auto place = static_cast<std::size_t>(rows.dim(1)) * b + tokens[b].size() - 1;
    std::memcpy(last.raw() + b * row, rows.raw() + place * row, row);
  }
  return last;
}

}  // namespace headlight
