// The sections of an attention cell: the dot product, the scale, the mask, the softmax of its row, and what it adds.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/one_nan.h"
#include "engine/operations/ablate.h"

#include "engine/core/sorting.h"
#include "engine/insight/explain_parts.h"

namespace headlight {
namespace {

using namespace explaining;

constexpr std::size_t kKeysWritten = 6;  // keys of the softmax row that are written out

ExplainSpan power_of(const CellExplanation::Term& term, ValueAddress at) {
  return {"e^" + number_text(term.exponent), "e^{" + number_latex(term.exponent) + "}", std::move(at), term.exponent};
}

// A number of the cell's attention: in the step of that role, at a query and a key.
ValueAddress address(const Trace& trace, const CellExplanation& e, Role role, std::int64_t query, std::int64_t key) {
  return {trace.name_at(e.cell.prefix, role), {e.cell.batch, role == Role::mask ? 0 : e.cell.head, query, key}};
}

ExplainLine key_line(const Trace& trace, const CellExplanation& e, const CellExplanation::Term& term) {
  const auto at = [&](Role role) { return address(trace, e, role, e.cell.query, term.key); };
  ExplainSpan power = term.visible ? power_of(term, at(Role::masked_scores)) : name("masked");
  if (!term.visible) power.at = at(Role::mask);
  ExplainLine line = explaining::term(term.label, {std::move(power), number(term.weight, at(Role::weights))},
                                      term.key == e.cell.key, term.weight);
  if (!term.visible) line.tone = Tone::quiet;
  return line;
}

// The strongest keys and the cell's own, in the order of the row.
std::vector<const CellExplanation::Term*> chosen_terms(const CellExplanation& e) {
  std::vector<const CellExplanation::Term*> terms;
  for (const auto& term : e.row) terms.push_back(&term);
  const std::size_t keep = std::min(kKeysWritten, terms.size());
  std::partial_sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(keep), terms.end(),
                    [&](const auto* a, const auto* b) {
                      const bool own_a = a->key == e.cell.key, own_b = b->key == e.cell.key;
                      return own_a != own_b ? own_a : a->weight != b->weight ? a->weight > b->weight : a->key < b->key;
                    });
  terms.resize(keep);
  sort_stably(terms, [](const auto* a, const auto* b) { return a->key < b->key; });
  return terms;
}

ExplainSection softmax_section(const Trace& trace, const CellExplanation& e, const ValueAddress& masked,
                               const ValueAddress& weight) {
  ExplainSection section{"4 softmax over the row", {}};
  if (e.temperature != 1) section.lines.push_back(say(Tone::quiet, "temperature T = {}", {number(e.temperature)}));
  if (e.row_fully_masked) {
    section.lines.push_back(say(Tone::wrong, std::isinf(e.masked) ? "every key is masked: the row is defined as all zeros"
                                                                  : "every key is masked with -1e9: the row comes out uniform"));
  } else if (!e.weights_replaced) {
    section.lines.push_back(
        formula({sign("weight = ", "\\text{weight} = "), power_of(e.row[static_cast<std::size_t>(e.cell.key)], masked),
                 sign(" ÷ ", " / "), number(e.sum_of_exponentials)}));
  }
  if (e.weights_replaced)
    section.lines.push_back(say(Tone::wrong, "an intervention replaces this head's weights: below are those that are used"));
  section.lines.push_back(formula({sign("= "), number(e.weight, weight)}));
  char sum[32];
  std::snprintf(sum, sizeof sum, "%.6f", one_nan(e.row_sum));
  section.lines.push_back(
      say(e.row_fully_masked && e.row_sum == 0 ? Tone::quiet : Tone::good, "the row sums to {}", {{sum, sum, {}, e.row_sum}}));
  double written = 0;
  const auto terms = chosen_terms(e);
  for (const auto* term : terms) {
    section.lines.push_back(key_line(trace, e, *term));
    written += term->weight;
  }
  if (terms.size() < e.row.size()) {
    section.lines.push_back(say(Tone::quiet, "and {} more keys, together {}",
                                {whole(static_cast<std::int64_t>(e.row.size() - terms.size())), number(e.row_sum - written)}));
    section.lines.back().kind = ExplainLine::Kind::rest;
  }
  section.total = e.row_sum;
  return section;
}

// The cell's score as its function writes it, a sum over `size` dimensions.
ExplainSpan score_symbols(const Document& document, std::size_t size) {
  const scores::Entry& score = score_of(document);
  const std::string d = std::to_string(size), over = ", d = 1.." + d, sum = "\\sum_{d=1}^{" + d + "} ";
  if (score.additive)
    return sign("v·tanh(q W + k U) = Σ v_d tanh((q W)_d + (k U)_d)" + over,
                "v \\cdot \\tanh(q W + k U) = " + sum + "v_d \\tanh\\bigl((q W)_d + (k U)_d\\bigr)");
  if (score.matrix) return sign("q·W·k = Σ (q W)_d k_d" + over, "q \\cdot W \\cdot k = " + sum + "(q W)_d\\, k_d");
  if (score.located) return sign("q·W_j = Σ q_d W_j,d" + over, "q \\cdot W_j = " + sum + "q_d\\, W_{j,d}");
  return sign("q·k = Σ q_d k_d" + over, "q \\cdot k = " + sum + "q_d\\, k_d");
}

}  // namespace

