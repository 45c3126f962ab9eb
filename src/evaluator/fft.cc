// fft: discrete Fourier transforms along the innermost dimensions, in the wide type.

#include <bit>
#include <numbers>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/wide_math.h"

namespace subfloor::evaluator {
namespace {

template <typename R>
using Line = std::vector<Complex<R>>;

// exp(+-2 pi i k / n), with the angle brought to an eighth of the circle, so that the axes come out exact.
template <typename R>
Complex<R> Root(int64_t k, int64_t n, bool inverse) {
  constexpr Quad kPi = 3.14159265358979323846264338327950288419716939937510582Q;
  k %= n;
  const int64_t octant = 8 * k / n;
  // The nearest axis is `quarter` quarters away; the rest is at most an eighth to either side.
  const int64_t quarter = (octant + 1) / 2;
  const R angle = static_cast<R>(2 * kPi) * static_cast<R>(4 * k - quarter * n) / static_cast<R>(4 * n);
  const R c = Cos(angle), s = Sin(angle);
  Complex<R> root = {c, s};
  switch (quarter % 4) {
    case 1:
      root = {-s, c};
      break;
    case 2:
      root = {-c, -s};
      break;
    case 3:
      root = {s, -c};
      break;
    default:
      break;
  }
  if (!inverse) root.im = -root.im;
  return root;
}

template <typename R>
std::vector<Complex<R>> Roots(int64_t n, bool inverse) {
  std::vector<Complex<R>> roots;
  for (int64_t k = 0; k < n; ++k) roots.push_back(Root<R>(k, n, inverse));
  return roots;
}

// Powers of two by halving, in place.
template <typename R>
void TransformPowerOfTwo(Line<R>& line, const std::vector<Complex<R>>& roots) {
  const size_t n = line.size();
  for (size_t i = 1, j = 0; i < n; ++i) {  // bit reversal
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(line[i], line[j]);
  }
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const Complex<R> odd = line[begin + half + k] * roots[k * (n / (2 * half))];
        const Complex<R> even = line[begin + k];
        line[begin + k] = even + odd;
        line[begin + half + k] = even - odd;
      }
    }
  }
}

// Any other length by the definition.
template <typename R>
void Transform(Line<R>& line, const std::vector<Complex<R>>& roots) {
  const size_t n = line.size();
  if (std::has_single_bit(n)) return TransformPowerOfTwo<R>(line, roots);
  Line<R> result(n, Complex<R>{0, 0});
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0, turn = 0; j < n; ++j, turn = (turn + k) % n)
      result[k] = result[k] + line[j] * roots[turn];
  }
  line = std::move(result);
}

// Transforms a dimension of `values`, an array of these sizes, in place.
template <typename R>
void TransformDimension(std::vector<Complex<R>>& values, const Shape& shape, int64_t dim, bool inverse) {
  const int64_t length = shape.dimension(dim);
  const int64_t stride = RowMajorStrides(shape.dimensions())[static_cast<size_t>(dim)];
  const std::vector<Complex<R>> roots = Roots<R>(length, inverse);
  Line<R> line(static_cast<size_t>(length));
  const std::array<int64_t, 1> along = {dim};
  for (int64_t start : OffsetsOver(shape, OtherDimensions(shape.rank(), along))) {
    for (int64_t i = 0; i < length; ++i)
      line[static_cast<size_t>(i)] = values[static_cast<size_t>(start + i * stride)];
    Transform<R>(line, roots);
    for (int64_t i = 0; i < length; ++i)
      values[static_cast<size_t>(start + i * stride)] = line[static_cast<size_t>(i)];
  }
}

// Real input: only the first half of the last dimension's spectrum is kept, the rest is its mirror image.
template <typename R>
std::vector<Complex<R>> RealForward(const Literal& operand, int64_t half) {
  std::vector<Complex<R>> all = LoadAll<Complex<R>>(operand);
  const Shape& shape = operand.shape();
  const int64_t length = shape.dimension(shape.rank() - 1);
  TransformDimension<R>(all, shape, shape.rank() - 1, /*inverse=*/false);
  std::vector<Complex<R>> kept;
  for (size_t start = 0; start < all.size(); start += static_cast<size_t>(length)) {
    kept.insert(kept.end(), all.begin() + static_cast<std::ptrdiff_t>(start),
                all.begin() + static_cast<std::ptrdiff_t>(start) + half);
  }
  return kept;
}

// The last step of the way back to real numbers: the mirror image is put in place of what is not stored, and
// the imaginary parts of the first and, in an even length, the middle entry do not count.
template <typename R>
std::vector<Complex<R>> RealInverse(const std::vector<Complex<R>>& halves, const Shape& whole) {
  const int64_t length = whole.dimension(whole.rank() - 1), half = length / 2 + 1;
  std::vector<Complex<R>> values;
  for (size_t start = 0; start < halves.size(); start += static_cast<size_t>(half)) {
    for (int64_t k = 0; k < length; ++k) {
      const bool stored = k < half;
      Complex<R> value = halves[start + static_cast<size_t>(stored ? k : length - k)];
      if (!stored) value.im = -value.im;
      if (k == 0 || 2 * k == length) value.im = 0;
      values.push_back(value);
    }
  }
  TransformDimension<R>(values, whole, whole.rank() - 1, /*inverse=*/true);
  return values;
}

template <typename R>
void Evaluate(const hlo::FftAttributes& attributes, const Literal& operand, Literal& result) {
  const auto dims = static_cast<int64_t>(attributes.fft_length.size());
  const int64_t rank = operand.shape().rank();
  const bool inverse =
      attributes.fft_type == hlo::FftType::kIfft || attributes.fft_type == hlo::FftType::kIrfft;
  const bool real = attributes.fft_type == hlo::FftType::kRfft || attributes.fft_type == hlo::FftType::kIrfft;
  std::vector<Complex<R>> values;
  // The shape that the dimensions before the last are transformed in: that of the complex side.
  const Shape& complex_shape = inverse ? operand.shape() : result.shape();
  if (real && !inverse) {
    values = RealForward<R>(operand, result.shape().dimension(rank - 1));
  } else {
    values = LoadAll<Complex<R>>(operand);
  }
  for (int64_t d = rank - dims; d < rank; ++d) {
    if (real && d == rank - 1) continue;
    TransformDimension<R>(values, complex_shape, d, inverse);
  }
  if (real && inverse) values = RealInverse<R>(values, result.shape());
  if (inverse) {
    R count = 1;
    for (int64_t length : attributes.fft_length) count *= static_cast<R>(length);
    for (Complex<R>& value : values) value = {value.re / count, value.im / count};
  }
  StoreAll(values, result);
}

}  // namespace

Result<Literal> EvaluateFft(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::FftAttributes>();
  const Literal& operand = *operands[0];
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  if (operand.shape().element_count() == 0 || instruction.shape().element_count() == 0) return result;
  if (attributes.fft_length.empty() ||
      static_cast<int64_t>(attributes.fft_length.size()) > operand.shape().rank()) {
    return BadInput("fft over {} dimensions of {}", attributes.fft_length.size(),
                    operand.shape().ToString(false));
  }
  if (ComponentType(operand.element_type()) == ElementType::kF64) {
    Evaluate<Quad>(attributes, operand, result);
  } else {
    Evaluate<double>(attributes, operand, result);
  }
  return result;
}

}  // namespace subfloor::evaluator
