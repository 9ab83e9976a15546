// All heads of all layers as thumbnails: rows are layers and columns are heads; or in another order, each with its name.
#include <algorithm>
#include <cmath>

#include "app/figures/attention/layouts.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kHeadGridMargin = 16, kHeadGridTitle = 18, kHeadGridAxis = 13, kHeadGridTick = 13, kLeastNamed = 52;
constexpr float kRoleBar = 3, kRoleRoom = 6, kRoleName = 12, kLeastRole = 14;  // a role below its thumbnail
constexpr float kBareMargin = 4, kBracket = 6;                                 // a bracket over the heads of a key head

// The largest box of the matrix's proportions within a slot, centred. The width is at least an eighth of the height.
Box fitted(Box slot, std::int64_t rows, std::int64_t columns) {
  const float ratio = std::clamp(static_cast<float>(columns) / static_cast<float>(std::max<std::int64_t>(rows, 1)), 0.125f, 8.0f);
  const float w = std::min(slot.w, slot.h * ratio), h = w / ratio;
  return {slot.x + (slot.w - w) / 2, slot.y + (slot.h - h) / 2, w, h};
}

// The positions of the shown heads.
struct Slots {
  struct Slot {
    std::int64_t head = 0;  // layer * heads + head
    Box box;                // responds to the mouse
    Box picture;            // room of the thumbnail
  };
  std::vector<Slot> list;
  float left = 0, top = 0, right = 0, bottom = 0, pitch = 0, gap = 0;
  std::vector<float> rows;  // the top of each layer, in the model's order
};

float gap_for(float pitch) { return pitch >= 24 ? 6 : pitch >= 12 ? 3 : pitch >= 6 ? 1 : 0; }

std::int64_t end_of(const GridInput& input) { return input.end_layer < 0 ? input.layers : input.end_layer; }

// Heads that share a key head, and the room between such groups.
std::int64_t group_of(const GridInput& input) {
  const bool shared = input.key_heads > 0 && input.key_heads < input.heads && input.heads % input.key_heads == 0;
  return shared ? input.heads / input.key_heads : 0;
}
float group_gap(float pitch) { return std::clamp(pitch / 4, 1.0f, 10.0f); }
float gaps_of(const GridInput& input, float pitch) {
  return group_of(input) > 0 ? group_gap(pitch) * static_cast<float>(input.key_heads - 1) : 0.0f;
}

// The positions in the model: a row per layer, a column per head. `below`: room under the thumbnails of each layer.
Slots model_slots(const GridInput& input, float left, float top, float room_w, float room_h, const std::vector<float>& below) {
  Slots s;
  s.left = left;
  s.top = top;
  float all_below = 0;
  for (const float one : below) all_below += one;
  const auto layers = static_cast<float>(std::max<std::int64_t>(1, end_of(input) - input.begin_layer));
  const auto heads = static_cast<float>(input.heads);
  s.pitch = std::min(room_w / heads, (room_h - all_below) / layers);
  s.pitch = std::min(s.pitch, (room_w - gaps_of(input, s.pitch)) / heads);
  s.pitch = std::clamp(s.pitch, std::min(input.least_slot, input.most_slot), input.most_slot);
  if (s.pitch > 8) s.pitch = std::floor(s.pitch);
  s.gap = gap_for(s.pitch);
  const std::int64_t group = group_of(input);
  float y = top;
  for (std::int64_t layer = input.begin_layer; layer < end_of(input); ++layer) {
    const float under = below[static_cast<std::size_t>(layer - input.begin_layer)];
    s.rows.push_back(y);
    for (std::int64_t head = 0; head < input.heads; ++head) {
      const std::int64_t earlier = group > 0 ? head / group : 0;
      const float before = group_gap(s.pitch) * static_cast<float>(earlier);
      const Box box{left + static_cast<float>(head) * s.pitch + before, y, s.pitch, s.pitch + under};
      s.list.push_back({layer * input.heads + head, box, {box.x + s.gap / 2, y + s.gap / 2, s.pitch - s.gap, s.pitch - s.gap}});
    }
    y += s.pitch + under;
  }
  s.right = left + s.pitch * heads + gaps_of(input, s.pitch);
  s.bottom = y;
  return s;
}

