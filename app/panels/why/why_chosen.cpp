// What stands beside the graph: the chosen edge or vector, the word behind the last layers, and the other candidates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/figures/base/compose.h"
#include "app/figures/next_word/next_word_figures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/why/why_tab.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

void open_edge(const WhyTab& tab, const InformationRoutes::Edge& edge, std::int64_t head) {
  open_in_heads(tab.context.view, tab.shares.attentions[edge.attention].prefix, head, edge.query, edge.key);
}

gl::Hit draw_figure(const WhyTab& tab, figures::Figure figure, const char* id, const char* part) {
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, id);
  name_part(tab.context, part);
  return hit;
}

void draw_edge_card(const WhyTab& tab, const InformationRoutes::Edge& edge, float width, float height) {
  const InformationShares::Attention& attention = tab.shares.attentions[edge.attention];
  const std::string from = label_of(tab.place, tab.shares, edge.from), to = label_of(tab.place, tab.shares, edge.to);
  const float top = ImGui::GetCursorScreenPos().y;
  draw_heading(tab.look, fill(tr("Layer {} hands {} to {}"), {std::to_string(attention.layer), from, to}), "", width);
  ui::words(tab.look,
            fill(tr("{} of what {} is after attention here comes from {}"),
                 {figures::percent(static_cast<double>(edge.share)), to, from}),
            tab.look.theme.text, 14);
  const auto heads = heads_of_edge(tab.context, tab.place, tab.shares, edge);
  if (!heads) {
    ui::words(tab.look, tr("computing …"), tab.look.theme.secondary, 14);
    return;
  }
  std::vector<std::int64_t> order(heads->size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return (*heads)[static_cast<std::size_t>(a)] > (*heads)[static_cast<std::size_t>(b)];
  });
  figures::SignedBarsInput bars;
  bars.only_positive = true;
  bars.mono = false;
  bars.title = tr("By head");
  bars.quiet = tr("a click opens it in Heads");
  bars.row_height = 22;
  const std::size_t most = height < 360 ? 2 : 4;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const double share =
        static_cast<double>((*heads)[static_cast<std::size_t>(order[i])]) / std::max(1e-12, static_cast<double>(edge.share));
    bars.rows.push_back({fill(tr("head {}"), {std::to_string(order[i])}), share, false, 0, figures::percent(share)});
  }
  const gl::Hit hit =
      draw_figure(tab, figures::signed_bars(bars, width, tab.look.theme, tab.context.measure), "edge heads", "why:heads");
  if (hit.hovered && hit.tag.kind == figures::Tag::row) {
    const std::int64_t head = order[static_cast<std::size_t>(hit.tag.a)];
    tab.context.hover.next.layer = attention.layer;
    tab.context.hover.next.head = head;
    ui::tooltip(tab.look, fill(tr("head {}: a click opens it in Heads, with the cell pinned"), {std::to_string(head)}));
    if (hit.clicked) open_edge(tab, edge, head);
  }
  figure_menu(tab.context, "edge heads menu", hit, [&] {
    return figures::framed(figures::signed_bars(bars, 420, tab.look.theme, tab.context.measure), "", 12, tab.look.theme);
  });
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale - 30;
  if (left < 90 || order.empty()) return;
  figures::RingedMapInput map = ringed_input(tab.context, tab.place, tab.shares, edge, order.front());
  ui::words(tab.look, fill(tr("head {}: where each token looks"), {std::to_string(order.front())}), tab.look.theme.text, 15);
  const gl::Hit at = draw_figure(
      tab, figures::ringed_map(map, width, std::min(left, 300.0f), tab.look.theme, tab.context.measure), "edge map", "why:map");
  if (at.hovered) ui::tooltip(tab.look, tr("a click opens this head in Heads"));
  if (at.hovered && at.clicked) open_edge(tab, edge, order.front());
  figure_menu(tab.context, "edge map menu", at, [&] {
    return figures::framed(figures::ringed_map(map, 420, 420, tab.look.theme, tab.context.measure), "", 12, tab.look.theme);
  });
}

