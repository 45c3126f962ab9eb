#include "hlo/lapack_call.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace subfloor::hlo {
namespace {

// LAPACK's letter for an element type, 0 if it has none.
char LetterOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return 's';
    case ElementType::kF64:
      return 'd';
    case ElementType::kC64:
      return 'c';
    case ElementType::kC128:
      return 'z';
    default:
      return 0;
  }
}

// True for a call of `lapack_<letter><routine>_ffi` on matrices of the letter's type, the first of them
// square if `square`.
bool Calls(const Instruction& call, std::string_view routine, int64_t operands, bool square = true) {
  const auto* attributes = call.TryAs<CustomCallAttributes>();
  if (attributes == nullptr || call.operand_count() != operands) return false;
  const Shape& a = call.operand(0)->shape();
  if (!a.IsArray() || a.rank() < 2 || a.HasDynamicDimension()) return false;
  if (square && a.dimension(a.rank() - 1) != a.dimension(a.rank() - 2)) return false;
  std::string_view target = attributes->target.text;
  if (!target.starts_with("lapack_") || !target.ends_with("_ffi")) return false;
  target = target.substr(7, target.size() - 11);
  return !target.empty() && target[0] == LetterOf(a.element_type()) && target.substr(1) == routine;
}

// The letter that `key = number : ui8` of a backend_config gives; 0 if there is none.
char LetterIn(std::string_view config, std::string_view key) {
  constexpr std::string_view kSpace = " \t\n\r";
  for (size_t at = config.find(key); at != std::string_view::npos; at = config.find(key, at + 1)) {
    const bool begins = at > 0 && std::string_view("{, \t\n").contains(config[at - 1]);
    size_t next = config.find_first_not_of(kSpace, at + key.size());
    if (!begins || next == std::string_view::npos || config[next] != '=') continue;
    next = config.find_first_not_of(kSpace, next + 1);
    uint8_t letter = 0;
    if (next == std::string_view::npos) return 0;
    std::from_chars(config.data() + next, config.data() + config.size(), letter);
    return static_cast<char>(letter);
  }
  return 0;
}

std::span<const int64_t> BatchOf(const Shape& shape) {
  return shape.dimensions().first(static_cast<size_t>(shape.rank()) - 2);
}

}  // namespace

std::optional<CholeskyAttributes> AsLapackCholesky(const Instruction& call) {
  if (!Calls(call, "potrf", 1)) return std::nullopt;
  const Shape& a = call.operand(0)->shape();
  const Shape info = Shape::ArrayOf(ElementType::kS32, BatchOf(a));
  if (!call.shape().Compatible(Shape::Tuple({a, info}))) return std::nullopt;
  const char triangle = LetterIn(call.annotations().backend_config, "uplo");
  if (triangle != 'L' && triangle != 'U') return std::nullopt;
  return CholeskyAttributes{.lower = triangle == 'L'};
}

std::optional<TriangularSolveAttributes> AsLapackTriangularSolve(const Instruction& call) {
  if (!Calls(call, "trsm", 2)) return std::nullopt;
  const Shape &a = call.operand(0)->shape(), &b = call.operand(1)->shape();
  if (!b.IsArray() || b.rank() != a.rank() || b.element_type() != a.element_type() ||
      b.HasDynamicDimension() || !std::ranges::equal(BatchOf(a), BatchOf(b)) || !call.shape().Compatible(b)) {
    return std::nullopt;
  }
  const std::string_view config = call.annotations().backend_config;
  const char side = LetterIn(config, "side"), triangle = LetterIn(config, "uplo");
  const char diagonal = LetterIn(config, "diag"), transpose = LetterIn(config, "trans_x");
  const bool valid = (side == 'L' || side == 'R') && (triangle == 'L' || triangle == 'U') &&
                     (diagonal == 'N' || diagonal == 'U') &&
                     (transpose == 'N' || transpose == 'T' || transpose == 'C');
  if (!valid || b.dimension(b.rank() - (side == 'L' ? 2 : 1)) != a.dimension(a.rank() - 1))
    return std::nullopt;
  return TriangularSolveAttributes{.left_side = side == 'L',
                                   .lower = triangle == 'L',
                                   .unit_diagonal = diagonal == 'U',
                                   .transpose_a = transpose == 'N'   ? TransposeKind::kNoTranspose
                                                  : transpose == 'T' ? TransposeKind::kTranspose
                                                                     : TransposeKind::kAdjoint};
}

bool IsLapackLu(const Instruction& call) {
  if (!Calls(call, "getrf", 1, /*square=*/false)) return false;
  const Shape& a = call.operand(0)->shape();
  std::vector<int64_t> sizes(BatchOf(a).begin(), BatchOf(a).end());
  const Shape info = Shape::ArrayOf(ElementType::kS32, sizes);
  sizes.push_back(std::min(a.dimension(a.rank() - 2), a.dimension(a.rank() - 1)));
  return call.shape().Compatible(Shape::Tuple({a, Shape::ArrayOf(ElementType::kS32, sizes), info}));
}

}  // namespace subfloor::hlo