// Row by row in the given order, as large as possible while all fit, but not too small for their names: then the figure grows
// downwards, and the caller scrolls it.
Slots ordered_slots(const GridInput& input, float left, float top, float room_w, float room_h, float words, float line,
                    float below) {
  Slots s;
  s.left = left;
  s.top = top;
  const auto count = static_cast<std::int64_t>(input.order.size());
  const float least = std::min(std::max(kLeastNamed, words + 8), room_w);
  s.pitch = least;
  for (std::int64_t across = 1; across <= std::max<std::int64_t>(1, count); ++across) {
    const std::int64_t down = (count + across - 1) / across;
    const float pitch = std::min({room_w / static_cast<float>(across),
                                  room_h / static_cast<float>(std::max<std::int64_t>(1, down)) - line - below, input.most_slot});
    s.pitch = std::max(s.pitch, pitch);
  }
  s.pitch = std::floor(s.pitch);
  s.gap = 6;
  const float high = s.pitch + line + below;
  const auto across = std::max<std::int64_t>(1, static_cast<std::int64_t>(room_w / s.pitch));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i / across;
    const Box box{left + static_cast<float>(i % across) * s.pitch, top + static_cast<float>(row) * high, s.pitch, high};
    s.list.push_back({input.order[static_cast<std::size_t>(i)],
                      box,
                      {box.x + s.gap / 2, box.y + line, box.w - s.gap, box.h - line - below - s.gap}});
  }
  s.right = left + s.pitch * static_cast<float>(std::min(across, std::max<std::int64_t>(1, count)));
  const std::int64_t rows = (count + across - 1) / across;
  s.bottom = top + high * static_cast<float>(rows);
  return s;
}

float layers_width(const GridInput& input, const TextMeasure& measure) {
  return measure.width(std::to_string(input.first_layer + input.layers - 1), kHeadGridTick, Font::mono);
}
// Above the thumbnails: the numbers of the heads, and over them those of the key heads.
float numbers_height(const GridInput& input, const TextMeasure& measure) {
  const float line = measure.line_height(kHeadGridTick, Font::mono);
  return line + 4 + (group_of(input) > 0 ? line + kBracket : 0);
}

// A bracket over the heads of each key head, with its number.
void add_brackets(Figure& figure, const GridInput& input, const Slots& slots, float top, const Theme& theme,
                  const TextMeasure& measure) {
  const std::int64_t group = group_of(input);
  const float line = measure.line_height(kHeadGridTick, Font::mono), gap = std::min(slots.gap, 4.0f);
  const float step = slots.pitch * static_cast<float>(group) + group_gap(slots.pitch);
  const float across = slots.pitch * static_cast<float>(group) - gap;
  for (std::int64_t i = 0; i < input.key_heads; ++i) {
    const bool lit = i == (input.hot_head >= 0 ? input.hot_head : input.selected_head) / group;
    const Color color = lit ? theme.selected : theme.secondary;
    const float x = slots.left + static_cast<float>(i) * step + gap / 2, y = top + line + 1;
    const std::string number = std::to_string(i), named = fill(tr("key head {}"), {number});
    const bool fits = measure.width(named, kHeadGridTick, Font::words) <= across;
    if (fits || measure.width(number, kHeadGridTick, Font::words) <= across || lit) {
      Text t = text_at(fits ? named : number, {x + across / 2, top + line / 2}, kHeadGridTick, Font::words, color);
      t.horizontal = Align::middle;
      figure.add(std::move(t));
    }
    figure.add(Line{{x, y}, {x + across, y}, color, 1});
    figure.add(Line{{x, y}, {x, y + kBracket - 2}, color, 1});
    figure.add(Line{{x + across, y}, {x + across, y + kBracket - 2}, color, 1});
  }
}

