#include "app/figures/base/stack.h"

#include <algorithm>

#include "app/figures/base/panes.h"

namespace headlight::figures {

Figure stacked(const std::vector<Figure>& parts, float gap, float margin) {
  Figure all;
  float y = margin;
  for (const Figure& part : parts) {
    if (part.items.empty()) continue;
    if (all.background.a == 0) all.background = part.background;
    if (all.title.empty()) all.title = part.title;
    add_moved(all, part, margin, y);
    y += part.height + gap;
    all.width = std::max(all.width, part.width + 2 * margin);
  }
  all.height = std::max(margin, y - gap) + margin;
  return all;
}

}  // namespace headlight::figures
