#include <algorithm>
#include <set>

#include "codegen/emitters/kernel.h"
#include "indexing/access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Loops over the results: one nest for each set of outputs with equally many elements, its minor loop in
/// lanes.
namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;
using indexing::Access;

// Outputs that are computed in one nest: they have the same number of elements, and are indexed by the first
// one's shape.
struct Nest {
  std::vector<size_t> outputs;
};

std::vector<Nest> GroupOutputs(const Kernel& kernel) {
  std::vector<Nest> nests;
  for (size_t i = 0; i < kernel.outputs.size(); ++i) {
    const int64_t count = kernel.outputs[i].shape->element_count();
    auto it = std::find_if(nests.begin(), nests.end(), [&](const Nest& nest) {
      return kernel.outputs[nest.outputs[0]].shape->element_count() == count;
    });
    if (it == nests.end())
      nests.push_back({{i}});
    else
      it->outputs.push_back(i);
  }
  return nests;
}

class NestEmitter {
 public:
  NestEmitter(Kernel& kernel, const Nest& nest) : kernel_(kernel), nest_(nest), e_(kernel.emission) {}

  Status Plan() {
    const Shape& shape = FirstShape();
    if (shape.element_count() == 0) return {};
    std::vector<const Instruction*> same_shape;
    for (size_t i : nest_.outputs) {
      if (kernel_.outputs[i].shape->SameDimensions(shape))
        same_shape.push_back(kernel_.outputs[i].instruction);
    }
    loops_ = indexing::Collapse(e_.exprs(), same_shape, shape.dimensions());
    minor_ = loops_.sizes.back();
    outer_ = shape.element_count() / minor_;
    PlanMinor();
    return {};
  }

  // Pieces that workgroups can share out: outer positions, or vectors if there is but one loop.
  int64_t Units() const {
    if (tiled_) return outer_ / lanes_;
    return outer_ > 1 ? outer_ : std::max<int64_t>(1, minor_ / lanes_);
  }

  Status Emit() {
    if (FirstShape().element_count() == 0) return {};
    if (tiled_) return EmitTiles();
    if (outer_ > 1) {
      return ForOuter([&](const Index& outer) -> Status {
        for (const Segment& segment : segments_) {
          if (segment.vectors > 0)
            SF_CHECK(e_.Loop(0, segment.vectors, {}, Body(outer, segment, /*vector=*/true)));
          if (segment.tail > 0)
            SF_CHECK(e_.Loop(0, segment.tail, {}, Body(outer, segment, /*vector=*/false)));
        }
        return {};
      });
    }
    const Index none(loops_.sizes.size() - 1, e_.exprs().Constant(0));
    for (const Segment& segment : segments_) {
      SF_CHECK(
          ForShare(kernel_, segment.vectors, [&](Expr t) -> Status { return At(none, segment, t, true); }));
      if (segment.tail > 0 && lanes_ == 1) {
        SF_CHECK(
            ForShare(kernel_, segment.tail, [&](Expr t) -> Status { return At(none, segment, t, false); }));
      } else if (segment.tail > 0) {
        SF_CHECK(InLastWorkgroup(
            [&]() -> Result<Values> { return e_.Loop(0, segment.tail, {}, Body(none, segment, false)); }));
      }
    }
    return {};
  }

 private:
  const Shape& FirstShape() const { return *kernel_.outputs[nest_.outputs[0]].shape; }

  // A part of the minor loop in which no condition changes its answer from lane to lane.
  struct Segment {
    int64_t first;
    int64_t vectors;
    int64_t tail;
  };

