// The live numbers in a lesson's text. A place is an expression in braces that is computed from the shown trace:
//   {weights 0 2 3 1}          one value of a step (the shown layer's, or "layer.4.weights"), by its indices
//   {weights[0, 2, 3, 1] * 2}  the same inside arithmetic: + - * / ^ ( ), sqrt exp ln abs round
//   {sum(weights 0 2 3 *)}     sum, mean, max, min, norm over a row; dot(a, b), cosine(a, b) of two rows;
//                              a row is a step's values with one index left as *
//                              two rows may be added and subtracted, a row multiplied: cosine(a - b, c - d)
//   {strongest(weights 0 2 3 *)}  the token of the largest value of an attention row
//   {max(seen(scores 0 2 3 *))}  of the keys that the mask lets the query see: the others are -∞
//   {word(probabilities 0 5 *, 1)} {largest(probabilities 0 5 *, 1)}  the k-th of the next tokens, and its value
//   {piece('Turkey')}          the id of a piece, as an index: logits[0, 4, piece('Turkey')]
//   {at('·cat')}               the position of a token in the shown sentence, at('·cat', 2) of the second one with this label
//   {follows(4)}               the probability of the token that really follows position 4
// {before(...)}              the expression in the model without the document's interventions
//   {written(0)}               the translation that a model writes of sentence 0 by itself
//   {token(3)} {id(3)} {target(3)}  a token's text, its id, a token of the second sentence
//   {shape(layer.0.q)}         a step's shape; {size(layer.0.q, 3)} one of its axes
//   {tokens} {targets} {d} {heads} {d_k} {layers} {d_ff} {vocabulary} {seed} {temperature} {scale} {layer} {head}
//   {sentence} {removed} {characters} {different}  the shown sentence's index, the heads that the document changes (all of a
//                              layer for a whole attention), the characters of the shown text, and its different tokens
//   {isdpa}                    how many times faster index-based attention was on this machine
//   {left(n)} {right(n)} {fused(n)} {count(n)} {score(n)} {left_count(n)} {right_count(n)} {merges}  of the film in the Tokens
//   tab, and the names that the step defines. {expression : 2} has two decimals, {expression : %} is a percentage.
// Braces are written {{ and }}.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/trainer.h"
#include "app/session/view_state.h"
#include "engine/core/status.h"
#include "engine/insight/value_address.h"
#include "engine/pipeline/trace.h"

namespace headlight::lessons {

// The runs that a document with interventions is compared with. Each is null while it is being computed, and if no place asks for
// it.
struct ComparedRuns {
  std::shared_ptr<const Trace> before;                                      // of the document without its interventions
  std::shared_ptr<const std::vector<std::string>> written, written_before;  // of each text
};

// The data for computing places.
struct Source {
  std::shared_ptr<const Trace> trace;  // null: not computed yet
  const ViewState& view;
  std::shared_ptr<const TrainingResult> training;  // null: none
  std::optional<double> isdpa;                     // none: not measured
  const std::map<std::string, double>& names;
  ComparedRuns compared = {};
};

// A piece of text in one style.
struct Run {
  std::string text;
  bool bold = false, mono = false;
  bool live = false;             // the value of a place
  ValueAddress value;            // the address, for a place that is a single value of a step
  std::optional<Error> why;      // if the place has no value: the reason; its text is a dash
  std::optional<double> number;  // of a place that is a number: unrounded
  bool operator==(const Run& other) const {
    return text == other.text && bold == other.bold && mono == other.mono && live == other.live && value == other.value;
  }
};

// The runs of a text, with places filled. A paragraph ends with a run "\n". A place that cannot be computed becomes a dash, with
// the reason.
// fill_places("{tokens} **tokens**", source) gives "12" as a live run and " ", "tokens" in bold, for a sentence of twelve tokens.
std::vector<Run> fill_places(const std::string& text, const Source& source);

// Evaluates one place, given without its braces. Errors say what is wrong or missing in it.
// evaluate("weights 0 0 1 2", source) is the weight of query 1 on key 2 in head 0 of the first sentence.
Result<Run> evaluate(const std::string& place, const Source& source);

}  // namespace headlight::lessons
