// The thumbnails of the Heads view: which layers have some, how large they are, and where the scrolled ones stand.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "imgui.h"

namespace headlight::views::heads {
namespace {

constexpr float kLegible = 28, kLegiblePresented = 18;  // least side of a thumbnail in points; presented, one is 1.6 pixels
constexpr float kWished = 40;                           // side of thumbnails that are scrolled, where there is room
constexpr float kOverviewGap = 12, kScrollBar = 14, kGridMargin = 12;  // points
constexpr float kSmallestTile = 3, kUsualTile = 8, kLargestTile = 12;  // of the overview
constexpr float kLeastOverview = 44;                                   // points that the thumbnails leave beside them
constexpr float kMostOverview = 0.3f;                                  // share of the width, where the thumbnails need all of it
constexpr float kMostThumbnail = 168, kSizeButton = 28;
constexpr double kZoomStep = 1.25;
constexpr std::int64_t kManyLayers = 12, kBlock = 10;  // more layers can be chosen, in blocks

struct LayerRange {
  std::int64_t begin = 0, end = 0;
};
// The layers that the view asks for, of `layers`.
LayerRange chosen_layers(const ViewState& view, std::int64_t layers) {
  const std::int64_t first = own(view).first_layer, last = own(view).last_layer;
  if (first < 0 || first >= layers || last < first) return {0, layers};
  return {first, std::min(last + 1, layers)};
}

double maps_bytes(const AttentionChoice& choice, std::int64_t layers) {
  const AttentionSite& site = *choice.site;
  return 4.0 * static_cast<double>(layers * site.heads) * static_cast<double>(site.queries) * static_cast<double>(site.keys);
}

std::string bytes_words(double bytes) {
  const bool large = bytes >= 1e9;
  const double value = bytes / (large ? 1e9 : 1e6);
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f %s" : "%.0f %s", value, large ? "GB" : "MB");
  return text;
}

// "9 to 17": layers by their numbers.
std::string layer_numbers(const AttentionChoice& choice, std::int64_t begin, std::int64_t end) {
  const auto number = [&](std::int64_t i) { return std::to_string(choice.layers[static_cast<std::size_t>(i)]->layer); };
  return end - begin == 1 ? number(begin) : fill(tr("{} to {}"), {number(begin), number(end - 1)});
}

void say_click(const Context& context, HeadClick click) {
  if (click == HeadClick::last) context.say(tr("the last head stays on"));
}

// Arrows move through the thumbnails in their layout; Enter and Space do what a click does.
void walk_grid(const HeadsTab& tab, const Arrangement& arrangement, std::int64_t across) {
  const Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  const std::int64_t heads = choice.site->heads, layers = static_cast<std::int64_t>(choice.layers.size());
  ViewState& view = context.view;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, true); };
  std::int64_t step = 0;
  if (!arrangement.ordered) across = heads;
  const LayerRange range = chosen_layers(view, layers);
  if (pressed(ImGuiKey_LeftArrow)) step = -1;
  if (pressed(ImGuiKey_RightArrow)) step = 1;
  if (pressed(ImGuiKey_UpArrow)) step = -across;
  if (pressed(ImGuiKey_DownArrow)) step = across;
  const std::int64_t here = view.layer * heads + view.head;
  if (step != 0 && !arrangement.ordered && here + step >= range.begin * heads && here + step < range.end * heads) {
    view.layer = (here + step) / heads;
    view.head = (here + step) % heads;
  } else if (step != 0 && !arrangement.order.empty()) {
    const auto at = std::find(arrangement.order.begin(), arrangement.order.end(), here) - arrangement.order.begin();
    const auto next = at == static_cast<std::ptrdiff_t>(arrangement.order.size())
                          ? 0
                          : std::clamp<std::int64_t>(at + step, 0, static_cast<std::int64_t>(arrangement.order.size()) - 1);
    view.layer = arrangement.order[static_cast<std::size_t>(next)] / heads;
    view.head = arrangement.order[static_cast<std::size_t>(next)] % heads;
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_Space, false))
    say_click(context, click_head(view, {view.layer, view.head}, layers, heads));
}

