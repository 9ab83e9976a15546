#include "app/views/walk/diagram_picture.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

float eased(float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  return 1 - (1 - t) * (1 - t) * (1 - t);
}

class Drawer {
 public:
  Drawer(const WalkGraph& graph, const WalkLayout& layout, const WalkInput& input, const Theme& theme, const TextMeasure& measure)
      : graph_(graph), layout_(layout), input_(input), theme_(theme), measure_(measure) {
    stop_ = graph.stop_of(input.lit);
  }

  Figure draw() {
    figure_.width = layout_.width;
    figure_.height = layout_.height;
    for (const bool lit : {false, true})
      for (const WalkArrow& arrow : layout_.arrows)
        if (is_lit(arrow.to) == lit) add_arrow(arrow, lit);
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) add_box(i);
    if (input_.progress < 1)
      for (const WalkArrow& arrow : layout_.arrows)
        if (is_lit(arrow.to)) add_travellers(arrow);
    return std::move(figure_);
  }

 private:
  bool is_lit(int i) const { return stop_ >= 0 && graph_.stop_of(i) == stop_; }
  const WalkPicture* picture(int i) const {
    return i < static_cast<int>(input_.pictures.size()) ? input_.pictures[static_cast<std::size_t>(i)].get() : nullptr;
  }
  Color flow_color(WalkFlow flow) const {
    return flow == WalkFlow::q   ? theme_.hues[0]
           : flow == WalkFlow::k ? theme_.hues[1]
           : flow == WalkFlow::v ? theme_.hues[2]
                                 : theme_.faint;
  }

  void add_arrow(const WalkArrow& arrow, bool lit) {
    Color color = flow_color(arrow.flow);
    if (lit && arrow.flow == WalkFlow::plain) color = theme_.selected;
    if (!lit) color = with_alpha(color, arrow.flow == WalkFlow::plain ? 0.75f : 0.62f);
    const float width = lit ? 2.0f : 1.3f;
    if (arrow.through) {  // dashed: the layers in between are not shown
      const float dash = 5;
      const int pieces = std::max(1, static_cast<int>(arrow.length / dash / 2));
      for (int k = 0; k < pieces; ++k) {
        const float a = static_cast<float>(k) / static_cast<float>(pieces);
        figure_.add(Line{arrow.at(a), arrow.at(a + 0.5f / static_cast<float>(pieces)), color, width});
      }
    } else {
      for (Curve piece : arrow.pieces) {
        const bool plain = std::abs((piece.control1.x - piece.from.x) * (piece.to.y - piece.from.y) -
                                    (piece.control1.y - piece.from.y) * (piece.to.x - piece.from.x)) < 0.01f;
        if (plain) {
          figure_.add(Line{piece.from, piece.to, color, width});
        } else {
          piece.color = color;
          piece.width = width;
          figure_.add(std::move(piece));
        }
      }
    }
    const Point tip = arrow.pieces.back().to, d = arrow.direction();
    const float long_side = lit ? 9.0f : 7.5f, half = lit ? 4.6f : 3.8f;
    Polygon head;
    head.points = {tip,
                   {tip.x - d.x * long_side - d.y * half, tip.y - d.y * long_side + d.x * half},
                   {tip.x - d.x * long_side + d.y * half, tip.y - d.y * long_side - d.x * half}};
    head.fill = color;
    figure_.add(std::move(head));
  }

  void add_box(int i) {
    const Composer pen{figure_, theme_, measure_};
    const auto at = static_cast<std::size_t>(i);
    const WalkBox& box = graph_.boxes[at];
    const Box& b = layout_.boxes[at];
    const Box& inner = layout_.inner[at];
    const bool lit = is_lit(i), chosen = i == input_.lit, hovered = i == input_.hovered;
    const float line = lit ? (chosen ? 2.0f : 1.4f) : hovered ? 1.5f : 1.0f;
    pen.box(b, theme_.panel, lit ? theme_.selected : hovered ? theme_.secondary : theme_.line, line, 8);

    const bool reached = graph_.stop_of(i) <= stop_;
    const float title_y = b.y + type_.above + measure_.line_height(type_.title, Font::words_bold) / 2;
    const std::string shape = box.shape.empty() ? std::string()
                              : at < input_.shapes.size() && !input_.shapes[at].empty()
                                  ? input_.shapes[at]
                                  : walk_shape(box.shape, box.axes, layout_.shape_tight ? WalkShape::tight : WalkShape::plain);
    const float wide = b.w - 2 * type_.padding;
    const float shape_wide = shape.empty() ? 0 : measure_.width(shape, type_.small, Font::mono);
    pen.text(b.x + type_.padding, title_y, tr(box.title.c_str()), type_.title, Font::words_bold,
             lit       ? theme_.selected
             : reached ? theme_.text
                       : theme_.secondary,
             Align::start, layout_.shape_above && !shape.empty() ? wide - shape_wide - 8 : wide);
    const float small = measure_.line_height(type_.small, Font::words);
    float y = inner.y + inner.h + type_.below + small / 2;
    const Color quiet = lit ? theme_.text : theme_.secondary;
    if (!shape.empty()) {
      if (layout_.shape_above) {
        pen.text(b.x + b.w - type_.padding, title_y, shape, type_.small, Font::mono, quiet, Align::end, wide);
      } else {
        pen.text(b.x + type_.padding, y, shape, type_.small, Font::mono, quiet, Align::start, wide + 8);
        y += small;
      }
    }
    if (layout_.captions)
      pen.text(b.x + type_.padding, y, caption(at, wide), type_.small, Font::words, theme_.secondary, Align::start, wide);

    if (box.kind == WalkBox::Kind::text) {
      add_text(box, inner);
    } else if (box.role == Role::tokens) {
      add_chips(inner);
    } else if (at < input_.candidates.size() && input_.candidates[at]) {
      add_candidates(figure_, *input_.candidates[at], inner, theme_, measure_);
    } else if (const WalkPicture* shown = picture(i)) {
      add_picture(i, *shown, inner);
    }
    if (lit && input_.progress < 1) {
      // The new values appear row by row from the top, while their inputs arrive.
      const float hidden = 1 - eased((input_.progress - 0.4f) / 0.6f);
      if (hidden > 0)
        pen.box({inner.x - 4, inner.y - 4 + (inner.h + 4) * (1 - hidden), inner.w + 8, (inner.h + 4) * hidden + 4}, theme_.panel);
    }
  }

  std::string caption(std::size_t i, float room) const {
    std::string words =
        i < input_.captions.size() && !input_.captions[i].empty() ? input_.captions[i] : tr(graph_.boxes[i].operation.c_str());
    const auto fits = [&] { return measure_.width(words, type_.small, Font::words) <= room; };
    // Under the title "positions" the caption "sinusoidal positions" becomes "sinusoidal".
    const std::string title = std::string(" ") + tr(graph_.boxes[i].title.c_str());
    if (!fits() && words.ends_with(title)) words.resize(words.size() - title.size());
    // "project, split into heads": only the first part if both do not fit.
    if (const std::size_t comma = words.find(", "); comma != std::string::npos && !fits() && words.find('[') == std::string::npos)
      words.resize(comma);
    if (const std::size_t shape = words.find(" ["); shape != std::string::npos && !fits()) words.erase(0, shape + 1);
    // A cut-off sentence would say less than the text beside the diagram.
    return fits() ? words : std::string();
  }

  void add_text(const WalkBox& box, const Box& inner) {
    const Composer pen{figure_, theme_, measure_};
    const float size = type_.text, high = measure_.line_height(size, Font::words);
    const auto room = std::max(1, static_cast<int>((inner.h + (layout_.shape_above ? 0.0f : high * 0.9f) + 3) / high));
    (void)box;
    if (input_.text.empty()) {
      pen.text(inner.x, inner.y + high / 2, tr("no text"), 13, Font::words, theme_.secondary, Align::start, inner.w);
      return;
    }
    std::vector<std::string> lines = wrap(input_.text, inner.w, size, Font::words, measure_);
    if (static_cast<int>(lines.size()) > room) {
      for (std::size_t k = static_cast<std::size_t>(room); k < lines.size(); ++k)
        lines[static_cast<std::size_t>(room) - 1] += " " + lines[k];
      lines.resize(static_cast<std::size_t>(room));
    }
    float y = inner.y + high / 2;
    for (const std::string& one : lines) {
      pen.text(inner.x, y, one, size, Font::words, theme_.text, Align::start, inner.w);
      y += high;
    }
  }

  // Small chips, line by line; what does not fit is counted.
  void add_chips(const Box& inner) {
    const Composer pen{figure_, theme_, measure_};
    const float size = type_.text, high = std::min(size + 6, std::max(17.0f, inner.h));
    const auto lines = std::max(1, static_cast<int>((inner.h + 3) / (high + 3)));
    const std::size_t total = std::max(input_.tokens, input_.chips.size());
    float x = inner.x, y = inner.y;
    int line = 0;
    for (std::size_t i = 0; i < total; ++i) {
      const Chip chip = i < input_.chips.size() ? input_.chips[i] : Chip{};
      const std::string rest = "+" + std::to_string(total - i);
      const auto keep = [&] {  // for the count of the others behind the last line
        return i + 1 < total && line + 1 == lines ? measure_.width(rest, 13, Font::mono) + 9 : 0.0f;
      };
      float w = std::min(inner.w, measure_.width(chip.text, size, Font::mono) + 10);
      if (x > inner.x && x + w + keep() > inner.x + inner.w) {
        if (++line == lines) {
          pen.text(x + 2, y + high / 2, rest, 13, Font::mono, theme_.secondary);
          return;
        }
        x = inner.x;
        y += high + 3;
      }
      if (x == inner.x && w + keep() > inner.w && keep() > 0) {
        if (i > 0 || inner.w - keep() < 34) {
          pen.text(x, y + high / 2, rest, 13, Font::mono, theme_.secondary);
          return;
        }
        w = inner.w - keep();  // of the first as much as leaves room for the count
      }
      const Color hue = chip.hot ? theme_.selected : theme_.hues[static_cast<std::size_t>(chip.hue) % theme_.hues.size()];
      pen.box({x, y, w, high}, with_alpha(hue, 0.16f), hue, chip.hot ? 2.0f : 1.0f, 4);
      pen.text(x + w / 2, y + high / 2, chip.text, size, Font::mono, theme_.text, Align::middle, w - 2);
      x += w + 3;
    }
    if (total == 0)
      pen.text(inner.x, inner.y + high / 2, tr("no tokens"), 13, Font::words, theme_.secondary, Align::start, inner.w);
  }

  void add_picture(int i, const WalkPicture& shown, const Box& inner) {
    const Composer pen{figure_, theme_, measure_};
    const Box place = walk_cells(shown, inner);
    if (shown.values.empty() || place.w <= 0 || place.h <= 0) return;
    figure_.add(walk_cells_of(graph_, input_, i, place));
    const float w = place.w / static_cast<float>(shown.values.dim(1)), h = place.h / static_cast<float>(shown.values.dim(0));
    const Color clear{0, 0, 0, 0};
    if (shown.head_from >= 0) {
      const Color color = flow_color(graph_.boxes[static_cast<std::size_t>(i)].flow);
      pen.box({place.x + static_cast<float>(shown.head_from) * w - 2, place.y - 2,
               static_cast<float>(shown.head_to - shown.head_from) * w + 3, place.h + 4},
              clear, graph_.boxes[static_cast<std::size_t>(i)].flow == WalkFlow::plain ? theme_.text : color, 1.6f, 3);
    }
    const auto hot = [&](WalkPicture::Side side) {
      return side == WalkPicture::Side::queries ? input_.hot_query : side == WalkPicture::Side::keys ? input_.hot_key : -1;
    };
    const Color amber = with_alpha(theme_.selected, 0.9f);
    if (const auto row = hot(shown.rows); row >= 0 && row < shown.full_rows) {
      const auto line = row / shown.row_block;
      pen.box({place.x - 1, place.y + static_cast<float>(line) * h - 1, place.w + 1, std::max(h, 2.0f) + 1}, clear, amber, 1.2f);
    }
    if (const auto column = hot(shown.columns); column >= 0 && column < shown.full_columns) {
      const auto line = column / shown.column_block;
      pen.box({place.x + static_cast<float>(line) * w - 1, place.y - 1, std::max(w, 2.0f) + 1, place.h + 1}, clear, amber, 1.2f);
    }
  }

  // Tiles with the colours of the source's own values move from their cells along the arrow to their position in the new picture.
  void add_travellers(const WalkArrow& arrow) {
    const Composer pen{figure_, theme_, measure_};
    constexpr int kTiles = 10;
    const WalkPicture* source = picture(arrow.from);
    const Box& out_of = layout_.inner[static_cast<std::size_t>(arrow.from)];
    const Box& into = layout_.inner[static_cast<std::size_t>(arrow.to)];
    const Point first = arrow.at(0), last = arrow.at(1);
    for (int k = 0; k < kTiles; ++k) {
      const float delay = static_cast<float>(k) / kTiles * 0.3f;
      const float t = (input_.progress - delay) / 0.62f;
      if (t <= 0 || t >= 1) continue;
      // Spread over both pictures with two different odd step sizes, so that they neither start nor arrive in a line.
      const auto share = [](int n) { return (static_cast<float>(n % kTiles) + 0.5f) / kTiles; };
      Point from{out_of.x + out_of.w * share(3 * k + 1), out_of.y + std::min(out_of.h, 160.0f) * share(7 * k + 2)};
      const Point to{into.x + into.w * share(7 * k + 4), into.y + into.h * share(k)};
      Color color = flow_color(arrow.flow);
      if (source && !source->values.empty()) {
        const Box cells = walk_cells(*source, out_of);
        const std::int64_t rows = source->values.dim(0), columns = source->values.dim(1);
        const auto row = std::min<std::int64_t>(rows - 1, static_cast<std::int64_t>(share(7 * k + 2) * static_cast<float>(rows)));
        const auto column =
            std::min<std::int64_t>(columns - 1, static_cast<std::int64_t>(share(3 * k + 1) * static_cast<float>(columns)));
        from = {cells.x + cells.w * (static_cast<float>(column) + 0.5f) / static_cast<float>(columns),
                cells.y + cells.h * (static_cast<float>(row) + 0.5f) / static_cast<float>(rows)};
        if (!source->mask.empty() && source->mask.at({row, column}) == 0) continue;  // masked cells send no tile
        const Cells look = walk_cells_of(graph_, input_, arrow.from, {});
        if (const Colormap* map = colormaps().find(look.colormap)) {
          const float value = static_cast<float>(source->values.at({row, column}));
          color = map->at(std::clamp((value - look.low) / (look.high - look.low), 0.0f, 1.0f), theme_);
        }
      } else if (graph_.boxes[static_cast<std::size_t>(arrow.from)].role == Role::tokens && !input_.chips.empty()) {
        const auto which = static_cast<std::size_t>(k) * input_.chips.size() / kTiles;
        color = theme_.hues[static_cast<std::size_t>(input_.chips[which].hue) % theme_.hues.size()];
      }
      const float before = std::hypot(first.x - from.x, first.y - from.y), after = std::hypot(to.x - last.x, to.y - last.y);
      const float way = (eased(t) * 0.5f + t * 0.5f) * (before + arrow.length + after);
      const auto between = [](Point a, Point b, float s) { return Point{a.x + (b.x - a.x) * s, a.y + (b.y - a.y) * s}; };
      const Point p = way < before                  ? between(from, first, before > 0 ? way / before : 1)
                      : way < before + arrow.length ? arrow.at((way - before) / std::max(1.0f, arrow.length))
                                                    : between(last, to, after > 0 ? (way - before - arrow.length) / after : 1);
      const float fade = std::min({1.0f, t * 6, (1 - t) * 6});
      pen.box({p.x - 4.5f, p.y - 4.5f, 9, 9}, with_alpha(color, fade), with_alpha(theme_.text, 0.6f * fade), 1, 2);
    }
  }

  const WalkGraph& graph_;
  const WalkLayout& layout_;
  const WalkType& type_ = layout_.type;
  const WalkInput& input_;
  const Theme& theme_;
  const TextMeasure& measure_;
  Figure figure_;
  int stop_ = 0;
};

}  // namespace

