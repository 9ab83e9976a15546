// The left side of the Heads tab: thumbnails of all heads, sorted and filtered, and the current head's statistics.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/normalise.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/panels/heads/heads_tab.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/menu.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kNumbersHeight = 132;  // height while they are being computed
constexpr float kNamed = 600;          // a lower one lists the roles instead of one head's scores
constexpr float kGridLow = 520;        // a lower tab leaves out the line that explains clicks

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
    if (view.heads.order == order.id) return order;
  return kOrders[0];
}

// The names that head_statistics() gives.
const char* pattern_label(const std::string& pattern) {
  // What is a role, too, has the role's name.
  static constexpr std::pair<const char*, HeadPattern> kRoles[] = {{"first-token head", HeadPattern::first},
                                                                   {"previous-token head", HeadPattern::previous},
                                                                   {"next-token head", HeadPattern::next},
                                                                   {"induction head", HeadPattern::induction}};
  for (const auto& [name, role] : kRoles)
    if (pattern == name) return tr(words_of(role).name);
  static constexpr std::pair<const char*, const char*> kOthers[] = {
      {"self head", tr_later("itself")}, {"even", tr_later("even")}, {"mixed", tr_later("mixed")}};
  for (const auto& [name, shown] : kOthers)
    if (pattern == name) return tr(shown);
  return pattern.c_str();
}

// What heads are filtered by.
std::string filter_label(const std::string& filter) {
  const HeadPattern* const role = role_of_filter(filter);
  return role ? tr(words_of(*role).name) : pattern_label(filter);
}

}  // namespace

std::string pattern_words(const HeadStatistics& s) {
  if (std::isnan(s.worst_row_sum)) return tr("some of its weights are not a number");
  char number[24];
  if (s.pattern.empty()) return tr("one key a row: nothing to choose");
  if (s.pattern == "even") {
    std::snprintf(number, sizeof number, "%.0f", 100 * s.relative_entropy);
    return fill(tr("spreads evenly ({} % of the largest entropy)"), {number});
  }
  std::snprintf(number, sizeof number, "%.2f", s.score);
  if (s.pattern == "mixed") return fill(tr("mixed: no pattern above {}"), {number});
  return fill(tr("{} (score {})"), {pattern_label(s.pattern), number});
}

namespace {

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
  const bool by_roles = view.heads.order == "role" || role_of_filter(view.heads.filter);
  if (order_of(view).id == std::string("model") && view.heads.filter.empty()) return a;
  const auto like = view.heads.order == "cells" ? heads_like(context, choice) : nullptr;
  if (by_roles && !measured && (order_of(view).id == std::string("model") || view.heads.order == "role")) return a;
  std::vector<HeadsTransient::Arranged> none;
  auto& arranged = context.transient ? context.transient->of<HeadsTransient>().arranged : none;
  auto kept = std::find_if(arranged.begin(), arranged.end(), [&](const HeadsTransient::Arranged& one) {
    return one.order == view.heads.order && one.filter == view.heads.filter && one.total == total;
  });
  if (view.heads.order == "cells" && !like) return kept == arranged.end() ? a : kept->heads;
  if (const auto table = head_table(context, choice)) {
    std::vector<std::optional<double>> weights;
    if (like)
      for (const HeadAtCells& head : *like)
        weights.push_back(head.weight && std::isfinite(*head.weight) ? head.weight : std::nullopt);
    a = arrange_heads(
        table->heads, view.heads.order, view.heads.filter,
        measured ? std::span<const std::optional<HeadRole>>(roles->roles) : std::span<const std::optional<HeadRole>>(), weights);
    if (kept == arranged.end()) kept = arranged.insert(kept, {view.heads.order, view.heads.filter, total, {}});
    kept->heads = a;
    kept->heads.marks.clear();  // they say numbers of the trace
    return a;
  }
  return kept == arranged.end() ? a : kept->heads;
}