void grid_hit(const HeadsTab& tab, const gl::Hit& hit, const figures::GridInput& input, const Arrangement& arrangement) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  if (hit.tag.kind == figures::Tag::thumbnail && hit.hovered) {
    const HeadRef head{hit.tag.a, hit.tag.b};
    context.hover.next.layer = head.layer;
    context.hover.next.head = head.head;
    const AttentionSite& site =
        *choice.layers[static_cast<std::size_t>(std::clamp<std::int64_t>(head.layer, 0, input.layers - 1))];
    const auto at = static_cast<std::size_t>(head.layer * input.heads + head.head);
    if (at < input.roles.size() && input.roles[at]) {
      const figures::GridInput::Role& role = *input.roles[at];
      ui::tooltip(
          look, with_warning(fill(tr("{0}: {1}, {2}"), {head_title(choice, head), role.name, figures::cell_number(role.score)})));
    } else if (const auto s = statistics(context, choice, site, head.head)) {
      ui::tooltip(look, head_title(choice, head) + ": " + pattern_words(*s));
    }
    if (hit.double_clicked)
      solo_head(context.view, head);
    else if (hit.clicked)
      say_click(context, click_head(context.view, head, input.layers, input.heads));
  }
  if (hit.focused) {
    // Slots of one line have the same height: counts those beside the first.
    std::int64_t across = 1;
    if (arrangement.ordered && input.order.size() > 1)
      across = std::max<std::int64_t>(1, context.transient ? context.transient->of<HeadsTransient>().across : 1);
    walk_grid(tab, arrangement, across);
  }
}

// Number of thumbnails in the first line.
std::int64_t across_of(const figures::Figure& figure) {
  std::int64_t count = 0;
  float first = -1;
  for (const auto& item : figure.items) {
    const auto* slot = std::get_if<figures::Rectangle>(&item);
    if (!slot || slot->tag.kind != figures::Tag::thumbnail || slot->fill.a > 0) continue;
    if (first < 0) first = slot->box.y;
    if (slot->box.y > first) break;
    ++count;
  }
  return count;
}

// The box of a head's thumbnail in a figure.
std::optional<figures::Box> box_of_head(const figures::Figure& figure, std::int64_t layer, std::int64_t head) {
  for (const auto& item : figure.items)
    if (const auto* slot = std::get_if<figures::Rectangle>(&item);
        slot && slot->tag.kind == figures::Tag::thumbnail && slot->tag.a == layer && slot->tag.b == head)
      return slot->box;
  return std::nullopt;
}

// How far to scroll so that `from`..`to` is seen in a view of `room` that begins at `at`, below `covered` of it.
float scrolled_to(float at, float from, float to, float room, float covered) {
  if (from < at + covered) return std::max(0.0f, from - covered);
  if (to > at + room) return to - room;
  return at;
}

// The size of the thumbnails changes by a notch of the wheel or by a button, from what it is at present.
void zoom_thumbnails(ViewState& view, float now, float whole, float notches) {
  const double size = std::clamp(static_cast<double>(now) * std::pow(kZoomStep, static_cast<double>(notches)), 8.0,
                                 static_cast<double>(kMostThumbnail));
  own(view).thumbnail = size <= static_cast<double>(whole) ? -1.0 : size;
}

float legible(const Context& context) { return context.view.presentation ? kLegiblePresented : kLegible; }

// The size that the view asks for, where `whole` is the one at which all fit. Thumbnails that are scrolled are larger than the
// least size where a layer's heads have room beside each other.
float size_of_thumbnails(const Context& context, float whole, float across) {
  const auto asked = static_cast<float>(own(context.view).thumbnail);
  if (asked < 0) return whole;
  if (asked > 0) return std::max(asked, 8.0f);
  const float least = legible(context);
  return whole >= least ? whole : std::clamp(across, least, kWished);
}

// The side of the overview's tiles in this room; smaller ones have no numbers beside them.
float tile_for(std::int64_t layers, std::int64_t heads, float width, float height) {
  const auto fitting = [&](float beside, float above) {
    return std::floor(std::min(
        {(height - above) / static_cast<float>(layers), (width - beside) / (static_cast<float>(heads) * 1.1f), kLargestTile}));
  };
  const float numbered = fitting(26, 24);
  return numbered >= figures::kNumberedTile ? numbered : std::min(fitting(6, 6), figures::kNumberedTile - 1);
}

figures::OverviewInput overview_of(const figures::GridInput& grid, float tile) {
  figures::OverviewInput input;
  input.layers = grid.layers;
  input.heads = grid.heads;
  input.key_heads = grid.key_heads;
  input.first_layer = grid.first_layer;
  input.roles = grid.roles;
  input.faint = grid.faint;
  input.selected_layer = grid.selected_layer;
  input.selected_head = grid.selected_head;
  input.hot_layer = grid.hot_layer;
  input.hot_head = grid.hot_head;
  input.tile = tile;
  return input;
}

