#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "types/element_type.h"

namespace subfloor::libraries {

enum class FftKind : uint8_t {
  kFft,    ///< complex to complex, exp(-2 pi i jk / n)
  kIfft,   ///< complex to complex, exp(+2 pi i jk / n), divided by the number of elements of a transform
  kRfft,   ///< real to the first n/2 + 1 elements of the last dimension
  kIrfft,  ///< its inverse; imaginary parts that a real result rules out are ignored
};

/// `batch` transforms over the innermost dimensions of dense row-major arrays.
struct FftDescription {
  FftKind kind = FftKind::kFft;
  ElementType real_type = ElementType::kF32;  ///< f32 or f64: the component of the complex side
  int64_t batch = 1;
  std::vector<int64_t>
      lengths;  ///< fft_length, 1 to 3 of them, each 1 or more; the real side's lengths for kRfft and kIrfft

  int64_t input_bytes() const;
  int64_t output_bytes() const;
};

/// A plan for any lengths: mixed radix for the factors 2, 3, 4, 5 and small primes, Bluestein's algorithm for
/// others. The error grows with log n. Immutable. Threads: any number may run transforms at once.
class Fft {
 public:
  /// Errors: bad input for lengths out of range; not supported for other types.
  static Result<std::unique_ptr<const Fft>> Create(const FftDescription& description);
  virtual ~Fft() = default;

  const FftDescription& description() const { return description_; }
  /// Transforms element `index` of the batch on the calling thread. Input and output do not overlap. False,
  /// with nothing written, if there was no memory to work in.
  [[nodiscard]] virtual bool Run(int64_t index, const void* input, void* output) const = 0;

 protected:
  explicit Fft(FftDescription description) : description_(std::move(description)) {}

 private:
  FftDescription description_;
};

}  // namespace subfloor::libraries
