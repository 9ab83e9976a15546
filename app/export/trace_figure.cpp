#include "app/export/trace_figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/attention/word_axes.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "engine/attention/scores/score.h"
#include "engine/insight/predictions.h"
#include "engine/insight/rollout.h"
#include "engine/insight/word_groups.h"

namespace headlight::figures {
namespace {

constexpr std::uint64_t kMostGridBytes = std::uint64_t{2} << 30;

// The attention that a step belongs to ("layer.0.weights" to "layer.0."), or null; a layer's feed-forward part is of its
// attention.
const AttentionSite* site_of(const Trace& trace, const Step& step) {
  const AttentionSite* found = nullptr;
  for (const AttentionSite& site : trace.sites())
    if (step.name.starts_with(site.prefix) && (!found || site.prefix.size() > found->prefix.size())) found = &site;
  return found;
}

// "decoder cross, layer 1": where in the model a step is, in words; empty for the first steps of a model with one stream.
std::string words_of_place(const Trace& trace, const Step& step, const AttentionSite* site) {
  std::string place;
  if (!trace.targets().empty()) {
    const bool decoder = site ? site->site != masks::Site::encoder_self : step.of_targets;
    place = decoder ? "decoder" : "encoder";
    if (site && site->site == masks::Site::cross) place += " cross";
  }
  if (site) place += (place.empty() ? "" : ", ") + std::string("layer ") + std::to_string(site->layer);
  return place;
}

// The tokens along an axis of a step, or none (dimensions).
struct Labels {
  bool tokens = false;
  std::vector<std::string> list;
};
Labels trace_figure_labels_of(const Trace& trace, const Step& step, const std::string& axis, std::int64_t batch) {
  if (axis != "query" && axis != "key" && axis != "position") return {};
  const AttentionSite* site = site_of(trace, step);
  const bool targets = site && axis == "key" ? site->columns_are_targets : step.of_targets;
  const auto sentences = targets ? trace.targets() : trace.texts();
  if (batch >= static_cast<std::int64_t>(sentences.size())) return {};
  return {true, numbered(sentences[static_cast<std::size_t>(batch)].labels)};
}

std::string axis_title(const std::string& axis) {
  if (axis == "query") return tr("query (attends)");
  if (axis == "key") return tr("key (is attended to)");
  if (axis == "position") return "token";
  return axis;
}

// One head's mask over the first rows and columns; empty if everything may attend.
Tensor trace_figure_mask_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                            std::int64_t rows, std::int64_t columns) {
  const Tensor& mask = site.mask.mask;
  if (mask.empty()) return {};
  const auto batches = static_cast<std::int64_t>(trace.texts().size());
  return mask.broadcast_to({batches, site.heads, site.queries, site.keys})
      .select(0, batch)
      .select(0, head)
      .slice(0, 0, rows)
      .slice(1, 0, columns)
      .compact();
}

// Over the first rows and columns, 1 where any head may attend; empty if everything may.
Tensor mask_of_all_heads(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t rows,
                         std::int64_t columns) {
  Tensor any;
  for (std::int64_t head = 0; head < site.heads; ++head) {
    const Tensor one = trace_figure_mask_of(trace, site, batch, head, rows, columns);
    if (one.empty()) return {};
    if (head == 0) any = Tensor(DType::u8, one.shape());
    for (std::int64_t i = 0; i < one.count(); ++i) any.data<std::uint8_t>()[i] |= one.data<std::uint8_t>()[i];
  }
  return any;
}

// The sentence of a self-attention.
const Sentence& own_sentence(const Trace& trace, const AttentionSite& site, std::int64_t batch) {
  return (site.rows_are_targets ? trace.targets() : trace.texts())[static_cast<std::size_t>(batch)];
}

// What is hatched where the mask forbids, and what lies between 0 and 1.
bool is_masked_step(Role role) { return role == Role::weights || role == Role::masked_scores || role == Role::mask; }
bool is_share(Role role) { return role == Role::weights || role == Role::mask; }

struct ValueRange {
  float least = 0, most = 0, size = 0;
  void add(const Tensor& values, const Tensor& mask) {
    const auto v = values.values<float>();
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (!std::isfinite(v[i]) || (!mask.empty() && mask.values<std::uint8_t>()[i] == 0)) continue;
      least = std::min(least, v[i]);
      most = std::max(most, v[i]);
      size = std::max(size, std::abs(v[i]));
    }
  }
};