// The layers that a scrolled grid shows in full, or nearly.
std::pair<std::int64_t, std::int64_t> layers_in_sight(const figures::Figure& grid, const figures::Box& window, float covered) {
  std::int64_t first = -1, last = -1;
  for (const auto& item : grid.items) {
    const auto* slot = std::get_if<figures::Rectangle>(&item);
    if (!slot || slot->tag.kind != figures::Tag::thumbnail) continue;
    const float middle = slot->box.y + slot->box.h / 2;
    if (middle < window.y + covered || middle > window.y + window.h) continue;
    if (first < 0) first = slot->tag.a;
    last = slot->tag.a;
  }
  return {first, last};
}

// The tiles of all heads beside the thumbnails: a click chooses a head, a drag and the wheel scroll the thumbnails.
void draw_overview(const HeadsTab& tab, const figures::OverviewInput& input, const figures::GridInput& grid,
                   const Arrangement& arrangement, const figures::Figure& thumbnails) {
  const Context& context = tab.context;
  figures::Figure figure = figures::head_overview(input, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "overview");
  name_part(context, "heads:overview");
  if (!context.transient) return;
  HeadsTransient& kept = context.transient->of<HeadsTransient>();
  const float ratio = thumbnails.height / std::max(1.0f, figure.height);
  const float scrolled = kept.scroll_to ? kept.scroll_to->y : kept.scrolled.y;
  if (hit.dragging)
    kept.scroll_to = figures::Point{kept.scrolled.x, std::max(0.0f, scrolled + hit.drag.y * ratio)};
  else if (hit.hovered && hit.wheel != 0)
    kept.scroll_to = figures::Point{kept.scrolled.x, std::max(0.0f, scrolled - hit.wheel * 3 * input.tile * ratio)};
  if (!hit.dragging) grid_hit(tab, hit, grid, arrangement);
}

}  // namespace

ShownLayers shown_layers(const Context& context, const AttentionChoice& choice) {
  ShownLayers shown;
  shown.all = static_cast<std::int64_t>(choice.layers.size());
  const LayerRange asked = chosen_layers(context.view, shown.all);
  shown.begin = asked.begin;
  shown.end = asked.end;
  const auto fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(kMostMaps / std::max(1.0, maps_bytes(choice, 1))));
  if (shown.end - shown.begin <= fit) return shown;
  const std::int64_t current = std::clamp<std::int64_t>(
      std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin(), shown.begin, shown.end - 1);
  shown.begin += (current - shown.begin) / fit * fit;
  shown.end = std::min(shown.begin + fit, asked.end);
  shown.cut = true;
  return shown;
}

std::string maps_words(const AttentionChoice& choice, const ShownLayers& shown) {
  return fill(tr("maps of layers {}, {}; all take {}"),
              {layer_numbers(choice, shown.begin, shown.end), bytes_words(maps_bytes(choice, shown.end - shown.begin)),
               bytes_words(maps_bytes(choice, shown.all))});
}

std::vector<sheet::Node> layers_nodes(Sheet& sheet, const HeadsTab& tab) {
  const Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  const auto all = static_cast<std::int64_t>(choice.layers.size());
  const LayerRange now = chosen_layers(context.view, all);
  const bool whole = now.begin == 0 && now.end == all;
  if (whole && all <= kManyLayers) return {};
  const auto items = [&context, choice, all, now] {
    const auto item = [&](const std::string& words, std::int64_t begin, std::int64_t end) {
      const bool chosen = now.begin == begin && now.end == end;
      if (!ImGui::MenuItem(words.c_str(), bytes_words(maps_bytes(choice, end - begin)).c_str(), chosen)) return;
      State& state = own(context.view);
      const bool of_all = begin == 0 && end == all;
      state.first_layer = of_all ? -1 : begin;
      state.last_layer = of_all ? -1 : end - 1;
      if (context.view.layer < begin || context.view.layer >= end) context.view.layer = begin;
    };
    item(fill(tr("all {}"), {std::to_string(all)}), 0, all);
    for (std::int64_t begin = 0; begin < all; begin += kBlock)
      item(layer_numbers(choice, begin, std::min(begin + kBlock, all)), begin, std::min(begin + kBlock, all));
    ImGui::Separator();
    const std::int64_t current = std::clamp<std::int64_t>(context.view.layer, 0, all - 1);
    item(fill(tr("layer {} alone"), {layer_numbers(choice, current, current + 1)}), current, current + 1);
  };
  return {sheet.menu(
      {"layers", tr("layers"), whole ? fill(tr("all {}"), {std::to_string(all)}) : layer_numbers(choice, now.begin, now.end),
       fill(tr("The layers whose thumbnails are shown. The maps of all heads take {}"), {bytes_words(maps_bytes(choice, all))}),
       items})};
}

