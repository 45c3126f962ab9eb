#include "codegen/emitters/kernel.h"
#include "codegen/emitters/scatter_target.h"

/// Scatter: the operands are copied unless they lie in the results' buffers, then the updates are applied in
/// index order by one workgroup. A window of which any part is outside is left out whole.
namespace subfloor::codegen::emitters {
namespace {

using hlo::Instruction;

class ScatterEmitter {
 public:
  explicit ScatterEmitter(Kernel& kernel)
      : kernel_(kernel),
        e_(kernel.emission),
        op_(*kernel.outputs[0].instruction),
        operands_((op_.operand_count() - 1) / 2),
        dimensions_(op_) {}

  Status Run() {
    for (int64_t i = 0; i < operands_; ++i) SF_CHECK(CopyOperand(i));
    if (Update(0).shape().element_count() == 0) return {};
    return AtPlaces({});
  }

 private:
  const Instruction& Operand(int64_t i) const { return *op_.operand(i); }
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
    if (place.size() == dimensions_.places.size()) return ApplyAt(place);
    SF_CHECK(e_.Loop(0, Size(dimensions_.places[place.size()]), {},
                     [&](Expr t, mlir::ValueRange) -> Result<Values> {
                       Index next = place;
                       next.push_back(t);
                       SF_CHECK(AtPlaces(std::move(next)));
                       return Values{};
                     }));
    return {};
  }

  Status ApplyAt(const Index& place) {
    const ScatterTarget target = SF_TRY(LocateScatter(e_, kernel_.frame, op_, dimensions_, place));
    if (target.nowhere) return {};
    auto apply = [&]() -> Result<Values> {
      SF_CHECK(AtWindow(place, target.start, {}));
      return Values{};
    };
    if (!target.inside) {
      SF_CHECK(apply());
      return {};
    }
    SF_CHECK(e_.If(target.inside, {}, apply, []() -> Result<Values> { return Values{}; }));
    return {};
  }

  // Loops over the window, its minor dimension in lanes where that is the operand's minor one.
  Status AtWindow(const Index& place, const Index& start, Index window) {
    if (window.size() == dimensions_.window.size()) return ApplyOne(place, start, window);
    auto body = [&](Expr t) -> Result<Values> {
      Index next = window;
      next.push_back(t);
      SF_CHECK(AtWindow(place, start, std::move(next)));
      return Values{};
    };
    const int64_t size = Size(dimensions_.window[window.size()]);
    const bool minor = window.size() + 1 == dimensions_.window.size() &&
                       dimensions_.windowed.back() == Operand(0).shape().rank() - 1;
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
    for (size_t i = 0; i < dimensions_.places.size(); ++i)
      update[static_cast<size_t>(dimensions_.places[i])] = place[i];
    for (size_t i = 0; i < dimensions_.window.size(); ++i)
      update[static_cast<size_t>(dimensions_.window[i])] = window[i];
    Index target = start;
    for (size_t w = 0; w < dimensions_.windowed.size(); ++w) {
      Expr& e = target[static_cast<size_t>(dimensions_.windowed[w])];
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
  int64_t operands_;
  ScatterDimensions dimensions_;
};

}  // namespace

Status EmitScatter(Kernel& kernel) { return ScatterEmitter(kernel).Run(); }

}  // namespace subfloor::codegen::emitters