Box walk_cells(const WalkPicture& picture, const Box& inner) {
  if (picture.values.empty() || picture.values.rank() != 2) return {inner.x, inner.y, 0, 0};
  const auto rows = static_cast<float>(picture.values.dim(0)), columns = static_cast<float>(picture.values.dim(1));
  float w = inner.w, h = inner.h;
  if (picture.columns != WalkPicture::Side::other && rows > 0 && columns > 0) {
    // Tokens on both sides: a cell is at most twice as long as it is high, or twice as high as long.
    w = std::min(w, 2 * h * columns / rows);
    h = std::min(h, 2 * w * rows / columns);
    // Limits the size of a cell, so that a single token does not fill the picture.
    w = std::min(w, columns * 34);
    h = std::min(h, rows * 34);
  } else if (rows > 0) {
    h = std::min(h, rows * 34);
  }
  return {inner.x, inner.y, w, h};
}

Cells walk_cells_of(const WalkGraph& graph, const WalkInput& input, int i, const Box& box) {
  const WalkPicture& picture = *input.pictures[static_cast<std::size_t>(i)];
  const WalkBox& of = graph.boxes[static_cast<std::size_t>(i)];
  Cells cells;
  cells.box = box;
  cells.values = picture.values;
  cells.mask = picture.mask;
  cells.rows = picture.values.dim(0);
  cells.columns = picture.values.dim(1);
  cells.key = picture.key;
  if (picture.row_block * picture.column_block > 1) cells.counts = picture.counts;
  cells.reduction = Reduction::max;
  if (of.role == Role::weights) {
    cells.colormap = input.colormap;
    cells.high = input.weight_high;
    return cells;
  }
  cells.colormap = "signed";
  const double largest = picture.largest;
  cells.high = largest > 0 ? static_cast<float>(largest) : 1.0f;
  cells.low = -cells.high;
  return cells;
}

