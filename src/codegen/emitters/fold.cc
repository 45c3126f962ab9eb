#include "codegen/emitters/fold.h"

#include <algorithm>

#include "indexing/access.h"
#include "indexing/fold_index.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;
using hlo::Opcode;

// Neighbouring folded dimensions that run as one loop.
struct FoldLoop {
  std::vector<int64_t> sizes;
  int64_t size = 1;
};

class FoldEmitter {
 public:
  FoldEmitter(Emission& emission, Frame& frame, const FoldSpec& spec, const Index& index)
      : e_(emission), frame_(frame), spec_(spec), op_(*spec.op), index_(index) {}

  Result<Elements> Run() {
    outer_lanes_ = e_.LanesOf(index_);
    PlanLoops();
    bool free = !spec_.ops.empty();
    for (size_t i = 0; i < spec_.ops.size(); ++i) {
      free &= elemental::ReducerIdentity(e_.b(), spec_.ops[i], spec_.accumulators[i]).has_value();
    }
    if (spec_.computation != nullptr) {
      decision::Decide(e_.log(), decision::Question::kReducerKind, free,
                       free ? decision::Fact::kReducerRecognised : decision::Fact::kReducerUnknown, 0, 0,
                       op_.id());
    }
    if (free) return FreeOrder();
    if (spec_.computation == nullptr)
      return NotSupported("{} of {}", hlo::ToString(op_.opcode()), op_.shape().ToString());
    return InOrder();
  }

 private:
  using State = std::vector<Elements>;  // accumulators, each of one element a result

  // Loops. --------------------------------------------------------------------------------------------------

  // The term for positions of the loops.
  indexing::FoldTerm TermAt(indexing::Context& c, const Index& result, std::span<const FoldLoop> loops,
                            const Index& at) const {
    Index all;
    for (size_t i = 0; i < loops.size(); ++i) {
      Index part = c.Delinearize(at[i], loops[i].sizes);
      all.insert(all.end(), part.begin(), part.end());
    }
    return indexing::FoldTermAt(c, op_, result, all);
  }

  struct Probe {
    int64_t divisions = 0;
    std::vector<bool> along_memory;  // for each loop: every read has stride 0 or 1 in it, and some read 1
  };
  Probe Look(std::span<const FoldLoop> loops) const {
    indexing::Context c;
    Index result_index, at;
    for (int64_t size : indexing::FoldResultSizes(op_))
      result_index.push_back(c.NewSymbol({0, std::max<int64_t>(size - 1, 0)}));
    std::vector<int64_t> symbols;
    for (const FoldLoop& loop : loops) {
      at.push_back(c.NewSymbol({0, std::max<int64_t>(loop.size - 1, 0)}));
      symbols.push_back(c.symbol_count() - 1);
    }
    Probe probe;
    std::vector<bool> ones(loops.size(), false);
    probe.along_memory.assign(loops.size(), true);
    auto note = [&](const indexing::Access& access) {
      probe.divisions += indexing::CountDivisions(access.expression);
      for (size_t l = 0; l < loops.size(); ++l) {
        int64_t stride = 0;
        const bool affine = indexing::IsAffineIn(access.expression, symbols[l], &stride);
        if (access.kind == indexing::Access::Kind::kValue && affine) continue;
        if (access.kind == indexing::Access::Kind::kCondition && affine && stride == 0) continue;
        if (!affine || (stride != 0 && stride != 1) || access.kind == indexing::Access::Kind::kCondition)
          probe.along_memory[l] = false;
        ones[l] = ones[l] || stride == 1;
      }
    };
    const indexing::FoldTerm term = TermAt(c, result_index, loops, at);
    for (const indexing::Bound& bound : term.conditions) {
      if (bound.Known() == indexing::Bound::Truth::kUnknown)
        note({indexing::Access::Kind::kCondition, &op_, bound.value, bound.low, bound.high, true});
    }
    for (const indexing::OperandRead& read : term.reads) {
      for (const auto& access : indexing::CollectAccesses(c, *op_.operand(read.operand), read.index))
        note(access);
    }
    // Reading nothing from memory is as good as reading along it.
    for (size_t l = 0; l < loops.size(); ++l)
      probe.along_memory[l] = probe.along_memory[l] && (ones[l] || loops.size() == 1);
    return probe;
  }

