// The Index lab's map: how much faster the index is over two sizes at once; a cost model with measured points on top of it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/figures/charts/timing_bars.h"
#include "app/figures/charts/win_map.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab/index_lab.h"
#include "app/session/index_sweep.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::views {
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

// The point for the view's sizes; the axes change two of them.
SweepPoint point_here(const ViewState& view, const std::string& backend) {
  SweepPoint point{view.index_lab.words, view.index_lab.length, view.index_lab.vocab,
                   view.index_lab.d,     view.index_lab.cached, backend};
  point.heads = view.index_lab.heads;
  point.masked = view.index_lab.padding;
  point.word_lengths = view.index_lab.word_lengths;
  point.position_weights = view.index_lab.own_positions;
  point.pooled = !view.index_lab.every_query;
  return point;
}

bench::LabSizes sizes(const SweepPoint& p) {
  bench::LabSizes s{static_cast<double>(p.words), static_cast<double>(p.length), static_cast<double>(p.vocab),
                    static_cast<double>(p.d)};
  s.heads = static_cast<double>(p.heads);
  s.pooled = p.pooled;
  s.position_weights = p.position_weights;
  if (p.word_lengths) {
    bench::Request words;
    words.length = p.length;
    words.word_lengths = true;
    s.padding = bench::expected_padding(words);
  }
  return s;
}

// The bars are a point of the map, too: medians at the present sizes, as a sweep measures them.
std::optional<SweepPoint> measured_by_bars(const Context& context, const LabChoice& choice) {
  for (const LabPart& part : lab_rows(context).parts) {
    if (part.choice.backend != choice.backend || !part.rows || !part.rows->all) continue;
    SweepPoint point = point_here(context.view, choice.backend);
    for (const bench::Row& row : part.rows->rows) {
      if ((row.mode == "cached") != point.cached || row.samples.empty() || row.variant == "layer:index-scores") continue;
      const double median = bench::percentile(row.samples, 0.5);
      if (row.variant.starts_with("layer:index"))
        point.index = median;
      else if (row.variant.starts_with("layer:fused"))
        point.written = median;
      if (!row.variant.starts_with("layer:index") && (point.shortcut <= 0 || median < point.shortcut)) point.shortcut = median;
    }
    if (point.index > 0 && point.shortcut > 0) return point;
  }
  return std::nullopt;
}

// Everything that makes up the map, at the view's sizes.
struct Map {
  figures::WinMapInput input;
  std::vector<SweepPoint> points;  // of its cells, in order
  double off = 0;                  // the model's error as a factor: geometric mean over the measured points
  std::int64_t measured = 0;
};