// What one number of a step is, in words; without any of its own, the step's own name.
std::string words_of(const Trace& trace, const Step& step) {
  switch (step.role) {
    case Role::weights: return "weight";
    case Role::scores: return scores::words_of(trace.document().score);
    case Role::scaled_scores: return "scaled score";
    case Role::masked_scores: return "masked score";
    case Role::mask: return "1: may attend";
    default: return own_name(step.name);
  }
}

template <class Input>
void set_range_trace_figure(Input& input, const Trace& trace, const Step& step, const StepView& view, const ValueRange& range) {
  input.quantity = words_of(trace, step);
  input.colormap = !view.colormap.empty() ? view.colormap : is_share(step.role) ? "viridis" : "signed";
  const Colormap* map = colormaps().find(input.colormap);
  const bool is_signed = map && map->is_signed;
  char ends[64];
  if (is_share(step.role)) {
    input.low = is_signed ? -1.0f : 0.0f;
    input.high = 1;
    input.range_words = words_of(trace, step) + (is_signed ? ", fixed -1..1, " : ", fixed 0..1, ") + input.colormap;
    return;
  }
  if (is_signed) {
    input.high = range.size > 0 ? range.size : 1;
    input.low = -input.high;
    input.range_words = words_of(trace, step) + ", symmetric about 0";
    return;
  }
  input.low = range.least;
  input.high = range.most > range.least ? range.most : range.least + 1;
  std::snprintf(ends, sizeof ends, ", %.3g to %.3g, ", static_cast<double>(input.low), static_cast<double>(input.high));
  input.range_words = words_of(trace, step) + ends + input.colormap;
}

std::string note_of(const Trace& trace, const Step& step) {
  return step.origin == Origin::random ? fill(tr("random weights, seed {}"), {std::to_string(trace.document().seed)}) : "";
}

// The words of the first rows and columns of an attention's weights, if the view takes their pieces together.
std::optional<WordAxes> words_of_weights(const Trace& trace, const Step& step, const StepView& view, std::int64_t rows,
                                         std::int64_t columns) {
  const AttentionSite* site = site_of(trace, step);
  if (!view.words || step.role != Role::weights || !site) return {};
  WordAxes axes = word_axes(trace, *site, view.batch, !view.names_read);
  axes.rows.leave_out_from(rows);
  axes.columns.leave_out_from(columns);
  return axes;
}

struct Matrix {
  Tensor values, mask;
  Labels rows, columns;
  std::string row_axis, column_axis;
  std::string row_title, column_title;  // in words; empty: axis_title()'s
};

