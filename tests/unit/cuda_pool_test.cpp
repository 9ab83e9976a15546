// The look-up kernel of index-based attention alone, on the emulated module: tables in two bytes a number.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/core/rng.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::backends::cuda {
namespace {

struct Pooled {
  std::vector<float> qk, score, spread;
  std::size_t shared;
  bool operator==(const Pooled& other) const { return qk == other.qk && score == other.score && spread == other.spread; }
};

struct CudaPoolSizes {
  std::int64_t words, heads, length, vocabulary;
};

std::vector<float> table_of(const CudaPoolSizes& s) {
  const Rng rng(5, "table");
  std::vector<float> table(static_cast<std::size_t>(s.heads * (s.vocabulary + s.length) * (s.vocabulary + s.length)));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(rng.normal(0, i));
  return table;
}

// Rounds to the nearest bfloat16, ties to even.
float rounded(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

Pooled pool(const CudaPoolSizes& s, const std::vector<float>& table, Precision precision) {
  Info info{};
  Session* const session = emulation::module().open(0, &info);
  EXPECT_NE(session, nullptr);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(s.words * s.length));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7 % static_cast<std::size_t>(s.vocabulary));
  const auto count = static_cast<std::size_t>(s.words * s.heads * s.length);
  Pooled out{std::vector<float>(count * static_cast<std::size_t>(s.length)), std::vector<float>(count),
             std::vector<float>(static_cast<std::size_t>(s.words * s.heads * (s.vocabulary + s.length))), 0};
  PoolCall c{};
  c.words = s.words;
  c.heads = s.heads;
  c.length = s.length;
  c.vocabulary = s.vocabulary;
  c.ids = ids.data();
  c.table = table.data();
  c.scale = 0.5f;
  c.pad = 0;
  c.qk = out.qk.data();
  c.score = out.score.data();
  c.spread = out.spread.data();
  c.precision = precision;
  EXPECT_TRUE(emulation::module().pool(session, c)) << said_by(emulation::module());
  out.shared = emulation::last_shared();
  emulation::module().close(session);
  return out;
}

TEST(CudaPool, InBfloat16TheTableIsRoundedAndNothingElse) {
  for (const CudaPoolSizes s : {CudaPoolSizes{3, 2, 5, 9}, CudaPoolSizes{2, 1, 32, 64}, CudaPoolSizes{5, 3, 1, 1}}) {
    const std::vector<float> table = table_of(s);
    std::vector<float> two_bytes = table;
    for (float& x : two_bytes) x = rounded(x);
    const Pooled exact = pool(s, table, kFloat32), made = pool(s, table, kBrainFloat16);
    EXPECT_EQ(made, pool(s, two_bytes, kFloat32));
    EXPECT_NE(made.qk, exact.qk);
    EXPECT_EQ(exact.shared - made.shared, table.size() / static_cast<std::size_t>(s.heads) * 2) << "half the room";
    EXPECT_EQ(pool(s, table, kTensorFloat32), exact) << "tf32 saves no room and rounds no table";
  }
}

// n + l = 300: 360 KB as float32, more than a block may have; 180 KB rounded.
TEST(CudaPool, InBfloat16LargerTablesFitSharedMemory) {
  const CudaPoolSizes s{2, 1, 20, 280};
  const std::vector<float> table = table_of(s);
  const Pooled exact = pool(s, table, kFloat32), made = pool(s, table, kBrainFloat16);
  EXPECT_LT(exact.shared, std::size_t{48} << 10) << "read from memory";
  EXPECT_GT(made.shared, std::size_t{300} * 300 * 2);
  std::vector<float> two_bytes = table;
  for (float& x : two_bytes) x = rounded(x);
  EXPECT_EQ(made, pool(s, two_bytes, kFloat32));
}

}  // namespace
}  // namespace headlight::backends::cuda
