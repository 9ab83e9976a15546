// explain_value: every step of traces of all kinds of documents, at random addresses, computed again in double and compared with
// the result of run().
#include "engine/insight/explain_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include "engine/insight/explain.h"
#include "engine/operations/attention_fill.h"
#include "engine/operations/operation.h"
#include "tests/support/small_trace.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

using tests::trace_of;

Document explain_value_small() {
  Document document;
  document.texts = {"a fluffy blue creature"};
  document.d_model = 24;
  document.heads = 3;
  document.layers = 2;
  return document;
}

struct Kind {
  const char* name;
  Document document;
};
std::vector<Kind> kinds() {
  std::vector<Kind> all;
  const auto add = [&](const char* name, auto change) {
    Document document = explain_value_small();
    change(document);
    all.push_back({name, std::move(document)});
  };
  add("pre norm", [](Document&) {});
  add("post norm, causal", [](Document& d) {
    d.norm = "post";
    d.masks = {{"causal", {}}};
  });
  add("RMSNorm behind the sum", [](Document& d) {
    d.norm = "post";
    d.norm_kind = "rms";
  });
  add("no norm, no bias, no residual", [](Document& d) {
    d.norm = "none";
    d.bias = d.residual = false;
    d.position = "learned";
  });
  add("unprojected", [](Document& d) {
    d.projected = false;
    d.heads = 1;
    d.position = "none";
    d.scale = "none";
  });
  add("positions in binary", [](Document& d) { d.position = "binary"; });
  add("encoder and decoder, a batch with padding", [](Document& d) {
    d.texts = {"a fluffy blue creature", "man bites dog"};
    d.targets = {"le chat", "un homme mord le chien"};
    d.masks = {{"padding", {}}, {"causal", {}}};
    d.temperature = 0.7;
  });
  add("global tokens over a dilated window", [](Document& d) {
    d.masks = {
        {"causal", {}}, {"dilated", {}}, {"block", {{"size", std::int64_t{2}}}}, {"global", {{"positions", std::string("1+3")}}}};
  });
  add("padding that is attended", [](Document& d) { d.texts = {"one two three four", "five"}; });
  const auto blind = [](Document& d) {  // query 1 may attend to nothing
    d.masks = {{"custom", {}}, {"window", {{"size", std::int64_t{2}}}}};
    d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 8, {1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}});
    d.texts = {"man bites dog"};
    d.tokenizer = "words";
  };
  add("a fully masked row", blind);
  add("a fully masked row under -1e9", [&](Document& d) {
    blind(d);
    d.mask_fill = operations::MaskFill::minus_1e9;
  });
  add("in double to the end", [](Document& d) {
    d.backend = "reference";
    d.masks = {{"causal", {}}};
    d.norm = "post";
  });
  return all;
}

ValueAddress drawn(const std::string& step, const Shape& shape, std::mt19937& random) {
  ValueAddress at{step, {}};
  for (const std::int64_t size : shape)
    at.index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
  return at;
}

void expect_it_adds_up(const ValueExplanation& e) {
  for (const ExplainSection& section : e.sections) {
    if (std::isnan(section.total)) continue;
    double sum = 0, sizes = 0;
    for (const ExplainLine& line : section.lines)
      if (line.kind == ExplainLine::Kind::term || line.kind == ExplainLine::Kind::rest) {
        sum += line.spans.back().value;
        sizes += std::abs(line.spans.back().value);
      }
    // Additions in double, in another order.
    EXPECT_NEAR(sum, section.total, 1e-13 * (1 + sizes)) << e.name << ", " << section.title;
  }
}

void expect_right(const Trace& trace, const ValueAddress& at) {
  const auto e = explain_value(trace, at);
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  const auto whole = trace.values(at.step);
  ASSERT_TRUE(whole.ok());
  const double held = whole->at(std::span<const std::int64_t>(at.index));
  // A tile may round differently from the whole step.
  if (held != e->value) {
    EXPECT_NEAR(held, e->value, 2e-6 * (1 + std::abs(held))) << e->name;
  }
  if (e->value != e->computed) {  // infinities are equal
    EXPECT_LE(std::abs(e->value - e->computed), e->tolerance) << e->address.step << " " << e->name;
  }
  // The tolerance must be too small for a wrong formula to pass: far below the numbers of this model, which are of size 1.
  const bool is_double = trace.find(at.step) && trace.find(at.step)->dtype == DType::f64;
  EXPECT_LE(e->tolerance, (is_double ? 1e-12 : 1e-3) * (1 + std::abs(e->computed))) << e->name;
  for (const auto& input : e->inputs) {
    EXPECT_TRUE(has_value(trace, input.address)) << e->name << " names " << input.address.step;
    EXPECT_FALSE(input.words.empty());
    const auto values = trace.values(input.address.step);
    ASSERT_TRUE(values.ok());
    const double there = values->at(std::span<const std::int64_t>(input.address.index));
    if (there != input.value) {
      EXPECT_NEAR(there, input.value, 2e-6 * (1 + std::abs(there))) << e->name << " <- " << input.words;
    }
  }
  EXPECT_GE(e->sections.size(), 2u);
  expect_it_adds_up(*e);
  const std::string text = to_text(*e), latex = to_latex(*e);
  EXPECT_NE(text.find(e->name), std::string::npos);
  for (const char c : latex) EXPECT_TRUE(static_cast<unsigned char>(c) < 128) << latex;
}

