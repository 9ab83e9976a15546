// Lays out the parts of a page in a rectangle: rows, columns and parts, each with a least and a wished size, and what each gives
// up when room is short. Plain geometry in points: no figures, no window. The result depends on what is given alone.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace headlight::sheet {

inline constexpr float kAny = std::numeric_limits<float>::infinity();

// A size that can be chosen: never below `least`, `wished` where there is room, up to `most` where there is more.
struct Span {
  float least = 0, wished = 0, most = 0;
  Span() = default;
  Span(float fixed) : least(fixed), wished(fixed), most(fixed) {}  // NOLINT: a number is a span without a choice
  Span(float a, float b, float c) : least(a), wished(b), most(c) {}
};
struct Box {
  float x = 0, y = 0, w = 0, h = 0;
};

// One way in which a part can stand. A wider part must not have to be higher.
struct Form {
  Span wide{0, 0, kAny};
  std::function<Span(float width)> high;
};

enum class Medium { screen, presented, file };

// A part; a row or column of others; a flow: a row that goes on in another line where it is too narrow, each child as wide as it
// wishes, all lines of one height; or one of several arrangements of the same parts, the roomiest first.
struct Node {
  enum Kind { part, row, column, flow, either } kind = part;
  std::string id;
  // What gives way first: the highest. What `stays` changes its form but never goes; of rank 0 all stays.
  int rank = 0;
  bool stays = false;
  bool below = false;  // in a row that is too narrow it comes below the row's first child of rank 0 instead of going
  bool presented = true, filed = true;
  std::vector<Form> forms;  // of a part, the roomiest first
  Span gap{8};              // of a row or column: between its children; of a flow: as wished, and as least between its lines
  Span wide{0, 0, kAny};    // of a row or column: bounds of what its children make of it
  bool scrolls = false;     // a column on the screen that may be higher than its room
  std::vector<Node> children;
  int number = -1;  // of a part: which of the sheet's
};

struct Rules {
  Medium medium = Medium::screen;
  std::vector<float> types = {1};  // sizes of type, the first is wished; a smaller one is a concession
  int type_rank = 1;               // parts of higher ranks go before the type gets smaller
};

struct Placed {
  const Node* node = nullptr;
  Box box;  // in points of the room, that is after `type`
  int form = 0;
  int scroll = -1;  // index in Layout::scrolls that it stands in
};
struct Scroll {
  const Node* node = nullptr;
  Box box;            // what is seen
  float content = 0;  // height of all of it
};
struct Layout {
  std::vector<Placed> parts;  // in the order of the tree, which is that of the keyboard
  std::vector<Scroll> scrolls;
  float type = 1;
  float width = 0, height = 0;  // what is used
  std::vector<bool> made;       // which concessions, of the list from the cheapest to the dearest
  int concessions = 0;          // the place of the dearest, from 1; 0: none
  bool fits = true;             // false: even after all of them the least sizes exceed the room
};

// `held`: concessions of the last frame; while something is dragged they stay as they are where they fit, so that nothing jumps
// under the mouse. Null: none.
Layout solve(const Node& root, float width, float height, const Rules& rules, const std::vector<bool>* held = nullptr);

// Shares `total` among spans: least sizes, then wished ones in proportion; what is left goes to those without bound, evenly, or
// where there are none to the others, up to the most of each.
std::vector<float> shared(const std::vector<Span>& spans, float total);

}  // namespace headlight::sheet
