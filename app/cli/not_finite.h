// What a command says of its arrays when they hold NaN or infinity.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

class NotFinite {
 public:
  // Counts what of a float array is no finite number. `axes` name its last axes. Minus infinity counts unless it means a masked
  // cell. look("q", q, {"batch", "head", "query", "d"}) finds "array 'q' holds 8 NaN among 384 numbers, the first at [batch 0,
  // head 1, query 3, d 5]".
  void look(const std::string& name, const Tensor& array, const Axes& axes, bool minus_infinity_masks = false);
  // The same of a step or parameter of a model: "step 'layer.1.weights' holds ...". Masked scores are minus infinity.
  void look_at_step(const Trace& trace, const std::string& name, const Tensor& values);
  // Computes these steps of the trace, all of them if `names` is empty, and looks at each that has at most `most` numbers: a
  // picture of a part of a larger one would need its memory for this alone. Errors: the steps', cancelled.
  static constexpr std::int64_t kOfPictures = 1 << 26;
  Status look_at(const Trace& trace, std::vector<std::string> names, const CancelToken& cancel, std::int64_t most = kOfPictures);
  // The same of the model's matrices, if something was found: where it may come from. Those with more than `most` numbers are
  // left out.
  Status look_for_cause(const Trace& trace, const CancelToken& cancel, std::int64_t most = kOfPictures);
  // The same of a model whose runs keep no trace.
  Status look_for_cause(const StoredModel& model, const CancelToken& cancel);
  // What was found elsewhere, as a sentence: add("the scores behind text 1 hold 8 NaN among 12 numbers").
  void add(std::string found) { found_.push_back(std::move(found)); }
  bool empty() const { return found_.empty(); }
  // Prints what was found on stderr, a line an array: "headlight COMMAND: FILE: array 'q' holds …". Of many, the first and how
  // many more: later steps of a model inherit them.
  void say(const std::string& command, const std::string& file) const;
  // Error (invalid), if `strict`: the same in one sentence.
  Status check(const std::string& file, bool strict) const;

 private:
  void count(const std::string& what, const Tensor& array, const Axes& axes, bool minus_infinity_masks);

  std::vector<std::string> found_;
};

// Declares --strict of a command that runs a model.
void add_strict_option(Arguments& arguments, bool& strict);

}  // namespace headlight::cli
