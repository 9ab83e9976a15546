// The Index lab's map: how much faster the index is over two sizes at once; a cost model with measured points on top of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/text/language.h"
#include "app/views/index/data.h"
#include "engine/core/sorting.h"

namespace headlight::views::lab {

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = {{"words", "W", tr_later("words in the batch, W"), 1, 16384},
                                        {"length", "l", tr_later("symbols a word, l"), 4, 256},
                                        {"vocab", "n", tr_later("symbols in the vocabulary, n"), 16, 16384},
                                        {"d", "d", tr_later("width of a vector, d"), 32, 2048}};
  return all;
}

namespace {

const Axis& axis_of(const std::string& id) {
  for (const Axis& axis : axes())
    if (id == axis.id) return axis;
  return axes().front();
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
SweepPoint point_here(const State& state, const std::string& backend) {
  SweepPoint point{state.words, state.length, state.vocab, state.d, state.cached, backend};
  point.heads = state.heads;
  point.masked = state.padding;
  point.word_lengths = state.word_lengths;
  point.position_weights = state.own_positions;
  point.pooled = !state.every_query;
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
std::optional<SweepPoint> measured_by_bars(const Context& context, const Choice& choice) {
  for (const Measured& part : answer_of(context).parts) {
    if (part.choice.backend != choice.backend || !part.rows || !part.rows->all) continue;
    SweepPoint point = point_here(state_of(context), choice.backend);
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

}  // namespace

Map map_of(const Context& context) {
  const State& state = state_of(context);
  const Axis& across = axis_of(state.across);
  const Axis& up = axis_of(state.up == state.across ? (state.across == "words" ? "vocab" : "words") : state.up);
  Map map;
  map.input.across = sizes_of(across);
  map.input.up = sizes_of(up);
  map.input.across_label = tr(across.label);
  map.input.up_label = tr(up.label);
  const bool written = state.against == "written";
  const Choice choice = shown_choice(context);
  const SweepPoint here = point_here(state, choice.backend);
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
          written ? bench::written_flops(s) : std::min(bench::written_flops(s), bench::shortcut_flops(s, state.cached));
      const double model = rival / bench::index_flops(s, state.cached);
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
                              {name_of(choice), off, std::to_string(map.measured)})
                   : sweep_of(context) ? std::string(tr("operations counted; the first points are being measured"))
                                       : std::string(tr("operations counted; points are measured in the window"));
  return map;
}

std::vector<SweepPoint> points_to_measure(const Map& map) {
  std::vector<SweepPoint> chosen;
  const std::size_t columns = map.input.across.size();
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    if ((i / columns + i % columns) % 2 != 0) continue;
    const SweepPoint& p = map.points[i];
    const double inputs = static_cast<double>(p.d) * static_cast<double>(p.vocab + p.length + 3 * p.d);
    const double places = static_cast<double>(p.words * p.length);
    if (p.d % p.heads == 0 && bench::written_flops(sizes(p)) <= 0.75 * patience_of(p.backend) && inputs <= 6e6 && places <= 6e5)
      chosen.push_back(p);
  }
  // Cheap ones first, so that the map fills quickly.
  sort_stably(chosen, [](const SweepPoint& a, const SweepPoint& b) {
    return bench::written_flops(sizes(a)) < bench::written_flops(sizes(b));
  });
  return chosen;
}

namespace {

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

}  // namespace

void measure_first(const Context& context, const Map& map) {
  if (!sweep_of(context) || !context.transient || sweep_of(context)->running()) return;
  const Choice choice = shown_choice(context);
  const std::string key = choice.backend + "/" + key_of(state_of(context)) + (state_of(context).cached ? "/cached" : "") + "/" +
                          state_of(context).across + "/" + state_of(context).up;
  std::string& done = context.transient->of<Held>().first_points;
  if (done == key) return;
  const auto bars = measured_by_bars(context, choice);
  if (!bars) return;
  done = key;
  if (map.measured <= 3) sweep_of(context)->start(first_points(map, *bars));
}

std::string counted_words(const State& state, const SweepPoint& p) {
  const bench::LabSizes s = sizes(p);
  const double written = bench::written_flops(s), shortcut = bench::shortcut_flops(s, p.cached);
  const bool as_written = state.against == "written" || written <= shortcut;
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

figures::Figure map_figure(const Context& context, float width, float height) {
  return figures::win_map(map_of(context).input, width, height, context.theme, context.measure);
}

}  // namespace headlight::views::lab