  // Chooses lanes, and cuts the minor loop where an operand of a concatenate or pad begins or ends.
  void PlanMinor() {
    lanes_ = ChooseLanes(kernel_);
    while (lanes_ > minor_) lanes_ /= 2;
    lanes_ = std::max<int64_t>(lanes_, 1);
    indexing::Context context;
    Index at;
    for (int64_t size : loops_.sizes) at.push_back(context.NewSymbol({0, size - 1}));
    const int64_t minor = context.symbol_count() - 1;
    constexpr size_t kMostCuts = 8;
    std::set<int64_t> cuts;
    bool folds = false;
    std::optional<size_t> along;
    for (size_t i : nest_.outputs) {
      if (!kernel_.outputs[i].shape->SameDimensions(FirstShape())) continue;
      for (const Access& access :
           indexing::CollectAccesses(context, *kernel_.outputs[i].instruction, loops_.Expand(context, at))) {
        int64_t stride = 0;
        const bool affine = indexing::IsAffineIn(access.expression, minor, &stride);
        if (access.kind == Access::Kind::kCondition) {
          if (affine && stride == 0) continue;
          // minor + constant in [low, high]: it holds from one position to another.
          if (affine && stride == 1 && access.expression->terms.size() == 1) {
            for (int64_t cut : {access.low, access.high + 1}) {
              cut -= access.expression->constant;
              if (cut > 0 && cut < minor_) cuts.insert(cut);
            }
          } else {
            lanes_ = 1;
          }
        } else if (access.kind == Access::Kind::kRead && access.in_reduction) {
          // A reduction along memory runs its own lanes; lanes across its results would stride.
          if (!affine || (stride != 0 && stride != 1)) lanes_ = 1;
          folds = true;
        } else if (access.kind == Access::Kind::kRead && affine && stride > 1) {
          // Read across memory: perhaps another loop goes along it.
          for (size_t l = 0; l + 1 < loops_.sizes.size(); ++l) {
            int64_t other = 0;
            if (indexing::IsAffineIn(access.expression,
                                     minor - static_cast<int64_t>(loops_.sizes.size() - 1 - l), &other) &&
                other == 1)
              along = l;
          }
        }
      }
    }
    if (cuts.size() > kMostCuts) {
      lanes_ = 1;
      cuts.clear();
    }
    if (folds && lanes_ > 1) {
      // Results of a fold across memory: more of a row at a time, so that whole pages are read one after the
      // other.
      constexpr int64_t kWider = 4;
      if (minor_ >= kWider * lanes_) lanes_ *= kWider;
    }
    PlanTiles(along, folds || !cuts.empty());
    cuts.insert(minor_);
    int64_t first = 0;
    for (int64_t end : cuts) {
      const int64_t vectors = lanes_ > 1 ? (end - first) / lanes_ : 0;
      segments_.push_back({first, vectors, end - first - vectors * lanes_});
      first = end;
    }
    decision::Decide(e_.log(), decision::Question::kVectorLanes, lanes_ > 1, decision::Fact::kLanes, lanes_,
                     8 * ByteWidth(FirstShape().element_type()), kernel_.job.instruction);
  }

  // Tiles of a transposition: worth it where the body is small enough to be written out for each row.
  void PlanTiles(std::optional<size_t> along, bool other_trouble) {
    constexpr int64_t kMostInstructions = 24, kMostRows = 16;
    if (!along || other_trouble || lanes_ < 4) return;
    if (kernel_.frame.computation->instruction_count() > kMostInstructions) return;
    const int64_t rows = std::min(lanes_, kMostRows);
    if (loops_.sizes[*along] < rows || minor_ < rows) return;
    lanes_ = rows;
    tiled_ = along;
  }

  // Tiles over the loop that goes along memory and the minor one; what fills no tile is left to the plain
  // loops.
  Status EmitTiles() {
    const size_t along = *tiled_;
    const int64_t tiles = loops_.sizes[along] / lanes_, rest = loops_.sizes[along] % lanes_;
    std::vector<int64_t> sizes(loops_.sizes.begin(), loops_.sizes.end() - 1);
    sizes[along] = tiles;
    const Segment whole = segments_[0];
    int64_t positions = 1;
    for (int64_t size : sizes) positions *= size;
    indexing::Context& c = e_.exprs();
    SF_CHECK(ForShare(kernel_, positions, [&](Expr all) -> Status {
      Index outer = c.Delinearize(all, sizes);
      Expr first_row = c.Mul(outer[along], lanes_);
      SF_CHECK(e_.Loop(0, whole.vectors, {}, [&](Expr t, mlir::ValueRange) -> Result<Values> {
        Expr row = e_.BeginTile(lanes_);
        Expr lane = e_.NewLane(lanes_);
        outer[along] = c.Add(first_row, row);
        for (int64_t r = 0; r < lanes_; ++r)
          SF_CHECK(e_.TileRow(r, [&] { return At(outer, whole, t, /*vector=*/true, lane); }));
        e_.EndTile();
        return Values{};
      }));
      SF_CHECK(e_.Loop(0, whole.tail > 0 ? lanes_ : 0, {}, [&](Expr row, mlir::ValueRange) -> Result<Values> {
        outer[along] = c.Add(first_row, row);
        return e_.Loop(0, whole.tail, {}, Body(outer, whole, /*vector=*/false));
      }));
      return {};
    }));
    if (rest == 0) return {};
    sizes[along] = rest;
    positions = positions / tiles * rest;
    return ForShare(kernel_, positions, [&](Expr all) -> Status {
      Index outer = c.Delinearize(all, sizes);
      outer[along] = c.Add(outer[along], tiles * lanes_);
      SF_CHECK(e_.Loop(0, whole.vectors, {}, Body(outer, whole, /*vector=*/true)));
      SF_CHECK(e_.Loop(0, whole.tail, {}, Body(outer, whole, /*vector=*/false)));
      return {};
    });
  }

