// The views that the window has, and where each stands in its rail. A further view is a line of app/views/list.inc.
#include <algorithm>

#include "app/text/language.h"
#include "app/views/base/view.h"

namespace headlight::views {

#define VIEW(name) const View& name##_view();
#include "app/views/list.inc"
#undef VIEW

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"text", tr_later("Text")},     {"attention", tr_later("Attention")}, {"meaning", tr_later("Meaning")},
      {"beyond", tr_later("Beyond")}, {"measure", tr_later("Measure")},
  };
  return all;
}

const Registry<View>& registry() {
#define VIEW(name) name##_view(),
  static const Registry<View> all("view", {
#include "app/views/list.inc"
                                          });
#undef VIEW
  return all;
}

const View& view_that(Offers what) {
  const auto has = [what](const View& view) { return std::ranges::find(view.offers, what, &Offer::what) != view.offers.end(); };
  return *std::ranges::find_if(registry().entries(), has);
}

void open_for(ViewState& state, Offers what) {
  const View& view = view_that(what);
  state.tab = view.id;
  const Offer& offer = *std::ranges::find(view.offers, what, &Offer::what);
  if (offer.open) offer.open(state);
}

}  // namespace headlight::views
