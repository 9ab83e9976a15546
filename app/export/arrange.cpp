#include "app/export/arrange.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

#include "app/export/figure_text.h"
#include "app/figures/base/axis_labels.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/shown_parts.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kAxisName = 13;   // the size that --font-size gives: of axis names and the words below, in points
constexpr float kHuge = 20000;    // a room in which cells of any size fit
constexpr float kLeastRoom = 40;  // of a picture, in points, before it is scaled
constexpr int kTries = 6;
constexpr std::int64_t kMostTried = 400;  // of more hidden labels no larger picture is tried
constexpr float kMostLeast = 11;          // in points; files have smaller labels than the screen
constexpr float kClose = 0.01f;           // a picture that lacks less than this many points is wide enough

class Arranger {
 public:
  Arranger(const MakeFigure& make, const FigureStyle& style, const Arrangement& arrangement, const Theme& theme)
      : make_(make), style_(style), how_(arrangement), theme_(theme), measure_(style.font) {}

  Result<Figure> figure() {
    if (!style_.font.empty() && !has_family(style_.font))
      return usage_error("there is no font '{}' on this machine", style_.font)
          .at("--font")
          .mend("`fc-list : family` lists those that there are");
    HL_ASSIGN(Figure figure, sized());
    if (how_.advises && figure.hidden_labels > 0) {
      all_labels_ = advice_for(figure);
      if (!all_labels_.empty()) {
        HL_ASSIGN(figure, sized());
      }
    }
    say_small_labels(figure);
    figure.family = style_.font;
    if (style_.background == Ground::transparent) figure.background.a = 0;
    return figure;
  }

 private:
  float type() const { return style_.font_size > 0 ? static_cast<float>(style_.font_size * 96 / 72) / kAxisName : 1.0f; }
  float points(const Length& length) const { return static_cast<float>(length.points(how_.dpi)); }

  // Drawn in this room, without what is left out and with one's own words.
  Result<Figure> drawn(float width, float height, const MatrixChoices& matrix) const {
    HL_ASSIGN(Figure figure, make_(MakeInput{width, height, matrix, theme_, measure_}));
    figure = with_counted_cells(std::move(figure), theme_, measure_);
    figure = with_parts(std::move(figure), parts_of(style_), measure_);
    figure = with_heading(std::move(figure), style_.own_title, theme_, measure_);
    return with_caption(std::move(figure), style_.own_caption, theme_, measure_);
  }

  // Where the chosen size of type, or a picture that is scaled to fit, makes labels smaller than the least ones of other files.
  static void say_small_labels(Figure& figure) {
    float least = kLeastInFiles;
    for (const Item& item : figure.items)
      if (const auto* text = std::get_if<Text>(&item); text && (text->tag.kind == Tag::row || text->tag.kind == Tag::column))
        least = std::min(least, text->size);
    if (least > 0.98f * kLeastInFiles) return;
    const auto in_print = [](float points) { return range_number(std::round(static_cast<double>(points) * 7.5) / 10); };
    figure.remarks.push_back(fill(tr("the smallest labels have {0} pt, less than the {1} pt that can be read in print"),
                                  {in_print(least), in_print(kLeastInFiles)}));
  }

  bool shows_all(const FigureStyle& style) const {
    Arrangement how = how_;
    how.advises = false;
    const Result<Figure> figure = Arranger(make_, style, how, theme_).figure();
    return figure.ok() && figure->hidden_labels == 0;
  }

  // The first of some larger sizes that shows all labels, as an option of the command: "--height 120mm shows all"; else the first
  // tokens alone; empty if neither does.
  std::string advice_for(const Figure& figure) const {
    if (!how_.fills) return {};
    const Length::Unit unit = unit_of(style_) == Length::none ? Length::mm : unit_of(style_);
    const auto larger = [&](float points, float factor) {
      const double one = Length{unit, 1}.points(how_.dpi), step = unit == Length::in ? 0.1 : 1;
      return Length{unit, std::ceil(static_cast<double>(points * factor) / one / step) * step};
    };
    const auto words = [](const Length& length) { return range_number(length.value) + name_of(length.unit); };
    const auto all = [](const std::string& option) { return fill(tr("{} shows all"), {option}); };
    if (figure.hidden_labels <= kMostTried)
      for (const float factor : {1.1f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f, 4.0f}) {
        FigureStyle high = style_, wide = style_;
        if (style_.cell.value > 0) {
          high.cell = larger(points(style_.cell), factor);
          if (shows_all(high)) return all("--cell " + words(high.cell));
          continue;
        }
        high.height = larger(figure.height, factor);
        if (shows_all(high)) return all("--height " + words(high.height));
        wide.width = larger(figure.width, factor);
        if (shows_all(wide)) return all("--width " + words(wide.width));
        wide.height = high.height;
        if (shows_all(wide)) return all("--width " + words(wide.width) + " --height " + words(wide.height));
      }
    if (!style_.rows.empty() || !style_.columns.empty()) return {};
    FigureStyle few = style_;
    for (std::int64_t i = 0; i < kAllNamed; ++i) few.rows.push_back(i);
    few.columns = few.rows;
    const std::string tokens = "--tokens 0-" + std::to_string(kAllNamed - 1);
    return shows_all(few) ? fill(tr("{} shows these with every label"), {tokens}) : "";
  }

