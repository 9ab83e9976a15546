// The Index lab's map: how much faster the index is over two sizes at once, a cost model's surface under measured points.
#include <algorithm>
#include <cmath>

#include "app/figures/compose.h"
#include "app/figures/win_map.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab.h"
#include "app/session/index_sweep.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

struct Axis {
  const char *id, *label;
  std::int64_t least, most;
};
constexpr Axis kAxes[] = {{"words", "words in the batch, W", 1, 16384},
                          {"length", "symbols a word, l", 4, 256},
                          {"vocab", "symbols in the vocabulary, n", 16, 16384},
                          {"d", "width of a vector, d", 32, 2048}};

const Axis& axis_of(const std::string& id) {
  for (const Axis& axis : kAxes)
    if (id == axis.id) return axis;
  return kAxes[0];
}

std::vector<std::int64_t> sizes_of(const Axis& axis) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = axis.least; size <= axis.most; size *= 2) sizes.push_back(size);
  return sizes;
}

std::int64_t& member(SweepPoint& point, std::string_view id) {
  return id == "words" ? point.words : id == "length" ? point.length : id == "vocab" ? point.vocab : point.d;
}

bench::LabSizes sizes(const SweepPoint& p) {
  return {static_cast<double>(p.words), static_cast<double>(p.length), static_cast<double>(p.vocab), static_cast<double>(p.d)};
}

// Everything the map is made of, at the view's sizes.
struct Map {
  figures::WinMapInput input;
  std::vector<SweepPoint> points;  // of its cells, in order
  double off = 0;                  // factor by which the model is off, geometric mean over the measured points
  std::int64_t measured = 0;
};

Map map_of(const Context& context) {
  const ViewState& view = context.view;
  const Axis& across = axis_of(view.lab_across);
  const Axis& up = axis_of(view.lab_up == view.lab_across ? (view.lab_across == "words" ? "vocab" : "words") : view.lab_up);
  Map map;
  map.input.across = sizes_of(across);
  map.input.up = sizes_of(up);
  map.input.across_label = tr(across.label);
  map.input.up_label = tr(up.label);
  const bool written = view.lab_against == "written";
  const LabChoice choice = lab_choices(context).front();
  const std::string& device = choice.backend;
  const std::vector<SweepPoint> results = context.sweep ? context.sweep->results() : std::vector<SweepPoint>{};
  double logs = 0;
  for (std::size_t u = 0; u < map.input.up.size(); ++u) {
    for (std::size_t a = 0; a < map.input.across.size(); ++a) {
      SweepPoint point{view.lab_words, view.lab_length, view.lab_vocab, view.lab_d, view.lab_cached, device};
      member(point, across.id) = map.input.across[a];
      member(point, up.id) = map.input.up[u];
      const bench::LabSizes s = sizes(point);
      const double rival =
          written ? bench::written_flops(s) : std::min(bench::written_flops(s), bench::shortcut_flops(s, view.lab_cached));
      const double model = rival / bench::index_flops(s, view.lab_cached);
      double measured = 0;
      for (const SweepPoint& result : results)
        if (result.same_sizes(point) && result.index > 0)
          measured = (written ? result.written : std::min(result.written, result.shortcut)) / result.index;
      map.input.model.push_back(model);
      map.input.measured.push_back(measured);
      if (measured > 0) {
        logs += std::abs(std::log(measured / model));
        ++map.measured;
      }
      const SweepPoint here{view.lab_words, view.lab_length, view.lab_vocab, view.lab_d, view.lab_cached, device};
      if (point.same_sizes(here)) {
        map.input.here_across = static_cast<std::int64_t>(a);
        map.input.here_up = static_cast<std::int64_t>(u);
      }
      map.points.push_back(point);
    }
  }
  if (map.measured > 0) map.off = std::exp(logs / static_cast<double>(map.measured));
  char off[16];
  std::snprintf(off, sizeof off, "%.1f", map.off);
  map.input.note = map.measured > 0
                       ? fill(tr("dots: measured on {}; else operations counted, off by a factor of {} on average over "
                                 "{} points"),
                              {lab_name(choice), off, std::to_string(map.measured)})
                       : std::string(tr("operations counted, nothing measured yet"));
  return map;
}

// Every second cell of those that take well under a second.
std::vector<SweepPoint> points_to_measure(const Map& map) {
  std::vector<SweepPoint> chosen;
  const std::size_t columns = map.input.across.size();
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    if ((i / columns + i % columns) % 2 != 0) continue;
    const SweepPoint& p = map.points[i];
    const double inputs = static_cast<double>(p.d) * static_cast<double>(p.vocab + p.length + 3 * p.d);
    const double places = static_cast<double>(p.words * p.length);
    if (bench::written_flops(sizes(p)) <= 3e10 && inputs <= 6e6 && places <= 6e5) chosen.push_back(p);
  }
  // Cheap ones first: the map fills at once.
  std::stable_sort(chosen.begin(), chosen.end(), [](const SweepPoint& a, const SweepPoint& b) {
    return bench::written_flops(sizes(a)) < bench::written_flops(sizes(b));
  });
  return chosen;
}

constexpr const char* kNames[] = {"W", "l", "n", "d"};

