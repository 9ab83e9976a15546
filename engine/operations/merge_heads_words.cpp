// The heads' results side by side.
#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_concat(const Question& ask) {
  const Step* context = ask.trace.step_at(ask.prefix, Role::context);
  if (!context || context->shape.size() != 4) return invalid("this trace has no context to put side by side").at(ask.at.step);
  const std::int64_t d_k = context->shape[3], head = ask.index(2) / d_k, d = ask.index(2) % d_k;
  const ValueAddress from{context->name, {ask.index(0), head, ask.index(1), d}};
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, from));
  answer.sections = {
      {"formula",
       {formula({sign("concat[i, h·d_k + d] = context[h, i, d], d_k = " + std::to_string(d_k),
                      "\\text{concat}_{i,\\,h d_k + d} = \\text{context}_{h,i,d},\\quad d_k = " + std::to_string(d_k))}),
        say(Tone::quiet, "column {} is dimension {} of head {}: nothing is computed, only moved",
            {whole(ask.index(2)), whole(d), whole(head)})}},
      {"with its numbers", {formula({sign("= "), number(answer.computed, from)})}}};
  return answer;
}

}  // namespace

const OperationWords merge_heads_words{write_concat};

}  // namespace headlight::explaining
