// Matrices of doubles, and the decompositions of them that are left to Eigen. The other rooms of the engine use Eigen through
// this header alone, since its own take seconds to compile wherever they are included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headlight::linear {

// [rows, columns], row by row.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> numbers;

  Matrix() = default;
  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count), numbers(static_cast<std::size_t>(row_count * column_count)) {}
  Matrix(std::int64_t row_count, std::int64_t column_count, std::vector<double> given)
      : rows(row_count), columns(column_count), numbers(std::move(given)) {}
  double* row(std::int64_t r) { return numbers.data() + r * columns; }
  const double* row(std::int64_t r) const { return numbers.data() + r * columns; }
  double& operator()(std::int64_t r, std::int64_t c) { return row(r)[c]; }
  double operator()(std::int64_t r, std::int64_t c) const { return row(r)[c]; }
};

// a [n, k] times b [k, m].
Matrix product(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
Matrix columns_of(const Matrix& a, std::int64_t first, std::int64_t count);
Matrix rows_of(const Matrix& a, std::int64_t first, std::int64_t count);
void add(Matrix& sum, const Matrix& other);                     // of one size
void add_to_rows(Matrix& sum, const std::vector<double>& row);  // `row`: as many numbers as `sum` has columns
double largest(const Matrix& a);                                // without its sign; 0 of no numbers
double largest_difference(const Matrix& a, const Matrix& b);    // of one size
double norm(const Matrix& a);                                   // Frobenius

// R [min(rows, columns), columns] of a = Q R with orthonormal columns in Q (Householder).
Matrix triangle_of_qr(const Matrix& a);

// min(rows, columns) values, descending, none below 0. Each is within a few units in the last place of the largest. They are the
// upper half of the eigenvalues of the symmetric matrix [0 a; a^T 0] (Golub and Van Loan, Matrix Computations, section 8.6).
std::vector<double> singular_values(const Matrix& a);

// Of a symmetric matrix [n, n], whose lower triangle is read: the eigenvalues descending, and the eigenvector of each as a row.
struct Eigensystem {
  std::vector<double> values;
  Matrix vectors;
};
Eigensystem symmetric_eigensystem(const Matrix& a);

// x of a x = b, where a [n, n] is symmetric and not negative (its LDL^T decomposition), b and x [n, m].
Matrix solved_symmetric(const Matrix& a, const Matrix& b);

}  // namespace headlight::linear