void explaining::write_cell(const Trace& trace, CellExplanation& e, const AttentionSite& site) {
  const std::int64_t i = e.cell.query, j = e.cell.key;
  const auto at = [&](Role role) { return address(trace, e, role, i, j); };

  const bool additive = !site.score_vector.empty();
  ExplainSection dot{additive ? "1 score" : "1 dot product", {}};
  dot.lines.push_back(formula({score_symbols(trace.document(), e.products.size())}));
  if (group_of(site) > 1) dot.lines.push_back(shared_key_line(site, e.cell.head));
  ExplainLine bars;
  bars.kind = ExplainLine::Kind::bars;
  bars.values = e.products;
  bars.left = e.q;
  bars.right = e.k;
  bars.axis = "d";
  bars.first = additive ? ValueAddress{site.score_vector, {0}} : ValueAddress{site.q, {e.cell.batch, e.cell.head, i, 0}};
  bars.running = additive ? 0 : 3;
  dot.lines.push_back(std::move(bars));
  dot.lines.push_back(formula({sign("= "), number(e.dot, at(Role::scores))}));

  ExplainSection scale{"2 scale", {}};
  const std::vector<ExplainSpan> times = scale_spans(site);
  std::vector<ExplainSpan> scaled{number(e.dot, at(Role::scores))};
  scaled.insert(scaled.end(), times.begin(), times.end());
  for (ExplainSpan& span : cap_spans(site, e.dot * e.scale)) scaled.push_back(std::move(span));
  scaled.push_back(sign(" = "));
  scaled.push_back(number(e.scaled, at(Role::scaled_scores)));
  scale.lines.push_back(formula(std::move(scaled)));

  ExplainSection mask{"3 mask", {}};
  for (const auto& says : e.masks) mask.lines.push_back(mask_line(says));
  if (e.masks.empty()) mask.lines.push_back(say(Tone::quiet, "no mask: every query sees every key"));
  if (e.visible && !site.bias.empty())
    mask.lines.push_back(formula({number(e.scaled, at(Role::scaled_scores)), sign(" + "),
                                  number(e.bias, bias_address(trace, site, e.cell.batch, e.cell.head, i, j)), sign(" = "),
                                  number(e.masked, at(Role::masked_scores))}));
  if (e.visible && !site.relative_keys.empty()) {
    const std::int64_t distance = std::clamp(j - i, -site.relative_clip, site.relative_clip);
    mask.lines.push_back(say(Tone::quiet, "added: scale times q . a^K, row clip({}, -{}, {}) = {} of a table of {} rows",
                             {whole(j - i), whole(site.relative_clip), whole(site.relative_clip), whole(distance),
                              whole(2 * site.relative_clip + 1)}));
  }
  if (!e.visible)
    mask.lines.push_back(say(Tone::plain, "the score is replaced by {}", {number(e.masked, at(Role::masked_scores))}));

  ExplainSection adds{"5 what it adds", {}};
  const bool paired = !site.relative_values.empty();
  const std::string row = std::to_string(std::clamp(j - i, -site.relative_clip, site.relative_clip));
  // Heads that a 2-D stack mixes have no share of ΔE of their own: this is what the head hands on to the stack.
  const bool mixed = trace.step_at(e.cell.prefix, Role::heads_stacked) != nullptr;
  const bool projected = e.delta.size() != e.value.size();
  adds.lines.push_back(
      formula({number(e.weight, at(Role::weights)), sign(paired ? " · (v(" : " · v(", paired ? " \\cdot (v(" : " \\cdot v("),
               name(e.key_label), paired ? sign(") + a^V[" + row + "])", ") + a^V_{" + row + "})") : sign(")"),
               mixed ? sign(" → stack", " \\to \\mathrm{stack}")
                     : sign(projected ? " · W_O → ΔE" : " → ΔE", projected ? " \\cdot W_O \\to \\Delta E" : " \\to \\Delta E")}));
  if (mixed)
    adds.lines.push_back(
        say(Tone::quiet, "the 2-D stack mixes this with the other heads through tanh: no head has a share of its own"));
  ExplainLine strip;
  strip.kind = ExplainLine::Kind::strip;
  strip.values = e.delta;
  strip.axis = "c";
  adds.lines.push_back(std::move(strip));
  const auto lengths = [mixed](double norm, double cosine) {
    std::vector<ExplainSpan> spans{mixed ? sign("|·| = ", "|\\cdot| = ") : sign("|ΔE| = ", "|\\Delta E| = "), number(norm)};
    if (!std::isnan(cosine) && !mixed) {
      spans.push_back(sign("  cos(ΔE, E) = ", "\\quad \\cos(\\Delta E, E) = "));
      spans.push_back(number(cosine));
    }
    return spans;
  };
  adds.lines.push_back(formula(lengths(e.delta_norm, e.delta_cosine)));
  if (const Step* sum = trace.step_at(e.cell.prefix, Role::context); sum && sum->computed_by.is<operations::Ablate>())
    adds.lines.push_back(say(Tone::wrong, "behind the sum an intervention: {}", {name(sum->formula)}));
  adds.lines.push_back(say(Tone::quiet, "all keys together:"));
  adds.lines.push_back(formula(lengths(e.row_delta_norm, e.row_delta_cosine), Tone::quiet));
  if (!e.residual_step.empty()) adds.lines.push_back(say(Tone::quiet, "E: {}, position {}", {name(e.residual_step), whole(i)}));
  e.sections = {std::move(dot), std::move(scale), std::move(mask),
                softmax_section(trace, e, at(Role::masked_scores), at(Role::weights)), std::move(adds)};
}

