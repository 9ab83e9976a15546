// Which heads are shown and in which order: what clicks on the thumbnails do, and how statistics sort and filter heads. It needs
// no window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/session/view_state.h"
#include "engine/insight/found_roles.h"
#include "engine/insight/head_statistics.h"

namespace headlight::panels {

// The heads that are shown together: the pinned heads that the model has, in the order of pinning, and the current one, which is
// a preview unless it is pinned. Never empty. `layers` and `heads`: their numbers.
std::vector<HeadRef> shown_heads(const ViewState& view, std::int64_t layers, std::int64_t heads);
bool is_pinned(const ViewState& view, HeadRef head);

// A click previews a head; a click on the current head pins it, or releases it if it is pinned. The last pinned head stays.
enum class HeadClick { previewed, pinned, released, last };
HeadClick click_head(ViewState& view, HeadRef head, std::int64_t layers, std::int64_t heads);
// A double click shows this head alone.
void solo_head(ViewState& view, HeadRef head);

// A head has the same hue in all views: its number in the layer modulo twelve; beyond twelve its name tells it apart.
inline int head_hue(HeadRef head) { return static_cast<int>(head.head % 12); }

// The thumbnails' order. `statistics`: of all heads, by layer * heads + head.
struct Arrangement {
  bool ordered = false;               // `order` is used; else the model's order, with `faint` for heads that the filter excludes
  std::vector<std::int64_t> order;    // layer * heads + head
  std::vector<std::uint8_t> faint;    // per head
  std::vector<std::string> marks;     // per head: the number it is sorted by
  std::int64_t shown = 0, total = 0;  // number of heads that pass the filter, and of all
};
// `order`: "entropy" (most focused first), "distance" (nearest first), "pattern" (by name, the clearest first), else the model's
// own. `filter`: a pattern's name (HeadStatistics::pattern); empty: all. With found `roles`, one entry a head, also "role" (the
// clearest of each first, in the order of HeadPattern; heads without one last) and as a filter a role's id (role_words.h), which
// without roles excludes nothing.
Arrangement arrange_heads(const std::vector<HeadStatistics>& statistics, const std::string& order, const std::string& filter,
                          std::span<const std::optional<HeadRole>> roles = {});

// The patterns that occur and their numbers of heads, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> patterns_of(const std::vector<HeadStatistics>& statistics);

}  // namespace headlight::panels
