// Depthwise convolution: a filter of its own for every channel, computed over all channels of a pixel at
// once.

#include <algorithm>

#include "libraries/convolution_variants.h"
#include "libraries/convolution_window.h"
#include "libraries/gemm/instruction_set.h"
#include "libraries/thread_scratch.h"

namespace subfloor::libraries {
namespace {

constexpr int64_t kMaxTaps = 256;  // pointers to them are kept on the stack

class Depthwise final : public Convolution {
 public:
  explicit Depthwise(const ConvolutionDescription& d)
      : Convolution(d),
        window_(d),
        typing_(gemm::TypingOf(d.type, d.type, d.out_type)),
        pixels_(d.batch * window_.pixels()),
        // About 256 Ki multiply-adds a tile.
        pixels_per_tile_(
            std::max<int64_t>(1, (256 << 10) / std::max<int64_t>(1, window_.taps() * d.in_features))) {}

  std::string_view variant() const override { return kDepthwiseConvolution.name; }
  int64_t tile_count() const override {
    return description().in_features == 0 ? 0 : (pixels_ + pixels_per_tile_ - 1) / pixels_per_tile_;
  }

  bool RunTile(int64_t tile, const void* input, const void* kernel, void* output) const override {
    const int64_t channels = description().in_features, taps = window_.taps();
    const int64_t element = ByteWidth(description().type), out_element = ByteWidth(description().out_type);
    const bool widen = typing_.lhs != gemm::Storage::kNative, narrow = typing_.out != gemm::Storage::kNative;
    const char* weights = static_cast<const char*>(kernel);
    int64_t weight_element = element;
    // Scratch of narrow types, all as f32: weights, one pixel's inputs, its sums.
    float *scratch = nullptr, *wide_inputs = nullptr, *sums = nullptr;
    if (widen || narrow) {
      scratch = static_cast<float*>(ThreadScratch((2 * taps + 1) * channels * 4));
      if (scratch == nullptr) return false;
      wide_inputs = scratch + taps * channels;
      sums = wide_inputs + taps * channels;
    }
    if (widen) {
      typing_.kernels->widen(typing_.rhs, kernel, scratch, taps * channels);
      weights = reinterpret_cast<const char*>(scratch);
      weight_element = sizeof(float);
    }
    const int64_t end = std::min(pixels_, (tile + 1) * pixels_per_tile_);
    const int64_t line_pixels = window_[2].output;
    for (int64_t pixel = tile * pixels_per_tile_; pixel < end;) {
      // One line of output pixels, or what of it is in the tile: which lines of taps read the input is the
      // same for all.
      ConvolutionWindow::Position out;
      const int64_t image = window_.Locate(pixel, out);
      Line lines[kMaxTaps];
      const int64_t line_count = FindLines(image, out, static_cast<const char*>(input), lines);
      const int64_t line_end = std::min(end, pixel + line_pixels - out[2]);
      for (int64_t z = out[2]; pixel < line_end; ++pixel, ++z) {
        const void* inputs[kMaxTaps];
        const void* filters[kMaxTaps];
        int64_t terms = 0;
        for (int64_t l = 0; l < window_[2].kernel; ++l) {
          const int64_t at = window_.Source(2, z, l);
          if (at < 0) continue;
          for (int64_t i = 0; i < line_count; ++i) {
            inputs[terms] = lines[i].input + at * channels * element;
            filters[terms++] = weights + (lines[i].tap + l) * channels * weight_element;
          }
        }
        if (widen)
          for (int64_t t = 0; t < terms; ++t) {
            typing_.kernels->widen(typing_.lhs, inputs[t], wide_inputs + t * channels, channels);
            inputs[t] = wide_inputs + t * channels;
          }
        void* to = static_cast<char*>(output) + pixel * channels * out_element;
        typing_.kernels->sum_of_products(terms, inputs, filters, channels, narrow ? sums : to);
        if (narrow) typing_.kernels->narrow(typing_.out, sums, to, channels);
      }
    }
    return true;
  }

 private:
  // A line of the input that a window reads, and the first of the taps that read it.
  struct Line {
    const char* input;
    int64_t tap;
  };

  int64_t FindLines(int64_t image, const ConvolutionWindow::Position& out, const char* input,
                    Line* lines) const {
    const int64_t pixel_bytes = description().in_features * ByteWidth(description().type);
    int64_t count = 0;
    for (int64_t i = 0; i < window_[0].kernel; ++i) {
      const int64_t d0 = window_.Source(0, out[0], i);
      for (int64_t j = 0; j < window_[1].kernel; ++j) {
        const int64_t d1 = window_.Source(1, out[1], j);
        if (d0 < 0 || d1 < 0) continue;
        const int64_t pixel = ((image * window_[0].input + d0) * window_[1].input + d1) * window_[2].input;
        lines[count++] = {input + pixel * pixel_bytes, (i * window_[1].kernel + j) * window_[2].kernel};
      }
    }
    return count;
  }

  ConvolutionWindow window_;
  gemm::Typing typing_;
  int64_t pixels_, pixels_per_tile_;
};

}  // namespace

const ConvolutionVariant kDepthwiseConvolution{
    decision::Fact::kDepthwise, "depthwise",
    "f32, f64; f16, bf16 (summed in f32): one filter a channel, up to 256 taps",
    [](const ConvolutionDescription& d) {
      return IsFloat(d.type) && gemm::TypingOf(d.type, d.type, d.out_type).kernels != nullptr &&
             d.groups == d.in_features && d.out_features == d.in_features && d.groups > 1 &&
             ConvolutionWindow(d).taps() <= kMaxTaps;
    },
    [](const ConvolutionDescription& d) -> std::unique_ptr<const Convolution> {
      return std::make_unique<Depthwise>(d);
    }};

}  // namespace subfloor::libraries
