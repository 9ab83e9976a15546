// The pictures of attention by hand: all tables of a case from x to the output, as a derivation to point at; one score and its
// row written out; and the sum in the plane of the values. Functions from data to a Figure; screen and files use the same
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/by_hand.h"

namespace headlight::views::hand {

using figures::Box;
using figures::Figure;
using figures::Tag;
using figures::TextMeasure;
using figures::Theme;

// A cell of a stage; engine/insight/by_hand.h names the stages.
struct HandPlace {
  std::string stage;  // empty: none
  std::int64_t row = 0, column = 0;
  bool operator==(const HandPlace&) const = default;
};

struct ByHandInput {
  by_hand::Case hand;
  by_hand::Worked worked;
  HandPlace chosen, hot;
  int digits = 4;       // digits behind the point of computed numbers
  std::string formula;  // stands below the tables
  std::string check;    // words that say whether all numbers are as the source prints them; empty: no such words
  bool check_good = true;
  std::vector<HandPlace> misprints;  // cells that the source prints otherwise
  std::string hint;                  // the last line
};

// The query and the key that a cell belongs to.
struct HandPair {
  std::int64_t query = 0, key = 0;
};
// pair_of({"scores", 2, 1}, worked) gives query 2 and key 1; a cell of "v" gives its row as the key, and query 0.
HandPair pair_of(const HandPlace& place, const by_hand::Worked& worked);
// The name in the case or, if the case has no names, a letter and the index: query_name(hand, 0) gives "q0", key_name(hand, 0)
// "k0".
std::string query_name(const by_hand::Case& hand, std::int64_t query);
std::string key_name(const by_hand::Case& hand, std::int64_t key);
// Whole numbers stay whole; other numbers get `digits` digits behind the point and no leading zero. Infinity is "∞".
// hand_number(1, 4) gives "1", hand_number(.42234, 4) ".4223" and hand_number(-.8675, 4) "-.8675".
std::string hand_number(double value, int digits);

// Exactly `width` x `height` points. Cells are tagged by hand_tag(), names of rows and columns by name_tag(). data: each stage's
// table, under the stage's name. by_hand_sheet(input, 900, 640, theme, measure) shows all tables of input.worked.
Figure by_hand_sheet(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The least height at which the cells of the sheet can be read, in points.
float by_hand_least_height(const ByHandInput& input);
Tag hand_tag(const HandPlace& place);
HandPlace hand_place(const Tag& tag);  // the place whose hand_tag() is `tag`; an empty stage: the tag is no cell of a sheet
// The name of a query or a key, which a click renames.
struct HandName {
  bool key = false;
  std::int64_t index = -1;  // -1: none
  bool operator==(const HandName&) const = default;
};
Tag name_tag(const HandName& name);
HandName hand_name(const Tag& tag);  // index -1: the tag is no name
// The box of a cell in the sheet of this size; w = 0: the sheet does not show the cell's stage.
// hand_box(input, 900, 640, measure, {"scores", 0, 0}) gives the box of the first score.
Box hand_box(const ByHandInput& input, float width, float height, const TextMeasure& measure, const HandPlace& place);

// `width` points wide, as high as its lines: the chosen score as a product of a row and a column, the softmax of the score's row,
// and the row's weighted sum of the values.
// by_hand_row(input, 420, theme, measure) writes out the row of input.chosen.
Figure by_hand_row(const ByHandInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Exactly `width` x `height` points: values, weighted values and the output of the chosen row as arrows in their plane, with
// rings at the outputs for temperature 0 and infinity. The figure has no items unless each value is two numbers. data: "values",
// "output".
// by_hand_plane(input, 420, 420, theme, measure) draws the arrows of input.chosen.
bool has_plane(const ByHandInput& input);
Figure by_hand_plane(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::views::hand
