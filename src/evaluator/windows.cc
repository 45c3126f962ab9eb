// reduce-window and select-and-scatter.

#include <algorithm>

#include "evaluator/combiner.h"
#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/scalar_function.h"

namespace subfloor::evaluator {
namespace {

// Where tap `k` of the window at `out` reads along one dimension, or -1 in padding or a dilation hole: such
// taps do not take part, they are not the initial value.
int64_t BasePosition(const hlo::WindowDimension& window, int64_t out, int64_t k, int64_t size) {
  const int64_t dilated = out * window.stride - window.padding_low + k * window.window_dilation;
  if (dilated < 0 || dilated % window.base_dilation != 0) return -1;
  const int64_t position = dilated / window.base_dilation;
  return position < size ? position : -1;
}

// The offset of a tap in the base, or -1.
int64_t BaseOffset(const hlo::Window& window, const Shape& base, std::span<const int64_t> strides,
                   std::span<const int64_t> out, std::span<const int64_t> tap) {
  int64_t offset = 0;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t position = BasePosition(window[d], out[d], tap[d], base.dimensions()[d]);
    if (position < 0) return -1;
    offset += position * strides[d];
  }
  return offset;
}

std::vector<int64_t> TapSizes(const hlo::Window& window) {
  std::vector<int64_t> sizes;
  for (const hlo::WindowDimension& d : window) sizes.push_back(d.size);
  return sizes;
}

bool IsEmpty(std::span<const int64_t> sizes) { return std::ranges::find(sizes, 0) != sizes.end(); }

}  // namespace

Result<Literal> EvaluateReduceWindow(Context& context, const hlo::Instruction& instruction,
                                     Operands operands) {
  const hlo::Window& window = instruction.As<hlo::WindowAttributes>().window;
  const size_t count = operands.size() / 2;
  const Operands inputs = operands.first(count), inits = operands.subspan(count);
  const bool variadic = instruction.shape().IsTuple();
  const Shape& output = variadic ? instruction.shape().tuple_shape(0) : instruction.shape();
  const Shape& base = inputs[0]->shape();

  Combiner combiner = SF_TRY(Combiner::Make(context, *instruction.called(), static_cast<int64_t>(count)));
  Accumulators sums = combiner.MakeAccumulators(output.element_count());
  for (size_t c = 0; c < count; ++c) sums.Fill(c, 0, sums.count(), *inits[c], 0);

  const std::vector<int64_t> taps = TapSizes(window);
  if (sums.count() > 0 && !IsEmpty(taps) && base.element_count() > 0) {
    const std::vector<int64_t> strides = RowMajorStrides(base.dimensions());
    // Taps outside, outputs inside: every output meets its taps in the window's row-major order, and outputs
    // that read neighbours are folded in one run.
    std::vector<int64_t> tap(taps.size(), 0);
    do {
      std::vector<int64_t> out(taps.size(), 0);
      int64_t run_start = 0, run_base = 0, run = 0;
      for (int64_t i = 0; i < sums.count(); ++i, NextIndex(out, output.dimensions())) {
        const int64_t offset = BaseOffset(window, base, strides, out, tap);
        if (run > 0 && offset == run_base + run) {
          ++run;
          continue;
        }
        if (run > 0) SF_CHECK(combiner.FoldEach(sums, run_start, inputs, run_base, run));
        run_start = i, run_base = offset, run = offset < 0 ? 0 : 1;
      }
      if (run > 0) SF_CHECK(combiner.FoldEach(sums, run_start, inputs, run_base, run));
    } while (NextIndex(tap, taps));
  }

  std::vector<Literal> results;
  for (size_t c = 0; c < count; ++c) {
    Literal result =
        SF_TRY(Literal::Zeros(variadic ? instruction.shape().tuple_shape(static_cast<int64_t>(c)) : output));
    sums.Write(c, 0, sums.count(), result, 0);
    results.push_back(std::move(result));
  }
  return variadic ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

Result<Literal> EvaluateSelectAndScatter(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  const hlo::Window& window = instruction.As<hlo::WindowAttributes>().window;
  const Literal& base = *operands[0];
  const Literal& source = *operands[1];
  Combiner combiner = SF_TRY(Combiner::Make(context, *instruction.called(1), 1));
  Accumulators sums = combiner.MakeAccumulators(instruction.shape().element_count());
  sums.Fill(0, 0, sums.count(), *operands[2], 0);

  Predicate select(context, *instruction.called(0));
  const std::array<const Literal*, 2> both = {&base, &base};
  const std::array<const Literal*, 1> updates = {&source};
  const std::vector<int64_t> strides = RowMajorStrides(base.shape().dimensions());
  const std::vector<int64_t> taps = TapSizes(window);
  std::vector<int64_t> out(taps.size(), 0), tap(taps.size(), 0);
  for (int64_t i = 0; i < source.shape().element_count() && !IsEmpty(taps); ++i) {
    // The first tap in bounds is the choice until `select` prefers another; a window all in padding chooses
    // nothing.
    int64_t chosen = -1;
    do {
      const int64_t candidate = BaseOffset(window, base.shape(), strides, out, tap);
      if (candidate < 0) continue;
      if (chosen < 0) {
        chosen = candidate;
        continue;
      }
      const std::array<int64_t, 2> indices = {chosen, candidate};
      const bool keep = SF_TRY(select(both, indices));
      if (!keep) chosen = candidate;
    } while (NextIndex(tap, taps));
    if (chosen >= 0) SF_CHECK(combiner.FoldEach(sums, chosen, updates, i, 1));
    NextIndex(out, source.shape().dimensions());
  }
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  sums.Write(0, 0, sums.count(), result, 0);
  return result;
}

}  // namespace subfloor::evaluator
