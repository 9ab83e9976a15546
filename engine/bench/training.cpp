// One step of a training: forward, backward, clipping and AdamW, of a decoder with tied output on random tokens.
#include <memory>

#include "engine/bench/benches.h"
#include "engine/core/rng.h"
#include "engine/train/learner.h"

namespace headlight::bench {
namespace {

// The decoder that tests/bench/train_torch.py has in PyTorch: pre-norm LayerNorm, GELU, sinusoidal positions, causal.
train::Config config_of(const Request& r) {
  train::Config config;
  config.length = r.tokens;
  config.batch = r.batch;
  config.steps = 1'000'000;
  config.learning_rate = config.least_learning_rate = 1e-4;
  Document& m = config.model;
  m.d_model = r.d;
  m.heads = r.heads;
  m.layers = r.layers;
  m.final_norm = true;
  m.activation = "gelu";
  m.position = "sinusoidal";
  m.masks = {Choice{"causal", {}}};
  return config;
}

// Rows of random tokens, the next one being each one's label.
train::Batch batch_of(const Request& r, std::uint64_t set) {
  const Rng rng(set, "bench.training");
  train::Batch batch;
  batch.ids = Tensor(DType::i32, {r.batch, r.tokens}, {"batch", "position"}, true);
  batch.labels = Tensor(DType::i32, {r.batch * r.tokens}, {}, true);
  const auto token = [&](std::int64_t row, std::int64_t column) {
    return static_cast<std::int32_t>(rng.uniform(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column)) *
                                     static_cast<double>(r.vocab));
  };
  for (std::int64_t row = 0; row < r.batch; ++row)
    for (std::int64_t i = 0; i < r.tokens; ++i) {
      batch.ids.data<std::int32_t>()[row * r.tokens + i] = token(row, i);
      batch.labels.data<std::int32_t>()[row * r.tokens + i] = token(row, i + 1);
    }
  batch.lengths.assign(static_cast<std::size_t>(r.batch), r.tokens);
  batch.labelled = r.batch * r.tokens;
  return batch;
}

// With products as `products` says (train::Config).
Result<Contender> training_contender_of(const Request& r, const char* products,
                                        const std::shared_ptr<const std::vector<train::Batch>>& batches,
                                        const CancelToken& cancel) {
  const models::Sizes::Tokens tokens{r.vocab, -1, "random"};
  train::Config config = config_of(r);
  config.products = products;
  HL_ASSIGN(std::shared_ptr<train::Learner> learner, train::Learner::make(config, {tokens, tokens, false}, r.backend));
  Contender contender{row_of(r, "train", "step", "per-call"), [learner, batches, &cancel](int round) -> Status {
                        const train::Batch& batch = (*batches)[static_cast<std::size_t>(round) % batches->size()];
                        HL_ASSIGN([[maybe_unused]] const auto done, learner->step(std::span(&batch, 1), cancel));
                        return {};
                      }};
  contender.row.device = learner->backend().device().label;
  contender.row.precision = learner->backend().precision();
  contender.row.sizes = {{"tokens", r.tokens},
                         {"batch", r.batch},
                         {"layers", r.layers},
                         {"d", r.d},
                         {"heads", r.heads},
                         {"vocab", r.vocab},
                         {"parameters", learner->count()}};
  HL_ASSIGN(contender.row.flops, learner->flops(batches->front()));
  return contender;
}

}  // namespace

Result<std::vector<Row>> train(const Request& r, const CancelToken& cancel) {
  auto batches = std::make_shared<std::vector<train::Batch>>();
  for (int set = 0; set < r.sets; ++set) batches->push_back(batch_of(r, static_cast<std::uint64_t>(set)));
  std::vector<Contender> contenders;
  for (const char* products : {"float32", "bfloat16"}) {
    if (!contenders.empty() && r.effort.over()) {
      contenders.push_back({row_of(r, "train", "step", "per-call")});
      contenders.back().row.precision = products;
      continue;
    }
    HL_ASSIGN(Contender contender, training_contender_of(r, products, batches, cancel));
    // Where there are no products in bfloat16, or no others, there is one row.
    if (!contenders.empty() && contenders.front().row.precision == contender.row.precision) continue;
    contenders.push_back(std::move(contender));
  }
  return measure(std::move(contenders), effort_on(*r.backend, r.effort), cancel, r.progress);
}

}  // namespace headlight::bench
