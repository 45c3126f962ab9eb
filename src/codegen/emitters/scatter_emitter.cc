#include <algorithm>

#include "codegen/emitters/kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Scatter: the operands are copied unless they lie in the results' buffers, then the updates are applied in
/// index order by one workgroup. A window of which any part is outside is left out whole.
namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;

class ScatterEmitter {
 public:
  explicit ScatterEmitter(Kernel& kernel)
      : kernel_(kernel),
        e_(kernel.emission),
        op_(*kernel.outputs[0].instruction),
        a_(op_.As<hlo::ScatterAttributes>()),
        operands_((op_.operand_count() - 1) / 2) {}

  Status Run() {
    for (int64_t i = 0; i < operands_; ++i) SF_CHECK(CopyOperand(i));
    if (Update(0).shape().element_count() == 0) return {};
    // Dimensions of the updates: those of the window, and the others, which stand for the places.
    for (int64_t d = 0; d < Update(0).shape().rank(); ++d) {
      (In(a_.update_window_dims, d) ? window_ : places_).push_back(d);
    }
    for (int64_t d = 0; d < Operand(0).shape().rank(); ++d) {
      if (!In(a_.inserted_window_dims, d) && !In(a_.input_batching_dims, d)) windowed_.push_back(d);
    }
    return AtPlaces({});
  }

 private:
  static bool In(const hlo::IntList& list, int64_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }
  const Instruction& Operand(int64_t i) const { return *op_.operand(i); }
  const Instruction& Indices() const { return *op_.operand(operands_); }
  const Instruction& Update(int64_t i) const { return *op_.operand(operands_ + 1 + i); }
  int64_t Size(int64_t update_dimension) const { return Update(0).shape().dimension(update_dimension); }

  Status CopyOperand(int64_t i) {
    const Instruction& operand = Operand(i);
    if (operand.IsParameter() && kernel_.InPlaceParameter(i) == operand.parameter_number()) return {};
    const int64_t count = operand.shape().element_count();
    const int64_t lanes = ChooseLanes(kernel_), vectors = count / lanes;
    auto copy = [&](Expr at) -> Result<Values> {
      Element value =
          SF_TRY(e_.Value(kernel_.frame, operand, e_.exprs().Delinearize(at, operand.shape().dimensions())));
      e_.Store(value, kernel_.outputs[static_cast<size_t>(i)].buffer, at);
      return Values{};
    };
    indexing::Context& c = e_.exprs();
    SF_CHECK(e_.Loop(0, vectors, {}, [&](Expr t, mlir::ValueRange) {
      return copy(lanes == 1 ? t : c.Add(c.Mul(t, lanes), e_.NewLane(lanes)));
    }));
    SF_CHECK(e_.Loop(vectors * lanes, count, {}, [&](Expr t, mlir::ValueRange) { return copy(t); }));
    return {};
  }

  // Loops over the places in row-major order.
  Status AtPlaces(Index place) {
    if (place.size() == places_.size()) return ApplyAt(place);
    SF_CHECK(e_.Loop(0, Size(places_[place.size()]), {}, [&](Expr t, mlir::ValueRange) -> Result<Values> {
      Index next = place;
      next.push_back(t);
      SF_CHECK(AtPlaces(std::move(next)));
      return Values{};
    }));
    return {};
  }

