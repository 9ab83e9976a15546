// run(): what is computed again and what is not, memory limits, cancellation, and how weights are drawn.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "engine/backends/backends.h"
#include "engine/core/storage_pool.h"
#include "engine/models/weights.h"
#include "engine/operations/attention_fill.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

// Counts the operations it computes, and can cancel a run after a given number.
class CountingBackend final : public backends::Backend {
 public:
  explicit CountingBackend(const std::string& id) : inner_(*backends::open(id)) {}
  std::map<std::string, int> executed;
  std::map<std::string, int> prepared;
  int total = 0;
  int cancel_at = -1;
  CancelSource source;

  backends::Device device() const override { return inner_->device(); }
  DType dtype() const override { return inner_->dtype(); }
  bool supports(const backends::OpDesc& desc) const override { return inner_->supports(desc); }
  Result<backends::Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    return inner_->allocate(dtype, std::move(shape), std::move(axes));
  }
  Result<backends::Buffer> upload(const Tensor& tensor) override { return inner_->upload(tensor); }
  Result<Tensor> download(const backends::Buffer& buffer) override { return inner_->download(buffer); }
  Result<std::unique_ptr<backends::Plan>> prepare(const backends::OpDesc& desc) override {
    ++prepared[desc.id()];
    HL_ASSIGN(std::unique_ptr<backends::Plan> plan, inner_->prepare(desc));
    auto named = std::make_unique<NamedPlan>();
    named->name = desc.id();
    named->plan = std::move(plan);
    return std::unique_ptr<backends::Plan>(std::move(named));
  }
  Status execute(backends::Plan& plan, std::span<const backends::Buffer> in, std::span<backends::Buffer> out,
                 const CancelToken& cancel) override {
    auto& named = static_cast<NamedPlan&>(plan);
    ++executed[named.name];
    if (total++ == cancel_at) source.cancel();
    return inner_->execute(*named.plan, in, out, cancel);
  }

 private:
  struct NamedPlan : backends::Plan {
    std::string name;
    std::unique_ptr<backends::Plan> plan;
  };
  std::shared_ptr<backends::Backend> inner_;
};

Document small() {
  Document d;
  d.tokenizer = "words";
  d.d_model = 24;
  d.heads = 4;
  d.layers = 3;
  return d;
}

struct Runs {
  explicit Runs(const std::string& id = "cpu") : backend(id) { options.cache = &cache; }
  StepCache cache;
  CountingBackend backend;
  RunOptions options;
  std::shared_ptr<const Trace> operator()(const Document& d) {
    backend.executed.clear();
    backend.total = 0;
    auto trace = run(d, backend, {}, options);
    EXPECT_TRUE(trace) << trace.error().sentence();
    return *trace;
  }
};

std::set<std::string> computed(const Trace& trace) {
  std::set<std::string> names;
  for (const Step& step : trace.steps())
    if (step.kept && !step.from_cache) names.insert(step.name);
  return names;
}

TEST(StepCache, NothingIsComputedTwice) {
  Runs run_it;
  const auto first = run_it(small());
  EXPECT_GT(run_it.backend.total, 30);
  const auto again = run_it(small());
  EXPECT_EQ(run_it.backend.total, 0);
  EXPECT_TRUE(computed(*again).empty());
  EXPECT_NE(first->generation(), again->generation());
  // Values do not depend on where they came from.
  EXPECT_EQ(difference(*again->values("layer.2.mlp_residual"), *first->values("layer.2.mlp_residual")).max_abs, 0);
}

TEST(StepCache, AnotherMaskKeepsTheFirstLayersQueries) {
  Runs run_it;
  run_it(small());
  Document d = small();
  d.masks = *masks::parse_list("causal");
  const auto trace = run_it(d);
  const auto names = computed(*trace);
  for (const char* kept :
       {"tokens", "embedding", "position", "input", "layer.0.attention_norm", "layer.0.q", "layer.0.k", "layer.0.v"})
    EXPECT_FALSE(names.count(kept)) << kept;
  for (const char* changed : {"layer.0.weights", "layer.0.context", "layer.1.q", "layer.2.mlp_residual"})
    EXPECT_TRUE(names.count(changed)) << changed;
  EXPECT_EQ(run_it.backend.executed["attention"], 3);
  // A result from the cache equals the result without a cache.
  const auto fresh = run(d, run_it.backend, {});
  ASSERT_TRUE(fresh);
  EXPECT_EQ(difference(*trace->values("layer.2.mlp_residual"), *(*fresh)->values("layer.2.mlp_residual")).max_abs, 0);
  // Back to the first document: nothing to compute.
  run_it(small());
  EXPECT_EQ(run_it.backend.total, 0);
}

