// Rows of a table: the tokens' embeddings.
#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_embedding(const Question& ask) {
  const std::string *ids = ask.input(0), *table = ask.input(0, true);
  if (!ids || !table) return invalid("this step names no tokens and no table").at(ask.at.step);
  const ValueAddress token{*ids, {ask.index(0), ask.index(1)}};
  HL_ASSIGN(const double id, read(ask.trace, token));
  const ValueAddress cell{*table, {static_cast<std::int64_t>(id), ask.index(2)}};
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, cell));
  ExplainSpan id_span = whole(static_cast<std::int64_t>(id));
  id_span.at = token;
  answer.sections = {
      {"formula",
       {formula({sign("embedding[i, c] = E[tokens[i], c]", "\\text{embedding}_{i,c} = E[\\text{tokens}_i,\\, c]")}),
        say(Tone::quiet, "the same as a one-hot row times E: only the row of the token is left")}},
      {"with its numbers",
       {formula({sign("tokens[" + std::to_string(ask.index(1)) + "] = ", "\\text{tokens} = "), id_span}),
        formula({sign("E[" + std::to_string(static_cast<std::int64_t>(id)) + ", " + std::to_string(ask.index(2)) + "] = "),
                 number(answer.computed, cell)})}}};
  return answer;
}

}  // namespace

const OperationWords gather_words{write_embedding};

}  // namespace headlight::explaining
