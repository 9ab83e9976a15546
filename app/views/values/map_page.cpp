// The pages about value maps: one head's, the sum over all heads beside Concat W_O, and two ways to combine heads of full width.
#include <algorithm>
#include <memory>
#include <tuple>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/values/map_data.h"
#include "app/views/values/pages.h"

namespace headlight::views::values {
namespace {

using figures::Tag;
using figures::ValueMapPlace;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// What the mouse was on in the last frame.
struct MapHeld {
  ValueMapPlace hot;
};

void tell_place(const Scene& scene, const ValueMap& map, const ValueMapPlace& place) {
  const std::string row = std::to_string(place.row), column = std::to_string(place.column);
  if (place.matrix == ValueMapPlace::down) {
    scene.context.hover.next.value = {map.down_name, {place.row, map.down_column + place.column}};
    say_at_mouse(scene, fill(tr("V_down, from dimension {} to number {} of the value: {}"),
                             {row, column, short_number(map.down.at({place.row, place.column}))}));
  } else if (place.matrix == ValueMapPlace::up) {
    scene.context.hover.next.value = {map.up_name, {map.up_row + place.row, place.column}};
    say_at_mouse(scene, fill(tr("V_up, from number {} of the value to dimension {}: {}"),
                             {row, column, short_number(map.up.at({place.row, place.column}))}));
  } else if (place.matrix == ValueMapPlace::map && !map.map.empty()) {
    say_at_mouse(scene,
                 fill(tr("from dimension {} to dimension {}: {}, the sum of {} products: row {} of V_down × column {} of V_up"),
                      {row, column, short_number(map.map.at({place.row, place.column})), std::to_string(map.d_v), row, column}));
  }
}

void tell_singular(const Scene& scene, const figures::ValueMapInput& input, std::int64_t at) {
  if (at < 0) return;
  const auto i = static_cast<std::size_t>(at);
  const auto value = [&](const std::vector<double>& values) { return short_number(i < values.size() ? values[i] : 0); };
  std::string words = fill(tr("singular value {}: {}"), {std::to_string(at + 1), value(input.values)});
  if (!input.full.empty()) words += fill(tr("; of the full-rank map {}"), {value(input.full)});
  say_at_mouse(scene, words);
}

void follow_map(const Frame& frame, const ValueMap& map, const figures::ValueMapInput& input, const Drawn& drawn) {
  const float width = drawn.figure.width / drawn.type, height = drawn.figure.height / drawn.type;
  const figures::Point at{drawn.hit.at.x / drawn.type, drawn.hit.at.y / drawn.type};
  const ValueMapPlace place = drawn.hit.hovered ? figures::value_map_place(input, width, height, at) : ValueMapPlace{};
  const auto held = own_transient<MapHeld>(frame.scene);
  if (!(held->hot == place) && frame.context().frame_in) frame.context().frame_in(0);
  held->hot = place;
  if (!drawn.hit.hovered) return;
  tell_place(frame.scene, map, place);
  tell_singular(frame.scene, input, figures::singular_value_at(input, width, height, at));
}

// What a row of a picture of vectors says under the mouse: the token, the dimension, and the numbers.
std::string numbers_words(const std::vector<std::string>& labels, std::int64_t row, std::int64_t dimension,
                          const std::vector<std::string>& numbers) {
  std::string words = fill(
      tr("{}, dimension {}"),
      {row < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(row)] : "", std::to_string(dimension)});
  for (const std::string& number : numbers) words += "\n" + number;
  return words;
}

void point_at_output(const Frame& frame, std::int64_t row, std::int64_t dimension) {
  frame.context().hover.next.value = {frame.context().trace->name_at(frame.choice.prefix(), Role::attention_output),
                                      {frame.choice.batch, row, dimension}};
}

// The row that is lit: that of the chip under the mouse, else the hovered number's.
std::int64_t hot_output_row(const Frame& frame) {
  if (frame.filed()) return -1;
  const Hot& now = frame.context().hover.now;
  const std::int64_t chip = hovered_token(*frame.context().trace, frame.choice.site->rows_are_targets, frame.choice.batch, now);
  const bool on_output = now.value.index.size() == 3 &&
                         now.value.step == frame.context().trace->name_at(frame.choice.prefix(), Role::attention_output);
  return chip < 0 && on_output ? now.value.index[1] : chip;
}

void follow_sum_of_maps(const Frame& frame, const ValueSum& sum, const std::vector<std::string>& labels, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != Tag::cell_area || hit.row < 0) return;
  const std::int64_t row = hit.row % figures::kValueSumMap, dimension = hit.column;
  if (row >= sum.rows || dimension < 0 || dimension >= sum.by_head.dim(1)) return;
  point_at_output(frame, row, dimension);
  const double a = sum.by_head.at({row, dimension}), b = sum.concat.at({row, dimension});
  say_at_mouse(frame.scene,
               numbers_words(labels, row, dimension,
                             {fill(tr("all heads: {}"), {short_number(a)}), fill(tr("Concat W_O: {}"), {short_number(b)}),
                              fill(tr("difference: {}"), {scientific(a - b)})}));
}