TEST(StepCache, EachFieldThatMattersIsInTheKey) {
  // One cache for all changes; the values must equal those of runs without a cache.
  Runs run_it("reference");
  Document d = small();
  d.layers = 1;
  d.texts = {"one two three", "four"};
  run_it(d);
  const auto check = [&](const char* what) {
    const auto cached = run_it(d);
    const auto fresh = run(d, run_it.backend, {});
    ASSERT_TRUE(fresh) << fresh.error().sentence();
    for (const Step& step : (*fresh)->steps()) {
      const Difference differs = difference(*cached->values(step.name), *(*fresh)->values(step.name));
      EXPECT_TRUE(differs.same_shape) << what << " " << step.name;
      EXPECT_EQ(differs.max_abs, 0) << what << " " << step.name;
      EXPECT_FALSE(differs.nan_mismatch) << what << " " << step.name;
    }
  };
  d.masks = *masks::parse_list("padding");
  check("padding");
  d.texts = {"one two three", "four five"};
  check("another length under the same shape");
  d.masks = *masks::parse_list("custom");
  d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 2, {1, 0, 1, 1}});
  check("custom");
  d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 2, {0, 1, 1, 1}});
  check("another matrix");
  d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{1, 4, {0, 1, 1, 1}});
  check("the same cells in another shape");
  d.mask_fill = operations::MaskFill::minus_1e9;
  check("fill");
  d.temperature = 0.5;
  check("temperature");
  d.scale = "none";
  check("scale");
  d.seed = 5;
  check("seed");
  d.position = "learned";
  check("position");
  d.position = "none";
  check("no position");
  d.norm = "post";
  check("norm");
  d.bias = false;
  check("bias");
  d.residual = false;
  check("residual");
  d.heads = 2;
  check("heads");
  d.d_ff = 40;
  check("d_ff");
  d.add_begin = true;
  check("begin");
  d.targets = {"a b", "c d e"};
  check("targets");
  d.tokenizer = "characters";
  check("tokenizer");
}

TEST(StepCache, HoldsItsBudgetAndDropsTheOldest) {
  StepCache tiny(1000);  // smaller than any step
  CountingBackend backend("cpu");
  RunOptions options;
  options.cache = &tiny;
  ASSERT_TRUE(run(small(), backend, {}, options));
  const int once = backend.total;
  ASSERT_TRUE(run(small(), backend, {}, options));
  EXPECT_EQ(backend.total, 2 * once);
  EXPECT_LT(backend.prepared["linear"], backend.executed["linear"]) << "plans are used again";
}

TEST(Run, CancelledBetweenStepsItStopsAtOnce) {
  CountingBackend backend("cpu");
  StepCache cache;
  RunOptions options;
  options.cache = &cache;
  backend.cancel_at = 5;
  const auto trace = run(small(), backend, backend.source.token(), options);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(backend.total, 6) << "nothing is begun after the cancellation";
  // The next run uses completed steps and computes the others.
  backend.cancel_at = -1;
  backend.total = 0;
  const auto after = run(small(), backend, {}, options);
  ASSERT_TRUE(after);
  const auto fresh = run(small(), backend, {});
  EXPECT_EQ(difference(*(*after)->values("layer.2.mlp_residual"), *(*fresh)->values("layer.2.mlp_residual")).max_abs, 0);
  CancelSource before;
  before.cancel();
  EXPECT_EQ(run(small(), backend, before.token()).error().kind, ErrorKind::cancelled);
}

TEST(Run, ThreadsShareOneCacheAndReadTracesWhileOthersRun) {
  // As in the window: the worker runs, the background lane exports, and the panels read tiles of the shown trace.
  StepCache cache(200000);  // small: steps are dropped while others request them
  const auto backend = *backends::open("cpu");
  RunOptions options;
  options.cache = &cache;
  const auto shown = *run(small(), *backend, {}, options);
  const Tensor expected = *shown->values("layer.1.masked_scores");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        Document d = small();
        d.texts[0] += t % 2 ? " and on" : " and away";
        d.seed = static_cast<std::uint64_t>(i % 2);
        const auto trace = run(d, *backend, {}, options);
        if (!trace || (*trace)->document().seed != d.seed) ++wrong;
        if (difference(*shown->values("layer.1.masked_scores"), expected).max_abs != 0) ++wrong;
        if (!shown->values("parameters.layer.0.wq")) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Run, CountsBytesBeforeItAllocatesAndRefusesWithTheFigure) {
  const Document d = small();
  const auto needed = bytes_needed(d);
  ASSERT_TRUE(needed);
  CountingBackend backend("cpu");
  RunOptions options;
  options.budget_bytes = *needed - 1;
  const auto refused = run(d, backend, {}, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::too_large);
  EXPECT_NE(refused.error().mend.english().find("layers (3)"), std::string::npos) << refused.error().sentence();
  EXPECT_EQ(backend.total, 0);
  options.budget_bytes = *needed;
  const auto trace = run(d, backend, {}, options);
  ASSERT_TRUE(trace);
  std::uint64_t parameters = 0;
  for (const NamedParameter& p : (*trace)->parameters())
    if (p.name != "parameters.embedding") parameters += static_cast<std::uint64_t>(element_count(p.shape)) * 4;
  EXPECT_EQ((*trace)->bytes() + parameters, *needed);
}

