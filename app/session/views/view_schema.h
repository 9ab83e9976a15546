// The saved form of one panel's view: a list that names each field of its struct. Sessions, figures and lessons are written and
// read with these lists, so that a field has the same name in both directions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headlight {

// One head of the shown kind of attention.
struct HeadRef {
  std::int64_t layer = 0, head = 0;
  bool operator==(const HeadRef&) const = default;
};

template <class View>
struct ViewField {
  std::string_view key;  // the field's key in the panel's JSON object
  // The field's key in older files, whose fields all lay in one object. Such files are still read.
  std::string_view former;
  std::variant<bool View::*, std::int64_t View::*, double View::*, std::string View::*, std::vector<std::int64_t> View::*,
               std::vector<std::string> View::*, std::vector<HeadRef> View::*>
      member;
  double least = -std::numeric_limits<double>::infinity();  // a number beyond least or most is clamped when it is read
  double most = std::numeric_limits<double>::infinity();
};

template <class View>
using ViewSchema = std::vector<ViewField<View>>;

}  // namespace headlight
