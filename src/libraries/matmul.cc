#include "libraries/matmul.h"

#include <algorithm>
#include <cstdlib>

#include "libraries/gemm/instruction_set.h"
#include "libraries/matmul_variants.h"

namespace subfloor::libraries {
namespace {

// Best first. Measured on a Zen 3 core, f32, in GFLOP/s, native / oneDNN 2.6: 128^3 82/80, 256^3 78/82,
// 2048^3 68/67, 128x2048x2048 52/31, 32x1024x1024 62/34, 4x4096x4096 11/6, 1024x64x1024 84/78, 196x256x2304
// 73/78. Eigen: 35 to 40.
const MatmulVariant* const kVariants[] = {&kNativeMatmul, &kOneDnnMatmul, &kEigenMatmul};

int64_t SaturatingProduct(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (factor == 0) return 0;
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return INT64_MAX;
  return product;
}

// The best that takes it, or null.
const MatmulVariant* Best(const MatmulDescription& description) {
  for (const MatmulVariant* variant : kVariants)
    if (variant->runs_here() && variant->can_take(description)) return variant;
  return nullptr;
}

// What SUBFLOOR_MATMUL says; empty if nothing.
std::string_view Forced() {
  const char* name = std::getenv("SUBFLOOR_MATMUL");
  return name ? name : "";
}

const MatmulVariant* VariantCalled(std::string_view name) {
  const auto* const found = std::ranges::find(kVariants, name, &MatmulVariant::name);
  return found == std::end(kVariants) ? nullptr : *found;
}

// An operand that is read along neither of its dimensions has no unit stride to walk by.
bool FormIsTaken(const MatmulDescription& d) {
  return d.lhs_row_stride >= (d.transpose_lhs ? d.m : d.k) &&
         d.rhs_row_stride >= (d.transpose_rhs ? d.k : d.n) && d.out_row_stride >= d.n &&
         d.lhs_batch_stride >= 0 && d.rhs_batch_stride >= 0 && d.out_batch_stride >= 0;
}

}  // namespace

MatmulDescription MatmulDescription::WithStrides() const {
  MatmulDescription d = *this;
  auto fill = [](int64_t& row, int64_t& batch_stride, int64_t rows, int64_t columns) {
    if (row == kDense) row = columns;
    if (batch_stride == kDense && __builtin_mul_overflow(rows, row, &batch_stride)) batch_stride = INT64_MAX;
  };
  fill(d.lhs_row_stride, d.lhs_batch_stride, transpose_lhs ? k : m, transpose_lhs ? m : k);
  fill(d.rhs_row_stride, d.rhs_batch_stride, transpose_rhs ? n : k, transpose_rhs ? k : n);
  fill(d.out_row_stride, d.out_batch_stride, m, n);
  return d;
}

int64_t MatmulDescription::multiply_adds() const { return SaturatingProduct({batch, m, n, k}); }

std::string MatmulDescription::ToString() const {
  return fmt::format("{}{}{}[{},{}] x {}{}[{},{}] -> {}", batch != 1 ? fmt::format("{} x ", batch) : "",
                     transpose_lhs ? "transposed " : "", subfloor::ToString(lhs_type), transpose_lhs ? k : m,
                     transpose_lhs ? m : k, transpose_rhs ? "transposed " : "", subfloor::ToString(rhs_type),
                     transpose_rhs ? n : k, transpose_rhs ? k : n, subfloor::ToString(out_type));
}

bool CanTakeMatmul(const MatmulDescription& description, decision::Log* log, int64_t instruction) {
  using decision::Fact, decision::Question;
  const MatmulDescription d = description.WithStrides();
  const MatmulVariant* taken = Best(d);
  if (taken == nullptr)
    return decision::Decide(log, Question::kDotLibrary, false, Fact::kTypeNotTaken, 0, 0, instruction);
  if (!FormIsTaken(d))
    return decision::Decide(log, Question::kDotLibrary, false, Fact::kFormNotTaken, 0, 0, instruction);
  // One that is forced and can't is Create's to refuse.
  if (const MatmulVariant* forced = VariantCalled(Forced())) taken = forced;
  return decision::Decide(log, Question::kDotLibrary, true, taken->fact, 0, 0, instruction);
}

Result<std::unique_ptr<const Matmul>> Matmul::Create(const MatmulDescription& description) {
  if (description.batch < 0 || description.m < 0 || description.n < 0 || description.k < 0)
    return BadInput("a product with a negative size: {}", description.ToString());
  const MatmulDescription d = description.WithStrides();
  if (!CanTakeMatmul(d)) return NotSupported("no library takes {}; a compiled kernel does", d.ToString());
  SF_CHECK(gemm::CheckForcedInstructionSet());
  const std::string_view forced = Forced();
  if (forced.empty()) return Best(d)->make(d);
  const MatmulVariant* variant = VariantCalled(forced);
  if (variant == nullptr)
    return BadInput("SUBFLOOR_MATMUL={} names no variant; known are:\n{}", forced, ListMatmulVariants());
  if (!variant->runs_here() || !variant->can_take(d))
    return NotSupported("SUBFLOOR_MATMUL={} does not take {}", forced, d.ToString());
  return variant->make(d);
}

std::string ListMatmulVariants() {
  std::string text;
  for (const MatmulVariant* variant : kVariants)
    text += fmt::format("{:8} {}{}\n", variant->name, variant->takes,
                        variant->runs_here() ? "" : " (not on this machine)");
  return text;
}

MatmulGrid::MatmulGrid(const MatmulDescription& d, int64_t row_step, int64_t column_step)
    : batch_(d.batch), m_(d.m), n_(d.n) {
  if (d.batch == 0 || d.m == 0 || d.n == 0) return;
  auto round_up = [](int64_t x, int64_t step) { return (x + step - 1) / step * step; };
  auto divide_up = [](int64_t x, int64_t y) { return (x + y - 1) / y; };
  // A block's left side should stay in the second-level cache; its width repays copying it.
  int64_t rows = std::min(d.m, round_up(192, row_step)), columns = std::min(d.n, round_up(512, column_step));
  auto work = [&] { return SaturatingProduct({rows, columns, std::max<int64_t>(d.k, 1)}); };
  auto tiles = [&] { return SaturatingProduct({d.batch, divide_up(d.m, rows), divide_up(d.n, columns)}); };
  // Enough tiles for many threads, while each has work for about 50 microseconds.
  constexpr int64_t kWantedTiles = 16, kLeastWork = 2 << 20;
  while (tiles() < kWantedTiles && work() >= 2 * kLeastWork) {
    const int64_t half_rows = round_up(divide_up(rows, 2), row_step),
                  half_columns = round_up(divide_up(columns, 2), column_step);
    const bool can_rows = half_rows < rows && rows > 8 * row_step,
               can_columns = half_columns < columns && columns > 4 * column_step;
    if (!can_rows && !can_columns) break;
    if (can_columns && (columns >= 2 * rows || !can_rows))
      columns = half_columns;
    else
      rows = half_rows;
  }
  // Blocks of about equal size.
  grid_rows_ = divide_up(d.m, rows);
  grid_columns_ = divide_up(d.n, columns);
  block_rows_ = grid_rows_ == 1 ? d.m : round_up(divide_up(d.m, grid_rows_), row_step);
  block_columns_ = grid_columns_ == 1 ? d.n : round_up(divide_up(d.n, grid_columns_), column_step);
  grid_rows_ = divide_up(d.m, block_rows_);
  grid_columns_ = divide_up(d.n, block_columns_);
  if (grid_rows_ * grid_columns_ == 1) {
    constexpr int64_t kGroupWork = 256 << 10;
    batch_group_ = std::clamp<int64_t>(kGroupWork / std::max<int64_t>(work(), 1), 1, d.batch);
    tile_count_ = divide_up(d.batch, batch_group_);
  } else {
    tile_count_ = SaturatingProduct({d.batch, grid_rows_, grid_columns_});
  }
}

}  // namespace subfloor::libraries
