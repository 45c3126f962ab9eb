#include <algorithm>

#include "hlo/inference/rules.h"
#include "hlo/shape_inference.h"

/// Values as they are, tuples, control flow, calls, tokens, and the halves of asynchronous operations.
namespace subfloor::hlo::inference {
namespace {

Status WantToken(const OpView& op, size_t i) {
  if (op.operand(i).IsToken()) return {};
  return WrongOperand(op, i, "a token there");
}

// Checks a -done operation's operand, a tuple of `size` elements or more, and gives element i.
Result<Shape> Element(const OpView& op, int64_t size, int64_t i) {
  SF_CHECK(WantOperands(op, 1, 1));
  if (!op.operand(0).IsTuple() || op.operand(0).tuple_size() < size) {
    return WrongOperand(op, 0,
                        fmt::format("a tuple of {} or more, as {} makes it", size,
                                    op.name().substr(0, op.name().rfind('-'))));
  }
  return op.operand(0).tuple_shape(i).WithoutLayout();
}

}  // namespace

Result<Shape> InferParameter(const OpView& op) {
  SF_CHECK(WantOperands(op, 0, 0));
  return op.written->WithoutLayout();
}

Result<Shape> InferConstant(const OpView& op) {
  SF_CHECK(WantOperands(op, 0, 0));
  const auto& constant = op.As<ConstantAttributes>();
  if (!constant.literal.shape().Compatible(*op.written)) {
    return BadInput("a constant of shape {} holds a value of shape {}", op.written->ToString(false),
                    constant.literal.shape().ToString(false));
  }
  return op.written->WithoutLayout();
}

Result<Shape> InferTuple(const OpView& op) {
  std::vector<Shape> elements;
  elements.reserve(op.operand_count());
  for (const Shape* operand : op.operands) elements.push_back(operand->WithoutLayout());
  return Shape::Tuple(std::move(elements));
}

Result<Shape> InferGetTupleElement(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  const Shape& tuple = op.operand(0);
  if (!tuple.IsTuple()) return WrongOperand(op, 0, "a tuple");
  const int64_t index = op.As<GetTupleElementAttributes>().index;
  if (index < 0 || index >= tuple.tuple_size()) {
    return BadInput("get-tuple-element takes element {} of {}, which has {}", index, tuple.ToString(false),
                    tuple.tuple_size());
  }
  return tuple.tuple_shape(index).WithoutLayout();
}

Result<Shape> InferIdentity(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  return op.operand(0).WithoutLayout();
}

Result<Shape> InferWhile(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantCalled(op, 2));
  SF_CHECK(WantParameters(op, *op.called[0], "condition", op.operands));
  SF_CHECK(WantParameters(op, *op.called[1], "body", op.operands));
  const Shape* condition = SF_TRY(RootShape(op, *op.called[0]));
  if (!condition->IsScalar() || !IsPred(condition->element_type())) {
    return BadInput("the condition of while, %{}, returns {}; it wants pred[]", op.called[0]->name(),
                    condition->ToString(false));
  }
  const Shape* body = SF_TRY(RootShape(op, *op.called[1]));
  if (!body->Compatible(op.operand(0))) {
    return BadInput("the body of while, %{}, returns {}; it wants {}", op.called[1]->name(),
                    body->ToString(false), op.operand(0).ToString(false));
  }
  return op.operand(0).WithoutLayout();
}

