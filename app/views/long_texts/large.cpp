// The Long texts view's chosen method: its name, its parameters, its weights beside their difference from full attention's, and
// what these show in numbers.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/long_texts/parts.h"
#include "imgui.h"

namespace headlight::views::long_range {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastMap = 128, kNamedMap = 150, kBesideMap = 320, kWordsBeside = 820, kLeastAbove = 210, kMapsGap = 16;

// "window 4" with buttons; two at a time where only even numbers make sense.
Node knob(Sheet& sheet, State& state, const Parameter& parameter, const Values& values) {
  if (parameter.kind == Parameter::Kind::choice) {
    const auto& now = std::get<std::string>(values.at(parameter.id));
    const auto at = std::ranges::find(parameter.choices, now) - parameter.choices.begin();
    return sheet.choice(
        parameter.id, parameter.choices, static_cast<int>(at), {tr(parameter.help.c_str())},
        [&state, choices = &parameter.choices](int chosen) { state.similarity = (*choices)[static_cast<std::size_t>(chosen)]; });
  }
  const std::int64_t step = parameter.id == "buckets" ? 2 : 1, least = static_cast<std::int64_t>(parameter.least),
                     value = long_texts::whole(values, parameter.id.c_str());
  return sheet.stepper(parameter.id, std::string(tr(parameter.label.c_str())) + " " + std::to_string(value),
                       (value - least) / step, (static_cast<std::int64_t>(parameter.most) - least) / step + 1,
                       tr(parameter.help.c_str()), [&state, step, least, id = parameter.id](std::int64_t to) {
                         for (const LongKnob& knob : long_knobs())
                           if (knob.id == id) state.*knob.own = least + to * step;
                       });
}

std::vector<Node> knobs(Sheet& sheet, const Shared& frame) {
  State& state = frame->state;
  const LongState& shown = frame->shown;
  const Values values = long_values(state, shown.entry());
  std::vector<Node> all;
  for (const Parameter& parameter : shown.entry().parameters) all.push_back(knob(sheet, state, parameter, values));
  const bool ring = shown.entry().id == "ring";
  if (ring) {
    const std::int64_t devices = std::max<std::int64_t>(1, long_texts::whole(values, "devices")), step = state.step % devices;
    all.push_back(sheet.stepper("step", fill(tr("at step {} of {}"), {std::to_string(step), std::to_string(devices)}), step,
                                devices, tr("At each step every device passes its keys and values to the next one"),
                                [&state](std::int64_t to) { state.step = to; }));
  }
  if (shown.result().shown && !shown.result().shown->part_of.empty())
    all.push_back(sheet.choice("parts", {tr("difference"), ring ? tr("devices") : tr("buckets")}, state.parts ? 1 : 0,
                               {tr("Beside the weights: what they differ in from full attention's, or who shares a part")},
                               [&state](int chosen) { state.parts = chosen == 1; }));
  return all;
}

Node method_stepper(Sheet& sheet, const Shared& frame) {
  return sheet.stepper("method", tr(frame->shown.entry().label.c_str()), static_cast<std::int64_t>(frame->shown.chosen),
                       static_cast<std::int64_t>(long_texts::registry().entries().size()), tr("Another method"),
                       [frame](std::int64_t to) { choose_method(*frame, to); });
}

// The method's name, with what it does beside it, or below it where there is no room.
std::vector<Node> heading(Sheet& sheet, const Shared& frame, float width) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const figures::TextMeasure& measure = sheet.scene.pen.measure;
  const long_texts::Entry& entry = frame->shown.entry();
  const std::string name = tr(entry.label.c_str()), says = tr(entry.says.c_str());
  const float wide = std::ceil(measure.width(name, 18, Font::words_bold)) + 14;
  const bool beside = wide + measure.width(says, 13, Font::words) <= width;
  Part part{.id = "heading", .draw = [frame, name, says, wide, beside](const ui::Look& look, Size room) {
              ImDrawList& list = *ImGui::GetWindowDrawList();
              const ImVec2 at = ImGui::GetCursorScreenPos();
              look.figures.text(list, at, name, 18, Font::words_bold, look.theme.selected);
              if (beside)
                look.figures.text(list, {at.x + look.px(wide), at.y + look.px(4)}, says, 13, Font::words, look.theme.secondary);
              ImGui::Dummy({look.px(room.w), look.px(room.h)});
              if (ImGui::IsItemHovered()) explain_method(*frame, frame->shown.chosen);
            }};
  std::vector<Node> all = {sheet.by_hand(std::move(part), {wide, width, kAny}, 22)};
  if (beside) return all;
  all.push_back(sheet.words("says", says, 13, theme.secondary));
  all.back().rank = 3;
  return all;
}

