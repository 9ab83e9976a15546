// explain_token: what a token is before any attention has looked at it.
#include <cmath>
#include <cstdio>

#include "engine/pipeline/explain.h"

namespace headlight {
namespace {

using Tone = ExplainLine::Tone;

std::string first_numbers(const std::vector<double>& values, std::size_t count) {
  std::string text;
  char number[24];
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i) {
    std::snprintf(number, sizeof number, "%s%.3f", i ? "  " : "", values[i]);
    text += number;
  }
  return values.size() > count ? text + " …" : text;
}

// One row of [batch, position, d] or [position, d] (positions are the same for every sentence); empty without the step.
Result<std::vector<double>> row_of(const Trace& trace, const std::string& name, std::int64_t batch, std::int64_t index) {
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
    return not_found("there is no sentence " + std::to_string(batch), {}, "there are " + std::to_string(sentences.size()));
  const Sentence& sentence = sentences[static_cast<std::size_t>(batch)];
  if (index < 0 || index >= static_cast<std::int64_t>(sentence.tokens.size()))
    return not_found("there is no token " + std::to_string(index), {},
                     "the sentence has " + std::to_string(sentence.tokens.size()));
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
  HL_ASSIGN(e.embedding, row_of(trace, prefix + "embedding", batch, index));
  HL_ASSIGN(e.position_code, row_of(trace, prefix + "position", batch, index));
  HL_ASSIGN(e.input, row_of(trace, prefix + "input", batch, index));
  if (const Step* step = trace.find(prefix + "embedding")) e.random_weights = step->random_weights;

  ExplainSection token_section{"1 token", {}};
  token_section.lines.push_back({Tone::plain, "id " + std::to_string(e.id) + ", piece \"" + e.piece + "\""});
  token_section.lines.push_back(
      {Tone::plain, e.bytes.empty() ? "added by us: no bytes of the text"
                                    : "bytes " + std::to_string(e.start) + ".." + std::to_string(e.end) + ": " + e.bytes});
  e.sections.push_back(std::move(token_section));
  const auto vector_section = [&](const char* title, const std::vector<double>& values, const std::string& words) {
    if (values.empty()) return;
    e.sections.push_back({title, {{Tone::quiet, words}, {Tone::plain, first_numbers(values, 5)}}});
  };
  const std::string d = std::to_string(e.embedding.size());
  vector_section("2 embedding", e.embedding,
                 "row " + std::to_string(e.id) + " of the table, " + d + " numbers" + (e.random_weights ? ", random" : ""));
  vector_section("3 position", e.position_code, trace.document().position + ", position " + std::to_string(index));
  vector_section("4 input", e.input, e.position_code.empty() ? "the embedding alone" : "embedding + position");
  return e;
}

std::string to_text(const TokenExplanation& e) {
  std::string text = "token " + std::to_string(e.position) + ": " + e.label + "\n";
  for (const ExplainSection& section : e.sections) {
    text += "\n" + section.title + "\n";
    for (const ExplainLine& line : section.lines) text += "  " + line.text + "\n";
  }
  return text;
}

}  // namespace headlight
