#include "engine/insight/explain_value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "engine/core/one_nan.h"
#include "engine/insight/explain_parts.h"
#include "engine/insight/operation_words.h"
#include "engine/operations/operations.h"

namespace headlight {
namespace {

using namespace explaining;

// Weights that were computed elsewhere and read from arrays: there is no score behind them, but the row that they belong to.
Result<Answer> write_read_weights(const Question& ask) {
  if (!ask.site) return write_formula(ask);
  const ValueAddress first{ask.at.step, {ask.index(0), ask.index(1), ask.index(2), 0}};
  HL_ASSIGN(const std::vector<double> weights, read_along(ask.trace, first, 3));
  Answer answer;
  answer.check = ValueCheck::none;
  ExplainSection from{"as the file gives it", {}};
  if (!ask.step.note.empty()) from.lines.push_back(say(Tone::quiet, "read from {}", {name(ask.step.note)}));
  from.lines.push_back(say(Tone::quiet, "query {} {}, key {} {}",
                           {whole(ask.index(2)), name(query_label(ask.trace, *ask.site, ask.index(0), ask.index(2))),
                            whole(ask.index(3)), name(key_label(ask.trace, *ask.site, ask.index(0), ask.index(3)))}));
  from.lines.push_back(say(Tone::quiet, "the file has no scores: what made this weight is not in it"));
  ExplainSection row{"its row", {}};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  row.lines.push_back(say(std::abs(sum - 1) < 0.01 ? Tone::good : Tone::wrong, "the row sums to {}", {number(sum)}));
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t written = std::min(order.size(), kTermsWritten);
  const auto key = static_cast<std::size_t>(ask.index(3));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      if ((a == key) != (b == key)) return a == key;
                      return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
                    });
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written));
  double rest = sum;
  for (std::size_t i = 0; i < written; ++i) {
    const auto j = static_cast<std::int64_t>(order[i]);
    ValueAddress at = first;
    at.index[3] = j;
    row.lines.push_back(term(key_label(ask.trace, *ask.site, ask.index(0), j), {number(weights[order[i]], at)}, order[i] == key));
    rest -= weights[order[i]];
  }
  if (written < order.size()) {
    ExplainLine more = say(Tone::quiet, "and {} more keys, together {}",
                           {whole(static_cast<std::int64_t>(order.size() - written)), number(rest)});
    more.kind = ExplainLine::Kind::rest;
    row.lines.push_back(std::move(more));
  }
  row.total = sum;
  answer.sections = {std::move(from), std::move(row)};
  return answer;
}

// A step computed by nothing known is shown by its formula and its inputs.
Write writer_of(const Step& step) {
  if (const operations::Kind* operation = step.computed_by.operation()) return words_of(*operation).explain;
  switch (step.computed_by.way()) {
    case Computation::tokens: return write_tokens;
    case Computation::position: return write_position;
    case Computation::view: return write_same;
    case Computation::rearranged: return write_rearranged;
    case Computation::mask_part: return write_mask_part;
    case Computation::mask: return write_mask;
    case Computation::position_bias: return write_position_bias;
    case Computation::score_places: return write_score_places;
    case Computation::attention_scores:
    case Computation::attention_scaled:
    case Computation::attention_masked:
    case Computation::attention_weights:
    case Computation::attention_context: return words_of(operations::kind_of<operations::Attention>()).explain;
    case Computation::unknown:
      return step.origin == Origin::given && step.role == Role::weights ? write_read_weights : write_formula;
    case Computation::aside:
    case Computation::rows: return write_formula;
  }
  return write_formula;
}

const NamedParameter* find_parameter(const Trace& trace, const std::string& name) {
  for (const NamedParameter& parameter : trace.parameters())
    if (parameter.name == name) return &parameter;
  return nullptr;
}

std::string shape_words(const std::vector<std::int64_t>& index) { return to_string(Shape(index.begin(), index.end())); }