Map map_of(const Context& context) {
  const ViewState& view = context.view;
  const Axis& across = axis_of(view.index_lab.across);
  const Axis& up = axis_of(view.index_lab.up == view.index_lab.across ? (view.index_lab.across == "words" ? "vocab" : "words")
                                                                      : view.index_lab.up);
  Map map;
  map.input.across = sizes_of(across);
  map.input.up = sizes_of(up);
  map.input.across_label = tr(across.label);
  map.input.up_label = tr(up.label);
  const bool written = view.index_lab.against == "written";
  const LabChoice choice = lab_shown(context);
  const SweepPoint here = point_here(view, choice.backend);
  std::vector<SweepPoint> results = sweep_of(context) ? sweep_of(context)->results() : std::vector<SweepPoint>{};
  if (const auto bars = measured_by_bars(context, choice)) results.push_back(*bars);
  double logs = 0;
  for (std::size_t u = 0; u < map.input.up.size(); ++u) {
    for (std::size_t a = 0; a < map.input.across.size(); ++a) {
      SweepPoint point = here;
      member(point, across.id) = map.input.across[a];
      member(point, up.id) = map.input.up[u];
      const bench::LabSizes s = sizes(point);
      const double rival =
          written ? bench::written_flops(s) : std::min(bench::written_flops(s), bench::shortcut_flops(s, view.index_lab.cached));
      const double model = rival / bench::index_flops(s, view.index_lab.cached);
      double measured = 0;
      for (const SweepPoint& result : results)
        if (result.same_sizes(point) && result.index > 0) {
          const double rival_time = written || result.shortcut <= 0 ? result.written
                                    : result.written > 0            ? std::min(result.written, result.shortcut)
                                                                    : result.shortcut;
          measured = rival_time / result.index;
        }
      map.input.model.push_back(model);
      map.input.measured.push_back(measured);
      if (measured > 0) {
        logs += std::abs(std::log(measured / model));
        ++map.measured;
      }
      map.points.push_back(point);
    }
  }
  // The cell nearest to the present sizes, if they are within the map.
  const auto nearest = [](const std::vector<std::int64_t>& sizes, std::int64_t size) -> std::int64_t {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (std::abs(std::log2(static_cast<double>(size) / static_cast<double>(sizes[i]))) <= 0.5)
        return static_cast<std::int64_t>(i);
    return -1;
  };
  SweepPoint set = here;
  map.input.here_across = nearest(map.input.across, member(set, across.id));
  map.input.here_up = nearest(map.input.up, member(set, up.id));
  if (map.measured > 0) map.off = std::exp(logs / static_cast<double>(map.measured));
  char off[16];
  std::snprintf(off, sizeof off, "%.1f", map.off);
  map.input.note = map.measured > 0
                       ? fill(map.measured == 1 ? tr("dots: measured on {}; else operations counted, off by a factor of {} at "
                                                     "{} point")
                                                : tr("dots: measured on {}; else operations counted, off by a factor of {} on "
                                                     "average over {} points"),
                              {lab_name(choice), off, std::to_string(map.measured)})
                   : sweep_of(context) ? std::string(tr("operations counted; the first points are being measured"))
                                       : std::string(tr("operations counted; points are measured in the window"));
  return map;
}

// Every second one of the cells that take well under a second.
std::vector<SweepPoint> points_to_measure(const Map& map) {
  std::vector<SweepPoint> chosen;
  const std::size_t columns = map.input.across.size();
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    if ((i / columns + i % columns) % 2 != 0) continue;
    const SweepPoint& p = map.points[i];
    const double inputs = static_cast<double>(p.d) * static_cast<double>(p.vocab + p.length + 3 * p.d);
    const double places = static_cast<double>(p.words * p.length);
    if (p.d % p.heads == 0 && bench::written_flops(sizes(p)) <= 0.75 * lab_patience(p.backend) && inputs <= 6e6 && places <= 6e5)
      chosen.push_back(p);
  }
  // Cheap ones first, so that the map fills quickly.
  std::stable_sort(chosen.begin(), chosen.end(), [](const SweepPoint& a, const SweepPoint& b) {
    return bench::written_flops(sizes(a)) < bench::written_flops(sizes(b));
  });
  return chosen;
}