Figure walk_figure(const WalkGraph& graph, const WalkLayout& layout, const WalkInput& input, const Theme& theme,
                   const TextMeasure& measure) {
  return Drawer(graph, layout, input, theme, measure).draw();
}

Figure walk_dots(const WalkGraph& graph, int stop, int hovered, float width, float height, const Theme& theme,
                 const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  const Composer pen{figure, theme, measure};
  const auto n = static_cast<int>(graph.stops.size());
  if (n == 0) return figure;
  const float pitch = width / static_cast<float>(n), size = 13;
  float widest = 0;
  for (const WalkStop& one : graph.stops) widest = std::max(widest, measure.width(tr(one.label.c_str()), size, Font::words));
  // Labels are side by side below the line; if there are too many, alternately above and below; if even that is too tight,
  // neighbours of the current stop lose their labels.
  const float line = measure.line_height(size, Font::words);
  const bool both = widest + 8 > pitch && height >= 2 * (line + 9);
  const float y = both ? height / 2 : std::max(9.0f, height / 2 - line / 2);
  const auto x_of = [&](int i) { return (static_cast<float>(i) + 0.5f) * pitch; };
  for (int i = 0; i + 1 < n; ++i) pen.line({x_of(i), y}, {x_of(i + 1), y}, i < stop ? theme.selected : theme.line, 2);
  std::vector<std::pair<float, float>> taken[2];
  const auto label = [&](int i) {
    const std::string words = tr(graph.stops[static_cast<std::size_t>(i)].label.c_str());
    const float wide = measure.width(words, size, Font::words),
                x = std::clamp(x_of(i), wide / 2, std::max(wide / 2, width - wide / 2));
    auto& side = taken[both ? i % 2 : 1];
    for (const auto& [a, b] : side)
      if (x - wide / 2 < b + 5 && x + wide / 2 > a - 5) return;
    side.emplace_back(x - wide / 2, x + wide / 2);
    const float middle = both && i % 2 == 0 ? y - 9 - line / 2 : y + 9 + line / 2;
    pen.text(x, middle, words, size, Font::words,
             i == stop      ? theme.selected
             : i == hovered ? theme.text
                            : theme.secondary,
             Align::middle);
  };
  if (stop >= 0 && stop < n) label(stop);
  if (hovered >= 0 && hovered < n && hovered != stop) label(hovered);
  for (int i = 0; i < n; ++i)
    if (i != stop && i != hovered) label(i);
  for (int i = 0; i < n; ++i) {
    const float radius = i == stop ? 7.0f : i == hovered ? 6.0f : 5.0f;
    figure.add(Disc{{x_of(i), y}, radius, i <= stop ? theme.selected : i == hovered ? theme.text : theme.faint, {}});
  }
  // A stop can be clicked over its whole height.
  for (int i = 0; i < n; ++i)
    pen.box({x_of(i) - pitch / 2, 0, pitch, height}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::token, i, 0});
  return figure;
}

}  // namespace headlight::figures
