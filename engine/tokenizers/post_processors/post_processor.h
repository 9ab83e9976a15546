// The interface of post-processors and their registry. A post-processor puts special tokens around one sentence or a pair, and
// gives every token a type id. One file a kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/registry_stage.h"
#include "engine/tokenizers/models/token.h"
#include "engine/tokenizers/models/vocabulary.h"

namespace headlight::tokenizers {

class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  // The tokens of sentence `a`, and of `b` if it is not null, with the special tokens around them. An added token has start ==
  // end, the end of its sentence so far.
  // process(a, nullptr) is of one sentence, process(a, &b) of a pair.
  virtual Encoding process(const std::vector<Token>& a, const std::vector<Token>* b) const = 0;
  // Changes the place of a token of `text`, if the tokenizer leaves spaces out of it. `read`: its piece, or what of the text is
  // an added token, after the normalisers if they come before it. `begins`: it is the text's first.
  virtual void place(Token& token, std::string_view read, bool begins, std::string_view text) const = 0;
  // Whether a text may be cut: its parts, post-processed one by one, then give the whole text's result. False if tokens are
  // added.
  virtual bool may_cut() const = 0;
};

struct PostProcessorEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  // Errors: a special token that the vocabulary lacks.
  Result<std::shared_ptr<const PostProcessor>> (*make)(const Values& values, const Vocabulary& vocabulary) = nullptr;
};

const Registry<PostProcessorEntry>& post_processor_registry();

// The entries, each in its own file.
PostProcessorEntry template_post_processor();

// The words of a template: "[SEP]:1" has the name [SEP] and the type id 1, "$B" the name B and `sentence`.
struct TemplateWord {
  std::string name;
  std::int32_t type = 0;
  bool sentence = false;
};
std::vector<TemplateWord> template_words(const std::string& text);
// A special token's name as a template writes it: in_template("a b") gives "a\\ b".
std::string in_template(const std::string& name);

// The template of BERT with other special tokens: `before` stands before the first sentence, `after` after each sentence. An
// empty name is left out. The second sentence and the token after it have type id 1.
// bracket_template("[CLS]", "[SEP]") gives single "[CLS] $A [SEP]" and pair "[CLS] $A [SEP] $B:1 [SEP]:1".
Choice bracket_template(const std::string& before, const std::string& after);

}  // namespace headlight::tokenizers
