#include "engine/insight/operation_words.h"

#include <map>

#include "engine/operations/operations.h"

namespace headlight::explaining {

const OperationWords formula_words{write_formula};

const OperationWords& words_of(const operations::Kind& operation) {
  static const std::map<const operations::Kind*, const OperationWords*> words_by_kind{
#define OPERATION(Op, words) {&operations::kind_of<operations::Op>(), &(words)},
#include "engine/operations/list.inc"
#undef OPERATION
  };
  const auto at = words_by_kind.find(&operation);
  return at == words_by_kind.end() ? formula_words : *at->second;
}

}  // namespace headlight::explaining
