#include "app/window/offscreen/ways.h"

#include <vector>

#include "app/views/base/context.h"
#include "app/views/base/view.h"

namespace headlight::window {
namespace {

void as_it_opens(ViewState&) {}

// Those of the panels; a view of app/views declares its own.
const Way kWays[] = {
    {"positions", "", as_it_opens, true},
    {"positions", "curves", [](ViewState& v) { v.positions.picture = "curves"; }, true},
    {"positions", "distance", [](ViewState& v) { v.positions.picture = "distance"; }, true},
    {"positions", "pattern", [](ViewState& v) { v.positions.picture = "effect"; }, true},
    {"next", "", as_it_opens, true},
    {"next", "greedy", [](ViewState& v) { v.next_word.sample = false; }, false},
    {"patches", "", as_it_opens, true},
    {"patches", "token", [](ViewState& v) { v.patches.page = "token"; }, true},
    {"patches", "positions", [](ViewState& v) { v.patches.page = "positions"; }, false},
    {"patches", "caption", [](ViewState& v) { v.patches.page = "caption"; }, true},
    {"index", "", as_it_opens, true},
    {"index", "word", [](ViewState& v) { v.index_lab.page = "word"; }, false},
    {"index", "times", [](ViewState& v) { v.index_lab.page = "times"; }, false},
    {"index", "map", [](ViewState& v) { v.index_lab.page = "map"; }, false},
    {"index", "table", [](ViewState& v) { v.index_lab.page = "table"; }, false},
    {"index", "errors", [](ViewState& v) { v.index_lab.page = "errors"; }, false},
    {"index", "notebook", [](ViewState& v) { v.index_lab.page = "notebook"; }, false},
};

}  // namespace

std::span<const Way> ways() {
  static const std::vector<Way> all = [] {
    std::vector<Way> list;
    for (const views::Entry& entry : views::registry().entries()) {
      for (const Way& way : kWays)
        if (entry.id == way.tab) list.push_back(way);
      for (const views::View* view : views::views()) {
        if (entry.id != view->id) continue;
        for (std::size_t i = 0; i < view->pages.size(); ++i)
          list.push_back({view->id, view->pages[i].id, [view, i](ViewState& v) { view->show(v, i); }, view->pages[i].in_tour});
        for (const views::Sample& sample : view->samples) list.push_back({view->id, sample.id, sample.set, sample.in_tour});
      }
    }
    return list;
  }();
  return all;
}
std::string name_of(const Way& way) { return way.tab + std::string(*way.name ? "-" : "") + way.name; }

void show_way(ViewState& view, std::string_view tab, std::string_view name) {
  for (const Way& way : ways()) {
    if (tab != way.tab || name != way.name) continue;
    view.tab = tab;
    way.set(view);
  }
}

}  // namespace headlight::window
