#include "app/views/heads/choosing.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "app/figures/explanation/role_words.h"
#include "engine/core/sorting.h"

namespace headlight::views::heads {

bool is_pinned(const ViewState& view, HeadRef head) {
  return std::find(view.chosen_heads.begin(), view.chosen_heads.end(), head) != view.chosen_heads.end();
}

std::vector<HeadRef> shown_heads(const ViewState& view, std::int64_t layers, std::int64_t heads) {
  std::vector<HeadRef> shown;
  const auto there = [&](HeadRef h) { return h.layer >= 0 && h.head >= 0 && h.layer < layers && h.head < heads; };
  for (const HeadRef& head : view.chosen_heads)
    if (there(head) && std::find(shown.begin(), shown.end(), head) == shown.end()) shown.push_back(head);
  const HeadRef current{std::clamp<std::int64_t>(view.layer, 0, std::max<std::int64_t>(0, layers - 1)),
                        std::clamp<std::int64_t>(view.head, 0, std::max<std::int64_t>(0, heads - 1))};
  if (std::find(shown.begin(), shown.end(), current) == shown.end()) shown.push_back(current);
  return shown;
}

HeadClick click_head(ViewState& view, HeadRef head, std::int64_t layers, std::int64_t heads) {
  if (view.layer != head.layer || view.head != head.head) {
    view.layer = head.layer;
    view.head = head.head;
    return HeadClick::previewed;
  }
  const auto at = std::find(view.chosen_heads.begin(), view.chosen_heads.end(), head);
  if (at == view.chosen_heads.end()) {
    view.chosen_heads.push_back(head);
    return HeadClick::pinned;
  }
  if (shown_heads(view, layers, heads).size() < 2) return HeadClick::last;
  view.chosen_heads.erase(at);
  // Another pinned head becomes the current one, so that the released head is not shown as a preview at once. Heads that this
  // model does not have are skipped.
  for (auto other = view.chosen_heads.rbegin(); other != view.chosen_heads.rend(); ++other)
    if (other->layer < layers && other->head < heads) {
      view.layer = other->layer;
      view.head = other->head;
      break;
    }
  return HeadClick::released;
}

void solo_head(ViewState& view, HeadRef head) {
  view.chosen_heads.clear();
  view.layer = head.layer;
  view.head = head.head;
}

Arrangement arrange_heads(const std::vector<HeadStatistics>& statistics, const std::string& order, const std::string& filter,
                          std::span<const std::optional<HeadRole>> roles, std::span<const std::optional<double>> weights) {
  Arrangement a;
  const bool by_cells = order == "cells" && weights.size() == statistics.size();
  const bool known = roles.size() == statistics.size();
  const HeadPattern* const wanted = role_of_filter(filter);
  a.total = static_cast<std::int64_t>(statistics.size());
  a.ordered = order == "entropy" || order == "distance" || order == "pattern" || (order == "role" && known) || by_cells;
  a.faint.resize(statistics.size());
  a.marks.resize(statistics.size());
  const auto passes = [&](std::size_t i) {
    if (wanted) return !known || (roles[i] && roles[i]->pattern == *wanted);
    return filter.empty() || statistics[i].pattern == filter;
  };
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const HeadStatistics& s = statistics[i];
    a.faint[i] = !passes(i);
    a.shown += passes(i);
    if (a.ordered && passes(i)) a.order.push_back(static_cast<std::int64_t>(i));
    char text[24] = "";
    if (s.rows > 0 && order == "entropy") std::snprintf(text, sizeof text, "%.2f", s.entropy);
    if (s.rows > 0 && order == "distance") std::snprintf(text, sizeof text, "%.1f", s.distance);
    if (s.rows > 0 && order == "pattern") std::snprintf(text, sizeof text, "%.2f", s.score);
    if (order == "role" && known && roles[i]) std::snprintf(text, sizeof text, "%.2f", roles[i]->score);
    if (by_cells && weights[i]) std::snprintf(text, sizeof text, "%.2f", *weights[i]);
    a.marks[i] = text;
  }
  const auto of = [&](std::int64_t i) -> const HeadStatistics& { return statistics[static_cast<std::size_t>(i)]; };
  sort_stably(a.order, [&](std::int64_t i, std::int64_t j) {
    const HeadStatistics &x = of(i), &y = of(j);
    if (order == "role") {
      const auto &r = roles[static_cast<std::size_t>(i)], &s = roles[static_cast<std::size_t>(j)];
      if (!r || !s) return r.has_value() > s.has_value();
      return r->pattern != s->pattern ? r->pattern < s->pattern : r->score > s->score;
    }
    if (by_cells) return weights[static_cast<std::size_t>(i)] > weights[static_cast<std::size_t>(j)];  // none is the least
    if ((x.rows > 0) != (y.rows > 0)) return x.rows > 0;  // heads without statistics come last
    if (order == "entropy") return x.entropy < y.entropy;
    if (order == "distance") return x.distance < y.distance;
    if (x.pattern != y.pattern) return x.pattern < y.pattern;
    return x.score > y.score;
  });
  if (a.ordered) std::fill(a.faint.begin(), a.faint.end(), std::uint8_t{0});  // the others are not shown, so none is faint
  return a;
}

std::vector<std::pair<std::string, std::int64_t>> patterns_of(const std::vector<HeadStatistics>& statistics) {
  std::map<std::string, std::int64_t> counts;
  for (const HeadStatistics& s : statistics)
    if (!s.pattern.empty()) ++counts[s.pattern];
  std::vector<std::pair<std::string, std::int64_t>> list(counts.begin(), counts.end());
  sort_stably(list, [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

}  // namespace headlight::views::heads
