// From an edit to a published trace: what the window's worker does after each keystroke, with its step cache. Every edit gives a
// sentence that was not seen before, so that the cache can serve only what really did not change (weights, positions, masks).
#include "engine/bench/benches.h"
#include "engine/pipeline/run.h"

namespace headlight::bench {
namespace {

// `tokens` letters, one token each; the last ones spell the number of the edit.
std::string sentence(std::int64_t tokens, std::uint64_t edit) {
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += static_cast<char>('a' + i * 7 % 26);
  for (std::int64_t i = tokens - 1; i >= 0 && edit > 0; --i, edit /= 26)
    text[static_cast<std::size_t>(i)] = static_cast<char>('a' + edit % 26);
  return text;
}

}  // namespace

Result<std::vector<Row>> keystroke(const Request& r, const CancelToken& cancel) {
  auto document = std::make_shared<Document>();
  document->tokenizer = "characters";
  document->d_model = r.d;
  document->heads = r.heads;
  document->layers = r.layers;
  document->backend = r.backend->device().id;
  document->masks = {Choice{"causal", {}}};
  document->texts = {sentence(r.tokens, 0)};
  HL_TRY(validate(*document));

  auto cache = std::make_shared<StepCache>();
  auto published = std::make_shared<std::shared_ptr<const Trace>>();
  auto edits = std::make_shared<std::uint64_t>(0);
  const auto edit = [document, cache, published, edits, backend = r.backend, tokens = r.tokens, &cancel](int) -> Status {
    document->texts = {sentence(tokens, ++*edits)};
    RunOptions options;
    options.cache = cache.get();
    HL_ASSIGN(*published, run(*document, *backend, cancel, options));
    return {};
  };
  HL_TRY(edit(0));
  const std::size_t made = (*published)->texts()[0].tokens.size();
  if (static_cast<std::int64_t>(made) != r.tokens) {
    return Error{ErrorKind::internal,
                 std::to_string(r.tokens) + " letters gave " + std::to_string(made) + " tokens",
                 "bench keystroke",
                 {}};
  }

  Contender contender{row_of(r, "keystroke", "edit", "publish"), edit};
  contender.row.sizes = {{"tokens", r.tokens}, {"layers", r.layers}, {"d", r.d}, {"heads", r.heads}};
  std::vector<Contender> contenders;
  contenders.push_back(std::move(contender));
  return measure(std::move(contenders), r.effort, cancel, r.progress);
}

}  // namespace headlight::bench
