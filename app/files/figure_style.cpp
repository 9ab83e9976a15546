#include "app/files/figure_style.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

namespace headlight {
namespace {

constexpr std::array<std::pair<std::string_view, Length::Unit>, 4> kUnits{
    {{"mm", Length::mm}, {"pt", Length::pt}, {"in", Length::in}, {"px", Length::px}}};
constexpr double kLeastPoints = 200, kMostPoints = 8000;  // without a unit
constexpr double kLeastExact = 5 / 25.4 * 96, kMostExact = 2000 / 25.4 * 96;
constexpr double kLeastCell = 0.2 / 25.4 * 96, kMostCell = 100 / 25.4 * 96;
constexpr double kLeastType = 3, kMostType = 72;
constexpr std::int64_t kMostTokens = 100000;

constexpr std::array<std::pair<const char*, std::string FigureChoices::*>, 15> kTexts{{{"title", &FigureChoices::title},
                                                                                       {"caption", &FigureChoices::caption},
                                                                                       {"note", &FigureChoices::note},
                                                                                       {"axes", &FigureChoices::axes},
                                                                                       {"numbers", &FigureChoices::numbers},
                                                                                       {"legend", &FigureChoices::legend},
                                                                                       {"width", &FigureChoices::width},
                                                                                       {"height", &FigureChoices::height},
                                                                                       {"cell", &FigureChoices::cell},
                                                                                       {"font", &FigureChoices::font},
                                                                                       {"font_size", &FigureChoices::font_size},
                                                                                       {"background", &FigureChoices::background},
                                                                                       {"limits", &FigureChoices::limits},
                                                                                       {"centre", &FigureChoices::centre},
                                                                                       {"tokens", &FigureChoices::tokens}}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

Result<Length> any_length(std::string_view given, const std::string& where) {
  std::string_view text = trimmed(given);
  Length length;
  for (const auto& [name, unit] : kUnits)
    if (text.ends_with(name)) {
      length.unit = unit;
      text.remove_suffix(name.size());
      break;
    }
  const std::optional<double> value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || *value <= 0)
    return usage_error("'{}' is no length", given).at(where).mend("give a number with mm, pt, in or px, such as 84mm");
  length.value = *value;
  return length;
}

Status read_switch(const std::string& text, const std::string& where, bool& on) {
  if (text.empty()) return {};
  if (text != "on" && text != "off") return usage_error("'{}' is neither on nor off", text).at(where).mend("give on or off");
  on = text == "on";
  return {};
}

// on, off, or one's own words.
void read_words(const std::string& text, bool& on, std::string& own) {
  if (text.empty() || text == "on") return;
  on = false;
  if (text != "off") own = text;
}

Status read_sizes(const FigureChoices& choices, FigureStyle& style) {
  if (!choices.width.empty()) {
    HL_ASSIGN(style.width, read_length(choices.width, "--width"));
  }
  if (!choices.height.empty()) {
    HL_ASSIGN(style.height, read_length(choices.height, "--height"));
  }
  if (!choices.cell.empty()) {
    HL_ASSIGN(style.cell, any_length(choices.cell, "--cell"));
    if (!style.cell.exact())
      return usage_error("a cell's size needs a unit").at("--cell").mend("write {}mm, or pt, in, px", choices.cell);
    if (style.cell.points() < kLeastCell || style.cell.points() > kMostCell)
      return usage_error("'{}' is no size for a cell", choices.cell).at("--cell").mend("give 0.2mm to 100mm");
    if (style.width.exact() || style.height.exact())
      return usage_error("the picture's size follows from that of its cells")
          .at("--cell")
          .mend("give --cell, or --width and --height");
  }
  if (choices.font_size.empty()) return {};
  std::string text = choices.font_size;
  if (number_in<double>(text)) text += "pt";
  HL_ASSIGN(const Length size, any_length(text, "--font-size"));
  style.font_size = size.points() * 72 / 96;
  if (style.font_size < kLeastType || style.font_size > kMostType)
    return usage_error("'{}' is no size of type", choices.font_size).at("--font-size").mend("give 3pt to 72pt");
  return {};
}

Status read_colors(const FigureChoices& choices, FigureStyle& style) {
  if (!choices.limits.empty()) {
    const std::size_t comma = choices.limits.find(',');
    if (comma != std::string::npos) {
      style.low = number_in<double>(std::string_view(choices.limits).substr(0, comma));
      style.high = number_in<double>(std::string_view(choices.limits).substr(comma + 1));
    }
    if (!style.low || !style.high || !std::isfinite(*style.low) || !std::isfinite(*style.high) || *style.low >= *style.high)
      return usage_error("'{}' is no pair of limits", choices.limits)
          .at("--limits")
          .mend("give two numbers, the smaller first: -3,3");
  }
  if (choices.centre.empty()) return {};
  style.centre = number_in<double>(choices.centre);
  if (!style.centre || !std::isfinite(*style.centre))
    return usage_error("'{}' is no number", choices.centre).at("--centre").mend("give one, such as 0");
  if (style.low && (*style.centre <= *style.low || *style.centre >= *style.high))
    return usage_error("the centre {} is not between the limits", choices.centre).at("--centre").mend("give one between them");
  return {};
}

Status read_tokens(const FigureChoices& choices, FigureStyle& style) {
  if (choices.tokens.empty()) return {};
  const std::size_t slash = choices.tokens.find('/');
  const std::string_view text = choices.tokens;
  HL_ASSIGN(style.rows, read_numbers(text.substr(0, slash), "--tokens"));
  if (slash == std::string::npos) {
    style.columns = style.rows;
    return {};
  }
  HL_ASSIGN(style.columns, read_numbers(text.substr(slash + 1), "--tokens"));
  return {};
}

}  // namespace

double Length::points(int dpi) const {
  switch (unit) {
    case mm: return value / 25.4 * 96;
    case pt: return value / 72 * 96;
    case in: return value * 96;
    case px: return value * 96 / dpi;
    case none: break;
  }
  return value;
}

const char* name_of(Length::Unit unit) {
  for (const auto& [name, known] : kUnits)
    if (known == unit) return name.data();
  return "";
}

bool FigureStyle::plain() const {
  FigureStyle most;  // the largest size is no choice of how it looks
  if (!width.exact()) most.width = width;
  if (!height.exact()) most.height = height;
  return *this == most;
}

std::string FigureStyle::matrix_choice() const {
  if (cell.value > 0) return "--cell";
  if (transposed) return "--transpose";
  if (low) return "--limits";
  if (centre) return "--centre";
  if (!rows.empty() || !columns.empty()) return "--tokens";
  return {};
}

Result<Length> read_length(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Length length, any_length(text, where));
  if (!length.exact() && (length.value < kLeastPoints || length.value > kMostPoints))
    return usage_error("'{}' is out of range", text).at(where).mend("give 200 to 8000 points, or an exact length such as 84mm");
  if (length.exact() && (length.points() < kLeastExact || length.points() > kMostExact))
    return usage_error("'{}' is out of range", text).at(where).mend("give 5mm to 2000mm, or as much in another unit");
  return length;
}

