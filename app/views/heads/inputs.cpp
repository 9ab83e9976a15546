// From the pictures of heads to the inputs of the layouts.
#include <algorithm>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/normalise.h"
#include "app/figures/attention/word_axes.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "engine/attention/scores/score.h"

namespace headlight::views::heads {
namespace {

constexpr float kLeastPresented = 15.5f;  // of a cell with a number: on a projector 25 pixels, as little as one line needs
constexpr std::int64_t kMostDots = 72;    // per side: more would be tiny and take too long to draw

figures::Reduction reduction_of(const ViewState& view) {
  return view.reduction == "mean" ? figures::Reduction::mean : figures::Reduction::max;
}

void add_note(std::string& note, const std::string& more) { note += (note.empty() ? "" : "; ") + more; }

// The common input of all matrix layouts. With `block` > 1, rows and columns are blocks of the window, labelled by their first
// token.
void set_axes(figures::MatrixInput& input, const Context& context, const AttentionChoice& choice, const Pane& pane,
              const PaneLook& how) {
  const AttentionWords* const words = shown_words(context.view, choice);
  input.row_labels = shown_queries(context, choice);
  if (writes_words(choice))
    input.row_axis = names_written(context, choice) ? tr("query (word it writes)") : tr("query (word read)");
  input.column_labels = shown_keys(context, choice);
  input.hot_row = words ? words->rows.at(how.lit.query) : how.lit.query;
  input.hot_column = words ? words->columns.at(how.lit.key) : how.lit.key;
  if (words) {
    input.row_axis = figures::query_words_axis(names_written(context, choice));
    input.column_axis = figures::key_words_axis();
  }
  if (context.view.transposed) {
    std::swap(input.row_labels, input.column_labels);
    std::swap(input.row_axis, input.column_axis);
    std::swap(input.row_name, input.column_name);
    std::swap(input.hot_row, input.hot_column);
  }
  input.data_name =
      pane.kind == Pane::rollout ? "rollout" : own_name(context.trace->name_at(choice.prefix(), role_of(context.view, pane)));
  input.reduction = reduction_of(context.view);
  input.legend = how.legend;
  input.most_cell = how.most_cell;
  if (context.view.presentation) input.least_number = kLeastPresented;
  input.most_width = how.most_width;
  if (how.plain_axes) {
    input.row_axis.clear();
    const bool writes = names_written(context, choice);
    input.column_axis = context.view.transposed
                            ? (writes ? tr("to write the column, it looks at the row") : tr("column looks at row"))
                        : writes ? tr("to write the row, it looks at the column")
                                 : tr("row looks at column");
    if (words) input.column_axis += std::string(", ") + tr("pieces of a word together");
  }
  input.grain = how.grain;
  input.names_rows = how.names_rows;
  input.lean = how.lean;
  if (how.title) {
    input.title = how.brief && pane.kind == Pane::one ? head_short(choice, pane.heads.front()) : pane.title;
    if (pane.kind == Pane::one) input.title_hue = head_hue(pane.heads.front());
  }
  input.first_row = how.window.first_row;
  input.row_count = how.window.rows;
  input.first_column = how.window.first_column;
  input.column_count = how.window.columns;
  input.note = weights_note(*context.trace, choice);
  if (pane.kind == Pane::rollout)
    add_note(input.note, tr("R = A'ₙ … A'₁ A'₀ with A' = ½ mean of heads + ½ I: half of it is the residual's"));
}

void add_hidden_labels(figures::Legend& legend, const figures::Figure& figure) {
  if (figure.hidden_labels > 0) legend.notes.emplace_back(tr("some labels have no room: zoom in to read them"));
}

std::string score_words(const Context& context, Role role) {
  return role == Role::scores ? tr(scores::words_of(context.trace->document().score)) : tr("scaled score");
}

std::string range_words(const ViewState& view, const Pane& pane, const figures::Shades& scale) {
  std::string words = scale.words;
  if (own(view).picture == "heatmap" && role_of(view, pane) == Role::weights) words += ", " + colormap_of(view);
  return words;
}

figures::Figure heatmap_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                               const PanePicture& picture, float width, float height, figures::Legend* legend) {
  figures::HeatmapInput input;
  set_axes(input, context, choice, pane, how);
  input.values = picture.colours;
  input.non_finite = picture.non_finite;
  input.numbers = picture.values;
  input.mask = picture.mask;
  input.key = picture.key;
  input.strongest = picture.strongest;
  if (pane.kind == Pane::overlay)
    for (const HeadRef& head : pane.heads) input.heads.push_back({head_short(choice, head), head_hue(head)});
  const Role role = role_of(context.view, pane);
  const figures::Shades scale = role == Role::weights
                                    ? figures::scale_of_weights(context.view.range, picture.largest)
                                    : figures::shades_of_scores({}, picture.largest, score_words(context, role));
  input.colormap = role == Role::weights ? colormap_of(context.view) : "signed";
  input.low = scale.low;
  input.high = scale.high;
  input.low_words = scale.low_words;
  input.high_words = scale.high_words;
  input.range_words = range_words(context.view, pane, scale);
  if (pane.kind == Pane::overlay)
    add_note(input.note,
             tr("each cell: the largest of these heads, marked in its hue; a hue says which head, its brightness how much"));
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  if (!legend) return figure;
  *legend = figures::legend_of(input);
  add_hidden_labels(*legend, figure);
  for (const auto& item : figure.items) {
    const auto* cells = std::get_if<figures::Cells>(&item);
    if (!cells || cells->tag.kind != figures::Tag::cell_area) continue;
    const float pixels =
        std::min(cells->box.w / static_cast<float>(cells->columns), cells->box.h / static_cast<float>(cells->rows)) *
        context.scale;
    if (pixels < 1)
      legend->notes.insert(legend->notes.begin(), context.view.reduction == "mean"
                                                      ? tr("each pixel shows the mean of its cells")
                                                      : tr("each pixel shows the largest of its cells"));
  }
  return figure;
}

figures::Figure dots_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                            float width, float height, figures::Legend* legend) {
  const std::int64_t most = how.whole ? std::max(how.window.rows, how.window.columns) : kMostDots;
  const auto marks = pane_marks(context, choice, pane, how.window, most);
  if (!marks) return {};
  figures::DotsInput input;
  set_axes(input, context, choice, pane, how);
  const Role role = role_of(context.view, pane);
  const std::string range = role == Role::weights ? context.view.range : "fixed";
  const figures::Shades scale = role == Role::weights ? figures::scale_of_weights(range, marks->largest)
                                                      : figures::shades_of_scores({}, marks->largest, score_words(context, role));
  input.heads = marks->heads;
  input.non_finite = marks->non_finite;
  input.mask = marks->mask;
  input.key = marks->key;
  input.is_signed = role != Role::weights;
  input.legend_discs = figures::legend_shares(scale, range);
  input.range_words = fill(input.is_signed ? tr("area: {}; orange above 0, blue below") : tr("area: {}"),
                           {range_words(context.view, pane, scale)});
  if (marks->block > 1 || how.window.first_row > 0 || how.window.first_column > 0) {
    // The marks cover the window only.
    const auto blocks = [&](std::vector<std::string>& labels, std::int64_t first, std::int64_t count, std::int64_t& hot) {
      std::vector<std::string> kept;
      for (std::int64_t i = first; i < first + count; i += marks->block)
        if (static_cast<std::size_t>(i) < labels.size()) kept.push_back(labels[static_cast<std::size_t>(i)]);
      labels = std::move(kept);
      hot = hot >= first && hot < first + count ? (hot - first) / marks->block : -1;
    };
    blocks(input.row_labels, how.window.first_row, how.window.rows, input.hot_row);
    blocks(input.column_labels, how.window.first_column, how.window.columns, input.hot_column);
    input.first_row = input.first_column = input.row_count = input.column_count = 0;
  }
  if (marks->block > 1) {
    const std::string side = std::to_string(marks->block);
    add_note(input.note, fill(context.view.reduction == "mean" ? tr("each dot is the mean of {} x {} cells")
                                                               : tr("each dot is the largest of {} x {} cells"),
                              {side, side}));
  }
  figures::Figure figure = figures::dots(input, width, height, context.theme, context.measure);
  if (legend) {
    float cell = 20;
    for (const auto& item : figure.items)
      if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area)
        cell = c->box.w / static_cast<float>(std::max<std::int64_t>(1, c->columns));
    *legend = figures::legend_of(input, context.theme, cell);
    add_hidden_labels(*legend, figure);
  }
  return figure;
}