float thumbnails_width(const Context& context, const AttentionChoice& choice) {
  figures::GridInput input;
  input.layers = static_cast<std::int64_t>(choice.layers.size());
  input.heads = choice.site->heads;
  input.key_heads = choice.site->kv_heads;
  const auto asked = static_cast<float>(own(context.view).thumbnail);
  const float size = std::clamp(asked, input.layers > kManyLayers && asked == 0 ? 34.0f : kLegible, 60.0f);
  const float grid = figures::room_of_grid(input, size, context.measure).w + kScrollBar + 12;
  const float tiles = input.layers > kManyLayers ? 34 + kUsualTile * 1.1f * static_cast<float>(input.heads) + kOverviewGap : 0;
  return grid + tiles;
}

Size room_of_all_heads(const Context& context, const AttentionChoice& choice, float width) {
  figures::GridInput input;
  input.layers = input.end_layer = static_cast<std::int64_t>(choice.layers.size());
  input.heads = choice.site->heads;
  input.key_heads = choice.site->kv_heads < choice.site->heads ? choice.site->kv_heads : 0;
  if (const auto roles = head_roles(context, choice); roles && roles->measured()) input.roles.resize(roles->roles.size());
  const auto asked = static_cast<float>(own(context.view).thumbnail);
  float size = std::max(asked, legible(context));
  if (asked < 0) size = std::min(size, figures::fitting_slot(input, width - kGridMargin, 4096, context.measure));
  const figures::Box room = figures::room_of_grid(input, size + 0.1f, context.measure);
  return {asked < 0 ? std::min(width, room.w + kGridMargin) : room.w + kGridMargin, room.h + 1};
}

std::vector<sheet::Node> size_nodes(Sheet& sheet, const HeadsTab& tab) {
  if (!tab.context.transient || !tab.context.transient->of<HeadsTransient>().sized) return {};
  ViewState& view = tab.context.view;
  const HeadsTransient& kept = tab.context.transient->of<HeadsTransient>();
  const bool whole = own(view).thumbnail < 0;
  return {sheet.button({.id = "smaller",
                        .label = "-",
                        .why = tr("Smaller thumbnails; also Ctrl with the mouse wheel"),
                        .press = [&view, &kept] { zoom_thumbnails(view, kept.size, kept.whole, -1); },
                        .enabled = kept.size > kept.whole,
                        .wide = kSizeButton,
                        .high = kSizeButton}),
          sheet.button({.id = "larger",
                        .label = "+",
                        .why = tr("Larger thumbnails; also Ctrl with the mouse wheel"),
                        .press = [&view, &kept] { zoom_thumbnails(view, kept.size, kept.whole, 1); },
                        .enabled = kept.size < kMostThumbnail,
                        .wide = kSizeButton,
                        .high = kSizeButton}),
          sheet.button({.id = "whole",
                        .label = tr("whole"),
                        .on = whole,
                        .why = tr("All heads of all layers at once, however small, or large enough to read"),
                        .press = [&view, whole] { own(view).thumbnail = whole ? 0 : -1; },
                        .high = kSizeButton})};
}

