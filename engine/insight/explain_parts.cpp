#include "engine/insight/explain_parts.h"

#include "engine/attention/masks/combined.h"
#include "engine/attention/scores/score.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace headlight::explaining {
namespace {

std::string filled(const char* words, const std::vector<ExplainSpan>& spans) {
  std::string text;
  std::string_view rest = words;
  std::size_t next = 0;
  for (std::size_t hole; (hole = rest.find("{}")) != std::string_view::npos && next < spans.size(); ++next) {
    text += rest.substr(0, hole);
    text += spans[next].text;
    rest.remove_prefix(hole + 2);
  }
  return text.append(rest);
}

ValueAddress moved(ValueAddress at, int axis, std::int64_t by) {
  if (!at.step.empty() && axis >= 0) at.index[static_cast<std::size_t>(axis)] += by;
  return at;
}

}  // namespace

ExplainLine term(std::string label, std::vector<ExplainSpan> spans, bool current, double share) {
  ExplainLine line;
  line.kind = ExplainLine::Kind::term;
  line.label = std::move(label);
  line.current = current;
  line.share = share;
  line.text = line.label + ": ";
  for (std::size_t i = 0; i < spans.size(); ++i)
    line.text += (i == 0 ? "" : i + 1 < spans.size() ? " · " : std::isnan(share) ? " = " : " → ") + spans[i].text;
  line.spans = std::move(spans);
  return line;
}

ExplainSpan number(double value, ValueAddress at) { return {number_text(value), number_latex(value), std::move(at), value}; }
ExplainSpan factor(double value, ValueAddress at) {
  if (!(value < 0)) return number(value, std::move(at));
  return {"(" + number_text(value) + ")", "(" + number_latex(value) + ")", std::move(at), value};
}
ExplainSpan whole(std::int64_t value) {
  const std::string text = std::to_string(value);
  return {text, text, {}, static_cast<double>(value)};
}
ExplainSpan sign(std::string text, std::string latex) {
  std::string ascii = latex.empty() ? text : std::move(latex);
  return {std::move(text), std::move(ascii), {}, std::numeric_limits<double>::quiet_NaN()};
}
ExplainSpan name(std::string text) {
  std::string latex = "\\text{" + escape_latex(text) + "}";
  return {std::move(text), std::move(latex), {}, std::numeric_limits<double>::quiet_NaN()};
}

ExplainLine formula(std::vector<ExplainSpan> spans, Tone tone) {
  ExplainLine line;
  line.tone = tone;
  for (const ExplainSpan& span : spans) line.text += span.text;
  line.spans = std::move(spans);
  return line;
}
ExplainLine say(Tone tone, const char* words, std::vector<ExplainSpan> spans) {
  ExplainLine line;
  line.tone = tone;
  line.words = words;
  line.text = filled(words, spans);
  line.spans = std::move(spans);
  return line;
}

Total write_products(ExplainSection& section, const Products& p) {
  const std::size_t n = p.a.size();
  const bool single = p.b.empty();
  std::vector<double> products(p.a);
  if (!single)
    for (std::size_t i = 0; i < n; ++i) products[i] *= p.b[i];
  Total total;
  for (const double product : products) {
    total.value += product;
    total.sizes += std::abs(product);
  }
  const auto label = [&](std::size_t i) { return p.labels.empty() ? p.axis + " " + std::to_string(i) : p.labels[i]; };
  if (n > 1) {
    ExplainLine bars;
    bars.kind = ExplainLine::Kind::bars;
    bars.values = products;
    if (!single) {
      bars.left = p.a;
      bars.right = p.b;
    }
    bars.axis = p.axis;
    bars.labels = p.labels;
    bars.first = p.first_a;
    bars.running = p.axis_a;
    section.lines.push_back(std::move(bars));
  }
  // The largest by magnitude, in their own order; the current one is always among them.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t written = std::min(n, n <= kTermsWritten + 1 ? n : kTermsWritten);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written), order.end(), [&](std::size_t a, std::size_t b) {
        const bool asked_a = static_cast<std::int64_t>(a) == p.current, asked_b = static_cast<std::int64_t>(b) == p.current;
        if (asked_a != asked_b) return asked_a;
        const double size_a = std::abs(products[a]), size_b = std::abs(products[b]);
        return size_a != size_b ? size_a > size_b : a < b;
      });
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written));
  for (std::size_t k = 0; k < written; ++k) {
    const std::size_t i = order[k];
    const auto by = static_cast<std::int64_t>(i);
    std::vector<ExplainSpan> spans;
    const ValueAddress at_a = moved(p.first_a, p.axis_a, by);
    if (single) {
      spans = {number(p.a[i], at_a)};
    } else {
      spans = {factor(p.a[i], at_a), factor(p.b[i], moved(p.first_b, p.axis_b, by)), number(products[i])};
    }
    section.lines.push_back(term(label(i), std::move(spans), by == p.current));
  }
  if (written < n) {
    double rest = 0;
    for (std::size_t k = written; k < n; ++k) rest += products[order[k]];
    ExplainLine line =
        say(Tone::quiet, "and {} more terms, together {}", {whole(static_cast<std::int64_t>(n - written)), number(rest)});
    line.kind = ExplainLine::Kind::rest;
    section.lines.push_back(std::move(line));
  }
  section.total = total.value;
  return total;
}