  Status InLastWorkgroup(const std::function<Result<Values>()>& body) {
    if (kernel_.workgroups == 1) {
      SF_CHECK(body());
      return {};
    }
    mlir::ImplicitLocOpBuilder& b = e_.b();
    mlir::Value id = sf::WorkgroupIdOp::create(b);
    mlir::Value last =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, id, e_.Constant(kernel_.workgroups - 1));
    SF_CHECK(e_.If(last, {}, body, []() -> Result<Values> { return Values{}; }));
    return {};
  }

  // Loops around the minor one. Shared out over workgroups: the outermost alone if it has enough positions,
  // else all of them as one.
  Status ForOuter(const std::function<Status(const Index&)>& body) {
    const std::vector<int64_t> sizes(loops_.sizes.begin(), loops_.sizes.end() - 1);
    constexpr int64_t kEven = 8;  // positions a workgroup, so that shares differ by little
    if (sizes.size() == 1 || kernel_.workgroups == 1 || sizes[0] >= kEven * kernel_.workgroups) {
      return ForShare(kernel_, sizes[0], [&](Expr first) -> Status { return Inner(sizes, {first}, body); });
    }
    return ForShare(kernel_, outer_,
                    [&](Expr all) -> Status { return body(e_.exprs().Delinearize(all, sizes)); });
  }
  Status Inner(const std::vector<int64_t>& sizes, Index index,
               const std::function<Status(const Index&)>& body) {
    if (index.size() == sizes.size()) return body(index);
    SF_CHECK(e_.Loop(0, sizes[index.size()], {}, [&](Expr position, mlir::ValueRange) -> Result<Values> {
      Index next = index;
      next.push_back(position);
      SF_CHECK(Inner(sizes, std::move(next), body));
      return Values{};
    }));
    return {};
  }

  Emission::LoopBody Body(const Index& outer, const Segment& segment, bool vector) {
    return [this, outer, segment, vector](Expr t, mlir::ValueRange) -> Result<Values> {
      SF_CHECK(At(outer, segment, t, vector));
      return Values{};
    };
  }

  // One vector of elements, or one element: all outputs are computed before any is stored.
  Status At(const Index& outer, const Segment& segment, Expr t, bool vector, Expr lane = nullptr) {
    indexing::Context& c = e_.exprs();
    Index loops = outer;
    if (vector && lane == nullptr) lane = e_.NewLane(lanes_);
    loops.push_back(vector ? c.Add(c.Add(c.Mul(t, lanes_), lane), segment.first)
                           : c.Add(t, segment.first + segment.vectors * lanes_));
    const Index index = loops_.Expand(c, loops);
    Expr linear = c.Linearize(index, FirstShape().dimensions());
    struct Stored {
      Element value;
      Expr offset;
      mlir::Value buffer;
    };
    std::vector<Stored> stores;
    for (size_t i : nest_.outputs) {
      const Output& output = kernel_.outputs[i];
      const bool same = output.shape->SameDimensions(FirstShape());
      const Index own = same ? index : c.Delinearize(linear, output.shape->dimensions());
      Elements results = SF_TRY(e_.AllValues(kernel_.frame, *output.instruction, own));
      Expr offset = linear;
      if (output.update != nullptr) {
        Index moved = own;
        for (size_t d = 0; d < moved.size(); ++d) {
          Expr start = SF_TRY(e_.Start(kernel_.frame, *output.update, static_cast<int64_t>(d), {}));
          moved[d] = c.Add(moved[d], start);
        }
        offset = c.Linearize(moved, output.update->shape().dimensions());
      }
      stores.push_back({results[output.result], offset, output.buffer});
    }
    for (const Stored& store : stores) e_.Store(store.value, store.buffer, store.offset);
    return {};
  }

  Kernel& kernel_;
  const Nest& nest_;
  Emission& e_;
  indexing::Collapsed loops_;
  int64_t minor_ = 1, outer_ = 1, lanes_ = 1;
  std::vector<Segment> segments_;
  std::optional<size_t> tiled_;  // the loop that goes along memory where the minor one goes across it
};

// Outputs that are dynamic-update-slices of the very buffer they are stored in: only the update is computed
// and written.
void ReduceToUpdates(Kernel& kernel) {
  for (size_t i = 0; i < kernel.outputs.size(); ++i) {
    Output& output = kernel.outputs[i];
    const Instruction& op = *output.instruction;
    if (op.opcode() != hlo::Opcode::kDynamicUpdateSlice || !op.operand(0)->IsParameter()) continue;
    if (kernel.InPlaceParameter(static_cast<int64_t>(i)) != op.operand(0)->parameter_number()) continue;
    output.update = &op;
    output.instruction = op.operand(1);
    output.shape = &op.operand(1)->shape();
  }
}

}  // namespace

Status EmitLoops(Kernel& kernel) {
  ReduceToUpdates(kernel);
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