// The size of the other axis: the two change places.
void axis_choice(const window::Look& look, const char* id, const char* label, std::string& chosen, std::string& other) {
  int selected = 0;
  for (std::size_t i = 0; i < std::size(kAxes); ++i)
    if (chosen == kAxes[i].id) selected = static_cast<int>(i);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  window::words(look, label, look.theme.secondary, 13);
  ImGui::SameLine(0, look.px(6));
  const int clicked = window::segmented(look, id, kNames, static_cast<int>(std::size(kNames)), selected,
                                        tr("Which size runs along this axis; the others stay as they are set"));
  if (clicked >= 0) {
    if (other == kAxes[clicked].id) other = chosen;
    chosen = kAxes[clicked].id;
  }
  ImGui::EndGroup();
}

void draw_controls(Context& context, const window::Look& look, const Map& map, float width) {
  ViewState& view = context.view;
  LabFlow flow(look, width);
  const float names = lab_segments_width(context, {std::begin(kNames), std::end(kNames)});
  const auto axis_width = [&](const char* label) { return context.measure.width(label, 13, Font::words) + 6 + names; };
  const char *const across = tr("across"), *const up = tr("up");
  flow.next(axis_width(across));
  axis_choice(look, "across", across, view.lab_across, view.lab_up);
  flow.next(axis_width(up), 8);
  axis_choice(look, "up", up, view.lab_up, view.lab_across);
  const std::vector<const char*> rivals{tr("fastest"), tr("as written")};
  const char* const why[] = {tr("Against the best way that needs no index: each distinct row once, weights folded, pooled early"),
                             tr("Against the layer as it is usually written")};
  flow.next(lab_segments_width(context, rivals), 8);
  ImGui::BeginGroup();
  if (const int clicked = window::segmented(look, "against", rivals.data(), 2, view.lab_against == "written" ? 1 : 0, why);
      clicked >= 0)
    view.lab_against = clicked == 1 ? "written" : "fastest";
  ImGui::EndGroup();
  if (!context.sweep) return;
  // As wide while it counts up, so that nothing moves.
  const std::string done = fill(tr("Stop, {}"), {"100 %"});
  const float button =
      std::max(context.measure.width(done, 14, Font::words), context.measure.width(tr("Measure"), 14, Font::words)) + 16;
  flow.next(button, 8);
  if (context.sweep->running()) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f %%", 100 * context.sweep->progress());
    const std::string label = fill(tr("Stop, {}"), {percent});
    if (window::button(look, (label + "###measure").c_str(), look.px(button), 28, true)) context.sweep->cancel();
    window::tooltip(look, tr("Stops measuring; what is measured stays"));
  } else {
    const std::string label = tr("Measure");
    const std::vector<SweepPoint> points = points_to_measure(map);
    if (window::button(look, (label + "###measure").c_str(), look.px(button), 28)) context.sweep->start(points);
    window::tooltip(look,
                    fill(tr("Times {} points of this map in the background; edits come first"), {std::to_string(points.size())}));
  }
  name_part(context, "index:measure");
}

}  // namespace

figures::Figure lab_map_figure(const Context& context, float width, float height) {
  return figures::win_map(map_of(context).input, width, height, context.theme, context.measure);
}

void draw_lab_map(Context& context, const window::Look& look, float width, float height) {
  ViewState& view = context.view;
  const float top = ImGui::GetCursorPosY();
  const Map map = map_of(context);
  draw_controls(context, look, map, width);
  const std::string sentence =
      tr("It loses for a handful of words (the tables cost more than they save), for large vocabularies (the tables "
         "outgrow the cache) "
         "and when every query's output is kept; it applies to a first layer without LayerNorm before Q and K.");
  const auto lines = static_cast<float>(figures::wrap(sentence, width, 13, Font::words, context.measure).size());
  const float used = (ImGui::GetCursorPosY() - top) / context.scale + lines * 18 + 6;
  const figures::WinMapInput& input = map.input;
  const gl::Hit hit = draw_lab_figure(
      context, "map", figures::win_map(input, width, std::clamp(height - used, 225.0f, 640.0f), context.theme, context.measure),
      [&] { return lab_map_figure(context, 760, 720); });
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area) {
    const auto i = static_cast<std::size_t>(hit.tag.a) * input.across.size() + static_cast<std::size_t>(hit.tag.b);
    const SweepPoint& p = map.points[i];
    const auto times = [](double win) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g×", win);
      return std::string(text);
    };
    const std::string sizes_words = "W = " + std::to_string(p.words) + ", l = " + std::to_string(p.length) +
                                    ", n = " + std::to_string(p.vocab) + ", d = " + std::to_string(p.d);
    const std::string numbers = input.measured[i] > 0 ? fill(tr("{}: measured {}, counted {}. Click sets these sizes"),
                                                             {sizes_words, times(input.measured[i]), times(input.model[i])})
                                                      : fill(tr("{}: counted {}, not measured. Click sets these sizes"),
                                                             {sizes_words, times(input.model[i])});
    window::tooltip(look,
                    fill(tr("{}. {}"), {numbers, tr("In m only the symbols that occur in the batch count: others get no rows")}),
                    "6 m d² + 2 m² d + 8 W l² + 4 W l d,  m = n + l");
    if (hit.clicked) {
      view.lab_words = p.words;
      view.lab_length = p.length;
      view.lab_vocab = p.vocab;
      view.lab_d = p.d;
    }
  }
  if (context.sweep)
    if (const auto error = context.sweep->error()) window::words(look, spoken(*error), look.theme.wrong, 14);
  lab_words(context, look, sentence, look.theme.secondary, 13, width);
}

}  // namespace headlight::panels
