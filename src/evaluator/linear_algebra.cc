// cholesky and triangular-solve, by the textbook recurrences in the wide type; and LAPACK's calls that mean
// the same, or LU.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "evaluator/lapack_call.h"
#include "evaluator/op_functions.h"
#include "evaluator/wide_math.h"
#include "hlo/lapack_call.h"

namespace subfloor::evaluator {
namespace {

inline double Conjugate(double x) { return x; }
inline Quad Conjugate(Quad x) { return x; }
template <typename R>
Complex<R> Conjugate(Complex<R> z) {
  return {z.re, -z.im};
}

inline double RealPart(double x) { return x; }
inline Quad RealPart(Quad x) { return x; }
template <typename R>
R RealPart(Complex<R> z) {
  return z.re;
}

inline double FromReal(double, double x) { return x; }
inline Quad FromReal(Quad, Quad x) { return x; }
template <typename R>
Complex<R> FromReal(Complex<R>, R x) {
  return {x, 0};
}

template <typename W>
W Quotient(W a, W b) {
  if constexpr (std::is_floating_point_v<W> || std::is_same_v<W, Quad>) {
    return a / b;
  } else {
    return Divide(a, b);
  }
}

// The matrices of a batch lie one after the other; element (i, j) of one, transposed or not.
template <typename W>
struct Matrix {
  W* elements;
  int64_t columns;
  bool transposed;
  W& operator()(int64_t i, int64_t j) const {
    return transposed ? elements[j * columns + i] : elements[i * columns + j];
  }
};

// Calls f with the wide type of a real or complex element type.
template <typename F>
void WithField(ElementType type, F&& f) {
  switch (WideKindOf(type)) {
    case WideKind::kQuad:
      return f.template operator()<Quad>();
    case WideKind::kComplexDouble:
      return f.template operator()<Complex<double>>();
    case WideKind::kComplexQuad:
      return f.template operator()<Complex<Quad>>();
    default:
      return f.template operator()<double>();
  }
}

// The lower factor of one matrix, read from its lower triangle only. False if a pivot is NaN or negative.
template <typename W>
bool Factor(const Matrix<W>& a, const Matrix<W>& factor, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    auto pivot = RealPart(a(j, j));
    for (int64_t k = 0; k < j; ++k) pivot = pivot - RealPart(factor(j, k) * Conjugate(factor(j, k)));
    if (!(pivot >= 0)) return false;
    const auto root = Sqrt(pivot);
    factor(j, j) = FromReal(W{}, root);
    for (int64_t i = j + 1; i < n; ++i) {
      W sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum = sum - factor(i, k) * Conjugate(factor(j, k));
      factor(i, j) = Quotient(sum, factor(j, j));
    }
  }
  return true;
}

}  // namespace

namespace {

Result<Literal> Cholesky(const Literal& a, bool lower, const Shape& shape) {
  Literal result = SF_TRY(Literal::Zeros(shape));
  if (shape.element_count() == 0) return result;
  const int64_t n = shape.dimension(shape.rank() - 1);
  WithField(shape.element_type(), [&]<typename W>() {
    std::vector<W> from = LoadAll<W>(a);
    std::vector<W> to(from.size(), W{});
    for (int64_t at = 0; at < shape.element_count(); at += n * n) {
      // The upper factor is the transpose of the lower factor of the transpose.
      if (Factor<W>({from.data() + at, n, !lower}, {to.data() + at, n, !lower}, n)) continue;
      // A matrix that is not positive definite has no factor: all of the answer says so.
      const auto nan = std::numeric_limits<double>::quiet_NaN();
      for (int64_t i = 0; i < n * n; ++i) {
        if constexpr (std::is_same_v<W, Complex<double>> || std::is_same_v<W, Complex<Quad>>) {
          to[static_cast<size_t>(at + i)] = {nan, nan};
        } else {
          to[static_cast<size_t>(at + i)] = nan;
        }
      }
    }
    StoreAll(to, result);
  });
  return result;
}

// The factor in the triangle that was read, what stood in the other one; and for each matrix whether there is
// none.
Result<Literal> LapackCholesky(const Literal& a, bool lower, const Shape& result) {
  const Shape& shape = result.tuple_shape(0);
  Literal factor = SF_TRY(Cholesky(a, lower, shape));
  Literal info = SF_TRY(Literal::Zeros(result.tuple_shape(1)));
  const int64_t n = shape.dimension(shape.rank() - 1);
  WithField(shape.element_type(), [&]<typename W>() {
    std::vector<W> values = LoadAll<W>(factor), given = LoadAll<W>(a);
    std::vector<int64_t> failures(static_cast<size_t>(info.shape().element_count()), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const int64_t row = at / n % n, column = at % n;
      if (row == column && !(RealPart(values[i]) > 0)) failures[static_cast<size_t>(at / (n * n))] = 1;
      if (lower ? row < column : row > column) values[i] = given[i];
    }
    StoreAll(values, factor);
    StoreAll(failures, info);
  });
  return Literal::Tuple({std::move(factor), std::move(info)});
}

// |re| + |im|, by which LAPACK picks pivots.
inline double Size(double x) { return std::abs(x); }
inline Quad Size(Quad x) { return x < 0 ? -x : x; }
template <typename R>
R Size(Complex<R> z) {
  return Size(z.re) + Size(z.im);
}

// One matrix in place; gives the number of the first zero pivot, or 0.
template <typename W>
int64_t FactorLu(W* a, int64_t rows, int64_t columns, int64_t* pivots) {
  int64_t singular = 0;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    int64_t chosen = k;
    for (int64_t i = k + 1; i < rows; ++i) {
      if (Size(a[i * columns + k]) > Size(a[chosen * columns + k])) chosen = i;
    }
    pivots[k] = chosen + 1;
    for (int64_t j = 0; j < columns; ++j) std::swap(a[k * columns + j], a[chosen * columns + j]);
    const W pivot = a[k * columns + k];
    if (Size(pivot) == 0) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < rows; ++i) {
      const W factor = a[i * columns + k] = Quotient(a[i * columns + k], pivot);
      for (int64_t j = k + 1; j < columns; ++j)
        a[i * columns + j] = a[i * columns + j] - factor * a[k * columns + j];
    }
  }
  return singular;
}

