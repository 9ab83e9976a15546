// The graph of routes, and what a click in it chooses.
#include <algorithm>
#include <cmath>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/why/parts.h"
#include "engine/core/byte_words.h"

namespace headlight::views::why {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 24, kBeside = 780, kScrollBar = 14;
constexpr float kLeastGraph = 200, kWishedGraph = 420;

// What stands beside the graph wishes its share of the room, and the graph all the rest. Below the graph it has the whole width.
float wished_beside(const Scene& scene) { return std::floor((std::max(kBeside, scene.room.w - kScrollBar) - kGap) * 0.36f); }
float wished_graph(const Scene& scene) { return std::max(kBeside, scene.room.w - kScrollBar) - kGap - wished_beside(scene); }

std::string edge_words(const Frame& frame, const InformationRoutes::Edge& edge) {
  const InformationShares::Attention& attention = frame.shares->attentions[edge.attention];
  return fill(tr("layer {}: {} of {} comes from {}"),
              {std::to_string(attention.layer), figures::percent(static_cast<double>(edge.share)),
               label_of(frame.place, *frame.shares, edge.to), label_of(frame.place, *frame.shares, edge.from)});
}

// "·wild, ·in, ·the": empty while they are computed, and where the model has none there.
std::string near_words(const Frame& frame, const RouteVector& at) {
  std::string near;
  if (const auto words = words_near(frame.context(), frame.place, *frame.shares, at))
    for (const TokenCandidate& one : *words) near += (near.empty() ? "" : ", ") + frame.place.word(one.token);
  return near;
}

void choose_edge(const Frame& frame, const InformationRoutes::Edge& edge) {
  const InformationShares::Attention& attention = frame.shares->attentions[edge.attention];
  frame.state.layer = attention.layer;
  frame.state.cross = attention.is_cross();
  frame.state.query = edge.query;
  frame.state.key = edge.key;
  frame.state.level = frame.state.at = -1;
}

void follow(const Frame& frame, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.a < 0) return;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  const InformationRoutes& routes = frame.shown.routes;
  if (hit.tag.kind == figures::Tag::link && at < routes.edges.size()) {
    const InformationRoutes::Edge& edge = routes.edges[at];
    frame.own->hot_next = hit.tag.a;
    frame.context().hover.next.row = edge.query;
    frame.context().hover.next.column = edge.key;
    say_at_mouse(frame.scene, edge_words(frame, edge));
    if (hit.clicked) choose_edge(frame, edge);
  }
  if (hit.tag.kind == figures::Tag::token && at < routes.vectors.size()) {
    const InformationRoutes::Vector& one = routes.vectors[at];
    frame.own->hot_vector_next = hit.tag.a;
    const bool reads = frame.shares->stacks.size() > 1 && one.at.stack == 0;
    (reads ? frame.context().hover.next.column : frame.context().hover.next.row) = one.at.position;
    std::string what = vector_words(frame.place, *frame.shares, one.at);
    if (one.at.level > 0) what += tr("; a click tells what it is made of");
    const std::string near = near_words(frame, one.at);
    say_at_mouse(frame.scene, near.empty() ? what : what + "\n" + fill(tr("nearest words: {}"), {near}));
    if (!hit.clicked) return;
    frame.state.level = one.at.level;
    frame.state.at = column_of(frame.place, *frame.shares, one.at);
  }
}

std::vector<std::string> remarks_of(const Frame& frame) {
  const InformationRoutes& routes = frame.shown.routes;
  const std::string count = std::to_string(routes.edges.size());
  std::vector<std::string> remarks = {
      fill(tr("a line is what one token hands to another; its width is its share; {} lines"), {count}),
      fill(tr("{} lines"), {count})};
  if (frame.state.without_first)
    remarks.front() = fill(tr("{} lines, without {} from the first token, of up to {}"),
                           {count, std::to_string(routes.hidden), figures::percent(static_cast<double>(routes.hidden_most))});
  return remarks;
}

// Below the graph: what a share is, and what it costs. Shares of a text that was changed since are still shown.
std::string sums_words(const Frame& frame) {
  const InformationShares& shares = *frame.shares;
  if (frame.place.trace != frame.context().trace) {
    if (frame.context().frame_in) frame.context().frame_in(0.1);
    return sharing_words(*frame.own->sharing, shares.computed_in);
  }
  return fill(tr("shares add up to 1, checked; norms folded in (Ferrando and Voita 2024); {} kept, {} more while computed"),
              {byte_words(static_cast<double>(shares.bytes())), byte_words(static_cast<double>(shares.computed_in))});
}

Node graph(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  const std::int64_t level =
      frame->own->playing_since < 0 ? -1 : static_cast<std::int64_t>((context.now - frame->own->playing_since) / 0.15);
  Part part{.id = "routes",
            .picture =
                [frame, level](Size s, const Pen& pen) {
                  figures::RouteGraphInput input =
                      graph_input(frame->context(), frame->place, *frame->shares, frame->shown, frame->words.get());
                  input.hot_edge = frame->own->hot_edge;
                  input.hot_vector = frame->own->hot_vector;
                  input.shown_level = level;
                  return figures::route_graph(input, s.w, s.h, pen.theme, pen.measure);
                },
            .of = graph_key<struct RoutesOf>(*frame, frame->shown.edge, frame->shown.vector, level),
            .hit = [frame](const Drawn& drawn) { follow(*frame, drawn.hit); },
            .paper = {900, 560},
            .on_paper = [frame](Size s, const Pen&) { return routes_figure(frame->context(), frame->place, s.w, 560); }};
  return sheet.picture(std::move(part), {kBeside * 0.5f, wished_graph(sheet.scene), kAny}, {kLeastGraph, kWishedGraph, kAny});
}

}  // namespace

Node routes_page(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const InformationShares& shares = *frame->shares;
  const bool adds_up = shares.adds_up();
  std::vector<Node> left = {
      heading(sheet, "routes title",
              frame->words ? tr("From the answer back to the words") : tr("From the vector back to the words"),
              remarks_of(*frame)),
      graph(sheet, frame)};
  left.push_back(remark(
      sheet, "sums",
      adds_up ? sums_words(*frame) : fill(tr("the parts differ from the vectors by up to {}"), {short_number(shares.difference)}),
      13, adds_up ? theme.secondary : theme.wrong, 5));
  Node routes = Sheet::column("routes column", {2, 8, 8}, std::move(left));
  routes.scrolls = true;
  Node chosen = chosen_column(sheet, frame, {std::floor((kBeside - kGap) * 0.36f), wished_beside(sheet.scene), kAny});
  chosen.rank = 1;
  chosen.below = true;
  return Sheet::row("routes page", kGap, {std::move(routes), std::move(chosen)});
}

figures::Figure routes_figure(const Context& context, const Place& place, float width, float height) {
  const auto shares = shares_of(context, place, nullptr);
  if (!shares) return {};
  const auto words = words_behind(context, place);
  const ShownRoutes shown = shown_routes(context, place, *shares);
  figures::RouteGraphInput input = graph_input(context, place, *shares, shown, words.get());
  input.chosen_edge = input.chosen_vector = -1;
  input.title = words ? tr("From the answer back to the words") : tr("From the vector back to the words");
  figures::Figure figure = figures::route_graph(input, width, height, context.theme, context.measure);
  if (state_of(context).without_first)
    figure.remarks.push_back(
        fill(tr("{} lines from the first token are left out, of up to {}"),
             {std::to_string(shown.routes.hidden), figures::percent(static_cast<double>(shown.routes.hidden_most))}));
  return figure;
}

}  // namespace headlight::views::why
