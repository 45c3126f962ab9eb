#include "libraries/fft.h"

#include <algorithm>
#include <cstring>

#include "libraries/fft_plan.h"
#include "libraries/thread_scratch.h"

namespace subfloor::libraries {
namespace {

constexpr int64_t kLongest = int64_t{1} << 28;

int64_t Product(const std::vector<int64_t>& lengths) {
  int64_t product = 1;
  for (int64_t length : lengths) product *= length;
  return product;
}

// Elements of a transform on its complex side.
int64_t ComplexElements(const FftDescription& d) {
  const bool half = d.kind == FftKind::kRfft || d.kind == FftKind::kIrfft;
  return half ? Product(d.lengths) / d.lengths.back() * (d.lengths.back() / 2 + 1) : Product(d.lengths);
}

template <typename T>
class FftOf final : public Fft {
 public:
  using Complex = FftComplex<T>;

  explicit FftOf(const FftDescription& d)
      : Fft(d), sign_(d.kind == FftKind::kFft || d.kind == FftKind::kRfft ? -1 : 1) {
    last_ = d.lengths.back();
    real_ = d.kind == FftKind::kRfft || d.kind == FftKind::kIrfft;
    halved_ = real_ && last_ % 2 == 0;
    line_ = real_ ? last_ / 2 + 1 : last_;
    for (size_t i = 0; i + 1 < d.lengths.size(); ++i) outer_.emplace_back(d.lengths[i], sign_);
    inner_.emplace_back(halved_ ? last_ / 2 : last_, sign_);
    if (halved_)
      for (int64_t k = 0; k <= last_ / 2; ++k) {
        const Complex root = RootOfUnity<T>(k, last_);
        turns_.push_back(sign_ < 0 ? Conjugate(root) : root);
      }
    // Scratch: a column or line, what the longest plan wants, and a copy of the spectrum for kIrfft.
    int64_t longest = std::max(last_, line_);
    plan_scratch_ = inner_[0].scratch_elements();
    for (const FftPlan<T>& plan : outer_) {
      longest = std::max(longest, plan.length());
      plan_scratch_ = std::max(plan_scratch_, plan.scratch_elements());
    }
    plan_scratch_ = (plan_scratch_ + 15) / 16 * 16;
    line_scratch_ = (2 * longest + 15) / 16 * 16;
  }

  bool Run(int64_t index, const void* input, void* output) const override {
    const FftDescription& d = description();
    const int64_t complex_count = ComplexElements(d), real_count = Product(d.lengths);
    const int64_t copy = d.kind == FftKind::kIrfft ? 2 * complex_count : 0;
    T* scratch = static_cast<T*>(
        ThreadScratch((plan_scratch_ + line_scratch_ + copy) * static_cast<int64_t>(sizeof(T))));
    if (scratch == nullptr) return false;
    Complex* line = reinterpret_cast<Complex*>(scratch + plan_scratch_);
    switch (d.kind) {
      case FftKind::kFft:
      case FftKind::kIfft: {
        const Complex* in = static_cast<const Complex*>(input) + index * complex_count;
        Complex* out = static_cast<Complex*>(output) + index * complex_count;
        std::copy_n(in, complex_count, out);
        for (int64_t i = 0; i < complex_count; i += line_) inner_[0].Run(out + i, scratch);
        RunOuter(out, line, scratch);
        if (d.kind == FftKind::kIfft) {
          const T scale = 1 / static_cast<T>(real_count);
          for (int64_t i = 0; i < complex_count; ++i) out[i] = scale * out[i];
        }
        return true;
      }
      case FftKind::kRfft: {
        const T* in = static_cast<const T*>(input) + index * real_count;
        Complex* out = static_cast<Complex*>(output) + index * complex_count;
        for (int64_t i = 0; i < real_count / last_; ++i)
          RealLine(in + i * last_, out + i * line_, line, scratch);
        RunOuter(out, line, scratch);
        return true;
      }
      case FftKind::kIrfft: {
        Complex* spectrum = reinterpret_cast<Complex*>(scratch + plan_scratch_ + line_scratch_);
        std::copy_n(static_cast<const Complex*>(input) + index * complex_count, complex_count, spectrum);
        RunOuter(spectrum, line, scratch);
        T* out = static_cast<T*>(output) + index * real_count;
        const T scale = 1 / static_cast<T>(real_count);
        for (int64_t i = 0; i < real_count / last_; ++i)
          RealLineBack(spectrum + i * line_, out + i * last_, scale, line, scratch);
        return true;
      }
    }
    return true;
  }

