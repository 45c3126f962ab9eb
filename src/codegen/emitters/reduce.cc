#include <algorithm>

#include "codegen/emitters/emission.h"
#include "indexing/access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

/// Reductions as values: loops over the reduced dimensions around what they reduce.
///
/// A recognised reducer is free in its order: it keeps several accumulators, in lanes of its own where memory is read along
/// the reduced dimension, and sums in blocks so that the error does not grow with the length. Any other reducer folds in
/// index order, one sequence for each result element; lanes then run across results.
namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;
using hlo::Opcode;

// Neighbouring reduced dimensions that run as one loop.
struct ReducedLoop {
  int64_t first_dimension;
  std::vector<int64_t> sizes;
  int64_t size = 1;
};

class ReduceEmitter {
 public:
  ReduceEmitter(Emission& emission, Frame& frame, const Instruction& op, const Index& index)
      : e_(emission), frame_(frame), op_(op), index_(index), inputs_(op.operand_count() / 2) {}

  Result<Elements> Run() {
    outer_lanes_ = e_.LanesOf(index_);
    reducer_ = Recognise(*op_.called());
    for (int64_t i = 0; i < inputs_; ++i) {
      result_types_.push_back((op_.shape().IsTuple() ? op_.shape().tuple_shape(i) : op_.shape()).element_type());
    }
    PlanLoops();
    bool recognised = reducer_.recognised();
    if (recognised) {
      for (int64_t i = 0; i < inputs_; ++i) {
        const ElementType input = op_.operand(i)->shape().element_type();
        const ElementType result = result_types_[static_cast<size_t>(i)];
        const ElementType wider = BitWidth(result) > BitWidth(input) ? result : input;
        accumulator_types_.push_back(elemental::AccumulatorType(reducer_.ops[static_cast<size_t>(i)], wider));
        recognised &= elemental::ReducerIdentity(e_.b(), reducer_.ops[static_cast<size_t>(i)], accumulator_types_.back()).has_value();
      }
    }
    decision::Decide(e_.log(), decision::Question::kReducerKind, recognised,
                     recognised ? decision::Fact::kReducerRecognised : decision::Fact::kReducerUnknown, 0, 0, op_.id());
    return recognised ? Recognised() : InOrder();
  }

 private:
  using State = std::vector<Elements>;  // accumulators, each of one element a result

  // Loops. ------------------------------------------------------------------------------------------------------------

  bool IsReduced(int64_t d) const { return std::find(op_.dimensions().begin(), op_.dimensions().end(), d) != op_.dimensions().end(); }

  // The operands' index for positions of the loops.
  Index ReadIndex(indexing::Context& c, const Index& result_index, std::span<const ReducedLoop> loops, const Index& at) const {
    const Shape& shape = op_.operand(0)->shape();
    Index read(static_cast<size_t>(shape.rank()), nullptr);
    for (size_t i = 0; i < loops.size(); ++i) {
      Index part = c.Delinearize(at[i], loops[i].sizes);
      for (size_t j = 0; j < part.size(); ++j) read[static_cast<size_t>(loops[i].first_dimension) + j] = part[j];
    }
    size_t next = 0;
    for (Expr& e : read) {
      if (e == nullptr) e = result_index[next++];
    }
    return read;
  }

