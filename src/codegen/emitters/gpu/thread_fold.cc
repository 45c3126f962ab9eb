#include "codegen/emitters/gpu/thread_fold.h"

#include <algorithm>

#include "codegen/elemental/value.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace subfloor::codegen::emitters {

namespace arith = mlir::arith;
using hlo::Instruction;

Result<ThreadFold> ThreadFold::Of(GpuKernel& kernel, const Instruction& reduce) {
  ThreadFold fold(kernel, reduce);
  mlir::ImplicitLocOpBuilder& b = kernel.emission.b();
  const int64_t inputs = reduce.operand_count() / 2;
  fold.ops_ = Recognise(*reduce.called()).ops;
  for (int64_t i = 0; i < inputs; ++i) {
    const Shape& result = reduce.shape().IsTuple() ? reduce.shape().tuple_shape(i) : reduce.shape();
    fold.results_.push_back(result.element_type());
    ElementType type = reduce.operand(i)->shape().element_type();
    if (BitWidth(result.element_type()) > BitWidth(type)) type = result.element_type();
    if (!fold.ops_.empty()) {
      type = elemental::AccumulatorType(fold.ops_[static_cast<size_t>(i)], type);
      if (!elemental::ReducerIdentity(b, fold.ops_[static_cast<size_t>(i)], type)) fold.ops_.clear();
    }
    fold.accumulators_.push_back(type);
  }
  fold.has_flag_ = fold.ops_.empty();
  if (fold.has_flag_) fold.accumulators_ = fold.results_;
  decision::Decide(kernel.emission.log(), decision::Question::kReducerKind, !fold.has_flag_,
                   fold.has_flag_ ? decision::Fact::kReducerUnknown : decision::Fact::kReducerRecognised, 0,
                   0, reduce.id());
  for (ElementType type : fold.accumulators_) {
    const mlir::Type value = elemental::ValueType(b.getContext(), type, 0);
    fold.types_.push_back(value);
    if (IsComplex(type)) fold.types_.push_back(value);
  }
  if (fold.has_flag_) fold.types_.push_back(b.getI1Type());
  return fold;
}

Elements ThreadFold::ElementsOf(const State& state) const {
  const size_t values = state.size() - (has_flag_ ? 1 : 0);
  return Emission::Unflatten(mlir::ValueRange(state).take_front(values), accumulators_);
}

Result<ThreadFold::State> ThreadFold::Fresh() const {
  mlir::ImplicitLocOpBuilder& b = kernel_->emission.b();
  Elements elements;
  for (size_t i = 0; i < accumulators_.size(); ++i) {
    elements.push_back(has_flag_ ? elemental::EmitNumber(b, accumulators_[i], 0)
                                 : SF_TRY(elemental::ReducerIdentity(b, ops_[i], accumulators_[i])));
  }
  State state = Emission::Flatten(elements);
  if (has_flag_) state.push_back(arith::ConstantIntOp::create(b, 0, 1));
  return state;
}

Result<ThreadFold::State> ThreadFold::Add(const State& state, std::span<const Element> terms) const {
  mlir::ImplicitLocOpBuilder& b = kernel_->emission.b();
  Elements converted;
  for (size_t i = 0; i < terms.size(); ++i)
    converted.push_back(SF_TRY(elemental::EmitConvert(b, terms[i], accumulators_[i])));
  State other = Emission::Flatten(converted);
  if (has_flag_) other.push_back(arith::ConstantIntOp::create(b, 1, 1));
  return Combine(state, other);
}

Result<ThreadFold::State> ThreadFold::AddTerms(const State& state, const Index& index) const {
  Emission& e = kernel_->emission;
  std::vector<Element> terms;
  for (int64_t i = 0; i < inputs(); ++i)
    terms.push_back(SF_TRY(e.Value(kernel_->frame, *reduce_->operand(i), index)));
  // As many terms as the index has lanes: an element that is the same in all of them comes as one.
  const int64_t lanes = e.LanesOf(index);
  if (lanes == 0) return Add(state, terms);
  State folded = state;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<Element> at;
    for (const Element& term : terms) {
      const auto of_lane = [&](mlir::Value value) -> mlir::Value {
        return value ? elemental::Lane(elemental::V(e.b(), value), lane).get() : value;
      };
      const bool uniform = elemental::LanesOf(term) == 0;
      at.push_back(uniform ? term : Element{term.type, of_lane(term.value), of_lane(term.imag)});
    }
    folded = SF_TRY(Add(folded, at));
  }
  return folded;
}