Arrangement arrangement_of(const Context& context, const AttentionChoice& choice) {
  return of_layers(arrangement_of_all(context, choice), shown_layers(context, choice), choice.site->heads);
}

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
  if (input.ordered && context.view.heads.order == "cells")
    for (std::size_t i = 0; i < std::min(input.names.size(), input.marks.size()); ++i)
      if (!input.marks[i].empty()) input.names[i] += "  " + std::exchange(input.marks[i], {});
  if (const auto roles = head_roles(context, choice))
    for (const auto& role : roles->roles)
      input.roles.push_back(role ? std::optional(figures::GridInput::Role{words_of(role->pattern).hue, role->score,
                                                                          tr(words_of(role->pattern).name)})
                                 : std::nullopt);
  for (const HeadRef& head : context.view.heads.chosen)
    if (head.layer >= 0 && head.layer < input.layers && head.head >= 0 && head.head < input.heads)
      input.chosen.emplace_back(head.layer * input.heads + head.head, head_hue(head));
  return input;
}

// The current head's statistics: its name, then three bars. Long lines are wrapped, and in a narrow column the bars are below
// their names, so that nothing is cut off.
figures::Figure numbers_figure(const Context& context, const AttentionChoice& choice, const HeadStatistics& s, float width,
                               bool hint, bool note = true) {
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, context.theme, context.measure};
  float y = 0;
  const auto line = [&](const std::string& words, float size, figures::Color color) {
    const float high = size >= 15 ? 21.0f : 18.0f;
    for (const std::string& one : figures::wrap(words, width, size, Font::words, context.measure)) {
      pen.text(0, y + high / 2, one, size, Font::words, color, figures::Align::start, width + 1);
      y += high;
    }
  };
  line(pattern_words(s), 15, context.theme.text);
  if (note) {
    const std::string weights = weights_note(*context.trace, choice);
    line(weights.empty() ? tr("means over rows with a choice") : fill(tr("{}; means over rows with a choice"), {weights}), 13,
         context.theme.secondary);
  }
  if (hint) line(tr("click previews, click again pins, double click solos"), 13, context.theme.faint);
  y += 5;
  struct Bar {
    const char* name;
    double share;
    std::string number;
  };
  const auto number = [](const char* format, double value) {
    if (std::isnan(value)) return std::string("NaN");
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::vector<Bar> bars = {{tr("row entropy"), s.relative_entropy, fill(tr("{} nat"), {number("%.2f", s.entropy)})},
                           {tr("mass on first token"), s.first_token, number("%.2f", s.first_token)}};
  if (choice.site->site != masks::Site::cross)
    bars.push_back({tr("mean distance"), s.relative_distance, fill(tr("{} tok"), {number("%.2f", s.distance)})});
  float names = 0, numbers = 0;
  for (const Bar& bar : bars) {
    names = std::max(names, context.measure.width(bar.name, 13, Font::words) + 16);
    numbers = std::max(numbers, context.measure.width(bar.number, 13, Font::mono) + 12);
  }
  const bool below = width - names - numbers < 24;
  if (below) names = 0;
  const float track = std::min(240.0f, std::max(20.0f, width - names - numbers));
  for (const Bar& bar : bars) {
    pen.text(0, y + 9, bar.name, 13, Font::words, context.theme.secondary, figures::Align::start, below ? width : 0);
    if (below) y += 18;
    pen.bar({names, y + 4.5f, track, 9}, bar.share, context.theme.info);
    pen.text(names + track + 12, y + 9, bar.number, 13, Font::mono, context.theme.text);
    y += below ? 20.0f : 21.0f;
  }
  figure.height = y;
  return figure;
}

