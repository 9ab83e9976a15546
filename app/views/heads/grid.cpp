// The left side of the Heads view: thumbnails of all heads, sorted and filtered, and the current head's statistics.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/normalise.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/heads/parts.h"
#include "imgui.h"

namespace headlight::views::heads {
namespace {

using figures::Font;

constexpr float kNamed = 600;    // a lower one lists the roles instead of one head's scores
constexpr float kGridLow = 520;  // a lower room leaves out the line that explains clicks
constexpr float kCountLine = 24;

struct Order {
  const char* id;
  const char* label;
  const char* why;
};
constexpr Order kOrders[] = {
    {"model", tr_later("layer"), tr_later("The model's own order: a row a layer, a column a head")},
    {"entropy", tr_later("entropy"),
     tr_later("By mean row entropy, the most focused first: does a query look at one key or at many?")},
    {"distance", tr_later("distance"),
     tr_later("By mean distance in tokens, the nearest first: how far back does the head look?")},
    {"role", tr_later("role"), tr_later("By the role that was found for them, the clearest of each first")},
    {"cells", tr_later("chosen cells"),
     tr_later("By the weight on the chosen cells of the map, the largest first: which heads look like this?")},
    {"pattern", tr_later("pattern"), tr_later("By the pattern that its weights show most, the clearest of each first")},
};
const Order& order_of(const ViewState& view) {
  for (const Order& order : kOrders)
    if (own(view).order == order.id) return order;
  return kOrders[0];
}

// What heads are filtered by.
std::string filter_label(const std::string& filter) {
  const HeadPattern* const role = role_of_filter(filter);
  return role ? tr(words_of(*role).name) : pattern_label(filter);
}

// Leaves the heads of other layers out.
Arrangement of_layers(Arrangement a, const ShownLayers& shown, std::int64_t heads) {
  if (shown.whole()) return a;
  const auto inside = [&](std::int64_t head) { return head / heads >= shown.begin && head / heads < shown.end; };
  std::erase_if(a.order, [&](std::int64_t head) { return !inside(head); });
  if (a.ordered)
    a.shown = static_cast<std::int64_t>(a.order.size());
  else {
    a.shown = 0;
    for (std::int64_t head = shown.begin * heads; head < shown.end * heads; ++head)
      a.shown += a.faint.empty() || !a.faint[static_cast<std::size_t>(head)];
  }
  return a;
}

// While the statistics of a new trace are being computed, the heads keep their places.
Arrangement arrangement_of_all(const Context& context, const AttentionChoice& choice) {
  const ViewState& view = context.view;
  const auto total = static_cast<std::int64_t>(choice.layers.size()) * choice.site->heads;
  Arrangement a;
  a.total = a.shown = total;
  const auto roles = head_roles(context, choice);
  const bool measured = roles && roles->measured();
  const bool by_roles = own(view).order == "role" || role_of_filter(own(view).filter);
  if (order_of(view).id == std::string("model") && own(view).filter.empty()) return a;
  const auto like = own(view).order == "cells" ? heads_like(context, choice) : nullptr;
  if (by_roles && !measured && (order_of(view).id == std::string("model") || own(view).order == "role")) return a;
  std::vector<HeadsTransient::Arranged> none;
  auto& arranged = context.transient ? context.transient->of<HeadsTransient>().arranged : none;
  auto kept = std::find_if(arranged.begin(), arranged.end(), [&](const HeadsTransient::Arranged& one) {
    return one.order == own(view).order && one.filter == own(view).filter && one.total == total;
  });
  if (own(view).order == "cells" && !like) return kept == arranged.end() ? a : kept->heads;
  if (const auto table = head_table(context, choice)) {
    std::vector<std::optional<double>> weights;
    if (like)
      for (const HeadAtCells& head : *like)
        weights.push_back(head.weight && std::isfinite(*head.weight) ? head.weight : std::nullopt);
    a = arrange_heads(
        table->heads, own(view).order, own(view).filter,
        measured ? std::span<const std::optional<HeadRole>>(roles->roles) : std::span<const std::optional<HeadRole>>(), weights);
    if (kept == arranged.end()) kept = arranged.insert(kept, {own(view).order, own(view).filter, total, {}});
    kept->heads = a;
    kept->heads.marks.clear();  // they say numbers of the trace
    return a;
  }
  return kept == arranged.end() ? a : kept->heads;
}

Arrangement arrangement_of(const Context& context, const AttentionChoice& choice) {
  return of_layers(arrangement_of_all(context, choice), shown_layers(context, choice), choice.site->heads);
}

}  // namespace

figures::GridInput grid_input(const Context& context, const AttentionChoice& choice, const GridPictures& pictures,
                              const Arrangement& arrangement) {
  figures::GridInput input;
  input.layers = static_cast<std::int64_t>(choice.layers.size());
  input.heads = choice.site->heads;
  input.key_heads = choice.site->kv_heads < choice.site->heads ? choice.site->kv_heads : 0;
  const ShownLayers shown = shown_layers(context, choice);
  input.begin_layer = shown.begin;
  input.end_layer = shown.end;
  input.first_layer = choice.layers.front()->layer;
  input.values = pictures.values;
  input.masks = pictures.masks;
  input.counts = pictures.counts;
  input.keys = pictures.keys;
  input.colormap = colormap_of(context.view);
  const figures::Shades scale = figures::scale_of_weights(context.view.range, pictures.largest);
  input.low = scale.low;
  input.high = scale.high;
  input.range_words = scale.words + ", " + input.colormap;
  input.cell_words = tr("in each picture: row = query, column = key");
  if (choice.words) input.cell_words += std::string("; ") + tr("pieces of a word together");
  if (pictures.block > 1) {
    const std::string side = std::to_string(pictures.block);
    input.cell_words += "; " + fill(context.view.reduction == "mean" ? tr("each cell is the mean of {} x {}")
                                                                     : tr("each cell is the largest of {} x {}"),
                                    {side, side});
    input.data_name += "_" + context.view.reduction + "_of_" + side + "x" + side;
  }
  input.note = weights_note(*context.trace, choice);
  input.ordered = arrangement.ordered;
  input.order = arrangement.order;
  input.faint = arrangement.faint;
  input.marks = arrangement.marks;
  if (input.ordered)
    for (std::int64_t i = 0; i < input.layers * input.heads; ++i)
      input.names.push_back(head_name(choice, {i / input.heads, i % input.heads}));
  // Of chosen cells the number is what one asks for: it is part of the name, which is never left out.
  if (input.ordered && own(context.view).order == "cells")
    for (std::size_t i = 0; i < std::min(input.names.size(), input.marks.size()); ++i)
      if (!input.marks[i].empty()) input.names[i] += "  " + std::exchange(input.marks[i], {});
  if (const auto roles = head_roles(context, choice))
    for (const auto& role : roles->roles)
      input.roles.push_back(role ? std::optional(figures::GridInput::Role{words_of(role->pattern).hue, role->score,
                                                                          tr(words_of(role->pattern).name)})
                                 : std::nullopt);
  for (const HeadRef& head : context.view.chosen_heads)
    if (head.layer >= 0 && head.layer < input.layers && head.head >= 0 && head.head < input.heads)
      input.chosen.emplace_back(head.layer * input.heads + head.head, head_hue(head));
  return input;
}

namespace {}  // namespace

std::vector<sheet::Node> order_nodes(Sheet& sheet, const HeadsTab& tab) {
  const Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  const Arrangement arrangement = arrangement_of(context, choice);
  State& state = own(context.view);
  std::vector<sheet::Node> all = sentence_nodes(sheet, choice);
  const Order& order = order_of(context.view);
  all.push_back(sheet.menu({"order", tr("sorted by"), tr(order.label), tr(order.why), [&context, &state, choice, now = &order] {
                              const auto roles = head_roles(context, choice);
                              for (const Order& one : kOrders)
                                if ((one.id != std::string("role") || (roles && roles->named() > 0)) &&
                                    (one.id != std::string("cells") || !chosen_cells(context.view).empty()) &&
                                    ImGui::MenuItem(tr(one.label), nullptr, &one == now))
                                  state.order = one.id;
                            }}));
  const std::string showing = state.filter.empty()
                                  ? fill(tr("all {}"), {std::to_string(arrangement.shown)})
                                  : fill(tr("{} of {}"), {std::to_string(arrangement.shown), std::to_string(arrangement.total)}) +
                                        ": " + filter_label(state.filter);
  all.push_back(sheet.menu({"filter", tr("heads"), showing,
                            tr("Only the heads whose weights show one pattern; the others are dimmed or left out"),
                            [&context, &state, choice, total = arrangement.total] {
                              const auto item = [&](const std::string& label, const std::string& id, std::int64_t count) {
                                if (ImGui::MenuItem(label.c_str(), std::to_string(count).c_str(), state.filter == id))
                                  state.filter = id;
                              };
                              item(tr("all heads"), "", total);
                              if (const auto roles = head_roles(context, choice); roles && roles->named() > 0) {
                                for (const auto& [role, count] : roles->counts())
                                  item(ui::labelled(tr(words_of(role).name), words_of(role).id), words_of(role).id, count);
                                ImGui::Separator();
                              }
                              if (const auto table = head_table(context, choice))
                                for (const auto& [pattern, count] : patterns_of(table->heads))
                                  item(pattern_label(pattern), pattern, count);
                            }}));
  for (sheet::Node& node : layers_nodes(sheet, tab)) all.push_back(std::move(node));
  for (sheet::Node& node : size_nodes(sheet, tab)) all.push_back(std::move(node));
  return all;
}

figures::Figure figure_of_grid(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  const ShownLayers shown = shown_layers(context, choice);
  const auto pictures = grid_pictures(context, choice, shown.begin, shown.end);
  if (!pictures) return {};
  figures::GridInput input = grid_input(context, choice, *pictures, arrangement_of(context, choice));
  input.title = tr("all heads");
  input.chosen.clear();
  return figures::head_grid(input, width, height, context.theme, context.measure);
}

namespace {

// A click on a role leaves only its heads lit among the thumbnails. Each role's row is a part of the window,
// "heads:role:adjective".
void roles_hit(const HeadsTab& tab, const Drawn& drawn) {
  const gl::Hit& hit = drawn.hit;
  const figures::Figure& figure = drawn.figure;
  if (tab.context.parts) {
    const ImVec2 at = drawn.origin;
    for (const auto& item : figure.items)
      if (const auto* row = std::get_if<figures::Rectangle>(&item); row && row->tag.kind == figures::Tag::link) {
        const HeadPattern pattern = kHeadPatterns[static_cast<std::size_t>(row->tag.a)];
        tab.context.parts->add(std::string("heads:") + words_of(pattern).id, at.x + tab.look.px(std::max(0.0f, row->box.x)),
                               at.y + tab.look.px(row->box.y), at.x + tab.look.px(row->box.x + row->box.w),
                               at.y + tab.look.px(row->box.y + row->box.h));
      }
  }
  if (!hit.hovered || hit.tag.kind != figures::Tag::link) return;
  const Context& context = tab.context;
  const RoleWords& words = words_of(kHeadPatterns[static_cast<std::size_t>(hit.tag.a)]);
  std::string& filter = own(context.view).filter;
  ui::tooltip(tab.look, with_warning(filter == words.id ? std::string(tr("Show all heads alike again"))
                                                        : fill(tr("Show which heads have this role: {}"), {tr(words.name)})));
  if (hit.clicked) filter = filter == words.id ? "" : words.id;
}

RolesInput roles_input(const Context& context, const AttentionChoice& choice, const HeadRoles& roles,
                       const HeadStatistics& known) {
  const HeadRef head{std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin(), choice.head};
  const auto at = static_cast<std::size_t>(head.layer * choice.site->heads + head.head);
  RolesInput input;
  input.title = head_title(choice, head);
  input.texts = roles.texts;
  input.measured = roles.scores[at];
  input.chance = roles.chance[at];
  if (const auto here = head_here(context, choice, head, roles)) input.here = here->scores;
  input.own = roles.roles[at];
  input.counts = roles.counts();
  input.statistics = known;
  input.cross = choice.site->site == masks::Site::cross;
  input.filter = own(context.view).filter;
  return input;
}

// The selected head's numbers below the thumbnails: of a model whose heads were measured its scores by role, or, if `brief`, the
// roles that were found.
sheet::Node numbers_node(Sheet& sheet, const Shared& tab, const HeadRoles* roles, const HeadStatistics& known, bool brief,
                         bool explains, bool noted) {
  const Context& context = tab->context;
  const AttentionChoice& choice = tab->choice;
  Part part{.id = "numbers", .paper = {420, 0}};
  if (roles) {
    const auto input = std::make_shared<const RolesInput>(roles_input(context, choice, *roles, known));
    part.picture = [input, brief](Size s, const Pen& pen) {
      return roles_figure(*input, s.w - 12, brief, pen.theme, pen.measure);
    };
    part.on_paper = [input](Size s, const Pen& pen) { return roles_figure(*input, s.w, false, pen.theme, pen.measure); };
    part.hit = [tab](const Drawn& drawn) { roles_hit(*tab, drawn); };
  } else {
    NumbersInput made{known, weights_note(*context.trace, choice), choice.site->site == masks::Site::cross, noted, explains};
    const auto input = std::make_shared<const NumbersInput>(std::move(made));
    part.picture = [input](Size s, const Pen& pen) { return numbers_figure(*input, s.w, pen.theme, pen.measure); };
    part.on_paper = [input](Size s, const Pen& pen) {
      NumbersInput whole = *input;
      whole.noted = true;
      whole.explains = false;
      return numbers_figure(whole, s.w, pen.theme, pen.measure);
    };
  }
  part.title = head_title(choice, {0, choice.head});
  sheet::Node node = sheet.picture(std::move(part), {0, 0, sheet::kAny});
  node.rank = 2;
  return node;
}

void draw_grid(const HeadsTab& tab, Size room) {
  const Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  const ShownLayers shown = shown_layers(context, choice);
  const auto pictures = grid_pictures(context, choice, shown.begin, shown.end);
  if (!pictures) return ui::words(tab.look, tr("making the thumbnails …"), tab.look.theme.secondary);
  const Arrangement arrangement = arrangement_of(context, choice);
  figures::GridInput input = grid_input(context, choice, *pictures, arrangement);
  input.bare = true;
  input.selected_layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
  input.selected_head = choice.head;
  input.hot_layer = context.hover.now.layer;
  input.hot_head = context.hover.now.head;
  draw_thumbnails(tab, std::move(input), arrangement, room.w, room.h);
}

}  // namespace

sheet::Node grid_column(Sheet& sheet, const Shared& tab, Size room, bool compact) {
  const Context& context = tab->context;
  const figures::Theme& theme = context.theme;
  const AttentionChoice& choice = tab->choice;
  std::vector<sheet::Node> all;
  if (!compact) all.push_back(Sheet::flow("order", 8, order_nodes(sheet, *tab)));
  const Error* refused = nullptr;
  const auto roles = head_roles(context, choice, &refused);
  const bool measured = roles && roles->measured();
  const std::string layers = std::to_string(choice.layers.size()), heads = std::to_string(choice.site->heads);
  std::string title = choice.site->kv_heads < choice.site->heads
                          ? fill(tr("layers × heads, {} × {} over {}"), {layers, heads, std::to_string(choice.site->kv_heads)})
                          : fill(tr("layers × heads, {} × {}"), {layers, heads});
  if (const ShownLayers shown = shown_layers(context, choice); shown.cut) title += "; " + maps_words(choice, shown);
  if (measured && !compact) title += "; " + found_words(roles->named());
  const auto line = [&](const char* id, std::string words, figures::Color color) {
    all.push_back(sheet.words(id, std::move(words), ui::kSmall, color));
    all.back().presented = true;
  };
  // Where there is no room for both, the thumbnails say it.
  const float needed = compact ? room_of_all_heads(context, choice, room.w).h : 0;
  if (!compact || room.h < needed || room.h >= needed + kCountLine) line("count", title, theme.secondary);
  if (compact && !all.empty()) all.back().rank = 3;
  if (const std::string measuring = measured || compact ? std::string() : measuring_words(context); !measuring.empty())
    line("measuring", measuring, theme.secondary);
  if (refused) line("refused", fill(tr("no names: {}"), {spoken_in_window(*refused)}), theme.wrong);
  sheet::Node grid = sheet.by_hand({.id = "all heads", .draw = [tab](const ui::Look&, Size s) { draw_grid(*tab, s); }},
                                   {40, 40, sheet::kAny}, {compact ? 40.0f : kLeastGrid, kLeastGrid, sheet::kAny});
  grid.presented = true;
  all.push_back(std::move(grid));
  const auto known = statistics(context, choice, *choice.site, choice.head);
  // Beside a large picture only if the thumbnails keep enough room.
  if (known && (!compact || room.h >= room.w + 190))
    all.push_back(numbers_node(sheet, tab, measured ? roles.get() : nullptr, *known, compact || room.h < kNamed,
                               room.h >= kGridLow && !compact, !compact));
  sheet::Node column = Sheet::column("grid side", {4, 8, 8}, std::move(all));
  column.wide = {40, room.w, room.w};
  return column;
}

void draw_heads_grid(const Shared& tab, float width, float height) {
  Sheet sheet(tab->scene);
  draw_node(sheet, "heads", grid_column(sheet, tab, {width, height}, true), width, height);
}

}  // namespace headlight::views::heads