Result<Literal> LapackLu(const Literal& a, const Shape& result) {
  const Shape& shape = result.tuple_shape(0);
  Literal factors = SF_TRY(Literal::Zeros(shape));
  Literal pivots = SF_TRY(Literal::Zeros(result.tuple_shape(1))),
          info = SF_TRY(Literal::Zeros(result.tuple_shape(2)));
  const int64_t rows = shape.dimension(shape.rank() - 2), columns = shape.dimension(shape.rank() - 1);
  WithField(shape.element_type(), [&]<typename W>() {
    std::vector<W> values = LoadAll<W>(a);
    std::vector<int64_t> exchanged(static_cast<size_t>(pivots.shape().element_count()), 0);
    std::vector<int64_t> failures(static_cast<size_t>(info.shape().element_count()), 0);
    for (size_t i = 0; i < failures.size(); ++i) {
      const auto matrix = static_cast<int64_t>(i);
      failures[i] = FactorLu(values.data() + matrix * rows * columns, rows, columns,
                             exchanged.data() + matrix * std::min(rows, columns));
    }
    StoreAll(values, factors);
    StoreAll(exchanged, pivots);
    StoreAll(failures, info);
  });
  return Literal::Tuple({std::move(factors), std::move(pivots), std::move(info)});
}

Result<Literal> TriangularSolve(const hlo::TriangularSolveAttributes& attributes, const Shape& shape,
                                Operands operands) {
  Literal result = SF_TRY(Literal::Zeros(shape));
  if (shape.element_count() == 0) return result;
  const int64_t rows = shape.dimension(shape.rank() - 2), columns = shape.dimension(shape.rank() - 1);
  // x op(a) = b is op(a)^T x^T = b^T, so that there is always a matrix m on the left of n unknowns at a time.
  const bool left = attributes.left_side;
  const bool flips = attributes.transpose_a != hlo::TransposeKind::kNoTranspose;
  const bool transposed = flips != !left;
  const bool lower = attributes.lower != transposed;
  const bool conjugated = attributes.transpose_a == hlo::TransposeKind::kAdjoint;
  const int64_t n = left ? rows : columns, systems = left ? columns : rows;
  WithField(shape.element_type(), [&]<typename W>() {
    std::vector<W> a = LoadAll<W>(*operands[0]), x = LoadAll<W>(*operands[1]);
    if (conjugated) {
      for (W& value : a) value = Conjugate(value);
    }
    const int64_t batches = shape.element_count() / (rows * columns);
    for (int64_t batch = 0; batch < batches; ++batch) {
      const Matrix<W> m = {a.data() + batch * n * n, n, transposed};
      const Matrix<W> unknowns = {x.data() + batch * rows * columns, columns, !left};
      for (int64_t system = 0; system < systems; ++system) {
        for (int64_t step = 0; step < n; ++step) {
          const int64_t i = lower ? step : n - 1 - step;
          W sum = unknowns(i, system);
          for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k)
            sum = sum - m(i, k) * unknowns(k, system);
          unknowns(i, system) = attributes.unit_diagonal ? sum : Quotient(sum, m(i, i));
        }
      }
    }
    StoreAll(x, result);
  });
  return result;
}

}  // namespace

Result<Literal> EvaluateCholesky(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return Cholesky(*operands[0], instruction.As<hlo::CholeskyAttributes>().lower, instruction.shape());
}

Result<Literal> EvaluateTriangularSolve(Context& context, const hlo::Instruction& instruction,
                                        Operands operands) {
  return TriangularSolve(instruction.As<hlo::TriangularSolveAttributes>(), instruction.shape(), operands);
}

std::optional<Result<Literal>> EvaluateLapackCall(const hlo::Instruction& call, Operands operands) {
  if (const auto cholesky = hlo::AsLapackCholesky(call)) {
    return LapackCholesky(*operands[0], cholesky->lower, call.shape());
  }
  if (const auto solve = hlo::AsLapackTriangularSolve(call))
    return TriangularSolve(*solve, call.shape(), operands);
  if (hlo::IsLapackLu(call)) return LapackLu(*operands[0], call.shape());
  return std::nullopt;
}

}  // namespace subfloor::evaluator
