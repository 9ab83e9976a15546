#include "app/panels/values/value_map_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/values/value_map_figures.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/derived_value.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/core/fingerprint.h"
#include "engine/insight/explain.h"
#include "engine/insight/value_map.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr std::int64_t kQuick = std::int64_t{1} << 24;  // multiply-adds that a frame has time for
constexpr float kMapLeastHigh = 240, kPaperMap = 420, kMapPaperRow = 26, kMapPaperAround = 122, kMapPaperHighest = 560;

struct SingularValues {
  std::vector<double> values;
  std::uint64_t bytes() const { return values.size() * sizeof(double); }
};

std::shared_ptr<const ValueMap> map_of(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const std::int64_t d = trace->document().d_model;
  return derived_value<ValueMap>(
      context, DerivedKey("values/map", {trace->generation(), site.prefix, choice.head}),
      site.heads * d * site.d_k * site.d_k * 4 + d * d * site.d_k, kQuick,
      [trace, prefix = site.prefix, head = choice.head](const CancelToken& cancel) {
        return value_map(*trace, *find_site(*trace, prefix), head, cancel);
      },
      error);
}

std::shared_ptr<const ValueSum> sum_of(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const std::int64_t d = trace->document().d_model, rows = std::min(site.queries, kMostSummedRows);
  return derived_value<ValueSum>(
      context, DerivedKey("values/map sum", {trace->generation(), site.prefix, choice.batch}),
      site.heads * site.d_k * ((site.keys + rows) * d + rows * site.keys), kQuick,
      [trace, prefix = site.prefix, batch = choice.batch](const CancelToken& cancel) {
        return value_sum(*trace, *find_site(*trace, prefix), batch, cancel);
      },
      error);
}

// Of a map of norm 1: the same for every model of this width.
std::shared_ptr<const SingularValues> full_rank(const Context& context, std::int64_t d) {
  if (d > kWidestMap) return nullptr;
  return context.derived
      .later<SingularValues>(DerivedKey("values/full rank", {d}),
                             [d](const CancelToken& cancel) -> Result<SingularValues> {
                               SingularValues made{full_rank_singular_values(d, 0, cancel)};
                               if (cancel.cancelled()) return cancelled();
                               return made;
                             })
      .value;
}

// What makes the numbers of a picture different from those of any other.
std::uint64_t key_of_picture(const Context& context, const AttentionChoice& choice, std::uint64_t salt) {
  Fingerprint key;
  key.add(salt).add(context.trace->generation()).add(choice.prefix());
  key.add(static_cast<std::uint64_t>(choice.head)).add(static_cast<std::uint64_t>(choice.batch));
  return key.a;
}

figures::ValueMapInput map_input(const Context& context, const AttentionChoice& choice, const ValueMap& map) {
  figures::ValueMapInput input;
  input.title = fill(tr("Value map: {}"), {attention_title(choice)});
  input.d_in = map.d_in;
  input.d_v = map.d_v;
  input.d_out = map.d_out;
  input.down = map.down.as(DType::f32);
  input.up = map.up.as(DType::f32);
  if (!map.map.empty()) input.map = map.map.as(DType::f32);
  input.values = map.spectrum.values;
  for (std::size_t h = 0; h < map.heads.size(); ++h)
    if (static_cast<std::int64_t>(h) != map.head) input.others.push_back(map.heads[h].values);
  if (map.d_in == map.d_out)
    if (const auto full = full_rank(context, map.d_in)) {
      input.full = full->values;
      for (double& value : input.full) value *= map.spectrum.norm;
    }
  input.rank = map.spectrum.rank;
  input.effective_rank = map.spectrum.effective_rank;
  input.numbers = map.numbers();
  input.full_numbers = map.full_numbers();
  input.note = random_note(*context.trace, map.down_name);
  input.key = key_of_picture(context, choice, 1);
  return input;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == 0 ? "%.0f" : "%.1e", value);
  return text;
}

