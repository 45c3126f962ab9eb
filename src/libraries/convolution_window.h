#pragma once

#include <array>
#include <cstdint>

#include "libraries/convolution.h"

namespace subfloor::libraries {

/// A convolution's sizes always as three spatial dimensions (leading ones of size 1), and where its windows
/// lie.
class ConvolutionWindow {
 public:
  using Dimension = ConvolutionDescription::Dimension;
  using Position = std::array<int64_t, 3>;

  explicit ConvolutionWindow(const ConvolutionDescription& d) {
    const int lead = 3 - d.spatial_rank;
    for (int i = 0; i < d.spatial_rank; ++i)
      dimensions_[static_cast<size_t>(lead + i)] = d.spatial[static_cast<size_t>(i)];
    for (const Dimension& s : dimensions_) {
      taps_ *= s.kernel;
      pixels_ *= s.output;
    }
  }

  const Dimension& operator[](size_t i) const { return dimensions_[i]; }
  int64_t taps() const { return taps_; }
  int64_t pixels() const { return pixels_; }  ///< of one output image

  /// Which image, and where in it, output pixel number `pixel` of the whole batch is.
  int64_t Locate(int64_t pixel, Position& position) const {
    for (size_t i = 3; i-- > 0;) {
      position[i] = pixel % dimensions_[i].output;
      pixel /= dimensions_[i].output;
    }
    return pixel;
  }

  /// The input's index in dimension i that tap `tap` of the window of output index `out` reads, or -1 for
  /// padding and for the zeros between dilated elements.
  int64_t Source(size_t i, int64_t out, int64_t tap) const {
    const Dimension& s = dimensions_[i];
    const int64_t at = out * s.stride + tap * s.window_dilation - s.pad_low;
    if (at < 0) return -1;
    if (s.base_dilation == 1) return at < s.input ? at : -1;
    return at % s.base_dilation == 0 && at / s.base_dilation < s.input ? at / s.base_dilation : -1;
  }

 private:
  std::array<Dimension, 3> dimensions_{};
  int64_t taps_ = 1, pixels_ = 1;
};

}  // namespace subfloor::libraries
