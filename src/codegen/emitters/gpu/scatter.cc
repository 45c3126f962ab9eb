#include <algorithm>

#include "codegen/emitters/gpu/gpu_kernel.h"
#include "codegen/emitters/scatter_target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Scatters: the operands lie in the results' buffers already, and threads combine updates into them,
/// atomically where two may meet. Which of several replacing updates of one place stays is up to the device.
namespace subfloor::codegen::emitters {
namespace {

using hlo::Instruction;
using hlo::Opcode;

class GpuScatter {
 public:
  GpuScatter(GpuKernel& kernel, const dispatch::ScatterPlan& plan)
      : kernel_(kernel),
        e_(kernel.emission),
        c_(e_.exprs()),
        plan_(plan),
        op_(*plan.scatter),
        operands_((op_.operand_count() - 1) / 2),
        dimensions_(op_),
        unique_(op_.As<hlo::ScatterAttributes>().unique_indices) {}

  Status Run() {
    if (static_cast<int64_t>(kernel_.job.in_place.size()) != operands_)
      return InternalError("%{}: an operand that does not lie in its result's buffer", op_.name());
    SF_CHECK(CheckCombiner());
    if (Update(0).shape().element_count() == 0) return {};
    return kernel_.InLogicalBlock([&](Expr block) {
      if (serial_) return InOrder(block);
      return plan_.per_index_run ? Runs(block) : Updates(block);
    });
  }

 private:
  const Instruction& Update(int64_t i) const { return *op_.operand(operands_ + 1 + i); }
  const Shape& Target() const { return op_.operand(0)->shape(); }
  std::span<const int64_t> SliceSizes() const {
    return Update(0).shape().dimensions().subspan(dimensions_.places.size());
  }
  Index Place(Expr slice) const {
    return c_.Delinearize(slice, Update(0).shape().dimensions().first(dimensions_.places.size()));
  }

  // How one update goes into memory.
  Status CheckCombiner() {
    if (unique_) {
      way_ = Way::kPlain;
      return {};
    }
    const hlo::Computation& combiner = *op_.called();
    const ElementType type = Target().element_type();
    const Reducer reducer = Recognise(combiner);
    const bool whole = BitWidth(type) >= 32 && !IsComplex(type);
    const bool number = whole || type == ElementType::kF16 || type == ElementType::kBF16;
    // Without a recognised combiner the contract wants index order.
    if (!reducer.recognised() || operands_ > 1) return Serially();
    const bool any_order = !IsFloat(ComponentType(type)) || reducer.ops[0] == Opcode::kMinimum ||
                           reducer.ops[0] == Opcode::kMaximum;
    if (kernel_.job.deterministic && !any_order) return Serially();
    const Opcode opcode = reducer.ops[0];
    if (opcode == Opcode::kAdd && (number || IsComplex(type))) return Combine(sf::Combiner::add);
    if (opcode == Opcode::kMinimum && whole) return Combine(sf::Combiner::minimum);
    if (opcode == Opcode::kMaximum && whole) return Combine(sf::Combiner::maximum);
    if (opcode == Opcode::kAnd && whole) return Combine(sf::Combiner::and_);
    if (opcode == Opcode::kOr && whole) return Combine(sf::Combiner::or_);
    if (opcode == Opcode::kXor && whole) return Combine(sf::Combiner::xor_);
    if (IsComplex(type)) return Serially();
    way_ = Way::kExchange;
    return {};
  }
  Status Serially() {
    way_ = Way::kPlain;
    serial_ = true;
    return {};
  }
  Status Combine(sf::Combiner combiner) {
    way_ = Way::kCombine;
    combiner_ = combiner;
    return {};
  }

  // One thread takes all updates, one after the other.
  Status InOrder(Expr block) {
    Expr unit = c_.Add(kernel_.Thread(sf::Dimension::x), c_.Mul(block, plan_.launch.block[0]));
    return kernel_.Where(unit, 0, 0, [&]() -> Status {
      SF_CHECK(e_.Loop(0, plan_.slices, {}, [&](Expr slice, mlir::ValueRange) -> Result<Values> {
        SF_CHECK(AtSlice(slice, [&](const Index& start) -> Status {
          SF_CHECK(
              e_.Loop(0, plan_.slice_elements, {}, [&](Expr element, mlir::ValueRange) -> Result<Values> {
                SF_CHECK(ApplyElement(start, slice, element));
                return Values{};
              }));
          return {};
        }));
        return Values{};
      }));
      return {};
    });
  }

  Status ApplyElement(const Index& start, Expr slice, Expr element) {
    std::vector<Element> updates;
    for (int64_t k = 0; k < operands_; ++k) updates.push_back(SF_TRY(UpdateAt(k, slice, element)));
    return Apply(OffsetOf(start, element), updates);
  }

