#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "decision/decision.h"
#include "types/element_type.h"

namespace subfloor::libraries {

/// One to three spatial dimensions, channels last: input is [batch, spatial..., in_features], kernel is
/// [spatial..., in_features / groups, out_features], output is [batch, spatial..., out_features], all dense
/// and row-major. The kernel is not flipped: out[o] sums input[o * stride + tap * window_dilation - pad_low]
/// * kernel[tap], positions taken in the input after base dilation.
struct ConvolutionDescription {
  struct Dimension {
    int64_t input = 1, kernel = 1, output = 1;
    int64_t stride = 1;
    int64_t pad_low = 0, pad_high = 0;  ///< may be negative, which crops
    int64_t base_dilation = 1;          ///< of the input: zeros between its elements
    int64_t window_dilation = 1;        ///< of the kernel
    /// The output size that the others imply; 0 if the window does not fit.
    int64_t ExpectedOutput() const;
  };

  int spatial_rank = 2;
  std::array<Dimension, 3> spatial{};
  int64_t batch = 1, in_features = 1, out_features = 1;
  int64_t groups = 1;                    ///< divides both features; out_features are in order of their group
  ElementType type = ElementType::kF32;  ///< of input and kernel
  ElementType out_type = ElementType::kF32;

  int64_t input_elements() const;
  int64_t kernel_elements() const;
  int64_t output_elements() const;
  int64_t multiply_adds() const;  ///< saturates
  std::string ToString() const;
};

/// True if it is taken: f32 and f64 alike; f16 and bf16 to themselves or f32, accumulated in f32 and rounded
/// once. Records kConvolutionLibrary with the variant, or with why there is none.
bool CanTakeConvolution(const ConvolutionDescription& description, decision::Log* log = nullptr,
                        int64_t instruction = -1);

/// A convolution cut into tiles. Immutable. Threads: any number may run tiles at once, each tile once per
/// convolution.
class Convolution {
 public:
  /// Takes the best variant that can, or the one that SUBFLOOR_CONVOLUTION names (an error if it cannot).
  /// Errors: not supported, if CanTakeConvolution says no; bad input for sizes that contradict each other.
  static Result<std::unique_ptr<const Convolution>> Create(const ConvolutionDescription& description);
  virtual ~Convolution() = default;

  const ConvolutionDescription& description() const { return description_; }
  virtual std::string_view variant() const = 0;

  /// Depends on the shape only. Zero if the result is empty.
  virtual int64_t tile_count() const = 0;
  /// Computes one piece of the result on the calling thread. No buffer overlaps `output`.
  /// False, with nothing written, if there was no memory to work in.
  [[nodiscard]] virtual bool RunTile(int64_t tile, const void* input, const void* kernel,
                                     void* output) const = 0;

 protected:
  explicit Convolution(const ConvolutionDescription& description) : description_(description) {}

 private:
  ConvolutionDescription description_;
};

/// All variants, best first, one a line.
std::string ListConvolutionVariants();

}  // namespace subfloor::libraries