// The numbers of layers and heads; those of the selected and the hovered head are always shown. In a figure that is scrolled
// they stand at the edges of its visible part, over the thumbnails.
void add_head_numbers(Figure& figure, const GridInput& input, const Slots& slots, const Theme& theme,
                      const TextMeasure& measure) {
  const float line = measure.line_height(kHeadGridTick, Font::mono), high = numbers_height(input, measure);
  const float wide = layers_width(input, measure) + 8;
  const Box& window = input.window;
  const bool scrolled = window.w > 0;
  const float top = scrolled ? std::max(slots.top, window.y + high) : slots.top;
  const float left = scrolled ? std::max(slots.left, window.x + wide + kBareMargin) : slots.left;
  const auto cover = [&](Box box) {
    Rectangle ground;
    ground.box = box;
    ground.fill = theme.background;
    ground.tag = {Tag::token, -1, -1};  // what lies below is not under the mouse
    figure.add(std::move(ground));
  };
  if (top > slots.top) cover({window.x, window.y, window.w, high});
  if (left > slots.left) cover({window.x, window.y, left - window.x, window.h});
  float least = slots.pitch;  // from a layer to the next
  for (std::size_t i = 1; i < slots.rows.size(); ++i)
    least = i == 1 ? slots.rows[1] - slots.rows[0] : std::min(least, slots.rows[i] - slots.rows[i - 1]);
  const auto outside = [&](float x, float y) { return scrolled && !window.contains({x, y}); };
  for (const std::int64_t i : ticks(input.begin_layer, end_of(input) - input.begin_layer, least, line,
                                    input.hot_layer >= 0 ? input.hot_layer : input.selected_layer)) {
    const bool lit = i == input.selected_layer || i == input.hot_layer;
    const float y = slots.rows[static_cast<std::size_t>(i - input.begin_layer)] + slots.pitch / 2;
    if (y < top || outside(left - 8, y)) continue;
    Text t = text_at(std::to_string(input.first_layer + i), {left - 8, y}, kHeadGridTick, Font::mono,
                     lit ? theme.selected : theme.secondary);
    t.horizontal = Align::end;
    figure.add(std::move(t));
  }
  const float head_wide = measure.width(std::to_string(input.heads - 1), kHeadGridTick, Font::mono);
  const std::int64_t group = group_of(input);
  if (group > 0) add_brackets(figure, input, slots, top - high, theme, measure);
  for (const std::int64_t i :
       ticks(0, input.heads, slots.pitch, head_wide + 4, input.hot_head >= 0 ? input.hot_head : input.selected_head)) {
    const bool lit = i == input.selected_head || i == input.hot_head;
    const std::int64_t earlier = group > 0 ? i / group : 0;
    const float before = group_gap(slots.pitch) * static_cast<float>(earlier);
    const float x = slots.left + before + (static_cast<float>(i) + 0.5f) * slots.pitch;
    if (x < left || outside(x, top - 4)) continue;
    Text t = text_at(std::to_string(i), {x, top - 4}, kHeadGridTick, Font::mono, lit ? theme.selected : theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::end;
    figure.add(std::move(t));
  }
}

bool is_visible(const GridInput& input, const Box& box) {
  const Box& w = input.window;
  return w.w <= 0 || (box.x < w.x + w.w && w.x < box.x + box.w && box.y < w.y + w.h && w.y < box.y + box.h);
}

void add_thumbnail(Figure& figure, const GridInput& input, const Slots::Slot& slot, bool big, const Theme& theme) {
  const auto at = static_cast<std::size_t>(slot.head);
  const Tag tag{Tag::thumbnail, slot.head / input.heads, slot.head % input.heads};
  Rectangle behind;  // the whole slot responds to the mouse, not only the cells
  behind.box = slot.box;
  behind.tag = tag;
  figure.add(behind);
  if (at >= input.values.size() || input.values[at].empty() || input.values[at].rank() != 2) return;
  if (!is_visible(input, slot.box)) return;
  Cells cells;
  cells.rows = input.values[at].dim(0);
  cells.columns = input.values[at].dim(1);
  if (cells.rows < 1 || cells.columns < 1) return;
  cells.box = fitted(slot.picture, cells.rows, cells.columns);
  cells.values = input.values[at].as(DType::f32).compact();
  if (at < input.masks.size()) cells.mask = input.masks[at];
  if (at < input.counts.size()) cells.counts = input.counts[at];
  cells.colormap = input.colormap;
  cells.low = input.low;
  cells.high = input.high;
  cells.gap = 0;  // thumbnails show patterns; lines between their cells would only darken them
  cells.key = at < input.keys.size() ? input.keys[at] : 0;
  cells.tag = tag;
  const Box box = cells.box;
  figure.add(std::move(cells));
  if (at < input.faint.size() && input.faint[at]) {
    Rectangle veil;
    veil.box = box;
    veil.fill = with_alpha(theme.background, 0.82f);
    veil.radius = big ? 2 : 0;
    veil.tag = tag;
    figure.add(veil);
  }
}

// All thumbnails as one array, if they have the same shape.
Data grid_data(const GridInput& input) {
  const auto count = static_cast<std::size_t>(input.layers * input.heads);
  if (input.values.size() != count || count == 0) return {};
  const Shape shape = input.values[0].shape();
  if (std::any_of(input.values.begin(), input.values.end(), [&](const Tensor& t) { return t.empty() || t.shape() != shape; }))
    return {};
  Tensor all(DType::f32, {input.layers, input.heads, shape[0], shape[1]}, {"layer", "head", "query", "key"}, true);
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor one = input.values[i].as(DType::f32).compact();
    std::copy_n(one.data<float>(), one.count(), all.data<float>() + static_cast<std::int64_t>(i) * one.count());
  }
  std::vector<std::string> layers;
  for (std::int64_t i = 0; i < input.layers; ++i) layers.push_back(std::to_string(input.first_layer + i));
  return {input.data_name, all, {"layer", "head", "query", "key"}, {layers, {}, {}, {}}};
}