 private:
  // All dimensions but the last, column by column.
  void RunOuter(Complex* data, Complex* column, T* scratch) const {
    int64_t stride = line_;
    const int64_t total = ComplexElements(description());
    for (size_t i = outer_.size(); i-- > 0;) {
      const int64_t length = outer_[i].length();
      for (int64_t block = 0; block < total; block += stride * length)
        for (int64_t c = 0; c < stride; ++c) {
          Complex* at = data + block + c;
          for (int64_t j = 0; j < length; ++j) column[j] = at[j * stride];
          outer_[i].Run(column, scratch);
          for (int64_t j = 0; j < length; ++j) at[j * stride] = column[j];
        }
      stride *= length;
    }
  }

  // An even line of reals is a line of half as many complex numbers, whose spectrum is then taken apart.
  void RealLine(const T* in, Complex* out, Complex* line, T* scratch) const {
    if (!halved_) {
      for (int64_t j = 0; j < last_; ++j) line[j] = {in[j], 0};
      inner_[0].Run(line, scratch);
      std::copy_n(line, line_, out);
      out[0].im = 0;
      return;
    }
    const int64_t half = last_ / 2;
    std::memcpy(static_cast<void*>(line), in, static_cast<size_t>(last_) * sizeof(T));
    inner_[0].Run(line, scratch);
    for (int64_t k = 0; k <= half; ++k) {
      const Complex a = line[k == half ? 0 : k], b = Conjugate(line[k == 0 ? 0 : half - k]);
      const Complex odd = turns_[static_cast<size_t>(k)] * (a - b);  // times 2i
      const Complex sum = a + b;
      out[k] = {(sum.re + odd.im) / 2, (sum.im - odd.re) / 2};
    }
    out[0].im = 0;
    out[half].im = 0;
  }

  void RealLineBack(const Complex* in, T* out, T scale, Complex* line, T* scratch) const {
    if (!halved_) {
      line[0] = {in[0].re, 0};
      for (int64_t k = 1; k < line_; ++k) {
        line[k] = in[k];
        line[last_ - k] = Conjugate(in[k]);
      }
      inner_[0].Run(line, scratch);
      for (int64_t j = 0; j < last_; ++j) out[j] = scale * line[j].re;
      return;
    }
    const int64_t half = last_ / 2;
    for (int64_t k = 0; k < half; ++k) {
      Complex a = in[k], b = Conjugate(in[half - k]);
      if (k == 0) a.im = b.im = 0;  // a real line has no such parts
      const Complex odd = turns_[static_cast<size_t>(k)] * (a - b);
      const Complex sum = a + b;
      line[k] = {sum.re - odd.im, sum.im + odd.re};
    }
    inner_[0].Run(line, scratch);
    for (int64_t j = 0; j < half; ++j) {
      out[2 * j] = scale * line[j].re;
      out[2 * j + 1] = scale * line[j].im;
    }
  }

  int sign_;
  int64_t last_ = 1, line_ = 1;  // of the last dimension: its length, and that of its complex side
  bool real_ = false, halved_ = false;
  int64_t plan_scratch_ = 0, line_scratch_ = 0;  // in elements of T
  std::vector<FftPlan<T>> outer_, inner_;        // by dimension; inner_ holds the last one's
  std::vector<Complex> turns_;
};

}  // namespace

int64_t FftDescription::input_bytes() const {
  const int64_t real = ByteWidth(real_type);
  return batch * (kind == FftKind::kRfft ? Product(lengths) * real : ComplexElements(*this) * 2 * real);
}

int64_t FftDescription::output_bytes() const {
  const int64_t real = ByteWidth(real_type);
  return batch * (kind == FftKind::kIrfft ? Product(lengths) * real : ComplexElements(*this) * 2 * real);
}

Result<std::unique_ptr<const Fft>> Fft::Create(const FftDescription& d) {
  if (d.lengths.empty() || d.lengths.size() > 3)
    return BadInput("a transform over {} dimensions, 1 to 3 are possible", d.lengths.size());
  int64_t total = std::max<int64_t>(d.batch, 1);
  for (int64_t length : d.lengths) {
    if (length < 1) return BadInput("a transform of length {}", length);
    if (length > kLongest)
      return NotSupported("a transform of length {}; up to {} is supported", length, kLongest);
    if (__builtin_mul_overflow(total, length, &total) || total > INT64_MAX / 32)
      return BadInput("a transform with too many elements");
  }
  if (d.batch < 0) return BadInput("{} transforms", d.batch);
  if (d.real_type == ElementType::kF32) return std::make_unique<FftOf<float>>(d);
  if (d.real_type == ElementType::kF64) return std::make_unique<FftOf<double>>(d);
  return NotSupported("a transform of {}; f32 and f64 and their complex types are supported",
                      ToString(d.real_type));
}

}  // namespace subfloor::libraries