figures::ValueSumInput sum_picture_input(const Context& context, const AttentionChoice& choice, const ValueSum& sum) {
  figures::ValueSumInput input;
  input.labels = row_labels(context, choice);
  input.labels.resize(std::min(input.labels.size(), static_cast<std::size_t>(sum.rows)));
  input.by_head = sum.by_head.as(DType::f32);
  input.concat = sum.concat.as(DType::f32);
  Tensor difference(DType::f32, sum.by_head.shape());
  float most = 0;
  const auto a = sum.by_head.values<double>(), b = sum.concat.values<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference.data<float>()[i] = static_cast<float>(a[i] - b[i]);
    most = std::max(most, std::abs(static_cast<float>(a[i] - b[i])));
  }
  input.difference = std::move(difference);
  input.largest = static_cast<float>(sum.largest);
  // A difference within rounding has the scale of what is compared: on a scale of its own it would look large.
  input.largest_difference = sum.equal() ? std::max(most, input.largest) : most;
  input.by_head_words = sum.heads == 1 ? std::string(tr("A (X V_down) V_up, of the one head"))
                                       : fill(tr("Σ A (X V_down) V_up, over {} heads"), {std::to_string(sum.heads)});
  input.good = sum.equal();
  const std::string numbers =
      fill(tr("max difference {}, numbers up to {}"), {scientific(sum.difference), short_number(sum.largest)});
  input.good_words = sum.equal()   ? fill(tr("equal to {}"), {scientific(sum.difference)}) + "; " + numbers
                     : sum.changed ? tr("an intervention changes what the model computed") + std::string(": ") + numbers
                                   : tr("not equal") + std::string(": ") + numbers;
  if (sum.rows < choice.site->queries)
    input.good_words +=
        "; " + fill(tr("the first {} of {} tokens"), {std::to_string(sum.rows), std::to_string(choice.site->queries)});
  input.note = random_note(*context.trace, choice.prefix() + "q");
  input.key = key_of_picture(context, choice, 2);
  return input;
}

// Where the mouse is in a figure that is drawn next; far outside while something lies above the window.
figures::Point mouse_in_next(const Context& context) {
  if (!ImGui::IsWindowHovered()) return {-1e6f, -1e6f};
  const ImVec2 from = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
  return {(mouse.x - from.x) / context.scale, (mouse.y - from.y) / context.scale};
}

void tell_place(Context& context, const ui::Look& look, const ValueMap& map, const figures::ValueMapPlace& place) {
  using Place = figures::ValueMapPlace;
  const std::string row = std::to_string(place.row), column = std::to_string(place.column);
  if (place.matrix == Place::down) {
    context.hover.next.value = {map.down_name, {place.row, map.down_column + place.column}};
    ui::tooltip(look, fill(tr("V_down, from dimension {} to number {} of the value: {}"),
                           {row, column, short_number(map.down.at({place.row, place.column}))}));
  } else if (place.matrix == Place::up) {
    context.hover.next.value = {map.up_name, {map.up_row + place.row, place.column}};
    ui::tooltip(look, fill(tr("V_up, from number {} of the value to dimension {}: {}"),
                           {row, column, short_number(map.up.at({place.row, place.column}))}));
  } else if (place.matrix == Place::map && !map.map.empty()) {
    ui::tooltip(look,
                fill(tr("from dimension {} to dimension {}: {}, the sum of {} products: row {} of V_down × column {} of V_up"),
                     {row, column, short_number(map.map.at({place.row, place.column})), std::to_string(map.d_v), row, column}));
  }
}

void tell_singular(const ui::Look& look, const figures::ValueMapInput& input, std::int64_t at) {
  if (at < 0) return;
  const auto i = static_cast<std::size_t>(at);
  const auto value = [&](const std::vector<double>& values) { return short_number(i < values.size() ? values[i] : 0); };
  std::string words = fill(tr("singular value {}: {}"), {std::to_string(at + 1), value(input.values)});
  if (!input.full.empty()) words += fill(tr("; of the full-rank map {}"), {value(input.full)});
  ui::tooltip(look, words);
}

