// State that lives from frame to frame without being saved: when a motion began, where a drag started, the text in a field while
// it is being typed.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "app/session/derived_key.h"
#include "engine/insight/value_address.h"

namespace headlight::views {

// The inspector's history, for Back and Forward, and the last known pin, so that a new one is noticed.
struct Visited {
  std::vector<ValueAddress> before, after;
  ValueAddress shown;                  // the value that the inspector showed last
  ValueAddress pinned;                 // InspectorState::step and index
  std::int64_t row = -1, column = -1;  // ViewState::pinned_row, pinned_column
  bool own_hover = false;              // the hovered item is a number of the inspector itself
  // The shown item, written out and laid out. Only one of each is stored, because every cell under a moving mouse is a new one.
  DerivedKey written_key, page_key;
  std::any written, page;
  DerivedKey scrolled;  // the page that has been scrolled to its top
  int asked = 0;        // a key requested Back (-1) or Forward (+1)
};

// A tab's words in the status bar.
struct TabWords {
  std::string where;  // the place within the tab: "step 3 of 21: Queries"
  std::string keys;   // the keys that lead on
};

// The part of the window that a lesson's step mentions. Its panel scrolls to this part.
struct ShownPart {
  std::string part;  // its id in Parts; empty: none
  double since = 0;  // when the step began, steady_seconds()
};

// What Tab would put behind the sentence: it stands in grey behind the sentence in its field.
struct OfferedText {
  std::string text;  // empty: none
  std::string view;  // the id of the view that offers it
};

class Transient {
 public:
  Visited visited;
  std::map<std::string, TabWords> status;  // by the tab's id
  ShownPart shown_part;
  std::map<std::string, std::string> results;  // by a view's id: what the status bar says of it while it is open

  // The struct `Own` of a view, which the view's own files define. The first call makes one with its default values.
  template <class Own>
  Own& of() {
    std::shared_ptr<void>& own = own_[typeid(Own)];
    if (!own) own = std::make_shared<Own>();
    return *static_cast<Own*>(own.get());
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> own_;
};

}  // namespace headlight::views
