#include "app/window/offscreen/ways.h"

#include <vector>

#include "app/views/base/view.h"

namespace headlight::window {

std::span<const Way> ways() {
  static const std::vector<Way> all = [] {
    std::vector<Way> list;
    for (const views::View& entry : views::registry().entries()) {
      for (std::size_t i = 0; i < entry.pages.size(); ++i)
        list.push_back({entry.id, entry.pages[i].id, [&entry, i](ViewState& v) { entry.show(v, i); }, entry.pages[i].in_tour});
      for (const views::Sample& sample : entry.samples) list.push_back({entry.id, sample.id, sample.set, sample.in_tour});
    }
    return list;
  }();
  return all;
}
std::string name_of(const Way& way) { return way.tab + (*way.name ? "-" : "") + way.name; }

void show_way(ViewState& view, std::string_view tab, std::string_view name) {
  for (const Way& way : ways()) {
    if (tab != way.tab || name != way.name) continue;
    view.tab = tab;
    way.set(view);
  }
}

}  // namespace headlight::window
