// The memory that a long text needs: weights once, scores on demand, the buffers of dropped traces reused. Measured by the
// operating system in a process that does nothing else (CTest runs each test in its own).
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "engine/backends/backends.h"
#include "engine/core/storage_pool.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;  // a sanitizer's own memory would distort the figures, and it is slow
constexpr std::int64_t kTokens = 256;
#else
constexpr bool kCounts = true;
constexpr std::int64_t kTokens = 2048;
#endif
constexpr std::int64_t kMega = 1 << 20;

// VmRSS or VmHWM (the maximum so far) of this process in bytes; 0 if the system does not report it.
std::int64_t memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what + ":")) return std::stoll(line.substr(what.size() + 1)) * 1024;
  return 0;
}

Document large(int edit) {
  Document document;
  document.tokenizer = "characters";
  document.d_model = 256;
  document.heads = 8;
  document.layers = 6;  // 48 heads
  document.masks = {Choice{"causal", {}}};
  std::string text;
  for (std::int64_t i = 0; i < kTokens; ++i) text += static_cast<char>('a' + (i * 7 + (i < 8 ? edit >> i & 1 : 0)) % 26);
  document.texts = {text};
  return document;
}

TEST(Memory, ALongTextStaysWithinWhatIsSaidAndEditsUseTheSameBuffers) {
  const auto backend = backends::open("cpu");
  ASSERT_TRUE(backend);
  const auto said = bytes_needed(large(0));
  ASSERT_TRUE(said);
  const std::int64_t before = memory("VmRSS");
  StepCache cache;
  RunOptions options;
  options.cache = &cache;
  ASSERT_LE(*said, options.budget_bytes);
  std::shared_ptr<const Trace> shown;
  std::int64_t after_few = 0;
  for (int edit = 0; edit < 16; ++edit) {
    auto next = run(large(edit), **backend, {}, options);
    ASSERT_TRUE(next.ok()) << next.error().sentence();
    shown = *next;  // the window drops the old one when the new one is ready
    if (edit == 7) after_few = memory("VmRSS");
    ASSERT_EQ(shown->texts()[0].tokens.size(), static_cast<std::size_t>(kTokens));
    ASSERT_LE(shown->bytes(), *said);
  }
  const std::int64_t after_all = memory("VmRSS"), most = memory("VmHWM");
  const std::int64_t weights = 48 * kTokens * kTokens * 4;  // weights of all heads; scores would take as much again
  std::printf(
      "%lld tokens x 48 heads: trace %lld MB, said beforehand %lld MB, budget %lld MB; process %lld MB, at most %lld MB, "
      "%lld MB before; buffers kept for the next trace %lld MB\n",
      static_cast<long long>(kTokens), static_cast<long long>(shown->bytes()) / kMega, static_cast<long long>(*said) / kMega,
      static_cast<long long>(options.budget_bytes) / kMega, static_cast<long long>(after_all) / kMega,
      static_cast<long long>(most) / kMega, static_cast<long long>(before) / kMega,
      static_cast<long long>(pooled_bytes()) / kMega);
  if (kTokens > 1024) {
    EXPECT_LT(static_cast<std::int64_t>(*said), weights / 2) << "scores and weights are made when they are looked at";
  }
  if (!kCounts || before == 0) GTEST_SKIP() << "memory is not counted in this build";
  // One trace with its weights, the cache of 192 MB with parts of others, and the buffers kept for the next one.
  EXPECT_LT(most - before, static_cast<std::int64_t>(*said + kPoolBytes) + (192 + 64) * kMega);
  EXPECT_LT(after_all - after_few, static_cast<std::int64_t>(shown->bytes()) / 3) << "eight more edits made eight more traces";
}

}  // namespace
}  // namespace headlight
