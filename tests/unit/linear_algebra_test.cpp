// Matrices of doubles and their decompositions: each is multiplied out again.
#include "engine/core/linear_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/core/rng.h"

namespace headlight::linear {
namespace {

Matrix drawn(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  const Rng rng(seed, "linear_algebra_test");
  Matrix a(rows, columns);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) a(r, c) = rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
  return a;
}

TEST(LinearAlgebra, AProductIsRowMeetsColumn) {
  const Matrix found = product({2, 3, {1, 2, 3, 4, 5, 6}}, {3, 2, {1, 0, 0, 1, 2, -1}});
  EXPECT_EQ(found.numbers, (std::vector<double>{7, -1, 16, -1}));
  EXPECT_EQ(transposed(found).numbers, (std::vector<double>{7, 16, -1, -1}));
  EXPECT_EQ(columns_of(found, 1, 1).numbers, (std::vector<double>{-1, -1}));
  EXPECT_EQ(rows_of(found, 1, 1).numbers, (std::vector<double>{16, -1}));
}

TEST(LinearAlgebra, TheTriangleHasTheSameProductWithItself) {
  for (const Matrix& a : {drawn(7, 4, 1), drawn(4, 7, 2), drawn(1, 1, 3)}) {
    const Matrix r = triangle_of_qr(a);
    ASSERT_EQ(r.rows, std::min(a.rows, a.columns));
    for (std::int64_t i = 1; i < r.rows; ++i)
      for (std::int64_t j = 0; j < i; ++j) EXPECT_EQ(r(i, j), 0);
    EXPECT_LE(largest_difference(product(transposed(r), r), product(transposed(a), a)), 1e-13);
  }
}

TEST(LinearAlgebra, AnEigensystemMultipliedOutIsTheMatrix) {
  const Matrix half = drawn(9, 6, 4), a = product(transposed(half), half);
  const Eigensystem found = symmetric_eigensystem(a);
  ASSERT_EQ(found.values.size(), 6U);
  Matrix scaled = found.vectors;
  for (std::int64_t i = 0; i < 6; ++i) {
    if (i > 0) {
      EXPECT_GE(found.values[static_cast<std::size_t>(i - 1)], found.values[static_cast<std::size_t>(i)]);
    }
    for (std::int64_t c = 0; c < 6; ++c) scaled(i, c) *= found.values[static_cast<std::size_t>(i)];
  }
  EXPECT_LE(largest_difference(product(transposed(found.vectors), scaled), a), 1e-13);
}

TEST(LinearAlgebra, SingularValuesOfAWideAndATallMatrixAreTheRootsOfItsEigenvalues) {
  const Matrix tall = drawn(40, 12, 5);
  const Eigensystem squares = symmetric_eigensystem(product(transposed(tall), tall));
  const std::vector<double> of_tall = singular_values(tall), of_wide = singular_values(transposed(tall));
  ASSERT_EQ(of_tall.size(), 12U);
  ASSERT_EQ(of_wide.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(of_tall[i], std::sqrt(squares.values[i]), 1e-12);
    EXPECT_NEAR(of_wide[i], of_tall[i], 1e-12);
  }
}

TEST(LinearAlgebra, SingularValuesThatAreZeroAreZeroWithinRounding) {
  // Rank 3 of 20: the other 17 are no larger than rounding of the first.
  const std::vector<double> found = singular_values(product(drawn(20, 3, 6), drawn(3, 20, 7)));
  EXPECT_GT(found[2], 1);
  for (std::size_t i = 3; i < 20; ++i) {
    EXPECT_GE(found[i], 0);
    EXPECT_LE(found[i], 20 * 2.3e-16 * found[0]);
  }
}

TEST(LinearAlgebra, ASolutionMultipliedIsTheRightSide) {
  const Matrix half = drawn(9, 6, 8), a = product(transposed(half), half), b = drawn(6, 2, 9);
  EXPECT_LE(largest_difference(product(a, solved_symmetric(a, b)), b), 1e-12);
}

}  // namespace
}  // namespace headlight::linear
