// What a command says of its arrays when they hold NaN or infinity.
#pragma once

#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::cli {

class NotFinite {
 public:
  // Counts what of a float array is no finite number. `axes` name its last axes. Minus infinity counts unless it means a masked
  // cell. look("q", q, {"batch", "head", "query", "d"}) finds "array 'q' holds 8 NaN among 384 numbers, the first at [batch 0,
  // head 1, query 3, d 5]".
  void look(const std::string& name, const Tensor& array, const Axes& axes, bool minus_infinity_masks = false);
  bool empty() const { return found_.empty(); }
  // Prints what was found on stderr, a line an array: "headlight COMMAND: FILE: array 'q' holds …".
  void say(const std::string& command, const std::string& file) const;
  // Error (invalid), if `strict`: the same in one sentence.
  Status check(const std::string& file, bool strict) const;

 private:
  std::vector<std::string> found_;
};

}  // namespace headlight::cli
