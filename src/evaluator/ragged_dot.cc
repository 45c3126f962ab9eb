// ragged-dot: a dot whose left side is cut into groups along one dimension.

#include <optional>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/products.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

using hlo::DotAttributes;

// Which group each position along the ragged dimension belongs to. The sizes of the groups may differ with
// the position in some outer dimensions of the left side, the prefix: those of the ragged dimension's own
// kind (batch, contracting, free) that come before it, after all batch dimensions unless it is one itself.
class Groups {
 public:
  static Result<Groups> Make(const Shape& lhs, const Literal& sizes, const DotAttributes& dims) {
    Groups groups;
    groups.ragged_ = dims.lhs_ragged[0];
    groups.count_ = sizes.shape().dimension(sizes.shape().rank() - 1);
    const int64_t length = lhs.dimension(groups.ragged_);
    groups.strides_.assign(static_cast<size_t>(lhs.rank()), 0);
    groups.strides_[static_cast<size_t>(groups.ragged_)] = 1;

    const std::vector<int64_t> prefix = Prefix(lhs.rank(), dims);
    const bool shared = sizes.shape().rank() == 1;
    if (!shared && sizes.shape().rank() != static_cast<int64_t>(prefix.size()) + 1) {
      return BadInput("group sizes of shape {}; one dimension or {} are wanted",
                      sizes.shape().ToString(false), prefix.size() + 1);
    }
    int64_t rows = 1;
    if (!shared) {
      for (size_t i = prefix.size(); i-- > 0;) {
        groups.strides_[static_cast<size_t>(prefix[i])] = rows * length;
        if (sizes.shape().dimension(static_cast<int64_t>(i)) != lhs.dimension(prefix[i])) {
          return BadInput("group sizes of shape {} for a left side of shape {}",
                          sizes.shape().ToString(false), lhs.ToString(false));
        }
        rows *= lhs.dimension(prefix[i]);
      }
    }
    groups.group_.assign(static_cast<size_t>(rows * length), -1);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t position = 0;
      for (int64_t group = 0; group < groups.count_; ++group) {
        const int64_t size = IndexValue(sizes, row * groups.count_ + group);
        for (int64_t i = 0; i < size && position < length; ++i, ++position) {
          groups.group_[static_cast<size_t>(row * length + position)] = group;
        }
      }
    }
    return groups;
  }

  int64_t count() const { return count_; }
  // For OffsetsOver-like walks of the left side: what each of its dimensions adds to the argument of `At`.
  std::span<const int64_t> strides() const { return strides_; }
  // The group of an element, -1 beyond the last group.
  int64_t At(int64_t offset) const { return group_[static_cast<size_t>(offset)]; }

 private:
  static std::vector<int64_t> Prefix(int64_t rank, const DotAttributes& dims) {
    const int64_t ragged = dims.lhs_ragged[0];
    std::vector<int64_t> own_kind;
    std::vector<int64_t> prefix;
    if (Contains(dims.lhs_batch, ragged)) {
      own_kind = dims.lhs_batch;
    } else {
      prefix = dims.lhs_batch;
      own_kind = Contains(dims.lhs_contracting, ragged)
                     ? dims.lhs_contracting
                     : OtherDimensions(rank, dims.lhs_batch, dims.lhs_contracting);
    }
    for (int64_t d : own_kind) {
      if (d == ragged) break;
      prefix.push_back(d);
    }
    return prefix;
  }

  int64_t ragged_ = 0, count_ = 0;
  std::vector<int64_t> strides_;
  std::vector<int64_t> group_;
};

// Offsets of one walk over some dimensions: in the left side, in the table of groups, in the right side.
struct Walk {
  std::vector<int64_t> lhs, group, rhs;
};

Walk WalkLhs(const Shape& lhs, const Groups& groups, std::span<const int64_t> dims) {
  std::vector<int64_t> sizes, strides;
  for (int64_t d : dims) {
    sizes.push_back(lhs.dimension(d));
    strides.push_back(groups.strides()[static_cast<size_t>(d)]);
  }
  return {OffsetsOver(lhs, dims), BoxOffsets(sizes, strides), {}};
}

}  // namespace

Result<Literal> EvaluateRaggedDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& dims = instruction.As<DotAttributes>();
  if (dims.lhs_ragged.size() != 1) {
    return BadInput("{} ragged dimensions; exactly one is wanted", dims.lhs_ragged.size());
  }
  const ElementType type = instruction.shape().element_type();
  const Literal lhs = SF_TRY(AsProductOperand(*operands[0], type));
  const Literal rhs = SF_TRY(AsProductOperand(*operands[1], type));
  const Groups groups = SF_TRY(Groups::Make(lhs.shape(), *operands[2], dims));
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));

  // A ragged batch dimension pairs each batch with its own right side whatever its group is: a plain dot.
  const bool by_batch = Contains(dims.lhs_batch, dims.lhs_ragged[0]);
  const bool contracting = Contains(dims.lhs_contracting, dims.lhs_ragged[0]);
  Walk batch = WalkLhs(lhs.shape(), groups, dims.lhs_batch);
  batch.rhs = OffsetsOver(rhs.shape(), dims.rhs_batch);
  Walk sum = WalkLhs(lhs.shape(), groups, dims.lhs_contracting);
  sum.rhs = OffsetsOver(rhs.shape(), dims.rhs_contracting);
  const Walk rows =
      WalkLhs(lhs.shape(), groups, OtherDimensions(lhs.shape().rank(), dims.lhs_batch, dims.lhs_contracting));
  std::vector<int64_t> rhs_listed = dims.rhs_contracting;
  rhs_listed.insert(rhs_listed.end(), dims.rhs_group.begin(), dims.rhs_group.end());
  const auto columns =
      OffsetsOver(rhs.shape(), OtherDimensions(rhs.shape().rank(), dims.rhs_batch, rhs_listed));
  const int64_t group_stride =
      dims.rhs_group.empty() || by_batch
          ? 0
          : RowMajorStrides(rhs.shape().dimensions())[static_cast<size_t>(dims.rhs_group[0])];
  // A ragged contracting dimension gives one product a group, in the result's first dimension.
  const int64_t products = contracting ? groups.count() : 1;

  WithWide(ProductKind(type, lhs.element_type(), rhs.element_type()), [&]<typename W>() {
    const std::vector<W> a = LoadAll<W>(lhs), b = LoadAll<W>(rhs);
    std::vector<W> out;
    out.reserve(static_cast<size_t>(instruction.shape().element_count()));
    for (int64_t product = 0; product < products; ++product) {
      for (size_t i = 0; i < batch.lhs.size(); ++i) {
        for (size_t row = 0; row < rows.lhs.size(); ++row) {
          for (int64_t column : columns) {
            W total{};
            for (size_t k = 0; k < sum.lhs.size(); ++k) {
              const int64_t group = by_batch ? 0 : groups.At(batch.group[i] + rows.group[row] + sum.group[k]);
              if (group < 0 || (contracting && group != product)) continue;
              MultiplyAdd(total, a[static_cast<size_t>(batch.lhs[i] + rows.lhs[row] + sum.lhs[k])],
                          b[static_cast<size_t>(batch.rhs[i] + column + sum.rhs[k] + group * group_stride)]);
            }
            out.push_back(total);
          }
        }
      }
    }
    StoreAll(out, result);
  });
  return result;
}

}  // namespace subfloor::evaluator
