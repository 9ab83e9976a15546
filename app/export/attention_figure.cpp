#include "app/export/attention_figure.h"

#include <algorithm>
#include <cmath>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/normalise.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/panes.h"
#include "app/text/language.h"

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

// Masked scores are minus infinity. They are hatched, and count as 0 when values are summed or sorted.
Tensor finite(const Tensor& values) {
  Tensor out(DType::f32, values.shape(), values.axes(), true);
  const float* in = values.data<float>();
  for (std::int64_t i = 0; i < values.count(); ++i) out.data<float>()[i] = std::isfinite(in[i]) ? in[i] : 0.0f;
  return out;
}

void shade(HeatmapInput& input, const AttentionView& view) {
  const Colormap* map = colormaps().find(input.colormap);
  if (map && map->is_signed) return;
  const Shades shades = shades_of_weights(input.values, input.mask, view.range, largest_of(input), !view.step.transposed);
  input.numbers = input.values;
  input.values = shades.values;
  input.low = shades.low;
  input.high = shades.high;
  input.low_words = shades.low_words;
  input.high_words = shades.high_words;
  input.range_words = shades.words + ", " + input.colormap;
}

std::string names_of(const std::vector<std::int64_t>& heads) {
  std::string names;
  for (const std::int64_t head : heads) names += (names.empty() ? "" : ", ") + std::to_string(head);
  return names;
}

}  // namespace

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
  if (inputs.empty()) return invalid("there is no head to draw", "--head", "name at least one");
  const Step* shown = trace.find(step);
  const Role role = shown ? shown->role : Role::other;
  const bool weights = role == Role::weights;
  if (view.kind == "heatmap") {
    std::vector<Figure> list;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (weights) shade(inputs[i], view);
      list.push_back(heatmap(inputs[i], view.width, view.height, theme, measure));
      if (inputs.size() > 1)
        for (Data& data : list.back().data) data.name += "_head_" + std::to_string(view.heads[i]);
    }
    if (list.size() == 1) return list.front();
    return side_by_side(std::move(list), static_cast<int>(std::ceil(std::sqrt(static_cast<double>(inputs.size())))), 24);
  }
  if (inputs[0].row_name != "query" && inputs[0].row_name != "key")
    return usage_error("'" + step + "' has no queries and keys, so it is no picture of dots or arcs", "--view", "use heatmap");
  if (view.kind == "arcs" && !weights)
    return usage_error("arcs show weights, and '" + step + "' holds scores of any sign", "--view", "use dots or heatmap");

  double largest = 0;
  for (const HeatmapInput& input : inputs) largest = std::max(largest, largest_of(input));
  std::vector<HeadMatrix> heads;
  Shades scale;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    HeadMatrix head;
    head.name = fill(tr("head {}"), {std::to_string(view.heads[i])});
    head.hue = static_cast<int>(view.heads[i] % 12);
    head.values = finite(inputs[i].values);
    scale = weights ? shades_of_weights(head.values, inputs[i].mask, view.range, largest, !view.step.transposed)
                    : shades_of_scores(head.values, largest, role == Role::masked_scores ? tr("scaled score") : tr("score q·k"));
    head.shares = shares_of(scale);
    heads.push_back(std::move(head));
  }
  const MatrixInput& common = inputs.front();
  std::string title = common.title;
  if (inputs.size() > 1)
    if (const std::size_t at = title.find("head "); at != std::string::npos) {
      const std::size_t end = title.find(" ·", at);
      title.replace(at, (end == std::string::npos ? title.size() : end) - at, "heads " + names_of(view.heads));
    }
  if (view.kind == "dots") {
    DotsInput input;
    static_cast<MatrixInput&>(input) = common;
    input.title = title;
    input.heads = std::move(heads);
    input.is_signed = !weights;
    input.legend_discs = legend_shares(scale, view.range);
    input.range_words = fill(weights ? tr("area: {}") : tr("area: {}; orange above 0, blue below"), {scale.words});
    return dots(input, view.width, view.height, theme, measure);
  }
  ArcsInput input;
  static_cast<MatrixInput&>(input) = common;
  input.title = title;
  const std::int64_t most = kMostArcs / static_cast<std::int64_t>(heads.size());
  for (HeadMatrix& head : heads) {
    ArcSet chosen = choose_arcs(head, common.mask, view.arc_share, std::max<std::int64_t>(1, most), !view.step.transposed);
    input.heads.push_back({std::move(head), std::move(chosen)});
  }
  input.range_words = fill(tr("width and strength: {}"), {scale.words});
  return arcs(input, view.width, view.height, theme, measure);
}

}  // namespace headlight::figures
