// Products with operands rounded to bfloat16, where the processor has them: against double over the rounded operands, in every
// form of both, in wider arrays, and through the backend with their gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/backends/cpu/bfloat16_products.h"
#include "engine/core/rng.h"
#include "engine/operations/gradient.h"
#include "engine/operations/linear.h"

namespace headlight::backends {
namespace {

// To the nearest number whose lower half is zeros, of two as near the one with an even last digit.
float to_bfloat16(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

struct Bfloat16ProductsSizes {
  std::int64_t rows, inner, columns;
};
// One number, odd inner sizes, less and more than whole panels, several blocks of lines and of pairs, both sides the longer one.
const std::vector<Bfloat16ProductsSizes> kSizes{{1, 1, 1},     {1, 300, 70},   {3, 5, 31},      {8, 2, 48},     {13, 17, 33},
                                                {50, 64, 100}, {97, 1101, 40}, {130, 1027, 65}, {17, 513, 900}, {900, 33, 48}};

// Rows of `columns` numbers, `pad` numbers apart from each other, and its transpose likewise.
struct Matrix {
  Matrix(std::int64_t rows_of, std::int64_t columns_of, std::int64_t pad, const char* name)
      : rows(rows_of), columns(columns_of), ld(columns_of + pad), turned_ld(rows_of + pad) {
    const Rng rng(7, name);
    plain.assign(static_cast<std::size_t>(rows * ld), 1e30f);
    turned.assign(static_cast<std::size_t>(columns * turned_ld), 1e30f);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        plain[static_cast<std::size_t>(i * ld + j)] = turned[static_cast<std::size_t>(j * turned_ld + i)] =
            static_cast<float>(rng.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  }
  double rounded(std::int64_t i, std::int64_t j) const { return to_bfloat16(plain[static_cast<std::size_t>(i * ld + j)]); }
  cpu::Operand operand(bool is_turned) const {
    return is_turned ? cpu::Operand{turned.data(), turned_ld, true} : cpu::Operand{plain.data(), ld, false};
  }
  std::int64_t rows, columns, ld, turned_ld;
  std::vector<float> plain, turned;
};

TEST(Bfloat16Products, AreThoseOfTheRoundedOperandsInEveryForm) {
  const cpu::Bfloat16Kernels* const kernels = cpu::bfloat16_kernels();
  if (!kernels) GTEST_SKIP() << "this processor has no AVX512-BF16";
  for (const Bfloat16ProductsSizes& s : kSizes) {
    const Matrix a(s.rows, s.inner, 3, "a"), b(s.inner, s.columns, 5, "b"), bias(1, s.columns, 0, "bias");
    std::vector<double> exact;
    for (std::int64_t i = 0; i < s.rows; ++i)
      for (std::int64_t j = 0; j < s.columns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < s.inner; ++k) sum += a.rounded(i, k) * b.rounded(k, j);
        exact.push_back(sum);
      }
    // As in products_test.cpp: what float32 sums may be off by. A summand too many or too few is off by 1.
    const double most = 1e-6 + 4e-7 * static_cast<double>(s.inner);
    const std::int64_t ldc = s.columns + 7;
    std::vector<float> first;
    for (const int form : {0, 1, 2, 3}) {
      SCOPED_TRACE(to_string(Shape{s.rows, s.inner, s.columns}) + " form " + std::to_string(form));
      std::vector<float> c(static_cast<std::size_t>(s.rows * ldc), -7.0f);
      const float* const added = form == 0 ? nullptr : bias.plain.data();
      const cpu::RoundedProduct product{s.rows, s.inner,  s.columns, a.operand((form & 1) != 0), b.operand((form & 2) != 0),
                                        added,  c.data(), ldc};
      ASSERT_TRUE(cpu::multiply(*kernels, product, {}));
      for (std::int64_t i = 0; i < s.rows; ++i)
        for (std::int64_t j = 0; j < ldc; ++j) {
          const float got = c[static_cast<std::size_t>(i * ldc + j)];
          if (j >= s.columns) {
            ASSERT_EQ(got, -7.0f) << "beyond row " << i;
            continue;
          }
          const double wanted = exact[static_cast<std::size_t>(i * s.columns + j)] +
                                (added ? static_cast<double>(added[static_cast<std::size_t>(j)]) : 0.0);
          ASSERT_NEAR(got, wanted, most) << "row " << i << " column " << j;
        }
      if (form == 1) first = c;
      if (form > 1) {
        ASSERT_EQ(c, first);
      }
    }
  }
}

TEST(Bfloat16Products, NoNumberStaysNoNumberAndACancelledOneSaysSo) {
  const cpu::Bfloat16Kernels* const kernels = cpu::bfloat16_kernels();
  if (!kernels) GTEST_SKIP() << "this processor has no AVX512-BF16";
  Matrix a(20, 40, 0, "a");
  const Matrix b(40, 30, 0, "b");
  a.plain[3 * 40 + 11] = NAN;
  std::vector<float> c(20 * 30);
  const cpu::RoundedProduct product{20, 40, 30, a.operand(false), b.operand(false), nullptr, c.data(), 30};
  ASSERT_TRUE(cpu::multiply(*kernels, product, {}));
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(std::isnan(c[i]), i / 30 == 3) << i;
  CancelSource source;
  source.cancel();
  EXPECT_FALSE(cpu::multiply(*kernels, product, source.token()));
}

double relative(const Tensor& got, const Tensor& wanted) {
  double error = 0, size = 0;
  for (std::int64_t i = 0; i < wanted.count(); ++i) {
    const double w = wanted.data<float>()[i], difference = got.data<float>()[i] - w;
    error += difference * difference;
    size += w * w;
  }
  return std::sqrt(error / size);
}

TEST(Bfloat16Products, ABackendRoundsProductsAndTheirGradientsAndNothingElse) {
  const std::shared_ptr<Backend> plain = *open("cpu"), rounding = with_bfloat16_products(*plain);
  if (!rounding) GTEST_SKIP() << "this processor has no AVX512-BF16";
  EXPECT_EQ(rounding->precision(), "bf16");
  EXPECT_EQ(rounding->device().label, plain->device().label + ", products in bf16");
  const operations::Linear op{.rows = 70, .inner = 90, .columns = 110, .bias = true};
  const auto drawn = [](const char* name, const Shape& shape) {
    Tensor t(DType::f32, shape, {}, true);
    const Rng rng(3, name);
    for (std::int64_t i = 0; i < t.count(); ++i)
      t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
    return t;
  };
  const std::vector<Buffer> in{*plain->upload(drawn("x", {70, 90})), *plain->upload(drawn("w", {90, 110})),
                               *plain->upload(drawn("b", {110}))};
  const auto y = plain->apply(op, in), y_rounded = rounding->apply(op, in);
  ASSERT_TRUE(y.ok() && y_rounded.ok());
  // Each operand is off by at most 2^-9 of itself, about half of that on average.
  const auto near = [](double error) { return error > 1e-4 && error < 4e-3; };
  EXPECT_TRUE(near(relative((*y_rounded)[0].host, (*y)[0].host)));
  std::vector<Buffer> given = in;
  given.push_back((*y)[0]);
  given.push_back(*plain->upload(drawn("dy", {70, 110})));
  const auto d = plain->apply(operations::Gradient{op, {}}, given),
             d_rounded = rounding->apply(operations::Gradient{op, {}}, given);
  ASSERT_TRUE(d.ok() && d_rounded.ok());
  EXPECT_TRUE(near(relative((*d_rounded)[0].host, (*d)[0].host)));
  EXPECT_TRUE(near(relative((*d_rounded)[1].host, (*d)[1].host)));
  EXPECT_EQ(relative((*d_rounded)[2].host, (*d)[2].host), 0) << "the bias's gradient is a sum";
}

TEST(Bfloat16Products, TheReferenceHasNone) { EXPECT_EQ(with_bfloat16_products(**open("reference")), nullptr); }

}  // namespace
}  // namespace headlight::backends
