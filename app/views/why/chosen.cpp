// What stands beside the graph: the chosen edge or vector, the word behind the last layers, and the other candidates.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/view.h"
#include "app/views/why/parts.h"
#include "engine/core/sorting.h"

namespace headlight::views::why {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

void open_edge(const Frame& frame, const InformationRoutes::Edge& edge, std::int64_t head) {
  open_attention(frame.scene.view, frame.shares->attentions[edge.attention].prefix, head, edge.query, edge.key);
}

// Heads by their part of the edge, the largest first.
std::vector<std::int64_t> by_share(const std::vector<float>& heads) {
  std::vector<std::int64_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  sort_stably(order, [&](std::int64_t a, std::int64_t b) {
    return heads[static_cast<std::size_t>(a)] > heads[static_cast<std::size_t>(b)];
  });
  return order;
}

Node heads_of(Sheet& sheet, const Shared& frame, const InformationRoutes::Edge& edge, const std::vector<float>& heads,
              const std::vector<std::int64_t>& order, Span wide) {
  figures::SignedBarsInput input;
  input.only_positive = true;
  input.mono = false;
  input.title = tr("By head");
  input.quiet = tr("a click opens it in Heads");
  for (const std::int64_t head : order) {
    const double share =
        static_cast<double>(heads[static_cast<std::size_t>(head)]) / std::max(1e-12, static_cast<double>(edge.share));
    input.rows.push_back({fill(tr("head {}"), {std::to_string(head)}), share, false, 0, figures::percent(share)});
  }
  const std::int64_t layer = frame->shares->attentions[edge.attention].layer;
  const auto follow = [frame, edge, order, layer](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != figures::Tag::row) return;
    const std::int64_t head = order[static_cast<std::size_t>(drawn.hit.tag.a)];
    frame->context().hover.next.layer = layer;
    frame->context().hover.next.head = head;
    say_at_mouse(frame->scene, fill(tr("head {}: a click opens it in Heads, with the cell pinned"), {std::to_string(head)}));
    if (drawn.hit.clicked) open_edge(*frame, edge, head);
  };
  Node node = bars(sheet, {.id = "heads", .hit = follow}, std::move(input), {.least = 2, .most = 4, .low = 22, .high = 22}, wide);
  // All four stay until the map has gone.
  node.forms.push_back(node.forms.front());
  node.forms.front().high = [high = node.forms.back().high](float width) { return Span(high(width).most); };
  node.rank = 2;
  node.stays = true;
  return node;
}

Node map_of(Sheet& sheet, const Shared& frame, const InformationRoutes::Edge& edge, std::int64_t head, Span wide) {
  const auto input =
      std::make_shared<const figures::RingedMapInput>(ringed_input(frame->context(), frame->place, *frame->shares, edge, head));
  Part part{.id = "map",
            .picture = [input](Size s, const Pen& pen) { return figures::ringed_map(*input, s.w, s.h, pen.theme, pen.measure); },
            .hit =
                [frame, edge, head](const Drawn& drawn) {
                  if (drawn.hit.hovered && drawn.hit.clicked) open_edge(*frame, edge, head);
                },
            .explains = tr("a click opens this head in Heads"),
            .paper = {420, 420},
            .on_paper = [input](Size s, const Pen& pen) { return figures::ringed_map(*input, s.w, 420, pen.theme, pen.measure); },
            .framed = true};
  Node column = Sheet::column("map column", {2, 4, 4},
                              {remark(sheet, "map title", fill(tr("head {}: where each token looks"), {std::to_string(head)}), 15,
                                      sheet.scene.pen.theme.text),
                               sheet.picture(std::move(part), wide, {90, 300, 300})});
  column.rank = 3;
  return column;
}

void add_edge(Sheet& sheet, const Shared& frame, const InformationRoutes::Edge& edge, Span wide, std::vector<Node>& all) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const std::string from = label_of(frame->place, *frame->shares, edge.from),
                    to = label_of(frame->place, *frame->shares, edge.to);
  const std::int64_t layer = frame->shares->attentions[edge.attention].layer;
  all.push_back(heading(sheet, "edge title", fill(tr("Layer {} hands {} to {}"), {std::to_string(layer), from, to})));
  all.push_back(remark(sheet, "edge share",
                       fill(tr("{} of what {} is after attention here comes from {}"),
                            {figures::percent(static_cast<double>(edge.share)), to, from}),
                       14, theme.text));
  const auto heads = heads_of_edge(frame->context(), frame->place, *frame->shares, edge);
  if (!heads) {
    all.push_back(remark(sheet, "heads waiting", tr("computing …"), 14, theme.secondary));
    return;
  }
  const std::vector<std::int64_t> order = by_share(*heads);
  all.push_back(heads_of(sheet, frame, edge, *heads, order, wide));
  if (!order.empty()) all.push_back(map_of(sheet, frame, edge, order.front(), wide));
}

