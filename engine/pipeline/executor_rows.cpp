// A run of a changed text: the rows before the change are those of the run before, and the rows behind it are computed.
#include <algorithm>

#include "engine/operations/attention.h"
#include "engine/pipeline/executor.h"

namespace headlight {

using backends::Buffer;
using Source = models::Node::Source;

// One text of a decoder in the host's memory. The reference computes every row, because others are compared with it.
bool Executor::takes_rows() const {
  return cache_ && patches_.empty() && texts_.lengths.size() == 1 && targets_.longest == 0 && !backend_.computes_later() &&
         backend_.dtype() == DType::f32;
}

void Executor::find_earlier() {
  if (!takes_rows()) return;
  const auto ids = texts_.ids.values<std::int32_t>();
  earlier_ = cache_->earlier_than(ids);
  earlier_values_ = earlier_.values.lock();
  if (!earlier_values_ || earlier_.row_keys.size() != plan_.nodes.size() || earlier_.masks.size() != plan_.sites.size()) return;
  rows_ = common_rows(earlier_.ids, ids);
}

// A token's own row of a table, or a position's: the same wherever the text ends.
std::optional<StepKey> Executor::source_row_key(const models::Node& node) const {
  if (!takes_rows() || node.source == Source::tokens || node.source == Source::aside) return {};
  StepKey key = base_;
  key.add(static_cast<std::uint64_t>(node.source));
  if (!node.parameters.empty()) {
    models::add_to(key, weights_, table_of(node));
    return key;
  }
  return key.add(document_.position).add(document_.seed).add(static_cast<std::uint64_t>(document_.d_model));
}

std::optional<StepKey> Executor::computed_row_key(const models::Node& node) const {
  if (!takes_rows() || row_axis(node.step.axes) < 0) return {};
  StepKey key = base_;
  for (const int input : node.inputs) {
    const auto& of_input = row_keys_[static_cast<std::size_t>(input)];
    if (!of_input) return {};
    key.add(*of_input);
  }
  for (const int p : node.parameters) models::add_to(key, weights_, plan_.parameters[static_cast<std::size_t>(p)]);
  for (const backends::OpDesc& op : node.ops)
    if (!add_row_to(key, op, texts_.longest)) return {};
  return key;
}

// Whether the step's first rows are those of the earlier run: the same operations on the same rows.
bool Executor::has_earlier_rows(std::size_t index) {
  const models::Node& node = plan_.nodes[index];
  if (rows_ == 0 || !row_keys_[index] || row_keys_[index] != earlier_.row_keys[index]) return false;
  const auto has_rows = [&](int input) { return has_rows_[static_cast<std::size_t>(input)] != 0; };
  if (node.source != Source::operations) return true;  // a table's rows by the tokens, which are the same so far
  if (!std::all_of(node.inputs.begin(), node.inputs.end(), has_rows)) return false;
  const auto is_there = [&](std::size_t at) { return !(*earlier_values_)[at].empty(); };
  if (!is_there(index)) return false;
  for (std::size_t i = 0; i < node.gives.size(); ++i)
    if (node.gives[i].output != i + 1 || !is_there(static_cast<std::size_t>(node.gives[i].node))) return false;
  if (node.site < 0 || node.ops.empty() || !node.ops.front().get_if<operations::Attention>()) return true;
  // A site's mask is that of the first site like it.
  const std::size_t site = models::mask_of(plan_, static_cast<std::size_t>(node.site));
  std::optional<bool>& same = same_masks_[site];
  if (!same)
    same = same_rows(earlier_.masks[site], plan_.sites[site].site.mask.mask, rows_,
                     plan_.sites[site].attention->fill == operations::MaskFill::minus_1e9);
  return *same;
}

// `in`: the whole inputs, parameters and mask. Gives the step's whole outputs.
Result<std::vector<Buffer>> Executor::compute_last_rows(std::size_t index, std::vector<Buffer> in) {
  const models::Node& node = plan_.nodes[index];
  const std::int64_t length = texts_.longest, rows = length - rows_;
  const bool attends = node.ops.front().get_if<operations::Attention>() != nullptr;
  std::vector<std::size_t> nodes{index};  // by output
  for (const models::Node::Given& given : node.gives) nodes.push_back(static_cast<std::size_t>(given.node));
  std::vector<Buffer> out;
  for (const std::size_t at : nodes) {
    const Step& step = plan_.nodes[at].step;
    HL_ASSIGN(Buffer whole, backend_.allocate(backend_.dtype(), step.shape, step.axes));
    copy_rows((*earlier_values_)[at], whole.host, row_axis(step.axes), 0, rows_);
    out.push_back(std::move(whole));
  }
  if (rows == 0) return out;

  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool is_input = i < node.inputs.size(), is_mask = attends && i == in.size() - 1;
    if (is_mask) in[i].host = rows_behind(in[i].host, 2, rows_);
    if (!is_input || (attends && i > 0)) continue;  // keys, values and parameters are read whole
    in[i].host = rows_behind(in[i].host, row_axis(plan_.nodes[static_cast<std::size_t>(node.inputs[i])].step.axes), rows_);
  }
  std::vector<Buffer> made;
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    const backends::OpDesc op = *of_some_rows(node.ops[i], length, rows_, rows);
    std::vector<Buffer> into;
    if (i + 1 == node.ops.size() && nodes.size() == 1) {
      // Without heads the new rows lie behind each other, so that they are computed where they belong.
      const Tensor behind = out[0].host.slice(row_axis(out[0].host.axes()), rows_, length);
      HL_ASSIGN(const backends::Signature s, backends::signature(op, backend_.dtype()));
      if (behind.contiguous()) into.push_back({behind.reshaped(s.outputs[0], s.output_axes[0]), {}});
    }
    const bool in_place = !into.empty();
    HL_ASSIGN(made, execute(op, in, std::move(into)));
    if (in_place) return out;
    in = {made[0]};
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Step& step = plan_.nodes[nodes[i]].step;
    Shape shape = step.shape;
    const int axis = row_axis(step.axes);
    shape[static_cast<std::size_t>(axis)] = rows;
    copy_rows(made[i].host.reshaped(std::move(shape), step.axes), out[i].host, axis, rows_, rows);
  }
  return out;
}

void Executor::remember(const Values& values) {
  if (!takes_rows()) return;
  const auto ids = texts_.ids.values<std::int32_t>();
  EarlierRun run{values, {ids.begin(), ids.end()}, row_keys_, {}};
  for (const models::SitePlan& site : plan_.sites) run.masks.push_back(site.site.mask.mask);
  cache_->remember(std::move(run));
}

}  // namespace headlight
