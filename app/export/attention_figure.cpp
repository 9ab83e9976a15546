#include "app/export/attention_figure.h"

#include <algorithm>
#include <cmath>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/normalise.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/panes.h"
#include "app/text/language.h"
#include "engine/attention/scores/score.h"

namespace headlight::figures {
namespace {

constexpr std::int64_t kMostArcs = 600;  // as on the screen: more would be a uniform grey

double largest_of(const HeatmapInput& input) {
  double largest = 0;
  const auto values = input.values.values<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) && (input.mask.empty() || input.mask.values<std::uint8_t>()[i]))
      largest = std::max(largest, std::abs(static_cast<double>(values[i])));
  return largest;
}

// Masked cells count as 0 when values are summed or sorted: masked scores are minus infinity.
Tensor visible(const HeatmapInput& input) {
  if (input.mask.empty()) return input.values;
  Tensor out(DType::f32, input.values.shape(), input.values.axes());
  for (std::int64_t i = 0; i < out.count(); ++i)
    if (input.mask.data<std::uint8_t>()[i]) out.data<float>()[i] = input.values.data<float>()[i];
  return out;
}

void shade(HeatmapInput& input, const AttentionView& view) {
  const Colormap* map = colormaps().find(input.colormap);
  if (map && map->is_signed) return;
  const Shades shades = shades_of_weights(input.values, input.mask, view.range, largest_of(input), !view.step.transposed);
  if (input.numbers.empty()) input.numbers = input.values;
  input.values = shades.values;
  input.low = shades.low;
  input.high = shades.high;
  input.low_words = shades.low_words;
  input.high_words = shades.high_words;
  if (input.unit != 1 && shades.high_words.empty()) {
    input.low_words = range_number(static_cast<double>(shades.low) * input.unit);
    input.high_words = range_number(static_cast<double>(shades.high) * input.unit);
  }
  input.range_words = shades.words + ", " + input.colormap;
}

std::string names_of(const std::vector<std::int64_t>& heads) {
  std::string names;
  for (const std::int64_t head : heads) names += (names.empty() ? "" : ", ") + std::to_string(head);
  return names;
}

// Several heads as one title: "layer 1, heads 0, 2 · weights".
std::string title_of_all(std::string title, const std::vector<std::int64_t>& heads) {
  if (heads.size() < 2) return title;
  const std::size_t at = title.find("head ");
  if (at == std::string::npos) return title;
  const std::size_t end = title.find(" ·", at);
  title.replace(at, (end == std::string::npos ? title.size() : end) - at, "heads " + names_of(heads));
  return title;
}

// The limits of sizes: from nothing to the chosen end.
Status limit_sizes(Shades& scale, bool weights, const AttentionView& view, const std::string& what) {
  const MatrixChoices& c = view.choices;
  if (c.centre)
    return usage_error("a centre is of colours, and here sizes show the numbers").at("--centre").mend("use --view heatmap");
  if (!c.low || !c.high) return {};
  if (weights ? *c.low != 0 : *c.low != -*c.high)
    return usage_error(weights ? Message("sizes begin at 0") : Message("sizes are those of numbers of either sign"))
        .at("--limits")
        .mend(weights ? Message("give 0 and the largest: 0,0.5") : Message("give limits that are the same on both sides: -3,3"));
  scale.low = static_cast<float>(*c.low / scale.unit);
  scale.high = static_cast<float>(*c.high / scale.unit);
  scale.words = what;
  return {};
}

// Heatmaps side by side.
Result<Figure> heatmaps(std::vector<HeatmapInput> inputs, const MatrixNature& nature, const AttentionView& view,
                        const Theme& theme, const TextMeasure& measure) {
  std::vector<Figure> list;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (nature.kind == MatrixNature::weights) shade(inputs[i], view);
    limit_colors(inputs[i], view.choices);
    size_cells(inputs[i], view.choices);
    list.push_back(heatmap(inputs[i], view.width, view.height, theme, measure));
    if (inputs.size() > 1)
      for (Data& data : list.back().data) data.name += "_head_" + std::to_string(view.heads[i]);
  }
  if (list.size() == 1) return list.front();
  return side_by_side(std::move(list), static_cast<int>(std::ceil(std::sqrt(static_cast<double>(inputs.size())))), 24);
}

// What dots and arcs are drawn from: every head's shares, and their common scale.
struct Marks {
  std::vector<HeadMatrix> heads;
  Shades scale;
};
Result<Marks> marks_of(const std::vector<HeatmapInput>& inputs, const MatrixNature& nature, const AttentionView& view) {
  const bool weights = nature.kind == MatrixNature::weights;
  double largest = 0;
  for (const HeatmapInput& input : inputs) largest = std::max(largest, largest_of(input));
  Marks marks;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    HeadMatrix head;
    const std::int64_t number = i < view.heads.size() ? view.heads[i] : static_cast<std::int64_t>(i);
    head.name = view.combined.empty() ? fill(tr("head {}"), {std::to_string(number)}) : view.combined;
    head.hue = static_cast<int>(number % 12);
    head.values = visible(inputs[i]);
    const std::string range = view.choices.has_limits() ? "fixed" : view.range;
    marks.scale = weights ? shades_of_weights(head.values, inputs[i].mask, range, largest, !view.step.transposed)
                          : shades_of_scores(head.values, largest, nature.words);
    marks.scale.unit = inputs[i].unit;
    HL_TRY(limit_sizes(marks.scale, weights, view, inputs[i].quantity));
    head.shares = shares_of(marks.scale);
    marks.heads.push_back(std::move(head));
  }
  return marks;
}

