#include "engine/core/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace headlight::linear {
namespace {

// One type of matrix in all of this file: each further one is compiled again in every decomposition.
using Dense = Eigen::MatrixXd;

Dense dense(const Matrix& a) {
  Dense out(a.rows, a.columns);
  for (std::int64_t c = 0; c < a.columns; ++c)
    for (std::int64_t r = 0; r < a.rows; ++r) out.data()[c * a.rows + r] = a(r, c);
  return out;
}

Matrix rows_from(const Dense& a) {
  Matrix out(a.rows(), a.cols());
  for (std::int64_t c = 0; c < out.columns; ++c)
    for (std::int64_t r = 0; r < out.rows; ++r) out(r, c) = a.data()[c * out.rows + r];
  return out;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (std::int64_t r = 0; r < a.rows; ++r) {
    double* const sum = out.row(r);
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const double factor = a(r, k);
      const double* const other = b.row(k);
      for (std::int64_t c = 0; c < b.columns; ++c) sum[c] += factor * other[c];
    }
  }
  return out;
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t c = 0; c < a.columns; ++c) out(c, r) = a(r, c);
  return out;
}

Matrix columns_of(const Matrix& a, std::int64_t first, std::int64_t count) {
  Matrix out(a.rows, count);
  for (std::int64_t r = 0; r < a.rows; ++r) std::copy_n(a.row(r) + first, count, out.row(r));
  return out;
}

Matrix rows_of(const Matrix& a, std::int64_t first, std::int64_t count) {
  return {count, a.columns, std::vector<double>(a.row(first), a.row(first + count))};
}

void add(Matrix& sum, const Matrix& other) {
  for (std::size_t i = 0; i < sum.numbers.size(); ++i) sum.numbers[i] += other.numbers[i];
}

void add_to_rows(Matrix& sum, const std::vector<double>& row) {
  for (std::int64_t r = 0; r < sum.rows; ++r)
    for (std::int64_t c = 0; c < sum.columns; ++c) sum(r, c) += row[static_cast<std::size_t>(c)];
}

double largest(const Matrix& a) {
  double most = 0;
  for (const double x : a.numbers) most = std::max(most, std::abs(x));
  return most;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) most = std::max(most, std::abs(a.numbers[i] - b.numbers[i]));
  return most;
}

double norm(const Matrix& a) {
  double square = 0;
  for (const double x : a.numbers) square += x * x;
  return std::sqrt(square);
}

Matrix triangle_of_qr(const Matrix& a) {
  const Eigen::HouseholderQR<Dense> solved(dense(a));
  Matrix out(std::min(a.rows, a.columns), a.columns);
  for (std::int64_t r = 0; r < out.rows; ++r)
    for (std::int64_t c = r; c < out.columns; ++c) out(r, c) = solved.matrixQR()(r, c);
  return out;
}

std::vector<double> singular_values(const Matrix& a) {
  const std::int64_t both = a.rows + a.columns;
  Dense symmetric = Dense::Zero(both, both);
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t c = 0; c < a.columns; ++c) symmetric(a.rows + c, r) = a(r, c);
  const Eigen::SelfAdjointEigenSolver<Dense> solved(symmetric, Eigen::EigenvaluesOnly);
  std::vector<double> values;
  for (std::int64_t i = 0; i < std::min(a.rows, a.columns); ++i)
    values.push_back(std::max(0.0, solved.eigenvalues()[both - 1 - i]));
  return values;
}

Eigensystem symmetric_eigensystem(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Dense> solved(dense(a));
  Eigensystem out{{}, Matrix(a.rows, a.rows)};
  // Eigen has them ascending.
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t from = a.rows - 1 - i;
    out.values.push_back(solved.eigenvalues()[from]);
    std::copy_n(solved.eigenvectors().data() + from * a.rows, a.rows, out.vectors.row(i));
  }
  return out;
}

Matrix solved_symmetric(const Matrix& a, const Matrix& b) { return rows_from(dense(a).ldlt().solve(dense(b))); }

}  // namespace headlight::linear
