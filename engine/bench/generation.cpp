// One more token of a text, as a decoder with random weights computes it.
#include <memory>

#include "engine/bench/benches.h"
#include "engine/core/rng.h"
#include "engine/pipeline/continuation.h"

namespace headlight::bench {
namespace {

// A decoder as `stories` is one: RMSNorm before each part, rotary positions, a gated SiLU part of 8/3 d, tied output.
std::shared_ptr<const ContinuedModel> model_of(const Request& r) {
  auto model = std::make_shared<ContinuedModel>();
  Document& m = model->document;
  m.d_model = r.d;
  m.heads = r.heads;
  m.layers = r.layers;
  m.d_ff = (8 * r.d / 3 + 7) / 8 * 8;
  m.norm_kind = "rms";
  m.final_norm = m.gated = true;
  m.bias = false;
  m.activation = "silu";
  m.position = "rotary";
  m.masks = {Choice{"causal", {}}};
  model->length = r.tokens;
  model->text_tokens = {r.vocab, -1, "random"};
  model->weights = models::seeded_weights(1);
  model->backend = r.backend;
  return model;
}

// What the texts of a contender go on from.
struct Growing {
  std::shared_ptr<const ContinuedModel> model;
  std::vector<std::int32_t> tokens;  // one text
  std::unique_ptr<Continuation> continuation;
};

Status compute_whole(const Growing& text, double& flops, const CancelToken& cancel) {
  Continuation fresh(text.model, 1, {});
  HL_ASSIGN([[maybe_unused]] const Tensor logits, fresh.add(std::span(&text.tokens, 1), cancel));
  flops = fresh.flops();
  return {};
}

Status compute_last(Growing& text, double& flops, const CancelToken& cancel) {
  const std::vector<std::int32_t> last = {text.tokens.back()};
  if (!text.continuation) {
    text.continuation = std::make_unique<Continuation>(text.model, 1, std::vector<Continuation::Ids>());
    HL_ASSIGN([[maybe_unused]] const Tensor logits, text.continuation->add(std::span(&text.tokens, 1), cancel));
  }
  text.continuation->take_back(1);
  HL_ASSIGN([[maybe_unused]] const Tensor logits, text.continuation->add(std::span(&last, 1), cancel));
  flops = text.continuation->flops();
  return {};
}

}  // namespace

Result<std::vector<Row>> generate(const Request& r, const CancelToken& cancel) {
  auto text = std::make_shared<Growing>();
  text->model = model_of(r);
  if (!Continuation::possible(*text->model))
    return usage_error("'{}' keeps no keys and values between two tokens", r.backend->device().id)
        .at("--backend")
        .mend("choose cpu or reference");
  const Rng rng(1, "bench.generation");
  for (std::int64_t i = 0; i < r.tokens; ++i)
    text->tokens.push_back(
        static_cast<std::int32_t>(rng.uniform(0, static_cast<std::uint64_t>(i)) * static_cast<double>(r.vocab)));
  double whole = 0, last = 0;
  HL_TRY(compute_whole(*text, whole, cancel));
  HL_TRY(compute_last(*text, last, cancel));
  std::vector<Contender> contenders;
  contenders.push_back({row_of(r, "generate", "token:kept", "per-call"), [text, &cancel](int) {
                          double flops = 0;
                          return compute_last(*text, flops, cancel);
                        }});
  contenders.push_back({row_of(r, "generate", "token:anew", "per-call"), [text, &cancel](int) {
                          double flops = 0;
                          return compute_whole(*text, flops, cancel);
                        }});
  contenders[0].row.flops = last;
  contenders[1].row.flops = whole;
  for (Contender& one : contenders)
    one.row.sizes = {{"tokens", r.tokens}, {"layers", r.layers}, {"d", r.d}, {"heads", r.heads}, {"vocab", r.vocab}};
  return measure(std::move(contenders), effort_on(*r.backend, r.effort), cancel, r.progress);
}

}  // namespace headlight::bench
