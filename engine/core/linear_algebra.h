// Matrices of doubles, and their decompositions by Eigen. The rest of the engine uses Eigen through this header alone, since
// Eigen's own headers take seconds to compile wherever they are included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headlight::linear {

// A matrix [rows, columns], stored row by row.
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

// a [n, k] times b [k, m], [n, m]. product({1, 2, {3, 4}}, {2, 1, {5, 6}}) gives {1, 1, {39}}.
Matrix product(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
// columns_of(a, 2, 3): the columns 2, 3 and 4 of a, [rows, 3].
Matrix columns_of(const Matrix& a, std::int64_t first, std::int64_t count);
// rows_of(a, 2, 3): the rows 2, 3 and 4 of a, [3, columns].
Matrix rows_of(const Matrix& a, std::int64_t first, std::int64_t count);
// sum += other, of the same size. {1, 2, {1, 2}} becomes {1, 2, {4, 6}} by adding {1, 2, {3, 4}}.
void add(Matrix& sum, const Matrix& other);
// Adds row [columns] to every row of `sum`. {2, 1, {1, 2}} becomes {2, 1, {11, 12}} by adding {10}.
void add_to_rows(Matrix& sum, const std::vector<double>& row);
double largest(const Matrix& a);  // the largest absolute value; 0 if a is empty
// The largest |a - b|; a and b have the same size. largest_difference({1, 2, {1, 5}}, {1, 2, {3, 4}}) gives 2.
double largest_difference(const Matrix& a, const Matrix& b);
double norm(const Matrix& a);  // Frobenius

// R [min(rows, columns), columns] of a = Q R with orthonormal columns in Q (Householder).
Matrix triangle_of_qr(const Matrix& a);

// The min(rows, columns) singular values, descending, none below 0. Each is within a few units in the last place of the largest.
// They are the upper half of the eigenvalues of the symmetric matrix [0 a; a^T 0] (Golub and Van Loan, Matrix Computations,
// section 8.6).
std::vector<double> singular_values(const Matrix& a);

// The eigenvalues and eigenvectors of a symmetric matrix [n, n], of which only the lower triangle is read.
struct Eigensystem {
  std::vector<double> values;  // descending
  Matrix vectors;              // [n, n]: row i is the eigenvector of values[i]
};
Eigensystem symmetric_eigensystem(const Matrix& a);

// Solves a x = b for x [n, m], where b is [n, m] and a [n, n] is symmetric and positive semidefinite (LDL^T decomposition).
// solved_symmetric({1, 1, {2}}, {1, 1, {6}}) gives {1, 1, {3}}.
Matrix solved_symmetric(const Matrix& a, const Matrix& b);

}  // namespace headlight::linear
