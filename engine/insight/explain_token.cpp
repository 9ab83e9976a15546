// explain_token: what a token is before any attention.
#include <cmath>
#include <cstdio>

#include "engine/insight/explain_parts.h"

namespace headlight {
namespace {

using namespace explaining;

// The vector's first numbers, each with a link to itself.
ExplainLine first_numbers(const std::vector<double>& values, const ValueAddress& first) {
  constexpr std::size_t kShown = 4;
  std::vector<ExplainSpan> spans;
  for (std::size_t c = 0; c < std::min(kShown, values.size()); ++c) {
    if (c) spans.push_back(sign("  ", "\\quad "));
    ValueAddress at = first;
    at.index.back() = static_cast<std::int64_t>(c);
    spans.push_back(number(values[c], std::move(at)));
  }
  if (values.size() > kShown) spans.push_back(sign(" …", "\\ \\dots"));
  return formula(std::move(spans));
}

// One row of [batch, position, d] or [position, d] (positions are the same for every sentence); empty if there is no such step.
Result<std::vector<double>> explain_token_row_of(const Trace& trace, const std::string& name, std::int64_t batch,
                                                 std::int64_t index) {
  if (!trace.find(name)) return std::vector<double>{};
  HL_ASSIGN(Tensor values, trace.values(name));
  while (values.rank() > 2) values = values.select(0, values.dim(0) == 1 ? 0 : batch);
  if (values.rank() != 2 || index >= values.dim(0)) return std::vector<double>{};
  const Tensor row = values.select(0, index).as(DType::f64).compact();
  const auto span = row.values<double>();
  return std::vector<double>(span.begin(), span.end());
}

}  // namespace

Result<TokenExplanation> explain_token(const Trace& trace, bool of_targets, std::int64_t batch, std::int64_t index) {
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  if (batch < 0 || batch >= static_cast<std::int64_t>(sentences.size()))
    return not_found("there is no sentence {}", batch).mend("there are {}", sentences.size());
  const Sentence& sentence = sentences[static_cast<std::size_t>(batch)];
  if (index < 0 || index >= static_cast<std::int64_t>(sentence.tokens.size()))
    return not_found("there is no token {}", index).mend("the sentence has {}", sentence.tokens.size());
  const tokenizers::Token& token = sentence.tokens[static_cast<std::size_t>(index)];
  TokenExplanation e;
  e.label = sentence.labels[static_cast<std::size_t>(index)];
  e.piece = token.piece;
  e.id = token.id;
  e.position = index;
  e.start = token.start;
  e.end = token.end;
  char hex[8];
  for (std::int64_t i = std::max<std::int64_t>(0, token.start);
       i < token.end && i < static_cast<std::int64_t>(sentence.text.size()); ++i) {
    std::snprintf(hex, sizeof hex, "%s%02x", e.bytes.empty() ? "" : " ",
                  static_cast<unsigned char>(sentence.text[static_cast<std::size_t>(i)]));
    e.bytes += hex;
  }
  const std::string prefix = trace.targets().empty() ? "" : of_targets ? "decoder." : "encoder.";
  HL_ASSIGN(e.embedding, explain_token_row_of(trace, trace.name_at(prefix, Role::embedding), batch, index));
  HL_ASSIGN(e.position_code, explain_token_row_of(trace, trace.name_at(prefix, Role::position), batch, index));
  HL_ASSIGN(e.input, explain_token_row_of(trace, trace.name_at(prefix, Role::input), batch, index));
  if (const Step* step = trace.step_at(prefix, Role::embedding)) e.random_weights = step->origin == Origin::random;

  ExplainSpan id = whole(e.id);
  if (const Step* tokens = trace.step_at(prefix, Role::tokens)) id.at = {tokens->name, {batch, index}};
  ExplainSection token_section{"1 token", {}};
  token_section.lines.push_back(say(Tone::plain, "id {}, piece {}", {std::move(id), name("\"" + e.piece + "\"")}));
  token_section.lines.push_back(e.bytes.empty()
                                    ? say(Tone::plain, "added by us: no bytes of the text")
                                    : say(Tone::plain, "bytes {}..{}: {}", {whole(e.start), whole(e.end), name(e.bytes)}));
  e.sections.push_back(std::move(token_section));
  const auto vector_section = [&](const char* title, const std::vector<double>& values, ExplainLine words, Role role) {
    if (values.empty()) return;
    ValueAddress first{trace.name_at(prefix, role), {batch, index, 0}};
    if (const Step* found = trace.find(first.step); found && found->shape.size() == 2) first.index = {index, 0};
    ExplainLine strip;
    strip.kind = ExplainLine::Kind::strip;
    strip.values = values;
    strip.axis = "c";
    strip.first = first;
    strip.running = static_cast<int>(first.index.size()) - 1;
    e.sections.push_back({title, {std::move(words), first_numbers(values, first), std::move(strip)}});
  };
  const std::vector<ExplainSpan> row{whole(e.id), whole(static_cast<std::int64_t>(e.embedding.size()))};
  vector_section("2 embedding", e.embedding,
                 e.random_weights ? say(Tone::quiet, "row {} of the table, {} numbers, random", row)
                                  : say(Tone::quiet, "row {} of the table, {} numbers", row),
                 Role::embedding);
  vector_section("3 position", e.position_code,
                 say(Tone::quiet, "{}, position {}", {name(trace.document().position), whole(index)}), Role::position);
  vector_section(e.position_code.empty() ? "3 input" : "4 input", e.input,
                 e.position_code.empty() ? say(Tone::quiet, "the embedding alone") : say(Tone::quiet, "embedding + position"),
                 Role::input);
  return e;
}

std::string to_text(const TokenExplanation& e) {
  return "token " + std::to_string(e.position) + ": " + e.label + "\n" + to_text(e.sections);
}

std::string to_latex(const TokenExplanation& e) {
  return "% needs \\usepackage{amsmath}\n\\noindent\\textbf{token " + std::to_string(e.position) + ": " + escape_latex(e.label) +
         "}\n" + to_latex(e.sections);
}

}  // namespace headlight
