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

Status Continuation::execute(Part& part, const CancelToken& cancel) {
  HL_TRY(model_->backend->execute(*part.prepared.plan, part.in, {&part.out, 1}, cancel));
  flops_ += part.prepared.flops;
  return {};
}

Result<Tensor> Continuation::compute(std::span<const Ids> tokens, const CancelToken& cancel) {
  Pass& pass = *pass_;
  // The caller may hold the last addition's scores, so these get a new array.
  Buffer& scores = pass.parts[pass.logits].back().out;
  HL_ASSIGN(scores, model_->backend->allocate(scores.host.dtype(), scores.host.shape(), scores.host.axes()));
  for (std::size_t i = 0; i <= pass.logits; ++i) {
    if (!pass.needed[i]) continue;
    if (cancel.cancelled()) return cancelled();
    HL_TRY(compute_node(i, tokens, cancel));
  }
  HL_ASSIGN(const Tensor made, model_->backend->download(scores));
  const Step& step = pass.plan.nodes[pass.logits].step;
  return made.reshaped(step.shape, step.axes);
}

Status Continuation::compute_node(std::size_t index, std::span<const Ids> tokens, const CancelToken& cancel) {
  const models::Node& node = pass_->plan.nodes[index];
  Kept* const kept = pass_->keeps[index] >= 0 ? &kept_[static_cast<std::size_t>(pass_->keeps[index])] : nullptr;
  if (kept && !kept->grows && !pass_->with_sources) return {};
  const auto write = [&](const Tensor& made) { std::memcpy(pass_->values[index].host.raw(), made.raw(), made.bytes()); };
  switch (node.source) {
    case Source::embedding: {
      HL_ASSIGN(const Tensor rows, embedding(node, tokens, cancel));
      write(rows);
      break;
    }
    case Source::position: {
      HL_ASSIGN(const Tensor rows, position_rows(node, cancel));
      write(rows);
      break;
    }
    case Source::view: break;
    case Source::operations: {
      HL_TRY(compute_operations(index, tokens, cancel));
      break;
    }
    default: return {};  // ids are looked up by the embedding; masks, scores and views of whole arrays are asked for by nobody
  }
  if (kept && kept->grows) append(*kept, pass_->values[index].host, tokens);
  if (kept && !kept->grows) {
    const Tensor& values = pass_->values[index].host;
    kept->rows = Tensor(values.dtype(), values.shape(), values.axes(), true);
    std::memcpy(kept->rows.raw(), values.raw(), values.bytes());
  }
  return {};
}

Status Continuation::compute_operations(std::size_t index, std::span<const Ids> tokens, const CancelToken& cancel) {
  const models::Node& node = pass_->plan.nodes[index];
  std::vector<Part>& parts = pass_->parts[index];
  if (index == pass_->logits)
    last_rows(pass_->values[static_cast<std::size_t>(node.inputs[0])].host, tokens, parts.front().in[0].host);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto* rotary = node.ops[i].get_if<operations::Rotary>()) {
      HL_TRY(turn(*rotary, grows(node), parts[i], cancel));
    } else if (node.ops[i].get_if<operations::Attention>()) {
      HL_TRY(attend(index, parts[i], cancel));
    } else {
      HL_TRY(execute(parts[i], cancel));
    }
  }
  return {};
}

Result<Tensor> Continuation::embedding(const models::Node& node, std::span<const Ids> tokens, const CancelToken& cancel) const {
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
  return rows.as(model_->backend->dtype());
}