// The summands of a vector behind a layer: what its attentions read, what was there before, the feed-forward part.
figures::SignedBarsInput parts_of(const Frame& frame, const InformationRoutes::Vector& one) {
  figures::SignedBarsInput input;
  input.only_positive = true;
  input.mono = false;
  input.title = tr("What it is made of");
  for (std::size_t i = frame.shares->attentions.size(); i-- > 0;) {
    const InformationShares::Attention& attention = frame.shares->attentions[i];
    if (attention.stack != one.at.stack || attention.layer != one.at.level - 1) continue;
    std::vector<std::pair<float, std::int64_t>> sources;
    for (std::int64_t key = 0; key < attention.keys; ++key) sources.emplace_back(attention.share(one.at.position, key), key);
    sort_stably(sources, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t s = 0; s < std::min<std::size_t>(5, sources.size()) && sources[s].first > 0; ++s) {
      const RouteVector from{attention.source, 0, sources[s].second};
      const auto share = static_cast<double>(sources[s].first);
      input.rows.push_back(
          {fill(tr("attention to {}"), {label_of(frame.place, *frame.shares, from)}), share, false, 0, figures::percent(share)});
    }
    const auto before = static_cast<double>(attention.before[static_cast<std::size_t>(one.at.position)]);
    input.rows.push_back({attention.is_cross() ? tr("what was there before the other text") : tr("what was there before"), before,
                          false, 0, figures::percent(before)});
  }
  const auto fed = static_cast<double>(one.feed_forward);
  input.rows.push_back({tr("feed-forward, of all"), fed, false, 0, figures::percent(fed)});
  return input;
}

// The words nearest to a vector, with their chances if the model ended there.
void add_near(Sheet& sheet, const Frame& frame, const std::vector<TokenCandidate>& near, Span wide, std::vector<Node>& all) {
  figures::SignedBarsInput input;
  input.only_positive = true;
  input.title = tr("Its nearest words");
  for (const TokenCandidate& one : near)
    input.rows.push_back({frame.place.word(one.token), one.probability, false, 0, figures::percent(one.probability)});
  const std::size_t rows = input.rows.size();
  Node words = bars(sheet, {.id = "near"}, std::move(input),
                    {.least = std::min<std::size_t>(3, rows), .most = rows, .low = 20, .high = 22}, wide);
  words.rank = 3;
  all.push_back(std::move(words));
}

void add_vector(Sheet& sheet, const Shared& frame, const InformationRoutes::Vector& one, Span wide, std::vector<Node>& all) {
  all.push_back(heading(sheet, "vector title", vector_words(frame->place, *frame->shares, one.at)));
  if (const auto near = words_near(frame->context(), frame->place, *frame->shares, one.at); near && !near->empty()) {
    const TokenCandidate& best = near->front();
    all.push_back(remark(sheet, "vector word",
                         fill(tr("If the model ended here it would say {}, with {}."),
                              {frame->place.word(best.token), figures::percent(best.probability)}),
                         14, sheet.scene.pen.theme.text));
    add_near(sheet, *frame, *near, wide, all);
  }
  if (one.at.level == 0) return;
  figures::SignedBarsInput input = parts_of(*frame, one);
  const std::size_t rows = input.rows.size();
  all.push_back(bars(sheet, {.id = "vector"}, std::move(input), {.least = rows, .most = rows, .low = 18, .high = 24}, wide));
  all.push_back(sheet.button({.id = "ledger",
                              .label = tr("open its ledger"),
                              .why = tr("Values: every vector that this layer added, one below the other"),
                              .press = [&view = sheet.scene.view, layer = one.at.level - 1, position = one.at.position] {
                                open_for(view, Offers::ledger);
                                view.layer = layer;
                                view.pinned_row = position;
                                view.pinned_column = -1;
                              }}));
}

// The chance of the word if the model ended behind each of the last layers, from layer `first` on.
figures::Figure lens_bars(const std::vector<double>& chances, std::int64_t first, float width, const Pen& of) {
  figures::Figure figure;
  const figures::Composer pen{figure, of.theme, of.measure};
  figure.width = width;
  figure.height = 74;
  figure.background = of.theme.background;
  const double largest = std::max(1e-9, *std::max_element(chances.begin(), chances.end()));
  const float pitch = width / static_cast<float>(chances.size());
  for (std::size_t i = 0; i < chances.size(); ++i) {
    const float high = std::max(1.0f, 52 * static_cast<float>(chances[i] / largest)), x = pitch * static_cast<float>(i);
    const std::int64_t layer = first + static_cast<std::int64_t>(i);
    pen.box({x + 2, 54 - high, pitch - 4, high}, i + 1 == chances.size() ? of.theme.selected : of.theme.line, {0, 0, 0, 0}, 0, 2,
            {figures::Tag::bar, layer});
    pen.text(x + pitch / 2, 64, std::to_string(layer), 12, Font::mono, of.theme.secondary, figures::Align::middle, pitch);
  }
  return figure;
}

