// Attention with matrices small enough to write down: every stage from x to the output, in double, any of them typed over.
#pragma once

#include <array>
#include <cstdint>
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

// The stages in the order in which they are made. x, wq, wk and wv, or whatever a case begins with, are inputs.
inline constexpr std::array<const char*, 11> kStages{"x", "wq",     "wk",      "wv",      "q",     "k",
                                                     "v", "scores", "divided", "weights", "output"};

struct Case {
  std::map<std::string, Table> inputs;  // by stage; "source" is what one query searches: then k = v = source
  std::vector<std::string> query_names, key_names;
  bool divided = false;      // by sqrt(d), d the width of k
  double temperature = 1;    // 0: the largest score takes all, and equal ones share; infinity: all visible keys alike
  bool hides_later = false;  // key j is masked for query i where j > i
  bool keys_down = false;    // how the source prints scores and weights: a row a key, a column a query
  // Single numbers of computed stages that are held at a value, whatever enters them.
  struct Held {
    std::string stage;
    std::int64_t row = 0, column = 0;
    double value = 0;
    bool operator==(const Held&) const = default;
  };
  std::vector<Held> held;
  bool operator==(const Case&) const = default;
};

// q = x W_q, k = x W_k, v = x W_v; scores = q k^T; divided = scores / sqrt(d) or scores; weights = softmax(divided / temperature)
// row by row over the keys that may be seen; output = weights v (Vaswani et al. 2017, 3.2.1). A stage without its inputs is left
// out.
struct Worked {
  std::map<std::string, Table> stages;
  // Whether the key may be seen by the query.
  bool visible(std::int64_t query, std::int64_t key) const { return !hides_later || key <= query; }
  bool hides_later = false;
};
// Errors (usage), each naming the table, row and column: a size outside 1 .. 12, tables that do not fit each other, a number that
// is none or infinite, a held cell outside its stage; scores that are neither given nor made.
Result<Worked> work(const Case& hand);

// The case with another number in one cell: of an input the number itself, of a computed stage a number that is held there, of
// keys and values that are a source's rows the source's. Errors: work()'s of the case so changed; no such stage or cell (usage).
Result<Case> with_number(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column, double value);
// The case without the number that is held in a cell, if one is.
Case released(Case hand, const std::string& stage, std::int64_t row, std::int64_t column);
bool is_held(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column);
// A number as a person types it: "1", "-.5", "2,5" and "1e-3" are numbers. Errors (usage) name `where`.
Result<double> number_from(std::string_view text, const std::string& where);
// Numbers pasted from a table, a line a row, in columns of tabs, semicolons, commas or spaces. Errors (usage) name the row and
// column, ragged rows and more than kMostRows x kMostColumns.
Result<Table> table_from_text(std::string_view text, const std::string& where);

// The worked cases of the material.
struct Entry {
  std::string id, label, formula, source;
  Case (*make)();
  // What the source prints of a stage, to so many digits behind the point; and what is to be said of it.
  std::map<std::string, Table> printed;
  int digits = 4;
  std::string remark;
};
const Registry<Entry>& registry();  // three-words, pattern, creature, search
// The numbers of a stage that differ from the printed ones, as they are rounded: (row, column); none where nothing was printed,
// all where a table of another size was.
std::vector<std::array<std::int64_t, 2>> misprints(const Entry& entry, const std::string& stage, const Table& worked);

// {"x": [[1, 0], [0, 1]], "wq": …, "query_names": ["man", …], "key_names": […], "temperature": 1, "divided": false,
// "hides_later": false, "held": [{"stage": "scores", "row": 0, "column": 1, "value": 2}]}. Errors name the table, row and column:
// ragged rows, a text in place of a number, an unknown name with the nearest one.
Result<Case> case_from_json(std::string_view json, const std::string& where);
std::string to_json(const Case& hand);

}  // namespace headlight::by_hand