TEST(ExplainValue, EveryNumberOfEveryStepIsComputedAgain) {
  std::mt19937 random(20261121);
  std::set<std::string> leaves;
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const auto trace = trace_of(kind.document);
    ASSERT_TRUE(trace);
    for (const Step& step : trace->steps()) {
      leaves.insert(step.name.substr(step.name.rfind('.') + 1));
      for (int i = 0; i < 6; ++i) expect_right(*trace, drawn(step.name, step.shape, random));
    }
    for (const NamedParameter& parameter : trace->parameters())
      for (int i = 0; i < 2; ++i) expect_right(*trace, drawn(parameter.name, parameter.shape, random));
  }
  std::istringstream of_the_course(
      "tokens embedding position input attention_norm q_projected q_view q k_projected k_view k v_projected v_view v "
      "k_transposed "
      "scores scaled_scores padding_mask padding_mask_unsqueezed causal_mask causal_mask_unsqueezed mask masked_scores weights "
      "context context_transposed context_copied concat attention_output attention_residual mlp_norm mlp_hidden mlp_output "
      "mlp_residual");
  for (std::string leaf; of_the_course >> leaf;) EXPECT_TRUE(leaves.contains(leaf)) << leaf;
}

TEST(ExplainValue, TheFullyMaskedRowIsNamed) {
  for (const Kind& kind : kinds()) {
    if (!std::string(kind.name).starts_with("a fully masked row")) continue;
    SCOPED_TRACE(kind.name);
    const auto trace = trace_of(kind.document);
    const bool infinite = kind.document.mask_fill == operations::MaskFill::minus_infinity;
    for (std::int64_t key = 0; key < 3; ++key) {
      const auto masked = explain_value(*trace, {"layer.0.masked_scores", {0, 0, 1, key}});
      ASSERT_TRUE(masked.ok());
      EXPECT_EQ(masked->computed, infinite ? -INFINITY : -1e9);
      const auto weight = explain_value(*trace, {"layer.0.weights", {0, 0, 1, key}});
      ASSERT_TRUE(weight.ok());
      EXPECT_NEAR(weight->computed, infinite ? 0.0 : 1.0 / 3, 1e-15);
      expect_right(*trace, {"layer.0.weights", {0, 0, 1, key}});
    }
  }
}

// The chain back to the text: from a late number, every first input that is a step leads to an earlier one, down to the tokens.
TEST(ExplainValue, LinksLeadBackToTheTokens) {
  const auto trace = trace_of(explain_value_small());
  std::vector<std::string> order;
  for (const Step& step : trace->steps()) order.push_back(step.name);
  const auto place = [&](const std::string& step) { return std::find(order.begin(), order.end(), step) - order.begin(); };
  ValueAddress at{"layer.1.mlp_residual", {0, 2, 5}};
  int steps = 0;
  for (; at.step != "tokens" && steps < 60; ++steps) {
    const auto e = explain_value(*trace, at);
    ASSERT_TRUE(e.ok()) << e.error().sentence();
    const auto next = std::find_if(e->inputs.begin(), e->inputs.end(), [&](const auto& in) {
      return trace->find(in.address.step) && place(in.address.step) < place(at.step);
    });
    ASSERT_NE(next, e->inputs.end()) << at.step << " leads nowhere";
    at = next->address;
  }
  EXPECT_EQ(at.step, "tokens");
  EXPECT_GT(steps, 3);
}

TEST(ExplainValue, AStepThatNothingKnowsIsNamedByItsAxesAndShownByItsFormula) {
  const auto trace = tests::three_words(false);
  trace->put("layer.0.turned", Tensor::of<double>({1, 2, 3, 4, 5, 6}, {1, 1, 2, 3}), {"layer.0.k"});
  Step& step = trace->steps_.back();
  step.axes = {"batch", "head", "d_k", "position"};
  static const operations::Kind sharpen{.id = "sharpen"};
  step.operation = "sharpen";
  step.computed_by = sharpen;
  step.formula = "turned = k, sharpened";
  const ValueAddress at{"layer.0.turned", {0, 0, 1, 2}};
  EXPECT_EQ(value_name(*trace, at), "turned[1, ·both]");
  const auto e = explain_value(*trace, at);
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  EXPECT_EQ(e->value, 6);
  EXPECT_EQ(e->check, ValueCheck::none) << "nothing here can compute it again";
  const std::string text = to_text(*e);
  EXPECT_NE(text.find("turned = k, sharpened"), std::string::npos) << text;
  EXPECT_NE(text.find("layer.0.k"), std::string::npos) << text;
}