figures::Figure arcs_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                            float width, float height, figures::Legend* legend) {
  const auto heads = pane_arcs(context, choice, pane);
  if (!heads) return {};
  figures::ArcsInput input;
  set_axes(input, context, choice, pane, how);
  input.heads = *heads;
  input.isolate = how.lit.hovered;
  input.mask = {};
  if (const auto picture = pane_picture(context, choice, pane)) {
    input.mask = picture->mask;
    if (pane.kind != Pane::overlay) input.non_finite = picture->non_finite;
  }
  const double largest = heads->empty() ? 0 : 1;
  input.range_words = fill(tr("width and strength: {}"),
                           {range_words(context.view, pane, figures::scale_of_weights(context.view.range, largest))});
  if (legend) *legend = figures::legend_of(input);
  return figures::arcs(input, width, height, context.theme, context.measure);
}

figures::Figure neuron_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                              float width, float height) {
  const std::int64_t query = std::clamp<std::int64_t>(how.lit.query, 0, choice.site->queries - 1);
  const auto row =
      neuron_row(context, choice, pane.heads.front(), query, figures::neuron_rows(height, context.measure, how.title));
  if (!row) return {};
  figures::NeuronInput input = row->input;
  const auto queries = query_names(context, choice), keys = column_labels(context, choice);
  input.query_label = queries[static_cast<std::size_t>(query)];
  for (auto& key : input.rows) key.label = keys[static_cast<std::size_t>(key.number)];
  input.hue = head_hue(pane.heads.front());
  input.hot_key = how.lit.key;
  if (how.title) input.title = pane.title;
  input.note = weights_note(*context.trace, choice);
  if (const std::string shared = shared_key_words(*choice.site, pane.heads.front().head); !shared.empty())
    input.note = shared + (input.note.empty() ? "" : "; ") + input.note;
  input.key = static_cast<std::uint64_t>(context.trace->generation()) * 0x9e3779b97f4a7c15ull ^
              static_cast<std::uint64_t>(query * 65536 + pane.heads.front().layer * 1024 + pane.heads.front().head + 1) *
                  0xc2b2ae3d27d4eb4full ^
              static_cast<std::uint64_t>(choice.batch) << 48 ^ std::hash<std::string>{}(choice.kind);
  return figures::neuron(input, width, height, context.theme, context.measure);
}

}  // namespace