// A few distant cells that take about a second together, at this device's speed according to the bars.
std::vector<SweepPoint> first_points(const Map& map, const SweepPoint& bars) {
  constexpr std::size_t kPoints = 8;
  constexpr double kSeconds = 0.3, kAll = 1.2;  // seconds for one point, for all points
  // The time of all methods once, as measuring a point calls them: the bars' times, scaled by the counted operations.
  const bench::LabSizes there = sizes(bars);
  const auto operations = [](const bench::LabSizes& s, bool cached) {
    return bench::written_flops(s) + 2 * bench::shortcut_flops(s, cached) + bench::index_flops(s, cached);
  };
  const double written = bars.written > 0 ? bars.written : bars.shortcut;
  const double rate = operations(there, bars.cached) / (written + 2 * bars.shortcut + bars.index);
  const auto columns = static_cast<std::int64_t>(map.input.across.size());
  const auto distance = [&](std::size_t a, std::size_t b) {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    const std::int64_t dx = x % columns - y % columns, dy = x / columns - y / columns;
    return dx * dx + dy * dy;
  };
  // Two rounds and the warm-up; making inputs takes about 20 ns per number.
  const auto seconds = [&](const SweepPoint& p) {
    const double inputs = static_cast<double>(p.d) * static_cast<double>(p.vocab + p.length + 3 * p.d);
    return 3 * operations(sizes(p), p.cached) / rate + 2 * inputs * 2e-8;
  };
  std::vector<std::size_t> cheap, chosen;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const SweepPoint& p = map.points[i];
    if (p.d % p.heads == 0 && seconds(p) <= kSeconds && map.input.measured[i] <= 0) cheap.push_back(i);
  }
  double all = 0;
  while (chosen.size() < kPoints && all < kAll && !cheap.empty()) {
    // The one farthest from all that are measured or chosen already.
    std::size_t best = 0;
    std::int64_t best_far = -1;
    for (const std::size_t i : cheap) {
      std::int64_t far = std::int64_t{1} << 40;
      for (std::size_t k = 0; k < map.points.size(); ++k)
        if (map.input.measured[k] > 0) far = std::min(far, distance(i, k));
      for (const std::size_t k : chosen) far = std::min(far, distance(i, k));
      if (far > best_far) {
        best_far = far;
        best = i;
      }
    }
    chosen.push_back(best);
    all += seconds(map.points[best]);
    std::erase(cheap, best);
  }
  std::vector<SweepPoint> points;
  points.reserve(chosen.size());
  for (const std::size_t i : chosen) points.push_back(map.points[i]);
  return points;
}

// When the map is first shown with these sizes, some of its points are measured; but only after the bars are ready, so that
// nothing is measured for sizes that are only passed through.
void measure_first(Context& context, const Map& map) {
  if (!sweep_of(context) || !context.transient || sweep_of(context)->running()) return;
  const LabChoice choice = lab_shown(context);
  const std::string key = choice.backend + "/" + lab_key(context.view) + (context.view.index_lab.cached ? "/cached" : "") + "/" +
                          context.view.index_lab.across + "/" + context.view.index_lab.up;
  std::string& done = context.transient->of<IndexLabTransient>().first_points;
  if (done == key) return;
  const auto bars = measured_by_bars(context, choice);
  if (!bars) return;
  done = key;
  if (map.measured <= 3) sweep_of(context)->start(first_points(map, *bars));
}

constexpr const char* kNames[] = {"W", "l", "n", "d"};

// Chooses the size of an axis. If the other axis has it, the two swap.
void axis_choice(const ui::Look& look, const char* id, const char* label, std::string& chosen, std::string& other) {
  int selected = 0;
  for (std::size_t i = 0; i < std::size(kAxes); ++i)
    if (chosen == kAxes[i].id) selected = static_cast<int>(i);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ui::words(look, label, look.theme.secondary, 13);
  ImGui::SameLine(0, look.px(6));
  const int clicked = ui::segmented(look, id, kNames, static_cast<int>(std::size(kNames)), selected,
                                    tr("Which size runs along this axis; the others stay as they are set"));
  if (clicked >= 0) {
    if (other == kAxes[clicked].id) other = chosen;
    chosen = kAxes[clicked].id;
  }
  ImGui::EndGroup();
}

// The formulas of the counts at a point, one line each: the index, its rival, and the meaning of their letters.
std::string counted_words(const ViewState& view, const SweepPoint& p) {
  const bench::LabSizes s = sizes(p);
  const double written = bench::written_flops(s), shortcut = bench::shortcut_flops(s, p.cached);
  const bool as_written = view.index_lab.against == "written" || written <= shortcut;
  const auto line = [](const char* name, const std::string& formula, double operations) {
    return std::string(name) + ": " + formula + " = " + figures::operations_text(operations) + "\n";
  };
  const auto number = [](double value) {
    char text[24];
    std::snprintf(text, sizeof text, "%.0f", value);
    return std::string(text);
  };
  std::string words = line("ISDPA", bench::index_formula(s, p.cached), bench::index_flops(s, p.cached));
  words += line("SDPA", as_written ? bench::written_formula(s) : bench::shortcut_formula(s, p.cached),
                as_written ? written : shortcut);
  if (!p.cached)
    words += fill(tr("m = {} symbols that occur + l = {}"),
                  {number(bench::symbols_that_occur(s)), number(bench::symbols_that_occur(s) + s.length)});
  if (!p.cached && !as_written)
    words += "\n" + fill(tr("r = {} distinct rows of a symbol at a place"), {number(bench::rows_that_occur(s))});
  while (words.ends_with("\n")) words.pop_back();
  return words;
}