void add_lens(Sheet& sheet, const Shared& frame, Span wide, std::vector<Node>& all) {
  const auto lens = lens_of(frame->context(), frame->place);
  if (!lens || frame->asked.word < 0 || lens->rows() == 0) return;
  constexpr std::int64_t kMost = 13;
  const std::int64_t first = std::max<std::int64_t>(0, lens->rows() - kMost);
  std::vector<double> chances;
  for (std::int64_t row = first; row < lens->rows(); ++row)
    chances.push_back(std::exp(lens->log_probability(row, frame->place.position, frame->asked.word)));
  const std::string title = tr("What the last layers make of it");
  Part part{.id = "lens",
            .picture = [chances, first](Size s, const Pen& pen) { return lens_bars(chances, first, s.w, pen); },
            .hit =
                [frame, chances, first](const Drawn& drawn) {
                  if (!drawn.hit.hovered || drawn.hit.tag.kind != figures::Tag::bar) return;
                  say_at_mouse(frame->scene,
                               fill(tr("if the model ended after {} layers: {}"),
                                    {std::to_string(drawn.hit.tag.a),
                                     figures::percent(chances[static_cast<std::size_t>(drawn.hit.tag.a - first)])}));
                },
            .paper = {420, 0},
            .framed = true,
            .caption = title};
  Node column = Sheet::column("lens column", {2, 6, 6},
                              {heading(sheet, "lens title", title, {fill(tr("chance of {}"), {frame->word()})}),
                               sheet.picture(std::move(part), wide, 74)});
  column.rank = 4;
  all.push_back(std::move(column));
}

void add_candidates(Sheet& sheet, const Shared& frame, Span wide, std::vector<Node>& all) {
  constexpr std::size_t kMost = 8;
  figures::SignedBarsInput input;
  input.only_positive = true;
  const auto& best = frame->words->best;
  for (std::size_t i = 0; i < std::min(kMost, best.size()); ++i) {
    input.rows.push_back(
        {frame->place.word(best[i].token), best[i].probability, false, 0, figures::percent(best[i].probability)});
    if (best[i].token == frame->asked.word) input.chosen = static_cast<std::int64_t>(i);
  }
  const auto follow = [frame](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != figures::Tag::row) return;
    const TokenCandidate& one = frame->words->best[static_cast<std::size_t>(drawn.hit.tag.a)];
    const bool same = one.token == frame->asked.word;
    say_at_mouse(frame->scene,
                 same ? tr("the word whose routes are shown")
                      : fill(tr("a click asks for {} instead of {}; the lines stay, since one vector says all words"),
                             {frame->place.word(one.token), frame->word()}));
    if (!drawn.hit.clicked || same) return;
    frame->state.over = frame->place.tokenizer().piece(frame->asked.word);
    frame->state.word = frame->place.tokenizer().piece(one.token);
  };
  const std::string title = tr("Instead it could have been");
  Node list = bars(sheet, {.id = "candidates", .hit = follow, .caption = title}, std::move(input),
                   {.least = 2, .most = kMost, .low = 24, .high = 24}, wide);
  all.push_back(Sheet::column("candidates column", {3, 8, 8},
                              {heading(sheet, "candidates title", title, {tr("a click asks for it instead")}), std::move(list)}));
}

}  // namespace

Node chosen_column(Sheet& sheet, const Shared& frame, Span wide) {
  std::vector<Node> all;
  const ShownRoutes& shown = frame->shown;
  if (shown.vector >= 0)
    add_vector(sheet, frame, shown.routes.vectors[static_cast<std::size_t>(shown.vector)], wide, all);
  else if (shown.edge >= 0)
    add_edge(sheet, frame, shown.routes.edges[static_cast<std::size_t>(shown.edge)], wide, all);
  else
    all.push_back(remark(sheet, "no edge", tr("No token hands on so large a share: lower it to see more."), 14,
                         sheet.scene.pen.theme.secondary));
  if (frame->words) {
    add_lens(sheet, frame, wide, all);
    add_candidates(sheet, frame, wide, all);
  }
  Node column = Sheet::column("chosen column", {3, 8, 8}, std::move(all));
  column.wide = wide;
  return column;
}

}  // namespace headlight::views::why
