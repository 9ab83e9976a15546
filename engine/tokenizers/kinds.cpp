#include "engine/tokenizers/kinds.h"

namespace headlight::tokenizers {

TokenizerPlan plan_of(const std::string& kind, Vocabulary vocabulary, Merges merges, const KindOptions& options) {
  TokenizerPlan plan;
  plan.normalizers = options.normalizers;
  plan.model = {kind, {}};
  if (kind == "characters") {
    plan.splitters = {{"graphemes", {}}};
    plan.decoders = {{"byte_fallback", {}}};
  } else if (kind == "bpe") {
    plan.splitters = {{options.splitter, {}}};
    plan.model.values["alphabet"] = std::string(options.bytes ? "bytes" : "corpus");
    plan.decoders = {{options.bytes ? "byte_level" : "plain", {}}};
  } else if (kind == "unigram") {
    plan.splitters = {{"pattern", {{"expression", std::string("\\s")}, {"matches", std::string("removed")}}}, {"metaspace", {}}};
    plan.decoders = {{"metaspace", {}}};
  } else {
    plan.splitters = {{"words", {}}};
    plan.decoders = {{kind == "wordpiece" ? "wordpiece" : "words", {}}};
  }
  const auto name = [&](Role role) { return vocabulary.piece(vocabulary.special(role)); };
  plan.post_processor = bracket_template(name(Role::begin), name(Role::end));
  plan.vocabulary = std::move(vocabulary);
  plan.merges = std::move(merges);
  return plan;
}

}  // namespace headlight::tokenizers