// The text above a head when heads are in another order.
std::string name_of_head(const GridInput& input, std::int64_t head, bool marked) {
  const auto at = static_cast<std::size_t>(head);
  std::string words = at < input.names.size() ? input.names[at] : std::to_string(head);
  if (marked && at < input.marks.size() && !input.marks[at].empty()) words += " " + input.marks[at];
  return words;
}

std::int64_t place_of(const GridInput& input, std::int64_t layer, std::int64_t head) {
  return layer < 0 || head < 0 || layer >= input.layers || head >= input.heads ? -1 : layer * input.heads + head;
}

}  // namespace

float grid_numbers_height(const GridInput& input, const TextMeasure& measure) { return numbers_height(input, measure); }

float fitting_slot(const GridInput& input, float box_width, float box_height, const TextMeasure& measure) {
  const float left = kBareMargin + layers_width(input, measure) + 8, top = kBareMargin + numbers_height(input, measure);
  const std::vector<float> below(static_cast<std::size_t>(input.layers), input.roles.empty() ? 0 : kRoleRoom);
  return model_slots(input, left, top, box_width - kBareMargin - left, box_height - kBareMargin - top, below).pitch;
}

Box room_of_grid(const GridInput& input, float slot, const TextMeasure& measure) {
  const float below = input.roles.empty() ? 0 : kRoleRoom;
  return {
      0, 0, 2 * kBareMargin + layers_width(input, measure) + 8 + slot * static_cast<float>(input.heads) + gaps_of(input, slot),
      2 * kBareMargin + numbers_height(input, measure) + (slot + below) * static_cast<float>(end_of(input) - input.begin_layer)};
}

