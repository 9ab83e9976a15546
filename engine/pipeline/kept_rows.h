// Rows that an earlier run has computed. In a decoder a row depends on the tokens up to its own alone, so that a changed token
// leaves every row before it as it was.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/fingerprint.h"
#include "engine/core/tensor.h"
#include "engine/models/plan.h"
#include "engine/operations/operation.h"

namespace headlight {

// A finished run of one text, as later runs with the same cache see it. Its arrays are those of its trace, and go with it.
struct EarlierRun {
  std::weak_ptr<const std::vector<Tensor>> values;   // by node; empty where the step is not kept
  std::vector<std::int32_t> ids;                     // of the text's tokens
  std::vector<std::optional<Fingerprint>> row_keys;  // by node: what its rows are computed by; none: of the whole text
  std::vector<Tensor> masks;                         // by site; empty: none
};

// How many tokens two texts have in common at the beginning. common_rows({5, 6, 7}, {5, 6, 8, 9}) is 2.
std::int64_t common_rows(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

// An operation for some rows of one text of `length` rows; an attention still reads all keys. Nothing: one of its rows reads rows
// of the text in another way than an attention does.
// of_some_rows(Linear{8, 64, 16}, 8, 6, 2) is Linear{2, 64, 16}: of rows 6 and 7.
std::optional<operations::Operation> of_some_rows(const operations::Operation& op, std::int64_t length, std::int64_t first,
                                                  std::int64_t rows);

// The operation as a key that does not depend on how many rows the text has. Nothing: as in of_some_rows().
// add_row_to(key, Linear{8, 64, 16}, 8) adds the same as add_row_to(key, Linear{9, 64, 16}, 9). False: nothing was added.
bool add_row_to(Fingerprint& key, const operations::Operation& op, std::int64_t length);

// The axis on which the rows of the text lie: "position" or "query". -1: there is none.
// row_axis({"batch", "head", "position", "d_k"}) is 2.
int row_axis(const Axes& axes);

// Whether the first `rows` rows of an attention read the same keys under both masks, and none behind those rows. `sees_all`: what
// a row without any key does, as operations::MaskFill::minus_1e9 has it; such a row depends on the number of keys.
// same_rows(before, now, 2, false): of masks [1, 1, 3, 3] and [1, 1, 4, 4].
bool same_rows(const Tensor& before, const Tensor& now, std::int64_t rows, bool sees_all);

// Copies rows [0, rows) of one array into rows [first, first + rows) of another, whose other axes are equal. A map's rows are
// shorter in a shorter text: its further keys are zeros. copy_rows(before, now, 1, 0, 5): the first five rows.
void copy_rows(const Tensor& from, Tensor& to, int axis, std::int64_t first, std::int64_t rows);

// Rows [first, end) in C order: a view where the memory has no gaps, else a copy. rows_behind(x, 2, 5): rows from 5 on.
Tensor rows_behind(const Tensor& from, int axis, std::int64_t first);

}  // namespace headlight
