// Positions that add a number to each score: this bias for every query and key of the shown head, and by distance.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/positions/parts.h"

namespace headlight::views::placed {

namespace {

constexpr std::int64_t kMostHeads = 8;  // that have a curve

std::int64_t shown_head(const Context& context) {
  return std::clamp<std::int64_t>(context.view.head, 0, std::max<std::int64_t>(0, context.document.heads - 1));
}

}  // namespace

figures::HeatmapInput bias_input(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  const std::int64_t n = position_count(context), head = shown_head(context);
  figures::HeatmapInput input;
  positions::BiasPart part;
  part.all_heads = context.document.heads;
  part.head = head;
  part.rows = part.columns = n;
  input.values = positions::bias_of(*entry, part, DType::f32).select(0, 0).select(0, 0).compact();
  double largest = 0;
  for (const float v : input.values.values<float>()) largest = std::max(largest, static_cast<double>(std::abs(v)));
  input.title = fill(tr("What is added to the scores of head {}"), {std::to_string(head)});
  input.row_axis = tr("query");
  input.column_axis = tr("key");
  input.row_name = "query";
  input.column_name = "key";
  input.data_name = "position_bias";
  input.colormap = "signed";
  input.high = static_cast<float>(std::max(largest, 1e-6));
  input.low = -input.high;
  input.range_words = tr("added, symmetric about 0");
  input.note = tr(entry->formula.c_str());
  input.key = std::hash<std::string>()("positions/bias/" + context.document.position + "/" + std::to_string(n) + "/" +
                                       std::to_string(head) + "/" + std::to_string(context.document.heads)) |
              1;
  const std::int64_t row = context.hover.now.row;
  input.hot_row = row >= 0 && row < n ? row : -1;
  return input;
}

figures::CurvesInput bias_curves_input(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  const std::int64_t n = position_count(context), heads = std::max<std::int64_t>(1, context.document.heads);
  figures::CurvesInput input;
  input.title = tr("What is added, by distance");
  input.x_axis = tr("distance |i - j|");
  input.y_axis = tr("added");
  const std::int64_t shown = std::min(heads, kMostHeads);
  for (std::int64_t h = 0; h < shown; ++h) {
    figures::CurvesInput::Curve curve;
    curve.label = fill(tr("head {}"), {std::to_string(h)});
    for (std::int64_t apart = 0; apart < n; ++apart) curve.y.push_back(entry->bias(heads, h, n - 1, n - 1 - apart));
    input.curves.push_back(std::move(curve));
  }
  if (shown < heads) input.note = fill(tr("the first {} of {} heads"), {std::to_string(shown), std::to_string(heads)});
  return input;
}

sheet::Node bias_picture(Sheet& sheet, const Shared& frame, const std::string& which, sheet::Span high) {
  const Context& context = frame->context();
  if (which == "curves") {
    const figures::CurvesInput input = bias_curves_input(context);
    const auto say = [frame, curves = input.curves](std::int64_t at) {
      std::string words = fill(tr("{} apart"), {std::to_string(at)});
      for (const auto& curve : curves) words += "\n" + curve.label + ": " + short_number(curve.y[static_cast<std::size_t>(at)]);
      say_at_mouse(frame->scene, words);
    };
    return curves_of(sheet, {.id = "curves", .input = input, .hovered = say}, {240, 400, sheet::kAny}, high);
  }
  figures::HeatmapInput input = bias_input(context);
  const auto point = [frame, values = input.values](std::int64_t query, std::int64_t key, bool) {
    Hot& next = frame->context().hover.next;
    next.row = query;
    next.value = bias_address(frame->context(), query, key);
    say_at_mouse(frame->scene, fill(tr("query at {}, key at {}: {}"),
                                    {std::to_string(query), std::to_string(key), short_number(values.at({query, key}))}));
  };
  return map_of(sheet, {.id = "heatmap", .input = std::move(input), .hovered = point}, {240, 400, sheet::kAny}, high);
}

ValueAddress bias_address(const Context& context, std::int64_t query, std::int64_t key) {
  if (!context.trace || context.computing) return {};
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  const Step* step = context.trace->step_at(choice.prefix(), Role::position_bias);
  if (!step || step->shape.size() != 4 || query >= step->shape[2] || key >= step->shape[3]) return {};
  return {step->name, {std::min(choice.batch, step->shape[0] - 1), std::min(choice.head, step->shape[1] - 1), query, key}};
}

}  // namespace headlight::views::placed
