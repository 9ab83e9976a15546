// One more token of a text, from the one before it until it is chosen as the most probable one: of a decoder with random weights,
// or of a stored model.
#include <memory>

#include "engine/bench/benches.h"
#include "engine/core/rng.h"
#include "engine/document/model_architecture.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/continuation.h"
#include "engine/pipeline/generate.h"

namespace headlight::bench {
namespace {

// A decoder as `stories` is one: RMSNorm before each part, rotary positions, a gated SiLU part of 8/3 d, tied output.
Result<std::shared_ptr<const ContinuedModel>> model_of(const Request& r) {
  if (!r.model.empty()) {
    HL_ASSIGN(auto stored, open_stored_model(r.model));
    HL_TRY(check_predicts(*stored));
    if (stored->task != ModelTask::decoder)
      return usage_error("the model '{}' is of the task {}", stored->name, name_of(stored->task))
          .at("--model")
          .mend("choose a decoder");
    if (r.tokens > stored->length)
      return usage_error("the model reads at most {} tokens", stored->length).at("--tokens").mend("give fewer");
    HL_ASSIGN(const Predictor predictor, Predictor::open(std::move(stored), r.backend));
    return predictor.continued();
  }
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
  model->architecture = std::make_shared<const architectures::Architecture>(architecture_of(m));
  model->length = r.tokens;
  model->text_tokens = {r.vocab, -1, "random"};
  model->weights = models::seeded_weights(1);
  model->backend = r.backend;
  return std::shared_ptr<const ContinuedModel>(std::move(model));
}

// What the texts of a contender go on from.
struct Growing {
  std::shared_ptr<const ContinuedModel> model;
  std::vector<std::int32_t> tokens;  // one text
  std::unique_ptr<Continuation> continuation;
};

void choose(const Tensor& logits) {
  const Tensor scores = logits.select(0, 0).as(DType::f64).compact();
  const auto values = scores.values<double>();
  [[maybe_unused]] const Generated::Step chosen = choose_token({values.begin(), values.end()}, {}, 0, 0);
}

Status compute_whole(const Growing& text, double& flops, const CancelToken& cancel) {
  Continuation fresh(text.model, 1, {});
  HL_ASSIGN(const Tensor logits, fresh.add(std::span(&text.tokens, 1), cancel));
  choose(logits);
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
  HL_ASSIGN(const Tensor logits, text.continuation->add(std::span(&last, 1), cancel));
  choose(logits);
  flops = text.continuation->flops();
  return {};
}

}  // namespace

Result<std::vector<Row>> generate(const Request& r, const CancelToken& cancel) {
  auto text = std::make_shared<Growing>();
  HL_ASSIGN(text->model, model_of(r));
  if (!Continuation::possible(*text->model))
    return usage_error("'{}' keeps no keys and values between two tokens", r.backend->device().id)
        .at("--backend")
        .mend("choose cpu or reference");
  const Document& m = text->model->document;
  const std::int64_t vocabulary = text->model->text_tokens.vocabulary;
  const Rng rng(1, "bench.generation");
  for (std::int64_t i = 0; i < r.tokens; ++i)
    text->tokens.push_back(
        static_cast<std::int32_t>(rng.uniform(0, static_cast<std::uint64_t>(i)) * static_cast<double>(vocabulary)));
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
    one.row.sizes = {{"tokens", r.tokens}, {"layers", m.layers}, {"d", m.d_model}, {"heads", m.heads}, {"vocab", vocabulary}};
  return measure(std::move(contenders), effort_on(*r.backend, r.effort), cancel, r.progress);
}

}  // namespace headlight::bench
