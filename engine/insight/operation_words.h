// The words of an operation: how a number that it computed is explained, and what its box in the walk-through says. They stand
// beside the operation, in engine/operations/NAME_words.cpp; its line in engine/operations/list.inc names them, so that an
// operation without words does not link.
#pragma once

#include "engine/insight/explain_parts.h"
#include "engine/operations/operation.h"

namespace headlight::explaining {

struct OperationWords {
  Write explain;
  const char* box = nullptr;  // null: the role of the step says it
};
extern const OperationWords formula_words;  // the formula and the inputs

#define OPERATION(Op, words) extern const OperationWords words;
#include "engine/operations/list.inc"
#undef OPERATION

// `formula_words` for a kind that the list lacks.
// words_of(operations::kind_of<operations::Rotary>()).box: "Each pair of numbers is turned, …".
const OperationWords& words_of(const operations::Kind& operation);

}  // namespace headlight::explaining
