#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {

Entry relative() {
  Entry e;
  e.id = "relative";
  e.label = "relative";
  e.formula =
      "key j of query i is k_j + a^K and v_j + a^V of their distance, rows clip(j - i, -k, k) of two tables of 2 k + 1 rows; "
      "untrained: normal with variance 1/2";
  e.source = "Shaw et al. 2018, 3.1 and 3.2";
  e.where = Where::relative;
  e.random = true;
  return e;
}

}  // namespace headlight::positions