  Status ApplyAt(const Index& place) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    indexing::Context& c = e_.exprs();
    const Shape& shape = Operand(0).shape();
    Index start(static_cast<size_t>(shape.rank()), c.Constant(0));
    mlir::Value inside;
    for (size_t k = 0; k < a_.scatter_dims_to_operand_dims.size(); ++k) {
      const int64_t d = a_.scatter_dims_to_operand_dims[k];
      Index at = place;
      if (a_.index_vector_dim < Indices().shape().rank()) {
        at.insert(at.begin() + a_.index_vector_dim, c.Constant(static_cast<int64_t>(k)));
      }
      Element number = SF_TRY(e_.Value(kernel_.frame, Indices(), at));
      mlir::Value v = number.value;
      if (v.getType().getIntOrFloatBitWidth() < 64) {
        v = IsSigned(number.type) ? arith::ExtSIOp::create(b, b.getI64Type(), v).getResult()
                                  : arith::ExtUIOp::create(b, b.getI64Type(), v).getResult();
      }
      // As unsigned numbers, negative starts are far too large.
      int64_t window = 1;
      for (size_t w = 0; w < windowed_.size(); ++w) {
        if (windowed_[w] == d) window = Size(a_.update_window_dims[w]);
      }
      const int64_t last = shape.dimension(d) - window;
      if (last < 0) return {};
      mlir::Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, v, e_.Constant(last));
      inside = inside ? arith::AndIOp::create(b, inside, fits).getResult() : fits;
      start[static_cast<size_t>(d)] = last == 0 ? c.Constant(0) : e_.Bind(v, {0, last});
    }
    for (size_t k = 0; k < a_.input_batching_dims.size(); ++k) {
      int64_t position = a_.scatter_indices_batching_dims[k];
      if (position > a_.index_vector_dim) --position;
      start[static_cast<size_t>(a_.input_batching_dims[k])] = place[static_cast<size_t>(position)];
    }
    // Window dimensions that no index moves must fit as well.
    for (size_t w = 0; w < windowed_.size(); ++w) {
      if (Size(a_.update_window_dims[w]) > shape.dimension(windowed_[w])) return {};
    }
    auto apply = [&]() -> Result<Values> {
      SF_CHECK(AtWindow(place, start, {}));
      return Values{};
    };
    if (!inside) {
      SF_CHECK(apply());
      return {};
    }
    SF_CHECK(e_.If(inside, {}, apply, []() -> Result<Values> { return Values{}; }));
    return {};
  }

  // Loops over the window, its minor dimension in lanes where that is the operand's minor one.
  Status AtWindow(const Index& place, const Index& start, Index window) {
    if (window.size() == window_.size()) return ApplyOne(place, start, window);
    auto body = [&](Expr t) -> Result<Values> {
      Index next = window;
      next.push_back(t);
      SF_CHECK(AtWindow(place, start, std::move(next)));
      return Values{};
    };
    const int64_t size = Size(window_[window.size()]);
    const bool minor =
        window.size() + 1 == window_.size() && windowed_.back() == Operand(0).shape().rank() - 1;
    int64_t lanes = minor ? ChooseLanes(kernel_) : 1;
    while (lanes > size) lanes /= 2;
    const int64_t vectors = lanes > 1 ? size / lanes : 0;
    indexing::Context& c = e_.exprs();
    SF_CHECK(e_.Loop(0, vectors, {}, [&](Expr t, mlir::ValueRange) {
      return body(c.Add(c.Mul(t, lanes), e_.NewLane(lanes)));
    }));
    SF_CHECK(e_.Loop(vectors * lanes, size, {}, [&](Expr t, mlir::ValueRange) { return body(t); }));
    return {};
  }

  Status ApplyOne(const Index& place, const Index& start, const Index& window) {
    indexing::Context& c = e_.exprs();
    Index update(place.size() + window.size(), nullptr);
    for (size_t i = 0; i < places_.size(); ++i) update[static_cast<size_t>(places_[i])] = place[i];
    for (size_t i = 0; i < window_.size(); ++i) update[static_cast<size_t>(window_[i])] = window[i];
    Index target = start;
    for (size_t w = 0; w < windowed_.size(); ++w) {
      Expr& e = target[static_cast<size_t>(windowed_[w])];
      e = c.Add(e, window[w]);
    }
    Expr offset = c.Linearize(target, Operand(0).shape().dimensions());
    std::vector<Element> arguments;
    for (int64_t i = 0; i < operands_; ++i)
      arguments.push_back(e_.Load(kernel_.outputs[static_cast<size_t>(i)].buffer, offset));
    for (int64_t i = 0; i < operands_; ++i)
      arguments.push_back(SF_TRY(e_.Value(kernel_.frame, Update(i), update)));
    Elements results = SF_TRY(e_.Call(*op_.called(), arguments));
    for (int64_t i = 0; i < operands_; ++i) {
      Element result = SF_TRY(
          elemental::EmitConvert(e_.b(), results[static_cast<size_t>(i)], Operand(i).shape().element_type()));
      e_.Store(result, kernel_.outputs[static_cast<size_t>(i)].buffer, offset);
    }
    return {};
  }

  Kernel& kernel_;
  Emission& e_;
  const Instruction& op_;
  const hlo::ScatterAttributes& a_;
  int64_t operands_;
  std::vector<int64_t> window_, places_;  // dimensions of the updates
  std::vector<int64_t> windowed_;         // dimensions of the operand that the window runs over
};

}  // namespace

Status EmitScatter(Kernel& kernel) { return ScatterEmitter(kernel).Run(); }

}  // namespace subfloor::codegen::emitters
