// Rows times matrices: q, k, v, the attention's output, the feed-forward part. y[c] = f(sum over r of x[r] W[r, c] + b[c]).
#include <algorithm>
#include <cmath>

#include "engine/insight/operation_words.h"
#include "engine/operations/activation.h"
#include "engine/operations/soft_cap.h"

namespace headlight::explaining {
namespace {

// "w_up" as it is printed: "W_up"; in LaTeX W_{\mathrm{up}}.
ExplainSpan matrix_name(const std::string& parameter) {
  std::string part = own_name(parameter);
  const std::string capital(1, static_cast<char>(part[0] == 'b' ? 'b' : part[0] == 'u' ? 'U' : 'W'));
  part.erase(0, part.size() > 1 && part[1] == '_' ? 2 : 1);
  return sign(capital + "_" + part, capital + "_{\\mathrm{" + part + "}}");
}

std::string axis_of(const Trace& trace, const std::string& step) {
  const Step* found = trace.find(step);
  return found && !found->axes.empty() && found->axes.back() == "d_ff" ? "f" : "c";
}

// Of the step; its words are null where there is none.
struct Activation {
  const char* words = nullptr;  // "ReLU"
  operations::ActivationKind kind = operations::ActivationKind::none;
};
Activation activation_of(const Step& step) {
  const auto kind = operations::find_activation(step.activation);
  if (!kind || *kind == operations::ActivationKind::none) return {};
  return {operations::activation_of(*kind).label.c_str(), *kind};
}

// `row`: the address of x[0]; `column`: the column of the matrix.
Result<Answer> write(const Question& ask, ValueAddress row, const std::string& running, std::int64_t column, ExplainLine symbols,
                     ExplainLine place) {
  const std::string *matrix = ask.input(0, true), *bias = ask.input(1, true);
  Products products;
  products.first_a = std::move(row);
  products.axis_a = static_cast<int>(products.first_a.index.size()) - 1;
  products.first_b = {*matrix, {0, column}};
  products.axis_b = 0;
  products.axis = running;
  HL_ASSIGN(products.a, read_along(ask.trace, products.first_a, products.axis_a));
  HL_ASSIGN(products.b, read_along(ask.trace, products.first_b, 0));
  if (products.a.size() != products.b.size())
    return invalid("a row of {} numbers for a matrix of {} rows", products.a.size(), products.b.size()).at(ask.at.step);
  Answer answer;
  ExplainSection rule{"formula", {std::move(symbols), std::move(place)}};
  ExplainSection sum{"with its numbers", {}};
  Total total = write_products(sum, products);
  if (bias) {
    const ValueAddress at{*bias, {column}};
    HL_ASSIGN(const double b, read(ask.trace, at));
    write_summand(sum, total, matrix_name(*bias).text, b, at);
  }
  answer.computed = total.value;
  const Activation activation = activation_of(ask.step);
  if (activation.words) {
    answer.computed = operations::activate(activation.kind, total.value);
    sum.lines.push_back(formula({sign("= "), number(total.value)}));
    sum.lines.push_back(formula({sign(std::string(activation.words) + "(", std::string("\\mathrm{") + activation.words + "}("),
                                 number(total.value), sign(") = "), number(answer.computed)}));
    rule.lines.push_back(
        say(Tone::quiet, "{}(x) = {}", {name(activation.words), name(operations::activation_of(activation.kind).formula)}));
  } else {
    sum.lines.push_back(formula({sign("= "), number(answer.computed)}));
  }
  if (const operations::Operation* const second = ask.trace.operation(ask.at.step, 1))
    if (const auto* const cap = second->get_if<operations::SoftCap>()) {
      answer.computed = cap->cap * std::tanh(total.value / cap->cap);
      rule.lines.push_back(
          formula({sign("then c tanh(x / c), c = ", "\\text{then } c\\tanh(x/c),\\quad c = "), number(cap->cap)}));
      sum.lines.push_back(
          formula({sign("c tanh(x / c), c = ", "c\\tanh(x/c),\\ c = "), number(cap->cap), sign(": "), number(answer.computed)}));
    }
  // The slopes of ReLU, GELU, SiLU and tanh are at most 1.13, so rounding errors of the sum grow by no more than that.
  answer.tolerance = 1.13 * ask.unit * static_cast<double>(products.a.size() + 2) * total.sizes;
  answer.sections = {std::move(rule), std::move(sum)};
  return answer;
}

// Rows that are in heads already, times one matrix for all heads.
Result<Answer> write_rows_of_heads(const Question& ask, const std::string& x, const std::string& matrix) {
  const ExplainSpan w = matrix_name(matrix), from = name(own_name(x));
  return write(ask, {x, {ask.index(0), ask.index(1), ask.index(2), 0}}, "c", ask.index(3),
               formula({sign(ask.leaf + "[h, i, d] = Σ_c " + own_name(x) + "[h, i, c] " + w.text + "[c, d]",
                             "\\text{" + escape_latex(ask.leaf) + "}_{h,i,d} = \\sum_c \\text{" + escape_latex(own_name(x)) +
                                 "}_{h,i,c}\\, " + w.latex + "[c, d]")}),
               say(Tone::quiet, "{}, position {}; column {} of {}", {from, whole(ask.index(2)), whole(ask.index(3)), w}));
}

// The two products of a 2-D stack, which run over the last axis of one token's numbers: y[i, c] or y[i, c, f].
Result<Answer> write_stacked(const Question& ask, const std::string& x, const std::string& matrix) {
  const bool last = ask.step.shape.size() == 3;
  const ExplainSpan w = matrix_name(matrix), from = name(own_name(x));
  const std::string r = last ? "f" : "h", column = last ? "0" : "f", y = last ? "[i, c]" : "[i, c, f]";
  return write(ask, {x, {ask.index(0), ask.index(1), ask.index(2), 0}}, r, last ? 0 : ask.index(3),
               formula({sign(ask.leaf + y + " = tanh(Σ_" + r + " " + own_name(x) + "[i, c, " + r + "] " + w.text + "[" + r +
                                 ", " + column + "])",
                             "\\text{" + escape_latex(ask.leaf) + "}" + (last ? "_{i,c}" : "_{i,c,f}") +
                                 " = \\mathrm{tanh}\\Bigl(\\sum_" + r + " \\text{" + escape_latex(own_name(x)) + "}_{i,c," + r +
                                 "}\\, " + w.latex + "[" + r + ", " + column + "]\\Bigr)")}),
               say(Tone::quiet, "{}, position {}, dimension {}: a number of every head, times column {} of {}",
                   {from, whole(ask.index(1)), whole(ask.index(2)), whole(last ? 0 : ask.index(3)), w}));
}

// q, k, v.
Result<Answer> write_projection(const Question& ask) {
  const std::string *x = ask.input(0), *matrix = ask.input(0, true), *bias = ask.input(1, true);
  if (!x || !matrix) return invalid("this step names no input and no matrix").at(ask.at.step);
  if (ask.step.role == Role::stack_hidden) return write_stacked(ask, *x, *matrix);
  if (const Step* from = ask.trace.find(*x); from && from->shape.size() == 4) return write_rows_of_heads(ask, *x, *matrix);
  const std::int64_t d_k = ask.step.shape[3], column = ask.index(1) * d_k + ask.index(3);
  const ExplainSpan w = matrix_name(*matrix);
  const std::string& y = ask.leaf;
  std::vector<ExplainSpan> symbols{sign(y + "[h, i, d] = Σ_c x[i, c] " + w.text + "[c, h·d_k + d]",
                                        y + "_{h,i,d} = \\sum_c x_{i,c}\\, " + w.latex + "[c,\\, h d_k + d]")};
  if (bias) {
    const ExplainSpan b = matrix_name(*bias);
    symbols.push_back(sign(" + " + b.text + "[h·d_k + d]", " + " + b.latex + "[h d_k + d]"));
  }
  const bool shared = ask.site && group_of(*ask.site) > 1 && ask.step.shape[1] == ask.site->kv_heads;
  return write(ask, {*x, {ask.index(0), ask.index(2), 0}}, "c", column, formula(std::move(symbols)),
               say(Tone::quiet,
                   shared ? "x = {}, position {}; column {} of {}: key head {}, dimension {}"
                          : "x = {}, position {}; column {} of {}: head {}, dimension {}",
                   {name(own_name(*x)), whole(ask.index(2)), whole(column), w, whole(ask.index(1)), whole(ask.index(3))}));
}

// attention_output, mlp_hidden, mlp_output. A projection whose columns go to heads has an index a head.
Result<Answer> write_linear(const Question& ask) {
  if (ask.step.shape.size() == 4) return write_projection(ask);
  const std::string *x = ask.input(0), *matrix = ask.input(0, true), *bias = ask.input(1, true);
  if (!x || !matrix) return invalid("this step names no input and no matrix").at(ask.at.step);
  if (const Step* from = ask.trace.find(*x); from && from->shape.size() == 4) return write_stacked(ask, *x, *matrix);
  const ExplainSpan w = matrix_name(*matrix);
  const std::string y = ask.leaf, r = axis_of(ask.trace, *x),
                    c = !ask.step.axes.empty() && ask.step.axes.back() == "d_ff" ? "f" : "c", running = r == c ? "r" : r;
  const Activation activation = activation_of(ask.step);
  std::string text = "Σ_" + running + " x[i, " + running + "] " + w.text + "[" + running + ", " + c + "]";
  std::string latex = "\\sum_" + running + " x_{i," + running + "}\\, " + w.latex + "[" + running + ", " + c + "]";
  if (bias) {
    const ExplainSpan b = matrix_name(*bias);
    text += " + " + b.text + "[" + c + "]";
    latex += " + " + b.latex + "[" + c + "]";
  }
  if (activation.words) {
    text = std::string(activation.words) + "(" + text + ")";
    latex = std::string("\\mathrm{") + activation.words + "}\\Bigl(" + latex + "\\Bigr)";
  }
  return write(ask, {*x, {ask.index(0), ask.index(1), 0}}, running, ask.index(2),
               formula({sign(y + "[i, " + c + "] = " + text, "\\text{" + escape_latex(y) + "}_{i," + c + "} = " + latex)}),
               say(Tone::quiet, "x = {}, position {}; column {} of {}",
                   {name(own_name(*x)), whole(ask.index(1)), whole(ask.index(2)), w}));
}

}  // namespace

const OperationWords linear_words{write_linear};

}  // namespace headlight::explaining
