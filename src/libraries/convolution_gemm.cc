// Convolution as a matrix product: one row for each output pixel, one column of the left side for each tap
// and input channel. The left side is never built as a whole: the product's kernels ask for the pieces they
// need.

#include <algorithm>
#include <cstring>

#include "libraries/convolution_variants.h"
#include "libraries/convolution_window.h"
#include "libraries/gemm/instruction_set.h"
#include "libraries/matmul_variants.h"
#include "libraries/thread_scratch.h"

namespace subfloor::libraries {
namespace {

class ImplicitGemm final : public Convolution {
 public:
  explicit ImplicitGemm(const ConvolutionDescription& d)
      : Convolution(d),
        window_(d),
        typing_(gemm::TypingOf(d.type, d.type, d.out_type)),
        group_in_(d.in_features / d.groups),
        group_out_(d.out_features / d.groups),
        k_(window_.taps() * group_in_),
        element_(ByteWidth(d.type)),
        computing_element_(d.type == ElementType::kF64 ? 8 : 4),
        rows_contiguous_(d.groups == 1 && window_[2].window_dilation == 1 && window_[2].base_dilation == 1),
        pointwise_(IsPointwise()),
        grid_(MatmulDescription{.batch = d.groups, .m = d.batch * window_.pixels(), .n = group_out_, .k = k_},
              typing_.kernels->rows, typing_.kernels->columns) {}

  std::string_view variant() const override { return kImplicitGemmConvolution.name; }
  int64_t tile_count() const override { return grid_.tile_count(); }

  bool RunTile(int64_t tile, const void* input, const void* kernel, void* output) const override {
    const ConvolutionDescription& d = description();
    void* scratch =
        ThreadScratch(typing_.kernels->scratch_bytes(grid_.block_rows(), grid_.block_columns(), k_));
    if (scratch == nullptr) return false;
    grid_.ForEachPiece(tile, [&](const MatmulGrid::Piece& piece) {
      const Source source{this, static_cast<const char*>(input) + piece.batch * group_in_ * element_,
                          piece.row};
      const int64_t out_column = piece.batch * group_out_ + piece.column;
      gemm::Tile t{
          .m = piece.rows,
          .n = piece.columns,
          .k = k_,
          .lhs = {source.input + piece.row * d.in_features * element_, typing_.lhs, d.in_features, 1},
          .rhs = {static_cast<const char*>(kernel) + out_column * element_, typing_.rhs, d.out_features, 1},
          .gather = pointwise_ ? nullptr : &Gather,
          .gather_context = &source,
          .out =
              static_cast<char*>(output) + (piece.row * d.out_features + out_column) * ByteWidth(d.out_type),
          .out_storage = typing_.out,
          .out_row_stride = d.out_features,
          .scratch = scratch};
      typing_.kernels->run(t);
    });
    return true;
  }

 private:
  struct Source {
    const ImplicitGemm* self;
    const char* input;  // the group's first channel
    int64_t first_row;
  };

  // Each output pixel reads just the input pixel of the same number: the input is the left side as it stands.
  bool IsPointwise() const {
    for (size_t i = 0; i < 3; ++i) {
      const ConvolutionDescription::Dimension& s = window_[i];
      if (s.kernel != 1 || s.stride != 1 || s.pad_low != 0 || s.pad_high != 0 || s.base_dilation != 1)
        return false;
    }
    return true;
  }

  static void Gather(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns,
                     void* dst, int64_t ld) {
    const Source& source = *static_cast<const Source*>(context);
    const ImplicitGemm& self = *source.self;
    for (int64_t r = 0; r < rows; ++r)
      self.GatherRow(source.input, source.first_row + row + r, column, columns,
                     static_cast<char*>(dst) + r * ld * self.computing_element_);
  }

  void Copy(const char* src, char* dst, int64_t count) const {
    if (typing_.lhs == gemm::Storage::kNative)
      std::memcpy(dst, src, static_cast<size_t>(count * computing_element_));
    else
      typing_.kernels->widen(typing_.lhs, src, dst, count);
  }
  void Zero(char* dst, int64_t count) const {
    std::memset(dst, 0, static_cast<size_t>(count * computing_element_));
  }

  // Columns [column, column + columns) of a row. They are walked by segments: all columns of one line of
  // taps.
  void GatherRow(const char* input, int64_t row, int64_t column, int64_t columns, char* dst) const {
    ConvolutionWindow::Position out;
    const int64_t image = window_.Locate(row, out);
    const int64_t segment = window_[2].kernel * group_in_;
    int64_t line = column / segment, offset = column % segment;
    while (columns > 0) {
      const int64_t count = std::min(columns, segment - offset);
      const int64_t d0 = window_.Source(0, out[0], line / window_[1].kernel);
      const int64_t d1 = window_.Source(1, out[1], line % window_[1].kernel);
      if (d0 < 0 || d1 < 0) {
        Zero(dst, count);
      } else {
        const int64_t line_pixel =
            ((image * window_[0].input + d0) * window_[1].input + d1) * window_[2].input;
        const char* at = input + line_pixel * description().in_features * element_;
        if (rows_contiguous_)
          GatherRun(at, out[2], offset, count, dst);
        else
          GatherTaps(at, out[2], offset, count, dst);
      }
      dst += count * computing_element_;
      columns -= count;
      offset = 0;
      ++line;
    }
  }

  // The taps of a line lie side by side in the input: one copy, with zeros where the window leaves the line.
  void GatherRun(const char* line, int64_t out, int64_t offset, int64_t count, char* dst) const {
    const int64_t channels = description().in_features;
    const int64_t begin =
        (out * window_[2].stride - window_[2].pad_low) * channels + offset;  // in elements of the line
    const int64_t from = std::clamp<int64_t>(-begin, 0, count);
    const int64_t to = std::clamp<int64_t>(window_[2].input * channels - begin, from, count);
    if (from > 0) Zero(dst, from);
    if (to > from) Copy(line + (begin + from) * element_, dst + from * computing_element_, to - from);
    if (count > to) Zero(dst + to * computing_element_, count - to);
  }

  void GatherTaps(const char* line, int64_t out, int64_t offset, int64_t count, char* dst) const {
    int64_t tap = offset / group_in_, channel = offset % group_in_;
    while (count > 0) {
      const int64_t run = std::min(count, group_in_ - channel);
      const int64_t at = window_.Source(2, out, tap);
      if (at < 0)
        Zero(dst, run);
      else
        Copy(line + (at * description().in_features + channel) * element_, dst, run);
      dst += run * computing_element_;
      count -= run;
      channel = 0;
      ++tap;
    }
  }

  ConvolutionWindow window_;
  gemm::Typing typing_;
  int64_t group_in_, group_out_, k_;
  int64_t element_, computing_element_;  // bytes
  bool rows_contiguous_, pointwise_;
  MatmulGrid grid_;
};

}  // namespace

const ConvolutionVariant kImplicitGemmConvolution{
    decision::Fact::kImplicitProduct, "implicit-gemm", "f32, f64; f16, bf16 (summed in f32): any window",
    [](const ConvolutionDescription& d) {
      return IsFloat(d.type) && gemm::TypingOf(d.type, d.type, d.out_type).kernels != nullptr;
    },
    [](const ConvolutionDescription& d) -> std::unique_ptr<const Convolution> {
      return std::make_unique<ImplicitGemm>(d);
    }};

}  // namespace subfloor::libraries