TEST(ExplainValue, NamesAndCrumbs) {
  Document document = explain_value_small();
  document.texts = {"man bites dog", "dog"};
  document.tokenizer = "words";
  document.targets = {"le chat", "un chat"};
  const auto trace = trace_of(document);
  EXPECT_EQ(value_name(*trace, {"decoder.layer.1.cross.weights", {1, 2, 0, 2}}), "weights[[UNK] → [PAD]]");
  EXPECT_EQ(value_name(*trace, {"decoder.layer.1.cross.k", {0, 2, 2, 7}}), "k[dog, 7]")
      << "a key of cross-attention is of the source";
  EXPECT_EQ(value_name(*trace, {"decoder.layer.1.q", {0, 2, 1, 7}}), "q[chat, 7]");
  EXPECT_EQ(value_name(*trace, {"parameters.encoder.layer.0.wq", {3, 4}}), "wq[3, 4]");
  EXPECT_EQ(value_name(*trace, {"encoder.position", {2, 9}}), "position[2, 9]");
  EXPECT_EQ(value_name(*trace, {"encoder.tokens", {0, 1}}), "tokens[bites]");
  std::string crumbs;
  for (const auto& crumb : value_crumbs(*trace, {"decoder.layer.1.cross.weights", {1, 2, 0, 2}})) crumbs += crumb.text + "/";
  EXPECT_EQ(crumbs, "decoder/layer 1/cross-attention/head 2/sentence 2/");
}

TEST(ExplainValue, NamesWhatIsNotThere) {
  const auto trace = trace_of(explain_value_small());
  for (const ValueAddress& at : std::vector<ValueAddress>{{"layer.9.q", {0, 0, 0, 0}},
                                                          {"layer.0.q", {0, 0, 0, 99}},
                                                          {"layer.0.q", {0, 0, -1, 0}},
                                                          {"layer.0.q", {0, 0}},
                                                          {"parameters.layer.0.wq", {24, 0}},
                                                          {"", {}}}) {
    EXPECT_FALSE(has_value(*trace, at));
    const auto e = explain_value(*trace, at);
    ASSERT_FALSE(e.ok()) << at.step;
    EXPECT_EQ(e.error().kind, ErrorKind::not_found);
  }
}

TEST(ExplainValue, AParameterSaysItsSeedAndItsDeviation) {
  Document document = explain_value_small();
  document.seed = 41;
  const auto trace = trace_of(document);
  const std::string text = to_text(*explain_value(*trace, {"parameters.layer.0.wq", {3, 4}}));
  EXPECT_NE(text.find("seed 41"), std::string::npos) << text;
  EXPECT_NE(text.find("standard deviation 0.2041"), std::string::npos) << text;  // 1 / sqrt(24)
}

std::string words_of(const ValueExplanation& e) { return to_text(e.sections); }

// What is set has nothing to be compared with, and does not claim to have been.
TEST(ExplainValue, WhatIsSetClaimsNoCheck) {
  const auto trace = trace_of(explain_value_small());
  int set = 0;
  for (const NamedParameter& parameter : trace->parameters()) {
    if (parameter.origin == Origin::random) continue;
    ++set;
    const auto e = explain_value(*trace, {parameter.name, std::vector<std::int64_t>(parameter.shape.size(), 0)});
    ASSERT_TRUE(e.ok()) << e.error().sentence();
    EXPECT_EQ(e->check, ValueCheck::none) << parameter.name;
    EXPECT_EQ(words_of(*e).find("the same"), std::string::npos) << words_of(*e);
    EXPECT_NE(words_of(*e).find("nothing to compute again"), std::string::npos) << words_of(*e);
  }
  EXPECT_GT(set, 0) << "gammas and betas";
}

