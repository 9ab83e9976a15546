// The views that the window has, and where each stands in its rail. A further view is a line of app/views/list.inc.
#include <utility>

#include "app/panels/panels.h"
#include "app/text/language.h"
#include "app/views/base/view.h"

namespace headlight::views {
#define PANEL(name, group, icon)
#define VIEW(name) const View& name##_view();
#include "app/views/list.inc"
#undef VIEW
#undef PANEL
}  // namespace headlight::views

namespace headlight::views {
namespace {

Entry placed(const char* group, const char* icon, Entry entry) {
  entry.group = group;
  entry.icon = icon;
  return entry;
}

}  // namespace

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"text", tr_later("Text")},     {"attention", tr_later("Attention")}, {"meaning", tr_later("Meaning")},
      {"beyond", tr_later("Beyond")}, {"measure", tr_later("Measure")},
  };
  return all;
}

const Registry<Entry>& registry() {
#define PANEL(name, group, icon) placed(group, icon, name##_panel()),
#define VIEW(name) views::entry_of(views::name##_view()),
  static const Registry<Entry> panels("panel", {
#include "app/views/list.inc"
                                               });
#undef VIEW
#undef PANEL
  return panels;
}

}  // namespace headlight::views