void follow_combiners(const Frame& frame, const CombinedHeads& both, const std::vector<std::string>& labels, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != Tag::cell_area || hit.row < 0) return;
  const std::int64_t row = hit.row % figures::kCombinerMap, dimension = hit.column;
  if (row >= both.rows || dimension < 0 || dimension >= both.d) return;
  if (is_stacked(frame.choice, *frame.context().trace)) point_at_output(frame, row, dimension);
  say_at_mouse(frame.scene, numbers_words(labels, row, dimension,
                                          {fill(tr("2-D stack: {}"), {short_number(both.stack.output.at({row, dimension}))}),
                                           fill(tr("Concat W_O: {}"), {short_number(both.concat.output.at({row, dimension}))})}));
}

// As high as there is room for; in a file `filed` points.
Node whole(Sheet& sheet, const Shared& frame, Part part, float least, float filed) {
  part.paper = {960, filed};
  part.framed = true;
  return sheet.picture(std::move(part), frame->wide(300, 900),
                       frame->filed() ? Span(filed) : Span{least, std::max(least, filed), kAny});
}

// A file has room for `rows` rows of 26 points, up to a limit.
float filed_height(std::int64_t rows, float around, float most) { return std::min(most, static_cast<float>(rows) * 26 + around); }

}  // namespace

Node map_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const auto map = map_of(frame->context(), frame->choice, &error);
  if (!map) return waiting(sheet, error);
  const auto full = map->d_in == map->d_out ? full_rank_of(frame->context(), map->d_in) : nullptr;
  const auto input = sheet.scene.data<figures::ValueMapInput>(std::tuple(map, full, spoken_language()),
                                                              [&] { return map_input(frame->context(), frame->choice, *map); });
  const ValueMapPlace hot = own_transient<MapHeld>(sheet.scene)->hot;
  return whole(sheet, frame,
               {.id = "map",
                .picture =
                    [input, hot](Size s, const Pen& pen) {
                      figures::ValueMapInput lit = *input;
                      lit.hot = hot;
                      return figures::value_map_picture(lit, s.w, s.h, pen.theme, pen.measure);
                    },
                .of = sheet.scene.made_of<struct MapOf>(input, hot.matrix, hot.row, hot.column),
                .hit = [frame, map, input](const Drawn& drawn) { follow_map(*frame, *map, *input, drawn); }},
               240, 420);
}

Node map_sum_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const auto sum = map_sum_of(frame->context(), frame->choice, &error);
  if (!sum) return waiting(sheet, error);
  const auto input = sheet.scene.data<figures::ValueSumInput>(
      std::tuple(sum, spoken_language()), [&] { return map_sum_input(frame->context(), frame->choice, *sum); });
  const std::int64_t hot = hot_output_row(*frame);
  return whole(sheet, frame,
               {.id = "map-sum",
                .picture =
                    [input, hot](Size s, const Pen& pen) {
                      figures::ValueSumInput lit = *input;
                      lit.hot = hot;
                      return figures::value_sum_picture(lit, s.w, s.h, pen.theme, pen.measure);
                    },
                .of = sheet.scene.made_of<struct MapSumOf>(input, hot),
                .hit = [frame, sum, input](const Drawn& drawn) { follow_sum_of_maps(*frame, *sum, input->labels, drawn.hit); }},
               240, filed_height(sum->rows, 122, 560));
}

Node combiners_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const auto both = both_ways(frame->context(), frame->choice, &error);
  if (!both && error.empty()) return sheet.notice(tr("measuring …"), sheet.scene.pen.theme.secondary);
  if (!both) return waiting(sheet, error);
  const auto input = sheet.scene.data<figures::CombinerInput>(
      std::tuple(both, spoken_language()), [&] { return combiner_input(frame->context(), frame->choice, *both); });
  const std::int64_t hot = hot_output_row(*frame);
  return whole(sheet, frame,
               {.id = "combiners",
                .picture =
                    [input, hot](Size s, const Pen& pen) {
                      figures::CombinerInput lit = *input;
                      lit.hot = hot;
                      return figures::combiner_picture(lit, s.w, s.h, pen.theme, pen.measure);
                    },
                .of = sheet.scene.made_of<struct CombinersOf>(input, hot),
                .hit = [frame, both, input](const Drawn& drawn) { follow_combiners(*frame, *both, input->labels, drawn.hit); }},
               300, filed_height(both->rows, 260, 640));
}

}  // namespace headlight::views::values