bool inside(const Shape& shape, const std::vector<std::int64_t>& index) {
  if (shape.size() != index.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (index[i] < 0 || index[i] >= shape[i]) return false;
  return true;
}

const Shape* shape_of(const Trace& trace, const std::string& name) {
  if (const Step* step = trace.find(name)) return &step->shape;
  if (const NamedParameter* parameter = find_parameter(trace, name)) return &parameter->shape;
  return nullptr;
}

// All linked numbers of the sections, each once.
void collect_inputs(const Trace& trace, ValueExplanation& e) {
  for (const ExplainSection& section : e.sections)
    for (const ExplainLine& line : section.lines)
      for (const ExplainSpan& span : line.spans) {
        if (span.at.step.empty() || span.at == e.address) continue;
        const bool known = std::any_of(e.inputs.begin(), e.inputs.end(), [&](const auto& in) { return in.address == span.at; });
        if (!known) e.inputs.push_back({value_name(trace, span.at), span.at, span.value});
      }
}

// Enough digits to show the limit of float32.
ExplainSpan precise(double value) {
  if (!std::isfinite(value) || value == std::floor(value))
    return value == std::floor(value) && std::abs(value) < 1e9 ? whole(static_cast<std::int64_t>(value)) : number(value);
  char text[40];
  std::snprintf(text, sizeof text, "%.8f", one_nan(value));
  if (std::abs(value) < 1e-3 || std::abs(value) >= 1e4) return number(value);
  return {text, text, {}, value};
}

void write_check(ValueExplanation& e) {
  ExplainSection check{"check", {}};
  if (e.check == ValueCheck::none) {
    check.lines.push_back(
        say(Tone::quiet, "the trace holds {}: it was set, so there is nothing to compute again", {precise(e.value)}));
    e.sections.push_back(std::move(check));
    return;
  }
  const bool same =
      (std::isnan(e.value) && std::isnan(e.computed)) || e.value == e.computed || std::abs(e.value - e.computed) <= e.tolerance;
  const char* words = same ? "the trace holds {}, computed again in double {}: the same"
                           : "the trace holds {}, computed again in double {}: they differ";
  if (e.check == ValueCheck::drawn)
    words = same ? "the trace holds {}, drawn again from the seed {}: the same"
                 : "the trace holds {}, drawn again from the seed {}: they differ";
  if (e.check == ValueCheck::given)
    words =
        same ? "the trace holds {}, the document gives {}: the same" : "the trace holds {}, the document gives {}: they differ";
  check.lines.push_back(say(same ? Tone::good : Tone::wrong, words, {precise(e.value), precise(e.computed)}));
  e.sections.push_back(std::move(check));
}

// Of a step whose axes are not named the first is the sentence, and the one before the last the position.
bool has_batch(const Step& step) { return step.axes.empty() || step.axes.front() == "batch"; }
std::size_t position_axis(const Step& step) {
  if (step.axes.empty()) return step.shape.size() == 4 ? 2 : 1;
  return static_cast<std::size_t>(std::find(step.axes.begin(), step.axes.end(), "position") - step.axes.begin());
}

std::string token_label(const Sentence* sentence, std::int64_t index) {
  return sentence && index < static_cast<std::int64_t>(sentence->labels.size())
             ? sentence->labels[static_cast<std::size_t>(index)]
             : "[PAD]";
}

}  // namespace

bool has_value(const Trace& trace, const ValueAddress& address) {
  const Shape* shape = address.step.empty() ? nullptr : shape_of(trace, address.step);
  return shape && inside(*shape, address.index);
}

std::string value_name(const Trace& trace, const ValueAddress& address) {
  const std::string leaf = own_name(address.step);
  const auto& index = address.index;
  const Step* step = trace.find(address.step);
  if (!step || step->shape.size() != index.size()) {
    std::string numbers;
    for (const std::int64_t i : index) numbers += (numbers.empty() ? "" : ", ") + std::to_string(i);
    return leaf + "[" + numbers + "]";
  }
  if (const AttentionSite* site = find_site(trace, place_of(address.step));
      site && index.size() == 4 && step->axes.size() == 4 && step->axes[3] == "key")
    return leaf + "[" + query_label(trace, *site, index[0], index[2]) + " → " + key_label(trace, *site, index[0], index[3]) + "]";
  // A row of a sentence is called by its token; what has no sentence or no position, by its numbers alone.
  std::string place;
  const bool of_sentence = has_batch(*step);
  const std::size_t position = position_axis(*step);
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    // The sentence and the head stand in the crumbs.
    const bool said = step->axes.empty() || step->axes[axis] == "batch" || step->axes[axis] == "head";
    if (of_sentence && position < index.size() && axis < position && said) continue;
    place += (place.empty() ? "" : ", ") + (of_sentence && axis == position
                                                ? token_label(sentence_of(trace, *step, index[0]), index[axis])
                                                : std::to_string(index[axis]));
  }
  return leaf + "[" + place + "]";
}

