#include "engine/bench/sandbox.h"

namespace headlight::bench {
namespace {

// `tokens` letters, one token each; the last ones write the number of the edit.
std::string sentence(std::int64_t tokens, std::uint64_t edit) {
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += static_cast<char>('a' + i * 7 % 26);
  for (std::int64_t i = tokens - 1; i >= 0 && edit > 0; --i, edit /= 26)
    text[static_cast<std::size_t>(i)] = static_cast<char>('a' + edit % 26);
  return text;
}

}  // namespace

Result<std::shared_ptr<Sandbox>> Sandbox::make(const Request& r, std::shared_ptr<backends::Backend> backend,
                                               const CancelToken& cancel, std::uint64_t kept_weights) {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->kept_weights_ = kept_weights;
  sandbox->tokens_ = r.tokens;
  Document& document = sandbox->document_;
  document.tokenizer = "characters";
  document.d_model = r.d;
  document.heads = r.heads;
  document.layers = r.layers;
  document.backend = backend->device().id;
  document.masks = {Choice{"causal", {}}};
  document.texts = {sentence(r.tokens, 0)};
  sandbox->backend_ = std::move(backend);
  HL_TRY(validate(document));
  HL_TRY(sandbox->edit(cancel));
  const std::size_t made = sandbox->published().texts()[0].tokens.size();
  if (static_cast<std::int64_t>(made) != r.tokens) {
    return Error{
        ErrorKind::internal, std::to_string(r.tokens) + " letters gave " + std::to_string(made) + " tokens", "bench", {}};
  }
  return sandbox;
}

Status Sandbox::edit(const CancelToken& cancel, backends::Backend* other) {
  document_.texts = {sentence(tokens_, ++edits_)};
  RunOptions options;
  options.cache = &cache_;
  options.kept_weights = kept_weights_;
  HL_ASSIGN(published_, run(document_, other ? *other : *backend_, cancel, options));
  return {};
}

}  // namespace headlight::bench
