#include <algorithm>
#include <numeric>

#include "codegen/emitters/kernel.h"
#include "indexing/access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Loops over the results: one nest for each set of outputs with equally many elements, its minor loop in lanes.
namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;
using indexing::Access;

// Outputs that are computed in one nest: they have the same number of elements, and are indexed by the first one's shape.
struct Nest {
  std::vector<size_t> outputs;
};

std::vector<Nest> GroupOutputs(const Kernel& kernel) {
  std::vector<Nest> nests;
  for (size_t i = 0; i < kernel.outputs.size(); ++i) {
    const int64_t count = kernel.outputs[i]->shape().element_count();
    auto it = std::find_if(nests.begin(), nests.end(), [&](const Nest& nest) {
      return kernel.outputs[nest.outputs[0]]->shape().element_count() == count;
    });
    if (it == nests.end()) nests.push_back({{i}});
    else it->outputs.push_back(i);
  }
  return nests;
}

class NestEmitter {
 public:
  NestEmitter(Kernel& kernel, const Nest& nest) : kernel_(kernel), nest_(nest), e_(kernel.emission) {}

  Status Plan() {
    const Shape& shape = First().shape();
    if (shape.element_count() == 0) return {};
    std::vector<const Instruction*> same_shape;
    for (size_t i : nest_.outputs) {
      if (kernel_.outputs[i]->shape().SameDimensions(shape)) same_shape.push_back(kernel_.outputs[i]);
    }
    loops_ = indexing::Collapse(e_.exprs(), same_shape, shape.dimensions());
    minor_ = loops_.sizes.back();
    outer_ = shape.element_count() / minor_;
    lanes_ = Lanes();
    return {};
  }

  // Pieces that workgroups can share out: outer positions, or vectors if there is but one loop.
  int64_t Units() const { return outer_ > 1 ? outer_ : (minor_ + lanes_ - 1) / std::max<int64_t>(lanes_, 1); }