void draw_thumbnails(const HeadsTab& tab, figures::GridInput input, const Arrangement& arrangement, float width, float height) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  HeadsTransient none, &kept = context.transient ? context.transient->of<HeadsTransient>() : none;
  const float whole = figures::fitting_slot(input, width - kGridMargin, height, context.measure);
  // As wide as a layer's heads can be beside each other, with an overview of middling size.
  const float beside = input.layers > kManyLayers ? 34 + kUsualTile * 1.1f * static_cast<float>(input.heads) + kOverviewGap : 0;
  const float across =
      std::floor((width - beside - kScrollBar - figures::room_of_grid(input, 0, context.measure).w - 8) /
                 (static_cast<float>(input.heads) + (input.key_heads > 1 ? 0.25f * static_cast<float>(input.key_heads - 1) : 0)));
  const float size = size_of_thumbnails(context, whole, across);
  const bool scrolls = size > whole && (!input.ordered || own(context.view).thumbnail > 0);
  // The overview, where the thumbnails are scrolled and leave room for it.
  float tile = 0, left = 0;
  if (scrolls && !input.ordered) {
    const float spare = width - figures::room_of_grid(input, size, context.measure).w - kScrollBar - kOverviewGap;
    tile = tile_for(input.layers, input.heads, spare >= kLeastOverview ? spare : kMostOverview * width, height);
    if (tile >= kSmallestTile)
      left = figures::head_overview(overview_of(input, tile), context.theme, context.measure).width + kOverviewGap;
    if (width - left < 3 * size + 40) left = 0;
  }
  if (scrolls) input.least_slot = input.most_slot = size;
  const float room = width - left;
  const float start = ImGui::GetCursorPosX(), top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosX(start + look.px(left));
  figures::Figure figure;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (kept.scroll_to) {
    ImGui::SetNextWindowScroll({look.px(kept.scroll_to->x), look.px(kept.scroll_to->y)});
    kept.scroll_to.reset();
  }
  if (ImGui::BeginChild("grid", {look.px(room), look.px(height)}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_NoBackground | (scrolls ? ImGuiWindowFlags_HorizontalScrollbar : 0))) {
    const ImVec2 seen = ImGui::GetWindowSize();
    kept.scrolled = {ImGui::GetScrollX() / context.scale, ImGui::GetScrollY() / context.scale};
    if (scrolls || input.ordered)
      input.window = {kept.scrolled.x, kept.scrolled.y, seen.x / context.scale, seen.y / context.scale};
    figure = figures::head_grid(input, room - kGridMargin, height, context.theme, context.measure);
    figure.background.a = 0;
    kept.across = across_of(figure);
    const gl::Hit hit = context.figures.draw(figure, "grid", true);
    const auto chosen = box_of_head(figure, input.selected_layer, input.selected_head);
    if (context.parts && chosen) {
      const ImVec2 at = ImGui::GetItemRectMin();
      context.parts->add("heads:thumbnail", at.x + look.px(chosen->x), at.y + look.px(chosen->y),
                         at.x + look.px(chosen->x + chosen->w), at.y + look.px(chosen->y + chosen->h));
    }
    grid_hit(tab, hit, input, arrangement);
    figure_menu(context, "grid menu", hit, [&] { return figure_of_grid(context, 1000, 1000); });
    if (hit.hovered && hit.wheel != 0 && ImGui::GetIO().KeyCtrl && !input.ordered) {
      zoom_thumbnails(context.view, size, whole, hit.wheel);
      const float ratio = size_of_thumbnails(context, whole, across) / size;  // what is under the mouse stays there
      kept.scroll_to = figures::Point{std::max(0.0f, hit.at.x * ratio - (hit.at.x - kept.scrolled.x)),
                                      std::max(0.0f, hit.at.y * ratio - (hit.at.y - kept.scrolled.y))};
      kept.zoomed = true;
    } else if (const std::string shown = std::to_string(input.selected_layer) + "." + std::to_string(input.selected_head) + "/" +
                                         std::to_string(size) + (input.ordered ? own(context.view).order : std::string());
               kept.in_sight != shown) {
      // Another head was chosen, here or elsewhere: it is brought into sight.
      kept.in_sight = shown;
      if (const auto& box = chosen; !std::exchange(kept.zoomed, false) && box && (scrolls || input.ordered)) {
        const float bar = figure.width > room ? kScrollBar : 0,
                    header = input.ordered ? 0 : figures::grid_numbers_height(input, context.measure);
        const figures::Point to{scrolled_to(kept.scrolled.x, box->x, box->x + box->w, room - kScrollBar, 30),
                                scrolled_to(kept.scrolled.y, box->y, box->y + box->h, height - bar, header)};
        if (to.x != kept.scrolled.x || to.y != kept.scrolled.y) {
          kept.scroll_to = to;
          if (context.frame_in) context.frame_in(0);
        }
      }
    }
  }
  ImGui::EndChild();
  name_part(context, "heads:grid");  // what is seen of it: a step of a lesson that names it scrolls no other window
  ImGui::PopStyleVar();
  const float end = ImGui::GetCursorPosY();
  if (left > 0 && !figure.items.empty()) {
    figures::OverviewInput tiles = overview_of(input, tile);
    const auto [first, last] = layers_in_sight(figure, {kept.scrolled.x, kept.scrolled.y, room, height},
                                               figures::grid_numbers_height(input, context.measure));
    tiles.first = first;
    tiles.last = last;
    ImGui::SetCursorPos({start, top});
    draw_overview(tab, tiles, input, arrangement, figure);
    ImGui::SetCursorPos({start, end});
  }
  kept.sized = scrolls || own(context.view).thumbnail != 0;
  kept.size = size;
  kept.whole = whole;
}