void draw_map(Context& context, const ui::Look& look, const AttentionChoice& choice, const ValueMap& map, float width,
              float height) {
  figures::ValueMapInput input = map_input(context, choice, map);
  const figures::Point mouse = mouse_in_next(context);
  input.hot = figures::value_map_place(input, width, height, mouse);
  figures::Figure figure = figures::value_map_picture(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "value map");
  name_part(context, "values:map");
  if (hit.hovered) {
    tell_place(context, look, map, input.hot);
    tell_singular(look, input, figures::singular_value_at(input, width, height, hit.at));
  }
  figure_menu(context, "value map menu", hit, [&] { return value_map_figure(context, choice, 960); });
}

void draw_value_sum(Context& context, const ui::Look& look, const AttentionChoice& choice, const ValueSum& sum, float width,
                    float height) {
  figures::ValueSumInput input = sum_picture_input(context, choice, sum);
  input.hot = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  if (input.hot < 0 && context.hover.now.value.step == context.trace->name_at(choice.prefix(), Role::attention_output) &&
      context.hover.now.value.index.size() == 3)
    input.hot = context.hover.now.value.index[1];
  figures::Figure figure = figures::value_sum_picture(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "value sum");
  name_part(context, "values:map-sum");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    const std::int64_t row = hit.row % figures::kValueSumMap, dimension = hit.column;
    if (row < sum.rows && dimension >= 0 && dimension < sum.by_head.dim(1)) {
      context.hover.next.value = {context.trace->name_at(choice.prefix(), Role::attention_output),
                                  {choice.batch, row, dimension}};
      const double a = sum.by_head.at({row, dimension}), b = sum.concat.at({row, dimension});
      const std::string token =
          row < static_cast<std::int64_t>(input.labels.size()) ? input.labels[static_cast<std::size_t>(row)] : "";
      ui::tooltip(look, fill(tr("{}, dimension {}"), {token, std::to_string(dimension)}) + "\n" +
                            fill(tr("all heads: {}"), {short_number(a)}) + "\n" + fill(tr("Concat W_O: {}"), {short_number(b)}) +
                            "\n" + fill(tr("difference: {}"), {scientific(a - b)}));
    }
  }
  figure_menu(context, "value sum menu", hit, [&] { return value_sum_figure(context, choice, 960); });
}

}  // namespace

void draw_value_map(Context& context, const ui::Look& look, const AttentionChoice& choice, bool all_heads) {
  std::string error;
  const auto map = all_heads ? nullptr : map_of(context, choice, &error);
  const auto sum = all_heads ? sum_of(context, choice, &error) : nullptr;
  if (!map && !sum) {
    ui::words(look, error.empty() ? tr("computing …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  const float width = std::floor(ImGui::GetContentRegionAvail().x / context.scale - 14);
  const float height = std::max(kMapLeastHigh, std::floor(ImGui::GetContentRegionAvail().y / context.scale) - 4);
  if (map) draw_map(context, look, choice, *map, width, height);
  if (sum) draw_value_sum(context, look, choice, *sum, width, height);
}

figures::Figure value_map_figure(const Context& context, const AttentionChoice& choice, float width) {
  const auto map = map_of(context, choice, nullptr);
  if (!map) return {};
  return figures::value_map_picture(map_input(context, choice, *map), width, kPaperMap, context.theme, context.measure);
}

figures::Figure value_sum_figure(const Context& context, const AttentionChoice& choice, float width) {
  const auto sum = sum_of(context, choice, nullptr);
  if (!sum) return {};
  const float height = std::min(kMapPaperHighest, static_cast<float>(sum->rows) * kMapPaperRow + kMapPaperAround);
  return figures::value_sum_picture(sum_picture_input(context, choice, *sum), width, height, context.theme, context.measure);
}

}  // namespace headlight::panels