  Status Emit() {
    if (First().shape().element_count() == 0) return {};
    const int64_t vectors = lanes_ > 1 ? minor_ / lanes_ : 0;
    const int64_t tail = minor_ - vectors * lanes_;
    if (outer_ > 1) {
      return ForOuter([&](const Index& outer) -> Status {
        if (vectors > 0) SF_CHECK(e_.Loop(0, vectors, {}, Body(outer, /*vector=*/true, 0)));
        if (tail > 0) SF_CHECK(e_.Loop(0, tail, {}, Body(outer, /*vector=*/false, vectors * lanes_)));
        return {};
      });
    }
    const Index none = OuterIndex(e_.exprs().Constant(0));
    if (vectors > 0) {
      SF_CHECK(ForShare(kernel_, vectors, [&](Expr t) -> Status { return At(none, t, true, 0); }));
    } else if (tail > 0) {
      return ForShare(kernel_, tail, [&](Expr t) -> Status { return At(none, t, false, 0); });
    }
    if (tail == 0) return {};
    auto rest = [&]() -> Result<Values> { return e_.Loop(0, tail, {}, Body(none, false, vectors * lanes_)); };
    if (kernel_.workgroups == 1) {
      SF_CHECK(rest());
      return {};
    }
    // The last workgroup takes what fills no vector.
    mlir::ImplicitLocOpBuilder& b = e_.b();
    mlir::Value id = sf::WorkgroupIdOp::create(b);
    mlir::Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, id, e_.Constant(kernel_.workgroups - 1));
    SF_CHECK(e_.If(last, {}, rest, []() -> Result<Values> { return Values{}; }));
    return {};
  }

 private:
  const Instruction& First() const { return *kernel_.outputs[nest_.outputs[0]]; }

  int64_t Lanes() {
    int64_t lanes = ChooseLanes(kernel_);
    while (lanes > minor_) lanes /= 2;
    if (lanes <= 1) return 1;
    // A reduction along memory runs its own lanes; lanes across its results would stride.
    indexing::Context context;
    const Collapsed& loops = loops_;
    Index at;
    for (int64_t size : loops.sizes) at.push_back(context.NewSymbol({0, size - 1}));
    const int64_t minor = context.symbol_count() - 1;
    for (size_t i : nest_.outputs) {
      if (!kernel_.outputs[i]->shape().SameDimensions(First().shape())) continue;
      for (const Access& access : indexing::CollectAccesses(context, *kernel_.outputs[i], loops.Expand(context, at))) {
        if (!access.in_reduction || access.kind != Access::Kind::kRead) continue;
        int64_t stride = 0;
        if (!indexing::IsAffineIn(access.expression, minor, &stride) || (stride != 0 && stride != 1)) return 1;
      }
    }
    return lanes;
  }
  using Collapsed = indexing::Collapsed;

  // Loops around the minor one. Shared out over workgroups: the outermost alone if it has enough positions, else all of
  // them as one.
  Status ForOuter(const std::function<Status(const Index&)>& body) {
    const std::vector<int64_t> sizes(loops_.sizes.begin(), loops_.sizes.end() - 1);
    constexpr int64_t kEven = 8;  // positions a workgroup, so that shares differ by little
    if (sizes.size() == 1 || kernel_.workgroups == 1 || sizes[0] >= kEven * kernel_.workgroups) {
      return ForShare(kernel_, sizes[0], [&](Expr first) -> Status { return Inner(sizes, {first}, body); });
    }
    return ForShare(kernel_, outer_, [&](Expr all) -> Status { return body(e_.exprs().Delinearize(all, sizes)); });
  }
  Status Inner(const std::vector<int64_t>& sizes, Index index, const std::function<Status(const Index&)>& body) {
    if (index.size() == sizes.size()) return body(index);
    SF_CHECK(e_.Loop(0, sizes[index.size()], {}, [&](Expr position, mlir::ValueRange) -> Result<Values> {
      Index next = index;
      next.push_back(position);
      SF_CHECK(Inner(sizes, std::move(next), body));
      return Values{};
    }));
    return {};
  }
  Index OuterIndex(Expr zero) const { return Index(loops_.sizes.size() - 1, zero); }

  Emission::LoopBody Body(const Index& outer, bool vector, int64_t first) {
    return [this, outer, vector, first](Expr t, mlir::ValueRange) -> Result<Values> {
      SF_CHECK(At(outer, t, vector, first));
      return Values{};
    };
  }

  // One vector of elements, or one element: all outputs are computed before any is stored.
  Status At(const Index& outer, Expr t, bool vector, int64_t first) {
    indexing::Context& c = e_.exprs();
    Index loops = outer;
    Expr position = c.Add(t, first);
    if (vector) position = c.Add(c.Mul(t, lanes_), e_.NewLane(lanes_));
    loops.push_back(position);
    const Index index = loops_.Expand(c, loops);
    Expr linear = c.Linearize(index, First().shape().dimensions());
    std::vector<std::pair<Element, size_t>> values;
    for (size_t i : nest_.outputs) {
      const Instruction& output = *kernel_.outputs[i];
      const bool same = output.shape().SameDimensions(First().shape());
      Element value = SF_TRY(
          e_.Value(kernel_.frame, output, same ? index : c.Delinearize(linear, output.shape().dimensions())));
      values.emplace_back(value, i);
    }
    for (auto& [value, i] : values) e_.Store(value, kernel_.output_buffers[i], linear);
    return {};
  }

  Kernel& kernel_;
  const Nest& nest_;
  Emission& e_;
  Collapsed loops_;
  int64_t minor_ = 1, outer_ = 1, lanes_ = 1;
};

}  // namespace

Status EmitLoops(Kernel& kernel) {
  const std::vector<Nest> nests = GroupOutputs(kernel);
  std::vector<NestEmitter> emitters;
  int64_t units = 1;
  for (const Nest& nest : nests) {
    emitters.emplace_back(kernel, nest);
    SF_CHECK(emitters.back().Plan());
    units = std::max(units, emitters.back().Units());
  }
  kernel.workgroups = ChooseWorkgroups(kernel, units, BytesTouched(kernel));
  for (NestEmitter& emitter : emitters) SF_CHECK(emitter.Emit());
  return {};
}

}  // namespace subfloor::codegen::emitters