void draw_vector_card(const WhyTab& tab, const InformationRoutes::Vector& one, float width) {
  const std::string label = label_of(tab.place, tab.shares, one.at);
  draw_heading(tab.look,
               one.at.level == 0 ? fill(tr("The embedding of {}"), {label})
                                 : fill(tr("{} after {} layers"), {label, std::to_string(one.at.level)}),
               "", width);
  if (const auto lens = one.at.stack + 1 == tab.shares.stacks.size() ? why_lens(tab.context, tab.place) : nullptr;
      lens && one.at.level < lens->rows() && one.at.position < lens->positions()) {
    const std::int64_t at = one.at.level * lens->positions() + one.at.position;
    ui::words(tab.look,
              fill(tr("If the model ended here it would say {}, with {}."),
                   {tab.place.word(lens->token.data<std::int32_t>()[at]),
                    figures::percent(static_cast<double>(lens->probability.data<float>()[at]))}),
              tab.look.theme.text, 14);
  }
  if (one.at.level == 0) return;
  figures::SignedBarsInput bars;
  bars.only_positive = true;
  bars.mono = false;
  bars.title = tr("What it is made of");
  const std::int64_t layer = one.at.level - 1;
  for (std::size_t i = tab.shares.attentions.size(); i-- > 0;) {
    const InformationShares::Attention& attention = tab.shares.attentions[i];
    if (attention.stack != one.at.stack || attention.layer != layer) continue;
    const std::string which = attention.is_cross() ? tr("the other text") : std::string();
    std::vector<std::pair<float, std::int64_t>> sources;
    for (std::int64_t key = 0; key < attention.keys; ++key) sources.emplace_back(attention.share(one.at.position, key), key);
    std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t s = 0; s < std::min<std::size_t>(5, sources.size()); ++s) {
      const RouteVector from{attention.source, 0, sources[s].second};
      const auto share = static_cast<double>(sources[s].first);
      bars.rows.push_back(
          {fill(tr("attention to {}"), {label_of(tab.place, tab.shares, from)}), share, false, 0, figures::percent(share)});
    }
    const auto before = static_cast<double>(attention.before[static_cast<std::size_t>(one.at.position)]);
    bars.rows.push_back({which.empty() ? tr("what was there before") : tr("what was there before the other text"), before, false,
                         0, figures::percent(before)});
  }
  const auto fed = static_cast<double>(one.feed_forward);
  bars.rows.push_back({tr("the feed-forward part, of all"), fed, false, 0, figures::percent(fed)});
  draw_figure(tab, figures::signed_bars(bars, width, tab.look.theme, tab.context.measure), "vector parts", "why:vector");
  if (ui::button(tab.look, ui::labelled(tr("open its ledger"), "ledger").c_str(), 0, 30)) {
    ViewState& view = tab.context.view;
    view.tab = "values";
    view.layer = layer;
    view.pinned_row = one.at.position;
    view.pinned_column = -1;
  }
  ui::tooltip(tab.look, tr("Values: every vector that this layer added, one below the other"));
  name_part(tab.context, "why:ledger");
}

}  // namespace

void draw_why_chosen(const WhyTab& tab, float width, float height) {
  if (tab.shown.vector >= 0) {
    draw_vector_card(tab, tab.shown.routes.vectors[static_cast<std::size_t>(tab.shown.vector)], width);
    return;
  }
  if (tab.shown.edge >= 0) {
    draw_edge_card(tab, tab.shown.routes.edges[static_cast<std::size_t>(tab.shown.edge)], width, height);
    return;
  }
  ui::words(tab.look, tr("No token hands on so large a share: lower it to see more."), tab.look.theme.secondary, 14);
}

void draw_why_lens(const WhyTab& tab, float width) {
  const auto lens = why_lens(tab.context, tab.place);
  if (!lens || tab.choice.word < 0) return;
  constexpr std::int64_t kMost = 13;
  const std::int64_t first = std::max<std::int64_t>(0, lens->rows() - kMost), shown = lens->rows() - first;
  figures::Figure figure;
  const figures::Composer pen{figure, tab.look.theme, tab.context.measure};
  figure.width = width;
  figure.height = 74;
  std::vector<double> chances;
  for (std::int64_t row = first; row < lens->rows(); ++row)
    chances.push_back(std::exp(lens->log_probability(row, tab.place.position, tab.choice.word)));
  const double largest = std::max(1e-9, *std::max_element(chances.begin(), chances.end()));
  const float pitch = width / static_cast<float>(shown);
  for (std::int64_t i = 0; i < shown; ++i) {
    const float high = std::max(1.0f, 52 * static_cast<float>(chances[static_cast<std::size_t>(i)] / largest));
    const bool last = i + 1 == shown;
    pen.box({pitch * static_cast<float>(i) + 2, 54 - high, pitch - 4, high}, last ? tab.look.theme.selected : tab.look.theme.line,
            {0, 0, 0, 0}, 0, 2, {figures::Tag::bar, first + i});
    pen.text(pitch * (static_cast<float>(i) + 0.5f), 64, std::to_string(first + i), 12, Font::mono, tab.look.theme.secondary,
             figures::Align::middle, pitch);
  }
  draw_heading(tab.look, tr("What the last layers make of it"), fill(tr("chance of {}"), {tab.place.word(tab.choice.word)}),
               width);
  const gl::Hit hit = draw_figure(tab, std::move(figure), "why lens", "why:lens");
  if (hit.hovered && hit.tag.kind == figures::Tag::bar)
    ui::tooltip(tab.look,
                fill(tr("if the model ended after {} layers: {}"),
                     {std::to_string(hit.tag.a), figures::percent(chances[static_cast<std::size_t>(hit.tag.a - first)])}));
}

void draw_why_candidates(const WhyTab& tab, float width, std::size_t most) {
  figures::SignedBarsInput bars;
  bars.only_positive = true;
  bars.row_height = 24;
  for (std::size_t i = 0; i < std::min(most, tab.words->best.size()); ++i) {
    const TokenCandidate& one = tab.words->best[i];
    bars.rows.push_back({tab.place.word(one.token), one.probability, false, 0, figures::percent(one.probability)});
    if (one.token == tab.choice.word) bars.chosen = static_cast<std::int64_t>(i);
  }
  draw_heading(tab.look, tr("Instead it could have been"), tr("a click: what speaks against it"), width);
  const gl::Hit hit =
      draw_figure(tab, figures::signed_bars(bars, width, tab.look.theme, tab.context.measure), "candidates", "why:candidates");
  if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
  const TokenCandidate& one = tab.words->best[static_cast<std::size_t>(hit.tag.a)];
  const bool same = one.token == tab.choice.word;
  ui::tooltip(tab.look,
              same ? tr("the word whose routes are shown")
                   : fill(tr("what speaks for {} over {}"), {tab.place.word(tab.choice.word), tab.place.word(one.token)}));
  if (!hit.clicked || same) return;
  tab.context.view.why.over = tab.place.tokenizer().piece(one.token);
  tab.context.view.why.page = "difference";
}

}  // namespace headlight::panels
