// Attention with matrices small enough to write down: every stage from x to the output, in double. Any number of any stage can be
// typed over.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::by_hand {

// A table of numbers; row r, column c at r * columns + c.
struct Table {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> numbers;
  double at(std::int64_t row, std::int64_t column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
  double& at(std::int64_t row, std::int64_t column) { return numbers[static_cast<std::size_t>(row * columns + column)]; }
  bool operator==(const Table&) const = default;
};
inline constexpr std::int64_t kMostRows = 12, kMostColumns = 12;

// The stages in the order in which they are made. Inputs are x, wq, wk and wv, or any later stage that a case begins with.
inline constexpr std::array<const char*, 11> kStages{"x", "wq",     "wk",      "wv",      "q",     "k",
                                                     "v", "scores", "divided", "weights", "output"};

// A computation by hand: its inputs and its settings.
struct Case {
  std::map<std::string, Table> inputs;  // by stage; "source" is the table that one query searches: then k = v = source
  std::vector<std::string> query_names, key_names;
  bool divided = false;      // scores are divided by sqrt(d), d the width of k
  double temperature = 1;    // 0: the keys with the largest score share all weight; infinity: all visible keys weigh the same
  bool hides_later = false;  // key j is masked for query i where j > i
  bool keys_down = false;    // how the source prints scores and weights: a row for each key, a column for each query
  // Single numbers of computed stages that keep a value, whatever numbers they are computed from.
  struct Held {
    std::string stage;
    std::int64_t row = 0, column = 0;
    double value = 0;
    bool operator==(const Held&) const = default;
  };
  std::vector<Held> held;
  bool operator==(const Case&) const = default;
};

// q = x W_q, k = x W_k, v = x W_v; scores = q k^T; divided = scores / sqrt(d) or scores; weights = softmax(divided /
// temperature), row by row over the visible keys; output = weights v (Vaswani et al. 2017, 3.2.1). A stage without its inputs is
// left out.
struct Worked {
  std::map<std::string, Table> stages;
  // Whether the query may see the key. visible(0, 1) is false if hides_later, or if the given score of this cell is -inf.
  bool visible(std::int64_t query, std::int64_t key) const {
    return (!hides_later || key <= query) && (!masked_scores || stages.at("scores").at(query, key) > -kInfinity);
  }
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool hides_later = false, masked_scores = false;
};
// A query that may see nothing has weights of 0. Errors (usage) name the table, row and column: a size outside 1 .. 12, tables
// that do not fit each other, a held cell outside its stage, scores that are neither given nor can be made; and if `finite`, a
// number that is not, except a given score of -inf, which is a masked cell.
Result<Worked> work(const Case& hand, bool finite = true);

// The case with another number in one cell. In an input the number itself changes, and in a computed stage the number is held. In
// keys and values that are the rows of a source, the source's number changes. Errors: those of work() for the changed case; no
// such stage or cell (usage).
// with_number(hand, "scores", 1, 0, 7): the case in which the score of query 1 and key 0 is held at 7.
Result<Case> with_number(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column, double value);
// The case without the number that is held in this cell. A cell that holds no number leaves the case unchanged.
// released(hand, "scores", 1, 0): the score of query 1 and key 0 is computed again.
Case released(Case hand, const std::string& stage, std::int64_t row, std::int64_t column);
// Whether a number is held in this cell. is_held(hand, "scores", 1, 0) is true after with_number(hand, "scores", 1, 0, 7).
bool is_held(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column);
// A number as a person types it, with a point or a comma. Errors (usage) name `where`.
// number_from("2,5", "x") gives 2.5, and number_from("1e-3", "x") gives 0.001.
Result<double> number_from(std::string_view text, const std::string& where);
// A table from pasted text: one line a row, columns parted by tabs, semicolons, commas or spaces. Errors (usage) name the row and
// column: cells that are no numbers, ragged rows, more than kMostRows x kMostColumns cells.
// table_from_text("1 2\n3 4", "x") gives 2 rows and 2 columns.
Result<Table> table_from_text(std::string_view text, const std::string& where);

// A worked case of the material.
struct Entry {
  std::string id, label, formula, source;
  Case (*make)();
  // By stage the numbers that the source prints, rounded to `digits` decimals. `remark` is a note on them.
  std::map<std::string, Table> printed;
  int digits = 4;
  std::string remark;
};
const Registry<Entry>& registry();  // three-words, pattern, creature, search
// The cells (row, column) of a stage whose computed and printed numbers differ after rounding. The list is empty where the source
// prints nothing, and has every cell where the source prints a table of another size.
// misprints(*registry().find("pattern"), "weights", worked.stages.at("weights")) gives {{4, 0}}.
std::vector<std::array<std::int64_t, 2>> misprints(const Entry& entry, const std::string& stage, const Table& worked);

// {"x": [[1, 0], [0, 1]], "wq": …, "query_names": ["man", …], "key_names": […], "temperature": 1, "divided": false,
// "hides_later": false, "held": [{"stage": "scores", "row": 0, "column": 1, "value": 2}]}. NaN, Infinity and -Infinity are read
// as Python writes them, and in quotes; null in scores is -inf. Errors name the table, row and column: ragged rows, a text in
// place of a number, an unknown name (with the nearest known one). case_from_json(R"({"scores": [[1, 2]]})", "f.json"): one query
// whose two keys have the scores 1 and 2.
Result<Case> case_from_json(std::string_view json, const std::string& where);
std::string to_json(const Case& hand);

}  // namespace headlight::by_hand
