#include "indexing/access.h"

#include "indexing/fold_index.h"

#include <numeric>
#include <set>
#include <tuple>

namespace subfloor::indexing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

class Collector {
 public:
  Collector(Context& context, std::vector<Access>& out) : context_(context), out_(out) {}

  void Walk(const Instruction& root, const Index& index) {
    pending_.push_back({&root, index, false});
    // Enough to choose by; an emitter refuses bodies with more.
    constexpr size_t kMostVisits = 20'000;
    while (!pending_.empty() && seen_.size() < kMostVisits) {
      auto [op, at, in_reduction] = std::move(pending_.back());
      pending_.pop_back();
      if (!seen_.insert({op, at, in_reduction}).second) continue;
      Visit(*op, at, in_reduction);
    }
  }

 private:
  struct Pending {
    const Instruction* op;
    Index index;
    bool in_reduction;
  };

  void Push(const Instruction* op, Index index, bool in_reduction) {
    pending_.push_back({op, std::move(index), in_reduction});
  }

  void Visit(const Instruction& op, const Index& index, bool in_reduction) {
    const Shape& shape = op.shape();
    switch (op.opcode()) {
      case Opcode::kParameter:
        out_.push_back(
            {Access::Kind::kRead, &op, context_.Linearize(index, shape.dimensions()), 0, 0, in_reduction});
        return;
      case Opcode::kConstant:
        if (shape.element_count() > 1) {
          out_.push_back(
              {Access::Kind::kRead, &op, context_.Linearize(index, shape.dimensions()), 0, 0, in_reduction});
        }
        return;
      case Opcode::kIota:
        out_.push_back({Access::Kind::kValue, &op,
                        index[static_cast<size_t>(op.As<hlo::IotaAttributes>().iota_dimension)], 0, 0,
                        in_reduction});
        return;
      case Opcode::kGetTupleElement:
        return Push(op.operand(0), index, in_reduction);
      default:
        break;
    }
    if (IsFold(op)) return Fold(op, index);
    if (IsMover(op)) return Mover(op, index, in_reduction);
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      const Shape& operand = op.operand(i)->shape();
      if (operand.IsArray() && operand.SameDimensions(shape)) {
        Push(op.operand(i), index, in_reduction);
      } else if (operand.IsArray()) {
        // Read in a way of its own (windows, contractions): as if every element anew.
        Index any;
        for (int64_t size : operand.dimensions())
          any.push_back(context_.NewSymbol({0, std::max<int64_t>(size - 1, 0)}));
        if (operand.rank() == 0 || op.IsElementwise()) Push(op.operand(i), std::move(any), in_reduction);
        // Their producers are walked for their own sake only.
        else
          Push(op.operand(i), std::move(any), true);
      }
    }
  }

  void Fold(const Instruction& op, const Index& index) {
    Index at;
    for (int64_t size : FoldSizes(op)) at.push_back(context_.NewSymbol({0, std::max<int64_t>(size - 1, 0)}));
    FoldTerm term = FoldTermAt(context_, op, index, at);
    for (const Bound& bound : term.conditions) {
      if (bound.Known() == Bound::Truth::kUnknown)
        out_.push_back({Access::Kind::kCondition, &op, bound.value, bound.low, bound.high, true});
    }
    for (OperandRead& read : term.reads) Push(op.operand(read.operand), std::move(read.index), true);
    for (auto i = static_cast<int64_t>(term.reads.size()); i < op.operand_count(); ++i)
      Push(op.operand(i), {}, false);
  }

  void Mover(const Instruction& op, const Index& index, bool in_reduction) {
    auto reads = ReadsOf(context_, op, index, [&](int64_t d, const Index& batch) -> Result<Expr> {
      // Where the start itself is read matters, and what comes out is a number like any other.
      if (op.opcode() == Opcode::kGather) {
        Index at = batch;
        const auto vector = op.As<hlo::GatherAttributes>().index_vector_dim;
        if (vector < op.operand(1)->shape().rank()) at.insert(at.begin() + vector, context_.Constant(0));
        Push(op.operand(1), std::move(at), in_reduction);
      }
      return context_.NewSymbol({0, LastStart(op, d)});
    });
    if (!reads) return;
    for (OperandRead& read : *reads) {
      bool impossible = false;
      for (const Bound& bound : read.conditions) {
        impossible |= bound.Known() == Bound::Truth::kFalse;
        if (bound.Known() == Bound::Truth::kUnknown) {
          out_.push_back({Access::Kind::kCondition, &op, bound.value, bound.low, bound.high, in_reduction});
        }
      }
      if (!impossible) Push(op.operand(read.operand), std::move(read.index), in_reduction);
    }
  }

  Context& context_;
  std::vector<Access>& out_;
  std::vector<Pending> pending_;
  std::set<std::tuple<const Instruction*, Index, bool>> seen_;
};

int64_t Divisions(Context& context, std::span<const hlo::Instruction* const> roots, const Index& index) {
  std::vector<Access> accesses;
  Collector collector(context, accesses);
  for (const Instruction* root : roots) collector.Walk(*root, index);
  int64_t count = 0;
  for (const Access& access : accesses) count += CountDivisions(access.expression);
  return count;
}

}  // namespace

std::vector<Access> CollectAccesses(Context& context, const Instruction& root, const Index& index) {
  std::vector<Access> accesses;
  Collector(context, accesses).Walk(root, index);
  return accesses;
}

Index Collapsed::Expand(Context& context, const Index& loops) const {
  Index index;
  for (size_t i = 0; i < groups.size(); ++i) {
    Index part = context.Delinearize(loops[i], groups[i]);
    index.insert(index.end(), part.begin(), part.end());
  }
  return index;
}

Collapsed Collapse(Context& context, std::span<const Instruction* const> roots,
                   std::span<const int64_t> sizes) {
  auto make = [](std::vector<std::vector<int64_t>> groups) {
    Collapsed c;
    for (const auto& group : groups) {
      c.sizes.push_back(std::accumulate(group.begin(), group.end(), int64_t{1}, std::multiplies<>()));
    }
    c.groups = std::move(groups);
    return c;
  };
  auto cost = [&](const Collapsed& c) {
    Index loops;
    for (int64_t size : c.sizes) loops.push_back(context.NewSymbol({0, size - 1}));
    return Divisions(context, roots, c.Expand(context, loops));
  };
  std::vector<std::vector<int64_t>> groups;
  for (int64_t size : sizes) groups.push_back({size});
  if (groups.empty()) groups.push_back({});
  Collapsed best = make(groups);
  if (groups.size() == 1) return best;
  int64_t best_cost = cost(best);
  for (size_t i = groups.size() - 1; i-- > 0;) {
    std::vector<std::vector<int64_t>> merged = groups;
    merged[i].insert(merged[i].end(), merged[i + 1].begin(), merged[i + 1].end());
    merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    Collapsed candidate = make(merged);
    const int64_t candidate_cost = cost(candidate);
    if (candidate_cost > best_cost) continue;
    groups = std::move(merged);
    best = std::move(candidate);
    best_cost = candidate_cost;
  }
  return best;
}

}  // namespace subfloor::indexing
