// explain_value explains any number of any step of a trace, or of a parameter, by the numbers that it was made from. It gives the
// formula, and the formula with these numbers put in. Each number has its own address, so that a reader can go back number by
// number to the text. To check the trace's number, it is computed again in double or, if it was drawn at random, drawn again. The
// inspector draws the explanation; nothing here needs a window.
#pragma once

#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/insight/explanation.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The number that the trace's number was compared with.
enum class ValueCheck {
  computed,  // the same number, computed in double from the inputs that the trace holds
  drawn,     // the same number, drawn again from the document's seed
  given,     // the number that the document itself gives
  none,      // no number: the trace's number was set, or only the formula of its step is known
};

struct ValueExplanation {
  ValueAddress address;
  std::string name;                 // "q[·blue, 17]"
  std::vector<ExplainLine> crumbs;  // the number's place: "layer 2", "head 3"; patterns as in ExplainLine::words
  std::string operation;            // the step's: "softmax over keys"
  double value = 0;                 // in the trace
  std::string value_text, value_latex;
  ValueCheck check = ValueCheck::computed;
  double computed = 0;  // the number that `value` was compared with; `value` itself for ValueCheck::none
  // How far `value` may be from `computed` because of rounding. Errors grow with the number of additions and with the size of the
  // summands (Higham 2002, 3.1: n u sum |a_i b_i|), u = 2^-23 for float32, 2^-52 for double.
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
// explain_value(*trace, {"layer.0.q", {0, 2, 5, 17}}): the product of the sixth token's vector and a column of W_Q.
Result<ValueExplanation> explain_value(const Trace& trace, const ValueAddress& address);

// Whether the trace has a number at this address.
// has_value(*trace, {"layer.0.q", {0, 2, 5}}) is false: a step [batch, head, query, d_k] needs four indices.
bool has_value(const Trace& trace, const ValueAddress& address);
// A short name of a number: the step's last name with its tokens and dimensions, "weights[·creat → ·blue]".
// value_name(*trace, {"parameters.encoder.layer.0.wq", {3, 4}}) gives "wq[3, 4]".
std::string value_name(const Trace& trace, const ValueAddress& address);
// The number's place, outermost first: {"encoder"}, {"layer {}", 2}, {"head {}", 3}, {"sentence {}", 1} (counted from 1, in
// batches only). value_crumbs(*trace, {"layer.2.q", {0, 3, 5, 17}}): layer 2, then head 3.
std::vector<ExplainLine> value_crumbs(const Trace& trace, const ValueAddress& address);

std::string to_text(const ValueExplanation& explanation);
// As LaTeX, with a comment that names the package it needs (amsmath).
std::string to_latex(const ValueExplanation& explanation);

}  // namespace headlight