// The table in the trace is set beside numbers that are drawn one by one, not beside the table made once more: another table is
// found.
TEST(ExplainValue, ALearnedPositionThatWasNotDrawnDiffers) {
  Document document = explain_value_small();
  document.position = "learned";
  const auto trace = trace_of(document);
  const auto held = trace->values("position");
  ASSERT_TRUE(held.ok());
  tests::SmallTrace copy;
  copy.document_ = document;
  const Tensor right = held->as(DType::f64).compact();
  copy.put("position", right);
  const ValueAddress at{"position", {2, 7}};
  const auto same = explain_value(copy, at);
  ASSERT_TRUE(same.ok()) << same.error().sentence();
  EXPECT_EQ(same->check, ValueCheck::drawn);
  EXPECT_EQ(same->computed, right.at({2, 7}));
  EXPECT_NE(words_of(*same).find("drawn again from the seed"), std::string::npos) << words_of(*same);
  EXPECT_NE(words_of(*same).find("the same"), std::string::npos) << words_of(*same);

  Tensor wrong(DType::f64, right.shape());
  std::copy_n(right.data<double>(), right.count(), wrong.data<double>());
  std::swap(wrong.data<double>()[2 * right.dim(1) + 7], wrong.data<double>()[2 * right.dim(1) + 8]);
  copy.values_["position"] = wrong;
  const auto other = explain_value(copy, at);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(words_of(*other).find("they differ"), std::string::npos) << words_of(*other);
}

TEST(ExplainValue, ADrawnNumberThatIsAnotherDiffers) {
  tests::SmallTrace trace;
  trace.put_parameter("parameters.layer.0.wq", Tensor::of<double>({0.25, 0.5, 0.75, 1}, {2, 2}));
  trace.parameters_.back().deviation = 0.5;
  const auto e = explain_value(trace, {"parameters.layer.0.wq", {1, 1}});
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  EXPECT_NE(words_of(*e).find("they differ"), std::string::npos) << words_of(*e);
}

TEST(ExplainLatex, EscapesTokensAndBalances) {
  EXPECT_EQ(escape_latex("a_b{c}%$&#\\^~"), "a\\_b\\{c\\}\\%\\$\\&\\#\\textbackslash{}\\textasciicircum{}\\textasciitilde{}");
  EXPECT_EQ(escape_latex("·爱"), "\\textperiodcentered{}U+7231");
  EXPECT_EQ(number_latex(1.5e-7), "1.5 \\cdot 10^{-7}");
  Document document = explain_value_small();
  document.texts = {"50% of {my_cat} & 我爱 $x^2$ #1 \\ ~ 😀"};
  document.tokenizer = "characters";
  document.masks = {{"causal", {}}};
  document.layers = 1;
  const auto trace = trace_of(document);
  std::vector<std::string> texts;
  for (const Step& step : trace->steps()) {
    ValueAddress at{step.name, std::vector<std::int64_t>(step.shape.size(), 0)};
    // The ninth token, where the step has one.
    for (std::size_t axis = 0; axis < step.axes.size(); ++axis)
      if ((step.axes[axis] == "position" || step.axes[axis] == "query" || step.axes[axis] == "key") && step.shape[axis] > 8)
        at.index[axis] = 8;
    texts.push_back(to_latex(*explain_value(*trace, at)));
  }
  for (std::int64_t i = 0; i < 30; ++i) {
    texts.push_back(to_latex(*explain_cell(*trace, {"layer.0.", 0, 0, i, i / 2})));
    texts.push_back(to_latex(*explain_token(*trace, false, 0, i)));
  }
  for (const std::string& latex : texts) {
    int depth = 0, dollars = 0, opened = 0, closed = 0;
    for (std::size_t i = 0; i < latex.size(); ++i) {
      ASSERT_LT(static_cast<unsigned char>(latex[i]), 128) << latex;
      if (latex[i] == '\\') {
        opened += latex.compare(i, 7, "\\begin{") == 0;
        closed += latex.compare(i, 5, "\\end{") == 0;
        ++i;
        continue;
      }
      depth += latex[i] == '{' ? 1 : latex[i] == '}' ? -1 : 0;
      ASSERT_GE(depth, 0) << latex;
      dollars += latex[i] == '$';
      EXPECT_NE(latex[i], '#') << latex;
      EXPECT_NE(latex[i], '~') << latex;
    }
    EXPECT_EQ(depth, 0) << latex;
    EXPECT_EQ(dollars % 2, 0) << latex;
    EXPECT_EQ(opened, closed);
    EXPECT_NE(latex.find("amsmath"), std::string::npos);
  }
}

TEST(ExplainValue, ATraceByHandKnowsEveryNumber) {
  const auto trace = tests::three_words(true);
  const auto score = explain_value(*trace, {"layer.0.scores", {0, 0, 2, 2}});
  ASSERT_TRUE(score.ok()) << score.error().sentence();
  EXPECT_EQ(score->computed, 3);  // (1, 1) . (1, 2)
  const std::string text = to_text(*score);
  EXPECT_NE(text.find("d 1: 1.0000 · 2.0000 = 2.0000"), std::string::npos) << text;
  EXPECT_EQ(explain_value(*trace, {"layer.0.masked_scores", {0, 0, 0, 1}})->computed, -INFINITY);
}

}  // namespace
}  // namespace headlight