  // A thread takes `vector` neighbouring elements of one slice.
  Status Updates(Expr block) {
    const int64_t units = Update(0).shape().element_count() / plan_.vector;
    Expr unit = c_.Add(kernel_.Thread(sf::Dimension::x), c_.Mul(block, plan_.launch.block[0]));
    return kernel_.Where(unit, 0, units - 1, [&]() -> Status {
      Expr first = c_.Mul(kernel_.Within(unit, units), plan_.vector);
      Expr slice = kernel_.Within(c_.FloorDiv(first, plan_.slice_elements), plan_.slices);
      Expr at = kernel_.Within(c_.Mod(first, plan_.slice_elements), plan_.slice_elements);
      return AtSlice(slice, [&](const Index& start) -> Status {
        SF_CHECK(e_.Loop(0, plan_.vector, {}, [&](Expr i, mlir::ValueRange) -> Result<Values> {
          const Expr element = kernel_.Within(c_.Add(at, i), plan_.slice_elements);
          SF_CHECK(ApplyElement(start, slice, element));
          return Values{};
        }));
        return {};
      });
    });
  }

  // A warp takes slices in order; each lane keeps its elements of the sum while indices repeat.
  Status Runs(Expr block) {
    const int64_t warp_size = plan_.launch.block[0] / plan_.warps_per_block;
    Expr thread = kernel_.Thread(sf::Dimension::x);
    Expr lane = c_.Mod(thread, warp_size);
    Expr warp = c_.Add(c_.FloorDiv(thread, warp_size), c_.Mul(block, plan_.warps_per_block));
    const int64_t warps = dispatch::CeilDiv(plan_.slices, plan_.indices_per_warp);
    return kernel_.Where(warp, 0, warps - 1, [&]() -> Status {
      Expr first = c_.Mul(kernel_.Within(warp, warps), plan_.indices_per_warp);
      SF_CHECK(
          e_.Loop(0, plan_.passes * plan_.vector, {}, [&](Expr turn, mlir::ValueRange) -> Result<Values> {
            // Turn t of a lane: element t % vector of its vector in pass t / vector.
            Expr element =
                c_.Add(c_.Mul(c_.Add(lane, c_.Mul(c_.FloorDiv(turn, plan_.vector), warp_size)), plan_.vector),
                       c_.Mod(turn, plan_.vector));
            SF_CHECK(kernel_.Where(element, 0, plan_.slice_elements - 1, [&] {
              return RunOfElement(first, kernel_.Within(element, plan_.slice_elements));
            }));
            return Values{};
          }));
      return {};
    });
  }

