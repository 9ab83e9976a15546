// The pictures of attention by hand: all tables of a case from x to the output, as a derivation to point at; one score and its
// row written out; and the sum in the plane of the values. Functions from data to a Figure; screen and files use the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/by_hand.h"

namespace headlight::figures {

// A cell of a stage, as engine/insight/by_hand.h names it.
struct HandPlace {
  std::string stage;  // empty: none
  std::int64_t row = 0, column = 0;
  bool operator==(const HandPlace&) const = default;
};

struct ByHandInput {
  by_hand::Case hand;
  by_hand::Worked worked;
  HandPlace chosen, hot;
  int digits = 4;       // behind the point, of computed numbers
  std::string formula;  // below the tables
  std::string check;    // whether all is as its source prints it; empty: nothing is said
  bool check_good = true;
  std::vector<HandPlace> misprints;  // cells that the source prints otherwise
  std::string hint;                  // the last line
};

// The query and the key that a cell is about.
struct HandPair {
  std::int64_t query = 0, key = 0;
};
HandPair pair_of(const HandPlace& place, const by_hand::Worked& worked);
std::string query_name(const by_hand::Case& hand, std::int64_t query);
std::string key_name(const by_hand::Case& hand, std::int64_t key);
// "1", ".4223", "-0.8675": whole numbers as they are, others with so many digits; ∞ for the infinite.
std::string hand_number(double value, int digits);

// Exactly `width` x `height` points. Cells are tagged as hand_tag() says. data: each stage's table by its name.
Figure by_hand_sheet(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The height from which its cells can be read, in points.
float by_hand_least_height(const ByHandInput& input);
Tag hand_tag(const HandPlace& place);
HandPlace hand_place(const Tag& tag);  // empty where the tag is no cell of a sheet
// Where a cell is drawn in such a sheet; w = 0: it is not.
Box hand_box(const ByHandInput& input, float width, float height, const TextMeasure& measure, const HandPlace& place);

// `width` points wide, as high as its lines: the chosen score as a product of a row and a column, the softmax of its row, and
// what the row makes of the values.
Figure by_hand_row(const ByHandInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Exactly `width` x `height` points: values, weighted values and the output of the chosen row as arrows in their plane, with
// rings where temperature 0 and infinity would end. Without items where values are not two numbers each. data: "values",
// "output".
Figure by_hand_plane(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
