// The choice and the order of the shown heads: the effects of clicks on the thumbnails, and sorting and filtering by statistics.
// No window is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/session/view_state.h"
#include "app/views/heads/state.h"
#include "engine/insight/found_roles.h"
#include "engine/insight/head_statistics.h"

namespace headlight::views::heads {

// The view's own state: own(view).picture is "dots".
inline State& own(ViewState& view) { return view.own.of<State>(); }
inline const State& own(const ViewState& view) { return view.own.of<State>(); }

// The heads that are shown together, of `layers` layers with `heads` heads each: the pinned heads that the model has, in the
// order of pinning, then the current head, as a preview unless it is pinned. Never empty.
// shown_heads(view, 2, 4) gives {{1, 2}, {0, 3}} with the head {1, 2} pinned and {0, 3} clicked once.
std::vector<HeadRef> shown_heads(const ViewState& view, std::int64_t layers, std::int64_t heads);
// is_pinned(view, {1, 2}) is true while view.chosen_heads holds this head.
bool is_pinned(const ViewState& view, HeadRef head);

// A click previews another head; a click on the current head pins it, or releases a pinned one. The last pinned head stays.
enum class HeadClick { previewed, pinned, released, last };
// click_head(view, {1, 2}, 2, 4) returns previewed at the first click and pinned at the second.
HeadClick click_head(ViewState& view, HeadRef head, std::int64_t layers, std::int64_t heads);
// Shows this head alone, as a double click does.
// solo_head(view, {1, 2}) unpins all heads and makes {1, 2} the current one.
void solo_head(ViewState& view, HeadRef head);

// A head has the same hue in all views: its number in the layer modulo twelve. Its name tells it apart beyond twelve heads.
inline int head_hue(HeadRef head) { return static_cast<int>(head.head % 12); }

// The thumbnails' order.
struct Arrangement {
  bool ordered = false;  // true: `order` applies. Else the model's order, with `faint` for heads that the filter excludes
  std::vector<std::int64_t> order;    // layer * heads + head
  std::vector<std::uint8_t> faint;    // per head
  std::vector<std::string> marks;     // per head: the number that it is sorted by
  std::int64_t shown = 0, total = 0;  // the number of heads that pass the filter, and of all heads
};
// Sorts and filters heads by `statistics`, whose index is layer * heads + head. `order`: "entropy" (most focused first),
// "distance" (nearest first), "pattern" (by name, the clearest first), else the model's own order. `filter`: a pattern's name
// (HeadStatistics::pattern); empty: all heads. `roles`, one entry a head, allow two choices more. The order "role" puts the
// clearest head of each role first, roles in the order of HeadPattern and heads without a role last. The order "cells" takes the
// number of each head in `weights`, the largest first and heads without one last. A role's id (role_words.h) as the filter
// excludes nothing if there are no roles. arrange_heads(statistics, "entropy", "self head").order lists the heads of this
// pattern, the most focused first.
Arrangement arrange_heads(const std::vector<HeadStatistics>& statistics, const std::string& order, const std::string& filter,
                          std::span<const std::optional<HeadRole>> roles = {},
                          std::span<const std::optional<double>> weights = {});

// The patterns that occur with their numbers of heads, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> patterns_of(const std::vector<HeadStatistics>& statistics);

}  // namespace headlight::views::heads