std::vector<ExplainLine> value_crumbs(const Trace& trace, const ValueAddress& address) {
  std::vector<ExplainLine> crumbs;
  const bool parameter = address.step.starts_with("parameters.");
  const std::string path = parameter ? address.step.substr(11) : address.step;
  if (parameter) crumbs.push_back(say(Tone::quiet, "parameters"));
  if (path.starts_with("encoder.")) crumbs.push_back(say(Tone::quiet, "encoder"));
  if (path.starts_with("decoder.")) crumbs.push_back(say(Tone::quiet, "decoder"));
  if (const std::size_t layer = path.find("layer."); layer != std::string::npos)
    crumbs.push_back(say(Tone::quiet, "layer {}", {whole(std::atoll(path.c_str() + layer + 6))}));
  if (path.find(".cross.") != std::string::npos) crumbs.push_back(say(Tone::quiet, "cross-attention"));
  if (const Step* step = trace.find(address.step)) {
    if (address.index.size() == 4 && step->shape[1] > 1 && (step->axes.empty() || step->axes[1] == "head")) {
      const AttentionSite* const site = find_site(trace, place_of(address.step));
      const std::int64_t group = site ? group_of(*site) : 1;
      if (group > 1 && step->shape[1] == site->kv_heads)  // k or v, which several heads of queries read
        crumbs.push_back(
            say(Tone::quiet, "key head {} of heads {} to {}",
                {whole(address.index[1]), whole(address.index[1] * group), whole(address.index[1] * group + group - 1)}));
      else
        crumbs.push_back(say(Tone::quiet, "head {}", {whole(address.index[1])}));
    }
    if (trace.texts().size() > 1 && address.index.size() > 1 && has_batch(*step))
      crumbs.push_back(say(Tone::quiet, "sentence {}", {whole(address.index[0] + 1)}));
  }
  return crumbs;
}

Result<ValueExplanation> explain_value(const Trace& trace, const ValueAddress& address) {
  const Shape* shape = shape_of(trace, address.step);
  if (!shape) return not_found("there is no step or parameter '{}'", address.step);
  if (!inside(*shape, address.index))
    return not_found("there is no number at {}", shape_words(address.index))
        .at(address.step)
        .mend("its shape is {}", to_string(*shape));
  ValueExplanation e;
  e.address = address;
  e.name = value_name(trace, address);
  e.crumbs = value_crumbs(trace, address);
  HL_ASSIGN(e.value, read(trace, address));
  Answer answer;
  if (const Step* step = trace.find(address.step)) {
    const std::string place(place_of(address.step));
    const Write write = writer_of(*step);
    e.operation = step->operation;
    e.random_weights = step->origin == Origin::random;
    const double unit = step->dtype == DType::f64 ? 0x1p-52 : 0x1p-23;
    HL_ASSIGN(answer, write({trace, address, *step, place, own_name(address.step), find_site(trace, place), unit, e.value}));
  } else {
    const NamedParameter& parameter = *find_parameter(trace, address.step);
    HL_ASSIGN(answer, write_parameter(trace, address, parameter, e.value));
    e.operation = answer.check == ValueCheck::given ? "given" : parameter.origin == Origin::random ? "draw" : "set";
    e.random_weights = parameter.origin == Origin::random && answer.check != ValueCheck::given;
  }
  const Step* counted = trace.find(address.step);
  const ExplainSpan shown = counted && (counted->dtype == DType::i32 || counted->dtype == DType::u8)
                                ? whole(static_cast<std::int64_t>(e.value))
                                : number(e.value);
  e.value_text = shown.text;
  e.value_latex = shown.latex;
  e.sections = std::move(answer.sections);
  e.check = answer.check;
  e.computed = e.check == ValueCheck::none ? e.value : answer.computed;
  e.tolerance = answer.tolerance;
  collect_inputs(trace, e);
  write_check(e);
  return e;
}

namespace {
std::string where(const ValueExplanation& e) {
  std::string text;
  for (const ExplainLine& crumb : e.crumbs) text += crumb.text + ", ";
  return text + e.address.step;
}
}  // namespace

std::string to_text(const ValueExplanation& e) {
  return e.name + " = " + e.value_text + "  (" + where(e) + (e.random_weights ? ", random weights" : "") + ")\n" +
         to_text(e.sections);
}

std::string to_latex(const ValueExplanation& e) {
  return "% needs \\usepackage{amsmath}\n\\noindent\\textbf{" + escape_latex(e.name) + " = $" + e.value_latex + "$} (" +
         escape_latex(where(e) + (e.random_weights ? ", random weights" : "")) + ")\n" + to_latex(e.sections);
}

}  // namespace headlight
