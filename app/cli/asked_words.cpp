#include "app/cli/asked_words.h"

#include <utility>

#include "app/session/view_fields.h"
#include "engine/backends/base/backend.h"
#include "engine/core/json.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/path_patching.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

const tokenizers::Tokenizer& tokenizer_of(const Trace& trace) {
  return *(trace.targets().empty() ? trace.tokenizer() : trace.target_tokenizer());
}

// The pictures show what they ask about: routes one word, a difference two.
Status check_shown(const AskedWords& words, const std::string& picture) {
  const bool patching = picture == "why-patching", two = patching || picture == "why-difference";
  if (!words.word.empty() && picture == "why-heads")
    return usage_error("this picture is of no word").at("--for").mend("leave it out");
  if (!words.over.empty() && !two)
    return usage_error("this picture compares no words").at("--over").mend("give --what why-difference");
  if (!words.patch.empty() && !patching)
    return usage_error("this picture has no changed sentence").at("--patch").mend("give --what why-patching");
  return {};
}

}  // namespace

void add_asked_words(Arguments& arguments, AskedWords& words, const std::string& of) {
  arguments.option("--for", words.word, of + "the word; without it the most probable one").type("WORD");
  arguments.option("--over", words.over, of + "another word: also what speaks for the first over this one").type("WORD");
  arguments
      .option(
          "--patch", words.patch,
          of + "a changed sentence of as many tokens: each part of its run, alone, is put back to what it is in the text's run")
      .type("TEXT");
}

Result<std::int32_t> known_word(const Trace& trace, const std::string& word, const char* option) {
  HL_ASSIGN(const std::int32_t token, token_of_word(trace, word));
  const tokenizers::Tokenizer& tokenizer = tokenizer_of(trace);
  if (token == tokenizer.special(tokenizers::Role::unknown) && word != tokenizer.display_text(token))
    return usage_error("the model's vocabulary does not have '{}'", word).at("{}", option).mend("give a word that it has");
  return token;
}

Result<std::int32_t> word_after(const Trace& trace, Document document, const std::string& patch, std::int32_t word,
                                const std::optional<std::int64_t>& position, backends::Backend& backend,
                                const CancelToken& cancel) {
  document.texts = {patch};
  HL_ASSIGN(const auto changed, run(document, backend, cancel));
  HL_ASSIGN(const std::int64_t behind, predicted_position(*changed, position));
  HL_ASSIGN(const std::int32_t over, most_probable(*changed, behind));
  if (over == word)
    return usage_error("the model says '{}' after both sentences", tokenizer_of(trace).display_text(word))
        .at("--patch")
        .mend("give --over WORD, or change the sentence more");
  return over;
}

bool is_why_picture(const std::string& name) { return name == "why" || name.starts_with("why-"); }

Status ask_words(ViewState& view, const AskedWords& words, const std::string& picture, const Trace& trace,
                 backends::Backend& backend, const CancelToken& cancel) {
  HL_TRY(check_shown(words, picture));
  const tokenizers::Tokenizer& tokenizer = tokenizer_of(trace);
  std::int32_t word = -1, over = -1;
  if (!words.word.empty()) {
    HL_ASSIGN(word, known_word(trace, words.word, "--for"));
    set_at(view, "why.word", tokenizer.piece(word));
  }
  if (!words.over.empty()) {
    HL_ASSIGN(over, known_word(trace, words.over, "--over"));
    set_at(view, "why.over", tokenizer.piece(over));
  }
  if (words.patch.empty()) return {};
  // The sentence is tried here, so that what is wrong with it is said as `why` says it.
  Document document = trace.document();
  const auto batch = static_cast<std::size_t>(view.batch);
  document.texts = {document.texts[batch]};
  if (!document.targets.empty()) document.targets = {document.targets[batch]};
  HL_ASSIGN(const auto clean, run(document, backend, cancel));
  std::optional<std::int64_t> asked;
  if (const double at = value_at(view, "why.position").number(); at >= 0) asked = static_cast<std::int64_t>(at);
  HL_ASSIGN(const std::int64_t position, predicted_position(*clean, asked));
  if (word < 0) {
    HL_ASSIGN(word, most_probable(*clean, position));
    set_at(view, "why.word", tokenizer.piece(word));
  }
  if (over < 0) {
    HL_ASSIGN(over, word_after(*clean, document, words.patch, word, asked, backend, cancel));
    set_at(view, "why.over", tokenizer.piece(over));
  }
  HL_ASSIGN([[maybe_unused]] const auto tried,
            PathPatching::open(document, {words.patch, position, word, over}, backend, cancel));
  set_at(view, "why.position", position);
  set_at(view, "why.changed", words.patch);
  return {};
}

}  // namespace headlight::cli