TEST(Run, RefusesAbsurdSizesWithoutTouchingMemory) {
  Document d = small();
  d.d_model = 16384;
  d.layers = 128;
  CountingBackend backend("cpu");
  EXPECT_EQ(run(d, backend, {}).error().kind, ErrorKind::too_large);
  d = small();
  d.tokenizer = "characters";
  d.texts = {std::string(3000000, 'a')};
  d.masks = *masks::parse_list("causal");
  EXPECT_EQ(run(d, backend, {}).error().kind, ErrorKind::too_large);
  EXPECT_EQ(backend.total, 0);
}

TEST(Run, LongTextsKeepNoScoresAndMakeThemByTile) {
  Document d = small();
  d.layers = 1;
  d.d_model = 8;
  d.heads = 4;
  d.tokenizer = "characters";
  d.texts = {std::string(2100, 'a') + "b"};  // 4 heads x 2101 x 2101 float32 = 71 MB: more than is kept
  CountingBackend backend("cpu");
  const auto trace = run(d, backend, {});
  ASSERT_TRUE(trace) << trace.error().sentence();
  EXPECT_FALSE((*trace)->find("layer.0.weights")->kept);
  EXPECT_LT((*trace)->bytes(), 4u << 20);
  Trace::Tile tile;
  tile.head = 3;
  tile.row = 2000;
  tile.rows = 2;
  const auto row = (*trace)->tile("layer.0.weights", tile);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->shape(), (Shape{2, 2101}));
  double sum = 0;
  for (std::int64_t j = 0; j < 2101; ++j) sum += row->at({1, j});
  EXPECT_NEAR(sum, 1, 2e-5);  // 2,101 float roundings
  tile.column = 2100;
  tile.columns = 1;
  EXPECT_EQ((*trace)->tile("layer.0.weights", tile)->at({1, 0}), row->at({1, 2100}));
}

TEST(Parameters, AreDrawnByNameAndRowWithTheStatedDeviation) {
  models::ParameterSpec spec{"parameters.layer.0.wq", {256, 256}, {}, models::ParameterSpec::Fill::normal, 1.0 / 16, -1};
  const Tensor w = *models::seeded_weights(3)->tensor(spec, {}), again = *models::seeded_weights(3)->tensor(spec, {}),
               other = *models::seeded_weights(4)->tensor(spec, {});
  EXPECT_EQ(difference(w, again).max_abs, 0);
  EXPECT_GT(difference(w, other).mean_abs, 0.01);
  double squares = 0;
  for (const float x : w.values<float>()) squares += static_cast<double>(x) * x;
  // 65,536 squares: the standard error of the variance is sqrt(2 / n) of it, 0.55 %; five of them.
  EXPECT_NEAR(squares / 65536 * 256, 1, 0.028);
  // Recorded values: if they change, every saved session shows other numbers.
  EXPECT_EQ(w.at({0, 0}), 0x1.9ab0bp-4);
  EXPECT_EQ(w.at({255, 17}), -0x1.271ff8p-4);
}

TEST(Parameters, EmbeddingRowsAreTheTablesRows) {
  models::ParameterSpec table{"parameters.embedding", {100, 12}, {}, models::ParameterSpec::Fill::normal, 1, 0};
  const Tensor whole = *models::seeded_weights(9)->tensor(table, {});
  const std::vector<std::int32_t> ids{7, 0, 99, 7, -1, 100};
  const Tensor rows = *models::seeded_weights(9)->rows(table, ids, {});
  for (std::int64_t c = 0; c < 12; ++c) {
    EXPECT_EQ(rows.at({0, c}), whole.at({7, c}));
    EXPECT_EQ(rows.at({1, c}), 0) << "[PAD]";
    EXPECT_EQ(whole.at({0, c}), 0);
    EXPECT_EQ(rows.at({2, c}), whole.at({99, c}));
    EXPECT_EQ(rows.at({3, c}), whole.at({7, c}));
    EXPECT_EQ(rows.at({4, c}), 0) << "outside the table";
    EXPECT_EQ(rows.at({5, c}), 0);
  }
}

TEST(StoragePool, GivesDroppedMemoryOutAgainWithinItsBound) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the pool is off under sanitizers";
#endif
  const void* first = nullptr;
  {
    const Tensor t(DType::f32, {1000, 100}, {}, true);
    first = t.raw();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
  }
  {
    const Tensor same(DType::f32, {1000, 101}, {}, true);  // a little longer: uses the same block
    EXPECT_EQ(same.raw(), first);
    const Tensor zeros(DType::f32, {1000, 100});
    EXPECT_EQ(zeros.at({999, 99}), 0);
  }
  std::vector<Tensor> many;
  for (int i = 0; i < 40; ++i) many.emplace_back(DType::u8, Shape{8 << 20}, Axes{}, true);
  many.clear();
  EXPECT_LE(pooled_bytes(), kPoolBytes);
}

}  // namespace
}  // namespace headlight