  struct Probe {
    int64_t divisions = 0;
    std::vector<bool> along_memory;  // for each loop: every read has stride 0 or 1 in it, and some read 1
  };
  Probe Look(std::span<const ReducedLoop> loops) const {
    indexing::Context c;
    Index result_index, at;
    const Shape& shape = op_.operand(0)->shape();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!IsReduced(d)) result_index.push_back(c.NewSymbol({0, std::max<int64_t>(shape.dimension(d) - 1, 0)}));
    }
    std::vector<int64_t> symbols;
    for (const ReducedLoop& loop : loops) {
      at.push_back(c.NewSymbol({0, std::max<int64_t>(loop.size - 1, 0)}));
      symbols.push_back(c.symbol_count() - 1);
    }
    Probe probe;
    std::vector<bool> ones(loops.size(), false);
    probe.along_memory.assign(loops.size(), true);
    for (int64_t i = 0; i < inputs_; ++i) {
      for (const auto& access : indexing::CollectAccesses(c, *op_.operand(i), ReadIndex(c, result_index, loops, at))) {
        probe.divisions += indexing::CountDivisions(access.expression);
        for (size_t l = 0; l < loops.size(); ++l) {
          int64_t stride = 0;
          const bool affine = indexing::IsAffineIn(access.expression, symbols[l], &stride);
          if (access.kind == indexing::Access::Kind::kValue && affine) continue;
          if (access.kind == indexing::Access::Kind::kCondition && affine && stride == 0) continue;
          if (!affine || (stride != 0 && stride != 1) || access.kind == indexing::Access::Kind::kCondition) probe.along_memory[l] = false;
          ones[l] = ones[l] || stride == 1;
        }
      }
    }
    // Reading nothing from memory is as good as reading along it.
    for (size_t l = 0; l < loops.size(); ++l) probe.along_memory[l] = probe.along_memory[l] && (ones[l] || loops.size() == 1);
    return probe;
  }

  void PlanLoops() {
    const Shape& shape = op_.operand(0)->shape();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (IsReduced(d)) loops_.push_back({d, {shape.dimension(d)}, shape.dimension(d)});
    }
    Probe best = Look(loops_);
    for (size_t i = loops_.size(); i-- > 1;) {
      ReducedLoop& outer = loops_[i - 1];
      if (outer.first_dimension + static_cast<int64_t>(outer.sizes.size()) != loops_[i].first_dimension) continue;
      std::vector<ReducedLoop> merged = loops_;
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

  // Reading. ----------------------------------------------------------------------------------------------------------

  Result<Elements> Read(const Index& at, std::span<const ElementType> types) {
    const Index read = ReadIndex(e_.exprs(), index_, loops_, at);
    Elements values;
    for (int64_t i = 0; i < inputs_; ++i) {
      Element value = SF_TRY(e_.Value(frame_, *op_.operand(i), read));
      if (!types.empty()) value = SF_TRY(elemental::EmitConvert(e_.b(), value, types[static_cast<size_t>(i)]));
      values.push_back(value);
    }
    return values;
  }
  Result<Elements> Initial(std::span<const ElementType> types) {
    Elements values;
    for (int64_t i = 0; i < inputs_; ++i) {
      Element value = SF_TRY(e_.Value(frame_, *op_.operand(inputs_ + i), {}));
      values.push_back(SF_TRY(elemental::EmitConvert(e_.b(), value, types[static_cast<size_t>(i)])));
    }
    return values;
  }
  int64_t Length() const {
    int64_t n = 1;
    for (const ReducedLoop& loop : loops_) n *= loop.size;
    return n;
  }

  // Any reducer, in index order. --------------------------------------------------------------------------------------

  void Spread(Elements& elements) {
    if (outer_lanes_ == 0) return;
    for (Element& e : elements) e = elemental::Splat(e_.b(), e, outer_lanes_);
  }
  Result<Elements> InOrder() {
    Elements state = SF_TRY(Initial(result_types_));
    Spread(state);
    Values values = SF_TRY(InOrderLoop({}, Emission::Flatten(state)));
    return Emission::Unflatten(values, result_types_);
  }
  Result<Values> InOrderLoop(Index at, Values state) {
    if (at.size() == loops_.size()) {
      Elements arguments = Emission::Unflatten(state, result_types_);
      Elements read = SF_TRY(Read(at, {}));
      arguments.insert(arguments.end(), read.begin(), read.end());
      Elements next = SF_TRY(e_.Call(*op_.called(), arguments));
      Spread(next);
      return Emission::Flatten(next);
    }
    return e_.Loop(0, loops_[at.size()].size, std::move(state), [&](Expr position, mlir::ValueRange carried) {
      Index next = at;
      next.push_back(position);
      return InOrderLoop(std::move(next), Values(carried.begin(), carried.end()));
    });
  }

  // A recognised reducer, in an order of our own. ---------------------------------------------------------------------

  Result<Elements> Combine(const Elements& a, const Elements& b) {
    Elements result;
    for (size_t i = 0; i < a.size(); ++i) result.push_back(SF_TRY(elemental::Combine(e_.b(), reducer_.ops[i], a[i], b[i])));
    return result;
  }
  Result<Elements> Identity(int64_t lanes) {
    Elements result;
    for (size_t i = 0; i < reducer_.ops.size(); ++i) {
      result.push_back(SF_TRY(elemental::ReducerIdentity(e_.b(), reducer_.ops[i], accumulator_types_[i], lanes)));
    }
    return result;
  }
  Result<State> FreshState() {
    State state;
    for (int64_t u = 0; u < unroll_; ++u) state.push_back(SF_TRY(Identity(own_lanes_ > 0 ? own_lanes_ : outer_lanes_)));
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
    for (size_t i = 0; i < count; ++i) state.push_back(Emission::Unflatten(values.slice(i * each, each), accumulator_types_));
    return state;
  }
  using StateBody = std::function<Result<State>(Expr position, State state)>;
  Result<State> CarryState(mlir::Value low, mlir::Value high, indexing::Range range, State state, const StateBody& body) {
    const size_t count = state.size();
    Values values = SF_TRY(e_.Loop(low, high, range, FlattenState(state), [&](Expr t, mlir::ValueRange carried) -> Result<Values> {
      return FlattenState(SF_TRY(body(t, UnflattenState(carried, count))));
    }));
    return UnflattenState(values, count);
  }
  Result<State> CarryState(int64_t n, State state, const StateBody& body) {
    const size_t count = state.size();
    Values values = SF_TRY(e_.Loop(0, n, FlattenState(state), [&](Expr t, mlir::ValueRange carried) -> Result<Values> {
      return FlattenState(SF_TRY(body(t, UnflattenState(carried, count))));
    }));
    return UnflattenState(values, count);
  }

  // Whether rounding makes the order matter for the error.
  bool Rounds() const {
    for (size_t i = 0; i < reducer_.ops.size(); ++i) {
      const bool sums = reducer_.ops[i] == Opcode::kAdd || reducer_.ops[i] == Opcode::kMultiply;
      if (sums && (IsFloat(accumulator_types_[i]) || IsComplex(accumulator_types_[i]))) return true;
    }
    return false;
  }

  // n steps of `body`, each of which adds `*adds` terms to every accumulator. Long sequences are cut into blocks with fresh
  // accumulators, which are then added up; *adds becomes what the state given sees of it.
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
    for (ElementType type : accumulator_types_) widest = std::max<int64_t>(widest, ByteWidth(ComponentType(type)));
    innermost_ = loops_.size() - 1;
    if (outer_lanes_ == 0) {
      for (size_t i = loops_.size(); i-- > 0;) {
        if (!along_memory_[i] || loops_[i].size < 2) continue;
        int64_t lanes = 64 / widest;
        while (lanes > loops_[i].size) lanes /= 2;
        if (lanes < 2) continue;
        own_lanes_ = lanes;
        innermost_ = i;
        break;
      }
    }
    const int64_t instructions = frame_.computation->instruction_count();
    unroll_ = instructions <= 12 ? 4 : instructions <= 30 ? 2 : 1;
    const int64_t step = std::max<int64_t>(own_lanes_, 1);
    while (unroll_ > 1 && loops_[innermost_].size < unroll_ * step) unroll_ /= 2;
    tail_ = loops_[innermost_].size % step;
  }

  Result<Elements> Recognised() {
    if (Length() == 0 || loops_.empty()) {
      Elements result = SF_TRY(Initial(accumulator_types_));
      if (Length() > 0) result = SF_TRY(Combine(result, SF_TRY(Read({}, accumulator_types_))));
      return Finish(std::move(result));
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
    return Finish(SF_TRY(Combine(SF_TRY(Initial(accumulator_types_)), total)));
  }

  Result<Elements> Finish(Elements total) {
    Elements result;
    for (size_t i = 0; i < total.size(); ++i) result.push_back(SF_TRY(elemental::EmitConvert(e_.b(), total[i], result_types_[i])));
    return result;
  }

  Result<State> Nest(const std::vector<size_t>& order, size_t level, Index at, State state, int64_t* adds) {
    if (level == order.size()) return Innermost(std::move(at), std::move(state), adds);
    // How many terms the inner loops add is known once they are written; what they would add unblocked bounds it.
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
      accumulator = SF_TRY(Combine(accumulator, SF_TRY(Read(here, accumulator_types_))));
      return {};
    };
    *adds = 1;
    state = SF_TRY(Sequence(n / chunk, adds, std::move(state), [&](Expr t, State s) -> Result<State> {
      for (int64_t u = 0; u < unroll_; ++u) SF_CHECK(add(s[static_cast<size_t>(u)], c.Add(c.Mul(t, chunk), u * step), true));
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
    Elements first = each([&](mlir::Value v) -> mlir::Value { return mlir::vector::ExtractOp::create(b, v, 0); });
    Elements second = each([&](mlir::Value v) -> mlir::Value { return mlir::vector::ExtractOp::create(b, v, 1); });
    return Combine(first, second);
  }

  Emission& e_;
  Frame& frame_;
  const Instruction& op_;
  const Index& index_;
  int64_t inputs_;
  int64_t outer_lanes_ = 0;
  Reducer reducer_;
  std::vector<ElementType> result_types_, accumulator_types_;
  std::vector<ReducedLoop> loops_;
  std::vector<bool> along_memory_;
  size_t innermost_ = 0;    // the loop whose positions follow one another
  int64_t own_lanes_ = 0;   // lanes along it; 0: none
  int64_t unroll_ = 1;      // accumulators
  int64_t tail_ = 0;        // positions that fill no vector
};

}  // namespace

Result<Elements> Emission::Reduce(Frame& frame, const Instruction& op, const Index& index) {
  return ReduceEmitter(*this, frame, op, index).Run();
}

}  // namespace subfloor::codegen::emitters
