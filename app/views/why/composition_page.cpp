// Which heads read what earlier heads write: composition, told from the weights alone.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/why/parts.h"

namespace headlight::views::why {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

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

// The pairs of the shown kind, the strongest first.
struct Pairs {
  std::shared_ptr<const HeadComposition> made;
  std::vector<HeadComposition::Pair> all;
};

// The pair under the mouse is lit in both pictures, and a click opens its later head.
void follow_pair(const Frame& frame, const Pairs& pairs, const gl::Hit& hit, figures::Tag::Kind kind) {
  if (!hit.hovered || hit.tag.kind != kind) return;
  const HeadComposition::Pair& pair = pairs.all[static_cast<std::size_t>(hit.tag.a)];
  const HeadComposition::Head& to = pairs.made->heads[pair.to];
  frame.own->hot_next = hit.tag.a;
  say_at_mouse(frame.scene, fill(tr("{} writes what {} reads: {}, by chance {}; a click opens {} in Heads"),
                                 {name_of_head(pairs.made->heads[pair.from]), name_of_head(to), three_decimals(pair.strength),
                                  three_decimals(pairs.made->chance), name_of_head(to)}));
  if (hit.clicked) open_attention(frame.scene.view, to.prefix, to.head, -1, -1);
}

Node graph_of(Sheet& sheet, const Shared& frame, const std::shared_ptr<const Pairs>& pairs, std::int64_t hot) {
  const HeadComposition::Kind kind = composition_kind(frame->context());
  Part part{.id = "composition",
            .picture =
                [pairs, kind, hot](Size s, const Pen& pen) {
                  figures::CompositionInput input = composition_input(*pairs->made, kind);
                  input.hot = hot;
                  return figures::composition_graph(input, s.w, s.h, pen.theme, pen.measure);
                },
            .of = sheet.scene.made_of<struct CompositionOf>(pairs->made, kind, hot),
            .hit = [frame, pairs](const Drawn& drawn) { follow_pair(*frame, *pairs, drawn.hit, figures::Tag::link); },
            .paper = {860, 520},
            .on_paper = [frame](Size s, const Pen&) { return composition_figure(frame->context(), frame->place, s.w, 520); }};
  return sheet.picture(std::move(part), {400, 640, kAny}, {200, 420, kAny});
}

// What stands in place of the pictures: how far it is, or what went wrong.
Node waiting_for_pairs(Sheet& sheet, const Frame& frame, const std::string& error) {
  const Progress& progress = *frame.own->composing;
  if (progress.total == 0) return waiting(sheet, error);
  return waiting(sheet, error, fill(tr("computing … {} of {}"), {std::to_string(progress.done), std::to_string(progress.total)}));
}

}  // namespace

Node composition_page(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {
      heading(sheet, "composition title", tr("Heads that feed heads"), {tr("from the weights alone, for any text")})};
  std::string error;
  const auto made = composition_of(frame->context(), frame->place, &error, frame->own->composing);
  const auto pairs = std::make_shared<Pairs>(Pairs{made, {}});
  if (made) pairs->all = made->strongest(composition_kind(frame->context()), kMostLines);
  if (pairs->all.empty()) {
    all.push_back(made ? sheet.notice(tr("A model of one layer has no later heads."), sheet.scene.pen.theme.secondary)
                       : waiting_for_pairs(sheet, *frame, error));
    return Sheet::column("composition page", {2, 8, 8}, std::move(all));
  }
  const std::int64_t hot =
      frame->own->hot_edge < static_cast<std::int64_t>(pairs->all.size()) ? frame->own->hot_edge : std::int64_t{-1};
  Node graph = Sheet::column("composition column", 0, {graph_of(sheet, frame, pairs, hot)});
  graph.scrolls = true;
  figures::SignedBarsInput input = strongest_input(*made, pairs->all, 16);
  input.hot = hot;
  const auto follow = [frame, pairs](const Drawn& drawn) { follow_pair(*frame, *pairs, drawn.hit, figures::Tag::row); };
  const float list = std::floor(std::max(640.0f, sheet.scene.room.w) * 0.32f);
  Node strongest = bars(sheet, {.id = "pairs", .hit = follow}, std::move(input), {.least = 4, .most = 16, .low = 24, .high = 24},
                        {205, list, list});
  strongest.rank = 1;
  strongest.below = true;
  all.push_back(Sheet::row("composition and pairs", 24, {std::move(graph), std::move(strongest)}));
  return Sheet::column("composition page", {2, 8, 8}, std::move(all));
}

figures::Figure composition_figure(const Context& context, const Place& place, float width, float height) {
  const auto made = composition_of(context, place, nullptr);
  if (!made || made->strongest(composition_kind(context), 1).empty()) return {};
  figures::CompositionInput input = composition_input(*made, composition_kind(context));
  input.title = tr("Heads that feed heads");
  return figures::composition_graph(input, width, height, context.theme, context.measure);
}

}  // namespace headlight::views::why