void draw_site_and_sentence(const HeadsTab& tab) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  const bool several = draw_attention_kinds(context, look, choice);
  const auto sentences = static_cast<std::int64_t>(context.trace->texts().size());
  if (sentences < 2) return;
  const std::string label = fill(tr("sentence {} of {}"), {std::to_string(choice.batch + 1), std::to_string(sentences)});
  if (several) next_on_line(look, context.measure.width(label, ui::kSmall, figures::Font::words) + 2 * 28 + 2 * 8);
  if (ui::button(look, "<##sentence", look.px(28), 28, false, choice.batch > 0)) context.view.batch = choice.batch - 1;
  ui::tooltip(look, tr("The sentence before"));
  ImGui::SameLine(0, look.px(8));
  ImGui::AlignTextToFramePadding();
  ui::words(look, label, look.theme.secondary);
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ">##sentence", look.px(28), 28, false, choice.batch + 1 < sentences))
    context.view.batch = choice.batch + 1;
  ui::tooltip(look, tr("The next sentence"));
}

// Sorting and filtering, as two menus.
void draw_order(const HeadsTab& tab, const Arrangement& arrangement, float width) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  const float start = ImGui::GetCursorPosX();
  const Order& order = order_of(context.view);
  const std::string showing = context.view.heads.filter.empty()
                                  ? fill(tr("all {}"), {std::to_string(arrangement.shown)})
                                  : fill(tr("{} of {}"), {std::to_string(arrangement.shown), std::to_string(arrangement.total)}) +
                                        ": " + filter_label(context.view.heads.filter);
  if (ui::pill(look, "order", tr("sorted by"), tr(order.label), 0, ImGui::IsPopupOpen("orders"))) ImGui::OpenPopup("orders");
  ui::tooltip(look, tr(order.why));
  if (begin_menu(context, look, "orders", true)) {
    const auto roles = head_roles(context, choice);
    for (const Order& one : kOrders)
      if ((one.id != std::string("role") || (roles && roles->named() > 0)) &&
          (one.id != std::string("cells") || !chosen_cells(context.view).empty()) &&
          ImGui::MenuItem(tr(one.label), nullptr, one.id == std::string(order.id)))
        context.view.heads.order = one.id;
    end_menu();
  }
  float used = (ImGui::GetItemRectSize().x) / context.scale;
  const auto place = [&](float wide) {
    if (used + 8 + wide / context.scale <= width) {
      ImGui::SameLine(0, look.px(8));
      used += 8 + wide / context.scale;
    } else {
      ImGui::SetCursorPosX(start);
      used = wide / context.scale;
    }
  };
  place(ui::pill_width(look, tr("heads"), showing));
  if (ui::pill(look, "filter", tr("heads"), showing, std::min(look.px(width), ui::pill_width(look, tr("heads"), showing)),
               ImGui::IsPopupOpen("patterns")))
    ImGui::OpenPopup("patterns");
  ui::tooltip(look, tr("Only the heads whose weights show one pattern; the others are dimmed or left out"));
  if (begin_menu(context, look, "patterns", true)) {
    if (ImGui::MenuItem(tr("all heads"), std::to_string(arrangement.total).c_str(), context.view.heads.filter.empty()))
      context.view.heads.filter.clear();
    if (const auto roles = head_roles(context, choice); roles && roles->named() > 0) {
      for (const auto& [role, count] : roles->counts())
        if (ImGui::MenuItem(ui::labelled(tr(words_of(role).name), words_of(role).id).c_str(), std::to_string(count).c_str(),
                            context.view.heads.filter == words_of(role).id))
          context.view.heads.filter = words_of(role).id;
      ImGui::Separator();
    }
    if (const auto table = head_table(context, choice))
      for (const auto& [pattern, count] : patterns_of(table->heads))
        if (ImGui::MenuItem(pattern_label(pattern), std::to_string(count).c_str(), pattern == context.view.heads.filter))
          context.view.heads.filter = pattern;
    end_menu();
  }
  if (const std::string layers = layers_words(tab); !layers.empty()) {
    place(ui::pill_width(look, tr("layers"), layers));
    draw_layers_menu(tab, layers);
  }
  if (const float wide = sizes_width(tab); wide > 0) {
    place(wide);
    draw_sizes(tab);
  }
}

}  // namespace

