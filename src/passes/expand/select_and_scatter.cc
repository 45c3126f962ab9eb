#include "passes/expand/select_and_scatter.h"

#include "passes/expand/replace.h"
#include "passes/inline_body.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// (value, position, other value, other position) -> the pair that stays: the first one seen, then what
// `select` says.
Result<Computation*> MakeChooser(hlo::Module& module, const Computation& select, ElementType type,
                                 ElementType index) {
  Builder b(module.AddComputation("choose"));
  Instruction* p[4];
  for (int64_t i = 0; i < 4; ++i) p[i] = b.Parameter(i, Shape::Scalar(i % 2 == 0 ? type : index));
  Instruction* const values[] = {p[0], p[2]};
  Instruction* selected = CopyBody(select, values, *b.computation())[select.root()];
  Instruction* none = b.ScalarInt(index, -1);
  Instruction* empty = b.Compare(p[1], none, ComparisonDirection::kEq);
  // A candidate without position is the other side's empty start.
  Instruction* no_candidate = b.Compare(p[3], none, ComparisonDirection::kEq);
  Instruction* keep = b.Or(no_candidate, b.And(b.Not(empty), selected));
  SF_CHECK(b.Finish(b.Tuple({b.Select(keep, p[0], p[2]), b.Select(keep, p[1], p[3])})));
  return b.computation();
}

}  // namespace

Result<bool> ExpandSelectAndScatter(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kSelectAndScatter; };
  return ReplaceEach(module, wanted, [&](Builder& b, Instruction& op) -> Result<Instruction*> {
    Instruction *x = op.operand(0), *source = op.operand(1), *init = op.operand(2);
    const ElementType type = x->shape().element_type();
    const int64_t count = x->shape().element_count();
    const ElementType index =
        count > std::numeric_limits<int32_t>::max() ? ElementType::kS64 : ElementType::kS32;
    Computation* chooser = SF_TRY(MakeChooser(module, *op.called(0), type, index));

    // The position of every element in the flat array, and of what each window keeps.
    const int64_t flat[] = {count};
    Instruction* positions = b.Reshape(b.Iota(Shape::ArrayOf(index, {count}), 0), x->shape().dimensions());
    Instruction* operands[] = {x, positions, b.Scalar(type, 0), b.ScalarInt(index, -1)};
    Computation* called[] = {chooser};
    Instruction* kept = b.Make(Opcode::kReduceWindow, operands,
                               hlo::WindowAttributes{op.As<hlo::WindowAttributes>().window}, called);
    const int64_t updates = source->shape().element_count();
    Instruction* chosen = b.Reshape(b.GetTupleElement(kept, 1), {updates, 1});

    hlo::ScatterAttributes dims;
    dims.inserted_window_dims = {0};
    dims.scatter_dims_to_operand_dims = {0};
    dims.index_vector_dim = 1;
    Instruction* start = b.Broadcast(init, flat, {});
    Instruction* scattered = b.Scatter(b.Convert(start, type), chosen, b.Reshape(source, {updates}),
                                       std::move(dims), op.called(1));
    return b.Reshape(scattered, x->shape().dimensions());
  });
}

}  // namespace subfloor::passes