// Arcs grow with their room in width only, so a room without an end gets one that suits their tokens.
float height_of_arcs(const MatrixInput& input, const HeadMatrix& head, float height) {
  constexpr float kNoEnd = 10000, kToken = 26, kAround = 170;
  if (height < kNoEnd || input.fit == CellFit::limited) return height;
  return kToken * static_cast<float>(std::max(head.values.dim(0), head.values.dim(1))) + kAround;
}

}  // namespace

Result<Figure> matrix_figure(std::vector<HeatmapInput> inputs, const MatrixNature& nature, const AttentionView& view,
                             const Theme& theme, const TextMeasure& measure) {
  if (inputs.empty()) return invalid("there is no head to draw").at("--head").mend("name at least one");
  if (!view.title.empty() && (inputs.size() == 1 || view.kind != "heatmap")) inputs.front().title = view.title;
  for (HeatmapInput& input : inputs) HL_TRY(choose_tokens(input, view.choices));
  if (view.kind == "heatmap") return heatmaps(std::move(inputs), nature, view, theme, measure);
  const bool weights = nature.kind == MatrixNature::weights;
  if (view.kind == "arcs" && !weights)
    return usage_error("arcs show weights, and '{}' holds scores of any sign", inputs[0].data_name)
        .at("--view")
        .mend("use dots or heatmap");
  HL_ASSIGN(Marks marks, marks_of(inputs, nature, view));
  const MatrixInput& common = inputs.front();
  const std::string title = title_of_all(common.title, view.heads);
  if (view.kind == "dots") {
    DotsInput input;
    static_cast<MatrixInput&>(input) = common;
    size_cells(input, view.choices);
    input.title = title;
    input.heads = std::move(marks.heads);
    input.is_signed = !weights;
    input.legend_discs = legend_shares(marks.scale, view.choices.has_limits() ? "fixed" : view.range);
    input.range_words = fill(weights ? tr("area: {}") : tr("area: {}; orange above 0, blue below"), {marks.scale.words});
    return dots(input, view.width, view.height, theme, measure);
  }
  ArcsInput input;
  static_cast<MatrixInput&>(input) = common;
  size_cells(input, view.choices);
  if (view.choices.fit != CellFit::limited) input.most_span = view.width;
  if (view.choices.cell_side > 0) return usage_error("arcs have no cells").at("--cell").mend("give --width, and --height");
  input.title = title;
  const std::int64_t most = kMostArcs / static_cast<std::int64_t>(marks.heads.size());
  const float height = height_of_arcs(input, marks.heads.front(), view.height);
  for (HeadMatrix& head : marks.heads) {
    ArcSet chosen = choose_arcs(head, common.mask, view.arc_share, std::max<std::int64_t>(1, most), !view.step.transposed);
    input.heads.push_back({std::move(head), std::move(chosen)});
  }
  input.range_words = fill(tr("width and strength: {}"), {marks.scale.words});
  return arcs(input, view.width, height, theme, measure);
}

Result<Figure> attention_figure(const Trace& trace, const std::string& step, const AttentionView& view, const Theme& theme,
                                const TextMeasure& measure) {
  std::vector<HeatmapInput> inputs;
  for (const std::int64_t head : view.heads) {
    StepView one = view.step;
    one.head = head;
    HL_ASSIGN(HeatmapInput input, step_input(trace, step, one));
    input.data_name = step;
    inputs.push_back(std::move(input));
  }
  const Step* shown = trace.find(step);
  const Role role = shown ? shown->role : Role::other;
  if (view.kind != "heatmap" && !inputs.empty() && inputs[0].row_name != "query" && inputs[0].row_name != "key")
    return usage_error("'{}' has no queries and keys, so it is no picture of dots or arcs", step)
        .at("--view")
        .mend("use heatmap");
  MatrixNature nature;
  nature.kind = role == Role::weights ? MatrixNature::weights : MatrixNature::numbers;
  nature.words = role == Role::masked_scores ? tr("scaled score") : tr(scores::words_of(trace.document().score));
  return matrix_figure(std::move(inputs), nature, view, theme, measure);
}

Result<Figure> grid_figure(GridInput input, const MatrixChoices& choices, float width, float height, const Theme& theme,
                           const TextMeasure& measure) {
  HL_TRY(choose_tokens(input, choices));
  limit_colors(input, choices);
  if (choices.cell_side > 0) return usage_error("a grid shows whole matrices, not cells").at("--cell").mend("give --width");
  size_cells(input, choices);
  return head_grid(input, width, height, theme, measure);
}

}  // namespace headlight::figures
