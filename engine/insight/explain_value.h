// explain_value: any number of any step of a trace, or of a parameter, written out to the numbers that it was made from: the
// formula, the same with real numbers put in, and each of those with its own address, so that one can walk back to the text.
// What is computed is computed again in double, what is drawn is drawn again, and set beside what the trace holds. No window: the
// inspector draws this.
#pragma once

#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/insight/explanation.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// What the number in the trace was set beside.
enum class ValueCheck {
  computed,  // made again in double from the inputs as the trace holds them
  drawn,     // drawn again from the document's seed
  given,     // read in the document, which gives it
  none,      // nothing: it is set, and what it is made from is no number of the trace
};

struct ValueExplanation {
  ValueAddress address;
  std::string name;                 // "q[·blue, 17]"
  std::vector<ExplainLine> crumbs;  // where it is: "layer 2", "head 3"; patterns as in ExplainLine::words
  std::string operation;            // the step's: "softmax over keys"
  double value = 0;                 // in the trace
  std::string value_text, value_latex;
  ValueCheck check = ValueCheck::computed;
  double computed = 0;  // what `check` gives; without a check `value`
  // What the trace's arithmetic may be away from `computed`: rounding errors grow with the number of additions and with the
  // size of the summands (Higham 2002, 3.1: n u sum |a_i b_i|), u = 2^-23 for float32, 2^-52 for double.
  double tolerance = 0;
  bool random_weights = false;

  struct Input {
    std::string words;  // "attention_norm[·blue, 12]"
    ValueAddress address;
    double value = 0;
  };
  std::vector<Input> inputs;  // every number of `sections` that has an address, once each, in order of appearance
  std::vector<ExplainSection> sections;
};

// Errors: no such step or parameter, an index outside its shape (not_found, with the shape), or the trace's own.
Result<ValueExplanation> explain_value(const Trace& trace, const ValueAddress& address);

// Whether the trace has such a number.
bool has_value(const Trace& trace, const ValueAddress& address);
// A short name of a number: the step's last name and its tokens and dimensions, "weights[·creat → ·blue]", "wq[12, 81]".
std::string value_name(const Trace& trace, const ValueAddress& address);
// Where it is, outermost first: {"encoder"}, {"layer {}", 2}, {"head {}", 3}, {"sentence {}", 1} (counted from 1, batches only).
std::vector<ExplainLine> value_crumbs(const Trace& trace, const ValueAddress& address);

std::string to_text(const ValueExplanation& explanation);
// With a comment that names the package it needs (amsmath).
std::string to_latex(const ValueExplanation& explanation);

}  // namespace headlight