std::string to_text(const CellExplanation& e) {
  std::string text = e.query_label + " → " + e.key_label + "  (" + e.cell.prefix + "head " + std::to_string(e.cell.head) +
                     ", query " + std::to_string(e.cell.query) + ", key " + std::to_string(e.cell.key) +
                     (e.random_weights ? ", random weights" : "") + ")\n" + to_text(e.sections);
  text += "\nproducts:";
  for (const double product : e.products) text += " " + number_text(product);
  text += "\n\nthe whole row\n";
  for (const auto& term : e.row)
    text += "  " + term.label + "  " + (term.visible ? "e^" + number_text(term.exponent) : std::string("masked")) + "  " +
            number_text(term.weight) + "\n";
  return text;
}

std::string to_latex(const CellExplanation& e) {
  return "% needs \\usepackage{amsmath}\n\\noindent\\textbf{" + escape_latex(e.query_label) + " $\\to$ " +
         escape_latex(e.key_label) + "} (" + escape_latex(e.cell.prefix) + "head " + std::to_string(e.cell.head) + ", query " +
         std::to_string(e.cell.query) + ", key " + std::to_string(e.cell.key) + (e.random_weights ? ", random weights" : "") +
         ")\n" + to_latex(e.sections);
}

}  // namespace headlight