Result<ThreadFold::State> ThreadFold::Combine(const State& a, const State& b) const {
  mlir::ImplicitLocOpBuilder& builder = kernel_->emission.b();
  const Elements left = ElementsOf(a), right = ElementsOf(b);
  if (!has_flag_) {
    Elements combined;
    for (size_t i = 0; i < left.size(); ++i)
      combined.push_back(SF_TRY(elemental::Combine(builder, ops_[i], left[i], right[i])));
    return Emission::Flatten(combined);
  }
  std::vector<Element> arguments(left.begin(), left.end());
  arguments.insert(arguments.end(), right.begin(), right.end());
  const Elements both = SF_TRY(kernel_->emission.Call(*reduce_->called(), arguments));
  Elements chosen;
  for (size_t i = 0; i < both.size(); ++i) {
    const Element whole = SF_TRY(elemental::EmitConvert(builder, both[i], accumulators_[i]));
    const Element one = elemental::Select(builder, FlagOf(b), whole, left[i]);
    chosen.push_back(elemental::Select(builder, FlagOf(a), one, right[i]));
  }
  State state = Emission::Flatten(chosen);
  state.push_back(arith::OrIOp::create(builder, FlagOf(a), FlagOf(b)));
  return state;
}

Result<ThreadFold::State> ThreadFold::FoldLanes(State state, int64_t distance) const {
  mlir::ImplicitLocOpBuilder& b = kernel_->emission.b();
  for (; distance > 0; distance /= 2) {
    State other;
    for (mlir::Value value : state)
      other.push_back(sf::ShuffleDownOp::create(b, value, static_cast<uint32_t>(distance)));
    state = SF_TRY(Combine(state, other));
  }
  return state;
}

Result<Elements> ThreadFold::Finish(const State& state) const {
  Emission& e = kernel_->emission;
  std::vector<Element> initial;
  for (int64_t i = 0; i < inputs(); ++i)
    initial.push_back(SF_TRY(e.Value(kernel_->frame, *reduce_->operand(inputs() + i), {})));
  State begun = SF_TRY(Add(SF_TRY(Fresh()), initial));
  const Elements folded = ElementsOf(SF_TRY(Combine(begun, state)));
  Elements results;
  for (size_t i = 0; i < folded.size(); ++i)
    results.push_back(SF_TRY(elemental::EmitConvert(e.b(), folded[i], results_[i])));
  return results;
}

std::vector<mlir::Value> ThreadFold::SharedStates(std::span<const int64_t> sizes) const {
  std::vector<mlir::Value> shared;
  for (ElementType type : accumulators_) shared.push_back(kernel_->Shared(type, sizes));
  if (has_flag_) shared.push_back(kernel_->Shared(ElementType::kPred, sizes));
  return shared;
}

void ThreadFold::Store(const State& state, std::span<const mlir::Value> shared, Expr offset) const {
  const Elements elements = ElementsOf(state);
  for (size_t i = 0; i < elements.size(); ++i) kernel_->emission.Store(elements[i], shared[i], offset);
  if (has_flag_)
    kernel_->emission.Store({ElementType::kPred, FlagOf(state), {}}, shared[elements.size()], offset);
}

ThreadFold::State ThreadFold::Load(std::span<const mlir::Value> shared, Expr offset) const {
  Elements elements;
  for (size_t i = 0; i < accumulators_.size(); ++i)
    elements.push_back(kernel_->emission.Load(shared[i], offset));
  State state = Emission::Flatten(elements);
  if (has_flag_) state.push_back(kernel_->emission.Load(shared[accumulators_.size()], offset).value);
  return state;
}

}  // namespace subfloor::codegen::emitters