Result<std::vector<std::int64_t>> read_numbers(std::string_view text, const std::string& where) {
  std::vector<std::int64_t> list;
  std::unordered_set<std::int64_t> seen;
  const auto wrong = [&](std::string_view part) {
    return usage_error("'{}' names no tokens", part)
        .at(where)
        .mend("give numbers from 0 and ranges: 0,2-5; rows/columns: 0-3/1,2");
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const std::size_t dash = part.find('-');
    const auto first = number_in<std::int64_t>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in<std::int64_t>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) return wrong(part);
    if (*last - *first >= kMostTokens || static_cast<std::int64_t>(list.size()) >= kMostTokens) return wrong(part);
    for (std::int64_t i = *first; i <= *last; ++i)
      if (seen.insert(i).second) list.push_back(i);
    at = end + 1;
  }
  return list;
}

Result<FigureStyle> read_style(const FigureChoices& choices) {
  FigureStyle style;
  read_words(choices.title, style.title, style.own_title);
  read_words(choices.caption, style.caption, style.own_caption);
  HL_TRY(read_switch(choices.note, "--note", style.note));
  HL_TRY(read_switch(choices.axes, "--axes", style.axes));
  HL_TRY(read_switch(choices.legend, "--legend", style.legend));
  if (!choices.numbers.empty()) {
    bool on = true;
    HL_TRY(read_switch(choices.numbers, "--numbers", on));
    style.numbers = on;
  }
  HL_TRY(read_sizes(choices, style));
  if (choices.font.find_first_of(",;'\"<>") != std::string::npos)
    return usage_error("'{}' is no family of fonts", choices.font)
        .at("--font")
        .mend("give one name, as `fc-list : family` lists them");
  style.font = choices.font;
  if (choices.background == "white") {
    style.background = Ground::white;
  } else if (choices.background == "transparent") {
    style.background = Ground::transparent;
  } else if (!choices.background.empty() && choices.background != "theme") {
    return usage_error("'{}' is no background", choices.background).at("--background").mend("give theme, white or transparent");
  }
  style.transposed = choices.transposed;
  HL_TRY(read_colors(choices, style));
  HL_TRY(read_tokens(choices, style));
  return style;
}

std::vector<std::pair<std::string, std::string>> named_choices(const FigureChoices& choices) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& [name, member] : kTexts)
    if (!(choices.*member).empty()) list.emplace_back(name, choices.*member);
  if (choices.transposed) list.emplace_back("transposed", "on");
  return list;
}

void set_choice(FigureChoices& choices, std::string_view name, const std::string& value) {
  for (const auto& [known, member] : kTexts)
    if (name == known) choices.*member = value;
  if (name == "transposed") choices.transposed = value == "on";
}

}  // namespace headlight