namespace {

constexpr float kStripThumbnail = 23, kLeastPixels = 28;  // points; pixels, on whatever screen

float strip_thumbnail(const Context& context) { return std::max(kStripThumbnail, std::ceil(kLeastPixels / context.scale)); }

// What was brought into sight last, and where the grid is to be scrolled to.
struct StripScroll {
  std::int64_t layer = -1, head = -1;
  std::optional<figures::Point> to;
};

float strip_width(const Context& context) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return 0;
  figures::GridInput input;
  input.layers = input.end_layer = static_cast<std::int64_t>(choice.layers.size());
  input.heads = choice.site->heads;
  input.key_heads = choice.site->kv_heads < choice.site->heads ? choice.site->kv_heads : 0;
  input.first_layer = choice.layers.front()->layer;
  return figures::room_of_grid(input, strip_thumbnail(context), context.measure).w + kScrollBar + 12;
}

void draw_strip_heads(Context& context, float width, float height) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return;
  const Scene scene{.context = context, .view = context.view, .medium = sheet::Medium::presented};
  const HeadsTab tab{scene, context, look, choice, true};
  const ShownLayers shown = shown_layers(context, choice);
  const auto pictures = grid_pictures(context, choice, shown.begin, shown.end);
  if (!pictures) return ui::words(look, tr("making the thumbnails …"), look.theme.secondary);
  Arrangement all;
  all.total = all.shown = static_cast<std::int64_t>(choice.layers.size()) * choice.site->heads;
  figures::GridInput input = grid_input(context, choice, *pictures, all);
  input.bare = true;
  auto roles = std::exchange(input.roles, {});  // their bars would need room below each thumbnail
  input.selected_layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
  input.selected_head = choice.head;
  input.hot_layer = context.hover.now.layer;
  input.hot_head = context.hover.now.head;
  input.least_slot = input.most_slot = strip_thumbnail(context);
  StripScroll& kept = context.transient->of<StripScroll>();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (kept.to) ImGui::SetNextWindowScroll({look.px(kept.to->x), look.px(kept.to->y)});
  kept.to.reset();
  if (ImGui::BeginChild("strip grid", {look.px(width), look.px(height)}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_HorizontalScrollbar)) {
    const ImVec2 seen = ImGui::GetWindowSize();
    const figures::Point at{ImGui::GetScrollX() / context.scale, ImGui::GetScrollY() / context.scale};
    input.window = {at.x, at.y, seen.x / context.scale, seen.y / context.scale};
    figures::Theme theme = context.theme;
    theme.background = theme.panel;  // the strip's ground, which the numbers of a scrolled grid stand on
    figures::Figure figure = figures::head_grid(input, width - 12, height, theme, context.measure);
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, "heads", true);
    const auto box = box_of_head(figure, input.selected_layer, input.selected_head);
    if (context.parts && box) {
      const ImVec2 low = ImGui::GetItemRectMin();
      context.parts->add("strip:thumbnail", low.x + look.px(box->x), low.y + look.px(box->y), low.x + look.px(box->x + box->w),
                         low.y + look.px(box->y + box->h));
    }
    input.roles = std::move(roles);
    grid_hit(tab, hit, input, all);
    // The chosen layer stays in the middle.
    if (box && (kept.layer != input.selected_layer || kept.head != input.selected_head)) {
      kept.layer = input.selected_layer;
      kept.head = input.selected_head;
      const float header = figures::grid_numbers_height(input, context.measure);
      kept.to = figures::Point{scrolled_to(at.x, box->x, box->x + box->w, width - kScrollBar, 30),
                               std::max(0.0f, box->y + box->h / 2 - (height + header) / 2)};
      if (context.frame_in) context.frame_in(0);
    }
  }
  ImGui::EndChild();
  name_part(context, "strip:heads");
  ImGui::PopStyleVar();
}

}  // namespace

HeadGrid heads_for_strip() { return {strip_width, draw_strip_heads}; }

}  // namespace headlight::views::heads
