// headlight bench forward and sdpa on an emulated GPU: rows, their parts and their kernels, but not their times.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/cli/bench.h"
#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/sandbox.h"
#include "engine/document/stored_model.h"
#include "engine/tokenizers/tokenizer.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::bench {
namespace {

Request tiny(backends::cuda::Precision precision = backends::cuda::kFloat32) {
  Request r;
  r.backend = *backends::cuda::make_backend(emulation::module(), 0, precision);
  r.tokens = 9;
  r.layers = 2;
  r.d = 16;
  r.heads = 2;
  r.words = 2;
  r.length = 5;
  r.vocab = 7;
  r.effort = {0.0, 2};
  return r;
}

TEST(BenchForward, TakesTheRunApartOnEveryBackendInTurns) {
  std::int64_t before = 0;
  for (int time = 0; time < 2; ++time) {  // the first time also makes the weights resident, for the whole process
    before = emulation::live_allocations();
    Request r = tiny();
    r.others.push_back(*backends::open("cpu"));
    const auto rows = forward(r, {});
    ASSERT_TRUE(rows.ok()) << rows.error().sentence();
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_EQ((*rows)[0].variant, "cuda");
    EXPECT_EQ((*rows)[1].variant, "cpu");
    for (const Row& row : *rows) {
      EXPECT_EQ(row.backend, row.variant);
      EXPECT_GE(row.samples.size(), 2u);
      ASSERT_TRUE(row.parts.has_value());
      EXPECT_GT(row.parts->steps, 10) << "projections, heads, attention, norms and feed-forward of two layers";
      EXPECT_EQ(row.parts->steps, rows->front().parts->steps);
      EXPECT_GT(row.parts->compute, 0);
    }
    EXPECT_NE(cli::json_of(*rows).find("\"compute_s\""), std::string::npos);
    EXPECT_NE(cli::table_of(*rows).find("of it on cuda: arrays there"), std::string::npos);
  }
  EXPECT_EQ(emulation::live_allocations(), before) << "what was noted down is let go of";
}

// An edit that repeats an earlier sentence would be timed as what the cache still has.
TEST(BenchForward, EveryEditOfATrainedModelIsAnotherSentenceOfTheSameLength) {
  for (const char* model : {"stories", "english-french"}) {
    Document document;
    const auto stored = open_stored_model(model);
    ASSERT_TRUE(stored.ok()) << stored.error().sentence();
    use_model(document, **stored);
    const auto tokenizer = open_tokenizer(document);
    ASSERT_TRUE(tokenizer.ok());
    const auto sentences = Sentences::of_words(**tokenizer, {});
    ASSERT_TRUE(sentences.ok()) << sentences.error().sentence();
    std::set<std::string> seen;
    // As the places take turns.
    Sentences::Edits edits;
    for (int edit = 0; edit < 500; ++edit) {
      ++(edit % 3 == 0 ? edits.first : edit % 3 == 1 ? edits.middle : edits.last);
      const std::string text = sentences->sentence(9, edits);
      EXPECT_TRUE(seen.insert(text).second) << model << ": " << text;
      EXPECT_EQ((*tokenizer)->encode(text)->size(), 9u) << model << ": " << text;
    }
  }
}

// Both backends publish the same trace, so the same work is timed.
TEST(BenchForward, EditsPublishTheSameOnBoth) {
  Request r = tiny();
  const auto gpu = Sandbox::make(r, r.backend, {}), cpu = Sandbox::make(r, *backends::open("cpu"), {});
  ASSERT_TRUE(gpu.ok() && cpu.ok());
  for (int edit = 0; edit < 3; ++edit) {
    ASSERT_TRUE((*gpu)->edit({}).ok() && (*cpu)->edit({}).ok());
    const Trace &a = (*gpu)->published(), &b = (*cpu)->published();
    ASSERT_EQ(a.texts()[0].tokens.size(), 9u);
    ASSERT_EQ(a.steps().size(), b.steps().size());
    const auto made = a.values(a.steps().back().name), same = b.values(b.steps().back().name);
    ASSERT_TRUE(made.ok() && same.ok());
    EXPECT_LE(difference(*made, *same).nmse, 1e-9) << "edit " << edit;
  }
}

TEST(BenchSdpa, RowsNameTheKernelOfTheirLastStep) {
  // Where the scores are kept, too, other kernels compute.
  for (const auto& [precision, attention, keeping] : {std::tuple{backends::cuda::kFloat32, "attention_fused", "attention_tiled"},
                                                      {backends::cuda::kTensorFloat32, "attention_rounded", "attention_tensor"},
                                                      {backends::cuda::kBrainFloat16, "attention_rounded", "attention_tensor"}}) {
    const auto rows = sdpa(tiny(precision), {});
    ASSERT_TRUE(rows.ok()) << rows.error().sentence();
    for (const Row& row : *rows) {
      if (row.variant.starts_with("pooled:")) continue;  // rivals of index-based attention use several kernels in one step
      if (row.variant == "q:linear") {
        EXPECT_TRUE(row.kernel.starts_with("product")) << row.kernel;
      } else {
        EXPECT_EQ(row.kernel, row.variant.ends_with(":kept") ? keeping : attention) << row.variant;
      }
      EXPECT_NE(cli::json_of({row}).find("\"kernel\": \"" + row.kernel + "\""), std::string::npos);
      EXPECT_NE(cli::table_of({row}).find("last step by: " + row.variant + " " + row.kernel), std::string::npos);
    }
  }
  Request r = tiny();
  r.backend = *backends::open("cpu");
  const auto rows = sdpa(r, {});
  ASSERT_TRUE(rows.ok());
  for (const Row& row : *rows) EXPECT_EQ(row.kernel, "") << "one way only";
  EXPECT_EQ(cli::json_of(*rows).find("kernel"), std::string::npos);
}

}  // namespace
}  // namespace headlight::bench