void write_summand(ExplainSection& section, Total& total, const std::string& label, double value, ValueAddress at) {
  section.lines.push_back(term(label, {number(value, std::move(at))}, false));
  total.value += value;
  total.sizes += std::abs(value);
  section.total = total.value;
}

namespace {

// The numbers through `at` along `axis`; axis -1: the number itself.
Result<Tensor> part(const Trace& trace, const ValueAddress& at, int axis) {
  const Step* step = trace.find(at.step);
  const auto index = [&](int i) { return at.index[static_cast<std::size_t>(i)]; };
  const int rank = static_cast<int>(at.index.size());
  if ((!step && rank <= 2) || (step && !step->kept && rank == 4)) {
    Trace::Tile tile;
    if (rank == 4) {
      tile.batch = index(0);
      tile.head = index(1);
    }
    tile.row = rank >= 2 ? index(rank - 2) : 0;
    tile.column = index(rank - 1);
    tile.rows = tile.columns = 1;
    if (axis == rank - 1) {
      tile.column = 0;
      tile.columns = -1;
    } else if (axis >= 0 && axis == rank - 2) {
      tile.row = 0;
      tile.rows = -1;
    }
    HL_ASSIGN(const Tensor t, trace.tile(at.step, tile));
    return t.compact().reshaped({t.count()});
  }
  HL_ASSIGN(Tensor t, trace.values(at.step));
  if (t.rank() != rank) return invalid("an index of {} numbers for {}", rank, to_string(t.shape())).at(at.step);
  int dropped = 0;
  for (int i = 0; i < rank; ++i) {
    if (i == axis) continue;
    if (index(i) < 0 || index(i) >= t.dim(i - dropped))
      return not_found("there is no index {} on axis {}", index(i), i).at(at.step);
    t = t.select(i - dropped, index(i));
    ++dropped;
  }
  return t;
}

}  // namespace

Result<double> read(const Trace& trace, const ValueAddress& at) {
  // Reads along the last axis and then selects: for kept steps this costs the same, and computing a row of weights costs no more
  // than one of them.
  const Step* step = trace.find(at.step);
  const int last = static_cast<int>(at.index.size()) - 1;
  const bool one = (step && !step->kept) || !step;
  HL_ASSIGN(const Tensor t, part(trace, at, one ? -1 : last));
  return t.at({one ? 0 : at.index.back()});
}

Result<std::vector<double>> read_along(const Trace& trace, ValueAddress at, int axis) {
  at.index[static_cast<std::size_t>(axis)] = 0;
  HL_ASSIGN(const Tensor t, part(trace, at, axis));
  const Tensor wide = t.compact().as(DType::f64);
  const auto values = wide.values<double>();
  return std::vector<double>(values.begin(), values.end());
}

const std::string* Question::input(int n, bool parameters) const {
  for (const std::string& input : step.inputs)
    if (input.starts_with("parameters.") == parameters && n-- == 0) return &input;
  return nullptr;
}

double fill_of(const Document& document) {
  return document.mask_fill == operations::MaskFill::minus_infinity ? -std::numeric_limits<double>::infinity() : -1e9;
}

const scores::Entry& score_of(const Document& document) {
  const scores::Entry* const score = scores::registry().find(document.score);
  return score ? *score : scores::registry().entries().front();
}

std::vector<ExplainSpan> scale_spans(const AttentionSite& site) {
  const double root = std::sqrt(static_cast<double>(site.d_k));
  const std::string d = std::to_string(site.d_k);
  if (std::abs(site.scale * root - 1) < 1e-6) return {sign(" ÷ √" + d, " / \\sqrt{" + d + "}")};
  return {sign(" × ", " \\times "), factor(site.scale)};
}

std::int64_t group_of(const AttentionSite& site) {
  return site.kv_heads > 0 ? std::max<std::int64_t>(1, site.heads / site.kv_heads) : 1;
}