// A [rows, columns] picture of a step, cut to the real tokens.
Result<Matrix> trace_figure_matrix_of(const Trace& trace, const Step& step, const StepView& view) {
  const auto rank = static_cast<int>(step.shape.size());
  if (step.dtype == DType::i32) {
    return usage_error("'{}' is a list of ids and no picture", step.name).at("--what").mend("write it as .csv, .npy or .npz");
  }
  Matrix m;
  if (rank == 1) {  // one row
    m.column_axis = step.axes.empty() ? std::string() : step.axes[0];
    HL_ASSIGN(const Tensor whole, trace.values(step.name));
    m.values = whole.as(DType::f32).compact().reshaped({1, whole.count()}, {});
    return m;
  }
  const auto axis = [&](int i) {
    return i < static_cast<int>(step.axes.size()) ? step.axes[static_cast<std::size_t>(i)] : std::string();
  };
  m.row_axis = axis(rank - 2);
  m.column_axis = axis(rank - 1);
  m.rows = trace_figure_labels_of(trace, step, m.row_axis, view.batch);
  m.columns = trace_figure_labels_of(trace, step, m.column_axis, view.batch);
  const auto cut = [](const Labels& labels, std::int64_t size) {
    return labels.tokens ? std::min(size, static_cast<std::int64_t>(labels.list.size())) : size;
  };
  const std::int64_t rows = cut(m.rows, step.shape[static_cast<std::size_t>(rank - 2)]),
                     columns = cut(m.columns, step.shape[static_cast<std::size_t>(rank - 1)]);
  if (rows < 1 || columns < 1)
    return invalid("the sentence has no tokens, so there is nothing to draw").at("--text").mend("give a text that is not empty");

  const std::optional<WordAxes> words = rank == 4 ? words_of_weights(trace, step, view, rows, columns) : std::nullopt;
  if (rank == 4) {
    Trace::Tile tile;
    tile.batch = view.batch;
    tile.rows = rows;
    tile.columns = columns;
    const auto read = [&](std::int64_t head) -> Result<Tensor> {
      tile.head = head;
      HL_ASSIGN(Tensor one, trace.tile(step.name, tile));
      if (!words) return one;
      return words_weights(one, trace_figure_mask_of(trace, *site_of(trace, step), view.batch, head, rows, columns), *words);
    };
    // A mask is the same for all heads.
    HL_ASSIGN(m.values, heads_together(view.heads_as, step.shape[1], std::min(view.head, step.shape[1] - 1), read));
  } else {
    HL_ASSIGN(const Tensor whole, trace.values(step.name));
    const Tensor one = rank == 3 ? whole.select(0, std::min(view.batch, whole.dim(0) - 1)) : whole;
    m.values = one.slice(0, 0, rows).slice(1, 0, columns);
  }
  m.values = m.values.as(DType::f32).compact();
  if (const AttentionSite* site = site_of(trace, step); site && rank == 4 && is_masked_step(step.role)) {
    m.mask = view.heads_as == HeadsAs::one ? trace_figure_mask_of(trace, *site, view.batch, view.head, rows, columns)
                                           : mask_of_all_heads(trace, *site, view.batch, rows, columns);
  }
  const bool of_attention = m.row_axis == "query" && m.column_axis == "key";
  if (const AttentionSite* site = site_of(trace, step); of_attention && site && m.rows.tokens && writes_words(*site)) {
    if (!view.names_read && !words) m.rows.list = written_names(trace, view.batch, std::move(m.rows.list));
    m.row_title = view.names_read ? tr("query (word read)") : tr("query (word it writes)");
  }
  if (words) {
    m.mask = words_mask(m.mask, *words);
    m.rows.list = numbered(words->rows.labels());
    m.columns.list = numbered(words->columns.labels());
    m.row_title = query_words_axis(writes_words(*site_of(trace, step)) && !view.names_read);
    m.column_title = key_words_axis();
  }
  if (of_attention ? view.transposed : view.turned) {
    m.values = m.values.permuted({1, 0}).compact();
    if (!m.mask.empty()) m.mask = m.mask.permuted({1, 0}).compact();
    std::swap(m.rows, m.columns);
    std::swap(m.row_axis, m.column_axis);
    std::swap(m.row_title, m.column_title);
  }
  if (m.rows.tokens) m.rows.list.resize(static_cast<std::size_t>(m.values.dim(0)));
  if (m.columns.tokens) m.columns.list.resize(static_cast<std::size_t>(m.values.dim(1)));
  return m;
}

Result<const Step*> find_step(const Trace& trace, const std::string& name) {
  if (const Step* step = trace.find(name)) return step;
  return not_found("there is no step '{}'", name).at("--what").mend("see `headlight trace --shapes` for their names");
}

}  // namespace

Result<HeatmapInput> step_input(const Trace& trace, const std::string& name, const StepView& view) {
  HL_ASSIGN(const Step* step, find_step(trace, name));
  HL_ASSIGN(Matrix m, trace_figure_matrix_of(trace, *step, view));
  const AttentionSite* site = site_of(trace, *step);
  HeatmapInput input;
  ValueRange range;
  range.add(m.values, m.mask);
  set_range_trace_figure(input, trace, *step, view, range);
  input.data_name = own_name(name);
  input.values = std::move(m.values);
  input.mask = std::move(m.mask);
  input.row_labels = std::move(m.rows.list);
  input.column_labels = std::move(m.columns.list);
  input.row_name = m.row_axis;
  input.column_name = m.column_axis;
  input.row_axis = m.row_title.empty() ? axis_title(m.row_axis) : m.row_title;
  input.column_axis = m.column_title.empty() ? axis_title(m.column_axis) : m.column_title;
  std::string place = words_of_place(trace, *step, site);
  if (step->shape.size() == 4 && step->role != Role::mask)
    place += (place.empty() ? "" : ", ") + words_of(view.heads_as, step->shape[1], view.head);
  input.title = place.empty() ? own_name(name) : place + " · " + own_name(name);
  if (trace.texts().size() > 1) input.title += ", sentence " + std::to_string(view.batch);
  input.note = note_of(trace, *step);
  input.key = 1;
  return input;
}