Result<Shape> InferConditional(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, SIZE_MAX));
  const Shape& selector = op.operand(0);
  const bool by_pred = selector.IsScalar() && IsPred(selector.element_type());
  if (!by_pred && !(selector.IsScalar() && selector.element_type() == ElementType::kS32)) {
    return WrongOperand(op, 0, "pred[] or s32[] there");
  }
  const size_t branches = op.operand_count() - 1;
  if (by_pred && branches != 2)
    return BadInput("conditional has {} branches; by pred[] it wants 2", branches);
  SF_CHECK(WantCalled(op, branches));
  Shape result;
  for (size_t i = 0; i < branches; ++i) {
    SF_CHECK(WantParameters(op, *op.called[i], fmt::format("branch {}", i), op.operands.subspan(i + 1, 1)));
    const Shape* root = SF_TRY(RootShape(op, *op.called[i]));
    if (i == 0) {
      result = root->WithoutLayout();
      continue;
    }
    if (root->Compatible(result)) continue;
    // A dimension may be dynamic in some branches only; then it is in the result.
    bool same_bounds =
        root->IsArray() && root->SameDimensions(result) && root->element_type() == result.element_type();
    if (!same_bounds) {
      return BadInput("branch {} of conditional, %{}, returns {}; branch 0 returns {}", i,
                      op.called[i]->name(), root->ToString(false), result.ToString(false));
    }
    for (int64_t d = 0; d < result.rank(); ++d)
      result.set_dynamic(d, result.IsDynamic(d) || root->IsDynamic(d));
  }
  return result;
}

Result<Shape> InferCall(const OpView& op) {
  SF_CHECK(WantCalled(op, 1));
  SF_CHECK(WantParameters(op, *op.called[0], op.opcode == Opcode::kFusion ? "body" : "callee", op.operands));
  const Shape* root = SF_TRY(RootShape(op, *op.called[0]));
  const auto* fusion = op.attributes.TryGet<FusionAttributes>();
  if (fusion == nullptr) return root->WithoutLayout();
  for (const OutputOperandAlias& alias : fusion->output_to_operand_aliasing) {
    if (alias.operand < 0 || alias.operand >= static_cast<int64_t>(op.operand_count())) {
      return BadInput("output_to_operand_aliasing names operand {}; {} has {}", alias.operand, op.name(),
                      op.operand_count());
    }
    const Shape* output = SubshapeAt(*root, alias.output_index);
    const Shape* operand = SubshapeAt(op.operand(static_cast<size_t>(alias.operand)), alias.operand_index);
    if (output == nullptr || operand == nullptr) {
      return BadInput(
          "output_to_operand_aliasing names ({}) of the output and ({}) of operand {}; one of them is not "
          "there",
          fmt::join(alias.output_index, ","), fmt::join(alias.operand_index, ","), alias.operand);
    }
  }
  return root->WithoutLayout();
}

Result<Shape> InferCustomCall(const OpView& op) {
  const auto& call = op.As<CustomCallAttributes>();
  if (call.has_operand_layout_constraints) {
    if (call.operand_layout_constraints.size() != op.operand_count()) {
      return BadInput("operand_layout_constraints has {} shapes; custom-call has {} operands",
                      call.operand_layout_constraints.size(), op.operand_count());
    }
    for (size_t i = 0; i < op.operand_count(); ++i) {
      if (!call.operand_layout_constraints[i].Compatible(op.operand(i))) {
        return WrongOperand(op, i,
                            fmt::format("{} by operand_layout_constraints",
                                        call.operand_layout_constraints[i].ToString(false)));
      }
    }
  }
  for (const OutputOperandAlias& alias : call.output_to_operand_aliasing) {
    const bool there =
        alias.operand >= 0 && alias.operand < static_cast<int64_t>(op.operand_count()) &&
        SubshapeAt(*op.written, alias.output_index) != nullptr &&
        SubshapeAt(op.operand(static_cast<size_t>(alias.operand)), alias.operand_index) != nullptr;
    if (!there) {
      return BadInput(
          "output_to_operand_aliasing of custom-call names ({}) of the output and ({}) of operand {}; one of "
          "them is not there",
          fmt::join(alias.output_index, ","), fmt::join(alias.operand_index, ","), alias.operand);
    }
  }
  return op.written->WithoutLayout();
}

Result<Shape> InferAfterAll(const OpView& op) {
  for (size_t i = 0; i < op.operand_count(); ++i) SF_CHECK(WantToken(op, i));
  return Shape::Token();
}

