// What computes a step of a plan.
#pragma once

#include <cstdint>

namespace headlight {

namespace operations {
struct Kind;
template <class Op>
const Kind& kind_of();
}  // namespace operations

// One of the backends' operations, or one of the ways in which a plan's other nodes get their values:
//   step.computed_by = operations::kind_of<operations::Linear>();
//   step.computed_by = Computation::view;
//   if (step.computed_by.is<operations::Linear>()) ...
// `is` needs the operation's own header.
class Computation {
 public:
  enum Way : std::uint8_t {
    unknown,  // also of every operation
    tokens,
    position,
    view,        // another shape of the same numbers
    rearranged,  // axes in another order
    aside,       // an array that only a loss reads
    rows,        // rows picked from a matrix for a loss
    mask_part,
    mask,
    position_bias,
    score_places,  // the rows of a score that goes by place
    // Stages of an attention.
    attention_scores,
    attention_scaled,
    attention_masked,
    attention_weights,
    attention_context,
  };

  Computation() = default;
  Computation(Way way) : way_(way) {}  // NOLINT(google-explicit-constructor): a way is a computation
  Computation(const operations::Kind& operation) : operation_(&operation) {}  // NOLINT(google-explicit-constructor): likewise

  bool known() const { return operation_ != nullptr || way_ != unknown; }
  Way way() const { return way_; }
  const operations::Kind* operation() const { return operation_; }  // null: it is a way
  template <class Op>
  bool is() const {
    return operation_ == &operations::kind_of<Op>();
  }
  bool operator==(const Computation&) const = default;

 private:
  Way way_ = unknown;
  const operations::Kind* operation_ = nullptr;
};

}  // namespace headlight
