// Which heads read what earlier heads write: composition, told from the weights alone.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/growing_column.h"
#include "app/panels/why/why_tab.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr std::size_t kMostLines = 40;

std::string name_of_head(const HeadComposition::Head& head) {
  return "L" + std::to_string(head.layer) + " H" + std::to_string(head.head);
}

std::string three_decimals(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", v);
  return text;
}

figures::CompositionInput composition_input(const HeadComposition& made, HeadComposition::Kind kind) {
  figures::CompositionInput input;
  input.chance = made.chance;
  for (const HeadComposition::Head& head : made.heads) {
    input.layers = std::max(input.layers, head.layer + 1);
    input.heads = std::max(input.heads, head.head + 1);
  }
  for (const HeadComposition::Pair& pair : made.strongest(kind, kMostLines)) {
    const HeadComposition::Head &from = made.heads[pair.from], &to = made.heads[pair.to];
    input.lines.push_back({from.layer, from.head, to.layer, to.head, pair.strength});
  }
  return input;
}

figures::SignedBarsInput strongest_input(const HeadComposition& made, const std::vector<HeadComposition::Pair>& pairs,
                                         std::size_t most) {
  figures::SignedBarsInput bars;
  bars.only_positive = true;
  bars.title = tr("The strongest");
  bars.quiet = fill(tr("by chance {}"), {three_decimals(made.chance)});
  for (std::size_t i = 0; i < std::min(most, pairs.size()); ++i)
    bars.rows.push_back({name_of_head(made.heads[pairs[i].from]) + " → " + name_of_head(made.heads[pairs[i].to]),
                         pairs[i].strength, false, 0, three_decimals(pairs[i].strength)});
  bars.second_title = tr("|W_OV W_QK| by |W_OV| |W_QK|, norms folded in; positions are left out (Elhage et al. 2021)");
  return bars;
}

// The pair under the mouse is lit in both pictures, and a click opens its later head.
void point_at_pair(const WhyTab& tab, const HeadComposition& made, const HeadComposition::Pair& pair, std::int64_t at,
                   bool clicked) {
  const HeadComposition::Head& to = made.heads[pair.to];
  tab.own.hot_next = at;
  ui::tooltip(tab.look, fill(tr("{} writes what {} reads: {}, by chance {}; a click opens {} in Heads"),
                             {name_of_head(made.heads[pair.from]), name_of_head(to), three_decimals(pair.strength),
                              three_decimals(made.chance), name_of_head(to)}));
  if (clicked) open_in_heads(tab.context.view, to.prefix, to.head, -1, -1);
}

}  // namespace

void draw_why_composition(const WhyTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  if (!tab.context.view.presentation) {
    const char* const labels[] = {tr("queries"), tr("keys"), tr("values")};
    const int clicked = ui::segmented(tab.look, "composes", labels, 3, static_cast<int>(composition_kind(tab.context)),
                                      tr("What of the later head is made from what the earlier one writes"));
    if (clicked >= 0) tab.context.view.why.composes = clicked == 0 ? "queries" : clicked == 1 ? "keys" : "values";
    name_part(tab.context, "why:composes");
  }
  draw_heading(tab.look, tr("Heads that feed heads"), tr("from the weights alone, for any text"), width);
  std::string error;
  const auto made = composition_of(tab.context, tab.place, &error, tab.own.composing);
  if (!made) {
    const std::int64_t all = tab.own.composing->total;
    const std::string waiting =
        all > 0 ? fill(tr("computing … {} of {}"), {std::to_string(tab.own.composing->done), std::to_string(all)})
                : std::string(tr("computing …"));
    if (error.empty() && tab.context.frame_in) tab.context.frame_in(0.1);
    ui::words(tab.look, error.empty() ? waiting : error, error.empty() ? tab.look.theme.secondary : tab.look.theme.wrong, 15);
    return;
  }
  const std::vector<HeadComposition::Pair> pairs = made->strongest(composition_kind(tab.context), kMostLines);
  if (pairs.empty()) {
    ui::words(tab.look, tr("A model of one layer has no later heads."), tab.look.theme.secondary, 15);
    return;
  }
  const std::int64_t hot = tab.own.hot_edge < static_cast<std::int64_t>(pairs.size()) ? tab.own.hot_edge : -1;
  const bool beside = width >= 640;
  const float list = beside ? std::floor(width * 0.32f) : width, graph = beside ? width - list - 24 : width,
              high = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale;
  const auto draw_one = [&](figures::Figure figure, const char* id, const char* part, figures::Tag::Kind kind,
                            FunctionRef<figures::Figure()> paper) {
    figure.background.a = 0;
    const gl::Hit hit = tab.context.figures.draw(figure, id);
    name_part(tab.context, part);
    figure_menu(tab.context, (std::string(id) + " menu").c_str(), hit, paper);
    if (hit.hovered && hit.tag.kind == kind)
      point_at_pair(tab, *made, pairs[static_cast<std::size_t>(hit.tag.a)], hit.tag.a, hit.clicked);
  };
  growing_column("graph", tab.look, graph, [&] {
    figures::CompositionInput input = composition_input(*made, composition_kind(tab.context));
    input.hot = hot;
    draw_one(figures::composition_graph(input, graph, std::max(220.0f, (beside ? high : high * 0.6f) - 8), tab.look.theme,
                                        tab.context.measure),
             "composition", "why:composition", figures::Tag::link,
             [&] { return composition_figure(tab.context, tab.place, 860, 520); });
  });
  if (beside) ImGui::SameLine(0, tab.look.px(24));
  growing_column("pairs", tab.look, list, [&] {
    figures::SignedBarsInput bars =
        strongest_input(*made, pairs, static_cast<std::size_t>(std::clamp((high - 120) / 24, 4.0f, 16.0f)));
    bars.hot = hot;
    draw_one(figures::signed_bars(bars, list, tab.look.theme, tab.context.measure), "pairs", "why:pairs", figures::Tag::row, [&] {
      return figures::framed(figures::signed_bars(strongest_input(*made, pairs, 16), 420, tab.look.theme, tab.context.measure),
                             "", 12, tab.look.theme);
    });
  });
}

figures::Figure composition_figure(const Context& context, const WhyPlace& place, float width, float height) {
  const auto made = composition_of(context, place, nullptr);
  if (!made || made->strongest(composition_kind(context), 1).empty()) return {};
  figures::CompositionInput input = composition_input(*made, composition_kind(context));
  input.title = tr("Heads that feed heads");
  return figures::composition_graph(input, width, height, context.theme, context.measure);
}

}  // namespace headlight::panels