  // What is carried from slice to slice: the offset that the sum belongs to, or -1, and the sum.
  Status RunOfElement(Expr first, Expr element) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    const Element none = SF_TRY(UpdateAt(0, c_.Constant(0), element));
    Values carried = {mlir::arith::ConstantIntOp::create(b, e_.index_type(), -1)};
    for (mlir::Value part : Emission::Flatten({&none, 1})) carried.push_back(part);
    const ElementType types[] = {none.type};
    const auto flush = [&](mlir::ValueRange state) -> Status {
      mlir::Value held =
          mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::sge, state[0], e_.Constant(0));
      SF_CHECK(e_.If(
          held, {},
          [&]() -> Result<Values> {
            Expr offset = e_.Bind(state[0], {0, Target().element_count() - 1});
            SF_CHECK(Apply(offset, Emission::Unflatten(state.drop_front(), types)));
            return Values{};
          },
          []() -> Result<Values> { return Values{}; }));
      return {};
    };
    llvm::SmallVector<mlir::Type> state_types;
    for (mlir::Value value : carried) state_types.push_back(value.getType());
    Values last = SF_TRY(
        e_.Loop(0, plan_.indices_per_warp, carried, [&](Expr i, mlir::ValueRange state) -> Result<Values> {
          Expr slice = c_.Add(first, i);
          const indexing::Bound bound{slice, 0, plan_.slices - 1};
          const auto unchanged = [&]() -> Result<Values> { return Values(state.begin(), state.end()); };
          const auto take = [&]() -> Result<Values> {
            Expr own = kernel_.Within(slice, plan_.slices);
            const ScatterTarget target =
                SF_TRY(LocateScatter(e_, kernel_.frame, op_, dimensions_, Place(own)));
            if (target.nowhere) return unchanged();
            const auto inside = [&]() -> Result<Values> {
              const Element update = SF_TRY(UpdateAt(0, own, element));
              mlir::Value offset = e_.Materialize(OffsetOf(target.start, element));
              mlir::Value same =
                  mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::eq, offset, state[0]);
              return e_.If(
                  same, state_types,
                  [&]() -> Result<Values> {
                    Elements arguments = Emission::Unflatten(state.drop_front(), types);
                    arguments.push_back(update);
                    const Elements sum = SF_TRY(e_.Call(*op_.called(), arguments));
                    const Element kept = SF_TRY(elemental::EmitConvert(b, sum[0], none.type));
                    Values next = {state[0]};
                    for (mlir::Value part : Emission::Flatten({&kept, 1})) next.push_back(part);
                    return next;
                  },
                  [&]() -> Result<Values> {
                    SF_CHECK(flush(state));
                    Values next = {offset};
                    for (mlir::Value part : Emission::Flatten({&update, 1})) next.push_back(part);
                    return next;
                  });
            };
            if (!target.inside) return inside();
            return e_.If(target.inside, state_types, inside, unchanged);
          };
          if (bound.Known() == indexing::Bound::Truth::kTrue) return take();
          return e_.If(e_.Holds({&bound, 1}), state_types, take, unchanged);
        }));
    return flush(last);
  }

  Status AtSlice(Expr slice, const std::function<Status(const Index& start)>& body) {
    const ScatterTarget target = SF_TRY(LocateScatter(e_, kernel_.frame, op_, dimensions_, Place(slice)));
    if (target.nowhere) return {};
    if (!target.inside) return body(target.start);
    SF_CHECK(e_.If(
        target.inside, {},
        [&]() -> Result<Values> {
          SF_CHECK(body(target.start));
          return Values{};
        },
        []() -> Result<Values> { return Values{}; }));
    return {};
  }

  Result<Element> UpdateAt(int64_t k, Expr slice, Expr element) {
    Index index = Place(slice);
    const Index window = c_.Delinearize(element, SliceSizes());
    index.insert(index.end(), window.begin(), window.end());
    return e_.Value(kernel_.frame, Update(k), index);
  }

  Expr OffsetOf(const Index& start, Expr element) {
    const Index window = c_.Delinearize(element, SliceSizes());
    Index at = start;
    for (size_t w = 0; w < dimensions_.windowed.size(); ++w) {
      Expr& e = at[static_cast<size_t>(dimensions_.windowed[w])];
      e = c_.Add(e, window[w]);
    }
    return c_.Linearize(at, Target().dimensions());
  }

  // One element of each operand at `offset`.
  Status Apply(Expr offset, std::span<const Element> updates) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    const mlir::Location outer = b.getLoc();
    b.setLoc(e_.LocationOf(op_));
    Status applied = way_ == Way::kPlain     ? Replace(offset, updates)
                     : way_ == Way::kCombine ? CombineInto(offset, updates[0])
                                             : Exchange(offset, updates[0]);
    b.setLoc(outer);
    return applied;
  }

  mlir::Value Buffer(int64_t i) const { return kernel_.outputs[static_cast<size_t>(i)].buffer; }

  Status Replace(Expr offset, std::span<const Element> updates) {
    std::vector<Element> arguments;
    for (int64_t i = 0; i < operands_; ++i) arguments.push_back(e_.Load(Buffer(i), offset));
    arguments.insert(arguments.end(), updates.begin(), updates.end());
    const Elements results = SF_TRY(e_.Call(*op_.called(), arguments));
    for (int64_t i = 0; i < operands_; ++i) {
      const ElementType type = op_.operand(i)->shape().element_type();
      e_.Store(SF_TRY(elemental::EmitConvert(e_.b(), results[static_cast<size_t>(i)], type)), Buffer(i),
               offset);
    }
    return {};
  }

  Status CombineInto(Expr offset, const Element& update) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    const ElementType type = Target().element_type();
    const Element stored = elemental::ToStorage(b, SF_TRY(elemental::EmitConvert(b, update, type)));
    const auto combine = [&](mlir::Value value, Expr at) {
      sf::AtomicOp::create(b, combiner_, value, Buffer(0), e_.Materialize(at));
    };
    if (!IsComplex(type)) {
      combine(stored.value, offset);
      return {};
    }
    combine(stored.value, c_.Mul(offset, 2));
    combine(stored.imag, c_.Add(c_.Mul(offset, 2), 1));
    return {};
  }

  Status Exchange(Expr offset, const Element& update) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    const ElementType type = Target().element_type();
    auto op = sf::AtomicUpdateOp::create(b, Buffer(0), e_.Materialize(offset));
    const mlir::Type unit = mlir::cast<sf::BufferType>(Buffer(0).getType()).storageType();
    mlir::Block& block = op.getBody().emplaceBlock();
    const mlir::Value old = block.addArgument(unit, b.getLoc());
    return e_.Inside(op, &block, [&]() -> Status {
      const Element arguments[] = {elemental::FromStorage(b, type, old), update};
      const Elements results = SF_TRY(e_.Call(*op_.called(), arguments));
      const Element stored = elemental::ToStorage(b, SF_TRY(elemental::EmitConvert(b, results[0], type)));
      sf::YieldOp::create(b, stored.value);
      return {};
    });
  }

  enum class Way : uint8_t {
    kPlain,     ///< read, compute, write: nobody else does
    kCombine,   ///< one atomic op
    kExchange,  ///< the combiner inside of an atomic update
  };

  GpuKernel& kernel_;
  Emission& e_;
  indexing::Context& c_;
  const dispatch::ScatterPlan& plan_;
  const Instruction& op_;
  int64_t operands_;
  ScatterDimensions dimensions_;
  bool unique_;
  Way way_ = Way::kPlain;
  bool serial_ = false;
  sf::Combiner combiner_ = sf::Combiner::add;
};

}  // namespace

Status EmitGpuScatter(GpuKernel& kernel, const dispatch::ScatterPlan& plan) {
  return GpuScatter(kernel, plan).Run();
}

}  // namespace subfloor::codegen::emitters