Result<Shape> InferAddDependency(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantToken(op, 1));
  return op.operand(0).WithoutLayout();
}

Result<Shape> InferAsyncStart(const OpView& op) {
  SF_CHECK(WantCalled(op, 1));
  const Shape& shape = *op.written;
  const Shape* root = SF_TRY(RootShape(op, *op.called[0]));
  if (shape.tuple_size() < 2 || !shape.tuple_shape(0).IsTuple()) {
    return BadInput("async-start gives {}; it wants ((operands), result, ...)", shape.ToString(false));
  }
  if (!shape.tuple_shape(1).Compatible(*root)) {
    return BadInput("element 1 of async-start's {} is not {}, which %{} returns", shape.ToString(false),
                    root->ToString(false), op.called[0]->name());
  }
  // Fewer operands than parameters: the rest is bound by later async-updates.
  const auto bound = static_cast<int64_t>(op.operand_count());
  if (bound > op.called[0]->parameter_count()) {
    return BadInput("async-start has {} operands; %{} takes {}", bound, op.called[0]->name(),
                    op.called[0]->parameter_count());
  }
  if (bound == op.called[0]->parameter_count())
    SF_CHECK(WantParameters(op, *op.called[0], "callee", op.operands));
  for (int64_t i = 0; i < std::min(bound, shape.tuple_shape(0).tuple_size()); ++i) {
    if (!shape.tuple_shape(0).tuple_shape(i).Compatible(op.operand(static_cast<size_t>(i)))) {
      return WrongOperand(op, static_cast<size_t>(i), shape.tuple_shape(0).tuple_shape(i).ToString(false));
    }
  }
  return shape.WithoutLayout();
}

Result<Shape> InferAsyncUpdate(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  if (op.operand(0).tuple_size() < 2) return WrongOperand(op, 0, "what async-start makes");
  return op.operand(0).WithoutLayout();
}

Result<Shape> InferAsyncDone(const OpView& op) { return Element(op, 2, 1); }

Result<Shape> InferCopyStart(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  const Shape value = op.operand(0).WithoutLayout();
  return Shape::Tuple({value, value, Shape::Scalar(ElementType::kU32)});
}

Result<Shape> InferCopyDone(const OpView& op) { return Element(op, 3, 0); }

Result<Shape> InferInfeed(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantToken(op, 0));
  if (op.written->tuple_size() != 2 || !op.written->tuple_shape(1).IsToken()) {
    return BadInput("infeed gives {}; it wants (data, token[])", op.written->ToString(false));
  }
  return op.written->WithoutLayout();
}

Result<Shape> InferOutfeed(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantToken(op, 1));
  const auto& outfeed = op.As<OutfeedAttributes>();
  if (outfeed.outfeed_shape && !outfeed.outfeed_shape->Compatible(op.operand(0))) {
    return WrongOperand(op, 0, fmt::format("outfeed_shape={}", outfeed.outfeed_shape->ToString(false)));
  }
  return Shape::Token();
}

Result<Shape> InferSend(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantToken(op, 1));
  return Shape::Tuple({op.operand(0).WithoutLayout(), Shape::Scalar(ElementType::kU32), Shape::Token()});
}

Result<Shape> InferSendDone(const OpView& op) { return Element(op, 3, 2); }

Result<Shape> InferRecv(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantToken(op, 0));
  const Shape& shape = *op.written;
  if (shape.tuple_size() != 3 || !shape.tuple_shape(1).Compatible(Shape::Scalar(ElementType::kU32)) ||
      !shape.tuple_shape(2).IsToken()) {
    return BadInput("recv gives {}; it wants (data, u32[], token[])", shape.ToString(false));
  }
  return shape.WithoutLayout();
}

Result<Shape> InferRecvDone(const OpView& op) {
  return Shape::Tuple({SF_TRY(Element(op, 3, 0)), SF_TRY(Element(op, 3, 2))});
}

}  // namespace subfloor::hlo::inference