// Each text's own positions, from its first new row on: [texts, rows, d_model].
Result<Tensor> Continuation::position_rows(const models::Node& node, const CancelToken& cancel) {
  const bool growing = grows(node);
  const std::int64_t texts = pass_->texts, rows = node.step.shape[0], d = node.step.shape[1];
  if (!node.parameters.empty()) {  // a trained table
    std::vector<std::int32_t> places;
    for (const std::int64_t length : lengths_)
      for (std::int64_t i = 0; i < rows; ++i) places.push_back(static_cast<std::int32_t>((growing ? length : 0) + i));
    const models::ParameterSpec& table = pass_->plan.parameters[static_cast<std::size_t>(node.parameters[0])];
    HL_ASSIGN(const Tensor trained, model_->weights->rows(table, places, cancel));
    return trained.as(model_->backend->dtype());
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
  return all;
}

// Texts that stand at one position are turned together.
Status Continuation::turn(const operations::Rotary& op, bool growing, Part& part, const CancelToken& cancel) {
  const std::int64_t each = op.rows / pass_->texts;
  const auto first = [&](std::int64_t text) { return growing ? lengths_[static_cast<std::size_t>(text)] : std::int64_t{0}; };
  for (std::int64_t begin = 0, end; begin < pass_->texts; begin = end) {
    for (end = begin + 1; end < pass_->texts && first(end) == first(begin);) ++end;
    const std::int64_t rows = (end - begin) * each;
    const auto is_it = [&](const Prepared& made) {
      const auto& turn = *made.desc->get_if<operations::Rotary>();
      return turn.rows == rows && turn.length == op.length && turn.first == first(begin) && turn.d_k == op.d_k &&
             turn.base == op.base && turn.halves == op.halves && turn.turned == op.turned && turn.magnitude == op.magnitude &&
             turn.frequencies == op.frequencies;
    };
    auto at = std::find_if(turns_.begin(), turns_.end(), is_it);
    if (at == turns_.end()) {
      operations::Rotary some = op;
      some.rows = rows;
      some.first = first(begin);
      HL_ASSIGN(Prepared made, prepare(some));
      at = turns_.insert(turns_.end(), std::move(made));
    }
    flops_ += at->flops;
    if (rows == op.rows) return model_->backend->execute(*at->plan, part.in, {&part.out, 1}, cancel);
    const Buffer from{part.in[0].host.slice(0, begin * each, end * each), {}};
    Buffer to{part.out.host.slice(0, begin * each, end * each), {}};
    HL_TRY(model_->backend->execute(*at->plan, {&from, 1}, {&to, 1}, cancel));
  }
  return {};
}

Status Continuation::attend(std::size_t index, Part& part, const CancelToken& cancel) {
  const auto site = static_cast<std::size_t>(pass_->plan.nodes[index].site);
  const models::SitePlan& s = pass_->plan.sites[site];
  HL_TRY(make_masks(site));
  operations::Attention a = *s.attention;
  if (s.site.site != masks::Site::encoder_self) {
    if (s.site.site == masks::Site::decoder_self) a.keys = room_;
    part.in[1].host = kept_[2 * site].rows;
    part.in[2].host = kept_[2 * site + 1].rows;
  }
  const Tensor &mask = masks_[pass_->mask_places[site]], &bias = biases_[pass_->bias_places[site]];
  a.has_mask = !mask.empty();
  part.in.resize(a.additive ? 4 : 3);
  if (a.has_mask) part.in.push_back({mask, {}});
  if (a.has_bias) part.in.push_back({bias, {}});
  const auto* before = part.prepared.desc ? part.prepared.desc->get_if<operations::Attention>() : nullptr;
  if (!before || before->keys != a.keys || before->has_mask != a.has_mask) {
    HL_ASSIGN(part.prepared, prepare(a));
  }
  return execute(part, cancel);
}

// The mask of a site and what its positions add to the scores, once for all sites like it.
Status Continuation::make_masks(std::size_t site) {
  const models::SitePlan& s = pass_->plan.sites[site];
  const bool growing = s.site.site == masks::Site::decoder_self;
  Tensor& mask = masks_[pass_->mask_places[site]];
  if (mask.empty() && growing) {
    HL_ASSIGN(mask, growing_mask(pass_->mask_places[site]));
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
  Tensor& bias = biases_[pass_->bias_places[site]];
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
void Continuation::last_rows(const Tensor& rows, std::span<const Ids> tokens, Tensor& last) const {
  const std::size_t row = static_cast<std::size_t>(rows.dim(2)) * size_of(rows.dtype());
  for (std::size_t b = 0; b < tokens.size(); ++b) {
    const auto place = static_cast<std::size_t>(rows.dim(1)) * b + tokens[b].size() - 1;
    std::memcpy(last.raw() + b * row, rows.raw() + place * row, row);
  }
}

}  // namespace headlight