Result<HeatmapInput> rollout_input(const Trace& trace, std::span<const AttentionSite* const> layers, const StepView& view,
                                   const CancelToken& cancel) {
  HL_ASSIGN(const Tensor rollout, attention_rollout(trace, layers, view.batch, cancel));
  StepView all = view;
  all.heads_as = HeadsAs::mean;
  HL_ASSIGN(HeatmapInput input, step_input(trace, trace.name_at(layers.back()->prefix, Role::weights), all));
  const Step* step = trace.step_at(layers.back()->prefix, Role::weights);
  const auto own = static_cast<std::int64_t>(own_sentence(trace, *layers.back(), view.batch).tokens.size());
  Tensor shares = rollout.slice(0, 0, std::min(own, rollout.dim(0))).slice(1, 0, std::min(own, rollout.dim(1)));
  if (const auto words = words_of_weights(trace, *step, view, own, own)) shares = words_weights(shares, {}, *words);
  input.values = (view.transposed ? shares.permuted({1, 0}) : shares).compact();
  for (std::int64_t i = 0; i < input.mask.count() && !input.mask.empty(); ++i)
    if (input.values.data<float>()[i] > 0) input.mask.data<std::uint8_t>()[i] = 1;
  std::string place = words_of_place(trace, *step, layers.back());
  place = place.substr(0, place.find("layer "));
  const std::string first = std::to_string(layers.front()->layer), last = std::to_string(layers.back()->layer);
  input.title = place + (layers.size() == 1 ? "rollout of layer " + last : "rollout, layers " + first + " to " + last);
  if (trace.texts().size() > 1) input.title += ", sentence " + std::to_string(view.batch);
  input.data_name = input.quantity = "rollout";
  if (input.range_words.starts_with("weight")) input.range_words.replace(0, 6, "rollout");
  return input;
}

Result<GridInput> heads_input(const Trace& trace, const std::vector<std::string>& steps, const StepView& view) {
  GridInput input;
  ValueRange range;
  std::string row_axis, column_axis;
  const Step* last = nullptr;
  std::uint64_t bytes = 0;
  for (const std::string& name : steps) {
    HL_ASSIGN(const Step* step, find_step(trace, name));
    if (step->shape.size() != 4)
      return usage_error("the step '{}' has no heads", name).at("--head").mend("leave it out, and --view grid too");
    last = step;
    const bool together = view.heads_as != HeadsAs::one;
    const std::int64_t heads = together ? 1 : step->shape[1];
    if (together) input.names.push_back(words_of_place(trace, *step, site_of(trace, *step)));
    if (input.heads != 0 && heads != input.heads)
      return invalid("the layers have different numbers of heads").at(name).mend("give one --layer");
    input.heads = heads;
    ++input.layers;
    bytes += static_cast<std::uint64_t>(step->shape[2]) * static_cast<std::uint64_t>(step->shape[3]) *
             static_cast<std::uint64_t>(heads) * 5;
    if (bytes > kMostGridBytes) {
      return failure(ErrorKind::too_large, "the pictures of all heads would take more than 2 GB")
          .at("--view grid")
          .mend("give one --layer or one --head, or a shorter text");
    }
    for (std::int64_t head = 0; head < heads; ++head) {
      StepView one = view;
      one.head = head;
      HL_ASSIGN(Matrix m, trace_figure_matrix_of(trace, *step, one));
      range.add(m.values, m.mask);
      row_axis = m.row_axis;
      column_axis = m.column_axis;
      input.values.push_back(std::move(m.values));
      input.masks.push_back(std::move(m.mask));
      input.keys.push_back(input.keys.size() + 1);
    }
    input.note = note_of(trace, *step);
  }
  if (!last) return input;
  set_range_trace_figure(input, trace, *last, view, range);
  input.data_name = own_name(last->name);
  const auto plain = [](const std::string& axis) { return axis == "position" ? std::string("token") : axis; };
  input.cell_words = "in each picture: row = " + plain(row_axis) + ", column = " + plain(column_axis);
  if (view.words && last->role == Role::weights) input.cell_words += std::string("; ") + tr("pieces of a word together");
  const Step* first = trace.find(steps[0]);
  const std::string place = words_of_place(trace, *first, site_of(trace, *first));
  // If there is one layer, its number is named; if there are several, only the site.
  std::string site = place.substr(0, place.find("layer "));
  while (!site.empty() && (site.back() == ' ' || site.back() == ',')) site.pop_back();
  input.title = (steps.size() == 1 ? place : site) +
                (steps.size() == 1 ? (place.empty() ? "" : ", ")
                 : site.empty()    ? ""
                                   : ", ") +
                (view.heads_as == HeadsAs::one ? "all heads" : words_of(view.heads_as, last->shape[1], 0)) + " · " +
                own_name(last->name);
  if (view.heads_as != HeadsAs::one) {  // there is no axis of heads
    input.ordered = true;
    for (std::int64_t layer = 0; layer < input.layers; ++layer) input.order.push_back(layer);
  }
  if (const AttentionSite* lowest = site_of(trace, *first)) input.first_layer = lowest->layer;
  if (trace.texts().size() > 1) input.title += ", sentence " + std::to_string(view.batch);
  return input;
}

}  // namespace headlight::figures