void draw_heads_order(const HeadsTab& tab, float width) {
  if (tab.choice.kinds.size() > 1 || tab.context.trace->texts().size() > 1) draw_site_and_sentence(tab);
  draw_order(tab, arrangement_of(tab.context, tab.choice), width);
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

void draw_heads_grid(const HeadsTab& tab, float width, float height) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  const float top = ImGui::GetCursorPosY();
  const Arrangement arrangement = arrangement_of(context, choice);
  const bool presented = context.view.presentation || tab.tight;
  if (!presented) draw_heads_order(tab, width);
  const Error* refused = nullptr;
  const auto roles = head_roles(context, choice, &refused);
  const bool measured = roles && roles->measured();
  const std::string layers = std::to_string(choice.layers.size()), heads = std::to_string(choice.site->heads);
  std::string title = choice.site->kv_heads < choice.site->heads
                          ? fill(tr("layers × heads, {} × {} over {}"), {layers, heads, std::to_string(choice.site->kv_heads)})
                          : fill(tr("layers × heads, {} × {}"), {layers, heads});
  const ShownLayers shown = shown_layers(context, choice);
  if (shown.cut) title += "; " + maps_words(choice, shown);
  ui::words(look, title + (measured && !presented ? "; " + found_words(*roles) : ""), look.theme.secondary);
  name_part(context, "heads:count");
  if (const std::string measuring = measured || presented ? std::string() : measuring_words(context); !measuring.empty()) {
    ui::words(look, measuring, look.theme.secondary);
    name_part(context, "heads:measuring");
  }
  if (refused) {
    ui::words(look, fill(tr("no names: {}"), {spoken_in_window(*refused)}), look.theme.wrong);
    name_part(context, "heads:refused");
  }
  const float used = (ImGui::GetCursorPosY() - top) / context.scale;
  const bool hint = height >= kGridLow && !presented;
  const auto known = statistics(context, choice, *choice.site, choice.head);
  // In a low tab, and in presentation mode, only if the thumbnails keep enough room.
  const bool counted = known && height >= (presented ? width + 190 : 260);
  const auto numbers_of = [&](float wide, bool with_hint, bool note) {
    return measured ? roles_figure(context, choice, *roles, *known, wide, presented || height < kNamed)
                    : numbers_figure(context, choice, *known, wide, with_hint, note);
  };
  const figures::Figure numbers = counted ? numbers_of(width - (measured ? 12 : 0), hint, !presented) : figures::Figure{};
  const float room = std::max(40.0f, height - used -
                                         (counted                 ? numbers.height
                                          : known || height < 260 ? 0
                                                                  : kNumbersHeight) -
                                         14);
  if (const auto pictures = grid_pictures(context, choice, shown.begin, shown.end)) {
    figures::GridInput input = grid_input(context, choice, *pictures, arrangement);
    input.bare = true;
    input.selected_layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
    input.selected_head = choice.head;
    input.hot_layer = context.hover.now.layer;
    input.hot_head = context.hover.now.head;
    draw_thumbnails(tab, std::move(input), arrangement, width, room);
  } else {
    ui::words(look, tr("making the thumbnails …"), look.theme.secondary);
  }
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY() + look.px(6), top + look.px(used)));
  if (counted) {
    const gl::Hit hit = context.figures.draw(numbers, "numbers");
    name_part(context, "heads:numbers");
    if (measured) roles_hit(tab, hit, numbers);
    figure_menu(context, "numbers menu", hit, [&] {
      figures::Figure figure = numbers_of(420, false, true);
      figure.background = context.theme.background;
      figure.title = head_title(choice, {0, choice.head});
      return figure;
    });
  }
}

}  // namespace headlight::panels