  Result<Figure> sized() const {
    MatrixChoices matrix = choices_of(style_);
    matrix.all_labels = all_labels_;
    // The figure is scaled by type() afterwards, and its least labels with it.
    matrix.least_label = std::clamp(kLeastInFiles / type(), kLeastInFiles, kMostLeast);
    if (style_.cell.value > 0) return of_cells(matrix);
    const bool wide = style_.width.exact(), high = style_.height.exact();
    if (!wide && !high) {
      const float most_width = style_.width.value > 0 ? points(style_.width) : how_.width;
      const float most_height = style_.height.value > 0 ? points(style_.height) : how_.height;
      HL_ASSIGN(Figure figure, drawn(most_width / type(), most_height / type(), matrix));
      return type() == 1 ? figure : scaled(std::move(figure), type());
    }
    // A picture that does not fill any room is scaled, unless the size of its type is given.
    if (!how_.fills && style_.font_size <= 0) {
      HL_ASSIGN(Figure figure, drawn(how_.width, how_.height, matrix));
      return exactly(std::move(figure));
    }
    return of_size(matrix, wide, high);
  }

  // The room grows by what the picture leaves free of it until it fills the wanted width, or height.
  Result<Figure> of_size(MatrixChoices matrix, bool wide, bool high) const {
    const float proportion = how_.height / how_.width;
    const float want_w = wide ? points(style_.width) / type() : 0, want_h = high ? points(style_.height) / type() : 0;
    float width = wide ? want_w : want_h / proportion * 1.5f;
    float height = high ? want_h : how_.fills ? kHuge : want_w * proportion;
    matrix.fit = wide && high ? CellFit::box : CellFit::square;
    std::optional<Figure> best;
    for (int i = 0; i < kTries; ++i) {
      HL_ASSIGN(Figure figure, drawn(width, height, matrix));
      cover(figure);
      const float lacks_w = wide ? want_w - figure.width : 0, lacks_h = high ? want_h - figure.height : 0;
      const bool fits = lacks_w >= -kClose && lacks_h >= -kClose;
      const bool better = !best || (fits && figure.width * figure.height >= best->width * best->height);
      if (better) best = std::move(figure);
      if (!fits || (lacks_w < kClose && lacks_h < kClose)) break;
      width += std::max(0.0f, lacks_w);
      if (high) height += std::max(0.0f, lacks_h);
    }
    return exactly(scaled(std::move(*best), type()));
  }

  // Where a picture does not fit into its room, it is as large as what is drawn.
  void cover(Figure& figure) const {
    const Box seen = seen_box(figure, measure_);
    if (seen.x + seen.w > figure.width + 1) figure.width = seen.x + seen.w + 4;
    if (seen.y + seen.h > figure.height + 1) figure.height = seen.y + seen.h + 4;
  }

  // Cells of one size: drawn in any room first, then in the room that the cells need, so that the words below are broken there.
  Result<Figure> of_cells(MatrixChoices matrix) const {
    if (!how_.fills) return usage_error("this picture has no cells whose size can be chosen").at("--cell").mend("give --width");
    matrix.cell_side = points(style_.cell) / type();
    HL_ASSIGN(const Figure whole, drawn(kHuge, kHuge, matrix));
    ShownParts bare = parts_of(style_);
    bare.title = bare.legend = bare.caption = bare.note = false;
    const Figure cells = with_parts(whole, bare, measure_);
    HL_ASSIGN(Figure figure, drawn(std::clamp(cells.width, std::min(whole.width, 220.0f), whole.width), kHuge, matrix));
    return scaled(std::move(figure), type());
  }

  // Exactly of the wanted size: scaled where it is larger, in the middle where it is smaller.
  Figure exactly(Figure figure) const {
    const float width = style_.width.exact() ? points(style_.width) : 0,
                height = style_.height.exact() ? points(style_.height) : 0;
    float factor = kHuge;
    if (width > 0) factor = std::min(factor, width / figure.width);
    if (height > 0) factor = std::min(factor, height / figure.height);
    if (factor < 1 - 1e-4f || (!how_.fills && style_.font_size <= 0)) figure = scaled(std::move(figure), factor);
    const float w = width > 0 ? width : figure.width, h = height > 0 ? height : figure.height;
    move(figure, (w - figure.width) / 2, (h - figure.height) / 2);
    figure.width = w;
    figure.height = h;
    return figure;
  }

  const MakeFigure& make_;
  const FigureStyle& style_;
  const Arrangement how_;
  const Theme& theme_;
  FigureText measure_;
  std::string all_labels_;  // MatrixInput::all_labels
};

}  // namespace

ShownParts parts_of(const FigureStyle& style) {
  return {style.title, style.axes, style.numbers.value_or(true), style.legend, style.caption, style.note};
}

MatrixChoices choices_of(const FigureStyle& style) {
  MatrixChoices choices;
  choices.rows = style.rows;
  choices.columns = style.columns;
  choices.low = style.low;
  choices.high = style.high;
  choices.centre = style.centre;
  choices.small_numbers = style.numbers.value_or(false);
  choices.axes = style.axes;
  return choices;
}

Length::Unit unit_of(const FigureStyle& style) {
  for (const Length* length : {&style.width, &style.height, &style.cell})
    if (length->exact()) return length->unit;
  return Length::none;
}

Result<Theme> theme_on(const Theme& theme, Ground ground) {
  if (ground != Ground::white) return theme;
  Theme white = theme;
  white.background = white.panel = rgb(0xffffff);
  if (contrast(white.text, white.background) < 4.5)
    return usage_error("the words of the theme '{}' cannot be read on white", theme.id)
        .at("--background")
        .mend("give --theme light, or a transparent background");
  white.id += " on white";
  return white;
}

Result<Figure> arranged(const MakeFigure& make, const FigureStyle& style, const Arrangement& arrangement, const Theme& theme) {
  return Arranger(make, style, arrangement, theme).figure();
}

}  // namespace headlight::figures
