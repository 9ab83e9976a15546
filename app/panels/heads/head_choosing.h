// Which heads are shown and in which order: what clicks on the thumbnails mean, and how statistics sort and filter them. No
// window.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/session/view_state.h"
#include "engine/insight/head_statistics.h"

namespace headlight::panels {

// The heads that are shown together: those pinned that the model has, in the order they were pinned, and the current one, which
// is a preview while it is not pinned. Never empty. `layers` and `heads`: how many there are of each.
std::vector<HeadRef> shown_heads(const ViewState& view, std::int64_t layers, std::int64_t heads);
bool is_pinned(const ViewState& view, HeadRef head);

// A click previews a head; a click on the current one pins it, or lets it go if it is pinned. The last one stays.
enum class HeadClick { previewed, pinned, released, last };
HeadClick click_head(ViewState& view, HeadRef head, std::int64_t layers, std::int64_t heads);
// A double click: this one alone.
void solo_head(ViewState& view, HeadRef head);

// The same hue for a head in all views: its number within the layer, in twelve; beyond twelve its name tells.
inline int head_hue(HeadRef head) { return static_cast<int>(head.head % 12); }

// The thumbnails' order. `statistics`: of all heads, by layer * heads + head.
struct Arrangement {
  bool ordered = false;               // `order` holds; else the model's places with `faint` marking what the filter leaves out
  std::vector<std::int64_t> order;    // layer * heads + head
  std::vector<std::uint8_t> faint;    // per head
  std::vector<std::string> marks;     // per head: what it is sorted by
  std::int64_t shown = 0, total = 0;  // heads that the filter lets through
};
// `order`: "entropy" (most focused first), "distance" (nearest first), "pattern" (by name, the clearest first), else the model's
// own. `filter`: a pattern's name (HeadStatistics::pattern); empty: all.
Arrangement arrange_heads(const std::vector<HeadStatistics>& statistics, const std::string& order, const std::string& filter);

// The patterns that there are and how many heads have each, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> patterns_of(const std::vector<HeadStatistics>& statistics);

}  // namespace headlight::panels