void follow_cell(const Frame& frame, const gl::Hit& hit) {
  const LongState& state = frame.shown;
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0 || hit.row >= state.tokens || hit.column < 0 ||
      hit.column >= state.tokens)
    return;
  frame.context().hover.next.row = hit.row;
  frame.context().hover.next.column = hit.column;
  const LongShown& shown = *state.result().shown;
  const double own = shown.weights.at({hit.row, hit.column}), by = shown.apart.at({hit.row, hit.column});
  std::string words = fill(tr("{} looks at {}: full {}, here {}"),
                           {state.labels[static_cast<std::size_t>(hit.row)], state.labels[static_cast<std::size_t>(hit.column)],
                            figures::cell_number(own - by, 4), figures::cell_number(own, 4)});
  const bool masked = state.task.causal && state.entry().has_causal && hit.column > hit.row;
  if (masked)
    words += std::string("\n") + tr("masked: a later token");
  else if (!shown.computed.empty() && shown.computed.at({hit.row, hit.column}) == 0)
    words += std::string("\n") + tr("here not computed");
  say_at_mouse(frame.scene, words);
  if (!hit.clicked) return;
  ViewState& view = frame.scene.view;
  const bool again = view.pinned_row == hit.row && view.pinned_column == hit.column;
  view.pinned_row = again ? -1 : hit.row;
  view.pinned_column = again ? -1 : hit.column;
}

// The sheet names the maps itself; a low map has numbers along its sides, which need less room than tokens.
figures::HeatmapInput fitted(figures::HeatmapInput input, float height) {
  input.title.clear();
  input.note.clear();
  if (height < kNamedMap) {
    input.row_labels.clear();
    input.column_labels.clear();
  }
  return input;
}

// A map with its name above it, as high as it is at its width where there is room.
Node named_map(Sheet& sheet, const Shared& frame, bool apart, float least) {
  const auto input = std::make_shared<const figures::HeatmapInput>(long_map_input(frame->context(), frame->shown, apart));
  const auto high = [input, least, &pen = sheet.scene.pen](float width) {
    const float own = figures::heatmap(fitted(*input, 4 * width), width, 4 * width, pen.theme, pen.measure).height;
    return Span{std::min(least, own), own, own};
  };
  const std::string id = apart ? "difference" : "weights";
  Node map = sheet.picture(
      {.id = id,
       .picture = [input](Size s,
                          const Pen& pen) { return figures::heatmap(fitted(*input, s.h), s.w, s.h, pen.theme, pen.measure); },
       .hit = [frame](const Drawn& drawn) { follow_cell(*frame, drawn.hit); },
       .paper = {900, 900},
       .on_paper =
           [input](Size s, const Pen& pen) {
             figures::HeatmapInput plain = *input;
             plain.hot_row = plain.hot_column = -1;
             return figures::heatmap(plain, s.w, s.h > 0 ? s.h : s.w, pen.theme, pen.measure);
           }},
      {120, 400, kAny}, high);
  return Sheet::column(id + " column", 4,
                       {sheet.label(id + " name", input->title, 13, sheet.scene.pen.theme.secondary), std::move(map)});
}

