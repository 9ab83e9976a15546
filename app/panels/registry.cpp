// The views that the window has, and where each stands in its rail. A further view is a line of registry().
#include <utility>

#include "app/panels/panels.h"
#include "app/text/language.h"

namespace headlight::panels {
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

// Each panel's file defines one of these. The views of a group stand together.
const Registry<Entry>& registry() {
  static const Registry<Entry> panels(
      "panel",
      {
          placed("text", "2,6 7,6 7,14 2,14 2,6; 9.5,6 12,6 12,14 9.5,14 9.5,6; 14.5,6 18,6 18,14 14.5,14 14.5,6",
                 tokens_panel()),
          placed("attention", "3,3 10,3 10,8 3,8 3,3; 10,12 17,12 17,17 10,17 10,12; 6,8 6,14.5 10,14.5", walk_panel()),
          placed("attention", "3,3 17,3 17,17 3,17 3,3; 3,7.7 17,7.7; 3,12.3 17,12.3; 7.7,3 7.7,17; 12.3,3 12.3,17",
                 heads_panel()),
          placed("attention", "3,3 17,3 17,17 3,17 3,3; 3,3 17,17; 7.7,3 17,12.3; 12.3,3 17,7.7", masks_panel()),
          placed("attention", "10,3 10,17; 10,5 17,5; 10,8.5 5,8.5; 10,12 14,12; 10,15.5 7.5,15.5", scores_panel()),
          placed("attention", "2,10 4,5.5 6,4 8,5.5 10,10 12,14.5 14,16 16,14.5 18,10", positions_panel()),
          placed("attention", "2,17 18,17; 5,17 5,9; 10,17 10,4; 15,17 15,12", values_panel()),
          placed("attention",
                 "2,3 8,3 8,9 2,9 2,3; 12,3 18,3 18,9 12,9 12,3; 7,11 13,11 13,17 7,17 7,11; 5,9 5,14 7,14; 15,9 15,14 13,14",
                 by_hand_panel()),
          placed("meaning", "4,16 16,7; 12,6 16,7 14.5,10.5; 4,16 8,4; 5,7 8,4 10,7.5", embeddings_panel()),
          placed("meaning", "2,10 12,10; 8.5,6.5 12,10 8.5,13.5; 15,5 18,5 18,15 15,15 15,5", next_word_panel()),
          placed("meaning", "3,16 8,16 12,9 17,9; 3,11 6,11 9,6 13,6 17,9; 17,9 17,3", why_panel()),
          placed("meaning", "3,10 7,10 12,4 17,4; 7,10 17,10; 7,10 12,16 17,16", context_panel()),
          placed("meaning", "2,3 2,17 18,17; 4,5 7,6 9,11 12,14 18,15", train_panel()),
          placed("beyond", "3,3 17,3 17,17 3,17 3,3; 3,3 17,17; 3,6.5 13.5,17; 6.5,3 17,13.5", long_texts_panel()),
          placed("beyond", "2,10 5,10; 5,7 8,7 8,13 5,13 5,7; 8,10 12,10; 12,7 15,7 15,13 12,13 12,7; 15,10 18,10",
                 recurrence_panel()),
          placed("beyond", "3,3 17,3 17,17 3,17 3,3; 10,3 10,17; 3,10 17,10; 3,15 7,11 10,14", patches_panel()),
          placed("measure", "2.5,15.5 3.5,10.5 6.3,7 10,5.7 13.7,7 16.5,10.5 17.5,15.5; 10,15.5 13.5,10", index_panel()),
          placed("measure", "3,16 3,5; 7,16 7,5; 11,16 11,5; 15,16 15,5; 1.5,14 16.5,7", counting_panel()),
          placed("measure", "3,4 9,4 9,16 3,16 3,4; 11,4 17,4 17,16 11,16 11,4; 11,10 17,10", compare_panel()),
      });
  return panels;
}

}  // namespace headlight::panels
