#include "engine/bench/sandbox.h"

#include <algorithm>

#include "engine/document/stored_model.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::bench {
namespace {

constexpr std::size_t kWords = 64;  // that of_words() looks for

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::int64_t made(const std::span<const Sentence>& sentences) {
  return sentences.empty() ? 0 : static_cast<std::int64_t>(sentences[0].tokens.size());
}

}  // namespace

Sentences Sentences::of_letters() {
  Sentences letters;
  for (char letter = 'a'; letter <= 'z'; ++letter) letters.words_.emplace_back(1, letter);
  return letters;
}

Result<Sentences> Sentences::of_words(const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel) {
  Sentences found;
  found.between_ = " ";
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size() && found.words_.size() < kWords; ++id) {
    std::string word = tokenizer.decode({id});
    if (word.starts_with(' ')) word.erase(0, 1);
    // One word at a text's beginning and behind a space may be two pieces; said twice it would make two edits the same sentence.
    if (!is_word(word) || std::find(found.words_.begin(), found.words_.end(), word) != found.words_.end()) continue;
    // At the beginning of a text, behind another word, and behind itself.
    HL_ASSIGN(const std::vector<tokenizers::Token> tokens, tokenizer.encode(word + " " + word + " " + word, cancel));
    if (tokens.size() == 3 && tokens[1].id == tokens[2].id) found.words_.push_back(word);
  }
  if (found.words_.size() < 2)
    return failure(ErrorKind::not_found, "its tokenizer has no two words of small letters that are one token each")
        .at("bench")
        .mend("measure another model");
  return found;
}

std::string Sentences::sentence(std::int64_t tokens, const Edits& edits) const {
  const std::size_t words = words_.size(), count = static_cast<std::size_t>(tokens);
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = i * 7 % words;
  // The words from each place on, or up to the last one, write the number of its edits.
  for (std::size_t i = count, edit = edits.last; i-- > 0 && edit > 0; edit /= words) chosen[i] = edit % words;
  for (std::size_t i = count / 2, edit = edits.middle; i < count && edit > 0; ++i, edit /= words) chosen[i] = edit % words;
  for (std::size_t i = 0, edit = edits.first; i < count && edit > 0; ++i, edit /= words) chosen[i] = edit % words;
  std::string text;
  for (std::size_t i = 0; i < chosen.size(); ++i) text += (i > 0 ? between_ : "") + words_[chosen[i]];
  return text;
}

Result<std::shared_ptr<Sandbox>> Sandbox::make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel, std::uint64_t kept_weights) {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->kept_weights_ = kept_weights;
  sandbox->tokens_ = r.tokens;
  Document& document = sandbox->document_;
  document.backend = backend->device().id;
  bool reads_two = false;
  if (r.model.empty()) {
    document.tokenizer = "characters";
    document.d_model = r.d;
    document.heads = r.heads;
    document.layers = r.layers;
    document.masks = {Choice{"causal", {}}};
  } else {
    HL_ASSIGN(const auto model, open_stored_model(r.model));
    use_model(document, *model);
    reads_two = model->task == ModelTask::encoder_decoder;
    HL_ASSIGN(const auto tokenizer, open_tokenizer(document));
    HL_ASSIGN(sandbox->texts_, Sentences::of_words(*tokenizer, cancel));
    HL_ASSIGN(const auto target_tokenizer, open_tokenizer(document, true));
    HL_ASSIGN(sandbox->targets_, Sentences::of_words(*target_tokenizer, cancel));
  }
  document.texts = {sandbox->texts_.sentence(r.tokens, {})};
  if (reads_two) document.targets = {sandbox->targets_.sentence(r.tokens, {})};
  sandbox->backend_ = std::move(backend);
  HL_TRY(validate(document));
  HL_TRY(sandbox->edit(cancel));
  // A model may add tokens of its own, [BOS] and [EOS], which count.
  const std::int64_t added = made(sandbox->published().texts()) - r.tokens;
  if (added > 0 && added < r.tokens) {
    sandbox->tokens_ -= added;
    HL_TRY(sandbox->edit(cancel));
  }
  if (const std::int64_t now = made(sandbox->published().texts()); now != r.tokens) {
    return failure(ErrorKind::internal, "{} words gave {} tokens", r.tokens, now).at("bench");
  }
  return sandbox;
}

Status Sandbox::edit(const CancelToken& cancel, Place place, backends::Backend* other) {
  ++(place == Place::first ? edits_.first : place == Place::middle ? edits_.middle : edits_.last);
  document_.texts = {texts_.sentence(tokens_, edits_)};
  if (!document_.targets.empty()) document_.targets = {targets_.sentence(tokens_, edits_)};
  RunOptions options;
  options.cache = &cache_;
  options.kept_weights = kept_weights_;
  HL_ASSIGN(published_, run(document_, other ? *other : *backend_, cancel, options));
  return {};
}

std::vector<std::pair<std::string, std::int64_t>> Sandbox::sizes() const {
  return {
      {"tokens", made(published_->texts())}, {"layers", document_.layers}, {"d", document_.d_model}, {"heads", document_.heads}};
}

}  // namespace headlight::bench
