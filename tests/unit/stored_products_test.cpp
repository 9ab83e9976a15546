// Products with weights as a file stores them, on every instruction set this processor has: against the widened numbers in
// double, for every stored type and for sizes that fill no register, panel or tile.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/backends/base/stored_matrix.h"
#include "engine/backends/cpu/levels.h"
#include "engine/backends/cpu/products.h"
#include "engine/checkpoints/tensor_file.h"
#include "engine/core/float16.h"
#include "engine/core/rng.h"

namespace headlight::backends {
namespace {

using checkpoints::StoredType;

// Random blocks. The columns lie in another order than that of the product, as the rows of rotary projections do in GGUF.
class Blocks final : public StoredMatrix {
 public:
  Blocks(StoredType type, std::int64_t inner, std::int64_t columns) : type_(type), inner_(inner), columns_(columns) {
    const Rng rng(7, "stored products");
    const auto drawn = [&](std::uint64_t i) { return rng.uniform(i, 0); };
    step_ = static_cast<std::size_t>(inner / entry().block) * entry().bytes;
    bytes_.resize(step_ * static_cast<std::size_t>(columns));
    for (std::int64_t j = 0; j < columns; ++j)
      starts_.push_back(bytes_.data() + static_cast<std::size_t>((5 * j + 2) % columns) * step_);
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(256 * drawn(i));
    // Whole numbers of every kind are in the bytes; the half floats among them, and plain numbers, must be finite.
    const auto put_half = [&](std::size_t at) {
      const std::uint16_t bits = to_float16(static_cast<float>(drawn(at) - 0.5) / 8);
      std::memcpy(bytes_.data() + at, &bits, 2);
    };
    for (std::size_t at = 0; at < bytes_.size(); at += entry().bytes) {
      switch (type) {
        case StoredType::f32:
        case StoredType::bf16: {
          const auto x = static_cast<float>(drawn(at) - 0.5);
          std::memcpy(bytes_.data() + at, reinterpret_cast<const std::byte*>(&x) + 4 - entry().bytes, entry().bytes);
          break;
        }
        case StoredType::q2_k:
          put_half(at + 80);
          put_half(at + 82);
          break;
        case StoredType::q3_k: put_half(at + 108); break;
        case StoredType::q6_k: put_half(at + 208); break;
        case StoredType::q4_1:
        case StoredType::q5_1:
        case StoredType::q4_k:
        case StoredType::q5_k: put_half(at + 2); [[fallthrough]];
        default: put_half(at);
      }
    }
  }
  std::int64_t inner() const override { return inner_; }
  std::int64_t columns() const override { return columns_; }
  StoredType type() const override { return type_; }
  const std::byte* const* starts() const override { return starts_.data(); }
  bool worth_packing() const override { return false; }
  void widen(std::int64_t first, std::int64_t count, float* to) const override {
    for (std::int64_t j = 0; j < count; ++j)
      checkpoints::widen_blocks(type_, starts_[static_cast<std::size_t>(first + j)], inner_ / entry().block, to + j * inner_);
  }

