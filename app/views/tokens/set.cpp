// The tokenizers that stand side by side.
#include <algorithm>

#include "app/session/trainer.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/tokens/data.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::views::tokens {
namespace {

// The tokenizer that was trained in the window last; the document carries it only where it uses it.
std::shared_ptr<const tokenizers::Trained> last_trained(const Context& context) {
  const Trainer* const trainer = job_of<Trainer>(context, "tokens");
  const auto result = trainer ? trainer->result() : nullptr;
  return result ? result->trained : nullptr;
}

// What a name is opened with, apart from the files on disk.
struct Opening {
  std::vector<std::shared_ptr<const tokenizers::Trained>> trained;
  bool plain = false;  // special tokens are text
  std::string own;     // the document's

  explicit Opening(const Context& context)
      : trained(context.document.trained), plain(context.document.plain), own(context.document.tokenizer) {
    if (const auto last = last_trained(context)) trained.push_back(last);
  }
  Result<std::shared_ptr<const tokenizers::Tokenizer>> open(const std::string& name) const {
    for (const auto& one : trained)
      if (one->name == name) return plain ? one->tokenizer->as_plain() : one->tokenizer;
    HL_ASSIGN(const auto opened, tokenizers::open(name));
    return plain ? opened->as_plain() : opened;
  }
  std::vector<NamedTokenizer> open_all(const std::vector<std::string>& names) const {
    std::vector<NamedTokenizer> set;
    for (const std::string& name : names) {
      NamedTokenizer& one = set.emplace_back();
      one.name = name;
      one.label = token_row_label(name);
      one.current = name == own;
      const auto opened = open(name);
      if (opened)
        one.tokenizer = *opened;
      else
        one.error = spoken_in_window(opened.error());
    }
    return set;
  }
};

}  // namespace

std::vector<std::string> token_row_names(const Context& context) {
  if (!state_of(context).rows.empty()) return state_of(context).rows;
  std::vector<std::string> names;
  for (const auto& entry : tokenizers::registry().entries()) names.push_back(entry.id);
  if (std::ranges::find(names, context.document.tokenizer) == names.end()) names.push_back(context.document.tokenizer);
  return names;
}

std::string token_row_label(const std::string& name) {
  if (const auto* entry = tokenizers::registry().find(name)) return tr(entry->label.c_str());
  std::string label = tokenizers::short_name(name);
  for (const std::string ending : {".json", ".model", ".tiktoken", ".gguf", ".txt", ".bpe"})
    if (label.size() > ending.size() && label.ends_with(ending)) label.resize(label.size() - ending.size());
  return label;
}

std::vector<NamedTokenizer> token_set(const Context& context) {
  using Set = std::vector<NamedTokenizer>;
  const DerivedKey key = token_set_key("tokens/set", context);
  const auto make = [opening = Opening(context), names = token_row_names(context)](const CancelToken&) -> Result<Set> {
    return opening.open_all(names);
  };
  // Published files are large; what comes with the program is not.
  const auto answer =
      state_of(context).rows.empty() ? context.derived.now<Set>(key, make) : context.derived.later<Set>(key, make);
  return answer ? *answer.value : Set();
}

DerivedKey token_set_key(DerivedKey::Tag tag, const Context& context) {
  DerivedKey key(tag, {context.document.tokenizer, context.document.plain});
  for (const std::string& name : token_row_names(context)) key.add(name);
  // A vocabulary that is trained again may have the same name.
  for (const auto& trained : context.document.trained) key.of(trained);
  if (const auto trained = last_trained(context)) key.of(trained);
  return key;
}

std::shared_ptr<const tokenizers::Anatomy> anatomy_of(const Context& context, const NamedTokenizer& one) {
  if (!one.tokenizer) return nullptr;
  using Held = std::shared_ptr<const tokenizers::Anatomy>;
  const DerivedKey key = DerivedKey("tokens/anatomy", {one.name}).of(one.tokenizer);
  const auto make = [tokenizer = one.tokenizer](const CancelToken&) -> Result<Held> {
    return tokenizers::Anatomy::of(tokenizer);
  };
  constexpr std::int32_t kAtOnce = 8192;  // entries of a vocabulary
  const auto answer =
      one.tokenizer->vocabulary_size() <= kAtOnce ? context.derived.now<Held>(key, make) : context.derived.later<Held>(key, make);
  return answer ? *answer.value : nullptr;
}

figures::Mark mark_of(const NamedTokenizer& one) {
  if (!one.tokenizer || one.tokenizer->kind() == "bpe") return one.current ? figures::Mark::ring : figures::Mark::disc;
  return one.tokenizer->kind() == "unigram" ? figures::Mark::ring : figures::Mark::square;
}

std::vector<std::string> offered_names(const Context& context) {
  std::vector<std::string> names = token_row_names(context);
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : tokenizers::bundled_names()) add(name);
  add(context.document.tokenizer);
  for (const auto& trained : context.document.trained) add(trained->name);
  if (const auto trained = last_trained(context)) add(trained->name);
  return names;
}

Result<std::shared_ptr<const tokenizers::Tokenizer>> open_token_row(const Context& context, const std::string& name) {
  return Opening(context).open(name);
}

const std::string* token_text(const Context& context) {
  const auto& texts = context.document.texts;
  if (texts.empty()) return nullptr;
  return &texts[static_cast<std::size_t>(
      std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(texts.size()) - 1))];
}

}  // namespace headlight::views::tokens