ExplainLine shared_key_line(const AttentionSite& site, std::int64_t head) {
  const std::int64_t group = group_of(site), own = head / group;
  return say(Tone::quiet, "head {} reads key head {}, as heads {} to {} do",
             {whole(head), whole(own), whole(own * group), whole(own * group + group - 1)});
}

double scaled_score(const AttentionSite& site, double score) {
  const double x = score * site.scale;
  return site.score_cap > 0 ? site.score_cap * std::tanh(x / site.score_cap) : x;
}

std::vector<ExplainSpan> cap_spans(const AttentionSite& site, double scaled) {
  if (site.score_cap <= 0) return {};
  return {sign(" = "), number(scaled), sign(", bent: c tanh(x / c), c = ", ",\\ c\\tanh(x/c),\\ c = "), number(site.score_cap)};
}

const Sentence* sentence_of(const Trace& trace, const Step& step, std::int64_t batch) {
  const auto sentences = step.of_targets ? trace.targets() : trace.texts();
  return batch >= 0 && batch < static_cast<std::int64_t>(sentences.size()) ? &sentences[static_cast<std::size_t>(batch)]
                                                                           : nullptr;
}

CellExplanation::MaskSays mask_says(const masks::Part& part, const masks::Combined& all, std::int64_t batch, std::int64_t head,
                                    std::int64_t query, std::int64_t key) {
  const auto is_one = [&](const Tensor& mask) { return masks::allows(mask, batch, head, query, key); };
  CellExplanation::MaskSays says;
  says.id = part.choice.id;
  const bool one = is_one(part.mask);
  says.allows = one;
  const auto pattern = [&](const char* words, std::vector<std::string> values) {
    says.pattern = words;
    says.values = std::move(values);
  };
  const std::string k = std::to_string(key), q = std::to_string(query), called = to_string(part.choice);
  if (part.role == masks::Role::widens) {
    says.allows = true;
    pattern(one ? "query {} or key {} is global: {} takes back what sparse patterns forbid"
                : "neither query {} nor key {} is global: {} changes nothing",
            {q, k, called});
  } else if (says.id == "causal") {
    if (key <= query)
      pattern(one ? "key {} ≤ query {}: causal allows" : "key {} ≤ query {}: causal forbids", {k, q});
    else
      pattern(one ? "key {} > query {}: causal allows" : "key {} > query {}: causal forbids", {k, q});
  } else if (says.id == "padding") {
    pattern(one ? "key {} is a token: padding allows" : "key {} is padding: padding forbids", {k});
  } else if (says.id == "custom") {
    pattern(
        one ? "query {}, key {} is 1 in the own matrix, which allows" : "query {}, key {} is 0 in the own matrix, which forbids",
        {q, k});
  } else if (part.role == masks::Role::sparse) {
    pattern(one ? "query {} and key {} are {} apart: {} allows" : "query {} and key {} are {} apart: {} forbids",
            {q, k, std::to_string(std::abs(query - key)), called});
    for (const masks::Part& other : all.parts)
      if (!one && other.role == masks::Role::widens && is_one(other.mask)) {
        says.allows = true;
        pattern("query {} and key {} are {} apart: {} forbids, {} re-allows",
                {q, k, std::to_string(std::abs(query - key)), called, to_string(other.choice)});
        break;
      }
  } else {
    pattern(one ? "query {}, key {}: {} allows" : "query {}, key {}: {} forbids", {q, k, called});
  }
  says.words = mask_line(says).text;
  return says;
}

ExplainLine mask_line(const CellExplanation::MaskSays& says) {
  std::vector<ExplainSpan> spans;
  for (const std::string& value : says.values) spans.push_back(name(value));
  return say(says.allows ? Tone::good : Tone::wrong, says.pattern.c_str(), std::move(spans));
}

ValueAddress bias_address(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                          std::int64_t query, std::int64_t key) {
  const Step* const step = trace.find(site.bias);
  return {site.bias, {step && step->shape.front() > 1 ? batch : 0, head, query, key}};
}

Status needs_site(const Question& ask) {
  if (ask.site) return {};
  return invalid("this step belongs to no attention of the trace").at(ask.at.step);
}

ExplainLine whose(const Question& ask) {
  return say(Tone::quiet, "query {} {}, key {} {}",
             {whole(ask.index(2)), name(query_label(ask.trace, *ask.site, ask.index(0), ask.index(2))), whole(ask.index(3)),
              name(key_label(ask.trace, *ask.site, ask.index(0), ask.index(3)))});
}

}  // namespace headlight::explaining