Node named_parts(Sheet& sheet, const Shared& frame, float least) {
  const std::string title = frame->shown.entry().id == "ring" ? tr("who holds what") : tr("who shares a bucket");
  Node rows =
      sheet.picture({.id = "part-rows",
                     .picture = [frame](Size s, const Pen&) { return parts_figure(frame->context(), frame->shown, s.w, s.h); },
                     .paper = {700, 700},
                     .on_paper =
                         [frame](Size s, const Pen& pen) {
                           return figures::framed(parts_figure(frame->context(), frame->shown, s.w, s.h > 0 ? s.h : s.w),
                                                  tr(frame->shown.entry().label.c_str()), 16, pen.theme);
                         }},
                    {120, 400, kAny}, [least](float width) {
                      return Span{least, std::max(least, width), std::max(least, width)};
                    });
  return Sheet::column("parts column", 4,
                       {sheet.label("parts name", title, 13, sheet.scene.pen.theme.secondary), std::move(rows)});
}

// Two pictures beside each other with their names above, and the legend below.
Node maps(Sheet& sheet, const Shared& frame, float width, float least) {
  const auto& own = frame->shown.result().shown;
  const bool two = width >= kBesideMap, parts = frame->state.parts && !own->part_of.empty();
  std::vector<Node> both = {named_map(sheet, frame, false, least)};
  if (two) both.push_back(parts ? named_parts(sheet, frame, least) : named_map(sheet, frame, true, least));
  for (Node& one : both) one.wide = two ? (width - kMapsGap) / 2 : width;
  const auto draw = [frame, apart = two && !parts](Size s, const Pen&) {
    return long_legend(frame->context(), frame->shown, apart, s.w);
  };
  std::vector<Node> all = {Sheet::row("maps", kMapsGap, std::move(both)),
                           sheet.picture({.id = "legend", .picture = draw}, {120, width, width})};
  return shown_everywhere(Sheet::column("maps and legend", 4, std::move(all)));
}

// What the maps show in numbers, as one paragraph.
Node said(Sheet& sheet, const Shared& frame) {
  std::string all;
  for (const std::string& line : long_words(frame->shown)) all += (all.empty() ? "" : "; ") + line;
  Node node = sheet.words("said", std::move(all), 13, sheet.scene.pen.theme.text);
  node.presented = true;
  node.rank = 2;
  return node;
}

// Why the chosen method has no maps.
Node no_maps(Sheet& sheet, const Shared& frame) {
  const std::string& refused = frame->shown.result().refused;
  const figures::Theme& theme = sheet.scene.pen.theme;
  return sheet.notice(refused.empty() ? tr("computing …") : refused, refused.empty() ? theme.secondary : theme.wrong);
}

// The words above the maps.
Node above_maps(Sheet& sheet, const Shared& frame, float width, float least) {
  std::vector<Node> all, line = knobs(sheet, frame);
  if (sheet.scene.medium == sheet::Medium::presented)
    line.insert(line.begin(), method_stepper(sheet, frame));
  else
    all = heading(sheet, frame, width);
  if (!line.empty()) all.push_back(shown_everywhere(Sheet::flow("knobs", 16, std::move(line))));
  if (!frame->shown.result().shown) {
    all.push_back(no_maps(sheet, frame));
  } else {
    all.push_back(maps(sheet, frame, width, least));
    all.push_back(said(sheet, frame));
  }
  return Sheet::column("method above", 6, std::move(all));
}

// In a wide and low room: the words at the left, so that the maps have its whole height.
Node beside_maps(Sheet& sheet, const Shared& frame, float width) {
  constexpr float kBetween = 24;
  const float left = std::round(0.3f * width), right = width - left - kBetween;
  std::vector<Node> words = heading(sheet, frame, left);
  if (std::vector<Node> line = knobs(sheet, frame); !line.empty()) words.push_back(Sheet::flow("knobs", 16, std::move(line)));
  words.push_back(said(sheet, frame));
  Node about = Sheet::column("words beside", 6, std::move(words));
  about.wide = left;
  about.scrolls = true;
  return Sheet::row("method beside", kBetween, {std::move(about), maps(sheet, frame, right, kLeastMap)});
}

}  // namespace

sheet::Node large_method(Sheet& sheet, const Shared& frame, float width) {
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  if (presented || width < kWordsBeside || !frame->shown.result().shown) return above_maps(sheet, frame, width, kLeastMap);
  Node either = Sheet::either({above_maps(sheet, frame, width, kLeastAbove), beside_maps(sheet, frame, width)});
  either.rank = 4;
  either.stays = true;
  return either;
}

}  // namespace headlight::views::long_range