Figure head_grid(const GridInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, box_width, box_height, theme);
  if (input.layers < 1 || input.heads < 1) return figure;

  // The rooms around the thumbnails.
  const float margin = input.bare ? kBareMargin : kHeadGridMargin;
  const float axis_line = measure.line_height(kHeadGridAxis, Font::words),
              tick_line = measure.line_height(kHeadGridTick, Font::mono);
  const bool places = !input.bare && !input.ordered;  // the axes say layer and head
  const bool row_axis = places && !input.row_axis.empty(), column_axis = places && !input.column_axis.empty();
  const float title_room = input.bare || input.title.empty() ? 0 : measure.line_height(kHeadGridTitle, Font::words_bold) + 10;
  const float layer_wide = layers_width(input, measure);
  const float inner = box_width - 2 * margin;

  Legend legend;
  legend.colormap = input.colormap;
  legend.low = input.low;
  legend.high = input.high;
  legend.range_words = input.range_words;
  legend.low_words = input.low_words;
  legend.high_words = input.high_words;
  legend.notes = {input.cell_words, input.note};
  legend.origin = input.note;
  for (const Tensor& mask : input.masks) {
    if (mask.empty()) continue;
    const auto values = mask.as(DType::u8).compact();
    const auto cells = values.values<std::uint8_t>();
    if (std::find(cells.begin(), cells.end(), std::uint8_t{0}) == cells.end()) continue;
    legend.masked = true;
    break;
  }
  legend.masked_words = input.masked_words;
  for (std::size_t i = 0; i < input.values.size() && !input.bare; ++i) {
    if (i < input.counts.size())
      legend.non_finite.add(input.counts[i]);
    else
      legend.non_finite.add(input.values[i], i < input.masks.size() ? input.masks[i] : Tensor());
  }

  // Where each thumbnail stands, with the names of the roles below them where these fit and take no room from the thumbnails.
  const bool any = std::any_of(input.roles.begin(), input.roles.end(), [](const auto& role) { return role.has_value(); });
  const auto role_of = [&](std::int64_t head) {
    const auto at = static_cast<std::size_t>(head);
    return at < input.roles.size() && input.roles[at] ? &*input.roles[at] : nullptr;
  };
  Slots slots;
  bool marked = true;  // names stand with what they are sorted by
  // Room below every thumbnail for a bar, and for names below those of the layers that have some.
  const auto place_with = [&](float bar, float names) {
    std::vector<float> room_below(static_cast<std::size_t>(std::max<std::int64_t>(0, end_of(input) - input.begin_layer)), bar);
    for (std::int64_t i = input.begin_layer * input.heads; i < end_of(input) * input.heads; ++i)
      if (role_of(i)) room_below[static_cast<std::size_t>(i / input.heads - input.begin_layer)] = bar + names;
    const float left_of_cells = margin + (row_axis ? axis_line + 6 : 0) + layer_wide + 8;
    const float top_of_cells = margin + title_room + (column_axis ? axis_line + 4 : 0) + numbers_height(input, measure);
    const float below = input.bare ? margin : 14 + legend_height(legend, inner, measure) + margin;
    // Names with the number they are sorted by; if the thumbnails then do not fit, the names alone.
    const auto ordered = [&](bool with_marks) {
      float wide = 0;
      for (std::size_t i = 0; i < input.names.size(); ++i)
        wide = std::max(wide,
                        measure.width(name_of_head(input, static_cast<std::int64_t>(i), with_marks), kHeadGridTick, Font::mono));
      return ordered_slots(input, margin, margin + title_room, inner, box_height - below - margin - title_room, wide,
                           tick_line + 4, bar + names);
    };
    if (input.ordered) {
      slots = ordered(true);
      marked = slots.bottom <= box_height - below;
      if (!marked) slots = ordered(false);
    } else {
      slots = model_slots(input, left_of_cells, top_of_cells, box_width - margin - left_of_cells,
                          box_height - below - top_of_cells, room_below);
    }
  };
  place_with(any ? kRoleRoom : 0, 0);
  const bool roles_drawn = any && slots.pitch >= kLeastRole;  // bars below the heads that have one
  if (any && !roles_drawn) place_with(0, 0);
  const float name_line = measure.line_height(kRoleName, Font::words);
  const auto role_lines = [&](const std::string& name, float room) {
    const std::vector<std::string> lines = wrap(name, room, kRoleName, Font::words, measure);
    std::string whole;  // a word that was broken is in no line whole
    for (const std::string& line : lines) whole += (whole.empty() ? "" : " ") + line;
    const bool spaced = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
    return lines.size() > 2 || (spaced && whole != name) ? std::vector<std::string>() : lines;
  };
  // A role's name in up to two lines, in the slot's width and that of the slot after it, or before it, whose head has no role.
  struct RoleName {
    std::vector<std::string> lines;  // none: it does not fit
    Align align = Align::start;
  };
  const auto role_name = [&](std::size_t slot) -> RoleName {
    const Slots::Slot& own = slots.list[slot];
    const std::string& name = role_of(own.head)->name;
    const auto free = [&](std::size_t i) {
      return i < slots.list.size() && slots.list[i].box.y == own.box.y && !role_of(slots.list[i].head);
    };
    const float one = own.picture.w + slots.gap - 3, two = one + slots.pitch;
    if (auto lines = role_lines(name, free(slot + 1) ? two : one); !lines.empty()) return {std::move(lines), Align::start};
    if (slot > 0 && free(slot - 1)) return {role_lines(name, two), Align::end};
    return {};
  };
  const auto names_fit = [&] {
    for (std::size_t i = 0; i < slots.list.size(); ++i)
      if (role_of(slots.list[i].head) && role_name(i).lines.empty()) return false;
    return true;
  };
  bool roles_named = false;  // and below the bars of the roles their names
  if (roles_drawn && slots.pitch >= 24) {
    const float before = slots.pitch;
    place_with(kRoleRoom, 2 * name_line + 4);
    roles_named = slots.pitch >= 0.9f * before && names_fit() && slots.bottom <= box_height;
    if (!roles_named) place_with(kRoleRoom, 0);
  }
  const float pitch = slots.pitch, left = slots.left, top = slots.top, right = slots.right, bottom = slots.bottom;

  if (title_room > 0) {
    Text t = text_at(input.title, {margin, margin}, kHeadGridTitle, Font::words_bold, theme.text);
    t.vertical = Align::start;
    t.max_width = inner;
    t.tag.part = Part::title;
    figure.add(std::move(t));
  }

  const std::int64_t selected = place_of(input, input.selected_layer, input.selected_head),
                     hot = place_of(input, input.hot_layer, input.hot_head);
  if (const std::int64_t group = group_of(input); group > 0 && !input.ordered && selected >= 0) {
    // The heads that share the selected head's key head stand on raised ground.
    Rectangle ground;
    for (const Slots::Slot& slot : slots.list)
      if (slot.head / input.heads == input.selected_layer && slot.head % input.heads / group == input.selected_head / group)
        ground.box = ground.box.w == 0 ? slot.box : Box{ground.box.x, ground.box.y, ground.box.w + slot.box.w, slot.box.h};
    ground.fill = theme.raised;
    ground.radius = pitch >= 24 ? 6 : 0;
    if (ground.box.w > 0) figure.add(std::move(ground));
  }
  for (const Slots::Slot& slot : slots.list) {
    add_thumbnail(figure, input, slot, pitch >= 24, theme);
    if (!input.ordered) continue;
    const bool lit = slot.head == selected || slot.head == hot;
    Text t = text_at(name_of_head(input, slot.head, marked), {slot.picture.x, slot.box.y + tick_line / 2}, kHeadGridTick,
                     Font::mono, lit ? theme.selected : theme.secondary);
    t.max_width = slot.box.w - 2;
    figure.add(std::move(t));
  }
  if (roles_drawn) {  // below each thumbnail of a head with a role: how clear it is, and what it is called
    const Composer pen{figure, theme, measure};
    for (std::size_t i = 0; i < slots.list.size(); ++i) {
      const Slots::Slot& slot = slots.list[i];
      const GridInput::Role* const role = role_of(slot.head);
      if (!role) continue;
      const auto at = static_cast<std::size_t>(slot.head);
      const bool faint = at < input.faint.size() && input.faint[at];
      const float y = slot.picture.y + slot.picture.h + 2;
      const Color hue = theme.hues[static_cast<std::size_t>(role->hue) % theme.hues.size()];
      pen.bar({slot.picture.x, y, slot.picture.w, kRoleBar}, role->score, faint ? with_alpha(hue, 0.3f) : hue);
      if (!roles_named) continue;
      const Color color = slot.head == selected || slot.head == hot ? theme.selected : faint ? theme.faint : theme.secondary;
      float line = y + kRoleBar + 1 + name_line / 2;
      const RoleName name = role_name(i);
      for (const std::string& words : name.lines) {
        pen.text(slot.picture.x + (name.align == Align::end ? slot.picture.w : 0), line, words, kRoleName, Font::words, color,
                 name.align);
        line += name_line;
      }
    }
  }

  const auto hues = static_cast<int>(theme.hues.size());
  // A frame around the thumbnail of one head.
  const auto outline = [&](std::int64_t head, Color color, float line) {
    for (const Slots::Slot& slot : slots.list) {
      if (slot.head != head) continue;
      Rectangle r;
      const float out = slots.gap >= 6 ? 1.0f : 0.0f;
      r.box = {slot.picture.x - out, slot.picture.y - out, slot.picture.w + 2 * out, slot.picture.h + 2 * out};
      r.stroke = color;
      r.line = line;
      r.radius = pitch >= 24 ? 4 : 1;
      figure.add(r);
    }
  };
  for (const auto& [head, hue] : input.chosen) {
    const Color color = theme.hues[static_cast<std::size_t>(((hue % hues) + hues) % hues)];
    outline(head, color, 2);
    // A corner in the head's hue as well: an outline alone could be taken for the selection.
    for (const Slots::Slot& slot : slots.list)
      if (slot.head == head && pitch >= 16) {
        const float side = std::clamp(pitch / 4, 6.0f, 14.0f);
        Polygon corner;
        corner.points = {
            {slot.picture.x, slot.picture.y}, {slot.picture.x + side, slot.picture.y}, {slot.picture.x, slot.picture.y + side}};
        corner.fill = color;
        figure.add(std::move(corner));
      }
  }
  if (hot != selected) outline(hot, theme.selected, 1);
  outline(selected, theme.selected, 2);
  if (!input.ordered) add_head_numbers(figure, input, slots, theme, measure);

  // The names of the axes and the legend, and how large the figure is with them.
  float reach = right;
  if (column_axis) {
    Text t = text_at(input.column_axis, {left + pitch * static_cast<float>(input.heads) / 2, margin + title_room}, kHeadGridAxis,
                     Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::start;
    t.tag.part = Part::axis;
    reach = std::max(reach, t.at.x + measure.width(t.text, kHeadGridAxis, Font::words) / 2);
    figure.add(std::move(t));
  }
  if (row_axis) {
    const float wide = measure.width(input.row_axis, kHeadGridAxis, Font::words);
    Text t = text_at(input.row_axis, {margin + axis_line / 2, std::min((top + bottom) / 2, bottom - wide / 2)}, kHeadGridAxis,
                     Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.rotation = 90;
    t.tag.part = Part::axis;
    figure.add(std::move(t));
  }
  float end = bottom + margin;
  if (!input.bare) {
    add_remarks(figure, legend.non_finite);
    const float needs = legend_width(legend, inner, measure);
    const float legend_left = std::max(margin, std::min(left, box_width - margin - needs));
    const float room = box_width - margin - legend_left;
    const std::size_t first = figure.items.size();
    add_legend(figure, legend, legend_left, bottom + 14, room, right - left, theme, measure);
    for (std::size_t i = first; i < figure.items.size(); ++i) {
      if (const auto* t = std::get_if<Text>(&figure.items[i]); t && t->horizontal == Align::start)
        reach = std::max(reach, t->at.x + measure.width(t->text, t->size, t->font));
      if (const auto* bar = std::get_if<ColorBar>(&figure.items[i])) reach = std::max(reach, bar->box.x + bar->box.w);
    }
    if (title_room > 0) reach = std::max(reach, margin + measure.width(input.title, kHeadGridTitle, Font::words_bold));
    end = bottom + 14 + legend_height(legend, room, measure) + margin - 4;
  }
  const bool grows = input.least_slot > 2;  // beyond its box
  figure.width = grows ? std::ceil(reach + margin) : std::min(box_width, std::ceil(reach + margin));
  figure.height = input.ordered || grows ? std::ceil(end) : std::min(box_height, std::ceil(end));

  if (!input.bare)
    if (Data data = grid_data(input); !data.values.empty()) figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