void draw_controls(Context& context, const ui::Look& look, const Map& map, float width) {
  ViewState& view = context.view;
  LabFlow flow(look, width);
  const float names = lab_segments_width(context, {std::begin(kNames), std::end(kNames)});
  const auto axis_width = [&](const char* label) { return context.measure.width(label, 13, Font::words) + 6 + names; };
  const char *const across = tr("across"), *const up = tr("up");
  flow.next(axis_width(across));
  axis_choice(look, "across", across, view.index_lab.across, view.index_lab.up);
  flow.next(axis_width(up), 8);
  axis_choice(look, "up", up, view.index_lab.up, view.index_lab.across);
  const std::vector<const char*> rivals{tr("fastest"), tr("as written")};
  const char* const why[] = {tr("Against the best way that needs no index: each distinct row once, weights folded, pooled early"),
                             tr("Against the layer as it is usually written")};
  flow.next(lab_segments_width(context, rivals), 8);
  ImGui::BeginGroup();
  if (const int clicked = ui::segmented(look, "against", rivals.data(), 2, view.index_lab.against == "written" ? 1 : 0, why);
      clicked >= 0)
    view.index_lab.against = clicked == 1 ? "written" : "fastest";
  ImGui::EndGroup();
  if (!sweep_of(context)) return;
  // The width is that of 100 %, so that nothing moves while it counts up.
  const std::string done = fill(tr("Stop, {}"), {"100 %"});
  const float button =
      std::max(context.measure.width(done, 14, Font::words), context.measure.width(tr("Measure"), 14, Font::words)) + 16;
  flow.next(button, 8);
  if (sweep_of(context)->running()) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f %%", 100 * sweep_of(context)->progress());
    const std::string label = fill(tr("Stop, {}"), {percent});
    if (ui::button(look, (label + "###measure").c_str(), look.px(button), 28, true)) sweep_of(context)->cancel();
    ui::tooltip(look, tr("Stops measuring; what is measured stays"));
  } else {
    const std::string label = tr("Measure");
    const std::vector<SweepPoint> points = points_to_measure(map);
    if (ui::button(look, (label + "###measure").c_str(), look.px(button), 28)) sweep_of(context)->start(points);
    ui::tooltip(look,
                fill(tr("Times {} points of this map in the background; edits come first"), {std::to_string(points.size())}));
  }
  name_part(context, "index:measure");
}

}  // namespace

figures::Figure lab_map_figure(const Context& context, float width, float height) {
  return figures::win_map(map_of(context).input, width, height, context.theme, context.measure);
}

void draw_lab_map(Context& context, const ui::Look& look, float width, float height) {
  ViewState& view = context.view;
  const float top = ImGui::GetCursorPosY();
  const Map map = map_of(context);
  measure_first(context, map);
  draw_lab_shown(context, look, width);
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
    ui::tooltip(look, numbers, counted_words(view, p));
    if (hit.clicked) {
      view.index_lab.words = p.words;
      view.index_lab.length = p.length;
      view.index_lab.vocab = p.vocab;
      view.index_lab.d = p.d;
    }
  }
  if (sweep_of(context))
    if (const auto error = sweep_of(context)->error()) ui::words(look, spoken(*error), look.theme.wrong, 14);
  lab_words(context, look, sentence, look.theme.secondary, 13, width);
  name_part(context, "index:sentence");
}

}  // namespace headlight::views