  void PlanLoops() {
    for (int64_t size : indexing::FoldSizes(op_)) loops_.push_back({{size}, size});
    Probe best = Look(loops_);
    for (size_t i = loops_.size(); i-- > 1;) {
      std::vector<FoldLoop> merged = loops_;
      merged[i - 1].sizes.insert(merged[i - 1].sizes.end(), loops_[i].sizes.begin(), loops_[i].sizes.end());
      merged[i - 1].size *= loops_[i].size;
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i));
      Probe probe = Look(merged);
      if (probe.divisions > best.divisions) continue;
      loops_ = std::move(merged);
      best = std::move(probe);
    }
    along_memory_ = best.along_memory;
  }

  // Reading. ------------------------------------------------------------------------------------------------

  Result<Elements> Convert(Elements values, std::span<const ElementType> types) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = SF_TRY(elemental::EmitConvert(e_.b(), values[i], types[i]));
    return values;
  }
  // What `state` becomes with the term at these positions: itself where the term is left out.
  Result<Elements> With(
      Elements state, const Index& at, std::span<const ElementType> types,
      const std::function<Result<Elements>(const Elements& state, const Elements& term)>& combine) {
    const indexing::FoldTerm term = TermAt(e_.exprs(), index_, loops_, at);
    bool always = true;
    for (const indexing::Bound& bound : term.conditions) {
      if (bound.Known() == indexing::Bound::Truth::kFalse) return state;
      always &= bound.Known() == indexing::Bound::Truth::kTrue;
    }
    if (always) return combine(state, SF_TRY(spec_.read(term)));
    const Values before = Emission::Flatten(state);
    llvm::SmallVector<mlir::Type> value_types;
    for (mlir::Value v : before) value_types.push_back(v.getType());
    Values after = SF_TRY(e_.If(
        e_.Holds(term.conditions), value_types,
        [&]() -> Result<Values> {
          return Emission::Flatten(SF_TRY(combine(state, SF_TRY(spec_.read(term)))));
        },
        [&]() -> Result<Values> { return before; }));
    return Emission::Unflatten(after, types);
  }
  int64_t Length() const {
    int64_t n = 1;
    for (const FoldLoop& loop : loops_) n *= loop.size;
    return n;
  }

  // Any reducer, in index order. ----------------------------------------------------------------------------

  void Spread(Elements& elements) {
    if (outer_lanes_ == 0) return;
    for (Element& e : elements) e = elemental::Splat(e_.b(), e, outer_lanes_);
  }
  Result<Elements> InOrder() {
    Elements state = SF_TRY(Convert(SF_TRY(spec_.initial()), spec_.results));
    Spread(state);
    Values values = SF_TRY(InOrderLoop({}, Emission::Flatten(state)));
    return Emission::Unflatten(values, spec_.results);
  }
  Result<Values> InOrderLoop(Index at, Values state) {
    if (at.size() == loops_.size()) {
      Elements next = SF_TRY(With(Emission::Unflatten(state, spec_.results), at, spec_.results,
                                  [&](const Elements& before, const Elements& term) -> Result<Elements> {
                                    Elements arguments = before;
                                    arguments.insert(arguments.end(), term.begin(), term.end());
                                    Elements after = SF_TRY(e_.Call(*spec_.computation, arguments));
                                    Spread(after);
                                    return after;
                                  }));
      return Emission::Flatten(next);
    }
    return e_.Loop(0, loops_[at.size()].size, std::move(state), [&](Expr position, mlir::ValueRange carried) {
      Index next = at;
      next.push_back(position);
      return InOrderLoop(std::move(next), Values(carried.begin(), carried.end()));
    });
  }

  // A recognised reducer, in an order of our own. -----------------------------------------------------------

  Result<Elements> Combine(const Elements& a, const Elements& b) {
    Elements result;
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t lanes = std::max(elemental::LanesOf(a[i]), elemental::LanesOf(b[i]));
      auto full = [&](const Element& e) { return lanes > 0 ? elemental::Splat(e_.b(), e, lanes) : e; };
      result.push_back(SF_TRY(elemental::Combine(e_.b(), spec_.ops[i], full(a[i]), full(b[i]))));
    }
    return result;
  }
  Result<Elements> Identity(int64_t lanes) {
    Elements result;
    for (size_t i = 0; i < spec_.ops.size(); ++i) {
      result.push_back(
          SF_TRY(elemental::ReducerIdentity(e_.b(), spec_.ops[i], spec_.accumulators[i], lanes)));
    }
    return result;
  }
  Result<State> FreshState() {
    State state;
    for (int64_t u = 0; u < unroll_; ++u)
      state.push_back(SF_TRY(Identity(own_lanes_ > 0 ? own_lanes_ : outer_lanes_)));
    if (tail_ > 0) state.push_back(SF_TRY(Identity(0)));
    return state;
  }
  static Values FlattenState(const State& state) {
    Values values;
    for (const Elements& e : state) {
      Values part = Emission::Flatten(e);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  State UnflattenState(mlir::ValueRange values, size_t count) {
    const size_t each = values.size() / count;
    State state;
    for (size_t i = 0; i < count; ++i)
      state.push_back(Emission::Unflatten(values.slice(i * each, each), spec_.accumulators));
    return state;
  }
  using StateBody = std::function<Result<State>(Expr position, State state)>;
  Result<State> CarryState(mlir::Value low, mlir::Value high, indexing::Range range, State state,
                           const StateBody& body) {
    const size_t count = state.size();
    Values values = SF_TRY(e_.Loop(low, high, range, FlattenState(state),
                                   [&](Expr t, mlir::ValueRange carried) -> Result<Values> {
                                     return FlattenState(SF_TRY(body(t, UnflattenState(carried, count))));
                                   }));
    return UnflattenState(values, count);
  }
  Result<State> CarryState(int64_t n, State state, const StateBody& body) {
    const size_t count = state.size();
    Values values =
        SF_TRY(e_.Loop(0, n, FlattenState(state), [&](Expr t, mlir::ValueRange carried) -> Result<Values> {
          return FlattenState(SF_TRY(body(t, UnflattenState(carried, count))));
        }));
    return UnflattenState(values, count);
  }

  // Whether rounding makes the order matter for the error.
  bool Rounds() const {
    for (size_t i = 0; i < spec_.ops.size(); ++i) {
      const bool sums = spec_.ops[i] == Opcode::kAdd || spec_.ops[i] == Opcode::kMultiply;
      if (sums && (IsFloat(spec_.accumulators[i]) || IsComplex(spec_.accumulators[i]))) return true;
    }
    return false;
  }

  // n steps of `body`, each of which adds `*adds` terms to every accumulator. Long sequences are cut into
  // blocks with fresh accumulators, which are then added up; *adds becomes what the state given sees of it.
  Result<State> Sequence(int64_t n, int64_t* adds, State state, const StateBody& body) {
    constexpr int64_t kLongest = 256;
    const int64_t each = std::max<int64_t>(*adds, 1);
    if (!Rounds() || n * each <= kLongest) {
      *adds = n * each;
      return CarryState(n, std::move(state), body);
    }
    int64_t block = std::max<int64_t>(1, kLongest / each);
    while (block * block < n / each) block *= 2;  // very long ones: as many blocks as steps in a block
    const int64_t blocks = (n + block - 1) / block;
    *adds = blocks;
    return CarryState(blocks, std::move(state), [&](Expr t, State outer) -> Result<State> {
      State fresh = SF_TRY(FreshState());
      mlir::Value low = e_.Materialize(e_.exprs().Mul(t, block));
      mlir::Value high = arith::AddIOp::create(e_.b(), low, e_.Constant(block));
      if (n % block != 0) high = arith::MinSIOp::create(e_.b(), high, e_.Constant(n));
      State inner = SF_TRY(CarryState(low, high, {0, n - 1}, std::move(fresh), body));
      for (size_t i = 0; i < outer.size(); ++i) outer[i] = SF_TRY(Combine(outer[i], inner[i]));
      return outer;
    });
  }

  void ChooseShape() {
    int64_t widest = 1;
    for (ElementType type : spec_.accumulators)
      widest = std::max<int64_t>(widest, ByteWidth(ComponentType(type)));
    innermost_ = loops_.size() - 1;
    if (outer_lanes_ == 0) {
      for (size_t i = loops_.size(); i-- > 0;) {
        if (!along_memory_[i] || loops_[i].size < 2) continue;
        int64_t lanes = e_.vector_bytes() / widest;
        while (lanes > loops_[i].size) lanes /= 2;
        if (lanes < 2) continue;
        own_lanes_ = lanes;
        innermost_ = i;
        break;
      }
    }
    const int64_t instructions = frame_.computation->instruction_count();
    unroll_ = instructions <= 12 ? 4 : instructions <= 30 ? 2 : 1;
    if (outer_lanes_ * widest > e_.vector_bytes()) unroll_ = 1;  // several registers wide as it is
    const int64_t step = std::max<int64_t>(own_lanes_, 1);
    while (unroll_ > 1 && loops_[innermost_].size < unroll_ * step) unroll_ /= 2;
    tail_ = loops_[innermost_].size % step;
  }

  Result<Elements> FreeOrder() {
    if (Length() == 0 || loops_.empty()) {
      Elements result = SF_TRY(Convert(SF_TRY(spec_.initial()), spec_.accumulators));
      if (Length() > 0) result = SF_TRY(Add(std::move(result), {}));
      return Convert(std::move(result), spec_.results);
    }
    ChooseShape();
    int64_t adds = 1;
    std::vector<size_t> order;
    for (size_t i = 0; i < loops_.size(); ++i) {
      if (i != innermost_) order.push_back(i);
    }
    State state = SF_TRY(FreshState());
    state = SF_TRY(Nest(order, 0, Index(loops_.size(), e_.exprs().Constant(0)), std::move(state), &adds));
    // The accumulators become one, then its lanes.
    const size_t vectors = static_cast<size_t>(unroll_);
    for (size_t width = vectors; width > 1; width /= 2) {
      for (size_t i = 0; i < width / 2; ++i) state[i] = SF_TRY(Combine(state[i], state[i + width / 2]));
    }
    Elements total = state[0];
    if (own_lanes_ > 0) total = SF_TRY(AcrossLanes(std::move(total), own_lanes_));
    if (tail_ > 0) total = SF_TRY(Combine(total, state[vectors]));
    Elements initial = SF_TRY(Convert(SF_TRY(spec_.initial()), spec_.accumulators));
    return Convert(SF_TRY(Combine(initial, total)), spec_.results);
  }

  Result<Elements> Add(Elements accumulator, const Index& at) {
    return With(std::move(accumulator), at, spec_.accumulators,
                [&](const Elements& before, const Elements& term) -> Result<Elements> {
                  return Combine(before, SF_TRY(Convert(term, spec_.accumulators)));
                });
  }

  Result<State> Nest(const std::vector<size_t>& order, size_t level, Index at, State state, int64_t* adds) {
    if (level == order.size()) return Innermost(std::move(at), std::move(state), adds);
    // How many terms the inner loops add is known once they are written; what they would add unblocked bounds
    // it.
    int64_t inner_adds = InnermostSteps();
    for (size_t l = level + 1; l < order.size(); ++l) inner_adds *= loops_[order[l]].size;
    *adds = std::min<int64_t>(inner_adds, 256);
    const size_t loop = order[level];
    return Sequence(loops_[loop].size, adds, std::move(state), [&](Expr t, State s) -> Result<State> {
      Index next = at;
      next[loop] = t;
      int64_t ignored = 1;
      return Nest(order, level + 1, std::move(next), std::move(s), &ignored);
    });
  }
  int64_t InnermostSteps() const {
    return std::max<int64_t>(1, loops_[innermost_].size / (unroll_ * std::max<int64_t>(own_lanes_, 1)));
  }

  Result<State> Innermost(Index at, State state, int64_t* adds) {
    indexing::Context& c = e_.exprs();
    const int64_t n = loops_[innermost_].size;
    const int64_t step = std::max<int64_t>(own_lanes_, 1);
    const int64_t chunk = step * unroll_;
    auto add = [&](Elements& accumulator, Expr first, bool lanes) -> Status {
      Index here = at;
      here[innermost_] = lanes && own_lanes_ > 0 ? c.Add(first, e_.NewLane(own_lanes_)) : first;
      accumulator = SF_TRY(Add(std::move(accumulator), here));
      return {};
    };
    *adds = 1;
    state = SF_TRY(Sequence(n / chunk, adds, std::move(state), [&](Expr t, State s) -> Result<State> {
      for (int64_t u = 0; u < unroll_; ++u)
        SF_CHECK(add(s[static_cast<size_t>(u)], c.Add(c.Mul(t, chunk), u * step), true));
      return s;
    }));
    const int64_t done = n / chunk * chunk;
    state = SF_TRY(CarryState((n - done) / step, std::move(state), [&](Expr t, State s) -> Result<State> {
      SF_CHECK(add(s[0], c.Add(c.Mul(t, step), done), true));
      return s;
    }));
    return CarryState(tail_, std::move(state), [&](Expr t, State s) -> Result<State> {
      SF_CHECK(add(s.back(), c.Add(t, n - tail_), false));
      return s;
    });
  }

  Result<Elements> AcrossLanes(Elements total, int64_t lanes) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    auto each = [&](const std::function<mlir::Value(mlir::Value)>& f) {
      Elements result = total;
      for (Element& e : result) {
        e.value = f(e.value);
        if (e.imag) e.imag = f(e.imag);
      }
      return result;
    };
    for (; lanes > 2; lanes /= 2) {
      auto half = [&](int64_t first) {
        return each([&](mlir::Value v) -> mlir::Value {
          llvm::SmallVector<int64_t> lanes_taken;
          for (int64_t l = 0; l < lanes / 2; ++l) lanes_taken.push_back(first + l);
          return mlir::vector::ShuffleOp::create(b, v, v, lanes_taken);
        });
      };
      Elements low = half(0), high = half(lanes / 2);
      total = SF_TRY(Combine(low, high));
    }
    Elements first =
        each([&](mlir::Value v) -> mlir::Value { return mlir::vector::ExtractOp::create(b, v, 0); });
    Elements second =
        each([&](mlir::Value v) -> mlir::Value { return mlir::vector::ExtractOp::create(b, v, 1); });
    return Combine(first, second);
  }

  Emission& e_;
  Frame& frame_;
  const FoldSpec& spec_;
  const Instruction& op_;
  const Index& index_;
  int64_t outer_lanes_ = 0;
  std::vector<FoldLoop> loops_;
  std::vector<bool> along_memory_;
  size_t innermost_ = 0;   // the loop whose positions follow one another
  int64_t own_lanes_ = 0;  // lanes along it; 0: none
  int64_t unroll_ = 1;     // accumulators
  int64_t tail_ = 0;       // positions that fill no vector
};

}  // namespace

Result<Elements> EmitFold(Emission& emission, Frame& frame, const FoldSpec& spec, const Index& index) {
  return FoldEmitter(emission, frame, spec, index).Run();
}

}  // namespace subfloor::codegen::emitters