 private:
  const checkpoints::StoredTypeEntry& entry() const { return checkpoints::entry_of(type_); }
  StoredType type_;
  std::int64_t inner_, columns_;
  std::size_t step_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<const std::byte*> starts_;  // by column
};

std::vector<float> stored_drawn(std::int64_t count, const char* name) {
  const Rng rng(5, name);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(rng.normal(0, i));
  return x;
}

// The product, and its largest difference from the sums in double, as a part of the sum of magnitudes.
double worst_share(const cpu::Kernels& kernels, const Blocks& matrix, std::int64_t rows, bool with_bias) {
  const std::int64_t inner = matrix.inner(), columns = matrix.columns(), lda = inner + 3, ldc = columns + 5;
  const std::vector<float> a = stored_drawn(rows * lda, "a"), bias = stored_drawn(columns, "bias");
  std::vector<float> c(static_cast<std::size_t>(rows * ldc), -7.0f), w(static_cast<std::size_t>(inner * columns));
  matrix.widen(0, columns, w.data());
  const cpu::Product product{.rows = rows,
                             .inner = inner,
                             .columns = columns,
                             .a = a.data(),
                             .lda = lda,
                             .bias = with_bias ? bias.data() : nullptr,
                             .activation = with_bias ? cpu::Activation::relu : cpu::Activation::none,
                             .c = c.data(),
                             .ldc = ldc,
                             .stored = &matrix};
  EXPECT_TRUE(cpu::multiply(kernels, std::span(&product, 1), {}));
  double worst = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = with_bias ? bias[static_cast<std::size_t>(j)] : 0, magnitudes = std::abs(sum);
      for (std::int64_t k = 0; k < inner; ++k) {
        const double one =
            static_cast<double>(a[static_cast<std::size_t>(r * lda + k)]) * w[static_cast<std::size_t>(j * inner + k)];
        sum += one;
        magnitudes += std::abs(one);
      }
      if (with_bias) sum = std::max(sum, 0.0);
      worst = std::max(worst, std::abs(c[static_cast<std::size_t>(r * ldc + j)] - sum) / (magnitudes + 1e-30));
    }
    for (std::int64_t j = columns; j < ldc; ++j) EXPECT_EQ(c[static_cast<std::size_t>(r * ldc + j)], -7.0f);
  }
  return worst;
}

TEST(StoredProducts, AreThoseOfTheWidenedNumbers) {
  for (const checkpoints::StoredTypeEntry& entry : checkpoints::stored_types()) {
    if (!checkpoints::can_multiply(entry.type)) continue;
    const bool plain = entry.block == 1;
    for (const std::int64_t inner : plain ? std::vector<std::int64_t>{1, 7, 33, 300} : std::vector<std::int64_t>{1, 3, 9}) {
      const Blocks matrix(entry.type, inner * entry.block, 37);
      for (const cpu::Level& level : cpu::levels())
        for (const std::int64_t rows : {1, 2, 3, 4, 5, 40})
          // Float32 rounds each of up to 2,304 sums, one by half a unit of 6e-8; the differences are of both signs.
          EXPECT_LE(worst_share(*level.kernels, matrix, rows, rows % 2 == 0), 5e-7)
              << entry.name << ", " << level.id << ", " << rows << " rows of " << matrix.inner();
    }
  }
}

// So many rows and numbers that a product is made of several parts.
TEST(StoredProducts, OfManyRowsAreThoseOfTheWidenedNumbers) {
  for (const StoredType type : {StoredType::q4_1, StoredType::q8_0, StoredType::f16}) {
    const Blocks matrix(type, type == StoredType::f16 ? 1100 : 1280, 37);
    for (const cpu::Level& level : cpu::levels())
      for (const std::int64_t rows : {65, 530})
        EXPECT_LE(worst_share(*level.kernels, matrix, rows, rows % 2 == 0), 5e-7)
            << checkpoints::entry_of(type).name << ", " << level.id << ", " << rows << " rows";
  }
}

// A panel is packed from the very numbers that a reader of the file sees, and not from others that round to nearly the same sums.
TEST(StoredProducts, PackTheWidenedNumbers) {
  for (const checkpoints::StoredTypeEntry& entry : checkpoints::stored_types()) {
    if (!checkpoints::can_multiply(entry.type)) continue;
    for (const std::int64_t columns : {1, 7, 16, 32}) {
      const Blocks matrix(entry.type, entry.block == 1 ? 301 : 3 * entry.block, columns);
      std::vector<float> w(static_cast<std::size_t>(matrix.inner() * columns));
      matrix.widen(0, columns, w.data());
      for (const cpu::Level& level : cpu::levels()) {
        const cpu::Kernels& kernels = *level.kernels;
        if (kernels.stored_rows == 0 || columns > kernels.panel) continue;
        std::vector<float> expected(static_cast<std::size_t>(matrix.inner() * kernels.panel), -7), packed = expected;
        kernels.pack(w.data(), matrix.inner(), true, matrix.inner(), columns, expected.data());
        kernels.pack_stored({entry.type, matrix.inner(), columns, matrix.starts()}, packed.data());
        EXPECT_EQ(packed, expected) << entry.name << ", " << level.id << ", " << columns << " columns";
      }
    }
  }
}

}  // namespace
}  // namespace headlight::backends