std::string weights_note(const Trace& trace, const AttentionChoice& choice) {
  return random_note(trace, trace.name_at(choice.prefix(), Role::weights));
}
bool has_random_weights(const Trace& trace, const AttentionChoice& choice) {
  const Step* const step = trace.step_at(choice.prefix(), Role::weights);
  return step && step->origin == Origin::random;
}

std::string colormap_of(const ViewState& view) {
  const figures::Colormap* map = figures::colormaps().find(view.colormap);
  return map && !map->is_signed ? view.colormap : "viridis";
}

LitCell lit_of(const Context& context, const AttentionChoice& choice) {
  const Hot& now = context.hover.now;
  LitCell lit;
  if (now.byte_start >= 0) {
    lit.query = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, now);
    lit.key = hovered_token(*context.trace, choice.site->columns_are_targets, choice.batch, now);
    // A token of a sentence that attends to itself counts as a query, so that the arcs show where it attends.
    if (own(context.view).picture == "arcs" && lit.query == lit.key) lit.key = -1;
    lit.hovered = lit.query >= 0 || lit.key >= 0;
  } else if (now.row >= 0 || now.column >= 0) {
    lit.query = now.row;
    lit.key = now.column;
    lit.hovered = true;
  } else {
    lit.query = context.view.pinned_row;
    lit.key = context.view.pinned_column;
  }
  if (lit.query >= choice.site->queries) lit.query = -1;
  if (lit.key >= choice.site->keys) lit.key = -1;
  return lit;
}

std::pair<std::int64_t, std::int64_t> matrix_size(const ViewState& view, const AttentionChoice& choice) {
  const AttentionWords* const words = shown_words(view, choice);
  const std::int64_t queries = words ? words->rows.size() : choice.site->queries,
                     keys = words ? words->columns.size() : choice.site->keys;
  return view.transposed ? std::pair(keys, queries) : std::pair(queries, keys);
}

std::int64_t dots_block(const PaneWindow& window) {
  const std::int64_t longest = std::max(window.rows, window.columns);
  return longest <= kMostDots ? 1 : (longest + kMostDots - 1) / kMostDots;
}

figures::Figure pane_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                            float width, float height, figures::Legend* legend, const Error** error) {
  const std::string& kind = own(context.view).picture;
  if (kind == "neuron") return neuron_figure(context, choice, pane, how, width, height);
  const auto picture = pane_picture(context, choice, pane, error);
  if (!picture) return {};
  if (kind == "dots") return dots_figure(context, choice, pane, how, width, height, legend);
  if (kind == "arcs") return arcs_figure(context, choice, pane, how, width, height, legend);
  return heatmap_figure(context, choice, pane, how, *picture, width, height, legend);
}

}  // namespace headlight::views::heads
